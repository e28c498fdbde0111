"""Records of which a repeated loop, over the site's own range, uses a few bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Loop, Source
from injection._loops import long_loops

_KINDS = {"double": 8, "float": 4, "int": 4, "long": 8}


def _is_defined_elsewhere(source: Source, loop: Loop) -> bool:
    """Whether the bound is a macro, or an expression of macros, that this file does not define."""
    return source.constant_bound(loop) is None and not re.search(r"[a-z]", loop.parts[1].replace(loop.variable, ""))


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    loops = long_loops(source)
    rng.shuffle(loops)
    for loop in loops:
        # An array that stays in the first-level cache is no defect: a loop of unknown length needs few fields for that,
        # one whose bound another file defines may have a hundred iterations only.
        count = rng.randint(130, 180) if _is_defined_elsewhere(source, loop) else rng.randint(9, 40)
        kinds = sorted((rng.choice(list(_KINDS)) for _ in range(count)), key=lambda kind: -_KINDS[kind])
        used = sorted(rng.sample(range(count), rng.randint(1, 2)))
        members = "\n".join(f"  {kind} m{number};" for number, kind in enumerate(kinds))
        record = "sw_record" if source.cxx else "struct sw_record"
        form = rng.choice(("index", "pointer", "local", *(("accessor", "vector") if source.cxx else ())))
        accessor = "\n".join(f"  {kinds[k]} &get{k}() {{ return m{k}; }}" for k in used) if form == "accessor" else ""
        element, change = {
            "index": (f"sw_records[{loop.variable}].m{{k}}", "+= 1"),
            "vector": (f"sw_records[{loop.variable}].m{{k}}", "+= 1"),
            "pointer": (f"(sw_records + {loop.variable})->m{{k}}", "*= 2"),
            "local": ("sw_at->m{k}", "+= 1"),
            "accessor": (f"sw_records[{loop.variable}].get{{k}}()", "+= 1"),
        }[form]
        where = f"std::vector<{record}> sw_records" if form == "vector" else f"{record} *sw_records"
        declared = [f"struct sw_record {{\n{members}", accessor, "};", f"extern {where};"]
        prelude = "\n".join(part for part in declared if part)
        if form == "vector":
            prelude = "#include <vector>\n" + prelude
        inside = ([f"{record} *sw_at = &sw_records[{loop.variable}];"] if form == "local" else []) + [
            f"{element.format(k=k)} {change};" for k in used
        ]
        lines = [
            f"for (int sw_again = 0; sw_again < {rng.choice(('100', '1000'))}; sw_again++)",
            f"for ({loop.header}) {{",
            *inside,
            "}",
            *source.text[loop.begin : loop.end].split("\n"),
        ]
        # A block, so that the site may be the only statement of another.
        text = source.replace(loop.line, loop.end_line, "\n".join(["{", *lines, "}"]))
        first = prelude.count("\n") + 1
        yield Injection(prelude + "\n" + text, (first + loop.line + 2,), f"{len(used)} of {count} fields, {form}")
