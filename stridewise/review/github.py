"""GitHub: reviews by the REST API, threads by GraphQL, where the token may use it."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.review import comment, patches
from stridewise.review.comment import Mark
from stridewise.review.deliver import Earlier
from stridewise.review.http import Ambiguous, Client, HttpFailure
from stridewise.review.sync import Own, Wanted

HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
HINTS = {
    401: "check the token in GITHUB_TOKEN",
    403: "the token needs the permission 'pull-requests: write'",
    404: "check --repository and --pull, and that the token may read the repository",
}
_LISTED_FILES = 3000  # GitHub lists no more files of a pull request
_COMMENTS_A_REVIEW = 50
_PAGES_OF_PULLS = 20
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9._-]{1,100}")
_TRIES = 2  # of what fails on the host's side, before it goes into the summary

_VIEWER = "query { viewer { login databaseId } }"
_THREADS = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) { pageInfo { hasNextPage endCursor }
      nodes { id isResolved comments(first: 1) { nodes { databaseId } } } } } } }"""
_RESOLVE = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }"
_REOPEN = "mutation($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }"


def graphql_address(api: str) -> str:
    """https://api.github.com -> …/graphql, https://host/api/v3 -> https://host/api/graphql"""
    return api.removesuffix("/v3") + "/graphql"


def check_repository(name: str) -> str:
    if not _REPOSITORY.fullmatch(name) or name.endswith(("/.", "/..")):
        raise Failure(f"'{name}' is no repository of GitHub; write owner/name")
    return name


def find_pull(client: Client, repository: str, head: str) -> int:
    """The open pull request that stands at that commit."""
    pages = client.pages(f"/repos/{repository}/pulls", state="open", sort="updated", direction="desc", per_page=100)
    for count, page in enumerate(pages, 1):
        for pull in page:
            if _text(pull, "head", "sha") == head:
                return _integer(pull, "number")
        if count == _PAGES_OF_PULLS:
            break
    raise Failure(f"no open pull request of {repository} stands at {head[:12]}; name one with --pull")


