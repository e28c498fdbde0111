"""What two other commands have found out about a program, for a section of its report: the steps of `improve` and the
laws of `scale`. The members are those of their JSON files; what a report does not need of these is left out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds before all steps and after them."""

    before: float
    after: float

    @property
    def gain(self) -> float:
        return self.before / self.after if self.after > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Step:
    """A change that was tried; seconds of the program before and after it, None where it never ran."""

    title: str
    finding: str
    kept: bool
    why: str
    before: float | None = None
    after: float | None = None
    gain: float | None = None
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is left for a person; `saves` are seconds."""

    place: str
    rule: str
    saves: float | None
    advice: str


@dataclass(frozen=True, slots=True)
class Waterfall:
    """`check` and `inputs` are what was compared to know that a step is right."""

    command: tuple[str, ...]
    check: str
    inputs: tuple[str, ...]
    seconds: Span
    cpu_seconds: Span
    steps: tuple[Step, ...]
    left: tuple[Plan, ...]
    ended: str
    notes: tuple[str, ...]

    @property
    def kept(self) -> list[Step]:
        return [step for step in self.steps if step.kept]

    @property
    def undone(self) -> list[Step]:
        return [step for step in self.steps if not step.kept]

    @property
    def by_value(self) -> list[Plan]:
        return sorted(self.left, key=lambda plan: -(plan.saves or 0.0))

    @property
    def same(self) -> str:
        """What was compared, of which inputs."""
        return self.check + (f"; also with {', '.join(self.inputs)}" if self.inputs else "")


@dataclass(frozen=True, slots=True)
class Curve:
    """A place: seconds of a rank, least and most, and calls of the busiest rank, at each of `Curves.ranks`; `seen` are
    runs. Empty where no law is known."""

    name: str
    least: tuple[float, ...]
    most: tuple[float, ...]
    law: tuple[float, ...]
    seen: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """`work` is what a rank computes, in seconds; `efficiency` is of runs whose ranks all had a processor: ranks,
    efficiency, load balance."""

    ranks: tuple[int, ...]
    work: tuple[float | None, ...]
    sites: tuple[Curve, ...]
    efficiency: tuple[tuple[int, float, float], ...]
    unit: str = "ranks"  # or threads


@dataclass(frozen=True, slots=True)
class Amount:
    """A count of one rank: its law, None where it follows none, what it is at the target of the study, and what it was
    in each run."""

    law: str | None
    foretold: float | None = None
    values: tuple[float, ...] = ()
    confidence: str = "high"


@dataclass(frozen=True, slots=True)
class Price:
    """Seconds of one rank over the whole run."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Network:
    """What prices are of."""

    source: str


@dataclass(frozen=True, slots=True)
class Scaled:
    """A place that calls MPI, or a construct of OpenMP; `path` is file, line and function, of its callers, too.
    `unscalable` is why it keeps the program from scaling, empty if it does not; `timing`: how often it calls is a
    matter of time, and follows no law."""

    call: str
    file: str
    line: int
    path: tuple[tuple[str, int, str], ...]
    calls_most: Amount
    bytes_most: Amount
    partners: Amount
    price: Price | None
    unscalable: str
    timing: bool = False

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line} {self.call}" if self.file else f"{self.call}, of unknown place"


@dataclass(frozen=True, slots=True)
class Breaks:
    """The place that keeps the program from scaling first: why, and from how many ranks on it takes a share that
    counts; `when` is empty where that is not known. `site` is its number in the list of sites."""

    site: int
    why: str
    when: str


@dataclass(frozen=True, slots=True)
class Scaling:
    """`said` is the study in lines, without its places. Former studies have neither these nor curves."""

    ranks: tuple[int, ...]
    scaling: str  # strong, weak
    target: int | None
    root: str  # what the files of sites are relative to
    network: Network
    sites: tuple[Scaled, ...]  # those with a law first, the dearest at the target before all
    said: tuple[str, ...] = ()
    breaks_first: Breaks | None = None
    curves: Curves | None = field(default=None)
    unit: str = "ranks"  # threads: `ranks` are these, and sites constructs of OpenMP

    @property
    def far(self) -> int:
        """The number of ranks that prices are for."""
        return self.target or self.ranks[-1]

    @property
    def first(self) -> Scaled | None:
        return self.sites[self.breaks_first.site] if self.breaks_first else None


@dataclass(frozen=True, slots=True)
class Studies:
    """Those that a report was given."""

    improve: Waterfall | None = None
    scale: Scaling | None = None

    def to_json(self) -> dict[str, Any]:
        given = {"improve": self.improve, "scale": self.scale}
        return {name: asdict(study) for name, study in given.items() if study}
