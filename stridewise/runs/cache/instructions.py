"""What each machine instruction did in a run, from Callgrind's files with `--dump-instr=yes --simulate-wb=yes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from stridewise.runs.cache.cachegrind import ProfileError
from stridewise.runs.cache.callgrind import Reader, feed

_FETCHED, _MISSED, _WRITTEN = ("D1mr", "D1mw"), ("DLmr", "DLmw"), ("DLdmr", "DLdmw")


class Executed(NamedTuple):
    """How often, and the cache lines that were fetched into the first level, fetched from memory, and written back to
    memory to make room for them."""

    times: int = 0
    fetched: int = 0
    from_memory: int = 0
    to_memory: int = 0

    def plus(self, other: Executed) -> Executed:
        return Executed(*(a + b for a, b in zip(self, other, strict=True)))


class Place(NamedTuple):
    """Where an instruction is from: `own` is the file of its function, `file` that of the line (another if inlined)."""

    function: str
    own: str
    file: str
    line: int


class Instruction(NamedTuple):
    place: Place
    executed: Executed


Instructions = dict[str, dict[int, Instruction]]  # by program or library, by address in its file


def read(streams: Iterable[Iterable[str]]) -> Instructions:
    """The sum over several processes. Raises ProfileError where a file is none of such a run, or not whole."""
    found: Instructions = {}
    for stream in streams:
        rows = iter(stream)
        if not next(rows, "").startswith("# callgrind format"):
            raise ProfileError("it is no Callgrind output")
        feed(_Reader(found), rows)
    return found


class _Reader(Reader):
    """Sums by instruction instead of by line."""

    def __init__(self, found: Instructions) -> None:
        super().__init__()
        self._found = found
        self._events: Mapping[str, int] = {}

    def header(self, key: str, value: str, number: int) -> None:
        super().header(key, value, number)
        if key == "events":
            self._events = {name: position for position, name in enumerate(value.split())}
            missing = [name for name in ("Ir", *_FETCHED, *_MISSED, *_WRITTEN) if name not in self._events]
            if missing or self.places != ["instr", "line"]:
                raise ProfileError("it has no instructions; run Callgrind with --dump-instr=yes --simulate-wb=yes")

    def happened(self, values: Sequence[int]) -> None:
        super().happened(values)

        def sum_of(*names: str) -> int:
            return sum(values[at] for name in names if (at := self._events[name]) < len(values))

        executed = Executed(sum_of("Ir"), sum_of(*_FETCHED), sum_of(*_MISSED), sum_of(*_WRITTEN))
        address, line = self.last
        known = self._found.setdefault(self.object, {})
        if address in known:
            executed = executed.plus(known[address].executed)
        known[address] = Instruction(Place(self.function, self.own, self.file, line), executed)
