"""Reads Cachegrind's output files and sums them over the processes of a run.

Format: Valgrind manual, "Cachegrind file format"; counts belong to (file, function, line).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_EVENTS = ("Dr", "D1mr", "DLmr", "Dw", "D1mw", "DLmw")
_CLONE = re.compile(r"(\.(_omp_fn|omp_outlined(_debug__)?|isra|constprop|part|cold|lto_priv|llvm|extracted)(\.\d+)*)+$")


class ProfileError(Exception):
    """A file that is no complete Cachegrind output; the text says what is wrong."""


class Counts(NamedTuple):
    """Data accesses and their misses in the first and in the last level."""

    accesses: int = 0
    d1_misses: int = 0
    ll_misses: int = 0

    def plus(self, other: Counts) -> Counts:
        return Counts(
            self.accesses + other.accesses, self.d1_misses + other.d1_misses, self.ll_misses + other.ll_misses
        )


@dataclass(frozen=True)
class CacheProfile:
    """`lines[file][line][function]`, summed over `processes` processes. `total` is of the whole run."""

    lines: Mapping[str, Mapping[int, Mapping[str, Counts]]]
    total: Counts
    processes: int
    description: tuple[str, ...] = ()
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
            parts = tuple(part for part in PurePosixPath(name).parts if part != ".")
            shared = min(len(parts), len(wanted))
            if shared and parts[-shared:] == wanted[-shared:]:
                tails.append((shared, name))
        tails.sort(reverse=True)
        if not tails or (len(tails) > 1 and tails[0][0] == tails[1][0]):
            return None
        return tails[0][1]

    def at(self, path: str, line: int) -> Mapping[str, Counts]:
        """Counts of a source line by the function they were counted under; empty if it did not run."""
        name = self.file(path)
        return self.lines[name].get(line, {}) if name else {}


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


def read(paths: Sequence[Path]) -> tuple[CacheProfile | None, list[tuple[Path, str]]]:
    """The sum of all readable files (None if there is none), and the others with their reasons."""
    lines: dict[str, dict[int, dict[str, Counts]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(Counts)))
    total = Counts()
    good = 0
    description: tuple[str, ...] = ()
    bad: list[tuple[Path, str]] = []
    for path in paths:
        try:
            with path.open(encoding="utf-8", errors="surrogateescape") as stream:
                one = _parse(stream)
        except (OSError, ProfileError) as error:
            bad.append((path, str(error)))
            continue
        good += 1
        total = total.plus(one.total)
        description = description or one.description
        for file, by_line in one.lines.items():
            for line, by_function in by_line.items():
                for function, counts in by_function.items():
                    known = lines[file][line]
                    known[function] = known[function].plus(counts)
    plain = {f: {n: dict(c) for n, c in by_line.items()} for f, by_line in lines.items()}
    return (CacheProfile(plain, total, good, description) if good else None), bad


def _parse(stream: Iterable[str]) -> CacheProfile:
    lines: dict[str, dict[int, dict[str, Counts]]] = {}
    description: list[str] = []
    columns: dict[str, int] = {}
    width = 0
    file = function = "???"
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
            file = text[3:]
        elif text.startswith("fn="):
            function = text[3:]
        elif text.startswith("desc:"):
            description.append(text[5:].strip())
        elif text.startswith("events:"):
            names = text[7:].split()
            width = len(names)
            columns = {name: names.index(name) for name in _EVENTS if name in names}
            if len(columns) < len(_EVENTS):
                raise ProfileError("it has no cache events; run Cachegrind with --cache-sim=yes")
        elif text.startswith("summary:"):
            summary = _integers(text[8:].split(), number)
    if not columns:
        raise ProfileError("it is no Cachegrind output")
    if summary is None:
        raise ProfileError("it is cut off: the summary is missing")
    if total != _sum(summary, columns):
        raise ProfileError("its lines do not add up to its summary")
    return CacheProfile(lines, total, 1, tuple(description))


def _counts(text: str, columns: Mapping[str, int], width: int, number: int) -> tuple[int, Counts]:
    line, *values = _integers(text.split(), number)
    if len(values) > width:
        raise ProfileError(f"line {number}: more counts than events")
    return line, _sum(values, columns)


def _integers(words: Sequence[str], number: int) -> list[int]:
    try:
        return [0 if word == "." else int(word) for word in words]
    except ValueError as error:
        raise ProfileError(f"line {number}: {error}") from error


def _sum(values: Sequence[int], columns: Mapping[str, int]) -> Counts:
    """Trailing zeros may be left out of a line."""

    def value(name: str) -> int:
        index = columns[name]
        return values[index] if index < len(values) else 0

    return Counts(value("Dr") + value("Dw"), value("D1mr") + value("D1mw"), value("DLmr") + value("DLmw"))
