"""What the rules about wait states share: whose seconds they are, how systematic they are, their causes in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stridewise.catalogue import Rule, limit
from stridewise.finding import Confidence, Related
from stridewise.patterns._mpi import Place, duration, per_rank, place, share
from stridewise.runs.mpi.trace import Barrier, Trace, Wait, WaitCause

_SHOWN_RANKS = 3
_OWNED_CHAINS = ("unsafe-ring", "send-order-chain", "pipeline")


@dataclass(frozen=True, slots=True)
class Site:
    """The waits of one place, without those that begin with a late start or that other rules explain."""

    place: Place
    waits: tuple[Wait, ...]
    rank_seconds: tuple[float, ...]
    causes: tuple[WaitCause, ...]  # the largest first

    @property
    def cost(self) -> float:
        return max(self.rank_seconds, default=0.0)

    @property
    def direct(self) -> bool:
        """Whether most of it is caused by the awaited ranks themselves, and not by what those waited for."""
        known = sum(c.seconds for c in self.causes)
        return 2 * sum(c.seconds for c in self.causes if c.depth == 0) >= known


def late_rank(trace: Trace, paths: Iterable[int]) -> bool:
    """Whether one rank's own lateness causes most of the waiting at these paths: then the order of calls does not."""
    wanted = set(paths)
    by_rank: dict[int, float] = defaultdict(float)
    for wait in trace.waits:
        if wait.path in wanted:
            for cause in wait.causes:
                by_rank[cause.rank] += cause.seconds
    total = sum(wait.seconds for wait in trace.waits if wait.path in wanted)
    return total > 0 and max(by_rank.values(), default=0.0) >= limit("patterns", "one_rank_share") * total


def explained_elsewhere(trace: Trace) -> set[int]:
    """Call paths whose waiting belongs to chains."""
    paths: set[int] = set()
    for chain in trace.chains:
        here = [*chain.send_paths, *chain.receive_paths]
        if chain.kind in _OWNED_CHAINS and not (chain.kind == "pipeline" and late_rank(trace, here)):
            paths.update(here)
    return paths


def waited(trace: Trace, paths: Iterable[int]) -> list[float]:
    """Seconds per rank of waiting for others at these paths."""
    wanted = set(paths)
    return per_rank(trace, *(wait.waiting for wait in trace.waits if wait.path in wanted))


def share_of_barrier(trace: Trace, barrier: Barrier) -> float:
    """Which part of the waiting at a barrier that nobody needs would go with it, from 0 to 1.

    What a rank with more work makes the others wait it makes them wait at the next meeting too, if not here: that is
    the work's (mpi-load-imbalance). What the barrier itself adds is what phases of changing length would overlap
    without it: the merge tool's gain, less the time in the call beyond waiting.
    """
    waiting = waited(trace, barrier.paths)
    longest = max(waiting, default=0.0)
    own = max((t - w for t, w in zip(barrier.rank_seconds, waiting, strict=True)), default=0.0)
    return min(1.0, max(0.0, (barrier.gain_seconds - max(0.0, own)) / longest)) if longest > 0 else 0.0


def _kept(trace: Trace) -> dict[int, float]:
    """By call path of a barrier that nobody needs: the part of its waiting that is not the barrier's."""
    redundant = [b for b in trace.barriers if b.verdict == "redundant"]
    return {path: 1.0 - share_of_barrier(trace, b) for b in redundant for path in b.paths}


def written_alone(trace: Trace, rule: Rule) -> set[tuple[int, int]]:
    """Ranks, and the call paths behind which they write what they have collected from all: mpi-serial-io has the time
    that the others wait for it."""
    return {
        (site.root, site.path)
        for site in trace.gathers
        if 2 * site.effects >= site.instances
        and site.bytes_per_rank >= rule.threshold("min_written_block_bytes")
        and share(trace, site.after_seconds) >= rule.threshold("min_written_share")
    }


