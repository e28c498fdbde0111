"""stridewise lint: analyses the units of a compile database and reports what their source shows."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stridewise import analysis, baseline, catalogue, fixes, replay, shards, toolchain
from stridewise.analysis import LinkResult, UnitResult
from stridewise.catalogue import Rule
from stridewise.collect import compile_db
from stridewise.collect.compile_db import Language, Problem, Workload
from stridewise.collect.compilers import Interrogator
from stridewise.console import Progress, complain, harmless, remark
from stridewise.dependencies import default_folder
from stridewise.errors import Failure
from stridewise.finding import Confidence, Evidence, Finding, Fix, Severity
from stridewise.fingerprint import with_fingerprints
from stridewise.output import write
from stridewise.policy import Policy
from stridewise.result import SHOWN_BY_DEFAULT, Result, Trouble, rank
from stridewise.result_cache import ResultCache
from stridewise.shards import Merged, Part
from stridewise.sources import Project, Sources, find_project
from stridewise.supersede import once_per_program, without_superseded

_DIAGNOSTICS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Options:
    database: Path | None = None
    paths: tuple[Path, ...] = ()
    format: str = "text"
    output: Path | None = None
    fail_on: Severity | None = None
    fix: bool = False
    dry_run: bool = False
    jobs: int = 1
    rules: str = ""
    everything: bool = False
    least: Confidence | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None
    config: bool = True
    profile: bool = False
    verbose: bool = False
    flags: tuple[str, ...] | None = None
    unit_seconds: float = 120.0
    unit_bytes: int = 4 << 30
    cache: bool = True
    cache_folder: Path | None = None
    part: Part | None = None
    merge: tuple[Path, ...] = ()
    words: tuple[str, ...] = ()  # the command line


@dataclass(frozen=True, slots=True)
class _Inputs:
    work: Workload
    project: Project
    notes: tuple[str, ...]
    complete: bool  # every unit of the program is analysed
    database: Path | None = None
    traceable: bool = True  # all files that say what is analysed are known


def run(options: Options) -> int:
    """The exit status: 0, 1 (findings at or above --fail-on) or 2 (a unit could not be analysed)."""
    _check_parts(options)
    rules = catalogue.load()
    analyzer = toolchain.analyzer()
    merged = shards.merge(options.merge) if options.merge else None
    globs = merged.rules if merged else options.rules
    policy = Policy(
        rules,
        globs=globs,
        least=options.least,
        everything=options.everything,
        fail_on=options.fail_on,
        baseline=options.baseline,
        use_files=options.config,
    )
    started_ns = time.time_ns()
    cache = _cache(options, analyzer)
    inputs = _merged_inputs(merged) if merged else _inputs(options, cache)
    if not merged:
        inputs = replace(inputs, work=policy.prepare(inputs.work))
    known = baseline.read(policy.baselines(c.file for c in inputs.work.commands))
    limits = analysis.Limits(options.unit_seconds, options.unit_bytes)
    tool_options = [f"--rules={globs}"] if globs else []
    chosen = (
        options.part.choose(inputs.work.commands, inputs.project)
        if options.part
        else []
        if merged
        else list(range(len(inputs.work.commands)))
    )
    with tempfile.TemporaryDirectory(prefix="stridewise-") as name:
        folder = Path(name)
        with Progress("analysing", len(chosen)) as progress:
            results: Sequence[UnitResult] = analysis.analyse(
                analyzer,
                [inputs.work.commands[position] for position in chosen],
                ["--profile"] if options.profile else [],
                folder,
                options.jobs,
                limits,
                lambda r: progress.step(inputs.project.relative(str(r.command.file))),
                cache,
            )
        part = _part(inputs, options, dict(zip(chosen, results, strict=True)))
        results = merged.results if merged else results
        started = time.monotonic()
        linked = LinkResult() if part else analysis.link(analyzer, results, tool_options, folder, limits, cache)
        link_seconds = time.monotonic() - started
    result = replace(_result(inputs, results, linked, rules, known, policy, options), shard=part)
    text = ""
    if options.output or not options.dry_run:  # the patch of a dry run stands alone on standard output
        text = write(result, rules, options.format, options.output)
    status = 2 if result.troubles else 1 if result.fails() else 0
    if cache and status != 2:
        _remember(cache, inputs, result, policy, text, status, [analyzer], options)
    if cache:
        cache.close()
    if options.verbose:
        _say_units(results, inputs)
        if cache:
            remark(cache.problem or f"{cache.hits} of {len(results)} results were unchanged since an earlier run")
    if options.profile:
        _say_profile(results, link_seconds)
    if options.dry_run:
        _show_fixes(result, started_ns)
    elif options.fix:
        _fix(result, started_ns)
    return status


def _remember(
    cache: ResultCache,
    inputs: _Inputs,
    result: Result,
    policy: Policy,
    text: str,
    status: int,
    tools: Sequence[Path],
    options: Options,
) -> None:
    """Lets the same command line be answered at once while nothing changes (replay.py)."""
    known = cache.inputs(len(inputs.work.commands))
    if known is None or not inputs.traceable or options.part or options.merge:
        return
    commands = inputs.work.commands
    findings = [Path(f.location.file) for f in result.findings]
    folders = {Path.cwd(), *(c.file.parent for c in commands), *(c.directory for c in commands)}
    folders |= {file.parent for file in findings}
    files = {*findings, *policy.baselines(c.file for c in commands)}
    if inputs.database:
        files.add(inputs.database)
        folders.add(inputs.database.parent)
    replay.record(
        options.words,
        text,
        os.path.abspath(options.output) if options.output else None,
        status,
        known,
        map(str, files),
        map(str, folders),
        {*cache.programs, *map(str, tools)},
    )


def _check_parts(options: Options) -> None:
    if options.part and options.format != "json":
        raise Failure("a part of a run is written as JSON: stridewise lint --shard 1/2 --format json -o shard1.json")
    if options.part and options.write_baseline:
        raise Failure("a part of a run is no baseline; write it where the parts are merged")
    if options.merge and (options.part or options.paths or options.database or options.flags or options.rules):
        raise Failure("--merge takes the parts of a run and nothing else that says what is analysed")
    if options.dry_run and not options.fix:
        raise Failure("--dry-run shows what --fix would change: stridewise lint --fix --dry-run")
    if options.fix and (options.part or options.merge):
        raise Failure("--fix edits what the same run has read; it works without --shard and --merge")


def _merged_inputs(merged: Merged) -> _Inputs:
    return _Inputs(merged.work, merged.project, merged.notes, merged.complete)


def _part(inputs: _Inputs, options: Options, units: Mapping[int, UnitResult]) -> Mapping[str, Any] | None:
    if options.part is None:
        return None
    return shards.to_json(
        options.part, inputs.work, inputs.project, inputs.notes, inputs.complete, options.rules, units
    )


def _cache(options: Options, analyzer: Path) -> ResultCache | None:
    """Where results of earlier runs are. A profile is of this run, so that it uses none."""
    folder = options.cache_folder or default_folder()
    if folder is None or not options.cache or options.profile:
        return None
    return ResultCache(Path(os.path.abspath(folder)), analyzer)


def _inputs(options: Options, cache: ResultCache | None) -> _Inputs:
    """What to analyse: the database's entries, or the given files with the given flags."""
    for path in options.paths:
        if not path.exists():
            raise Failure(f"no such file or folder: {path}")
    paths = tuple(Path(os.path.abspath(path)) for path in options.paths)
    if options.flags is not None:
        return _plain_inputs(paths, options.flags)
    start = (paths[0] if paths[0].is_dir() else paths[0].parent) if paths else Path.cwd()
    database = options.database or compile_db.find_database(start)
    if database is None and paths and all(path.is_file() for path in paths):
        return _plain_inputs(paths, ())
    if database is None:
        raise Failure(
            f"no {compile_db.DATABASE} in {start}, its build folders or above; make one with "
            "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or stridewise capture -- make, or name a file and its flags: "
            "stridewise lint FILE -- FLAGS"
        )
    entries = compile_db.load(database)
    file = Path(os.path.abspath(database / compile_db.DATABASE if database.is_dir() else database))
    project = find_project([e.file for e in entries if isinstance(e, compile_db.Entry)], file)
    chosen = [e for e in entries if not paths or any(e.file.is_relative_to(path) for path in paths)]
    missed = [path for path in paths if path.is_file() and not any(e.file == path for e in chosen)]
    interrogator = Interrogator(project.root, cache)
    work = compile_db.normalise(chosen, interrogator)
    work.problems += [
        Problem(path, f"{file} has no entry for this file; give its flags: stridewise lint FILE -- FLAGS")
        for path in missed
    ]
    notes = list(interrogator.notes)
    if work.repeated:
        notes.append(f"{work.repeated} entries of the database repeat another one and were analysed once")
    if not entries:
        raise Failure(f"{file} is empty; build the project with it, or capture it anew")
    direct = options.database is not None or file.parent in (start, start / "build")
    plain = not any(word.startswith("@") for e in entries if isinstance(e, compile_db.Entry) for word in e.arguments)
    return _Inputs(work, project, tuple(notes), len(chosen) == len(entries), file, direct and plain)


