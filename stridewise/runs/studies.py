"""Reads what `improve` and `scale` leave in their folders, for a section of a report: those that a report is given,
and those beside the run that are of its command."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stridewise.errors import Failure
from stridewise.finding.studies import Curves, Scaling, Waterfall
from stridewise.runs import run_folder
from stridewise.runs.run_folder import Record
from stridewise.runs.typed_json import JsonError, decode

WATERFALL, STUDY = "waterfall.json", "scale.json"
IMPROVED, SCALED = Path("stridewise-improve"), Path("stridewise-scale")  # where the commands leave them by default
_VERSION = 1
T = TypeVar("T")


def load_waterfall(path: Path) -> Waterfall:
    """The file, or the one in that folder. Raises Failure."""
    file, value = _read(path, WATERFALL, "improve")
    return waterfall(value, str(file))


def load_scaling(path: Path) -> Scaling:
    """The file, or the one in that folder. Raises Failure."""
    file, value = _read(path, STUDY, "scale")
    return scaling(value, str(file))


def waterfall(value: Any, where: str) -> Waterfall:
    return _decoded(Waterfall, value, where, "improve")


def scaling(value: Any, where: str) -> Scaling:
    found = _decoded(Scaling, value, where, "scale")
    wrong = next(_wrong(found), "")
    if wrong:
        raise Failure(f"{where} is damaged: {wrong}")
    return found


def beside(records: Mapping[Path, Sequence[Record]]) -> tuple[Path | None, Path | None]:
    """The folders of an improvement and of a study beside the runs, where those are of the same command; numbers in it
    may differ, as that of ranks does in a study. What cannot be read is none."""
    commands = {_alike(record.command) for found in records.values() for record in found}
    around = list(dict.fromkeys(folder.absolute().parent for folder in records))
    return _first(around, IMPROVED, commands, _improved), _first(around, SCALED, commands, _studied)


def _first(
    around: Iterable[Path],
    name: Path,
    commands: Collection[tuple[str, ...]],
    told: Callable[[Path], set[tuple[str, ...]]],
) -> Path | None:
    return next((top / name for top in around if told(top / name) & set(commands)), None)


def _improved(folder: Path) -> set[tuple[str, ...]]:
    try:
        return {_alike(load_waterfall(folder).command)}
    except Failure:
        return set()


def _studied(folder: Path) -> set[tuple[str, ...]]:
    try:
        load_scaling(folder)
        runs = [run_folder.read_records(run) for run in sorted(folder.glob("ranks-*"))]
    except Failure:
        return set()
    return {_alike(record.command) for found in runs for record in found}


def _alike(command: Iterable[str]) -> tuple[str, ...]:
    return tuple(re.sub(r"\d+", "#", word) for word in command)


def _read(path: Path, name: str, command: str) -> tuple[Path, Any]:
    file = path / name if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        what = f"the folder {path} holds no {name}" if path.is_dir() else f"there is no {path}"
        raise Failure(f"cannot read what stridewise {command} left: {what}") from error
    except (OSError, UnicodeError) as error:
        raise Failure(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from error
    try:
        return file, json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise Failure(f"{file} is damaged: {error}") from error


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _decoded(kind: type[T], value: Any, where: str, command: str) -> T:
    version = value.get("version") if isinstance(value, dict) else None
    if type(version) is not int:
        raise Failure(f"{where} is nothing that stridewise {command} wrote: it has no version")
    if version != _VERSION:
        raise Failure(f"{where} is of version {version}, and this Stridewise reads version {_VERSION}")
    try:
        return decode(kind, value, "the file")
    except JsonError as error:
        raise Failure(f"{where} is damaged, or nothing that stridewise {command} wrote: {error}") from error


def _wrong(found: Scaling) -> Iterator[str]:
    """What the form of the members does not say."""
    if not found.ranks:
        yield "it has no runs"
    first = found.breaks_first
    if first and not 0 <= first.site < len(found.sites):
        yield f"it has no site {first.site}"
    if found.curves:
        yield from _wrong_curves(found.curves)


def _wrong_curves(curves: Curves) -> Iterator[str]:
    points = len(curves.ranks)
    if len(curves.work) != points:
        yield f"{len(curves.work)} values of work at {points} numbers of ranks"
    for site in curves.sites:
        if len(site.least) != len(site.most) or {len(site.most), len(site.law)} - {0, points}:
            yield f"the curves of {site.name} are not of {points} points"
