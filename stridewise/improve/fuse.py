"""Reductions of one number each that follow each other become one of an array, by their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise.finding import Edit, Finding
from stridewise.improve.compiling import Build
from stridewise.improve.edits import Place, Recipe, Refused, argument_spans, blank, closing, place

_JOINS = "could join the call above"  # as the finding of the source says of what does not depend on it
_NAME = "together"
_TYPES = {
    "MPI_DOUBLE": "double", "MPI_FLOAT": "float", "MPI_INT": "int", "MPI_LONG": "long", "MPI_LONG_LONG": "long long",
    "MPI_LONG_LONG_INT": "long long", "MPI_UNSIGNED": "unsigned", "MPI_UNSIGNED_LONG": "unsigned long",
}  # fmt: skip
_CALL = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\(")
_TARGET = re.compile(
    r"(?P<declared>(?:const\s+)?(?:double|float|int|long|unsigned|auto)\s+)?[A-Za-z_][\w.\[\]]*\s*=\s*"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_SOURCES = {".c", ".cc", ".cpp", ".cxx", ".C", ".h", ".hpp", ".hh"}
_MOST_FILES = 2000


@dataclass(frozen=True)
class _Reduction:
    """A statement at [begin, end): `target` = the reduced `value`. `how` is type, operation and communicator."""

    begin: int
    end: int
    target: str
    value: str
    how: tuple[str, ...]

    @property
    def declares(self) -> bool:
        match = _TARGET.match(f"{self.target} = ")
        return bool(match and match["declared"])


def one_reduction(finding: Finding, build: Build) -> Recipe:
    """All reductions that the finding names, where nothing stands between them, and none takes what another gives."""
    at = place(finding)
    plain = blank(at.text)
    lines = [one.line for one in finding.related if one.label == _JOINS and one.file == at.file]
    if not lines or len(lines) < sum(one.label == _JOINS for one in finding.related):
        raise Refused("no source shows which calls could join, or they stand in several files")
    found = [_reduction(at, plain, at.begin, build)]
    for line in lines:
        after = found[-1].end
        begin = after + len(plain[after:]) - len(plain[after:].lstrip())
        call = _CALL.search(plain, begin)
        if call is None or plain.count("\n", 0, begin) + 1 != line:
            raise Refused("other statements stand between the calls")
        found.append(_reduction(at, plain, call.start(), build))
        if found[-1].begin != begin:
            raise Refused("other statements stand between the calls")
    _check(found, plain)
    return Recipe(f"one reduction for {len(found)} numbers", (_edit(at, found),))


def _reduction(at: Place, plain: str, call: int, build: Build) -> _Reduction:
    match = _CALL.match(plain, call)
    if match is None:
        raise Refused("it is no plain call")
    close = closing(plain, match.end() - 1)
    stop = re.compile(r"\s*;").match(plain, close + 1)
    if stop is None:
        raise Refused("it is no statement of its own")
    words = [" ".join(at.text[slice(*span)].split()) for span in argument_spans(plain, match.end(), close)]
    start = max(plain.rfind(sign, 0, call) for sign in ";{}") + 1
    start += len(plain[start:]) - len(plain[start:].lstrip())
    if match["name"] == "MPI_Allreduce":
        if start != call or len(words) != 6:
            raise Refused("its value is used, or it stands under a condition")
        send, receive, count, *how = words
        if count != "1":
            raise Refused("it reduces more than one number")
        target = _pointed(receive)
        return _Reduction(call, stop.end(), target, target if send == "MPI_IN_PLACE" else _pointed(send), tuple(how))
    target = plain[start:call]
    if not _TARGET.fullmatch(target) or len(words) != 1:
        raise Refused("its result is not put into one variable")
    return _Reduction(start, stop.end(), target.rstrip("= \n\t"), words[0], _wrapped(match["name"], build))


def _pointed(address: str) -> str:
    """What an address points at."""
    bare = address[1:].strip() if address.startswith("&") else ""
    if re.fullmatch(r"[A-Za-z_](?:[\w.\[\]]|->)*", bare):
        return bare
    if re.fullmatch(r"[A-Za-z_]\w*", address):
        return f"*{address}"
    raise Refused("an address is more than that of a variable")


def _wrapped(name: str, build: Build) -> tuple[str, ...]:
    """Of a function that reduces its argument and does nothing else: type, operation and communicator."""
    body = re.compile(
        rf"\b(?P<type>\w+)\s+{re.escape(name)}\s*\(\s*(?:const\s+)?(?P=type)\s+(?P<in>\w+)\s*\)\s*\{{\s*"
        r"(?:(?P=type)\s+(?P<out>\w+)\s*(?:=\s*[\d.]+\s*)?;\s*)?"
        r"MPI_Allreduce\s*\(\s*(?P<send>MPI_IN_PLACE|&\s*\w+)\s*,\s*&\s*(?P<receive>\w+)\s*,\s*1\s*,\s*(?P<mpi>MPI_\w+)\s*,"
        r"\s*(?P<how>MPI_\w+)\s*,\s*(?P<where>MPI_COMM_WORLD)\s*\)\s*;\s*return\s+(?P=receive)\s*;\s*\}"
    )
    defined = re.compile(rf"\b\w+[\s*&]+{re.escape(name)}\s*\([^;{{}}()]*\)\s*\{{")
    found, definitions = list[re.Match[str]](), 0
    for text in _texts(build.tree):
        definitions += len(defined.findall(text))
        found += body.finditer(text)
    if len(found) != 1 or definitions != 1:
        raise Refused(f"'{name}' is no function of the program that reduces one number and does nothing else")
    match = found[0]
    sends_argument = match["send"].lstrip("& ") == match["in"] or (
        match["send"] == "MPI_IN_PLACE" and match["receive"] == match["in"]
    )
    if not sends_argument or _TYPES.get(match["mpi"]) != match["type"]:
        raise Refused(f"'{name}' reduces something else than its argument")
    return match["mpi"], match["how"], match["where"]


def _texts(tree: Path) -> Iterator[str]:
    """Of the project's sources, without comments."""
    paths = [path for path in sorted(tree.rglob("*")) if path.suffix in _SOURCES and path.is_file()]
    if len(paths) > _MOST_FILES:
        raise Refused("the project has too many files to look for the function that reduces")
    for path in paths:
        yield blank(path.read_bytes().decode("latin-1"))


