"""GitLab's API as documented (docs.gitlab.com/api: merge requests, discussions, notes), for one project.

A position must name the three commits of the newest diff, both paths, and a line on the sides where it is: an added
line on the new one, an unchanged line on both. Lines of a text that begin with a slash are orders to GitLab.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from fake_http import FakeServer, Reply, Request
from plans import BASE

PROJECT, NUMBER = "hpc/lbm", 42
BOT, BOT_TOKEN = {"id": 77, "username": "project_42_bot", "name": "review"}, "glpat-secretOfTheBot01234"
USER, USER_TOKEN = {"id": 5, "username": "mona", "name": "Mona"}, "glpat-secretOfMona0123456"
JOB_TOKEN = "glcbt-64_secretOfTheJob01234"
MAX_BODY = 1_000_000


@dataclass
class DiffFile:
    diff: str
    old_path: str = ""
    collapsed: bool = False


@dataclass
class MergeRequest:
    iid: int
    head: str
    files: dict[str, DiffFile]
    diff_head: str = ""  # what the diff was made of: later than a push
    ready_after: int = 0  # how many more looks until the diff is of the newest commit
    discussions: list[dict[str, Any]] = field(default_factory=list)


def shown(diff: str) -> dict[int, int | None]:
    """New line -> old line, None where it was added."""
    out: dict[int, int | None] = {}
    old = new = 0
    for row in diff.split("\n"):
        match = re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)", row)
        if match:
            old, new = int(match[1]), int(match[2])
        elif row[:1] == "+":
            out[new] = None
            new += 1
        elif row[:1] == "-":
            old += 1
        elif row[:1] == " ":
            out[new] = old
            old, new = old + 1, new + 1
    return out


def orders(body: str) -> list[str]:
    """Quick actions: lines that begin with /word, outside of blocks of code."""
    out, fence = [], ""
    for line in body.split("\n"):
        mark = re.match(r"\s{0,3}(`{3,})", line)
        if fence:
            fence = "" if mark and len(mark[1]) >= len(fence) and line.strip() == mark[1] else fence
        elif mark:
            fence = mark[1]
        elif re.match(r"/[a-z_]+", line):
            out.append(line)
    return out


class FakeGitLab(FakeServer):
    def __init__(self) -> None:
        super().__init__()
        self.requests: dict[int, MergeRequest] = {}
        self.users = {BOT_TOKEN: BOT, USER_TOKEN: USER}
        self.developers = {BOT["id"], USER["id"]}
        self.orders: list[str] = []
        self._next = 100
        request = r"/projects/(?:42|hpc%2Flbm)/merge_requests/(\d+)"
        note = r"([0-9a-f]{40})/notes/(\d+)"
        self.routes = [
            ("GET", "/user", lambda r: Reply(200, self._who(r))),
            ("GET", r"/projects/(?:42|hpc%2Flbm)/merge_requests", self._list_requests),
            ("GET", request, self._get_request),
            ("GET", f"{request}/diffs", self._diffs),
            ("GET", f"{request}/discussions", self._list_discussions),
            ("POST", f"{request}/discussions", self._post_discussion),
            ("PUT", f"{request}/discussions/([0-9a-f]{{40}})", self._resolve),
            ("PUT", f"{request}/discussions/{note}", self._edit_discussion_note),
            ("DELETE", f"{request}/discussions/{note}", self._delete_discussion_note),
            ("POST", f"{request}/notes", self._post_note),
            ("PUT", f"{request}/notes/(\\d+)", self._edit_note),
            ("DELETE", f"{request}/notes/(\\d+)", self._delete_note),
        ]

    # What tests do without the API.

    def add_request(self, iid: int, head: str, files: dict[str, DiffFile]) -> MergeRequest:
        self.requests[iid] = MergeRequest(iid, head, files, head)
        return self.requests[iid]

    def push(self, iid: int, head: str, files: dict[str, DiffFile]) -> None:
        """Notes whose line is in the new diff go along with it; the others stay at the old commit."""
        request = self.requests[iid]
        request.head = request.diff_head = head
        request.files = files
        for note in self.notes(iid):
            position = note.get("position")
            if position and position["new_line"] in shown(files.get(position["new_path"], DiffFile("")).diff):
                position["head_sha"] = head

    def notes(self, iid: int) -> list[dict[str, Any]]:
        return [note for discussion in self.requests[iid].discussions for note in discussion["notes"]]

    def by(self, user: dict[str, Any], iid: int = 1) -> list[dict[str, Any]]:
        """The notes on lines."""
        return [note for note in self.notes(iid) if note["author"] == user and note["type"] == "DiffNote"]

    def summaries(self, iid: int = 1) -> list[dict[str, Any]]:
        return [note for note in self.notes(iid) if note["type"] is None]

    def say(self, user: dict[str, Any], body: str, iid: int = 1, reply_to: int | None = None) -> int:
        made = self._note(user, body, None)
        if reply_to is None:
            self.requests[iid].discussions.append(self._discussion([made], True))
        else:
            next(d for d in self.requests[iid].discussions if d["notes"][0]["id"] == reply_to)["notes"].append(made)
        return int(made["id"])

    # The API.

    def checked(self, request: Request) -> Reply | None:
        token = request.headers.get("private-token")
        if token is None and request.headers.get("job-token") == JOB_TOKEN:
            if request.path == "/job":
                return Reply(200, {"id": 9, "user": USER})
            return Reply(401, {"message": "401 Unauthorized"})
        return None if token in self.users else Reply(401, {"message": "401 Unauthorized"})

    def _who(self, request: Request) -> dict[str, Any]:
        return self.users[request.headers["private-token"]]

    def _shown(self, request: MergeRequest) -> dict[str, Any]:
        references = {"base_sha": BASE, "start_sha": BASE, "head_sha": request.diff_head}
        return {
            "id": 1000 + request.iid,
            "iid": request.iid,
            "state": "opened",
            "sha": request.head,
            "diff_refs": references,
            "web_url": f"https://gitlab.com/{PROJECT}/-/merge_requests/{request.iid}",
        }

    def _list_requests(self, request: Request) -> Reply:
        return self.paged(request, [self._shown(r) for r in self.requests.values()])

    def _get_request(self, _request: Request, iid: str) -> Reply:
        found = self.requests.get(int(iid))
        if found is None:
            return Reply(404, {"message": "404 Not found"})
        if found.diff_head != found.head:
            found.ready_after -= 1
            if found.ready_after < 0:
                found.diff_head = found.head
        return Reply(200, self._shown(found))

    def _diffs(self, request: Request, iid: str) -> Reply:
        files = [
            {
                "old_path": file.old_path or path,
                "new_path": path,
                "a_mode": "100644",
                "b_mode": "100644",
                "diff": "" if file.collapsed else file.diff,
                "collapsed": file.collapsed,
                "too_large": False,
                "new_file": False,
                "renamed_file": bool(file.old_path),
                "deleted_file": False,
            }
            for path, file in self.requests[int(iid)].files.items()
        ]
        return self.paged(request, files)

    def _list_discussions(self, request: Request, iid: str) -> Reply:
        return self.paged(request, self.requests[int(iid)].discussions)

    def _discussion(self, notes: list[dict[str, Any]], individual: bool) -> dict[str, Any]:
        self._next += 1
        return {"id": f"{self._next:040x}", "individual_note": individual, "notes": notes}

    def _note(self, user: dict[str, Any], body: str, position: dict[str, Any] | None) -> dict[str, Any]:
        self._next += 1
        self.orders += orders(body)
        note = {
            "id": self._next,
            "type": "DiffNote" if position else None,
            "body": body,
            "author": user,
            "system": False,
            "resolvable": position is not None,
        }
        return {**note, "position": dict(position), "resolved": False} if position else note

    @staticmethod
    def _refused(why: str) -> Reply:
        return Reply(400, {"message": f"400 Bad request - Note {{{why}}}"})

    def _problem(self, request: MergeRequest, position: dict[str, Any]) -> str:
        commits = {"base_sha": BASE, "start_sha": BASE, "head_sha": request.diff_head}
        if position.get("position_type") != "text" or any(position.get(n) != sha for n, sha in commits.items()):
            return ':position=>["is incomplete"]'
        known = {"position_type", "old_path", "new_path", "old_line", "new_line", *commits}
        file = request.files.get(str(position.get("new_path")))
        if set(position) - known or file is None or position.get("old_path") != (file.old_path or position["new_path"]):
            return ':line_code=>["can\'t be blank"]'
        lines = shown(file.diff)
        line = position.get("new_line")
        if line not in lines or lines[line] != position.get("old_line"):
            return ':line_code=>["can\'t be blank", "must be a valid line code"]'
        return ""

    def _post_discussion(self, request: Request, iid: str) -> Reply:
        found, body = self.requests[int(iid)], request.body
        if not body.get("body") or len(body["body"]) > MAX_BODY or set(body) - {"body", "position"}:
            return self._refused(':note=>["can\'t be blank"]')
        problem = self._problem(found, body["position"])
        if problem:
            return self._refused(problem)
        made = self._discussion([self._note(self._who(request), body["body"], body["position"])], False)
        found.discussions.append(made)
        return Reply(201, made)

    def _resolve(self, request: Request, iid: str, id_: str) -> Reply:
        if self._who(request)["id"] not in self.developers:
            return Reply(403, {"message": "403 Forbidden"})
        for discussion in self.requests[int(iid)].discussions:
            if discussion["id"] == id_ and isinstance(request.body.get("resolved"), bool):
                for note in discussion["notes"]:
                    note["resolved"] = request.body["resolved"]
                return Reply(200, discussion)
        return Reply(404, {"message": "404 Discussion Not Found"})

    def _change(self, request: Request, iid: str, id_: str) -> Reply:
        for discussion in self.requests[int(iid)].discussions:
            for note in discussion["notes"]:
                if note["id"] != int(id_):
                    continue
                if note["author"] != self._who(request):
                    return Reply(403, {"message": "403 Forbidden"})
                if request.method == "DELETE":
                    discussion["notes"].remove(note)
                    if not discussion["notes"]:
                        self.requests[int(iid)].discussions.remove(discussion)
                    return Reply(204)
                note["body"] = request.body["body"]
                self.orders += orders(note["body"])
                return Reply(200, note)
        return Reply(404, {"message": "404 Note Not Found"})

    def _edit_discussion_note(self, request: Request, iid: str, _discussion: str, id_: str) -> Reply:
        return self._change(request, iid, id_)

    def _delete_discussion_note(self, request: Request, iid: str, _discussion: str, id_: str) -> Reply:
        return self._change(request, iid, id_)

    def _edit_note(self, request: Request, iid: str, id_: str) -> Reply:
        return self._change(request, iid, id_)

    def _delete_note(self, request: Request, iid: str, id_: str) -> Reply:
        return self._change(request, iid, id_)

    def _post_note(self, request: Request, iid: str) -> Reply:
        if not request.body.get("body") or len(request.body["body"]) > MAX_BODY:
            return self._refused(':note=>["can\'t be blank"]')
        made = self._note(self._who(request), request.body["body"], None)
        self.requests[int(iid)].discussions.append(self._discussion([made], True))
        return Reply(201, made)
