"""Where the time of one run went, as every renderer shows it: parts of the elapsed time, efficiencies, call sites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """A share of the elapsed time, as a mean over the ranks, or over the threads of a process."""

    name: str  # computing, waiting, sending, sleeping, opening teams, output, one thread
    seconds: float


@dataclass(frozen=True, slots=True)
class Efficiency:
    """One ratio with what keeps it from being 1; empty where nothing does."""

    name: str
    share: float
    spoiled: str = ""


@dataclass(frozen=True, slots=True)
class CallSite:
    """All calls of one function from one line: seconds of a rank on average, and of the rank that spent most."""

    call: str
    file: str  # absolute; empty where unknown
    line: int
    function: str
    count: int
    bytes: int
    mean_seconds: float
    worst_seconds: float
    worst_rank: int
    phase: str = ""  # as the program calls it; empty outside of all


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """A part of the run that the program has named: means over the ranks, and the rank that was longest in it."""

    name: str
    count: int  # stays of all ranks together
    mean_seconds: float
    mpi_seconds: float
    waiting_seconds: float
    worst_seconds: float
    worst_rank: int


@dataclass(frozen=True, slots=True)
class TeamPhase:
    """The same of a process that opens teams of threads: elapsed seconds, of them in teams, and of these to open and
    close them, and waiting in them."""

    name: str
    count: int
    seconds: float
    regions: int
    team_seconds: float
    opening_seconds: float
    waiting_seconds: float


@dataclass(frozen=True, slots=True)
class TeamSite:
    """All parallel regions from one line, those inside of others left out: elapsed seconds, of them to open and close
    the teams, and waiting in them; what a thread computes on average, and the busiest of each time."""

    file: str  # absolute; empty where unknown
    line: int
    function: str
    count: int
    seconds: float
    opening_seconds: float
    waiting_seconds: float
    mean_seconds: float
    worst_seconds: float
    phases: tuple[str, ...] = ()  # in which the program comes by; empty where it names none


@dataclass(frozen=True, slots=True)
class Look:
    """Where to look for what no finding explains, and why there."""

    what: str
    why: str
    computing: bool = False  # it is outside of calls of MPI, where other kinds of run tell more


@dataclass(frozen=True, slots=True)
class Profile:
    """The parts add up to `seconds`; `sites` stand in the order of their mean. `first` is what to do before any
    finding, (what, why); `looks` is where to look if none of a run explains the time."""

    seconds: float
    parts: tuple[Part, ...] = ()
    efficiencies: tuple[Efficiency, ...] = ()
    sites: tuple[CallSite, ...] = ()
    first: tuple[tuple[str, str], ...] = ()
    looks: tuple[Look, ...] = ()
    phases: tuple[PhaseTime, ...] = ()
    noise_seconds: float = 0.0  # that others had the processors: mean of the ranks or threads
    team_phases: tuple[TeamPhase, ...] = ()  # of a run of OpenMP
    team_sites: tuple[TeamSite, ...] = ()  # the same, in the order of their time

    def share(self, seconds: float) -> float:
        return seconds / self.seconds if self.seconds > 0 else 0.0

    def to_json(self, rename: Callable[[str], str] = str) -> dict[str, Any]:
        """With the files of the call sites renamed."""
        return {
            "seconds": self.seconds,
            "noise_seconds": self.noise_seconds,
            "parts": {part.name: part.seconds for part in self.parts},
            "efficiencies": [
                {"name": e.name, "share": e.share, **({"spoiled": e.spoiled} if e.spoiled else {})}
                for e in self.efficiencies
            ],
            "sites": [
                {
                    "call": s.call,
                    "file": rename(s.file) if s.file else "",
                    "line": s.line,
                    "function": s.function,
                    "count": s.count,
                    "bytes": s.bytes,
                    "mean_seconds": s.mean_seconds,
                    "worst_seconds": s.worst_seconds,
                    "worst_rank": s.worst_rank,
                    **({"phase": s.phase} if s.phase else {}),
                }
                for s in self.sites
            ],
            **({"regions": self._regions(rename)} if self.team_sites else {}),
            **({"phases": [asdict(phase) for phase in phases]} if (phases := self.phases or self.team_phases) else {}),
        }

    def _regions(self, rename: Callable[[str], str]) -> list[dict[str, Any]]:
        """Phases only where there are any."""
        return [
            {
                name: value
                for name, value in {**asdict(s), "file": rename(s.file) if s.file else ""}.items()
                if name != "phases" or value
            }
            for s in self.team_sites
        ]


def parts_of(seconds: float, named: Sequence[tuple[str, float]], rest: str) -> tuple[Part, ...]:
    """The parts in their order, none below 0, none beyond what the ones before leave; `rest`, the first, is what
    is left."""
    left = max(seconds, 0.0)
    kept = []
    for name, value in named:
        taken = min(max(value, 0.0), left)
        left -= taken
        if taken > 0:
            kept.append(Part(name, taken))
    return (Part(rest, left), *kept)
