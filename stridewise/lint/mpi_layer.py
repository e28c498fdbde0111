"""Programs that keep MPI behind a layer of their own, `comm_send(…)`, in a file of its own.

Each unit says which functions it defines that are nothing but one MPI call, where it keeps the rank, and which
functions and ranks of other units it uses. Units that use such a function, or ask for such a rank, are analysed once
more, now with what it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stridewise.collect.compile_db import Command
from stridewise.lint.analysis import UnitResult


@dataclass(frozen=True)
class Uses:
    """What a unit gives to others and takes from them, as the analyser's result has it."""

    wrappers: Collection[str] = ()  # "NAME=CALL", functions that are one MPI call each
    foreign: Collection[str] = ()  # functions of other units that it uses
    ranks: Collection[str] = ()  # "NAME=COMMUNICATOR", variables, members and functions that are the caller's rank
    asked: Collection[str] = ()  # what its conditions compare that may be one of another unit's


def _of_one_meaning(units: Iterable[Collection[str]]) -> Mapping[str, str]:
    """By their names. What two units define in two ways is of several programs."""
    found: dict[str, set[str]] = {}
    for texts in units:
        for text in texts:
            found.setdefault(text.partition("=")[0], set()).add(text)
    return {name: text for name, (text, *others) in found.items() if not others}


def options(units: Sequence[Uses]) -> dict[int, tuple[str, ...]]:
    """What the analyser is to be told of units, by their number: those alone that use the layer."""
    layer = _of_one_meaning(unit.wrappers for unit in units)
    ranks = _of_one_meaning(unit.ranks for unit in units)
    told: dict[int, tuple[str, ...]] = {}
    for number, unit in enumerate(units):
        called = sorted(layer.keys() & set(unit.foreign))
        # A unit that is read once more gets all: behind the layer it may ask for more than it did.
        asked = ranks.keys() if called else ranks.keys() & set(unit.asked)
        others = sorted(asked - {text.partition("=")[0] for text in unit.ranks})
        if called or others:
            wrappers = (f"--mpi-wrapper={layer[name]}" for name in called)
            told[number] = (*wrappers, *(f"--mpi-rank={ranks[name]}" for name in others))
    return told


def with_layer(
    results: Sequence[UnitResult], analyse: Callable[[Sequence[Command]], Sequence[UnitResult]]
) -> tuple[list[UnitResult], int]:
    """The results, of which those of units that call the layer are made anew, and how many these are.

    `analyse` gives the results of commands in their order."""
    new = list(results)
    again = options([Uses(r.mpi_wrappers, r.foreign, r.mpi_ranks, r.mpi_asked) for r in results])
    commands = [
        replace(new[i].command, options=(*new[i].command.options, *new[i].code, *more)) for i, more in again.items()
    ]
    for i, result in zip(again, analyse(commands) if commands else (), strict=True):
        if result.status != "failed":  # what was said without the layer stands
            new[i] = replace(result, command=results[i].command)
    return new, len(again)
