"""Cache geometry: of this machine, of a named model, or given; always in a form that Cachegrind accepts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stridewise.errors import Failure
from stridewise.machine.price_table import price

MODELS = Path(__file__).with_name("cache_models.toml")
SPELLING = "SIZE,WAYS,LINE such as 32K,8,64"
_SYSFS = Path("/sys/devices/system/cpu/cpu0/cache")
_MIN_LAST_LEVEL_WAYS = 4  # virtual machines report odd ones, and a two-way last level would only show conflicts
_MAX_LAST_LEVEL_BYTES = 1 << 30
_MIN_LINE_BYTES = 32  # Cachegrind's, where the machine has vector registers of that size
_MAX_WAYS = 2048  # of a nearly fully associative cache: each miss of it is searched for in all ways
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SPELLED = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([KMG]?)(?:I?B)?\s*,\s*(\d+)\s*,\s*(\d+)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cache:
    size_bytes: int
    ways: int
    line_bytes: int

    @property
    def sets(self) -> float:
        return self.size_bytes / (self.ways * self.line_bytes)

    @property
    def lines(self) -> int:
        return self.size_bytes // self.line_bytes

    def option(self) -> str:
        """Cachegrind's `size,associativity,line size`."""
        return f"{self.size_bytes},{self.ways},{self.line_bytes}"

    def valid(self) -> bool:
        """Whether Cachegrind can simulate it."""
        sets = self.size_bytes // max(1, self.ways * self.line_bytes)
        return (
            _is_power_of_two(self.line_bytes)
            and self.line_bytes >= _MIN_LINE_BYTES
            and self.ways >= 1
            and _is_power_of_two(sets)
            and sets * self.ways * self.line_bytes == self.size_bytes
        )

    def sane(self) -> Cache:
        """The nearest valid geometry, never larger: sets rounded down to a power of two, the ways keep the size."""
        line = _power_of_two(max(self.line_bytes, _MIN_LINE_BYTES))
        ways = max(1, self.ways)
        sets = _power_of_two(max(1, self.size_bytes // (line * ways)))
        ways = max(ways, self.size_bytes // (line * sets))
        return Cache(sets * ways * line, ways, line)

    def nearly_full(self) -> Cache:
        """The same size in as few sets as can be simulated: what it misses, no choice of sets would save."""
        sets = 1
        while self.lines // sets > _MAX_WAYS:
            sets *= 2
        return Cache(self.size_bytes, max(1, self.lines // sets), self.line_bytes).sane()

    def words(self) -> str:
        return f"{size_words(self.size_bytes)}, {self.ways}-way, lines of {self.line_bytes} B"


@dataclass(frozen=True, slots=True)
class Geometry:
    """`second` is a core's own cache between the first and the last level; `cores` share the last one. What is
    simulated of the last level is the part that a core can count on when all of them are at work."""

    instruction: Cache
    data: Cache
    last_level: Cache
    second: Cache | None = None
    cores: int = 1
    name: str = field(default="", compare=False)

    def shared(self) -> Geometry:
        """One core's view: its part of the last level, but no less than its own second level."""
        part = Cache(self.last_level.size_bytes // self.cores, self.last_level.ways, self.last_level.line_bytes).sane()
        if self.second is not None and part.size_bytes < self.second.size_bytes:
            part = self.second
        return replace(self, last_level=part, cores=1)

    def inner(self) -> Geometry:
        """The first and the second level: where sets are chosen by the address alone."""
        return replace(self, last_level=self.second or self.last_level, second=None)

    def full(self) -> Geometry:
        """As `inner`, each cache nearly fully associative."""
        within = self.inner()
        return replace(within, data=self.data.nearly_full(), last_level=within.last_level.nearly_full())

    def quick(self) -> Geometry:
        """The first level nearly fully associative, all else as it is: quicker than `full`, whose levels are larger."""
        return replace(self, data=self.data.nearly_full())

    def options(self) -> tuple[str, ...]:
        return (
            f"--I1={self.instruction.option()}",
            f"--D1={self.data.option()}",
            f"--LL={self.last_level.option()}",
        )


def _default(level: str) -> Cache:
    size, ways, line = (price(name) for name in (f"{level}_level_bytes", f"{level}_level_ways", "cache_line_bytes"))
    return Cache(int(size), int(ways), int(line))


DEFAULT = Geometry(_default("first"), _default("first"), _default("last"))


# --- Of this machine --------------------------------------------------------------------------------------------------


def detect(folder: Path = _SYSFS) -> Geometry:
    """What the kernel says of CPU 0, corrected where it cannot be; the common geometry for what it does not say."""
    found: dict[tuple[int, str], Cache] = {}
    sharing: dict[tuple[int, str], int] = {}
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
            sharing[level, kind] = _count(index / "shared_cpu_list")
    instruction = found.get((1, "Instruction"), DEFAULT.instruction)
    data = found.get((1, "Data"), found.get((1, "Unified"), DEFAULT.data))
    deepest = max((level for level, kind in found if level > 1 and kind in ("Unified", "Data")), default=0)
    key = (deepest, "Unified") if (deepest, "Unified") in found else (deepest, "Data")
    last = found.get(key, DEFAULT.last_level)
    threads = _count(folder.parent / "topology" / "thread_siblings_list")
    cores = max(1, sharing.get(key, 1) // threads)
    middle = found.get((2, "Unified")) if deepest > 2 else None
    if last.ways < _MIN_LAST_LEVEL_WAYS:
        last = Cache(last.size_bytes, DEFAULT.last_level.ways, last.line_bytes)
    last = Cache(min(last.size_bytes, _MAX_LAST_LEVEL_BYTES), last.ways, last.line_bytes)
    second = _first_level(middle) if middle else None
    return Geometry(_first_level(instruction), _first_level(data), last.sane(), second, cores, "this machine")


def _first_level(cache: Cache) -> Cache:
    return (cache if cache.ways > 0 else Cache(cache.size_bytes, DEFAULT.data.ways, cache.line_bytes)).sane()


def _count(path: Path) -> int:
    """How many CPUs a list such as 0-3,8 names; 1 if there is none."""
    try:
        ranges = [part.split("-") for part in _read(path).split(",")]
        return max(1, sum(int(ends[-1]) - int(ends[0]) + 1 for ends in ranges))
    except (OSError, ValueError):
        return 1


def _read(path: Path) -> str:
    return path.read_text(encoding="ascii").strip()


def _size(text: str) -> int:
    return int(text[:-1]) * _UNITS[text[-1]] if text[-1:] in _UNITS else int(text)


# --- Named and given --------------------------------------------------------------------------------------------------


def parse_cache(text: str, where: str) -> Cache:
    """A cache as a person writes it. Raises Failure that says what Cachegrind cannot simulate, and the nearest."""
    match = _SPELLED.match(text)
    if not match:
        raise Failure(f"{where}: '{text}' is no cache; write {SPELLING}")
    cache = Cache(int(float(match[1]) * _UNITS.get(match[2].upper(), 1)), int(match[3]), int(match[4]))
    if cache.size_bytes < 1 or cache.ways < 1 or cache.line_bytes < 1:
        raise Failure(f"{where}: '{text}' has a zero; write {SPELLING}")
    if not _is_power_of_two(cache.line_bytes) or cache.line_bytes < _MIN_LINE_BYTES:
        raise Failure(f"{where}: lines of {cache.line_bytes} bytes; Cachegrind needs a power of two from 32 on")
    if not cache.valid():
        raise Failure(
            f"{where}: '{text}' makes {cache.sets:.6g} sets, and Cachegrind needs a power of two; the nearest is "
            f"{cache.sane().option()}"
        )
    return cache


def models(path: Path = MODELS) -> dict[str, Geometry]:
    """The geometries of a TOML table, by name. Raises Failure naming the entry that is wrong."""
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Failure(f"cannot read the cache models in {path}: {error}") from error
    return {name: _model(name, entry, path) for name, entry in table.items()}


def _model(name: str, entry: Any, path: Path) -> Geometry:
    where = f"{path.name}, [{name}]"
    if not isinstance(entry, Mapping):
        raise Failure(f"{where}: expected a table with d1 and ll, each {SPELLING}")
    if unknown := sorted(set(entry) - {"title", "source", "i1", "d1", "l2", "ll", "cores"}):
        raise Failure(f"{where}: unknown key '{unknown[0]}'; known are title, source, i1, d1, l2, ll, cores")

    def cache(key: str) -> Cache | None:
        if key not in entry:
            return None
        if not isinstance(entry[key], str):
            raise Failure(f"{where}, {key}: expected a text, {SPELLING}")
        # A last level of today often has an odd number of slices: its sets are made a power of two.
        return _loose(entry[key], f"{where}, {key}") if key == "ll" else parse_cache(entry[key], f"{where}, {key}")

    data, last = cache("d1"), cache("ll")
    if data is None or last is None:
        raise Failure(f"{where}: it needs d1 and ll, each {SPELLING}")
    cores = entry.get("cores", 1)
    if not isinstance(cores, int) or isinstance(cores, bool) or cores < 1:
        raise Failure(f"{where}, cores: expected how many cores share ll, from 1 on")
    title = entry.get("title", name)
    return Geometry(cache("i1") or data, data, last, cache("l2"), cores, str(title))


def _loose(text: str, where: str) -> Cache:
    match = _SPELLED.match(text)
    if not match or not int(match[3]) or not int(match[4]):
        raise Failure(f"{where}: '{text}' is no cache; write {SPELLING}")
    return Cache(int(float(match[1]) * _UNITS.get(match[2].upper(), 1)), int(match[3]), int(match[4]))


def chosen(settings: Mapping[str, str]) -> Geometry:
    """The geometry that the settings of a run ask for: `cache_model` (a name, or a file that holds one table), single
    caches `i1`, `d1`, `l2`, `ll`, and `cores` that share the last level (1: the program has it alone)."""
    name = settings.get("cache_model", "")
    geometry = _named(name) if name else detect()
    cores = settings.get("cores", "")
    if cores:
        if not cores.isdecimal() or not int(cores):
            raise Failure(f"--cores {cores}: expected how many cores share the last level, from 1 on")
        geometry = replace(geometry, cores=int(cores))
    given = {key: parse_cache(settings[key], f"--{key}") for key in ("i1", "d1", "l2", "ll") if settings.get(key)}
    if "ll" in given:
        geometry = replace(geometry, last_level=given["ll"], cores=int(cores or 1), second=None)
    if "l2" in given:
        geometry = replace(geometry, second=given["l2"])
    geometry = replace(
        geometry,
        instruction=given.get("i1", geometry.instruction),
        data=given.get("d1", geometry.data),
        name=geometry.name + (", changed" if given else ""),
    )
    geometry = geometry.shared()
    if geometry.last_level.size_bytes <= geometry.data.size_bytes:
        raise Failure(
            f"the last level ({geometry.last_level.words()}) must be larger than the first ({geometry.data.words()}); "
            "give both with --d1 and --ll"
        )
    return geometry


def _named(name: str) -> Geometry:
    known = models()
    if name in known:
        return known[name]
    path = Path(name)
    if not path.is_file():
        raise Failure(f"no cache model '{name}' and no such file; stridewise run --cache-model list shows the models")
    own = models(path)
    if len(own) != 1:
        raise Failure(f"{path} holds {len(own)} tables; a file for --cache-model holds one")
    return next(iter(own.values()))


def listing() -> str:
    """The named models as a table for a person, this machine first."""
    rows = [("(default)", detect()), *models().items()]
    head = ("model", "first level", "second level", "last level", "of cores", "name")
    table = [head]
    for name, g in rows:
        second = _short(g.second) if g.second else "-"
        table.append((name, _short(g.data), second, _short(g.last_level), str(g.cores), g.name))
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(r, widths, strict=True)).rstrip() for r in table
    )


def _short(cache: Cache) -> str:
    return f"{size_words(cache.size_bytes)},{cache.ways},{cache.line_bytes}"


def size_words(size: int) -> str:
    for unit, bits in (("MiB", 20), ("KiB", 10)):
        if size >= 1 << bits:
            return f"{size / (1 << bits):.4g} {unit}"
    return f"{size} B"


def _power_of_two(value: int) -> int:
    """The largest power of two that is not above the value."""
    return 1 << (value.bit_length() - 1)


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0
