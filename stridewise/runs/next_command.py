"""stridewise next: prints the runs that would decide what a report leaves undecided."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stridewise import catalogue
from stridewise.console import harmless
from stridewise.errors import Failure
from stridewise.finding import Finding, Severity, Verdict
from stridewise.finding.grouping import Group
from stridewise.finding.next_runs import PROGRAM, NextRun, next_runs, why
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.settle import settled
from stridewise.finding.sources import from_here
from stridewise.runs import lint_findings

_NAMED = 3  # findings of a run that are named
_ANEW = ("stridewise", "lint", "--format", "json", "-o", "findings.json")


def of_report(
    path: Path,
    program: Sequence[str],
    style: str = "text",
    everything: bool = False,
    lint: str = "",
    prepare: Sequence[str] = (),
) -> int:
    """Prints the plan. `lint` is the name by which the commands find the findings, `prepare` the command that makes
    that file; by default the report itself, or, where runs are in it already, one of the source made anew."""
    result = _load(path)
    if not lint:
        lint, prepare = (_ANEW[-1], _ANEW) if result.runs else (str(path), ())
    runs = next_runs(result, lint, program)
    if style == "json":
        print(json.dumps(_to_json(runs, prepare, result), indent=2))
        return 0
    for line in _lines(runs, prepare, result, lint, everything):
        print(line)
    return 0


def _load(path: Path) -> Result:
    known = lint_findings.load(path)
    runs = tuple(_runs(path))
    return Result(known.project, tuple(settled(known.findings, catalogue.load(), runs, known.project)), runs=runs)


def _runs(path: Path) -> Iterator[RunSummary]:
    """The runs of a report; of each what a plan needs."""
    try:
        listed = json.loads(path.read_text(encoding="utf-8")).get("runs", [])
        for run in listed:
            command = run["command"]
            if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
                raise ValueError("'runs' holds a command that is no list of words")
            seconds = run.get("seconds")
            known = float(seconds) if isinstance(seconds, int | float) else None
            yield RunSummary(str(run["kind"]), tuple(command), 0, known)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(
            f"cannot read the runs of {path}: {error}; make it with stridewise report --format json"
        ) from error


def _lines(
    runs: Sequence[NextRun], prepare: Sequence[str], result: Result, lint: str, everything: bool
) -> Iterator[str]:
    """A script: comments say why, every other line is a command."""
    leads = [group.lead for group in result.groups]
    total = len(leads)
    undecided = sum(len(run.groups) for run in runs)
    left = [f for f in leads if f.decided_by is None and f.verdict is Verdict.SUSPECTED]
    errors = sum(f.severity is Severity.ERROR for f in left)
    open_to_none = len(left) - errors
    decided = total - undecided - len(left)
    others = f"; {decided} decided by a run" if decided else ""
    if errors:
        others += f"; {_count(errors, 'error')} to mend, whatever a run says"
    if open_to_none:
        others += f"; {open_to_none} that no run decides: time the program with and without the change"
    if not runs:
        yield f"# nothing is undecided that a run would decide: {_count(total, 'finding')}{others}"
        return
    yield f"# {undecided} of {_count(total, 'finding')} undecided{others}"
    if prepare:
        yield shlex.join(prepare)
    for number, run in enumerate(runs, 1):
        yield f"# {number}. {harmless(why(run, undecided))}"
        yield from (f"#    input: {harmless(text)}" for text in run.inputs)
        if run.build:
            yield f"#    build: {run.build}"
        yield from _named(run, result, everything)
        yield shlex.join(run.command)
    yield f"# then: stridewise report --lint {shlex.quote(lint)}"
    if any(PROGRAM in run.command for run in runs):
        yield f"# {PROGRAM} stands for your program and its input; name it: stridewise next … -- mpirun -n 4 ./app"


def _named(run: NextRun, result: Result, everything: bool) -> Iterator[str]:
    shown = run.groups if everything else run.groups[:_NAMED]
    for group in shown:
        finding = group.lead
        yield f"#    {harmless(_place(group, result))}: {finding.rule}{harmless(_reason(finding))}"
    if len(run.groups) > len(shown):
        yield f"#    and {len(run.groups) - len(shown)} more (--all names them)"


def _place(group: Group, result: Result) -> str:
    where = group.lead.location
    place = f"{from_here(where.file, result.project)}:{where.line}"
    if group.lead.function:
        place += f" in {group.lead.function}"
    return f"{place} and {_count(len(group.others), 'more place')}" if group.others else place


def _reason(finding: Finding) -> str:
    return f", undecided: {finding.decided_by.why}" if finding.decided_by and finding.decided_by.why else ""


def _to_json(runs: Sequence[NextRun], prepare: Sequence[str], result: Result) -> dict[str, Any]:
    return {
        "version": 1,
        "prepare": list(prepare),
        "findings": len(result.groups),
        "undecided": sum(len(run.groups) for run in runs),
        "runs": [run.to_json(result) for run in runs],
    }


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
