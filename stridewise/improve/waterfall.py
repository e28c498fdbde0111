"""The steps as people look at them: what each one brought, from the slow program to the fast one (report P07)."""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from stridewise.console import harmless
from stridewise.finding.quantities import seconds
from stridewise.improve.loop import Plan, State, Step
from stridewise.improve.outcome import plural
from stridewise.improve.settings import Settings
from stridewise.improve.tree import BRANCH

_LEFT = 5


def to_json(state: State, settings: Settings) -> dict[str, Any]:
    """{"command", "check", "seconds", "cpu_seconds", "gain", "cpu_gain", "steps", "left", …}; seconds are medians."""
    return {
        "version": 1,
        "command": list(settings.run),
        "check": state.check,
        "inputs": list(state.inputs),
        "seconds": {"before": state.seconds, "after": state.final_seconds},
        "cpu_seconds": {"before": state.cpu_seconds, "after": state.final_cpu_seconds},
        "gain": _ratio(state.seconds, state.final_seconds),
        "cpu_gain": _ratio(state.cpu_seconds, state.final_cpu_seconds),
        "steps": [asdict(step) for step in state.steps],
        "left": [asdict(plan) for plan in state.left],
        "ended": state.ended,
        "notes": list(state.notes),
    }


def _ratio(before: float, after: float) -> float | None:
    return before / after if after > 0 else None


def same(state: State) -> str:
    """What was compared, of which inputs."""
    return state.check + (f"; also with {', '.join(state.inputs)}" if state.inputs else "")


def as_json(state: State, settings: Settings) -> str:
    return json.dumps(to_json(state, settings), indent=2, allow_nan=False, default=str) + "\n"


def text(state: State, settings: Settings, width: int) -> str:
    """Bars of the time after each kept step, what was undone and why, and what is left for a person."""
    kept = [step for step in state.steps if step.kept]
    gain = _ratio(state.seconds, state.final_seconds) or 1.0
    cpu = _ratio(state.cpu_seconds, state.final_cpu_seconds) or 1.0
    lines = [
        f"{seconds(state.seconds)} → {seconds(state.final_seconds)}: {gain:.2f} times faster, {cpu:.2f} times less "
        f"processor time, by {plural(len(kept), 'step')}",
        f"same results: {same(state)}",
        "",
    ]
    room = max(10, min(40, width - 62))
    times = [("the original", state.seconds, "", "")]
    times += [(step.title, step.after or 0.0, _gain(step), step.finding) for step in kept]
    longest = max(value for _, value, _, _ in times) or 1.0
    for name, value, better, where in times:
        bar = "█" * max(1, round(room * value / longest))
        lines.append(
            f"{seconds(value):>8} {bar:<{room}} {better:>7}  {harmless(name)}{f' ({harmless(where)})' if where else ''}"
        )
    undone = [step for step in state.steps if not step.kept]
    if undone:
        lines += ["", "tried and undone:"]
        lines += [
            f"  {harmless(step.title)} ({harmless(step.finding)}): {harmless(_short(step.why))}" for step in undone
        ]
    if state.left:
        lines += ["", "for a person, the most valuable first:"]
        lines += [_plan(plan) for plan in _by_value(state.left)[:_LEFT]]
        more = len(state.left) - _LEFT
        lines += [f"  and {more} more, in waterfall.json"] if more > 0 else []
    lines += ["", *(f"note: {harmless(note)}" for note in state.notes), f"ended: {state.ended}"]
    folder = shlex.quote(str(settings.folder))
    if kept:
        lines.append(
            f"take it:  git am {folder}/patches/*.patch   (the branch {BRANCH} of {folder}/first has one commit a step)"
        )
    return "\n".join(lines) + "\n"


def _gain(step: Step) -> str:
    return f"{step.gain:.2f}x" if step.gain else ""


def _short(why: str) -> str:
    line = " ".join(why.split())
    return line if len(line) < 200 else line[:197] + "..."


