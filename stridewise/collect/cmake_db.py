"""What CMake (and, for unity builds, Meson) writes into compile databases beyond one command for each source.

Unity builds name generated files that include the sources; multi-configuration generators name each source once for
every configuration; builds with C++20 modules name files that map modules to compiled ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_UNITY = re.compile(
    r"/CMakeFiles/[^/]+\.dir/(?:[^/]+/)?Unity/unity_\d+_(?:cxx\.cxx|c\.c)$|\.p/[^/]+-unity\d+\.(?:c|cpp|cxx|cc)$"
)
_INCLUDE = re.compile(r"""^\s*#\s*include\s*["<]([^">]+)[">]""")
_DEFINE = re.compile(r"^\s*#\s*define\s+([A-Za-z_]\w*)(?:[ \t]+(.+?))?\s*$")
_UNDEFINE = re.compile(r"^\s*#\s*undef\s+([A-Za-z_]\w*)\s*$")
_MAX_UNITY_BYTES = 8 << 20
_CONFIGURATION = re.compile(r'^-DCMAKE_INTDIR=\\?"?([^"\\]+)\\?"?$')
_PREFERRED = ("Release", "RelWithDebInfo", "MinSizeRel")

_MAX_SOURCE_BYTES = 1 << 20
_STANDARD = re.compile(r"^-std=(?:c|gnu)\+\+(?:2\w|[3-9]\w)$")
MODULE_SUFFIXES = frozenset({".cppm", ".ixx", ".mpp", ".cxxm", ".ccm", ".c++m"})
_MODULE = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(module|import)[ \t]+([A-Za-z_][\w.]*(?::[\w.]+)?|:[\w.]+|<[^>]+>)[ \t]*;", re.MULTILINE
)
# What GCC and CMake add to each command of a build that looks for modules.
_MODULE_OPTION = re.compile(
    r"^(-fmodules-ts|-fmodules|-fmodule-mapper=.*|-fmodule-file=.*|-fmodule-output(?:=.*)?|-fdeps-(?:format|file|target)=.*)$"
)


def is_unity(file: Path) -> bool:
    """Whether CMake or Meson generated this file to include several sources."""
    return bool(_UNITY.search(str(file)))


def unity_sources(file: Path) -> list[tuple[Path, tuple[str, ...]]]:
    """The sources that a unity file includes, each with the macros that it defines for them as options.

    Empty where the file cannot be read or includes nothing: it is then analysed as it is.
    """
    try:
        if not file.is_file() or file.stat().st_size > _MAX_UNITY_BYTES:
            return []
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return []
    found: list[tuple[Path, tuple[str, ...]]] = []
    macros: dict[str, str] = {}
    for line in text.splitlines():
        if include := _INCLUDE.match(line):
            source = file.parent / include[1]
            # UNITY_BUILD_CODE_BEFORE_INCLUDE may include headers, which belong to the source behind them.
            if source.suffix.lower() not in (".h", ".hh", ".hpp", ".hxx", ".inc", ""):
                found.append((source, tuple(f"-D{name}={value}" for name, value in macros.items())))
        elif define := _DEFINE.match(line):
            macros[define[1]] = define[2] or ""
        elif undefine := _UNDEFINE.match(line):
            macros.pop(undefine[1], None)
    return found


def configuration(words: Sequence[str]) -> str:
    """The configuration of a command that a multi-configuration generator wrote; empty for others."""
    return next((m[1] for word in words if (m := _CONFIGURATION.match(word))), "")


def best_configuration(names: Iterable[str]) -> str:
    """The one to analyse: an optimised one, as it is the one that people wait for."""
    ordered = sorted(set(names))
    return next((name for name in _PREFERRED if name in ordered), next((n for n in ordered if n != "Debug"), "Debug"))


def without_module_options(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if not _MODULE_OPTION.match(word))


def is_module_map(word: str) -> bool:
    """Whether a word is a response file that CMake's search for modules writes while building."""
    return word.startswith("@") and word.endswith(".modmap")


def used_module(file: Path, words: Sequence[str]) -> str:
    """What a source says of C++20 modules, such as `import solver`; empty if it uses none."""
    if file.suffix not in MODULE_SUFFIXES and not any(_STANDARD.match(w) or w == "-fmodules-ts" for w in words):
        return ""
    try:
        text = _head(file)
    except OSError:
        return ""
    match = _MODULE.search(text)
    return f"{match[1]} {match[2]}" if match else "module unit" if file.suffix in MODULE_SUFFIXES else ""


def _head(file: Path) -> str:
    with file.open("rb") as stream:
        return stream.read(_MAX_SOURCE_BYTES).decode("utf-8", "replace")
