"""Borders that go out in pieces, though another cut of the domain would send them as they lie.

A run knows the pieces of a message from its datatype, exactly and for the whole run. What a program packs by itself it
sends as one run of bytes: of that only the source knows, and the judge joins the two.

The gain is a prediction: the time in these messages, on both sides and without waiting, less what as many bytes in one
run take, and no more than a missed line and page for each piece. Of what the program packs by itself nothing is timed:
of each piece's cache line a part is used, so that pieces x 64 B are fetched in place of the bytes, twice, at the speed
at which this run's messages are copied.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Verdict
from stridewise.finding.correlate import covers, same_file
from stridewise.finding.judgement import Judgement
from stridewise.finding.quantities import percent
from stridewise.machine.price_table import price
from stridewise.patterns._mpi import callers, duration, evidence, per_rank, place, related, share
from stridewise.runs.mpi.trace import Call, Halo, Trace

_LINE = int(price("cache_line_bytes"))


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    gathered = [
        halo for halo in trace.halos if halo.gaps and _in_small_pieces(halo, rule) and _of_neighbours(halo, trace, rule)
    ]
    if not gathered:
        return
    other = _other_direction(trace, rule, gathered)
    if not _is_the_larger(gathered, other, trace, rule):
        return
    functions: dict[tuple[str, str], list[Halo]] = defaultdict(list)
    for halo in gathered:
        where = place(trace, halo.path)
        functions[where.file, where.function if where.line > 0 else ""].append(halo)
    for halos in functions.values():
        finding = _finding(trace, rule, halos, other)
        if share(trace, finding.gain_seconds or 0.0) >= rule.threshold("min_gain_share"):
            yield finding


def _in_small_pieces(halo: Halo, rule: Rule) -> bool:
    return (
        halo.pieces >= rule.threshold("min_pieces") * halo.messages
        and halo.bytes <= rule.threshold("max_piece_bytes") * halo.pieces
        and _pitch(halo) >= rule.threshold("min_pitch_bytes")
    )


def _of_neighbours(halo: Halo, trace: Trace, rule: Rule) -> bool:
    """Not a transpose or a distribution, in which somebody speaks with all others."""
    ranks = trace.job.world_size
    return halo.partners <= rule.threshold("most_neighbours") and (
        ranks < rule.threshold("least_ranks") or halo.partners < ranks - 1
    )


def _pitch(halo: Halo) -> float:
    """Mean bytes from one piece to the next."""
    gaps = halo.pieces - halo.messages
    return (halo.span - halo.bytes / halo.pieces * halo.messages) / gaps if gaps > 0 else 0.0


def _other_direction(trace: Trace, rule: Rule, gathered: Sequence[Halo]) -> list[Halo]:
    """Messages without gaps, or in long pieces, to other partners, in the same rhythm."""
    often = sum(h.messages for h in gathered) / sum(h.pairs for h in gathered)
    return [
        h
        for h in trace.halos
        if h not in gathered and rule.threshold("same_rhythm") * h.messages >= often * h.pairs and h.bytes > 0
    ]


def _lines_ratio(gathered: Sequence[Halo], trace: Trace) -> float:
    """Cache lines of a gathered border over those of the contiguous one across it, of a domain that is cut in one
    direction: each rank has as much of a row as lies between two pieces."""
    row = sum(_pitch(h) * h.messages for h in gathered) / sum(h.messages for h in gathered) * trace.job.world_size
    border = sum(h.pieces for h in gathered) / sum(h.messages for h in gathered)
    return border * _LINE / row


def _is_the_larger(gathered: Sequence[Halo], other: Sequence[Halo], trace: Trace, rule: Rule) -> bool:
    if other:
        return sum(h.bytes for h in gathered) >= rule.threshold("min_bytes_ratio") * sum(h.bytes for h in other)
    return _lines_ratio(gathered, trace) >= rule.threshold("min_border_ratio")


def _confidence(gathered: Sequence[Halo], other: Sequence[Halo], trace: Trace, rule: Rule) -> Confidence:
    if trace.job.world_size < rule.threshold("least_ranks") or trace.job.reduced_ranks:
        return Confidence.LOW
    if not other and _lines_ratio(gathered, trace) >= rule.threshold("clear_ratio"):
        return Confidence.HIGH
    return Confidence.MEDIUM


def _speed(trace: Trace) -> float:
    return trace.machine.bytes_per_second or price("copy_bytes_per_second")


def _gain(trace: Trace, halos: Sequence[Halo], cost: float) -> float:
    """Of the rank with the largest cost, with the mean messages of a rank."""
    senders = max(1, *(len(h.own) for h in halos))
    messages, size = sum(h.messages for h in halos) / senders, sum(h.bytes for h in halos) / senders
    in_one_run = 2 * (messages * trace.machine.send_seconds + size / _speed(trace))
    most = 2 * sum(h.pieces for h in halos) / senders * price("gathered_piece_seconds")
    return max(0.0, min(cost - in_one_run, most))


def _finding(trace: Trace, rule: Rule, halos: Sequence[Halo], other: Sequence[Halo]) -> Finding:
    rank_seconds = per_rank(trace, *(h.own for h in halos))
    cost = max(rank_seconds, default=0.0)
    messages, pieces = sum(h.messages for h in halos), sum(h.pieces for h in halos)
    size = sum(h.bytes for h in halos)
    first = max(halos, key=lambda h: h.bytes)
    where = place(trace, first.path)
    paths = list(dict.fromkeys(h.path for h in sorted(halos, key=lambda h: -h.bytes)))
    return rule.finding(
        "mpi",
        where.location,
        args={
            "messages": f"{messages:,}",
            "pieces": f"{pieces / messages:,.0f}",
            "piece_bytes": f"{size / pieces:.0f}",
            "pitch": f"{_pitch(first):,.0f}",
            "bytes": f"{size:,}",
            "other": _say(other),
        },
        confidence=_confidence(halos, other, trace, rule),
        function=where.function,
        evidence=[
            evidence(
                trace,
                rank_seconds,
                _directions(trace, halos),
                message_count=messages,
                message_bytes=size / messages,
                total_bytes=size,
                piece_count=pieces,
                other_message_count=sum(h.messages for h in other),
                other_total_bytes=sum(h.bytes for h in other),
            )
        ],
        related=callers(trace, paths)
        + related(trace, paths[1:], "in pieces, too")
        + related(trace, [h.path for h in other], "the other direction"),
        cost_seconds=cost,
        gain_seconds=_gain(trace, halos, cost),
    )


def _say(other: Sequence[Halo]) -> str:
    if not other:
        return "no message goes out in another direction"
    messages, size = sum(h.messages for h in other), sum(h.bytes for h in other)
    return f"the other direction has {messages:,} messages, {size:,} B, each in one run"


def _directions(trace: Trace, halos: Sequence[Halo]) -> str:
    """To whom, as steps in the ranks' numbers; summaries do not know it."""
    reduced = trace.job.reduced_ranks
    totals: dict[int, int] = defaultdict(int)
    for halo in halos:
        for offset, messages, _ in halo.offsets:
            totals[offset] += messages
    named = sorted(totals, key=lambda offset: (-totals[offset], abs(offset), -offset))[:4]
    kept = f"of the {len(trace.ranks) - reduced:,} ranks with a shard of their own, " if reduced else ""
    return f"{kept}to rank " + ", ".join(f"{offset:+d}: {totals[offset]:,} messages" for offset in named)


