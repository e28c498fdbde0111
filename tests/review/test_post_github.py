"""Posting to GitHub, against a server that keeps its state."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fake_github import BOT, BOT_TOKEN, REPOSITORY, USER, USER_TOKEN, FakeGitHub
from fake_http import Clock, Fault, serving
from plans import HEAD, NEXT, finding, patch, placed, plan

from stridewise.errors import Failure
from stridewise.finding.result import Trouble
from stridewise.review import github, post
from stridewise.review.comment import Mark
from stridewise.review.plan import Plan

NUMBER = 7
PULL = f"/repos/{REPOSITORY}/pulls/{NUMBER}"
REVIEWS, COMMENTS = f"{PULL}/reviews", f"{PULL}/comments"
SUMMARIES = f"/repos/{REPOSITORY}/issues/{NUMBER}/comments"


@pytest.fixture
def hub() -> Iterator[FakeGitHub]:
    server = FakeGitHub()
    server.add_pull(NUMBER, HEAD, {"src/lbm.c": patch(10, 10), "src/io.c": patch(50, 5)})
    with serving(server):
        yield server


@pytest.fixture
def clock() -> Clock:
    return Clock()


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    post.add_options(parser)
    return parser.parse_args(["--post", "github", *words])


def send(hub: FakeGitHub, what: Plan, *words: str, token: str = BOT_TOKEN, clock: Clock | None = None) -> int:
    environment = {
        "GITHUB_TOKEN": token,
        "GITHUB_API_URL": hub.base,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_REF": f"refs/pull/{NUMBER}/merge",
    }
    return post.post(what, options(*words), environment, (clock or Clock()).sleep)


def keys(hub: FakeGitHub, user: dict[str, Any] = BOT) -> list[str]:
    marks = [Mark.of(c["body"]) for c in hub.by(user)]
    return [mark.key for mark in marks if mark]


def test_one_review_with_every_comment_and_a_summary(hub: FakeGitHub) -> None:
    what = plan(placed("a", line=12), placed("b", line=14, end=16, suggestion=("x = 1;",)), placed("c", "src/io.c", 50))
    assert send(hub, what) == 0
    assert len(hub.reviews) == 1
    assert [(c["path"], c["line"], c["start_line"]) for c in hub.by(BOT)] == [
        ("src/lbm.c", 12, None), ("src/lbm.c", 16, 14), ("src/io.c", 50, None)
    ]  # fmt: skip
    assert "```suggestion\nx = 1;\n```" in hub.by(BOT)[1]["body"]
    assert len(hub.issue_comments) == 1
    assert "3 findings" in hub.issue_comments[0]["body"]


def test_a_second_time_nothing_is_written(hub: FakeGitHub) -> None:
    what = plan(placed("a"), placed("b", line=15), unplaced=(finding("u"),), resolved=(finding("r"),))
    send(hub, what)
    hub.log.clear()
    send(hub, what)
    assert hub.writes() == []


def test_no_findings_no_words(hub: FakeGitHub) -> None:
    send(hub, plan())
    assert hub.writes() == []


def test_a_changed_text_is_updated_in_place(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a")))
    before = hub.by(BOT)[0]["id"]
    send(hub, plan(placed("a", gain_seconds=1.5)))
    assert [c["id"] for c in hub.by(BOT)] == [before]
    assert "saves about" in hub.by(BOT)[0]["body"]


@pytest.mark.parametrize("token", [BOT_TOKEN, USER_TOKEN])
def test_a_fixed_finding_is_resolved_and_a_returning_one_reopened(hub: FakeGitHub, token: str) -> None:
    account = hub.users[token]
    send(hub, plan(placed("a"), placed("b", line=15)), token=token)
    first = hub.by(account)[0]
    send(hub, plan(placed("b", line=15)), token=token)
    assert first["body"].startswith("<!-- stridewise:v1:")
    assert "**Resolved:** no longer found" in first["body"]
    assert hub.threads[first["id"]]["isResolved"] is (token == USER_TOKEN)  # the bot may only say so
    hub.log.clear()
    send(hub, plan(placed("b", line=15)), token=token)
    assert [w for w in hub.writes() if "graphql" not in w] == []
    send(hub, plan(placed("a"), placed("b", line=15)), token=token)
    assert "**Resolved:**" not in first["body"]
    assert hub.threads[first["id"]]["isResolved"] is False
    assert len(hub.by(account)) == 2


def test_the_resolved_text_offers_no_change(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a", suggestion=("x = 1;",))))
    send(hub, plan())
    body = hub.by(BOT)[0]["body"]
    assert "```suggestion" not in body
    assert "x = 1;" in body


def test_without_graphql_comments_say_that_they_are_resolved(hub: FakeGitHub) -> None:
    hub.graphql = False
    send(hub, plan(placed("a")), token=USER_TOKEN)
    send(hub, plan(), token=USER_TOKEN)
    assert "**Resolved:**" in hub.by(USER)[0]["body"]


def test_without_graphql_and_without_user_nothing_is_guessed(hub: FakeGitHub) -> None:
    hub.graphql = False
    with pytest.raises(Failure, match="Resource not accessible"):
        send(hub, plan(placed("a")))
    assert [w for w in hub.writes() if "graphql" not in w] == []


def test_a_thread_that_somebody_resolved_stays_so(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a")))
    hub.threads[hub.by(BOT)[0]["id"]]["isResolved"] = True
    hub.log.clear()
    send(hub, plan(placed("a", gain_seconds=2.0)))
    assert f"POST {REVIEWS}" not in hub.writes()
    assert hub.threads[hub.by(BOT)[0]["id"]]["isResolved"] is True
    assert "1 in closed threads" in hub.issue_comments[0]["body"]


def test_a_forged_mark_is_not_trusted(hub: FakeGitHub) -> None:
    """Somebody writes our mark for a finding, to keep it from being said, and as a summary."""
    key = finding("a").fingerprint
    forged = hub.say(USER, "src/lbm.c", 11, f"{Mark(key)}\nall is well")
    hub.issue_comments.append({"_issue": NUMBER, "id": 1, "user": USER, "body": f"{Mark('summary')}\nno findings"})
    send(hub, plan(placed("a")))
    assert keys(hub) == [key]
    send(hub, plan())
    assert next(c for c in hub.review_comments if c["id"] == forged)["body"].endswith("all is well")
    assert hub.issue_comments[0]["body"].endswith("no findings")
    assert len(hub.issue_comments) == 2


def test_a_mark_inside_of_a_comment_of_the_same_account_is_not_ours(hub: FakeGitHub) -> None:
    """Another tool of the same account that quotes sources."""
    other = hub.say(BOT, "src/lbm.c", 11, f"typo in:\n{Mark(finding('a').fingerprint)}")
    send(hub, plan())
    assert next(c for c in hub.review_comments if c["id"] == other)["body"].startswith("typo")
    assert hub.writes() == []


def test_only_as_many_comments_as_wanted(hub: FakeGitHub) -> None:
    what = plan(*(placed(f"f{n}", line=10 + n) for n in range(8)), cap=3)
    send(hub, what)
    assert len(hub.by(BOT)) == 3
    assert hub.issue_comments[0]["body"].count("| [`src/lbm.c:") == 5


def test_an_untrusted_plan_does_not_decide_how_much_is_posted(hub: FakeGitHub) -> None:
    chosen = options()
    chosen.max_comments = 2
    environment = {"GITHUB_TOKEN": BOT_TOKEN, "GITHUB_API_URL": hub.base, "GITHUB_REPOSITORY": REPOSITORY}
    environment["GITHUB_REF"] = f"refs/pull/{NUMBER}/merge"
    what = plan(*(placed(f"f{n}", line=10 + n) for n in range(8)), cap=10_000)
    post.post(what, chosen, environment, Clock().sleep)
    assert len(hub.by(BOT)) == 2


def test_comments_stay_when_better_findings_push_them_beyond_the_cap(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a"), cap=1))
    send(hub, plan(placed("b", line=15), placed("a"), cap=1))
    assert sorted(keys(hub)) == sorted([finding("a").fingerprint, finding("b").fingerprint])
    assert not any("**Resolved:**" in c["body"] for c in hub.by(BOT))


def test_nothing_is_resolved_while_something_could_not_be_analysed(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a")))
    send(hub, plan(problems=(Trouble("src/lbm.c", "clang reported errors"),)))
    assert "**Resolved:**" not in hub.by(BOT)[0]["body"]
    assert "not everything could be analysed" in hub.issue_comments[0]["body"]


def test_lines_outside_of_the_diff_go_into_the_summary(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a"), placed("far", line=900), placed("gone", "src/gone.c", 3)))
    assert keys(hub) == [finding("a").fingerprint]
    assert "src/lbm.c:900" in hub.issue_comments[0]["body"]
    assert "src/gone.c:3" in hub.issue_comments[0]["body"]
    assert len(hub.asked("POST", REVIEWS)) == 1


def test_a_refused_review_is_posted_one_by_one(hub: FakeGitHub) -> None:
    hub.faults.append(Fault("POST", REVIEWS, 422, value={"message": "Unprocessable Entity", "errors": ["line"]}))
    hub.faults.append(Fault("POST", COMMENTS, 422, value={"message": "Unprocessable Entity", "errors": ["line"]}))
    send(hub, plan(placed("a"), placed("b", line=15)))
    assert keys(hub) == [finding("b").fingerprint]
    assert "src/lbm.c:12" in hub.issue_comments[0]["body"]


def test_a_file_without_a_shown_patch_is_tried_alone(hub: FakeGitHub) -> None:
    hub.pulls[NUMBER].files["src/big.c"] = None
    send(hub, plan(placed("a"), placed("big", "src/big.c", 3)))
    assert keys(hub) == [finding("a").fingerprint]
    assert len(hub.asked("POST", COMMENTS)) == 1
    assert "src/big.c:3" in hub.issue_comments[0]["body"]


def test_a_pull_request_of_more_than_3000_files(hub: FakeGitHub) -> None:
    """GitHub lists 3,000: a comment beyond these is tried alone, the rest is posted."""
    files: dict[str, str | None] = {f"src/f{n:04}.c": patch(10, 2) for n in range(3100)}
    hub.add_pull(NUMBER, HEAD, files)
    send(hub, plan(placed("a", "src/f0000.c", 10), placed("b", "src/f2999.c", 10), placed("c", "src/f3050.c", 10)))
    assert keys(hub) == [finding("a").fingerprint, finding("b").fingerprint]
    assert len(hub.asked("GET", f"{PULL}/files")) == 30
    assert len(hub.asked("POST", COMMENTS)) == 1
    assert "src/f3050.c:10" in hub.issue_comments[0]["body"]


def test_no_more_files_are_listed_than_needed(hub: FakeGitHub) -> None:
    hub.add_pull(NUMBER, HEAD, {f"src/f{n:04}.c": patch(10, 2) for n in range(1000)})
    send(hub, plan(placed("a", "src/f0150.c", 10)))
    assert len(hub.asked("GET", f"{PULL}/files")) == 2


def test_earlier_comments_are_found_on_later_pages(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a")))
    ours = hub.review_comments.pop()
    for n in range(250):
        hub.say(USER, "src/lbm.c", 11, f"remark {n}")
        hub.issue_comments.insert(0, {"_issue": NUMBER, "id": 10 + n, "user": USER, "body": "hm"})
    hub.review_comments.append(ours)
    hub.threads[ours["id"]] = hub.threads.pop(ours["id"])  # the last one of GraphQL's pages, too
    hub.log.clear()
    send(hub, plan(placed("a")))
    assert hub.writes() == []
    assert len(hub.asked("GET", COMMENTS)) == 3
    send(hub, plan(), token=BOT_TOKEN)
    assert "**Resolved:**" in ours["body"]


def test_nothing_is_posted_after_a_push(hub: FakeGitHub) -> None:
    hub.push(NUMBER, NEXT, hub.pulls[NUMBER].files, force=True)
    with pytest.raises(Failure, match=r"stands at c{12} now, and the plan is of a{12}"):
        send(hub, plan(placed("a")))
    assert hub.writes() == []


def test_a_force_push_between_looking_and_posting(hub: FakeGitHub) -> None:
    """The review is refused, since its commit is gone; nothing is posted in another way."""
    files = hub.pulls[NUMBER].files
    hub.hooks.append(("POST", REVIEWS, lambda: hub.push(NUMBER, NEXT, files, force=True)))
    with pytest.raises(Failure, match="stands at"):
        send(hub, plan(placed("a")))
    assert hub.by(BOT) == []
    assert hub.issue_comments == []


def test_lost_lines_are_commented_anew_and_the_old_comment_is_deleted(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a", line=12)))
    hub.push(NUMBER, NEXT, {"src/lbm.c": patch(40, 10)}, force=True)
    send(hub, plan(placed("a", line=42), head=NEXT))
    assert [(c["line"]) for c in hub.by(BOT)] == [42]
    written = hub.writes()
    assert written.index(f"POST {REVIEWS}", 2) < next(i for i, w in enumerate(written) if w.startswith("DELETE"))


@pytest.mark.parametrize("who", [USER, BOT])
def test_a_discussion_is_never_deleted(hub: FakeGitHub, who: dict[str, Any]) -> None:
    send(hub, plan(placed("a", line=12)))
    first = hub.by(BOT)[0]
    hub.say(who, "src/lbm.c", 12, "is that so?", reply_to=first["id"])
    hub.push(NUMBER, NEXT, {"src/lbm.c": patch(40, 10)}, force=True)
    send(hub, plan(placed("a", line=42), head=NEXT))
    assert [c["id"] for c in hub.by(BOT) if "in_reply_to_id" not in c] == [first["id"]]
    assert "now at `src/lbm.c:42`" in first["body"]
    hub.log.clear()
    send(hub, plan(placed("a", line=42), head=NEXT))
    assert hub.writes() == []


def test_doubled_comments_become_one(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a")))
    hub.say(BOT, "src/lbm.c", 12, hub.by(BOT)[0]["body"])
    send(hub, plan(placed("a")))
    assert len(hub.by(BOT)) == 1


@pytest.mark.parametrize("status", [0, 500, 502, 503, 504])
@pytest.mark.parametrize("path", [REVIEWS, SUMMARIES])
@pytest.mark.parametrize("after", [False, True])
def test_a_fault_while_posting_doubles_nothing_and_loses_nothing(
    hub: FakeGitHub, status: int, path: str, after: bool
) -> None:
    hub.faults.append(Fault("POST", path, status, after=after))
    assert send(hub, plan(placed("a"), placed("b", line=15))) == 0
    assert sorted(keys(hub)) == sorted([finding("a").fingerprint, finding("b").fingerprint])
    assert len(hub.issue_comments) == 1
    assert len(hub.asked("POST", path)) == (1 if after else 2)


def test_a_review_that_always_fails_is_posted_one_by_one(hub: FakeGitHub) -> None:
    hub.faults.append(Fault("POST", REVIEWS, 500, times=99))
    send(hub, plan(placed("a"), placed("b", line=15)))
    assert len(keys(hub)) == 2
    assert len(hub.asked("POST", REVIEWS)) == 2


def test_a_comment_that_always_fails_goes_into_the_summary(hub: FakeGitHub) -> None:
    hub.faults.append(Fault("POST", REVIEWS, 422, value={"message": "Unprocessable Entity"}, times=99))
    hub.faults.append(Fault("POST", COMMENTS, 500, times=2))
    send(hub, plan(placed("a"), placed("b", line=15)))
    assert keys(hub) == [finding("b").fingerprint]
    assert "src/lbm.c:12" in hub.issue_comments[0]["body"]


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_reads_and_edits_are_tried_again(hub: FakeGitHub, clock: Clock, method: str) -> None:
    send(hub, plan(placed("a")))
    hub.faults.append(Fault(method, f"/repos/{REPOSITORY}/.*", 502, times=3))
    send(hub, plan(placed("a", gain_seconds=1.0)), clock=clock)
    assert "saves about" in hub.by(BOT)[0]["body"]
    assert [s for s in clock.slept if s >= 1] != []


def test_a_host_that_stays_down_is_an_error(hub: FakeGitHub) -> None:
    hub.faults.append(Fault("GET", ".*", 503, times=99))
    with pytest.raises(Failure, match=r"GitHub cannot be reached at .*status 503"):
        send(hub, plan(placed("a")))


@pytest.mark.parametrize(
    ("status", "headers", "value"),
    [
        (429, {"retry-after": "7"}, {"message": "Too many requests"}),
        (403, {"retry-after": "7"}, {"message": "You have exceeded a secondary rate limit"}),
    ],
)
def test_secondary_limits(
    hub: FakeGitHub, clock: Clock, status: int, headers: dict[str, str], value: dict[str, str]
) -> None:
    hub.faults.append(Fault("POST", REVIEWS, status, headers, value))
    send(hub, plan(placed("a")), clock=clock)
    assert len(hub.by(BOT)) == 1
    assert 7.0 in clock.slept


def test_a_secondary_limit_without_a_time_waits_a_minute(hub: FakeGitHub, clock: Clock) -> None:
    hub.faults.append(
        Fault("GET", COMMENTS, 403, {}, {"message": "You have exceeded a secondary rate limit."}, times=2)
    )
    send(hub, plan(placed("a")), clock=clock)
    assert [s for s in clock.slept if s >= 60] == [60.0, 120.0]


def test_a_limit_that_lasts_too_long_says_until_when(hub: FakeGitHub) -> None:
    hub.faults.append(Fault("POST", REVIEWS, 403, {"retry-after": "7200"}, {"message": "rate limit"}))
    with pytest.raises(Failure, match=r"takes no more requests until \d\d:\d\d:\d\d UTC"):
        send(hub, plan(placed("a")))
    assert hub.by(BOT) == []


@pytest.mark.parametrize(
    ("words", "token", "message"),
    [
        (("--pull", "8"), BOT_TOKEN, "404"),
        (("--repository", "hpc/other"), BOT_TOKEN, "404"),
        ((), "ghs_wrongwrongwrong", "401: Bad credentials.*check the token in GITHUB_TOKEN"),
    ],
)
def test_refusals_say_what_to_do_and_never_the_token(
    hub: FakeGitHub, words: tuple[str, ...], token: str, message: str
) -> None:
    with pytest.raises(Failure, match=message) as raised:
        send(hub, plan(placed("a")), *words, token=token)
    assert token not in str(raised.value)


def test_a_token_without_the_right(hub: FakeGitHub) -> None:
    hub.rights.clear()
    with pytest.raises(Failure, match=r"403: Resource not accessible.*'pull-requests: write'"):
        send(hub, plan(placed("a")))


def test_the_pull_request_is_found_by_its_commit(hub: FakeGitHub) -> None:
    """A trusted job knows the commit of the run that made the plan, and no number."""
    for n in range(100, 260):
        hub.add_pull(n, f"{n:040x}", {})
    environment = {"GITHUB_TOKEN": BOT_TOKEN, "GITHUB_API_URL": hub.base, "GITHUB_REPOSITORY": REPOSITORY}
    environment["GITHUB_REF"] = "refs/heads/main"
    hub.pulls[NUMBER] = hub.pulls.pop(NUMBER)  # on the second page
    post.post(plan(placed("a")), options("--head", HEAD), environment, Clock().sleep)
    assert len(hub.by(BOT)) == 1
    with pytest.raises(Failure, match="no open pull request of hpc/lbm stands at cccc"):
        post.post(plan(placed("a"), head=NEXT), options("--head", NEXT), environment, Clock().sleep)


def test_a_plan_of_another_commit_than_the_trusted_one_is_refused(hub: FakeGitHub) -> None:
    """An untrusted job names a commit of somebody else's pull request."""
    with pytest.raises(Failure, match=r"the plan is of commit a{12}, not of c{12}"):
        send(hub, plan(placed("a")), "--head", NEXT)
    assert hub.log == []


