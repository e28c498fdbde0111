"""Iterations of shared loops dealt out one by one, and sums made of one element per thread."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Loop, Source
from injection._team_loops import TeamLoop, edited, stores, team_loops

_SUM = re.compile(r"^(\s*)([A-Za-z_]\w*)\s*\+=\s*([^;]*[\[(][^;]*);\s*$")
_ARGUMENTS = ("-fopenmp",)


def dealt_out(source: Source, team: TeamLoop, rng: random.Random) -> Injection:
    """Neighbouring elements go to different threads."""
    clause = rng.choice(["schedule(static, 1)", "schedule(static, 2)", "schedule(static, 4)"])
    pragma = re.sub(r"\s*schedule\s*\([^)]*\)", "", team.pragma) + " " + clause
    text, down = edited(source, team, pragma, {})
    lines = tuple(store.line + down for store in stores(source, team.loop))
    return Injection(text, lines, f"{clause} on neighbouring elements", _ARGUMENTS)


def sums(source: Source) -> list[tuple[Loop, int, str, str, str]]:
    """Loops that add elements of arrays to a variable: with the line, the variable and the value."""
    found = []
    masked = source.masked.split("\n")
    for loop in source.loops():
        step = loop.parts[2].replace(" ", "")
        inner = any(loop.line < other.line <= loop.end_line for other in source.loops())
        before = source.lines[loop.line - 2].strip() if loop.line > 1 else ""
        if inner or step not in (f"{loop.variable}++", f"++{loop.variable}") or "<" not in loop.parts[1]:
            continue
        if not re.search(r"[a-z]", loop.parts[1].split("<", 1)[1]) or before.startswith("#"):
            continue
        if before.endswith((")", "else", "\\")) or loop.line == loop.end_line:
            continue
        if re.search(r"MPI_|alloc|\bnew\b|printf|[.>]\*|<<", source.masked[loop.body_begin : loop.end]):
            continue
        for line in range(loop.line + 1, loop.end_line + 1):
            match = _SUM.match(masked[line - 1])
            # Beside reads of numbers, so that no compiler keeps the element in a register.
            if match and re.search(rf"\[\s*{re.escape(loop.variable)}\s*\]", match[3]):
                found.append((loop, line, match[1], match[2], match[3]))
                break
    return found


def slots(source: Source, rng: random.Random, choice: tuple[Loop, int, str, str, str]) -> Injection:
    """One element per thread in place of the variable, in a loop that a team shares."""
    loop, line, indent, name, value = choice
    slot = "of_threads_"
    factor = rng.choice(["", "", "2 * "])
    element = f"{slot}[{factor}omp_get_thread_num()]"
    record = rng.random() < 0.3
    if record:
        element += ".sum"
    declared = f"static struct {{ double sum; long count; }} {slot}[256];" if record else f"static double {slot}[256];"
    head = [declared, "#pragma omp parallel for"]
    changes = {line: f"{indent}{element} += {value};"}
    thread = rng.random() < 0.4
    if thread:
        head = [declared, "#pragma omp parallel", "{", "const int me_ = omp_get_thread_num();", "#pragma omp for"]
        changes = {line: changes[line].replace("omp_get_thread_num()", "me_")}
    lines = list(source.lines)
    lines[line - 1] = changes[line]
    part = f"{slot}[t_].sum" if record else f"{slot}[t_]"
    tail = (["}"] if thread else []) + [f"for (int t_ = 0; t_ < 256; t_++) {name} += {part};"]
    text = "\n".join(
        [*lines[: loop.line - 1], *head, *lines[loop.line - 1 : loop.end_line], *tail, *lines[loop.end_line :]]
    )
    place = line + len(head) + 1
    return Injection("#include <omp.h>\n" + text, (place,), "one element per thread in place of a sum", _ARGUMENTS)


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    tries: list[TeamLoop | tuple[Loop, int, str, str, str]] = [*team_loops(source), *sums(source)]
    rng.shuffle(tries)
    for choice in tries:
        if isinstance(choice, TeamLoop):
            yield dealt_out(source, choice, rng)
        else:
            yield slots(source, rng, choice)
