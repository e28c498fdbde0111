"""The report for a person at a terminal."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping

from stridewise.catalogue import Rule
from stridewise.console import Painter, harmless
from stridewise.finding import Evidence, Finding, Verdict, measured
from stridewise.finding.grouping import Group
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.sources import from_here
from stridewise.finding.table import Table
from stridewise.render._common import advice, automatic, count, decision, fixed_places, places, summary, worth

_VERDICT_STYLES = {Verdict.CONFIRMED: "green", Verdict.OBSERVED: "green", Verdict.REFUTED: "dim"}
_EXCERPT_WIDTH = 110
_INDENT = " " * 6


def render(result: Result, rules: Mapping[str, Rule], colour: bool) -> str:
    paint = Painter(colour)
    lines: list[str] = []
    for run in result.runs:
        lines += [_run_header(run, paint), *_causes(run, paint), ""]
    for table in result.tables:
        lines += [*_table(table, paint), ""]
    explained: set[tuple[str, str]] = set()
    shown = result.shown_groups
    for number, group in enumerate(shown, 1):
        finding = group.lead
        why = ""
        reason = rules[finding.rule].reason(finding.args) if finding.rule in rules else ""
        if reason and (finding.rule, reason) not in explained:
            explained.add((finding.rule, reason))
            why = reason
        lines += _group(number, group, result, why, paint)
    if shown:
        lines.append("")
    for trouble in result.troubles:
        where = harmless(_found_from_here(trouble.where, result))
        lines.append(f"{paint('not done:', 'red')} {where}: {harmless(trouble.message)}")
        lines += [f"    {harmless(_found_from_here(detail, result))}" for detail in trouble.details]
    lines += [f"{paint('note:', 'cyan')} {harmless(_found_from_here(note, result))}" for note in result.notes]
    lines.append(summary(result))
    return "\n".join(lines) + "\n"


def _found_from_here(text: str, result: Result) -> str:
    """What begins with a file below the root, as all formats name it, then begins with its path from here."""
    name, colon, rest = text.partition(":")
    file = result.project.root / name
    return from_here(file, result.project) + colon + rest if name and file.is_file() else text


def _run_header(run: RunSummary, paint: Painter) -> str:
    parts = [paint("stridewise", "bold"), harmless(shlex.join(run.command) or run.kind), *map(harmless, run.details)]
    if run.status:
        parts.append(paint(f"ended with status {run.status}", "red"))
    return " · ".join(parts)


def _causes(run: RunSummary, paint: Painter) -> Iterator[str]:
    for cause in run.causes:
        first, *more = textwrap.wrap(harmless(cause), _EXCERPT_WIDTH, break_long_words=False, break_on_hyphens=False)
        yield f"  {paint('*', 'yellow')} {first}"
        yield from (f"    {line}" for line in more)


def _table(table: Table, paint: Painter) -> Iterator[str]:
    yield paint(harmless(table.title), "bold")
    yield from map(harmless, table.lines())
    yield from (paint(harmless(note), "dim") for note in table.notes)


def _group(number: int, group: Group, result: Result, why: str, paint: Painter) -> Iterator[str]:
    """The place that costs most, with what all places save together, then where the others are."""
    finding = group.whole
    where = finding.location
    place = f"{harmless(from_here(where.file, result.project))}:{where.line}"
    if finding.function:
        place += f" in {harmless(finding.function)}"
    if group.others:
        place += f" and {count(len(group.others), 'more place')}"
    if result.runs:
        said = f"{measured.verdict(finding):27}"
        doubt = paint(f" [{finding.confidence.value} confidence]", "dim")
    else:
        said, doubt = f"{finding.confidence.value + ' confidence':18}", ""
    verdict = paint(said, *filter(None, [_VERDICT_STYLES.get(finding.verdict)]))
    cost = f"{worth(finding):20}"
    yield f"{number:3}  {paint(f'{finding.rule:24}', 'bold')} {cost} {verdict} {paint(place, 'cyan')}"
    yield from _excerpt(finding, result, paint)
    yield f"{_INDENT}{harmless(finding.message)}{doubt}"
    if why:
        yield from _paragraph("why:", why, paint)
    if group.others:
        yield from _paragraph("also:", harmless(places(group.others, lambda f: from_here(f, result.project))), paint)
    if finding.advice:
        command, why = automatic(finding)
        how = f" (automatic: {command}{fixed_places(group)})" if command else ""
        yield f"{_INDENT}{paint('fix:', 'green')} {harmless(advice(group))}{how}"
        if command:
            yield f"{_INDENT}     {harmless(why)}"
    for evidence in finding.evidence:
        known = _evidence(evidence)
        if known:
            yield from _paragraph(*known, paint)
    if finding.related:
        seen = (f"{from_here(r.file, result.project)}:{r.line} ({r.label})" for r in finding.related)
        yield from _paragraph("see:", ", ".join(map(harmless, seen)), paint)
    label, run = decision(finding)
    if run:
        yield from _paragraph(f"{label}:", harmless(run), paint)


def _paragraph(label: str, text: str, paint: Painter) -> Iterator[str]:
    """Wrapped text after a label; long paths are never broken."""
    width = _EXCERPT_WIDTH - len(label)
    first, *more = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
    yield f"{_INDENT}{paint(label, 'dim')} {first}"
    yield from (f"{_INDENT}{' ' * len(label)} {line}" for line in more)


def _excerpt(finding: Finding, result: Result, paint: Painter) -> Iterator[str]:
    where = finding.location
    text = result.sources.line(where.file, where.line)
    if text is None:
        return
    width = len(str(where.line))
    before = result.sources.line(where.file, where.line - 1)
    if before is not None and before.strip():
        yield f"{_INDENT}  {where.line - 1:{width}} | {harmless(before)[:_EXCERPT_WIDTH]}"
    yield f"{_INDENT}{paint('>', 'red')} {where.line} | {harmless(text)[:_EXCERPT_WIDTH]}"
    if where.column > 0:
        begin = _shown_width(text, where.column - 1)
        last = where.end_column - 1 if where.end_line == where.line else len(text.encode("utf-8", "surrogateescape"))
        end = _shown_width(text.rstrip(), last)
        if begin < _EXCERPT_WIDTH:
            marks = "^" + "~" * (min(max(end, begin + 1), _EXCERPT_WIDTH) - begin - 1)
            yield f"{_INDENT}  {'':{width}} | {' ' * begin}{paint(marks, 'green')}"


def _shown_width(text: str, byte_count: int) -> int:
    """Columns that the first bytes of a line take once it is made harmless: columns of findings count bytes."""
    return len(harmless(text.encode("utf-8", "surrogateescape")[:byte_count].decode("utf-8", "surrogateescape")))


def _evidence(evidence: Evidence) -> tuple[str, str] | None:
    known = measured.evidence(evidence)
    return known and (f"{known[0]}:", ", ".join(map(harmless, known[1])))
