"""What the first-touch rules share: arrays whose pages lie on one node while a team on several nodes uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Location, Related, Verdict
from stridewise.finding.correlate import same_file
from stridewise.finding.judgement import Judgement
from stridewise.finding.quantities import percent
from stridewise.runs.placement.records import Array, Placement


def detect(run: Placement, rule: Rule, zeroed: bool) -> Iterator[Finding]:
    """Only what cannot be anything else: nearly all pages on one node, users on several, many remote accesses.

    `zeroed`: the arrays that their own allocation writes, or the others.
    """
    if run.nodes < 2 or run.balancing:
        return
    for array in run.arrays:
        if (
            array.largest < rule.threshold("min_bytes")
            or array.users < 2
            or array.recycled
            or is_zeroed(array) != zeroed
        ):
            continue
        if run.runtime(array) or not _is_remote(array, rule):
            continue
        site = array.site
        yield rule.finding(
            "placement",
            Location(site.file, site.line, site.column) if site else Location(run.executable, 0),
            args=_args(array),
            confidence=Confidence.HIGH if site else Confidence.MEDIUM,
            function=site.function if site else "",
            evidence=[evidence(run, array)],
            related=_callers(array),
        )


def judge(finding: Finding, run: Placement, rule: Rule) -> Judgement | None:
    """By the array of the finding that has the most remote accesses; None where the run knows none of them."""
    arrays = sorted(of_finding(finding, run.arrays), key=lambda a: a.remote_share * min(a.samples, 1), reverse=True)
    if not arrays:
        return None
    array = arrays[0]
    if run.nodes < 2:
        note = "the machine has one memory node, so the run cannot tell what a second one would cost"
        return Judgement(Verdict.SUSPECTED, Evidence("placement", {"nodes": 1}, note))
    seen = evidence(run, array)
    if array.samples < rule.threshold("min_samples"):
        note = f"{array.samples} accesses were sampled, too few to tell; run a larger input"
        return Judgement(Verdict.SUSPECTED, Evidence("placement", seen.metrics, note))
    if _is_remote(array, rule) and array.recycled:
        note = (
            "its memory was in use before it was allocated (the allocator keeps what is freed), which placed the pages"
        )
        return Judgement(Verdict.SUSPECTED, Evidence("placement", seen.metrics, note))
    if _is_remote(array, rule):
        return Judgement(Verdict.CONFIRMED, seen)
    if len([share for share in array.user_shares.values() if share >= rule.threshold("min_user_share")]) < 2:
        note = "the threads that used it ran on one node; the run cannot tell what a team on all nodes would cost"
        return Judgement(Verdict.SUSPECTED, Evidence("placement", seen.metrics, note))
    if array.remote_share < rule.threshold("min_remote_share") / rule.threshold("refute_part"):
        return Judgement(Verdict.REFUTED, seen)
    return Judgement(Verdict.SUSPECTED, seen)


def of_finding(finding: Finding, arrays: Iterable[Array]) -> list[Array]:
    """The arrays that were allocated on a line of the finding: its own, or one that it names as related."""
    where = finding.location
    spans = [(where.file, where.line, max(where.line, where.end_line))]
    spans += [(r.file, r.line, r.line) for r in finding.related]
    return [
        array
        for array in arrays
        if any(
            same_file(file, frame.file) and first <= frame.line <= last
            for frame in array.frames
            if frame.user and frame.known
            for file, first, last in spans
        )
    ]


def is_zeroed(array: Array) -> bool:
    """Whether it belongs to a container that writes its elements when it is made or grows."""
    return any(name in frame.function for frame in array.frames for name in ("std::vector<", "std::valarray<"))


def _is_remote(array: Array, rule: Rule) -> bool:
    users = [share for share in array.user_shares.values() if share >= rule.threshold("min_user_share")]
    return (
        array.samples >= rule.threshold("min_samples")
        and array.remote_share >= rule.threshold("min_remote_share")
        and max(array.node_shares, default=0.0) >= rule.threshold("min_node_share")
        and len(users) > 1
    )


def _args(array: Array) -> dict[str, str | int | float | bool | None]:
    shares = array.node_shares
    node = max(range(len(shares)), key=shares.__getitem__)
    return {
        "array": f"'{array.symbol}'" if array.symbol else f"the array of {array.largest / (1 << 20):.4g} MiB",
        "node": node,
        "node_share": percent(shares[node]),
        "user_nodes": len(array.user_shares),
        "threads": array.users,
        "remote_share": percent(array.remote_share),
        "bytes": array.largest,
    }


def evidence(run: Placement, array: Array) -> Evidence:
    metrics = {
        "remote_share": round(array.remote_share, 4),
        "sampled_accesses": array.samples,
        "threads": array.users,
        "largest_node_share": round(max(array.node_shares, default=0.0), 4),
        "bytes": array.largest,
    }
    return Evidence("placement", metrics, "the kernel moved pages to their users" if run.balancing else "")


def _callers(array: Array) -> list[Related]:
    """The functions around the allocation, up to main: what starts that is the C library's."""
    site, out = array.site, []
    for frame in array.frames[array.frames.index(site) :] if site else ():
        if frame is not site and frame.user and frame.known:
            out.append(Related(frame.file, frame.line, f"called from {frame.function}"))
        if frame.function == "main":
            break
    return out
