"""The finding: what every producer makes and every renderer reads. Field for field rules/finding.schema.json."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

ArgValue = str | int | float | bool | None
Metrics = Mapping[str, Any]


class Severity(StrEnum):
    """What the problem costs if the finding is true."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 for the mildest."""
        return list(Severity).index(self)


class Confidence(StrEnum):
    """How sure the finding is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """0 for the least sure."""
        return list(Confidence).index(self)


class Verdict(StrEnum):
    """What source and run say together."""

    SUSPECTED = "suspected"  # source only
    OBSERVED = "observed"  # run only
    CONFIRMED = "confirmed"
    REFUTED = "refuted"  # for this input
    NOT_EXERCISED = "not-exercised"


class FindingError(ValueError):
    """A JSON value that is no finding; the text names the field."""


@dataclass(frozen=True, slots=True)
class Location:
    """Lines and columns count from 1; 0 means unknown. The end is exclusive in columns, inclusive in lines."""

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class Scope:
    """First and last line of the loop, region or function that the finding speaks of; 0 means unknown."""

    begin_line: int = 0
    end_line: int = 0

    def contains(self, line: int) -> bool:
        return self.begin_line <= line <= self.end_line


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one source knows: static, mpi, cache, omp, sharing, placement. Metrics end in their unit: `rank_seconds`."""

    source: str
    metrics: Metrics = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    file: str
    line: int
    label: str


