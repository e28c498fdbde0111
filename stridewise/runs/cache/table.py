"""The cache table: accesses, misses, hit rate and line reuse by function and line; two runs side by side.

Hit rate and line reuse as in Chang, Code Optimization and Parallelization on the Origins (NASA Ames 2001), section 4.6:
reuse is how often a line is used after it was fetched, (accesses - misses) / misses; what the first level misses are
the accesses of the last one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from stridewise.errors import Failure
from stridewise.finding.result import Trouble
from stridewise.finding.table import Table
from stridewise.runs import run_folder
from stridewise.runs.cache import watcher as cache
from stridewise.runs.cache.cachegrind import UNKNOWN_FILE, CacheProfile, Counts, base_name, simulated
from stridewise.runs.kinds import Folder, Seen

_FUNCTIONS, _LINES = 15, 6  # shown without --all
_LEAST_SHARE = 0.005  # of the run's misses: rarer lines are shown with --all
_WORD_BYTES = 8
_WASTED = (
    "wasted: the share of the fetched lines that is left if each access uses 8 bytes of its own; vector instructions "
    "use more, and waste less"
)
_NAME_WIDTH = 48
_METRICS = (
    ("accesses", "accesses"),
    ("L1 data cache misses", "d1_misses"),
    ("L1 line reuse", "d1_line_reuse"),
    ("L1 hit rate", "d1_hit_rate"),
    ("last-level misses", "ll_misses"),
    ("last-level line reuse", "ll_line_reuse"),
    ("last-level hit rate", "ll_hit_rate"),
)

Place = tuple[str, int]
_Row = Mapping[str, Any]


def tables(folders: Sequence[Path], against: Path | None, everything: bool) -> tuple[list[Table], list[Trouble]]:
    """The table of the runs in `folders`, or these beside the run in `against`, which came before."""
    seen = Seen()
    profile = _profile(folders, seen)
    if against is None:
        return [_table(profile, everything)], seen.troubles
    before = _profile([against], seen)
    return [*_comparison(before, profile, everything), _table(profile, everything)], seen.troubles


def _profile(paths: Sequence[Path], seen: Seen) -> CacheProfile:
    folders = []
    for path in paths:
        if not path.is_dir():
            raise Failure(f"no run folder {path}; make one with stridewise run --cache -- COMMAND")
        if run_folder.files(path, "cache", *cache.LEAVES):
            folders.append(Folder(path, None))
    profile = cache.read(folders, seen) if folders else None
    if profile is None:
        names = ", ".join(map(str, paths))
        raise Failure(f"{names} holds no usable cache run; make one with stridewise run --cache -- COMMAND")
    return profile


def figures(counts: Counts, line_bytes: int = 0, whole: Counts | None = None) -> dict[str, Any]:
    """The figures of a row; null where nothing was accessed or missed. With shares of the misses of `whole`."""
    found: dict[str, Any] = {
        "accesses": counts.accesses,
        "d1_misses": counts.d1_misses,
        "d1_hit_rate": _hit_rate(counts.accesses, counts.d1_misses),
        "d1_line_reuse": _reuse(counts.accesses, counts.d1_misses),
        "ll_misses": counts.ll_misses,
        "ll_hit_rate": _hit_rate(counts.d1_misses, counts.ll_misses),
        "ll_line_reuse": _reuse(counts.d1_misses, counts.ll_misses),
    }
    if whole is not None:
        found["d1_miss_share"] = _share(counts.d1_misses, whole.d1_misses)
        found["ll_miss_share"] = _share(counts.ll_misses, whole.ll_misses)
    if line_bytes:
        fetched = counts.d1_misses * line_bytes
        found["wasted_share"] = max(0.0, 1 - counts.accesses * _WORD_BYTES / fetched) if fetched else None
    return found


def _hit_rate(accesses: int, misses: int) -> float | None:
    return 1 - misses / accesses if accesses else None


def _share(misses: int, whole: int) -> float | None:
    return misses / whole if whole else None


def _reuse(accesses: int, misses: int) -> float | None:
    return (accesses - misses) / misses if misses else None


def by_function(profile: CacheProfile) -> dict[str, dict[Place, Counts]]:
    """The counts of each function by file and line: inlined code belongs to the function that it is part of."""
    found: dict[str, dict[Place, Counts]] = defaultdict(dict)
    for file, by_line in profile.lines.items():
        for line, functions in by_line.items():
            for function, counts in functions.items():
                place = (file, line)
                found[function][place] = found[function].get(place, Counts()).plus(counts)
    return found


def sum_of(counts: Mapping[Place, Counts]) -> Counts:
    total = Counts()
    for one in counts.values():
        total = total.plus(one)
    return total


class _Conflicts:
    """Conflict misses of the first and second level by function and place; nothing where they were not simulated."""

    def __init__(self, profile: CacheProfile) -> None:
        self.known = profile.inner is not None and profile.full is not None
        self._real = by_function(profile.inner) if profile.inner else {}
        self._full = by_function(profile.full) if profile.full else {}

    def of(self, function: str | None, place: Place | None = None) -> dict[str, int]:
        """Of a line, of a function, or of the run."""
        if not self.known:
            return {}
        real, full = (self._part(one, function, place) for one in (self._real, self._full))
        return {
            "l1_conflict_misses": max(0, real.d1_misses - full.d1_misses),
            "l2_conflict_misses": max(0, real.ll_misses - full.ll_misses),
        }

    @staticmethod
    def _part(all_counts: Mapping[str, Mapping[Place, Counts]], function: str | None, place: Place | None) -> Counts:
        if function is None:
            total = Counts()
            for counts in all_counts.values():
                total = total.plus(sum_of(counts))
            return total
        own = all_counts.get(function, {})
        return sum_of(own) if place is None else own.get(place, Counts())


def _whole(profile: CacheProfile) -> str:
    if profile.windows:
        return f"{len(profile.windows)} window{'s' if len(profile.windows) > 1 else ''}"
    return "counted functions" if profile.partial else "whole run"


def _table(profile: CacheProfile, everything: bool) -> Table:
    caches = simulated(profile)
    line_bytes = caches["D1"].line_bytes if "D1" in caches else 64
    conflicts = _Conflicts(profile)
    total: _Row = {**figures(profile.total, line_bytes, profile.total), **conflicts.of(None)}
    rows = [_cells(_whole(profile), total)]
    entries = []
    grouped = by_function(profile)
    order = sorted(grouped, key=lambda name: (-sum_of(grouped[name]).d1_misses, -sum_of(grouped[name]).accesses, name))
    for position, function in enumerate(order):
        counts = grouped[function]
        whole = sum_of(counts)
        row: _Row = {**figures(whole, line_bytes, profile.total), **conflicts.of(function)}
        lines = [
            {
                "file": file,
                "line": line,
                **figures(c, line_bytes, profile.total),
                **conflicts.of(function, (file, line)),
            }
            for (file, line), c in sorted(counts.items(), key=lambda item: (-item[1].d1_misses, item[0]))
            if file != UNKNOWN_FILE and line > 0 and c.accesses
        ]
        entries.append({"function": function, **row, "lines": lines})
        if everything or (position < _FUNCTIONS and _matters(whole, profile)):
            rows.append(_cells(function, row))
            shown = [one for one in lines if everything or _matters_line(one, profile)]
            for one in shown if everything else shown[:_LINES]:
                rows.append(_cells(f"  {PurePosixPath(one['file']).name}:{one['line']}", one))
    return Table(
        name="cache",
        title="caches: " + ", ".join(f"{name} {c.words()}" for name, c in caches.items() if name != "I1"),
        columns=("", *_heads(conflicts.known)),
        rows=tuple(rows),
        notes=(_WASTED,)
        if everything or len(rows) == len(entries) + 1
        else (_WASTED, "all functions and lines: --all"),
        data={
            "caches": {
                name: {"size_bytes": c.size_bytes, "ways": c.ways, "line_bytes": c.line_bytes}
                for name, c in caches.items()
            },
            "processes": profile.processes,
            "total": dict(total),
            "functions": entries,
        },
    )


def _matters(counts: Counts, profile: CacheProfile) -> bool:
    return (
        counts.d1_misses >= _LEAST_SHARE * profile.total.d1_misses
        or counts.ll_misses >= _LEAST_SHARE * profile.total.ll_misses
    )


def _matters_line(row: _Row, profile: CacheProfile) -> bool:
    return _matters(Counts(row["accesses"], row["d1_misses"], row["ll_misses"]), profile)


def _heads(conflicts: bool) -> tuple[str, ...]:
    heads = (
        "accesses",
        "L1 misses",
        "of all",
        "hit rate",
        "reuse",
        "LL misses",
        "of all",
        "hit rate",
        "reuse",
        "wasted ≤",
    )
    return (*heads, "L1 conflicts", "L2 conflicts") if conflicts else heads


def _cells(name: str, row: _Row) -> tuple[str, ...]:
    first = ("accesses", "d1_misses", "d1_miss_share", "d1_hit_rate", "d1_line_reuse")
    keys = (*first, "ll_misses", "ll_miss_share", "ll_hit_rate", "ll_line_reuse")
    shown = name if len(name) <= _NAME_WIDTH else name[: _NAME_WIDTH - 1] + "…"
    found = [shown, *(_cell(key, row[key]) for key in (*keys, "wasted_share"))]
    if "l1_conflict_misses" in row:
        found += [_cell(key, row[key]) for key in ("l1_conflict_misses", "l2_conflict_misses")]
    return tuple(found)


def _cell(key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key.endswith(("rate", "share")):
        return f"{100 * value:.1f} %"
    return f"{value:,.2f}" if key.endswith("reuse") else f"{value:,.0f}"


def _comparison(before: CacheProfile, after: CacheProfile, everything: bool) -> list[Table]:
    old, new = figures(before.total), figures(after.total)
    rows = [
        (title, _cell(key, old[key]), _cell(key, new[key]), _ratio(key, old[key], new[key])) for title, key in _METRICS
    ]
    totals = Table(
        "cache_totals",
        "before and after, whole run",
        ("", "before", "after", "after / before"),
        tuple(rows),
        _differing(before, after),
        {"before": old, "after": new},
    )
    sums = [_by_base_name(profile) for profile in (before, after)]
    names = sorted({*sums[0], *sums[1]}, key=lambda n: (-max(s.get(n, Counts()).d1_misses for s in sums), n))
    entries = []
    cells = []
    for position, name in enumerate(names):
        first, second = (s.get(name, Counts()) for s in sums)
        entries.append({"function": name, "before": figures(first), "after": figures(second)})
        if everything or (position < _FUNCTIONS and (_matters(first, before) or _matters(second, after))):
            counts = (first.d1_misses, second.d1_misses, first.ll_misses, second.ll_misses)
            cells.append((name, *(f"{value:,}" for value in counts)))
    heads = ("", "L1 misses before", "after", "LL misses before", "after")
    functions = Table(
        "cache_functions", "before and after, by function", heads, tuple(cells), (), {"functions": entries}
    )
    return [totals, functions]


def _differing(before: CacheProfile, after: CacheProfile) -> tuple[str, ...]:
    if simulated(before) != simulated(after):
        return ("the two runs were simulated on different caches",)
    return ()


def _by_base_name(profile: CacheProfile) -> dict[str, Counts]:
    """Another build may give a function other clones and another signature."""
    found: dict[str, Counts] = defaultdict(Counts)
    for function, counts in by_function(profile).items():
        name = base_name(function)
        found[name] = found[name].plus(sum_of(counts))
    return found


def _ratio(key: str, old: float | None, new: float | None) -> str:
    if key.endswith("rate") or old is None or new is None or not old:
        return ""
    return f"{new / old:.3g}"
