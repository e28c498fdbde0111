"""Which modules a Fortran file makes and which it uses: what decides the order in which files are compiled.

The preprocessor's conditions are not followed, so that what either branch uses counts: an order that holds for both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_MAX_BYTES = 64 << 20
_MAX_INCLUDES = 200
_MODULE = re.compile(r"^\s*(?:\d+\s+)?module\s+(?!procedure\b|subroutine\b|function\b)([a-z]\w*)\s*(?:!.*|;.*)?$", re.I)
_SUBMODULE = re.compile(r"^\s*submodule\s*\(\s*([a-z]\w*)\s*(?::\s*([a-z]\w*)\s*)?\)\s*([a-z]\w*)", re.I)
_USE = re.compile(
    r"(?:^|;|^\s*[!c*]\$)\s*(?:\d+\s+)?use(?:\s*,\s*(?P<nature>intrinsic|non_intrinsic)\s*::|\s*::|\s)\s*(?P<name>[a-z]\w*)",
    re.I,
)
_INCLUDE = re.compile(r"""^(?:\s*|\#\s*)include\s*['"<]([^'">]+)['">]""", re.I)
_OF_THE_STANDARD = frozenset(
    "iso_c_binding iso_fortran_env ieee_arithmetic ieee_exceptions ieee_features omp_lib omp_lib_kinds".split()
)


@dataclass(frozen=True, slots=True)
class Needs:
    """Names in lower case; a submodule is `parent:name`. `read` are the file and what it includes, `absent` the places
    where an included file was looked for in vain."""

    makes: frozenset[str]
    uses: frozenset[str]
    read: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()


def scan(file: Path, folders: Sequence[Path], contents: Mapping[str, bytes] | None = None) -> Needs:
    """Also through the files that it includes, as far as they are found. An unreadable file makes and uses nothing.
    `contents`: texts that stand in for files on disk, by path.
    """
    makes: set[str] = set()
    uses: set[str] = set()
    seen: set[Path] = set()
    absent: set[str] = set()
    work = [file]
    while work and len(seen) < _MAX_INCLUDES:
        path = work.pop()
        if path in seen:
            continue
        seen.add(path)
        for line in _lines(path, contents or {}):
            if match := _MODULE.match(line):
                makes.add(match[1].lower())
            elif match := _SUBMODULE.match(line):
                root, parent = match[1].lower(), (match[2] or "").lower()
                makes.add(f"{root}:{match[3].lower()}")
                uses.add(f"{root}:{parent}" if parent else root)
                uses.add(root)
            elif match := _INCLUDE.match(line):
                for place in (folder / match[1] for folder in (path.parent, file.parent, *folders)):
                    if place.is_file():
                        work.append(place)
                        break
                    absent.add(str(place))
            for match in _USE.finditer(line):
                name = match["name"].lower()
                if (match["nature"] or "").lower() != "intrinsic" and name not in _OF_THE_STANDARD:
                    uses.add(name)
    return Needs(frozenset(makes), frozenset(uses - makes), frozenset(map(str, seen)), frozenset(absent))


def include_folders(arguments: Iterable[str], directory: Path) -> list[Path]:
    return [directory / word[2:] for word in arguments if word.startswith("-I")]


def _lines(path: Path, contents: Mapping[str, bytes]) -> list[str]:
    if (text := contents.get(str(path))) is not None:
        return text.decode("utf-8", "replace").splitlines()
    try:
        if path.stat().st_size > _MAX_BYTES:
            return []
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
