"""What the runs of a change counted, against the budget of the project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stridewise.budget import collect, items
from stridewise.budget.compare import Change, compare
from stridewise.budget.render import notes, what, where
from stridewise.finding.sources import Project
from stridewise.review.plan import Recount, is_inside

_MOST = 1000


def of(budget: Path, runs: Sequence[Path], project: Project) -> tuple[tuple[Recount, ...], list[str]]:
    """The counts that differ, and what could not be compared. Raises Failure."""
    before = items.load(budget)
    after = collect.with_rules(collect.collect(runs, None, project), runs, None, project)
    comparison = compare(before, after)
    found = tuple(map(_recount, comparison.changes[:_MOST]))
    said = [
        f"{'above' if c.kind.dearer else 'below'} the budget: {where(c)}: {what(c)}" for c in comparison.changes[:_MOST]
    ]
    return found, [*said, *notes(comparison)]


def _recount(change: Change) -> Recount:
    item = change.item
    file = item.file if item.file and is_inside(item.file) else ""
    place = item.name + (f" in {item.function}" if item.function else "") + f" ({item.run})"
    return Recount(change.kind.value, file, item.line if file else 0, place, what(change), item.rules)
