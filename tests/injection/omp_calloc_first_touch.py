"""Intermediate arrays of shared loops, zeroed by their allocation on one thread."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection._team_loops import edited, stores, team_loops


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    """Keeps the value of a store in a fresh array of the loop's length, in the same loop."""
    for team in rng.sample(teams := team_loops(source), len(teams)):
        store = rng.choice(list(stores(source, team.loop)))
        value = rng.choice(["double", "float"])
        n = f"(size_t)({team.bound})"
        kinds = {
            "calloc": f"{value} *fresh_ = ({value} *)calloc({n}, sizeof({value}));",
            "memset": f"{value} *fresh_ = ({value} *)malloc({n} * sizeof({value}));\n"
            f"memset(fresh_, 0, {n} * sizeof({value}));",
        }
        headers = ["#include <stdlib.h>", "#include <string.h>"]
        if source.cxx:
            headers += ["#include <vector>"]
            kinds["vector"] = f"std::vector<{value}> fresh_({n});"
            kinds["new"] = f"{value} *fresh_ = new {value}[{n}]();"
            kinds["resize"] = f"std::vector<{value}> fresh_;\nfresh_.resize({n});"
        kind = rng.choice(sorted(kinds))
        element = f"fresh_[{team.loop.variable}]"
        changed = f"{store.indent}{element} = {store.value}; {store.target} {store.operator} {element};"
        if not source.masked[team.loop.body_begin :].startswith("{"):
            changed = f"{{ {changed} }}"
        text, _ = edited(source, team, f"{kinds[kind]}\n{team.pragma}", {store.line: changed})
        first = team.first + len(headers)
        lines = tuple(range(first, first + 1 + kinds[kind].count("\n")))
        yield Injection("\n".join([*headers, text]), lines, f"{kind} before a parallel initialisation", ("-fopenmp",))
