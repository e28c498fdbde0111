"""What `stridewise review` does: reads the change, analyses both sides, writes the report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stridewise import catalogue
from stridewise.errors import Failure
from stridewise.finding import Confidence, Finding, Location, Severity
from stridewise.finding.quantities import seconds
from stridewise.finding.result import Result, Trouble, absolute, relocate
from stridewise.finding.sources import Project, Sources
from stridewise.lint import analysis
from stridewise.lint.dependencies import default_folder
from stridewise.lint.result_cache import ResultCache
from stridewise.lint.study import Inputs, find_inputs
from stridewise.output import write, write_file
from stridewise.review import build, diff, recounts, sides, units
from stridewise.review.build import Evidence, Review, Revisions
from stridewise.review.changes import Changes
from stridewise.review.git import Repository
from stridewise.review.matching import Side
from stridewise.review.plan import Plan
from stridewise.review.sides import Analysed, Means
from stridewise.review.units import Selection
from stridewise.settings import path_map, toolchain
from stridewise.settings.policy import Policy

_NAMED = 3  # of a list in a message


@dataclass(frozen=True, slots=True)
class Options:
    base: str = ""
    diff: bytes | None = None
    database: Path | None = None
    runs: tuple[Path, ...] = ()
    base_runs: tuple[Path, ...] = ()
    budget: Path | None = None  # what the runs' counts are compared with
    share: float = 0.1
    path_map: tuple[str, ...] = ()
    format: str = "text"
    output: Path | None = None
    cap: int = 25
    unsafe: bool = False  # suggest changes, too, that are not safe for every program
    fail_on: Severity | None = None
    least: Confidence | None = None
    baseline: Path | None = None
    rules: str = ""
    config: bool = True
    max_units: int = 100
    jobs: int = 0
    unit_seconds: float = 120.0
    unit_bytes: int = 4 << 30
    cache: bool = True
    cache_folder: Path | None = None


@dataclass(frozen=True)
class _Change:
    root: Path
    changes: Changes
    revisions: Revisions
    repository: Repository | None


def review(options: Options) -> tuple[int, Plan]:
    """The exit status and the plan; the report is written."""
    with path_map.using(options.path_map):
        return _reviewed(options)


def _reviewed(options: Options) -> tuple[int, Plan]:
    rules = catalogue.load()
    policy = Policy(
        rules,
        globs=options.rules,
        least=options.least,
        fail_on=options.fail_on,
        baseline=options.baseline,
        use_files=options.config,
    )
    analyzer = toolchain.analyzer()
    change = _change(options)
    folder = options.cache_folder or default_folder()
    cache = ResultCache(Path(os.path.abspath(folder)), analyzer) if folder and options.cache else None
    means = Means(
        analyzer,
        rules,
        policy,
        options.rules,
        options.jobs or analysis.default_jobs(),
        analysis.Limits(options.unit_seconds, options.unit_bytes),
        cache,
    )
    made, project, notes = _review(options, change, means)
    if options.budget:
        made, notes = _recounted(made, options, project, notes)
    if cache:
        cache.close()
    result = _result(made, project, policy, notes)
    if options.format == "json":
        text = made.plan.text()
        if options.output:
            write_file(options.output, text)
        else:
            print(text, end="")
    else:
        shown = result if options.format == "text" else replace(result, findings=_on_the_diff(made, change.changes))
        write(shown, rules, options.format, options.output)
    above = options.fail_on is not None and any(recount.dearer for recount in made.plan.recounts)
    status = 2 if made.plan.problems else 1 if above or result.fails() or _dearer(made, project, policy) else 0
    return status, made.plan


def _recounted(made: Review, options: Options, project: Project, notes: Sequence[str]) -> tuple[Review, list[str]]:
    """The review with what the runs' counts say against the budget. Raises Failure where one of them cannot be read."""
    assert options.budget is not None
    if not options.runs:
        raise Failure("--budget compares what a run counted: add --run DIR")
    found, said = recounts.of(options.budget, options.runs, project)
    return replace(made, plan=replace(made.plan, recounts=found)), [*notes, *said]


def _dearer(made: Review, project: Project, policy: Policy) -> bool:
    """Whether a finding costs more than in the base's run, from the severity on that fails its file."""
    found = [relocate(r.finding, absolute(project.root)) for r in made.plan.regressions]
    return Result(project, tuple(found), standards=policy.standards).fails()


