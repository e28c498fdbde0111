"""What an ELF file tells without being run: the shared libraries that it names (DT_NEEDED), and its own functions."""

from __future__ import annotations

import mmap
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_SHT_SYMTAB, _SHT_DYNSYM = 2, 11
_STT_FUNC = 2
_DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 1, 5, 15, 29
_MAX_ENTRIES = 4096
_MAX_NAME = 4096


@dataclass(frozen=True, slots=True)
class Dynamic:
    """What a file tells the loader: the libraries that it names, and where to look for them."""

    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()


def is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def needed_libraries(path: Path) -> tuple[str, ...]:
    """Names in the order of the file; empty for a static, foreign or damaged file."""
    return dynamic(path).needed


def dynamic(path: Path) -> Dynamic:
    """Nothing in it for a static, foreign or damaged file."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _dynamic(data)
    except (OSError, struct.error, ValueError):
        return Dynamic()


def is_static(path: Path) -> bool:
    """True for an executable that no loader starts."""
    try:
        with path.open("rb") as file:
            data = file.read(1 << 16)
        if data[:4] != b"\x7fELF" or len(data) < 64 or data[4] != 2:
            return False
        order = "<" if data[5] == 1 else ">"
        start, size, count = _header(data, order)
        kinds = [struct.unpack_from(order + "I", data, start + index * size)[0] for index in range(count)]
        return bool(kinds) and _PT_INTERP not in kinds
    except (OSError, struct.error, ValueError):
        return False


def defines(path: Path, function: str) -> bool:
    """True if the file has a function of that name; False for a stripped, foreign or damaged file, too."""
    try:
        with path.open("rb") as file:
            data = file.read(256 << 20)
        return _defines(data, function.encode())
    except (OSError, struct.error, ValueError):
        return False


def dynamic_symbols(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Names that the file takes from other libraries, and those that it gives; empty for foreign or damaged files."""
    try:
        with path.open("rb") as file:
            return _dynamic_symbols(file.read(256 << 20))
    except (OSError, struct.error, ValueError):
        return frozenset(), frozenset()


