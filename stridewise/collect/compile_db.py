"""Compile databases: entries of any build system in, what stridewise-analyze needs out."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any

from stridewise.collect import cmake_db, fortran_options
from stridewise.collect.compiler_options import DROPPED_WITH_VALUE, WITH_VALUE, translate
from stridewise.collect.compilers import LAUNCHERS, Interrogator, Kind, identify
from stridewise.errors import Failure
from stridewise.settings import remedies, toolchain
from stridewise.settings.path_map import active

DATABASE = "compile_commands.json"
_C = {".c", ".i"}
_CXX = {".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii", ".cppm", ".ixx"}
_FORTRAN = {
    ".f",
    ".for",
    ".f90",
    ".f95",
    ".f03",
    ".f08",
    ".F",
    ".FOR",
    ".F90",
    ".F95",
    ".F03",
    ".F08",
    ".ftn",
    ".FTN",
    ".fpp",
    ".FPP",
}
_OTHER = {
    ".cu",
    ".hip",
    ".s",
    ".S",
    ".sx",
    ".asm",
    ".m",
    ".mm",
    ".d",
    ".go",
    ".adb",
    ".ads",
    ".rs",
    ".swift",
}
SOURCE_SUFFIXES = frozenset(_C | _CXX)
FORTRAN_SUFFIXES = frozenset(_FORTRAN)
_COMPILED_SUFFIXES = frozenset(_C | _CXX | _FORTRAN | _OTHER)
_MAX_RESPONSE_DEPTH = 10

# A level of -O or a debug build: without either, flags given on the command line say only how to read the file.
_LEVEL = re.compile(r"^-(O.*|g|g[0-9]|ggdb[0-9]?)$")
# Compilers that optimise without being told to (-O2).
_OPTIMISING = frozenset("nvc nvc++ pgcc pgc++ icc icpc icx icpx craycc crayCC".split())


_GFORTRAN = re.compile(r"(^|-)(gfortran|f77|f95)(-[0-9.]+)?$")
_KEEPS_TRAPS = "--keeps-traps"
_NO_TRAPS = re.compile(r"-(fno-trapping-math|ffast-math|Ofast|mavx512.*|march=.*(avx512|icelake|sapphire|znver[4-9]))")
_CMAKE_OBJECTS = re.compile(r"(?:^|/)CMakeFiles/([^/]+)\.dir/")


class Language(Enum):
    C = "c"
    CXX = "c++"
    FORTRAN = "fortran"
    OTHER = "other"


C_FAMILY = frozenset({Language.C, Language.CXX})


class DatabaseError(Failure):
    """The database as a whole cannot be read."""


class EntryError(Exception):
    """One entry cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One element of the database: an absolute directory and file, and the command as words."""

    directory: Path
    file: Path
    arguments: tuple[str, ...]
    unity: Path | None = None  # the generated file of a unity build that includes this one


@dataclass(frozen=True, slots=True)
class Command:
    """What the analyser gets: `arguments` hold neither compiler nor source, and no output options.

    `options` are the analyser's own, for this file; they are part of what its result depends on.
    """

    file: Path
    directory: Path
    arguments: tuple[str, ...]
    language: Language
    options: tuple[str, ...] = ()
    target: str = field(default="", compare=False)  # what the unit is a part of, by where its output goes
    flags: tuple[str, ...] = field(default=(), compare=False)  # the build's own options, as they were recorded
    back_end: tuple[str, ...] = field(default=(), compare=False)  # of Fortran: level, -g, processor, in clang's words
    keeps: bool = field(default=True, compare=False)  # an object, so that a program may be made of it

    @property
    def openmp(self) -> bool:
        return "-fopenmp" in self.arguments

    def by_itself(self) -> Command:
        """Without the options that other units gave it, those of its build alone."""
        return replace(self, options=tuple(option for option in self.options if option == _KEEPS_TRAPS))


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry that cannot be analysed."""

    file: Path
    message: str


@dataclass
class Workload:
    """A normalised database.

    `repeated` counts entries equal to an earlier one, `skipped` are those in other languages or with C++20 modules.
    """

    commands: list[Command] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: list[Path] = field(default_factory=list)
    excluded: list[Path] = field(default_factory=list)
    repeated: int = 0
    entries: int = 0
    notes: list[str] = field(default_factory=list)