def _change(options: Options) -> _Change:
    if options.diff is None:
        repository = Repository.around(Path.cwd())
        base = options.base or repository.default_base()
        if not base:
            raise Failure(
                "name what the change is compared with: stridewise review --base origin/main (or --diff FILE); "
                "origin's default branch is known after git remote set-head origin --auto"
            )
        found = repository.change(base)
        return _Change(repository.root, Changes.of(found.files), Revisions(found.base, found.head), repository)
    root = _root(Path.cwd())
    changes = Changes.of(diff.parse(options.diff, lambda name: (root / name).is_file()))
    return _Change(root, changes, Revisions(), None)


def _root(folder: Path) -> Path:
    """What a diff's names start from: the checkout around the folder, else the folder."""
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), folder)


def _review(options: Options, change: _Change, means: Means) -> tuple[Review, Project, list[str]]:
    changes, root = change.changes, change.root
    contents, missing = sides.base_contents(changes, root, change.repository)
    problems = [Trouble(name, "its contents in the base are too large or not in this clone") for name in missing]
    problems += [
        Trouble(file.path, "a name with a backslash cannot be reviewed") for file in changes.files if "\\" in file.path
    ]
    inputs = _inputs(options, changes, means.cache)
    project, selection = Project(root), Selection()
    analysed = Analysed(Side((), Sources()), Side((), Sources()), (), frozenset(), frozenset(), 0)
    unread = [file.path for file in changes.files if file.binary and units.is_code(file.path)]
    notes = [f"git shows no lines of {_some(unread)} (binary, or an attribute): not reviewed"] if unread else []
    if inputs is not None:
        project = Project(root, tuple(b for b in inputs.project.builds if b.is_relative_to(root) and b != root))
        tracked = change.repository.tracked() if change.repository else []
        selection = units.select(inputs.work.commands, changes, root, tracked, options.max_units)
        concerned = {root / file.new for file in changes.files if file.new}
        work = replace(inputs.work, problems=[p for p in inputs.work.problems if p.file in concerned])
        inputs = replace(inputs, work=work, project=project)
        analysed = sides.analyse(inputs, selection, changes, contents, means)
        notes += inputs.notes
    made = build.build(
        analysed,
        changes,
        project,
        means,
        revisions=change.revisions,
        evidence=Evidence(options.runs, options.base_runs, options.share),
        cap=options.cap,
        unsafe=options.unsafe,
        problems=problems,
        stats={"units_left_out": selection.left_out, "sources_not_compiled": len(selection.unknown)},
    )
    return made, project, [*notes, *made.notes, *_notes(selection, made.plan)]


def _inputs(options: Options, changes: Changes, cache: ResultCache | None) -> Inputs | None:
    """The project's units; None where nothing that a compiler reads changed.

    Raises Failure where a source or header changed and there is no compile database.
    """
    texts = [file.path for file in changes.files if file.is_text]
    try:
        if any(units.may_matter(path) for path in texts):
            return find_inputs((), options.database, None, cache)
    except Failure:
        if options.database or any(units.is_code(path) for path in texts):
            raise
    return None


def _notes(selection: Selection, plan: Plan) -> list[str]:
    notes = []
    if selection.left_out:
        notes.append(
            f"{selection.left_out} more units include a changed file and were not analysed; --max-units sets how many"
        )
    if selection.unknown:
        notes.append(f"no command of the compile database compiles {_some(selection.unknown)}")
    for dearer in plan.regressions:
        costs = f"{_seconds(dearer.seconds)}, before {_seconds(dearer.base_seconds)}"
        notes.append(f"costs more than in the base's run: {_where(dearer.finding)}: {costs}")
    notes += [f"gone with this change: {_where(finding)}: {finding.message}" for finding in plan.resolved]
    return notes


def _seconds(value: float | None) -> str:
    return "unknown" if value is None else seconds(value)


def _where(finding: Finding) -> str:
    return f"{finding.rule} at {finding.location.file}:{finding.location.line}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _result(made: Review, project: Project, policy: Policy, notes: Sequence[str]) -> Result:
    stats: dict[str, Any] = {"files_analysed": made.plan.stats["units_analysed"]}
    return Result(
        project=project,
        findings=made.findings,
        sources=made.sources,
        runs=made.runs,
        troubles=made.plan.problems,
        notes=tuple(notes),
        stats=stats,
        limit=None,
        standards=policy.standards,
    )


def _on_the_diff(made: Review, changes: Changes) -> tuple[Finding, ...]:
    """The findings, each on a line that the diff shows, if it has one: code hosts know no others."""
    lines = {placed.finding.fingerprint: placed for placed in made.plan.comments}

    def on_line(finding: Finding) -> Finding:
        placed = lines.get(finding.fingerprint)
        if placed is None or changes.lines(placed.finding.location.file).hunk_at(finding.location.line):
            return finding
        return replace(finding, location=Location(finding.location.file, placed.line, 0, placed.line, 0))

    return tuple(map(on_line, made.findings))
