"""Units of real code that compute, compiled with too little optimisation."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source

_LEVELS = (("-O0",), ("-O0",), ("-O0", "-march=native"), ("-O1",), ("-Og",))
_REAL = re.compile(r"\b(?:double|float|DATA_TYPE|real_t|Real_t)\b")


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    lines = source.masked.split("\n")
    computing = [
        function
        for function in source.functions()
        if source.is_unconditional(function.begin)
        and any(function is loop.function for loop in source.loops())
        and _REAL.search("\n".join(lines[function.begin - 1 : function.end]))
    ]
    if not computing:
        return
    main = [function for function in source.functions() if function.name == "main"]
    # Said once for the program: at its main, or else at the first function that computes, itself or by a call.
    where = main or source.functions()
    spots = tuple(line for function in where for line in range(max(1, function.begin - 3), function.body_begin + 1))
    arguments = rng.choice(_LEVELS)
    yield Injection(source.text, spots, f"compiled with {' '.join(arguments)}", arguments)