def sites(trace: Trace, rule: Rule, kinds: Sequence[str]) -> list[Site]:
    """The waits of these kinds, by place."""
    elsewhere, kept = explained_elsewhere(trace), _kept(trace)
    written = written_alone(trace, rule)
    by_place: dict[Place, list[Wait]] = defaultdict(list)
    for wait in trace.waits:
        if wait.kind in kinds and wait.path not in elsewhere:
            by_place[place(trace, wait.path)].append(_scaled(wait, kept.get(wait.path, 1.0)))
    return [_site(trace, where, waits, written) for where, waits in by_place.items()]


def _scaled(wait: Wait, part: float) -> Wait:
    if part == 1.0:
        return wait
    return replace(
        wait,
        waiting=tuple((rank, part * seconds) for rank, seconds in wait.waiting),
        culprits=tuple((rank, part * seconds) for rank, seconds in wait.culprits),
        causes=tuple(replace(cause, seconds=part * cause.seconds) for cause in wait.causes),
    )


def _site(trace: Trace, where: Place, waits: Sequence[Wait], written: set[tuple[int, int]]) -> Site:
    rank_seconds = [0.0] * len(trace.ranks)
    causes: dict[tuple[str, int, int | None, int | None], WaitCause] = {}

    def explained(c: WaitCause) -> bool:
        return c.kind == "start-up" or (c.path_before is not None and (c.rank, c.path_before) in written)

    for wait in waits:
        total = wait.seconds
        left_out = sum(c.seconds for c in wait.causes if explained(c))
        for rank, seconds in wait.waiting:
            rank_seconds[rank] += seconds * max(0.0, 1 - left_out / total) if total > 0 else 0.0
        for c in wait.causes:
            if explained(c):
                continue
            key = (c.kind, c.rank, c.path_before, c.path_after)
            old = causes.get(key)
            causes[key] = c if old is None else _joined(old, c)
    ordered = sorted(causes.values(), key=lambda c: c.seconds, reverse=True)
    return Site(where, tuple(waits), tuple(rank_seconds), tuple(ordered))


def _joined(a: WaitCause, b: WaitCause) -> WaitCause:
    return WaitCause(
        a.kind, a.rank, a.path_before, a.path_after, a.seconds + b.seconds, a.calls + b.calls, max(a.depth, b.depth)
    )


def systematic(site: Site) -> float:
    """From 0, when those that cause the waiting wait here as long themselves, or when one call did most of it (noise),
    to 1, when they never wait."""
    longest = max(wait.longest_seconds for wait in site.waits)
    repeated = 1.0 - max(0.0, 2.0 * longest / site.cost - 1.0) if site.cost > 0 else 0.0
    return _one_way(site) * min(1.0, max(0.0, repeated))


def _one_way(site: Site) -> float:
    """From 0, when those that cause the waiting wait here as long themselves, to 1, when they never wait."""
    waited = site.rank_seconds
    caused, suffered = sum(c.seconds for c in site.causes), sum(waited)
    if caused <= 0 or suffered <= 0:
        return 0.0
    of_culprits = sum(c.seconds * waited[c.rank] for c in site.causes) / caused
    of_victims = sum(seconds * seconds for seconds in waited) / suffered
    return max(0.0, 1.0 - of_culprits / of_victims)


def _queued(trace: Trace, site: Site) -> float:
    """How long the ranks that cause the waiting may have been late for want of a processor: what the scheduler let
    them queue, at most their time outside MPI; of several, each by its part."""
    known = sum(cause.seconds for cause in site.causes)
    queued = 0.0
    for cause in site.causes:
        rank = trace.ranks[cause.rank]
        queued += cause.seconds * min(max(0.0, rank.wall_seconds - rank.mpi_seconds), rank.queue_seconds)
    return queued / known if known > 0 else 0.0


def _crowded(trace: Trace, rule: Rule, site: Site) -> bool:
    """Whether a lack of processors explains a good part of the waiting."""
    return _queued(trace, site) > rule.threshold("max_queue_share") * site.cost


