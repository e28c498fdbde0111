"""Both sides of a change, analysed: the work tree and, without a checkout, what it was before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from stridewise import ending
from stridewise.catalogue import Rule
from stridewise.collect.compile_db import Workload
from stridewise.console import Progress
from stridewise.errors import Failure
from stridewise.finding.result import Trouble
from stridewise.finding.sources import Project, Sources
from stridewise.lint import analysis, study
from stridewise.lint.analysis import UnitResult
from stridewise.lint.overlay import Overlay
from stridewise.lint.result_cache import ResultCache
from stridewise.lint.study import Inputs, Study
from stridewise.lint.suppressions import Suppression
from stridewise.review import diff
from stridewise.review.changes import Changes
from stridewise.review.diff import FileDiff, Status
from stridewise.review.git import Repository
from stridewise.review.matching import Side
from stridewise.review.units import Selection, may_matter
from stridewise.settings.policy import Policy

_MAX_FILE_BYTES = 16 << 20


@dataclass(frozen=True)
class Analysed:
    """`known_before` are the files, below the root, of which it is known what was found in them in the base,
    `known_now` those of which it is known what is found in them now."""

    head: Side
    base: Side
    troubles: tuple[Trouble, ...]
    known_before: frozenset[str]
    known_now: frozenset[str]
    units: int
    suppressions: tuple[Suppression, ...] = ()  # comments of the work tree's files
    changed_inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)  # changed files that a unit reads


@dataclass(frozen=True)
class Means:
    """What an analysis takes."""

    analyzer: Path
    rules: Mapping[str, Rule]
    policy: Policy
    globs: str = ""
    jobs: int = 1
    limits: analysis.Limits | None = None
    cache: ResultCache | None = None


def base_contents(changes: Changes, root: Path, repository: Repository | None) -> tuple[dict[str, bytes], list[str]]:
    """Old contents of the changed text files by their absolute old names, and the names of those that are not known.

    With a repository they are git's objects; else the diff is taken back from the files of the work tree, which raises
    Failure where it does not fit.
    """
    wanted = [
        f
        for f in changes.files
        if f.old is not None and f.is_text and f.status is not Status.COPIED and may_matter(f.old)
    ]
    objects = repository.contents([f.old_id for f in wanted]) if repository else {}
    found: dict[str, bytes] = {}
    missing: list[str] = []
    for file in wanted:
        assert file.old is not None
        content = objects.get(file.old_id)
        if content is None and (repository is None or not file.hunks):
            content = _taken_back(file, root)
        if content is None:
            missing.append(file.old)
        else:
            found[str(root / file.old)] = content
    return found, missing


def _taken_back(file: FileDiff, root: Path) -> bytes | None:
    after = b""
    if file.new is not None:
        path = root / file.new
        if not _is_inside(path, root):
            raise Failure(f"{file.new} is a link out of the repository")
        try:
            with path.open("rb") as stream:
                after = stream.read(_MAX_FILE_BYTES + 1)
        except OSError as error:
            raise Failure(
                f"cannot read {file.new}, which the diff names: {error.strerror or error}; apply the diff first"
            ) from error
        if len(after) > _MAX_FILE_BYTES:
            return None
    return diff.before(file, after)


def _is_inside(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def analyse(
    inputs: Inputs, selection: Selection, changes: Changes, contents: Mapping[str, bytes], means: Means
) -> Analysed:
    """The findings of both sides at all confidences, absolute in their paths. Base units that do not compile are no
    trouble of the change: what is new in the files that they read is not known."""
    project = inputs.project
    complete = inputs.complete and {c.file for c in inputs.work.commands} == {c.file for c in selection.head}
    work = Workload(commands=list(selection.head), problems=list(inputs.work.problems))
    old = Workload(commands=list(selection.base))
    overlay = Overlay(contents)
    total = len(selection.head) + len(selection.base)
    with ending.folder() as top, Progress("analysing", total) as progress:

        def step(result: UnitResult) -> None:
            progress.step(project.relative(str(result.command.file)))

        def run(side: str, workload: Workload, over: Overlay | None) -> Study:
            folder = top / side
            folder.mkdir()
            given = replace(inputs, work=means.policy.prepare(workload), complete=complete)
            return study.study(
                means.analyzer,
                given,
                folder,
                rules=means.globs,
                jobs=means.jobs,
                limits=means.limits,
                cache=means.cache,
                overlay=over,
                done=step,
            )

        head = run("head", work, None)
        base = run("base", old, overlay)
        sources, before = Sources(), overlay.sources()
        found, _ = head.findings(means.rules, means.policy, sources)
        known, _ = base.findings(means.rules, means.policy, before)
    gave_up, gave_up_before = set(head.given_up), {(changes.name_now(where), g) for where, g in base.given_up}
    failing = _failing(head, lambda file: file, project)
    failed_before = _failing(base, changes.name_now, project)
    # What was broken already and is not the change's is no trouble of it.
    old_troubles = {project.relative(str(file)) for file in selection.others} & failed_before
    return Analysed(
        Side(found, sources),
        Side(known, before),
        tuple(trouble for trouble in head.troubles if trouble.where not in old_troubles),
        _known(base, project, failed_before <= failing and gave_up_before <= gave_up),
        _known(head, project, failing <= failed_before and gave_up <= gave_up_before),
        len(selection.head),
        tuple({suppression for result in head.results for suppression in result.suppressions}),
        {
            project.relative(str(result.command.file)): sorted(_relative(result.files, project) & changes.by_new.keys())
            for result in head.results
        },
    )


def _relative(files: Iterable[str], project: Project) -> frozenset[str]:
    return frozenset(project.relative(os.path.normpath(file)) for file in files)


def _failing(studied: Study, name: Callable[[str], str], project: Project) -> set[str]:
    return {name(project.relative(str(result.command.file))) for result in studied.failed}


def _known(studied: Study, project: Project, as_whole: bool) -> frozenset[str]:
    """The files of which the findings are known. None is where units failed that the other side has, or
    rules gave up: units make findings together, so that those of any file may come or go with a unit."""
    if not as_whole or studied.linked.failure:
        return frozenset()

    def read(results: Iterable[UnitResult]) -> frozenset[str]:
        files = {file for result in results for file in (*result.files, str(result.command.file))}
        return _relative(files, project)

    return read(r for r in studied.results if r.status == "ok") - {
        project.relative(str(result.command.file)) for result in studied.failed
    }
