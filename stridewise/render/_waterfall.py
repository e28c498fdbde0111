"""The steps of an improvement as people look at them: bars of the time that each one left, as text and for a page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from stridewise.console import harmless
from stridewise.finding.quantities import seconds
from stridewise.finding.studies import Step, Waterfall

_LEFT = 5
_LONGEST = 200  # characters of a reason


def headline(shown: Waterfall) -> str:
    count = len(shown.kept)
    times = shown.seconds
    return (
        f"{seconds(times.before)} → {seconds(times.after)}: {times.gain:.2f} times faster, "
        f"{shown.cpu_seconds.gain:.2f} times less processor time, by {count} step{'' if count == 1 else 's'}"
    )


def bars(shown: Waterfall, width: int) -> Iterator[str]:
    """One line for the original and for each step that was kept."""
    room = max(10, min(40, width - 62))
    times = [("the original", shown.seconds.before, "", "")]
    times += [(step.title, step.after or 0.0, _gain(step), step.finding) for step in shown.kept]
    longest = max(value for _, value, _, _ in times) or 1.0
    for name, value, better, where in times:
        bar = "█" * max(1, round(room * value / longest))
        yield (
            f"{seconds(value):>8} {bar:<{room}} {better:>7}  {harmless(name)}{f' ({harmless(where)})' if where else ''}"
        )


def undone(shown: Waterfall) -> Iterator[str]:
    for step in shown.undone:
        yield f"  {harmless(step.title)} ({harmless(step.finding)}): {harmless(short(step.why))}"


def left(shown: Waterfall) -> Iterator[str]:
    """The most valuable first."""
    for plan in shown.by_value[:_LEFT]:
        saves = f", saves about {seconds(plan.saves)}" if plan.saves else ""
        yield f"  {harmless(plan.place)} {plan.rule}{saves}: {harmless(' '.join(plan.advice.split()))}"
    more = len(shown.left) - _LEFT
    if more > 0:
        yield f"  and {more} more, in waterfall.json"


def lines(shown: Waterfall, width: int) -> Iterator[str]:
    """Of a report: what was gained, and how much is left to look at."""
    yield f"improved: {headline(shown)}"
    yield from (f"  {line}" for line in bars(shown, width - 2))
    counts = ((len(shown.undone), "tried and undone"), (len(shown.left), "for a person"))
    if told := ", ".join(f"{number} {what}" for number, what in counts if number):
        yield f"  {told}"


def section(shown: Waterfall) -> Iterator[str]:
    """Of a report."""
    yield f'<section class="waterfall"><h2>Improved: {_e(headline(shown))}</h2>'
    yield f"<p>Same results: {_e(shown.same)}.</p>"
    yield from body(shown)
    yield "</section>"


def body(shown: Waterfall) -> Iterator[str]:
    """Tables of the steps, of what was undone, and of what is left."""
    longest = max([shown.seconds.before, *((step.before or 0.0) for step in shown.kept)]) or 1.0
    yield '<table class="steps"><thead><tr><th>step</th><th>wall time</th><th></th><th>gain</th><th>why</th></tr>'
    yield "</thead>"
    before = shown.seconds.before
    yield f"<tbody>{_row(Step('the original', '', True, '', before, before), longest)}"
    yield from (_row(step, longest) for step in shown.kept)
    yield "</tbody></table>"
    if shown.undone:
        yield "<h2>Tried and undone</h2><table><tbody>"
        for step in shown.undone:
            yield f"<tr class='undone'><td>{_e(step.title)}<br><code>{_e(step.finding)}</code></td>"
            yield f"<td>{_e(short(step.why))}</td></tr>"
        yield "</tbody></table>"
    if shown.left:
        yield "<h2>For a person</h2><table><thead><tr><th>place</th><th>saves about</th><th>what to do</th></tr>"
        yield "</thead><tbody>"
        for plan in shown.by_value:
            yield f"<tr><td><code>{_e(plan.place)}</code><br>{_e(plan.rule)}</td>"
            yield f"<td class='figure'>{seconds(plan.saves) if plan.saves else ''}</td><td>{_e(plan.advice)}</td></tr>"
        yield "</tbody></table>"
    yield f"<p>Ended: {_e(shown.ended)}.</p>"


def _row(step: Step, longest: float) -> str:
    """A bar as long as the time before, of which the dark part is left."""
    before, after = step.before or 0.0, step.after or 0.0
    whole, rest = 100 * before / longest, 100 * after / before if before else 100.0
    bar = f"<div class='now' style='width:{min(rest, 100):.1f}%'></div>"
    return (
        f"<tr><td>{_e(step.title)}<br><code>{_e(step.finding)}</code></td>"
        f"<td class='times'><div class='was' style='width:{whole:.1f}%'>{bar}</div></td>"
        f"<td class='figure'>{seconds(after)}</td>"
        f"<td class='figure'>{_gain(step)}</td><td>{_e(short(step.why))} <code>{_e(step.commit[:10])}</code></td></tr>"
    )


def _gain(step: Step) -> str:
    return f"{step.gain:.2f}x" if step.gain else ""


def short(why: str) -> str:
    line = " ".join(why.split())
    return line if len(line) < _LONGEST else line[: _LONGEST - 3] + "..."


def _e(value: str) -> str:
    return escape(harmless(value))
