"""What a budget holds, and its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stridewise import __version__
from stridewise.errors import Failure

VERSION = 1
# How far a count may be from the budget's, relative. What is not named here must be the same. Simulated misses depend
# on where the system puts the stack and the libraries; accesses and instructions hardly do.
TOLERANCE: Mapping[str, float] = {"instructions": 0.001, "accesses": 0.001, "d1_misses": 0.02, "ll_misses": 0.05}
# Nor do fewer than these tell anything: the environment's length alone moves the stack by some lines.
FLOOR: Mapping[str, int] = {"instructions": 1000, "accesses": 1000, "d1_misses": 1000, "ll_misses": 1000}
UNITS: Mapping[str, str] = {
    "calls": "calls",
    "most_calls": "calls of the busiest rank",
    "bytes": "bytes",
    "partners": "partners of a rank",
    "teams": "teams opened",
    "threads": "threads of the largest team",
    "rounds": "rounds",
    "iterations": "iterations",
    "entries": "entries",
    "tasks": "tasks",
    "allocations": "allocations",
    "instructions": "instructions",
    "accesses": "accesses of data",
    "d1_misses": "misses of the first level",
    "ll_misses": "misses of the last level",
    "places": "places",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One place of one run. `name` is what it does (an MPI function, a construct, a rule), `path` the files and
    functions that lead to it, innermost first: lines move when sources are edited, so that they are no part of what it
    is known by. `values` are named by UNITS."""

    run: str
    name: str
    path: tuple[tuple[str, str], ...]
    line: int
    values: Mapping[str, int]
    rules: tuple[str, ...] = field(default=(), compare=False)  # of findings there; not kept

    @property
    def key(self) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        return self.run, self.name, self.path

    @property
    def file(self) -> str:
        return self.path[0][0] if self.path else ""

    @property
    def function(self) -> str:
        return self.path[0][1] if self.path else ""

    def to_json(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "name": self.name,
            "path": [list(step) for step in self.path],
            "line": self.line,
            "values": dict(self.values),
        }


@dataclass(frozen=True, slots=True)
class Budget:
    """`runs` are the runs that were counted, by name ("mpi, 4 ranks"), with their commands."""

    runs: Mapping[str, Sequence[str]]
    items: tuple[Item, ...]


def as_text(budget: Budget) -> str:
    """One item a line, in an order that edits of the program hardly change: a diff of the file shows what changed."""
    items = sorted(budget.items, key=lambda item: (item.key, item.line, sorted(item.values.items())))
    head = {"version": VERSION, "tool_version": __version__, "runs": {k: list(v) for k, v in budget.runs.items()}}
    lines = ",\n  ".join(json.dumps(item.to_json(), ensure_ascii=True) for item in items)
    return json.dumps(head, indent=1)[:-2] + f',\n "items": [\n  {lines}\n ]\n}}\n'


def load(path: Path) -> Budget:
    """Raises Failure."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if value["version"] != VERSION:
            raise ValueError(f"version {value['version']}, this tool knows {VERSION}")
        runs = {str(name): [str(word) for word in command] for name, command in value["runs"].items()}
        return Budget(runs, tuple(_item(item, runs) for item in value["items"]))
    except FileNotFoundError as error:
        raise Failure(f"no budget {path}; make one with stridewise budget RUN -o {path}") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(f"cannot read the budget {path}: {error!r}; make it anew with stridewise budget") from error


def _item(value: Any, runs: Iterable[str]) -> Item:
    if value["run"] not in runs:
        raise ValueError(f"an item of an unknown run {value['run']!r}")
    path = tuple((str(file), str(function)) for file, function in value["path"])
    values = {str(name): int(count) for name, count in value["values"].items()}
    return Item(str(value["run"]), str(value["name"]), path, int(value["line"]), values)
