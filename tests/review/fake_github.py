"""GitHub's API as documented (docs.github.com/rest, version 2022-11-28, and GraphQL), for one repository.

It is strict: unknown members, lines outside of the diff, commits of no pull request, texts that are too long and tokens
without the right are refused with the documented status and shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from fake_http import FakeServer, Reply, Request

REPOSITORY = "hpc/lbm"
BOT, BOT_TOKEN = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}, "ghs_secretOfTheBot0123456789"
USER, USER_TOKEN = {"login": "mona", "id": 1001, "type": "User"}, "ghp_secretOfMona0123456789"
MAX_BODY = 65_536
LISTED_FILES = 3000
_COMMENT_MEMBERS = {"path", "body", "line", "side", "start_line", "start_side"}


@dataclass
class Pull:
    number: int
    head: str
    files: dict[str, str | None]  # path: patch; None where GitHub shows none
    state: str = "open"
    commits: set[str] = field(default_factory=set)


def shown(patch: str | None) -> dict[int, int]:
    """Line on the right side -> hunk."""
    out: dict[int, int] = {}
    hunk, line = 0, 0
    for row in (patch or "").split("\n"):
        match = re.match(r"@@ -\d+(?:,\d+)? \+(\d+)", row)
        if match:
            hunk, line = hunk + 1, int(match[1])
        elif row[:1] in ("+", " "):
            out[line] = hunk
            line += 1
    return out


class FakeGitHub(FakeServer):
    def __init__(self) -> None:
        super().__init__()
        self.pulls: dict[int, Pull] = {}
        self.review_comments: list[dict[str, Any]] = []
        self.issue_comments: list[dict[str, Any]] = []
        self.threads: dict[int, dict[str, Any]] = {}  # by the number of its first comment
        self.reviews: list[dict[str, Any]] = []
        self.users = {BOT_TOKEN: BOT, USER_TOKEN: USER}
        self.contents_write = {USER_TOKEN}  # who may resolve threads
        self.graphql = True
        self.rights = {BOT_TOKEN, USER_TOKEN}  # pull-requests: write
        self._next = 5000
        pull = rf"/repos/{REPOSITORY}/pulls/(\d+)"
        self.routes = [
            ("GET", "/user", self._user),
            ("POST", "/graphql", self._graphql),
            ("GET", f"/repos/{REPOSITORY}/pulls", self._list_pulls),
            ("GET", pull, self._get_pull),
            ("GET", f"{pull}/files", self._files),
            ("GET", f"{pull}/comments", self._list_comments),
            ("POST", f"{pull}/comments", self._post_comment),
            ("POST", f"{pull}/reviews", self._post_review),
            ("PATCH", rf"/repos/{REPOSITORY}/pulls/comments/(\d+)", self._edit_review_comment),
            ("DELETE", rf"/repos/{REPOSITORY}/pulls/comments/(\d+)", self._delete_review_comment),
            ("GET", rf"/repos/{REPOSITORY}/issues/(\d+)/comments", self._list_issue_comments),
            ("POST", rf"/repos/{REPOSITORY}/issues/(\d+)/comments", self._post_issue_comment),
            ("PATCH", rf"/repos/{REPOSITORY}/issues/comments/(\d+)", self._edit_issue_comment),
            ("DELETE", rf"/repos/{REPOSITORY}/issues/comments/(\d+)", self._delete_issue_comment),
        ]

    # What tests do without the API.

    def add_pull(self, number: int, head: str, files: dict[str, str | None]) -> Pull:
        self.pulls[number] = Pull(number, head, files, commits={head})
        return self.pulls[number]

    def push(self, number: int, head: str, files: dict[str, str | None], *, force: bool = False) -> None:
        """Comments whose line the new diff does not show are outdated: their line is null."""
        pull = self.pulls[number]
        pull.head, pull.files = head, files
        pull.commits = {head} if force else {*pull.commits, head}
        for comment in self.review_comments:
            if comment["line"] not in shown(files.get(comment["path"])):
                comment["line"] = comment["position"] = None

    def say(self, user: dict[str, Any], path: str, line: int, body: str, reply_to: int | None = None) -> int:
        pull = next(iter(self.pulls.values()))
        return int(self._add_comment(pull, user, {"path": path, "line": line, "body": body}, 0, reply_to)["id"])

    def by(self, user: dict[str, Any]) -> list[dict[str, Any]]:
        return [c for c in self.review_comments if c["user"]["id"] == user["id"]]

    def _number(self) -> int:
        self._next += 1
        return self._next

    # The API.

    def checked(self, request: Request) -> Reply | None:
        if "user-agent" not in request.headers:
            return Reply(403, {"message": "Request forbidden by administrative rules."})
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or token not in self.users:
            return Reply(401, {"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"})
        if request.path != "/graphql" and request.headers.get("x-github-api-version") != "2022-11-28":
            return Reply(400, {"message": "version is not supported"})
        if request.method != "GET" and request.path != "/graphql" and token not in self.rights:
            return Reply(403, {"message": "Resource not accessible by integration"})
        return None

    def _who(self, request: Request) -> dict[str, Any]:
        return self.users[request.headers["authorization"].split()[1]]

    def _user(self, request: Request) -> Reply:
        who = self._who(request)
        if who["type"] == "Bot":
            return Reply(403, {"message": "Resource not accessible by integration"})
        return Reply(200, who)

    def _graphql(self, request: Request) -> Reply:
        token = request.headers["authorization"].split()[1]
        if not self.graphql:
            return Reply(403, {"message": "Resource not accessible by integration"})
        query, variables = request.body["query"], request.body["variables"]
        if "viewer" in query:
            return Reply(
                200,
                {"data": {"viewer": {"login": self._who(request)["login"], "databaseId": self._who(request)["id"]}}},
            )
        if "mutation" in query:
            if token not in self.contents_write:
                error = {"type": "FORBIDDEN", "message": "Resource not accessible by integration"}
                return Reply(200, {"data": {"resolveReviewThread": None}, "errors": [error]})
            thread = next((t for t in self.threads.values() if t["id"] == variables["id"]), None)
            if thread is None:
                return Reply(
                    200, {"data": None, "errors": [{"type": "NOT_FOUND", "message": "Could not resolve to a node"}]}
                )
            thread["isResolved"] = "unresolveReviewThread" not in query
            name = "resolveReviewThread" if thread["isResolved"] else "unresolveReviewThread"
            return Reply(200, {"data": {name: {"thread": thread}}})
        pull = self.pulls.get(variables["number"])
        if f"{variables['owner']}/{variables['name']}" != REPOSITORY or pull is None:
            return Reply(200, {"data": {"repository": None}, "errors": [{"type": "NOT_FOUND"}]})
        first = int(re.search(r"reviewThreads\(first: (\d+)", query)[1])  # type: ignore[index]
        assert first <= 100
        every = list(self.threads.items())
        begin = int(variables["after"] or 0)
        part = every[begin : begin + first]
        nodes = [{**thread, "comments": {"nodes": [{"databaseId": id_}]}} for id_, thread in part]
        page = {"hasNextPage": begin + first < len(every), "endCursor": str(begin + first)}
        threads = {"pageInfo": page, "nodes": nodes}
        return Reply(200, {"data": {"repository": {"pullRequest": {"reviewThreads": threads}}}})

    def _shown_pull(self, pull: Pull) -> dict[str, Any]:
        return {
            "number": pull.number,
            "state": pull.state,
            "html_url": f"https://github.com/{REPOSITORY}/pull/{pull.number}",
            "head": {"sha": pull.head, "ref": "topic"},
            "base": {"sha": "0" * 40, "ref": "main"},
            "changed_files": len(pull.files),
        }

    def _list_pulls(self, request: Request) -> Reply:
        return self.paged(
            request, [self._shown_pull(p) for p in self.pulls.values() if p.state == request.query["state"]]
        )

    def _get_pull(self, _request: Request, number: str) -> Reply:
        pull = self.pulls.get(int(number))
        return Reply(200, self._shown_pull(pull)) if pull else Reply(404, {"message": "Not Found"})

    def _files(self, request: Request, number: str) -> Reply:
        files = [
            {"sha": "f" * 40, "filename": path, "status": "modified", **({"patch": patch} if patch is not None else {})}
            for path, patch in list(self.pulls[int(number)].files.items())[:LISTED_FILES]
        ]
        return self.paged(request, files)

    def _list_comments(self, request: Request, number: str) -> Reply:
        return self.paged(request, [c for c in self.review_comments if c["_pull"] == int(number)])

    def _problem(self, pull: Pull, comment: dict[str, Any]) -> str:
        listed = dict(list(pull.files.items())[:LISTED_FILES])
        if not isinstance(comment.get("body"), str) or not comment["body"].strip():
            return "Body can't be blank"
        if len(comment["body"]) > MAX_BODY:
            return f"Body is too long (maximum is {MAX_BODY} characters)"
        if comment.get("path") not in listed:
            return "Path could not be resolved"
        lines = shown(listed[comment["path"]])
        if comment.get("side") != "RIGHT" or comment.get("line") not in lines:
            return "Pull request review thread line must be part of the diff"
        start = comment.get("start_line")
        if start is not None:
            if start >= comment["line"] or comment.get("start_side") != "RIGHT":
                return "Pull request review thread start line must precede the end line."
            if lines.get(start) != lines[comment["line"]]:
                return "Pull request review thread start line must be part of the same hunk as the line."
        return ""

    @staticmethod
    def _refused(*errors: str) -> Reply:
        return Reply(422, {"message": "Unprocessable Entity", "errors": list(errors), "status": "422"})

    def _add_comment(
        self, pull: Pull, user: dict[str, Any], made: dict[str, Any], review: int, reply_to: int | None = None
    ) -> dict[str, Any]:
        id_ = self._number()
        comment = {
            "_pull": pull.number,
            "id": id_,
            "node_id": f"PRRC_{id_}",
            "pull_request_review_id": review,
            "path": made["path"],
            "line": made["line"],
            "original_line": made["line"],
            "start_line": made.get("start_line"),
            "side": "RIGHT",
            "position": 1,
            "commit_id": pull.head,
            "original_commit_id": pull.head,
            "user": user,
            "body": made["body"],
            "diff_hunk": "@@",
            "html_url": f"https://github.com/{REPOSITORY}/pull/{pull.number}#discussion_r{id_}",
            **({} if reply_to is None else {"in_reply_to_id": reply_to}),
        }
        self.review_comments.append(comment)
        if reply_to is None:
            self.threads[id_] = {"id": f"PRRT_{id_}", "isResolved": False}
        return comment

    def _post_review(self, request: Request, number: str) -> Reply:
        pull, body = self.pulls[int(number)], request.body
        if (
            set(body) - {"commit_id", "body", "event", "comments"}
            or body.get("event") != "COMMENT"
            or not body.get("body")
        ):
            return self._refused("Invalid request.")
        if body.get("commit_id") not in pull.commits:
            return self._refused("Commit is not part of the pull request")
        for comment in body["comments"]:
            problem = "No subschema matched" if set(comment) - _COMMENT_MEMBERS else self._problem(pull, comment)
            if problem:
                return self._refused(problem)
        review = {"id": self._number(), "user": self._who(request), "body": body["body"], "state": "COMMENTED"}
        self.reviews.append(review)
        for comment in body["comments"]:
            self._add_comment(pull, self._who(request), comment, review["id"])
        return Reply(200, review)

    def _post_comment(self, request: Request, number: str) -> Reply:
        pull, body = self.pulls[int(number)], request.body
        if set(body) - _COMMENT_MEMBERS - {"commit_id"}:
            return self._refused("Invalid request.")
        if body.get("commit_id") not in pull.commits:
            return self._refused("Commit is not part of the pull request")
        problem = self._problem(pull, body)
        if problem:
            return self._refused(problem)
        return Reply(201, self._add_comment(pull, self._who(request), body, self._number()))

    def _list_issue_comments(self, request: Request, number: str) -> Reply:
        return self.paged(request, [c for c in self.issue_comments if c["_issue"] == int(number)])

    def _post_issue_comment(self, request: Request, number: str) -> Reply:
        if not request.body.get("body") or len(request.body["body"]) > MAX_BODY:
            return self._refused(f"Body is too long (maximum is {MAX_BODY} characters)")
        comment = {
            "_issue": int(number), "id": self._number(), "user": self._who(request), "body": request.body["body"]
        }  # fmt: skip
        self.issue_comments.append(comment)
        return Reply(201, comment)

    def _edit(self, comments: list[dict[str, Any]], request: Request, id_: str) -> Reply:
        for comment in comments:
            if comment["id"] == int(id_):
                if comment["user"] != self._who(request):
                    return Reply(403, {"message": "Resource not accessible by integration"})
                if len(request.body["body"]) > MAX_BODY:
                    return self._refused("Body is too long")
                comment["body"] = request.body["body"]
                return Reply(200, comment)
        return Reply(404, {"message": "Not Found"})

    def _delete(self, comments: list[dict[str, Any]], request: Request, id_: str) -> Reply:
        for comment in comments:
            if comment["id"] == int(id_):
                if comment["user"] != self._who(request):
                    return Reply(403, {"message": "Resource not accessible by integration"})
                comments.remove(comment)
                self.threads.pop(comment["id"], None)
                return Reply(204)
        return Reply(404, {"message": "Not Found"})

    def _edit_review_comment(self, request: Request, id_: str) -> Reply:
        return self._edit(self.review_comments, request, id_)

    def _delete_review_comment(self, request: Request, id_: str) -> Reply:
        return self._delete(self.review_comments, request, id_)

    def _edit_issue_comment(self, request: Request, id_: str) -> Reply:
        return self._edit(self.issue_comments, request, id_)

    def _delete_issue_comment(self, request: Request, id_: str) -> Reply:
        return self._delete(self.issue_comments, request, id_)
