"""A difference for people: as text, Markdown, one page for a browser, or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from stridewise import markdown
from stridewise.console import Painter, harmless
from stridewise.finding import measured
from stridewise.finding.difference import Change, Difference, Timed, cost, sites, to_json
from stridewise.finding.quantities import seconds
from stridewise.finding.table import Table
from stridewise.render._common import count, safe
from stridewise.render._layout import Layout, entry, indented

_SITES = 8
_STYLES = {"gone": "green", "cheaper": "green", "new": "red", "dearer": "red"}
_KINDS = ("gone", "new", "cheaper", "dearer")


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    lines: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def render(found: Difference, style: str, everything: bool, colour: bool, layout: Layout | None = None) -> str:
    if style == "json":
        return json.dumps(to_json(found), indent=2) + "\n"
    sections = list(_sections(found, everything))
    if style == "markdown":
        return "\n".join(_markdown(sections)) + "\n"
    if style == "html":
        return "\n".join(_html(found, sections)) + "\n"
    return "\n".join(_text(sections, Painter(colour), layout or Layout())) + "\n"


def _sections(found: Difference, everything: bool) -> Iterator[_Section]:
    yield _Section(f"{found.before.name} → {found.after.name}", tuple(_heads(found)))
    for kind in found.kinds:
        old, new = found.before.of(kind), found.after.of(kind)
        if old is None or new is None:
            continue
        yield from _time(old, new, everything)
    shown = (*_KINDS, "same") if everything else _KINDS
    rows = tuple(_row(change, found) for kind in shown for change in found.of(kind))
    if rows:
        yield _Section("Findings", (), ("", "where", "rule", "before", "after"), rows)
    counted = [f"{len(found.of(kind))} {kind}" for kind in (*_KINDS, "same")]
    yield _Section("", (f"{count(len(found.changes), 'finding')}: {', '.join(counted)}",))


def _heads(found: Difference) -> Iterator[str]:
    for kind in found.kinds:
        old, new = found.before.of(kind), found.after.of(kind)
        if old is None or new is None or not old.seconds or not new.seconds:
            continue
        low, high = found.interval(kind)
        faster = f", {old.mean / new.mean:.3g} times as fast" if new.mean > 0 and high < 0 else ""
        if low <= 0 <= high:
            said = f"no difference beyond the noise ({_signed(low)} to {_signed(high)})"
        else:
            said = f"{_signed(new.mean - old.mean)} (from {_signed(low)} to {_signed(high)}){faster}"
        yield f"{kind} run: {seconds(old.mean)} → {seconds(new.mean)}: {said}"
    once = [k for k in found.kinds if any(len(t.seconds) < 2 for t in (found.before.of(k), found.after.of(k)) if t)]
    if once:
        yield "one run of a side tells little of its noise: --also-before DIR and --also-after DIR add repetitions"
    if not found.kinds:
        kinds = [", ".join(run.kind for run in side.runs) or "no run" for side in (found.before, found.after)]
        if kinds[0] != kinds[1]:
            yield f"no kind of run is on both sides ({kinds[0]}; {kinds[1]}): findings are compared, times are not"


def _signed(value: float) -> str:
    return ("+" if value > 0 else "−" if value < 0 else "") + seconds(abs(value))


def _time(old: Timed, new: Timed, everything: bool) -> Iterator[_Section]:
    names = dict.fromkeys((*old.parts, *new.parts))
    rows = tuple(
        (name, seconds(old.parts.get(name, 0.0)), seconds(new.parts.get(name, 0.0)),
         _signed(new.parts.get(name, 0.0) - old.parts.get(name, 0.0)))
        for name in names
    )  # fmt: skip
    if rows:
        yield _Section(f"Where the time of the {old.kind} run went", (), ("", "before", "after", "more"), rows)
    pairs = sites(old, new)
    shown = tuple(
        (
            " ".join(filter(None, (a.call, a.file, f"in {a.function}" if a.function else ""))),
            f"{a.count:,} → {b.count:,}",
            f"{seconds(a.seconds)} → {seconds(b.seconds)}",
            _signed(b.seconds - a.seconds),
        )
        for a, b in (pairs if everything else pairs[:_SITES])
    )
    if shown and old.kind == "omp":
        yield _Section("Parallel regions by function", (), ("", "times", "elapsed", "more"), shown)
    elif shown:
        yield _Section("Calls by function", (), ("", "calls", "mean of ranks", "more"), shown)


def _row(change: Change, found: Difference) -> tuple[str, ...]:
    side = found.after if change.after is not None else found.before
    one = change.one
    line = f":{one.location.line}" if one.location.line > 0 else ""
    where = f"{side.relative(one.location.file)}{line}" + (f" in {one.function}" if one.function else "")
    told = [
        "" if f is None else seconds(c) if (c := cost(f)) else measured.verdict(f)
        for f in (change.before, change.after)
    ]
    return change.kind, where, one.rule, told[0] or "–", told[1] or "–"


def _text(sections: Sequence[_Section], paint: Painter, layout: Layout) -> Iterator[str]:
    for number, section in enumerate(sections):
        if number:
            yield ""
        if section.title:
            yield paint(harmless(section.title), "bold")
        for line in section.lines:
            lead = "  " if section.title else ""
            yield from indented(layout.message(harmless(line), 4), lead, "    ")
        if section.rows:
            kinds = section.columns[1:2] == ("where",)
            rows = tuple(tuple(map(harmless, row)) for row in section.rows)
            rows = _narrowed(section.columns, rows, int(kinds), layout.width) if layout.wraps else rows
            if kinds:
                widths = [max(len(row[c]) for row in (section.columns, *rows)) for c in range(len(section.columns))]
                for row in (section.columns, *rows):
                    cells = "  ".join(f"{cell:{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
                    yield (
                        "  " + cells.replace(row[0], paint(row[0], _STYLES.get(row[0], "dim")), 1)
                        if row[0]
                        else "  " + cells
                    )
            else:
                yield from (f"  {line}" for line in Table("", "", section.columns, rows).lines())


def _narrowed(
    columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...], number: int, width: int
) -> tuple[tuple[str, ...], ...]:
    """The rows with the places in that column as short as it takes."""
    others = [max(len(row[c]) for row in (columns, *rows)) for c in range(len(columns)) if c != number]
    room = max(16, width - 2 - sum(others) - 2 * len(others))
    return tuple((*row[:number], _short(row[number], room), *row[number + 1 :]) for row in rows)


def _short(text: str, width: int) -> str:
    """Of a place without its function, of a call without its file."""
    where, inside, function = text.partition(" in ")
    call, _, file = where.rpartition(" ")
    if len(text) <= width:
        return text
    short = entry(f"{call}{inside}{function}" if call and file and function else where, width)
    return short if len(short) <= width else f"{short[: width - 1]}…"  # a name that no line holds


def _markdown(sections: Sequence[_Section]) -> Iterator[str]:
    for section in sections:
        if section.title:
            yield f"### {markdown.text(section.title)}"
            yield ""
        yield from (f"- {markdown.text(line)}" for line in section.lines)
        if section.rows:
            figures = 0 if section.columns[1:2] == ("where",) else len(section.columns) - 1
            rows = [[markdown.text(cell) for cell in row] for row in section.rows]
            yield from markdown.table([c or " " for c in section.columns], rows, figures)
        yield ""


def _html(found: Difference, sections: Sequence[_Section]) -> Iterator[str]:
    def plain(value: str) -> str:
        return escape(safe(value))

    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    title = plain(f"Stridewise: {found.before.name} → {found.after.name}")
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>'
    yield f"<style>\n{style}</style>\n</head>\n<body>\n<main>"
    for number, section in enumerate(sections):
        head = "h1" if number == 0 else "h2"
        yield f"<section>{f'<{head}>{plain(section.title)}</{head}>' if section.title else ''}"
        yield from (f"<p>{plain(line)}</p>" for line in section.lines)
        if section.rows:
            yield "<table><thead><tr>" + "".join(f'<th scope="col">{plain(c)}</th>' for c in section.columns)
            yield "</tr></thead><tbody>"
            for row in section.rows:
                yield "<tr>" + "".join(f"<td>{plain(cell)}</td>" for cell in row) + "</tr>"
            yield "</tbody></table>"
        yield "</section>"
    yield "</main>\n</body>\n</html>"
