"""Where files are now that a build or a run named by another path: `--path-map FROM=TO`.

Sources, binaries and compile commands name absolute paths of the machine, container or folder in which they were made.
The mapping in force holds for the whole command, since every reader of such names needs the same one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath

from stridewise.errors import Failure

VARIABLE = "STRIDEWISE_PATH_MAP"  # FROM=TO, several separated by colons
# Options of compilers that hold a path in the same word.
_GLUED = re.compile(
    r"^(-I|-L|-F|-B|-isystem|-iquote|-idirafter|-include|-imacros|-isysroot|--sysroot=|--gcc-install-dir=|"
    r"--gcc-toolchain=|-fmodule-file=(?:[^=]+=)?|@)(/.*)$"
)
_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PathMap:
    """Pairs (FROM, TO), the longest FROM first; `.` as FROM is any relative path, as -ffile-prefix-map leaves them."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, texts: Iterable[str]) -> PathMap:
        """From texts FROM=TO; of two with the same FROM the first counts. Raises Failure."""
        pairs: dict[str, str] = {}
        for text in texts:
            source, equals, target = text.partition("=")
            if not equals or not source or not target:
                raise Failure(f"'{text}' maps no path; write --path-map FROM=TO, such as /build/src=$PWD")
            if source != "." and not source.startswith("/"):
                raise Failure(f"'{source}' is no absolute path; --path-map FROM=TO takes the path as it was recorded")
            folder = Path(os.path.abspath(Path(target).expanduser()))
            if not folder.exists():
                raise Failure(f"no folder {folder}, to which --path-map {text} leads; name where the files are now")
            pairs.setdefault(os.path.normpath(source), str(folder))
        return cls(tuple(sorted(pairs.items(), key=lambda pair: -len(pair[0]))))

    def __call__(self, path: str) -> str:
        """The path now; the same path if nothing is mapped."""
        if not self.pairs or not path:
            return path
        for source, target in self.pairs:
            if source == ".":
                if not path.startswith("/"):
                    return os.path.normpath(f"{target}/{path}")
            elif place := _below(path, source, target):
                return place
        return path

    def word(self, word: str) -> str:
        """One word of a compiler's command with its path mapped."""
        if not self.pairs:
            return word
        if word.startswith("/"):
            return self(word)
        glued = _GLUED.match(word)
        return glued[1] + self(glued[2]) if glued else word


@dataclass
class _Moved:
    """Folders that were seen to have moved, since a binary in them is the one that ran; and what that gave."""

    pairs: dict[str, str] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)

    def __call__(self, path: str) -> str:
        if path not in self.known:
            places = (_below(path, old, new) for old, new in self.pairs.items())
            found = next((place for place in places if place and Path(place).exists()), path)
            self.known[path] = path if Path(path).exists() else found
        return self.known[path]


_active: ContextVar[PathMap | None] = ContextVar("path map", default=None)
_moved: ContextVar[_Moved | None] = ContextVar("moved folders", default=None)


def active() -> PathMap:
    """The mapping in force: that of the command line, else that of the environment."""
    chosen = _active.get()
    return _of_environment(os.environ.get(VARIABLE, "")) if chosen is None else chosen


@cache
def _of_environment(text: str) -> PathMap:
    return PathMap.parse(filter(None, text.split(":")))


def mapped(path: str) -> str:
    """Where a recorded path is now."""
    found = active()(path)
    moved = _moved.get()
    return moved(found) if moved and moved.pairs else found


def binary(path: str, is_same: Callable[[Path], bool]) -> str:
    """Where a recorded binary is now: one of its name below the current folder, if it `is_same` by its content. What
    lay around it is then looked for around that one, too."""
    place = mapped(path)
    moved = _moved.get()
    if moved is None or Path(place).exists():
        return place
    for old, new, found in _candidates(place, Path.cwd()):
        if is_same(found):
            moved.pairs[old] = new
            moved.known.clear()
            return str(found)
    return place


def moves() -> list[str]:
    """Notes on what was taken from elsewhere without having been asked for."""
    moved = _moved.get()
    return [
        f"{old} is not there: {new} is read in its place, since a binary there is the one that ran"
        for old, new in (moved.pairs if moved else {}).items()
    ]


@contextmanager
def using(texts: Sequence[str]) -> Iterator[None]:
    """Puts a mapping in force; those of the environment follow it."""
    inherited = os.environ.get(VARIABLE, "").split(":")
    token = _active.set(PathMap.parse([*texts, *filter(None, inherited)]))
    other = _moved.set(_Moved())
    try:
        yield
    finally:
        _moved.reset(other)
        _active.reset(token)


def suggestions(missing: Iterable[str], here: Path) -> list[str]:
    """Notes on sources that are not where they were: what to map, guessed from files below `here` of the same name."""
    groups: dict[str, str] = {}
    unknown: dict[str, None] = {}
    for file in missing:
        guess = _guess(file, here)
        if guess:
            groups.setdefault(*guess)
        elif file.startswith("/"):
            unknown.setdefault(str(PurePath(file).parent))
    notes = [
        f"the sources below {old} are not there; if they are those in {new}, add --path-map {old}={new}"
        for old, new in groups.items()
    ]
    if unknown:
        folder = os.path.commonpath(list(unknown))
        notes.append(
            f"the sources below {folder} are not there, so no line of them is shown; if they are elsewhere now, "
            f"add --path-map {folder}=FOLDER"
        )
    return notes[:_MOST_SHOWN]


def remedy(file: str) -> str:
    """What to say of one file that is not where it was."""
    guess = _guess(file, Path.cwd())
    return f"add --path-map {guess[0]}={guess[1]}" if guess else "add --path-map OLD=NEW if it is elsewhere now"


def _guess(file: str, here: Path) -> tuple[str, str] | None:
    """(old folder, new folder) such that the file exists below the new one."""
    return next(((old, new) for old, new, _ in _candidates(file, here)), None)


def _candidates(file: str, here: Path) -> Iterator[tuple[str, str, Path]]:
    """(old folder, new folder, file): files of that name near here, those with the longest common tail first."""
    parts = PurePath(file).parts
    for start in range(1 if file.startswith("/") else 0, len(parts)):
        for folder in (here, *list(here.parents)[:2]):
            found = folder.joinpath(*parts[start:])
            if len(folder.parts) > 1 and found.is_file():
                yield str(PurePath(*parts[:start])) if start else ".", str(folder), found


def _below(path: str, old: str, new: str) -> str:
    """The path with `new` for a leading `old`; empty if it lies elsewhere."""
    inside = path == old or path.startswith(old.rstrip("/") + "/")
    return os.path.normpath(f"{new}/{path[len(old) :]}") if inside else ""
