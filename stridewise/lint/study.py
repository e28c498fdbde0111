"""From commands to findings: what lint, the review and the editor share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

from stridewise import catalogue
from stridewise.catalogue import Rule
from stridewise.collect import build_targets, compile_db
from stridewise.collect.build_targets import Stale
from stridewise.collect.compile_db import Command, Entry, Language, Problem, Workload
from stridewise.collect.compilers import Interrogator
from stridewise.errors import Failure
from stridewise.finding import Beyond, Confidence, Evidence, Finding, Fix, Location, Scope, Severity
from stridewise.finding.fingerprint import with_fingerprints
from stridewise.finding.result import Trouble
from stridewise.finding.sources import Project, Sources, find_project
from stridewise.finding.supersede import once_per_program, without_superseded
from stridewise.lint import analysis, fix_safety, mpi_layer, units
from stridewise.lint.analysis import GivenUp, Limits, LinkResult, UnitResult, Unreached
from stridewise.lint.overlay import Overlay
from stridewise.lint.result_cache import ResultCache
from stridewise.settings import path_map, remedies, toolchain
from stridewise.settings.config import matches_rules
from stridewise.settings.policy import Policy

_DIAGNOSTICS_SHOWN = 3
_WHOLE = "whole program"
_FUNCTIONS_SHOWN = 5
# Headers that every C and C++ program needs and only the compiler has: a wheel or a copied tree comes without them.
_CLANGS_OWN = frozenset(
    "stddef.h stdarg.h stdbool.h stdalign.h stdatomic.h stdnoreturn.h float.h iso646.h mmintrin.h xmmintrin.h "
    "emmintrin.h immintrin.h x86intrin.h cpuid.h arm_neon.h arm_sve.h altivec.h".split()
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is analysed, and what it belongs to."""

    work: Workload
    project: Project
    notes: tuple[str, ...]
    complete: bool  # every unit of the program is analysed
    database: Path | None = None
    traceable: bool = True  # all files that say what is analysed are known
    unity: frozenset[Path] = frozenset()  # generated files that name the sources of a unity build
    others: tuple[Command, ...] = ()  # units of Fortran that are not analysed, whose modules may be used

    @property
    def beside(self) -> tuple[Command, ...]:
        """The commands whose modules a unit of Fortran may use."""
        return (*self.work.commands, *self.others)


@dataclass(frozen=True, slots=True)
class Study:
    """What the analysers said of the inputs: `results` in the order of the work's commands."""

    inputs: Inputs
    results: Sequence[UnitResult]
    linked: LinkResult = field(default_factory=LinkResult)
    whole: bool = True  # no part of the program is analysed elsewhere

    @property
    def failed(self) -> list[UnitResult]:
        return [r for r in self.results if r.status != "ok"]

    @property
    def troubles(self) -> list[Trouble]:
        """What could not be analysed, and why."""
        project = self.inputs.project
        found = [Trouble(project.relative(str(p.file)), p.message) for p in self.inputs.work.problems]
        found += [_trouble(r, project) for r in self.failed]
        if self.linked.failure:
            found.append(Trouble(_WHOLE, self.linked.failure))
        return found + [_gave_up(where, given_up) for where, given_up in self.given_up]

    def _stale(self, sources: Sources) -> Stale | None:
        inputs = self.inputs
        return build_targets.stale(self.results, inputs.project, sources, inputs.database) if inputs.database else None

    def notes(self, findings: Iterable[Finding], rules: Mapping[str, Rule], sources: Sources) -> list[str]:
        """What is to be known about how the findings came about."""
        about = any(f.rule in rules and rules[f.rule].family == "build" for f in findings)
        stale = self._stale(sources) if about else None
        return [f"{stale.text(self.inputs.project)}; build or capture the project again"] if stale else []

    @property
    def given_up(self) -> list[tuple[str, GivenUp]]:
        """Where a rule ran out of its budget, and which one: it says nothing there."""
        relative = self.inputs.project.relative
        found = [(relative(str(r.command.file)), g) for r in self.results for g in r.given_up]
        return list(dict.fromkeys([*found, *((_WHOLE, g) for g in self.linked.given_up)]))

    def findings(self, rules: Mapping[str, Rule], policy: Policy, sources: Sources) -> tuple[list[Finding], int]:
        """The project's findings as the configuration judges them, each with its fingerprints, and the number of
        those that lie outside the project. How safe fixes are may rest on files that no unit reads."""
        inputs, project = self.inputs, self.inputs.project
        done = inputs.complete and not inputs.work.excluded and not inputs.work.problems
        complete = done and self.whole and not self.failed and not self.linked.failure
        everything = _unreached(merge_units(self.results, self.linked), self.linked.unreached, done and self.whole)
        if inputs.database:
            everything = build_targets.regroup(everything, self.results, rules, project, sources)
            everything = build_targets.doubted(everything, rules, project, self._stale(sources))
        unbuilt = [r for r in self.results if not (inputs.database and r.command.keeps)]
        everything = build_targets.planned(everything, unbuilt, rules, project, sources)
        found = [_inside(f, project) for f in everything if project.owns(f.location.file)]
        found = fix_safety.settled(found, self.results, project, complete, {g.rule for _, g in self.given_up})
        outside = len(everything) - len(found)
        found = policy.judged(found)
        comments = policy.suppression_problems(s for r in self.results for s in r.suppressions)
        found += [f for f in comments if project.owns(f.location.file)]
        found = once_per_program(without_superseded(found, rules), rules)
        return with_fingerprints(found, project, sources), outside


