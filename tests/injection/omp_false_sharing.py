"""Iterations of shared loops dealt out one by one, and reductions made of one element per thread."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection._team_loops import TeamLoop, is_leaf, stores, team_loops

_REDUCTION = re.compile(r"\breduction\s*\(\s*\+\s*:\s*([A-Za-z_]\w*)\s*\)")


def dealt_out(source: Source, team: TeamLoop, rng: random.Random) -> Injection | None:
    """schedule(static, 1) on a loop that stores to neighbouring elements."""
    found = list(stores(source, team.loop))
    if not found or not is_leaf(source, team.loop) or "collapse" in team.pragma:
        return None
    clause = rng.choice(["schedule(static, 1)", "schedule(dynamic)", "schedule(static, 2)"])
    pragma = re.sub(r"\s*schedule\s*\([^)]*\)", "", team.pragma) + " " + clause
    lines = tuple(store.line for store in found)
    last = team.line + source.text.split("\n")[team.line - 1 :][0].endswith("\\")
    if last != team.line:
        return None
    return Injection(source.replace(team.line, team.line, pragma), lines, f"{clause} on neighbouring elements")


def slots(source: Source, team: TeamLoop, rng: random.Random) -> Injection | None:
    """A reduction of floating-point numbers turned into one element per thread."""
    match = _REDUCTION.search(team.pragma)
    if not match or source.lines[team.line - 1].rstrip().endswith("\\"):
        return None
    name = match[1]
    body = range(team.loop.line, team.loop.end_line + 1)
    places = [line for line in body if re.search(rf"\b{name}\s*\+=", source.lines[line - 1])]
    # Beside reads of other numbers of the type, so that no compiler keeps the element in a register.
    reads = [line for line in places if re.search(r"\[[^]]+\]", source.lines[line - 1].split("+=", 1)[1])]
    if not reads:
        return None
    slot = f"{name}_of_thread"
    element = rng.choice([f"{slot}[omp_get_thread_num()]", f"{slot}[2 * omp_get_thread_num()]"])
    value = rng.choice(["double", "double", "float"])
    if "double" not in source.text:
        value = "float"
    edited = list(source.lines)
    for line in places:
        edited[line - 1] = re.sub(rf"\b{name}\s*\+=", f"{element} +=", edited[line - 1])
    pragma = _REDUCTION.sub("", team.pragma)
    edited[team.line - 1] = f"static {value} {slot}[256];\n{pragma}"
    edited[team.loop.end_line - 1] += f"\nfor (int t_ = 0; t_ < 256; t_++) {name} += {slot}[t_];"
    header = "#include <omp.h>\n"
    text = header + "\n".join(edited)
    return Injection(text, tuple(line + 2 for line in reads), "one element per thread in place of a reduction")


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    if not source.openmp:
        return
    teams = team_loops(source)
    tries = [(make, team) for team in teams for make in (dealt_out, slots)]
    rng.shuffle(tries)
    for make, team in tries:
        injection = make(source, team, rng)
        if injection:
            yield injection