def test_reviews_of_two_names_do_not_touch_each_other(hub: FakeGitHub) -> None:
    send(hub, plan(placed("a")), "--name", "gpu")
    send(hub, plan(placed("b", line=15)), "--name", "cpu")
    send(hub, plan(placed("b", line=15)), "--name", "cpu")
    assert not any("**Resolved:**" in c["body"] for c in hub.by(BOT))
    assert len(hub.by(BOT)) == 2
    assert len(hub.issue_comments) == 2


def test_bodies_fit(hub: FakeGitHub) -> None:
    long = "stride `` of \u202e @user | x " * 3000
    what = plan(
        placed("a", message=long, advice=long, suggestion=("int x;",)),
        *(placed(f"f{n}", "src/gone.c", 10 + n, message=long) for n in range(900)),
        cap=5,
        resolved=tuple(finding(f"r{n}", message=long) for n in range(900)),
        unplaced=tuple(finding(f"u{n}", message=long) for n in range(900)),
    )
    send(hub, what)
    assert "more" in hub.issue_comments[0]["body"]
    hub.log.clear()
    send(hub, replace(what))
    assert hub.writes() == []


def test_a_dry_run_writes_nothing(hub: FakeGitHub, capsys: pytest.CaptureFixture[str]) -> None:
    send(hub, plan(placed("a")), "--dry-run")
    assert hub.writes() == []
    shown = capsys.readouterr().out
    assert "--- create src/lbm.c:12" in shown
    assert "--- create summary" in shown
    assert "stride" in shown


@pytest.mark.parametrize(
    ("api", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://github.example.com/api/v3", "https://github.example.com/api/graphql"),
    ],
)
def test_the_address_of_graphql(api: str, graphql: str) -> None:
    assert github.graphql_address(api) == graphql


def test_writes_are_a_second_apart(hub: FakeGitHub, clock: Clock) -> None:
    send(hub, plan(placed("a"), placed("b", line=15)))
    send(hub, plan(), clock=clock)
    assert len([s for s in clock.slept if 0.5 < s <= 1.0]) >= 2
