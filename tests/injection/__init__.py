"""Defects put into real code on purpose, to measure what the analyser misses.

`<slug with underscores>.py` beside this file holds one function:

    def inject(source: Source, rng: random.Random) -> Iterator[Injection]

It yields defects of its rule at sites of one file in random order, and nothing where the file offers no site. No list
names these files; `tests/recall.py` runs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_CONTROL = {"if", "for", "while", "switch", "catch", "return", "sizeof", "alignas", "decltype", "defined"}
_CODE = re.compile(
    r'//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|R"(?P<tag>[^()\\ ]*)\(.*?\)(?P=tag)"'
    r'|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)*\'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*',
    re.DOTALL | re.MULTILINE,
)
_FOR = re.compile(r"\bfor\s*(?=\()")
_STEP = r"(?:{v}\s*(?:\+\+|--|[+-]=\s*[^;]+)|(?:\+\+|--)\s*{v}|{v}\s*=\s*{v}\s*[+-]\s*[^;]+)"


@dataclass(frozen=True)
class Injection:
    """A file with one defect more."""

    text: str
    lines: tuple[int, ...]  # 1-based, of the new text: a finding of the rule must begin on one of them
    what: str
    arguments: tuple[str, ...] = ()  # added to the compile command


@dataclass(frozen=True)
class Function:
    """A function definition; lines are 1-based. The body's lines are those of its braces."""

    name: str
    begin: int
    end: int
    body_begin: int
    body_end: int


@dataclass(frozen=True)
class Loop:
    """A counted `for` loop; lines are 1-based, offsets count characters, ends exclusive."""

    line: int
    end_line: int
    depth: int  # 0: in no other counted loop of its function
    variable: str
    function: Function
    header: str  # what stands between the parentheses
    begin: int  # offset of `for`
    header_begin: int
    header_end: int
    body_begin: int
    end: int
    braces: bool

    @property
    def parts(self) -> tuple[str, str, str]:
        """Initialisation, condition and step."""
        first, second, third = (part.strip() for part in self.header.split(";"))
        return first, second, third


