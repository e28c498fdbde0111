"""Places of real code at which the injectors of the MPI rules put messages, and the calls that are there already."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from injection import Injection, Loop, Source
from injection import _loops as sites

KINDS = {"double": "MPI_DOUBLE", "float": "MPI_FLOAT", "int": "MPI_INT"}
RANKS = (
    "int sw_me, sw_size;",
    "MPI_Comm_rank(MPI_COMM_WORLD, &sw_me);",
    "MPI_Comm_size(MPI_COMM_WORLD, &sw_size);",
)


def split(text: str) -> list[str]:
    """The arguments between two parentheses."""
    parts, level, part = [], 0, ""
    for character in text:
        level += (character in "([{") - (character in ")]}")
        if character == "," and level == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()]


@dataclass(frozen=True)
class Call:
    """A statement that is one MPI call; lines are 1-based."""

    name: str
    arguments: tuple[str, ...]
    first: int
    last: int

    @property
    def text(self) -> str:
        return f"{self.name}({', '.join(self.arguments)});"


def is_compiled(source: Source, line: int) -> bool:
    """Whether no condition decides over a line but include guards and those that ask for MPI."""
    if source.is_unconditional(line):
        return True
    doubts: list[bool] = []
    for number, text in enumerate(source.lines[: line - 1]):
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*)", text)
        if not directive:
            continue
        following = source.lines[number + 1] if number + 1 < len(source.lines) else ""
        if directive[1] == "endif":
            doubts.pop()
        elif directive[1] in ("else", "elif"):
            doubts[-1] = True
        elif directive[1] == "ifndef":
            doubts.append(not re.match(r"\s*#\s*define\b", following))
        else:
            doubts.append("MPI" not in directive[2] or "!" in directive[2])
    return not any(doubts)


def measures(source: Source, line: int) -> bool:
    """Whether the function around a line reads a clock: what it sends is sent to be timed."""
    lines = source.masked.split("\n")
    for function in source.functions():
        if function.begin <= line <= function.end:
            return "MPI_Wtime" in "\n".join(lines[function.begin - 1 : function.end])
    return False


def calls(source: Source, names: str) -> Iterator[Call]:
    """The calls whose name matches, as statements of their own."""
    if not (source.mpi or source.mpi_header):
        return
    for match in re.finditer(rf"^[ \t]*(MPI_(?:{names}))\s*(?=\()", source.masked, re.MULTILINE):
        close, end = source.closing(match.end()), source.statement_end(match.start())
        before = source.masked[: match.start()].rstrip()
        first = source.line_of(match.start(1))
        if close < 0 or end < 0 or not before.endswith((";", "{", "}")) or not is_compiled(source, first):
            continue
        last = source.line_of(end - 1)
        arguments = tuple(" ".join(part.split()) for part in split(source.text[match.end() + 1 : close]))
        if not source.text[end:].split("\n", 1)[0].strip():
            yield Call(match[1], arguments, first, last)


def loops(source: Source, rng: random.Random) -> list[Loop]:
    """Loops of many iterations, in random order, beside which statements may stand."""
    if not (source.mpi or source.mpi_header):
        return []
    found = [
        loop
        for loop in source.loops()
        if loop.parts[2].replace(" ", "") in (f"{loop.variable}++", f"++{loop.variable}")
        and (source.constant_bound(loop) or 10000) > 100
        and not is_enumerator(source, loop.parts[1].split()[-1])
        and (not loop.parts[1].split()[-1].isidentifier() or is_variable(source, loop.parts[1].split()[-1]))
        and not re.search(r"&&|\|\|", loop.parts[1])
        and is_compiled(source, loop.line)
        and is_straight(source, loop)
        and not measures(source, loop.line)
        and not source.lines[loop.line - 2].lstrip().startswith("#")
        and not source.lines[loop.line - 1][: loop.begin - source.text.rfind("\n", 0, loop.begin) - 1].strip()
        and "#pragma omp" not in source.text[: loop.begin].rsplit("{", 1)[-1]
    ]
    rng.shuffle(found)
    return found


def is_enumerator(source: Source, bound: str) -> bool:
    """Whether a loop's bound counts the names of an enumeration of the file."""
    return re.search(rf"\benum\b[^;]*\b{re.escape(bound)}\b", source.masked) is not None


def is_variable(source: Source, bound: str) -> bool:
    """Whether the file declares or sets a name: others may be enumerators or macros of its headers."""
    return re.search(rf"[\w*&]\s+[*&]?{bound}\s*[,;=)]|\b{bound}\s*=[^=]", source.masked) is not None


def is_straight(source: Source, loop: Loop) -> bool:
    """Whether the loop stands in its function's own block: under a condition, only some ranks may come by."""
    begin = sum(len(line) + 1 for line in source.lines[: loop.function.body_begin - 1])
    before = source.masked[begin : loop.begin]
    return before.count("{") - before.count("}") == 1 and before.rstrip().endswith((";", "{", "}"))


def is_plain(source: Source, loop: Loop) -> bool:
    """Whether loop and loops in it only assign: no calls that may do anything."""
    text = re.sub(r"\bfor\s*\([^()]*\)", "", source.masked[loop.begin : loop.end])
    return sites.is_plain(text)


def own(source: Source, loop: Loop) -> list[str]:
    """The loop's lines."""
    return source.text[loop.begin : loop.end].split("\n")


def graft(
    source: Source, loop: Loop, prelude: Sequence[str], body: Sequence[str], marked: Sequence[str], what: str
) -> Injection:
    """`body` in the loop's place, with `prelude` before the file; the finding is on a line that `marked` holds."""
    head = ["#include <mpi.h>", *prelude]
    block = ["{", *body, "}"]
    text = "\n".join(head) + "\n" + source.replace(loop.line, loop.end_line, "\n".join(block))
    lines = [1 + number for number, line in enumerate(head) if line in marked]
    lines += [len(head) + loop.line + number for number, line in enumerate(block) if line in marked]
    return Injection(text, tuple(lines), what)


def neighbours(rng: random.Random) -> tuple[str, str]:
    """Ranks to send to and to receive from, of a ring or an open line."""
    ring = ("(sw_me + 1) % sw_size", "(sw_me + sw_size - 1) % sw_size")
    line = ("sw_me + 1 < sw_size ? sw_me + 1 : MPI_PROC_NULL", "sw_me > 0 ? sw_me - 1 : MPI_PROC_NULL")
    ahead, behind = rng.choice((ring, line))
    return (ahead, behind) if rng.random() < 0.5 else (behind, ahead)


def storage(rng: random.Random, kind: str, *names: str) -> list[str]:
    """Declarations of arrays: known or unknown size, of this file or another."""
    form = rng.choice(("static {} {}[20000];", "extern {} {}[];", "extern {} *{};", "static {} {}[100000];"))
    return [form.format(kind, name) for name in names]
