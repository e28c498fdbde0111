"""stridewise report: joins runs and source findings into one ranked list."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stridewise import catalogue, detectors, mpi_run, run_folder
from stridewise.catalogue import Rule
from stridewise.collect import cachegrind
from stridewise.correlate import Execution, Site, join_cache, join_mpi
from stridewise.errors import Failure
from stridewise.finding import Confidence, Finding, FindingError, Severity, Verdict
from stridewise.fingerprint import with_fingerprints
from stridewise.output import write
from stridewise.policy import Policy
from stridewise.result import SHOWN_BY_DEFAULT, Result, RunSummary, Trouble, absolute, rank, relocate
from stridewise.run_folder import Record
from stridewise.sources import Project, Sources, find_project
from stridewise.supersede import without_superseded
from stridewise.trace import Trace

DEFAULT_FOLDER = Path("stridewise-out")


@dataclass(frozen=True, slots=True)
class Options:
    folders: tuple[Path, ...] = ()
    lint: Path | None = None
    format: str = "text"
    output: Path | None = None
    fail_on: Severity | None = None
    everything: bool = False
    least: Confidence | None = None
    config: bool = True
    kinds: tuple[str, ...] = run_folder.KINDS


@dataclass
class _Evidence:
    """What all the folders hold together."""

    traces: list[Trace] = field(default_factory=list)
    observed: list[Finding] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    profile: cachegrind.CacheProfile | None = None
    runs: list[RunSummary] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)


def run(options: Options) -> int:
    """The exit status: 0, 1 (findings at or above --fail-on) or 2 (something could not be read)."""
    rules = catalogue.load()
    result = build(options, rules)
    write(result, rules, options.format, options.output)
    if result.troubles:
        return 2
    return 1 if result.fails() else 0


def build(options: Options, rules: Mapping[str, Rule]) -> Result:
    policy = Policy(
        rules, least=options.least, everything=options.everything, fail_on=options.fail_on, use_files=options.config
    )
    rules = policy.run_rules()
    static, project = _read_lint(options.lint) if options.lint else ([], None)
    evidence = _collect(_folders(options), options.kinds, rules)
    project = project or _project(evidence.observed)
    findings = join_mpi(
        static, evidence.observed, Execution(evidence.sites), rules, detectors.mpi_judges(rules, evidence.traces)
    )
    if evidence.profile:
        findings = join_cache(findings, evidence.profile, rules, detectors.cache_judges(rules))
    sources = Sources()
    findings = policy.judged(findings)
    findings = with_fingerprints(without_superseded(findings, rules), project, sources)
    notes = [*evidence.notes, *_stale(findings, evidence.starts, project)]
    if options.lint is None and evidence.profile:
        notes.append(
            "a cache run judges the findings of the source; add --lint FINDINGS.json (stridewise lint --format json)"
        )
    return Result(
        project=project,
        findings=tuple(rank(findings)),
        sources=sources,
        runs=tuple(evidence.runs),
        troubles=tuple(evidence.troubles),
        notes=tuple(notes),
        stats={"by_verdict": {v.value: sum(f.verdict is v for f in findings) for v in Verdict}},
        limit=None if options.everything else SHOWN_BY_DEFAULT,
        standards=policy.standards,
    )


def _folders(options: Options) -> Sequence[Path]:
    folders = options.folders
    if not folders:
        folders = (DEFAULT_FOLDER,) if DEFAULT_FOLDER.is_dir() or not options.lint else ()
    for folder in folders:
        if not folder.is_dir():
            raise Failure(f"no run folder {folder}; make one with stridewise run -- COMMAND")
    return folders


def _read_lint(path: Path) -> tuple[list[Finding], Project]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(value, dict) or not isinstance(value.get("findings"), list):
            raise FindingError("it holds no findings")
        root = Path(str(value.get("root", Path.cwd())))
        rename = absolute(root)
        unsure = value.get("unsure", [])
        if not isinstance(unsure, list):
            raise FindingError("'unsure' is no list")
        return [relocate(Finding.from_json(f), rename) for f in (*value["findings"], *unsure)], Project(root)
    except (OSError, ValueError, RecursionError) as error:
        raise Failure(f"cannot read {path}: {error}; make it with stridewise lint --format json -o {path}") from error


def _collect(folders: Sequence[Path], kinds: Sequence[str], rules: Mapping[str, Rule]) -> _Evidence:
    evidence = _Evidence()
    profiles: list[Path] = []
    cache_records: list[Record] = []
    for folder in folders:
        records = {record.kind: record for record in run_folder.read_records(folder)}
        shards = run_folder.jobs(folder) if "mpi" in kinds else {}
        found = run_folder.profiles(folder) if "cache" in kinds else []
        if shards:
            _add_mpi(evidence, folder, records.get("mpi"), rules)
        elif "mpi" in kinds and "mpi" in records:
            evidence.notes.append(f"{folder}: the program never called MPI_Init")
        if found:
            profiles += found
            cache_records += [record for kind, record in records.items() if kind == "cache"]
        elif "cache" in kinds and "cache" in records:
            evidence.troubles.append(
                Trouble(str(folder / "cache"), "the run left no profile; see what it printed and run it again")
            )
        if not shards and not found and not records:
            evidence.troubles.append(Trouble(str(folder), "it holds neither shards nor profiles of a run"))
    if profiles:
        _add_cache(evidence, profiles, cache_records)
    return evidence


def _add_mpi(evidence: _Evidence, folder: Path, record: Record | None, rules: Mapping[str, Rule]) -> None:
    run = mpi_run.read(folder, record, rules)
    if run.trace:
        evidence.traces.append(run.trace)
    evidence.observed += run.findings
    evidence.sites += run.sites
    evidence.troubles += run.troubles
    evidence.notes += run.notes
    if run.summary:
        evidence.runs.append(run.summary)
    if record:
        evidence.starts.append(record.start)


def _add_cache(evidence: _Evidence, profiles: Sequence[Path], records: Sequence[Record]) -> None:
    evidence.profile, bad = cachegrind.read(profiles)
    evidence.troubles += [Trouble(str(path), why) for path, why in bad]
    if evidence.profile is None:
        return
    total = evidence.profile.total
    details = [
        f"Cachegrind, {evidence.profile.processes} process{'es' if evidence.profile.processes != 1 else ''}",
        f"{total.d1_misses:,} D1 and {total.ll_misses:,} last-level misses in {total.accesses:,} accesses",
    ]
    for record in records:
        evidence.starts.append(record.start)
        evidence.runs.append(RunSummary("cache", record.command, record.status, record.seconds, tuple(details)))
    if not records:
        evidence.runs.append(RunSummary("cache", (), 0, None, tuple(details)))


def _project(observed: Sequence[Finding]) -> Project:
    """Without a lint report: the checkout around the sources of the findings that exist here, else this folder."""
    files = {Path(f.location.file) for f in observed if Path(f.location.file).is_file()}
    return find_project(sorted(files)) if files else Project(Path.cwd())


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
