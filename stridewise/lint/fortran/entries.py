"""What the cache knows a unit of Fortran by, and what a result of it depends on beside what the analyser has read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stridewise.collect.compile_db import Command
from stridewise.collect.fortran_options import has_openmp
from stridewise.lint.analysis import UnitResult, cached_unit
from stridewise.lint.dependencies import stamp_of
from stridewise.lint.fortran.plan import STUBS, Job, all_needed
from stridewise.lint.result_cache import ResultCache


@dataclass(frozen=True, slots=True)
class Entry:
    """`key`: options that tell this unit, compiled so, from others. `files`: sources that flang reads for it, `absent`
    where it would have found others, `listed` the folders in which modules were looked for."""

    key: tuple[str, ...]
    files: frozenset[str]
    absent: frozenset[str]
    listed: frozenset[str]

    @staticmethod
    def of(flang: str, jobs: Sequence[Job], number: int, command: Command, options: Sequence[str]) -> Entry:
        needed = [jobs[n] for n in (number, *all_needed(jobs, number))]
        how = [[str(job.command.file), str(job.command.directory), *job.command.arguments] for job in needed]
        compiled = json.dumps([flang, stamp_of(os.path.realpath(flang)), has_openmp(command.flags), how])
        stubs = {str(file) for file in STUBS.iterdir()}
        return Entry(
            (*options, f"--fortran={compiled}"),
            frozenset(stubs.union(*(job.needs.read for job in needed))),
            frozenset().union(*(job.needs.absent for job in needed)),
            frozenset(str(folder) for job in needed for folder in job.listed),
        )

    def find(self, cache: ResultCache, command: Command) -> UnitResult | None:
        found = cached_unit(cache, _as_read(command), self.key, None)
        return replace(found, command=command) if found else None

    def store(self, cache: ResultCache, command: Command, result: UnitResult) -> UnitResult:
        """Keeps a result of a unit as it is on disk."""
        found = replace(result, files=result.files | self.files)
        if result.status != "ok" or result.given_up or result.result_file is None:
            return found
        told = _as_read(command)
        try:
            value = json.loads(result.result_file.read_bytes())
            inputs = value["inputs"]
            known = {file[0] for file in inputs["files"]}
            inputs["files"] += [_stamped(file) for file in sorted(self.files - known)]
            inputs["absent"] = [*inputs["absent"], *sorted(self.absent)]
            inputs["listed"] = [*inputs["listed"], *sorted(self.listed)]
            everything = [*self.key, *told.options]
            stored = cache.store(everything, told.directory, told.file, told.arguments, value, result.seconds)
        except (OSError, ValueError, KeyError, TypeError):
            return found
        return replace(found, summaries=stored)


def _as_read(command: Command) -> Command:
    return replace(command, arguments=(*command.arguments, *command.back_end))


def _stamped(file: str) -> list[str | int]:
    status = Path(file).stat()
    return [file, status.st_size, status.st_mtime_ns, status.st_ino]
