"""Reviews in two jobs, on GitHub and GitLab: analysed without secrets, posted by one that has nothing but the plan."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import runner
from conftest import LINE, TOP, Checkout
from test_gitlab import job

sys.path.append(str(TOP / "tests" / "review"))

from fake_github import BOT_TOKEN, REPOSITORY, FakeGitHub  # type: ignore[import-not-found]
from fake_gitlab import BOT_TOKEN as LAB_TOKEN  # type: ignore[import-not-found]
from fake_gitlab import DiffFile, FakeGitLab
from fake_http import serving  # type: ignore[import-not-found]

POST = TOP / "ci" / "github" / "post" / "action.yml"
NUMBER = 7


@pytest.fixture
def hub(checkout: Checkout) -> Iterator[FakeGitHub]:
    """A host with the pull request of the branch `change`."""
    diff = checkout.git("diff", "main", "change", "--", "src/particles.c")
    server = FakeGitHub()
    server.add_pull(NUMBER, checkout.git("rev-parse", "change"), {"src/particles.c": diff[diff.index("@@") :]})
    with serving(server):
        yield server


def test_the_actions(checkout: Checkout, hub: FakeGitHub, tmp_path: Path) -> None:
    head = checkout.git("rev-parse", "change")
    checkout.git("update-ref", "refs/remotes/origin/main", "main")
    untrusted = runner.run(
        TOP / "action.yml", checkout.root, checkout.temp, {**checkout.environment, "GITHUB_BASE_REF": "main"},
        {"review": "plan", "fail-on": "error"},
    )  # fmt: skip
    assert untrusted.status == 0, untrusted.log
    plan = Path(shutil.copy(untrusted.outputs["check"]["plan"], tmp_path / "plan.json"))
    shutil.rmtree(checkout.root)
    (checkout.bin / "stridewise").unlink()
    empty = tmp_path / "trusted"
    empty.mkdir()
    # What a job leaves in the workspace is never run, whatever it is named.
    for name in ("stridewise", "urllib3", "json", "sitecustomize", "venv"):
        (empty / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\n")
    (empty / ".stridewise.toml").write_text("no = [toml\n")
    (empty / "pip.conf").write_text("[global]\nindex-url = https://example.invalid/\n")

    def post(commit: str, token: str = BOT_TOKEN) -> runner.Job:
        environment = {**checkout.environment, "GITHUB_API_URL": hub.base, "GITHUB_REPOSITORY": REPOSITORY}
        github = {"token": token} if token else {}
        return runner.run(POST, empty, checkout.temp, environment, {"plan": str(plan), "head": commit}, github)

    no_token = post(head, "")
    assert no_token.status == 2
    assert "pull-requests: write" in no_token.log
    other = post("c" * 40)
    assert other.status == 2
    assert "not of cccccccccccc" in other.log
    assert "::error title=stridewise::the review could not be posted" in other.log
    assert hub.writes() == []
    posted = post(head)
    assert posted.status == 0, posted.log
    (comment,) = hub.review_comments
    assert (comment["path"], comment["user"]["type"]) == ("src/particles.c", "Bot")
    assert comment["line"] >= LINE
    assert "mem-struct-padding" in comment["body"]
    assert BOT_TOKEN not in posted.log
    again = post(head)
    assert (again.status, len(hub.review_comments)) == (0, 1)
    assert not (tmp_path / "ran").exists()
    plan.write_text('{"version": 1, "comments": "<!-- x -->"}')
    broken = post(head)
    assert broken.status == 2
    assert "error: " in broken.log


def test_the_template(checkout: Checkout) -> None:
    head = checkout.git("rev-parse", "change")
    checkout.git("checkout", "-q", "--detach", "main")
    checkout.git("merge", "-q", "--no-ff", "-m", "merged result", "change")
    diff = checkout.git("diff", "main", "change", "--", "src/particles.c")
    server = FakeGitLab()
    server.add_request(1, head, {"src/particles.c": DiffFile(diff[diff.index("@@") :])})
    pipeline = {
        "CI_COMMIT_SHA": checkout.git("rev-parse", "HEAD"),
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": checkout.git("rev-parse", "main"),
        "CI_MERGE_REQUEST_IID": "1",
        "CI_PROJECT_ID": "42",
    }
    status, said = job(checkout, "stridewise", **pipeline)
    assert status == 0, said
    with serving(server):
        status, said = job(checkout, "stridewise-review", GITLAB_TOKEN=LAB_TOKEN, CI_API_V4_URL=server.base, **pipeline)
    assert status == 0, said
    assert LAB_TOKEN not in said
    bodies = [note["body"] for note in server.notes(1)]
    assert any("mem-struct-padding" in body for body in bodies)
