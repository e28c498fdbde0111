"""What mpi_calls.toml says: the rows, their roles, and what is wrong with them. generate.py makes code of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HANDLES = (
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Errhandler",
    "MPI_File",
    "MPI_Group",
    "MPI_Info",
    "MPI_Message",
    "MPI_Op",
    "MPI_Request",
    "MPI_Session",
    "MPI_Win",
)

# The analyser's bit for each trait (enum MpiTraits).
ANALYZER_TRAITS = {
    "send": "MpiSend",
    "recv": "MpiRecv",
    "collective": "MpiCollective",
    "barrier": "MpiBarrier",
    "nonblocking": "MpiNonblocking",
    "wait": "MpiWait",
    "probe": "MpiProbe",
    "rma": "MpiRma",
    "io": "MpiIo",
    "timer": "MpiTimer",
    "synchronous": "MpiSynchronous",
    "ready": "MpiReady",
    "buffered": "MpiBuffered",
    "persistent": "MpiPersistent",
    "lifecycle": "MpiLifecycle",
    "query": "MpiQuery",
    "full_sync": "MpiFullSync",
    "comm_management": "MpiCommManagement",
    "varying": "MpiVarying",
    "some": "MpiSome",
    "shared_memory": "MpiSharedMemory",
    "joins_groups": "MpiJoinsGroups",
    "outside": "MpiOutside",
}

# What calls of the same traits do (enum MpiDoes).
DOES = (
    "broadcast",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "scan",
    "combine",
    "init",
    "init_thread",
    "finalize",
    "abort",
    "rank",
    "size",
    "coordinates",
    "shift",
    "grid",
    "duplicate",
    "free",
    "type_contiguous",
    "type_vector",
    "type_hvector",
    "type_subarray",
    "type_resized",
    "type_dup",
    "type_indexed_block",
    "type_indexed",
    "type_struct",
)

# The event flag for each trait that has one (enum sw_event_flags); START and COMPLETE depend on the kind.
EVENT_FLAGS = {
    "send": "SW_EV_SEND",
    "recv": "SW_EV_RECV",
    "collective": "SW_EV_COLLECTIVE",
    "barrier": "SW_EV_BARRIER",
    "wait": "SW_EV_WAIT",
    "probe": "SW_EV_PROBE",
    "rma": "SW_EV_RMA",
    "io": "SW_EV_IO",
    "timer": "SW_EV_TIMER",
    "synchronous": "SW_EV_SYNCHRONOUS",
    "ready": "SW_EV_READY",
    "buffered": "SW_EV_BUFFERED",
    "full_sync": "SW_EV_FULL_SYNC",
    "comm_management": "SW_EV_COMM",
}

# The C type a parameter must have to play a role.
ROLE_TYPES = {
    "buffer": r"(const )?void \*",
    "recv_buffer": r"void \*",
    "count": "int|MPI_Count",
    "recv_count": "int|MPI_Count",
    "counts": r"const (int|MPI_Count) \[\]",
    "recv_counts": r"const (int|MPI_Count) \[\]",
    "type": "MPI_Datatype",
    "recv_type": "MPI_Datatype",
    "types": r"const MPI_Datatype \[\]",
    "recv_types": r"const MPI_Datatype \[\]",
    "peer": "int",
    "recv_peer": "int",
    "tag": "int",
    "recv_tag": "int",
    "root": "int",
    "n": "int",
    "partitions": "int",
    "partition_low": "int",
    "partition_high": "int",
    "comm": "MPI_Comm",
    "win": "MPI_Win",
    "file": "MPI_File",
    "request": r"MPI_Request \*",
    "request_value": "MPI_Request",
    "requests": r"MPI_Request \[\]",
    "message": r"MPI_Message \*",
    "status": r"(const )?MPI_Status \*",
    "statuses": r"MPI_Status \[\]",
    "flag": r"int \*",
    "index": r"int \*",
    "indices": r"int \[\]",
    "outcount": r"int \*",
    "new_comm": r"MPI_Comm \*",
    "new_win": r"MPI_Win \*",
    "new_file": r"MPI_File \*",
    "comm_pointer": r"MPI_Comm \*",
    "win_pointer": r"MPI_Win \*",
    "file_pointer": r"MPI_File \*",
    "type_pointer": r"MPI_Datatype \*",
    "provided": r"int \*",
}


@dataclass(frozen=True)
class Kind:
    """A way to record a call: the roles its handler relies on, and what has to happen before the call."""

    roles: tuple[str, ...]
    before: str = ""  # suffix of the sw_before_* function, "" for none
    flags: str = ""  # event flags beside those of the traits


MESSAGE = ("buffer", "count", "type", "peer", "tag", "comm")
KINDS = {
    "send": Kind(MESSAGE),
    "send_start": Kind((*MESSAGE, "request"), flags="SW_EV_START"),
    "send_init": Kind((*MESSAGE, "request")),
    "recv": Kind((*MESSAGE, "status"), before="status"),
    "recv_start": Kind((*MESSAGE, "request"), flags="SW_EV_START"),
    "recv_init": Kind((*MESSAGE, "request")),
    "sendrecv": Kind(
        (*MESSAGE, "recv_buffer", "recv_count", "recv_type", "recv_peer", "recv_tag", "status"),
        before="status",
        flags="SW_EV_SENDRECV",
    ),
    "sendrecv_replace": Kind((*MESSAGE, "recv_peer", "recv_tag", "status"), before="status", flags="SW_EV_SENDRECV"),
    "isendrecv": Kind(
        (*MESSAGE, "recv_buffer", "recv_count", "recv_type", "recv_peer", "recv_tag", "request"), flags="SW_EV_START"
    ),
    "isendrecv_replace": Kind((*MESSAGE, "recv_peer", "recv_tag", "request"), flags="SW_EV_START"),
    "psend_init": Kind((*MESSAGE, "partitions", "request")),
    "precv_init": Kind((*MESSAGE, "partitions", "request")),
    "pready": Kind(("request_value",), flags="SW_EV_START"),
    "pready_range": Kind(("partition_low", "partition_high", "request_value"), flags="SW_EV_START"),
    "pready_list": Kind(("n", "request_value"), flags="SW_EV_START"),
    "probe": Kind(("peer", "tag", "comm", "status"), before="status"),
    "mprobe": Kind(("peer", "tag", "comm", "message", "status"), before="status"),
    "mrecv": Kind(("buffer", "count", "type", "message", "status"), before="message"),
    "mrecv_start": Kind(("buffer", "count", "type", "message", "request"), before="message", flags="SW_EV_START"),
    "start": Kind(("request",), before="start", flags="SW_EV_START"),
    "startall": Kind(("n", "requests"), before="start", flags="SW_EV_START"),
    "wait": Kind(("request", "status"), before="wait"),
    "waitall": Kind(("n", "requests", "statuses"), before="wait"),
    "waitany": Kind(("n", "requests", "index", "status"), before="wait"),
    "waitsome": Kind(("n", "requests", "outcount", "indices", "statuses"), before="wait"),
    "request_free": Kind(("request",), before="free"),
    "collective": Kind(("comm",)),
    "collective_start": Kind(("comm", "request"), flags="SW_EV_START"),
    "collective_init": Kind(("comm", "request")),
    "comm_create": Kind(("comm", "new_comm")),
    "comm_create_start": Kind(("comm", "new_comm", "request"), flags="SW_EV_START"),
    "comm_free": Kind(("comm_pointer",), before="free"),
    "win_create": Kind(("comm", "new_win")),
    "win_free": Kind(("win_pointer",), before="free"),
    "file_open": Kind(("comm", "new_file")),
    "file_close": Kind(("file_pointer",), before="free"),
    "type_free": Kind(("type_pointer",), before="free"),
    "rma": Kind(("win",)),
    "rma_start": Kind(("win", "request"), flags="SW_EV_START"),
    "io": Kind(("file",)),
    "io_start": Kind(("file", "request"), flags="SW_EV_START"),
    "plain": Kind(()),
    "poll": Kind(()),
    "timer": Kind(()),
    "init": Kind(()),
    "finalize": Kind(()),
    "abort": Kind(()),
    "session_finalize": Kind(()),
}
LIFECYCLE = {"init", "finalize", "abort", "session_finalize"}
VOLUMES = {
    "none": ("SW_VOLUME_NONE", ()),
    "send": ("SW_VOLUME_SEND", ("count", "type")),
    "recv": ("SW_VOLUME_RECV", ("recv_count", "type")),
    "send*size": ("SW_VOLUME_SEND_SIZE", ("count", "type")),
    "recv*size": ("SW_VOLUME_RECV_SIZE", ("recv_count", "type")),
    "send*neighbours": ("SW_VOLUME_SEND_NEIGHBOURS", ("count", "type")),
    "sum(send)": ("SW_VOLUME_SUM_SEND", ("counts",)),
    "sum(recv)": ("SW_VOLUME_SUM_RECV", ("recv_counts",)),
    "sum_neighbours(send)": ("SW_VOLUME_SUM_NEIGHBOURS", ("counts",)),
}
KEYS = {"name", "parameters", "returns", "roles", "traits", "does", "kind", "volume", "index", "wrap"}

# Fields of struct sw_op that hold a handle by value in C and an integer by reference in Fortran.
HANDLE_ROLES = {"type", "recv_type", "comm", "win", "file", "request_value"}
INT_ROLES = {
    "count",
    "recv_count",
    "peer",
    "recv_peer",
    "tag",
    "recv_tag",
    "root",
    "n",
    "partitions",
    "partition_low",
    "partition_high",
}
# Passed on from struct sw_op, since the interposer may put its own storage in place of MPI_STATUS_IGNORE.
REPLACED_ROLES = {"status", "statuses"}
POINTER_ROLES = {"comm_pointer", "win_pointer", "file_pointer", "type_pointer"}


class TableError(Exception):
    """Something wrong in mpi_calls.toml."""


@dataclass(frozen=True)
class Parameter:
    """One C parameter: its type as written, with "[]" for arrays, its name and its role ("-" for none)."""

    type: str
    name: str
    role: str

    @property
    def is_character(self) -> bool:
        """True where Fortran passes a hidden length."""
        return re.match(r"(const )?char \*", self.type) is not None

    @property
    def is_choice(self) -> bool:
        """True for a choice buffer, which TS 29113 bindings pass as a descriptor."""
        return re.fullmatch(r"(const )?void \*", self.type) is not None and self.name != "baseptr"

    @property
    def passing(self) -> str:
        """How C hands it over, as a letter: "i" a number or a handle of 32 bits, "l" a number of 64, "p" an address,
        "-" one that Fortran's binding lacks. Fortran hands over addresses alone."""
        if self.type in HANDLES or self.type == "int":
            return "i"
        if self.type in {"MPI_Aint", "MPI_Offset", "MPI_Count"}:
            return "l"
        if self.type == "char ***" or (self.type, self.name) == ("int *", "argc"):
            return "-"
        return "p"

    def neutral_type(self) -> str:
        """The type in a declaration that suits every MPI: handles are ints in one and pointers in the other."""
        if self.type in HANDLES:
            return "sw_handle"
        if any(handle in self.type for handle in HANDLES) or "MPI_Status" in self.type:
            return "const void *" if self.type.startswith("const") else "void *"
        if self.type in {"MPI_Aint", "MPI_Offset", "MPI_Count"}:
            return "int64_t"
        text = re.sub(r"MPI_(Aint|Offset|Count)", "int64_t", self.type)
        return re.sub(r" ?\[\d*\]$", " *", text)


