"""What a sample of the catalogue says about itself, and the comparison of that with what a host reports.

A sample is a C, C++ or Fortran file of a rule folder (`buggy`, `fixed`, `cases/*`), a generated variant, or a folder
`cases/<name>/` whose files make one program. Comments in it state the findings:

    // expect: mem-struct-padding high "8 of 24 bytes" fix, mem-strided-inner-loop low
        static findings on the next line that is no comment: confidence, words of message or advice, and fix (a safe
        one), unsafe-fix or no-fix
    // expect-run: mpi-tiny-messages high "in 125 bursts"   findings of the run on that line, said as for static ones
        but for what time decides
    // may-run: mpi-late-sender                             findings that a run may have there, by its timing
    // fixes: mem-struct-padding   findings of these rules must offer a fix
    // flags: -fopenmp             added to the compile command
    // ranks: 4                    started under mpirun with as many processes
    // run-args: 128 10            arguments of the program
    // environment: OMP_PROC_BIND=close   variables of an OpenMP run
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

C_SUFFIXES = (".c",)
CXX_SUFFIXES = (".cpp", ".cc", ".cxx")
SOURCE_SUFFIXES = C_SUFFIXES + CXX_SUFFIXES
FORTRAN_SUFFIXES = (".f90", ".f")

_STATED = r'[a-z][a-z0-9-]*(?:\s+(?:low|medium|high|fix|unsafe-fix|no-fix|"[^"]+"))*'
_EXPECT = re.compile(
    rf"^\s*(?://|/\*)\s*(expect|expect-run|may-run):\s*(?P<stated>{_STATED}(?:\s*,\s*{_STATED})*)\s*(?:\*/)?\s*$"
)
_PART = re.compile(r'"[^"]+"|[a-z0-9-]+|,')
_COMMENT_LINE = re.compile(r"^\s*(?://.*|/\*.*\*/\s*)$")
# Comments of Fortran, in both forms, as C would have them; directives are none.
_FORTRAN_COMMENT = re.compile(r"^(?:[cC*](?=\s)|[ \t]*!(?!\$))", re.MULTILINE)
_HEADER = re.compile(r"^\s*//\s*(fixes|flags|ranks|run-args|environment):\s*(.*?)\s*$")
_LOCAL_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_MAIN = re.compile(r"\bmain\s*\(|^\s*program\s+\w+\s*$", re.MULTILINE)
_USES_MPI = re.compile(r"<mpi\.h>|^\s*use mpi|mpif\.h", re.MULTILINE)


@dataclass(frozen=True)
class Statement:
    """What an expectation says of a finding besides its place; what is empty is not said."""

    confidence: str = ""
    fix: str = ""  # fix, unsafe-fix, no-fix
    words: tuple[str, ...] = ()

    def problems(self, finding: Found) -> Iterable[str]:
        if self.confidence and finding.raw.get("confidence", self.confidence) != self.confidence:
            yield f"{finding.raw['confidence']} confidence, not {self.confidence}"
        if self.fix and "fixes" in finding.raw and offered(finding.raw) != self.fix:
            yield f"{offered(finding.raw)}, not {self.fix}"
        said = f"{finding.message}\n{finding.raw.get('advice', '')}"
        if "advice" in finding.raw:
            yield from (f'says nothing of "{words}"' for words in self.words if words not in said)


def offered(finding: Mapping[str, Any]) -> str:
    """The best fix that comes with a finding, in the words of expectations."""
    levels = {fix.get("safety", "unsafe") for fix in finding.get("fixes", ())}
    return "fix" if "safe" in levels else "unsafe-fix" if levels else "no-fix"


@dataclass(frozen=True, order=True)
class Place:
    """A finding reduced to what tells it from others; `statement` is what is expected of it."""

    file: str
    line: int
    rule: str
    statement: Statement = field(default=Statement(), compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}"


@dataclass(frozen=True)
class Found:
    """A finding as a host reports it; `raw` is the JSON object where the host writes JSON."""

    rule: str
    file: str
    line: int
    column: int
    message: str
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, hash=False)

    @property
    def place(self) -> Place:
        return Place(self.file, self.line, self.rule)

    @property
    def is_low(self) -> bool:
        return self.raw.get("confidence") == "low"

    @property
    def is_minor(self) -> bool:
        """A hint or an unsure finding: no defect that would spoil a sample of another rule."""
        return self.is_low or self.raw.get("severity") == "info"

    @property
    def key(self) -> tuple[str, str, int, int, str]:
        """What has to be the same under every host."""
        return (self.rule, self.file, self.line, self.column, self.message)

    @classmethod
    def from_json(cls, finding: Mapping[str, Any]) -> Found:
        where = finding["location"]
        return cls(
            finding["rule"],
            str(Path(where["file"]).resolve()),
            where["line"],
            where["column"],
            finding["message"],
            finding,
        )


class SampleError(Exception):
    """The sample contradicts itself, for example an expectation at the end of a file."""


@dataclass(frozen=True)
class Sample:
    """One translation unit with its local headers."""

    path: Path
    headers: tuple[Path, ...]
    static: tuple[Place, ...]
    run: tuple[Place, ...]
    may: tuple[Place, ...]
    fixes: tuple[str, ...]
    flags: tuple[str, ...]
    ranks: int
    run_args: tuple[str, ...]
    environment: tuple[str, ...]
    has_main: bool
    uses_mpi: bool

    @property
    def is_fortran(self) -> bool:
        return self.path.suffix in FORTRAN_SUFFIXES

    @property
    def is_cxx(self) -> bool:
        return self.path.suffix in CXX_SUFFIXES

    @classmethod
    def read(cls, path: Path) -> Sample:
        path = path.resolve()
        headers = tuple(local_headers(path))
        stated: dict[str, list[Place]] = {"expect": [], "expect-run": [], "may-run": []}
        options: dict[str, str] = {}
        texts = {file: commented(file) for file in (path, *headers)}
        for file, text in texts.items():
            for kind, place in expectations(text, str(file)):
                stated[kind].append(place)
        for line in texts[path].splitlines():
            if match := _HEADER.match(line):
                options[match[1]] = match[2]
        return cls(
            path,
            headers,
            tuple(stated["expect"]),
            tuple(stated["expect-run"]),
            tuple(stated["may-run"]),
            tuple(options.get("fixes", "").replace(",", " ").split()),
            tuple(shlex.split(options.get("flags", ""))),
            int(options.get("ranks", "4")),
            tuple(shlex.split(options.get("run-args", ""))),
            tuple(shlex.split(options.get("environment", ""))),
            any(_MAIN.search(text) for text in texts.values()),
            any(_USES_MPI.search(text) for text in texts.values()),
        )


def commented(file: Path) -> str:
    """The file's text, whose comments begin as those of C."""
    text = file.read_text(encoding="utf-8")
    return _FORTRAN_COMMENT.sub("//", text) if file.suffix in FORTRAN_SUFFIXES else text