class GitHub:
    """One pull request."""

    dialect = comment.GITHUB

    def __init__(self, client: Client, repository: str, number: int) -> None:
        self.what = f"pull request {number} of {repository}"
        self._client = client
        self._repository = repository
        self._number = number
        self._pull = f"/repos/{repository}/pulls/{number}"
        self._graphql = graphql_address(client.base)
        self._web = ""
        self._head = ""
        self._me: int | None = None
        self._failures: dict[str, int] = {}
        self._may_resolve = True

    def head(self) -> str:
        pull = self._client.get(self._pull)
        self._head = _text(pull, "head", "sha")
        address = _text(pull, "html_url").rsplit("/pull/", 1)[0]
        self._web = address if re.fullmatch(r"https?://[A-Za-z0-9.:_/-]+", address) else ""
        if not self._head:
            raise Failure(f"GitHub does not say at which commit {self.what} stands")
        return self._head

    def link(self, file: str, line: int) -> str:
        if not self._web or not self._head:
            return ""
        return f"{self._web}/blob/{self._head}/{urllib.parse.quote(file, errors='replace')}#L{line}"

    def settle(self, seconds: float) -> None:
        self._client.sleep(seconds)

    def earlier(self, name: str) -> Earlier:
        me = self._account()
        threads = self._threads()
        listed = list(self._client.items(f"{self._pull}/comments", per_page=100))
        # We never reply: whoever did, with our account too, was somebody who wants to keep it.
        answered = {c["in_reply_to_id"] for c in listed if isinstance(c.get("in_reply_to_id"), int)}
        own = []
        for c in listed:
            mark = Mark.of(_text(c, "body"))
            if mark is None or mark.key == "summary" or mark.name != name or _account_of(c) != me:
                continue
            if c.get("in_reply_to_id") is not None or not isinstance(c.get("id"), int):
                continue
            thread, resolved = threads.get(c["id"], ("", None))
            line = c.get("line")
            own.append(
                Own(
                    key=mark.key,
                    id=str(c["id"]),
                    body=_text(c, "body"),
                    path=_text(c, "path"),
                    line=line if isinstance(line, int) else None,
                    thread=thread,
                    said_resolved=mark.resolved,
                    thread_resolved=resolved,
                    answered=c["id"] in answered,
                )
            )
        return Earlier(own, list(self._summaries(me, name)))

    def _summaries(self, me: int, name: str) -> Iterator[tuple[str, str]]:
        for c in self._client.items(f"/repos/{self._repository}/issues/{self._number}/comments", per_page=100):
            mark = Mark.of(_text(c, "body"))
            if mark and mark.key == "summary" and mark.name == name and _account_of(c) == me:
                yield str(_integer(c, "id")), _text(c, "body")

    def _account(self) -> int:
        """The number of the account that the token speaks for. Tokens of Actions have no /user, but a viewer."""
        if self._me is None:
            viewer = _child(self._ask(_VIEWER, {}) or {}, "viewer")
            if not isinstance(viewer.get("databaseId"), int):
                viewer = {"databaseId": _integer(self._client.get("/user"), "id")}
            self._me = int(viewer["databaseId"])
        return self._me

    def _ask(self, query: str, variables: Mapping[str, Any]) -> dict[str, Any] | None:
        """The data of a GraphQL request; None where it is refused or not there. All of ours can be repeated."""
        body = {"query": query, "variables": dict(variables)}
        try:
            value = self._client.post(self._graphql, body, repeatable=True)
        except HttpFailure as error:
            if error.status in (401, 429) or error.status == 0:
                raise
            return None
        if not isinstance(value, dict) or value.get("errors") or not isinstance(value.get("data"), dict):
            return None
        data: dict[str, Any] = value["data"]
        return data

    def _threads(self) -> dict[int, tuple[str, bool]]:
        """First comment of a thread -> (thread, whether it is resolved); empty where GraphQL is out of reach."""
        owner, name = self._repository.split("/")
        out: dict[int, tuple[str, bool]] = {}
        after: str | None = None
        while True:
            data = self._ask(_THREADS, {"owner": owner, "name": name, "number": self._number, "after": after})
            listed = _child(data or {}, "repository", "pullRequest", "reviewThreads")
            for node in listed.get("nodes") or []:
                first = (_child(node, "comments").get("nodes") or [{}])[0]
                if isinstance(first.get("databaseId"), int):
                    out[first["databaseId"]] = (_text(node, "id"), node.get("isResolved") is True)
            page = _child(listed, "pageInfo")
            following = page.get("endCursor")
            if page.get("hasNextPage") is not True or not isinstance(following, str) or following == after:
                return out
            after = following

    def create(self, comments: Sequence[Wanted], head: str) -> list[Wanted]:
        sure, single, rejected = self._sorted(comments)
        for begin in range(0, len(sure), _COMMENTS_A_REVIEW):
            single += self._review(sure[begin : begin + _COMMENTS_A_REVIEW], head)
        for want in single:
            if not self._post(want, head):
                rejected.append(want)
        return rejected

    def _sorted(self, comments: Sequence[Wanted]) -> tuple[list[Wanted], list[Wanted], list[Wanted]]:
        """(lines of the diff, those that GitHub does not list, those that are not in the diff)."""
        missing = {want.path for want in comments}
        shown: dict[str, patches.Patch | None] = {}
        count = 0
        for file in self._client.items(f"{self._pull}/files", per_page=100):
            count += 1
            path = _text(file, "filename")
            if path in missing:
                missing.discard(path)
                patch = file.get("patch")  # absent for what is binary or too long
                shown[path] = patches.parse(patch) if isinstance(patch, str) else None
                if not missing:
                    break
        sure: list[Wanted] = []
        unsure: list[Wanted] = []
        not_there: list[Wanted] = []
        for want in comments:
            patch = shown.get(want.path)
            if patch is not None:
                (sure if patch.holds(want.line, want.end_line) else not_there).append(want)
            else:
                (unsure if want.path in shown or count >= _LISTED_FILES else not_there).append(want)
        return sure, unsure, not_there

    def _review(self, comments: Sequence[Wanted], head: str) -> list[Wanted]:
        """Posts all as one review; returns them where GitHub takes not all, for it names no culprit."""
        if not comments or self._failures.get("review", 0) >= _TRIES:
            return list(comments)
        count = len(comments)
        body = f"Stridewise: {count} finding{'' if count == 1 else 's'} on lines of this change."
        review = {
            "commit_id": head,
            "event": "COMMENT",
            "body": body,
            "comments": [{"path": w.path, "body": w.body, **_lines(w)} for w in comments],
        }
        try:
            self._client.post(f"{self._pull}/reviews", review)
        except Ambiguous:
            self._failures["review"] = self._failures.get("review", 0) + 1
            raise
        except HttpFailure as error:
            if error.status != 422:
                raise
            return list(comments)
        return []

    def _post(self, want: Wanted, head: str) -> bool:
        if self._failures.get(want.key, 0) >= _TRIES:
            return False
        body = {"commit_id": head, "path": want.path, "body": want.body, **_lines(want)}
        try:
            self._client.post(f"{self._pull}/comments", body)
        except Ambiguous:
            self._failures[want.key] = self._failures.get(want.key, 0) + 1
            raise
        except HttpFailure as error:
            if error.status != 422:
                raise
            return False
        return True

    def update(self, own: Own, body: str) -> None:
        self._client.patch(f"/repos/{self._repository}/pulls/comments/{own.id}", {"body": body})

    def resolve(self, own: Own, body: str) -> None:
        self.update(own, body)
        if own.thread_resolved is not True:
            self._set(own, _RESOLVE)

    def reopen(self, own: Own, body: str) -> None:
        self.update(own, body)
        if own.thread_resolved is not False:
            self._set(own, _REOPEN)

    def _set(self, own: Own, mutation: str) -> None:
        if not own.thread or not self._may_resolve:
            return
        self._client.pace()
        if self._ask(mutation, {"id": own.thread}) is None:
            self._may_resolve = False
            remark(
                "GitHub lets this token not resolve threads, which needs 'contents: write' besides 'pull-requests: "
                "write'; the comments say that they are resolved"
            )

    def delete(self, own: Own) -> None:
        self._client.delete(f"/repos/{self._repository}/pulls/comments/{own.id}")

    def summarise(self, id_: str, body: str) -> None:
        if id_:
            self._client.patch(f"/repos/{self._repository}/issues/comments/{id_}", {"body": body})
        else:
            self._client.post(f"/repos/{self._repository}/issues/{self._number}/comments", {"body": body})

    def unsummarise(self, id_: str) -> None:
        self._client.delete(f"/repos/{self._repository}/issues/comments/{id_}")


def _lines(want: Wanted) -> dict[str, Any]:
    lines: dict[str, Any] = {"line": want.end_line, "side": "RIGHT"}
    if want.line != want.end_line:
        lines |= {"start_line": want.line, "start_side": "RIGHT"}
    return lines


def _child(value: Any, *names: str) -> dict[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _text(value: Any, *names: str) -> str:
    found = _child(value, *names[:-1]).get(names[-1])
    return found if isinstance(found, str) else ""


def _integer(value: Any, name: str) -> int:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, int) or isinstance(found, bool):
        raise Failure(f"GitHub's answer has no number '{name}'")
    return found


def _account_of(entry: Mapping[str, Any]) -> int | None:
    found = _child(entry, "user").get("id")
    return found if isinstance(found, int) else None