# --- The source's findings --------------------------------------------------------------------------------------------


def judge_mpi(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """The source names the pieces, the run how often they go out. Refuted where gathering them costs next to nothing in
    this run; confirmed where they are most of what its messages carry and cost a share worth a change."""
    halos = [h for h in trace.halos if h.gaps and _at(finding, trace, h.path)]
    calls = [c for c in trace.calls if c.path is not None and "end" in c.call and _at(finding, trace, c.path)]
    messages, size = sum(c.count - c.nowhere for c in calls), sum(c.bytes for c in calls)
    pieces = sum(h.pieces for h in halos) or size / _piece_bytes(finding) if size else 0.0
    if not messages or not pieces:
        return None
    senders = max(1, len({rank for call in calls for rank, count in _counts(call) if count}))
    gain = 2 * max(0.0, _LINE * pieces - size) / _speed(trace) / senders
    everything = sum(row[3] for row in trace.traffic) or sum(c.bytes for c in trace.calls if "end" in c.call)
    metrics: dict[str, object] = {
        "message_count": messages,
        "message_bytes": size / messages,
        "piece_count": round(pieces),
        "other_total_bytes": max(0, everything - size),
        "predicted_seconds": gain,
    }
    spent = f"{messages:,} messages of {pieces / messages:,.0f} pieces; gathering and scattering them costs about "
    note = f"{spent}{duration(gain)} a rank, {percent(share(trace, gain))} of the run"
    if share(trace, gain) < rule.threshold("min_gain_share"):
        return Judgement(Verdict.REFUTED, Evidence("mpi", metrics, note))
    if 2 * size > everything:
        return Judgement(Verdict.CONFIRMED, Evidence("mpi", metrics, note), gain_seconds=gain)
    return Judgement(Verdict.SUSPECTED, Evidence("mpi", metrics, f"{note}; other messages carry more"))


def _piece_bytes(finding: Finding) -> int:
    """As the source's finding states it: "pieces of 8 bytes"."""
    match = re.search(r"(\d+) bytes", str(finding.args.get("pieces", "")))
    return max(1, int(match[1])) if match else 8


def _counts(call: Call) -> list[tuple[int, int]]:
    return list(zip(call.ranks or range(len(call.rank_counts)), call.rank_counts, strict=True))


def _at(finding: Finding, trace: Trace, path: int) -> bool:
    """In the function of the finding: its other messages are of the same direction, or the source would not say it."""
    frames = [frame for frame in trace.paths[path].frames if frame.known and frame.user]
    return any(
        covers(finding, f.file, f.line) or (finding.scope.contains(f.line) and same_file(finding.location.file, f.file))
        for f in frames
    )
