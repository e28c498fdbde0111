#!/usr/bin/env python3
"""Generate the interposer's wrappers and the tables of MPI calls from mpi_calls.toml.

Each output option names a file; only those asked for are written, and a file is touched only when its text changes,
so that a build does not recompile what did not change. Errors in the input name the row and what is wrong with it.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
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
}

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
KEYS = {"name", "parameters", "returns", "roles", "traits", "kind", "volume", "index", "wrap"}

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
    if not traits:
        raise wrong("no traits")
    for trait in traits:
        if trait not in ANALYZER_TRAITS:
            raise wrong(f"unknown trait '{trait}'")
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
    if kind.startswith("collective"):
        if volume not in VOLUMES:
            raise wrong(f"unknown volume '{volume}'")
        for role in VOLUMES[volume][1]:
            if role not in positions and f"recv_{role}" not in positions:
                raise wrong(f"volume '{volume}' needs a parameter with the role '{role}'")
    elif volume:
        raise wrong("only collectives have a volume")
    parameters = tuple(Parameter(t, n, r) for (t, n), r in zip(typed, roles, strict=True))
    return Call(name, row.get("returns", "int"), parameters, traits, kind, volume, index, positions)


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


GENERATED = "Generated by pmpi_wrappers/generate.py from mpi_calls.toml."


def analyzer_table(calls: Iterable[Call]) -> str:
    """C++ initialisers of struct MpiSignature, sorted by name, with the large-count twins of MPI 4."""
    rows: list[tuple[str, Call]] = []
    for call in calls:
        rows.append((call.name, call))
        if any(role in call.roles for role in ("count", "recv_count", "counts", "recv_counts")):
            rows.append((f"{call.name}_c", call))
    lines = [f"// {GENERATED}"]
    for name, call in sorted(rows, key=lambda row: row[0]):

        def position(*roles: str, of: Call = call) -> int:
            return next((of.roles[role] for role in roles if role in of.roles), -1)

        fields = [
            position("buffer"),
            position("count"),
            position("type"),
            position("peer", "root"),
            position("tag"),
            position("comm", "comm_pointer"),
            position("request", "requests"),
            position("recv_buffer"),
            position("recv_count"),
            position("recv_type"),
            position("recv_peer"),
            position("recv_tag"),
        ]
        traits = " | ".join(ANALYZER_TRAITS[trait] for trait in call.traits)
        lines.append(f'{{"{name}", {traits}, {", ".join(map(str, fields))}}},')
    return "\n".join(lines) + "\n"


def wrapped_calls(calls: Iterable[Call]) -> list[Call]:
    return sorted((call for call in calls if call.wrapped), key=lambda call: call.index)


def call_names(calls: Iterable[Call]) -> str:
    """String literals in the order of sw_event.call."""
    return f"// {GENERATED}\n" + "".join(f'"{call.name}", // {call.index}\n' for call in wrapped_calls(calls))


def call_info(call: Call) -> str:
    """The row of sw_call_info[]: name, event flags, roles present, volume."""
    flags = [EVENT_FLAGS[trait] for trait in call.traits if trait in EVENT_FLAGS]
    extra = KINDS[call.kind].flags
    if extra:
        flags.append(extra)
    # A call that is collective over a window or a file has no place in its communicator's count of collectives.
    if "comm" not in call.roles and call.kind != "comm_free" and "SW_EV_COLLECTIVE" in flags:
        flags.remove("SW_EV_COLLECTIVE")
    present = [f"SW_HAS_{role.upper()}" for role in sorted(call.roles) if role in OPTIONAL_ROLES]
    volume = VOLUMES[call.volume][0] if call.volume else "SW_VOLUME_NONE"
    return f'{{"{call.name}", {" | ".join(flags) or "0"}, {" | ".join(present) or "0"}, {volume}}}'


# Roles that the handlers ask for by bit, because not every call of their kind has them.
OPTIONAL_ROLES = (
    "buffer",
    "recv_buffer",
    "count",
    "recv_count",
    "type",
    "recv_type",
    "types",
    "recv_types",
    "peer",
    "root",
    "flag",
)


def declaration(type_: str, name: str) -> str:
    return f"{type_}{name}" if type_.endswith("*") else f"{type_} {name}"


def fill(call: Call, fortran: bool, parameters: Sequence[Parameter]) -> list[str]:
    """Statements that copy the arguments of interest into args."""
    lines = []
    for parameter in parameters:
        role, name = parameter.role, parameter.name
        if role == "-":
            continue
        target = "pointer" if role in POINTER_ROLES else role
        value = name
        if fortran and role in HANDLE_ROLES | INT_ROLES:
            value = f"*(const {'int64_t' if parameter.type == 'MPI_Count' else 'int'} *){name}"
        elif fortran and role in {"buffer", "recv_buffer"}:
            value = f"sw_choice(binding, {name})"
        lines.append(f"  args.{target} = {value};")
        if role == "buffer":
            lines.append(f"  args.section = {f'sw_section(binding, {name})' if fortran else '0'};")
    if {"counts", "recv_counts"} & call.roles.keys():
        lines.append(f"  args.wide_counts = {int(call.wide)};")
    return lines


def recorded(call: Call, fortran: bool, invoke: str, parameters: Sequence[Parameter]) -> list[str]:
    """The body of a wrapper behind its guard."""
    kind = KINDS[call.kind]
    result = "" if fortran else f"{call.returns} rc = "
    status = "*ierror" if fortran else "rc"
    if call.kind == "init":
        provided = "sw_int(provided)" if "provided" in call.roles else "-1"
        return [f"  {result}{invoke};", f"  sw_init_leave(&call, {status}, {provided});"]
    if call.kind == "finalize":
        return ["  sw_finalize_enter(&call);", f"  {result}{invoke};", f"  sw_finalize_leave(&call, {status});"]
    if call.kind == "abort":
        return ["  sw_abort_enter(&call);", f"  {result}{invoke};"]
    if call.kind == "session_finalize":
        return [f"  {result}{invoke};", f"  sw_session_leave(&call, {status});"]
    if call.kind == "timer":
        return [f"  {call.returns} rc = {invoke};", "  sw_record_timer(&call);"]
    lines = ["  struct sw_op args;", f"  args.binding = {'binding' if fortran else 'SW_BINDING_C'};"]
    lines += fill(call, fortran, parameters)
    if kind.before:
        arguments = ""
        if kind.before == "wait":
            single = call.kind == "wait"
            arguments = f", {'SW_ONE' if single else 'SW_MANY'}, {'SW_MANY' if 'statuses' in call.roles else 'SW_ONE'}"
        elif kind.before == "start":
            arguments = f", {'SW_ONE' if call.kind == 'start' else 'SW_MANY'}"
        elif kind.before == "message":
            arguments = f", {'1' if 'status' in call.roles else '0'}"
        elif kind.before == "free":
            source = "request" if call.kind == "request_free" else "pointer"
            arguments = f", args.{source}, {FREED[call.kind]}"
        lines.append(f"  sw_before_{kind.before}(&call, &args{arguments});")
    lines.append(f"  {result}{invoke};")
    lines.append(f"  sw_record_{call.kind}(&call, &args, {status});")
    return lines


FREED = {
    "request_free": "SW_KIND_REQUEST",
    "comm_free": "SW_KIND_COMM",
    "win_free": "SW_KIND_WIN",
    "file_close": "SW_KIND_FILE",
    "type_free": "SW_KIND_TYPE",
}


def passed(parameter: Parameter, through_op: bool) -> str:
    return f"args.{parameter.role}" if through_op and parameter.role in REPLACED_ROLES else parameter.name


def replaces_status(call: Call) -> bool:
    return KINDS[call.kind].before in {"status", "wait"} or call.kind == "mrecv"


def c_wrapper(call: Call) -> list[str]:
    """The definition of MPI_X, or of its twin MPI_X_c."""
    types = [parameter.neutral_type() for parameter in call.parameters]
    signature = ", ".join(declaration(t, p.name) for t, p in zip(types, call.parameters, strict=True)) or "void"
    binding = "SW_BINDING_LARGE" if call.large else "SW_BINDING_C"
    next_ = f"(({call.returns} (*)({', '.join(types) or 'void'}))SW_NEXT({binding}, {call.index}))"

    def invoke(through_op: bool) -> str:
        return f"{next_}({', '.join(passed(p, through_op) for p in call.parameters)})"

    enter = "sw_enter_lifecycle" if call.kind in LIFECYCLE else "sw_enter"
    return [
        f"SW_EXPORT {call.returns} {call.symbol or call.name}({signature}) {{",
        "  struct sw_call call;",
        f"  if (!{enter}(&call, {call.index}, 0, SW_HERE))",
        f"    return {invoke(False)};",
        *recorded(call, False, invoke(replaces_status(call)), call.parameters),
        "  return rc;",
        "}",
        "",
    ]


def fortran_symbols(call: Call) -> list[tuple[str, str]]:
    """Slot and name of each symbol by which Fortran programs reach the call."""
    base = call.name.lower()
    choice = any(parameter.is_choice for parameter in call.parameters)
    if call.large:
        symbols = [("SW_BINDING_F08_LARGE", f"{base}_f08_large_")]
        return [*symbols, ("SW_BINDING_F08TS_LARGE", f"{base}_f08ts_large_")] if choice else symbols
    symbols = [("SW_BINDING_F", f"{base}_"), ("SW_BINDING_F2", f"{base}__"), ("SW_BINDING_F08", f"{base}_f08_")]
    if choice:
        symbols.append(("SW_BINDING_F08TS", f"{base}_f08ts_"))
    if any(parameter.name == "baseptr" for parameter in call.parameters):
        symbols.append(("SW_BINDING_CPTR", f"{base}_cptr_"))
    return symbols


def fortran_wrappers(call: Call) -> list[str]:
    """The definitions of all Fortran symbols of the call."""
    base = call.name.lower() + ("_large" if call.large else "")
    symbols = fortran_symbols(call)
    if call.returns != "int":
        lines = []
        for binding, symbol in symbols:
            invoke = f"(({call.returns} (*)(void))SW_NEXT({binding}, {call.index}))()"
            lines += [
                f"SW_EXPORT {call.returns} {symbol}(void) {{",
                "  struct sw_call call;",
                f"  if (!sw_enter(&call, {call.index}, 1, SW_HERE))",
                f"    return {invoke};",
                *recorded(call, True, invoke, ()),
                "  return rc;",
                "}",
                "",
            ]
        return lines
    parameters = [p for p in call.parameters if not (call.kind == "init" and p.name in {"argc", "argv"})]
    hidden = [f"length{i}" for i in range(sum(p.is_character for p in parameters))]
    signature = [f"void *{p.name}" for p in parameters] + ["int *ierror"] + [f"size_t {h}" for h in hidden]
    types = ["void *"] * len(parameters) + ["int *"] + ["size_t"] * len(hidden)
    cast = f"((void (*)({', '.join(types)}))next)"

    def invoke_body(through_op: bool) -> str:
        arguments = [passed(p, through_op) for p in parameters] + ["ierror"] + hidden
        return f"{cast}({', '.join(arguments)})"

    enter = "sw_enter_lifecycle" if call.kind in LIFECYCLE else "sw_enter"
    lines = [
        "static inline __attribute__((always_inline)) void",
        f"body_{base}(void (*next)(void), int binding, struct sw_site here, {', '.join(signature)}) {{",
        "  struct sw_call call;",
        "  int own_ierror = 0;",
        "  (void)binding;",
        "  if (!ierror)",
        "    ierror = &own_ierror;",
        f"  if (!{enter}(&call, {call.index}, 1, here)) {{",
        f"    {invoke_body(False)};",
        "    return;",
        "  }",
        *recorded(call, True, invoke_body(replaces_status(call)), parameters),
        "}",
        "",
    ]
    names = ", ".join([p.name for p in parameters] + ["ierror"] + hidden)
    for binding, symbol in symbols:
        lines += [
            f"SW_EXPORT void {symbol}({', '.join(signature)}) {{",
            f"  body_{base}(SW_NEXT({binding}, {call.index}), {binding}, SW_HERE, {names});",
            "}",
            "",
        ]
    return lines


def read_header(path: Path) -> dict[str, str]:
    """Parameters of every function that an mpi.h declares, those of the files beside it that it includes as well."""
    text, seen, queue = "", set(), [path]
    while queue:
        file = queue.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        found = file.read_text(encoding="utf-8", errors="replace")
        queue += [file.parent / name for name in re.findall(r'#\s*include\s*["<](\w+\.h)[">]', found)]
        text += found
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    text = text.replace("MPIO_Request", "MPI_Request")  # ROMIO's name for it
    functions = dict(re.findall(r"\b(?:int|double)\s+(MPI_[A-Z]\w*)\s*\(([^()]*)\)", text))
    if "MPI_Send" not in functions:
        raise TableError(f"{path} declares no MPI_Send")
    return functions


def large_twin(call: Call, header: dict[str, str]) -> Call | None:
    """MPI_X_c as the header declares it; its parameters play the parts of those of MPI_X. None where there is none."""
    symbol = f"{call.name}_c"
    if symbol not in header:
        return None
    try:
        typed = parse_parameters(header[symbol])
    except ValueError as error:
        raise TableError(f"{symbol}: {error}") from None
    if len(typed) != len(call.parameters):
        raise TableError(f"{symbol}: {len(typed)} parameters, but {call.name} has {len(call.parameters)}")
    parameters = tuple(Parameter(t, n, p.role) for (t, n), p in zip(typed, call.parameters, strict=True))
    for parameter in parameters:
        if parameter.role != "-" and not re.fullmatch(ROLE_TYPES[parameter.role], parameter.type):
            raise TableError(f"{symbol}: '{parameter.type} {parameter.name}' cannot have the role '{parameter.role}'")
    return replace(call, parameters=parameters, symbol=symbol)


def wrappers(calls: Iterable[Call], header: dict[str, str]) -> str:
    """The C source of all wrappers. It includes no mpi.h: it serves both directions of a mix-up of two MPIs.

    Only what the header declares is defined: a program may ask the loader whether a function exists.
    """
    rows = wrapped_calls(calls)
    lines = [f"/* {GENERATED} */", '#include "interpose.h"', ""]
    lines.append(f"const unsigned sw_call_total = {len(rows)};")
    lines.append(f"void (*sw_next[SW_BINDINGS * {len(rows)}])(void);")
    lines.append("const struct sw_call_info sw_call_info[] = {")
    lines += [f"    {call_info(call)}," for call in rows]
    lines += ["};", "", f"#define SW_NEXT(binding, index) sw_next_call((binding) * {len(rows)}u + (index))", ""]
    for call in rows:
        if call.name not in header:
            continue
        lines += c_wrapper(call)
        lines += fortran_wrappers(call)
        if twin := large_twin(call, header):
            lines += c_wrapper(twin)
            lines += fortran_wrappers(twin)
    return "\n".join(lines)


def write(path: Path, text: str) -> None:
    """Write the file unless it already holds that text."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, default=Path(__file__).with_name("mpi_calls.toml"), help="the rows")
    parser.add_argument("--analyzer-table", type=Path, metavar="OUT", help="initialisers of struct MpiSignature")
    parser.add_argument("--call-names", type=Path, metavar="OUT", help="names in the order of sw_event.call")
    parser.add_argument("--wrappers", type=Path, metavar="OUT", help="C source of the wrappers")
    parser.add_argument("--header", type=Path, metavar="MPI_H", help="the mpi.h whose functions are wrapped")
    arguments = parser.parse_args()
    try:
        calls = load(arguments.table)
        for path, make in ((arguments.analyzer_table, analyzer_table), (arguments.call_names, call_names)):
            if path is not None:
                write(path, make(calls))
        if arguments.wrappers is not None:
            if arguments.header is None:
                raise TableError("--wrappers needs --header")
            write(arguments.wrappers, wrappers(calls, read_header(arguments.header)))
    except (TableError, OSError) as error:
        print(f"{arguments.table.name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
