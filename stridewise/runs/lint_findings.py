"""Findings of the source that a run is joined with: the JSON of `stridewise lint`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stridewise.errors import Failure
from stridewise.finding import Finding, FindingError
from stridewise.finding.result import Trouble, absolute, relocate
from stridewise.finding.sources import Project
from stridewise.settings import path_map

# What a report says of the analysis that it goes on from.
_COUNTS = (
    "files_analysed",
    "files_failed",
    "files_skipped",
    "files_excluded",
    "suppressed",
    "in_baseline",
    "outside_project",
    "vendored",
)


@dataclass(frozen=True, slots=True)
class Lint:
    """What 'lint --format json' wrote: findings at all confidences, absolute in their paths."""

    findings: list[Finding]
    project: Project
    troubles: tuple[Trouble, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


def load(path: Path) -> Lint:
    """Raises Failure, which says how to make such a file."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(value, dict) or not isinstance(value.get("findings"), list):
            raise FindingError("it holds no findings")
        named = absolute(Path(str(value.get("root", Path.cwd()))))
        root = Path(path_map.mapped(str(named("."))))

        def rename(file: str) -> str:
            return path_map.mapped(str(named(file)))

        unsure, problems, stats = value.get("unsure", []), value.get("problems", []), value.get("stats", {})
        if not isinstance(unsure, list):
            raise FindingError("'unsure' is no list")
        return Lint(
            [relocate(Finding.from_json(f), rename) for f in (*value["findings"], *unsure)],
            Project(root),
            tuple(map(_trouble, problems)) if isinstance(problems, list) else (),
            {name: count for name in _COUNTS if type(count := stats.get(name)) is int}
            if isinstance(stats, dict)
            else {},
        )
    except (OSError, ValueError, RecursionError) as error:
        raise Failure(f"cannot read {path}: {error}; make it with stridewise lint --format json -o {path}") from error


def _trouble(value: Any) -> Trouble:
    details = value.get("details", []) if isinstance(value, dict) else None
    rules = value.get("rules", []) if isinstance(value, dict) else None
    if not isinstance(details, list) or not isinstance(rules, list):
        raise FindingError("'problems' holds no problem")
    return Trouble(str(value.get("where")), str(value.get("message")), tuple(map(str, details)), tuple(map(str, rules)))
