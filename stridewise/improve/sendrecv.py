"""A send with the receive behind it becomes one MPI_Sendrecv, so that no rank waits for its receiver to get there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stridewise.finding import Edit, Finding
from stridewise.improve.compiling import Build
from stridewise.improve.edits import Recipe, Refused, argument_spans, blank, closing, place

_GUARD = re.compile(r"if\s*\(")
_OPEN = re.compile(r"\s*(?P<brace>\{)?\s*")
_SEND, _RECEIVE = re.compile(r"MPI_S?[Ss]end\s*\("), re.compile(r"MPI_Recv\s*\(")
_EFFECT = re.compile(r"\+\+|--|[^=!<>]=[^=]|\w\s*\(")


@dataclass(frozen=True)
class _Statement:
    """`call(arguments);`, or the same under `if (guard)`, at [begin, end)."""

    begin: int
    end: int
    guard: str
    arguments: tuple[str, ...]

    def partner(self, named: str) -> str:
        return f"({self.guard}) ? {named} : MPI_PROC_NULL" if self.guard else named


def exchange(finding: Finding, _build: Build) -> Recipe:
    """Send and receive that follow each other become one call. A message under a condition goes to, or comes from,
    MPI_PROC_NULL where the condition does not hold."""
    at = place(finding)
    plain = blank(at.text)
    begin = _begin(plain, at.begin)
    send = _statement(at.text, plain, begin, _SEND, 6)
    if send is None or plain[:begin].rstrip()[-1:] not in ("", ";", "{", "}", ":"):
        raise Refused("its send is no statement of its own, or stands with others under a condition")
    receive = _statement(at.text, plain, send.end, _RECEIVE, 7)
    if receive is None:
        raise Refused("the receive is not the next statement")
    if send.arguments[5] != receive.arguments[5]:
        raise Refused("the send and the receive are of two communicators")
    if send.arguments[0] == receive.arguments[0]:
        raise Refused("it receives into the buffer that it sends")
    if receive.guard and receive.arguments[6] != "MPI_STATUS_IGNORE":
        raise Refused("the status of a receive under a condition is kept")
    if any(_EFFECT.search(one.guard) for one in (send, receive)):
        raise Refused("a condition does more than compare")
    words = [
        *send.arguments[:3], send.partner(send.arguments[3]), send.arguments[4],
        *receive.arguments[:3], receive.partner(receive.arguments[3]), *receive.arguments[4:],
    ]  # fmt: skip
    line = at.text[at.text.rfind("\n", 0, send.begin) + 1 : send.begin]
    indent = line if not line.strip() else ""
    text = f"MPI_Sendrecv({', '.join(words[:5])},\n{indent}             {', '.join(words[5:])});"
    return Recipe("send and receive at once", (Edit(at.file, send.begin, receive.end, text),))


def _begin(plain: str, call: int) -> int:
    """Where the statement of a call begins: at the `if` that governs it alone, or at the call."""
    before = plain[:call].rstrip()
    if before.endswith("{"):
        before = before[:-1].rstrip()
    if not before.endswith(")"):
        return call
    for match in reversed(list(_GUARD.finditer(plain, max(0, call - 400), call))):
        if closing(plain, match.end() - 1) == len(before) - 1:
            return match.start()
    return call


def _statement(text: str, plain: str, begin: int, call: re.Pattern[str], count: int) -> _Statement | None:
    """The statement that begins there, behind blanks: the call, or `if (guard)` and the call alone, without an else."""
    begin += len(plain[begin:]) - len(plain[begin:].lstrip())
    at, guard, brace = begin, "", False
    if match := _GUARD.match(plain, begin):
        close = closing(plain, match.end() - 1)
        guard = " ".join(text[match.end() : close].split())
        opened = _OPEN.match(plain, close + 1)
        assert opened is not None
        at, brace = opened.end(), bool(opened["brace"])
    found = call.match(plain, at)
    if found is None:
        return None
    close = closing(plain, found.end() - 1)
    words = tuple(" ".join(text[slice(*span)].split()) for span in argument_spans(plain, found.end(), close))
    stop = re.compile(r"\s*;\s*\}" if brace else r"\s*;").match(plain, close + 1)
    if stop is None or len(words) != count or re.compile(r"\s*else\b").match(plain, stop.end()):
        return None
    return _Statement(begin, stop.end(), guard, words)
