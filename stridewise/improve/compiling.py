"""How the program is compiled: what can be tried of it, with or without a finding. Only a measurement tells what a
level or the processor's own instructions bring, and it costs one build."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise.collect import build_lines, compile_db
from stridewise.errors import Failure
from stridewise.finding import Edit
from stridewise.finding.sources import Project, Sources
from stridewise.improve.edits import Recipe, Refused, blank, closing

LEVEL = "-O3"
PROCESSOR = "-march=native"
_NAMES = ("GNUmakefile", "makefile", "Makefile", "CMakeLists.txt")
_LOW = re.compile(r"(?<![\w-])-O(?:0|1|g)?(?![\w])")
_BELOW = re.compile(r"(?<![\w-])-O(?:0|1|2|g)?(?![\w])")
_ANY = re.compile(r"(?<![\w-])-O(?:[0-9gs]|fast)?(?![\w])")
_VARIABLES = re.compile(r"^[ \t]*(?:C|CXX|F|FC|F77|F90)FLAGS[ \t]*(?::|::|\+|\?)?=(?P<value>[^\n#]*)", re.MULTILINE)
_RECIPE = re.compile(r"^\t[-@ ]*(?P<first>\S+)", re.MULTILINE)
_FOR_PROCESSOR = ("-march=", "-mcpu=", "-mtune=native", "-xHost", "-tp=", "-arch")
_GNU = re.compile(
    r"(?:^|[/-])(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|mpicc|mpicxx|mpic\+\+|gfortran|flang(?:-new)?|mpif(?:77|90|ort))"
    r"(?:[-.][\d.]+|\.openmpi|\.mpich)?$"
)


@dataclass(frozen=True)
class Build:
    """A tree that was built, and where its compilations are recorded."""

    tree: Path
    database: Path

    def entries(self) -> list[compile_db.Entry]:
        """The recorded compilations of C, C++ and Fortran; none where they cannot be read."""
        try:
            found = compile_db.load(self.database / "compile_commands.json")
        except Failure:
            return []
        return [
            entry
            for entry in found
            if isinstance(entry, compile_db.Entry)
            and entry.arguments
            and entry.file.suffix in compile_db.SOURCE_SUFFIXES | compile_db.FORTRAN_SUFFIXES
        ]

    def files(self, named: Path | None = None) -> list[tuple[Path, str]]:
        """What says how the program is compiled, by its text: the file that a finding names; else the makefiles (with
        what they include) or CMake's lists of the recorded compilations."""
        if named is not None and (named.name in _NAMES or named.suffix in (".mk", ".make", ".cmake", ".inc")):
            paths = [named]
        else:
            project, sources = Project(self.tree), Sources()
            commands = (
                compile_db.Command(
                    entry.file,
                    entry.directory,
                    (),
                    compile_db.Language.FORTRAN if compile_db.is_fortran_file(entry.file) else compile_db.Language.C,
                    target=compile_db.target_of(entry.arguments),
                )
                for entry in self.entries()
            )
            paths = [path for command in commands for path in build_lines.files(command, project, sources)]
        # Several may include ../config/make.def; what lies outside of the tree was not copied.
        inside = (Path(os.path.normpath(path)) for path in paths)
        known = list(dict.fromkeys(path for path in inside if path.is_relative_to(self.tree)))
        if not known:
            raise Refused("no Makefile or CMakeLists.txt of the project says how it is compiled")
        # Latin-1, so that characters are bytes.
        return [(path, path.read_bytes().decode("latin-1")) for path in known]