def study(
    analyzer: Path,
    inputs: Inputs,
    folder: Path,
    *,
    rules: str = "",
    jobs: int = 1,
    limits: Limits | None = None,
    cache: ResultCache | None = None,
    overlay: Overlay | None = None,
    cancelled: Event | None = None,
    done: Callable[[UnitResult], None] = lambda _result: None,
) -> Study:
    """Analyses all units of the inputs (which a Policy has prepared) and then the whole program.

    `folder` is an empty one for what passes between the two. With an `overlay` its contents are analysed in the place
    of files on disk.
    """
    limits = limits or Limits()
    results = units.analyse(
        analyzer, inputs.work.commands, [], folder, jobs, limits, done, cache, overlay, cancelled, inputs.beside
    )
    layered = folder / "mpi-layer"

    def once_more(commands: Sequence[Command]) -> list[UnitResult]:
        layered.mkdir()
        return units.analyse(
            analyzer, commands, [], layered, jobs, limits, lambda _: None, cache, overlay, cancelled, inputs.beside
        )

    results, _ = mpi_layer.with_layer(results, once_more)
    options = [f"--rules={rules}"] if rules else []
    return Study(inputs, results, analysis.link(analyzer, results, options, folder, limits, cache))


def find_inputs(
    paths: Sequence[Path] = (),
    database: Path | None = None,
    flags: Sequence[str] | None = None,
    cache: ResultCache | None = None,
) -> Inputs:
    """What to analyse: the database's entries, or the given files with the given flags.

    `database` is a file or its folder; without it, one is looked for where the paths are. Raises Failure.
    """
    for path in paths:
        if not path.exists():
            raise Failure(f"no such file or folder: {path}")
    paths = tuple(Path(os.path.abspath(path)) for path in paths)
    if flags is not None:
        return _plain_inputs(paths, flags)
    start = (paths[0] if paths[0].is_dir() else paths[0].parent) if paths else Path.cwd()
    found = database or compile_db.find_database(start)
    if found is not None:
        return _database_inputs(paths, found, start, cache, named=database is not None)
    if paths and all(path.is_file() for path in paths):
        return _plain_inputs(paths, ())
    raise Failure(
        f"no {compile_db.DATABASE} in {start}, its build folders or above; make one with "
        "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or stridewise capture -- make, or name a file and its flags: "
        "stridewise lint FILE -- FLAGS"
    )


