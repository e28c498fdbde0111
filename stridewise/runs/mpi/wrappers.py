"""Functions that only pass their arguments on to one call of MPI: what can be changed stands at their callers.

Libraries hide MPI behind functions of their own (their_Send, their_Waitall), so that all calls of a program come from
one file. When such a call is made, how often and with whom is decided where that function is called. The machine code
tells them apart: no loop; no call but that of MPI (or of another such function), unless it can be skipped behind it, as
the treatment of errors is; and the call's first argument, its data or requests, is the function's own argument, a
constant or the address of an argument. Calls without data (a barrier) have nothing to pass on. Only x86-64 is read:
elsewhere, and where a compiler has put the function into its caller, nothing is said.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stridewise.collect.image import X86_64, Function, Image
from stridewise.collect.tailcalls import TIMEOUT_SECONDS, TOOLS
from stridewise.runs.mpi.trace import Address, Trace

_LARGEST_BYTES = 1024  # of code; passing on arguments takes a tenth of that
_NEARBY_BYTES = 4 << 10
_DATALESS = frozenset({"MPI_Barrier", "MPI_Ibarrier", "MPI_Finalize"})
_LINE = re.compile(r"\s*([0-9a-f]+):\s+(.*)")
_TARGET = re.compile(r"(?:^|\s)(?:0x)?([0-9a-f]+) <")
_PREFIX = re.compile(r"^(?:notrack|bnd|rep|repz|data16|cs)\s+")
_ALIAS = {
    alias: f"%r{name}"
    for name in ("di", "si", "dx", "cx", "ax", "bx")
    for alias in (f"%r{name}", f"%e{name}", f"%{name}")
} | {f"%r{n}{end}": f"%r{n}" for n in range(8, 16) for end in ("", "d", "w")}
_ARGUMENTS = ("%rdi", "%rsi", "%rdx", "%rcx", "%r8", "%r9", *(f"%xmm{n}" for n in range(8)))


@dataclass(frozen=True, slots=True)
class _Instruction:
    address: int
    name: str
    operands: str

    @property
    def target(self) -> int | None:
        found = _TARGET.search(self.operands)
        return int(found[1], 16) if found else None


def find(
    trace: Trace, ways: Mapping[int, Sequence[Address | None]], binary: Callable[[int], str | None]
) -> dict[int, int]:
    """For each call path that begins in such functions how many places on its way, from the innermost, lie in them.

    `ways` has the calls on each path, and jumps in the place of calls; None where it was one of several. `binary` says
    where a module's file is, None if it cannot be used.
    """
    tool = next((found for found in map(shutil.which, TOOLS) if found), None)
    if tool is None:
        return {}
    calls: dict[int, set[str]] = defaultdict(set)
    for call in trace.calls:
        if call.path is not None and call.call.startswith("MPI_"):
            calls[call.path].add(call.call)
    reader = _Reader(str(tool), binary)
    depths = dict.fromkeys(calls, 0)
    open_paths = set(calls)
    while open_paths:  # of a wrapper in a wrapper the outer one comes into question when the inner one is known
        asked = {
            path: address
            for path in open_paths
            if depths[path] + 1 < len(ways[path]) and (address := ways[path][depths[path]]) is not None
        }
        reader.read(asked.values())
        open_paths = {path for path, address in asked.items() if reader.passes_on(address, calls[path] <= _DATALESS)}
        for path in open_paths:
            depths[path] += 1
    return {path: depth for path, depth in depths.items() if depth}


class _Reader:
    def __init__(self, tool: str, binary: Callable[[int], str | None]) -> None:
        self._tool = tool
        self._binary = binary
        self._images: dict[int, Image | None] = {}
        self._code: dict[tuple[int, int], list[_Instruction]] = {}  # by module and begin of the function

    def _image(self, module: int | None) -> Image | None:
        if module is None:
            return None
        if module not in self._images:
            self._images[module] = None
            if path := self._binary(module):
                with suppress(OSError, ValueError):
                    image = Image(Path(path))
                    self._images[module] = image if image.machine == X86_64 else None
        return self._images[module]

    def _function(self, address: Address) -> Function | None:
        image = self._image(address.module)
        function = image.function_at(address.value) if image else None
        return function if function is not None and function.size <= _LARGEST_BYTES else None

    def read(self, addresses: Iterable[Address]) -> None:
        """Disassembles the functions of these addresses, those that lie together at once."""
        wanted: dict[int, dict[int, Function]] = defaultdict(dict)
        for address in addresses:
            function = self._function(address)
            if (
                function is not None
                and address.module is not None
                and (address.module, function.start) not in self._code
            ):
                wanted[address.module][function.start] = function
        for module, functions in wanted.items():
            spans: list[list[Function]] = []
            for _, function in sorted(functions.items()):
                if spans and function.start <= spans[-1][-1].start + spans[-1][-1].size + _NEARBY_BYTES:
                    spans[-1].append(function)
                else:
                    spans.append([function])
            for span in spans:
                instructions = self._disassemble(module, span[0].start, span[-1].start + span[-1].size)
                for function in span:
                    end = function.start + function.size
                    self._code[module, function.start] = [i for i in instructions if function.start <= i.address < end]

    def _disassemble(self, module: int, begin: int, end: int) -> list[_Instruction]:
        command = [self._tool, "-d", "--no-show-raw-insn", f"--start-address={begin:#x}", f"--stop-address={end:#x}"]
        try:
            done = subprocess.run(
                [*command, self._binary(module) or ""],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=True,
                timeout=TIMEOUT_SECONDS,
            )
        except (OSError, subprocess.SubprocessError):
            return []
        out = []
        for line in done.stdout.splitlines():
            if match := _LINE.match(line):
                name, _, operands = _PREFIX.sub("", match[2].strip()).partition("\t")
                if not operands:
                    name, _, operands = name.partition(" ")
                out.append(_Instruction(int(match[1], 16), name, operands.strip()))
        return out

    def passes_on(self, address: Address, dataless: bool) -> bool:
        """Whether the function only passes on its arguments by the call or jump that holds the address."""
        function = self._function(address)
        if function is None or address.module is None:
            return False
        return _only_passes_on(self._code[address.module, function.start], function, address.value, dataless)


def _only_passes_on(code: Sequence[_Instruction], function: Function, address: int, dataless: bool) -> bool:
    here = max((n for n, i in enumerate(code) if i.address <= address), default=-1)
    if here < 0 or not code[here].name.startswith(("call", "jmp")):
        return False
    end = function.start + function.size
    for number, instruction in enumerate(code):
        if number == here:
            continue
        if instruction.name.startswith("j"):
            target = instruction.target
            if target is None:
                return False  # a switch
            if function.start <= target < instruction.address and not _returns(code, number, target, address):
                return False  # a loop
            leaves = not function.start <= target < end
        else:
            leaves = instruction.name.startswith("call")
        checks = "__stack_chk_fail" in instruction.operands
        if leaves and not checks and not (number > here and _skippable(code, here, number, end)):
            return False
    return dataless or _first_is_argument(code[:here])


def _returns(code: Sequence[_Instruction], number: int, target: int, address: int) -> bool:
    """Whether a jump back only leads from what a compiler put behind the function's return to before it, beyond the
    call at the address."""
    return target > address and any(i.name.startswith("ret") for i in code[:number] if i.address >= target)


def _skippable(code: Sequence[_Instruction], here: int, number: int, end: int) -> bool:
    """Whether a call behind that of MPI is made under a condition only: something jumps over it, or it stands behind
    the function's return."""
    for instruction in code[here + 1 : number]:
        target = instruction.target
        if instruction.name.startswith("ret"):
            return True
        beyond = target is not None and code[number].address < target < end
        if instruction.name.startswith("j") and not instruction.name.startswith("jmp") and beyond:
            return True
    # A jump out of the function that is itself conditional leads to its cold part.
    return code[number].name.startswith("j") and not code[number].name.startswith("jmp")


