"""Reads the output files of Cachegrind and Callgrind and sums them over the processes of a run.

Format: Valgrind manual, "Cachegrind file format"; counts belong to (file, function, line). For Callgrind's see
callgrind.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from stridewise.machine.geometry import Cache
from stridewise.settings.path_map import mapped

EVENTS = ("Dr", "D1mr", "DLmr", "Dw", "D1mw", "DLmw")
INSTRUCTIONS = "Ir"
UNKNOWN_FILE = "???"
_CACHE = re.compile(r"(I1|D1|LL) cache:\s*(\d+) B, (\d+) B, (\d+)-way")
_CLONE = re.compile(r"(\.(_omp_fn|omp_outlined(_debug__)?|isra|constprop|part|cold|lto_priv|llvm|extracted)(\.\d+)*)+$")


class ProfileError(Exception):
    """A file that is no complete Cachegrind output; the text says what is wrong."""


class Counts(NamedTuple):
    """Data accesses, their misses in the first and in the last level; instructions, 0 where they were not counted."""

    accesses: int = 0
    d1_misses: int = 0
    ll_misses: int = 0
    instructions: int = 0

    def plus(self, other: Counts) -> Counts:
        return Counts(
            self.accesses + other.accesses,
            self.d1_misses + other.d1_misses,
            self.ll_misses + other.ll_misses,
            self.instructions + other.instructions,
        )


def total_of(many: Iterable[Counts]) -> Counts:
    total = Counts()
    for counts in many:
        total = total.plus(counts)
    return total


@dataclass(frozen=True)
class CacheProfile:
    """`lines[file][line][function]`, summed over `processes` processes. `total` is of the whole run.

    `inner` and `full` are the same run on other caches, where these were simulated, too: the first and the second level
    of a core, and both of them nearly fully associative. What `inner` misses beyond `full` are conflicts.
    """

    lines: Mapping[str, Mapping[int, Mapping[str, Counts]]]
    total: Counts
    processes: int
    description: tuple[str, ...] = ()
    inner: CacheProfile | None = None
    full: CacheProfile | None = None
    quick: CacheProfile | None = None  # the first level with many ways: what the run misses beyond are conflicts of it
    partial: bool = False  # only some functions, or only windows of the run were counted: nothing can be ruled out
    windows: tuple[CacheProfile, ...] = ()  # each window of a sampled run by itself
    _resolved: dict[str, str | None] = field(default_factory=dict, compare=False)

    def file(self, path: str) -> str | None:
        """The profile's own name of a source file: equal, or one the tail of the other; None if absent or ambiguous."""
        if path not in self._resolved:
            self._resolved[path] = self._find(path)
        return self._resolved[path]

    def _find(self, path: str) -> str | None:
        if path in self.lines:
            return path
        wanted = PurePosixPath(path).parts
        tails = []
        for name in self.lines:
            parts = tuple(part for part in PurePosixPath(os.path.normpath(name)).parts if part != "..")
            shared = min(len(parts), len(wanted))
            if shared and parts[-shared:] == wanted[-shared:]:
                tails.append((shared, name))
        tails.sort(reverse=True)
        if not tails or (len(tails) > 1 and tails[0][0] == tails[1][0]):
            return None
        return tails[0][1]

    def in_function(self, name: str) -> Counts | None:
        """All counts of the functions of that name where the program has no line information; None without any."""
        wanted = base_name(name)
        found = [
            counts
            for by_function in self.lines.get(UNKNOWN_FILE, {}).values()
            for function, counts in by_function.items()
            if base_name(function) == wanted
        ]
        return total_of(found) if wanted and found else None

    def at(self, path: str, line: int) -> Mapping[str, Counts]:
        """Counts of a source line by the function they were counted under; empty if it did not run."""
        name = self.file(path)
        return self.lines[name].get(line, {}) if name else {}


def source_name(text: str) -> str:
    """A file as the profile names it: a unit compiled as ../src/x.c has the steps of the build's folder in its path."""
    if text == UNKNOWN_FILE:
        return text
    return mapped(os.path.normpath(text) if text.startswith("/") else text)


def simulated(profile: CacheProfile) -> dict[str, Cache]:
    """The simulated caches by Cachegrind's names: I1, D1, LL."""
    found = {}
    for text in profile.description:
        if match := _CACHE.match(text):
            found[match[1]] = Cache(int(match[2]), int(match[4]), int(match[3]))
    return found


def base_name(function: str) -> str:
    """A function's name without namespace, parameters, template arguments and the compilers' clone suffixes."""
    name = _CLONE.sub("", function.strip())
    depth = 0
    out: list[str] = []
    for char in name:
        if char in "<([":
            depth += 1
        elif char in ">)]":
            depth = max(0, depth - 1)
        elif depth == 0:
            out.append(char)
    bare = "".join(out).removesuffix(" const").strip()
    return bare.rsplit("::", 1)[-1].rsplit(" ", 1)[-1] or function


def parse(stream: Iterable[str]) -> CacheProfile:
    lines: dict[str, dict[int, dict[str, Counts]]] = {}
    description: list[str] = []
    columns: dict[str, int] = {}
    width = 0
    file = function = UNKNOWN_FILE
    summary: list[int] | None = None
    total = Counts()
    for number, raw in enumerate(stream, 1):
        text = raw.rstrip("\n")
        if text[:1].isdigit():
            if not columns:
                raise ProfileError(f"line {number}: counts before the 'events:' line")
            line, counts = _counts(text, columns, width, number)
            total = total.plus(counts)
            by_function = lines.setdefault(file, {}).setdefault(line, {})
            by_function[function] = by_function.get(function, Counts()).plus(counts)
        elif text.startswith(("fl=", "fi=", "fe=")):
            file = source_name(text[3:])
        elif text.startswith("fn="):
            function = text[3:]
        elif text.startswith("desc:"):
            description.append(text[5:].strip())
        elif text.startswith("events:"):
            names = text[7:].split()
            width = len(names)
            columns = {name: names.index(name) for name in (*EVENTS, INSTRUCTIONS) if name in names}
            if not columns.keys() >= set(EVENTS):
                raise ProfileError("it has no cache events; run Cachegrind with --cache-sim=yes")
        elif text.startswith("summary:"):
            summary = integers(text[8:].split(), number)
    if not columns:
        raise ProfileError("it is no Cachegrind output")
    if summary is None:
        raise ProfileError("it is cut off: the summary is missing")
    if total != counts_of(summary, columns):
        raise ProfileError("its lines do not add up to its summary")
    return CacheProfile(lines, total, 1, tuple(description))


def _counts(text: str, columns: Mapping[str, int], width: int, number: int) -> tuple[int, Counts]:
    line, *values = integers(text.split(), number)
    if len(values) > width:
        raise ProfileError(f"line {number}: more counts than events")
    return line, counts_of(values, columns)


def integers(words: Sequence[str], number: int) -> list[int]:
    try:
        return [0 if word == "." else int(word) for word in words]
    except ValueError as error:
        raise ProfileError(f"line {number}: {error}") from error


def counts_of(values: Sequence[int], columns: Mapping[str, int]) -> Counts:
    """Trailing zeros may be left out of a line. Raises ProfileError where no events were named before."""
    if not columns:
        raise ProfileError("it has counts before the 'events:' line")

    def value(name: str) -> int:
        index = columns.get(name, len(values))
        return values[index] if index < len(values) else 0

    return Counts(
        value("Dr") + value("Dw"),
        value("D1mr") + value("D1mw"),
        value("DLmr") + value("DLmw"),
        value(INSTRUCTIONS),
    )
