"""A pull request of five commits gets exactly the comments it should, at the right lines, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Reviewer, places
from lbm_request import STEPS, Project, request

from stridewise.review.plan import Plan

PADDED = ("mem-struct-padding", "src/include/save.h", "  double density;", "added")
BARRIER = ("mpi-redundant-barrier", "src/exchange.c", "  MPI_Barrier(MPI_COMM_WORLD);", "added")
LOOPS = ("mem-strided-inner-loop", "src/physics.c", "    for (int i = 1; i < in->width - 1; i++)", "changed")
FIXED = ("omp-barrier-in-loop", "src/main.c")
EXPECTED = {
    "padded record": ([PADDED], []),
    "barrier": ([BARRIER], []),
    "swapped loops": ([LOOPS], []),
    "team barrier removed": ([], [FIXED]),
    "code moved": ([], []),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return request(tmp_path_factory.mktemp("request") / "lbm")


def checkout(project: Project, revision: str) -> None:
    project.git("checkout", "--quiet", revision)
    project.write_database()


def said(project: Project, plan: Plan) -> tuple[list[tuple[str, str, str, str]], list[tuple[str, str]]]:
    """What the plan says, and that it fits the files."""
    comments = []
    for placed in plan.comments:
        where = placed.finding.location
        lines = project.read(where.file).split("\n")
        assert placed.snippet == tuple(lines[placed.line - 1 : placed.end_line])
        line = next(line for line in placed.snippet if "int x" not in line)
        comments.append((placed.finding.rule, where.file, line, placed.cause))
    assert not plan.unplaced and not plan.problems
    places(plan.comments)
    return sorted(comments), [(f.rule, f.location.file) for f in plan.resolved]


def test_the_whole(project: Project, reviewer: Reviewer) -> None:
    checkout(project, "change")
    plan = reviewer.plan(project, "--base", "main")
    assert said(project, plan) == (sorted([PADDED, BARRIER, LOOPS]), [FIXED])
    assert plan.base == project.commits["base"]
    assert plan.head == project.commits["code moved"]
    by_rule = {placed.finding.rule: placed for placed in plan.comments}
    # In front of it are equal statements: the one that was added is named, not the last of them.
    text = "  MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Barrier(MPI_COMM_WORLD);\n"
    first = project.read("src/exchange.c").partition(text)[0].count("\n") + 1
    assert by_rule[BARRIER[0]].line == first + 1
    assert by_rule[LOOPS[0]].line == project.line_of("src/physics.c", LOOPS[2])


@pytest.mark.parametrize("name", STEPS)
def test_each_commit(name: str, project: Project, reviewer: Reviewer) -> None:
    checkout(project, project.commits[name])
    assert said(project, reviewer.plan(project, "--base", "HEAD~1")) == EXPECTED[name]


def test_the_suggestion_is_the_fix(project: Project, reviewer: Reviewer) -> None:
    checkout(project, "change")
    plan = reviewer.plan(project, "--base", "main")
    (padded,) = [placed for placed in plan.comments if placed.finding.rule == PADDED[0]]
    assert padded.suggestion is not None
    lines = project.read("src/include/save.h").split("\n")
    lines[padded.line - 1 : padded.end_line] = padded.suggestion
    project.write("src/include/save.h", "\n".join(lines))
    try:
        after = reviewer.plan(project, "--base", "main")
        assert after.head == ""  # the work tree is not HEAD any more
        assert PADDED[0] not in {placed.finding.rule for placed in after.comments}
    finally:
        project.git("checkout", "--quiet", "src/include/save.h")


def test_a_diff_says_the_same_as_git(project: Project, reviewer: Reviewer, tmp_path: Path) -> None:
    checkout(project, "change")
    patch = tmp_path / "change.patch"
    patch.write_text(project.git("diff", "main"), encoding="utf-8")
    by_git = reviewer.plan(project, "--base", "main")
    by_file = reviewer.plan(project, "--diff", str(patch))
    assert by_file.comments == by_git.comments
    assert by_file.resolved == by_git.resolved
    assert (by_file.base, by_file.head) == ("", "")


def test_formats_speak_of_the_change_alone(
    project: Project, reviewer: Reviewer, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout(project, "change")
    for style in ("text", "rdjson", "sarif", "gitlab", "github", "markdown"):
        assert reviewer.status(project, "--base", "main", "--format", style) == 0
        out = capsys.readouterr().out
        for rule, file in ((r[0], r[1]) for r in (PADDED, BARRIER, LOOPS)):
            assert rule in out and file in out
        assert "mpi-tiny-messages" not in out  # known before
    assert reviewer.status(project, "--base", "main", "--fail-on", "warning") == 1
    assert reviewer.status(project, "--base", "main", "--fail-on", "error") == 0
    assert reviewer.status(project, "--base", "HEAD", "--fail-on", "info") == 0  # no change


def test_the_cap_is_the_plans(project: Project, reviewer: Reviewer) -> None:
    checkout(project, "change")
    plan = reviewer.plan(project, "--base", "main", "--max-comments", "1")
    assert plan.cap == 1 and len(plan.comments) == 3