def _database_inputs(
    paths: Sequence[Path], database: Path, start: Path, cache: ResultCache | None, *, named: bool
) -> Inputs:
    """The entries of a database for the given paths, or all; `named`: it was not looked for."""
    entries = compile_db.load(database)
    file = Path(os.path.abspath(database / compile_db.DATABASE if database.is_dir() else database))
    project = find_project([e.file for e in entries if isinstance(e, compile_db.Entry)], file)
    _check_places(entries, file)
    chosen = [e for e in entries if not paths or any(e.file.is_relative_to(path) for path in paths)]
    missed = [path for path in paths if path.is_file() and not any(e.file == path for e in chosen)]
    interrogator = Interrogator(project.root, cache)
    work = compile_db.normalise(chosen, interrogator, readable_languages())
    work.problems += [
        Problem(
            path,
            compile_db.fortran_left_out([path])
            or f"{file} has no entry for this file; give its flags: stridewise lint FILE -- FLAGS",
        )
        for path in missed
    ]
    notes = [*interrogator.notes, *work.notes]
    if work.repeated:
        notes.append(f"{work.repeated} entries of the database repeat another one and were analysed once")
    if not entries:
        raise Failure(f"{file} is empty; build the project with it, or capture it anew")
    direct = named or file.parent in (start, start / "build")
    plain = not any(word.startswith("@") for e in entries if isinstance(e, compile_db.Entry) for word in e.arguments)
    unity = frozenset(e.unity for e in chosen if isinstance(e, compile_db.Entry) and e.unity)
    others = _other_fortran(entries, chosen, interrogator)
    return Inputs(work, project, tuple(notes), len(chosen) == len(entries), file, direct and plain, unity, others)


def _other_fortran(
    entries: Sequence[Entry | Problem], chosen: Sequence[Entry | Problem], interrogator: Interrogator
) -> tuple[Command, ...]:
    """Where some of the entries are analysed, and Fortran among them: the other ones of Fortran."""
    if len(chosen) == len(entries) or not any(compile_db.is_fortran_file(e.file) for e in chosen):
        return ()
    left = [e for e in entries if compile_db.is_fortran_file(e.file) and e not in chosen]
    return tuple(compile_db.normalise(left, interrogator, readable_languages()).commands)


def readable_languages() -> frozenset[Language]:
    """Fortran where its front end is installed."""
    return compile_db.C_FAMILY | ({Language.FORTRAN} if toolchain.flang() else frozenset())


def _check_places(entries: Sequence[compile_db.Entry | Problem], database: Path) -> None:
    """Raises Failure for a database of which no file is here: it was made elsewhere."""
    files = [e.file for e in entries if isinstance(e, compile_db.Entry)]
    if files and not any(file.exists() for file in files):
        raise Failure(
            f"{database} was made in another place: none of its {len(files)} files is there, such as {files[0]}; "
            f"record it here, or {path_map.remedy(str(files[0]))}"
        )


def _plain_inputs(paths: Sequence[Path], flags: Sequence[str]) -> Inputs:
    files = [path for path in paths if path.is_file()]
    if not files or len(files) != len(paths):
        raise Failure("flags after '--' need source files before them: stridewise lint FILE… -- FLAGS")
    work = Workload(entries=len(files))
    for file in files:
        command = compile_db.plain_command(file, flags)
        if command.language not in readable_languages():
            work.skipped.append(file)
        else:
            work.commands.append(command)
    compile_db.say_fortran(work)
    # Nobody said that these files are a whole program, or which others are part of it.
    return Inputs(work, find_project(files), (), False, traceable=not any(flag.startswith("@") for flag in flags))


def merge_units(results: Sequence[UnitResult], linked: LinkResult) -> list[Finding]:
    """The findings of all units, those seen in several units once, with the number of units as a metric, and for
    a place in a template the number of its instantiations in all units.

    A fix stays only if every unit that has the finding offers the same edits and no unit withdrew it. It is as safe as
    the unit that doubts it most says.
    """
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for result in results:
        once: set[tuple[Any, ...]] = set()
        for finding in result.findings:
            key = _key(finding)
            if key not in once:
                once.add(key)
                groups.setdefault(key, []).append(finding if result.status == "ok" else _unsure(finding))
    for finding in linked.findings:
        key = _key(finding)
        # The whole program may say something else of a place than a unit does.
        if all(other.message != finding.message for other in groups.get(key, ())):
            key = (*key, finding.message)
        groups.setdefault(key, []).append(finding)
    withdrawn = {(w.rule, os.path.normpath(w.file), w.line): w.why for w in linked.withdrawn}
    doubted = {(w.rule, os.path.normpath(w.file), w.line): w.why for w in linked.doubted}
    merged = [_merge(group, withdrawn, doubted) for group in groups.values()]
    return _sent_once(_set_up(merged, linked.once), linked.sent_once)


