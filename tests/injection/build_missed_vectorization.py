"""Hot loops that the vectoriser must leave alone: element-wise loops of the site, repeated and given an ordered sum, a
sum in memory, or a scalar function."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Loop, Source

# One plain assignment to an element that the loop's own variable selects last.
_STATEMENT = re.compile(
    r"\s*\{?\s*(?P<array>[A-Za-z_]\w*)(?P<index>(?:\[[^\]\[;]*\])+)\s*[-+*]?=(?P<value>[^;{}]+);\s*\}?\s*"
)


def sites(source: Source) -> Iterator[tuple[Loop, str, str]]:
    """Loops with the element they set, and its type."""
    for loop in source.loops():
        trips = source.constant_bound(loop)
        if (trips is not None and trips < 100) or not source.is_unconditional(loop.line):
            continue
        # A directive would bind to the block that takes the loop's place.
        if source.lines[loop.line - 2].lstrip().startswith("#"):
            continue
        body = source.masked[loop.body_begin : loop.end]
        match = _STATEMENT.fullmatch(body)
        if not match or not re.search(rf"\[\s*{loop.variable}\s*(?:[-+]\s*\w+\s*)?\]$", match["index"]):
            continue
        kind = re.search(rf"\b(double|float|DATA_TYPE|Real_t|real_t)\b[^;(){{}}]*\b{match['array']}\b", source.masked)
        if re.search(rf"\bint\b[^;(){{}},]*\b{match['array']}\b", source.masked):
            continue
        step = loop.parts[2].replace(" ", "")
        if kind and step in (f"{loop.variable}++", f"++{loop.variable}", f"{loop.variable}+=1"):
            yield loop, match["array"] + match["index"], kind[1]


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    found = list(sites(source))
    rng.shuffle(found)
    for loop, element, kind in found:
        shape = rng.choice(("sum", "maximum", "memory", "function"))
        head = f"for ({loop.header})"
        own = source.text[loop.begin : loop.end].split("\n")
        times = rng.choice(("100", "50 + (int)sw_seen[0]", "1000"))
        before = ["{", "extern double sw_seen[4];", f"for (int sw_again = 0; sw_again < {times}; sw_again++) {{", *own]
        if shape == "sum":
            work = [f"{kind} sw_sum = 0;", head, f"  sw_sum += {element} * {element};", "sw_seen[1] += sw_sum;"]
        elif shape == "maximum":
            work = [f"{kind} sw_sum = 1;", head, f"  sw_sum *= 1 + {element};", "sw_seen[1] += sw_sum;"]
        elif shape == "memory":
            work = ["sw_seen[1] = 0;", head, f"  sw_seen[1] += {element};", "sw_seen[2] += sw_seen[1];"]
        else:
            work = ["extern double exp(double);" if not source.cxx else "", head, f"  {element} = exp(-{element});"]
        work = [line for line in work if line]
        text = source.replace(loop.line, loop.end_line, "\n".join([*before, *work, "}", "}"]))
        line = loop.line + len(before) + work.index(head)
        if len(source.lines[loop.line - 1][: loop.begin - source.text.rfind("\n", 0, loop.begin) - 1].strip()) > 0:
            continue
        include = "#include <cmath>\nusing std::exp;" if source.cxx and shape == "function" else ""
        if include:
            text, line = include + "\n" + text, line + 2
        yield Injection(text, (line,), f"{shape} over '{element}' in a loop that is repeated")
