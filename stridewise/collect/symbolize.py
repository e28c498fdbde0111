"""From addresses to source lines, with llvm-symbolizer or addr2line; on another machine too, if the binaries are there.

A module is asked once for all its addresses, and again for the tail calls between them (tailcalls.py). A binary whose
build id differs from the recorded one is not asked: its lines would be wrong.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from stridewise.collect import tailcalls
from stridewise.runs.mpi import fortran_lines, wrappers
from stridewise.runs.mpi.trace import Address, Frame, Module, Trace
from stridewise.settings import path_map
from stridewise.settings.path_map import mapped, remedy

TOOLS = ("llvm-symbolizer-19", "llvm-symbolizer", "addr2line")
TIMEOUT_SECONDS = 300
_SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/")
# Where Debian builds its packages.
_PACKAGE = re.compile(r"^/build/(?:reproducible-path|[^/]+-[A-Za-z0-9_]{6})/")
# The body of an OpenMP region, as compilers name it, and as demanglers show that.
_OUTLINED = re.compile(r"\._omp_fn\.\d+$| (?:\(|\[clone )\._omp_fn\.\d+[])]$|(?<=.)(?: \()?\.omp_outlined.*$")
# What compilers (bare, watched: our pass) add to the names of copies and parts of functions, as demanglers show it.
_COPY = r"\.(?:bare|cold|constprop|isra|part|watched)"
_CLONE = re.compile(rf"(?<=.)(?:{_COPY}(?:\.\d+)*| \[clone \.[^]]*\]| \({_COPY}[^)]*\))+$")
_QUALIFIERS = re.compile(r"(?: const| volatile| ?&{1,2})+$")  # behind the parameters of member functions
_HEADER = re.compile(r"0x[0-9a-fA-F]+")

Resolved = dict[int, list[Frame]]  # by address, innermost first


def symbolize(
    trace: Trace, locate: Callable[[Module], str] = lambda module: _now(module.path, module.build_id)
) -> tuple[Trace, list[str]]:
    """The trace with frames on all its call paths, and what could not be resolved, one message per cause.

    `locate` says where a module's binary is now (default: where it was, or where --path-map puts it).
    """
    wanted: dict[int, set[int]] = defaultdict(set)
    for path in trace.paths:
        for address in path.addresses:
            if address.module is not None:
                wanted[address.module].add(address.value)
    notes: list[str] = []
    tool = find_tool()
    if tool is None and wanted:
        notes.append(f"no source lines: none of {', '.join(TOOLS)} is installed")
    known, places, more = _resolved(trace, wanted, tool, locate)
    notes += more
    if tool is not None:
        _correct_fortran(trace, known, tool, places)
    executable = trace.job.executable
    if any(
        trace.modules[i].path == executable and not any(f.known for frames in resolved.values() for f in frames)
        for i, resolved in known.items()
    ):
        notes.append(f"{executable} has no line information: build it with -g to see source lines")

    tail_called: dict[tuple[int, int], _Tail] = {}
    if tool is not None:
        tail_called, more = _tail_calls(trace, tool, locate)
        notes += more
    parts = _parts(trace, known, tail_called)
    ways = {index: [address for address, _ in found] for index, found in parts.items()}
    passing = wrappers.find(
        trace, ways, cache(lambda module: _usable(locate(trace.modules[module]), trace.modules[module]))
    )
    frames: dict[int, tuple[Frame, ...]] = {}
    for index, found in parts.items():
        out: list[Frame] = []
        for position, (_, here) in enumerate(found):
            passes = position < passing.get(index, 0) and len(here) == 1
            out += [replace(frame, wrapper=True) for frame in here] if passes else here
        frames[index] = tuple(
            replace(frame, function=without_parameters(frame.function)) for frame in fortran_lines.readable(out)
        )
    return trace.with_frames(frames), notes


def _resolved(
    trace: Trace, wanted: Mapping[int, set[int]], tool: str | None, locate: Callable[[Module], str]
) -> tuple[dict[int, Resolved], dict[int, str], list[str]]:
    """Of each module that could be read, the frames of its addresses and where its binary is; and what could not be."""
    known: dict[int, Resolved] = {}
    places: dict[int, str] = {}
    notes: list[str] = []
    for index in sorted(wanted):
        module = trace.modules[index]
        binary = locate(module)
        why = _unusable(binary, module)
        if why:
            notes.append(f"no source lines for {module.path}: {why}")
        elif tool is not None:
            try:
                known[index] = _ask(tool, binary, sorted(wanted[index]))
                places[index] = binary
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                notes.append(f"no source lines for {module.path}: {tool} failed: {error}")
    return known, places, notes


_Part = tuple[Address | None, tuple[Frame, ...]]  # an address, None where several ways led on, and its frames


def _parts(
    trace: Trace, known: Mapping[int, Resolved], tail_called: Mapping[tuple[int, int], _Tail]
) -> dict[int, list[_Part]]:
    """The parts of each path, innermost first, with those that tail calls left out."""
    own = frozenset([trace.job.executable])
    parts: dict[int, list[_Part]] = {}
    for index, path in enumerate(trace.paths):
        parts[index] = []
        for position, address in enumerate(path.addresses):
            tail = tail_called.get((index, position))
            if tail is not None and len(tail.frames) == len(tail.jumps):
                parts[index] += [(jump, (frame,)) for jump, frame in zip(tail.jumps, tail.frames, strict=True)]
            elif tail is not None:
                parts[index].append((None, tail.frames))
            resolved = known.get(address.module, {}).get(address.value) if address.module is not None else None
            parts[index].append((address, tuple(resolved or [_bare(trace.modules, address, own)])))
    return parts


@dataclass(frozen=True, slots=True)
class _Tail:
    """Frames that left no return address, and, where there is but one way, the jumps that they stand for."""

    frames: tuple[Frame, ...]
    jumps: tuple[Address, ...]


def without_parameters(function: str) -> str:
    """The name of a C++ function as the source's findings have it: a call path with all types spelt out is hard to
    read."""
    name = _QUALIFIERS.sub("", function)
    if not name.endswith(")"):
        return function
    depth = 0
    for at in range(len(name) - 1, 0, -1):
        depth += (name[at] == ")") - (name[at] == "(")
        if depth == 0:
            return function if name[:at].endswith("operator") else name[:at]
    return function


def resolve(
    modules: Sequence[Module], addresses: Iterable[Address], executables: Iterable[str]
) -> tuple[dict[Address, tuple[Frame, ...]], list[str]]:
    """Frames of single addresses, innermost first, and what could not be resolved, one message per cause."""
    wanted: dict[int, set[int]] = defaultdict(set)
    frames: dict[Address, tuple[Frame, ...]] = {}
    own = frozenset(executables)
    for address in addresses:
        if address.module is not None:
            wanted[address.module].add(address.value)
        frames[address] = (_bare(modules, address, own),)
    notes: list[str] = []
    tool = find_tool()
    if tool is None and wanted:
        notes.append(f"no source lines: none of {', '.join(TOOLS)} is installed")
    for index in sorted(wanted) if tool is not None else ():
        module = modules[index]
        binary = _now(module.path, module.build_id)
        why = _unusable(binary, module)
        if why:
            notes.append(f"no source lines for {module.path}: {why}")
            continue
        try:
            known = _ask(tool or "", binary, sorted(wanted[index]))
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            notes.append(f"no source lines for {module.path}: {tool} failed: {error}")
            continue
        frames.update((Address(index, value), fortran_lines.readable(found)) for value, found in known.items())
        if module.path in own and not any(f.known for found in known.values() for f in found):
            notes.append(f"{module.path} has no line information: build it with -g to see source lines")
    return frames, notes


def _correct_fortran(trace: Trace, known: dict[int, Resolved], tool: str, places: dict[int, str]) -> None:
    """Corrects the lines of Fortran calls; what is called there is the next inner function, or the MPI call."""
    names: dict[int, set[str]] = defaultdict(set)
    for call in trace.calls:
        if call.path is not None:
            names[call.path].add(call.call.lower())
    callees: dict[int, dict[int, str]] = defaultdict(dict)
    for index, path in enumerate(trace.paths):
        inner = names[index]
        for address in path.addresses:
            frames = known.get(address.module, {}).get(address.value) if address.module is not None else None
            if not frames or address.module is None:
                break
            if len(inner) == 1:
                callees[address.module].setdefault(address.value, next(iter(inner)))
            inner = {fortran_lines.procedure(frames[-1].function)}
    for module, wanted in callees.items():
        with suppress(OSError, ValueError, subprocess.SubprocessError):
            ask = partial(_ask, tool, places[module])
            known[module].update(fortran_lines.correct(known[module], wanted, ask))


def _tail_calls(
    trace: Trace, tool: str, locate: Callable[[Module], str]
) -> tuple[dict[tuple[int, int], _Tail], list[str]]:
    """Frames that left no return address, by path and by the position of the address that they lie inside of."""

    binary = cache(lambda module: _usable(locate(trace.modules[module]), trace.modules[module]))
    gaps, notes = tailcalls.find(trace, binary)
    wanted: dict[int, set[int]] = defaultdict(set)
    for jump in (jump for gap in gaps for chain in gap.chains for jump in chain):
        if jump.module is not None:
            wanted[jump.module].add(jump.value)
    known: dict[Address, list[Frame]] = {}
    for index, values in wanted.items():
        # A tool that fails has failed for the recorded addresses, too, which is a note already.
        with suppress(OSError, ValueError, subprocess.SubprocessError):
            answer = _ask(tool, binary(index) or "", sorted(values))
            known.update((Address(index, value), frames) for value, frames in answer.items())
    found: dict[tuple[int, int], _Tail] = {}
    for gap in gaps:
        frames, note = tailcalls.fill(gap, lambda jump: known.get(jump, ()))
        if frames:
            found[gap.path, gap.position] = _Tail(frames, gap.chains[0] if len(gap.chains) == 1 else ())
        elif note and note not in notes:
            notes.append(note)
    return found, notes


def find_tool() -> str | None:
    """The first symboliser on PATH."""
    return next((found for found in map(shutil.which, TOOLS) if found), None)


def lines(binary: str, build_id_then: str, addresses: Sequence[int]) -> Resolved:
    """The frames of addresses in one binary. Raises ValueError saying why there are none."""
    tool = find_tool()
    if tool is None:
        raise ValueError(f"none of {', '.join(TOOLS)} is installed")
    binary = _now(binary, build_id_then)
    if why := _unusable(binary, Module(binary, build_id_then)):
        raise ValueError(why)
    try:
        return _ask(tool, binary, sorted(addresses))
    except (OSError, subprocess.SubprocessError) as error:
        raise ValueError(f"{tool} failed: {error}") from error


def variables(binary: str, addresses: Sequence[int]) -> dict[int, str]:
    """Names of the static variables at addresses in one binary, as far as they are known."""
    tool = find_tool()
    binary = mapped(binary)
    if tool is None or Path(tool).name == "addr2line":
        return {}
    try:
        output = _run(
            [tool, "--output-style=JSON", "--demangle", f"--obj={binary}"],
            "".join(f"DATA 0x{a:x}\n" for a in addresses),
        )
        answers = [json.loads(line) for line in output.splitlines() if line.strip()]
        found = {int(answer["Address"], 16): str(answer.get("Data", {}).get("Name") or "") for answer in answers}
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, AttributeError):
        return {}
    return {address: name for address, name in found.items() if name and name != "??"}


def _bare(modules: Sequence[Module], address: Address, own: frozenset[str]) -> Frame:
    if address.module is None:
        return Frame(f"0x{address.value:x}", "", 0, user=False)
    module = modules[address.module].path
    return Frame(f"{Path(module).name}+0x{address.value:x}", module, 0, user=module in own)


def _now(binary: str, build_id_then: str) -> str:
    """Where a binary is now; elsewhere than it was only if it is the very same."""

    def is_same(found: Path) -> bool:
        with suppress(OSError, ValueError, struct.error):
            return bool(build_id_then) and build_id(found) == build_id_then
        return False

    return path_map.binary(binary, is_same)


def _unusable(binary: str, module: Module) -> str:
    try:
        found = build_id(Path(binary))
    except (OSError, ValueError, struct.error) as error:
        why = getattr(error, "strerror", None) or str(error)
        return f"{why}; {remedy(binary)}" if isinstance(error, FileNotFoundError) else why
    if module.build_id and found and found != module.build_id:
        return "it was rebuilt since the run"
    return ""


def _usable(binary: str, module: Module) -> str | None:
    return None if _unusable(binary, module) else binary


def build_id(binary: Path) -> str:
    """The GNU build id of an ELF file in hexadecimal, empty if it has none. Raises ValueError for other files."""
    with binary.open("rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:4] != b"\x7fELF":
            raise ValueError("not an ELF file")
        if head[4] != 2 or head[5] != 1:
            return ""  # 32 bits or big endian: not a machine that the interposer runs on
        table, size, count = struct.unpack_from("<Q", head, 32)[0], *struct.unpack_from("<HH", head, 54)
        for index in range(count):
            file.seek(table + index * size)
            entry = file.read(56)
            kind, offset, length = struct.unpack_from("<I", entry)[0], *struct.unpack_from("<8xQ16xQ", entry)
            if kind == 4:  # PT_NOTE
                file.seek(offset)
                found = _gnu_build_id(file.read(min(length, 1 << 16)))
                if found:
                    return found
    return ""


def _gnu_build_id(notes: bytes) -> str:
    at = 0
    while at + 12 <= len(notes):
        name_size, data_size, kind = struct.unpack_from("<III", notes, at)
        name = at + 12
        data = name + (name_size + 3 & ~3)
        if kind == 3 and notes[name : name + 4] == b"GNU\0":  # NT_GNU_BUILD_ID
            return notes[data : data + data_size].hex()
        at = data + (data_size + 3 & ~3)
    return ""


def _ask(tool: str, binary: str, addresses: Sequence[int]) -> Resolved:
    if Path(tool).name == "addr2line":
        return _addr2line(tool, binary, addresses)
    output = _run(
        [tool, "--output-style=JSON", "--inlines", "--demangle", f"--obj={binary}"],
        "".join(f"0x{address:x}\n" for address in addresses),
    )
    resolved: Resolved = {}
    for line in output.splitlines():
        if not line.strip():
            continue
        answer = json.loads(line)
        frames = [
            _frame(s.get("FunctionName") or "", s.get("FileName") or "", s.get("Line") or 0, s.get("Column") or 0)
            for s in answer.get("Symbol") or []
        ]
        resolved[int(answer["Address"], 16)] = _named(frames, binary, int(answer["Address"], 16))
    return resolved


def _addr2line(tool: str, binary: str, addresses: Sequence[int]) -> Resolved:
    output = _run([tool, "-a", "-f", "-i", "-C", "-e", binary], "".join(f"0x{address:x}\n" for address in addresses))
    resolved: Resolved = {}
    frames: list[Frame] = []
    address, function = 0, None
    for line in output.splitlines():
        if _HEADER.fullmatch(line):
            address, function, frames = int(line, 16), None, []
            resolved[address] = frames
        elif function is None:
            function = "" if line == "??" else line
        else:
            place = line.split(" (discriminator")[0]
            file, _, number = place.rpartition(":")
            frames.append(_frame(function, "" if file == "??" else file, int(number) if number.isdigit() else 0, 0))
            function = None
    return {address: _named(frames, binary, address) for address, frames in resolved.items()}


def _run(command: Sequence[str], questions: str) -> str:
    done = subprocess.run(
        command, input=questions, capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS, errors="replace"
    )
    return done.stdout


def _frame(function: str, file: str, line: int, column: int) -> Frame:
    file = mapped(os.path.normpath(file)) if file else ""
    function = _OUTLINED.sub("", _CLONE.sub("", function))
    known = bool(file) and line > 0
    return Frame(function, file, line if known else 0, column, user=known and not is_system(file))


def is_system(file: str) -> bool:
    """Whether a source is one of the system's packages."""
    return file.startswith(_SYSTEM) or _PACKAGE.match(file) is not None


def _named(frames: list[Frame], binary: str, address: int) -> list[Frame]:
    """Frames without a name or file say where in the binary they are. Sources of the system's libraries that are named
    without their root ("libio/fileops.c") are nobody's who reads the report."""
    foreign = binary.startswith(_SYSTEM)
    place = f"{Path(binary).name}+0x{address:x}"
    return [
        Frame(f.function or place, f.file or binary, f.line, f.column, f.user and not (foreign and f.file[:1] != "/"))
        for f in frames or [Frame("", "", 0, user=False)]
    ]
