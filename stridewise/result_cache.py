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
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stridewise import __version__

_FORMAT = 1
_MAX_BYTES = 1 << 30
_KEPT_SHARE = 0.8  # after eviction
_TOUCH_SECONDS = 3600.0  # how exactly the time of the last use is kept
_FORGOTTEN_SECONDS = 3600.0  # temporary files of runs that died
# A file that changed this shortly before it was looked at may change again within the same tick of its time stamp.
_RACY_NS = 2_000_000_000
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

Stamp = tuple[int, int, int, int]  # size, mtime and ctime in ns, inode


def default_folder() -> Path | None:
    """$XDG_CACHE_HOME/stridewise, else ~/.cache/stridewise; None for someone without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".cache")
    return Path(base, "stridewise")


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored unit result: the analyser's JSON without `inputs`, the hash of its summaries, the seconds it took."""

    text: bytes
    summaries: str
    seconds: float


@dataclass
class ResultCache:
    """`started_ns` is the time before the first analysis; `problem` says why nothing more is stored."""

    folder: Path
    analyzer: Path
    started_ns: int = field(default_factory=time.time_ns)
    problem: str = ""
    hits: int = 0
    _identity: str = ""
    _stamps: dict[str, Stamp | None] = field(default_factory=dict)
    _hashes: dict[str, str | None] = field(default_factory=dict)
    _stored: bool = False

    def __post_init__(self) -> None:
        environment = [os.environ.get(name, "") for name in _ENVIRONMENT]
        stamp = _stamp(os.path.realpath(self.analyzer))
        self._identity = _hash(json.dumps([_FORMAT, __version__, str(self.analyzer), stamp, environment]).encode())

    # Units

    def find(self, options: Sequence[str], directory: Path, file: Path, arguments: Sequence[str]) -> Hit | None:
        """The result of that command, if all that it depends on is unchanged."""
        name = self._name("unit", options, str(directory), str(file), arguments)
        entry = self._read(name)
        if entry is None:
            return None
        header, text = entry
        try:
            fresh = self._unchanged(header)
            hit = Hit(text, str(header["summaries"]), float(header["seconds"]))
        except (KeyError, TypeError, ValueError, IndexError):
            return None
        if fresh is None:
            return None
        if fresh:
            self._write(name, header, text)
        self.hits += 1
        return hit

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
        summaries = _hash(_dump(value.get("summaries")))
        if self.problem or not isinstance(inputs, dict) or inputs.get("complete") is not True:
            return summaries
        with contextlib.suppress(KeyError, TypeError, ValueError):
            if header := self._header(inputs):
                header |= {"summaries": summaries, "seconds": seconds}
                self._write(self._name("unit", options, str(directory), str(file), arguments), header, text)
        return summaries

    # The whole program

    def find_link(self, options: Sequence[str], summaries: Sequence[str]) -> dict[str, Any] | None:
        entry = self._read(self._name("link", options, summaries))
        if entry is None:
            return None
        value = json.loads(entry[1])
        return value if isinstance(value, dict) else None

    def store_link(self, options: Sequence[str], summaries: Sequence[str], value: dict[str, Any]) -> None:
        self._write(self._name("link", options, summaries), {}, _dump(value))

    # Compilers' answers

    def find_answer(self, question: Sequence[str]) -> tuple[str, ...] | None:
        """What a compiler said of itself, while the compiler and the environment are the same."""
        entry = self._read(
            self._name("answer", question, _stamp(os.path.realpath(question[0])), _compiler_environment())
        )
        if entry is None:
            return None
        value = json.loads(entry[1])
        asked = entry[0].get("asked")
        fresh = isinstance(asked, int) and 0 <= self.started_ns - asked < _ANSWER_NS
        return tuple(map(str, value)) if isinstance(value, list) and fresh else None

    def store_answer(self, question: Sequence[str], lines: Sequence[str]) -> None:
        name = self._name("answer", question, _stamp(os.path.realpath(question[0])), _compiler_environment())
        self._write(name, {"asked": self.started_ns}, _dump(list(lines)))

    def close(self) -> None:
        """Bounds the size: the entries whose last use is longest ago go first."""
        if not self._stored:
            return
        entries: list[tuple[float, int, str]] = []
        now = time.time()
        with contextlib.suppress(OSError):
            for item in _files(self.folder):
                status = item.stat(follow_symlinks=False)
                if item.name.endswith(".tmp"):
                    if now - status.st_mtime > _FORGOTTEN_SECONDS:
                        _remove(item.path)
                else:
                    entries.append((status.st_mtime, status.st_size, item.path))
        total = sum(size for _, size, _ in entries)
        if total <= _MAX_BYTES:
            return
        for _, size, path in sorted(entries):
            if total <= _MAX_BYTES * _KEPT_SHARE:
                break
            _remove(path)
            total -= size

    # Entries: one line of JSON that says what the text depends on, then the text

    def _name(self, *parts: Any) -> str:
        key = _hash(json.dumps([self._identity, *parts]).encode())
        return os.path.join(self.folder, key[:2], key[2:])

    def _read(self, name: str) -> tuple[dict[str, Any], bytes] | None:
        try:
            with open(name, "rb") as stream:
                head, _, text = stream.read().partition(b"\n")
                age = time.time() - os.fstat(stream.fileno()).st_mtime
            header = json.loads(head)
            if not isinstance(header, dict) or header.get("text") != _hash(text):
                return None
            if age > _TOUCH_SECONDS:
                os.utime(name)
        except (OSError, ValueError, RecursionError):
            return None
        return header, text

    def _write(self, name: str, header: dict[str, Any], text: bytes) -> None:
        if self.problem:
            return
        temporary = f"{name}.{os.getpid()}-{os.urandom(6).hex()}.tmp"  # process numbers repeat on other hosts
        try:
            os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
            with open(temporary, "wb") as stream:
                stream.write(_dump({**header, "text": _hash(text)}) + b"\n" + text)
            os.replace(temporary, name)
            self._stored = True
        except OSError as error:
            self.problem = f"results are not kept in {self.folder}: {error.strerror or error}"
            _remove(temporary)

    # What a result depends on

    def _header(self, inputs: dict[str, Any]) -> dict[str, Any] | None:
        """What must be the same for the result to be used again; None if something changed since it was read."""
        files = []
        for path, size, mtime, inode in inputs["files"]:
            stamp = self._stamp(path)
            if stamp is None or (stamp[0], stamp[1], stamp[3]) != (size, mtime, inode):
                return None
            content = self._content(path)
            if content is None:
                return None
            files.append([path, self._settled(stamp), content])
        folders: dict[str, list[str]] = {}
        loose: list[str] = []
        for path in inputs["absent"]:
            if self._stamp(path) is not None:
                return None
            parent, name = os.path.split(path)
            if os.path.islink(path):
                loose.append(path)
            else:
                folders.setdefault(parent, []).append(name)
        absent = [[folder, self._settled(self._stamp(folder)), names] for folder, names in folders.items()]
        listed = [[folder, _listing(folder)] for folder in inputs["listed"]]
        libraries = [[path, self._stamp(path)] for path in inputs["libraries"]]
        return {"files": files, "absent": absent, "loose": loose, "listed": listed, "libraries": libraries}

    def _unchanged(self, header: dict[str, Any]) -> bool | None:
        """None if a dependency changed; else whether the header was brought up to date, as contents were read again."""
        fresh = False
        for path, stamp in header["libraries"]:
            if self._stamp(path) != _tuple(stamp):
                return None
        for file in header["files"]:
            path, known, content = file
            stamp = self._stamp(path)
            if stamp is None:
                return None
            if stamp == _tuple(known):
                continue
            if self._content(path) != content:
                return None
            if settled := self._settled(stamp):
                file[1] = settled
                fresh = True
        for group in header["absent"]:
            folder, known, names = group
            stamp = self._stamp(folder)
            if stamp is not None and stamp == _tuple(known):
                continue
            if any(self._stamp(os.path.join(folder, name)) is not None for name in names):
                return None
            if settled := self._settled(stamp):
                group[1] = settled
                fresh = True
        if any(self._stamp(path) is not None for path in header["loose"]):
            return None
        if any(_listing(folder) != names for folder, names in header["listed"]):
            return None
        return fresh

    def _settled(self, stamp: Stamp | None) -> Stamp | None:
        """The stamp, if it can be trusted to change with the next change of the file."""
        limit = self.started_ns - _RACY_NS
        return stamp if stamp is not None and stamp[1] < limit and stamp[2] < limit else None

    def _stamp(self, path: str) -> Stamp | None:
        if path not in self._stamps:
            self._stamps[path] = _stamp(path)
        return self._stamps[path]

    def _content(self, path: str) -> str | None:
        """The hash of the file's bytes; None if they cannot be read or changed while they were."""
        if path not in self._hashes:
            self._hashes[path] = None
            with contextlib.suppress(OSError), open(path, "rb") as stream:
                content = _hash(stream.read())
                if _stamp(path) == self._stamp(path):
                    self._hashes[path] = content
        return self._hashes[path]


def _stamp(path: str) -> Stamp | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _tuple(stamp: Sequence[int] | None) -> Stamp | None:
    return None if stamp is None else (stamp[0], stamp[1], stamp[2], stamp[3])


def _listing(folder: str) -> str | None:
    try:
        return _hash("\0".join(sorted(os.listdir(folder))).encode("utf-8", "surrogateescape"))
    except OSError:
        return None


def _compiler_environment() -> list[tuple[str, str]]:
    """What compiler wrappers read: their own variables and where they look for programs."""
    prefixes = ("OMPI_", "OPAL_", "MPICH_", "I_MPI_", "MV2_", "PE_", "CRAY", "NVHPC", "GCC_")
    names = (*_ENVIRONMENT, "PATH", "MPI_HOME", "LD_LIBRARY_PATH")
    return sorted((name, value) for name, value in os.environ.items() if name in names or name.startswith(prefixes))


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    def entries(path: str | Path) -> Iterable[os.DirEntry[str]]:
        with os.scandir(path) as found:
            yield from found

    for group in entries(folder):
        if len(group.name) == 2 and group.is_dir(follow_symlinks=False):
            with contextlib.suppress(OSError):
                yield from (item for item in entries(group.path) if item.is_file(follow_symlinks=False))


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
