"""Results of the analyser, kept for as long as nothing that went into them has changed.

An entry belongs to one analyser, one command and one set of options (its name is their hash) and lists what the
analysis read: each file with a hash of its content, each path where a file was looked for in vain (a header that
appears earlier on the include path changes the unit), each folder that was listed. Files are compared by size, times
and inode first; the content is read only where these differ. Comments are content. A hit preprocesses nothing.

Nothing here ever fails a run: an entry that is damaged, from another version or unreadable counts as absent, and a
cache that cannot be written is not written. Entries appear whole or not at all, so that runs may share a cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stridewise import __version__
from stridewise.lint.dependencies import Dependencies, hash_of, read_entry, remove, stamp_of, write_entry

if TYPE_CHECKING:
    from stridewise.lint.preambles import Preambles

_FORMAT = 2
_MAX_BYTES = 1 << 30
_KEPT_SHARE = 0.8  # after eviction
FORGOTTEN_SECONDS = 3600.0  # temporary files of runs that died
_ANSWER_NS = 86_400_000_000_000  # a wrapper's answer may stand in files of its own
# What clang reads from the environment, as far as it changes the meaning of a unit.
_ENVIRONMENT = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored unit result: the analyser's JSON without `inputs`, the hash of its summaries, the seconds it took.

    `files` were read, `absent` looked for in vain.
    """

    text: bytes
    summaries: str
    seconds: float
    files: frozenset[str]
    absent: frozenset[str]