def _plain_inputs(paths: Sequence[Path], flags: Sequence[str]) -> _Inputs:
    files = [path for path in paths if path.is_file()]
    if not files or len(files) != len(paths):
        raise Failure("flags after '--' need source files before them: stridewise lint FILE… -- FLAGS")
    work = Workload(entries=len(files))
    for file in files:
        command = compile_db.plain_command(file, flags)
        if command.language is Language.OTHER:
            work.skipped.append(file)
        else:
            work.commands.append(command)
    return _Inputs(work, find_project(files), (), True, traceable=not any(flag.startswith("@") for flag in flags))


def _result(
    inputs: _Inputs,
    results: Sequence[UnitResult],
    linked: LinkResult,
    rules: Mapping[str, Rule],
    known: frozenset[str],
    policy: Policy,
    options: Options,
) -> Result:
    project, sources = inputs.project, Sources()
    failed = [r for r in results if r.status != "ok"]
    done = inputs.complete and not inputs.work.excluded and not inputs.work.problems
    complete = done and options.part is None and not failed and not linked.failure
    everything = merge_units(results, linked, complete)
    findings = [_safe(f, project) for f in everything if project.owns(f.location.file)]
    outside = len(everything) - len(findings)
    findings = policy.judged(findings)
    comments = policy.suppression_problems(s for r in results for s in r.suppressions)
    findings += [f for f in comments if project.owns(f.location.file)]
    findings = once_per_program(without_superseded(findings, rules), rules)
    findings = with_fingerprints(findings, project, sources)
    if options.write_baseline:
        baseline.write(options.write_baseline, findings, project)
        known = known.union(f.fingerprint for f in findings)
    fresh = [f for f in findings if f.fingerprint not in known and f.moved_fingerprint not in known]
    troubles = [Trouble(project.relative(str(p.file)), p.message) for p in inputs.work.problems]
    troubles += [_trouble(r, project) for r in failed]
    if linked.failure:
        troubles.append(Trouble("whole program", linked.failure))
    stats: dict[str, Any] = {
        "files_analysed": len({r.command.file for r in results if r.status == "ok"}),
        "files_failed": len({r.command.file for r in failed} | {p.file for p in inputs.work.problems}),
        "files_skipped": len(set(inputs.work.skipped)),
        "units_analysed": sum(r.status == "ok" for r in results),
        "files_excluded": len(set(inputs.work.excluded)),
        "entries": inputs.work.entries,
        "entries_repeated": inputs.work.repeated,
        "suppressed": _total(results, "suppressed"),
        "outside_project": outside,
        "in_baseline": len(findings) - len(fresh),
        "functions": _total(results, "functions"),
        "loops": _total(results, "loops"),
        "mpi_calls": _total(results, "mpi_calls"),
        "unit_seconds": round(sum(r.seconds for r in results), 3),
    }
    notes = list(inputs.notes)
    without_ir = [r for r in results if r.status == "ok" and r.stats.get("ir", "ok") != "ok"]
    notes += [
        f"{project.relative(str(r.command.file))}: loops and messages were not analysed: {r.stats['ir']}"
        for r in without_ir
    ]
    return Result(
        project=project,
        findings=tuple(rank(fresh)),
        sources=sources,
        troubles=tuple(troubles),
        notes=tuple(notes),
        stats=stats,
        limit=None if options.everything else SHOWN_BY_DEFAULT,
        standards=policy.standards,
    )


