"""The steps as people look at them: what each one brought, from the slow program to the fast one (report P07)."""

from __future__ import annotations

import html
import json
import shlex
from dataclasses import asdict
from typing import Any

from stridewise.console import harmless
from stridewise.finding.quantities import seconds
from stridewise.finding.studies import Waterfall
from stridewise.improve.settings import Settings
from stridewise.improve.state import State
from stridewise.improve.tree import BRANCH
from stridewise.render import _waterfall
from stridewise.render.html import style
from stridewise.runs import studies


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


def as_json(state: State, settings: Settings) -> str:
    return json.dumps(to_json(state, settings), indent=2, allow_nan=False, default=str) + "\n"


def view(state: State, settings: Settings) -> Waterfall:
    """The steps as a report reads them from their file."""
    return studies.waterfall(json.loads(as_json(state, settings)), "the waterfall")


def text(state: State, settings: Settings, width: int) -> str:
    """Bars of the time after each kept step, what was undone and why, and what is left for a person."""
    shown = view(state, settings)
    lines = [_waterfall.headline(shown), f"same results: {shown.same}", "", *_waterfall.bars(shown, width)]
    if shown.undone:
        lines += ["", "tried and undone:", *_waterfall.undone(shown)]
    if shown.left:
        lines += ["", "for a person, the most valuable first:", *_waterfall.left(shown)]
    lines += ["", *(f"note: {harmless(note)}" for note in state.notes), f"ended: {state.ended}"]
    folder = shlex.quote(str(settings.folder))
    if shown.kept:
        lines.append(
            f"take it:  git am {folder}/patches/*.patch   (the branch {BRANCH} of {folder}/first has one commit a step)"
        )
    return "\n".join(lines) + "\n"


def page(state: State, settings: Settings) -> str:
    """One file without anything from the network."""
    shown = view(state, settings)
    times = shown.seconds
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{_e(' '.join(settings.run))}</title>"
        f"<style>{style()}</style>"
        f"<h1>{seconds(times.before)} → {seconds(times.after)}: {times.gain:.2f} times faster</h1>"
        f"<p><code>{_e(shlex.join(settings.run))}</code>, {shown.cpu_seconds.gain:.2f} times less processor time. "
        f"Same results: {_e(shown.same)}.</p>{''.join(_waterfall.body(shown))}</html>\n"
    )


def _e(value: str) -> str:
    return html.escape(harmless(value))
