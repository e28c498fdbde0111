"""The programs of a workspace: which compile database a file belongs to, and the commands that read it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from stridewise.collect import compile_db
from stridewise.collect.compile_db import Command, Entry, Language, Workload
from stridewise.collect.compilers import Interrogator
from stridewise.finding.sources import Project, find_project
from stridewise.lint.result_cache import ResultCache
from stridewise.lint.study import readable_languages

HEADER_SUFFIXES = frozenset(".h .hh .hpp .hxx .h++ .H .inc .inl .ipp .tcc .tpp .txx".split())
_SOURCE_SUFFIXES = compile_db.SOURCE_SUFFIXES | compile_db.FORTRAN_SUFFIXES
SUFFIXES = _SOURCE_SUFFIXES | HEADER_SUFFIXES
_OLD_C = frozenset("-ansi -std=c89 -std=c90 -std=iso9899:1990 -std=iso9899:199409".split())
_CONFIGURATIONS = 4  # commands of one file that are analysed
_SCANNED = 400  # sources that are read to find those that include a header
_MAX_SCAN_BYTES = 2 << 20
_INCLUDERS = 3


def is_header(path: str) -> bool:
    return Path(path).suffix not in _SOURCE_SUFFIXES


@dataclass(frozen=True, slots=True)
class Commands:
    """What is analysed for a file. `note` is what its author should know of it."""

    commands: tuple[Command, ...] = ()
    note: str = ""


@dataclass
class Program:
    """The units of one compile database, or without one of the files that lie together."""

    database: Path | None
    project: Project
    entries: list[Entry] = field(default_factory=list)
    broken: bool = False  # an entry cannot be used, so that the program is never seen whole
    _by_file: dict[str, list[Entry]] = field(default_factory=dict)
    _commands: dict[str, Commands] = field(default_factory=dict)
    _includers: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    _fortran: tuple[Command, ...] | None = None

    @staticmethod
    def load(database: Path) -> Program:
        """Raises DatabaseError."""
        found = compile_db.load(database)
        entries = [entry for entry in found if isinstance(entry, Entry)]
        project = find_project([entry.file for entry in entries], database)
        program = Program(database, project, entries, len(entries) < len(found))
        for entry in entries:
            program._by_file.setdefault(str(entry.file), []).append(entry)
            real = os.path.realpath(entry.file)
            if real != str(entry.file):
                program._by_file.setdefault(real, []).append(entry)
        return program

    @staticmethod
    def alone(file: Path) -> Program:
        return Program(None, find_project([file]))

    def has(self, path: str) -> bool:
        return path in self._by_file or os.path.realpath(path) in self._by_file

    def forget(self) -> None:
        """Sources came or went: what was looked up in them may be answered otherwise."""
        self._includers.clear()

    def commands(self, path: str, cache: ResultCache | None) -> Commands:
        """The commands whose main file this is. One that no entry names is read with the flags of its neighbour."""
        if path not in self._commands:
            self._commands[path] = self._find(path, cache)
        return self._commands[path]

    def is_old_c(self, path: str) -> bool:
        """Whether a command of the file asks for C without // comments."""
        found = self._commands.get(path, Commands())
        return any(word in _OLD_C for command in found.commands for word in command.arguments)

    def _find(self, path: str, cache: ResultCache | None) -> Commands:
        entries = self._by_file.get(path) or self._by_file.get(os.path.realpath(path))
        if entries:
            # Under the name that the editor knows it by.
            work = self._normalised([replace(e, file=Path(path)) for e in entries[:_CONFIGURATIONS]], cache)
            wrong = "; ".join(problem.message for problem in work.problems)
            return Commands(tuple(work.commands), wrong or compile_db.fortran_left_out([Path(path)]))
        near = self._neighbour(Path(path))
        if near is None:
            command = compile_db.plain_command(Path(path), ())
            if command.language not in readable_languages():
                return Commands((), compile_db.fortran_left_out([Path(path)]))
            where = f"{self.database} has no entry for it" if self.database else f"there is no {compile_db.DATABASE}"
            note = (
                f"{where}: {Path(path).name} is read with plain flags (-O2); make a database with "
                "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or stridewise capture -- make"
            )
            return Commands((replace(command, directory=Path(path).parent),), note)
        work = self._normalised([replace(near, file=Path(path))], cache)
        note = f"{self.database} has no entry for {Path(path).name}: it is read with the flags of {near.file.name}"
        return Commands(tuple(work.commands), note)

    def _normalised(self, entries: Sequence[Entry], cache: ResultCache | None) -> Workload:
        here = [entry for entry in entries if entry.directory.is_dir()]
        work = Workload()
        interrogator = Interrogator(self.project.root, cache)
        for entry in here or [replace(entry, directory=entry.file.parent) for entry in entries]:
            # Not compile_db.normalise: a buffer need not be on disk.
            try:
                command = compile_db.to_command(entry, interrogator)
            except compile_db.EntryError as error:
                work.problems.append(compile_db.Problem(entry.file, str(error)))
                continue
            if command.language in readable_languages() and command not in work.commands:
                work.commands.append(command)
        return work

    def _neighbour(self, file: Path) -> Entry | None:
        """The entry of the same language that is nearest in the tree, a file of the same stem before others."""
        kind = _kind(file)

        def nearness(entry: Entry) -> tuple[bool, int, int]:
            shared = _shared(entry.file, file)
            return entry.file.stem == file.stem, shared, -len(entry.file.parts)

        same = [e for e in self.entries if _kind(e.file) == kind]
        if not same and kind is not Language.FORTRAN:
            same = [e for e in self.entries if e.file.suffix in compile_db.SOURCE_SUFFIXES]
        return max(same, key=nearness, default=None)

    def all_commands(self, cache: ResultCache | None) -> list[Command]:
        """Those of every unit that is on disk, under the names of the database."""
        work = compile_db.normalise(self.entries, Interrogator(self.project.root, cache), readable_languages())
        self.broken = self.broken or bool(work.problems)
        return work.commands

    def beside(self, commands: Sequence[Command], cache: ResultCache | None) -> Sequence[Command]:
        """The other units of Fortran, where there is Fortran among the commands: they may use modules of those."""
        if all(command.language is not Language.FORTRAN for command in commands):
            return ()
        if self._fortran is None:
            entries = [entry for entry in self.entries if _kind(entry.file) is Language.FORTRAN]
            work = compile_db.normalise(entries, Interrogator(self.project.root, cache), readable_languages())
            self._fortran = tuple(work.commands)
        return self._fortran

    def including(self, header: str) -> tuple[str, ...]:
        """Sources that name the header in an #include: those of its stem first, then the nearest. For a header that no
        unit is known to have read."""
        if header not in self._includers:
            self._includers[header] = tuple(self._scan(Path(header)))
        return tuple(str(entry.file) for entry in self._includers[header])

    def _scan(self, header: Path) -> list[Entry]:
        name = re.escape(os.fsencode(header.name))
        names = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<](?:[^">\n]*/)?' + name, re.MULTILINE)

        def nearness(entry: Entry) -> tuple[bool, int]:
            return entry.file.stem != header.stem, -_shared(entry.file, header)

        found: list[Entry] = []
        for entry in sorted(self.entries, key=nearness)[:_SCANNED]:
            if entry.file.suffix in compile_db.SOURCE_SUFFIXES and names.search(_head(entry.file)):
                found.append(entry)
                if len(found) == _INCLUDERS:
                    break
        return found


def _kind(file: Path) -> Language | None:
    """The language that a file's name tells; C's headers count as C++."""
    if compile_db.is_fortran_file(file):
        return Language.FORTRAN
    return Language.C if file.suffix in (".c", ".i") else Language.CXX


def _shared(a: Path, b: Path) -> int:
    """How many folders two absolute paths have in common."""
    return next((n for n, (x, y) in enumerate(zip(a.parts, b.parts, strict=False)) if x != y), 0)


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_MAX_SCAN_BYTES)
    except (OSError, ValueError):
        return b""


def find_database(file: Path, root: Path | None, build_folder: str) -> Path | None:
    """The database of the settings, else the nearest one."""
    if build_folder:
        path = (root or file.parent) / Path(build_folder).expanduser()
        found = path if path.is_file() else path / compile_db.DATABASE
        return Path(os.path.abspath(found)) if found.is_file() else None
    found_near = compile_db.find_database(file.parent)
    return Path(os.path.abspath(found_near)) if found_near else None


def root_of(file: Path, roots: Iterable[Path]) -> Path | None:
    """The innermost workspace folder that holds the file."""
    return max((root for root in roots if file.is_relative_to(root)), key=lambda r: len(r.parts), default=None)
