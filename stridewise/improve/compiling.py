"""How the program is compiled: what can be tried of it, with or without a finding. Only a measurement tells what a
level or the processor's own instructions bring, and it costs one build."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from stridewise.finding import Edit
from stridewise.improve.edits import Recipe, Refused, blank, closing

LEVEL = "-O3"
PROCESSOR = "-march=native"
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_LOW = re.compile(r"(?<![\w-])-O(?:0|1|g)?(?![\w])")
_BELOW = re.compile(r"(?<![\w-])-O(?:0|1|2|g)?(?![\w])")
_ANY = re.compile(r"(?<![\w-])-O(?:[0-9gs]|fast)?(?![\w])")
_VARIABLES = re.compile(r"^[ \t]*(?:C|CXX|F|FC)FLAGS[ \t]*(?::|::|\+|\?)?=(?P<value>[^\n#]*)", re.MULTILINE)
_INCLUDED = re.compile(r"^-?include[ \t]+(?P<name>[\w./-]+)[ \t]*$", re.MULTILINE)
_FOR_PROCESSOR = ("-march=", "-mcpu=", "-mtune=native", "-xHost", "-tp=", "-arch")
_GNU = re.compile(r"(?:^|[/-])(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|mpicc|mpicxx|mpic\+\+)(?:-[\d.]+)?$")


def untold(folders: Sequence[Path], database: Path, portable: bool = False) -> Iterator[Recipe]:
    """What no finding has to ask for: a level above -O2, and the processor's own instructions, where the recorded
    commands have neither, all compilers know the words, and a file of the project says how it is compiled. Both at
    once come last: what one of them brings can depend on the other."""
    commands = _commands(database)
    if not commands or not all(_GNU.search(words[0]) for words in commands):
        return
    try:
        files = _files(folders)
    except Refused:
        return
    slower = [words for words in commands if _last_level(words) in ("", "-O", "-O0", "-O1", "-O2", "-Og")]
    anywhere = not any(word.startswith(_FOR_PROCESSOR) for words in commands for word in words)
    level = _raised(files, _BELOW) if slower else ()
    processor = _beside(files, PROCESSOR) if anywhere and not portable else ()
    if level:
        yield Recipe(f"compile with {LEVEL}", level)
    if processor:
        yield Recipe(f"compile with {PROCESSOR}", processor)
    if level and processor:
        yield Recipe(f"compile with {LEVEL} {PROCESSOR}", _raised(files, _BELOW, f"{LEVEL} {PROCESSOR}"))


def optimised(folders: Sequence[Path], named: Path) -> Recipe:
    """-O3 in place of a level that the build says, or behind the compilers' flags where it says none."""
    files = _files(folders, named)
    if not any(_tokens(text, _LOW) for _, text in files) and any(_tokens(text, _ANY) for _, text in files):
        raise Refused(f"{files[0][0].name} says a level already")
    return Recipe(f"compile with {LEVEL}", _raised(files, _LOW))


def with_flags(folders: Sequence[Path], named: Path, flags: Sequence[str]) -> Recipe:
    """Flags behind the level or the other flags."""
    words = " ".join(flags)
    return Recipe(f"compile with {words}", _beside(_files(folders, named), words))


def _raised(files: Sequence[tuple[Path, str]], pattern: re.Pattern[str], words: str = LEVEL) -> tuple[Edit, ...]:
    edits = [Edit(str(path), at, end, words) for path, text in files for at, end in _tokens(text, pattern)]
    return tuple(edits or _added(*files[0], words))


def _beside(files: Sequence[tuple[Path, str]], words: str) -> tuple[Edit, ...]:
    edits = [Edit(str(path), end, end, f" {words}") for path, text in files for _, end in _tokens(text, _ANY)]
    return tuple(edits or _added(*files[0], words))


def _files(folders: Sequence[Path], named: Path | None = None) -> list[tuple[Path, str]]:
    """What says how the program is compiled, by its text: the file that a finding names, or the makefile or CMake's
    list of the first folder that has one, with what it includes."""
    is_named = named is not None and (
        named.name in (*_MAKEFILES, "CMakeLists.txt") or named.suffix in (".mk", ".make", ".cmake", ".inc")
    )
    for path in [
        *([named] if named is not None and is_named else []),
        *(folder / name for folder in folders for name in (*_MAKEFILES, "CMakeLists.txt")),
    ]:
        if path.is_file():
            text = _read(path)
            included = [path.parent / match["name"] for match in _INCLUDED.finditer(text)]
            return [(path, text), *((one, _read(one)) for one in included if one.is_file())]
    raise Refused("no Makefile or CMakeLists.txt of this folder says how it is compiled")


def _read(path: Path) -> str:
    """Latin-1, so that characters are bytes."""
    return path.read_bytes().decode("latin-1")


def _tokens(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where it stands outside of comments."""
    return [match.span() for match in pattern.finditer(text) if not _in_comment(text, match.start())]


def _added(path: Path, text: str, words: str) -> list[Edit]:
    """Flags where there is no level to stand beside."""
    if path.name == "CMakeLists.txt":
        project = re.search(r"^[ \t]*project[ \t]*\(", blank(text), re.MULTILINE | re.IGNORECASE)
        if project is None:
            raise Refused(f"{path.name} has no project()")
        end = closing(text, project.end() - 1) + 1
        return [Edit(str(path), end, end, f"\nadd_compile_options({words.replace(' ', ';')})")]
    edits = [Edit(str(path), m.end("value"), m.end("value"), f" {words}") for m in _VARIABLES.finditer(text)]
    return edits or [Edit(str(path), 0, 0, f"CFLAGS += {words}\nCXXFLAGS += {words}\n")]


def _in_comment(text: str, at: int) -> bool:
    return "#" in text[text.rfind("\n", 0, at) + 1 : at]


def _commands(database: Path) -> list[list[str]]:
    """The words of the recorded compilations; none where they cannot be read."""
    try:
        entries = json.loads((database / "compile_commands.json").read_text(encoding="utf-8"))
        return [[str(word) for word in entry["arguments"]] for entry in entries if entry.get("arguments")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _last_level(words: Sequence[str]) -> str:
    return next((word for word in reversed(words) if _ANY.fullmatch(word)), "")