def find_database(start: Path) -> Path | None:
    """The nearest database: in a folder, its build folders (newest first), then the same one folder up."""
    for folder in [start, *start.parents]:
        direct = [folder / DATABASE, folder / "build" / DATABASE]
        found = next((p for p in direct if p.is_file()), None)
        if found:
            return found
        try:
            others = [
                p
                for pattern in ("build*", "cmake-build*", "_build*", "out", "build/*", "out/*", "out/build/*")
                for p in folder.glob(f"{pattern}/{DATABASE}")
            ]
            others = [p for p in others if p.is_file()]
            if others:
                return max(others, key=lambda p: p.stat().st_mtime)
        except OSError:
            continue
    return None


def load(path: Path) -> list[Entry | Problem]:
    """Entries of a database (a file, or the folder that holds compile_commands.json), in order.

    The sources of a unity build stand in place of the files that include them. A wrong element gives a Problem;
    DatabaseError if the whole cannot be read.
    """
    if path.is_dir():
        path = path / DATABASE
    try:
        data = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
    except FileNotFoundError as error:
        raise DatabaseError(
            f"no {DATABASE} at {path}; make one with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "
            "or stridewise capture -- make"
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        raise DatabaseError(f"cannot read {path}: {error}") from error
    if not isinstance(data, list):
        raise DatabaseError(f"{path} is no compile database: expected a list of entries")
    return [entry for index, item in enumerate(data) for entry in _single(_entry(item, path, index))]


def _single(entry: Entry | Problem) -> Iterable[Entry | Problem]:
    """An entry for each source of a unity build, else the entry."""
    if isinstance(entry, Problem) or not cmake_db.is_unity(entry.file):
        return (entry,)
    cxx = entry.file.suffix in _CXX
    return [
        Entry(
            entry.directory,
            Path(os.path.normpath(source)),
            (*entry.arguments, *macros, *(("-x", "c++") if cxx and source.suffix in _C else ())),
            entry.file,
        )
        for source, macros in cmake_db.unity_sources(entry.file)
    ] or (entry,)


def _entry(item: Any, path: Path, index: int) -> Entry | Problem:
    def wrong(why: str) -> Problem:
        return Problem(path, f"entry {index}: {why}")

    if not isinstance(item, dict):
        return wrong("expected an object")
    directory, file = item.get("directory"), item.get("file")
    if not isinstance(directory, str) or not isinstance(file, str) or not file:
        return wrong("'directory' and 'file' must be strings")
    now = active()
    base = Path(os.path.normpath(path.parent.absolute() / now(directory)))
    full = Path(os.path.normpath(base / now(file)))
    arguments, command = item.get("arguments"), item.get("command")
    if isinstance(arguments, list) and all(isinstance(word, str) for word in arguments):
        words = tuple(arguments)
    elif isinstance(command, str):
        try:
            words = tuple(shlex.split(command))
        except ValueError as error:
            return Problem(full, f"the command of {full} cannot be split into words: {error}")
    else:
        return wrong("needs 'arguments' (a list of strings) or 'command' (a string)")
    if not words or any("\0" in word for word in words):
        return wrong("empty command")
    return Entry(base, full, tuple(map(now.word, words)))


def normalise(
    entries: Iterable[Entry | Problem], interrogator: Interrogator, languages: Iterable[Language] = C_FAMILY
) -> Workload:
    """Commands for the analyser, each distinct one once; those in other languages are skipped."""
    wanted = frozenset(languages)
    work = Workload()
    seen: set[Command] = set()
    modules: dict[Path, str] = {}
    for entry in _one_configuration(list(entries), work):
        work.entries += 1
        if isinstance(entry, Problem):
            work.problems.append(entry)
            continue
        try:
            command = to_command(entry, interrogator)
        except EntryError as error:
            work.problems.append(Problem(entry.file, str(error)))
            continue
        if _is_header(entry.arguments):
            continue  # a precompiled header: what includes it is analysed
        if command.language not in wanted:
            work.skipped.append(entry.file)
        elif not entry.file.is_file():
            work.problems.append(Problem(entry.file, "the database names this file, but it does not exist"))
        elif not entry.directory.is_dir():
            work.problems.append(Problem(entry.file, f"its build folder {entry.directory} does not exist"))
        elif command in seen:
            work.repeated += 1
        elif command.language is Language.CXX and (used := cmake_db.used_module(entry.file, command.arguments)):
            modules[entry.file] = used
        else:
            seen.add(command)
            work.commands.append(command)
    if modules:
        work.skipped += modules
        file, used = next(iter(modules.items()))
        count = f"{len(modules)} files use" if len(modules) > 1 else f"{file.name} uses"
        where = f", in {file.name}" if len(modules) > 1 else ""
        work.notes.append(f"{count} C++20 modules ('{used}'{where}), which are not analysed yet: skipped")
    say_fortran(work)
    return work


def say_fortran(work: Workload) -> None:
    """Notes that files of Fortran are not read; where there is nothing else, that is why nothing was done."""
    if text := fortran_left_out(work.skipped):
        if work.commands or work.problems:
            work.notes.append(text)
        else:
            work.problems.append(Problem(work.skipped[0], text))


def fortran_left_out(files: Iterable[Path]) -> str:
    """That files of Fortran are not read, and what to do about it; empty where there are none, or they are read."""
    found = sorted({file for file in files if file.suffix in FORTRAN_SUFFIXES})
    if not found or toolchain.flang():
        return ""
    named = f"Fortran ({found[0].name}{f' and {len(found) - 1} more' if len(found) > 1 else ''})"
    how = "; ".join(remedies.commands(remedies.FLANG, remedies.system()).values())
    return (
        f"{named} is not read: that needs flang 19 ({how}); without it only a run shows what it wastes, with its "
        "lines (stridewise run -- CMD)"
    )


def _one_configuration(entries: Sequence[Entry | Problem], work: Workload) -> Sequence[Entry | Problem]:
    """Without the configurations that a multi-configuration generator wrote beside the one to analyse."""
    names = [cmake_db.configuration(e.arguments) if isinstance(e, Entry) else "" for e in entries]
    if len({name for name in names if name}) < 2:
        return entries
    best = cmake_db.best_configuration(name for name in names if name)
    chosen = {e.file for e, name in zip(entries, names, strict=True) if isinstance(e, Entry) and name == best}
    kept = [
        e
        for e, name in zip(entries, names, strict=True)
        if isinstance(e, Problem) or name in ("", best) or e.file not in chosen
    ]
    others = sorted({name for name in names if name} - {best})
    work.notes.append(f"the database holds several configurations: {best} was analysed, {', '.join(others)} left out")
    return kept


def _is_header(words: Sequence[str]) -> bool:
    """Whether the command makes a precompiled header."""
    return any(
        word in ("-xc-header", "-xc++-header") or (word == "-x" and value in ("c-header", "c++-header"))
        for word, value in pairwise(words)
    )


def to_command(entry: Entry, interrogator: Interrogator) -> Command:
    """Raises EntryError when the command cannot be understood."""
    words = strip_launchers(entry.arguments)
    compiler, words = words[0], expand_response_files(words[1:], entry.directory)
    words = cmake_db.without_module_options(words)
    known = identify(compiler)
    if is_fortran_file(entry.file):
        found = interrogator.fortran_folders(compiler, entry.directory)
        return Command(
            entry.file,
            entry.directory,
            (*fortran_options.translate(words), *found),
            Language.FORTRAN,
            options=_traits(wrapped := interrogator.fortran_compiler(compiler, entry.directory), words),
            target=target_of(words),
            flags=tuple(word for word in words if word.startswith("-")),
            back_end=fortran_options.build_options(words, wrapped),
            keeps=keeps_object(words),
        )
    arguments, explicit = translate(words)
    family = known.family if known else ""
    optimises = family in _OPTIMISING or (known is not None and known.kind is Kind.VENDOR and family in ("cc", "CC"))
    if (optimises or not keeps_object(words)) and not any(word.startswith("-O") for word in arguments):
        arguments = ("-O2", *arguments)
    language = _language(entry.file, explicit, known is not None and known.is_cxx)
    if language is Language.OTHER:
        return Command(entry.file, entry.directory, (), language)
    extra = interrogator.extra_arguments(compiler, entry.directory)
    by_suffix = _language(entry.file, "", False)
    forced = ("-x", language.value) if language is not by_suffix else ()
    recorded = tuple(word for word in words if word.startswith("-"))
    return Command(
        entry.file,
        entry.directory,
        (*forced, *arguments, *extra),
        language,
        options=_traits(interrogator.wrapped_compiler(compiler, entry.directory), recorded),
        target=target_of(words),
        flags=recorded,
        keeps=keeps_object(words),
    )


def _traits(compiler: str, words: Sequence[str]) -> tuple[str, ...]:
    """The analyser's options for what the build's compiler does otherwise than clang (analyzer/unit/BuildTraits.h)."""
    known = identify(compiler)
    gnu = known.kind is Kind.GNU if known else _GFORTRAN.search(PurePath(compiler).name) is not None
    return (_KEEPS_TRAPS,) if gnu and not any(_NO_TRAPS.match(word) for word in words) else ()


def keeps_object(words: Sequence[str]) -> bool:
    """Whether a command leaves an object or a program behind; one that does not only says how to read the file."""
    return "-fsyntax-only" not in words and (("-o", os.devnull) not in pairwise(words))


def target_of(words: Sequence[str]) -> str:
    """The program or library that a compile command makes or works for, as far as its output tells; else empty.

    CMake keeps the objects of a target in a folder of its name; a command that also links names the program itself.
    """
    output = next((value for word, value in pairwise(words) if word == "-o"), "")
    if made := _CMAKE_OBJECTS.search(output.replace(os.sep, "/")):
        return made[1]
    return PurePath(output).name if output and "-c" not in words and "-S" not in words else ""


def plain_command(file: Path, flags: Sequence[str]) -> Command:
    """The command of a file given on the command line with its flags."""
    if is_fortran_file(file):
        words = expand_response_files(flags, Path.cwd())
        read = words if any(_LEVEL.match(word) for word in words) else ("-O2", *words)
        return Command(
            file,
            Path.cwd(),
            fortran_options.translate(words),
            Language.FORTRAN,
            flags=tuple(flags),
            back_end=fortran_options.build_options(read, ""),
        )
    arguments, explicit = translate(expand_response_files(flags, Path.cwd()))
    if not any(_LEVEL.match(word) for word in arguments):
        arguments = ("-O2", *arguments)  # flags to read the file with, not the build's
    language = _language(file, explicit, False)
    forced = ("-x", language.value) if language is not _language(file, "", False) else ()
    return Command(file, Path.cwd(), (*forced, *arguments), language)


def strip_launchers(words: Sequence[str]) -> tuple[str, ...]:
    """The compiler's own command: ccache, distcc, `env A=b`, `cmake -E … --`, `sh -c '…'` in front are taken off."""
    for _ in range(8):
        if not words:
            raise EntryError("the command names no compiler")
        name = PurePath(words[0]).name
        if name in ("sh", "bash", "dash") and len(words) >= 3 and words[1] == "-c":
            if re.search(r"[;&|<>`$()]", words[2]):
                raise EntryError("the command is a shell script; record the compiler's own command instead")
            words = shlex.split(words[2])
        elif name in LAUNCHERS:
            following = next((i for i, word in enumerate(words) if i > 0 and identify(word)), None)
            if following is None:
                raise EntryError(f"no known compiler follows '{name}' in the command")
            words = words[following:]
        else:
            return tuple(words)
    raise EntryError("too many launchers in front of the compiler")


def expand_response_files(words: Sequence[str], directory: Path, depth: int = 0) -> tuple[str, ...]:
    """Replaces each @file by its words, as GCC does; a missing file raises EntryError."""
    out: list[str] = []
    for word in words:
        if not word.startswith("@") or len(word) == 1:
            out.append(word)
            continue
        path = directory / word[1:]
        if cmake_db.is_module_map(word) and not path.exists():
            continue  # made while building, and of no use to files without modules
        if depth >= _MAX_RESPONSE_DEPTH:
            raise EntryError(f"response files nest too deep at {path}")
        try:
            inner = shlex.split(path.read_text(encoding="utf-8", errors="surrogateescape"))
        except (OSError, ValueError) as error:
            raise EntryError(f"cannot read response file {path}: {error}; build the project first") from error
        out += expand_response_files(inner, directory, depth + 1)
    return tuple(out)


def is_fortran_file(file: PurePath) -> bool:
    return file.suffix in FORTRAN_SUFFIXES


def _language(file: Path, explicit: str, cxx_driver: bool) -> Language:
    if explicit and explicit != "none":
        if explicit in ("c", "cpp-output"):
            return Language.C
        return Language.CXX if explicit in ("c++", "c++-cpp-output", "c++-module") else Language.OTHER
    if file.suffix in _CXX:
        return Language.CXX
    if file.suffix in _C:
        return Language.CXX if cxx_driver else Language.C
    return Language.OTHER


def sources_in(words: Sequence[str]) -> list[str]:
    """The source files (of any compiled language) that a compiler command names as inputs."""
    found: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word in WITH_VALUE or word in DROPPED_WITH_VALUE:
            position += 1
        elif not word.startswith("-") and PurePath(word).suffix in _COMPILED_SUFFIXES:
            found.append(word)
    return found
