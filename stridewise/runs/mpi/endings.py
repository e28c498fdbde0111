"""How an MPI run hung or died, in sentences: what ended which rank, what each rank was at, and who did not come."""

from __future__ import annotations

import signal
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress

from stridewise.finding.quantities import seconds
from stridewise.runs.mpi.trace import Ending, Fate, LastCall, Trace

_GROUPS = 8  # calls that are told one by one
_CIRCLE = 6  # ranks of a deadlock that are named
_FAULTS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGSYS}
_MEANS = {
    signal.SIGSEGV: "segmentation fault",
    signal.SIGBUS: "bus error",
    signal.SIGFPE: "arithmetic error, as division by zero",
    signal.SIGILL: "illegal instruction",
    signal.SIGABRT: "abort",
    signal.SIGXCPU: "limit of processor time",
    signal.SIGXFSZ: "limit of file sizes",
    signal.SIGPIPE: "write to a pipe that nobody reads",
}
# What completes when one of several messages does is no wait for each of them.
_ANY_OF = ("MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome")
_MOSTLY = 0.5  # of the run
_HUNG_SECONDS = 0.1  # a shorter wait is no standstill: the run may have been ended in the middle of its work


def causes(trace: Trace) -> list[str]:
    """Sentences for the head of the report; empty where every rank came to the end of MPI_Finalize."""
    if not trace.endings:
        return []
    return [_end(trace), *_standstill(trace), *_absent(trace), *_calls(trace)]


def remedy(trace: Trace) -> tuple[str, str] | None:
    """What to do before anything else, and why, where the run did not come to its end. None where it was ended from
    outside, as by a limit of time, in the middle of its work: it tells as much as a shorter run."""
    if not trace.endings:
        return None
    stands = _standstill(trace) or (_absent(trace) if _waited_long(trace) else [])
    own = any(e.fate and _own(trace, e) for e in trace.endings)
    ended = [e for e in trace.endings if e.fate and not _own(trace, e)]
    silent = [e for e in trace.endings if not e.fate and not e.finalizing]
    if ended and not own and not stands and not _suspects(trace, ended, silent):
        return None
    why = [_end(trace)] if own or not stands else stands
    return "mend what ended the run early: its figures are of what ran until then", why[0]


def _waited_long(trace: Trace) -> bool:
    """A rank was in its last call for most of the run: it would have gone on waiting."""
    least = _MOSTLY * trace.summary.wall_seconds
    return any(e.last and e.last.in_progress and e.end_seconds - e.last.seconds >= least > 0 for e in trace.endings)


# --- What ended the run -----------------------------------------------------------------------------------------------


def _own(trace: Trace, ending: Ending) -> bool:
    """Whether the rank's end is its own: a fault, an abort, an exit, a signal that it has sent itself."""
    fate = ending.fate
    if fate is None:
        return False
    return fate.kind != "signal" or fate.sender in (0, trace.ranks[ending.rank].pid) or fate.signal in _FAULTS


def _end(trace: Trace) -> str:
    own = sorted((e for e in trace.endings if e.fate and _own(trace, e)), key=lambda e: (e.fate or _NOBODY).seconds)
    ended = [e for e in trace.endings if e.fate and not _own(trace, e)]
    if own:
        return _by_itself(trace, own, others_too=bool(ended))
    silent = [e for e in trace.endings if not e.fate and not e.finalizing]
    if ended:
        return _by_launcher(trace, ended, silent)
    if silent:
        return (
            f"{_ranks(trace, (e.rank for e in silent))} ended without a word, as a process does by SIGKILL (the "
            "launcher ends all ranks so when one has died, or when it is ended itself) or _exit"
        )
    return f"{_ranks(trace, (e.rank for e in trace.endings))} did not come to the end of MPI_Finalize"


def _by_itself(trace: Trace, own: Sequence[Ending], *, others_too: bool) -> str:
    """Of ranks that ended by themselves, in the order of time."""
    first = own[0]
    text = f"{_rank(trace, first.rank)} {_what(trace, first.fate or _NOBODY)}"
    alike = [e for e in own[1:] if _same_end(e.fate, first.fate)]
    others = [e for e in own[1:] if not _same_end(e.fate, first.fate)]
    if alike:
        text += f"; so did {_ranks(trace, (e.rank for e in alike))}"
    for other in others[:3]:
        text += f"; {_rank(trace, other.rank)} {_what(trace, other.fate or _NOBODY)}"
    return text + ("; the launcher ended the others" if others_too and not alike else "")


