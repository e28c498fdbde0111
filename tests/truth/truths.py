"""Programs with known truths: what each says of itself, how it is built and watched, and whether the report agrees.

A program states its truth in its first comment lines, `// KEY: VALUE` (C, C++) or `! KEY: VALUE` (Fortran):

    rule     SLUG @MARK SECONDS, once for each finding that must be shown. Its line is the one with the comment `@MARK`;
             SECONDS is `cost` or `gain` (which of the finding's seconds the program knows), or `-` for none. `none` if
             nothing may be shown
    head     PATTERN @MARK, for each thing that the report's head must say; `-` for MARK, or the pattern's first group
             is the number that the program gives
    watch    mpi, omp, cache, placement or sharing: the way to watch, as of `stridewise run`
    with     what it is built with: openmpi, mpich (for mpi), gcc, clang (for the others); all of them by default
    ranks, threads  how many; 2 by default
    load     busy processes beside it, for each processor; none by default
    flags    of the compiler, behind -g -O1
    also     rules that may speak in addition, of the program and of its twin, and why in brackets
    twin     in words, what is different with -DTWIN: then nothing may be shown, and the head says nothing of the sort;
             `none` if there is no twin

The program prints `@MARK SECONDS`, or `@MARK LEAST MOST` where only an interval is known: what it measured of itself in
this very run, since a loaded machine makes delays longer. It is right when every stated finding is shown at its line,
with seconds within 15 % or in the interval (of a finding that states an interval, where both meet), and nothing else
is shown.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mpi_launch import LAUNCH

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parents[1]
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", REPOSITORY / "build"))
TOLERANCE = 0.15
TRIES = 3  # other users of the machine disturb a run, and what they do to it is no fault of the report
TIMEOUT_SECONDS = 120

_SOURCES = (".c", ".cpp", ".F90")
_MPIS = ("openmpi", "mpich")
_COMPILERS = {"gcc": {".c": "gcc", ".cpp": "g++"}, "clang": {".c": "clang-19", ".cpp": "clang++-19"}}
_WRAPPERS = {".c": "mpicc", ".cpp": "mpicxx", ".F90": "mpifort"}
_WORD = re.compile(r"@(\w+)")


@dataclass(frozen=True)
class Statement:
    """One finding that must be shown."""

    rule: str
    mark: str
    seconds: str  # cost, gain or -


@dataclass(frozen=True)
class Program:
    source: Path

    @property
    def name(self) -> str:
        return f"{self.source.parent.name}/{self.source.stem}"

    @cached_property
    def lines(self) -> list[str]:
        return self.source.read_text(encoding="utf-8").splitlines()

    @cached_property
    def header(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for line in self.lines:
            comment = re.match(r"\s*(?://|!)\s?(.*)", line)
            if comment is None:
                break
            if said := re.match(r"(rule|head|watch|with|ranks|threads|load|flags|also|twin):\s*(.*)", comment[1]):
                found.setdefault(said[1], []).append(said[2].strip())
        return found

    def one(self, key: str, default: str) -> str:
        return self.header.get(key, [default])[0]

    @property
    def statements(self) -> list[Statement]:
        out = []
        for text in self.header.get("rule", []):
            if text == "none":
                continue
            rule, mark, seconds = text.split()
            out.append(Statement(rule, mark.removeprefix("@"), seconds))
        return out

    @property
    def heads(self) -> list[tuple[str, str]]:
        """Patterns and marks."""
        return [(pattern.strip(), mark) for pattern, mark in (t.rsplit("@", 1) for t in self.header.get("head", []))]

    @property
    def watch(self) -> str:
        return self.one("watch", "")

    @property
    def variants(self) -> list[str]:
        every = _MPIS if self.watch == "mpi" else tuple(_COMPILERS)
        return self.one("with", " ".join(every)).split()

    @property
    def allowed(self) -> set[str]:
        return {word.strip(",") for text in self.header.get("also", []) for word in text.split("(")[0].split()}

    @property
    def twin(self) -> str:
        return self.one("twin", "")

    def places(self, mark: str) -> set[int]:
        """Lines that bear a mark in a comment behind code."""
        return {
            number
            for number, line in enumerate(self.lines, 1)
            if f"@{mark}" in _WORD.sub(lambda m: m[0] + " ", line).split() and re.match(r"\s*(?!//|!)\S", line)
        }


def programs() -> list[Program]:
    return [Program(p) for p in sorted(FOLDER.glob("*/*")) if p.suffix in _SOURCES]


@functools.cache
def _before_others() -> tuple[str, ...]:
    """Runs a command at a higher priority where that is allowed: who gets no processor is late, too."""
    for prefix in (("chrt", "-r", "1"), ("nice", "-n", "-15")):
        if shutil.which(prefix[0]):
            tried = subprocess.run([*prefix, "true"], capture_output=True, check=False)
            if tried.returncode == 0 and not tried.stderr:
                return prefix
    return ()


# --- Building and watching ------------------------------------------------------------------------------------------


def compiler(program: Program, variant: str) -> str:
    """The compiler's name; empty if it is not installed, or if nothing was built to watch its programs with."""
    suffix = program.source.suffix
    if variant in _MPIS:
        name = f"{_WRAPPERS[suffix]}.{variant}"
        usable = (BUILD / "lib" / variant / "libstridewise_mpi.so").exists()
    else:
        name = _COMPILERS[variant].get(suffix, "")
        usable = True
    return name if usable and shutil.which(name) else ""


