"""A fork's pull request, by both actions: analysed without secrets, posted by a job that has nothing but the plan."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import runner
from conftest import LINE, TOP, Checkout

sys.path.append(str(TOP / "tests" / "review"))

from fake_github import BOT_TOKEN, REPOSITORY, FakeGitHub  # type: ignore[import-not-found]
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


def test_two_jobs(checkout: Checkout, hub: FakeGitHub, tmp_path: Path) -> None:
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
    plan.write_text('{"version": 1, "comments": "<!-- x -->"}')
    broken = post(head)
    assert broken.status == 2
    assert "error: " in broken.log
