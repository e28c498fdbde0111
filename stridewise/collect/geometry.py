"""Cache geometry of this machine, in a form that Cachegrind accepts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_SYSFS = Path("/sys/devices/system/cpu/cpu0/cache")
_MIN_LAST_LEVEL_WAYS = 4  # virtual machines report odd ones, and a two-way last level would only show conflicts
_MAX_LAST_LEVEL_BYTES = 1 << 30
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class Cache:
    size_bytes: int
    ways: int
    line_bytes: int

    def option(self) -> str:
        """Cachegrind's `size,associativity,line size`."""
        return f"{self.size_bytes},{self.ways},{self.line_bytes}"

    def sane(self) -> Cache:
        """The nearest geometry whose number of sets is a power of two, as Cachegrind demands; never larger."""
        line = _power_of_two(max(self.line_bytes, 16))
        ways = max(1, self.ways)
        sets = _power_of_two(max(1, self.size_bytes // (line * ways)))
        return Cache(sets * ways * line, ways, line)


@dataclass(frozen=True, slots=True)
class Geometry:
    instruction: Cache
    data: Cache
    last_level: Cache

    def options(self) -> tuple[str, ...]:
        return (
            f"--I1={self.instruction.option()}",
            f"--D1={self.data.option()}",
            f"--LL={self.last_level.option()}",
        )


DEFAULT = Geometry(Cache(32 << 10, 8, 64), Cache(32 << 10, 8, 64), Cache(8 << 20, 16, 64))


def detect(folder: Path = _SYSFS) -> Geometry:
    """What the kernel says of CPU 0, corrected where it cannot be; the common geometry for what it does not say."""
    found: dict[tuple[int, str], Cache] = {}
    for index in sorted(folder.glob("index*")):
        try:
            level = int(_read(index / "level"))
            kind = _read(index / "type")
            size = _size(_read(index / "size"))
            line = int(_read(index / "coherency_line_size"))
            ways = int(_read(index / "ways_of_associativity"))
        except (OSError, ValueError):
            continue
        if size > 0 and line > 0:
            found[level, kind] = Cache(size, ways, line)
    instruction = found.get((1, "Instruction"), DEFAULT.instruction)
    data = found.get((1, "Data"), found.get((1, "Unified"), DEFAULT.data))
    deepest = max((level for level, kind in found if level > 1 and kind in ("Unified", "Data")), default=0)
    last = found.get((deepest, "Unified"), found.get((deepest, "Data"), DEFAULT.last_level))
    if last.ways < _MIN_LAST_LEVEL_WAYS:
        last = Cache(last.size_bytes, DEFAULT.last_level.ways, last.line_bytes)
    last = Cache(min(last.size_bytes, _MAX_LAST_LEVEL_BYTES), last.ways, last.line_bytes)
    return Geometry(_first_level(instruction), _first_level(data), last.sane())


def _first_level(cache: Cache) -> Cache:
    return (cache if cache.ways > 0 else Cache(cache.size_bytes, DEFAULT.data.ways, cache.line_bytes)).sane()


def _read(path: Path) -> str:
    return path.read_text(encoding="ascii").strip()


def _size(text: str) -> int:
    return int(text[:-1]) * _UNITS[text[-1]] if text[-1:] in _UNITS else int(text)


def _power_of_two(value: int) -> int:
    """The largest power of two that is not above the value."""
    return 1 << (value.bit_length() - 1)
