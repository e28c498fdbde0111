"""Frames that left no return address: optimised code does not call what a function does last, it jumps there.

The caller's call instruction still says which function was called. Where that is not the function (or the MPI call)
that the path goes on with, the jumps out of it are followed until they get there. What jumps at different lines may
explain is left alone. Jumps through registers cannot be followed (most are those of switches): where no other jump
leads on, nothing is said; where one does, it is taken for the way.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from stridewise.collect.image import X86_64, Function, Image
from stridewise.runs.mpi.trace import Address, Frame, Trace

TOOLS = ("llvm-objdump-19", "llvm-objdump", "objdump")
TIMEOUT_SECONDS = 60
MAX_DEPTH = 4  # tail calls between two recorded frames
_MAX_CHAINS = 64
_NEARBY_BYTES = 16 << 10  # functions this close are disassembled together: cheaper than another process
_LONGEST_INSTRUCTION = 15
_PLACES_NAMED = 4
_JUMP = re.compile(r"\s*([0-9a-f]+):\s+(?:[a-z][a-z0-9.]*\s+){0,3}j[a-z]+[\s,]")  # perhaps behind prefixes

Chain = tuple[Address, ...]  # of the jumps, innermost first


@dataclass(frozen=True, slots=True)
class Gap:
    """Missing frames of a path, inside its address at `position` (0 is the innermost)."""

    path: int
    position: int
    chains: tuple[Chain, ...]


@dataclass(frozen=True, slots=True)
class _Goal:
    """Where a chain ends: an imported function of one of these names, or a function of a module."""

    names: frozenset[str] = frozenset()
    module: int = -1
    function: Function | None = None


def find(trace: Trace, binary: Callable[[int], str | None]) -> tuple[list[Gap], list[str]]:
    """The gaps of all paths, and what could not be looked at.

    `binary` says where a module's file is, None if it cannot be used.
    """
    finder = _Finder(trace, binary)
    gaps = [gap for index in range(len(trace.paths)) for gap in finder.gaps(index)]
    return finder.confirmed(gaps)


def fill(gap: Gap, lines: Callable[[Address], Sequence[Frame]]) -> tuple[tuple[Frame, ...], str]:
    """The frames that all chains of a gap share, innermost first, or none and a note, empty if no source is known."""
    chains = [[frame for jump in chain for frame in lines(jump)] for chain in gap.chains]
    if not all(chain and all(frame.known for frame in chain) for chain in chains):
        return (), ""
    shared = takewhile(
        lambda frames: len({(f.function, f.file, f.line) for f in frames}) == 1, zip(*chains, strict=False)
    )
    found = tuple(replace(frames[0], via_tail_call=True) for frames in shared)
    if found:
        return found, ""
    places = sorted({(chain[0].file, chain[0].line) for chain in chains})
    named = ", ".join(f"{Path(file).name}:{line}" for file, line in places[:_PLACES_NAMED])
    more = f" and {len(places) - _PLACES_NAMED} more" if len(places) > _PLACES_NAMED else ""
    function = chains[0][-1].function
    return (), f"{function} ends in a call at one of {named}{more}: that call is shown where {function} is called"


def mpi_symbols(call: str) -> frozenset[str]:
    """What the linker knows an MPI function by: its C name and those of its Fortran bindings, with and without P."""
    lower, upper = call.lower(), call.upper()
    fortran = [f"{name}{end}" for name in (lower, upper) for end in ("", "_", "__")]
    names = [call, *fortran, f"{lower}_f08", f"{lower}_f08_", f"{lower}_f08ts", f"{lower}_f08ts_"]
    return frozenset([*names, *(("P" if name[0].isupper() else "p") + name for name in names)])


class _Finder:
    def __init__(self, trace: Trace, binary: Callable[[int], str | None]) -> None:
        self._trace = trace
        self._binary = binary
        self._images: dict[int, Image | None] = {}
        self._definitions: dict[str, tuple[int, int] | None] = {}
        self._chains: dict[tuple[int, int, _Goal, int], tuple[Chain, ...]] = {}
        self._functions: dict[Address, int] = {}  # where the function of a jump begins
        calls: dict[int, set[str]] = defaultdict(set)
        for call in trace.calls:
            if call.path is not None and call.call.startswith("MPI_"):
                calls[call.path].add(call.call)
        self._goals = {path: [_Goal(mpi_symbols(name)) for name in sorted(names)] for path, names in calls.items()}

    def gaps(self, path: int) -> Iterable[Gap]:
        addresses = self._trace.paths[path].addresses
        for position, address in enumerate(addresses):
            goals = self._goals.get(path, []) if position == 0 else self._goal_at(addresses[position - 1])
            called = self._called(address, goals)
            if called is None or not goals:
                continue
            module, function = called
            # Calls of several kinds from one place share its path: a chain for each, or nothing is known.
            by_goal = [self._ways(module, function.start, goal, MAX_DEPTH) for goal in goals]
            chains = tuple(dict.fromkeys(chain for chains in by_goal for chain in chains))
            if all(by_goal) and len(chains) <= _MAX_CHAINS:
                yield Gap(path, position, chains)

    def _goal_at(self, inner: Address) -> list[_Goal]:
        image = self._image(inner.module)
        function = image.function_at(inner.value) if image else None
        if function is None or inner.module is None:
            return []
        return [_Goal(module=inner.module, function=function)]

    def _called(self, address: Address, goals: Sequence[_Goal]) -> tuple[int, Function] | None:
        """The function that is called there, unless it is a goal itself or unknown."""
        image = self._image(address.module)
        if image is None or address.module is None:
            return None
        target = image.callee(address.value + 1)
        if target is None or any(self._reached(address.module, target, goal) for goal in goals):
            return None
        return self._function(address.module, target)

    def _ways(self, module: int, start: int, goal: _Goal, depth: int) -> tuple[Chain, ...]:
        """Chains of at most `depth` jumps from a function to a goal; of too many, at least _MAX_CHAINS + 1."""
        key = (module, start, goal, depth)
        if key not in self._chains:
            self._chains[key] = self._search(module, start, goal, depth)
        return self._chains[key]

    def _search(self, module: int, start: int, goal: _Goal, depth: int) -> tuple[Chain, ...]:
        image = self._image(module)
        out: list[Chain] = []
        for jump in image.jumps(start) if image else ():
            if len(out) > _MAX_CHAINS:
                break
            at = Address(module, jump.address)
            self._functions[at] = start
            if jump.to_own_part:
                if isinstance(jump.target, int):
                    out += self._ways(module, jump.target, goal, depth)
            elif self._reached(module, jump.target, goal):
                out.append((at,))
            elif depth > 1:
                there = self._function(module, jump.target)
                if there is not None and (there[0] == module or self._leads_to(there[0], goal)):
                    out += [(*inner, at) for inner in self._ways(there[0], there[1].start, goal, depth - 1)]
        return tuple(out)

    def _reached(self, module: int, target: int | str, goal: _Goal) -> bool:
        if isinstance(target, str) and target in goal.names:
            return True
        if goal.function is None:
            return False
        found = self._function(module, target)
        return found is not None and found[0] == goal.module and found[1].same_as(goal.function)

    def _leads_to(self, module: int, goal: _Goal) -> bool:
        """Other libraries are entered only if they can lead to the goal: most jumps go to the C library."""
        image = self._image(module)
        return image is not None and (module == goal.module or not goal.names.isdisjoint(image.imports))

    def _function(self, module: int, target: int | str) -> tuple[int, Function] | None:
        if isinstance(target, str):
            definition = self._definition(target)
            if definition is None:
                return None
            module, target = definition
        image = self._image(module)
        function = image.function_at(target) if image else None
        return (module, function) if function else None

    def _definition(self, name: str) -> tuple[int, int] | None:
        """Module and address of an imported function: modules are in the order in which the linker searches them."""
        if name not in self._definitions:
            self._definitions[name] = None
            for index in range(len(self._trace.modules)):
                image = self._image(index)
                if image is not None and name in image.exports:
                    self._definitions[name] = (index, image.exports[name])
                    break
        return self._definitions[name]

    def _image(self, module: int | None) -> Image | None:
        if module is None:
            return None
        if module not in self._images:
            path = self._binary(module)
            try:
                self._images[module] = Image(Path(path)) if path else None
            except (OSError, ValueError):
                self._images[module] = None
        return self._images[module]

    def confirmed(self, gaps: Sequence[Gap]) -> tuple[list[Gap], list[str]]:
        """The gaps with the chains whose jumps are instructions, as the disassembly of their functions tells."""
        doubtful: dict[int, set[int]] = defaultdict(set)
        for jump in (jump for gap in gaps for chain in gap.chains for jump in chain):
            image = self._image(jump.module)
            if image is not None and image.machine == X86_64 and jump.module is not None:
                doubtful[jump.module].add(jump.value)
        false: set[Address] = set()
        unknown: set[int | None] = set()
        notes = []
        tool = next((found for found in map(shutil.which, TOOLS) if found), None)
        if doubtful and tool is None:
            return [], [f"tail calls are shown where the function is called: none of {', '.join(TOOLS)} is installed"]
        for module, jumps in sorted(doubtful.items()):
            try:
                instructions = self._jump_instructions(str(tool), module, jumps)
            except (OSError, subprocess.SubprocessError) as error:
                notes.append(f"tail calls in {self._trace.modules[module].path} are not resolved: {tool}: {error}")
                unknown.add(module)
            else:
                false |= {Address(module, jump) for jump in jumps - instructions}
        kept = [
            replace(gap, chains=tuple(chain for chain in gap.chains if false.isdisjoint(chain)))
            for gap in gaps
            if not any(jump.module in unknown for chain in gap.chains for jump in chain)
        ]
        return [gap for gap in kept if gap.chains], notes

    def _jump_instructions(self, tool: str, module: int, jumps: Iterable[int]) -> set[int]:
        """Where jumps are in the disassembly of the functions of possible jumps, as far as those."""
        image, binary = self._image(module), self._binary(module)
        if image is None or binary is None:
            return set()
        spans: list[tuple[int, int]] = []
        for begin, end in sorted((self._functions[Address(module, at)], at + _LONGEST_INSTRUCTION) for at in jumps):
            if spans and begin <= spans[-1][1] + _NEARBY_BYTES:
                spans[-1] = (spans[-1][0], max(spans[-1][1], end))
            else:
                spans.append((begin, end))
        out = set()
        for begin, end in spans:
            done = subprocess.run(
                [tool, "-d", "--no-show-raw-insn", f"--start-address={begin:#x}", f"--stop-address={end:#x}", binary],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=True,
                timeout=TIMEOUT_SECONDS,
            )
            found = (match for match in map(_JUMP.match, done.stdout.splitlines()) if match)
            out |= {image.opcode_of(int(match[1], 16)) for match in found}
        return out
