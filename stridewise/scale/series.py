"""The runs of a study: one command with `{n}` in it, watched once for each number of ranks."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stridewise import arithmetic
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.finding.quantities import seconds
from stridewise.runs import run, run_folder
from stridewise.runs.kinds import watcher
from stridewise.scale.counts import RANKS, THREADS

NUMBER = "n"
_THREADS = "OMP_NUM_THREADS"
_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
# Ranks beyond the processors are what a study on a desk is about: Open MPI 4 and 5 are told so, and its ranks give way
# to one another while they wait.
_CROWDED = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


@dataclass(frozen=True, slots=True)
class Series:
    """`variables` are formulas of n, and of those before them; `templates` are files in which names in braces are
    replaced before each run: (template, what is written)."""

    command: tuple[str, ...]
    ranks: tuple[int, ...]
    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    templates: tuple[tuple[Path, Path], ...] = ()
    limit_seconds: float = 0.0
    again: bool = False  # also where a run is there
    settings: Mapping[str, str] = field(default_factory=dict)  # of the MPI runs: `memory`, `reduce`
    work: bool = False  # each run once more, by Cachegrind
    unit: str = RANKS  # THREADS: n is the number of threads of a program that starts no ranks by it

    @property
    def kind(self) -> str:
        return "omp" if self.unit == THREADS else "mpi"

    def check(self) -> None:
        """Raises Failure where the series says nothing about ranks, or its formulas are none."""
        texts = [*self.command, *self.environment.values(), *(str(path) for pair in self.templates for path in pair)]
        if self.unit == RANKS and not any(_NAME.search(text) for text in texts):
            raise Failure(
                "the command never says {n}: write it where the number of ranks stands (mpirun -n {n} ./app); for "
                "threads of a program without MPI say --threads"
            )
        for ranks in self.ranks:
            self.values(ranks)

    def values(self, ranks: int) -> dict[str, str]:
        """What each name in braces stands for at that many ranks."""
        known: dict[str, float] = {NUMBER: ranks, "P": ranks}
        for name, formula in self.variables.items():
            try:
                tree = arithmetic.parse(_NAME.sub(r"\1", formula))
                known[name] = arithmetic.value(tree, known)
            except (SyntaxError, ValueError, ArithmeticError) as error:
                raise Failure(f"{name}={formula}: {error}") from error
        return {name: _text(value) for name, value in known.items() if name != "P"}

    def place(self, ranks: int) -> Path:
        return self.folder / f"{self.unit}-{ranks:05d}"


def _text(value: float) -> str:
    whole = round(value)
    return str(whole) if abs(value - whole) < 1e-9 * max(1.0, abs(value)) else repr(value)


def filled(text: str, values: Mapping[str, str]) -> str:
    """Braces around anything else than a known name stay: they are the program's own."""
    return _NAME.sub(lambda match: values.get(match[1], match[0]), text)


def make(series: Series) -> list[Path]:
    """The folders of the runs that came to their end, made or there already; what failed is said, and left out."""
    series.check()
    folders = []
    for number, ranks in enumerate(series.ranks, 1):
        unit = series.unit if ranks > 1 else series.unit.removesuffix("s")
        what = f"run {number} of {len(series.ranks)}: {ranks} {unit}"
        command, folder = _command(series, ranks), series.place(ranks)
        if not series.again and _is_there(folder, command, series.kind):
            remark(f"{what}, there already")
        elif not _made(series, ranks, command, series.kind, what):
            continue
        folders.append(folder)
        if series.work and (series.again or not _is_there(folder, command, "cache")):
            _made(series, ranks, command, "cache", f"{what}, instructions")
    return folders


def _command(series: Series, ranks: int) -> tuple[str, ...]:
    values = series.values(ranks)
    return tuple(filled(word, values) for word in series.command)


def _is_there(folder: Path, command: Sequence[str], kind: str) -> bool:
    try:
        records = run_folder.read_records(folder)
    except Failure:
        return False
    left = run_folder.jobs(folder) if kind == "mpi" else run_folder.files(folder, kind, *watcher(kind).LEAVES)
    return bool(left) and any(r.kind == kind and r.status == 0 and r.command == tuple(command) for r in records)


def _made(series: Series, ranks: int, command: tuple[str, ...], kind: str, what: str) -> bool:
    values, folder = series.values(ranks), series.place(ranks)
    for template, target in series.templates:
        _write(template, Path(filled(str(target), values)), values)
    environment = {name: value for name, value in _surroundings(series, ranks, kind).items() if name not in os.environ}
    environment |= {_THREADS: str(ranks)} if series.unit == THREADS else {}
    environment |= {name: filled(value, values) for name, value in series.environment.items()}
    log = folder / ("output.txt" if kind == series.kind else f"output-{kind}.txt")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            watched = run.watch(
                run.Options(
                    command, kind, output=folder, environment=environment, limit_seconds=series.limit_seconds,
                    settings=_settings(series, kind),
                ),
                output,
            )  # fmt: skip
    except OSError as error:
        raise Failure(f"cannot keep the run in {folder}: {error.strerror or error}") from error
    took = next((r.seconds for r in run_folder.read_records(folder) if r.kind == kind), None)
    cut = 0 < series.limit_seconds <= (took or 0.0)
    if watched.status != 0 or watched.why or cut:
        ended = watched.why or f"it ended with status {watched.status}"
        if cut:  # it looks like one that came to its end, and must not be taken for it next time
            ended = f"it took longer than the {series.limit_seconds:g} s of --limit"
            run_folder.prepare(folder, kind, watcher(kind).LEAVES)
        remark(f"{what}: left out, {ended}; what it printed is in {log}{_hint(log)}")
        return False
    remark(f"{what}, {seconds(took or 0.0)}")
    return True


def _surroundings(series: Series, ranks: int, kind: str) -> Mapping[str, str]:
    """Threads beyond the processors, and those that Valgrind runs one after the other, sleep while they wait."""
    if series.unit != THREADS:
        return _CROWDED
    crowded = kind == "cache" or ranks > len(os.sched_getaffinity(0))
    return {"OMP_WAIT_POLICY": "passive"} if crowded else {}


def _settings(series: Series, kind: str) -> Mapping[str, str]:
    if kind == series.kind:
        return series.settings
    return {"once": "1", **({"threads": "1"} if series.unit == THREADS else {})}


def _hint(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")[-20_000:]
    if "not enough slots" in text or "slots available" in text:
        return "; the launcher refuses more ranks than processors: add --oversubscribe"
    if "run as root" in text or "running as root" in text:
        return "; Open MPI wants --allow-run-as-root"
    return ""


def _write(template: Path, target: Path, values: Mapping[str, str]) -> None:
    try:
        text = template.read_text(encoding="utf-8")
        target.write_text(filled(text, values), encoding="utf-8")
        shutil.copymode(template, target)
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"cannot fill {template} into {target}: {error}") from error
