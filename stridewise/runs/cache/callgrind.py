"""Reads Callgrind's output: what `--only-findings` and `--sample` measure with.

Format: Valgrind manual, "Callgrind Format Specification". Names may be written once and then numbered, positions be
relative to the line before, and costs of calls follow a `calls=` line: these are the callee's, counted there already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from stridewise.runs.cache.cachegrind import (
    EVENTS,
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


def parse(stream: Iterable[str]) -> CacheProfile:
    """A profile of one process; several parts of it are added. Parts that the program itself asked for are windows."""
    lines: Lines = {}
    description: list[str] = []
    files, functions = _Names(), _Names()
    columns: Mapping[str, int] = {}
    places = ["line"]
    last = [0]
    own = file = function = UNKNOWN_FILE
    total, stated, parts = Counts(), Counts(), 0
    skip = in_window = False
    windows: list[Lines] = []
    for number, raw in enumerate(stream, 2):
        text = raw.rstrip("\n")
        if not text or text[0] == "#":
            continue
        if text[0] in "0123456789+-*":
            words = text.split()
            if len(words) < len(places):
                raise ProfileError(f"line {number}: a position is missing")
            last = [_position(word, before, number) for word, before in zip(words, last, strict=False)]
            if skip:
                skip = False
                continue
            if not columns:
                raise ProfileError(f"line {number}: counts before the 'events:' line")
            counts = counts_of(integers(words[len(places) :], number), columns)
            total = total.plus(counts)
            by_function = lines.setdefault(file, {}).setdefault(last[-1] if places[-1] == "line" else 0, {})
            by_function[function] = by_function.get(function, Counts()).plus(counts)
            if in_window:
                here = windows[-1].setdefault(file, {}).setdefault(last[-1] if places[-1] == "line" else 0, {})
                here[function] = here.get(function, Counts()).plus(counts)
            continue
        key, separator, value = text.partition("=")
        if separator and key in ("fl", "fi", "fe", "fn", "cfi", "cfl", "cfn", "calls", "jump", "jcnd", "ob", "cob"):
            if key in ("fl", "fi", "fe"):
                name = files.resolve(value, number)
                file = source_name(name)
                own = file if key == "fl" else own
            elif key == "fn":
                function = _RECURSION.sub("", functions.resolve(value, number))
                file = own
            elif key in ("cfi", "cfl"):
                files.resolve(value, number)
            elif key == "cfn":
                functions.resolve(value, number)
            elif key in ("calls", "jump", "jcnd"):
                skip = True
            continue
        key, _, value = text.partition(":")
        if key == "desc":
            description.append(value.strip())
            if value.strip() == _WINDOW:
                windows.append({})
                in_window = True
        elif key == "positions":
            places = value.split() or ["line"]
            last = [0] * len(places)
        elif key == "events":
            names = value.split()
            columns = {name: names.index(name) for name in EVENTS if name in names}
            if len(columns) < len(EVENTS):
                raise ProfileError("it has no cache events; run Callgrind with --cache-sim=yes")
        elif key == "totals":
            stated = stated.plus(counts_of(integers(value.split(), number), columns))
            parts += 1
            in_window = False
    if not columns:
        raise ProfileError("it is no Callgrind output with cache events")
    if not parts:
        raise ProfileError("it is cut off: the totals are missing")
    if total != stated:
        raise ProfileError("its lines do not add up to its totals")
    said = tuple(dict.fromkeys(line for line in description if not line.startswith("Trigger:")))
    return CacheProfile(lines, total, 1, said, partial=True, windows=tuple(_window(one) for one in windows))


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