def _by_launcher(trace: Trace, ended: Sequence[Ending], silent: Sequence[Ending]) -> str:
    """Of ranks that were ended by a signal, and those that left without a word."""
    name = _signal((ended[0].fate or _NOBODY).signal)
    when = seconds(max((e.fate or _NOBODY).seconds for e in ended))
    suspects = _suspects(trace, ended, silent)
    if suspects:
        return (
            f"{_ranks(trace, (e.rank for e in suspects))} ended without a word, as a process does by SIGKILL (when "
            f"memory runs out, say) or _exit; the launcher ended the others {when} after MPI_Init, by {name}"
        )
    return f"the run was ended from outside by {name}, {when} after MPI_Init"


def _suspects(trace: Trace, ended: Sequence[Ending], silent: Sequence[Ending]) -> list[Ending]:
    """Ranks that ended without a word, for which the launcher may have ended the others.

    A rank in a circle of waits is none: the run stood still before, and somebody ended it.
    """
    if len(ended) + len(silent) != len(trace.endings):
        return []
    edges = _waits(trace)
    silent = [e for e in silent if not _circle(edges, trace.ranks[e.rank].rank)]
    waited_for = {rank for stall in trace.stalls for rank in stall.absent}
    return [e for e in silent if not (e.last and e.last.in_progress)] or [
        e for e in silent if trace.ranks[e.rank].rank in waited_for
    ]


_NOBODY = Fate("exit", 0, 0, 0, 0, "", None, 0.0)


def _same_end(a: Fate | None, b: Fate | None) -> bool:
    return a is not None and b is not None and (a.kind, a.signal, a.code, a.path) == (b.kind, b.signal, b.code, b.path)


def _what(trace: Trace, fate: Fate) -> str:
    when = f"{seconds(max(0.0, fate.seconds))} after MPI_Init"
    place = _place(trace, fate.path)
    match fate.kind:
        case "abort":
            return f"called MPI_Abort with {fate.code}{place}, {when}"
        case "exit":
            return f"left the program without MPI_Finalize{place}, {when}"
    number = fate.signal
    means = ""
    with suppress(ValueError):
        means = _MEANS.get(signal.Signals(number), "")
    if fate.sender == 0 and number in (signal.SIGSEGV, signal.SIGBUS):
        means += f" at address {fate.address:#x}"
    inside = f" in {fate.library}, called" if fate.library and place else ""
    return f"ended by {_signal(number)}{f' ({means})' if means else ''}{inside}{place}, {when}"


def _signal(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


# --- What the ranks were at -------------------------------------------------------------------------------------------


def _waits_for(trace: Trace, ending: Ending) -> set[int]:
    """World ranks without which the rank cannot go on: it was in a call that needs each of them."""
    last, rank = ending.last, trace.ranks[ending.rank].rank
    if last is None or not last.in_progress or last.end_seconds - last.seconds < _HUNG_SECONDS:
        return set()
    needed = {absent for stall in trace.stalls if rank in stall.came for absent in stall.absent}
    if last.call in ("MPI_Recv", "MPI_Ssend", "MPI_Send", "MPI_Probe") and last.peer is not None and last.peer >= 0:
        needed.add(last.peer)
    if last.call not in _ANY_OF:
        needed |= {p.peer for p in last.pending if p.receive and p.peer >= 0}
    return needed - {rank}


def _waits(trace: Trace) -> dict[int, set[int]]:
    """For which world ranks each world rank waited at the end."""
    return {trace.ranks[e.rank].rank: _waits_for(trace, e) for e in trace.endings}


def _standstill(trace: Trace) -> list[str]:
    """A circle of ranks each of which waits for the next: none of them could ever go on."""
    edges = _waits(trace)
    for start in sorted(edges):
        circle = _circle(edges, start)
        if circle:
            shown = ", which waits for rank ".join(map(str, [*circle[1:_CIRCLE], circle[0]]))
            more = f" (in all {len(circle)} ranks, the last of which waits for the first)"
            return [
                f"deadlock: rank {circle[0]} waits for rank {shown}{more if len(circle) > _CIRCLE else ''}; "
                "none of them can go on"
            ]
    return []


def _circle(edges: dict[int, set[int]], start: int) -> list[int]:
    """The shortest way from a rank back to itself, empty if there is none."""
    before: dict[int, int] = {}
    queue = [start]
    for rank in queue:
        for other in sorted(edges.get(rank, ())):
            if other == start:
                way = [rank]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1]
            if other not in before and other in edges:
                before[other] = rank
                queue.append(other)
    return []


def _absent(trace: Trace) -> list[str]:
    out = []
    for stall in trace.stalls[:_GROUPS]:
        if not stall.absent:
            continue
        came = next(e for e in trace.endings if trace.ranks[e.rank].rank in stall.came and e.last)
        call = came.last.call if came.last else "a collective"
        place = _place(trace, came.last.path if came.last else None)
        out.append(
            f"{_numbers(stall.absent, trace.job.world_size)} did not come to the {call}{place} in which "
            f"{_numbers(stall.came, trace.job.world_size)} {'waits' if len(stall.came) == 1 else 'wait'}"
        )
    return out


