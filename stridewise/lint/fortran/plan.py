"""What is compiled for a set of Fortran units, and what each of them waits for."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from stridewise.collect.compile_db import FORTRAN_SUFFIXES, Command, Language
from stridewise.lint.fortran.scan import Needs, include_folders, scan

STUBS = Path(__file__).resolve().parent / "stubs"
_MOST_NEIGHBOURS = 2000  # files of a folder that are looked through for modules


@dataclass(slots=True)
class Job:
    """One file to compile. `asked`: it is a unit of the analysis; others are compiled for their modules alone."""

    command: Command
    needs: Needs
    asked: bool
    waits_for: set[int] = field(default_factory=set)
    absent: tuple[str, ...] = ()  # modules that no file here makes
    listed: set[Path] = field(default_factory=set)  # folders whose files were looked through for modules


def plan(
    commands: Sequence[Command], others: Sequence[Command] = (), contents: Mapping[str, bytes] | None = None
) -> list[Job]:
    """A job for each command, in their order, and behind them one for each file that has to be compiled for its
    modules: `others` of the program, our stubs, and files beside the units that the commands do not name. `contents`
    stand in for files on disk.
    """

    def job_of(command: Command, asked: bool) -> Job:
        return Job(command, scan(command.file, include_folders(command.arguments, command.directory), contents), asked)

    jobs = [job_of(command, asked=True) for command in commands]
    named = {command.file for command in commands}
    spare = [job_of(command, asked=False) for command in others if command.file not in named]
    makers: dict[str, list[int]] = defaultdict(list)
    for number, job in enumerate(jobs):
        for name in sorted(job.needs.makes):
            makers[name].append(number)
    neighbours: dict[Path, dict[str, Path]] = {}
    number = 0
    while number < len(jobs):  # grows
        job = jobs[number]
        absent = []
        for name in sorted(job.needs.uses):
            found = _nearest(makers.get(name, ()), number, jobs)
            if found is None and (maker := _spare(name, job, spare)):
                spare.remove(maker)
            elif found is None and (source := _elsewhere(name, job, neighbours)):
                maker = job_of(_like(job.command, source), asked=False)
            else:
                maker = None
            if maker:
                found = len(jobs)
                jobs.append(maker)
                for made in maker.needs.makes:
                    makers[made].append(found)
            if found is None:
                absent.append(name)
            elif found != number:
                job.waits_for.add(found)
        job.absent = tuple(absent)
        number += 1
    _break_circles(jobs)
    return jobs


def all_needed(jobs: Sequence[Job], number: int) -> list[int]:
    """What the job waits for, and what that does: module files name those that they use."""
    found: dict[int, None] = {}
    work = sorted(jobs[number].waits_for)
    while work:
        one = work.pop(0)
        if one not in found:
            found[one] = None
            work += sorted(jobs[one].waits_for)
    return list(found)


def _nearest(makers: Sequence[int], user: int, jobs: Sequence[Job]) -> int | None:
    """Of the files that make a module the one that belongs to the user: of its program, then nearest in the tree."""
    file, target = jobs[user].command.file, jobs[user].command.target

    def nearness(number: int) -> tuple[bool, bool, int]:
        other = jobs[number].command
        shared = len(os.path.commonpath([file.parent, other.file.parent]))
        return bool(target) and other.target == target, not jobs[user].asked or jobs[number].asked, shared

    return max(makers, key=nearness, default=None)


def _spare(name: str, user: Job, spare: Sequence[Job]) -> Job | None:
    """Of the other files of the program that make a module the one nearest to the user."""
    makers = [job for job in spare if name in job.needs.makes]
    nearest = _nearest(range(1, len(makers) + 1), 0, [user, *makers])
    return None if nearest is None else makers[nearest - 1]


def _elsewhere(name: str, user: Job, neighbours: dict[Path, dict[str, Path]]) -> Path | None:
    """A file beside the unit, or in its include folders, that makes the module; else our stub."""
    command = user.command
    for folder in (command.file.parent, *include_folders(command.arguments, command.directory)):
        user.listed.add(folder)
        if folder not in neighbours:
            neighbours[folder] = _modules_in(folder)
        if name in neighbours[folder]:
            return neighbours[folder][name]
    stub = STUBS / f"{name}.f90"
    return stub if ":" not in name and stub.is_file() else None


def _modules_in(folder: Path) -> dict[str, Path]:
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix in FORTRAN_SUFFIXES)[:_MOST_NEIGHBOURS]
    except OSError:
        return {}
    found: dict[str, Path] = {}
    for path in files:
        for name in scan(path, ()).makes:
            found.setdefault(name, path)
    return found


def _like(command: Command, source: Path) -> Command:
    """The command of a file that has none: as the one that needs it, in the form that its own name tells."""
    words = tuple(w for w in command.arguments if w not in ("-ffixed-form", "-ffree-form"))
    return Command(source, command.directory, words, Language.FORTRAN)


def _break_circles(jobs: Sequence[Job]) -> None:
    """Conditions that are not followed may make files need each other: one of them then does not wait."""
    while True:
        graph: Mapping[int, Iterable[int]] = {number: job.waits_for for number, job in enumerate(jobs)}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            circle = error.args[1]
            jobs[circle[1]].waits_for.discard(circle[0])
        else:
            return
