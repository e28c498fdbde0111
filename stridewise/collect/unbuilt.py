"""The level of optimisation of programs that nobody built for us: what the project's own build files would do.

Where units are named with options of their own, no database says how they are compiled. The makefile or the CMake lists
beside them do: a source that each of their commands for the default goal compiles with -O0, or without any level by a
compiler that then takes none, is compiled so by whoever types `make`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise.collect import fortran_options
from stridewise.collect.build_lines import LISTS, MAKEFILES, BuildLine, upward
from stridewise.collect.compile_db import Command, Language
from stridewise.collect.compilers import Kind, identify, is_fortran
from stridewise.collect.makefile_recipes import Makefile, Recipe
from stridewise.finding.sources import Project, Sources

ENOUGH = 2  # as if the build asked for optimisation, or as if nothing is known
_LEVEL = re.compile(r"^[-/]O(.*)$")
_LEVEL_ANYWHERE = re.compile(r"-O([1-9sfz]|fast)")
_HANDS_DOWN = re.compile(r"\bexport\b[\s\S]*\bMAKE[)}]|\bMAKE[)}].*=")
_OFF = ("0", "d")
_FIRST = ("", "1", "g")
_OF_INTEL = "mpii"  # wrappers of Intel's MPI, whatever the language
_OPTIMISES = re.compile(r"(?<![\w-])-O([1-9sfz]|fast)|CMAKE_BUILD_TYPE|CMAKE_(C|CXX|Fortran)_FLAGS_RELEASE")
_PROJECT = re.compile(r"^\s*project\s*\(", re.IGNORECASE)
_GLOB = re.compile(r"\bGLOB(_RECURSE)?\b|aux_source_directory", re.IGNORECASE)
# What names a type of build: lists, and of the whole project presets, scripts, pages and the jobs of a server.
_LIST = re.compile(r"(CMakeLists\.txt|.*\.cmake)$")
_TEXT = re.compile(r"(CMakeLists\.txt|CMakePresets\.json|README.*|INSTALL.*|.*\.(cmake|sh|yml|yaml))$")
_MOST_FILES = 20_000  # of a project; of a larger one nothing is said


@dataclass(frozen=True, slots=True)
class Planned:
    """How a source would be compiled: the level, and the line that says so or would have to."""

    level: int
    line: BuildLine
    alone: bool = False  # the line is the command of this source: no variable holds its options


class PlannedBuilds:
    """Reads each build file of a project once."""

    def __init__(self, project: Project, sources: Sources) -> None:
        self._project, self._sources = project, sources
        self._makefiles: dict[Path, Makefile] = {}
        self._lists: dict[Path, bool] = {}

    def of(self, command: Command) -> Planned | None:
        """What the nearest build file that compiles this source would do; None where nothing is certain."""
        source = command.file
        for folder in upward(source.parent, self._project.root):
            if path := next((folder / name for name in MAKEFILES if (folder / name).is_file()), None):
                makefile = self._makefiles.setdefault(path, Makefile(path, self._sources))
                if recipes := makefile.recipes(source):
                    return self._of_recipes(recipes, folder)
                if not makefile.rules and folder == source.parent:
                    return self._of_part(makefile)
            if (folder / LISTS).is_file():
                return self._of_lists(command, folder)
        return None

    def _of_recipes(self, recipes: Sequence[Recipe], folder: Path) -> Planned | None:
        if not all(recipe.sure for recipe in recipes) or self._set_from_above(folder):
            return None
        planned = [p for recipe in recipes if (p := _level(recipe))]
        if not planned or any(p.level >= ENOUGH for p in planned):
            return None
        return min(planned, key=lambda p: p.level)

    def _of_part(self, makefile: Makefile) -> Planned | None:
        """Of a makefile without rules, which another one reads: only what it says itself."""
        levels = [(found[1], place) for word, place in makefile.options() if (found := _LEVEL.match(word))]
        off = [place for level, place in levels if level in _OFF]
        return Planned(0, off[0]) if off and len(off) == len(levels) and makefile.whole else None

    def _set_from_above(self, folder: Path) -> bool:
        """Whether a makefile further up may hand its options down."""
        for each in list(upward(folder, self._project.root))[1:]:
            for name in MAKEFILES:
                text = "\n".join(self._sources.lines(str(each / name)))
                if _LEVEL_ANYWHERE.search(text) and _HANDS_DOWN.search(text):
                    return True
        return False

    # CMake

    def _of_lists(self, command: Command, folder: Path) -> Planned | None:
        top = [each for each in upward(folder, self._project.root) if (each / LISTS).is_file()][-1]
        if command.language is Language.OTHER or not self._names(command.file, folder, top):
            return None
        if top not in self._lists:
            self._lists[top] = self._leaves_level_open(top)
        return Planned(0, self._line_of(command, top / LISTS)) if self._lists[top] else None

    def _names(self, source: Path, folder: Path, top: Path) -> bool:
        """Whether a list between the source and the top takes it."""
        for each in upward(folder, self._project.root):
            text = "\n".join(line.split("#")[0] for line in self._sources.lines(str(each / LISTS)))
            if re.search(rf"(?<![\w.]){re.escape(source.name)}(?![\w.])", text) or _GLOB.search(text):
                return True
            if each == top:
                break
        return False

    def _leaves_level_open(self, top: Path) -> bool:
        """Whether no list, preset or page of the project names a level or a type of build."""
        if not any(_PROJECT.match(line) for line in self._sources.lines(str(top / LISTS))):
            return False
        seen = 0
        for folder, folders, names in os.walk(top):
            seen += len(names)
            if seen > _MOST_FILES:
                return False
            folders[:] = [name for name in folders if name == ".github" or not name.startswith(".")]
            told = _TEXT if Path(folder) == top or ".github" in folder else _LIST
            texts = [Path(folder) / name for name in names if told.match(name)]
            if any(_OPTIMISES.search(line) for path in texts for line in self._sources.lines(str(path))):
                return False
        return True

    def _line_of(self, command: Command, lists: Path) -> BuildLine:
        """Where the options of the language are set, or else the project."""
        language = {Language.C: "C", Language.CXX: "CXX"}.get(command.language, "Fortran")
        own = re.compile(rf"^\s*set\s*\(\s*CMAKE_{language}_FLAGS\b", re.IGNORECASE)
        lines = list(enumerate(self._sources.lines(str(lists)), 1))
        found = next((n for n, text in lines if own.match(text)), None)
        return BuildLine(lists, found or next((n for n, text in lines if _PROJECT.match(text)), 1))


def _level(recipe: Recipe) -> Planned | None:
    """None where the command's first word is no compiler, or one whose default is its maker's."""
    words = list(recipe.words)
    while words and ("=" in words[0] or words[0] in ("ccache", "env", "time")):
        words.pop(0)
    if not words:
        return None
    name = Path(words[0]).name
    compiler, said = identify(name), [w for w in words if _LEVEL.match(w)]
    if is_fortran(name):
        named = fortran_options.build_options(words, name)[0][len("-O") :]
    elif compiler is None:
        return None
    elif said:
        named = said[-1][len("-O") :]
    else:
        named = "0"
    level = 0 if named in _OFF else 1 if named in _FIRST else ENOUGH
    # Of vendors' compilers, and of wrappers of them, what they do without a level is theirs to say.
    if not said and (name.startswith(_OF_INTEL) or (compiler is not None and compiler.kind is Kind.VENDOR)):
        level = ENOUGH
    at = (recipe.at(said[-1]) if said else None) or recipe.options_at
    return Planned(level, at or recipe.line, alone=at in (None, recipe.line))