def least(trace: Trace, rule: Rule, site: Site) -> float:
    """Seconds of the waiting that no lack of processors explains, where that counts at all; else the whole of it.

    However the scheduler's queue was spread over the run, the rest is the program's. `rule` says from which share on
    the queue makes the finding doubtful; the interval is stated long before.
    """
    queued = _queued(trace, site)
    counts = queued > limit("patterns", "notable_queue_share") * site.cost or _crowded(trace, rule, site)
    return max(0.0, site.cost - queued) if counts else site.cost


def gain(trace: Trace, rule: Rule, site: Site) -> float:
    """What would be saved for certain; where nothing is certain, what may be."""
    part = least(trace, rule, site) / site.cost if site.cost > 0 else 0.0
    return evened(site) * (part or 1.0)


def metrics(trace: Trace, rule: Rule, site: Site) -> dict[str, object]:
    """What both rules measure of a site."""
    found: dict[str, object] = {
        "call_count": sum(wait.calls for wait in site.waits),
        "wait_seconds": sum(site.rank_seconds),
        "longest_wait_seconds": max(wait.longest_seconds for wait in site.waits),
        "systematic_share": systematic(site),
    }
    certain = least(trace, rule, site)
    if certain < site.cost:
        found["least_seconds"] = certain
    return found


def _lacked_processors(trace: Trace, rule: Rule, site: Site) -> bool:
    """Whether the awaited ranks, in calls of MPI themselves, queued for a processor as long as that explains it: on a
    node with more processes than processors, messages take as long as the scheduler likes."""
    total = sum(c.seconds for c in site.causes)
    queued = sum(c.seconds * trace.ranks[c.rank].queue_seconds for c in site.causes)
    return queued > rule.threshold("max_queue_share") * site.cost * total


def _hardly_seen(site: Site) -> bool:
    """Whether most of the waiting was worked out from a few calls in the recorded part of the run."""
    seen = sum(wait.calls * wait.longest_seconds for wait in site.waits)
    return sum(wait.calls for wait in site.waits) < limit("patterns", "few_calls") and site.cost > 2 * seen


def confidence(trace: Trace, rule: Rule, site: Site) -> Confidence | None:
    """None where the waiting is not worth a word."""
    part, regular = share(trace, site.cost), systematic(site)
    if part < rule.threshold("min_wait_share"):
        return None
    known = sum(c.seconds for c in site.causes)
    computed = sum(c.seconds for c in site.causes if c.kind == "computation") / known if known > 0 else 0.0
    if _crowded(trace, rule, site):
        return _without_queue(trace, rule, site, part * computed)
    once = part >= rule.threshold("lone_wait_share") and _one_way(site) >= rule.threshold("min_systematic")
    if site.cost < rule.threshold("min_wait_seconds") or (regular < rule.threshold("min_systematic") and not once):
        return Confidence.LOW
    # Else the calls themselves, or the machine: not the program's work.
    if computed < limit("patterns", "computation_share"):
        alone = computed < limit("patterns", "some_computation_share") and _lacked_processors(trace, rule, site)
        return None if alone else Confidence.LOW
    if _hardly_seen(site):
        return Confidence.LOW
    sure = rule.threshold("sure_systematic")
    return Confidence.HIGH if regular >= sure and part >= rule.threshold("sure_wait_share") else Confidence.MEDIUM


def _without_queue(trace: Trace, rule: Rule, site: Site, computed_share: float) -> Confidence | None:
    """Where ranks lacked processors: what is left without their time in the run queue is the program's."""
    if systematic(site) < rule.threshold("min_systematic") or computed_share < rule.threshold("sure_wait_share"):
        return None
    left = least(trace, rule, site)
    alone = max(left, trace.summary.wall_seconds - _queued(trace, site))  # the run's length, with processors enough
    known = (
        left >= rule.threshold("sure_wait_share") * alone
        and left >= rule.threshold("min_wait_seconds")
        and not _hardly_seen(site)
    )
    return Confidence.MEDIUM if known else Confidence.LOW


