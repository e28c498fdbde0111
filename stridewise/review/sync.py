"""What is to be done so that the comments of a change say what the plan says: pure, and the same twice does nothing.

Comments are known by their fingerprints. Only comments of our own account that carry our mark are in `own`; whatever
else there is stays untouched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    REOPEN = "reopen"
    RESOLVE = "resolve"
    DELETE = "delete"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Own:
    """An earlier comment of ours."""

    key: str
    id: str
    body: str
    path: str = ""
    line: int | None = None  # None: its lines are gone from the diff
    thread: str = ""  # what is to be resolved; empty where the host does not tell
    said_resolved: bool = False  # its mark says that we resolved it
    thread_resolved: bool | None = None  # None: the host does not tell
    answered: bool = False  # somebody wrote in its thread


@dataclass(frozen=True, slots=True)
class Wanted:
    """A comment that should be there; `moved` is its text where the lines are lost but people answered."""

    key: str
    path: str
    line: int
    end_line: int
    body: str
    moved: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    kind: Kind
    wanted: Wanted | None = None
    own: Own | None = None
    body: str = ""
    why: str = ""


def steps(
    wanted: Sequence[Wanted],
    present: Iterable[str],
    own: Sequence[Own],
    resolution: Callable[[Own, str], str],
    *,
    complete: bool = True,
) -> list[Step]:
    """The steps in the order in which they are to be taken: nothing is deleted before its successor is there.

    `present` are the fingerprints of all findings that stand, commented or not: their comments are never resolved.
    `resolution(own, why)` is the text of a resolved comment. Unless the analysis was `complete`, a finding that is
    not there proves nothing, and its comment stays.
    """
    by_key: dict[str, list[Own]] = {}
    for comment in own:
        by_key.setdefault(comment.key, []).append(comment)
    out: list[Step] = []
    cleaning: list[Step] = []
    seen: set[str] = set()
    for want in wanted:
        if want.key in seen:
            continue
        seen.add(want.key)
        best, others = _best(by_key.get(want.key, ()))
        step = _present(want, best)
        out.append(step)
        if step.kind is Kind.CREATE and best:
            cleaning += _superseded(best, resolution)
        for other in others:
            cleaning += _superseded(other, resolution)
    standing = {*present, *seen}
    for key, comments in by_key.items():
        if key in standing:
            if key not in seen:
                out += [Step(Kind.KEEP, own=c, why="the finding stands") for c in comments]
            continue
        out += [_gone(c, resolution, complete) for c in comments]
    return out + cleaning


def same(a: str, b: str) -> bool:
    """Whether two bodies are one, whatever a host made of line ends and blanks at the end."""
    return _normal(a) == _normal(b)


def _normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))


def _best(comments: Sequence[Own]) -> tuple[Own | None, list[Own]]:
    """The comment to go on with: one with answers, then one whose lines are there, then the first."""
    if not comments:
        return None, []
    order = sorted(range(len(comments)), key=lambda i: (not comments[i].answered, comments[i].line is None, i))
    return comments[order[0]], [comments[i] for i in order[1:]]


def _closed_by_people(own: Own) -> bool:
    return own.thread_resolved is True and not own.said_resolved


def _present(want: Wanted, own: Own | None) -> Step:
    if own is None:
        return Step(Kind.CREATE, want, body=want.body)
    if _closed_by_people(own):
        return Step(Kind.KEEP, want, own, why="somebody resolved the thread")
    if own.line is None and not own.answered:
        return Step(Kind.CREATE, want, body=want.body, why="its lines are gone from the diff")
    body = want.body if own.line is not None else want.moved or want.body
    if own.said_resolved:
        return Step(Kind.REOPEN, want, own, body)
    if same(own.body, body):
        return Step(Kind.KEEP, want, own, why="it says so already")
    return Step(Kind.UPDATE, want, own, body)


def _superseded(own: Own, resolution: Callable[[Own, str], str]) -> list[Step]:
    if not own.answered:
        return [Step(Kind.DELETE, own=own)]
    if own.said_resolved:
        return []
    return [Step(Kind.RESOLVE, own=own, body=resolution(own, "said again on the lines where it is now"))]


def _gone(own: Own, resolution: Callable[[Own, str], str], complete: bool) -> Step:
    if own.said_resolved:
        return Step(Kind.KEEP, own=own, why="it is resolved already")
    if not complete:
        return Step(Kind.KEEP, own=own, why="not everything could be analysed")
    return Step(Kind.RESOLVE, own=own, body=resolution(own, ""))