def _by_value(plans: Sequence[Plan]) -> list[Plan]:
    return sorted(plans, key=lambda plan: -(plan.saves or 0.0))


def _plan(plan: Plan) -> str:
    saves = f", saves about {seconds(plan.saves)}" if plan.saves else ""
    advice = " ".join(plan.advice.split())
    return f"  {harmless(plan.place)} {plan.rule}{saves}: {harmless(advice)}"


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1c2530; }
h1 { font-size: 1.4rem } table { border-collapse: collapse; width: 100% } td, th { text-align: left }
td, th { padding: .3rem .5rem }
th { border-bottom: 2px solid #c4ccd4 } td { border-bottom: 1px solid #e4e8ec; vertical-align: top }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.bar { background: #2f6fb0; height: 1.1rem; min-width: 2px } .was { background: #c9d8e8; height: 1.1rem }
.undone { color: #66707a } code { font-size: .9em }
@media (prefers-color-scheme: dark) { body { background: #14181d; color: #dde3e9 } .was { background: #33475c } }
"""


def page(state: State, settings: Settings) -> str:
    """One file without anything from the network."""
    kept = [step for step in state.steps if step.kept]
    longest = max([state.seconds, *((step.before or 0.0) for step in kept)]) or 1.0
    rows = [_row("the original", "", state.seconds, state.seconds, "", "", longest)]
    for step in kept:
        rows.append(
            _row(
                step.title,
                step.finding,
                step.before or 0.0,
                step.after or 0.0,
                _gain(step),
                step.why,
                longest,
                step.commit,
            )
        )
    undone = "".join(
        f"<tr class='undone'><td>{_e(s.title)}<br><code>{_e(s.finding)}</code></td><td>{_e(_short(s.why))}</td></tr>"
        for s in state.steps
        if not s.kept
    )
    left = "".join(
        f"<tr><td><code>{_e(p.place)}</code><br>{_e(p.rule)}</td><td class='number'>"
        f"{seconds(p.saves) if p.saves else ''}</td><td>{_e(p.advice)}</td></tr>"
        for p in _by_value(state.left)
    )
    gain = _ratio(state.seconds, state.final_seconds) or 1.0
    cpu = _ratio(state.cpu_seconds, state.final_cpu_seconds) or 1.0
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{_e(' '.join(settings.run))}</title>"
        f"<style>{_STYLE}</style>"
        f"<h1>{seconds(state.seconds)} → {seconds(state.final_seconds)}: {gain:.2f} times faster</h1>"
        f"<p><code>{_e(shlex.join(settings.run))}</code>, {cpu:.2f} times less processor time. "
        f"Same results: {_e(same(state))}.</p>"
        f"<table><tr><th>step<th>wall time<th><th>gain<th>why</tr>{''.join(rows)}</table>"
        + (f"<h2>Tried and undone</h2><table>{undone}</table>" if undone else "")
        + (f"<h2>For a person</h2><table><tr><th>place<th>saves about<th>what to do</tr>{left}</table>" if left else "")
        + f"<p>Ended: {_e(state.ended)}.</p></html>\n"
    )


def _row(
    title: str, where: str, before: float, after: float, gain: str, why: str, longest: float, commit: str = ""
) -> str:
    """A bar as long as the time before, of which the dark part is left."""
    whole, left = 100 * before / longest, 100 * after / before if before else 100.0
    bar = f"<div class='bar' style='width:{min(left, 100):.1f}%'></div>"
    return (
        f"<tr><td>{_e(title)}<br><code>{_e(where)}</code></td>"
        f"<td style='width:40%'><div class='was' style='width:{whole:.1f}%'>{bar}</div></td>"
        f"<td class='number'>{seconds(after)}</td>"
        f"<td class='number'>{gain}</td><td>{_e(_short(why))} <code>{commit[:10]}</code></td></tr>"
    )


def _e(value: str) -> str:
    return html.escape(harmless(value))
