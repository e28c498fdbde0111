"""Element-wise messages become one message: by their text, on both sides.

Elements that lie side by side are sent as they lie; those a constant step apart through a datatype that is made for the
message (MPI_Type_create_hvector) and freed behind it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stridewise.finding import Edit, Finding
from stridewise.improve.compiling import Build
from stridewise.improve.edits import Place, Recipe, Refused, argument_spans, blank, closing, place

# A loop over one index, by one, whose whole body is the statement behind it.
_HEADER = re.compile(
    r"for\s*\(\s*(?P<type>(?:(?:unsigned|int|long|size_t|std::size_t)\s+)*)(?P<index>[A-Za-z_]\w*)\s*=\s*(?P<start>(?:[^;<>=]|->)+?)"
    r"\s*;\s*(?P=index)\s*<\s*(?P<bound>(?:[^;<>=]|->)+?)\s*;"
    r"\s*(?:(?P=index)\s*\+\+|\+\+\s*(?P=index)|(?P=index)\s*\+=\s*1)\s*\)\s*\{?\s*\Z"
)
_MESSAGE = re.compile(r"MPI_(?:I?[SBR]?[Ss]end|I?[Rr]ecv)\s*\(")
_BLOCKING = re.compile(r"MPI_(?:[SR]?[Ss]end|Recv)\s*\(")
_COLLECTIVE = re.compile(r"MPI_(?:Bcast|Allreduce)\s*\(")
# As the advice of findings of the source says it, which knows addresses.
_APART, _WHOLE = "a constant step apart", "is contiguous"


@dataclass(frozen=True)
class _Loop:
    """`for (type index = start; index < bound; index++) call(arguments);`, each argument as it stands."""

    begin: int
    end: int
    type: str
    index: str
    start: str
    bound: str
    call: str
    arguments: tuple[str, ...]

    @property
    def is_contiguous(self) -> bool:
        return self.start == "0" and self.arguments[1] == "1" and self._last() is not None

    def _last(self) -> re.Match[str] | None:
        found = re.fullmatch(rf"&\s*(?P<base>.+)\[\s*{re.escape(self.index)}\s*\]", self.arguments[0], re.DOTALL)
        return found if found and not _names(self.index).search(found["base"]) else None

    def as_block(self) -> str:
        """One message of elements that lie side by side."""
        buffer = self.arguments[0]
        rest = ", ".join([self.bound, *self.arguments[2:]])
        return self.left(f"{self.call}({buffer[: buffer.rfind('[')]}[0], {rest});")

    def left(self, text: str) -> str:
        """With what the loop leaves in an index that was declared before it."""
        return text if self.type else f"{{ {text} {self.index} = ({self.bound}) > 0 ? ({self.bound}) : 0; }}"

    def as_collective(self, indent: str) -> str:
        """One call for the elements of all iterations; none where there were none."""
        at = self.count_at
        words = [
            f"{word[: word.rfind('[')]}[0]" if _names(self.index).search(word) else word for word in self.arguments[:at]
        ]
        count = self.bound if re.fullmatch(r"\d+|[A-Z_]+", self.bound) else f"(int)({self.bound})"
        text = f"{self.call}({', '.join([*words, count, *self.arguments[at + 1 :]])});"
        if self.type and self.bound.isdigit():
            return text
        said = text if self.bound.isdigit() else f"if ({self.bound} > 0)\n{indent}    {text}"
        left = "" if self.type else f"\n{indent}  {self.index} = ({self.bound}) > 0 ? ({self.bound}) : 0;"
        return f"{{\n{indent}  {said}{left}\n{indent}}}"  # a block, lest an else behind it be another one's

    @property
    def count_at(self) -> int:
        """Which argument of a collective call is the count."""
        return 1 if self.call == "MPI_Bcast" else 2

    def as_vector(self, indent: str) -> str:
        """One message of elements that lie a constant step apart. Where there is none, there was no message."""
        buffer, count, kind, *rest = self.arguments
        inner = indent + "  "
        head = f"{self.type}{self.index} = {self.start}" if self.type else f"{self.index} = {self.start}"
        message = ", ".join([buffer, "1", "elements", *rest])
        return "".join(
            [
                f"{{\n{inner}{head};\n",
                f"{inner}if ({self.index} < {self.bound}) {{\n",
                f"{inner}  MPI_Datatype elements;\n{inner}  MPI_Aint here, next;\n",
                f"{inner}  MPI_Get_address({buffer}, &here);\n{inner}  {self.index}++;\n",
                f"{inner}  MPI_Get_address({buffer}, &next);\n{inner}  {self.index}--;\n",
                f"{inner}  MPI_Type_create_hvector((int)(({self.bound}) - {self.index}), {count}, next - here, {kind}, "
                "&elements);\n",
                f"{inner}  MPI_Type_commit(&elements);\n",
                f"{inner}  {self.call}({message});\n",
                f"{inner}  MPI_Type_free(&elements);\n",
                f"{inner}}}\n" + ("" if self.type else f"{inner}{self.index} = {self.bound};\n") + f"{indent}}}",
            ]
        )

    def shape(self) -> tuple[str, ...]:
        """What both sides of an exchange have alike: the loop, and how the buffer's address is made of its index. Names
        of variables differ, those of functions and of the index do not."""

        def plain(match: re.Match[str]) -> str:
            return "#" if match["index"] else match[0] if match["called"] else "_"

        words = re.compile(rf"(?P<index>\b{re.escape(self.index)}\b)|[A-Za-z_]\w*(?P<called>\s*\()?")
        buffer = "".join(words.sub(plain, self.arguments[0]).split())
        return (self.start, self.bound, self.arguments[1], self.arguments[2], buffer)


def one_message(finding: Finding, _build: Build) -> Recipe:
    """Elements that are sent one by one along the innermost loop become one message, on both sides: every loop of the
    file over the same range whose body sends or receives one element at a time."""
    at = place(finding)
    plain = blank(at.text)
    if _COLLECTIVE.match(plain, at.begin):
        return _one_collective(finding, at, plain)
    wanted = _loop(at.text, plain, at.begin)
    if wanted is None:
        raise Refused("its loop does not go by 1 with nothing else in it, or not only the buffer moves with it")
    as_vector = _APART in finding.advice
    if not as_vector and not (wanted.is_contiguous and _WHOLE in finding.advice):
        raise Refused(
            "its loop is not one over consecutive elements from 0 by 1, nor over elements a constant step apart"
        )
    edits = list[Edit]()
    sides = set()
    for match in (_BLOCKING if as_vector else _MESSAGE).finditer(plain):
        one = _loop(at.text, plain, match.start())
        if one is None or one.bound != wanted.bound or not (as_vector or one.is_contiguous):
            continue
        if as_vector and (one.shape() != wanted.shape() or not _has_room(one)):
            continue
        sides.add("ecv" in match[0])
        line = at.text[at.text.rfind("\n", 0, one.begin) + 1 : one.begin]
        indent = line if not line.strip() else " " * (len(line) - len(line.lstrip()))
        edits.append(Edit(at.file, one.begin, one.end, one.as_vector(indent) if as_vector else one.as_block()))
    if len(sides) < 2:
        raise Refused("the other side of its messages is not in this file, in a loop of the same form")
    title = (
        "one message for elements a constant step apart"
        if as_vector
        else "one message for the elements of an inner loop"
    )
    return Recipe(title, tuple(dict.fromkeys(edits)))


def _one_collective(finding: Finding, at: Place, plain: str) -> Recipe:
    """The same numbers of all ranks in one call. Elements are looked at one by one, so that the count is theirs."""
    one = _loop(at.text, plain, at.begin, _COLLECTIVE)
    if one is None or one.start != "0" or one.arguments[one.count_at] != "1" or _WHOLE not in finding.advice:
        raise Refused("its loop is not one over consecutive elements from 0 by 1 with nothing else in it")
    element = re.compile(rf"&\s*(?P<base>.+)\[\s*{re.escape(one.index)}\s*\]", re.DOTALL)
    moving = [word for word in one.arguments[: one.count_at] if word != "MPI_IN_PLACE"]
    for word in moving:
        found = element.fullmatch(word)
        if found is None or _names(one.index).search(found["base"]):
            raise Refused("a buffer is not that of consecutive elements")
    line = at.text[at.text.rfind("\n", 0, one.begin) + 1 : one.begin]
    indent = line if not line.strip() else " " * (len(line) - len(line.lstrip()))
    return Recipe(
        "one collective call for all elements", (Edit(at.file, one.begin, one.end, one.as_collective(indent)),)
    )


def _has_room(one: _Loop) -> bool:
    """Whether the address can be asked for as often as one likes, and no name of the program is in the way."""
    text = " ".join([one.start, one.bound, *one.arguments])
    return not re.search(r"\+\+|--|[^=!<>]=[^=]", text) and not re.search(r"\b(?:elements|here|next)\b", text)


def _names(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}\b")


def _loop(text: str, plain: str, call: int, kind: re.Pattern[str] = _MESSAGE) -> _Loop | None:
    """The loop around the call at `call`, where only the buffer's address moves with its index (of a collective call,
    those of both)."""
    head = plain.rfind("for", 0, call)
    found = _HEADER.match(plain[head:call]) if head >= 0 else None
    match = kind.match(plain, call)
    if found is None or match is None:
        return None
    close = closing(plain, match.end() - 1)
    spans = argument_spans(plain, match.end(), close)
    named = _names(found["index"])
    buffers = 2 if match[0].startswith("MPI_Allreduce") else 1
    if len(spans) < (5 if kind is _COLLECTIVE else 6) or any(named.search(plain, *span) for span in spans[buffers:]):
        return None
    if named.search(found["bound"]) or named.search(found["start"]):
        return None
    if not any(named.search(plain, *span) for span in spans[:buffers]):
        return None
    stop = re.compile(r"\s*;").match(plain, close + 1)
    if stop is None:
        return None
    finish = stop.end()
    if plain[head:call].rstrip().endswith("{"):
        brace = re.compile(r"\s*\}").match(plain, finish)
        if brace is None:
            return None
        finish = brace.end()
    arguments = tuple(" ".join(text[slice(*span)].split()) for span in spans)
    return _Loop(
        head, finish, found["type"], found["index"], " ".join(found["start"].split()), " ".join(found["bound"].split()),
        match[0][:-1].rstrip(), arguments,
    )  # fmt: skip
