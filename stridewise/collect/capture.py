"""stridewise capture: records compile_commands.json of any build.

A preloaded library (runtime/capture) sees every compiler that the build starts. Where it was not built, a folder of
stand-ins in front of PATH does the same for compilers that are called by name; so it does for a build tool that is
linked statically, into which nothing can be preloaded.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise.collect import elf
from stridewise.collect.compile_db import (
    DATABASE,
    FORTRAN_SUFFIXES,
    SOURCE_SUFFIXES,
    EntryError,
    expand_response_files,
    fortran_left_out,
    sources_in,
    strip_launchers,
)
from stridewise.collect.compilers import (
    COMPILER_NAMES,
    SAME_WITH_DEBUG_LINES,
    SPACK_WRAPPER,
    Kind,
    identify,
    is_fortran,
    spack_includes,
)
from stridewise.collect.preload import loadable
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.output import write_file
from stridewise.settings import toolchain

_LIBRARY = "libstridewise_capture.so"
_CACHES = frozenset({"ccache", "sccache", "distcc", "icecc", "buildcache"})
# Commands that compile nothing for the program: preprocessing, dependencies, questions.
_NO_COMPILATION = frozenset({"-E", "-M", "-MM", "-fsyntax-only", "--version", "-dumpversion", "-dumpmachine", "-show"})
_STAND_IN = """#!{python} -IS
import os, sys, time
name = os.path.basename(sys.argv[0])
here = os.path.dirname(os.path.abspath(sys.argv[0]))
folders = [f for f in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.abspath(f or ".") != here]
real = next((p for f in folders if os.access(p := os.path.join(f, name), os.X_OK) and os.path.isfile(p)), None)
if real is None:
    sys.exit(f"{{name}}: command not found")
target = os.environ.get("STRIDEWISE_CAPTURE_DIR")
if target and "STRIDEWISE_CAPTURE_INNER" not in os.environ and not any(part in real for part in {spack!r}):
    words = [os.getcwd(), real, name, *sys.argv[1:]]
    base = os.path.join(target, f"{{time.monotonic_ns()}}.{{os.getpid()}}")
    for i, word in enumerate(sys.argv):
        if i and word[:1] == "@" and os.path.isfile(word[1:]):
            try:
                with open(word[1:], "rb") as response, open(f"{{base}}.command.{{i}}.rsp", "xb") as out:
                    out.write(response.read())
            except OSError:
                pass
    with open(base + ".part", "xb") as out:
        out.write(b"".join(os.fsencode(word) + b"\\0" for word in words))
    os.rename(base + ".part", base + ".command")
    os.environ["STRIDEWISE_CAPTURE_INNER"] = "1"
if name in {caches!r}:
    os.environ["STRIDEWISE_CAPTURE_CACHED"] = "1"
more, bare = os.environ.get("STRIDEWISE_CAPTURE_MORE"), name.rstrip("0123456789.-")
known = os.environ.get("STRIDEWISE_CAPTURE_MORE_NAMES", "").split()
plain = "STRIDEWISE_CAPTURE_CACHED" in os.environ or bare not in known
os.execv(real, [real, *sys.argv[1:], *([] if plain or not more else [more])])  # GCC finds its parts beside argv[0]
"""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One compiler command as the build ran it: the program's path and its arguments without argv[0]."""

    directory: str
    program: str
    arguments: tuple[str, ...]


