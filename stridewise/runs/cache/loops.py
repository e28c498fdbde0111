"""The loops of machine code, with what was computed and moved in each.

A jump backwards within a function closes a loop: all between its target and itself. Each instruction belongs to the
innermost loop around it, or to none. Pieces of machine code that the compiler made of one loop of the source (a vector
body and its remainder, unrolled copies) have the same line and are one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stridewise.runs.cache.instructions import Executed, Instruction, Place
from stridewise.runs.cache.machine_code import Operation


@dataclass
class Loop:
    """Sums over all processes. `scalar` and `packed` are floating-point operations by precision; `line` is that of the
    jump that closes the loop; `is_loop` is false for what of a function is in no loop of it."""

    function: str
    file: str
    line: int
    is_loop: bool
    executed: Executed = field(default_factory=Executed)
    scalar: dict[str, int] = field(default_factory=dict)
    packed: dict[str, int] = field(default_factory=dict)

    @property
    def flops(self) -> int:
        return sum(self.scalar.values()) + sum(self.packed.values())


@dataclass(frozen=True, slots=True)
class _Span:
    """Addresses from `first` to `last`, a jump to `first`."""

    first: int
    last: int


def loops(code: Sequence[Operation], executed: Mapping[int, Instruction]) -> list[Loop]:
    """What the executed instructions of one program or library add up to."""
    spans = _Spans(code, executed)
    found: dict[tuple[str, str, int, bool], Loop] = {}
    operations = {one.address: one for one in code}
    own_lines = _first_lines(executed.values())
    for address, (place, counts) in sorted(executed.items()):
        span = spans.innermost(address, place.function)
        if span is None:
            key = (place.function, place.own, own_lines.get((place.function, place.own), 0), False)
        else:
            file, line = spans.place(span)
            key = (place.function, file, line, True)
        loop = found.setdefault(key, Loop(*key))
        loop.executed = loop.executed.plus(counts)
        if (operation := operations.get(address)) and operation.flops:
            kind = loop.packed if operation.packed else loop.scalar
            kind[operation.precision] = kind.get(operation.precision, 0) + operation.flops * counts.times
    return list(found.values())


def _first_lines(all_: Iterable[Instruction]) -> dict[tuple[str, str], int]:
    """The first line that ran of each function, in its own file."""
    found: dict[tuple[str, str], int] = {}
    for place, _ in all_:
        if place.file == place.own and place.line > 0:
            key = (place.function, place.own)
            found[key] = min(found.get(key, place.line), place.line)
    return found


class _Spans:
    """The loops by function, smaller ones first where they are nested."""

    def __init__(self, code: Sequence[Operation], executed: Mapping[int, Instruction]) -> None:
        self._executed = executed
        self._addresses = sorted(executed)
        self._of: dict[str, list[_Span]] = defaultdict(list)
        for one in code:
            if one.back_to is not None and (jump := executed.get(one.address)):
                target = executed.get(one.back_to)
                if target and target.place.function == jump.place.function:
                    self._of[jump.place.function].append(_Span(one.back_to, one.address))
        for spans in self._of.values():
            spans.sort(key=lambda span: (span.last - span.first, span.first))

    def innermost(self, address: int, function: str) -> _Span | None:
        return next((span for span in self._of.get(function, ()) if span.first <= address <= span.last), None)

    def place(self, span: _Span) -> tuple[str, int]:
        """File and line of the jump, if that is of the function's own file, else the first line of that file inside."""
        jump = self._executed[span.last].place
        if jump.file == jump.own and jump.line > 0:
            return jump.own, jump.line
        inside = [place for place in self._inside(span) if place.file == jump.own and place.line > 0]
        return jump.own, min((place.line for place in inside), default=0)

    def _inside(self, span: _Span) -> Iterator[Place]:
        for address in self._addresses[bisect_right(self._addresses, span.first - 1) :]:
            if address > span.last:
                return
            yield self._executed[address].place