def _calls(trace: Trace) -> list[str]:
    """What each rank was at, those that were at the same together."""
    groups: dict[tuple[str, int | None, bool], list[Ending]] = defaultdict(list)
    for ending in trace.endings:
        last = ending.last
        if ending.finalizing:
            groups["MPI_Finalize", None, True].append(ending)
        else:
            groups[(last.call, last.path, last.in_progress) if last else ("", None, False)].append(ending)
    ordered = sorted(groups.items(), key=lambda item: (len(item[1]), item[1][0].rank))
    out = [_group(trace, call, path, busy, members) for (call, path, busy), members in ordered[:_GROUPS]]
    if len(ordered) > _GROUPS:
        out.append(f"the other ranks were at {len(ordered) - _GROUPS} other calls")
    return out


def _group(trace: Trace, call: str, path: int | None, busy: bool, members: Sequence[Ending]) -> str:
    who = _ranks(trace, (e.rank for e in members))
    verb = "was" if len(members) == 1 else "were"
    if not call:
        return f"{who} made no call of MPI that was recorded"
    if call == "MPI_Finalize" and path is None:
        return f"{who} {verb} in MPI_Finalize"
    place = _place(trace, path)
    lasts = [e.last for e in members if e.last]
    if not busy:
        if not any(e.fate for e in members):
            return f"{who} {verb} outside MPI, after {call}{place}"
        since = seconds(max(0.0, *(e.end_seconds - e.last.end_seconds for e in members if e.last)))
        return f"{who} {verb} outside MPI for {since}, since {call}{place}"
    long = seconds(max(last.end_seconds - last.seconds for last in lasts))
    return f"{who} {verb} in {call}{place} for {long}{_partners(trace, members)}"


def _partners(trace: Trace, members: Sequence[Ending]) -> str:
    """With whom the calls of a group deal, one by one for a few ranks."""
    texts = [(trace.ranks[e.rank].rank, _partner(trace, e.last)) for e in members if e.last]
    told = {text for _, text in texts if text}
    if not told:
        return ""
    if len(told) == 1 and len(texts) == sum(bool(text) for _, text in texts):
        return f", {texts[0][1]}"
    parts = [f"rank {rank} {text}" for rank, text in texts[:4] if text]
    return f", {'; '.join(parts)}{'; …' if len(texts) > 4 else ''}"


def _partner(trace: Trace, last: LastCall) -> str:
    if last.pending:
        parts = []
        for p in last.pending:
            peer = f"rank {p.peer}" if p.peer >= 0 else "any rank"
            parts.append(f"{'from' if p.receive else 'to'} {peer}, tag {p.tag}{_place(trace, p.path)}")
        return "for the message " + " and ".join(parts)
    if last.peer is None or last.peer == -1:
        return ""
    peer = f"rank {last.peer}" if last.peer >= 0 else "any rank" if last.peer == -2 else ""
    if not peer:
        return ""
    tag = f", tag {last.tag}" if last.tag is not None and last.tag >= 0 else ""
    if last.tag is None:
        return f"root {peer}"
    way = "from" if "ecv" in last.call or "robe" in last.call else "with" if "Sendrecv" in last.call else "to"
    return f"{way} {peer}{tag}"


# --- Words ------------------------------------------------------------------------------------------------------------


def _place(trace: Trace, path: int | None) -> str:
    """Where a call path is in the user's code, with the caller of a small function around it."""
    if path is None:
        return ""
    known = trace.paths[path]
    site = known.site
    if site is None:
        return ""
    if not site.known:
        return f" at {site.function}"
    text = f" at {site.file.rsplit('/', 1)[-1]}:{site.line}"
    if site.function:
        text += f" in {site.function}"
    caller = next(iter(known.callers), None)
    if caller is not None:
        text += f" (called at {caller.file.rsplit('/', 1)[-1]}:{caller.line})"
    return text


def _rank(trace: Trace, index: int) -> str:
    return f"rank {trace.ranks[index].rank}"


def _ranks(trace: Trace, indexes: Iterable[int]) -> str:
    return _numbers([trace.ranks[index].rank for index in indexes], trace.job.world_size)


def _numbers(ranks: Iterable[int], world: int) -> str:
    """World ranks, in ranges; all of them are called so."""
    numbers = sorted(ranks)
    if len(numbers) == world > 1:
        return "all ranks"
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    parts = [str(a) if a == b else f"{a} and {b}" if b == a + 1 else f"{a} to {b}" for a, b in spans]
    return f"rank{'s' if len(numbers) != 1 else ''} {', '.join(parts)}"
