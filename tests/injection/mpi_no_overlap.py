"""Exchanges of halos that are waited for right before loops of real code that need none of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection import _messages as messages

# Computation worth the name: copies, lists of indices and initial values take no longer than a message's latency.
_WORK = re.compile(r"\[\]\s*[-+*/]=|=[^=;]*\[\][^=;]*[-+*/]\s*[\w(.]|=[^=;]*[\w).]\s*[-+*/]\s*[\w(.]*\[\]")


def computes(text: str) -> bool:
    """Whether a statement combines elements of arrays by arithmetic."""
    shorter = re.sub(r"\[[^\[\]]+\]", "[]", text)
    while shorter != text:
        text, shorter = shorter, re.sub(r"\[[^\[\]]+\]", "[]", shorter)
    return _WORK.search(text) is not None


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    for loop in messages.loops(source, rng):
        work = source.masked[loop.body_begin : loop.end]
        if not messages.is_plain(source, loop) or not computes(work):
            continue
        kind = rng.choice(("double", "float"))
        count, datatype = rng.choice(("100", "sw_count", "4000")), messages.KINDS[kind]
        to, origin = messages.neighbours(rng)
        waits = rng.choice(("all", "single", "helper"))
        receive = f"MPI_Irecv(sw_in, {count}, {datatype}, {origin}, 5, MPI_COMM_WORLD, &sw_requests[0]);"
        send = f"MPI_Isend(sw_out, {count}, {datatype}, {to}, 5, MPI_COMM_WORLD, &sw_requests[1]);"
        done = ["MPI_Waitall(2, sw_requests, MPI_STATUSES_IGNORE);"]
        if waits == "single":
            done = [f"MPI_Wait(&sw_requests[{k}], MPI_STATUS_IGNORE);" for k in (0, 1)]
        exchange = ["MPI_Request sw_requests[2];", receive, send, *done]
        prelude = [*messages.storage(rng, kind, "sw_out", "sw_in"), "extern int sw_count;", "extern double sw_sum;"]
        pack = [f"for (int sw_k = 0; sw_k < {count}; sw_k++) sw_out[sw_k] *= 2;"] if rng.random() < 0.5 else []
        use = [f"for (int sw_k = 0; sw_k < {count}; sw_k++) sw_sum += sw_in[sw_k];"]
        marked = list(done)
        if waits == "helper":
            prelude += ["static void sw_exchange(int sw_me, int sw_size) {", *exchange, "}"]
            exchange = ["sw_exchange(sw_me, sw_size);"]
            marked += exchange
        body = [*messages.RANKS, *pack, *exchange, *messages.own(source, loop), *use]
        yield messages.graft(source, loop, prelude, body, marked, f"a halo waited for before a loop, {waits}")
