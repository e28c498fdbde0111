"""What a study of `stridewise scale` foretells of the places of findings: scale.json in, evidence out."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.finding import Evidence, Finding
from stridewise.finding.quantities import seconds
from stridewise.finding.sources import Project
from stridewise.machine.message_models import ASSUMED

_FAMILY = "mpi"
NAME = "scale.json"
_COUNTS = (("calls_most", "calls of a rank", "call_count"), ("bytes_most", "bytes", "rank_bytes"))

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Foretold:
    """The sites of a study by the innermost of their places: by their files as they were then and, should the project
    have moved since, below its root."""

    target: int
    assumed: bool  # the network that prices are of
    at: Mapping[Place, Sequence[Mapping[str, Any]]]


def load(path: Path) -> Foretold:
    """The file, or the one in that folder. Raises Failure."""
    file = path / NAME if path.is_dir() else path
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
        target = value["target"]
        if target is None:
            raise Failure(f"{file} foretells nothing: make it with stridewise scale --target P")
        found: dict[Place, list[Mapping[str, Any]]] = defaultdict(list)
        root = Path(str(value["root"]))
        for site in value["sites"]:
            name, line = str(site["file"]), int(site["line"])
            for known in {name, os.path.normpath(root / name)}:
                found[known, line].append(site)
        return Foretold(int(target), bool(value["network"]["source"].startswith(ASSUMED.source)), found)
    except OSError as error:
        raise Failure(f"cannot read the study {file}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{file} is no study of stridewise scale: {error!r}") from error


def with_forecast(
    findings: Iterable[Finding], study: Foretold, rules: Mapping[str, Rule], project: Project
) -> list[Finding]:
    """Findings of the rules on MPI, with what their calls are at the study's target where a law tells it."""
    out = []
    for finding in findings:
        rule = rules.get(finding.rule)
        said = _said(_site(finding, study, project), study) if rule and rule.family == _FAMILY else None
        out.append(finding.with_evidence(said) if said else finding)
    return out


def _site(finding: Finding, study: Foretold, project: Project) -> Mapping[str, Any] | None:
    """The site that the finding speaks of; of several at its line those whose callers are its own, else the dearest."""
    file, line = os.path.normpath(project.root / finding.location.file), finding.location.line
    sites = study.at.get((file, line)) or study.at.get((project.relative(file), line), ())
    callers = [related.line for related in finding.related]
    same = [site for site in sites if _is_called_from(site, callers)]
    return max(same or sites, key=_weight, default=None)


def _is_called_from(site: Mapping[str, Any], callers: Sequence[int]) -> bool:
    """By the lines of the callers, which findings name first, and other places behind them."""
    path = [line for _, line, _ in site["path"][1:]]
    return bool(path) and list(callers[: len(path)]) == path


def _weight(site: Mapping[str, Any]) -> tuple[float, float]:
    price = site["price"]
    return (price["most"] if price else 0.0), float(site["calls_most"].get("foretold", 0.0))


def _said(site: Mapping[str, Any] | None, study: Foretold) -> Evidence | None:
    """None where no law tells anything: that of the calls at least must be known."""
    if site is None or site["calls_most"]["law"] is None:
        return None
    metrics: dict[str, object] = {"target_ranks": study.target}
    parts = []
    for count, words, metric in _COUNTS:
        law = site[count]
        if law["law"] is not None and any(law["values"]):
            metrics[metric] = law["foretold"]
            parts.append(f"{law['foretold']:,.0f} {words} ({law['law']})")
    partners = site["partners"]
    if partners["law"] is not None and partners.get("foretold", 0) > 1:
        parts.append(f"{partners['foretold']:,.0f} partners")
    if price := site["price"]:
        metrics |= {"least_seconds": price["least"], "most_seconds": price["most"]}
        network = " on an assumed network" if study.assumed else ""
        parts.append(f"{seconds(price['least'])} to {seconds(price['most'])}{network}")
    if (sure := site["calls_most"]["confidence"]) != "high":
        parts.append(f"{sure} confidence")
    return Evidence("scale", metrics, f"at {study.target:,} ranks: {', '.join(parts)}")
