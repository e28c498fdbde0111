"""stridewise lint: analyses the units of a compile database and reports what their source shows."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stridewise import catalogue, ending
from stridewise.catalogue import Rule
from stridewise.collect import build_targets
from stridewise.collect.compile_db import Command
from stridewise.console import Progress, complain, harmless, remark
from stridewise.errors import Failure
from stridewise.finding import Confidence, Finding, Fix, Severity
from stridewise.finding.result import SHOWN_BY_DEFAULT, Result
from stridewise.finding.settle import settled
from stridewise.finding.sources import Sources, from_here
from stridewise.lint import analysis, baseline, fixes, mpi_layer, replay, shards, units, vendored
from stridewise.lint.analysis import LinkResult, UnitResult
from stridewise.lint.dependencies import default_folder
from stridewise.lint.result_cache import ResultCache
from stridewise.lint.shards import Merged, Part
from stridewise.lint.study import Inputs, Study, find_inputs, what_is_missing
from stridewise.output import write
from stridewise.settings import path_map, toolchain
from stridewise.settings.policy import Policy


@dataclass(frozen=True, slots=True)
class Options:
    database: Path | None = None
    paths: tuple[Path, ...] = ()
    format: str = "text"
    output: Path | None = None
    fail_on: Severity | None = None
    fix: bool = False
    unsafe: bool = False
    dry_run: bool = False
    jobs: int = 1
    rules: str = ""
    everything: bool = False
    ungrouped: bool = False
    brief: bool = False
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
    precompile: bool = True  # headers that units share
    part: Part | None = None
    merge: tuple[Path, ...] = ()
    vendored: bool = False  # also what the project brings along of others
    words: tuple[str, ...] = ()  # the command line
    path_map: tuple[str, ...] = ()  # FROM=TO; see path_map.py


def run(options: Options) -> int:
    """The exit status: 0, 1 (findings at or above --fail-on) or 2 (a unit could not be analysed)."""
    with path_map.using(options.path_map):
        return _run(options)


def _run(options: Options) -> int:
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
    inputs = _merged_inputs(merged) if merged else find_inputs(options.paths, options.database, options.flags, cache)
    if not merged:
        inputs = replace(inputs, work=policy.prepare(inputs.work))
    known = baseline.read(_baselines(policy, inputs, options))
    limits = analysis.Limits(options.unit_seconds, options.unit_bytes)
    tool_options = [f"--rules={globs}"] if globs else []
    chosen = (
        options.part.choose(inputs.work.commands, inputs.project)
        if options.part
        else []
        if merged
        else list(range(len(inputs.work.commands)))
    )
    with ending.folder() as folder:
        inputs, results, kept, again = _analysed(
            options, inputs, chosen, analyzer, folder, limits, cache, whole=not merged and not options.part
        )
        part = _part(inputs, options, dict(zip(chosen, results, strict=True)))
        results = merged.results if merged else results
        started = time.monotonic()
        linked = LinkResult() if part else analysis.link(analyzer, results, tool_options, kept, limits, cache)
        link_seconds = time.monotonic() - started
    studied = Study(inputs, results, linked, whole=options.part is None)
    result = replace(_result(studied, rules, known, policy, options), shard=part)
    text = ""
    if options.output or not options.dry_run:  # the patch of a dry run stands alone on standard output
        text = write(result, rules, options.format, options.output)
    status = 2 if result.troubles else 1 if result.fails() else 0
    if cache and status != 2:
        _remember(cache, inputs, result, policy, text, status, [analyzer], options, results, again)
    if cache:
        cache.close()
    if options.verbose:
        _say_units(results, inputs)
        if cache:
            remark(cache.problem or f"{cache.hits} of {len(results)} results were unchanged since an earlier run")
    if options.profile:
        _say_profile(results, link_seconds)
    if options.dry_run:
        _show_fixes(result, started_ns, options.unsafe)
    elif options.fix:
        _fix(result, started_ns, options.unsafe)
    return status


def _analysed(
    options: Options,
    inputs: Inputs,
    chosen: Sequence[int],
    analyzer: Path,
    folder: Path,
    limits: analysis.Limits,
    cache: ResultCache | None,
    *,
    whole: bool,
) -> tuple[Inputs, Sequence[UnitResult], Path, int]:
    """What was analysed in the end, its results, the folder that has them, and how many units were analysed again.

    `whole`: all units are at hand, so that what one shows may change how others are analysed.
    """
    profile = ["--profile"] if options.profile else []

    def analyse(
        commands: Sequence[Command], into: Path, step: Callable[[UnitResult], None] = lambda _: None
    ) -> list[UnitResult]:
        beside = inputs.beside  # of units that were kept, or that are not chosen, there is no code
        return units.analyse(analyzer, commands, profile, into, options.jobs, limits, step, cache, beside=beside)

    kept = folder  # of the results that count
    with Progress("analysing", len(chosen)) as progress:
        results: Sequence[UnitResult] = analyse(
            [inputs.work.commands[position] for position in chosen],
            folder,
            lambda r: progress.step(from_here(r.command.file, inputs.project)),
        )
    if not whole:
        return inputs, results, kept, 0
    more = _with_mpi(inputs, results, cache)
    if more is not inputs:
        inputs, kept = more, folder / "with-mpi"
        kept.mkdir()
        results = analyse(inputs.work.commands, kept)
    layered = folder / "mpi-layer"

    def once_more(commands: Sequence[Command]) -> list[UnitResult]:
        layered.mkdir()
        with Progress("analysing what calls MPI through other files", len(commands)) as progress:
            return analyse(commands, layered, lambda r: progress.step(from_here(r.command.file, inputs.project)))

    results, again = mpi_layer.with_layer(results, once_more)
    return inputs, results, kept, again


def _with_mpi(inputs: Inputs, results: Sequence[UnitResult], cache: ResultCache | None) -> Inputs:
    if inputs.database is not None or all(result.status == "ok" for result in results):
        return inputs
    from stridewise.lint import lone_files

    return lone_files.with_mpi(inputs, results, cache)


def _baselines(policy: Policy, inputs: Inputs, options: Options) -> list[Path]:
    """Those to read: one that this run is to make for the first time is not there yet."""
    made = options.write_baseline
    found = policy.baselines(c.file for c in inputs.work.commands)
    return [path for path in found if made is None or path.exists() or path.resolve() != made.resolve()]


def _remember(
    cache: ResultCache,
    inputs: Inputs,
    result: Result,
    policy: Policy,
    text: str,
    status: int,
    tools: Sequence[Path],
    options: Options,
    results: Sequence[UnitResult],
    again: int,
) -> None:
    """Lets the same command line be answered at once while nothing changes (replay.py)."""
    known = cache.inputs(len(inputs.work.commands) + again)
    if known is None or not inputs.traceable or options.part or options.merge:
        return
    if any(finding.fixes for finding in result.findings):
        return  # whether they are safe rests on files that no unit reads
    commands = inputs.work.commands
    findings = [Path(f.location.file) for f in result.findings]
    folders = {Path.cwd(), *(c.file.parent for c in commands), *(c.directory for c in commands)}
    folders |= {file.parent for file in findings}
    files = {*findings, *policy.baselines(c.file for c in commands)}
    files |= inputs.unity
    files.update(build_targets.build_files(results, inputs.project, Sources()))
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
    if options.unsafe and not options.fix:
        raise Failure("--unsafe says which fixes are applied: stridewise lint --fix --unsafe")
    if options.fix and (options.part or options.merge):
        raise Failure("--fix edits what the same run has read; it works without --shard and --merge")


def _merged_inputs(merged: Merged) -> Inputs:
    return Inputs(merged.work, merged.project, merged.notes, merged.complete)


def _part(inputs: Inputs, options: Options, units: Mapping[int, UnitResult]) -> Mapping[str, Any] | None:
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
    return ResultCache(Path(os.path.abspath(folder)), analyzer, precompile=options.precompile)


def _result(
    studied: Study, rules: Mapping[str, Rule], known: frozenset[str], policy: Policy, options: Options
) -> Result:
    inputs, results = studied.inputs, studied.results
    project, sources = inputs.project, Sources()
    findings, outside = studied.findings(rules, policy, sources)
    units = [r.command.file for r in results]
    findings, foreign = (
        (findings, []) if options.vendored else vendored.split(findings, project, options.paths, sources, rules, units)
    )
    if options.write_baseline:
        baseline.write(options.write_baseline, findings, project)
        known = known.union(f.fingerprint for f in findings)
    fresh = [f for f in findings if f.fingerprint not in known and f.moved_fingerprint not in known]
    stats: dict[str, Any] = {
        "files_analysed": len({r.command.file for r in results if r.status == "ok"}),
        "files_failed": len({r.command.file for r in studied.failed} | {p.file for p in inputs.work.problems}),
        "files_skipped": len(set(inputs.work.skipped)),
        "units_analysed": sum(r.status == "ok" for r in results),
        "files_excluded": len(set(inputs.work.excluded)),
        "entries": inputs.work.entries,
        "entries_repeated": inputs.work.repeated,
        "suppressed": _total(results, "suppressed"),
        "outside_project": outside,
        "vendored": len(foreign),
        "in_baseline": len(findings) - len(fresh),
        "functions": _total(results, "functions"),
        "loops": _total(results, "loops"),
        "mpi_calls": _total(results, "mpi_calls"),
        "unit_seconds": round(sum(r.seconds for r in results), 3),
    }
    notes = list(inputs.notes)
    without_ir = [r for r in results if r.status == "ok" and r.stats.get("ir", "ok") != "ok"]
    notes += [f"{project.relative(str(r.command.file))}: {what_is_missing(r)[0]}: {r.stats['ir']}" for r in without_ir]
    notes += studied.notes(fresh, rules, sources)
    return Result(
        project=project,
        findings=tuple(settled(fresh, rules, project=project)),
        sources=sources,
        troubles=tuple(studied.troubles),
        notes=tuple(notes),
        stats=stats,
        limit=None if options.everything else SHOWN_BY_DEFAULT,
        standards=policy.standards,
        ungrouped=options.ungrouped,
        brief=options.brief,
    )


def _total(results: Sequence[UnitResult], name: str) -> int:
    values = (r.stats.get(name) for r in results)
    return sum(v for v in values if isinstance(v, int))


def _fix(result: Result, started_ns: int, unsafe: bool) -> None:
    before = fixes.stamps(result.reported, started_ns)
    applied = fixes.apply(result.reported, before, unsafe)
    for finding, fix in applied.done:
        files = ", ".join(sorted({from_here(edit.file, result.project) for edit in fix.edits}))
        doubt = "" if fix.is_safe else f"; unsafe: {fix.why}"
        remark(f"fixed {files}: {fix.description} ({finding.rule}){doubt}")
    _say_left(applied.refused, applied.withheld, bool(applied.done), result)


def _show_fixes(result: Result, started_ns: int, unsafe: bool) -> None:
    """What --fix would change, as a patch on standard output."""
    chosen = fixes.plan(result.reported, fixes.stamps(result.reported, started_ns), unsafe)
    patch = fixes.unified_diff(chosen, result.project.relative)
    if sys.stdout.isatty():
        patch = "".join(
            harmless(line) + "\n" for line in patch.decode("utf-8", "surrogateescape").splitlines()
        ).encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(patch)
    sys.stdout.buffer.flush()
    _say_left(chosen.refused, chosen.withheld, bool(chosen.accepted), result)


def _say_left(
    refused: Sequence[tuple[Finding, Fix, str]], withheld: Sequence[tuple[Finding, Fix]], some: bool, result: Result
) -> None:
    """The fixes that were not made, and why."""
    for finding, fix, reason in refused:
        complain(f"not fixed: {fix.description} ({finding.rule}): {reason}")
    for finding, fix in withheld:
        where = f"{from_here(finding.location.file, result.project)}:{finding.location.line}"
        remark(f"left for --fix --unsafe: {where}: {fix.description} ({finding.rule}): {fix.why}")
    if not some and not refused:
        remark("no finding has a safe fix" if withheld else "no finding has an automatic fix")


def _say_units(results: Sequence[UnitResult], inputs: Inputs) -> None:
    for result in results:
        where = from_here(result.command.file, inputs.project)
        remark(f"{where}: {result.status}, {result.seconds:.2f} s, arguments: {' '.join(result.command.arguments)}")
    for path in inputs.work.skipped:
        remark(f"{from_here(path, inputs.project)}: skipped")


def _say_profile(results: Sequence[UnitResult], link_seconds: float) -> None:
    """Processor seconds of all units together: each engine and each rule; and seconds of the whole-program phase."""
    totals: dict[str, float] = {"link": link_seconds}
    for result in results:
        for account in ("engine_seconds", "rule_seconds"):
            spent = result.stats.get(account)
            if isinstance(spent, dict):
                for name, value in spent.items():
                    if isinstance(value, int | float):
                        totals[name] = totals.get(name, 0.0) + value
    for name, value in sorted(totals.items(), key=lambda item: -item[1]):
        remark(f"{value:8.3f} s in {name}")
