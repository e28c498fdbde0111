"""Markdown for job summaries ($GITHUB_STEP_SUMMARY) and comments: tables of what was found, of what could not be done,
and of what a run shows. GitHub refuses a summary above 1 MiB: what does not fit is counted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping

from stridewise import markdown
from stridewise.catalogue import Rule
from stridewise.finding import Confidence, measured
from stridewise.finding.grouping import Group
from stridewise.finding.result import Result, RunSummary, Trouble
from stridewise.finding.table import Table
from stridewise.markdown import code, link, text
from stridewise.render._common import (
    advice,
    automatic,
    count,
    decision,
    fixed_places,
    path,
    places,
    standing_groups,
    summary,
    worth,
)

_BYTES = 900_000
_FOLDED = 300  # findings after those that are shown at once
_TROUBLES = 50
_NOTES = 20
_ROWS = 50
_CELL = 600


def render(result: Result, rules: Mapping[str, Rule], _colour: bool) -> str:
    found = standing_groups(result)
    lines = [f"## Stridewise: {count(len(found), 'finding')}", "", text(summary(result))]
    lines += [line for run in result.runs for line in ("", _run(run))]
    first = found if result.limit is None else found[: result.limit]
    rest = found[len(first) : len(first) + _FOLDED]
    lines += _findings(first, result, rules)
    if rest:
        lines += ["", f"<details><summary>{count(len(rest), 'more finding')}</summary>"]
        lines += [*_findings(rest, result, rules), "", "</details>"]
    over = len(found) - len(first) - len(rest)
    if over > 0:
        lines += ["", f"{over} more are in the full report."]
    for table in result.tables:
        lines += _table(table)
    lines += _troubles(result.troubles)
    lines += _notes(result.notes)
    return _bounded(lines)


def _findings(found: Iterable[Group], result: Result, rules: Mapping[str, Rule]) -> Iterator[str]:
    rows = [_finding(group, result, rules.get(group.lead.rule)) for group in found]
    if rows:
        said = "What the run says" if result.runs else "Confidence"
        yield ""
        yield from markdown.table(("Cost", "Rule", "Where", "What, and what to do", said), rows)


def _finding(group: Group, result: Result, rule: Rule | None) -> tuple[str, ...]:
    finding = group.whole
    where = finding.location
    place = code(path(result, where.file) + (f":{where.line}" if where.line > 0 else ""))
    if finding.function:
        place += f"<br>in {code(finding.function, 200)}"
    if group.others:
        also = text(places(group.others, lambda file: path(result, file)), _CELL)
        place += f"<br>and {count(len(group.others), 'more place')}: {also}"
    what = text(finding.message, _CELL)
    if finding.advice:
        command, why = automatic(finding)
        how = f" (automatic: <code>{command}</code>{fixed_places(group)}; {text(why, _CELL)})" if command else ""
        what += f"<br>**Fix:** {text(advice(group), _CELL)}{how}"
    label, run = decision(finding)
    if run:
        what += f"<br>**{label.capitalize()}:** {text(run, _CELL)}"
    sure = measured.VERDICTS[finding.verdict] if result.runs else finding.confidence.value
    if result.runs and finding.confidence is not Confidence.HIGH:
        sure += f" ({finding.confidence.value} confidence)"
    name = code(finding.rule)
    return text(worth(finding)), link(name, rule.url) if rule and rule.url else name, place, what, sure


def _run(run: RunSummary) -> str:
    parts = [code(shlex.join(run.command) or run.kind), *(text(detail) for detail in run.details)]
    if run.status:
        parts.append(f"**ended with status {run.status}**")
    return "\n".join([" · ".join(parts), *([""] if run.causes else []), *(f"- {text(cause)}" for cause in run.causes)])


def _table(table: Table) -> Iterator[str]:
    yield from ("", f"### {text(table.title)}", "")
    shown = table.rows[:_ROWS]
    rows = [tuple(map(text, row)) for row in shown]
    yield from markdown.table(tuple(map(text, table.columns)), rows, figures=len(table.columns) - 1)
    notes = list(map(text, table.notes))
    if len(table.rows) > len(shown):
        notes.append(f"{len(table.rows) - len(shown)} more rows are in the full report.")
    for note in notes:
        yield from ("", note)


def _troubles(troubles: Iterable[Trouble]) -> Iterator[str]:
    listed = list(troubles)
    if not listed:
        return
    yield from ("", f"### Not done: {count(len(listed), 'problem')}", "")
    rows = []
    for trouble in listed[:_TROUBLES]:
        details = "".join(f"<br>{code(detail)}" for detail in trouble.details)
        rows.append((code(trouble.where), text(trouble.message, _CELL) + details))
    yield from markdown.table(("Where", "Why"), rows)
    if len(listed) > _TROUBLES:
        yield from ("", f"{len(listed) - _TROUBLES} more are in the full report.")


def _notes(notes: Iterable[str]) -> Iterator[str]:
    listed = list(notes)
    if listed:
        yield ""
    yield from (f"- {text(note)}" for note in listed[:_NOTES])
    if len(listed) > _NOTES:
        yield f"- {len(listed) - _NOTES} more notes are in the full report."


def _bounded(lines: Iterable[str]) -> str:
    """Whole lines only: half a row could leave an element open."""
    kept: list[str] = []
    size = 0
    folded = False
    for line in lines:
        size += len(line.encode("utf-8", "backslashreplace")) + 1
        if size > _BYTES:
            kept += [
                "",
                *(["</details>", ""] if folded else []),
                "The rest did not fit here; it is in the full report.",
            ]
            break
        folded = (folded or line.startswith("<details>")) and line != "</details>"
        kept.append(line)
    return "\n".join(kept) + "\n"
