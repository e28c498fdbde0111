"""Arrays that go element by element to one rank, over the site's own range."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection import _messages as messages


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    for loop in messages.loops(source, rng):
        kind, i = rng.choice(list(messages.KINDS)), loop.variable
        datatype, peer = messages.KINDS[kind], rng.choice(("sw_peer", "(sw_me + 1) % sw_size", "0"))
        form = rng.choice(
            ("address", "sum", "copy", "strided", "helper", "receive", "three", "nonblocking", "type", "count")
        )
        tail = f"{datatype}, {peer}, 17, MPI_COMM_WORLD"
        prelude = [*messages.storage(rng, kind, "sw_values"), "extern int sw_peer;"]
        inside = {
            "address": [f"MPI_Send(&sw_values[{i}], 1, {tail});"],
            "sum": [f"MPI_Send(sw_values + {i}, 1, {tail});"],
            "copy": [f"{kind} sw_one = sw_values[{i}];", f"MPI_Send(&sw_one, 1, {tail});"],
            "strided": [f"MPI_Send(&sw_values[7 * ({i})], 1, {tail});"],
            "helper": [f"sw_hand_over(&sw_values[{i}], {peer});"],
            "receive": [f"MPI_Recv(&sw_values[{i}], 1, {tail}, MPI_STATUS_IGNORE);"],
            "three": [f"MPI_Send(&sw_values[3 * ({i})], 3, {tail});"],
            "type": [f"MPI_Send(&sw_values[5 * ({i})], 1, sw_record, {peer}, 17, MPI_COMM_WORLD);"],
            "count": [f"MPI_Send(&sw_values[4 * ({i})], sw_parts, {tail});"],
            "nonblocking": [f"MPI_Isend(&sw_values[{i}], 1, {tail}, &sw_requests[{i}]);"],
        }[form]
        if form == "helper":
            call = f"  MPI_Send(value, 1, {datatype}, peer, 17, MPI_COMM_WORLD);"
            prelude += [f"static void sw_hand_over({kind} *value, int peer) {{", call, "}"]
            inside.append(call)
        if form == "count":
            prelude.append("static int sw_parts = 4;")
        make = []
        if form == "type":
            made = f"MPI_Type_contiguous(5, {datatype}, &sw_record);"
            make = ["MPI_Datatype sw_record;", made, "MPI_Type_commit(&sw_record);"]
        if form == "nonblocking":
            prelude.append("extern MPI_Request sw_requests[];")
        head = f"for ({loop.header}) {{ // each element"
        marked = [head, *inside]
        sending = [head, *inside[: 2 if form == "copy" else 1], "}"]
        one_side = ["if (sw_me != 0)"] if peer == "0" else []
        body = [*messages.RANKS, *messages.own(source, loop), *make, *one_side, *sending]
        yield messages.graft(source, loop, prelude, body, marked, f"elements of {kind} one by one, {form}")
