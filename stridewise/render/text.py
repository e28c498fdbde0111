"""The report for a person at a terminal."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from stridewise.catalogue import Rule
from stridewise.console import Painter, harmless
from stridewise.finding import Evidence, Finding, Verdict
from stridewise.quantities import quantity
from stridewise.render._common import VERDICTS, summary, worth
from stridewise.result import Result, RunSummary
from stridewise.table import Table

_VERDICT_STYLES = {Verdict.CONFIRMED: "green", Verdict.OBSERVED: "green", Verdict.REFUTED: "dim"}
_UNITS = ("seconds", "bytes", "share", "ratio", "percent", "lines", "microseconds")
_COUNTED = ("units", "instantiations")
_EXCERPT_WIDTH = 110
_INDENT = " " * 6


def render(result: Result, rules: Mapping[str, Rule], colour: bool) -> str:
    paint = Painter(colour)
    lines: list[str] = []
    for run in result.runs:
        lines += [_run_header(run, paint), ""]
    for table in result.tables:
        lines += [*_table(table, paint), ""]
    explained: set[str] = set()
    for number, finding in enumerate(result.shown, 1):
        why = ""
        if finding.rule in rules and finding.rule not in explained:
            explained.add(finding.rule)
            why = rules[finding.rule].why
        lines += _finding(number, finding, result, why, paint)
    if result.shown:
        lines.append("")
    for trouble in result.troubles:
        lines.append(f"{paint('not done:', 'red')} {harmless(trouble.where)}: {harmless(trouble.message)}")
        lines += [f"    {harmless(detail)}" for detail in trouble.details]
    lines += [f"{paint('note:', 'cyan')} {harmless(note)}" for note in result.notes]
    lines.append(summary(result))
    return "\n".join(lines) + "\n"


def _run_header(run: RunSummary, paint: Painter) -> str:
    parts = [paint("stridewise", "bold"), harmless(shlex.join(run.command) or run.kind), *map(harmless, run.details)]
    if run.status:
        parts.append(paint(f"ended with status {run.status}", "red"))
    return " · ".join(parts)


def _table(table: Table, paint: Painter) -> Iterator[str]:
    yield paint(harmless(table.title), "bold")
    yield from map(harmless, table.lines())
    yield from (paint(harmless(note), "dim") for note in table.notes)


def _finding(number: int, finding: Finding, result: Result, why: str, paint: Painter) -> Iterator[str]:
    where = finding.location
    place = f"{harmless(result.project.relative(where.file))}:{where.line}"
    if finding.function:
        place += f" in {harmless(finding.function)}"
    if result.runs:
        undecided = finding.verdict is Verdict.SUSPECTED and any(e.source != "static" for e in finding.evidence)
        said = f"{'suspected, undecided by the run' if undecided else VERDICTS[finding.verdict]:27}"
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
    if finding.advice:
        automatic = " (automatic: lint --fix)" if finding.fixes else ""
        yield f"{_INDENT}{paint('fix:', 'green')} {harmless(finding.advice)}{automatic}"
    for evidence in finding.evidence:
        measured = _evidence(evidence)
        if measured:
            yield from _paragraph(*measured, paint)
    if finding.related:
        places = (f"{result.project.relative(r.file)}:{r.line} ({r.label})" for r in finding.related)
        yield from _paragraph("see:", ", ".join(map(harmless, places)), paint)


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
    skipped = {"cost_rank"} if "rank_seconds" in evidence.metrics else set()
    shown = [_metric(name, value) for name, value in evidence.metrics.items() if name not in skipped]
    # A figure that the note says already is not repeated.
    parts = [harmless(part) for part in shown if part and part.rsplit(" ", 1)[-1] not in evidence.note.split()]
    if evidence.note:
        parts.insert(0, harmless(evidence.note))
    if not parts:
        return None
    label = "analysed:" if evidence.source == "static" else f"measured ({evidence.source}):"
    return label, ", ".join(parts)


def _metric(name: str, value: Any) -> str:
    """A metric in words; its unit is the end of its name. Lists over ranks are given by their extreme."""
    words = name.split("_")
    if isinstance(value, list):
        numbers = [v for v in value if isinstance(v, int | float) and not isinstance(v, bool)]
        if not numbers or len(numbers) != len(value):
            return ""
        slowest = max(range(len(numbers)), key=numbers.__getitem__)
        return f"at most {quantity(numbers[slowest], words[-1])} (rank {slowest})"
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        return ""
    if name in _COUNTED and isinstance(value, int):
        return f"in {value} {name if value > 1 else name[:-1]}"
    if isinstance(value, int | float):
        label = " ".join(words[:-1] if words[-1] in _UNITS and len(words) > 1 else words)
        return f"{label} {quantity(value, words[-1])}"
    return f"{' '.join(words)} {value}"
