"""The lines of Fortran calls whose debug information names another line.

gfortran gives some calls of procedures with an explicit interface (`use mpi`, `use mpi_f08`, module procedures) the
line of the block that they stand in: the `do`, or the program itself. A line that does not name what is called is
replaced by the line of a call that does, if the lines of the code around the address leave only one. Several calls of
the same procedure are told apart by their order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from stridewise.runs.mpi.trace import Frame

_SUFFIXES = frozenset((".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".fpp"))
_REACH_BYTES = 160  # around an address in which the neighbouring statements' code is looked for

_PROGRAM = "main program"
_PROCEDURE = re.compile(r"__(?P<module>\w+?)_MOD_(?P<name>\w+)")

Lines = Mapping[int, Sequence[Frame]]  # by address, innermost frame first
_END = re.compile(r"\s*(contains|end(\s*(program|subroutine|function|procedure)\b.*)?)\s*(!.*)?$", re.IGNORECASE)


def is_fortran(file: str) -> bool:
    return Path(file).suffix.lower() in _SUFFIXES


def procedure(function: str) -> str:
    """The name in the source, in lower case, of a function as the symboliser names it."""
    return function.rpartition("_MOD_")[2].rstrip("_").lower()


def readable(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """A call path with the names of the source: `module::procedure`, and `main program`, which gfortran calls from a
    `main` of its own that no line of the source stands for."""
    out: list[Frame] = []
    for frame in frames:
        if out and frame.function == "main" and out[-1].function == _PROGRAM and is_fortran(frame.file):
            continue
        out.append(replace(frame, function=_name(frame)))
    return tuple(out)


def _name(frame: Frame) -> str:
    if not is_fortran(frame.file):
        return frame.function
    if frame.function == "MAIN__":
        return _PROGRAM
    if match := _PROCEDURE.fullmatch(frame.function):
        return f"{match['module']}::{match['name']}"
    # Names outside of modules end in an underscore for the linker.
    return frame.function.removesuffix("_")


def correct(known: Lines, callees: Mapping[int, str], ask: Callable[[Sequence[int]], Lines]) -> dict[int, list[Frame]]:
    """Better frames of one module's addresses, where there are. `callees` says what is called at an address."""
    wrong: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    taken: dict[tuple[str, str], set[int]] = defaultdict(set)
    for address, callee in sorted(callees.items()):
        frames = known.get(address)
        if not frames or not is_fortran(frames[0].file):
            continue
        if _names(frames[0], callee):
            taken[frames[0].file, callee].add(frames[0].line)
        else:
            wrong[frames[0].file, frames[0].function, callee].append(address)
    if not wrong:
        return {}
    around = ask(sorted({at for addresses in wrong.values() for address in addresses for at in _reach(address)}))
    better: dict[int, list[Frame]] = {}
    for (file, _, callee), addresses in wrong.items():
        free = [line for line in calls_of(file, callee) if line not in taken[file, callee]]
        for address, line in _assign(addresses, free, known, around).items():
            frames = list(known[address])
            better[address] = [replace(frames[0], line=line, column=0), *frames[1:]]
    return better


def _assign(addresses: Sequence[int], free: Sequence[int], known: Lines, around: Lines) -> dict[int, int]:
    """Lines of the addresses: first of those between whose neighbours' lines there is one call, then by order."""
    found: dict[int, int] = {}
    for address in addresses:
        frame = known[address][0]
        low = _neighbour(frame, around, range(address - 1, address - _REACH_BYTES, -1))
        high = _neighbour(frame, around, range(address + 1, address + _REACH_BYTES))
        if low is not None and high is not None and max(low, frame.line) <= high:
            between = [line for line in free if max(low, frame.line) <= line <= high]
            if len(between) == 1:
                found[address] = between[0]
    rest = [address for address in addresses if address not in found]
    if rest:
        block = min(known[address][0].line for address in rest)
        end = _end_of_procedure(known[rest[0]][0].file, block)
        left = [line for line in free if block <= line <= end and line not in found.values()]
        if len(left) == len(rest):
            found.update(zip(rest, left, strict=True))
    return found


def _end_of_procedure(file: str, line: int) -> int:
    source = _source(file)
    return next((n for n in range(line, len(source)) if _END.match(source[n])), len(source))


def _reach(address: int) -> range:
    return range(max(0, address - _REACH_BYTES), address + _REACH_BYTES)


def _neighbour(frame: Frame, around: Lines, addresses: range) -> int | None:
    """The nearest other line of the same function, or None."""
    for address in addresses:
        frames = around.get(address)
        if not frames or (frames[0].file, frames[0].function) != (frame.file, frame.function):
            return None
        if frames[0].line not in (0, frame.line):
            return frames[0].line
    return None


def _names(frame: Frame, callee: str) -> bool:
    """True if the statement on the frame's line names the callee, or if the source is not there to tell."""
    source = _source(frame.file)
    if not 0 < frame.line <= len(source):
        return True
    word = re.compile(rf"\b{re.escape(callee)}\b", re.IGNORECASE)
    if word.search(source[frame.line - 1]):
        return True
    # A statement of several lines: debug information names any of them.
    begin = end = frame.line - 1
    while begin > 0 and _continues(source[begin - 1]):
        begin -= 1
    while end + 1 < len(source) and _continues(source[end]):
        end += 1
    return any(word.search(source[i]) for i in range(begin, end + 1))


def _continues(line: str) -> bool:
    return line.split("!")[0].rstrip().endswith("&")


@cache
def _source(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


@cache
def calls_of(file: str, callee: str) -> list[int]:
    """Numbers of the lines that call a procedure, or use it as a function; comments are left out."""
    call = re.compile(rf"\bcall\s+{re.escape(callee)}\b|=.*\b{re.escape(callee)}\s*\(", re.IGNORECASE)
    return [number for number, text in enumerate(_source(file), 1) if call.search(text.split("!")[0])]
