"""Arrays of a shared loop's length that a serial loop initialises before."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection._team_loops import is_leaf, stores, team_loops


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    """Adds a fresh array to a store of a shared loop; one thread fills it first, in one of several ways."""
    if not source.openmp:
        return
    for team in rng.sample(teams := team_loops(source), len(teams)):
        found = list(stores(source, team.loop))
        bound = team.bound
        if not found or not bound or not is_leaf(source, team.loop) or "collapse" in team.pragma:
            continue
        if team.line > 1 and source.lines[team.line - 2].rstrip().endswith((")", "else")):
            continue
        store = rng.choice(found)
        value = rng.choice(["double", "float"])
        n = f"(size_t)({bound})"
        allocation = f"{value} *fresh_ = ({value} *)malloc({n} * sizeof({value}));"
        if source.cxx and rng.random() < 0.5:
            allocation = f"{value} *fresh_ = new {value}[{n}];"
        fill = rng.choice(
            [
                f"for (size_t f_ = 0; f_ < {n}; f_++) fresh_[f_] = 1;",
                f"for (size_t f_ = 0; f_ < {n}; ++f_) {{\nfresh_[f_] = f_ % 7;\n}}",
                f"for (long f_ = (long)({bound}) - 1; f_ >= 0; f_--) fresh_[f_] = 0;",
                f"for ({value} *f_ = fresh_; f_ < fresh_ + {n}; f_++) *f_ = 1;",
            ]
        )
        helper = rng.random() < 0.4 and fill.startswith("for (size_t f_ = 0")
        headers = "#include <stdlib.h>"
        if helper:
            inner = fill.replace(n, "n_").replace("\n", " ")
            headers += f"\nstatic void fill_fresh_({value} *fresh_, size_t n_) {{\n{inner}\n}}"
            fill = f"fill_fresh_(fresh_, {n});"
        edited = list(source.lines)
        i = team.loop.variable
        edited[store.line - 1] = f"{store.indent}{store.target} {store.operator} fresh_[{i}] * ({store.value});"
        edited[team.line - 1] = f"{allocation}\n{fill}\n" + edited[team.line - 1]
        added = headers.count("\n") + 1
        lines = (3,) if helper else (team.line + added + 1,)
        yield Injection(headers + "\n" + "\n".join(edited), lines, "a serial loop writes the array first")
