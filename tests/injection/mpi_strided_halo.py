"""Columns of arrays that go to the next rank in every step, over the site's own range of rows."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Loop, Source
from injection import _messages as messages


def rows(loop: Loop) -> str:
    """The number of rows as an expression; the site's loop may begin anywhere below its bound."""
    return re.split(r"<=?|>=?|!=", loop.parts[1], maxsplit=1)[1].strip()


def may_be_small(source: Source, loop: Loop) -> bool:
    """Whether the loop's bound is a name from elsewhere: an enumerator, say, that counts a few things."""
    bound = rows(loop)
    declared = rf"\b(?:int|unsigned|long|size_t|\w+_t|\w*[oO]rdinal\w*)\b[^;{{}}]*\b{re.escape(bound)}\b"
    return bound.isidentifier() and not re.search(declared, source.masked)


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    # A file that exchanges already may well cut its domain in other directions, too.
    if re.search(r"\bMPI_(?:[ISBR]?send|Isend|Sendrecv\w*|Send_init)\b", source.masked, re.IGNORECASE):
        return
    for loop in messages.loops(source, rng):
        if not re.match(r"<=?", loop.parts[1].removeprefix(loop.variable).strip()) or may_be_small(source, loop):
            continue
        kind, i = rng.choice(list(messages.KINDS)), loop.variable
        datatype, count = messages.KINDS[kind], f"(int)({rows(loop)})"
        ahead, behind = messages.neighbours(rng)
        pitch = rng.choice(("sw_pitch", "sw_pitch", "(sw_pitch + 2)", "130"))
        form = rng.choice(("flat", "table", "cells", "helper", "vector", "subarray"))
        prelude = [f"extern {kind} *sw_block, *sw_out, *sw_in;", "extern int sw_pitch, sw_steps;"]
        last, first = f"sw_block[({i}) * {pitch} + {pitch} - 2]", f"sw_block[({i}) * {pitch}]"
        before: list[str] = []
        after: list[str] = []
        parts = 1
        if form == "table":
            prelude.append(f"extern {kind} **sw_rows;")
            last, first = f"sw_rows[{i}][{pitch} - 2]", f"sw_rows[{i}][0]"
        elif form == "cells":
            parts = rng.choice((3, 5, 9))
        elif form == "helper":
            prelude.append(
                f"static inline {kind} *sw_at(int row, int column) {{ return sw_block + row * {pitch} + column; }}"
            )
            last, first = f"*sw_at({i}, {pitch} - 2)", f"*sw_at({i}, 0)"
        head = f"for ({loop.header})"
        if form in ("vector", "subarray"):
            out, into, length, unit = f"sw_block + {pitch} - 2", "sw_block", "1", "sw_column"
            before = [f"int sw_sizes[2] = {{{count}, {pitch}}}, sw_part[2] = {{{count}, 1}}, sw_start[2] = {{0, 0}};"]
            make = f"MPI_Type_create_subarray(2, sw_sizes, sw_part, sw_start, MPI_ORDER_C, {datatype}, &sw_column);"
            if form == "vector":
                before, make = [], f"MPI_Type_vector({count}, 1, {pitch}, {datatype}, &sw_column);"
            before += ["MPI_Datatype sw_column;", make, "MPI_Type_commit(&sw_column);"]
        else:
            out, into, length, unit = "sw_out", "sw_in", f"{count} * {parts}", datatype
            if parts > 1:
                cell = f"sw_block[(({i}) * {pitch} + {{}}) * {parts} + sw_k]"
                inner = f"  for (int sw_k = 0; sw_k < {parts}; sw_k++)"
                slot = f"[({i}) * {parts} + sw_k]"
                before = [head, inner, f"    sw_out{slot} = {cell.format(f'{pitch} - 2')};"]
                after = [head, inner, f"    {cell.format('0')} = sw_in{slot};"]
            else:
                before = [head, f"  sw_out[{i}] = {last};"]
                after = [head, f"  {first} = sw_in[{i}];"]
        send = f"{out}, {length}, {unit}, {ahead}, 17"
        receive = f"{into}, {length}, {unit}, {behind}, 17"
        if rng.random() < 0.5:
            marked = f"MPI_Sendrecv({send}, {receive}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
            exchange = [marked]
        else:
            marked = f"MPI_Isend({send}, MPI_COMM_WORLD, &sw_requests[1]);"
            exchange = [
                "MPI_Request sw_requests[2];",
                f"MPI_Irecv({receive}, MPI_COMM_WORLD, &sw_requests[0]);",
                marked,
                "MPI_Waitall(2, sw_requests, MPI_STATUSES_IGNORE);",
            ]
        made = before if unit == "sw_column" else []
        packing = [] if made else before
        body = [
            *messages.RANKS,
            *made,
            "for (int sw_step = 0; sw_step < sw_steps; sw_step++) {",
            *packing,
            *exchange,
            *after,
            "}",
            *messages.own(source, loop),
        ]
        yield messages.graft(source, loop, prelude, body, [marked], f"columns of {kind} to the next rank, {form}")
