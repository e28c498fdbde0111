"""What is said of a program's level of optimisation: once for each place of the build that sets it.

The analysers see units, and each `main` that is compiled without optimisation. Which units make one program, and where
its options come from, the build knows: CMake's targets by where their objects go, programs that one command makes by
its output, all else by the folder and the options. Programs whose options come from one line are one finding there; a
line that cannot be found leaves it at the program's `main`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stridewise.catalogue import Rule
from stridewise.collect import build_lines
from stridewise.collect.build_lines import BuildLine
from stridewise.collect.unbuilt import PlannedBuilds
from stridewise.finding import Confidence, Evidence, Finding, Location, Related
from stridewise.finding.sources import Project, Sources
from stridewise.lint.analysis import UnitResult

SLUG = "build-unoptimised"
_ENOUGH = 2  # the level from which on nothing is said
_LOW = "vectors"  # why a level above -O0 is too low
_LOW_LEVEL = "-O1 or -Og"
_NAMED = 3
_PLACES_NAMED = 5
# A program with less than this share of the loops of the largest one is a helper: a generator, a check, a test.
_HELPER_SHARE = 0.1
# Rebuilding may write the database a moment before the build file is touched by a checkout of both.
_STALE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Unit:
    result: UnitResult
    facts: Mapping[str, Any]

    @property
    def slow(self) -> bool:
        return self.level < _ENOUGH

    @property
    def level(self) -> int:
        return int(self.number("level"))

    @property
    def loops(self) -> float:
        return self.number("float_loops")

    def number(self, name: str) -> float:
        value = self.facts.get(name, 0)
        return float(value) if isinstance(value, int | float) else 0.0

    def flag(self, name: str) -> bool:
        return bool(self.facts.get(name))

    @property
    def place(self) -> Location | None:
        try:
            place = self.facts["place"]
            return Location(str(place["file"]), int(place["line"]), int(place.get("column", 0)))
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(slots=True)
class _Target:
    """The units with loops that make one program or library."""

    name: str  # empty where nothing names it
    units: list[_Unit] = field(default_factory=list)

    @property
    def slow(self) -> list[_Unit]:
        return [u for u in self.units if u.slow]

    @property
    def weight(self) -> float:
        return sum(u.loops for u in self.units)

    @property
    def computes(self) -> bool:
        slow = self.slow
        return self.weight_of(slow) > 0 or (len(slow) == len(self.units) and any(u.flag("nested") for u in slow))

    @staticmethod
    def weight_of(units: Sequence[_Unit]) -> float:
        return sum(u.loops for u in units)


def regroup(
    findings: Sequence[Finding],
    results: Sequence[UnitResult],
    rules: Mapping[str, Rule],
    project: Project,
    sources: Sources,
) -> list[Finding]:
    """The findings, those about the level of optimisation by the places of the build in their stead."""
    rule = rules.get(SLUG)
    said = [f for f in findings if _is_level(f)]
    if rule is None or not said:
        return list(findings)
    others = [f for f in findings if not _is_level(f)]
    everything = _targets(results).values()
    targets = [t for t in everything if t.slow and not any(u.flag("silenced") for u in t.units)]
    if not targets:
        return list(findings)
    largest = max(t.weight for t in everything)
    groups: dict[BuildLine | None, list[_Target]] = defaultdict(list)
    for target in targets:
        groups[_line(target, project, sources)].append(target)
    made: list[Finding] = []
    for line, members in groups.items():
        for group in [members] if line else [[m] for m in members]:
            if finding := _finding(rule, line, group, largest):
                made.append(finding)
    return [*others, *made] if made else list(findings)


def planned(
    findings: Sequence[Finding],
    results: Sequence[UnitResult],
    rules: Mapping[str, Rule],
    project: Project,
    sources: Sources,
) -> list[Finding]:
    """The findings, and those about the levels that the project's own build files would set, for units whose options
    were given by hand."""
    rule = rules.get(SLUG)
    if rule is None:
        return list(findings)
    builds = PlannedBuilds(project, sources)
    groups: dict[tuple[Path, int], tuple[BuildLine, _Target]] = {}
    for result in results:
        unit = _Unit(result, result.build)
        if not result.build or unit.slow or unit.flag("silenced"):
            continue
        if plan := builds.of(result.command):
            # Commands that each lack a level of their own are one omission.
            key = (plan.line.file, 0 if plan.alone else plan.line.line)
            line, target = groups.setdefault(key, (plan.line, _Target("")))
            target.units.append(_Unit(result, {**result.build, "level": plan.level}))
            groups[key] = (min(line, plan.line, key=lambda at: at.line), target)
    # A lesson's loop over some numbers is no program that computes.
    deep = [(line, t) for line, t in groups.values() if any(u.flag("nested") for u in t.units)]
    made = [f for line, t in deep if (f := _finding(rule, line, [t], t.weight, planned_level=True))]
    return [*findings, *made]


@dataclass(frozen=True, slots=True)
class Stale:
    """A database that is older than what the build reads now."""

    database: Path
    newer: Path
    optimises: bool  # the build as it is now asks for optimisation somewhere

    def text(self, project: Project) -> str:
        newer = project.relative(str(self.newer))
        return f"{self.database.name} is older than {newer}: its commands may not be those of the build as it is now"


def doubted(
    findings: Sequence[Finding], rules: Mapping[str, Rule], project: Project, stale: Stale | None
) -> list[Finding]:
    """The findings, those about the build less sure where its commands may have changed since."""
    if stale is None:
        return list(findings)
    most = Confidence.LOW if stale.optimises else Confidence.MEDIUM
    text = stale.text(project)

    def lower(finding: Finding) -> Finding:
        if finding.rule not in rules or rules[finding.rule].family != "build":
            return finding
        least = most if finding.confidence is Confidence.HIGH else Confidence.LOW
        return replace(
            finding,
            confidence=least,
            advice=f"{finding.advice}; first make the database again, which is older than "
            f"{project.relative(str(stale.newer))}",
            evidence=(*finding.evidence, Evidence("static", {}, text)),
        )

    return [lower(f) for f in findings]


def build_files(results: Sequence[UnitResult], project: Project, sources: Sources) -> list[Path]:
    """The files of the build that the units' commands may come from."""
    found: dict[Path, None] = {}
    seen: set[tuple[Path, Path, bool]] = set()
    for result in results:
        command = result.command
        if (key := (command.directory, command.file.parent, bool(command.target))) not in seen:
            seen.add(key)
            found.update(dict.fromkeys(build_lines.files(command, project, sources)))
    return list(found)


