"""Runs flang over the files of a plan, in the order of their modules: bitcode for the analyser, and what it refuses.

Module files lie in folders of the run's own, one for each file, so that programs of one project may have modules of the
same name. OpenMP is left out, so that loops stay the loops of their procedures; the analyser reads directives in the
text. LLVM's optimiser is held back, flang's own steps are not: they make loops of array expressions in place, as a
build does, and say what may alias."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from stridewise.collect.compile_db import Command
from stridewise.collect.fortran_options import has_openmp, is_fixed_form
from stridewise.lint.analysis import CANCELLED, Diagnostic, Limits, run_bounded
from stridewise.lint.fortran.plan import STUBS, Job, all_needed

_FRONT_END = ("-fc1", "-debug-info-kind=standalone", "-O2", "-mllvm", "-opt-bisect-limit=0")
_PLACED = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): error: (?P<text>.*)$")
_LOWERING = re.compile(r'^error: loc\("(?P<file>.+?)":(?P<line>\d+):(?P<column>\d+)\): (?:error: )?(?P<text>.*)$')
_PLAIN = re.compile(r"^error: (?P<text>.*)$")
_SUMMARY = re.compile(r"^(Semantic errors in|Could not (parse|scan)) ")
_OWN_PLACE = re.compile(r"^\S*\.(?:cpp|h):\d+: ")  # in flang's sources
_MODULE_OF = re.compile(
    r"(?:parse|read|open|find) (?:the )?module file for (?:module|submodule) '([^']+)'", re.IGNORECASE
)
_OPENMP_DATE = 201511  # of version 4.5, which every compiler of today has
_CONDITIONAL = re.compile(r"^([ \t]*)!\$([ \t&])", re.MULTILINE)
_CONDITIONAL_FIXED = re.compile(r"^()[!cC*]\$([ \t\d])", re.MULTILINE)
_MOST_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Compiled:
    """`code` is the bitcode; absent for what is compiled for its modules alone, and where `failure` says why. A copy
    that was read in the file's place stands beside it, under the file's name."""

    code: Path | None = None
    failure: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def compile_all(
    flang: str,
    jobs: Sequence[Job],
    folder: Path,
    workers: int,
    limits: Limits,
    cancelled: threading.Event | None = None,
    contents: Mapping[str, bytes] | None = None,
    wanted: Collection[int] | None = None,
) -> list[Compiled]:
    """What became of each job, in their order; as many at a time as there are workers. `contents` stand in for files on
    disk. Of `wanted` jobs, with all that these need, nothing becomes of the others.
    """
    if wanted is None:
        wanted = range(len(jobs))
    done = {n: Compiled() for n in range(len(jobs)) if n not in wanted}
    order: TopologicalSorter[int] = TopologicalSorter({n: jobs[n].waits_for for n in wanted})
    order.prepare()
    with ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
        running: dict[Future[Compiled], int] = {}
        while order.is_active():
            for number in order.get_ready():
                running[pool.submit(_compile, flang, jobs, number, folder, limits, cancelled, contents or {})] = number
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                number = running.pop(future)
                done[number] = future.result()
                order.done(number)
    return [_explained(done[number], jobs, number, done) for number in range(len(jobs))]


def _compile(
    flang: str,
    jobs: Sequence[Job],
    number: int,
    folder: Path,
    limits: Limits,
    cancelled: threading.Event | None,
    contents: Mapping[str, bytes],
) -> Compiled:
    own = folder / str(number)
    own.mkdir()
    file = jobs[number].command.file
    if (text := contents.get(str(file))) is not None:
        file = own / file.name
        file.write_bytes(text)
    result = _attempt(flang, jobs, number, folder, file, limits, cancelled)
    if not result.diagnostics:
        return result
    # Lines that count with OpenMP alone may declare what others use.
    copy = _with_conditional_lines(jobs[number].command, file, own)
    again = _attempt(flang, jobs, number, folder, copy, limits, cancelled) if copy else result
    return result if again.failure else again


def _with_conditional_lines(command: Command, file: Path, folder: Path) -> Path | None:
    """A copy of what is read for the command, in which lines behind `!$` count, each at its place; none where the build
    has no OpenMP, or the file no such lines."""
    if not has_openmp(command.flags):
        return None
    try:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    pattern = _CONDITIONAL_FIXED if is_fixed_form(command.file, command.arguments) else _CONDITIONAL
    changed = pattern.sub(lambda m: m[1] + "  " + m[2], text)
    if changed == text:
        return None
    copy = folder / command.file.name
    copy.write_text(changed, encoding="utf-8", errors="surrogateescape")
    return copy


def _attempt(
    flang: str,
    jobs: Sequence[Job],
    number: int,
    folder: Path,
    file: Path,
    limits: Limits,
    cancelled: threading.Event | None,
) -> Compiled:
    job = jobs[number]
    command = job.command
    own = folder / str(number)
    code = own / "unit.bc"
    words = [flang, *_FRONT_END, "-module-dir", str(own)]
    for needed in all_needed(jobs, number):
        words.append(f"-I{folder / str(needed)}")
    # The folder that flang works in comes first for modules: it is ours, since a build's has those of its own compiler.
    words += [f"-I{command.file.parent}"] if file != command.file else []
    # Our mpif.h before that of an installed MPI: the analyser knows its constants.
    words.append(f"-I{STUBS}")
    words += [f"-I{command.directory / word[2:]}" if word.startswith("-I") else word for word in command.arguments]
    words.append(f"-I{command.directory}")
    words += [f"-D_OPENMP={_OPENMP_DATE}"] if has_openmp(command.flags) else []
    words += ["-emit-llvm-bc", "-o", str(code)] if job.asked else ["-fsyntax-only"]
    said = own / "said"
    with said.open("wb") as errors:
        failure = run_bounded([*words, str(file)], own, limits, cancelled, errors)
    if not failure and (code.is_file() or not job.asked):
        said.unlink()
        return Compiled(code if job.asked else None)
    with said.open("rb") as errors:
        text = errors.read(_MOST_BYTES).decode("utf-8", "replace")
    said.unlink()
    if failure == CANCELLED:
        return Compiled(failure=CANCELLED)
    diagnostics = _diagnostics(text.replace(str(file), str(command.file)), command.file)
    if diagnostics:
        return Compiled(failure="flang cannot read it", diagnostics=diagnostics)
    return Compiled(failure=failure.replace("the analyser", "flang") or "flang made no code of it")


def _diagnostics(text: str, source: Path) -> tuple[Diagnostic, ...]:
    """flang's errors, those without a place where there are no others."""
    placed: list[Diagnostic] = []
    others: list[Diagnostic] = []
    for line in text.splitlines():
        if match := _LOWERING.match(line) or _PLACED.match(line):
            what = _OWN_PLACE.sub("", match["text"]).strip()
            placed.append(Diagnostic(match["file"], int(match["line"]), int(match["column"]), what))
        elif (match := _PLAIN.match(line)) and not _SUMMARY.match(match["text"]):
            others.append(Diagnostic(str(source), 1, 1, match["text"].strip()))
    return tuple(dict.fromkeys(placed or others))


def _explained(result: Compiled, jobs: Sequence[Job], number: int, done: dict[int, Compiled]) -> Compiled:
    """With the reason behind a module that is not there: nobody has it, or the file that makes it was refused."""
    missed = {m[1].lower() for d in result.diagnostics if (m := _MODULE_OF.search(d.message))}
    if not result.failure or not missed:
        return result
    for needed in all_needed(jobs, number):
        wanted = missed & {name.partition(":")[0] for name in jobs[needed].needs.makes}
        if wanted and done[needed].failure:
            name, file = min(wanted), jobs[needed].command.file.name
            return Compiled(failure=f"needs module '{name}', whose file {file} flang cannot read")
    absent = sorted(missed & set(jobs[number].absent))
    if absent:
        return Compiled(
            failure=f"needs module '{absent[0]}', which no Fortran file here makes: name the file that does, too, or "
            "lint a database that has it (stridewise capture -- make)"
        )
    return result