def _first_is_argument(code: Sequence[_Instruction]) -> bool:
    """Whether behind these instructions the first argument register holds what came in as an argument, the address of
    a place that does, or a constant."""
    held = set(_ARGUMENTS)
    places: dict[str, str] = {}  # by register: the place on the stack whose address it holds
    for instruction in code:
        operands = _split(instruction.operands)
        if len(operands) != 2:
            if operands and instruction.name.startswith("pop"):
                held.discard(operands[0])
            continue
        source, target = operands
        if instruction.name.startswith(("cmp", "test", "ucomi", "comi")):
            continue
        places.pop(target, None)
        if instruction.name.startswith("lea"):
            places[target] = source
            held.discard(target)
            continue
        if source in places and instruction.name.startswith("mov"):
            places[target] = places[source]
        copies = instruction.name.startswith("mov") and (source in held or source.startswith("$"))
        if copies or (instruction.name.startswith("xor") and source == target):  # or zero
            held.add(target)
        else:
            held.discard(target)
    return "%rdi" in held or places.get("%rdi") in held


def _split(operands: str) -> list[str]:
    """The operands, registers by their full names; a comment and the name behind an address are left out."""
    parts, depth, word = [], 0, ""
    for character in re.split(r"\s*[#<]", operands)[0]:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(word.strip())
            word = ""
        else:
            word += character
    parts.append(word.strip())
    return [_ALIAS.get(part, part) for part in parts if part]