@dataclass(frozen=True)
class Source:
    """One file of a real project with what is known of its compilation."""

    path: Path
    text: str
    openmp: bool = False
    mpi: bool = False
    mpi_header: bool = False  # mpi.h may be included, even where the unit does not

    @property
    def cxx(self) -> bool:
        return self.path.suffix not in (".c", ".h")

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def masked(self) -> str:
        """The text with comments, literals and preprocessor lines blanked; offsets and lines stay."""
        return _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), self.text)

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def insert(self, line: int, text: str) -> str:
        """The file with `text` (whole lines) before a 1-based line."""
        return self.replace(line, line - 1, text)

    def replace(self, begin: int, end: int, text: str) -> str:
        """The file with the 1-based lines `begin` to `end`, inclusive, replaced by `text` (whole lines)."""
        return "\n".join([*self.lines[: begin - 1], *text.rstrip("\n").split("\n"), *self.lines[end:]])

    def closing(self, offset: int) -> int:
        """Offset of what closes the bracket at `offset`; -1 where nothing does."""
        pairs = {"(": ")", "{": "}", "[": "]"}
        opening, closing = self.masked[offset], pairs[self.masked[offset]]
        level = 0
        for at in range(offset, len(self.masked)):
            level += (self.masked[at] == opening) - (self.masked[at] == closing)
            if level == 0:
                return at
        return -1

    def statement_end(self, offset: int) -> int:
        """Offset behind the statement that begins at or after `offset`; -1 where it has no end."""
        text = self.masked
        at = offset
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text):
            return -1
        if text[at] == "{":
            end = self.closing(at)
            return end + 1 if end >= 0 else -1
        head = re.compile(r"(if|for|while|switch|else|do)\b").match(text, at)
        if not head:
            level = 0
            for end in range(at, len(text)):
                level += (text[end] in "([{") - (text[end] in ")]}")
                if level < 0:
                    return -1
                if text[end] == ";" and level == 0:
                    return end + 1
            return -1
        after = head.end()
        if head[1] in ("if", "for", "while", "switch"):
            open_at = text.find("(", after)
            close = self.closing(open_at) if open_at >= 0 else -1
            if close < 0:
                return -1
            after = close + 1
        end = self.statement_end(after)
        if end < 0:
            return -1
        if head[1] == "if" and (other := re.compile(r"\s*else\b").match(text, end)):
            return self.statement_end(other.end())
        if head[1] == "do":
            semicolon = text.find(";", end)
            return semicolon + 1 if semicolon >= 0 else -1
        return end

    def is_unconditional(self, line: int) -> bool:
        """Whether no preprocessor condition but an include guard decides over a 1-based line."""
        open_conditions = [False]  # whether each condition around is more than a guard
        for number, text in enumerate(self.lines[: line - 1]):
            directive = re.match(r"\s*#\s*(if|ifdef|ifndef|endif)\b", text)
            if not directive:
                continue
            if directive[1] == "endif":
                open_conditions.pop()
            else:
                following = self.lines[number + 1] if number + 1 < len(self.lines) else ""
                open_conditions.append(directive[1] != "ifndef" or not re.match(r"\s*#\s*define\b", following))
        return not any(open_conditions)

    def constant_bound(self, loop: Loop) -> int | None:
        """The bound of a loop where it is a number, or a name that the file defines as one."""
        text = self._bound(loop)[-1]
        return int(text) if text.isdigit() else None

    def hides_bound(self, loop: Loop) -> bool:
        """Whether the file gives the bound a name of its own for what another file defines: it may be anything."""
        return len(self._bound(loop)) > 1 and self.constant_bound(loop) is None

    def _bound(self, loop: Loop) -> list[str]:
        """The bound as it is written, and what each name stands for; [""] for other expressions."""
        bound = re.search(r"(?:<=?|>=?|!=)\s*(\w+)(?:\s*[-+]\s*\d+)?\s*$", loop.parts[1])
        chain = [bound[1] if bound else ""]
        while len(chain) < 8:
            name = re.escape(chain[-1])
            defined = re.search(rf"^\s*#\s*define\s+{name}\s+\(?(\w+)\)?\s*$", self.text, re.MULTILINE)
            if not defined:
                break
            chain.append(defined[1])
        return chain

    def functions(self) -> list[Function]:
        """The function definitions, in order."""
        return list(self._functions)

    def loops(self) -> list[Loop]:
        """The counted `for` loops of all functions, in order."""
        return list(self._loops)

    @cached_property
    def _functions(self) -> tuple[Function, ...]:
        found = []
        at = 0
        while (at := self.masked.find("{", at)) >= 0:
            function = self._function_at(at)
            if function:
                found.append(function)
                at = self.closing(at)
            at += 1
        return tuple(found)

    def _function_at(self, brace: int) -> Function | None:
        before = self.masked[:brace].rstrip()
        before = re.sub(r"\)\s*(?:const|noexcept|override|final|\s)*$", ")", before)
        if not before.endswith(")"):
            return None
        level, at = 0, len(before) - 1
        while at >= 0:
            level += (before[at] == ")") - (before[at] == "(")
            if level == 0:
                break
            at -= 1
        name = re.search(r"([A-Za-z_]\w*(?:::~?[A-Za-z_]\w*)*)\s*$", before[: max(at, 0)])
        if not name or name[1] in _CONTROL or self.closing(brace) < 0:
            return None
        end = self.line_of(self.closing(brace))
        body = self.line_of(brace)
        return Function(name[1], self.line_of(name.start(1)), end, body, end)

    @cached_property
    def _loops(self) -> tuple[Loop, ...]:
        return tuple(self._find_loops())

    def _find_loops(self) -> Iterator[Loop]:
        enclosing: list[int] = []  # ends of the loops around
        for match in _FOR.finditer(self.masked):
            open_at = self.masked.index("(", match.start())
            close = self.closing(open_at)
            end = self.statement_end(close + 1) if close >= 0 else -1
            header = self.text[open_at + 1 : close]
            if end < 0 or header.count(";") != 2:
                continue
            first, second, third = header.split(";")
            start = re.search(r"(?:^|[\s*])([A-Za-z_]\w*)\s*=[^=]", first)
            if not start or "," in first or "," in third:
                continue
            variable = start[1]
            if not re.match(rf"\s*{variable}\s*(?:<|>|!=)", second):
                continue
            if not re.fullmatch(_STEP.format(v=re.escape(variable)), third.strip()):
                continue
            line = self.line_of(match.start())
            function = next((f for f in self._functions if f.begin <= line <= f.end), None)
            if not function:
                continue
            enclosing = [other for other in enclosing if other > match.start()]
            body = close + 1
            while self.masked[body].isspace():
                body += 1
            yield Loop(
                line=line,
                end_line=self.line_of(end - 1),
                depth=len(enclosing),
                variable=variable,
                function=function,
                header=header,
                begin=match.start(),
                header_begin=open_at + 1,
                header_end=close,
                body_begin=body,
                end=end,
                braces=self.masked[body] == "{",
            )
            enclosing.append(end)