def run(command: Sequence[str], output: Path, stand_ins: bool = False, debug_lines: bool = False) -> int:
    """The build's own status (128 + signal), or 2 if nothing could be recorded. With `debug_lines` compilers whose code
    is the same get -g, which is not recorded."""
    target = (output / DATABASE if output.is_dir() else output).absolute()
    if not target.parent.is_dir():
        raise Failure(f"no folder {target.parent} for the database; make it or name another one with -o")
    with tempfile.TemporaryDirectory(prefix="stridewise-capture-") as name:
        folder = Path(name)
        records = folder / "commands"
        records.mkdir()
        status = _build(command, _environment(folder, records, stand_ins or _is_static(command[0]), debug_lines))
        recorded = read_records(records)
    entries, gone = to_entries(recorded)
    if not entries:
        remark(_why_nothing(recorded, status, target))
        return status or 2
    kept = _merge(_existing(target), entries)
    write_file(target, json.dumps(kept, indent=2) + "\n")
    remark(
        f"{target}: {len(entries)} {'entry' if len(entries) == 1 else 'entries'} recorded, {len(kept)} in all"
        + (f"; {gone} of files or folders that are gone were left out" if gone else "")
    )
    if note := fortran_left_out(Path(str(entry["file"])) for entry in entries):
        remark(note)
    return status


def _why_nothing(recorded: Sequence[Recorded], status: int, target: Path) -> str:
    seen = f"{len(recorded)} compiler command{'s' * (len(recorded) != 1)} seen"
    if status != 0:
        return (
            f"the build ended with status {status} before it compiled anything ({seen}), {target} is left as it is; "
            "see its message above"
        )
    return (
        f"no C, C++ or Fortran compiler ran ({seen}), {target} is left as it is; if the project is already built, "
        "clean it first (make clean); if its compiler has another name than those known, say so in the build "
        "(make CC=gcc)"
    )


def _is_static(program: str) -> bool:
    found = shutil.which(program)
    return found is not None and elf.is_static(Path(found))


def _environment(folder: Path, records: Path, stand_ins: bool, debug_lines: bool) -> dict[str, str]:
    environment = dict(os.environ)
    environment.pop("STRIDEWISE_CAPTURE_INNER", None)
    environment["STRIDEWISE_CAPTURE_DIR"] = str(records)
    environment["STRIDEWISE_CAPTURE_NAMES"] = " ".join(sorted(COMPILER_NAMES | _CACHES))
    if debug_lines:
        environment["STRIDEWISE_CAPTURE_MORE"] = "-g"
        environment["STRIDEWISE_CAPTURE_MORE_NAMES"] = " ".join(SAME_WITH_DEBUG_LINES)
        environment["STRIDEWISE_CAPTURE_CACHES"] = " ".join(sorted(_CACHES))
    library = None if stand_ins else toolchain.library(_LIBRARY)
    try:
        library = loadable(library) if library else None
    except Failure:
        library = None
    if library:
        environment["LD_PRELOAD"] = ":".join(filter(None, [str(library), environment.get("LD_PRELOAD")]))
    else:
        remark("recording compilers that are called by name only; those with an absolute path are not seen")
        environment["PATH"] = f"{_stand_ins(folder)}{os.pathsep}{environment.get('PATH', os.defpath)}"
    return environment


def _stand_ins(folder: Path) -> Path:
    """A folder with one stand-in for each compiler on PATH."""
    script = folder / "stand-in"
    script.write_text(
        _STAND_IN.format(python=sys.executable, spack=SPACK_WRAPPER, caches=sorted(_CACHES)), encoding="utf-8"
    )
    script.chmod(0o755)
    names = folder / "bin"
    names.mkdir()
    for place in os.environ.get("PATH", os.defpath).split(os.pathsep):
        try:
            found = [entry.name for entry in os.scandir(place or ".")]
        except OSError:
            continue
        for name in found:
            link = names / name
            if (identify(name) or name in _CACHES) and not link.is_symlink():
                link.symlink_to(script)
    return names


def _build(command: Sequence[str], environment: dict[str, str]) -> int:
    previous = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        status = subprocess.run(command, env=environment, check=False).returncode
    except OSError as error:
        raise Failure(f"cannot start {command[0]}: {error.strerror or error}") from error
    finally:
        signal.signal(signal.SIGINT, previous)
    return 128 - status if status < 0 else status


