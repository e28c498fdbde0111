"""What is known of a program: the results of its units, and what follows from all of them together."""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from stridewise.catalogue import Rule
from stridewise.collect.compile_db import Command, Workload
from stridewise.finding import Finding
from stridewise.finding.fingerprint import with_fingerprints
from stridewise.finding.result import relocate
from stridewise.finding.sources import Sources
from stridewise.finding.supersede import without_superseded
from stridewise.lint import analysis, baseline
from stridewise.lint.analysis import CANCELLED, Diagnostic, Limits, LinkResult, UnitResult
from stridewise.lint.overlay import is_among
from stridewise.lint.study import Inputs, Study, what_is_missing
from stridewise.lint.suppressions import Suppression
from stridewise.lsp.evidence import Runs
from stridewise.lsp.program import Program
from stridewise.lsp.shift import Shift, moved, shift
from stridewise.settings.policy import Policy

_LINK_LIMITS = Limits(60.0)


@dataclass(frozen=True, slots=True)
class Unit:
    """The result of one command. `contents` are the texts of the files that were open when it was made."""

    result: UnitResult
    contents: Mapping[str, bytes]
    started_ns: int
    stale: bool = False

    def reads(self, path: str) -> bool:
        return is_among(path, self.result.files)


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why a unit, or a part of its analysis, is missing."""

    file: str
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the client is told. `texts` are those that the places refer to, of the open files that were analysed."""

    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)  # by file, ranked
    texts: Mapping[str, bytes] = field(default_factory=dict)
    complaints: Mapping[str, tuple[Complaint, ...]] = field(default_factory=dict)

    def of(self, path: str) -> tuple[Finding, ...]:
        return self.findings.get(path) or self.findings.get(os.path.realpath(path), ())


@dataclass
class Known:
    """Results are kept in `folder`, where the whole-program phase reads them."""

    program: Program
    folder: Path
    units: dict[Command, Unit] = field(default_factory=dict)
    complaints: dict[Command, Complaint] = field(default_factory=dict)
    linked: LinkResult = field(default_factory=LinkResult)
    linked_texts: Mapping[str, bytes] = field(default_factory=dict)
    link_seconds: float = 0.0
    _numbers: Iterable[int] = field(default_factory=itertools.count)

    def keep(self, result: UnitResult, contents: Mapping[str, bytes], started_ns: int) -> None:
        """Takes a result in. One that tells less than the former does not replace it: while somebody types, the
        text often does not compile for a moment."""
        command = result.command.by_itself()
        before = self.units.get(command)
        if before and before.started_ns > started_ns:
            return  # of an older text, and overtaken
        self.complaints.pop(command, None)
        if result.status == "failed":
            if result.failure != CANCELLED:
                first = next((d for d in result.diagnostics if d.file == str(command.file)), None)
                why = f"{result.failure}: {first.message}" if first else result.failure
                place = (first.line, first.column) if first else (1, 0)
                self.complaints[command] = Complaint(str(command.file), *place, f"not analysed: {why}")
            return
        if result.status == "errors":
            self.complaints[command] = _complaint(result)
            if before and before.result.status == "ok":
                return
        elif result.given_up:
            said = "; ".join(f"{g.rule} gave up: {g.message}" for g in result.given_up)
            self.complaints[command] = Complaint(str(command.file), 1, 0, f"not analysed by every rule: {said}")
        name = self.folder / f"unit{next(iter(self._numbers))}.json"
        if result.result_file is not None:
            shutil.move(result.result_file, name)
        else:
            name.write_bytes(result.stored)
        if before and before.result.result_file:
            before.result.result_file.unlink(missing_ok=True)
        findings = tuple(relocate(finding, os.path.normpath) for finding in result.findings)
        suppressions = tuple(replace(s, file=os.path.normpath(s.file)) for s in result.suppressions)
        kept = replace(result, findings=findings, suppressions=suppressions, result_file=name, stored=b"")
        texts = {path: text for path, text in contents.items() if _reads(kept, path)}
        self.units[command] = Unit(kept, texts, started_ns)

    def of(self, path: str) -> list[Command]:
        """The units that read the file, those of its own first."""
        return sorted((c for c, unit in self.units.items() if unit.reads(path)), key=lambda c: str(c.file) != path)

    def outdate(self, path: str) -> bool:
        """Marks the units that read a file; whether there are any."""
        hit = False
        for command, unit in self.units.items():
            if unit.reads(path):
                self.units[command] = replace(unit, stale=True)
                hit = True
        return hit

    def since(self, path: str) -> int:
        """The time, in ns, before which a file must have had its present content to be what all units read."""
        return min((unit.started_ns for unit in list(self.units.values()) if unit.reads(path)), default=0)

    def link(self, analyzer: Path, rules: str, texts: Mapping[str, bytes]) -> None:
        start = time.monotonic()
        options = [f"--rules={rules}"] if rules else []
        results = [unit.result for unit in self.units.values()]
        linked = analysis.link(analyzer, results, options, self.folder, _LINK_LIMITS)
        self.linked = replace(linked, findings=tuple(relocate(f, os.path.normpath) for f in linked.findings))
        self.linked_texts = dict(texts)
        self.link_seconds = time.monotonic() - start

    def outcome(
        self,
        texts: Mapping[str, bytes],
        rules: Mapping[str, Rule],
        policy: Policy,
        runs: Runs,
        everything: Collection[Command],
    ) -> Outcome:
        """All findings, at their places in `texts`. `everything` are the commands of the whole program."""
        whole = bool(everything) and not self.program.broken and all(c in self.units for c in everything)
        results = [_moved_unit(unit, texts) for unit in self.units.values()]
        linked = replace(self.linked, findings=tuple(_all_moved(self.linked.findings, self.linked_texts, texts)))
        work = Workload(commands=[r.command for r in results])
        inputs = Inputs(work, self.program.project, (), whole, self.program.database)
        sources = Sources.of(texts)
        study = Study(inputs, results, linked, whole)
        findings, _ = study.findings(rules, policy, sources)
        if runs:
            joined = without_superseded(policy.judged(runs.join(findings, texts)), rules)
            findings = with_fingerprints(joined, self.program.project, sources)
        known = baseline.read(policy.baselines(command.file for command in self.units))
        by_file: dict[str, list[Finding]] = {}
        for finding in findings:
            sure = finding.confidence.rank >= policy.standards(finding.location.file).least.rank
            if sure and finding.fingerprint not in known and finding.moved_fingerprint not in known:
                by_file.setdefault(os.path.normpath(finding.location.file), []).append(finding)
        complaints: dict[str, list[Complaint]] = {}
        for complaint in self.complaints.values():
            complaints.setdefault(complaint.file, []).append(complaint)
        return Outcome(
            {file: tuple(mine) for file, mine in by_file.items()},
            dict(texts),
            {file: tuple(dict.fromkeys(mine)) for file, mine in complaints.items()},
        )


