"""Messages of real code sent once more, and exchanges beside its loops that send the same twice."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection import _messages as messages


def again(source: Source, rng: random.Random) -> Iterator[Injection]:
    """The site's own call, a second time right behind itself."""
    found = [
        call
        for call in messages.calls(source, "Bcast|Allreduce|Reduce|Allgather|Alltoall|Gather")
        if not messages.measures(source, call.first) and "MPI_IN_PLACE" not in call.arguments
    ]
    rng.shuffle(found)
    for call in found:
        text = source.insert(call.last + 1, call.text)
        yield Injection(text, (call.last + 1,), f"{call.name} a second time")


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    yield from again(source, rng)
    for loop in messages.loops(source, rng):
        kind = rng.choice(list(messages.KINDS))
        datatype, count = messages.KINDS[kind], rng.choice(("100", "sw_count", "4000"))
        to, origin = messages.neighbours(rng)
        form = rng.choice(("shift", "broadcast", "gather", "loop", "helper"))
        whole = f"sw_out, {count}, {datatype}"
        shift = (
            f"MPI_Sendrecv({whole}, {to}, 5, sw_in, {count}, {datatype}, {origin}, 5, "
            "MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        )
        message = {
            "broadcast": f"MPI_Bcast({whole}, 0, MPI_COMM_WORLD);",
            "gather": f"MPI_Allgather({whole}, sw_in, {count}, {datatype}, MPI_COMM_WORLD);",
        }.get(form, shift)
        storage = rng.choice(("static {} {}[20000];", "extern {} {}[];"))
        prelude = [*(storage.format(kind, name) for name in ("sw_out", "sw_in")), "extern int sw_count;"]
        own = messages.own(source, loop)
        # A call may fill buffers that other units know.
        if not messages.is_plain(source, loop):
            continue
        if form == "helper":
            prelude += ["static void sw_shift(int sw_me, int sw_size) {", message, "}"]
            message = "sw_shift(sw_me, sw_size);"
        second = f"{message} // again"
        # What the loop computes stays out of the buffers: they have other names.
        fill = [f"for (int sw_k = 0; sw_k < {count}; sw_k++) sw_out[sw_k] = ({kind})(sw_k + sw_count);"]
        body = [*messages.RANKS, *fill]
        if form == "loop":
            body += [f"for (int sw_step = 0; sw_step < {rng.choice(('20', 'sw_count'))}; sw_step++) {{", second, *own]
            body += ["}"]
        elif rng.random() < 0.3:
            body += [message, *own, second]
        else:
            body += [message, second, *own]
        yield messages.graft(source, loop, prelude, body, [second], f"the same data twice, {form}, {count} of {kind}")