def _set_up(findings: Sequence[Finding], once: Sequence[Location]) -> list[Finding]:
    """What loops do to the caches that run once or now and then, beside deeper ones, is of low confidence."""
    if not once:
        return list(findings)
    loops: dict[str, list[Scope]] = {}
    for place in once:
        loops.setdefault(os.path.normpath(place.file), []).append(Scope(place.line, place.end_line))
    cached = {slug for slug, rule in catalogue.load().items() if "cache" in rule.detectors}

    def judged(finding: Finding) -> Finding:
        where = finding.location
        scopes = loops.get(os.path.normpath(where.file), ()) if finding.rule in cached else ()
        if finding.confidence is Confidence.LOW or not any(scope.contains(where.line) for scope in scopes):
            return finding
        note = "the program comes by here once, or now and then, beside deeper loops"
        return replace(finding, confidence=Confidence.LOW, evidence=_noted(finding.evidence, note))

    return [judged(finding) for finding in findings]


def _sent_once(findings: Sequence[Finding], places: Sequence[Location]) -> list[Finding]:
    """What one message or collective more costs is of low confidence where the program comes by once."""
    if not places:
        return list(findings)
    lines = {(os.path.normpath(place.file), place.line) for place in places}
    rules = catalogue.load()
    counted = {slug for slug, rule in rules.items() if rule.family == "mpi" and rule.severity is not Severity.ERROR}

    def judged(finding: Finding) -> Finding:
        where = os.path.normpath(finding.location.file), finding.location.line
        if finding.rule not in counted or finding.confidence is Confidence.LOW or where not in lines:
            return finding
        note = "the program comes by here once"
        return replace(finding, confidence=Confidence.LOW, evidence=_noted(finding.evidence, note))

    return [judged(finding) for finding in findings]


def _unreached(findings: Sequence[Finding], places: Sequence[Unreached], complete: bool) -> list[Finding]:
    """What stands in a function that no program comes by is of low confidence, but for errors. Where the program is not
    `complete`, somebody else may call what its own unit does not."""
    functions: dict[str, list[Scope]] = {}
    for each in places:
        if complete or each.alone:
            at = each.where
            functions.setdefault(os.path.normpath(at.file), []).append(Scope(at.line, at.end_line))
    if not functions:
        return list(findings)
    rules = catalogue.load()

    def judged(finding: Finding) -> Finding:
        where, rule = finding.location, rules.get(finding.rule)
        scopes = functions.get(os.path.normpath(where.file), ()) if finding.function else ()
        if finding.confidence is Confidence.LOW or not any(scope.contains(where.line) for scope in scopes):
            return finding
        if rule is None or rule.severity is Severity.ERROR:
            return finding
        note = "no program of this build calls the function" if complete else "nothing here calls the function"
        return replace(finding, confidence=Confidence.LOW, evidence=_noted(finding.evidence, note))

    return [judged(finding) for finding in findings]


def _noted(evidence: Sequence[Evidence], note: str) -> tuple[Evidence, ...]:
    own = next((each for each in evidence if each.source == "static"), Evidence("static", {}))
    said = replace(own, note="; ".join(filter(None, (own.note, note))))
    return said, *(each for each in evidence if each is not own)


def _key(finding: Finding) -> tuple[Any, ...]:
    where = finding.location
    return finding.rule, os.path.normpath(where.file), where.line, where.column


def _merge(
    group: Sequence[Finding],
    withdrawn: Mapping[tuple[str, str, int], str],
    doubted: Mapping[tuple[str, str, int], str],
) -> Finding:
    best = max(group, key=lambda f: f.confidence.rank)
    place = best.rule, os.path.normpath(best.location.file), best.location.line
    why = withdrawn.get(place)
    evidence = best.evidence
    templates = tuple(sorted({name for f in group for name in f.instantiations}))
    if not best.evidence_from("static"):
        metrics = {"units": len(group)} if len(group) > 1 else {}
        if templates:
            metrics["instantiations"] = len(templates)
        evidence = (Evidence("static", metrics, f"no automatic fix: {why}" if why else ""), *evidence)
    accesses = tuple(dict.fromkeys(access for f in group for access in f.accesses))
    kept = _agreed(group) if why is None else ()
    if place in doubted:
        kept = tuple(fix.doubted(doubted[place]) for fix in kept)
    return replace(best, fixes=kept, evidence=evidence, accesses=accesses, instantiations=templates)


def _unsure(finding: Finding) -> Finding:
    """A finding of a unit of which clang read a part only."""
    fixes = tuple(fix.doubted("the unit does not compile with clang") for fix in finding.fixes)
    return replace(finding, fixes=fixes)