def build(program: Program, variant: str, folder: Path, *, twin: bool) -> Path:
    target = folder / f"{program.source.parent.name}-{program.source.stem}.{variant}{'.twin' if twin else ''}"
    if target.exists():
        return target
    command = [compiler(program, variant), "-g", "-O1", f"-I{FOLDER}", *program.one("flags", "").split()]
    if program.watch == "sharing":
        command = [str(BUILD / "bin" / "stridewise-share-cc"), *command]
    command += ["-DTWIN"] * twin + [str(program.source), "-o", str(target), "-pthread", "-lm"]
    subprocess.run(command, check=True, cwd=folder)
    return target


@dataclass(frozen=True)
class Watched:
    """What a watched program printed, and the report on it."""

    printed: str
    report: dict[str, Any]

    @property
    def shown(self) -> list[dict[str, Any]]:
        return [f for f in self.report["findings"] if f["verdict"] != "refuted"]

    @property
    def hidden(self) -> list[dict[str, Any]]:
        return list(self.report["unsure"])

    @property
    def head(self) -> str:
        return "\n".join(line for run in self.report["runs"] for line in (*run["details"], *run.get("causes", ())))

    def seconds(self, mark: str) -> tuple[float, float] | None:
        """The interval that the program gives."""
        for line in self.printed.splitlines():
            words = line.split()
            if words and words[0] == f"@{mark}":
                values = [float(word) for word in words[1:]]
                if len(values) == 1:
                    return (1 - TOLERANCE) * values[0], (1 + TOLERANCE) * values[0]
                return values[0], values[1]
        return None


def watch(program: Program, executable: Path, variant: str, out: Path) -> Watched:
    """Runs it under `stridewise run`, as a user does. Raises CalledProcessError if program or report fail."""
    environment = {**os.environ, **LAUNCH, "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": program.one("threads", "2")}
    environment["PYTHONPATH"] = str(REPOSITORY)
    command = [str(executable)]
    if variant in _MPIS:
        command = [f"mpirun.{variant}", "-n", program.one("ranks", "2"), *command]
    stridewise = [sys.executable, "-m", "stridewise", "run", f"--{program.watch}", "-o", str(out), "--no-config"]
    report = out.with_suffix(".json")
    load = int(program.one("load", "0"))
    with _busy(load * len(os.sched_getaffinity(0))):
        done = subprocess.run(
            [*(() if load else _before_others()), *stridewise, "--format", "json", "--", *command],
            env=environment,
            cwd=FOLDER,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=True,
        )
    begin = done.stdout.index('{\n  "version"') if '{\n  "version"' in done.stdout else done.stdout.index('{"version"')
    report.write_text(done.stdout[begin:], encoding="utf-8")
    return Watched(done.stdout[:begin], json.loads(done.stdout[begin:]))


@contextlib.contextmanager
def _busy(count: int) -> Iterator[None]:
    """So many processes that want a processor all the time."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


# --- Judging ----------------------------------------------------------------------------------------------------------


def _place(finding: dict[str, Any]) -> str:
    where, seconds = finding["location"], finding.get("cost_seconds")
    cost = "" if seconds is None else f", cost {seconds:.4f} s, gain {finding.get('gain_seconds') or 0.0:.4f} s"
    return f"{finding['rule']} ({finding['confidence']}) at {Path(where['file']).name}:{where['line']}{cost}"


def _least(finding: dict[str, Any], seconds: str) -> float:
    """The lower end of what the finding says."""
    stated = [e["metrics"]["least_seconds"] for e in finding["evidence"] if "least_seconds" in e["metrics"]]
    return stated[0] if stated and seconds == "cost" else finding[f"{seconds}_seconds"] or 0.0


def _interval(least: float, most: float) -> str:
    return f"{most:.4f}" if least == most else f"{least:.4f} to {most:.4f}"


def _head_disagrees(pattern: str, mark: str, seen: Watched, *, twin: bool) -> str:
    found = re.search(pattern, seen.head)
    if found is None or twin:
        return "" if (found is None) == twin else f"the head does not fit {pattern!r}: {seen.head}"
    least, most = seen.seconds(mark) or (0.0, -1.0)
    if mark == "-" or least <= float(found[1].replace(",", "")) <= most:
        return ""
    return f"the head says {found[0]!r}, and not {least:.4f} to {most:.4f}"


def disagreements(program: Program, seen: Watched, *, twin: bool) -> list[str]:
    """What is wrong with the report, in words; empty where it tells the truth."""
    wrong = []
    stated: list[dict[str, Any]] = []
    for statement in [] if twin else program.statements:
        lines = program.places(statement.mark)
        here = [
            f
            for f in seen.shown
            if f["rule"] == statement.rule
            and f["location"]["line"] in lines
            and Path(f["location"]["file"]).name == program.source.name
        ]
        stated += here
        if not here:
            places = ", ".join(map(str, sorted(lines)))
            nearly = [_place(f) for f in (*seen.shown, *seen.hidden) if f["rule"] == statement.rule]
            wrong.append(f"{statement.rule} is not shown at line {places}; of this rule: {nearly or 'nothing'}")
        elif statement.seconds != "-":
            least, most = seen.seconds(statement.mark) or (0.0, -1.0)
            value = sum(f[f"{statement.seconds}_seconds"] or 0.0 for f in here)
            lowest = sum(_least(f, statement.seconds) for f in here)
            if lowest > most or value < least:
                wrong.append(
                    f"{statement.rule}: {statement.seconds} {_interval(lowest, value)} s is not in "
                    f"{least:.4f} to {most:.4f} s"
                )
    wrong += [text for head in program.heads if (text := _head_disagrees(*head, seen, twin=twin))]
    unexpected = [f for f in seen.shown if f not in stated and f["rule"] not in program.allowed]
    wrong += [f"not expected: {_place(f)}: {f['message']}" for f in unexpected]
    return wrong
