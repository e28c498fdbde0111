"""Programs that keep MPI behind a layer of their own, `comm_send(…)`, in a file of its own.

Each unit says which functions it defines that are nothing but one MPI call, and which functions of other units it uses.
Units that use such a function are analysed once more, now with what it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from stridewise.collect.compile_db import Command
from stridewise.lint.analysis import UnitResult


def options(units: Sequence[tuple[Collection[str], Collection[str]]]) -> dict[int, tuple[str, ...]]:
    """What the analyser is to be told of units, by their number: those alone that use the layer. Of each unit
    `mpi_wrappers` and `foreign` of its result. A function that two units define in two ways is of several programs."""
    found: dict[str, set[str]] = {}
    for wrappers, _ in units:
        for text in wrappers:
            found.setdefault(text.partition("=")[0], set()).add(text)
    layer = {name: text for name, (text, *others) in found.items() if not others}
    used = {number: sorted(layer.keys() & set(foreign)) for number, (_, foreign) in enumerate(units)}
    return {number: tuple(f"--mpi-wrapper={layer[name]}" for name in names) for number, names in used.items() if names}


def with_layer(
    results: Sequence[UnitResult], analyse: Callable[[Sequence[Command]], Sequence[UnitResult]]
) -> tuple[list[UnitResult], int]:
    """The results, of which those of units that call the layer are made anew, and how many these are.

    `analyse` gives the results of commands in their order."""
    new = list(results)
    again = options([(result.mpi_wrappers, result.foreign) for result in results])
    commands = [
        replace(new[i].command, options=(*new[i].command.options, *new[i].code, *more)) for i, more in again.items()
    ]
    for i, result in zip(again, analyse(commands) if commands else (), strict=True):
        if result.status != "failed":  # what was said without the layer stands
            new[i] = replace(result, command=results[i].command)
    return new, len(again)