def untold(build: Build, portable: bool = False) -> Iterator[Recipe]:
    """What no finding has to ask for: a level above -O2, and the processor's own instructions, where the recorded
    commands have neither, all compilers know the words, and a file of the project says how it is compiled. Both at
    once come last: what one of them brings can depend on the other."""
    commands = [entry.arguments for entry in build.entries()]
    if not commands or not all(_GNU.search(words[0]) for words in commands):
        return
    slower = [words for words in commands if _last_level(words) in ("", "-O", "-O0", "-O1", "-O2", "-Og")]
    anywhere = not any(word.startswith(_FOR_PROCESSOR) for words in commands for word in words)
    try:
        files = build.files()
        level = _raised(files, _BELOW) if slower else ()
        processor = _beside(files, PROCESSOR) if anywhere and not portable else ()
    except Refused:
        return
    if level:
        yield Recipe(f"compile with {LEVEL}", level)
    if processor:
        yield Recipe(f"compile with {PROCESSOR}", processor)
    if level and processor:
        # Where the level stands, the processor stands beside it.
        yield Recipe(f"compile with {LEVEL} {PROCESSOR}", _raised(files, _BELOW, f"{LEVEL} {PROCESSOR}"))


def optimised(build: Build, named: Path) -> Recipe:
    """-O3 in place of a level that the build says, or behind the compilers' flags where it says none."""
    files = build.files(named)
    if not any(_tokens(text, _LOW) for _, text in files) and any(_tokens(text, _ANY) for _, text in files):
        raise Refused(f"{files[0][0].name} says a level already")
    return Recipe(f"compile with {LEVEL}", _raised(files, _LOW))


def with_flags(build: Build, named: Path, flags: Sequence[str]) -> Recipe:
    """Flags behind the level or the other flags."""
    words = " ".join(flags)
    return Recipe(f"compile with {words}", _beside(build.files(named), words))


def _raised(files: Sequence[tuple[Path, str]], pattern: re.Pattern[str], words: str = LEVEL) -> tuple[Edit, ...]:
    """Nothing where the files name a level that is none of the pattern's: what has none is another program's, such as
    one that the build runs."""
    edits = [Edit(str(path), at, end, words) for path, text in files for at, end in _tokens(text, pattern)]
    if not edits and any(_tokens(text, _ANY) for _, text in files):
        return ()
    return tuple(edits) or _added(files, words)


def _beside(files: Sequence[tuple[Path, str]], words: str) -> tuple[Edit, ...]:
    edits = [Edit(str(path), end, end, f" {words}") for path, text in files for _, end in _tokens(text, _ANY)]
    return tuple(edits) or _added(files, words)


def _tokens(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where it stands outside of comments."""
    return [match.span() for match in pattern.finditer(text) if not _in_comment(text, match.start())]


def _added(files: Sequence[tuple[Path, str]], words: str) -> tuple[Edit, ...]:
    """Flags where there is no level to stand beside."""
    path, text = files[-1]
    if path.name == "CMakeLists.txt":  # of several, the one of the top
        project = re.search(r"^[ \t]*project[ \t]*\(", blank(text), re.MULTILINE | re.IGNORECASE)
        if project is None:
            raise Refused(f"{path.name} has no project()")
        end = closing(text, project.end() - 1) + 1
        return (Edit(str(path), end, end, f"\nadd_compile_options({words.replace(' ', ';')})"),)
    edits = [
        Edit(str(path), match.end("value"), match.end("value"), f" {words}")
        for path, text in files
        for match in _VARIABLES.finditer(text)
    ]
    return (
        tuple(edits)
        or tuple(_behind_compilers(files, words))
        or tuple(
            Edit(str(path), 0, 0, f"CFLAGS += {words}\nCXXFLAGS += {words}\n")
            for path, _ in files
            if path.name in _NAMES
        )
    )


def _behind_compilers(files: Sequence[tuple[Path, str]], words: str) -> Iterator[Edit]:
    """In recipes that compile without any variable for options."""
    for path, text in files:
        for match in _RECIPE.finditer(text):
            if build_lines.names_compiler(match["first"]):
                yield Edit(str(path), match.end("first"), match.end("first"), f" {words}")


def _in_comment(text: str, at: int) -> bool:
    return "#" in text[text.rfind("\n", 0, at) + 1 : at]


def _last_level(words: Sequence[str]) -> str:
    return next((word for word in reversed(words) if _ANY.fullmatch(word)), "")
