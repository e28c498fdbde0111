"""Reads Callgrind's output: what `--only-findings`, `--sample` and `--roofline` measure with.

Format: Valgrind manual, "Callgrind Format Specification". Names may be written once and then numbered, positions be
relative to the line before, and costs of calls follow a `calls=` line: these are the callee's, counted there already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from stridewise.runs.cache.cachegrind import (
    EVENTS,
    INSTRUCTIONS,
    UNKNOWN_FILE,
    CacheProfile,
    Counts,
    ProfileError,
    counts_of,
    integers,
    source_name,
    total_of,
)

_NAMED = re.compile(r"\((\d+)\)(?:\s+(.*))?$")
_WINDOW = "Trigger: Client Request"
_RECURSION = re.compile(r"'\d+$")


Lines = dict[str, dict[int, dict[str, Counts]]]


class _Names:
    """Compressed names of one kind: `(7) name` defines, `(7)` repeats."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def resolve(self, text: str, number: int) -> str:
        match = _NAMED.match(text)
        if not match:
            return text
        if match[2] is not None:
            self._known[match[1]] = match[2]
        if match[1] not in self._known:
            raise ProfileError(f"line {number}: the name ({match[1]}) was never given")
        return self._known[match[1]]


_NAMES = frozenset("fl fi fe fn cfi cfl cfn calls jump jcnd ob cob".split())


class Reader:
    """What the lines so far have said: sums by source line. `happened` takes each line of counts."""

    def __init__(self) -> None:
        self.lines: Lines = {}
        self.windows: list[Lines] = []
        self.description: list[str] = []
        self.columns: Mapping[str, int] = {}
        self.total, self.stated, self.parts = Counts(), Counts(), 0
        self._files, self._functions, self._objects = _Names(), _Names(), _Names()
        self.places = ["line"]
        self.last = [0]
        self.own = self.file = self.function = self.object = UNKNOWN_FILE
        self._skip = self._in_window = False

    def counts(self, text: str, number: int) -> None:
        """A line of positions and what happened there."""
        words = text.split()
        if len(words) < len(self.places):
            raise ProfileError(f"line {number}: a position is missing")
        self.last = [_position(word, before, number) for word, before in zip(words, self.last, strict=False)]
        if self._skip:
            self._skip = False
            return
        if not self.columns:
            raise ProfileError(f"line {number}: counts before the 'events:' line")
        self.happened(integers(words[len(self.places) :], number))

    def happened(self, values: Sequence[int]) -> None:
        """Adds the counts of the present place, by the names of `events:`."""
        counts = counts_of(values, self.columns)
        self.total = self.total.plus(counts)
        self._add(self.lines, counts)
        if self._in_window:
            self._add(self.windows[-1], counts)

    def _add(self, lines: Lines, counts: Counts) -> None:
        line = self.last[-1] if self.places[-1] == "line" else 0
        by_function = lines.setdefault(self.file, {}).setdefault(line, {})
        by_function[self.function] = by_function.get(self.function, Counts()).plus(counts)

    def name(self, key: str, value: str, number: int) -> None:
        """A line that says where the next counts are, or what they are of."""
        match key:
            case "fl" | "fi" | "fe":
                self.file = source_name(self._files.resolve(value, number))
                self.own = self.file if key == "fl" else self.own
            case "fn":
                self.function = _RECURSION.sub("", self._functions.resolve(value, number))
                self.file = self.own
            case "ob":
                self.object = self._objects.resolve(value, number)
            case "cob":
                self._objects.resolve(value, number)
            case "cfi" | "cfl":
                self._files.resolve(value, number)
            case "cfn":
                self._functions.resolve(value, number)
            case "calls" | "jump" | "jcnd":
                self._skip = True

    def header(self, key: str, value: str, number: int) -> None:
        match key:
            case "desc":
                self.description.append(value.strip())
                if value.strip() == _WINDOW:
                    self.windows.append({})
                    self._in_window = True
            case "positions":
                self.places = value.split() or ["line"]
                self.last = [0] * len(self.places)
            case "events":
                names = value.split()
                self.columns = {name: names.index(name) for name in (*EVENTS, INSTRUCTIONS) if name in names}
                if not set(EVENTS) <= set(self.columns):
                    raise ProfileError("it has no cache events; run Callgrind with --cache-sim=yes")
            case "totals":
                self.stated = self.stated.plus(counts_of(integers(value.split(), number), self.columns))
                self.parts += 1
                self._in_window = False


def parse(stream: Iterable[str]) -> CacheProfile:
    """A profile of one process; several parts of it are added. Parts that the program itself asked for are windows."""
    read = Reader()
    feed(read, stream)
    said = tuple(dict.fromkeys(line for line in read.description if not line.startswith("Trigger:")))
    windows = tuple(_window(one) for one in read.windows)
    return CacheProfile(read.lines, read.total, 1, said, partial=True, windows=windows)


def feed(read: Reader, stream: Iterable[str]) -> None:
    """All lines behind the first. Raises ProfileError where they are no whole profile."""
    for number, raw in enumerate(stream, 2):
        text = raw.rstrip("\n")
        if not text or text[0] == "#":
            continue
        if text[0] in "0123456789+-*":
            read.counts(text, number)
            continue
        key, separator, value = text.partition("=")
        if separator and key in _NAMES:
            read.name(key, value, number)
            continue
        key, _, value = text.partition(":")
        read.header(key, value, number)
    if not read.columns:
        raise ProfileError("it is no Callgrind output with cache events")
    if not read.parts:
        raise ProfileError("it is cut off: the totals are missing")
    if read.total != read.stated:
        raise ProfileError("its lines do not add up to its totals")


def _window(lines: Lines) -> CacheProfile:
    counts = (c for by_line in lines.values() for by_function in by_line.values() for c in by_function.values())
    return CacheProfile(lines, total_of(counts), 1, partial=True)


def _position(word: str, before: int, number: int) -> int:
    """An absolute position, or one relative to the line before (`+3`, `-2`, `*`)."""
    try:
        if word == "*":
            return before
        if word[0] in "+-":
            return before + int(word)
        return int(word, 16) if word.startswith("0x") else int(word)
    except ValueError as error:
        raise ProfileError(f"line {number}: {error}") from error
