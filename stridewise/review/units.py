"""Which units a change concerns, and how they were compiled before it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from stridewise.collect.compile_db import FORTRAN_SUFFIXES, SOURCE_SUFFIXES, Command
from stridewise.review.changes import Changes
from stridewise.review.diff import Status
from stridewise.review.includes import SUFFIXES as INCLUDED_SUFFIXES
from stridewise.review.includes import Includes

_NEVER = frozenset(".md .rst .txt .yml .yaml .json .toml .py .cmake .sh .html .css .js .svg".split())


@dataclass
class Selection:
    """`head` and `base` are commands of the work tree and of the base's contents; both speak of the same units."""

    head: list[Command] = field(default_factory=list)
    base: list[Command] = field(default_factory=list)
    left_out: int = 0  # units that include a changed file, beyond the limit
    unknown: list[str] = field(default_factory=list)  # changed sources that no command compiles
    others: frozenset[Path] = frozenset()  # units that have nothing of the change


def select(commands: Sequence[Command], changes: Changes, root: Path, tracked: Sequence[str], limit: int) -> Selection:
    """Every unit whose own source changed; at most `limit` of those that include a changed file, nearest first; and the
    rest of the program where it fits into the limit, since units make some findings together."""
    by_file = _by_file(commands, root)
    changed = [path for file in changes.files if file.is_text for path in (file.new, file.old) if path]
    own = [path for path in dict.fromkeys(changed) if path in by_file]
    out = Selection(unknown=sorted(p for p in changes.by_new if _is_source(p) and p not in by_file))
    steps = _steps(changed, by_file, [*tracked, *changes.by_new], root)
    others = [path for path in by_file if path in steps and path not in own]
    others.sort(key=lambda path: (steps[path], path))
    out.left_out = max(0, len(others) - limit)
    if (own or others) and len(by_file) - len(own) <= limit:
        rest = sorted(path for path in by_file if path not in steps and path not in own)
        out.others = frozenset(command.file for path in rest for command in by_file[path])
        others += rest
    for path in (*own, *others[:limit]):
        out.head += by_file[path]
        out.base += _before(by_file[path], path, changes, root)
    out.base += _of_deleted(by_file, changes, root)
    return out


def _by_file(commands: Sequence[Command], root: Path) -> dict[str, list[Command]]:
    """Commands of the project's own files."""
    inside = _Inside(root)
    found: dict[str, list[Command]] = {}
    for command in commands:
        if (file := inside.relative(command.file)) is not None:
            found.setdefault(file, []).append(command)
    return found


def _steps(
    changed: Sequence[str], by_file: Mapping[str, object], others: Sequence[str], root: Path
) -> Mapping[str, int]:
    """How many inclusions lie between a changed file and those that it reaches; none where only units changed."""
    read = [path for path in dict.fromkeys(changed) if may_matter(path)]
    if all(path in by_file for path in read):
        return {}
    return Includes(root, dict.fromkeys([*by_file, *others])).reached(read)


def _is_source(path: str) -> bool:
    return PurePosixPath(path).suffix in SOURCE_SUFFIXES | FORTRAN_SUFFIXES


def is_code(path: str) -> bool:
    """Whether a file's name says that compilers of C, C++ or Fortran read it."""
    return PurePosixPath(path).suffix in SOURCE_SUFFIXES | FORTRAN_SUFFIXES | INCLUDED_SUFFIXES


def may_matter(path: str) -> bool:
    """Whether a compiler may read it: a file of any name may be included, but for those that never are."""
    return PurePosixPath(path).suffix.lower() not in _NEVER


def _before(commands: Sequence[Command], path: str, changes: Changes, root: Path) -> list[Command]:
    """The commands that compiled the unit's base."""
    file = changes.by_new.get(path)
    if file is None or file.old == path:
        return list(commands)
    if file.old is None or file.status is Status.COPIED:
        return []
    return [replace(command, file=root / file.old) for command in commands]


def _of_deleted(by_file: Mapping[str, Sequence[Command]], changes: Changes, root: Path) -> list[Command]:
    """Units that are gone: compiled like the unit whose path is most like theirs, so that code which moved out of them
    is known."""
    out = []
    for file in changes.files:
        if file.status is not Status.DELETED or not file.old or not file.is_text or not _is_source(file.old):
            continue
        old = PurePosixPath(file.old)
        alike = [path for path in by_file if PurePosixPath(path).suffix == old.suffix]
        if file.old in by_file or not alike:
            continue
        nearest = max(alike, key=lambda path: (len(os.path.commonpath([path, file.old or ""])), path))
        out.append(replace(by_file[nearest][0], file=root / file.old))
    return out


class _Inside:
    """Paths below the root, also where the compile database knows it by another name (symbolic links)."""

    def __init__(self, root: Path) -> None:
        self._roots = dict.fromkeys([str(root), os.path.realpath(root)])

    def relative(self, file: Path) -> str | None:
        for name in dict.fromkeys([str(file), os.path.realpath(file)]):
            for root in self._roots:
                if name.startswith(f"{root}/"):
                    return name[len(root) + 1 :]
        return None
