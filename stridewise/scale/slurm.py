"""The runs of a study as jobs of Slurm: one for each number of ranks, and one that makes the laws when all are done."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from stridewise.errors import Failure
from stridewise.output import write_file
from stridewise.scale.counts import THREADS
from stridewise.scale.series import Series, filled

SUBMIT = "submit.sh"
_MODE = 0o755


def write(series: Series, options: Sequence[str], directives: Sequence[str]) -> Path:
    """Writes the jobs below the series' folder; returns the script that submits them. `options` are those of the last
    job's `stridewise scale`, `directives` what every job asks for besides its tasks ("--partition=debug")."""
    series.check()
    if series.unit == THREADS:
        raise Failure(
            "--launcher slurm writes jobs of ranks; run 'stridewise scale --threads' within one job of a node"
        )
    if series.templates:
        raise Failure("--template writes its target before each run: jobs that run at once need files of their own")
    folder = series.folder.absolute()
    python = f"{shlex.quote(sys.executable)} -m stridewise"
    jobs = []
    for ranks in series.ranks:
        values = series.values(ranks)
        command = [filled(word, values) for word in series.command]
        lines = [f"export {name}={shlex.quote(filled(value, values))}" for name, value in series.environment.items()]
        run = f"{python} run -o {shlex.quote(str(series.place(ranks).absolute()))} --format json"
        words = [f"--{name}" + (f"={value}" if name == "reduce" else "") for name, value in series.settings.items()]
        if series.work:
            lines.append(f"{run} --cache -- {shlex.join(command)} > /dev/null")
        lines.append(f"exec {shlex.join([*shlex.split(run), *words])} -- {shlex.join(command)} > /dev/null")
        jobs.append(_job(folder / f"ranks-{ranks:05d}.sbatch", ranks, lines, directives))
    runs = " ".join(shlex.quote(str(series.place(ranks).absolute())) for ranks in series.ranks)
    last = f"exec {python} scale {shlex.join(options)} --from {runs} > {shlex.quote(str(folder / 'scale.txt'))}"
    final = _job(folder / "laws.sbatch", 1, [last], directives)
    lines = ["#!/bin/sh", "# Submits the runs; the laws are made when all have ended, of those that came to their end."]
    lines += ["set -e", "jobs="]
    lines += [f'jobs="$jobs:$(sbatch --parsable {shlex.quote(str(job))})"' for job in jobs]
    lines += [f'sbatch --parsable --dependency="afterany$jobs" {shlex.quote(str(final))}', ""]
    return _script(folder / SUBMIT, lines)


def _job(path: Path, tasks: int, lines: Sequence[str], directives: Sequence[str]) -> Path:
    asked = [
        f"--job-name=stridewise-{path.stem}",
        f"--ntasks={tasks}",
        f"--output={path.with_suffix('.log')}",
        *directives,
    ]
    for directive in asked:
        if "\n" in directive or not directive.startswith("-"):
            raise Failure(f"--sbatch '{directive}': write an option of sbatch, such as --partition=debug")
    return _script(path, ["#!/bin/sh", *(f"#SBATCH {directive}" for directive in asked), *lines, ""])


def _script(path: Path, lines: Sequence[str]) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, "\n".join(lines))
        path.chmod(_MODE)
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror or error}") from error
    return path
