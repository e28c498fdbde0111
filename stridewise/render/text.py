"""The report for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stridewise.catalogue import Rule
from stridewise.console import Painter, harmless
from stridewise.finding import Evidence, Finding, Verdict, measured
from stridewise.finding.grouping import Group
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.sources import from_here
from stridewise.finding.table import Table
from stridewise.render import _scaling, _verdict, _waterfall
from stridewise.render._common import advice, automatic, count, decision, fixed_places, places, summary, worth
from stridewise.render._layout import Layout, indented

_VERDICT_STYLES = {Verdict.CONFIRMED: "green", Verdict.OBSERVED: "green", Verdict.REFUTED: "dim"}
_INDENT = " " * 6
_CODE_WIDTH = 110  # of source in files
_FOLDED = 8  # places of one cause that are named without --all


def render(result: Result, rules: Mapping[str, Rule], colour: bool, layout: Layout | None = None) -> str:
    """Without a layout as it goes to a file or a pipe: always alike."""
    page = _Page(result, Painter(colour), layout or Layout())
    return "\n".join(page.lines(rules)) + "\n"


def _found_from_here(text: str, result: Result) -> str:
    """What begins with a file below the root, as all formats name it, then begins with its path from here."""
    name, colon, rest = text.partition(":")
    file = result.project.root / name
    return from_here(file, result.project) + colon + rest if name and file.is_file() else text


class _Page:
    """One report on a page of some width."""

    def __init__(self, result: Result, paint: Painter, layout: Layout) -> None:
        self.result = result
        self.paint = paint
        self.layout = layout

    def lines(self, rules: Mapping[str, Rule]) -> Iterator[str]:
        result = self.result
        verdict = _verdict.lines(result, self.paint, self.layout)
        yield from verdict
        if verdict:
            yield ""
        if not result.brief:
            yield from self._whole(rules)
        yield from self._end()

    def _whole(self, rules: Mapping[str, Rule]) -> Iterator[str]:
        result = self.result
        caused = [*_verdict.untold(result, self.paint, self.layout)]
        caused += [line for run in result.runs for line in self._causes(run)]
        yield from caused
        if caused:
            yield ""
        each, whole = (lambda f: harmless(from_here(f, result.project))), result.limit is None
        sites = [*_verdict.sites(result, each, whole), *_verdict.regions(result, each, whole)]
        for table in [*_verdict.phases(result), *sites, *result.tables]:
            yield from self._table(table)
            yield ""
        yield from self._studies()
        explained: set[tuple[str, str]] = set()
        shown = result.shown_groups
        for number, group in enumerate(shown, 1):
            finding = group.lead
            why = ""
            reason = rules[finding.rule].reason(finding.args) if finding.rule in rules else ""
            if reason and (finding.rule, reason) not in explained:
                explained.add((finding.rule, reason))
                why = reason
            yield from self._group(number, group, why)
        if shown:
            yield ""

    def _end(self) -> Iterator[str]:
        result, paint = self.result, self.paint
        for trouble in result.troubles:
            where = harmless(_found_from_here(trouble.where, result))
            yield from self._said(f"{paint('not done:', 'red')} ", f"{where}: {harmless(trouble.message)}", 4)
            for detail in trouble.details:
                yield from indented(self.layout.message(harmless(_found_from_here(detail, result)), 4), "    ", "    ")
        for note in result.notes:
            yield from self._said(f"{paint('note:', 'cyan')} ", harmless(_found_from_here(note, result)), 4)
        whole = summary(result)
        yield from self.layout.joined(whole.split(" · "), " · ", 0) if self.layout.wraps else [whole]

    def _said(self, label: str, text: str, indent: int) -> Iterator[str]:
        yield from indented(self.layout.message(text, 10), label, " " * indent)

    def _causes(self, run: RunSummary) -> Iterator[str]:
        for cause in run.causes:
            yield from indented(self.layout.paragraph(harmless(cause), 4), f"  {self.paint('*', 'yellow')} ", "    ")

    def _table(self, table: Table) -> Iterator[str]:
        if table.title:
            yield self.paint(harmless(table.title), "bold")
        fitting = next(iter(_verdict.narrow([table], self.layout))) if self.layout.wraps else table
        yield from map(harmless, fitting.lines())
        yield from (self.paint(note, "dim") for note in table.notes)

    def _studies(self) -> Iterator[str]:
        studies = self.result.studies
        shown = [_waterfall.lines(studies.improve, self.layout.width)] if studies.improve else []
        shown += [_scaling.lines(studies.scale)] if studies.scale else []
        for first, *rest in shown:
            yield self.paint(first, "bold")
            for line in rest:
                fits = not self.layout.wraps or len(line) <= self.layout.width or "█" in line
                yield from [line] if fits else indented(self.layout.paragraph(line.strip(), 4), "  ", "    ")
            yield ""

    def _group(self, number: int, group: Group, why: str) -> Iterator[str]:
        """The place that costs most, with what all places save together, then where the others are."""
        result, paint = self.result, self.paint
        finding = group.whole
        where = finding.location
        place = f"{harmless(from_here(where.file, result.project))}:{where.line}"
        if finding.function:
            place += f" in {harmless(finding.function)}"
        if group.others:
            place += f" and {count(len(group.others), 'more place')}"
        if result.runs:
            said = f"{measured.verdict(finding):27}"
            doubt = f" [{finding.confidence.value} confidence]"
        else:
            said, doubt = f"{finding.confidence.value + ' confidence':18}", ""
        verdict = paint(said, *filter(None, [_VERDICT_STYLES.get(finding.verdict)]))
        head = f"{number:3}  {paint(f'{finding.rule:24}', 'bold')} {worth(finding):20} {verdict}"
        taken = 3 + 2 + max(24, len(finding.rule)) + 1 + max(20, len(worth(finding))) + 1 + len(said)
        if self.layout.wraps and taken + 1 + len(place) > self.layout.width:
            if taken > self.layout.width:
                head = f"{number:3}  {paint(finding.rule, 'bold')}  {worth(finding)}  {verdict}"
            yield head.rstrip()
            rows = self.layout.paragraph(place, len(_INDENT))
            yield from (_INDENT + paint(row, "cyan") for row in rows)
        else:
            yield f"{head} {paint(place, 'cyan')}"
        yield from self._excerpt(finding)
        message = harmless(finding.message)
        if self.layout.wraps:
            yield from (_INDENT + row for row in self.layout.paragraph(message + doubt, len(_INDENT)))
        else:
            yield f"{_INDENT}{message}{paint(doubt, 'dim')}"
        if why:
            yield from self._paragraph("why:", why)
        if group.others:
            yield from self._also(group)
        if finding.advice:
            command, why = automatic(finding)
            how = f" (automatic: {command}{fixed_places(group)})" if command else ""
            fix = self.layout.message(harmless(advice(group)) + how, len(_INDENT) + 5)
            yield from indented(fix, f"{_INDENT}{paint('fix:', 'green')} ", f"{_INDENT}     ")
            if command:
                yield from (f"{_INDENT}     {row}" for row in self.layout.message(harmless(why), len(_INDENT) + 5))
        for evidence in finding.evidence:
            known = _evidence(evidence)
            if known:
                yield from self._paragraph(*known)
        if finding.related:
            seen = (f"{from_here(r.file, result.project)}:{r.line} ({r.label})" for r in finding.related)
            yield from self._paragraph("see:", ", ".join(map(harmless, seen)))
        label, run = decision(finding)
        if run:
            yield from self._paragraph(f"{label}:", harmless(run))

    def _also(self, group: Group) -> Iterator[str]:
        """The other places of a cause; many of them are folded unless everything is asked for."""
        everything = self.result.limit is None or len(group.others) <= _FOLDED + 1
        named = group.others if everything else group.others[:_FOLDED]
        text = harmless(places(named, lambda f: from_here(f, self.result.project)))
        if len(named) < len(group.others):
            text += f"; and {len(group.others) - len(named)} more, with --all"
        yield from self._paragraph("also:", text)

    def _paragraph(self, label: str, text: str) -> Iterator[str]:
        """Wrapped text after a label; long paths are never broken."""
        indent = len(_INDENT) + len(label) + 1
        rows = self.layout.paragraph(text, indent)
        yield from indented(rows, f"{_INDENT}{self.paint(label, 'dim')} ", " " * indent)

    def _excerpt(self, finding: Finding) -> Iterator[str]:
        result, paint = self.result, self.paint
        where = finding.location
        text = result.sources.line(where.file, where.line)
        if text is None:
            return
        width = len(str(where.line))
        room = self.layout.width - len(_INDENT) - width - 5 if self.layout.wraps else _CODE_WIDTH
        before = result.sources.line(where.file, where.line - 1)
        if before is not None and before.strip():
            yield f"{_INDENT}  {where.line - 1:{width}} | {harmless(before)[:room]}"
        yield f"{_INDENT}{paint('>', 'red')} {where.line} | {harmless(text)[:room]}"
        if where.column > 0:
            begin = _shown_width(text, where.column - 1)
            whole = len(text.encode("utf-8", "surrogateescape"))
            last = where.end_column - 1 if where.end_line == where.line else whole
            end = _shown_width(text.rstrip(), last)
            if begin < room:
                marks = "^" + "~" * (min(max(end, begin + 1), room) - begin - 1)
                yield f"{_INDENT}  {'':{width}} | {' ' * begin}{paint(marks, 'green')}"


def _shown_width(text: str, byte_count: int) -> int:
    """Columns that the first bytes of a line take once it is made harmless: columns of findings count bytes."""
    return len(harmless(text.encode("utf-8", "surrogateescape")[:byte_count].decode("utf-8", "surrogateescape")))


def _evidence(evidence: Evidence) -> tuple[str, str] | None:
    known = measured.evidence(evidence)
    return known and (f"{known[0]}:", ", ".join(map(harmless, known[1])))
