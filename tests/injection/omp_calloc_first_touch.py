"""Intermediate arrays of shared loops, zeroed by their allocation on one thread."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection._team_loops import is_leaf, stores, team_loops


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    """Keeps the value of a store in a fresh array of the loop's length, in the same loop."""
    if not source.openmp:
        return
    for team in rng.sample(teams := team_loops(source), len(teams)):
        found = list(stores(source, team.loop))
        bound = team.bound
        if not found or not bound or not is_leaf(source, team.loop) or "collapse" in team.pragma:
            continue
        store = rng.choice(found)
        value = rng.choice(["double", "float"])
        n = f"(size_t)({bound})"
        kinds = {
            "calloc": f"{value} *fresh_ = ({value} *)calloc({n}, sizeof({value}));",
            "memset": f"{value} *fresh_ = ({value} *)malloc({n} * sizeof({value}));\n"
            f"memset(fresh_, 0, {n} * sizeof({value}));",
        }
        headers = "#include <stdlib.h>\n#include <string.h>"
        if source.cxx:
            headers += "\n#include <vector>"
            kinds["vector"] = f"std::vector<{value}> fresh_({n});"
            kinds["new"] = f"{value} *fresh_ = new {value}[{n}]();"
            kinds["resize"] = f"std::vector<{value}> fresh_;\nfresh_.resize({n});"
        kind = rng.choice(sorted(kinds))
        made = kinds[kind]
        count = made.count("\n") + 1
        edited = list(source.lines)
        i = team.loop.variable
        edited[store.line - 1] = (
            f"{store.indent}fresh_[{i}] = {store.value}; {store.target} {store.operator} fresh_[{i}];"
        )
        edited[team.line - 1] = made + "\n" + edited[team.line - 1]
        added = headers.count("\n") + 1
        lines = tuple(range(team.line + added, team.line + added + count))
        # The directive may have been the only statement of a branch.
        if team.line > 1 and edited[team.line - 2].rstrip().endswith((")", "else")):
            continue
        yield Injection(headers + "\n" + "\n".join(edited), lines, f"{kind} before a parallel initialisation")