def doubt(trace: Trace, rule: Rule, site: Site) -> str:
    """What makes the finding unsure, in words."""
    if not _crowded(trace, rule, site):
        return ""
    left = least(trace, rule, site)
    within = f"between {duration(left)} and {duration(site.cost)} of it" if left > 0 else "perhaps nothing of it"
    return f"the ranks that are late lacked a processor: {within} is the program's, the rest the machine's"


def ranks_in_words(trace: Trace, seconds: Mapping[int, float]) -> str:
    """The ranks with the most, as far as they matter: rank 3; ranks 1, 2; ranks 4, 7, 9 and 5 others; all ranks."""
    largest = max(seconds.values(), default=0.0)
    matter = sorted((r for r, s in seconds.items() if s >= 0.1 * largest), key=lambda r: -seconds[r])
    if len(matter) == trace.job.world_size > 1:
        return "all ranks"
    names = [str(trace.ranks[r].rank) for r in sorted(matter[:_SHOWN_RANKS])]
    rest = len(matter) - len(names)
    more = f" and {rest} other{'s' if rest > 1 else ''}" if rest > 0 else ""
    return f"rank{'s' if len(matter) > 1 else ''} {', '.join(names)}{more}"


def culprits(trace: Trace, site: Site) -> str:
    seconds: dict[int, float] = defaultdict(float)
    for wait in site.waits:
        for rank, amount in wait.culprits:
            seconds[rank] += amount
    return ranks_in_words(trace, seconds)


def cause_in_words(trace: Trace, site: Site) -> str:
    """What made the awaited ranks late, by the largest cause."""
    if not site.causes:
        return "its cause lies outside what was recorded"
    main = site.causes[0]
    alike: dict[int, float] = defaultdict(float)
    for c in site.causes:
        if (c.kind, c.path_before, c.path_after) == (main.kind, main.path_before, main.path_after):
            alike[c.rank] += c.seconds
    who = ranks_in_words(trace, alike)
    verb = "computes" if who.startswith("rank ") else "compute"
    if main.kind != "computation":
        verb = "is" if verb == "computes" else "are"
        text = f"{who} {verb} in other calls of MPI before{_where(trace, main.path_after)}"
    else:
        text = f"{who} {verb}{_span(trace, main)} meanwhile"
    if main.depth:
        text += f", and the delay is passed on by {main.depth} further wait{'s' if main.depth > 1 else ''}"
    return text


def _where(trace: Trace, path: int | None) -> str:
    at = place(trace, path) if path is not None else None
    return f" {at.file.rsplit('/', 1)[-1]}:{at.line}" if at and at.line > 0 else " its next call"


def _span(trace: Trace, cause: WaitCause) -> str:
    before = place(trace, cause.path_before) if cause.path_before is not None else None
    after = place(trace, cause.path_after) if cause.path_after is not None else None
    known = [f"{p.file.rsplit('/', 1)[-1]}:{p.line}" for p in (before, after) if p and p.line > 0]
    if len(known) == 2 and known[0] != known[1]:
        return f" between {known[0]} and {known[1]}"
    return f" before {known[-1]}" if known else ""


def cause_places(trace: Trace, site: Site) -> list[Related]:
    """The calls around the largest cause."""
    if not site.causes:
        return []
    main = site.causes[0]
    out: dict[tuple[str, int], Related] = {}
    for path, label in (
        (main.path_before, "the delay begins after this call"),
        (main.path_after, "the delay ends here"),
    ):
        where = place(trace, path) if path is not None else None
        if where and where.line > 0:
            out.setdefault((where.file, where.line), Related(where.file, where.line, label))
    return list(out.values())


def evened(site: Site) -> float:
    """Seconds saved if the excess work were spread over the ranks that take part: at each meeting the last rank comes
    earlier by the mean of the waiting times (its own being 0)."""
    taking_part = {rank for rank, seconds in enumerate(site.rank_seconds) if seconds > 0}
    taking_part |= {rank for wait in site.waits for rank, _ in wait.culprits}
    return min(site.cost, sum(site.rank_seconds) / len(taking_part)) if taking_part else 0.0