def _dynamic_symbols(data: bytes) -> tuple[frozenset[str], frozenset[str]]:
    if data[:4] != b"\x7fELF" or len(data) < 64 or data[4] != 2:
        return frozenset(), frozenset()
    order = "<" if data[5] == 1 else ">"
    (sections,) = struct.unpack_from(order + "Q", data, 40)
    size, count = struct.unpack_from(order + "HH", data, 58)
    headers = [struct.unpack_from(order + "IIQQQQIIQQ", data, sections + i * size) for i in range(count)]
    taken: set[str] = set()
    given: set[str] = set()
    for _, kind, _, _, offset, length, link, _, _, _ in headers:
        if kind != _SHT_DYNSYM or link >= count:
            continue
        names = headers[link][4]
        table = data[offset : offset + length // 24 * 24]
        for name, _, _, section, _, _ in struct.iter_unpack(order + "IBBHQQ", table):
            end = data.find(b"\0", names + name)
            (given if section else taken).add(data[names + name : end].decode("utf-8", "replace"))
    return frozenset(taken), frozenset(given)


def functions(path: Path) -> frozenset[str]:
    """The names of the file's own functions, as the linker knows them; empty for a stripped or damaged file."""
    try:
        with path.open("rb") as file:
            data = file.read(256 << 20)
        return frozenset(_string(data, name) for name in _function_names(data))
    except (OSError, struct.error, ValueError):
        return frozenset()


def sections(path: Path) -> frozenset[str]:
    """The names of the file's sections; empty for a foreign or damaged file."""
    try:
        with path.open("rb") as file:
            data = file.read(512 << 20)
        headers = _section_headers(data)
        (index,) = struct.unpack_from(_order(data) + "H", data, 62)
        return frozenset(_string(data, headers[index][4] + header[0]) for header in headers)
    except (OSError, struct.error, ValueError, IndexError):
        return frozenset()


def _defines(data: bytes, function: bytes) -> bool:
    if b"\0" + function + b"\0" not in data:
        return False
    return any(data.startswith(function + b"\0", name) for name in _function_names(data))


def _order(data: bytes) -> str:
    return "<" if data[5] == 1 else ">"


def _section_headers(data: bytes) -> list[tuple[int, ...]]:
    if data[:4] != b"\x7fELF" or len(data) < 64 or data[4] != 2:
        return []
    order = _order(data)
    (start,) = struct.unpack_from(order + "Q", data, 40)
    size, count = struct.unpack_from(order + "HH", data, 58)
    return [struct.unpack_from(order + "IIQQQQIIQQ", data, start + i * size) for i in range(count)]


def _function_names(data: bytes) -> Iterator[int]:
    """Where in the file the name of each function begins that the file defines."""
    headers = _section_headers(data)
    for _, kind, _, _, offset, length, link, _, _, _ in headers:
        if kind not in (_SHT_SYMTAB, _SHT_DYNSYM) or link >= len(headers):
            continue
        names = headers[link][4]
        for name, info, _, section, _, _ in struct.iter_unpack(
            _order(data) + "IBBHQQ", data[offset : offset + length // 24 * 24]
        ):
            if section and info & 15 == _STT_FUNC:
                yield names + name


def _dynamic(data: bytes | mmap.mmap) -> Dynamic:
    if data[:4] != b"\x7fELF" or len(data) < 64 or data[4] != 2:
        return Dynamic()
    order = "<" if data[5] == 1 else ">"
    program_headers, entry_size, count = _header(data, order)
    loads: list[tuple[int, int, int]] = []
    section = b""
    for index in range(min(count, _MAX_ENTRIES)):
        kind, _, offset, address, _, size, _, _ = struct.unpack_from(
            order + "IIQQQQQQ", data, program_headers + index * entry_size
        )
        if kind == _PT_LOAD:
            loads.append((address, offset, size))
        elif kind == _PT_DYNAMIC:
            section = data[offset : offset + size]
    names: dict[int, list[int]] = {_DT_NEEDED: [], _DT_RPATH: [], _DT_RUNPATH: []}
    table = None
    for tag, value in struct.iter_unpack(order + "qQ", section[: len(section) // 16 * 16]):
        if tag in names and len(names[tag]) < _MAX_ENTRIES:
            names[tag].append(value)
        elif tag == _DT_STRTAB:
            table = next((o + value - a for a, o, s in loads if a <= value < a + s), None)
        elif tag == 0:
            break
    if table is None:
        return Dynamic()
    texts = {tag: [_string(data, table + name) for name in found] for tag, found in names.items()}
    folders = {tag: tuple(f for text in texts[tag] for f in text.split(":") if f) for tag in (_DT_RPATH, _DT_RUNPATH)}
    return Dynamic(tuple(texts[_DT_NEEDED]), folders[_DT_RPATH], folders[_DT_RUNPATH])


def has_rights(path: Path) -> bool:
    """Whether the program runs with the rights of its file, not ours: the loader then ignores LD_PRELOAD."""
    try:
        status = path.stat()
        if status.st_mode & stat.S_ISUID and status.st_uid != os.geteuid():
            return True
        if status.st_mode & stat.S_ISGID and status.st_gid != os.getegid():
            return True
        return os.geteuid() != 0 and "security.capability" in os.listxattr(path)
    except OSError:
        return False


def _header(data: bytes | mmap.mmap, order: str) -> tuple[int, int, int]:
    (program_headers,) = struct.unpack_from(order + "Q", data, 32)
    entry_size, count = struct.unpack_from(order + "HH", data, 54)
    return program_headers, entry_size, count


def _string(data: bytes | mmap.mmap, offset: int) -> str:
    end = data.find(b"\0", offset, offset + _MAX_NAME)
    return data[offset:end].decode("utf-8", "replace") if end >= 0 else ""
