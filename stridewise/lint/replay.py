"""Repeats the report of an earlier `stridewise lint` of the same words in the same place, while nothing has changed.

What a lint run depends on beyond its units (result_cache.py): the compile database and where another one would have
been found first, configuration files, baselines, the marks of a project's root, the compilers that were asked, this
package and its rules. Only runs that said nothing but their report are repeated. Imports little, on purpose: that is
what makes an unchanged project cost next to nothing.
"""

from __future__ import annotations

import os
import sys

from stridewise import __version__
from stridewise.lint.dependencies import (
    Dependencies,
    default_folder,
    hash_of,
    read_entry,
    remove,
    write_entry,
)

TYPE_CHECKING = False  # as in dependencies.py
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_FORMAT = 2
_LIFE_NS = 86_400_000_000_000  # as long as compilers' answers
# Options of runs that are about the run itself, also abbreviated.
_NEVER = ("--n", "--pr", "--v", "--fi", "--s", "--m", "--h", "--w", "--d")
_VOLATILE = frozenset({"_", "OLDPWD", "SHLVL", "PWD", "RANDOM", "COLUMNS", "LINES"})
# Names that decide what a project is and how it is linted, in each folder from a source up.
_CONFIGURATION = (".stridewise.toml", "compile_commands.json", "build/compile_commands.json")
_MARKS = (
    ".git CMakeCache.txt CMakeLists.txt Makefile makefile GNUmakefile configure meson.build SConstruct "
    "build/CMakeCache.txt"
).split()


def answer(words: Sequence[str]) -> int | None:
    """Prints or writes the report again and returns the exit status; None if the run must be made."""
    name = _name(words)
    entry = read_entry(name) if name else None
    if entry is None or name is None:
        return None
    header, report = entry
    try:
        depends = Dependencies()
        if not 0 <= depends.started_ns - header["made"] < _LIFE_NS:
            return None
        fresh = depends.unchanged(header)
        if fresh is None:
            return None
        if fresh:
            _keep(name, header, report)
        text, out, status = report.decode("utf-8", "surrogatepass"), header["output"], int(header["status"])
        if out is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        elif not _write(out, text):
            return None
    except (KeyError, TypeError, ValueError, IndexError):
        return None
    return status


def record(
    words: Sequence[str],
    report: str,
    output: str | None,
    status: int,
    inputs: dict[str, set[str]],
    files: Iterable[str],
    folders: Iterable[str],
    programs: Iterable[str],
) -> None:
    """Keeps the report of a run. `inputs` are those of its units, `files` what else it read, `folders` where it
    looked for configurations and the marks of a project (with all folders above them)."""
    name = _name(words)
    if name is None:
        return
    read, absent, existing = set(inputs["files"]), set(inputs["absent"]), set()
    for folder in _upwards(folders):
        existing.add(folder)
        for mark in (*_CONFIGURATION, *_MARKS):
            path = os.path.join(folder, mark)
            if not os.path.lexists(path):
                absent.add(path)
            elif mark in _CONFIGURATION and os.path.isfile(path):
                read.add(path)
            else:
                existing.add(path)
    search = os.environ.get("PATH", "").split(os.pathsep)
    libraries = {*inputs["libraries"], *programs, *(path for path in search if os.path.isdir(path))}
    depends = Dependencies()
    header = depends.describe(read | set(files), absent, inputs["listed"], libraries, existing)
    if header:
        header |= {"made": depends.started_ns, "output": output, "status": status}
        _keep(name, header, report.encode("utf-8", "surrogatepass"))


def _keep(name: str, header: dict[str, Any], report: bytes) -> None:
    try:
        write_entry(name, header, report)
    except OSError:
        pass  # not kept, then


def _name(words: Sequence[str]) -> str | None:
    """The entry of a command line in this folder and environment; None for one that is never repeated."""
    words = list(words)
    own = words[: words.index("--")] if "--" in words else words
    if words[:1] != ["lint"] or any(word.startswith(_NEVER) for word in own):
        return None
    folder = default_folder()
    for position, word in enumerate(own):
        if word.startswith("--c"):  # --cache-dir, --config
            option, equals, value = word.partition("=")
            if option == "--cache-dir":
                folder = value if equals else own[position + 1] if position + 1 < len(own) else None
            else:
                return None
    terminal = None
    if sys.stdout.isatty():
        size = os.get_terminal_size(sys.stdout.fileno())
        terminal = (size.columns, size.lines)
    environment = sorted((n, v) for n, v in os.environ.items() if n not in _VOLATILE)
    if folder is None:
        return None
    try:
        here = os.getcwd()
    except OSError:
        return None
    key = hash_of(repr([_FORMAT, __version__, _package(), words, here, environment, terminal]).encode())
    return os.path.join(os.path.abspath(folder), key[:2], key[2:])


def _package() -> list[tuple[str, int, int]]:
    """This package's modules and its rules, by size and time."""
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    rules = os.environ.get("STRIDEWISE_RULES") or os.path.join(os.path.dirname(top), "rules")
    if not os.path.isdir(rules):
        rules = os.path.join(top, "rules")
    found: list[tuple[str, int, int]] = []
    queue = [(top, 2), (rules, 1)]
    while queue:
        folder, depth = queue.pop()
        try:
            with os.scandir(folder) as items:
                for item in items:
                    if item.name.endswith((".py", ".toml", ".json")):
                        status = item.stat()
                        found.append((item.path, status.st_size, status.st_mtime_ns))
                    elif depth and item.is_dir() and item.name not in ("__pycache__", "cases"):
                        queue.append((item.path, depth - 1))
        except OSError:
            pass
    return sorted(found)


def _upwards(folders: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for folder in folders:
        path = os.path.abspath(folder)
        while path not in found:
            found.add(path)
            path = os.path.dirname(path)
    return found


def _write(out: str, text: str) -> bool:
    """Whole or not at all, as the run itself would; False where that needs more than this."""
    if os.path.lexists(out) and (not os.path.isfile(out) or os.path.islink(out)):
        return False
    temporary = os.path.join(os.path.dirname(out) or ".", f".{os.path.basename(out)}.{os.getpid()}")
    try:
        with open(temporary, "x", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        os.replace(temporary, out)
    except OSError:
        remove(temporary)
        return False
    return True
