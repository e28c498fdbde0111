"""A study as JSON, and what the page of a report takes of that."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from stridewise.finding.studies import Scaling
from stridewise.runs import studies
from stridewise.scale.classic import classic
from stridewise.scale.curves import curves
from stridewise.scale.laws import Law
from stridewise.scale.render import breaks_first, described, when
from stridewise.scale.row import Row
from stridewise.scale.study import Study


def to_json(study: Study) -> dict[str, Any]:
    """{"ranks", "sites": [{"call", "file", "line", "path", "calls_most": {"law", "values", …}, …}], …}; prices are
    seconds of one rank over the whole run."""
    figures = classic(study.timed_runs, study.weak)
    return {
        "version": 1,
        "root": str(study.root),
        "scaling": "weak" if study.weak else "strong",
        "unit": study.unit,
        "ranks": list(study.ranks),
        "oversubscribed": [run.ranks for run in study.timed_runs if run.crowded],
        "target": study.target,
        "network": asdict(study.network),
        "sites": [_site(row, study) for row in (*study.rows, *study.timed)],
        "allocations": [_site(row, study) | _each(row, study) for row in study.allocations],
        "work": [_function(row, study) for row in study.work],
        "memory": {"values": [run.peak_bytes for run in study.runs], **_law(study.memory, study.target)},
        "runs": [
            {
                "ranks": run.ranks,
                "folder": str(run.folder),
                "seconds": run.wall_seconds,
                "work_seconds": run.work_seconds,
                "load_balance": run.load_balance,
                "oversubscribed": run.crowded,
            }
            for run in study.timed_runs
        ],
        "classic": asdict(figures) | {"limit": figures.limit} if figures else None,
        "left_out": list(study.skipped),
        "notes": list(study.notes),
        "said": described(study),
        "breaks_first": _breaks_first(study),
        "curves": asdict(curves(study)),
    }


def _breaks_first(study: Study) -> dict[str, Any] | None:
    row = breaks_first(study)
    if row is None:
        return None
    return {"site": study.rows.index(row), "why": row.unscalable, "when": when(row.price, study)}


def _site(row: Row, study: Study) -> dict[str, Any]:
    counts = [row.values[ranks] for ranks in study.ranks]
    return {
        "call": row.site.call,
        "file": row.site.file,
        "line": row.site.line,
        "function": row.site.function,
        "path": [list(place) for place in row.site.places],
        "timing": row.site.timed,
        "calls_most": {"values": [c.most for c in counts], **_law(row.most, study.target)},
        "calls": {"values": [c.total for c in counts], **_law(row.total, study.target)},
        "bytes_most": {"values": [c.most_bytes for c in counts], **_law(row.size, study.target)},
        "partners": {"values": [c.partners for c in counts], **_law(row.partners, study.target)},
        "excess": _excess_of(row, study),
        "unscalable": row.unscalable,
        "price": asdict(row.price) if row.price else None,
        "rules": list(row.rules),
    }


def _excess_of(row: Row, study: Study) -> dict[str, Any]:
    values = [count.excess(ranks) for ranks, count in row.values.items()]
    known: dict[str, Any] = {"values": values, "law": str(row.excess) if row.excess else None}
    return known | ({"foretold": row.excess_at(study.target)} if study.target else {})


def _each(row: Row, study: Study) -> dict[str, Any]:
    values = [count.each_bytes for count in row.values.values()]
    return {"bytes_each": {"values": values, **_law(row.each, study.target)}}


def _function(row: Row, study: Study) -> dict[str, Any]:
    counts = list(row.values.values())
    return {
        "file": row.site.file,
        "line": row.site.line,
        "function": row.site.function,
        "instructions_most": {"values": [c.most for c in counts], **_law(row.most, study.target)},
        "instructions": {"values": [c.total for c in counts], **_law(row.total, study.target)},
        "lines": [
            {
                "line": line.line,
                "instructions_most": {"values": list(line.values.values()), **_law(line.most, study.target)},
            }
            for line in row.lines
        ],
        "excess": _excess_of(row, study),
        "unscalable": row.unscalable,
    }


def _law(law: Law | None, target: int | None) -> dict[str, Any]:
    if law is None:
        return {"law": None}
    value: dict[str, Any] = {
        "law": str(law),
        "growth": list(law.growth),
        "error": law.error,
        "confidence": law.confidence.value,
        "rivals": [str(rival) for rival in law.rivals],
    }
    if target:
        value["foretold"] = law.at(target)
        value["at_target"] = list(law.range(target))
    return value


def as_json(study: Study) -> str:
    return json.dumps(to_json(study), indent=2, allow_nan=False) + "\n"


def view(study: Study) -> Scaling:
    """The study as a report reads it from its file."""
    return studies.scaling(json.loads(as_json(study)), "the study")
