"""What an improvement knows of itself: candidates, steps, what is left, and the file that it goes on from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stridewise.errors import Failure
from stridewise.finding import Edit
from stridewise.improve.tree import BRANCH


@dataclass(frozen=True)
class Candidate:
    """One change that might help. `finding` is None for somebody's patch; edits are of the accepted tree."""

    title: str
    rule: str
    place: str
    fingerprint: str
    edits: tuple[Edit, ...]
    predicted: float | None
    patch: str = ""


@dataclass(frozen=True)
class Step:
    """What became of a candidate. `gain` is the time before divided by the time after, with its interval; `witness`
    what decided beside the wall time, or instead."""

    title: str
    rule: str
    finding: str
    fingerprint: str
    kept: bool
    why: str
    before: float | None = None
    after: float | None = None
    cpu_before: float | None = None
    cpu_after: float | None = None
    gain: float | None = None
    interval: tuple[float, float] | None = None
    predicted: float | None = None
    witness: str = ""
    rounds: int = 0
    commit: str = ""


@dataclass(frozen=True)
class Plan:
    """What is left for a person."""

    place: str
    rule: str
    saves: float | None
    advice: str
    why: str


@dataclass
class State:
    """What a stopped improvement goes on from; written after each step."""

    key: Mapping[str, Any]
    original: str = ""
    accepted: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    final_seconds: float = 0.0
    final_cpu_seconds: float = 0.0
    check: str = ""
    inputs: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    left: tuple[Plan, ...] = ()
    ended: str = ""
    notes: tuple[str, ...] = ()

    def save(self, path: Path) -> None:
        temporary = path.with_suffix(".new")
        try:
            temporary.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror}; what was kept is on the branch {BRANCH}") from error

    @staticmethod
    def load(path: Path) -> State:
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            steps = tuple(
                Step(**{**s, "interval": tuple(s["interval"]) if s["interval"] else None}) for s in value["steps"]
            )
            lists = {key: tuple(value[key]) for key in ("inputs", "notes")}
            return State(**{**value, **lists, "steps": steps, "left": tuple(Plan(**p) for p in value["left"])})
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise Failure(f"{path} is damaged ({error}); remove its folder to begin anew") from error
