"""Analyses units of all languages: those of Fortran are compiled by flang first, whose code the analyser then reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from stridewise.collect.compile_db import Command, Language
from stridewise.finding import Finding
from stridewise.lint import analysis
from stridewise.lint.analysis import Limits, UnitResult
from stridewise.lint.overlay import Overlay
from stridewise.lint.result_cache import ResultCache
from stridewise.settings import toolchain


def analyse(
    analyzer: Path,
    commands: Sequence[Command],
    options: Sequence[str],
    folder: Path,
    jobs: int,
    limits: Limits,
    done: Callable[[UnitResult], None],
    cache: ResultCache | None = None,
    overlay: Overlay | None = None,
    cancelled: threading.Event | None = None,
) -> list[UnitResult]:
    """As analysis.analyse() does; results of Fortran are not kept in the cache."""
    fortran = [number for number, command in enumerate(commands) if command.language is Language.FORTRAN]
    if not fortran:
        return analysis.analyse(analyzer, commands, options, folder, jobs, limits, done, cache, overlay, cancelled)
    results: dict[int, UnitResult] = {}
    others = [number for number in range(len(commands)) if number not in set(fortran)]
    if others:
        found = analysis.analyse(
            analyzer, [commands[n] for n in others], options, folder, jobs, limits, done, cache, overlay, cancelled
        )
        results.update(zip(others, found, strict=True))
    found = _fortran(analyzer, [commands[n] for n in fortran], options, folder, jobs, limits, done, cancelled)
    results.update(zip(fortran, found, strict=True))
    return [results[number] for number in range(len(commands))]


def _fortran(
    analyzer: Path,
    commands: Sequence[Command],
    options: Sequence[str],
    folder: Path,
    jobs: int,
    limits: Limits,
    done: Callable[[UnitResult], None],
    cancelled: threading.Event | None,
) -> list[UnitResult]:
    from stridewise.lint.fortran import flang, plan  # of no use to most projects

    made, read = folder / "fortran-modules", folder / "fortran"
    made.mkdir()
    read.mkdir()
    program = toolchain.flang()
    if program is None:
        results = [UnitResult(command, "failed", failure="flang 19 is not installed") for command in commands]
    else:
        planned = plan.plan(commands)
        compiled = flang.compile_all(program, planned, made, jobs, limits, cancelled)[: len(commands)]
        results = [
            UnitResult(command, "failed", failure=one.failure, diagnostics=one.diagnostics)
            for command, one in zip(commands, compiled, strict=True)
        ]
    good = [n for n, result in enumerate(results) if not result.failure]
    for result in results:
        if result.failure:
            done(result)
    # The analyser reads no text by its arguments: of the command it is told what the build's compiler made of the code.
    ready = [
        replace(
            commands[n],
            options=(*commands[n].options, f"--bitcode={compiled[n].code}"),
            arguments=(*commands[n].arguments, *commands[n].back_end),
        )
        for n in good
    ]
    found = analysis.analyse(analyzer, ready, options, read, jobs, limits, done, cancelled=cancelled)
    for n, result in zip(good, found, strict=True):
        results[n] = replace(result, command=commands[n])
        if copy := compiled[n].copy:
            results[n] = replace(results[n], findings=_of_original(result.findings, str(copy), commands[n].file))
    return results


def _of_original(findings: Sequence[Finding], copy: str, file: Path) -> tuple[Finding, ...]:
    """Findings whose accesses are said of the file, not of its copy."""
    return tuple(
        replace(f, accesses=tuple(replace(a, file=str(file)) if a.file == copy else a for a in f.accesses))
        for f in findings
    )
