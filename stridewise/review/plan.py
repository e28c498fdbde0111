"""What is to be said about a change: data that a job without secrets writes and a trusted one posts.

A plan read from a file is untrusted: it may come from a fork's job. It holds no text that is ready to be shown; who
shows it escapes it. Everything is checked and bounded here: sizes, paths, lines, numbers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from stridewise.errors import Failure
from stridewise.finding import Finding, FindingError
from stridewise.finding.result import Trouble

VERSION = 1
MAX_BYTES = 64 << 20
MAX_COMMENTS = 10_000
MAX_SNIPPET_LINES = 200
_MAX_TEXT = 65_536
_MAX_ITEMS = 20_000
_MAX_DEPTH = 16
_MAX_LINE = 1 << 30
_RULE = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})?")


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding with the lines of the new file its comment is for, all inside one hunk of the diff."""

    finding: Finding  # paths are relative to the repository's root
    line: int
    end_line: int
    snippet: tuple[str, ...]  # the source lines `line` to `end_line`
    suggestion: tuple[str, ...] | None = None  # what replaces exactly these lines
    cause: str = "added"  # why it is this change's: added, changed, "cause in FILE:LINE"


@dataclass(frozen=True, slots=True)
class Regression:
    """What a finding costs against the base's run; None where a run did not time it."""

    finding: Finding
    seconds: float | None
    base_seconds: float | None


@dataclass(frozen=True, slots=True)
class Recount:
    """A count of the change's runs that differs from the budget's."""

    kind: str  # new, more, less, gone; see stridewise/budget/compare.py
    file: str  # relative to the repository's root, empty where unknown
    line: int
    place: str  # what is counted there, and in which run
    values: str  # what it is now, and what the budget says
    rules: tuple[str, ...] = ()  # of findings there

    @property
    def dearer(self) -> bool:
        return self.kind in ("new", "more")


@dataclass(frozen=True, slots=True)
class Plan:
    """`comments` are ranked, the first `cap` are to be inline; commit ids are empty where unknown."""

    base: str = ""
    head: str = ""
    comments: tuple[Placed, ...] = ()
    cap: int = 25
    unplaced: tuple[Finding, ...] = ()  # the change's, but no line of the diff can hold them
    resolved: tuple[Finding, ...] = ()  # found in the base's version of the changed files, gone now
    regressions: tuple[Regression, ...] = ()
    recounts: tuple[Recount, ...] = ()
    problems: tuple[Trouble, ...] = ()
    stats: Mapping[str, Any] = field(default_factory=dict)  # plain values by name
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "base": self.base,
            "head": self.head,
            "cap": self.cap,
            "comments": [
                {
                    "finding": placed.finding.to_json(),
                    "line": placed.line,
                    "end_line": placed.end_line,
                    "snippet": list(placed.snippet),
                    "suggestion": None if placed.suggestion is None else list(placed.suggestion),
                    "cause": placed.cause,
                }
                for placed in self.comments
            ],
            "unplaced": [finding.to_json() for finding in self.unplaced],
            "resolved": [finding.to_json() for finding in self.resolved],
            "regressions": [
                {"finding": r.finding.to_json(), "seconds": r.seconds, "base_seconds": r.base_seconds}
                for r in self.regressions
            ],
            "recounts": [asdict(recount) | {"rules": list(recount.rules)} for recount in self.recounts],
            "problems": [{"where": t.where, "message": t.message, "details": list(t.details)} for t in self.problems],
            "stats": dict(self.stats),
        }

    def text(self) -> str:
        """The file of split mode. Bytes of a source that are no UTF-8 survive as escapes."""
        return json.dumps(self.to_json(), indent=1) + "\n"

    @staticmethod
    def from_json(value: Any) -> Plan:
        """Raises Failure naming the first wrong field."""
        try:
            return _plan(value)
        except (FindingError, RecursionError) as error:
            raise Failure(f"not a plan of stridewise review: {error}") from error


