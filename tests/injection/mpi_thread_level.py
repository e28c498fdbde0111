"""MPI calls of real code, made by the threads of a team in a program that asks for no threads."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source

_CALL = re.compile(
    r"^[ \t]*MPI_(?:Send|Recv|Isend|Irecv|Wait|Waitall|Barrier|Bcast|Reduce|Allreduce|Gather|Scatter)\s*(?=\()",
    re.MULTILINE,
)
_CONSTRUCTS = ("", "single", "critical", "sections")


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    if not source.mpi:
        return
    calls = list(_CALL.finditer(source.masked))
    rng.shuffle(calls)
    for call in calls:
        end = source.statement_end(call.start())
        before = source.masked[: call.start()].rstrip()
        if end < 0 or not before.endswith((";", "{", "}")):
            continue
        first, last = source.line_of(call.start() + len(call[0]) - len(call[0].lstrip())), source.line_of(end - 1)
        construct = rng.choice(_CONSTRUCTS)
        statement = source.lines[first - 1 : last]
        inside = [f"#pragma omp {construct}", "{", *statement, "}"] if construct else statement
        text = source.replace(first, last, "\n".join(["#pragma omp parallel", "{", *inside, "}"]))
        # The program's request, in the same unit.
        if not re.search(r"\bMPI_Init(_thread)?\s*\(", source.masked):
            name = f"begin_{first}"
            text += f"\nint {name}(int *count, char ***words) {{ return MPI_Init(count, words); }}\n"
        elif "MPI_Init_thread" in source.masked:
            continue
        begin = first + 2 + (2 if construct else 0)
        yield Injection(
            text, tuple(range(begin, begin + len(statement))), "an MPI call by the threads of a team", ("-fopenmp",)
        )