def _agreed(group: Sequence[Finding]) -> tuple[Fix, ...]:
    """The fixes whose edits are the same in all units, each as safe as the unit says that doubts it most."""
    first, *others = (f.fixes for f in group)
    if any([fix.edits for fix in fixes] != [fix.edits for fix in first] for fixes in others):
        return ()
    return tuple(_joined([fixes[number] for fixes in (first, *others)]) for number in range(len(first)))


def _joined(fixes: Sequence[Fix]) -> Fix:
    least = next((fix for fix in fixes if not fix.is_safe), fixes[0])
    known = [fix.beyond for fix in fixes if fix.beyond]
    if not known:
        return least
    words = tuple(dict.fromkeys(word for beyond in known for word in beyond.words))
    return replace(least, beyond=Beyond(next((b.why for b in known if b.why), ""), words))


def _inside(finding: Finding, project: Project) -> Finding:
    """Only fixes that stay inside the project."""
    inside = tuple(fix for fix in finding.fixes if all(project.owns(edit.file) for edit in fix.edits))
    return replace(finding, fixes=inside)


def _gave_up(where: str, given_up: GivenUp) -> Trouble:
    rule = given_up.rule
    remedy = (
        "lint its parts by themselves (stridewise lint FOLDER)"
        if where == _WHOLE
        else "split the file or its largest functions"
    )
    details = (
        "the findings of all other rules stand",
        f'{remedy}, or leave the rule out there: rules = ["-{rule}"] in .stridewise.toml',
    )
    return Trouble(where, f"{rule} gave up: {given_up.message}", details, (rule,))


def _trouble(result: UnitResult, project: Project) -> Trouble:
    where = project.relative(str(result.command.file))
    if result.status == "failed":
        return Trouble(where, result.failure, (*_shown(result, project), "no rule was run for it"), _rules_of(result))
    details = _shown(result, project)
    details += tuple(_remedies(d.message for d in result.diagnostics))
    message, rules = what_is_missing(result)
    return Trouble(where, f"does not compile with clang; {message}", details, rules)


def _shown(result: UnitResult, project: Project) -> tuple[str, ...]:
    """The first of the compiler's errors."""
    found = [d for d in result.diagnostics if d.message != result.failure]
    shown = found[:_DIAGNOSTICS_SHOWN]
    details = [f"{project.relative(d.file)}:{d.line}:{d.column}: {d.message}" for d in shown]
    return (*details, *([f"and {len(found) - len(shown)} more"] if len(found) > len(shown) else []))


def what_is_missing(result: UnitResult) -> tuple[str, tuple[str, ...]]:
    """What was not analysed of a unit with errors, in words, and the rules that it concerns."""
    if result.unread:
        named = [f"{name} (line {line})" for name, line in result.unread[:_FUNCTIONS_SHOWN]]
        if len(result.unread) > len(named):
            named.append(f"{len(result.unread) - len(named)} more")
        count = "one function" if len(result.unread) == 1 else f"{len(result.unread)} functions"
        text = f"no rule was run on {count}: {', '.join(named)}"
        return (f"{text}; on none: {', '.join(result.not_run)}" if result.not_run else text), _rules_of(result)
    if result.not_run:
        return f"not run: {', '.join(result.not_run)}", result.not_run
    return "its functions were analysed", ()


def _rules_of(result: UnitResult) -> tuple[str, ...]:
    """The rules that look at the unit's source."""
    globs = [o.removeprefix("--rules=").split(",") for o in result.command.options if o.startswith("--rules=")]
    static = (slug for slug, rule in catalogue.load().items() if "static" in rule.detectors)
    return tuple(slug for slug in static if all(matches_rules(chosen, slug) for chosen in globs))


def _remedies(messages: Iterable[str]) -> Iterator[str]:
    """What to do about headers that are missed, the cause of most first failures."""
    missing = [match[1] for message in messages if (match := re.match(r"'([^']+)' file not found", message))]
    if own := [name for name in missing if name in _CLANGS_OWN]:
        here = "; ".join(remedies.commands(remedies.CLANG_HEADERS, remedies.system()).values())
        yield f"{own[0]} is one of Clang 19's own headers, which are not here; they come with a package: {here}"
    elif "mpi.h" in missing:
        yield "mpi.h comes with the MPI wrapper of the compile command: load its module, or install an MPI"
    elif missing:
        yield f"build the project first if its build makes '{missing[0]}'; else load the module or install what has it"
