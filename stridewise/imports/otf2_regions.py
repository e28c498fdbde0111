"""Regions of an OTF2 trace: which are calls of MPI, which are phases, and where the others stand in the source.

Score-P gives calls of MPI their names, functions their files and lines, and with unwinding each call its own line
(calling contexts). TAU writes "MPI_Send()", and puts the place of a function into its name:
"int main(int, char **) C [{/src/a.c} {10,1}-{20,1}]".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from stridewise.export.otf2 import OF_THE_CALL
from stridewise.runs.mpi.trace import Frame

_UNKNOWN = 0xFFFFFFFF  # as a line
_PLACED = re.compile(r"^(?P<name>.*?)(?: C)? \[\{(?P<file>[^{}]*)\} \{(?P<line>\d+)(?:,\d+)?\}.*\]$")


class Regions:
    """`stack` below: (region, place of the call in it or None), outermost first."""

    def __init__(self, otf2: Any, numbers: dict[str, int], told: set[str]) -> None:
        self.otf2, self.told = otf2, told
        self.numbers = {name.lower(): number for name, number in numbers.items()}
        self.names = {name.lower(): name for name in numbers}
        self.calls: dict[int, str] = {}
        self.frames: dict[tuple[int, str, int], Frame | None] = {}
        self.phases: dict[str, int] = {}

    def call(self, region: Any) -> str:
        """The name that the standard gives the call of MPI; empty for what is none that we know."""
        if region._ref not in self.calls:
            bare = (region.name or "").removesuffix("()").strip().rstrip("_").lower()
            self.calls[region._ref] = self.names.get(bare, "")
            if region.paradigm == self.otf2.Paradigm.OPENMP:
                self.told.add("OpenMP")
        return self.calls[region._ref]

    def phase(self, region: Any) -> int:
        """From 1; 0 for a region that is none."""
        if not region.region_flags.value & self.otf2.RegionFlag.PHASE.value:
            return 0
        return self.phases.setdefault(region.name, len(self.phases) + 1)

    def path(self, stack: Sequence[tuple[Any, Any]]) -> tuple[tuple[Frame, ...], int]:
        """Frames, innermost first, and the phase that is named last."""
        phase, frames = 0, []
        for region, at in reversed(stack):
            named = self.phase(region)
            phase = phase or named
            frame = None if named else self._frame(region, at)
            if frame is not None:
                frames.append(frame)
        return tuple(frames), phase

    def _frame(self, region: Any, at: Any) -> Frame | None:
        """None for what stands in no source of the program: regions of MPI, of a runtime, of the whole program."""
        where = ("", 0) if at is None else (str(at.file or ""), _line(at.line_number))
        key = (region._ref, *where)
        if key not in self.frames:
            self.frames[key] = self._made(region, *where)
        return self.frames[key]

    def _made(self, region: Any, file: str, line: int) -> Frame | None:
        paradigm, roles = self.otf2.Paradigm, self.otf2.RegionRole
        name, own_file, own_line = region.name or "", region.source_file or "", _line(region.begin_line_number)
        placed = _PLACED.match(name)
        if placed and not own_file:
            name, own_file, own_line = placed["name"], placed["file"], int(placed["line"])
        known = (paradigm.USER, paradigm.COMPILER, paradigm.UNKNOWN, paradigm.SAMPLING)
        if (region.paradigm not in known and not placed) or self.call(region) or name.startswith(".TAU "):
            return None
        told = bool(file) or region.description == OF_THE_CALL
        self.told |= {"functions", "lines"} if told else {"functions"}
        return Frame(
            name, file or own_file, line if file else own_line, user=region.region_role != roles.ARTIFICIAL,
            wrapper=region.region_role == roles.WRAPPER,
        )  # fmt: skip


def _line(number: int) -> int:
    return 0 if number == _UNKNOWN else number
