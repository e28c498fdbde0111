"""The machine's costs as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stridewise.console import Painter, harmless
from stridewise.finding.quantities import seconds
from stridewise.machine.machine_file import ArithmeticRate, MachineFile, MpiCosts

LABELS = {
    "parallel": "parallel region",
    "parallel_for": "parallel for",
    "reduction": "parallel reduction",
    "for": "for, schedule(static)",
    "for_nowait": "for … nowait",
    "barrier": "barrier",
    "single": "single",
    "critical": "critical",
    "lock": "lock, unlock",
    "atomic": "atomic",
    "task": "task",
    "shared_line": "update in a shared line",
    "chunk_static": "a chunk of static,1",
    "chunk_dynamic": "a chunk of dynamic,1",
    "chunk_guided": "a chunk of guided,1",
    "loop_static": "static",
    "loop_static_1": "static,1",
    "loop_static_64": "static,64",
    "loop_dynamic_1": "dynamic,1",
    "loop_dynamic_8": "dynamic,8",
    "loop_dynamic_64": "dynamic,64",
    "loop_guided_1": "guided,1",
    "loop_guided_64": "guided,64",
}
_MOST_TEAMS = 6  # columns of one runtime


def render(file: MachineFile, paint: Painter) -> str:
    lines = [*_heading(file, paint)]
    for part in (
        _omp(file, paint),
        _memory(file, paint),
        _arithmetic(file, paint),
        *(_mpi(costs, paint) for costs in file.mpi),
    ):
        rows = list(part)
        lines += ["", *rows] if rows else []
    lines += ["", *(f"note: {harmless(note)}" for note in file.notes)] if file.notes else []
    return "\n".join(lines) + "\n"


def _heading(file: MachineFile, paint: Painter) -> Iterator[str]:
    place = file.topology
    words = [f"stridewise · costs of {paint(harmless(file.host or 'this machine'), 'bold')}"]
    if place.model:
        words.append(harmless(place.model))
    if place.cores:
        counts = ((place.cores, "core"), (place.sockets, "socket"), (place.nodes, "memory node"))
        words.append(", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts))
    yield " · ".join(words)
    if file.date:
        how = "quickly " if file.quick else ""
        yield f"measured {how}on {harmless(file.date)} in {file.seconds:.0f} s by version {harmless(file.tool_version)}"
    for name, value in file.given.items():
        unit = f"{value:.4g} B/s" if name == "bytes_per_second" else seconds(value)
        yield f"given by hand: {name} = {unit}"


def _grid(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """First column left, the others right aligned."""
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    for row in rows:
        cells = [cell.rjust(widths[i]) if i else cell.ljust(widths[i]) for i, cell in enumerate(row)]
        yield ("  " + "   ".join(cells)).rstrip()


def _omp(file: MachineFile, paint: Painter) -> Iterator[str]:
    for runtime in file.omp:
        teams = runtime.teams
        if len(teams) > _MOST_TEAMS:  # the smallest, the largest, and some between
            step = (len(teams) - 1) / (_MOST_TEAMS - 1)
            teams = tuple(teams[round(i * step)] for i in range(_MOST_TEAMS))
        if runtime is not file.omp[0]:
            yield ""
        yield paint(f"OpenMP by {harmless(runtime.runtime)} ({harmless(runtime.compiler)}), elapsed time", "bold")
        head = ["", *(f"{team.threads} thread{'' if team.threads == 1 else 's'}" for team in teams)]
        constructs = [head]
        loops = [["a loop's overhead, 128 iterations a thread", *("" for _ in teams)]]
        for name, label in LABELS.items():
            if any(name in team.seconds for team in teams):
                row = [label, *(_cost(team.seconds.get(name)) for team in teams)]
                (loops if name.startswith("loop_") else constructs).append(row)
        if len(loops) > 1:
            loops[1:] = [[f"  {row[0]}", *row[1:]] for row in loops[1:]]
            constructs += loops
        yield from _grid(constructs)


def _memory(file: MachineFile, paint: Painter) -> Iterator[str]:
    if not file.memory:
        return
    yield paint("Memory", "bold")
    cores = file.topology.cores or 1
    rows = [["", "working set", "latency", "one core", f"all {cores} cores" if cores > 1 else "all cores"]]
    rows += [
        [
            harmless(level.name),
            _bytes(level.working_set_bytes),
            _precise(level.latency_seconds),
            _speed(level.bytes_per_second),
            _speed(level.bytes_per_second_all),
        ]
        for level in file.memory
    ]
    yield from _grid(rows)


def _arithmetic(file: MachineFile, paint: Painter) -> Iterator[str]:
    if not file.arithmetic:
        return
    yield paint("Arithmetic of one core", "bold")
    yield from _grid(
        [
            ["floating-point operations", *(_kind(rate) for rate in file.arithmetic)],
            ["", *(f"{rate.flops_per_second / 1e9:.3g} Gflop/s" for rate in file.arithmetic)],
        ]
    )


def _kind(rate: ArithmeticRate) -> str:
    return f"{harmless(rate.name)}, {rate.bits} bits" if rate.name.endswith("vector") else harmless(rate.name)


def _mpi(costs: MpiCosts, paint: Painter) -> Iterator[str]:
    yield paint(f"Messages by {harmless(costs.version.split(',')[0].strip() or costs.flavour)}", "bold")
    yield (
        f"  latency {seconds(costs.latency_seconds)}, bandwidth {_speed(costs.bytes_per_second)}, "
        f"a small send takes its sender {seconds(costs.send_seconds)}"
    )
    yield from _grid(
        [
            ["message of", *(_bytes(message.bytes) for message in costs.messages)],
            ["takes", *(seconds(message.seconds) for message in costs.messages)],
        ]
    )
    counts = sorted({c.ranks for c in costs.collectives})
    if not counts:
        return
    rows = [["collective", *(f"{ranks} ranks" for ranks in counts)]]
    for call, size in dict.fromkeys((c.call, c.bytes) for c in costs.collectives):
        found = {c.ranks: c.seconds for c in costs.collectives if (c.call, c.bytes) == (call, size)}
        label = f"{harmless(call)}, {_bytes(size)}" if size else harmless(call)
        rows.append([label, *(seconds(found[ranks]) if ranks in found else "–" for ranks in counts)])
    yield from _grid(rows)


def _cost(value: float | None) -> str:
    """Less than the samples can tell is no zero."""
    return "–" if value is None else "< 1 ns" if value < 1e-9 else _precise(value)


def _bytes(value: int) -> str:
    for factor, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return f"{value} B"


def _speed(value: float) -> str:
    return f"{value / 1e9:.3g} GB/s"


def _precise(value: float) -> str:
    return f"{value * 1e9:.3g} ns" if value < 10e-9 else seconds(value)
