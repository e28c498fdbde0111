"""stridewise report: joins runs and source findings into one ranked list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise import catalogue, steps
from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.finding import Confidence, Finding, Severity, Verdict
from stridewise.finding.fingerprint import with_fingerprints
from stridewise.finding.result import SHOWN_BY_DEFAULT, Result, Trouble
from stridewise.finding.settle import settled
from stridewise.finding.sources import Project, Sources, find_project
from stridewise.finding.studies import Scaling, Studies
from stridewise.finding.supersede import without_superseded
from stridewise.finding.table import Table
from stridewise.output import write
from stridewise.runs import foretold, lint_findings, run_folder, seals, studies
from stridewise.runs.foretold import Foretold
from stridewise.runs.kinds import Folder, Seen, watcher
from stridewise.runs.run_folder import Record
from stridewise.settings import path_map
from stridewise.settings.policy import Policy

DEFAULT_FOLDER = Path("stridewise-out")


@dataclass(frozen=True, slots=True)
class Options:
    folders: tuple[Path, ...] = ()
    lint: Path | None = None
    format: str = "text"
    output: Path | None = None
    fail_on: Severity | None = None
    everything: bool = False
    ungrouped: bool = False
    brief: bool = False
    least: Confidence | None = None
    config: bool = True
    kinds: tuple[str, ...] = run_folder.KINDS
    cache_table: bool = False
    against: Path | None = None  # an earlier cache run, to be shown beside this one
    path_map: tuple[str, ...] = ()  # FROM=TO; see path_map.py
    scale: Path | None = None  # a study that foretells what the findings on MPI are at more ranks
    improve: Path | None = None  # an improvement whose steps are shown, too


def run(options: Options) -> int:
    """The exit status: 0, 1 (findings at or above --fail-on) or 2 (something could not be read)."""
    rules = catalogue.load()
    with path_map.using(options.path_map):
        result = build(options, rules)
        steps.end()
        write(result, rules, options.format, options.output)
    if result.troubles:
        return 2
    return 1 if result.fails() else 0


def build(options: Options, rules: Mapping[str, Rule]) -> Result:
    policy = Policy(
        rules, least=options.least, everything=options.everything, fail_on=options.fail_on, use_files=options.config
    )
    rules = policy.run_rules()
    lint = lint_findings.load(options.lint) if options.lint else None
    folders = _folders(options)
    records = {folder: run_folder.read_records(folder) for folder in folders}
    shown, forecast, missing = _studies(options, records)
    seen = see(records, options.kinds, rules)
    if options.lint and path_map.moves():
        lint = lint_findings.load(options.lint)  # its paths have moved as the program has
    project = lint.project if lint else _project([finding for one in seen for finding in one.observed])
    findings = lint.findings if lint else []
    steps.step("joining findings")
    for one in seen:
        findings = one.join(findings)
    tables, unread = _tables(options, folders)
    failed = lint.troubles if lint else ()
    sources = Sources()
    findings = policy.judged(findings)
    findings = with_fingerprints(without_superseded(findings, rules), project, sources)
    if forecast:
        findings = foretold.with_forecast(findings, forecast, rules, project)
    runs = tuple(summary for one in seen for summary in one.runs)
    return Result(
        project=project,
        findings=tuple(settled(findings, rules, runs, project)),
        sources=sources,
        runs=runs,
        troubles=tuple(dict.fromkeys([*failed, *(trouble for one in seen for trouble in one.troubles), *unread])),
        notes=(*_notes(options, records, seen, findings, project), *missing),
        stats={
            **(lint.counts if lint else {}),
            "by_verdict": {v.value: sum(f.verdict is v for f in findings) for v in Verdict},
        },
        limit=None if options.everything else SHOWN_BY_DEFAULT,
        standards=policy.standards,
        ungrouped=options.ungrouped,
        brief=options.brief,
        tables=(*(table for one in seen for table in one.tables), *tables),
        studies=shown,
    )


def _studies(options: Options, records: Mapping[Path, Sequence[Record]]) -> tuple[Studies, Foretold | None, list[str]]:
    """What other commands left, what of that speaks of findings, and what is to be said of it. Raises Failure."""
    improvement, study = studies.beside(records)
    named = [
        path.name for path, given in ((improvement, options.improve), (study, options.scale)) if path and not given
    ]
    notes = [f"{name} lies beside the run, is of the same command, and is shown with it" for name in named]
    improvement, study = options.improve or improvement, options.scale or study
    improved = studies.load_waterfall(improvement) if improvement else None
    if not study:
        return Studies(improved), None, notes
    scaled = studies.load_scaling(study)
    return Studies(improved, scaled), foretold.of_study(scaled), [*notes, *(_missing_of(scaled, options))]


def _missing_of(scaled: Scaling, options: Options) -> list[str]:
    """What a study that was asked for lacks."""
    missing: list[str] = []
    if options.scale is None:
        return missing
    if scaled.target is None:
        missing.append(f"{options.scale} foretells nothing of findings: that needs stridewise scale --target P")
    if scaled.curves is None:
        missing.append(f"{options.scale} holds no curves: it is of an earlier Stridewise; make the study again")
    return missing


def _notes(
    options: Options,
    records: Mapping[Path, Sequence[Record]],
    seen: Sequence[Seen],
    findings: Sequence[Finding],
    project: Project,
) -> list[str]:
    starts = [r.start for found in records.values() for r in found if r.kind in options.kinds]
    notes = [*(note for one in seen for note in one.notes), *path_map.moves(), *_stale(findings, starts, project)]
    notes += path_map.suggestions(_missing(findings), project.root if project.root.is_dir() else Path.cwd())
    notes += _joined(records, options.kinds)
    if options.lint is None and any(one.judges_only and one.runs for one in seen):
        notes.append(
            "a cache run judges the findings of the source; add --lint FINDINGS.json (stridewise lint --format json)"
        )
    return notes


def _joined(records: Mapping[Path, Sequence[Record]], kinds: Sequence[str]) -> list[str]:
    """Several runs of one kind: that they are one report, and what compares them."""
    notes = []
    for kind in kinds:
        folders = [str(path) for path, found in records.items() if any(record.kind == kind for record in found)]
        if len(folders) > 1:
            named = ", ".join(folders)
            notes.append(f"{len(folders)} {kind} runs are joined ({named}); stridewise diff BEFORE AFTER compares two")
    return notes


def _tables(options: Options, folders: Sequence[Path]) -> tuple[list[Table], list[Trouble]]:
    if not options.cache_table and options.against is None:
        return [], []
    from stridewise.runs.cache import table as cache_table

    return cache_table.tables(folders, options.against, options.everything)


def _folders(options: Options) -> Sequence[Path]:
    folders = options.folders
    if not folders:
        folders = (DEFAULT_FOLDER,) if DEFAULT_FOLDER.is_dir() or not options.lint else ()
    for folder in folders:
        if not folder.is_dir():
            raise Failure(f"no run folder {folder}; make one with stridewise run -- COMMAND")
    return folders


def see(records: Mapping[Path, Sequence[Record]], kinds: Sequence[str], rules: Mapping[str, Rule]) -> list[Seen]:
    """What each kind of run shows over all folders that hold one."""
    seen = []
    empty = {path for path, found in records.items() if not found}
    for kind in kinds:
        module = watcher(kind)
        folders = []
        for path, found in records.items():
            record = next((r for r in found if r.kind == kind), None)
            if record or run_folder.files(path, kind, *module.LEAVES):
                folders.append(Folder(path, record))
        if folders:
            one = module.see(folders, rules)
            one.troubles[:0] = _broken(folders)
            for bare in (f.path for f in folders if f.record is None):
                wrong, unknown = seals.late(bare / kind, run_folder.files(bare, kind, *_shards(module.LEAVES)))
                one.troubles[:0] = [Trouble(str(path), why) for path, why in wrong]
                one.notes += unknown
            seen.append(one)
            empty -= {folder.path for folder in folders}
    if empty:
        why = "it holds nothing of a run"
        seen.append(Seen(troubles=[Trouble(str(path), why) for path in sorted(empty)]))
    return seen


def _shards(leaves: Sequence[str]) -> list[str]:
    """What processes leave, and not what is made of it."""
    return [pattern for pattern in leaves if "*" in pattern]


def _broken(folders: Sequence[Folder]) -> list[Trouble]:
    """Files that are not as their run left them. What can be read of them is used, unless its reader says otherwise."""
    return [
        Trouble(str(path), why)
        for folder in folders
        if folder.record
        for path, why in run_folder.broken(folder.path, folder.record)
    ]


def _project(observed: Sequence[Finding]) -> Project:
    """Without a lint report: the checkout around the sources of the findings that exist here, else this folder."""
    files = {Path(f.location.file) for f in observed if Path(f.location.file).is_file()}
    return find_project(sorted(files)) if files else Project(Path.cwd())


def _missing(findings: Sequence[Finding]) -> list[str]:
    """Sources of findings that are not where the run or the analysis says."""
    files = sorted({f.location.file for f in findings if f.location.line > 0})
    return [file for file in files if file and not Path(file).exists()]


def _stale(findings: Sequence[Finding], starts: Sequence[float], project: Project) -> list[str]:
    """Sources that changed after the first run began: their lines may no longer be those that ran."""
    if not starts:
        return []
    changed = []
    for file in sorted({f.location.file for f in findings}):
        try:
            if Path(file).stat().st_mtime > min(starts):
                changed.append(project.relative(file))
        except OSError:
            continue
    return [f"{name} changed after the run; its lines may not fit" for name in changed]