def merge_units(results: Sequence[UnitResult], linked: LinkResult, complete: bool) -> list[Finding]:
    """The findings of all units, those seen in several units once, with the number of units as a metric, and for
    a place in a template the number of its instantiations in all units.

    A fix stays only if every unit that has the finding offers the same one, no unit withdrew it, and, for a place in
    a header, every unit of the program was seen (`complete`).
    """
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    own: set[tuple[Any, ...]] = set()
    for result in results:
        once: set[tuple[Any, ...]] = set()
        for finding in result.findings:
            key = _key(finding)
            if os.path.normpath(finding.location.file) == str(result.command.file):
                own.add(key)
            if key not in once:
                once.add(key)
                groups.setdefault(key, []).append(finding)
    for finding in linked.findings:
        key = _key(finding)
        # The whole program may say something else of a place than a unit does.
        if all(other.message != finding.message for other in groups.get(key, ())):
            key = (*key, finding.message)
        groups.setdefault(key, []).append(finding)
    withdrawn = {(w.rule, os.path.normpath(w.file), w.line): w.why for w in linked.withdrawn}
    return [_merge(group, withdrawn, complete or key in own) for key, group in groups.items()]


def _key(finding: Finding) -> tuple[Any, ...]:
    where = finding.location
    return finding.rule, os.path.normpath(where.file), where.line, where.column


