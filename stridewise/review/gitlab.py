"""GitLab: discussions on lines of a merge request, a note as its summary."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Any

from stridewise.errors import Failure
from stridewise.review import comment, patches
from stridewise.review.comment import Mark
from stridewise.review.deliver import Earlier
from stridewise.review.http import Ambiguous, Client, HttpFailure
from stridewise.review.sync import Own, Wanted

HINTS = {
    401: "check the token in GITLAB_TOKEN; that of a CI job (CI_JOB_TOKEN) may not comment",
    403: "the token needs the scope 'api' and the role of a developer",
    404: "check --repository and --pull, and that the token may read the project",
}
_TRIES = 2
_PAGES_OF_REQUESTS = 20
_WAITS = 5  # for the commits of a diff that GitLab still prepares
_PROJECT = re.compile(r"[0-9]{1,18}|[A-Za-z0-9_.][A-Za-z0-9_./-]{1,254}")


def project_path(name: str) -> str:
    """A project's number or its path, as addresses name it."""
    if not _PROJECT.fullmatch(name) or ".." in name or "//" in name:
        raise Failure(f"'{name}' is no project of GitLab; write group/name or its number")
    return f"/projects/{urllib.parse.quote(name, safe='')}"


def find_request(client: Client, project: str, head: str) -> int:
    """The open merge request that stands at that commit."""
    pages = client.pages(
        f"{project_path(project)}/merge_requests", state="opened", order_by="updated_at", sort="desc", per_page=100
    )
    for count, page in enumerate(pages, 1):
        for request in page:
            if isinstance(request, dict) and request.get("sha") == head:
                return _integer(request, "iid")
        if count == _PAGES_OF_REQUESTS:
            break
    raise Failure(f"no open merge request of {project} stands at {head[:12]}; name one with --pull")