def stale(results: Sequence[UnitResult], project: Project, sources: Sources, database: Path) -> Stale | None:
    """Whether a file of the build was written after the database; what cannot be asked is not."""
    try:
        made = database.stat().st_mtime
        files = build_files(results, project, sources)
        newer = [p for p in files if p.stat().st_mtime > made + _STALE_SECONDS]
    except OSError:
        return None
    if not newer:
        return None
    optimises = build_lines.names_optimisation(files, sources)
    return Stale(database, max(newer, key=lambda p: p.stat().st_mtime), optimises)


def _is_level(finding: Finding) -> bool:
    about = finding.args.get("reason", _LOW)
    return finding.rule == SLUG and about == _LOW and finding.evidence_from("static") is not None


def _targets(results: Sequence[UnitResult]) -> dict[tuple[str, ...], _Target]:
    out: dict[tuple[str, ...], _Target] = {}
    for result in results:
        facts = result.build
        if not facts:
            continue
        command = result.command
        level = tuple(word for word in command.flags if word.startswith("-O"))
        key = (
            (str(command.directory), command.target)
            if command.target
            else (str(command.directory), str(command.file.parent), *level)
        )
        out.setdefault(key, _Target(command.target)).units.append(_Unit(result, facts))
    return out


def _line(target: _Target, project: Project, sources: Sources) -> BuildLine | None:
    for unit in sorted(target.slow, key=lambda u: (not u.flag("main"), -u.loops)):
        line = build_lines.line_of(unit.result.command, project, sources)
        if line and project.owns(str(line.file)):
            return line
    return None


