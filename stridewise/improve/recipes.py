"""Edits for findings that carry no fix of their own. None is proven: each is tried on the copy, where the program's own
result and its time decide. A recipe looks at the text only where the finding points, and refuses what it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from stridewise.finding import Edit, Finding, Verdict
from stridewise.improve.edits import Recipe, Refused, blank, closing, place, without_statement
from stridewise.improve.messages import one_message


def of(finding: Finding, here: Path) -> Recipe | None:
    """The recipe for a finding, None where there is none. `here` is the folder in which the program is built. Raises
    Refused where there is one that does not fit."""
    make = _RECIPES.get(finding.rule)
    return make(finding, here) if make else None


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


_RECIPES: dict[str, Callable[[Finding, Path], Recipe]] = {
    "build-unoptimised": _optimise,
    "build-missed-vectorization": _flags,
    "run-sleep-in-loop": _sleep,
    "mpi-redundant-barrier": _barrier,
    "mpi-tiny-messages": one_message,
}
