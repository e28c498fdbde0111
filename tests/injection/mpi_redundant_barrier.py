"""Barriers beside the messages and the computation of real code that need none."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection import _messages as messages

_BARRIER = "MPI_Barrier(MPI_COMM_WORLD);"


def beside_calls(source: Source, rng: random.Random) -> Iterator[Injection]:
    """A collective call that ends everywhere only after it began everywhere, and a barrier next to it."""
    found = [
        c for c in messages.calls(source, "Allreduce|Allgather|Alltoall") if not messages.measures(source, c.first)
    ]
    rng.shuffle(found)
    for call in found:
        line = call.first if rng.random() < 0.5 else call.last + 1
        text = source.insert(line, f"MPI_Barrier({call.arguments[-1]});")
        yield Injection(text, (line,), f"a barrier beside {call.name}")


def beside_loops(source: Source, rng: random.Random) -> Iterator[Injection]:
    """Steps of the site's loop, with or without messages, and a barrier in each."""
    for loop in messages.loops(source, rng):
        own = messages.own(source, loop)
        if not messages.is_plain(source, loop):
            continue
        form = rng.choice(("computation", "shift", "reduction", "between reductions"))
        to, origin = messages.neighbours(rng)
        shift = (
            f"MPI_Sendrecv(&sw_values[1], 1, MPI_DOUBLE, {to}, 3, &sw_values[0], 1, MPI_DOUBLE, {origin}, 3, "
            "MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        )
        reduction = "MPI_Allreduce(&sw_values[2], &sw_values[3], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);"
        inside = {
            "computation": [*own, _BARRIER],
            "shift": [shift, _BARRIER, *own] if rng.random() < 0.5 else [*own, _BARRIER, shift],
            "reduction": [*own, _BARRIER, reduction] if rng.random() < 0.5 else [reduction, _BARRIER, *own],
            "between reductions": [reduction, *own, _BARRIER, reduction],
        }[form]
        if form != "between reductions" or rng.random() < 0.5:
            inside = ["for (int sw_step = 0; sw_step < 100; sw_step++) {", *inside, "}"]
        body = [*messages.RANKS, *inside]
        yield messages.graft(
            source, loop, ["extern double sw_values[4];"], body, [_BARRIER], f"a barrier beside a loop, {form}"
        )


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    streams = [beside_calls(source, rng), beside_loops(source, rng)]
    rng.shuffle(streams)
    for stream in streams:
        yield from stream
