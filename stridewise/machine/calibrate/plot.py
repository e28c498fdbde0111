"""The machine's costs as a drawing (SVG): constructs against threads, memory by level, messages by size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from stridewise.console import harmless
from stridewise.finding.quantities import seconds
from stridewise.machine.calibrate.table import LABELS
from stridewise.machine.machine_file import MachineFile

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 360, 70, 170, 46, 44
# Okabe and Ito's colours, which everybody can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
_DRAWN = ("parallel", "for", "barrier", "single", "reduction", "critical", "atomic", "chunk_dynamic")


@dataclass(frozen=True, slots=True)
class _Series:
    label: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class _Panel:
    title: str
    across: str
    series: tuple[_Series, ...]
    names: tuple[str, ...] = ()  # of the places 1, 2, … where these are no numbers
    unit: str = "s"  # s, B or threads across; seconds or B/s upwards
    speed: bool = False


def render(file: MachineFile) -> str:
    """One drawing, its panels below one another; both axes are logarithmic."""
    panels = [panel for panel in _panels(file) if any(series.points for series in panel.series)]
    height = _HEIGHT * max(1, len(panels)) + 30
    title = f"{file.host} · {file.topology.model} · {file.date[:10]}"
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{_text(title)}</text>',
    ]
    for index, panel in enumerate(panels):
        body += [f'<g transform="translate(0 {30 + index * _HEIGHT})">', *_draw(panel), "</g>"]
    return "\n".join([*body, "</svg>"]) + "\n"


def _panels(file: MachineFile) -> Iterable[_Panel]:
    for runtime in file.omp:
        lines = [
            _Series(LABELS[name], tuple((t.threads, t.seconds[name]) for t in runtime.teams if t.seconds.get(name)))
            for name in _DRAWN
        ]
        yield _Panel(f"{runtime.runtime} ({runtime.compiler}): cost of one", "threads", tuple(lines), unit="threads")
    levels = tuple(level.name for level in file.memory)
    places = range(1, len(levels) + 1)
    yield _Panel(
        "memory latency",
        "level",
        (_Series("a dependent load", tuple(zip(places, (m.latency_seconds for m in file.memory), strict=True))),),
        levels,
    )
    yield _Panel(
        "memory bandwidth, reading",
        "level",
        (
            _Series("one core", tuple(zip(places, (m.bytes_per_second for m in file.memory), strict=True))),
            _Series("all cores", tuple(zip(places, (m.bytes_per_second_all for m in file.memory), strict=True))),
        ),
        levels,
        speed=True,
    )
    messages = [
        _Series(costs.flavour, tuple((m.bytes, m.seconds) for m in costs.messages if m.bytes and m.seconds))
        for costs in file.mpi
    ]
    yield _Panel("a message within the node", "bytes", tuple(messages), unit="B")


def _draw(panel: _Panel) -> Iterable[str]:
    xs = [x for series in panel.series for x, _ in series.points]
    ys = [y for series in panel.series for _, y in series.points]
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    high = max(high, low + 1)
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    first, last = math.log2(min(xs)), math.log2(max(xs))

    def at_x(x: float) -> float:
        if panel.names:
            return _LEFT + (right - _LEFT) * (x - 0.5) / len(panel.names)
        return _LEFT + (right - _LEFT) * ((math.log2(x) - first) / (last - first) if last > first else 0.5)

    def at_y(y: float) -> float:
        return bottom - (bottom - _TOP) * (math.log10(y) - low) / (high - low)

    yield f'<text x="{_LEFT}" y="{_TOP - 12}" font-weight="bold">{_text(panel.title)}</text>'
    for power in range(low, high + 1):
        y, value = at_y(10.0**power), 10.0**power
        label = f"{value / 1e9:g} GB/s" if panel.speed else seconds(value) if value >= 1e-9 else f"{value * 1e9:g} ns"
        yield f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_text(label)}</text>'
    yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="black"/>'
    for x in sorted(set(xs)):
        label = panel.names[int(x) - 1] if panel.names else _count(x) if panel.unit == "B" else f"{x:g}"
        yield f'<text x="{at_x(x):.1f}" y="{bottom + 16}" text-anchor="middle">{_text(label)}</text>'
    yield f'<text x="{(_LEFT + right) / 2:.1f}" y="{bottom + 34}" text-anchor="middle">{_text(panel.across)}</text>'
    for index, series in enumerate(s for s in panel.series if s.points):
        yield from _line(series, index, [(at_x(x), at_y(y)) for x, y in series.points], right)


def _line(series: _Series, index: int, places: Sequence[tuple[float, float]], right: float) -> Iterable[str]:
    colour = _COLOURS[index % len(_COLOURS)]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places)
    y = _TOP + 8 + 18 * index
    yield f'<path d="M{right + 12} {y}h18" stroke="{colour}" stroke-width="2"/>'
    yield f'<text x="{right + 36}" y="{y + 4}">{_text(series.label)}</text>'


def _count(value: float) -> str:
    for factor, unit in ((1 << 20, "Mi"), (1 << 10, "Ki")):
        if value >= factor:
            return f"{value / factor:g} {unit}"
    return f"{value:g}"


def _text(text: str) -> str:
    return escape(harmless(text))
