"""The second half of split mode, as a trusted job calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_github import BOT_TOKEN, REPOSITORY, FakeGitHub
from fake_http import serving
from plans import HEAD, NEXT, patch, placed, plan

NUMBER = 7


@pytest.fixture
def hub() -> Iterator[FakeGitHub]:
    server = FakeGitHub()
    server.add_pull(NUMBER, HEAD, {"src/lbm.c": patch(10, 10)})
    with serving(server):
        yield server


def call(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Without the variables of a CI that this test may run in."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME", "LC_ALL") if name in os.environ}
    command = [sys.executable, "-m", "stridewise", "review", *map(str, words)]
    return subprocess.run(command, env={**kept, **environment}, capture_output=True, text=True, check=False)


def written(folder: Path, **more: Any) -> Path:
    path = folder / "plan.json"
    path.write_text(plan(placed("a", line=12, suggestion=("x = 1;",)), **more).text(), encoding="utf-8")
    return path


def of_ci(hub: FakeGitHub, **more: str) -> dict[str, str]:
    return {"GITHUB_API_URL": hub.base, "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_TOKEN": BOT_TOKEN, **more}


def test_a_plan_is_posted_from_the_environment_of_actions(hub: FakeGitHub, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"workflow_run": {"head_sha": HEAD}}), encoding="utf-8")
    done = call("--plan", written(tmp_path), "--post", "github", **of_ci(hub, GITHUB_EVENT_PATH=str(event)))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"pull request {NUMBER} of {REPOSITORY}: comments: 1 posted; summary: posted\n"
    assert len(hub.review_comments) == 1


def test_a_plan_of_another_commit_than_the_run_that_made_it(hub: FakeGitHub, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"workflow_run": {"head_sha": NEXT}}), encoding="utf-8")
    done = call("--plan", written(tmp_path), "--post", "github", **of_ci(hub, GITHUB_EVENT_PATH=str(event)))
    assert done.returncode == 2
    assert "the plan is of commit aaaaaaaaaaaa, not of cccccccccccc" in done.stderr
    assert hub.log == []


def test_a_push_in_between(hub: FakeGitHub, tmp_path: Path) -> None:
    hub.push(NUMBER, NEXT, {"src/lbm.c": patch(10, 10)}, force=True)
    done = call("--plan", written(tmp_path), "--post", "github", "--pull", str(NUMBER), **of_ci(hub))
    assert done.returncode == 2
    assert f"pull request {NUMBER} of {REPOSITORY} stands at cccccccccccc now" in done.stderr
    assert hub.writes() == []


def test_a_dry_run_needs_no_token_and_no_host(tmp_path: Path) -> None:
    for host, info in (("github", "```suggestion\n"), ("gitlab", "```suggestion:-0+0\n")):
        done = call("--plan", written(tmp_path), "--post", host, "--dry-run")
        assert (done.returncode, done.stderr) == (0, "")
        assert "--- create src/lbm.c:12" in done.stdout
        assert "--- create summary" in done.stdout
        assert f"| {info}" in done.stdout


def test_a_dry_run_gives_the_log_no_commands(tmp_path: Path) -> None:
    """GitHub carries out lines of a log that begin with `::`, and what follows `##[` anywhere."""
    path = tmp_path / "plan.json"
    evil = ("::add-mask::x", "  ::stop-commands::x", "int ##[add-path]/evil;")
    path.write_text(plan(placed("a", message="\n".join(evil), suggestion=evil)).text(), encoding="utf-8")
    done = call("--plan", path, "--post", "github", "--dry-run")
    assert done.returncode == 0
    assert "stop-commands" in done.stdout
    assert not [line for line in done.stdout.split("\n") if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.parametrize(
    ("words", "environment", "message"),
    [
        (("--post", "github"), {}, "no token; put one into the environment as GITHUB_TOKEN"),
        (("--post", "gitlab"), {}, "no token; put one into the environment as GITLAB_TOKEN"),
        (("--post", "github"), {"GITHUB_TOKEN": "ghs_secret"}, "which repository? name it with --repository"),
        (("--post", "gitlab"), {"GITLAB_TOKEN": "glpat_secret"}, "which project? name it with --repository"),
        (("--post", "github"), {"GITHUB_TOKEN": "ghs_secret\nHost: x"}, "GITHUB_TOKEN is no token"),
        (("--post", "github", "--repository", "../x"), {"GITHUB_TOKEN": "ghs_secret"}, "'../x' is no repository"),
        (("--post", "github", "--api", "http://h/"), {"GITHUB_TOKEN": "ghs_secret"}, "must be https"),
        (("--post", "github", "--head", "main"), {}, "must be a whole commit id"),
        (("--post", "github", "--pull", "0"), {}, "must be a number above 0"),
        (("--post", "github", "--name", "a b"), {}, "must be up to 40 letters"),
        ((), {}, "--plan says what to post; say where"),
    ],
)
def test_wrong_calls(tmp_path: Path, words: tuple[str, ...], environment: dict[str, str], message: str) -> None:
    done = call("--plan", written(tmp_path), *words, **environment)
    assert done.returncode == 2
    assert message in done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p["comments"][0]["finding"]["location"].update(file="../../etc/passwd"), "leaves the repository"),
        (lambda p: p["comments"][0]["finding"].update(rule="x](http://evil)"), "expected the name of a rule"),
        (lambda p: p["comments"][0]["finding"].update(fingerprint="summary"), "expected hexadecimal digits"),
        (lambda p: p.update(head="main; rm"), "expected a commit id"),
        (lambda p: p.update(cap=10**9), "expected an integer from"),
        (lambda p: p.update(version=2), "another version of stridewise"),
    ],
)
def test_wrong_plans_are_refused_before_anything_is_asked(
    hub: FakeGitHub, tmp_path: Path, change: Any, message: str
) -> None:
    path = written(tmp_path)
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")
    done = call("--plan", path, "--post", "github", "--pull", str(NUMBER), **of_ci(hub))
    assert done.returncode == 2
    assert message in done.stderr
    assert hub.log == []


def test_a_plan_without_a_commit_needs_one(hub: FakeGitHub, tmp_path: Path) -> None:
    path = written(tmp_path, head="")
    done = call("--plan", path, "--post", "github", "--pull", str(NUMBER), **of_ci(hub))
    assert done.returncode == 2
    assert "name it with --head" in done.stderr
    done = call("--plan", path, "--post", "github", "--pull", str(NUMBER), "--head", HEAD, **of_ci(hub))
    assert (done.returncode, len(hub.review_comments)) == (0, 1)