def _check(found: Sequence[_Reduction], plain: str) -> None:
    if len({one.how for one in found}) > 1:
        raise Refused("they are of several types, operations or communicators")
    if found[0].how[0] not in _TYPES or not re.fullmatch(r"MPI_\w+", found[0].how[1]):
        raise Refused("its type or operation is none of MPI's own")
    if re.search(rf"\b{_NAME}\b", plain):
        raise Refused(f"the file has the name '{_NAME}' already")
    given: set[str] = set()
    for one in found:
        if given & set(_WORD.findall(one.value)):
            raise Refused("one of them takes what another one gives")
        given.add(_WORD.findall(one.target)[-1])
        given.update(_WORD.findall(one.target.split("[")[0].split("->")[0])[-1:])
    if len({one.target for one in found}) < len(found):
        raise Refused("two of them give the same variable")


def _edit(at: Place, found: Sequence[_Reduction]) -> Edit:
    line = at.text[at.text.rfind("\n", 0, found[0].begin) + 1 : found[0].begin]
    indent = line if not line.strip() else " " * (len(line) - len(line.lstrip()))
    declares = any(one.declares for one in found)
    inner = indent if declares else indent + "  "
    kind, how, where = found[0].how
    count = len(found)
    said = [
        f"{_TYPES[kind]} {_NAME}[{count}];",
        *(f"{_NAME}[{number}] = {one.value};" for number, one in enumerate(found)),
        f"MPI_Allreduce(MPI_IN_PLACE, {_NAME}, {count}, {kind}, {how}, {where});",
        *(f"{one.target} = {_NAME}[{number}];" for number, one in enumerate(found)),
    ]
    text = f"\n{inner}".join(said)
    return Edit(at.file, found[0].begin, found[-1].end, text if declares else f"{{\n{inner}{text}\n{indent}}}")