@dataclass(frozen=True, slots=True)
class Access:
    """A line where the cost shows in a profile, under the function that the profiler attributes it to."""

    file: str
    line: int
    function: str
    best_lines_per_access: float | None = None  # cache lines per execution in the best loop order


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the bytes [begin_offset, end_offset) of a file."""

    file: str
    begin_offset: int
    end_offset: int
    replacement: str


class Safety(StrEnum):
    """What a fix may change beside what it is for."""

    SAFE = "safe"  # nothing, in every program that compiles
    UNSAFE = "unsafe"  # in some program what it computes


@dataclass(frozen=True, slots=True)
class Beyond:
    """What one unit cannot know of its fix: `why` code of other units could notice (empty when none can), and the
    `words` by which code that the unit does not compile would speak of what the fix changes."""

    why: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fix:
    """`why` says what proves a safe fix, and in which program an unsafe one would be wrong. `beyond` stands in the
    results of units only."""

    description: str
    edits: tuple[Edit, ...]
    safety: Safety = Safety.UNSAFE
    why: str = ""
    beyond: Beyond | None = None

    @property
    def is_safe(self) -> bool:
        return self.safety is Safety.SAFE

    def doubted(self, why: str) -> Fix:
        """The fix as an unsafe one; the first doubt is the one that is told."""
        return replace(self, safety=Safety.UNSAFE, why=why) if self.is_safe else self


@dataclass(frozen=True, slots=True)
class Deciding:
    """The run that would decide a finding: its kind, the input to try, and why the runs so far did not (empty where
    none of that kind watched)."""

    run: str
    input: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    rule: str
    severity: Severity
    confidence: Confidence
    message: str
    location: Location
    verdict: Verdict = Verdict.SUSPECTED
    advice: str = ""
    function: str = ""
    scope: Scope = Scope()
    args: Mapping[str, ArgValue] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    related: tuple[Related, ...] = ()
    accesses: tuple[Access, ...] = ()
    cost_seconds: float | None = None
    gain_seconds: float | None = None
    fixes: tuple[Fix, ...] = ()
    fingerprint: str = ""
    moved_fingerprint: str = ""
    instantiations: tuple[str, ...] = ()  # of the template around the place, by name
    group: str = ""  # equal for findings of one cause; empty where it stands alone
    estimated_nanoseconds: float | None = None  # each time the program comes by, as the rule assumes: orders a list
    decided_by: Deciding | None = None  # None where a run has decided, or none can

    def evidence_from(self, source: str) -> Evidence | None:
        """The first evidence of that source, or None."""
        return next((e for e in self.evidence if e.source == source), None)

    def with_evidence(self, *more: Evidence) -> Finding:
        return replace(self, evidence=self.evidence + more)

    def to_json(self) -> dict[str, Any]:
        """The object of rules/finding.schema.json, keys in the schema's order."""
        accesses: list[dict[str, Any]] = []
        for a in self.accesses:
            entry: dict[str, Any] = {"file": a.file, "line": a.line, "function": a.function}
            if a.best_lines_per_access is not None:
                entry["best_lines_per_access"] = a.best_lines_per_access
            accesses.append(entry)
        evidence: list[dict[str, Any]] = []
        for e in self.evidence:
            item: dict[str, Any] = {"source": e.source, "metrics": dict(e.metrics)}
            if e.note:
                item["note"] = e.note
            evidence.append(item)
        where = self.location
        templates = {"instantiations": list(self.instantiations)} if self.instantiations else {}
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "confidence": self.confidence.value,
            "verdict": self.verdict.value,
            "message": self.message,
            "advice": self.advice,
            "location": {
                "file": where.file,
                "line": where.line,
                "column": where.column,
                "end_line": where.end_line,
                "end_column": where.end_column,
            },
            "function": self.function,
            "scope": {"begin_line": self.scope.begin_line, "end_line": self.scope.end_line},
            "args": dict(self.args),
            "evidence": evidence,
            "related": [{"file": r.file, "line": r.line, "label": r.label} for r in self.related],
            "accesses": accesses,
            "cost_seconds": self.cost_seconds,
            "gain_seconds": self.gain_seconds,
            "fixes": [
                {
                    "description": f.description,
                    "edits": [
                        {
                            "file": e.file,
                            "begin_offset": e.begin_offset,
                            "end_offset": e.end_offset,
                            "replacement": e.replacement,
                        }
                        for e in f.edits
                    ],
                    "safety": f.safety.value,
                    "why": f.why,
                    **({"beyond": {"why": f.beyond.why, "words": list(f.beyond.words)}} if f.beyond else {}),
                }
                for f in self.fixes
            ],
            "fingerprint": self.fingerprint,
            "moved_fingerprint": self.moved_fingerprint,
            **templates,
            **self._order(),
        }

    def _order(self) -> dict[str, Any]:
        """What a list of findings needs; nothing where it was not settled."""
        out: dict[str, Any] = {"group": self.group} if self.group else {}
        if self.estimated_nanoseconds is not None:
            out["estimated_nanoseconds"] = self.estimated_nanoseconds
        if self.decided_by is not None:
            out["decided_by"] = {"run": self.decided_by.run, "input": self.decided_by.input, "why": self.decided_by.why}
        return out

    @staticmethod
    def from_json(value: Any, severity: Severity = Severity.WARNING) -> Finding:
        """Reads a finding; fields that only correlation adds may be absent (the analyser's unit results lack them).

        Raises FindingError naming the first wrong field. `severity` is taken where the object has none.
        """
        o = _Object(value, "finding")
        return Finding(
            rule=o.text("rule"),
            severity=Severity(o.choice("severity", Severity, severity)),
            confidence=Confidence(o.choice("confidence", Confidence)),
            verdict=Verdict(o.choice("verdict", Verdict, Verdict.SUSPECTED)),
            message=o.text("message"),
            advice=o.text("advice", ""),
            location=_location(o.child("location")),
            function=o.text("function", ""),
            scope=_scope(o.child("scope")) if o.has("scope") else Scope(),
            args=_args(o.child("args")) if o.has("args") else {},
            evidence=tuple(_evidence(e) for e in o.children("evidence")),
            related=tuple(Related(r.text("file"), r.integer("line"), r.text("label")) for r in o.children("related")),
            accesses=tuple(_access(a) for a in o.children("accesses")),
            cost_seconds=o.number("cost_seconds"),
            gain_seconds=o.number("gain_seconds"),
            fixes=tuple(_fix(f) for f in o.children("fixes")),
            fingerprint=o.text("fingerprint", ""),
            moved_fingerprint=o.text("moved_fingerprint", ""),
            instantiations=o.texts("instantiations"),
            group=o.text("group", ""),
            estimated_nanoseconds=o.number("estimated_nanoseconds"),
            decided_by=_deciding(o.child("decided_by")) if o.has("decided_by") else None,
        )


