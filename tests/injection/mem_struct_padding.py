"""Records whose order of fields leaves holes, in arrays that a loop over the site's own range walks."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source
from injection._loops import long_loops

_KINDS = {"double": 8, "long": 8, "void *": 8, "float": 4, "int": 4, "short": 2, "char": 1}


def size(kinds: list[str]) -> int:
    """Bytes of a record of these fields, in this order."""
    at = 0
    for kind in kinds:
        at = -(-at // _KINDS[kind]) * _KINDS[kind] + _KINDS[kind]
    whole = max(_KINDS[kind] for kind in kinds)
    return -(-at // whole) * whole


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    loops = long_loops(source)
    rng.shuffle(loops)
    for loop in loops:
        while True:
            kinds = [rng.choice(list(_KINDS)) for _ in range(rng.randint(3, 12))]
            least = size(sorted(kinds, key=lambda kind: -_KINDS[kind]))
            # A hole that experts would close: a word, and more than noise.
            if size(kinds) - least >= 8 and (size(kinds) - least) * 10 >= size(kinds):
                break
        form = rng.choice(("array", "extern", "pointer", "heap", *(("vector", "class") if source.cxx else ())))
        record = "sw_record" if source.cxx else "struct sw_record"
        numbers = [k for k, kind in enumerate(kinds) if kind != "void *"]
        used = rng.sample(numbers, min(len(numbers), rng.randint(1, 4)))
        if not used:
            continue
        members = "\n".join(f"  {kind} m{number};" for number, kind in enumerate(kinds))
        head = "class sw_record {\npublic:" if form == "class" else "struct sw_record {"
        where = {
            "array": f"static {record} sw_records[{rng.choice((5000, 100000))}];",
            "vector": f"extern std::vector<{record}> sw_records;",
            "extern": f"extern {record} sw_records[];",
            "heap": "",
        }.get(form, f"extern {record} *sw_records;")
        prelude = f"{head}\n{members}\n}};\n{where}"
        first = 1
        if form in ("vector", "heap"):
            prelude, first = ("#include <vector>\n" if form == "vector" else "#include <stdlib.h>\n") + prelude, 2
        inside = [f"sw_records[{loop.variable}].m{k} += 1;" for k in used]
        begin = [f"{record} *sw_records = ({record} *)malloc(100000 * sizeof({record}));"] if form == "heap" else []
        body = [*begin, f"for ({loop.header}) {{", *inside, "}", *source.text[loop.begin : loop.end].split("\n")]
        keep = ["extern void *sw_kept;", "sw_kept = sw_records;"] if form == "heap" else []
        text = source.replace(loop.line, loop.end_line, "\n".join(["{", *body, *keep, "}"]))
        yield Injection(f"{prelude}\n{text}", (first,), f"{size(kinds)} bytes where {least} suffice, {form}")
