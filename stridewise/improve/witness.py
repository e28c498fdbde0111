"""What decides where neither wall nor processor time does: counts of a watched run, which no load of the machine
changes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from stridewise.improve.analysing import watch
from stridewise.improve.settings import Settings
from stridewise.improve.tree import Trees
from stridewise.runs import run_folder
from stridewise.runs.cache import watcher as cache_watcher
from stridewise.runs.kinds import Folder, Seen
from stridewise.runs.omp import shards
from stridewise.runs.omp import watcher as omp_watcher

Counts = Mapping[str, float]
BYTES, IN_CHAINS = "bytes sent", "messages that wait for one another"
TEAMS, BARRIERS, ENTRIES, CHUNKS = "teams opened", "barriers", "entries of locks", "chunks handed out"
FIRST, LAST, INSTRUCTIONS = "misses of the first level", "misses of the last level", "instructions"
NOTABLE = 0.99  # a ratio above is no improvement that anybody would look at
# What the findings of a rule are about; of the other kinds of an OpenMP run a fix may have more (a reduction).
_OF_OMP = {
    "omp-adjacent-regions": (TEAMS,),
    "omp-region-in-loop": (TEAMS,),
    "omp-barrier-in-loop": (BARRIERS,),
    "omp-critical-section": (ENTRIES,),
    "omp-costly-schedule": (CHUNKS,),
}
_CHAIN = "mpi-send-recv-chain"
# How far simulated counts of the same program are apart: the system puts stack and libraries where it likes, and
# threads take turns (stridewise/budget/items.py).
_APART = {FIRST: 0.02, LAST: 0.05, INSTRUCTIONS: 0.01}
_SIMULATED = 60.0  # times slower than the program, at most, as a rule


def kind_of(rule: str) -> str:
    """The kind of run that counts what a rule is about; empty where none does."""
    if rule.startswith(("mpi-", "run-sleep-")):
        return "mpi"
    if rule in _OF_OMP:
        return "omp"
    return "cache" if rule.startswith("mem-") else ""


def is_affordable(kind: str, seconds: float, settings: Settings) -> bool:
    """Whether a program of so many seconds is watched for a witness: simulated caches cost far more than its rounds."""
    return kind != "cache" or seconds * _SIMULATED <= settings.round_seconds


def counts(settings: Settings, trees: Trees, tree: Path, folder: Path, kind: str) -> Counts:
    """What the program counts in a tree; nothing where it cannot be watched so."""
    watch(settings, trees, tree, folder, kind)
    return counted(folder / kind, kind)


def counted(run: Path, kind: str) -> Counts:
    """Of a run folder; nothing where it holds no run of that kind."""
    try:
        return {"mpi": _of_mpi, "omp": _of_omp, "cache": _of_cache}[kind](run)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return {}


def less(rule: str, was: Counts, now: Counts) -> list[str]:
    """What a fix of the rule has less of, where it has more of nothing; empty where that is not so."""
    kind = kind_of(rule)
    names = sorted(was.keys() | now.keys())
    if rule == _CHAIN:  # it goes by other calls for the same messages
        names = [IN_CHAINS, BYTES]
    elif kind == "omp":
        names = list(_OF_OMP[rule])
    if not was or not now:
        return []
    if any(now.get(name, 0) > was.get(name, 0) * (1 + _APART.get(name, 0)) for name in names):
        return []
    limit = {name: min(NOTABLE, 1 - _APART.get(name, 0)) for name in names if name != INSTRUCTIONS}
    return [name for name in limit if now.get(name, 0) < limit[name] * was.get(name, 0)]


def shown(names: list[str], was: Counts, now: Counts) -> str:
    return ", ".join(f"{name} {was[name]:,.0f} → {now.get(name, 0):,.0f}" for name in names)


# --- kinds ------------------------------------------------------------------------------------------------------------


def _of_mpi(run: Path) -> Counts:
    """Calls by function, sleeps among them, bytes, and messages of chains that a rendezvous makes."""
    trace = json.loads((run / "mpi" / "trace.json").read_text(encoding="utf-8"))
    found: dict[str, float] = {BYTES: sum(pair[3] for pair in trace["traffic"])}
    found[IN_CHAINS] = sum(chain["rendezvous_length"] * chain["instances"] for chain in trace["chains"])
    for call in trace["calls"]:
        # Datatypes are made and freed without a message.
        if call["call"].startswith(("MPI_", "sleep")) and not call["call"].startswith("MPI_Type_"):
            found[call["call"]] = found.get(call["call"], 0) + call["count"]
    return found


def _of_omp(run: Path) -> Counts:
    """Teams, barriers of the thread that meets most, entries of critical sections and locks, chunks of loops."""
    trace, bad = shards.read(run_folder.files(run, "omp", omp_watcher.LEAVES[0]))
    if bad or not trace.regions:
        return {}
    met = defaultdict[tuple[int, int], int](int)
    for wait in trace.waits:
        if wait.kind.startswith("barrier"):
            met[wait.process, wait.thread] += wait.count
    return {
        TEAMS: sum(region.count for region in trace.regions),
        BARRIERS: max(met.values(), default=0),
        ENTRIES: sum(mutex.count for mutex in trace.mutexes if mutex.kind in ("critical", "lock")),
        CHUNKS: sum(work.chunks for work in trace.works if work.kind.startswith("loop")),
    }


def _of_cache(run: Path) -> Counts:
    records = [record for record in run_folder.read_records(run) if record.kind == "cache" and record.status == 0]
    profile = cache_watcher.read([Folder(run, record) for record in records], Seen()) if records else None
    if profile is None or profile.windows or profile.partial or not profile.total.instructions:
        return {}
    total = profile.total
    return {FIRST: total.d1_misses, LAST: total.ll_misses, INSTRUCTIONS: total.instructions}