def digest(parts: Sequence[str]) -> str:
    """A short stable hash of the parts; 16 hexadecimal digits."""
    joined = "\0".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(joined).hexdigest()[:16]


class _Object:
    """Typed access to an untrusted JSON object."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise FindingError(f"{where}: expected an object")
        self.raw: dict[str, Any] = value
        self.where = where

    def has(self, name: str) -> bool:
        return self.raw.get(name) is not None

    def fail(self, name: str, wanted: str) -> FindingError:
        return FindingError(f"{self.where}.{name}: expected {wanted}")

    def text(self, name: str, default: str | None = None) -> str:
        value = self.raw.get(name, default)
        if not isinstance(value, str):
            raise self.fail(name, "a string")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.raw.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fail(name, "an array of strings")
        return tuple(value)

    def integer(self, name: str, default: int | None = None) -> int:
        value = self.raw.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fail(name, "an integer")
        return value

    def number(self, name: str) -> float | None:
        value = self.raw.get(name)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.fail(name, "a number or null")
        return float(value)

    def choice(self, name: str, values: type[StrEnum], default: StrEnum | None = None) -> str:
        value = self.raw.get(name, default)
        if value not in list(values):
            raise self.fail(name, f"one of {', '.join(values)}")
        return str(value)

    def child(self, name: str) -> _Object:
        return _Object(self.raw.get(name), f"{self.where}.{name}")

    def children(self, name: str) -> list[_Object]:
        value = self.raw.get(name, [])
        if not isinstance(value, list):
            raise self.fail(name, "an array")
        return [_Object(item, f"{self.where}.{name}[{index}]") for index, item in enumerate(value)]


def _location(o: _Object) -> Location:
    line = o.integer("line")
    column = o.integer("column", 0)
    if line < 0 or column < 0:
        raise FindingError(f"{o.where}: negative line or column")
    return Location(o.text("file"), line, column, o.integer("end_line", line), o.integer("end_column", column))


def _scope(o: _Object) -> Scope:
    return Scope(o.integer("begin_line"), o.integer("end_line"))


def _args(o: _Object) -> dict[str, ArgValue]:
    for name, value in o.raw.items():
        if value is not None and not isinstance(value, str | int | float | bool):
            raise o.fail(name, "a string, number, boolean or null")
    return dict(o.raw)


def _evidence(o: _Object) -> Evidence:
    return Evidence(o.text("source"), dict(o.child("metrics").raw), o.text("note", ""))


def _access(o: _Object) -> Access:
    return Access(o.text("file"), o.integer("line"), o.text("function", ""), o.number("best_lines_per_access"))


def _deciding(o: _Object) -> Deciding:
    return Deciding(o.text("run"), o.text("input", ""), o.text("why", ""))


def _fix(o: _Object) -> Fix:
    edits = tuple(
        Edit(e.text("file"), e.integer("begin_offset"), e.integer("end_offset"), e.text("replacement"))
        for e in o.children("edits")
    )
    for edit in edits:
        if not 0 <= edit.begin_offset <= edit.end_offset:
            raise FindingError(f"{o.where}.edits: offsets {edit.begin_offset}..{edit.end_offset} make no range")
    beyond = None
    if o.has("beyond"):
        child = o.child("beyond")
        beyond = Beyond(child.text("why", ""), child.texts("words"))
    safety = Safety(o.choice("safety", Safety, Safety.UNSAFE))
    return Fix(o.text("description"), edits, safety, o.text("why", ""), beyond)
