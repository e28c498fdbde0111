"""The pull request of five commits, pushed one by one: each comment is made once, and goes when its cause is gone."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Reviewer
from fake_github import REPOSITORY, USER, USER_TOKEN, FakeGitHub
from fake_gitlab import BOT as LAB_BOT
from fake_gitlab import BOT_TOKEN as LAB_TOKEN
from fake_gitlab import DiffFile, FakeGitLab
from fake_http import Clock, FakeServer, serving
from lbm_request import STEPS, Project, request

from stridewise.review import post
from stridewise.review.comment import Mark

NUMBER = 1
RULES = ("mem-struct-padding", "mpi-redundant-barrier", "mem-strided-inner-loop")


@dataclass(frozen=True)
class Said:
    """A comment as the host has it."""

    rule: str
    path: str
    line: int
    resolved: bool


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return request(tmp_path_factory.mktemp("posted") / "lbm")


@pytest.fixture(params=["github", "gitlab"])
def server(request: pytest.FixtureRequest) -> Iterator[FakeServer]:
    made: FakeServer = FakeGitHub() if request.param == "github" else FakeGitLab()
    with serving(made, "" if request.param == "github" else "/api/v4"):
        yield made


def patches(project: Project) -> dict[str, str]:
    """What the host shows of the change: hunks by file."""
    out = {}
    for part in re.split(r"^diff --git ", project.git("diff", "--no-renames", "main...HEAD"), flags=re.MULTILINE)[1:]:
        name = re.search(r"^\+\+\+ b/(.*)$", part, re.MULTILINE)
        if name:
            out[name[1]] = part[part.index("\n@@ ") + 1 :]
    return out


def push(server: FakeServer, project: Project) -> None:
    head, files = project.git("rev-parse", "HEAD").strip(), patches(project)
    if isinstance(server, FakeGitHub):
        shown: dict[str, str | None] = dict(files)
        server.push(NUMBER, head, shown) if NUMBER in server.pulls else server.add_pull(NUMBER, head, shown)
    elif isinstance(server, FakeGitLab):
        diffs = {path: DiffFile(text) for path, text in files.items()}
        server.push(NUMBER, head, diffs) if NUMBER in server.requests else server.add_request(NUMBER, head, diffs)


def review(server: FakeServer, project: Project, reviewer: Reviewer) -> None:
    plan = reviewer.plan(project, "--base", "main")
    parser = argparse.ArgumentParser()
    post.add_options(parser)
    if isinstance(server, FakeGitHub):
        words = ["--post", "github", "--repository", REPOSITORY, "--pull", str(NUMBER), "--api", server.base]
        environment = {"GITHUB_TOKEN": USER_TOKEN}
    else:
        words = ["--post", "gitlab", "--repository", "42", "--pull", str(NUMBER), "--api", server.base]
        environment = {"GITLAB_TOKEN": LAB_TOKEN}
    post.post(plan, parser.parse_args(words), environment, Clock().sleep)


def said(server: FakeServer) -> list[Said]:
    found = []
    if isinstance(server, FakeGitHub):
        for c in server.by(USER):
            resolved = server.threads[c["id"]]["isResolved"]
            found.append((c["body"], c["path"], c["start_line"] or c["line"] or 0, resolved))
    elif isinstance(server, FakeGitLab):
        for n in server.by(LAB_BOT):
            found.append((n["body"], n["position"]["new_path"], n["position"]["new_line"], n["resolved"]))
    out = []
    for body, path, line, resolved in found:
        mark = Mark.of(body)
        assert mark is not None and mark.resolved == resolved
        (rule,) = {name for name in RULES if f"`{name}`" in body}
        out.append(Said(rule, path, line, resolved))
    return sorted(out, key=lambda s: s.rule)


def checkout(project: Project, revision: str) -> None:
    project.git("checkout", "--quiet", revision)
    project.write_database()


def test_five_pushes_and_the_fixes(server: FakeServer, project: Project, reviewer: Reviewer) -> None:
    counts = []
    for name in STEPS:
        checkout(project, project.commits[name])
        push(server, project)
        review(server, project, reviewer)
        counts.append(len(said(server)))
        server.log.clear()
        review(server, project, reviewer)
        assert server.writes() == []
    assert counts == [1, 2, 3, 3, 3]
    lines = {}
    for comment in said(server):
        assert not comment.resolved
        lines[comment.rule] = project.read(comment.path).split("\n")[comment.line - 1]
    assert lines["mpi-redundant-barrier"] == "  MPI_Barrier(MPI_COMM_WORLD);"
    assert lines["mem-strided-inner-loop"].strip() == "for (int i = 1; i < in->width - 1; i++)"
    assert lines["mem-struct-padding"].strip() in ("int x;", "double density;", "typedef struct Probe {")

    # A push that undoes the barrier: its thread is resolved, the others stay.
    checkout(project, "change")
    project.git("checkout", "--quiet", "-B", "fixes")
    project.git("revert", "--no-edit", project.commits["barrier"])
    push(server, project)
    review(server, project, reviewer)
    assert [(s.rule, s.resolved) for s in said(server)] == [
        ("mem-strided-inner-loop", False), ("mem-struct-padding", False), ("mpi-redundant-barrier", True)
    ]  # fmt: skip

    # A force-push back to the former state: the finding returns. Where it stood its thread is opened again.
    checkout(project, "change")
    push(server, project)
    review(server, project, reviewer)
    assert [s.resolved for s in said(server)] == [False] * 3
    server.log.clear()
    review(server, project, reviewer)
    assert server.writes() == []


def test_nothing_known_before_is_said(server: FakeServer, project: Project, reviewer: Reviewer) -> None:
    """Code that only moved gets no comment, though it has findings, and a change without findings no words."""
    checkout(project, project.commits["code moved"])
    project.git("branch", "--force", "main", "HEAD~1")
    try:
        push(server, project)
        review(server, project, reviewer)
    finally:
        project.git("branch", "--force", "main", project.commits["base"])
    assert said(server) == []
    assert server.writes() == []


def test_only_files_of_this_repository_are_named(server: FakeServer, project: Project, reviewer: Reviewer) -> None:
    checkout(project, "change")
    push(server, project)
    review(server, project, reviewer)
    assert not any(str(Path(project.root)) in str(r.body) for r in server.log)