def read(path: Path) -> Plan:
    """The plan of a file, which `stridewise review --format json -o FILE` wrote. Raises Failure."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise Failure(f"{path}: larger than any plan ({MAX_BYTES >> 20} MiB)")
        value = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (OSError, ValueError, RecursionError) as error:
        raise Failure(
            f"cannot read {path}: {error}; make it with stridewise review --base REV --format json -o {path}"
        ) from error
    try:
        return Plan.from_json(value)
    except Failure as error:
        raise Failure(f"{path}: {error}") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def is_inside(path: str) -> bool:
    """Whether a path names something below the repository's root, whatever it is joined to."""
    parts = path.split("/")
    return not (path.startswith("/") or "\0" in path or "\\" in path or any(part in ("", ".", "..") for part in parts))


class _Object:
    """Typed, bounded access to one object of the plan."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise FindingError(f"{where}: expected an object")
        self.raw: dict[str, Any] = value
        self.where = where

    def fail(self, name: str, wanted: str) -> FindingError:
        return FindingError(f"{self.where}.{name}: expected {wanted}")

    def integer(self, name: str, least: int, most: int) -> int:
        value = self.raw.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.fail(name, f"an integer from {least} to {most}")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        value = self.raw.get(name, default)
        if not isinstance(value, str):
            raise self.fail(name, "a string")
        return value

    def commit(self, name: str) -> str:
        value = self.text(name, "")
        if not _COMMIT.fullmatch(value):
            raise self.fail(name, "a commit id or nothing")
        return value

    def seconds(self, name: str) -> float | None:
        value = self.raw.get(name)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool) or value < 0:
            raise self.fail(name, "seconds or null")
        return float(value)

    def lines(self, name: str) -> tuple[str, ...]:
        value = self.raw.get(name)
        if not isinstance(value, list) or not all(isinstance(line, str) and "\n" not in line for line in value):
            raise self.fail(name, "an array of lines")
        if len(value) > MAX_SNIPPET_LINES:
            raise self.fail(name, f"at most {MAX_SNIPPET_LINES} lines")
        return tuple(value)

    def children(self, name: str, most: int = _MAX_ITEMS) -> Iterator[tuple[Any, str]]:
        value = self.raw.get(name, [])
        if not isinstance(value, list) or len(value) > most:
            raise self.fail(name, f"an array of at most {most}")
        return ((item, f"{self.where}.{name}[{index}]") for index, item in enumerate(value))


def _plan(value: Any) -> Plan:
    o = _Object(value, "plan")
    if o.raw.get("version") != VERSION:
        raise o.fail("version", f"{VERSION}; this file is of another version of stridewise")
    _bounded(value)
    stats = _Object(o.raw.get("stats", {}), "plan.stats")
    for name, stat in stats.raw.items():
        if stat is not None and not isinstance(stat, str | int | float | bool):
            raise stats.fail(name, "a string, number, boolean or null")
    return Plan(
        base=o.commit("base"),
        head=o.commit("head"),
        comments=tuple(_placed(_Object(item, where)) for item, where in o.children("comments", MAX_COMMENTS)),
        cap=o.integer("cap", 0, MAX_COMMENTS),
        unplaced=tuple(_finding(item, where) for item, where in o.children("unplaced")),
        resolved=tuple(_finding(item, where) for item, where in o.children("resolved")),
        regressions=tuple(_regression(_Object(item, where)) for item, where in o.children("regressions")),
        recounts=tuple(_recount(_Object(item, where)) for item, where in o.children("recounts")),
        problems=tuple(_problem(_Object(item, where)) for item, where in o.children("problems")),
        stats=dict(stats.raw),
    )


def _bounded(value: Any) -> None:
    """Raises FindingError for text, arrays or nesting beyond what a plan needs, and for numbers that are none."""
    todo: list[tuple[Any, int, str]] = [(value, 0, "plan")]
    while todo:
        item, depth, where = todo.pop()
        if depth > _MAX_DEPTH:
            raise FindingError(f"{where}: nested too deeply")
        if isinstance(item, dict):
            for name, child in item.items():
                if len(name) > _MAX_TEXT:
                    raise FindingError(f"{where}: a name longer than {_MAX_TEXT} characters")
                todo.append((child, depth + 1, f"{where}.{name[:40]}"))
        elif isinstance(item, list):
            if len(item) > _MAX_ITEMS:
                raise FindingError(f"{where}: more than {_MAX_ITEMS} entries")
            todo += [(child, depth + 1, where) for child in item]
        elif isinstance(item, str) and len(item) > _MAX_TEXT:
            raise FindingError(f"{where}: text longer than {_MAX_TEXT} characters")
        elif isinstance(item, float) and not math.isfinite(item):
            raise FindingError(f"{where}: expected a finite number")
        elif isinstance(item, int) and abs(item) > 1 << 63:
            raise FindingError(f"{where}: a number beyond 64 bits")


def _placed(o: _Object) -> Placed:
    finding = _finding(o.raw.get("finding"), f"{o.where}.finding")
    if not finding.location.file:
        raise FindingError(f"{o.where}.finding.location.file: expected a path")
    if not finding.fingerprint:
        raise FindingError(f"{o.where}.finding.fingerprint: expected a fingerprint")
    line = o.integer("line", 1, _MAX_LINE)
    end_line = o.integer("end_line", line, line + MAX_SNIPPET_LINES - 1)
    snippet = o.lines("snippet")
    if len(snippet) != end_line - line + 1:
        raise o.fail("snippet", f"the lines {line} to {end_line}")
    suggestion = None if o.raw.get("suggestion") is None else o.lines("suggestion")
    return Placed(finding, line, end_line, snippet, suggestion, o.text("cause", "added"))


def _regression(o: _Object) -> Regression:
    return Regression(
        _finding(o.raw.get("finding"), f"{o.where}.finding"), o.seconds("seconds"), o.seconds("base_seconds")
    )


def _recount(o: _Object) -> Recount:
    kind, file = o.text("kind"), o.text("file")
    if kind not in ("new", "more", "less", "gone"):
        raise o.fail("kind", "new, more, less or gone")
    if file and not is_inside(file):
        raise FindingError(f"{o.where}: the path {file[:200]!r} leaves the repository")
    rules = o.lines("rules")
    if not all(re.fullmatch(_RULE, rule) for rule in rules):
        raise o.fail("rules", "names of rules")
    return Recount(kind, file, o.integer("line", 0, _MAX_LINE), o.text("place"), o.text("values"), rules)


def _problem(o: _Object) -> Trouble:
    return Trouble(o.text("where"), o.text("message"), o.lines("details") if "details" in o.raw else ())


def _finding(value: Any, where: str) -> Finding:
    try:
        finding = Finding.from_json(value)
    except FindingError as error:
        raise FindingError(f"{where}: {error}") from error
    if not re.fullmatch(_RULE, finding.rule):
        raise FindingError(f"{where}.rule: expected the name of a rule")
    for name in (finding.fingerprint, finding.moved_fingerprint):
        if not re.fullmatch(r"(?:[0-9a-f]{8,64})?", name):
            raise FindingError(f"{where}.fingerprint: expected hexadecimal digits")
    for file in paths(finding):
        if file and not is_inside(file):
            raise FindingError(f"{where}: the path {file[:200]!r} leaves the repository")
    return finding


def paths(finding: Finding) -> Sequence[str]:
    """Every path that a finding names."""
    return [
        finding.location.file,
        *(related.file for related in finding.related),
        *(access.file for access in finding.accesses),
        *(edit.file for fix in finding.fixes for edit in fix.edits),
    ]
