"""stridewise diff: two runs, or two reports, side by side."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from stridewise import catalogue
from stridewise.catalogue import Rule
from stridewise.console import complain, wants_colour
from stridewise.errors import Failure
from stridewise.finding import Finding, Severity
from stridewise.finding.difference import Side, Site, Timed, difference
from stridewise.output import write_file
from stridewise.render import _difference
from stridewise.render._layout import terminal
from stridewise.runs import lint_findings, report
from stridewise.settings import path_map


@dataclass(frozen=True, slots=True)
class Options:
    before: tuple[Path, ...]  # repetitions of one run
    after: tuple[Path, ...]
    format: str = "text"
    output: Path | None = None
    fail_on: Severity | None = None
    slower_percent: float | None = None
    everything: bool = False
    path_map: tuple[str, ...] = ()


def run(options: Options) -> int:
    """The exit status: 0, 1 (a check fails) or 2 (something could not be read)."""
    rules = catalogue.load()
    with path_map.using(options.path_map):
        sides, whole = [], True
        for paths in (options.before, options.after):
            side, complete = _side(paths, rules)
            sides.append(side)
            whole &= complete
    found = difference(sides[0], sides[1])
    colour = options.output is None and wants_colour(sys.stdout)
    layout = terminal() if options.output is None else None
    text = _difference.render(found, options.format, options.everything, colour, layout)
    if options.output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_file(options.output, text)
    why = found.fails(options.fail_on, options.slower_percent)
    for one in why:
        complain(one)
    return 2 if not whole else 1 if why else 0


def _side(paths: Sequence[Path], rules: Mapping[str, Rule]) -> tuple[Side, bool]:
    """One side, and whether all of it could be read. The findings are those of the first repetition."""
    read = [_read(path, rules) for path in paths]
    first, whole = read[0]
    runs: dict[str, Timed] = {}
    for side, complete in read:
        whole &= complete
        for timed in side.runs:
            had = runs.get(timed.kind)
            if had is None:
                runs[timed.kind] = timed
            else:
                noise = max(had.noise_seconds, timed.noise_seconds)
                runs[timed.kind] = Timed(had.kind, (*had.seconds, *timed.seconds), noise, had.parts, had.sites)
    return Side(first.name, first.findings, tuple(runs.values()), first.relative), whole


def _read(path: Path, rules: Mapping[str, Rule]) -> tuple[Side, bool]:
    """A run folder, or what 'lint', 'run' or 'report --format json' wrote."""
    if path.is_dir():
        result = report.build(report.Options(folders=(path,)), rules)
        for trouble in result.troubles:
            complain(f"not done: {trouble.where}: {trouble.message}")
        runs = [_timed(run.kind, run.seconds, run.profile.to_json() if run.profile else {}) for run in result.runs]
        return Side(str(path), result.reported, _longest(runs), result.project.relative), not result.troubles
    if not path.exists():
        raise Failure(f"no {path}: name a run folder, or a report that --format json wrote")
    lint = lint_findings.load(path)
    value = json.loads(path.read_text(encoding="utf-8"))
    known = value.get("runs", [])
    if not isinstance(known, list) or not all(isinstance(run, dict) for run in known):
        raise Failure(f"cannot read {path}: 'runs' is no list of runs")
    try:
        runs = [_timed(str(run["kind"]), run.get("seconds"), run.get("profile") or {}) for run in known]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"cannot read {path}: a run in it is damaged: {error}") from error
    unsure = {id(f) for f in lint.findings[len(value["findings"]) :]}
    findings: tuple[Finding, ...] = tuple(f for f in lint.findings if id(f) not in unsure)
    return Side(str(path), findings, _longest(runs), lint.project.relative), not lint.troubles


def _timed(kind: str, seconds: float | None, profile: Mapping[str, Any]) -> Timed:
    sites = tuple(
        Site(
            str(s["call"]), PurePath(str(s["file"])).name, str(s["function"]), int(s["count"]), float(s["mean_seconds"])
        )
        for s in profile.get("sites", [])
    )
    sites += tuple(
        Site("parallel region", PurePath(str(r["file"])).name, str(r["function"]), int(r["count"]), float(r["seconds"]))
        for r in profile.get("regions", [])
    )
    parts = {str(name): float(value) for name, value in profile.get("parts", {}).items()}
    whole = () if seconds is None else (float(seconds),)
    return Timed(kind, whole, float(profile.get("noise_seconds", 0.0)), parts, sites)


def _longest(runs: Iterable[Timed]) -> tuple[Timed, ...]:
    """One of each kind that was timed."""
    found: dict[str, Timed] = {}
    for run in runs:
        if run.seconds and (run.kind not in found or run.mean > found[run.kind].mean):
            found[run.kind] = run
    return tuple(found.values())
