"""Collective calls of real code that only some ranks still make: under a condition, or behind a return."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source

_CALL = re.compile(
    r"^[ \t]*MPI_(?:Barrier|Bcast|Reduce|Allreduce|Gatherv?|Scatterv?|Allgatherv?|Alltoallv?|Scan)\s*(?=\()",
    re.MULTILINE,
)
_COMM = re.compile(r"\bMPI_COMM_WORLD\b|\b\w*[cC]omm\w*\b")


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    if not source.mpi:
        return
    calls = list(_CALL.finditer(source.masked))
    rng.shuffle(calls)
    for call in calls:
        close = source.closing(call.end())
        end = source.statement_end(call.start())
        if close < 0 or end < 0:
            continue
        first, last = source.line_of(call.start() + len(call[0]) - len(call[0].lstrip())), source.line_of(end - 1)
        before = source.masked[: call.start()].rstrip()
        if not before.endswith((";", "{", "}")):  # the body of an `if` or a loop without braces
            continue
        comms = _COMM.findall(source.masked[call.end() : close])
        if not comms:
            continue
        comm = comms[-1]
        rank = f"own_rank_{first}"
        test = rng.choice(
            [f"{rank} == 0", f"!{rank}", f"{rank} > 0", f"{rank} != 0", f"{rank} % 2 == 0", f"{rank} < 2"]
        )
        query = f"  int {rank};\n  MPI_Comm_rank({comm}, &{rank});\n"
        statement = "\n".join(source.lines[first - 1 : last])
        if rng.random() < 0.7:
            text = source.replace(first, last, f"  {{\n{query}  if ({test}) {{\n{statement}\n  }}\n  }}")
            where = range(first + 3, last + 6)
            what = "a collective call under a condition on the rank"
        else:
            text = source.replace(
                first, last, f"  {{\n{query}  if ({test})\n    MPI_Barrier({comm});\n  }}\n{statement}"
            )
            where = range(first + 4, first + 5)
            what = "a barrier under a condition on the rank"
        yield Injection(text, tuple(where), what)
