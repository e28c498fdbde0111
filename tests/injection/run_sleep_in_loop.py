"""Naps in the working loops of real code."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection import _messages as messages

_WORK = re.compile(r"\]\s*[-+*/]?=[^=]")


def is_compiled(source: Source, line: int) -> bool:
    return messages.is_compiled(source, line) if source.mpi else source.is_unconditional(line)


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    # Loops around other loops that compute: time steps, sweeps, repetitions.
    loops = [
        loop
        for loop in source.loops()
        if loop.braces
        and any(
            inner.begin > loop.body_begin
            and inner.end <= loop.end
            and re.search(r"\d\.\d|\*", source.masked[inner.body_begin : inner.end])
            and _WORK.search(source.masked[inner.body_begin : inner.end])
            for inner in source.loops()
        )
    ]
    rng.shuffle(loops)
    for loop in loops:
        call = rng.choice([f"sleep({rng.randint(1, 3)});", f"usleep({rng.randint(1, 500) * 100});", "nap"])
        guard = rng.choice(["", f"if ({loop.variable} % {rng.randint(2, 50)} == 0) "])
        line = loop.end_line  # the brace that closes the loop
        if source.lines[line - 1].strip() != "}" or not is_compiled(source, line):
            continue
        if call == "nap":
            call = f"{{ struct timespec nap = {{0, {rng.randint(1, 900)} * 1000000L}}; nanosleep(&nap, 0); }}"
        text = source.insert(line, f"    {guard}{call}")
        includes = "#include <time.h>\n#include <unistd.h>\n"
        yield Injection(includes + text, (line + 2,), "a sleep at the end of a loop that computes")
