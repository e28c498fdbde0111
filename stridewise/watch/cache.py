"""Watching the caches: Cachegrind in front of the program, its counts given to the judges of the rules."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from stridewise import detectors, run_folder
from stridewise.catalogue import Rule
from stridewise.collect import cachegrind, elf, geometry, launcher
from stridewise.collect.launcher import Launch
from stridewise.console import remark
from stridewise.correlate import join_cache
from stridewise.errors import Failure
from stridewise.result import RunSummary, Trouble
from stridewise.watch import Folder, Plan, Request, Seen

LEAVES = ("cachegrind.*.out",)


def plan(request: Request) -> Plan:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise Failure("valgrind is not installed, and run --cache measures with it; apt install valgrind")
    command = with_cachegrind(request.command, request.launch, valgrind, request.folder / "cache")
    return Plan(command, dict(os.environ), _after)


def _after(status: int) -> None:
    if status == 128 + signal.SIGILL:
        remark("valgrind does not know an instruction of the program; build it with at most -march=x86-64-v3")


def nothing(_request: Request) -> str:
    return ""


def with_cachegrind(command: Sequence[str], launch: Launch, valgrind: str, folder: Path) -> tuple[str, ...]:
    """The command with Cachegrind in front of each program, one output file a process."""
    if not launch.programs:
        raise Failure(
            "the launcher reads its programs from a file; name the program on the command line for run --cache"
        )
    out = str(folder).replace("%", "%%")
    rank = f"%q{{{launch.rank_variable}}}." if launch.rank_variable else ""
    tool = [
        valgrind,
        "-q",
        "--tool=cachegrind",
        "--cache-sim=yes",
        *geometry.detect().options(),
        f"--cachegrind-out-file={out}/cachegrind.{rank}%p.out",
    ]
    words: list[str] = []
    for position, word in enumerate(command):
        if position in launch.programs:
            words += tool
            if _starts_others(word):
                words.append("--trace-children=yes")
        words.append(word)
    return tuple(words)


def _starts_others(word: str) -> bool:
    """Scripts and the like of timeout or numactl: the program itself is their child."""
    path = launcher.executable(word)
    return PurePath(word).name in launcher.PREFIXES or (path is not None and not elf.is_elf(path))


def see(folders: Sequence[Folder], rules: Mapping[str, Rule]) -> Seen:
    seen = Seen(judges_only=True)
    profiles: list[Path] = []
    for folder in folders:
        found = run_folder.files(folder.path, "cache", *LEAVES)
        profiles += found
        if not found:
            seen.troubles.append(
                Trouble(str(folder.path / "cache"), "the run left no profile; see what it printed and run it again")
            )
    if not profiles:
        return seen
    profile, bad = cachegrind.read(profiles)
    seen.troubles += [Trouble(str(path), why) for path, why in bad]
    if profile is None:
        return seen
    details = (
        f"Cachegrind, {profile.processes} process{'es' if profile.processes != 1 else ''}",
        f"{profile.total.d1_misses:,} D1 and {profile.total.ll_misses:,} last-level misses in "
        f"{profile.total.accesses:,} accesses",
    )
    records = [folder.record for folder in folders if folder.record]
    seen.runs = [RunSummary("cache", r.command, r.status, r.seconds, details) for r in records] or [
        RunSummary("cache", (), 0, None, details)
    ]
    seen.join = lambda findings: join_cache(findings, profile, rules, detectors.cache_judges(rules))
    return seen
