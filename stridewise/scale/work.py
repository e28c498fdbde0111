"""The instructions of a program by function and line, as Cachegrind counts them of each process, or Callgrind of each
thread: work that no load of the machine changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stridewise.collect.symbolize import is_system
from stridewise.finding.sources import Project
from stridewise.runs import run_folder
from stridewise.runs.cache import profiles
from stridewise.runs.cache import table as cache_table
from stridewise.scale.counts import WORK, Count, Function, Site

OF_RANKS = "cachegrind.*.out"


@dataclass(frozen=True, slots=True)
class Work:
    """Of each function of the program, and of the lines of its own file in it."""

    functions: Mapping[Site, Count]
    lines: Mapping[Function, Mapping[int, Count]]


def of_folder(folder: Path, project: Project, files: str = OF_RANKS) -> Work | None:
    """None where the folder has no cache run that came to its end. A function is the same whatever lines of it have
    run: its line is its first that did. What the compiler makes of a construct of OpenMP is a function of its own."""
    record = next((r for r in run_folder.read_records(folder) if r.kind == "cache"), None)
    paths = run_folder.files(folder, "cache", files)
    if record is None or record.status != 0 or not paths:
        return None
    counted: dict[Function, list[int]] = defaultdict(list)
    lines: dict[Function, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        profile, _ = profiles.read([path])
        own: dict[Function, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        whole: dict[Function, int] = defaultdict(int)
        for name, places in cache_table.by_function(profile).items() if profile else ():
            mine = {place: counts for place, counts in places.items() if _is_own(place, project)}
            if not mine:
                continue
            file = max(mine, key=lambda place: (mine[place].instructions, place))[0]
            key = project.relative(file), name
            whole[key] += cache_table.sum_of(mine).instructions
            for (at, line), counts in mine.items():
                if at == file:
                    own[key][line] += counts.instructions
        for key, instructions in whole.items():
            counted[key].append(instructions)
            for line, of_line in own[key].items():
                lines[key][line].append(of_line)
    functions = {
        Site(WORK, ((file, min(lines[file, name]), name),)): _count(each) for (file, name), each in counted.items()
    }
    return Work(functions, {key: {line: _count(e) for line, e in by.items()} for key, by in lines.items()})


def _count(each: list[int]) -> Count:
    return Count(max(each), sum(each), ranks=len(each))


def _is_own(place: tuple[str, int], project: Project) -> bool:
    """Of files that debug information names without their folder, those that the project has."""
    file, line = place
    if line <= 0:
        return False
    return not is_system(file) if file.startswith("/") else (project.root / file).is_file()
