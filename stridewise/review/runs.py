"""What runs say of the findings: evidence of a change's own run, and what got dearer against the base's.

Several folders of one side are repetitions: a finding's cost is their median, their spread is noise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.finding import Finding, Verdict, digest
from stridewise.finding.fingerprint import with_fingerprints
from stridewise.finding.result import RunSummary, Trouble
from stridewise.finding.sources import Project
from stridewise.review.matching import Side
from stridewise.review.plan import Regression
from stridewise.runs import report, run_folder
from stridewise.settings import path_map

# Below these shares of the base's cost and of the run's time a difference is none.
LEAST_SHARE = 0.1
_LEAST_OF_RUN = 0.005
_TEAM = re.compile(r"\d+ (?:rank|process|thread)(?:s|es)?\b")


@dataclass(frozen=True)
class Costs:
    """Findings with what the first run says of them; `seconds` are each run's, by fingerprint."""

    findings: list[Finding]
    seconds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    runs: tuple[RunSummary, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    count: int = 0
    notes: tuple[str, ...] = ()

    def of(self, finding: Finding) -> float | None:
        """The median cost; 0 where the runs did not show the finding, None where nothing was timed."""
        known = self.seconds.get(finding.fingerprint, ())
        # A run that shows nothing of it adds nothing to its cost.
        return median([*known, *[0.0] * (self.count - len(known))]) if self.count else None

    def spread(self, finding: Finding) -> float:
        known = self.seconds.get(finding.fingerprint, ())
        return max(known) - min(known) if len(known) > 1 else 0.0

    def teams(self, kind: str) -> set[tuple[str, ...]]:
        """How many ranks and threads the runs of a kind had; empty where there is no such run."""
        found = (_TEAM.findall(run.details[0]) for run in self.runs if run.kind == kind and run.details)
        return {tuple(team) for team in found}

    @property
    def kinds(self) -> set[str]:
        return {run.kind for run in self.runs}

    @property
    def run_seconds(self) -> float | None:
        known = [run.seconds for run in self.runs if run.seconds]
        return median(known) if known else None


def join(
    findings: Sequence[Finding], folders: Sequence[Path], rules: Mapping[str, Rule], side: Side, project: Project
) -> Costs:
    """The findings (which have fingerprints) with verdicts and costs, then those that the runs alone show."""
    seconds: dict[str, list[float]] = defaultdict(list)
    runs: list[RunSummary] = []
    troubles: list[Trouble] = []
    notes: list[str] = []
    first: list[Finding] | None = None
    for folder in folders:
        if not folder.is_dir():
            raise Failure(f"no run folder {folder}; make one with stridewise run -o {folder} -- COMMAND")
        seen = report.see({folder: run_folder.read_records(folder)}, run_folder.KINDS, rules)
        joined = list(findings)
        for one in seen:
            joined = one.join(joined)
            runs += one.runs
            troubles += one.troubles
        notes += path_map.suggestions(_elsewhere(joined, project.root), project.root)
        joined = _named(joined, project, side)
        for finding in joined:
            if finding.cost_seconds is not None:
                seconds[finding.fingerprint].append(finding.cost_seconds)
        first = joined if first is None else first
    found = list(findings) if first is None else first
    return Costs(found, seconds, tuple(runs), tuple(troubles), len(folders), tuple(dict.fromkeys(notes)))


def _elsewhere(findings: Sequence[Finding], root: Path) -> list[str]:
    """Sources that the run names and that lie in another tree, which is not here."""
    files = dict.fromkeys(f.location.file for f in findings if f.location.file.startswith("/"))
    return [file for file in files if not Path(file).is_relative_to(root) and not Path(file).is_file()]


def _named(joined: Sequence[Finding], project: Project, side: Side) -> list[Finding]:
    """Findings of the run alone get fingerprints of their own; those of the source keep theirs, run or no run."""
    taken = {f.fingerprint for f in joined if f.fingerprint}
    out = [f for f in joined if f.fingerprint]
    for finding in with_fingerprints([f for f in joined if not f.fingerprint], project, side.sources):
        name = finding.fingerprint
        while name in taken:
            name = digest([name, "run"])
        taken.add(name)
        out.append(replace(finding, fingerprint=name))
    return out


def comparable(head: Costs, base: Costs) -> tuple[set[str], list[str]]:
    """The kinds of run whose costs can be compared, and notes on those that cannot."""
    shared: set[str] = set()
    notes: list[str] = []
    for kind in sorted(head.kinds & base.kinds):
        now, then = head.teams(kind), base.teams(kind)
        if now == then:
            shared.add(kind)
        else:
            words = [" or ".join(sorted(", ".join(team) for team in teams)) or "unknown" for teams in (now, then)]
            notes.append(f"the costs of the {kind} runs are not compared: {words[0]}, the base's with {words[1]}")
    return shared, notes


def regressions(
    head: Costs,
    base: Costs,
    pairs: Sequence[tuple[Finding, Finding]],
    new: Sequence[Finding],
    share: float,
    kinds: Set[str],
) -> list[Regression]:
    """What costs more than in the base, by runs of these kinds: by more than `share` of the base's cost, than a half
    per cent of the run's time, and than the runs of each side differ among themselves. Dearest first."""
    if not head.count or not base.count:
        return []
    least = _LEAST_OF_RUN * max(head.run_seconds or 0.0, base.run_seconds or 0.0)
    found: list[tuple[float, Regression]] = []
    for finding, before in (*pairs, *((finding, None) for finding in new)):
        if finding.verdict is Verdict.REFUTED or not any(e.source in kinds for e in finding.evidence):
            continue
        now = head.of(finding)
        then = base.of(before) if before is not None else 0.0
        if now is None or then is None:
            continue
        noise = head.spread(finding) + (base.spread(before) if before is not None else 0.0)
        more = now - then
        if more > max(share * then, least, noise):
            found.append((more, Regression(finding, now, then)))
    found.sort(key=lambda item: (-item[0], item[1].finding.location.file, item[1].finding.location.line))
    return [regression for _, regression in found]
