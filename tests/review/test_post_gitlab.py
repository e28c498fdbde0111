"""Posting to GitLab, against a server that keeps its state."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

import pytest
from fake_gitlab import BOT, BOT_TOKEN, JOB_TOKEN, PROJECT, USER, USER_TOKEN, DiffFile, FakeGitLab
from fake_http import Clock, Fault, serving
from plans import HEAD, NEXT, finding, patch, placed, plan

from stridewise.errors import Failure
from stridewise.finding.result import Trouble
from stridewise.review import post
from stridewise.review.comment import Mark
from stridewise.review.plan import Plan

REQUEST = "/projects/42/merge_requests/1"
DISCUSSIONS, NOTES = f"{REQUEST}/discussions", f"{REQUEST}/notes"


@pytest.fixture
def lab() -> Iterator[FakeGitLab]:
    server = FakeGitLab()
    server.add_request(1, HEAD, {"src/lbm.c": DiffFile(patch(10, 10)), "src/io.c": DiffFile(patch(50, 5))})
    with serving(server, "/api/v4"):
        yield server


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    post.add_options(parser)
    return parser.parse_args(["--post", "gitlab", *words])


def environment(lab: FakeGitLab, token: str = BOT_TOKEN) -> dict[str, str]:
    return {
        "GITLAB_TOKEN": token,
        "CI_API_V4_URL": lab.base,
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "1",
        "CI_COMMIT_SHA": HEAD,
    }


def send(
    lab: FakeGitLab, what: Plan, *words: str, clock: Clock | None = None, more: Mapping[str, str] | None = None
) -> int:
    known = {**environment(lab), "CI_COMMIT_SHA": what.head, **(more or {})}
    return post.post(what, options(*words), known, (clock or Clock()).sleep)


def keys(lab: FakeGitLab) -> list[str]:
    return [mark.key for note in lab.by(BOT) if (mark := Mark.of(note["body"]))]


def test_a_discussion_for_each_comment_and_a_note(lab: FakeGitLab) -> None:
    what = plan(placed("a", line=12), placed("b", line=14, end=16, suggestion=("x = 1;",)), placed("c", "src/io.c", 48))
    assert send(lab, what) == 0
    assert [(n["position"]["new_path"], n["position"]["new_line"]) for n in lab.by(BOT)] == [
        ("src/lbm.c", 12), ("src/lbm.c", 14), ("src/io.c", 48)
    ]  # fmt: skip
    assert "```suggestion:-0+2\nx = 1;\n```" in lab.by(BOT)[1]["body"]
    assert "3 findings" in lab.summaries()[0]["body"]


def test_unchanged_and_renamed_lines_are_named_on_both_sides(lab: FakeGitLab) -> None:
    """The server takes a line only with the right numbers."""
    lab.requests[1].files["src/new.c"] = DiffFile(patch(10, 2), old_path="src/old.c")
    send(
        lab, plan(placed("before", "src/new.c", 8), placed("added", "src/new.c", 11), placed("after", "src/new.c", 13))
    )
    positions = [note["position"] for note in lab.by(BOT)]
    assert [(p["old_path"], p.get("old_line")) for p in positions] == [
        ("src/old.c", 8), ("src/old.c", None), ("src/old.c", 11)
    ]  # fmt: skip


def test_a_second_time_nothing_is_written(lab: FakeGitLab) -> None:
    what = plan(placed("a"), placed("b", line=15), unplaced=(finding("u"),))
    send(lab, what)
    lab.log.clear()
    send(lab, what)
    assert lab.writes() == []


def test_resolved_and_reopened(lab: FakeGitLab) -> None:
    send(lab, plan(placed("a"), placed("b", line=15)))
    send(lab, plan(placed("b", line=15)))
    first = lab.by(BOT)[0]
    assert first["resolved"] is True
    assert "**Resolved:**" in first["body"]
    assert lab.by(BOT)[1]["resolved"] is False
    send(lab, plan(placed("a"), placed("b", line=15)))
    assert first["resolved"] is False
    assert "**Resolved:**" not in first["body"]
    assert len(lab.by(BOT)) == 2


def test_a_thread_that_somebody_resolved_stays_so(lab: FakeGitLab) -> None:
    send(lab, plan(placed("a")))
    lab.by(BOT)[0]["resolved"] = True
    send(lab, plan(placed("a", gain_seconds=3.0)))
    assert lab.by(BOT)[0]["resolved"] is True
    assert len(lab.by(BOT)) == 1


def test_a_finding_that_somebody_closed_went_away_and_came_back(lab: FakeGitLab) -> None:
    send(lab, plan(placed("a")))
    lab.by(BOT)[0]["resolved"] = True
    send(lab, plan())
    send(lab, plan(placed("a")))
    assert lab.by(BOT)[0]["resolved"] is False


def test_a_forged_mark_is_not_trusted(lab: FakeGitLab) -> None:
    forged = lab.say(USER, f"{Mark(finding('a').fingerprint)}\nall is well")
    summary = lab.say(USER, f"{Mark('summary')}\nall is well")
    send(lab, plan(placed("a")))
    assert keys(lab) == [finding("a").fingerprint]
    send(lab, plan())
    assert {n["id"]: n["body"].split("\n")[1] for n in lab.notes(1) if n["author"] == USER} == {
        forged: "all is well", summary: "all is well"
    }  # fmt: skip


def test_texts_hold_no_orders(lab: FakeGitLab) -> None:
    """GitLab would carry them out with the rights of the bot."""
    evil = "fast\n/merge\n/assign @mona\n\r/close"
    what = plan(
        placed("a", message=evil, advice=evil, cause=evil, suggestion=("/merge",), related=()),
        placed("b", line=15, suggestion=("```", "/close", "```")),
        unplaced=(finding("u", message=evil),),
        resolved=(finding("r", message=evil),),
        problems=(Trouble(evil, evil),),
    )
    send(lab, what)
    assert len(lab.by(BOT)) == 2
    assert lab.orders == []


def test_lost_lines(lab: FakeGitLab) -> None:
    send(lab, plan(placed("a", line=12), placed("b", line=15)))
    answered = next(n for n in lab.by(BOT) if Mark.of(n["body"]) == Mark(finding("b").fingerprint))
    lab.say(USER, "is that so?", reply_to=answered["id"])
    lab.push(1, NEXT, {"src/lbm.c": DiffFile(patch(40, 10))})
    send(lab, plan(placed("a", line=42), placed("b", line=45), head=NEXT))
    assert sorted(n["position"]["new_line"] for n in lab.by(BOT)) == [15, 42]
    assert "now at `src/lbm.c:45`" in answered["body"]
    lab.log.clear()
    send(lab, plan(placed("a", line=42), placed("b", line=45), head=NEXT))
    assert lab.writes() == []


def test_comments_move_along_with_their_lines(lab: FakeGitLab) -> None:
    send(lab, plan(placed("a", line=12)))
    lab.push(1, NEXT, dict(lab.requests[1].files))
    lab.log.clear()
    send(lab, plan(placed("a", line=12), head=NEXT))
    assert [w for w in lab.writes() if "discussions" in w] == []


def test_nothing_is_posted_after_a_push(lab: FakeGitLab) -> None:
    lab.push(1, NEXT, lab.requests[1].files)
    with pytest.raises(Failure, match=r"stands at c{12} now"):
        send(lab, plan(placed("a")))
    assert lab.writes() == []


def test_a_push_between_two_comments(lab: FakeGitLab) -> None:
    """The second position is refused; its plan is out of date, and no summary is made of it."""
    files = {"src/lbm.c": DiffFile(patch(10, 10)), "src/io.c": DiffFile(patch(50, 5))}
    lab.hooks.append(("POST", DISCUSSIONS, lambda: None))
    lab.hooks.append(("POST", DISCUSSIONS, lambda: lab.push(1, NEXT, files)))
    with pytest.raises(Failure, match="stands at"):
        send(lab, plan(placed("a"), placed("b", line=15)))
    assert lab.summaries() == []


def test_a_pipeline_of_the_merged_result_is_of_another_commit(lab: FakeGitLab) -> None:
    with pytest.raises(Failure, match="not its merge with the target"):
        send(lab, plan(placed("a"), head=NEXT), more={"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": HEAD})
    assert lab.log == []


def test_a_diff_that_gitlab_has_not_made_yet(lab: FakeGitLab) -> None:
    lab.requests[1].diff_head = NEXT
    lab.requests[1].ready_after = 2
    clock = Clock()
    send(lab, plan(placed("a")), clock=clock)
    assert len(lab.by(BOT)) == 1
    assert clock.slept[:2] == [1.0, 2.0] or 1.0 in clock.slept


def test_lines_that_gitlab_does_not_take_go_into_the_summary(lab: FakeGitLab) -> None:
    lab.requests[1].files["src/big.c"] = DiffFile(patch(10, 5), collapsed=True)
    what = plan(placed("a"), placed("far", line=900), placed("big", "src/big.c", 12), placed("same", "src/big.c", 8))
    send(lab, what)
    assert keys(lab) == [finding("a").fingerprint, finding("big").fingerprint]  # an added line of it can be guessed
    assert "src/lbm.c:900" in lab.summaries()[0]["body"]
    assert "src/big.c:8" in lab.summaries()[0]["body"]


def test_more_than_3000_files(lab: FakeGitLab) -> None:
    files = {f"src/f{n:04}.c": DiffFile(patch(10, 2)) for n in range(3100)}
    lab.add_request(1, HEAD, files)
    send(lab, plan(placed("a", "src/f0000.c", 10), placed("b", "src/f3050.c", 10)))
    assert len(keys(lab)) == 2
    assert len(lab.asked("GET", f"{REQUEST}/diffs")) == 31


@pytest.mark.parametrize("status", [0, 500, 502])
@pytest.mark.parametrize("path", [DISCUSSIONS, NOTES])
@pytest.mark.parametrize("after", [False, True])
def test_a_fault_while_posting_doubles_nothing_and_loses_nothing(
    lab: FakeGitLab, status: int, path: str, after: bool
) -> None:
    lab.faults.append(Fault("POST", path, status, after=after))
    send(lab, plan(placed("a"), placed("b", line=15)))
    assert sorted(keys(lab)) == sorted([finding("a").fingerprint, finding("b").fingerprint])
    assert len(lab.summaries()) == 1


def test_a_comment_that_always_fails_goes_into_the_summary(lab: FakeGitLab) -> None:
    """GitLab answers some wrong positions with 500."""
    lab.faults.append(Fault("POST", DISCUSSIONS, 500, times=2))
    send(lab, plan(placed("a"), placed("b", line=15)))
    assert keys(lab) == [finding("b").fingerprint]
    assert "src/lbm.c:12" in lab.summaries()[0]["body"]


def test_limits(lab: FakeGitLab) -> None:
    clock = Clock()
    lab.faults.append(Fault("POST", DISCUSSIONS, 429, {"Retry-After": "9"}, {"message": "Retry later"}))
    send(lab, plan(placed("a")), clock=clock)
    assert 9.0 in clock.slept
    assert len(lab.by(BOT)) == 1


def test_earlier_comments_are_found_on_later_pages(lab: FakeGitLab) -> None:
    for n in range(250):
        lab.say(USER, f"remark {n}")
    send(lab, plan(placed("a")))
    lab.log.clear()
    send(lab, plan(placed("a")))
    assert lab.writes() == []
    assert len(lab.asked("GET", DISCUSSIONS)) == 3


def test_the_token_of_a_job_may_not_comment(lab: FakeGitLab) -> None:
    known = environment(lab)
    del known["GITLAB_TOKEN"]
    with pytest.raises(Failure, match=r"401.*CI_JOB_TOKEN\) may not comment") as raised:
        post.post(plan(placed("a")), options(), {**known, "CI_JOB_TOKEN": JOB_TOKEN}, Clock().sleep)
    assert JOB_TOKEN not in str(raised.value)
    assert {r.headers.get("job-token") for r in lab.log} == {JOB_TOKEN}


def test_a_project_by_its_path_and_a_request_by_its_commit(lab: FakeGitLab) -> None:
    known = {"GITLAB_TOKEN": USER_TOKEN, "CI_API_V4_URL": lab.base}
    post.post(plan(placed("a")), options("--repository", PROJECT, "--head", HEAD), known, Clock().sleep)
    assert len(lab.by(USER)) == 1
    with pytest.raises(Failure, match="no open merge request of hpc/lbm stands at"):
        post.post(plan(head=NEXT), options("--repository", PROJECT), known, Clock().sleep)


@pytest.mark.parametrize("name", ["a/../b", "", "a b", "x?y", "-", "a//b", "@"])
def test_wrong_projects_are_refused(lab: FakeGitLab, name: str) -> None:
    with pytest.raises(Failure):
        post.post(plan(), options("--repository", name), {"GITLAB_TOKEN": "t" * 20, "CI_API_V4_URL": lab.base})
    assert lab.log == []


def test_a_dry_run_writes_nothing(lab: FakeGitLab, capsys: pytest.CaptureFixture[str]) -> None:
    send(lab, plan(placed("a")))
    lab.log.clear()
    send(lab, plan(placed("b", line=15), placed("c", line=17)), "--dry-run")
    assert lab.writes() == []
    shown = capsys.readouterr().out
    assert "--- create src/lbm.c:15" in shown
    assert "--- resolve src/lbm.c:12" in shown
    assert "--- update summary" in shown