def read_records(folder: Path) -> list[Recorded]:
    """The commands in the order in which they started."""
    found: list[tuple[int, Recorded]] = []
    for path in folder.glob("*.command"):
        words = os.fsdecode(path.read_bytes()).split("\0")[:-1]
        if len(words) >= 3:
            when = path.name.split(".")[0]
            record = Recorded(words[0], words[1], _with_responses(words[3:], path))
            found.append((int(when) if when.isdigit() else 0, record))
    return [record for _, record in sorted(found, key=lambda pair: pair[0])]


def _with_responses(arguments: Sequence[str], record: Path) -> tuple[str, ...]:
    """The arguments with the response files that were copied while the compiler ran: the build may delete them."""
    out: list[str] = []
    for number, word in enumerate(arguments, 1):
        copied = record.with_name(f"{record.name}.{number}.rsp")
        try:
            out += shlex.split(os.fsdecode(copied.read_bytes())) if word.startswith("@") else [word]
        except (OSError, ValueError):
            out.append(word)
    return tuple(out)


def to_entries(recorded: Iterable[Recorded]) -> tuple[list[dict[str, object]], int]:
    """Entries of a compile database, one a source, and how many were left out because their file or folder is gone."""
    entries: list[dict[str, object]] = []
    gone = 0
    for record in recorded:
        words = (_resolved(record), *record.arguments)
        directory = Path(record.directory)
        try:
            compiler, *arguments = strip_launchers(words)
            expanded = expand_response_files(arguments, directory)
        except EntryError:
            continue
        known = identify(compiler)
        if (known is None and not is_fortran(compiler)) or _NO_COMPILATION.intersection(expanded):
            continue
        sources = sources_in(expanded)
        for source in sources:
            if Path(source).suffix not in FORTRAN_SUFFIXES and (
                known is None or Path(source).suffix not in SOURCE_SUFFIXES
            ):
                continue
            # A configuration step tries compilers in folders that it deletes again; what it compiled may be installed.
            if not directory.is_dir() or not (directory / source).is_file():
                gone += 1
                continue
            others = set(sources) - {source}
            # Around an MPI wrapper, Spack's own one is at work inside, which adds these.
            inside = spack_includes() if known and known.kind is Kind.MPI else ()
            entries.append(
                {
                    "directory": record.directory,
                    "file": os.path.normpath(directory / source),
                    "arguments": [compiler, *inside, *(word for word in expanded if word not in others)],
                }
            )
    return entries, gone


def _resolved(record: Recorded) -> str:
    """The program as a path where the build used one that resolves, since PATH may differ later."""
    if "/" in record.program:
        return os.path.normpath(Path(record.directory) / record.program)
    return shutil.which(record.program) or record.program


def _existing(path: Path) -> list[dict[str, object]]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise Failure(f"cannot read {path}, which is there already: {error}; remove it") from error
    if not isinstance(value, list):
        raise Failure(f"{path} is there already and is no compile database; name another one with -o")
    return [entry for entry in value if isinstance(entry, dict)]


def _merge(old: Sequence[dict[str, object]], new: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """The new entries replace older ones of the same file and output; entries of files that are gone are dropped."""
    merged: dict[tuple[str, str], dict[str, object]] = {}
    for entry in [*old, *new]:
        merged[_identity(entry)] = entry
    return [entry for (file, _), entry in merged.items() if Path(file).is_file()]


def _identity(entry: dict[str, object]) -> tuple[str, str]:
    file = os.path.normpath(Path(str(entry.get("directory", ""))) / str(entry.get("file", "")))
    arguments = entry.get("arguments")
    words = [str(word) for word in arguments] if isinstance(arguments, list) else []
    if not words:
        try:
            words = shlex.split(str(entry.get("command", "")))
        except ValueError:
            words = []
    output = next((words[i + 1] for i, word in enumerate(words[:-1]) if word == "-o"), "")
    # libtool compiles for its shared library in .libs/ and for its static one beside it: one of them is enough.
    return file, re.sub(r"(^|/)\.libs/", r"\1", output)
