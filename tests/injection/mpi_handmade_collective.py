"""Broadcasts, gathers and reductions of real code, replaced by loops of messages."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source

_CALL = re.compile(r"^[ \t]*MPI_(Bcast|Gather|Scatter|Reduce|Allreduce|Barrier)\s*(?=\()", re.MULTILINE)


def split(text: str) -> list[str]:
    """The arguments between two parentheses."""
    parts, level, part = [], 0, ""
    for character in text:
        level += (character in "([{") - (character in ")]}")
        if character == "," and level == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()]


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    if not source.mpi:
        return
    calls = list(_CALL.finditer(source.masked))
    rng.shuffle(calls)
    for call in calls:
        close = source.closing(call.end())
        end = source.statement_end(call.start())
        before = source.masked[: call.start()].rstrip()
        if close < 0 or end < 0 or not before.endswith((";", "{", "}")):
            continue
        arguments = split(source.text[call.end() + 1 : close])
        comm = arguments[-1]
        first, last = source.line_of(call.start() + len(call[0]) - len(call[0].lstrip())), source.line_of(end - 1)
        kind = call[1]
        root = "0"
        if kind in ("Bcast", "Gather", "Scatter", "Reduce") and kind != "Barrier":
            root = arguments[-2]
        me, size, peer = f"me_{first}", f"size_{first}", f"peer_{first}"
        query = f"  MPI_Comm_rank({comm}, &{me});\n  MPI_Comm_size({comm}, &{size});"
        setup = ["  {", f"  int {me}, {size}, {peer};", *query.split("\n")]
        skip = rng.choice(
            [f"if ({peer} == {root}) continue;", f"if ({peer} != {me})", f"if ({peer} == {me}) continue;"]
        )
        if kind in ("Reduce", "Allreduce"):
            buffer, count, datatype = arguments[0], arguments[2], arguments[3]
            if "IN_PLACE" in buffer:
                continue
        elif kind == "Barrier":
            buffer, count, datatype = f"&{me}", "1", "MPI_INT"
        else:
            buffer, count, datatype = arguments[0], arguments[1], arguments[2]
        tail = f"{count}, {datatype}"
        fan_out = kind in ("Bcast", "Scatter") or (kind == "Barrier" and rng.random() < 0.5)
        if kind == "Scatter":
            buffer = f"(char *)({buffer}) + (long){peer} * ({count})"
        elif kind == "Gather":
            buffer, tail = (
                f"(char *)({arguments[3]}) + (long){peer} * ({arguments[4]})",
                f"{arguments[4]}, {arguments[5]}",
            )
        if fan_out:
            one = f"MPI_Send({buffer}, {tail}, {peer}, 71, {comm});"
            other = arguments[3] if kind == "Scatter" else arguments[0] if kind == "Bcast" else f"&{me}"
            others = f"MPI_Recv({other}, {tail}, {root}, 71, {comm}, MPI_STATUS_IGNORE);"
        else:
            if kind in ("Reduce", "Allreduce"):
                buffer = arguments[1]
            one = f"MPI_Recv({buffer}, {tail}, {peer}, 72, {comm}, MPI_STATUS_IGNORE);"
            mine = f"&{me}" if kind == "Barrier" else arguments[0]
            others = f"MPI_Send({mine}, {tail}, {root}, 72, {comm});"
        body = [
            *setup, f"  if ({me} == {root}) {{", f"    for ({peer} = 0; {peer} < {size}; {peer}++) {{", f"      {skip}",
            f"      {one}", "    }", "  } else {", f"    {others}", "  }", "  }"
        ]  # fmt: skip
        text = source.replace(first, last, "\n".join(body))
        at = first + len(setup) + 3
        yield Injection(text, (at,), f"MPI_{kind} as a loop of messages over the ranks")