def _finding(
    rule: Rule, line: BuildLine | None, targets: Sequence[_Target], largest: float, planned_level: bool = False
) -> Finding | None:
    # The program with most to compute first, helpers last.
    targets = sorted(targets, key=lambda t: (not t.computes, -t.weight, t.name))
    slow = [u for t in targets for u in t.slow]
    level = min(u.level for u in slow)
    slow = [u for u in slow if u.level == level]
    total = sum(len(t.units) for t in targets)
    mains = sorted((u for u in slow if u.flag("main")), key=lambda u: -u.loops)
    sure = _confidence(targets, slow, largest)
    start = (mains or sorted(slow, key=lambda u: -u.loops))[0]
    where = start.place
    if where is None:
        return None
    related = [
        Related(p.file, p.line, "compiled so" if not u.flag("main") else "a program that is compiled so")
        for u in (mains or [start])[:_PLACES_NAMED]
        if (p := u.place)
    ]
    function = str(start.facts.get("function", ""))
    if line:
        where, function = Location(str(line.file), line.line), ""
    else:
        related = related[1:]
    none = level == 0
    args = {
        "subject": _subject(targets, slow, mains, total),
        "how": "without optimisation" if none else f"with {_LOW_LEVEL if planned_level else _level_named(slow)} only",
        "cost": "every value of its loops goes through memory" if none else "no loop is vectorised",
        "remedy": rule.variant("level", set="set" if line else "compile with", here=" here" if line else ""),
    }
    if not none:
        args["reason"] = _LOW
    if planned_level:
        sure = min(sure, Confidence.MEDIUM, key=lambda c: c.rank)
    text = "read from the build file; no database says which commands ran" if planned_level else ""
    return rule.finding(
        "static",
        where,
        args=args,
        confidence=sure,
        function=function,
        evidence=[Evidence("static", {"units": len(slow)}, text)],
        related=related,
    )


def _level_named(slow: Sequence[_Unit]) -> str:
    """The option that the commands have in common."""
    said = {next((w for w in reversed(u.result.command.flags) if w.startswith("-O")), "") for u in slow}
    named = said.pop() if len(said) == 1 else ""
    return "-O, which means -O1," if named == "-O" else named or _LOW_LEVEL


def _confidence(targets: Sequence[_Target], slow: Sequence[_Unit], largest: float) -> Confidence:
    """Of units at one level: low where nothing computes, or next to nothing of what the largest program does."""
    if not any(t.computes for t in targets):
        return Confidence.LOW
    if len(targets) == 1 and targets[0].weight < _HELPER_SHARE * largest:
        return Confidence.LOW
    sure = slow[0].level == 0 and not all(u.flag("debug") for u in slow)
    return Confidence.HIGH if sure else Confidence.MEDIUM


def _subject(targets: Sequence[_Target], slow: Sequence[_Unit], mains: Sequence[_Unit], total: int) -> str:
    names = list(dict.fromkeys(t.name or m.result.command.file.stem for t in targets for m in mains if m in t.units))
    if len(slow) < total or not mains:
        of = f" of '{names[0]}'" if len(names) == 1 else ""
        units = "units" if total != 1 else "unit"
        return f"{len(slow)} of {total} {units} with loops{of} {'is' if len(slow) == 1 else 'are'}"
    if len(names) == 1:
        return f"the program '{names[0]}' is"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{len(names)} programs ({', '.join(names[:_NAMED])}{more}) are"
