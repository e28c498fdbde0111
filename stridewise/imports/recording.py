"""What a recording of another tool tells of an MPI run: calls of each rank, with what was sent and received in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from stridewise.runs.mpi.shard_file import NOBODY, NONE
from stridewise.runs.mpi.trace import Frame


@dataclass(slots=True)
class Record:
    """What one event of a shard will say. `request` is a number that the recording gave, 0 for blocking ones."""

    flags: int
    comm: int = NONE  # index into Recording.comms
    peer: int = NOBODY  # world rank
    tag: int = 0
    bytes: int = 0
    request: int = 0
    address: int = 0
    payload: int = 0
    seq: int = NONE
    start: Record | None = None  # of a completion: what began it


@dataclass(slots=True)
class Call:
    """One call of MPI, in nanoseconds."""

    number: int  # in the table of calls
    begin: int
    path: int  # index into Recording.paths
    thread: int
    end: int = 0
    flags: int = 0  # of the call itself, where the recording knows them
    records: list[Record] = field(default_factory=list)


@dataclass(slots=True)
class RankCalls:
    host: str = ""
    begin: int | None = None  # when it left MPI_Init
    end: int | None = None  # when it came to MPI_Finalize
    last: int = 0
    thread_level: int = 0
    usage: tuple[int, ...] = ()
    calls: list[Call] = field(default_factory=list)
    phases: dict[int, list[int]] = field(default_factory=dict)  # by index: stays, nanoseconds


@dataclass(slots=True)
class Recording:
    creator: str
    description: str
    ranks: list[RankCalls] = field(default_factory=list)
    comms: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)  # stable number, world ranks
    paths: list[tuple[tuple[Frame, ...], int]] = field(default_factory=list)  # innermost first; phase from 1, or 0
    phases: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # what it does not tell, and what is not found for that
    effects: bool = False  # it tells of output outside MPI
