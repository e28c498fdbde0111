"""The processors that this process may use, in the order in which teams grow: one per core first, close together."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stridewise.machine.machine_file import CacheLevel, Topology

_CPUS = Path("/sys/devices/system/cpu")
_NODES = Path("/sys/devices/system/node")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class Processors:
    """`order`: one processor of each core, then the second ones. `cores`: how many cores, not more than the quota of a
    container allows. `notes`: what limits them."""

    order: tuple[int, ...]
    cores: int
    topology: Topology
    notes: tuple[str, ...] = ()

    @staticmethod
    def detect(cpus: Path = _CPUS, nodes: Path = _NODES, quota: Path = _QUOTA) -> Processors:
        allowed = sorted(os.sched_getaffinity(0))
        return of_system(allowed, cpus, nodes, quota)


def of_system(allowed: list[int], cpus: Path, nodes: Path, quota: Path) -> Processors:
    node_of = {cpu: number for number, members in _nodes(nodes).items() for cpu in members}
    places = {cpu: _place(cpus / f"cpu{cpu}" / "topology", cpu) for cpu in allowed}
    seen: dict[tuple[int, int], int] = {}
    turn: dict[int, int] = {}  # first, second, … processor of its core
    for cpu in allowed:
        turn[cpu] = seen.get(places[cpu], 0)
        seen[places[cpu]] = turn[cpu] + 1
    order = sorted(allowed, key=lambda cpu: (turn[cpu], node_of.get(cpu, 0), places[cpu], cpu))
    cores, notes = len(seen), []
    limit = _quota(quota)
    if limit is not None and limit < cores:
        notes.append(f"the container's quota allows {limit:g} of {cores} cores")
        cores = max(1, int(limit))
    topology = Topology(
        model=_model(),
        logical=len(allowed),
        cores=len(seen),
        sockets=len({package for package, _ in places.values()}),
        nodes=max(1, len({node_of.get(cpu, 0) for cpu in allowed})),
        caches=tuple(_caches(cpus / f"cpu{order[0]}" / "cache")),
    )
    return Processors(tuple(order), cores, topology, tuple(notes))


def parse_list(text: str) -> list[int]:
    """The kernel's lists: 0-3,8 is 0, 1, 2, 3, 8. Raises ValueError."""
    numbers: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _nodes(folder: Path) -> dict[int, list[int]]:
    found = {}
    for path in folder.glob("node[0-9]*"):
        with suppress(OSError, ValueError):
            found[int(path.name[4:])] = parse_list((path / "cpulist").read_text(encoding="ascii"))
    return found


def _place(folder: Path, cpu: int) -> tuple[int, int]:
    """Socket and core; each processor is a core of its own where the kernel says nothing."""
    try:
        package = int((folder / "physical_package_id").read_text(encoding="ascii"))
        siblings = parse_list((folder / "thread_siblings_list").read_text(encoding="ascii"))
        return package, siblings[0]
    except (OSError, ValueError, IndexError):
        return 0, cpu


def _caches(folder: Path) -> list[CacheLevel]:
    found = []
    for path in folder.glob("index*"):
        try:
            kind, size = ((path / name).read_text(encoding="ascii").strip() for name in ("type", "size"))
            level, line = (int((path / name).read_text(encoding="ascii")) for name in ("level", "coherency_line_size"))
            shared = len(parse_list((path / "shared_cpu_list").read_text(encoding="ascii")))
            number = int(size[:-1]) * _UNITS[size[-1]] if size[-1] in _UNITS else int(size)
        except (OSError, ValueError, IndexError):
            continue
        if kind != "Instruction" and number > 0 and line > 0:
            found.append(CacheLevel(level, number, line, max(1, shared)))
    return sorted(found, key=lambda cache: cache.level)


def _quota(path: Path) -> float | None:
    """Processors' worth of time that a container may use; None without a limit."""
    try:
        limit, period = path.read_text(encoding="ascii").split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _model() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Processor", "cpu"):
                return " ".join(value.split())
    return ""
