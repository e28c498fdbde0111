"""Which shared libraries the system's loader takes for a program, found without starting it, as `ldd` would.

The order is ld.so's: DT_RPATH of the file and of those that loaded it, LD_LIBRARY_PATH, DT_RUNPATH, the loader's cache,
the system's folders. Where a library cannot be found its name is known still.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stridewise.collect import elf

_CACHE = Path("/etc/ld.so.cache")
_OLD_MAGIC, _MAGIC = b"ld.so-1.7.0\0", b"glibc-ld.so.cache1.1"
_HEADER, _ENTRY = 48, struct.Struct("=iIIIQ")
_MAX_LIBRARIES = 2000


@dataclass(frozen=True, slots=True)
class Library:
    """One that a program loads. `path` is None where it was not found; `user` is the file that names it."""

    name: str
    path: Path | None
    user: Path


def libraries(program: Path, environment: Mapping[str, str] | None = None) -> tuple[Library, ...]:
    """All of a program, breadth first, each once: the order in which the loader loads them."""
    environment = os.environ if environment is None else environment
    searched = [f or "." for f in environment["LD_LIBRARY_PATH"].replace(";", ":").split(":")] if environment.get(
        "LD_LIBRARY_PATH"
    ) else []  # fmt: skip
    found: dict[str, Library] = {}
    queue: list[tuple[Path, tuple[str, ...]]] = [(program, ())]
    while queue and len(found) < _MAX_LIBRARIES:
        user, inherited = queue.pop(0)
        tells = elf.dynamic(user)
        rpath = () if tells.runpath else (*_places(tells.rpath, user), *inherited)
        for name in tells.needed:
            if name in found:
                continue
            path = _find(name, user, (*rpath, *_places(searched, user), *_places(tells.runpath, user)))
            found[name] = Library(name, path, user)
            if path is not None:
                queue.append((path, rpath))
    return tuple(found.values())


def _places(folders: Sequence[str], user: Path) -> tuple[str, ...]:
    origin = str(user.resolve().parent)
    library = "lib64" if Path("/lib64").is_dir() and not _multiarch().is_dir() else "lib"
    machine = os.uname().machine
    return tuple(
        folder.replace("${ORIGIN}", origin)
        .replace("$ORIGIN", origin)
        .replace("${LIB}", library)
        .replace("$LIB", library)
        .replace("${PLATFORM}", machine)
        .replace("$PLATFORM", machine)
        for folder in folders
    )


def _multiarch() -> Path:
    return Path(f"/usr/lib/{os.uname().machine}-linux-gnu")


def _find(name: str, user: Path, folders: Sequence[str]) -> Path | None:
    if "/" in name:
        path = Path(_places([name], user)[0])
        return path if path.is_file() else None
    candidates = [Path(folder) / name for folder in folders]
    if name in _cached():
        candidates.append(_cached()[name])
    candidates += [Path(folder) / name for folder in ("/lib64", "/usr/lib64", _multiarch(), "/lib", "/usr/lib")]
    return next((path for path in candidates if elf.is_elf(path)), None)


@cache
def _cached(path: Path = _CACHE) -> Mapping[str, Path]:
    """The loader's cache: paths by name, the first of a name."""
    try:
        with path.open("rb") as file:
            return read_cache(file.read(64 << 20))
    except (OSError, struct.error):
        return {}


def read_cache(data: bytes) -> dict[str, Path]:
    """Entries of a cache in the format of glibc 2.2 and newer; nothing of a damaged one."""
    start = 0
    if data.startswith(_OLD_MAGIC):
        (count,) = struct.unpack_from("=I", data, len(_OLD_MAGIC))
        start = (len(_OLD_MAGIC) + 4 + 12 * count + 7) // 8 * 8
    if data[start : start + len(_MAGIC)] != _MAGIC:
        return {}
    (count,) = struct.unpack_from("=I", data, start + len(_MAGIC))
    found: dict[str, Path] = {}
    for name, value in _entries(data, start, count):
        found.setdefault(name, Path(value))
    return found


def _entries(data: bytes, start: int, count: int) -> Iterator[tuple[str, str]]:
    for index in range(min(count, (len(data) - start - _HEADER) // _ENTRY.size)):
        _, key, value, _, _ = _ENTRY.unpack_from(data, start + _HEADER + index * _ENTRY.size)
        name, path = _text(data, start + key), _text(data, start + value)
        if name and path.startswith("/"):
            yield name, path


def _text(data: bytes, offset: int) -> str:
    end = data.find(b"\0", offset, offset + 4096)
    return data[offset:end].decode("utf-8", "replace") if end >= 0 else ""
