"""Small programs of several units over which fixes are made: the same ones in each run, all different.

All of them print what a fix must not change. Programs of one batch share a folder and a compile database, so that names
of external linkage bear the program's name.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

from parts import HARMFUL, HARMLESS, Program, Record, Trait
from teams import TEAMS

_HEAD = "#include <stddef.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def programs(count: int, seed: int = 20261122) -> list[Program]:
    """Two thirds are about records, one third about teams of threads and loops."""
    rng = random.Random(seed)
    harmful = {language: itertools.cycle(_fitting(HARMFUL, language)) for language in ("c", "c++")}
    made: list[Program] = []
    for number in range(count):
        name = f"p{number:03d}"
        if number % 3 == 2:
            made.append(_team(rng, name, number // 3))
        else:
            language = "c++" if number % 9 in (0, 1) else "c"
            made.append(_records(rng, name, language, next(harmful[language]) if number % 9 in (0, 3, 7) else None))
    return made


def _fitting(traits: Sequence[Trait], language: str) -> list[Trait]:
    return [trait for trait in traits if language in trait.languages.split()]


def _records(rng: random.Random, name: str, language: str, harmful: Trait | None) -> Program:
    """A record of a header that up to three units share, with one trait that needs its order or none."""
    record = Record.make(rng, f"rec_{name}")
    suffix = "c" if language == "c" else "cpp"
    chosen = rng.sample(_fitting(HARMLESS, language), rng.randint(1, 3))
    if harmful:
        chosen.append(harmful)
    rng.shuffle(chosen)
    header, units = f"{name}.h", [f"{name}_main.{suffix}", f"{name}_more.{suffix}"]
    program = Program(name, traits=[t.name for t in chosen])
    parts: dict[str, list[str]] = {unit: [] for unit in units}
    shows: list[str] = []
    for position, trait in enumerate(chosen):
        tag = f"{name}_{position}"
        shows.append(tag)
        unit = rng.choice(units)
        if trait.alone or trait.name == "redeclared":
            unit = f"{name}_alone.{suffix}"
            parts[unit] = []
            if trait.alone:
                program.unknown.add(unit)
        parts[unit].append(trait.body(record, tag))
        program.flags += trait.flags
        if trait.configuration:
            program.configurations = ((), (trait.configuration,))
        if trait.name == "rows of a file":
            rows = f"{{{record.positional(3)}}},\n{{{record.positional(7)}}},\n"
            program.files[f"{record.name}_rows.def"] = rows
    declared = "".join(f"void show_{tag}(void);\n" for tag in shows)
    table = f"table_{record.name}"
    guard = f"{name.upper()}_H"
    program.files[header] = (
        f"#ifndef {guard}\n#define {guard}\n{_HEAD}struct {record.name} {{\n{record.body}}};\n"
        f"extern struct {record.name} {table}[200];\n#endif\n"
    )
    fill = "".join(f"    {table}[n].{field} = n % {7 + at};\n" for at, field in enumerate(record.names))
    main = (
        f"struct {record.name} {table}[200];\n{declared}int main(void) {{\n"
        f"  for (int n = 0; n < 200; n++) {{\n{fill}  }}\n"
        + record.shown(f"{table}[100]")
        + "".join(f"  show_{tag}();\n" for tag in shows)
        + "  return 0;\n}\n"
    )
    for unit, texts in parts.items():
        bare = unit.endswith(f"_alone.{suffix}") and unit not in program.unknown
        lead = _HEAD if bare else f'#include "{header}"\n'
        own = "" if unit == units[0] else declared
        program.files[unit] = lead + own + "".join(texts) + (main if unit == units[0] else "")
        program.units.append(unit)
    return program


def _team(rng: random.Random, name: str, number: int) -> Program:
    make = TEAMS[number % len(TEAMS)]
    main, more = make(rng, name)
    program = Program(name, flags=("-fopenmp",), traits=[make.__name__.removeprefix("_")])
    for unit, text in ((f"{name}_main.c", main), (f"{name}_more.c", more)):
        if text:
            program.files[unit] = text
            program.units.append(unit)
    return program


def traits_of(made: Sequence[Program]) -> set[str]:
    return {trait for program in made for trait in program.traits}
