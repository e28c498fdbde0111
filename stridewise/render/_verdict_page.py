"""The verdict of a page: where the time of each run went, as a bar, what spoils it, and what to do first."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from html import escape

from stridewise.finding import measured
from stridewise.finding.grouping import Group
from stridewise.finding.profile import Part, Profile
from stridewise.finding.result import Result
from stridewise.render import _verdict
from stridewise.render._common import safe, worth

_SPOILED = 2  # efficiencies that are named, the worst first
_UNITS = 1000  # of the bar's width


def verdict(
    result: Result, groups: Sequence[Group], number: Callable[[Group], int], place: Callable[[Group], str]
) -> Iterator[str]:
    """`number` is that of a finding's article on the page, `place` where it stands. Empty without a run."""
    profiles = [(run, run.profile) for run in result.runs if run.profile]
    todo = _verdict.first(result, groups) if result.runs else []
    if not profiles and not todo:
        return
    yield '<section class="verdict">'
    for run, profile in profiles:
        title = f" of {_text(shlex.join(run.command))}" if len(profiles) > 1 else ""
        yield from _time(profile, title)
    worst = sorted(one for _, profile in profiles for one in _verdict.spoiled(profile))[:_SPOILED]
    if worst:
        yield "<ul>"
        yield from (f"<li>{_text(text)}</li>" for _, text in worst)
        yield "</ul>"
    if todo:
        yield "<h2>To do first</h2><ol>"
        for what, more in todo:
            if isinstance(more, Group):
                said = f"{worth(more.whole)}, {measured.verdict(more.whole)}"
                link = f'<a href="#finding-{number(more)}">{_text(place(more))}</a>'
                yield f"<li><b>{_text(what)}</b><br>{link} · {_text(more.whole.rule)} · {_text(said)}</li>"
            else:
                yield f"<li><b>{_text(what)}</b><br>{_text(more)}</li>"
        yield "</ol>"
    yield "</section>"


def _time(profile: Profile, title: str) -> Iterator[str]:
    parts = _verdict.parts(profile)
    if not parts:
        return
    total = sum(part.seconds for part in parts)
    yield f"<h2>Where the time went{title}</h2>"
    yield f'<svg class="bar" viewBox="0 0 {_UNITS} 1" preserveAspectRatio="none" aria-hidden="true">'
    begin = 0.0
    for part in parts:
        width = _UNITS * part.seconds / total
        named = f"<title>{_share(profile, part)}</title>"
        yield f'<rect class="{_kind(part)}" x="{begin:.2f}" width="{width:.2f}" height="1">{named}</rect>'
        begin += width
    yield "</svg>"
    legend = (f'<span class="key {_kind(part)}"></span>{_share(profile, part)}' for part in parts)
    yield f'<p class="legend">{" ".join(f"<span>{one}</span>" for one in legend)}</p>'


def _kind(part: Part) -> str:
    """The class of a part: its name as one word."""
    return "part-" + "".join(char if char.isalpha() else "-" for char in part.name)


def _share(profile: Profile, part: Part) -> str:
    return _text(f"{part.name} {_verdict.percent_of(profile.share(part.seconds))}")


def _text(text: str) -> str:
    return escape(safe(text))
