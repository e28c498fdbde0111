"""What keeps a program from scaling, by the laws of its counts: calls, memory, and work that is not divided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stridewise.catalogue import Rule
from stridewise.finding.quantities import percent, quantity
from stridewise.machine import message_models
from stridewise.scale.row import Row

COMMUNICATION, MEMORY, SERIAL = "mpi-unscalable-collective", "mpi-unscalable-memory", "mpi-serial-share"
_DIVIDED = 0.75  # what is left at more ranks, at most, of what is divided among them
_ALONE = 1.5  # times the busiest rank, up to which all ranks together are hardly more than one
_MOST = 0.5  # share of a function's instructions, from which on one line has most of them
_KEPT = 0.5  # share of what even parts would have saved of a function, from which on it has not been divided


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the largest run, the ranks that are foretold, and whether the problem grows with the ranks."""

    first: int
    last: int
    far: int
    weak: bool
    one: str = "rank"  # or thread


def of_calls(row: Row, rule: Rule) -> str:
    """Why: something of a rank grows with a larger power of the ranks than that, or each call is with all of them."""
    exponent = rule.threshold("max_exponent")
    model = message_models.load().by_call.get(row.site.call)
    if row.most and row.most.growth[0] > exponent:
        return f"calls of a rank grow: {row.most}"
    if row.partners and row.partners.growth[0] > exponent:
        return f"partners of a rank grow: {row.partners}"
    if model and model.name in ("gather", "all-gather", "all-to-all"):
        return f"{model.name}: each call is with all ranks"
    if row.size and row.size.growth[0] > exponent:
        return f"bytes of a rank grow: {row.size}"
    return ""


def with_memory(rows: Sequence[Row], rule: Rule, span: Span, peak_bytes: int) -> tuple[Row, ...]:
    return tuple(replace(row, unscalable=of_memory(row, rows, rule, span, peak_bytes)) for row in rows)


def with_work(rows: Sequence[Row], rule: Rule, span: Span) -> tuple[Row, ...]:
    return tuple(replace(row, unscalable=of_work(row, rows, rule, span)) for row in rows)


def of_memory(row: Row, rows: Sequence[Row], rule: Rule, span: Span, peak_bytes: int) -> str:
    """One allocation that grows with the ranks to a size that counts, or one that stays, among others that are divided,
    and is a good part of what a rank has (`peak_bytes` at the largest run, 0 if unknown)."""
    each = row.each
    if each is None or each.at(span.far) < rule.threshold("min_bytes"):
        return ""
    if each.growth[0] > rule.threshold("max_exponent"):
        return f"one allocation grows with the ranks: {each} bytes"
    stays = each.exact and not each.terms
    if span.weak or not stays or each.constant < rule.threshold("min_share") * peak_bytes:
        return ""
    divided = any(_is_divided([c.each_bytes for c in other.values.values()], span) for other in rows)
    kept = quantity(each.constant, "bytes")
    return f"each allocation stays at {kept}, though others shrink with the ranks" if divided else ""


def of_work(row: Row, rows: Sequence[Row], rule: Rule, span: Span) -> str:
    """Instructions of a function that stay, in a program whose work as a whole is divided; or that grow with the ranks,
    though each has as much of the problem as before."""
    if row.most is None:
        return ""
    own, all_of_rank = row.most.at(span.far), sum(other.most.at(span.far) for other in rows if other.most)
    if own < rule.threshold("min_instructions") or own < rule.threshold("min_share") * all_of_rank:
        return ""
    part = f"{percent(own / all_of_rank)} of a {span.one}'s{_most_at(row, own, span)}"
    if span.weak:
        grows = row.most.exact and row.most.growth[0] > rule.threshold("max_exponent")
        return f"its instructions grow with the {span.one}s: {row.most}; {part}" if grows else ""
    sums = [float(sum(other.values[ranks].most for other in rows)) for ranks in row.values]
    first = row.values[span.first].most
    evenly = first * span.first / span.far
    if not _is_divided(sums, span) or own - evenly < _KEPT * (first - evenly):
        return ""
    last = row.values[span.last]
    who = f"one {span.one} alone runs it" if last.total <= _ALONE * last.most else f"each {span.one} runs it"
    return f"its instructions are not divided ({who}): {row.most}; {part}"


def _most_at(row: Row, own: float, span: Span) -> str:
    """The line that has most of them, where one does."""
    first = next(iter(row.lines), None)
    if first is None or first.most is None or first.most.at(span.far) < _MOST * own:
        return ""
    return f", most at line {first.line}"


def _is_divided(values: Sequence[float], span: Span) -> bool:
    return span.last > span.first and 0 < values[-1] <= _DIVIDED * values[0]