@dataclass(frozen=True)
class Call:
    """One row of the table."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]
    traits: tuple[str, ...]
    kind: str = ""
    volume: str = ""
    index: int = -1
    roles: dict[str, int] = field(default_factory=dict)
    does: str = ""
    symbol: str = ""  # of the C function, where it is not the name

    @property
    def wrapped(self) -> bool:
        return bool(self.kind)

    @property
    def wide(self) -> bool:
        """True if arrays of counts hold MPI_Count."""
        return any("MPI_Count []" in p.type for p in self.parameters if p.role in {"counts", "recv_counts"})

    @property
    def large(self) -> bool:
        """True for the twin with large counts, which is recorded as the call itself."""
        return bool(self.symbol)


def parse_parameters(text: str) -> list[tuple[str, str]]:
    """Split C parameters into (type, name); raises ValueError with the part that is no parameter."""
    text = " ".join(text.split())
    if text in {"", "void"}:
        return []
    result = []
    for part in (piece.strip() for piece in text.split(",")):
        if part == "...":
            result.append(("...", "..."))
            continue
        match = re.fullmatch(r"(?P<type>.*?[ *])(?P<name>\w+)(?P<array>(\[\d*\])*)", part)
        if match is None:
            raise ValueError(f"'{part}' is no C parameter")
        result.append((match["type"].rstrip() + (" " + match["array"] if match["array"] else ""), match["name"]))
    return result


def positions_of(
    typed: Sequence[tuple[str, str]], roles: Sequence[str], wrong: Callable[[str], TableError]
) -> dict[str, int]:
    """Where each role stands among the parameters, given by type and name."""
    positions: dict[str, int] = {}
    for position, ((type_, parameter), role) in enumerate(zip(typed, roles, strict=True)):
        if role == "-":
            continue
        if role not in ROLE_TYPES:
            raise wrong(f"unknown role '{role}'")
        if role in positions:
            raise wrong(f"two parameters have the role '{role}'")
        if not re.fullmatch(ROLE_TYPES[role], type_):
            raise wrong(f"'{type_} {parameter}' cannot have the role '{role}'")
        positions[role] = position
    return positions


def check_volume(kind: str, volume: str, positions: dict[str, int], wrong: Callable[[str], TableError]) -> None:
    """Collectives, and only these, have a volume, and the parameters that it is computed from."""
    if not kind.startswith("collective"):
        if volume:
            raise wrong("only collectives have a volume")
        return
    if volume not in VOLUMES:
        raise wrong(f"unknown volume '{volume}'")
    for role in VOLUMES[volume][1]:
        if role not in positions and f"recv_{role}" not in positions:
            raise wrong(f"volume '{volume}' needs a parameter with the role '{role}'")


def parse_row(row: dict[str, Any]) -> Call:
    """Make a Call of one row; raises TableError."""
    name = row.get("name", "?")

    def wrong(what: str) -> TableError:
        return TableError(f"{name}: {what}")

    if not re.fullmatch(r"MPI_[A-Z][A-Za-z0-9_]*", str(name)):
        raise wrong("'name' must be that of an MPI function")
    if unknown := row.keys() - KEYS:
        raise wrong(f"unknown key '{sorted(unknown)[0]}'")
    try:
        typed = parse_parameters(row["parameters"])
        roles = row["roles"].split()
        traits = tuple(row["traits"])
    except KeyError as missing:
        raise wrong(f"key {missing} is missing") from None
    except ValueError as error:
        raise wrong(str(error)) from None
    if len(roles) != len(typed):
        raise wrong(f"{len(typed)} parameters but {len(roles)} roles")
    positions = positions_of(typed, roles, wrong)
    if not traits:
        raise wrong("no traits")
    for trait in traits:
        if trait not in ANALYZER_TRAITS:
            raise wrong(f"unknown trait '{trait}'")
    does = row.get("does", "")
    if does and does not in DOES:
        raise wrong(f"unknown 'does' '{does}'")
    kind, volume, index = row.get("kind", ""), row.get("volume", ""), row.get("index", -1)
    if row.get("wrap", True):
        if kind not in KINDS:
            raise wrong(f"unknown kind '{kind}'")
        for role in KINDS[kind].roles:
            if role not in positions:
                raise wrong(f"kind '{kind}' needs a parameter with the role '{role}'")
        if not isinstance(index, int) or index < 0:
            raise wrong("needs an index")
    elif kind or volume or index != -1:
        raise wrong("'kind', 'volume' and 'index' make no sense with wrap = false")
    check_volume(kind, volume, positions, wrong)
    parameters = tuple(Parameter(t, n, r) for (t, n), r in zip(typed, roles, strict=True))
    return Call(name, row.get("returns", "int"), parameters, traits, kind, volume, index, positions, does)


def load(path: Path) -> list[Call]:
    """Read and check the table; raises TableError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise TableError(str(error)) from error
    calls = [parse_row(row) for row in data.get("call", [])]
    names: set[str] = set()
    for call in calls:
        if call.name in names:
            raise TableError(f"{call.name}: two rows")
        names.add(call.name)
    wrapped = sorted((c for c in calls if c.wrapped), key=lambda c: c.index)
    for expected, call in enumerate(wrapped):
        if call.index != expected:
            what = "is used twice" if call.index < expected else f"leaves a gap: {expected} is not used"
            raise TableError(f"{call.name}: index {call.index} {what}")
    return calls
