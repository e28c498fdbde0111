"""The places of a run's call paths, kept beside its shards as its own binaries told them.

A program is built again, the run stays: its addresses are those of the former binary, which nobody has any more. So the
first report on a run, mostly that of `stridewise run` itself, keeps what it resolved; later ones take from there what
the binaries of today cannot tell.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from stridewise.errors import Failure
from stridewise.output import write_file
from stridewise.runs.mpi.trace import Address, Frame, Module
from stridewise.runs.typed_json import JsonError, decode
from stridewise.settings.path_map import mapped

NAME = "places.json"
_VERSION = 1

Frames = tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class _Kept:
    """Addresses of a path as text, and its frames."""

    at: str
    frames: Frames


@dataclass(frozen=True, slots=True)
class _File:
    version: int
    crc32: int  # of the places, as written
    places: tuple[_Kept, ...]


@dataclass
class Places:
    """What a folder keeps. Use `joined` once for all paths of a trace, then `save`."""

    file: Path
    known: dict[str, Frames] = field(default_factory=dict)
    changed: bool = False

    @classmethod
    def load(cls, folder: Path) -> Places:
        """Empty where there is none, or a damaged one: it is made anew then."""
        file = folder / NAME
        with suppress(OSError, ValueError, JsonError):
            value = json.loads(file.read_text(encoding="utf-8"))
            kept = decode(_File, value, "places")
            if kept.version == _VERSION and kept.crc32 == _checksum(value["places"]):
                return cls(file, {one.at: one.frames for one in kept.places})
        return cls(file)

    def joined(self, modules: Sequence[Module], at: Sequence[Address], found: Frames) -> Frames:
        """The frames of a path: what was found now, or what was known before where that is more."""
        key = _key(modules, at)
        before = self.known.get(key, ())
        if _certain(found) >= _certain(before):
            if found != before and _certain(found):
                self.known[key], self.changed = found, True
            return found
        return tuple(replace(frame, file=mapped(frame.file)) for frame in before)

    def save(self) -> None:
        """Where the folder can be written; a report of somebody else's run keeps nothing."""
        if not self.changed:
            return
        listed = [{"at": at, "frames": [_frame(f) for f in frames]} for at, frames in self.known.items()]
        value = {"version": _VERSION, "crc32": _checksum(listed), "places": listed}
        with suppress(Failure):
            write_file(self.file, json.dumps(value, separators=(",", ":")) + "\n")


def _checksum(places: object) -> int:
    return zlib.crc32(json.dumps(places, sort_keys=True).encode())


def without_answered(
    notes: Sequence[str], modules: Sequence[Module], paths: Mapping[tuple[Address, ...], Frames]
) -> list[str]:
    """The notes, less those on modules all of whose addresses have places all the same."""
    unknown = {
        modules[address.module].path
        for at, frames in paths.items()
        if not _certain(frames)
        for address in at
        if address.module is not None
    }
    answered = [module.path for module in modules if module.path not in unknown]
    return [note for note in notes if not any(note.startswith(f"no source lines for {path}: ") for path in answered)]


def _certain(frames: Frames) -> int:
    return sum(frame.known for frame in frames)


def _key(modules: Sequence[Module], at: Sequence[Address]) -> str:
    """Modules by their build ids where they have one: numbers and paths of a trace may change."""
    return " ".join(
        f"{address.value:x}" if address.module is None else f"{_name(modules[address.module])}+{address.value:x}"
        for address in at
    )


def _name(module: Module) -> str:
    return module.build_id or module.path


def _frame(frame: Frame) -> dict[str, object]:
    return {
        "function": frame.function,
        "file": frame.file,
        "line": frame.line,
        "column": frame.column,
        "user": frame.user,
        "via_tail_call": frame.via_tail_call,
        "wrapper": frame.wrapper,
    }
