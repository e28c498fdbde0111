"""Perfect nests of two loops with their headers exchanged, where that makes the inner one stride."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

from injection import Injection, Loop, Source


def fast_accesses(text: str, fast: str, slow: str) -> tuple[int, int]:
    """Subscripted elements whose last index is `fast` alone, with `slow` in an earlier one; and the reverse."""
    good = bad = 0
    for match in re.finditer(r"\w+((?:\[[^\[\]]*\]){2,})", text):
        *earlier, last = re.findall(r"\[([^\[\]]*)\]", match[1])
        names = {name for index in earlier for name in re.findall(r"\w+", index)}
        tail = set(re.findall(r"\w+", last))
        good += fast in tail and slow in names
        bad += slow in tail and fast in names
    return good, bad


def pairs(source: Source) -> Iterator[tuple[Loop, Loop]]:
    loops = source.loops()
    for outer, inner in itertools.pairwise(loops):
        between = source.masked[outer.body_begin : inner.begin].strip()
        after = source.masked[inner.end : outer.end].strip()
        if (
            inner.end > outer.end
            or between not in ("", "{")
            or after not in ("", "}")
            or inner.depth != outer.depth + 1
        ):
            continue
        body = source.masked[inner.body_begin : inner.end]
        if re.search(r"\b(?:for|while|break|return|goto|continue)\b|[A-Za-z_]\w*\s*\(", body):
            continue
        if outer.variable in re.findall(r"\w+", inner.header) or inner.variable in re.findall(r"\w+", outer.header):
            continue
        # Exchanged with a few components, the other loop still walks within cache lines.
        if (source.constant_bound(inner) or 1000) < 100 or source.hides_bound(inner):
            continue
        if not source.is_unconditional(inner.line):
            continue
        # Neighbours along both indices may force the order.
        if re.search(rf"\[\s*(?:{outer.variable}|{inner.variable})\s*[-+]", body):
            continue
        good, bad = fast_accesses(body, inner.variable, outer.variable)
        if good and not bad:
            yield outer, inner


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    found = list(pairs(source))
    rng.shuffle(found)
    for outer, inner in found:
        text = source.text
        text = (
            text[: outer.header_begin] + inner.header + text[outer.header_end : inner.header_begin] + outer.header
            + text[inner.header_end :]
        )  # fmt: skip
        yield Injection(text, (inner.line,), f"loops over '{outer.variable}' and '{inner.variable}' exchanged")
