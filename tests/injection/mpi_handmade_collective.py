"""Broadcasts, gathers, reductions and barriers of real code, replaced by loops of messages over the ranks."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection import _messages as messages

NAMES = r"Bcast|I?Gather|Scatter|Reduce|Allreduce|Allgather|Barrier"
KINDS = {
    "MPI_DOUBLE": "double",
    "MPI_FLOAT": "float",
    "MPI_INT": "int",
    "MPI_LONG": "long",
    "MPI_LONG_LONG": "long long",
    "MPI_UNSIGNED": "unsigned",
    "MPI_UNSIGNED_LONG": "unsigned long",
}


def one_rank(call: messages.Call, rng: random.Random) -> tuple[list[str], str, list[str], str]:
    """The root's statements per peer, which of them the finding is at, what the others do, and the root."""
    given, kind = call.arguments, call.name.removeprefix("MPI_")
    comm, root = given[-1], given[-2] if kind in ("Bcast", "Gather", "Scatter", "Reduce") else "0"
    quiet = "MPI_STATUS_IGNORE"
    if kind == "Bcast":
        send = f"MPI_Send({given[0]}, {given[1]}, {given[2]}, sw_peer, 71, {comm});"
        return [send], send, [f"MPI_Recv({given[0]}, {given[1]}, {given[2]}, {root}, 71, {comm}, {quiet});"], root
    if kind == "Scatter":
        part = f"(char *)({given[0]}) + (long)sw_peer * ({given[1]})"
        send = f"MPI_Send({part}, {given[1]}, {given[2]}, sw_peer, 71, {comm});"
        return [send], send, [f"MPI_Recv({given[3]}, {given[4]}, {given[5]}, {root}, 71, {comm}, {quiet});"], root
    if kind == "Gather":
        part = f"(char *)({given[3]}) + (long)sw_peer * ({given[4]})"
        receive = f"MPI_Recv({part}, {given[4]}, {given[5]}, sw_peer, 72, {comm}, {quiet});"
        return [receive], receive, [f"MPI_Send({given[0]}, {given[1]}, {given[2]}, {root}, 72, {comm});"], root
    if kind == "Barrier":
        if rng.random() < 0.5:
            send = f"MPI_Send(&sw_token, 1, MPI_INT, sw_peer, 73, {comm});"
            return [send], send, [f"MPI_Recv(&sw_token, 1, MPI_INT, {root}, 73, {comm}, {quiet});"], root
        receive = f"MPI_Recv(&sw_token, 1, MPI_INT, sw_peer, 73, {comm}, {quiet});"
        return [receive], receive, [f"MPI_Send(&sw_token, 1, MPI_INT, {root}, 73, {comm});"], root
    value, count = KINDS[given[3]], given[2]
    receive = f"MPI_Recv(sw_part, {count}, {given[3]}, sw_peer, 72, {comm}, {quiet});"
    add = f"for (int sw_i = 0; sw_i < ({count}); sw_i++) (({value} *)({given[1]}))[sw_i] += sw_part[sw_i];"
    return [receive, add], receive, [f"MPI_Send({given[0]}, {count}, {given[3]}, {root}, 72, {comm});"], root


def all_ranks(call: messages.Call, rng: random.Random) -> tuple[list[str], str]:
    """An Allreduce in steps: round a ring, or by recursive doubling; and the line of the message."""
    given = call.arguments
    value, count, comm = KINDS[given[3]], given[2], given[-1]
    mine = f"(({value} *)({given[1]}))"
    add = f"for (int sw_i = 0; sw_i < ({count}); sw_i++) {mine}[sw_i] += sw_part[sw_i];"
    copy = f"for (int sw_i = 0; sw_i < ({count}); sw_i++)"
    tail = f"{count}, {given[3]}"
    if rng.random() < 0.5:
        peer = "sw_me ^ sw_mask"
        line = f"MPI_Sendrecv({mine}, {tail}, {peer}, 74, sw_part, {tail}, {peer}, 74, {comm}, MPI_STATUS_IGNORE);"
        step = rng.choice(("sw_mask <<= 1", "sw_mask *= 2"))
        return [f"for (int sw_mask = 1; sw_mask < sw_size; {step}) {{", line, add, "}"], line
    ahead, behind = "(sw_me + 1) % sw_size", "(sw_me + sw_size - 1) % sw_size"
    line = f"MPI_Sendrecv(sw_pass, {tail}, {ahead}, 75, sw_part, {tail}, {behind}, 75, {comm}, MPI_STATUS_IGNORE);"
    return [
        f"{value} sw_pass[{count}];", f"{copy} sw_pass[sw_i] = {mine}[sw_i];",
        "for (int sw_step = 1; sw_step < sw_size; sw_step++) {", line, add,
        f"{copy} sw_pass[sw_i] = sw_part[sw_i];", "}",
    ], line  # fmt: skip


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    calls = list(messages.calls(source, NAMES)) if source.mpi else []
    rng.shuffle(calls)
    for call in calls:
        kind, given = call.name.removeprefix("MPI_"), call.arguments
        combines = kind in ("Reduce", "Allreduce")
        if kind in ("Igather", "Allgather") or "IN_PLACE" in " ".join(given) or messages.measures(source, call.first):
            continue
        if combines and (given[3] not in KINDS or not re.fullmatch(r"[\w.>-]+", given[2])):
            continue
        block = [
            "int sw_me, sw_size, sw_peer, sw_token = 0;",
            f"MPI_Comm_rank({given[-1]}, &sw_me);",
            f"MPI_Comm_size({given[-1]}, &sw_size);",
            "(void)sw_peer, (void)sw_token;",
        ]
        if combines:
            block.append(f"{KINDS[given[3]]} sw_part[{given[2]}];")
        if kind == "Allreduce" and rng.random() < 0.7:
            steps, marked = all_ranks(call, rng)
            own = f"(({KINDS[given[3]]} *)({given[1]}))[sw_i] = (({KINDS[given[3]]} *)({given[0]}))[sw_i];"
            block += [f"for (int sw_i = 0; sw_i < ({given[2]}); sw_i++) {own}", *steps]
        else:
            root_does, marked, others, root = one_rank(call, rng)
            skip = rng.choice((f"if (sw_peer == {root}) continue;", "if (sw_peer == sw_me) continue;"))
            block += [
                f"if (sw_me == {root}) {{", "for (sw_peer = 0; sw_peer < sw_size; sw_peer++) {", skip, *root_does,
                "}", "} else {", *others, "}",
            ]  # fmt: skip
        block = ["{", *block, "}"]
        text = source.replace(call.first, call.last, "\n".join(block))
        yield Injection(text, (call.first + block.index(marked),), f"{call.name} as a loop of messages over the ranks")
