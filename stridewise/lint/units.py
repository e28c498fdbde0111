"""Analyses units of all languages: those of Fortran are compiled by flang first, whose code the analyser then reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stridewise.collect.compile_db import Command, Language
from stridewise.collect.fortran_options import has_openmp
from stridewise.finding import Finding
from stridewise.lint import analysis
from stridewise.lint.analysis import Limits, UnitResult
from stridewise.lint.overlay import Overlay
from stridewise.lint.result_cache import ResultCache
from stridewise.settings import toolchain

if TYPE_CHECKING:
    from stridewise.lint.fortran.entries import Entry


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
    beside: Sequence[Command] = (),
) -> list[UnitResult]:
    """As analysis.analyse() does. `beside`: commands of the program whose modules its Fortran may use."""
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
    chosen = [commands[n] for n in fortran]
    found = _fortran(analyzer, chosen, options, folder, jobs, limits, done, cache, overlay, cancelled, beside)
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
    cache: ResultCache | None,
    overlay: Overlay | None,
    cancelled: threading.Event | None,
    beside: Sequence[Command],
) -> list[UnitResult]:
    """Units whose code an earlier call has made (UnitResult.code among the options) are not compiled again."""
    made, read = folder / "fortran-modules", folder / "fortran"
    made.mkdir()
    read.mkdir()
    kept = cache if not overlay else None
    raw = {n: command for n, command in enumerate(commands) if not _code_of(command)}
    ready = {n: command for n, command in enumerate(commands) if n not in raw}
    results, entries = _compiled(raw, options, made, jobs, limits, kept, overlay, cancelled, beside)
    for n, result in results.items():
        if result.code:
            ready[n] = replace(commands[n], options=(*commands[n].options, *result.code))
        else:
            done(result)  # kept, or refused
    for n, found in _read(analyzer, ready, options, read, jobs, limits, done, overlay, cancelled).items():
        entry, code = entries.get(n), results[n].code if n in results else ()
        copy = Path(_code_of(ready[n])).with_name(commands[n].file.name)
        result = found
        if entry and kept and not copy.is_file():
            result = entry.store(kept, commands[n], found)
        elif entry:
            result = replace(found, files=found.files | entry.files)
        findings = _of_original(result.findings, str(copy), commands[n].file)
        results[n] = replace(result, command=commands[n], code=code, findings=findings)
    return [results[n] for n in range(len(commands))]


def _compiled(
    commands: Mapping[int, Command],
    options: Sequence[str],
    folder: Path,
    jobs: int,
    limits: Limits,
    cache: ResultCache | None,
    overlay: Overlay | None,
    cancelled: threading.Event | None,
    beside: Sequence[Command],
) -> tuple[dict[int, UnitResult], dict[int, Entry]]:
    """What is known of units before the analyser reads them: the result that was kept, why flang refuses one, or what
    names its code; and what the cache knows them by."""
    from stridewise.lint.fortran import plan  # all of no use to most projects
    from stridewise.lint.fortran.entries import Entry
    from stridewise.lint.fortran.flang import compile_all

    flang = toolchain.flang()
    if flang is None:
        missing = "flang 19 is not installed"
        return {n: UnitResult(command, "failed", failure=missing) for n, command in commands.items()}, {}
    if not commands:
        return {}, {}
    contents = overlay.contents if overlay else {}
    spare = [command for command in beside if command.language is Language.FORTRAN]
    planned = plan.plan(list(commands.values()), spare, contents)
    results: dict[int, UnitResult] = {}
    entries: dict[int, Entry] = {}
    wanted: set[int] = set()
    for place, (n, command) in enumerate(commands.items()):
        entries[n] = Entry.of(flang, planned, place, command, options)
        if cache and (found := entries[n].find(cache, command)):
            results[n] = found
            planned[place].asked = False
        else:
            wanted |= {place, *plan.all_needed(planned, place)}
    compiled = compile_all(flang, planned, folder, jobs, limits, cancelled, contents, wanted)
    for (n, command), one in zip(commands.items(), compiled, strict=False):
        if n in results:
            continue
        if one.failure:
            results[n] = UnitResult(command, "failed", failure=one.failure, diagnostics=one.diagnostics)
        else:
            results[n] = UnitResult(command, "ok", code=(f"--bitcode={one.code}", *_heeded(command)))
    return results, entries


def _read(
    analyzer: Path,
    ready: Mapping[int, Command],
    options: Sequence[str],
    folder: Path,
    jobs: int,
    limits: Limits,
    done: Callable[[UnitResult], None],
    overlay: Overlay | None,
    cancelled: threading.Event | None,
) -> dict[int, UnitResult]:
    """What the analyser says of units whose code is there, by their number."""
    good = sorted(ready)
    # The analyser reads no text by its arguments: of the command it is told what the build's compiler made of the code.
    told = [replace(ready[n], arguments=(*ready[n].arguments, *ready[n].back_end)) for n in good]
    found = analysis.analyse(analyzer, told, options, folder, jobs, limits, done, overlay=overlay, cancelled=cancelled)
    return dict(zip(good, found, strict=True))


def _code_of(command: Command) -> str:
    """The bitcode that the command's options name; empty where they name none."""
    prefix = "--bitcode="
    return next((option.removeprefix(prefix) for option in command.options if option.startswith(prefix)), "")


def _heeded(command: Command) -> tuple[str, ...]:
    return () if has_openmp(command.flags) else ("--no-openmp",)


def _of_original(findings: Sequence[Finding], copy: str, file: Path) -> tuple[Finding, ...]:
    """Findings whose accesses are said of the file, not of a copy that was read in its place."""
    return tuple(
        replace(f, accesses=tuple(replace(a, file=str(file)) if a.file == copy else a for a in f.accesses))
        for f in findings
    )
