"""Files that are named with no compile command: what their compiler would have been is found by what they miss."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stridewise.collect.compile_db import Command, Language
from stridewise.collect.compilers import Interrogator, mpi_wrappers
from stridewise.lint.analysis import UnitResult
from stridewise.lint.result_cache import ResultCache
from stridewise.lint.study import Inputs

_MISSED = re.compile(r"'mpi\.h' file not found")


def with_mpi(inputs: Inputs, results: Sequence[UnitResult], cache: ResultCache | None) -> Inputs:
    """The inputs with what this machine's MPI wrapper adds for files that clang could not read for want of mpi.h; the
    same object where there is no such file, or nothing to add. The notes say what was done.

    Only where no compile database says how they are compiled, and never by a program of the project.
    """
    missed = [
        position
        for position, result in enumerate(results)
        if any(_MISSED.search(d.message) for d in result.diagnostics)
    ]
    if inputs.database is not None or not missed:
        return inputs
    ask = Interrogator(inputs.project.root, cache)
    commands = list(inputs.work.commands)
    asked: set[str] = set()
    for position in missed:
        command = commands[position]
        wrapper, extra = _wrapper(ask, command)
        if extra:
            commands[position] = replace(command, arguments=(*command.arguments, *extra))
            asked.add(wrapper)
    if not asked:
        return inputs
    names = ", ".join(sorted(asked))
    note = f"no compile command says where mpi.h is; its folders are those that '{names} -show' names"
    return replace(inputs, work=replace(inputs.work, commands=commands), notes=(*inputs.notes, *ask.notes, note))


def _wrapper(ask: Interrogator, command: Command) -> tuple[str, tuple[str, ...]]:
    """The first of the known wrappers on PATH that names folders, and what it adds."""
    for name in mpi_wrappers(command.language is Language.CXX):
        if path := shutil.which(name):
            extra = ask.extra_arguments(name, Path(command.directory))
            if extra:
                return path, extra
    return "", ()
