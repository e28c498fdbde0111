"""Loops that a team shares or may share, and the stores in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from injection import Loop, Source

PRAGMA = re.compile(r"^[ \t]*#\s*pragma\s+omp\s+parallel\s+for\b[^\n\\]*$", re.MULTILINE)


@dataclass(frozen=True)
class TeamLoop:
    """A loop with its `#pragma omp parallel for`, or a serial one that is made parallel.

    `first` is the 1-based line of the directive or, without one, of the loop; it and what follows it up to the loop go.
    """

    first: int
    loop: Loop
    pragma: str

    @property
    def bound(self) -> str:
        """What the counter stays below; empty where the condition is no `<`."""
        match = re.fullmatch(rf"\s*{self.loop.variable}\s*<\s*([^=].*)", self.loop.parts[1])
        return match[1].strip() if match else ""


@dataclass(frozen=True)
class Store:
    """`target = value;` on a line of its own in a loop's body."""

    line: int
    indent: str
    target: str
    operator: str
    value: str


def is_leaf(source: Source, loop: Loop) -> bool:
    """Whether the loop's body is straight-line code without calls, but for those that name an element."""
    body = source.masked[loop.body_begin : loop.end]
    body = re.sub(rf"\b[\w.>-]+\(\s*{re.escape(loop.variable)}\s*\)", "element", body)
    return not re.search(r"\b(?:for|while|do|goto|return|break|continue|new)\b|[A-Za-z_]\w*\s*\(|[.>]\*", body)


def is_local(source: Source, loop: Loop, bound: str) -> bool:
    """Whether a bound is computed or passed in the loop's function: other plain names may be small constants."""
    if not re.fullmatch(r"\w+", bound):
        return True
    text = "\n".join(source.masked.split("\n")[loop.function.begin - 1 : loop.line - 1])
    return re.search(rf"[\w&*>]\s+[&*]*{bound}\b\s*[=;,)\[]", text) is not None


def stores(source: Source, loop: Loop) -> Iterator[Store]:
    """The plain stores to elements that the loop's variable addresses, on lines of the loop."""
    index = re.escape(loop.variable)
    element = rf"[A-Za-z_][\w.>-]*(?:\[\s*{index}\s*\]|\(\s*{index}\s*\))(?:\.\w+)?"
    pattern = re.compile(rf"^(\s*)({element})\s*([-+*]?=)\s*([^=;][^;]*);\s*$")
    masked = source.masked.split("\n")
    for line in range(loop.line + 1, loop.end_line + 1):
        if match := pattern.match(masked[line - 1]):
            yield Store(line, match[1], match[2], match[3], match[4])


def team_loops(source: Source) -> list[TeamLoop]:
    """Loops of straight-line code with stores to their own elements, one after another, without a known short length.

    Serial ones are among them only where iterations look independent: no other element of a stored array is named.
    """
    directives: dict[int, tuple[int, str]] = {}
    for match in PRAGMA.finditer(source.text):
        line = source.line_of(match.start())
        directives[line + 1] = (line, match[0].strip())
    found = []
    for loop in source.loops():
        bound = TeamLoop(0, loop, "").bound
        step = loop.parts[2].replace(" ", "")
        if (
            not re.search(r"[a-z]", bound)
            or not is_local(source, loop, bound)
            or step not in (f"{loop.variable}++", f"++{loop.variable}")
        ):
            continue
        written = list(stores(source, loop))
        if not written or not is_leaf(source, loop):
            continue
        before = source.lines[loop.line - 2].strip() if loop.line > 1 else ""
        if loop.line in directives:
            found.append(TeamLoop(directives[loop.line][0], loop, directives[loop.line][1]))
        elif loop.depth == 0 and not before.startswith("#") and not before.endswith((")", "else", "\\")):
            others = source.masked[loop.body_begin : loop.end]
            arrays = {re.split(r"[\[(]", store.target)[0] for store in written}
            own = rf"\s*{re.escape(loop.variable)}\s*[\])]"
            if any(re.search(rf"\b{re.escape(array)}[\[(](?!{own})", others) for array in arrays):
                continue
            if source.masked[loop.body_begin : loop.end].count("=") == len(written):
                found.append(TeamLoop(loop.line, loop, "#pragma omp parallel for"))
    return found


def edited(source: Source, team: TeamLoop, before: str, changes: dict[int, str]) -> tuple[str, int]:
    """The file with `before` (whole lines) in place of the directive, and whole lines changed.

    Returns with it by how many lines the loop has moved down.
    """
    lines = list(source.lines)
    for line, text in changes.items():
        lines[line - 1] = text
    head = before.split("\n")
    text = "\n".join([*lines[: team.first - 1], *head, *lines[team.loop.line - 1 :]])
    return text, len(head) - (team.loop.line - team.first)
