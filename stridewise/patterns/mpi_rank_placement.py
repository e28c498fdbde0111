"""Ranks that exchange much data and are on different nodes, though another order would put them together.

The communication matrix is exact for the whole run; the better placement is found by merging the pairs with the most
bytes first into groups as large as the nodes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding
from stridewise.patterns._mpi import Place, callers, place
from stridewise.runs.mpi.trace import Trace

Pairs = Mapping[tuple[int, int], int]


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    hosts = [rank.host for rank in trace.ranks]
    if len(set(hosts)) < 2:
        return
    pairs = _pairs(trace)
    groups = _together(pairs, hosts)
    between, best = _crossing(pairs, hosts), _crossing(pairs, groups)
    saved = between - best
    if saved >= rule.threshold("min_saved_bytes") and saved >= rule.threshold("min_saved_share") * between:
        yield _finding(trace, rule, pairs, hosts, groups)


def _pairs(trace: Trace) -> dict[tuple[int, int], int]:
    """Bytes that two ranks exchange, both ways."""
    pairs: dict[tuple[int, int], int] = defaultdict(int)
    for source, target, _, size in trace.traffic:
        if source != target:
            pairs[min(source, target), max(source, target)] += size
    return pairs


def _crossing(pairs: Pairs, groups: Sequence[object]) -> int:
    return sum(size for (a, b), size in pairs.items() if groups[a] != groups[b])


def _together(pairs: Pairs, hosts: Sequence[str]) -> list[int]:
    """The node of each rank: the heaviest pairs are joined first, into groups no larger than a node."""
    room = list(Counter(hosts).values())
    leader = list(range(len(hosts)))
    size = [1] * len(hosts)

    def find(rank: int) -> int:
        while leader[rank] != rank:
            leader[rank] = leader[leader[rank]]
            rank = leader[rank]
        return rank

    largest = max(room)
    for a, b in sorted(pairs, key=lambda pair: -pairs[pair]):
        x, y = find(a), find(b)
        if x != y and size[x] + size[y] <= largest:
            leader[y] = x
            size[x] += size[y]
    members: dict[int, list[int]] = defaultdict(list)
    for rank in range(len(hosts)):
        members[find(rank)].append(rank)
    # The largest group first, each to the smallest node that has room for it; what fits nowhere is divided.
    node = [0] * len(hosts)
    for group in sorted(members.values(), key=len, reverse=True):
        fitting = [n for n, left in enumerate(room) if left >= len(group)]
        target = min(fitting, key=room.__getitem__) if fitting else -1
        for rank in group:
            if target < 0 or room[target] == 0:
                target = max(range(len(room)), key=room.__getitem__)
            node[rank] = target
            room[target] -= 1
    return node


def _largest_sender(trace: Trace) -> tuple[Place, list[int]]:
    """Where most bytes are sent."""
    sends = [(c.bytes, c.path) for c in trace.calls if c.path is not None and "end" in c.call]
    if not sends:
        return Place(trace.job.executable, 0, 0, ""), []
    _, path = max(sends)
    return place(trace, path), [path]


def _finding(trace: Trace, rule: Rule, pairs: Pairs, hosts: Sequence[str], groups: Sequence[int]) -> Finding:
    total, between, best = sum(pairs.values()), _crossing(pairs, hosts), _crossing(pairs, groups)
    where, paths = _largest_sender(trace)
    apart = {pair: size for pair, size in pairs.items() if hosts[pair[0]] != hosts[pair[1]]}
    heaviest = max(apart, key=apart.__getitem__)
    saved: dict[int, int] = defaultdict(int)
    for (a, b), size in pairs.items():
        change = size * ((hosts[a] != hosts[b]) - (groups[a] != groups[b]))
        saved[a] += change
        saved[b] += change
    speed = trace.machine.bytes_per_second
    return rule.finding(
        "mpi",
        where.location,
        args={
            "between_percent": round(100 * between / total),
            "best_percent": round(100 * best / total),
            "nodes": len(set(hosts)),
            "pair": f"{trace.ranks[heaviest[0]].rank} and {trace.ranks[heaviest[1]].rank}",
            "pair_bytes": f"{apart[heaviest]:,}",
        },
        confidence=Confidence.HIGH,
        function=where.function,
        evidence=[
            Evidence("mpi", {"total_bytes": total, "between_nodes_bytes": between, "best_between_nodes_bytes": best})
        ],
        related=callers(trace, paths),
        gain_seconds=max(saved.values()) / speed if speed > 0 else None,
    )
