"""Suppression comments that do not say what they mean: lone ends of blocks, unknown rules, missing reasons."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from stridewise.finding import Confidence, Finding, FindingError, Location, Severity

NAME = "nolint"  # of the findings made here; no rule of the catalogue, since it costs no time
_PREFIX = "stridewise-"
_WORDS = {"line": "NOLINT", "next line": "NOLINTNEXTLINE", "begin": "NOLINTBEGIN", "end": "NOLINTEND"}


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment as the analyser saw it; `names` are globs of stridewise-<slug>."""

    file: str
    line: int
    kind: str  # line, next line, begin, end
    names: tuple[str, ...]
    has_reason: bool

    @staticmethod
    def from_json(value: Any) -> Suppression:
        """Raises FindingError for a value of the wrong shape."""
        if not isinstance(value, dict):
            raise FindingError("suppressions: expected an object")
        names, kind = value.get("names"), value.get("kind")
        file, line = value.get("file"), value.get("line")
        if (
            not isinstance(file, str)
            or not isinstance(line, int)
            or kind not in _WORDS
            or not isinstance(names, list)
            or not all(isinstance(name, str) for name in names)
        ):
            raise FindingError("suppressions: wrong fields")
        return Suppression(file, line, kind, tuple(names), value.get("has_reason") is True)


def problems(
    suppressions: Iterable[Suppression], slugs: Iterable[str], needs_reason: Callable[[str], bool]
) -> Iterator[Finding]:
    """A finding per comment that is wrong; the same comment of a header in several units is one."""
    known = [_PREFIX + slug for slug in slugs]
    by_file: dict[str, list[Suppression]] = {}
    for suppression in sorted(set(suppressions), key=lambda s: (s.file, s.line)):
        by_file.setdefault(suppression.file, []).append(suppression)
    for file, all_of_file in by_file.items():
        alone = _alone(all_of_file)
        for suppression in all_of_file:
            word = _WORDS[suppression.kind]
            if suppression in alone:
                other = "NOLINTEND" if suppression.kind == "begin" else "NOLINTBEGIN"
                yield _finding(
                    suppression,
                    f"{word} without {other} of the same names suppresses nothing",
                    f"write {other}({', '.join(suppression.names)})",
                )
            for name in suppression.names:
                glob = name.removeprefix("-")
                if glob.startswith("stridewise") and not any(fnmatchcase(slug, glob) for slug in known):
                    near = difflib.get_close_matches(glob, known, 1)
                    advice = f"did you mean {near[0]}" if near else "stridewise rules lists them"
                    yield _finding(suppression, f"{word} names '{glob}', which is no rule", advice)
            if suppression.kind != "end" and not suppression.has_reason and needs_reason(file):
                yield _finding(
                    suppression,
                    f"{word} gives no reason",
                    f"write why: {word}({', '.join(suppression.names)}): <reason>",
                )


def _alone(suppressions: Iterable[Suppression]) -> set[Suppression]:
    """Ends of blocks without their other end, paired as the analyser pairs them."""
    waiting: list[Suppression] = []
    alone: set[Suppression] = set()
    for suppression in suppressions:
        if suppression.kind == "begin":
            waiting.append(suppression)
        elif suppression.kind == "end":
            begin = next((s for s in reversed(waiting) if s.names == suppression.names), None)
            if begin:
                waiting.remove(begin)
            else:
                alone.add(suppression)
    return alone.union(waiting)


def _finding(suppression: Suppression, message: str, advice: str) -> Finding:
    return Finding(
        rule=NAME,
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message=message,
        advice=advice,
        location=Location(suppression.file, suppression.line),
    )