class GitLab:
    """One merge request."""

    dialect = comment.GITLAB

    def __init__(self, client: Client, project: str, number: int) -> None:
        self.what = f"merge request {number} of {project}"
        self._client = client
        self._request = f"{project_path(project)}/merge_requests/{number}"
        self._me: int | None = None
        self._head = ""
        self._web = ""
        self._references: Mapping[str, str] = {}
        self._failures: dict[str, int] = {}

    def head(self) -> str:
        request = self._client.get(self._request)
        self._head = _text(request, "sha")
        if not self._head:
            raise Failure(f"GitLab does not say at which commit {self.what} stands")
        found = request.get("diff_refs")
        self._references = found if isinstance(found, dict) else {}
        address = _text(request, "web_url").rsplit("/-/merge_requests/", 1)[0]
        self._web = address if re.fullmatch(r"https?://[A-Za-z0-9.:_/-]+", address) else ""
        return self._head

    def link(self, file: str, line: int) -> str:
        if not self._web or not self._head:
            return ""
        return f"{self._web}/-/blob/{self._head}/{urllib.parse.quote(file, errors='replace')}#L{line}"

    def settle(self, seconds: float) -> None:
        self._client.sleep(seconds)

    def earlier(self, name: str) -> Earlier:
        me = self._account()
        own: list[Own] = []
        summaries: list[tuple[str, str]] = []
        for discussion in self._client.items(f"{self._request}/discussions", per_page=100):
            notes = [n for n in discussion.get("notes") or [] if isinstance(n, dict)]
            if not notes or notes[0].get("system") or _account_of(notes[0]) != me:
                continue
            first, body = notes[0], _text(notes[0], "body")
            mark = Mark.of(body)
            if mark is None or mark.name != name:
                continue
            if mark.key == "summary":
                summaries.append((str(_integer(first, "id")), body))
                continue
            path, line = self._place(first)
            own.append(
                Own(
                    key=mark.key,
                    id=str(_integer(first, "id")),
                    body=body,
                    path=path,
                    line=line,
                    thread=urllib.parse.quote(_text(discussion, "id"), safe=""),
                    said_resolved=mark.resolved,
                    thread_resolved=first["resolved"] if isinstance(first.get("resolved"), bool) else None,
                    answered=any(not n.get("system") for n in notes[1:]),  # we never reply
                )
            )
        return Earlier(own, summaries)

    def _place(self, note: Mapping[str, Any]) -> tuple[str, int | None]:
        """GitLab moves a note along with its line, to the newest commit; one that stays behind has lost it."""
        position = note.get("position")
        if not isinstance(position, dict):
            return "", None
        line = position.get("new_line")
        current = position.get("head_sha") == self._head
        return _text(position, "new_path"), line if isinstance(line, int) and current else None

    def _account(self) -> int:
        if self._me is None:
            try:
                self._me = _integer(self._client.get("/user"), "id")
            except HttpFailure as error:
                if error.status not in (401, 403, 404):
                    raise
                try:  # the token of a CI job speaks for who started the job
                    self._me = _integer(self._client.get("/job").get("user"), "id")
                except (HttpFailure, AttributeError):
                    raise error from None
        return self._me

    def create(self, comments: Sequence[Wanted], head: str) -> list[Wanted]:
        references = self._diff_references(head)
        shown = self._patches({want.path for want in comments})
        rejected = []
        for want in comments:
            old_path, patch = shown.get(want.path, (want.path, None))
            known = patch is not None and bool(patch.lines)
            if (known and patch and want.line not in patch.lines) or self._failures.get(want.key, 0) >= _TRIES:
                rejected.append(want)
                continue
            position: dict[str, Any] = {
                "position_type": "text",
                **references,
                "new_path": want.path,
                "old_path": old_path,
                "new_line": want.line,
            }
            old_line = patch.old_line(want.line) if known and patch else None
            if old_line is not None:  # an unchanged line is named on both sides
                position["old_line"] = old_line
            if not self._post(want, position):
                rejected.append(want)
        return rejected

    def _post(self, want: Wanted, position: Mapping[str, Any]) -> bool:
        try:
            self._client.post(f"{self._request}/discussions", {"body": want.body, "position": dict(position)})
        except Ambiguous:
            self._failures[want.key] = self._failures.get(want.key, 0) + 1
            raise
        except HttpFailure as error:
            if error.status not in (400, 422):
                raise
            return False
        return True

    def _diff_references(self, head: str) -> dict[str, str]:
        """The three commits of the diff. GitLab makes it after a push, a while later."""
        for attempt in range(_WAITS):
            found = {name: _text(self._references, name) for name in ("base_sha", "start_sha", "head_sha")}
            if all(found.values()) and found["head_sha"] == head:
                return found
            self._client.sleep(2.0**attempt)
            if self.head() != head:
                break
        raise Failure(f"GitLab has no diff of {self.what} at {head[:12]}; run it again later")

    def _patches(self, paths: set[str]) -> dict[str, tuple[str, patches.Patch | None]]:
        """New path -> (old path, its patch, None where GitLab shows none), of those files."""
        out: dict[str, tuple[str, patches.Patch | None]] = {}
        for file in self._client.items(f"{self._request}/diffs", per_page=100):
            path, diff = _text(file, "new_path"), _text(file, "diff")
            if path in paths and path not in out:
                out[path] = (_text(file, "old_path") or path, patches.parse(diff) if diff else None)
                if len(out) == len(paths):
                    break
        return out

    def update(self, own: Own, body: str) -> None:
        self._client.put(f"{self._request}/discussions/{own.thread}/notes/{own.id}", {"body": body})

    def resolve(self, own: Own, body: str) -> None:
        self.update(own, body)
        if own.thread_resolved is False:
            self._client.put(f"{self._request}/discussions/{own.thread}", {"resolved": True})

    def reopen(self, own: Own, body: str) -> None:
        self.update(own, body)
        if own.thread_resolved is True:
            self._client.put(f"{self._request}/discussions/{own.thread}", {"resolved": False})

    def delete(self, own: Own) -> None:
        self._client.delete(f"{self._request}/discussions/{own.thread}/notes/{own.id}")

    def summarise(self, id_: str, body: str) -> None:
        if id_:
            self._client.put(f"{self._request}/notes/{id_}", {"body": body})
        else:
            self._client.post(f"{self._request}/notes", {"body": body})

    def unsummarise(self, id_: str) -> None:
        self._client.delete(f"{self._request}/notes/{id_}")


def _text(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _integer(value: Any, name: str) -> int:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, int) or isinstance(found, bool):
        raise Failure(f"GitLab's answer has no number '{name}'")
    return found


def _account_of(note: Mapping[str, Any]) -> int | None:
    author = note.get("author")
    found = author.get("id") if isinstance(author, dict) else None
    return found if isinstance(found, int) else None