@dataclass
class ResultCache:
    """`started_ns` is the time before the first analysis; `problem` says why nothing more is stored."""

    folder: Path
    analyzer: Path
    started_ns: int = field(default_factory=time.time_ns)
    problem: str = ""
    hits: int = 0
    precompile: bool = True
    _identity: str = ""
    programs: set[str] = field(default_factory=set)  # that were asked
    _headers: list[dict[str, Any]] = field(default_factory=list)
    _stored: bool = False

    def __post_init__(self) -> None:
        self.depends = Dependencies(self.started_ns)
        environment = [os.environ.get(name, "") for name in _ENVIRONMENT]
        stamp = stamp_of(os.path.realpath(self.analyzer))
        self._identity = hash_of(json.dumps([_FORMAT, __version__, str(self.analyzer), stamp, environment]).encode())

    @cached_property
    def preambles(self) -> Preambles | None:
        """Precompiled headers; loaded where a unit is to be analysed."""
        if not self.precompile:
            return None
        from stridewise.lint.preambles import Preambles

        return Preambles(self.folder / "preambles", self.analyzer, self._identity, self.started_ns)

    # Units

    def find(self, options: Sequence[str], directory: Path, file: Path, arguments: Sequence[str]) -> Hit | None:
        """The result of that command, if all that it depends on is unchanged."""
        name = self._name("unit", options, str(directory), str(file), arguments)
        entry = read_entry(name)
        if entry is None:
            return None
        header, text = entry
        try:
            fresh = self.depends.unchanged(header)
            files = frozenset(file[0] for file in header["files"])
            hit = Hit(text, str(header["summaries"]), float(header["seconds"]), files, _absent(header))
        except (KeyError, TypeError, ValueError, IndexError):
            return None
        if fresh is None:
            return None
        if fresh:
            self._write(name, header, text)
        self.hits += 1
        self._headers.append(header)
        return hit

    def inputs(self, units: int) -> dict[str, set[str]] | None:
        """What all units together depend on, by kind; None unless it is known of as many units."""
        if len(self._headers) != units:
            return None
        together: dict[str, set[str]] = {"files": set(), "absent": set(), "listed": set(), "libraries": set()}
        for header in self._headers:
            together["files"].update(file[0] for file in header["files"])
            together["absent"].update(_absent(header))
            together["listed"].update(group[0] for group in header["listed"])
            together["libraries"].update(group[0] for group in header["libraries"])
        return together

    def store(
        self,
        options: Sequence[str],
        directory: Path,
        file: Path,
        arguments: Sequence[str],
        value: dict[str, Any],
        seconds: float,
    ) -> str:
        """Keeps what the analyser wrote for that command, where its inputs are known. Returns the summaries' hash."""
        inputs = value.get("inputs")
        text = _dump({name: part for name, part in value.items() if name != "inputs"})
        summaries = hash_of(_dump(value.get("summaries")))
        if self.problem or not isinstance(inputs, dict) or inputs.get("complete") is not True:
            return summaries
        with contextlib.suppress(KeyError, TypeError, ValueError):
            header = self._header(inputs)
            if header:
                header |= {"summaries": summaries, "seconds": seconds}
                self._headers.append(header)
                self._write(self._name("unit", options, str(directory), str(file), arguments), header, text)
        return summaries

    # The whole program

    def find_link(self, options: Sequence[str], summaries: Sequence[str]) -> dict[str, Any] | None:
        entry = read_entry(self._name("link", options, summaries))
        if entry is None:
            return None
        value = json.loads(entry[1])
        return value if isinstance(value, dict) else None

    def store_link(self, options: Sequence[str], summaries: Sequence[str], value: dict[str, Any]) -> None:
        self._write(self._name("link", options, summaries), {}, _dump(value))

    # Compilers' answers

    def find_answer(self, question: Sequence[str]) -> tuple[str, ...] | None:
        """What a compiler said of itself, while the compiler and the environment are the same."""
        entry = read_entry(
            self._name("answer", question, stamp_of(os.path.realpath(question[0])), _compiler_environment())
        )
        if entry is None:
            return None
        value = json.loads(entry[1])
        asked = entry[0].get("asked")
        fresh = isinstance(asked, int) and 0 <= self.started_ns - asked < _ANSWER_NS
        return tuple(map(str, value)) if isinstance(value, list) and fresh else None

    def store_answer(self, question: Sequence[str], lines: Sequence[str]) -> None:
        self.programs.add(os.path.realpath(question[0]))
        name = self._name("answer", question, stamp_of(os.path.realpath(question[0])), _compiler_environment())
        self._write(name, {"asked": self.started_ns}, _dump(list(lines)))

    def close(self) -> None:
        """Bounds the size: the entries whose last use is longest ago go first."""
        if preambles := self.__dict__.get("preambles"):
            preambles.close()
        if not self._stored:
            return
        entries: list[tuple[float, int, str]] = []
        now = time.time()
        with contextlib.suppress(OSError):
            for item in _files(self.folder):
                status = item.stat(follow_symlinks=False)
                if item.name.endswith(".tmp"):
                    if now - status.st_mtime > FORGOTTEN_SECONDS:
                        remove(item.path)
                else:
                    entries.append((status.st_mtime, status.st_size, item.path))
        total = sum(size for _, size, _ in entries)
        if total <= _MAX_BYTES:
            return
        for _, size, path in sorted(entries):
            if total <= _MAX_BYTES * _KEPT_SHARE:
                break
            remove(path)
            total -= size

    def _name(self, *parts: Any) -> str:
        key = hash_of(json.dumps([self._identity, *parts]).encode())
        return os.path.join(self.folder, key[:2], key[2:])

    def _write(self, name: str, header: dict[str, Any], text: bytes) -> None:
        if self.problem:
            return
        try:
            write_entry(name, header, text)
            self._stored = True
        except OSError as error:
            self.problem = f"results are not kept in {self.folder}: {error.strerror or error}"

    def _header(self, inputs: dict[str, Any]) -> dict[str, Any] | None:
        """What must be the same for the result to be used again; None if something changed since it was read."""
        for path, size, mtime, inode in inputs["files"]:
            stamp = self.depends.stamp(path)
            if stamp is None or (stamp[0], stamp[1], stamp[3]) != (size, mtime, inode):
                return None
        return self.depends.describe(
            (file[0] for file in inputs["files"]), inputs["absent"], inputs["listed"], inputs["libraries"]
        )


def _absent(header: dict[str, Any]) -> frozenset[str]:
    return frozenset(os.path.join(group[0], name) for group in header["absent"] for name in group[2]) | frozenset(
        header["loose"]
    )


def _dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _compiler_environment() -> list[tuple[str, str]]:
    """What compiler wrappers read: their own variables and where they look for programs."""
    prefixes = ("OMPI_", "OPAL_", "MPICH_", "I_MPI_", "MV2_", "PE_", "CRAY", "NVHPC", "GCC_")
    names = (*_ENVIRONMENT, "PATH", "MPI_HOME", "LD_LIBRARY_PATH")
    return sorted((name, value) for name, value in os.environ.items() if name in names or name.startswith(prefixes))


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    def entries(path: str | Path) -> Iterable[os.DirEntry[str]]:
        with os.scandir(path) as found:
            yield from found

    for group in entries(folder):
        if len(group.name) == 2 and group.is_dir(follow_symlinks=False):
            with contextlib.suppress(OSError):
                yield from (item for item in entries(group.path) if item.is_file(follow_symlinks=False))
