"""Arrays of a shared loop's length that a serial loop initialises before."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection._team_loops import edited, stores, team_loops


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    """Adds a fresh array to a store of a shared loop; one thread fills it first, in one of several ways."""
    for team in rng.sample(teams := team_loops(source), len(teams)):
        store = rng.choice(list(stores(source, team.loop)))
        value = rng.choice(["double", "float"])
        n = f"(size_t)({team.bound})"
        allocation = f"{value} *fresh_ = ({value} *)malloc({n} * sizeof({value}));"
        if source.cxx and rng.random() < 0.5:
            allocation = f"{value} *fresh_ = new {value}[{n}];"
        fill = rng.choice(
            [
                f"for (size_t f_ = 0; f_ < {n}; f_++) fresh_[f_] = 1;",
                f"for (size_t f_ = 0; f_ < {n}; ++f_) {{\nfresh_[f_] = f_ % 7;\n}}",
                f"for (long f_ = (long)({team.bound}) - 1; f_ >= 0; f_--) fresh_[f_] = 0;",
                f"for ({value} *f_ = fresh_; f_ < fresh_ + {n}; f_++) *f_ = 1;",
            ]
        )
        headers = ["#include <stdlib.h>"]
        helper = rng.random() < 0.4 and fill.startswith("for (size_t f_ = 0")
        if helper:
            inner = fill.replace(n, "n_").replace("\n", " ")
            headers += [f"static void fill_fresh_({value} *fresh_, size_t n_) {{", inner, "}"]
            fill = f"fill_fresh_(fresh_, {n});"
        changed = f"{store.indent}{store.target} {store.operator} fresh_[{team.loop.variable}] * ({store.value});"
        text, _ = edited(source, team, f"{allocation}\n{fill}\n{team.pragma}", {store.line: changed})
        lines = (3,) if helper else (team.first + len(headers) + 1,)
        yield Injection("\n".join([*headers, text]), lines, "a serial loop writes the array first", ("-fopenmp",))
