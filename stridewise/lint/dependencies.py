"""What a result depends on: files with their contents, paths that do not exist, folders with their entries.

Files are compared by size, times and inode first; the content is read only where these differ.

Every run of the command line that finds nothing changed pays for what is imported here, and most of the standard
library takes longer to load than such a run may take. So this is done with modules that are built into the interpreter:
`_blake2` is what hashlib.blake2b is (hashlib also loads OpenSSL), and entries are marshalled.
"""

from __future__ import annotations

import marshal
import os
import sys
import time

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False  # as type checkers know it, without loading typing
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

# A file that changed this shortly before it was looked at may change again within the same tick of its time stamp.
_RACY_NS = 2_000_000_000
_TOUCH_SECONDS = 3600.0  # how exactly the time of an entry's last use is kept

Stamp = tuple[int, int, int, int]  # size, mtime and ctime in ns, inode


class Dependencies:
    """Looks at each path once. `started_ns` is the time before the first result was made."""

    def __init__(self, started_ns: int | None = None) -> None:
        self.started_ns = time.time_ns() if started_ns is None else started_ns
        self._stamps: dict[str, Stamp | None] = {}
        self._hashes: dict[str, str | None] = {}

    def describe(
        self,
        files: Iterable[str],
        absent: Iterable[str] = (),
        listed: Iterable[str] = (),
        libraries: Iterable[str] = (),
        existing: Iterable[str] = (),
    ) -> dict[str, Any] | None:
        """What must be the same for a result to be used again; None if it is not as the arguments say.

        Of `libraries` only the stamps count, of `existing` that they are there.
        """
        contents = []
        for path in files:
            stamp, content = self.stamp(path), self._content(path)
            if stamp is None or content is None:
                return None
            contents.append([path, self._settled(stamp), content])
        folders: dict[str, list[str]] = {}
        loose: list[str] = []
        for path in absent:
            if self.stamp(path) is not None:
                return None
            parent, name = os.path.split(path)
            if os.path.islink(path):
                loose.append(path)
            else:
                folders.setdefault(parent, []).append(name)
        return {
            "files": contents,
            "absent": [[folder, self._settled(self.stamp(folder)), names] for folder, names in folders.items()],
            "loose": loose,
            "listed": [[folder, _listing(folder)] for folder in listed],
            "libraries": [[path, self.stamp(path)] for path in libraries],
            "existing": list(existing),
        }

    def unchanged(self, header: dict[str, Any]) -> bool | None:
        """None if a dependency changed; else whether the header was brought up to date, as contents were read again."""
        fresh = False
        for path, stamp in header["libraries"]:
            if self.stamp(path) != _tuple(stamp):
                return None
        for file in header["files"]:
            path, known, content = file
            stamp = self.stamp(path)
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
            stamp = self.stamp(folder)
            if stamp is not None and stamp == _tuple(known):
                continue
            if any(self.stamp(os.path.join(folder, name)) is not None for name in names):
                return None
            if settled := self._settled(stamp):
                group[1] = settled
                fresh = True
        if any(self.stamp(path) is not None for path in header["loose"]):
            return None
        if any(self.stamp(path) is None for path in header["existing"]):
            return None
        if any(_listing(folder) != names for folder, names in header["listed"]):
            return None
        return fresh

    def _settled(self, stamp: Stamp | None) -> Stamp | None:
        """The stamp, if it can be trusted to change with the next change of the file."""
        limit = self.started_ns - _RACY_NS
        return stamp if stamp is not None and stamp[1] < limit and stamp[2] < limit else None

    def stamp(self, path: str) -> Stamp | None:
        if path not in self._stamps:
            self._stamps[path] = stamp_of(path)
        return self._stamps[path]

    def _content(self, path: str) -> str | None:
        """The hash of the file's bytes; None if they cannot be read or changed while they were."""
        if path not in self._hashes:
            self._hashes[path] = None
            try:
                with open(path, "rb") as stream:
                    content = hash_of(stream.read())
                if stamp_of(path) == self.stamp(path):
                    self._hashes[path] = content
            except OSError:
                pass
        return self._hashes[path]


def stamp_of(path: str) -> Stamp | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _tuple(stamp: Sequence[int] | None) -> Stamp | None:
    return None if stamp is None else (stamp[0], stamp[1], stamp[2], stamp[3])


def _listing(folder: str) -> str | None:
    try:
        return hash_of("\0".join(sorted(os.listdir(folder))).encode("utf-8", "surrogateescape"))
    except OSError:
        return None


def hash_of(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


# Entries: a line with their hash, then, marshalled, what the text depends on and the text. The hash is that of an
# interpreter of this version too: only what it wrote itself and what nobody has touched is read.


def read_entry(name: str) -> tuple[dict[str, Any], bytes] | None:
    """The header and the text of an entry; None for one that is absent or damaged."""
    try:
        with open(name, "rb") as stream:
            head, _, body = stream.read().partition(b"\n")
            age = time.time() - os.fstat(stream.fileno()).st_mtime
        if head != _seal(body):
            return None
        header, text = marshal.loads(body)
        if age > _TOUCH_SECONDS:
            os.utime(name)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return (header, text) if isinstance(header, dict) and isinstance(text, bytes) else None


def write_entry(name: str, header: dict[str, Any], text: bytes) -> None:
    """Makes an entry appear whole. Raises OSError, and then leaves nothing behind."""
    os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
    temporary = f"{name}.{os.getpid()}-{os.urandom(6).hex()}.tmp"  # process numbers repeat on other hosts
    body = marshal.dumps((header, text))
    from stridewise import ending  # costs too much where a report is only repeated

    with ending.whole(), ending.removing(temporary):
        try:
            with open(temporary, "wb") as stream:
                stream.write(_seal(body) + b"\n" + body)
            os.replace(temporary, name)
        except OSError:
            remove(temporary)
            raise


def _seal(body: bytes) -> bytes:
    return hash_of(str(sys.implementation.cache_tag).encode() + body).encode()


def remove(path: str) -> None:
    """Removes a file, if it is there and may be removed."""
    try:
        os.unlink(path)
    except OSError:
        pass


def default_folder() -> str | None:
    """$XDG_CACHE_HOME/stridewise, else ~/.cache/stridewise; None for someone without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "stridewise")
