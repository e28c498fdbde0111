"""Shifts of data along the ranks, beside loops of real code, in which every rank sends first; and the site's own
MPI_Sendrecv taken apart."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection import _messages as messages


def apart(source: Source, rng: random.Random) -> Iterator[Injection]:
    found = [call for call in messages.calls(source, "Sendrecv") if len(call.arguments) == 12]
    rng.shuffle(found)
    for call in found:
        a = call.arguments
        send = f"MPI_Send({', '.join(a[:5])}, {a[10]});"
        receive = f"MPI_Recv({', '.join(a[5:10])}, {a[10]}, {a[11]});"
        text = source.replace(call.first, call.last, f"{send}\n{receive}")
        yield Injection(text, (call.first,), "MPI_Sendrecv taken apart")


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    yield from apart(source, rng)
    for loop in messages.loops(source, rng):
        kind = rng.choice(list(messages.KINDS))
        count = rng.choice(("1", "100", "sw_count", "4000"))
        to, origin = messages.neighbours(rng)
        form = rng.choice(("plain", "variables", "helper", "synchronous", "guarded", "parameters"))
        name = "MPI_Ssend" if form == "synchronous" else "MPI_Send"
        before, after = (to, origin) if form not in ("variables", "guarded", "parameters") else ("sw_to", "sw_from")
        send = f"{name}(sw_out, {count}, {messages.KINDS[kind]}, {before}, 5, MPI_COMM_WORLD);"
        receive = f"MPI_Recv(sw_in, {count}, {messages.KINDS[kind]}, {after}, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        prelude = [*messages.storage(rng, kind, "sw_out", "sw_in"), "extern int sw_count;"]
        pair = [send, receive]
        setup = [*messages.RANKS]
        if form in ("variables", "guarded"):
            setup += [f"const int sw_to = {to};", f"const int sw_from = {origin};"]
        if form == "guarded":
            pair = ["if (sw_to != MPI_PROC_NULL)", send, "if (sw_from != MPI_PROC_NULL)", receive]
        elif form == "parameters":
            prelude += ["static void sw_shift(int sw_to, int sw_from) {", *pair, "}"]
            pair = [f"sw_shift({to}, {origin});"]
        elif form == "helper":
            prelude += ["static void sw_shift(int sw_me, int sw_size) {", *pair, "}"]
            pair = ["sw_shift(sw_me, sw_size);"]
        own = messages.own(source, loop)
        body = [*setup, *pair, *own] if rng.random() < 0.5 else [*setup, *own, *pair]
        yield messages.graft(source, loop, prelude, body, [send], f"send before receive, {form}, {count} of {kind}")