def _reads(result: UnitResult, path: str) -> bool:
    return path == str(result.command.file) or is_among(path, result.files)


def _complaint(result: UnitResult) -> Complaint:
    own = str(result.command.file)
    first = next(iter(result.diagnostics), None)
    if first is None:
        return Complaint(own, 1, 0, f"does not compile with clang; {what_is_missing(result)[0]}")
    mine: Diagnostic | None = next((d for d in result.diagnostics if d.file == own), None)
    said = mine or first
    where = "" if mine else f"{said.file}:{said.line}: "
    return Complaint(
        own,
        mine.line if mine else 1,
        mine.column if mine else 0,
        f"does not compile with clang: {where}{said.message}; {what_is_missing(result)[0]}",
    )


def _shifts(before: Mapping[str, bytes], after: Mapping[str, bytes], file: str) -> Shift | None:
    if file in before and file in after and before[file] is not after[file] and before[file] != after[file]:
        return shift(before[file], after[file], file)
    return None


def _all_moved(
    findings: Iterable[Finding], before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> Iterable[Finding]:
    return (new for f in findings if (new := moved(f, lambda file: _shifts(before, after, file))))


def _moved_unit(unit: Unit, texts: Mapping[str, bytes]) -> UnitResult:
    if all(_shifts(unit.contents, texts, file) is None for file in unit.contents):
        return unit.result
    suppressions = []
    for suppression in unit.result.suppressions:
        there = _shifts(unit.contents, texts, suppression.file)
        line = there.line(suppression.line) if there else suppression.line
        if line is not None:
            suppressions.append(_at(suppression, line))
    findings = tuple(_all_moved(unit.result.findings, unit.contents, texts))
    return replace(unit.result, findings=findings, suppressions=tuple(suppressions))


def _at(suppression: Suppression, line: int) -> Suppression:
    return replace(suppression, line=line)
