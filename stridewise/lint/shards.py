"""Parts of one lint run, for machines that work side by side: each analyses every n-th unit, one of them merges.

A shard is a JSON report of its units with one more member, `shard`: the part's number, what all parts share (the
program, the options, the analyser), and of each unit what the whole-program phase and the final report need.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stridewise import __version__
from stridewise.collect.compile_db import Command, Language, Problem, Workload
from stridewise.errors import Failure
from stridewise.finding import FindingError
from stridewise.finding.sources import Project
from stridewise.lint.analysis import UnitResult, from_stored, stored_value

_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Part:
    """Part `index` of `count`, counted from 1."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Part:
        """Raises ValueError unless the text is i/n with 1 ≤ i ≤ n."""
        first, _, second = text.partition("/")
        part = cls(int(first), int(second))
        if not 1 <= part.index <= part.count:
            raise ValueError(text)
        return part

    def choose(self, commands: Sequence[Command], project: Project) -> list[int]:
        """The positions of this part's units: every n-th of the units in order of their names."""
        order = sorted(range(len(commands)), key=lambda i: (*_name(commands[i], project), i))
        return sorted(order[self.index - 1 :: self.count])


@dataclass(frozen=True, slots=True)
class Merged:
    """What the parts hold together, as an undivided run would have it."""

    work: Workload
    project: Project
    notes: tuple[str, ...]
    complete: bool
    rules: str  # as --rules gave them
    results: tuple[UnitResult, ...]


def to_json(
    part: Part,
    work: Workload,
    project: Project,
    notes: Sequence[str],
    complete: bool,
    rules: str,
    units: Mapping[int, UnitResult],
) -> dict[str, Any]:
    """The member `shard` of a part's report. `work` is that of the whole program, `units` the part's results."""
    return {
        "format": _FORMAT,
        "version": __version__,
        "index": part.index,
        "count": part.count,
        "program": _program(work.commands, project),
        "rules": rules,
        "root": str(project.root),
        "builds": [str(build) for build in project.builds],
        "complete": complete,
        "entries": work.entries,
        "repeated": work.repeated,
        "problems": [[str(p.file), p.message] for p in work.problems],
        "skipped": [str(path) for path in work.skipped],
        "excluded": [str(path) for path in work.excluded],
        "notes": list(notes),
        "commands": len(work.commands),
        "units": [
            {
                "position": position,
                "file": str(unit.command.file),
                "directory": str(unit.command.directory),
                "arguments": list(unit.command.arguments),
                "language": unit.command.language.value,
                "options": list(unit.command.options),
                "target": unit.command.target,
                "flags": list(unit.command.flags),
                "seconds": unit.seconds,
                "failure": unit.failure,
                "result": stored_value(unit),
            }
            for position, unit in sorted(units.items())
        ],
    }


def merge(paths: Sequence[Path]) -> Merged:
    """Joins all parts of one run. Raises Failure for parts that are missing, doubled or of different runs."""
    parts = [(path, _read(path)) for path in paths]
    first_path, first = parts[0]
    seen: dict[int, Path] = {}
    for path, part in parts:
        for name, what in (
            ("version", "versions of stridewise"),
            ("count", "numbers of parts"),
            ("rules", "rules"),
            ("root", "project folders"),
            ("program", "programs, commands or configurations"),
        ):
            if part[name] != first[name]:
                raise Failure(f"{first_path} and {path} are parts of different runs: they differ in their {what}")
        if part["index"] in seen:
            raise Failure(f"part {part['index']} of {part['count']} is there twice: {seen[part['index']]} and {path}")
        seen[part["index"]] = path
    missing = [str(i) for i in range(1, first["count"] + 1) if i not in seen]
    if missing:
        raise Failure(
            f"part {', '.join(missing)} of {first['count']} is missing; make it with "
            f"stridewise lint --shard {missing[0]}/{first['count']} --format json -o FILE"
        )
    return _join([part for _, part in parts], first_path)


def _join(parts: Sequence[Mapping[str, Any]], path: Path) -> Merged:
    first = parts[0]
    try:
        units: dict[int, UnitResult] = {}
        for part in parts:
            for unit in part["units"]:
                units[int(unit["position"])] = _unit(unit)
        if sorted(units) != list(range(first["commands"])):
            raise Failure(f"the parts do not hold each of the {first['commands']} units once; make them again")
        project = Project(Path(first["root"]), tuple(Path(build) for build in first["builds"]))
        work = Workload(
            commands=[units[position].command for position in sorted(units)],
            problems=[Problem(Path(file), message) for file, message in first["problems"]],
            skipped=[Path(name) for name in first["skipped"]],
            excluded=[Path(name) for name in first["excluded"]],
            repeated=int(first["repeated"]),
            entries=int(first["entries"]),
        )
        results = tuple(units[position] for position in sorted(units))
        return Merged(work, project, tuple(first["notes"]), bool(first["complete"]), str(first["rules"]), results)
    except (KeyError, TypeError, ValueError, FindingError) as error:
        raise Failure(f"cannot read {path} or another part: {error!r}; make them again") from error


def _unit(value: Mapping[str, Any]) -> UnitResult:
    command = Command(
        Path(value["file"]),
        Path(value["directory"]),
        tuple(value["arguments"]),
        Language(value["language"]),
        tuple(value["options"]),
        str(value["target"]),
        tuple(value["flags"]),
    )
    return from_stored(command, value["result"], float(value["seconds"]), str(value["failure"]))


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        part = value["shard"]
        if part["format"] != _FORMAT:
            raise ValueError("it is of another format")
        for name, kind in (("version", str), ("index", int), ("count", int), ("program", str), ("root", str),
                           ("rules", str), ("units", list), ("commands", int)):  # fmt: skip
            if not isinstance(part[name], kind):
                raise ValueError(f"its '{name}' is wrong")  # noqa: TRY004 - bad input, not a bad call
        assert isinstance(part, dict)
        return part
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Failure(
            f"{path} is no part of a run: {error}; make one with stridewise lint --shard 1/2 --format json -o {path}"
        ) from error


def _name(command: Command, project: Project) -> tuple[str, tuple[str, ...], str, tuple[str, ...]]:
    return project.relative(str(command.file)), command.arguments, str(command.directory), command.options


def _program(commands: Sequence[Command], project: Project) -> str:
    """A hash of all units in their order, so that parts of different databases are told apart."""
    text = json.dumps([_name(command, project) for command in commands])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