def local_headers(path: Path) -> Iterable[Path]:
    """The files that `path` includes by quotes, directly or not, as far as they exist beside their includer."""
    seen: dict[Path, None] = {}
    queue = [path]
    while queue:
        file = queue.pop(0)
        for name in _LOCAL_INCLUDE.findall(file.read_text(encoding="utf-8")):
            header = (file.parent / name).resolve()
            if header.is_file() and header != path and header not in seen:
                seen[header] = None
                queue.append(header)
    return seen


def expectations(text: str, file: str) -> Iterable[tuple[str, Place]]:
    """Yields (`expect`, `expect-run` or `may-run`, place) for each slug that the comments of `text` name."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        match = _EXPECT.match(line)
        if not match:
            if re.search(r"(//|/\*)\s*(expect(-run)?|may-run):", line):
                raise SampleError(f"{file}:{index + 1}: an expectation has its own line and names rules only")
            continue
        target = index + 1
        while target < len(lines) and _COMMENT_LINE.match(lines[target]):
            target += 1
        if target == len(lines):
            raise SampleError(f"{file}:{index + 1}: no line follows this expectation")
        for slug, statement in statements(match["stated"]):
            yield match[1], Place(file, target + 1, slug, statement)


def statements(text: str) -> Iterable[tuple[str, Statement]]:
    """Slugs and what is said of each: `a high "words" fix, b`."""
    groups: list[list[str]] = [[]]
    for part in _PART.findall(text):
        if part == ",":
            groups.append([])
        else:
            groups[-1].append(part)
    for slug, *said in groups:
        confidence = next((one for one in said if one in ("low", "medium", "high")), "")
        fix = next((one for one in said if one.endswith("fix")), "")
        yield slug, Statement(confidence, fix, tuple(one.strip('"') for one in said if one.startswith('"')))


def differences(
    expected: Iterable[Place], found: Iterable[Found], slug: str = "", *, statements_too: bool = False
) -> list[str]:
    """What is missing and what is too much, one line each; empty when the findings are the expected ones.

    A finding that nobody expects fails; at low confidence, where it is not shown by default, or of severity info, only
    one of the sample's own rule `slug` does. With `statements_too`, one of the findings in a place must be as each
    statement says; a run may have changed what the source alone says.
    """
    expected = list(expected)
    wanted = Counter(expected)
    got: dict[Place, list[Found]] = {}
    for finding in found:
        if finding.place in wanted or finding.rule == slug or not finding.is_minor:
            got.setdefault(finding.place, []).append(finding)
    problems = []
    for place in sorted(wanted.keys() | got.keys()):
        here = got.get(place, [])
        if len(here) < wanted[place]:
            problems.append(f"missing: {place}" + (f" ({len(here)} of {wanted[place]})" if here else ""))
        for finding in here[wanted[place] :]:
            problems.append(f"unexpected: {place}: {finding.message}")
        if statements_too:
            problems += other_than_stated((one for one in expected if one == place), here)
    return problems


def other_than_stated(expected: Iterable[Place], found: Iterable[Found]) -> list[str]:
    """The places where findings stand, but none of them is as the statement says."""
    got: dict[Place, list[Found]] = {}
    for finding in found:
        got.setdefault(finding.place, []).append(finding)
    problems = []
    for place in expected:
        here = got.get(place, [])
        wrong: list[list[str]] = [list(place.statement.problems(finding)) for finding in here]
        if wrong and all(wrong):
            least = min(wrong, key=len)
            problems.append(f"other than stated: {place}: {'; '.join(least)}: {here[0].message}")
    return problems


def host_differences(reference: Iterable[Found], other: Iterable[Found], name: str) -> list[str]:
    """How the findings of host `name` differ from those of the tool: rule, file, line, column and message."""
    left, right = Counter(f.key for f in reference), Counter(f.key for f in other)

    def show(key: tuple[str, str, int, int, str]) -> str:
        rule, file, line, column, message = key
        return f"{file}:{line}:{column}: {message} [{rule}]"

    return [f"only from the tool: {show(key)}" for key in sorted((left - right).elements())] + [
        f"only from the {name}: {show(key)}" for key in sorted((right - left).elements())
    ]
