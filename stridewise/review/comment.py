"""What one finding's comment says, in the Markdown of a code host. Everything that the plan holds is escaped here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stridewise.catalogue import Rule
from stridewise.finding import Finding, measured
from stridewise.review import escape
from stridewise.review.plan import Placed

VERSION = "v1"
_MARK = re.compile(r"<!-- stridewise:v1:([0-9a-f]{8,64}|summary)(:resolved)?(?: name=([A-Za-z0-9._-]{1,40}))? -->")
_SUGGESTION = re.compile(r"^(`{3,})suggestion\b.*$", re.MULTILINE)
_MAX_EVIDENCE = 8
_MAX_RELATED = 6


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between code hosts."""

    most_bytes: int  # of one comment
    suggestion: Callable[[int], str]  # the info string of a suggested change of so many lines
    before: int  # how many lines a suggestion may replace


GITHUB = Dialect(65_536, lambda _lines: "suggestion", 200)
# The comment stands on the first line; at most 100 lines after it can be replaced.
GITLAB = Dialect(1_000_000, lambda lines: f"suggestion:-0+{lines - 1}", 101)


@dataclass(frozen=True, slots=True)
class Mark:
    """The hidden first line of a comment of ours."""

    key: str  # a finding's fingerprint or "summary"
    resolved: bool = False
    name: str = ""  # of the review, where a change has several

    def __str__(self) -> str:
        state = ":resolved" if self.resolved else ""
        return f"<!-- stridewise:{VERSION}:{self.key}{state}{f' name={self.name}' if self.name else ''} -->"

    @staticmethod
    def of(body: str) -> Mark | None:
        """The mark of a comment: it is its whole first line, so that quoting or pasting text makes none by accident."""
        match = _MARK.fullmatch(body.split("\n", 1)[0].strip("\r "))
        return Mark(match[1], match[2] is not None, match[3] or "") if match else None


def body(placed: Placed, rules: Mapping[str, Rule], dialect: Dialect, name: str = "") -> str:
    """The comment of a finding on its lines."""
    parts = [str(Mark(placed.finding.fingerprint, name=name)), *_said(placed.finding, placed.cause, rules)]
    parts += _change(placed, dialect)
    parts.append(_footer(placed.finding, rules))
    return _fitting(parts, dialect)


def moved(placed: Placed, rules: Mapping[str, Rule], dialect: Dialect, name: str = "") -> str:
    """The same for a comment that people answered and whose lines the host lost: it says where the finding is now."""
    where = escape.code(f"{placed.finding.location.file}:{placed.line}")
    parts = [
        str(Mark(placed.finding.fingerprint, name=name)),
        f"**The code has changed here; the finding is now at {where}.**",
        *_said(placed.finding, placed.cause, rules),
        _footer(placed.finding, rules),
    ]
    return _fitting(parts, dialect)


def resolved(key: str, old: str, head: str, dialect: Dialect, name: str = "", why: str = "") -> str:
    """What a comment becomes whose finding is gone. Its former text stays, without a change that could be applied."""
    kept = old.split("\n", 1)[1].strip() if "\n" in old else ""
    kept = _SUGGESTION.sub(r"\1text", kept.replace("\r\n", "\n"))
    said = why or (f"no longer found at {escape.code(head[:12])}" if head else "no longer found")
    first = [str(Mark(key, resolved=True, name=name)), f"**Resolved:** {said}."]
    whole = "\n\n".join([*first, f"<details><summary>What it was</summary>\n\n{kept}\n\n</details>"])
    return whole if kept and len(whole.encode()) <= dialect.most_bytes else "\n\n".join(first)


def worth(finding: Finding) -> str:
    """Price and verdict, for a list."""
    return ", ".join(filter(None, [measured.price(finding), measured.verdict(finding)]))


def title(finding: Finding, rules: Mapping[str, Rule], table: bool = False) -> str:
    """The rule, with a link to its page where that is served; only rules that this installation knows have one."""
    span = escape.code(finding.rule, table=table)
    address = rules[finding.rule].url if finding.rule in rules else ""
    return f"[{span}]({address})" if address else span


def _said(finding: Finding, cause: str, rules: Mapping[str, Rule]) -> list[str]:
    rule = rules.get(finding.rule)
    head = f"**{escape.prose(rule.title[:1].upper() + rule.title[1:])}** · " if rule else ""
    head += f"{finding.severity.value}, {finding.confidence.value} confidence"
    if cause not in ("", "added", "changed"):
        head += f" · {escape.prose(cause, most=300)}"
    out = [head, escape.prose(finding.message)]
    if rule:
        out.append(f"**Why:** {escape.prose(rule.reason(finding.args))}")
    price = measured.price(finding)
    facts = [f"**Price:** {escape.prose(price)}, " if price else "**Verdict:** "]
    facts[0] += escape.prose(measured.verdict(finding))
    for evidence in finding.evidence[:_MAX_EVIDENCE]:
        known = measured.evidence(evidence)
        if known:
            facts.append(f"- {escape.prose(known[0], most=60)}: {escape.prose(', '.join(known[1]), most=600)}")
    out.append(facts[0] if len(facts) == 1 else facts[0] + "\n" + "\n".join(facts[1:]))
    if finding.related:
        places = [
            f"{escape.code(f'{r.file}:{r.line}')} ({escape.prose(r.label, most=200)})"
            for r in finding.related[:_MAX_RELATED]
        ]
        out.append("**See:** " + ", ".join(places))
    if finding.advice:
        out.append(f"**Fix:** {escape.prose(finding.advice)}")
    return out


def _change(placed: Placed, dialect: Dialect) -> list[str]:
    """The suggested change, where one can be shown exactly."""
    fixes = placed.finding.fixes
    if not fixes and placed.suggestion is None:
        return []
    doubted = next((fix for fix in fixes if not any(other.is_safe for other in fixes)), None)
    command = "`stridewise lint --fix --unsafe`" if doubted else "`stridewise lint --fix`"
    doubt = f" (unsafe: {escape.prose(doubted.why, most=300)})" if doubted else ""
    if placed.suggestion is None:
        return [f"{command} makes this change{doubt}."]
    count = placed.end_line - placed.line + 1
    if count > dialect.before or not escape.is_plain_block(placed.suggestion):
        return [f"{command} makes this change{doubt}; it cannot be shown here."]
    block = escape.block(placed.suggestion, dialect.suggestion(count))
    return [f"**Unsafe:** {escape.prose(doubted.why, most=300)}", block] if doubted else [block]


def _footer(finding: Finding, rules: Mapping[str, Rule]) -> str:
    silence = escape.code(f"// NOLINT(stridewise-{finding.rule}): the reason")
    return f"<sub>Rule {title(finding, rules)} · if it is meant to be so: {silence} on the line</sub>"


def _fitting(parts: list[str], dialect: Dialect) -> str:
    """All parts, or as many as a comment holds; the first ones matter most."""
    out = "\n\n".join(parts)
    while len(out.encode()) > dialect.most_bytes and len(parts) > 2:
        parts = parts[:-1]
        out = "\n\n".join(parts)
    return out
