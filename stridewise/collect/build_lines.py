"""Where a build says with which options its units are compiled: lines of makefiles and of CMake's lists.

A line counts only when it explains the command that was recorded: the options that it names are among the command's.
Commented lines and those of other configurations therefore drop out, whatever the variable is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stridewise.collect.compile_db import Command, Language
from stridewise.collect.compilers import identify, is_fortran
from stridewise.finding.sources import Project, Sources

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
LISTS = "CMakeLists.txt"
_MOST_INCLUDES = 8
_ASSIGNMENT = re.compile(r"^(?:export\s+|override\s+)*([A-Za-z_][\w.-]*)\s*(?:\+|\?|:{1,3})?=\s*(.*)$")
_INCLUDE = re.compile(r"^-?s?include\s+(\S+)\s*$")
_LEVEL = re.compile(r"^-O(.*)$")
# What goes to the linker, or to compilers of other languages, is no place for a level of the one that is asked about.
_NOBODYS = r"LD|AR|LIB|NV|CUDA|HIP|YFLAGS|LFLAGS|MAKEFLAGS|CPPFLAGS|ASFLAGS"
_OF_FORTRAN = r"FC?FLAGS|F77|F90"
_OTHER_VARIABLE = re.compile(rf"^({_NOBODYS}|{_OF_FORTRAN})")
_OTHER_THAN_FORTRAN = re.compile(rf"^({_NOBODYS}|C(XX)?FLAGS)")
_FORTRAN_FLAGS = ("FFLAGS", "FCFLAGS", "F90FLAGS")
# What recipes call the compiler of a language.
_COMPILERS = ("$(CC)", "$(CXX)")
_FORTRAN_COMPILERS = ("$(FC)", "$(F77)", "$(F90)", "$(MPIF77)", "$(MPIF90)", "$(MPIFC)")
OPTIONS_VARIABLE = re.compile(r"(FLAGS?|OPTS?|OPTIONS|OPTIMI[SZ]\w*|OPT)$", re.IGNORECASE)
_IN_CMAKE = {Language.C: "C", Language.CXX: "CXX", Language.FORTRAN: "Fortran", Language.OTHER: "C"}
_LIST_COMMAND = re.compile(r"^\s*(\w+)\s*\(\s*([^\s)]*)(.*)$")


@dataclass(frozen=True, slots=True)
class BuildLine:
    """A line, counted from 1, at which the options of units are set; without `line` the file as a whole."""

    file: Path
    line: int


def makefile_of(command: Command, project: Project) -> Path | None:
    """The nearest makefile from where the command ran, or else from its source, up to the project's root."""
    for start in (command.directory, command.file.parent):
        for folder in upward(start, project.root):
            # What CMake generates says nothing that a user would edit.
            if (folder / "CMakeCache.txt").is_file() or (folder / "CMakeFiles").is_dir():
                continue
            if found := next((folder / name for name in MAKEFILES if (folder / name).is_file()), None):
                return found
    return None


def lists_of(command: Command, project: Project) -> list[Path]:
    """CMake's lists from the source's folder up to the root, nearest first."""
    return [path for f in upward(command.file.parent, project.root) if (path := f / LISTS).is_file()]


def files(command: Command, project: Project, sources: Sources) -> list[Path]:
    """The build files that decide how a unit is compiled, as far as they can be told."""
    if command.target and (lists := lists_of(command, project)):
        return lists
    makefile = makefile_of(command, project)
    if makefile is None:
        return lists_of(command, project)
    return list(dict.fromkeys(path for path, _, _ in _logical_lines(makefile, sources)))


def line_of(command: Command, project: Project, sources: Sources) -> BuildLine | None:
    """Where the level of optimisation of this unit can be set; None where no line explains its command."""
    if command.target and (lists := lists_of(command, project)):
        return _in_lists(command, lists, sources)
    makefile = makefile_of(command, project)
    return _in_makefile(command, makefile, sources) if makefile else None


def names_optimisation(paths: Iterable[Path], sources: Sources) -> bool:
    """True when an active line of these build files asks for -O2 or more."""
    return any(
        (level := _LEVEL.match(word)) and level[1] not in ("", "0", "1", "g")
        for path in paths
        for text in sources.lines(str(path))
        for word in _words(text.split("#")[0])
    )


def upward(start: Path, root: Path) -> Iterator[Path]:
    """From a folder up to the project's root; nothing for a folder that lies elsewhere."""
    for folder in (start, *start.parents):
        if not folder.is_relative_to(root):
            return
        yield folder


def _words(text: str) -> list[str]:
    return [word.strip("\"'(){};,") for word in text.split()]


