"""What cache runs left: files of Cachegrind and of Callgrind, told apart by their first line, as one profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from stridewise.runs.cache import cachegrind, callgrind
from stridewise.runs.cache.cachegrind import CacheProfile, Counts, ProfileError


def read(paths: Sequence[Path]) -> tuple[CacheProfile | None, list[tuple[Path, str]]]:
    """The sum of all readable files (None if there is none), and the others with their reasons."""
    lines: dict[str, dict[int, dict[str, Counts]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(Counts)))
    total = Counts()
    good = 0
    partial = False
    windows: list[CacheProfile] = []
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
        partial |= one.partial
        windows += one.windows
        total = total.plus(one.total)
        description = description or one.description
        for file, by_line in one.lines.items():
            for line, by_function in by_line.items():
                for function, counts in by_function.items():
                    known = lines[file][line]
                    known[function] = known[function].plus(counts)
    plain = {f: {n: dict(c) for n, c in by_line.items()} for f, by_line in lines.items()}
    if not good:
        return None, bad
    return CacheProfile(plain, total, good, description, partial=partial, windows=tuple(windows)), bad


def _parse(stream: Iterable[str]) -> CacheProfile:
    rows = iter(stream)
    first = next(rows, "")
    if first.startswith(("# callgrind format", "version:")):
        return callgrind.parse(rows)
    return cachegrind.parse(chain([first], rows))