def _merge(group: Sequence[Finding], withdrawn: Mapping[tuple[str, str, int], str], fix_allowed: bool) -> Finding:
    best = max(group, key=lambda f: f.confidence.rank)
    agreed = fix_allowed and all(f.fixes == best.fixes for f in group)
    why = withdrawn.get((best.rule, os.path.normpath(best.location.file), best.location.line))
    evidence = best.evidence
    templates = tuple(sorted({name for f in group for name in f.instantiations}))
    if not best.evidence_from("static"):
        metrics = {"units": len(group)} if len(group) > 1 else {}
        if templates:
            metrics["instantiations"] = len(templates)
        evidence = (Evidence("static", metrics, f"no automatic fix: {why}" if why else ""), *evidence)
    accesses = tuple(dict.fromkeys(access for f in group for access in f.accesses))
    kept = best.fixes if agreed and why is None else ()
    return replace(best, fixes=kept, evidence=evidence, accesses=accesses, instantiations=templates)


def _safe(finding: Finding, project: Project) -> Finding:
    """Only fixes that stay inside the project."""
    inside = tuple(fix for fix in finding.fixes if all(project.owns(edit.file) for edit in fix.edits))
    return replace(finding, fixes=inside)


def _trouble(result: UnitResult, project: Project) -> Trouble:
    where = project.relative(str(result.command.file))
    if result.status == "failed":
        return Trouble(where, result.failure)
    shown = result.diagnostics[:_DIAGNOSTICS_SHOWN]
    details = tuple(f"{project.relative(d.file)}:{d.line}:{d.column}: {d.message}" for d in shown)
    more = len(result.diagnostics) - len(shown)
    if more > 0:
        details += (f"and {more} more",)
    return Trouble(where, "does not compile with clang; loops and messages were not analysed", details)


def _total(results: Sequence[UnitResult], name: str) -> int:
    values = (r.stats.get(name) for r in results)
    return sum(v for v in values if isinstance(v, int))


def _fix(result: Result, started_ns: int) -> None:
    before = fixes.stamps(result.reported, started_ns)
    applied = fixes.apply(result.reported, before)
    for finding, fix in applied.done:
        files = ", ".join(sorted({result.project.relative(edit.file) for edit in fix.edits}))
        remark(f"fixed {files}: {fix.description} ({finding.rule})")
    _say_refused(applied.refused)
    if not applied.done and not applied.refused:
        remark("no finding has an automatic fix")


def _show_fixes(result: Result, started_ns: int) -> None:
    """What --fix would change, as a patch on standard output."""
    chosen = fixes.plan(result.reported, fixes.stamps(result.reported, started_ns))
    patch = fixes.unified_diff(chosen, result.project.relative)
    if sys.stdout.isatty():
        patch = "".join(
            harmless(line) + "\n" for line in patch.decode("utf-8", "surrogateescape").splitlines()
        ).encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(patch)
    sys.stdout.buffer.flush()
    _say_refused(chosen.refused)
    if not chosen.accepted and not chosen.refused:
        remark("no finding has an automatic fix")


def _say_refused(refused: Sequence[tuple[Finding, Fix, str]]) -> None:
    for finding, fix, reason in refused:
        complain(f"not fixed: {fix.description} ({finding.rule}): {reason}")


def _say_units(results: Sequence[UnitResult], inputs: _Inputs) -> None:
    for result in results:
        where = inputs.project.relative(str(result.command.file))
        remark(f"{where}: {result.status}, {result.seconds:.2f} s, arguments: {' '.join(result.command.arguments)}")
    for path in inputs.work.skipped:
        remark(f"{inputs.project.relative(str(path))}: skipped, neither C nor C++")


def _say_profile(results: Sequence[UnitResult], link_seconds: float) -> None:
    """Seconds of all units together: parse, ir, each rule; and of the whole-program phase."""
    totals: dict[str, float] = {"link": link_seconds}
    for result in results:
        spent = result.stats.get("rule_seconds")
        if isinstance(spent, dict):
            for name, value in spent.items():
                if isinstance(value, int | float):
                    totals[name] = totals.get(name, 0.0) + value
    for name, value in sorted(totals.items(), key=lambda item: -item[1]):
        remark(f"{value:8.3f} s in {name}")
