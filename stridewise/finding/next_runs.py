"""What to run next: of the findings that no run has decided, which run would decide most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stridewise.finding.grouping import Group
from stridewise.finding.order import expected
from stridewise.finding.result import Result

PROGRAM = "./PROGRAM"
# What a kind of run asks of the build, in the order in which a person would do it.
_BUILD = {
    "cache": "built with -g, and optimised as always",
    "sharing": "built by the stand-ins for the compilers: make CC='stridewise-share-cc gcc'",
}
_SHOWN_RULES = 4


@dataclass(frozen=True, slots=True)
class NextRun:
    """One command, and the findings that it would decide, dearest first."""

    kind: str
    command: tuple[str, ...]
    groups: tuple[Group, ...]
    inputs: tuple[str, ...]
    build: str = ""
    unsure: int = 0  # further findings, not sure enough to be reported, that it would decide as well

    def to_json(self, result: Result) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "command": list(self.command),
            "inputs": list(self.inputs),
            "build": self.build,
            "unsure": self.unsure,
            "findings": [
                {
                    "rule": f.rule,
                    "file": result.project.relative(f.location.file),
                    "line": f.location.line,
                    "function": f.function,
                    "why": f.decided_by.why if f.decided_by else "",
                    "fingerprint": f.fingerprint,
                    "places": len(group.members),
                }
                for group in self.groups
                for f in (group.lead,)
            ],
        }


def next_runs(result: Result, lint: str, program: Sequence[str]) -> list[NextRun]:
    """The run first that decides the findings which are expected to cost most. `lint` is the file of findings that the
    runs are to judge, `program` the command to watch (empty: a stand-in is printed)."""
    by_kind: dict[str, list[Group]] = {}
    for group in result.groups:
        if group.lead.decided_by is not None:
            by_kind.setdefault(group.lead.decided_by.run, []).append(group)
    costs = {kind: sum(expected(f) for group in groups for f in group.members) for kind, groups in by_kind.items()}
    order = sorted(by_kind, key=lambda kind: (-costs[kind], kind))
    return [_next(kind, by_kind[kind], result, lint, program) for kind in order]


def why(run: NextRun, findings: int) -> str:
    """How many of the undecided findings it decides, of which rules, and the dearest of them."""
    rules = Counter(group.lead.rule for group in run.groups).most_common()
    named = [f"{rule} {number}" for rule, number in rules[:_SHOWN_RULES]]
    if len(rules) > _SHOWN_RULES:
        named.append(f"{len(rules) - _SHOWN_RULES} more rules")
    more = f"; and {run.unsure} of low confidence" if run.unsure else ""
    return f"decides {len(run.groups)} of {findings} undecided findings: {', '.join(named)}{more}"


def _next(kind: str, groups: Sequence[Group], result: Result, lint: str, program: Sequence[str]) -> NextRun:
    inputs = Counter(d.input for group in groups if (d := group.lead.decided_by)).most_common()
    watched = tuple(program) or _watched(result, kind)
    command = ("stridewise", "run", f"--{kind}", "--lint", lint, "--", *watched)
    unsure = sum(f.decided_by is not None and f.decided_by.run == kind for f in result.unsure)
    return NextRun(kind, command, tuple(groups), tuple(text for text, _ in inputs), _BUILD.get(kind, ""), unsure)


def _watched(result: Result, kind: str) -> tuple[str, ...]:
    """The program of a run that the report holds, best of the same kind; a stand-in without one."""
    commands = [run.command for run in result.runs if run.kind == kind] + [run.command for run in result.runs]
    known = next((command for command in commands if command), None)
    return known or (("mpirun", "-n", "4", PROGRAM) if kind == "mpi" else (PROGRAM,))