def _options(text: str) -> list[str]:
    return [word for word in _words(text) if word.startswith("-") and len(word) > 1 and "$" not in word]


def _in_makefile(command: Command, makefile: Path, sources: Sources) -> BuildLine | None:
    best: tuple[tuple[int, ...], BuildLine] | None = None
    recorded = set(command.flags)
    fortran = command.language is Language.FORTRAN
    own = _FORTRAN_FLAGS if fortran else ("CXXFLAGS",) if command.language is Language.CXX else ("CFLAGS",)
    others = _OTHER_THAN_FORTRAN if fortran else _OTHER_VARIABLE
    for order, (path, number, text) in enumerate(_logical_lines(makefile, sources)):
        assigned = _ASSIGNMENT.match(text)
        if assigned is None or text.startswith("\t"):
            words = text.split()
            # A recipe that names the compiler itself, or this very source.
            if text.startswith("\t") and any(_is_compiler(w, fortran) for w in words[:2]):
                rank: tuple[int, ...] = (0, int(command.file.name in words), -order)
            else:
                continue
        else:
            name, value = assigned[1], assigned[2]
            options = _options(value)
            if not OPTIONS_VARIABLE.search(name) or (others.match(name) and name not in own):
                continue
            if any(option not in recorded for option in options):
                continue  # of another configuration, or of other units
            level = any(_LEVEL.match(option) for option in options)
            if not options and name not in own:
                continue
            rank = (1, 3 * level + 2 * (name in own) + bool(options), -order)
        if best is None or rank > best[0]:
            best = rank, BuildLine(path, number)
    return best[1] if best else None


def names_compiler(word: str) -> bool:
    """Whether the word of a recipe is a compiler of C, C++ or Fortran, or the variable that holds one."""
    return _is_compiler(word, fortran=False) or _is_compiler(word, fortran=True)


def _is_compiler(word: str, fortran: bool) -> bool:
    if fortran:
        return is_fortran(word.strip("$(){}")) or word in _FORTRAN_COMPILERS
    return bool(identify(word.strip("$(){}"))) or word in _COMPILERS


def joined_lines(path: Path, sources: Sources) -> Iterator[tuple[int, str]]:
    """(number of the first, counted from 1, text) of the lines of a makefile, those that go on in one."""
    lines = iter(enumerate(sources.lines(str(path)), 1))
    for number, first in lines:
        text = first.rstrip("\r")
        while text.endswith("\\"):
            _, more = next(lines, (0, ""))
            text = text[:-1] + " " + more.strip()
        yield number, text


def _logical_lines(makefile: Path, sources: Sources) -> Iterator[tuple[Path, int, str]]:
    """(file, number of the first line, text without comment) of a makefile and what it includes by plain names."""
    waiting, seen = [makefile], {makefile}
    while waiting:
        path = waiting.pop(0)
        for number, line in joined_lines(path, sources):
            text = line.split("#")[0].rstrip()
            yield path, number, text
            if (included := _INCLUDE.match(text)) and "$" not in included[1] and len(seen) < _MOST_INCLUDES:
                for base in (makefile.parent, path.parent):
                    other = base / included[1]
                    if other.is_file() and other not in seen:
                        seen.add(other)
                        waiting.append(other)


def _in_lists(command: Command, lists: list[Path], sources: Sources) -> BuildLine:
    recorded = set(command.flags)
    own = f"CMAKE_{_IN_CMAKE[command.language]}_FLAGS"
    best: tuple[tuple[int, ...], BuildLine] | None = None
    for distance, path in enumerate(lists):
        for number, line in enumerate(sources.lines(str(path)), 1):
            parsed = _LIST_COMMAND.match(line.split("#")[0])
            if not parsed:
                continue
            word, first, rest = parsed[1].lower(), parsed[2], parsed[3]
            options = _options(rest if first.startswith(("CMAKE_", command.target)) else f"{first} {rest}")
            explains = bool(options) and all(option in recorded for option in options)
            if word == "set" and first == own and explains:
                rank = 5
            elif word in ("add_compile_options", "target_compile_options") and explains:
                if word.startswith("target") and first != command.target:
                    continue
                rank = 4
            elif word == "set" and first == "CMAKE_BUILD_TYPE":
                rank = 3
            elif word in ("add_executable", "add_library") and first == command.target:
                rank = 2
            elif word == "project":
                rank = 1
            else:
                continue
            rank += 3 * any(_LEVEL.match(option) for option in options) * explains
            if best is None or (rank, -distance) > best[0]:
                best = (rank, -distance), BuildLine(path, number)
    return best[1] if best else BuildLine(lists[0], 1)
