"""Precompiled headers that units of C++ share: which are worth making, made once and kept below the cache folder.

Units of one set of options are a group. Which headers each of its units includes is read from their text, what these
headers weigh from one preprocessing of them all; then those sets are precompiled that save more than they cost, in this
run or in those to come as far as earlier ones tell (an editor reads a unit again and again, a build reads each once).

Only headers that mean the same in every order are put into them: those of the languages' libraries, POSIX, MPI and
OpenMP. The analyser makes sure that a unit means the same with and without, and reads it without otherwise; it does the
same when a file is torn or gone. So nothing here decides what is found, and nothing here ever fails a run.

An entry (its name is the hash of analyser, options and headers) says what went into a file, as an entry of a result
does, and is written last. Files have names of their own, so that runs which make the same one do not meet.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stridewise import catalogue
from stridewise.collect.compile_db import Command, Language
from stridewise.lint.dependencies import Dependencies, hash_of, read_entry, remove, write_entry
from stridewise.lint.overlay import Overlay
from stridewise.lint.preamble_choice import MAX_SETS, Choice

_FORMAT = 1
_MAX_BYTES = 512 << 20
_KEPT_SHARE = 0.8  # after eviction
_FORGOTTEN_SECONDS = 3600.0  # files of runs that died
_MAX_TEXT_BYTES = 1 << 20
_MAX_FILES = 200  # that a unit's headers are looked for in
_MAX_UNITS = 300  # of a group that are remembered

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([A-Za-z0-9_./+-]+)[>"]', re.M)
# What the driver reads before the unit, or what makes another kind of precompiled file.
_OTHER_WAYS = re.compile(r"-+(include|imacros|fmodule|fpch|fno-pch|emit-|ivfsoverlay|preamble|x$|Xclang|fplugin)")
_C_LIBRARY = frozenset(
    "complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool"
    " stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split()
)
_POSIX = frozenset(
    "dirent.h fcntl.h malloc.h memory.h pthread.h sched.h semaphore.h strings.h sys/ioctl.h sys/mman.h sys/resource.h"
    " sys/stat.h sys/time.h sys/types.h sys/wait.h unistd.h".split()
)
_CXX_LIBRARY = frozenset(
    "algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable"
    " coroutine deque exception execution filesystem format forward_list fstream functional future initializer_list"
    " iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new"
    " numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex"
    " source_location span sstream stack stdexcept stop_token streambuf string string_view strstream syncstream"
    " system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant"
    " vector version".split()
)
_PARALLEL = frozenset(("mpi.h", "omp.h"))
_KNOWN = _CXX_LIBRARY | _POSIX | _PARALLEL | {f"{name}.h" for name in _C_LIBRARY} | {f"c{name}" for name in _C_LIBRARY}
_ENDING = {Language.CXX: ".hpp"}  # headers of C are read as quickly as their planning takes

Run = Callable[[Sequence[str], Path], str]  # words, directory; an empty string, or what went wrong


@dataclass
class Ready:
    """A precompiled header that may still be in the making. `made` is None until then, and where that failed."""

    make: Callable[[], Path | None] | None
    made: Path | None = None
    _done: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        try:
            if self.make:
                self.made = self.make()
        finally:
            self._done.set()

    def wait(self) -> Path | None:
        self._done.wait()
        return self.made


@dataclass
class _Unit:
    file: str
    roots: tuple[str, ...]  # headers, in the order in which it includes them
    uses: float = 1.0
    position: int | None = None  # among the commands; None for one of an earlier run
    refused: bool = False


@dataclass
class _Group:
    name: str  # of the entry that remembers it
    language: Language
    directory: Path
    arguments: tuple[str, ...]
    units: list[_Unit] = field(default_factory=list)
    weights: dict[str, Any] = field(default_factory=dict)
    made: list[tuple[str, ...]] = field(default_factory=list)  # sets of headers, in this run or an earlier one


class Preambles:
    """`run` starts the analyser within the limits of a unit."""

    def __init__(self, folder: Path, analyzer: Path, identity: str, started_ns: int) -> None:
        self.folder = folder
        self.analyzer = analyzer
        self.identity = identity
        self.started_ns = started_ns
        self.problem = ""
        self._depends = Dependencies(started_ns)
        self._includes: dict[str, tuple[tuple[bool, str], ...]] = {}
        self._is_file: dict[str, bool] = {}
        self._groups: dict[int, tuple[_Group, _Unit]] = {}
        self._lock = threading.Lock()

    # Planning

    def plan(
        self, commands: Mapping[int, Command], overlay: Overlay | None, run: Run
    ) -> tuple[list[Ready], dict[int, Ready]]:
        """What is to be made, and what each unit uses, by position."""
        makers: list[Ready] = []
        users: dict[int, Ready] = {}
        home = _home(commands.values())
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, IndexError):
            for group in self._grouped(commands, home):
                for chosen, positions in self._chosen(group, run):
                    ready = self._ready(group, chosen, overlay, run)
                    if ready is None:
                        continue
                    if ready.make:
                        makers.append(ready)
                    users.update(dict.fromkeys(positions, ready))
        return makers, users

    def _grouped(self, commands: Mapping[int, Command], home: str) -> list[_Group]:
        groups: dict[str, _Group] = {}
        for position, command in commands.items():
            if command.language not in _ENDING or any(_OTHER_WAYS.match(a) for a in command.arguments):
                continue
            name = self._name("group", command.language.value, str(command.directory), command.arguments)
            group = groups.get(name)
            if group is None:
                group = groups[name] = _Group(name, command.language, command.directory, command.arguments)
                self._remember(group)
            roots = self._roots(command, home)
            file = str(command.file)
            earlier = next((u for u in group.units if u.file == file and u.position is None), None)
            unit = _Unit(file, roots, position=position)
            if earlier:
                group.units.remove(earlier)
                unit.uses += earlier.uses
                unit.refused = earlier.refused and earlier.roots == roots
            group.units.append(unit)
            self._groups[position] = group, unit
        return list(groups.values())

    def _remember(self, group: _Group) -> None:
        entry = read_entry(group.name)
        if entry:
            value = json.loads(entry[1])
            group.units = [_Unit(str(f), tuple(roots), float(n), None, bool(no)) for f, roots, n, no in value["units"]]
            group.weights = dict(value["weights"])
            group.made = [tuple(map(str, roots)) for roots in value["made"]][-MAX_SETS:]

    def _roots(self, command: Command, home: str) -> tuple[str, ...]:
        """Headers that mean the same in every order, as far as the text of the unit's own files names them."""
        folders = [os.path.join(command.directory, a[2:]) for a in command.arguments if a.startswith("-I") and a[2:]]
        found: dict[str, None] = {}
        seen: set[str] = set()

        def visit(path: str) -> None:
            if path in seen or len(seen) >= _MAX_FILES:
                return
            seen.add(path)
            for quoted, name in self._included(path):
                near = [os.path.dirname(path)] if quoted else []
                own = next((p for f in (*near, *folders) if self._exists(p := os.path.join(f, name))), None)
                if own is not None and home and os.path.normpath(own).startswith(home):
                    visit(own)
                elif name in _KNOWN:
                    found.setdefault(name)

        visit(os.path.join(command.directory, command.file))
        return tuple(found)

    def _exists(self, path: str) -> bool:
        if path not in self._is_file:
            self._is_file[path] = os.path.isfile(path)
        return self._is_file[path]

    def _included(self, path: str) -> tuple[tuple[bool, str], ...]:
        """Whether in quotes, and the name."""
        if path not in self._includes:
            try:
                with open(path, "rb") as stream:
                    text = stream.read(_MAX_TEXT_BYTES)
            except OSError:
                text = b""
            self._includes[path] = tuple((m[1] == b'"', m[2].decode("ascii")) for m in _INCLUDE.finditer(text))
        return self._includes[path]

    def _chosen(self, group: _Group, run: Run) -> list[tuple[tuple[str, ...], list[int]]]:
        """Sets of headers to precompile, and the units that use each."""
        units = [u for u in group.units if u.roots and not u.refused]
        uses = sum(u.uses for u in units)
        if uses < catalogue.limit("lint", "fewest_readings"):
            return []
        roots = {root for unit in units for root in unit.roots}
        if not roots <= group.weights.get("closures", {}).keys():
            group.weights = self._weighed(group, sorted(roots), run)
        return Choice(group.weights, group.made).sets([(unit.roots, unit.uses, unit.position) for unit in units])

    def _weighed(self, group: _Group, roots: Sequence[str], run: Run) -> dict[str, Any]:
        """The size of each header and, for each root, the headers that it includes."""
        stem = f"{group.name}.{os.urandom(6).hex()}"
        text, out = stem + _ENDING[group.language], f"{stem}.json"
        try:
            self._write_text(text, roots)
            failure = run(
                [str(self.analyzer), "--list-headers", "-o", out, text, "--", *group.arguments], group.directory
            )
            value = {} if failure else json.loads(Path(out).read_text(encoding="utf-8"))
        finally:
            remove(text)
            remove(out)
        headers = value.get("headers", [])
        sizes = {file[0]: file[1] for file in value.get("inputs", {}).get("files", [])}
        below = [[int(number) for number in header[1]] for header in headers]
        named = value.get("named", {})
        return {
            "sizes": [int(sizes.get(os.path.join(group.directory, header[0]), 0)) for header in headers],
            "closures": {root: sorted(_closure(below, named[root])) if root in named else [] for root in roots},
        }

    # Files

    def _write_text(self, path: str, roots: Sequence[str]) -> None:
        """A file that includes these headers and nothing else, as far as they exist."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        with open(path, "x", encoding="ascii") as stream:
            stream.writelines(f"#if __has_include(<{root}>)\n#include <{root}>\n#endif\n" for root in roots)

    def _ready(self, group: _Group, roots: tuple[str, ...], overlay: Overlay | None, run: Run) -> Ready | None:
        name = self._name("preamble", group.name, roots)
        kept, depends = self._kept(name)
        if kept:
            if overlay and overlay.touches(depends):
                return None
            ready = Ready(None, kept)
            ready.run()
            return ready
        return Ready(lambda: self._make(group, roots, name, overlay, run))

    def _kept(self, name: str) -> tuple[Path | None, Collection[str]]:
        """A file that was made of what is there now, and what it depends on."""
        entry = read_entry(name)
        if entry is None:
            return None, ()
        header, text = entry
        file = Path(os.path.join(self.folder, text.decode("utf-8")))
        try:
            # Exactly as it was: the analyser's results say so of the files that they were made of.
            if self._depends.unchanged(header) is not False or not _sound(file, header["made"]):
                return None, ()
            absent = {os.path.join(group[0], name) for group in header["absent"] for name in group[2]}
            return file, {f[0] for f in header["files"]} | absent
        except (KeyError, TypeError, ValueError, IndexError):
            return None, ()

    def _make(self, group: _Group, roots: tuple[str, ...], name: str, overlay: Overlay | None, run: Run) -> Path | None:
        stem = f"{name}.{os.urandom(6).hex()}"
        text, file = stem + _ENDING[group.language], Path(f"{stem}.pch")
        beside = Path(f"{file}.json")
        try:
            self._write_text(text, roots)
            failure = run(
                [str(self.analyzer), f"--make-preamble={file}", text, "--", *group.arguments], group.directory
            )
            if failure:
                raise ValueError(failure)
            inputs = json.loads(beside.read_text(encoding="utf-8"))["inputs"]
            depends = Dependencies(self.started_ns)
            header = depends.describe(
                (f[0] for f in inputs["files"]), inputs["absent"], inputs["listed"], inputs["libraries"], [text]
            )
            if header is None or inputs["complete"] is not True:
                raise ValueError("its headers changed meanwhile")
            if all(f[1] for f in header["files"]):  # else one was changed just now, and may be once more
                header["made"] = [_size(file), _size(beside)]
                write_entry(name, header, file.name.encode())
            with self._lock:
                group.made = [*(made for made in group.made if made != roots), roots]
            depends_on = {f[0] for f in inputs["files"]} | set(inputs["absent"])
            return None if overlay and overlay.touches(depends_on) else file
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            with self._lock:
                self.problem = str(error)
            for made in (text, str(file), str(beside)):
                remove(made)
            return None

    def _name(self, *parts: Any) -> str:
        key = hash_of(json.dumps([_FORMAT, self.identity, *parts]).encode())
        return os.path.join(self.folder, key)

    # Afterwards

    def note(self, position: int, used: object) -> None:
        """Whether the analyser took the precompiled header of that unit: what its result says of it."""
        if position in self._groups and isinstance(used, dict) and used.get("used") is False:
            self._groups[position][1].refused = True

    def close(self) -> None:
        """Remembers who read what, and bounds the size: what was used longest ago goes first."""
        groups = {id(group): group for group, _ in self._groups.values()}
        with contextlib.suppress(OSError):
            for group in groups.values():
                units = [[u.file, u.roots, u.uses, u.refused] for u in group.units[-_MAX_UNITS:]]
                text = json.dumps({"units": units, "weights": group.weights, "made": group.made}).encode()
                write_entry(group.name, {}, text)
        with contextlib.suppress(OSError):
            if groups:
                _bound(self.folder)
        self._groups.clear()


def _bound(folder: Path) -> None:
    now = time.time()
    entries: list[tuple[float, str]] = []
    files: dict[str, list[tuple[str, int, float]]] = {}  # by the name of their entry
    total = 0
    with os.scandir(folder) as found:
        for item in found:
            status = item.stat(follow_symlinks=False)
            total += status.st_size
            entry, dot, _ = item.name.partition(".")
            if dot:
                files.setdefault(entry, []).append((item.path, status.st_size, status.st_mtime))
            else:
                entries.append((status.st_mtime, item.name))
    current: set[str] = set()
    for _, name in entries:
        if name in files and (known := read_entry(os.path.join(folder, name))):
            file = os.path.join(folder, known[1].decode("utf-8", "replace"))
            stem = file.removesuffix(".pch")
            current |= {file, f"{file}.json", *(stem + ending for ending in _ENDING.values())}
    for group in files.values():
        for path, size, changed in group:
            if path not in current and now - changed > _FORGOTTEN_SECONDS:
                remove(path)
                total -= size
    if total <= _MAX_BYTES:
        return
    for _, name in sorted(entries):
        if total <= _MAX_BYTES * _KEPT_SHARE:
            break
        remove(os.path.join(folder, name))
        for path, size, _ in files.get(name, ()):
            remove(path)
            total -= size


def _closure(below: Sequence[Sequence[int]], start: int) -> set[int]:
    found: set[int] = set()
    todo = [start]
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo.extend(below[number])
    return found


def _home(commands: Iterable[Command]) -> str:
    """The folder of the user's files, with a slash behind; empty where they have none in common."""
    folders = {os.path.dirname(os.path.join(c.directory, c.file)) for c in commands}
    try:
        common = os.path.normpath(os.path.commonpath(folders))
    except ValueError:
        return ""
    if os.path.dirname(common) == common:
        return ""
    # A project's own headers often lie beside its sources.
    above = os.path.dirname(common)
    return (above if above.count(os.sep) > 1 else common) + os.sep


def _size(path: Path) -> int:
    return path.stat().st_size


def _sound(file: Path, sizes: Sequence[int]) -> bool:
    try:
        return [_size(file), _size(Path(f"{file}.json"))] == list(sizes)
    except OSError:
        return False
