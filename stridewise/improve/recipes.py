"""Edits for findings that carry no fix of their own. None is proven: each is tried on the copy, where the program's own
result and its time decide. A recipe looks at the text only where the finding points, and refuses what it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stridewise.finding import Edit, Finding, Verdict


@dataclass(frozen=True)
class Recipe:
    """`title` stands in the list of steps; `edits` are of one tree."""

    title: str
    edits: tuple[Edit, ...]


class Refused(Exception):
    """Why a recipe does not fit."""


@dataclass(frozen=True)
class Place:
    """The text of a finding's file, and the bytes [begin, end) of its place."""

    file: str
    text: str
    begin: int
    end: int


def of(finding: Finding, here: Path) -> Recipe | None:
    """The recipe for a finding, None where there is none. `here` is the folder in which the program is built. Raises
    Refused where there is one that does not fit."""
    make = _RECIPES.get(finding.rule)
    return make(finding, here) if make else None


# --- text -------------------------------------------------------------------------------------------------------------


def place(finding: Finding) -> Place:
    """Latin-1, so that characters are bytes."""
    where = finding.location
    try:
        text = Path(where.file).read_bytes().decode("latin-1")
    except OSError as error:
        raise Refused(f"cannot read {where.file}: {error.strerror}") from error
    lines = text.split("\n")
    if not 1 <= where.line <= len(lines):
        raise Refused("its line is not in the file")
    begin = sum(len(line) + 1 for line in lines[: where.line - 1]) + max(0, where.column - 1)
    return Place(where.file, text, begin, _call_end(text, begin))


def blank(text: str) -> str:
    """The text with comments and the insides of strings made blank, at its length."""

    def gone(match: re.Match[str]) -> str:
        found = match[0]
        inner = found if found[0] == "/" else found[1:-1]
        empty = "".join(char if char == "\n" else " " for char in inner)
        return empty if found[0] == "/" else found[0] + empty + found[-1]

    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", gone, text, flags=re.DOTALL)


def _call_end(text: str, begin: int) -> int:
    """The end of the call that begins there: behind the parenthesis that closes its arguments."""
    plain = blank(text)
    match = re.compile(r"[\w:.]+(?:->[\w:]+)*\s*\(").match(plain, begin)
    if match is None:
        return begin
    return closing(plain, match.end() - 1) + 1


def closing(plain: str, at: int) -> int:
    """Where the parenthesis or bracket that opens at `at` closes."""
    depth = 0
    for index in range(at, len(plain)):
        if plain[index] in "([{":
            depth += 1
        elif plain[index] in ")]}":
            depth -= 1
            if depth == 0:
                return index
    raise Refused("a parenthesis is never closed")


def without_statement(at: Place) -> Edit:
    """Takes a call away that is a statement of its own. Where it is all that an `if` or a loop governs, an empty one
    stays."""
    plain = blank(at.text)
    behind = re.compile(r"\s*;").match(plain, at.end)
    if at.end <= at.begin or behind is None:
        raise Refused("it is no statement of its own: its value is used, or a macro makes it")
    before = plain[: at.begin].rstrip()
    if before.endswith(("=", "return", ",", "(", "?", "&&", "||")):
        raise Refused("its value is used")
    own_line = not before or before[-1] in ";{}" or re.search(r"\n[ \t]*#[^\n]*$", at.text[: at.begin].rstrip())
    begin_of_line = at.text.rfind("\n", 0, at.begin) + 1
    end_of_line = at.text.find("\n", behind.end())
    alone = not at.text[begin_of_line : at.begin].strip() and not at.text[behind.end() : end_of_line].strip()
    if own_line and alone and end_of_line >= 0:
        return Edit(at.file, begin_of_line, end_of_line + 1, "")
    return Edit(at.file, at.begin, behind.end(), ";")


# --- recipes ----------------------------------------------------------------------------------------------------------

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_LOW = re.compile(r"(?<![\w-])-O(?:0|1|g)?(?![\w])")
_LEVEL = re.compile(r"(?<![\w-])-O(?:[0-3gs]|fast)?(?![\w])")
_VARIABLES = re.compile(r"^[ \t]*(?:C|CXX|F|FC)FLAGS[ \t]*(?::|::|\+|\?)?=(?P<value>[^\n#]*)", re.MULTILINE)
_FLAG = re.compile(r"(?<![\w-])-[fm][a-z][\w-]*(?:=native)?(?![\w=])")


def _optimise(finding: Finding, here: Path) -> Recipe:
    """-O3 in place of a level that the build says, or behind the compilers' flags where it says none; where the level
    is not what is missing, the flags that the advice names."""
    if finding.args.get("reason") == "processor":
        return _flags(finding, here)
    path, text = _build_file(finding, here)
    edits = [Edit(str(path), at, end, "-O3") for at, end in _tokens(text, _LOW)]
    if not edits and _tokens(text, _LEVEL):
        raise Refused(f"{path.name} says a level already")
    return Recipe("compile with -O3", tuple(edits or _added(path, text, "-O3")))


def _flags(finding: Finding, here: Path) -> Recipe:
    """The compiler's flags that the advice names, behind the level or the other flags. Pragmas are no flags: -fopenmp
    and what belongs to it stay out."""
    named = [flag for flag in dict.fromkeys(_FLAG.findall(finding.advice)) if not flag.startswith("-fopenmp")]
    if not named:
        raise Refused("its advice names no flag of the compiler")
    path, text = _build_file(finding, here)
    words = " ".join(named)
    edits = [Edit(str(path), end, end, f" {words}") for _, end in _tokens(text, _LEVEL)]
    return Recipe(f"compile with {words}", tuple(edits or _added(path, text, words)))


