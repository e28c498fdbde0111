"""One page for a browser, to keep and to send: nothing is fetched, every foreign text is escaped.

What a person sees first is the table of what costs most, then pictures of the run; below them each finding with its
lines of source, what the run measured, and what to do. The page says of itself that no browser may load anything for
it, nor run anything but its own scripts, which it names by their hashes.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files

from stridewise import __version__
from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Location, Verdict, measured
from stridewise.finding.grouping import Group
from stridewise.finding.quantities import seconds
from stridewise.finding.result import Result, RunSummary, Trouble
from stridewise.finding.table import Table
from stridewise.render import _charts, _scaling, _verdict, _waterfall
from stridewise.render._common import advice, automatic, count, decision, fixed_places, path, safe, summary, worth
from stridewise.render._verdict_page import verdict

_AROUND = 3  # lines of source before and after the place
_WIDTH = 200  # characters of a line of source
# Pictures are drawn by styles and images of the page's own.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
    "form-action 'none'"
)


def render(result: Result, rules: Mapping[str, Rule], _colour: bool) -> str:
    groups = result.groups
    standing = [g for g in groups if g.lead.verdict is not Verdict.REFUTED]
    refuted = [g for g in groups if g.lead.verdict is Verdict.REFUTED]
    numbers = {id(g): number for number, g in enumerate([*standing, *refuted], 1)}
    shown = standing if result.limit is None else standing[: result.limit]
    page = _Page(result, rules, numbers, groups)
    runs = _charts.data(result, page.by_place())
    studies = result.studies
    curves = studies.scale.curves if studies.scale else None
    scripts, allowed, drawn = _charts.scripts(runs, curves)
    pictures = list(_charts.figures(runs)) if drawn else []
    if (runs or curves) and not drawn:
        pictures = [f"<p>{_text(_charts.MISSING)}</p>"]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(scripts=allowed)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(_title(result))}</title>",
            f"<style>\n{style()}</style>",
            "</head>",
            "<body>",
            "<header>",
            f"<h1>{_text(_title(result))}</h1>",
            *map(_run, result.runs),
            f"<p>{_text(summary(result))}</p>",
            '<p class="keys"><button class="theme">light or dark</button> keys: <kbd>j</kbd> <kbd>k</kbd> next and '
            "former finding, <kbd>/</kbd> search, <kbd>t</kbd> light or dark</p>",
            "</header>",
            "<main>",
            *verdict(result, groups, page.number, page.place),
            *page.overview(standing),
            *(line for table in _verdict.phases(result) for line in _table(table)),
            *(line for table in _verdict.regions(result, result.project.relative, True) for line in _table(table)),
            *pictures,
            *(_waterfall.section(studies.improve) if studies.improve else ()),
            *(_scaling.section(studies.scale, drawn) if studies.scale else ()),
            *page.filters(groups),
            *(line for group in shown for line in page.finding(group)),
            *page.folded(count(len(standing) - len(shown), "more finding"), standing[len(shown) :]),
            *page.folded(f"{count(len(refuted), 'finding')} refuted by the run", refuted),
            *(line for table in result.tables for line in _table(table)),
            *_troubles(result.troubles),
            *_notes(result.notes),
            "</main>",
            f"<footer>stridewise {_text(__version__)}</footer>",
            *scripts,
            "</body>",
            "</html>",
            "",
        ]
    )


class _Page:
    """The findings, under the numbers that the page gives them."""

    def __init__(
        self, result: Result, rules: Mapping[str, Rule], numbers: Mapping[int, int], groups: Iterable[Group]
    ) -> None:
        self.result = result
        self.rules = rules
        self.numbers = numbers
        self.groups = list(groups)
        self.explained: set[tuple[str, str]] = set()
        self.heat: dict[tuple[str, int], float] = {}
        for run in result.runs:
            for site in run.profile.sites if run.profile else ():
                key = site.file, site.line
                self.heat[key] = self.heat.get(key, 0.0) + site.mean_seconds
            for region in run.profile.team_sites if run.profile else ():
                at = region.file, region.line
                self.heat[at] = self.heat.get(at, 0.0) + region.seconds
        self.misses = {place: share for run in result.runs for place, share in run.misses.items()}
        self.longest = max((run.seconds or 0.0 for run in result.runs), default=0.0)

    def number(self, group: Group) -> int:
        return self.numbers[id(group)]

    def place(self, group: Group) -> str:
        return self._place(group.lead.location)

    def by_place(self) -> dict[tuple[str, int], list[int]]:
        """The numbers of the findings that stand at a line, or that name it."""
        found: dict[tuple[str, int], list[int]] = {}
        for group in self.groups:
            number = self.numbers[id(group)]
            for member in group.members:
                for file, line in (
                    (member.location.file, member.location.line),
                    *((r.file, r.line) for r in member.related),
                ):
                    if number and number not in found.setdefault((file, line), []):
                        found[file, line].append(number)
        return found

    def filters(self, groups: Iterable[Group]) -> Iterator[str]:
        """What narrows the findings down; nothing where there are few to look through."""
        leads = [group.lead for group in groups]
        if len(leads) < 2:
            return
        choices = (
            ("rule", "rule", sorted({f.rule for f in leads})),
            ("file", "file", sorted({path(self.result, f.location.file) for f in leads})),
            ("said", "verdict", sorted({self._said(f) for f in leads})),
            ("phase", "phase", sorted({p for f in leads for p in _phases(f)})),
            ("rank", "rank", [str(r) for r in sorted({r for f in leads for r in _ranks(f)})]),
        )
        yield '<div class="filter">'
        yield '<input type="search" data-by="text" aria-label="search" placeholder="search findings">'
        for name, title, values in choices:
            if values:
                yield f'<select data-by="{name}" aria-label="{title}"><option value="">any {title}</option>'
                yield from (f'<option value="{_text(v)}">{_text(v)}</option>' for v in values)
                yield "</select>"
        yield "<output></output></div>"

    def overview(self, standing: Iterable[Group]) -> Iterator[str]:
        rows = []
        for group in standing:
            number, finding = self.numbers[id(group)], group.whole
            more = f" and {count(len(group.others), 'more place')}" if group.others else ""
            rows.append(
                f'<tr data-finding="{number}"><td class="figure">{number}</td>'
                f'<td data-value="{finding.gain_seconds or finding.cost_seconds or 0}">{_text(worth(finding))}</td>'
                f'<td><a href="#finding-{number}">{_text(finding.rule)}</a></td>'
                f"<td><code>{_breakable(self._place(finding.location))}</code>{more}</td><td>{_text(self._said(finding))}</td></tr>"
            )
        if not rows:
            return
        said = "what the run says" if self.result.runs else "confidence"
        yield '<table class="overview sortable"><thead><tr>'
        yield from (f'<th scope="col">{head}</th>' for head in ("", "cost", "rule", "where", said))
        yield "</tr></thead><tbody>"
        yield from rows
        yield "</tbody></table>"

    def folded(self, title: str, groups: Iterable[Group]) -> Iterator[str]:
        listed = list(groups)
        if listed:
            yield f"<details><summary>{_text(title)}</summary>"
            for group in listed:
                yield from self.finding(group)
            yield "</details>"

    def finding(self, group: Group) -> Iterator[str]:
        number, finding = self.numbers[id(group)], group.whole
        rule = self.rules.get(finding.rule)
        name = _text(finding.rule)
        if rule and rule.url:
            name = f'<a href="{_text(rule.url)}">{name}</a>'
        words = " ".join(
            [finding.rule, self._place(finding.location), finding.function, finding.message, finding.advice]
        )
        yield (
            f'<article id="finding-{number}" class="{finding.severity.value}" data-rule="{_text(finding.rule)}" '
            f'data-file="{_text(path(self.result, finding.location.file))}" data-said="{_text(self._said(finding))}" '
            f'data-phases="{_text(";".join(_phases(finding)))}" '
            f'data-ranks="{" ".join(map(str, _ranks(finding)))}" data-text="{_text(words.lower())}">'
        )
        yield f"<h2>{number}. {name} <small>{_text(worth(finding))} · {_text(self._said(finding))}</small></h2>"
        inside = f" in <code>{_text(finding.function)}</code>" if finding.function else ""
        yield f'<p class="place"><code>{_text(self._place(finding.location))}</code>{inside}</p>'
        yield from self._excerpt(finding.location)
        yield f"<p>{_text(finding.message)}</p>"
        reason = rule.reason(finding.args) if rule else ""
        if reason and (finding.rule, reason) not in self.explained:
            self.explained.add((finding.rule, reason))
            yield f'<p class="why"><b>why</b> {_text(reason)}</p>'
        if finding.advice:
            command, why = automatic(finding)
            where = fixed_places(group)
            how = f" (automatic: <code>stridewise {command}</code>{where}; {_text(why)})" if command else ""
            yield f'<p class="fix"><b>fix</b> {_text(advice(group))}{how}</p>'
        yield from self._others(group)
        yield from _evidence(finding)
        label, run = decision(finding)
        if run:
            yield f"<p><b>{label}</b> {_text(run)}</p>"
        if finding.related:
            yield "<ul>"
            for related in finding.related:
                place = self._place(Location(related.file, related.line))
                yield f"<li><code>{_text(place)}</code> {_text(related.label)}</li>"
            yield "</ul>"
        yield "</article>"

    def _others(self, group: Group) -> Iterator[str]:
        """The other places of the same cause, each with what is said of it."""
        if not group.others:
            return
        yield f"<details><summary>{count(len(group.others), 'more place')} of the same cause</summary><ul>"
        for other in group.others:
            inside = f" in <code>{_text(other.function)}</code>" if other.function else ""
            yield f"<li><code>{_text(self._place(other.location))}</code>{inside}: {_text(other.message)}</li>"
        yield "</ul></details>"

    def _place(self, where: Location) -> str:
        return path(self.result, where.file) + (f":{where.line}" if where.line > 0 else "")

    def _said(self, finding: Finding) -> str:
        if not self.result.runs:
            return f"{finding.confidence.value} confidence"
        doubt = "" if finding.confidence is Confidence.HIGH else f", {finding.confidence.value} confidence"
        return measured.verdict(finding) + doubt

    def _excerpt(self, where: Location) -> Iterator[str]:
        """The lines around the place, the ones it spans marked."""
        source = self.result.sources
        if where.line < 1 or source.line(where.file, where.line) is None:
            return
        lines = []
        for number in range(max(1, where.line - _AROUND), where.line + _AROUND + 1):
            text = source.line(where.file, number)
            if text is None:
                continue
            here = number == where.line
            shown = _marked(text, where) if here else _text(text[:_WIDTH])
            spent = self.heat.get((where.file, number), 0.0)
            missed = self.misses.get((where.file, number), 0.0)
            told = [seconds(spent)] if spent else []
            told += [f"{100 * missed:.1f} % of the L1 misses"] if missed else []
            hot = f'<b class="heat">{_text(", ".join(told))}</b>' if told else ""
            warm = f" heat{max(_degree(spent, self.longest), _degree(missed, 1.0))}" if told else ""
            lines.append(f'<span class="line{" here" if here else ""}{warm}"><i>{number}</i>{shown}{hot}</span>')
        yield "<pre>" + "\n".join(lines) + "</pre>"


def _degree(spent: float, longest: float) -> int:
    """From 1 to 5, by the share of the run that a line takes."""
    share = spent / longest if longest > 0 else 0.0
    return 1 + sum(share >= limit for limit in (0.01, 0.05, 0.1, 0.25))


def _ranks(finding: Finding) -> list[int]:
    """Those that lose at least half as much as the one that loses most."""
    found: set[int] = set()
    for evidence in finding.evidence:
        values = evidence.metrics.get("rank_seconds")
        if isinstance(values, list) and values and all(type(v) in (int, float) for v in values):
            most = max(values)
            found |= {rank for rank, value in enumerate(values) if most > 0 and value >= most / 2}
    return sorted(found)


def _phases(finding: Finding) -> list[str]:
    """Those in which the program comes by the place."""
    named = [str(e.metrics.get(key, "")) for e in finding.evidence for key in ("phase", "phases")]
    return list(dict.fromkeys(one for text in named for one in text.split(", ") if one))


def _marked(text: str, where: Location) -> str:
    """The line with the place in it marked: columns count bytes from 1, and the end is exclusive."""
    if where.column < 1:
        return _text(text[:_WIDTH])
    begin = _characters(text, where.column - 1)
    on_one_line = where.end_line == where.line and where.end_column > where.column
    end = _characters(text, where.end_column - 1) if on_one_line else len(text.rstrip())
    end = max(end, begin)
    text = text[:_WIDTH]
    return f"{_text(text[:begin])}<mark>{_text(text[begin:end])}</mark>{_text(text[end:])}"


def _characters(text: str, count: int) -> int:
    """How many characters the first bytes of a line are."""
    return len(text.encode("utf-8", "surrogateescape")[:count].decode("utf-8", "surrogateescape"))


def _evidence(finding: Finding) -> Iterator[str]:
    known = [said for evidence in finding.evidence if (said := measured.evidence(evidence))]
    if known:
        yield "<dl>"
        for label, parts in known:
            yield f"<dt>{_text(label)}</dt><dd>{_text(', '.join(parts))}</dd>"
        yield "</dl>"


def _run(run: RunSummary) -> str:
    parts = [f"<code>{_text(shlex.join(run.command) or run.kind)}</code>", *map(_text, run.details)]
    if run.status:
        parts.append(f"<strong>ended with status {run.status}</strong>")
    causes = "".join(f"<li>{_text(cause)}</li>" for cause in run.causes)
    return f'<p class="run">{" · ".join(parts)}</p>' + (f'<ul class="run">{causes}</ul>' if causes else "")


def _table(table: Table) -> Iterator[str]:
    yield f"<section><h2>{_text(table.title)}</h2>" if table.title else "<section>"
    yield "<table><thead><tr>"
    yield from (f'<th scope="col">{_text(column)}</th>' for column in table.columns)
    yield "</tr></thead><tbody>"
    for first, *figures in table.rows:
        cells = "".join(f'<td class="figure">{_text(figure)}</td>' for figure in figures)
        yield f"<tr><td><code>{_text(first)}</code></td>{cells}</tr>"
    yield "</tbody></table>"
    yield from (f"<p>{_text(note)}</p>" for note in table.notes)
    yield "</section>"


def _troubles(troubles: Iterable[Trouble]) -> Iterator[str]:
    listed = list(troubles)
    if not listed:
        return
    yield f"<section><h2>Not done: {count(len(listed), 'problem')}</h2><ul>"
    for trouble in listed:
        details = "".join(f"<br><code>{_text(detail)}</code>" for detail in trouble.details)
        yield f"<li><code>{_text(trouble.where)}</code>: {_text(trouble.message)}{details}</li>"
    yield "</ul></section>"


def _notes(notes: Iterable[str]) -> Iterator[str]:
    listed = [f"<li>{_text(note)}</li>" for note in notes]
    if listed:
        yield f"<section><h2>Notes</h2><ul>{''.join(listed)}</ul></section>"


def _title(result: Result) -> str:
    return f"Stridewise: {result.project.root.name or 'findings'}"


def _breakable(place: str) -> str:
    """A path that is broken behind its folders, if it must be."""
    return _text(place).replace("/", "/<wbr>")


def _text(text: str) -> str:
    return escape(safe(text))


def style() -> str:
    return files(__package__).joinpath("report.css").read_text(encoding="utf-8")
