"""Which findings are new and which are gone: the findings of both sides, matched to one another.

Line numbers take part only through the diff: a finding whose line stayed is the same one. Of the others, one is the
same that has the same rule and statement and that one change of the diff took and made (code that is laid out anew), or
that has the same line before or behind it (code that moved, in its function or to another function or file), or that is
in the same function, where the line of neither was touched. The ordinals of fingerprints are not used: an equal
statement that is added in front would shift them.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.sources import Project, Sources
from stridewise.review.changes import Changes

_BLANKS = re.compile(r"\s*([^\w\s])\s*")  # beside punctuation, where a formatter puts them and takes them away
_COMPARED = 100  # equal statements, of which one may have moved
_NEAR = 5  # lines that are looked at for one that holds something


@dataclass(frozen=True)
class Side:
    """The findings of one revision (absolute paths) with the sources they speak of."""

    findings: Sequence[Finding]
    sources: Sources


@dataclass(frozen=True)
class Matched:
    """Indices into the findings of both sides."""

    pairs: Sequence[tuple[int, int]]  # (head, base)
    new: Sequence[int]
    gone: Sequence[int]


def match(
    head: Side, base: Side, changes: Changes, project: Project, rules: Mapping[str, Rule] | None = None
) -> Matched:
    """Every finding is in at most one pair."""
    relative = project.relative
    pairs: list[tuple[int, int]] = []
    left, right = list(range(len(head.findings))), list(range(len(base.findings)))

    def join(
        of_head: Callable[[Finding], Hashable | None],
        of_base: Callable[[Finding], Hashable | None],
        fits: Callable[[Finding, Finding], bool] = lambda _a, _b: True,
    ) -> None:
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for index in right:
            if (key := of_base(base.findings[index])) is not None:
                waiting[key].append(index)
        taken: set[int] = set()
        found: set[int] = set()
        for index in left:
            key = of_head(head.findings[index])
            candidates = waiting.get(key) if key is not None else None
            if not candidates:
                continue
            some = islice(candidates, _COMPARED)
            chosen = next((c for c in some if fits(head.findings[index], base.findings[c])), None)
            if chosen is not None:
                candidates.remove(chosen)
                pairs.append((index, chosen))
                found.add(index)
                taken.add(chosen)
        left[:] = [index for index in left if index not in found]
        right[:] = [index for index in right if index not in taken]

    def line_now(finding: Finding) -> Hashable | None:
        where = changes.now(relative(finding.location.file), finding.location.line)
        return None if where is None else (finding.rule, *where)

    def statement(side: Side, finding: Finding) -> str:
        where = finding.location
        return _BLANKS.sub(r"\1", side.sources.statement(where.file, where.line, where.column))

    def block(finding: Finding, is_new: bool) -> tuple[str, int] | None:
        """The change that made or took the finding's line; None where the line stayed."""
        file = relative(finding.location.file)
        name = file if is_new else changes.name_now(file)
        lines = changes.lines(name)
        at = (lines.block_of_new if is_new else lines.block_of_old)(finding.location.line)
        return None if at is None else (name, at)

    def once(finding: Finding) -> Hashable | None:
        rule = (rules or {}).get(finding.rule)
        return (finding.rule, finding.message) if rule and rule.once else None

    join(lambda f: (f.rule, relative(f.location.file), f.location.line), line_now)
    join(
        lambda f: None if (at := block(f, True)) is None else (f.rule, *at, statement(head, f)),
        lambda f: None if (at := block(f, False)) is None else (f.rule, *at, statement(base, f)),
    )
    join(
        lambda f: (f.rule, relative(f.location.file), f.function, statement(head, f)),
        lambda f: (f.rule, changes.name_now(relative(f.location.file)), f.function, statement(base, f)),
        lambda a, b: (
            (block(a, True) is None and block(b, False) is None)
            or _same_place(_around(head.sources, a), _around(base.sources, b))
        ),
    )
    join(once, once)
    join(
        lambda f: (f.rule, text) if (text := statement(head, f)) else None,
        lambda f: (f.rule, text) if (text := statement(base, f)) else None,
        lambda a, b: _same_place(_around(head.sources, a), _around(base.sources, b)),
    )
    return Matched(tuple(pairs), tuple(left), tuple(right))


def _around(sources: Sources, finding: Finding) -> tuple[str, str]:
    """The nearest lines before and behind the finding's statement that hold something, without blanks."""
    where = finding.location
    last = max(where.line, where.end_line)
    return (
        _near(sources, where.file, range(where.line - 1, where.line - 1 - _NEAR, -1)),
        _near(sources, where.file, range(last + 1, last + 1 + _NEAR)),
    )


def _near(sources: Sources, file: str, numbers: range) -> str:
    for number in numbers:
        text = sources.line(file, number)
        # A brace alone is no place.
        if text is not None and any(char.isalnum() for char in text):
            return "".join(text.split())
    return ""


def _same_place(here: tuple[str, str], there: tuple[str, str]) -> bool:
    return any(a == b and a for a, b in zip(here, there, strict=True))