def _build_file(finding: Finding, here: Path) -> tuple[Path, str]:
    """What says how the program is compiled, by its text."""
    named = Path(finding.location.file)
    names = (*_MAKEFILES, "CMakeLists.txt")
    is_named = named.name in names or named.suffix in (".mk", ".make", ".cmake", ".inc")
    for path in [*([named] if is_named else []), *(here / name for name in names)]:
        if path.is_file():
            return path, path.read_bytes().decode("latin-1")
    raise Refused("no Makefile or CMakeLists.txt of this folder says how it is compiled")


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
        return [Edit(str(path), end, end, f"\nadd_compile_options({words})")]
    edits = [Edit(str(path), m.end("value"), m.end("value"), f" {words}") for m in _VARIABLES.finditer(text)]
    return edits or [Edit(str(path), 0, 0, f"CFLAGS += {words}\nCXXFLAGS += {words}\n")]


def _in_comment(text: str, at: int) -> bool:
    return "#" in text[text.rfind("\n", 0, at) + 1 : at]


def _sleep(finding: Finding, _here: Path) -> Recipe:
    return Recipe("no sleep", (without_statement(place(finding)),))


def _barrier(finding: Finding, _here: Path) -> Recipe:
    if finding.verdict not in (Verdict.CONFIRMED, Verdict.OBSERVED):
        raise Refused("no run has shown that nothing depends on it")
    return Recipe("no barrier", (without_statement(place(finding)),))


# A loop over one index, by one, from 0, whose whole body is the statement behind it.
_HEADER = re.compile(
    r"for\s*\(\s*(?:(?:unsigned|int|long|size_t|std::size_t)\s+)*(?P<index>[A-Za-z_]\w*)\s*=\s*0\s*;\s*(?P=index)\s*<"
    r"\s*(?P<bound>[^;<>=]+?)\s*;\s*(?:(?P=index)\s*\+\+|\+\+\s*(?P=index)|(?P=index)\s*\+=\s*1)\s*\)\s*\{?\s*\Z"
)
_MESSAGE = re.compile(r"MPI_(?:I?[SBR]?[Ss]end|I?[Rr]ecv)\s*\(")


def _one_message(finding: Finding, _here: Path) -> Recipe:
    """Elements that are sent one by one along the innermost loop become one message, on both sides: every loop of the
    file over the same bound whose body sends or receives one element at a time."""
    at = place(finding)
    plain = blank(at.text)
    wanted = _element_loop(at.text, plain, at.begin)
    if wanted is None:
        raise Refused("its loop is not one over consecutive elements from 0 by 1 with nothing else in it")
    edits = list[Edit]()
    sides = set()
    for match in _MESSAGE.finditer(plain):
        one = _element_loop(at.text, plain, match.start())
        if one is not None and one.bound == wanted.bound:
            sides.add("ecv" in match[0])
            edits.append(Edit(at.file, one.begin, one.end, one.replacement))
    if len(sides) < 2:
        raise Refused("the other side of its messages is not in this file, in a loop of the same form")
    return Recipe("one message for the elements of an inner loop", tuple(dict.fromkeys(edits)))


@dataclass(frozen=True)
class _ElementLoop:
    bound: str
    begin: int
    end: int
    replacement: str


def _element_loop(text: str, plain: str, call: int) -> _ElementLoop | None:
    """The loop `for (k = 0; k < bound; k++) MPI_Send(&a[k], 1, …)` around the call at `call`, and what it becomes."""
    head = plain.rfind("for", 0, call)
    found = _HEADER.match(plain[head:call]) if head >= 0 else None
    match = _MESSAGE.match(plain, call)
    if found is None or match is None:
        return None
    close = closing(plain, match.end() - 1)
    arguments = _arguments(plain, match.end(), close)
    index, bound = found["index"], found["bound"]
    named = re.compile(rf"\b{re.escape(index)}\b")
    if len(arguments) < 6 or text[slice(*arguments[1])].strip() != "1":
        return None
    if named.search(bound) or any(named.search(plain, *span) for span in arguments[2:]):
        return None
    begin, end = arguments[0]
    buffer = plain[begin:end].strip()
    last = re.fullmatch(rf"&\s*(?P<base>.+)\[\s*{re.escape(index)}\s*\]", buffer, re.DOTALL)
    if last is None or named.search(last["base"]):
        return None
    stop = re.compile(r"\s*;").match(plain, close + 1)
    if stop is None:
        return None
    finish = stop.end()
    if plain[head:call].rstrip().endswith("{"):
        brace = re.compile(r"\s*\}").match(plain, finish)
        if brace is None:
            return None
        finish = brace.end()
    bracket = begin + plain[begin:end].rstrip().rfind("[")
    new = text[call:bracket] + "[0], " + bound + text[arguments[1][1] : stop.end()]
    return _ElementLoop(" ".join(bound.split()), head, finish, new)


def _arguments(plain: str, begin: int, close: int) -> list[tuple[int, int]]:
    """The spans of a call's arguments."""
    spans, start, depth = list[tuple[int, int]](), begin, 0
    for index in range(begin, close):
        if plain[index] in "([{":
            depth += 1
        elif plain[index] in ")]}":
            depth -= 1
        elif plain[index] == "," and depth == 0:
            spans.append((start, index))
            start = index + 1
    return [*spans, (start, close)]


_RECIPES: dict[str, Callable[[Finding, Path], Recipe]] = {
    "build-unoptimised": _optimise,
    "build-missed-vectorization": _flags,
    "run-sleep-in-loop": _sleep,
    "mpi-redundant-barrier": _barrier,
    "mpi-tiny-messages": _one_message,
}
