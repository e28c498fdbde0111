"""Programs for the model of MPI in shards.py: each defect, and its silent twin one edit away."""

from __future__ import annotations

from collections.abc import Generator

from shard_files import ANY, IO, NULL, READY, RMA, TIMER
from shards import Call, Program, Rank, Request

Steps = Generator[Call, None, None]


def neighbours(rank: Rank, *, periodic: bool) -> tuple[int, int]:
    """Ranks to the left and to the right; NULL at the ends of an open line."""
    left, right = rank.number - 1, rank.number + 1
    if periodic:
        return left % rank.size, right % rank.size
    return left if left >= 0 else NULL, right if right < rank.size else NULL


def barrier_each_step(steps: int = 10, work: float = 1e-4) -> Program:
    """A halo exchange by Sendrecv, with a barrier that it does not need."""

    def program(rank: Rank) -> Steps:
        left, right = neighbours(rank, periodic=True)
        for _ in range(steps):
            yield rank.compute(work * (1 + rank.number / 10))
            yield rank.sendrecv(right, left, "shift right")
            yield rank.sendrecv(left, right, "shift left", tag=1)
            yield rank.barrier("barrier")

    return program


def two_barriers(steps: int = 10) -> Program:
    """Two barriers in a step, of which an imbalanced phase lies between: removing both lets the phases overlap."""

    def program(rank: Rank) -> Steps:
        for step in range(steps):
            yield rank.compute(1e-3 if (step + rank.number) % 2 else 1e-4)
            yield rank.barrier("first barrier")
            yield rank.compute(1e-4)
            yield rank.barrier("second barrier")
        yield rank.allreduce("sum")

    return program


def collect_results(steps: int, *, wildcard: bool, barrier: bool = True, tag_by_step: bool = False) -> Program:
    """Rank 0 collects one message of each rank and answers, so that nobody runs ahead."""

    def program(rank: Rank) -> Steps:
        for step in range(steps):
            tag = step if tag_by_step else 0
            yield rank.compute(1e-5 * (1 + (rank.number * 7 + step) % 3))
            if rank.number == 0:
                for source in range(1, rank.size):
                    yield rank.recv(ANY if wildcard else source, "collect", tag=tag)
            else:
                yield rank.send(0, "deliver", tag=tag)
            if barrier:
                yield rank.barrier("barrier")
            if rank.number == 0:
                for target in range(1, rank.size):
                    yield rank.send(target, "answer", tag=99)
            else:
                yield rank.recv(0, "get answer", tag=99)

    return program


def wildcard_rounds(steps: int, *, order: str = "") -> Program:
    """Rounds of wildcard receives at rank 0 that only the barrier keeps apart, or else `order`."""

    def program(rank: Rank) -> Steps:
        for _ in range(steps):
            if rank.number == 0:
                for _ in range(1, rank.size):
                    yield rank.recv(ANY, "collect")
            else:
                yield rank.send(0, "deliver")
            if order == "allreduce":
                yield rank.allreduce("sum")
            yield rank.barrier("barrier")

    return program


def flood(steps: int, *, answer: bool) -> Program:
    """Named receives from all at rank 0; without an answer only the barrier keeps senders from running ahead."""

    def program(rank: Rank) -> Steps:
        for _ in range(steps):
            if rank.number == 0:
                for source in range(1, rank.size):
                    yield rank.recv(source, "collect")
            else:
                yield rank.send(0, "deliver")
            if answer:
                if rank.number == 0:
                    for target in range(1, rank.size):
                        yield rank.send(target, "answer", tag=1)
                else:
                    yield rank.recv(0, "get answer", tag=1)
            yield rank.barrier("barrier")

    return program


def timed(steps: int) -> Program:
    def program(rank: Rank) -> Steps:
        for _ in range(steps):
            yield rank.barrier("barrier")
            yield rank.other("MPI_Wtime", "clock", TIMER)
            yield rank.compute(1e-4)
            yield rank.allreduce("sum")

    return program


def one_sided(steps: int, *, put: bool) -> Program:
    def program(rank: Rank) -> Steps:
        for _ in range(steps):
            if put:
                yield rank.other("MPI_Put", "put", RMA)
            yield rank.compute(1e-5)
            yield rank.barrier("barrier")
            yield rank.compute(1e-5)
            yield rank.allreduce("sum")

    return program


def files(*, read_back: bool) -> Program:
    """All write, then all read what others wrote; the twin only writes."""

    def program(rank: Rank) -> Steps:
        yield rank.other("MPI_File_write_at", "write", IO)
        yield rank.allreduce("before")
        yield rank.other("MPI_File_write_at", "write again", IO)
        yield rank.compute(1e-5)
        yield rank.sendrecv((rank.number + 1) % rank.size, (rank.number - 1) % rank.size, "shift")
        yield rank.barrier("barrier")
        yield rank.sendrecv((rank.number + 1) % rank.size, (rank.number - 1) % rank.size, "shift")
        yield rank.compute(1e-5)
        if read_back:
            yield rank.other("MPI_File_read_at", "read", IO)
        yield rank.allreduce("after")

    return program


def ready_sends(steps: int, *, ready: bool) -> Program:
    """The receive is posted before the barrier, the ready send comes after it."""

    def program(rank: Rank) -> Steps:
        left, right = neighbours(rank, periodic=True)
        for _ in range(steps):
            requests: list[Request] = []
            yield rank.irecv(left, "post", requests)
            yield rank.barrier("barrier")
            yield rank.send(right, "ready send", flags=READY if ready else 0)
            yield rank.waitall("wait", requests)

    return program


def ring(steps: int, *, order: str, periodic: bool = True, work: float = 1e-5) -> Program:
    """One shift to the right per step. `order`: send-first, odd-even, sendrecv, irecv, isend, ssend."""

    def program(rank: Rank) -> Steps:
        left, right = neighbours(rank, periodic=periodic)
        for _ in range(steps):
            yield rank.compute(work)
            requests: list[Request] = []
            if order == "sendrecv":
                yield rank.sendrecv(right, left, "exchange")
            elif order == "irecv":
                if left != NULL:
                    yield rank.irecv(left, "post", requests)
                if right != NULL:
                    yield rank.isend(right, "start", requests)
                yield rank.waitall("wait", requests)
            elif order == "isend":
                if right != NULL:
                    yield rank.isend(right, "start", requests)
                if left != NULL:
                    yield rank.irecv(left, "post", requests)
                yield rank.waitall("wait", requests)
            elif order == "odd-even" and rank.number % 2:
                yield rank.recv(left, "odd receive")
                yield rank.send(right, "odd send")
            else:
                yield rank.send(right, "send", synchronous=order == "ssend")
                yield rank.recv(left, "receive")

    return program


def stencil(steps: int, *, order: str, columns: int = 0) -> Program:
    """A halo exchange in both directions of a line (or a grid of `columns`), all calls in one helper on one path."""

    def program(rank: Rank) -> Steps:
        if columns:
            x, y = rank.number % columns, rank.number // columns
            rows = rank.size // columns

            def at(dx: int, dy: int) -> int:
                inside = 0 <= x + dx < columns and 0 <= y + dy < rows
                return (y + dy) * columns + x + dx if inside else NULL

            directions = [(at(1, 0), at(-1, 0)), (at(-1, 0), at(1, 0)), (at(0, 1), at(0, -1)), (at(0, -1), at(0, 1))]
        else:
            left, right = neighbours(rank, periodic=False)
            directions = [(right, left), (left, right)]
        for _ in range(steps):
            yield rank.compute(1e-5 * (1 + rank.number % 3))
            requests: list[Request] = []
            for number, (target, source) in enumerate(directions):
                if order == "sendrecv":
                    yield rank.sendrecv(target, source, "exchange", tag=number)
                elif order == "nonblocking":
                    if source != NULL:
                        yield rank.irecv(source, "post", requests, tag=number)
                elif order == "send-first":
                    yield rank.send(target, "send", tag=number)
                    yield rank.recv(source, "receive", tag=number)
            if order == "nonblocking":
                for number, (target, _) in enumerate(directions):
                    if target != NULL:
                        yield rank.isend(target, "start", requests, tag=number)
                yield rank.waitall("wait", requests)

    return program


def pipeline(steps: int, *, filled: bool, work: float = 1e-4) -> Program:
    """Each rank works on its predecessor's result. Filled: the next piece starts at once; else all wait for the end."""

    def program(rank: Rank) -> Steps:
        left, right = neighbours(rank, periodic=False)
        for _ in range(steps):
            if left != NULL:
                yield rank.recv(left, "receive")
            yield rank.compute(work)
            if right != NULL:
                yield rank.send(right, "send")
            if not filled:
                yield rank.allreduce("sum")

    return program


def columns(steps: int, cells: int, *, whole: bool = False) -> Program:
    """A column sent to the right cell by cell, or whole."""

    def program(rank: Rank) -> Steps:
        _, right = neighbours(rank, periodic=True)
        left = (rank.number - 1) % rank.size
        for _ in range(steps):
            yield rank.compute(1e-5)
            if rank.number % 2 == 0:
                for _ in range(1 if whole else cells):
                    yield rank.send(right, "send", size=72 * cells if whole else 72)
                for _ in range(1 if whole else cells):
                    yield rank.recv(left, "receive")
            else:
                for _ in range(1 if whole else cells):
                    yield rank.recv(left, "receive")
                for _ in range(1 if whole else cells):
                    yield rank.send(right, "send", size=72 * cells if whole else 72)

    return program


def ping_pong(rounds: int) -> Program:
    def program(rank: Rank) -> Steps:
        other = rank.number ^ 1
        for _ in range(rounds):
            if rank.number % 2 == 0:
                yield rank.send(other, "ping")
                yield rank.recv(other, "pong")
            else:
                yield rank.recv(other, "await ping")
                yield rank.send(other, "send pong")

    return program


def bandwidth(rounds: int, window: int) -> Program:
    """A window of messages from one buffer, then an answer, as the OSU benchmark does."""

    def program(rank: Rank) -> Steps:
        other = rank.number ^ 1
        for _ in range(rounds):
            if rank.number % 2 == 0:
                for _ in range(window):
                    yield rank.send(other, "window", address=0)
                yield rank.recv(other, "answer")
            else:
                for _ in range(window):
                    yield rank.recv(other, "receive")
                yield rank.send(other, "send answer")

    return program


def master_worker(tasks: int) -> Program:
    def program(rank: Rank) -> Steps:
        if rank.number == 0:
            for worker in range(1, rank.size):
                for _ in range(tasks):
                    yield rank.send(worker, "task")
                    yield rank.recv(ANY, "result")
        else:
            for _ in range(tasks):
                yield rank.recv(0, "get task")
                yield rank.compute(1e-5)
                yield rank.send(0, "send result")

    return program
