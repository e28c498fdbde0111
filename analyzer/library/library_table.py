#!/usr/bin/env python3
"""Generate the analyser's table of library functions from library_calls.toml.

The file is touched only when its text changes. Errors in the input name the header, the name and what is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EFFECTS = (
    "pure",
    "reads",
    "writes",
    "queries",
    "state",
    "allocates",
    "frees",
    "random",
    "output",
    "input",
    "opens",
    "clock",
    "sleeps",
    "locks",
    "exits",
    "calls",
)
COSTS = ("cheap", "mathematics", "runtime", "conversion", "length", "system", "blocks")
KEYS = {"header", "source", "does", "cost", "names", "classes", "suffixes", "writes", "stream", "descriptor", "shared"}
NAME = re.compile(r"(llvm(\.\w+)+|\w+(::\w+)*)", re.ASCII)


class TableError(Exception):
    """The table contradicts itself; the text says where."""


@dataclass(frozen=True)
class Row:
    """What one function, or every member of one class, does."""

    name: str
    header: str
    source: str
    effects: tuple[str, ...]
    cost: str
    writes: tuple[int, ...]
    stream: int
    descriptor: int
    shared: bool
    is_class: bool


def load(path: Path) -> list[Row]:
    """The rows of all groups, suffixes spelt out, in the order of the file. Raises TableError."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise TableError(str(error)) from error
    rows: list[Row] = []
    seen: set[tuple[str, bool]] = set()
    last = ""
    for group in table.get("group", []):
        header = str(group.get("header", ""))
        if header < last:
            raise TableError(f"{header}: stands behind {last}")
        last = header
        for row in rows_of(group, header):
            if (row.name, row.is_class) in seen:
                raise TableError(f"{header}: {row.name}: two rows")
            seen.add((row.name, row.is_class))
            rows.append(row)
    return rows


def rows_of(group: Mapping[str, Any], header: str) -> list[Row]:
    """The rows of one group. Raises TableError."""

    def fail(text: str) -> TableError:
        return TableError(f"{header or 'a group'}: {text}")

    if unknown := sorted(set(group) - KEYS):
        raise fail(f"unknown key '{unknown[0]}'")
    for key in ("header", "source", "does", "cost"):
        if not group.get(key):
            raise fail(f"key '{key}' is missing")
    effects = tuple(group["does"])
    for effect in effects:
        if effect not in EFFECTS:
            raise fail(f"unknown effect '{effect}'")
    if "pure" in effects and len(effects) > 1:
        raise fail("what is pure does nothing else")
    if group["cost"] not in COSTS:
        raise fail(f"unknown cost '{group['cost']}'")
    writes = tuple(group.get("writes", ()))
    if bool(writes) != ("writes" in effects):
        raise fail("'writes' belongs to the effect of that name")
    rows = []
    for key in ("names", "classes"):
        names = list(group.get(key, []))
        if names != sorted(names):
            raise fail(f"the {key} are not in order")
        for name in names:
            if not NAME.fullmatch(name):
                raise fail(f"'{name}' is no name")
            for suffix in ("", *(group.get("suffixes", []) if key == "names" else [])):
                rows.append(
                    Row(
                        name + suffix,
                        header,
                        group["source"],
                        effects,
                        group["cost"],
                        writes,
                        int(group.get("stream", -1)),
                        int(group.get("descriptor", -1)),
                        bool(group.get("shared", False)),
                        key == "classes",
                    )
                )
    if not rows:
        raise fail("neither names nor classes")
    return rows


def analyzer_table(rows: Sequence[Row]) -> str:
    """Initialisers of struct LibraryCall, sorted by name."""
    lines = ["// Generated from library_calls.toml.\n"]
    for row in sorted(rows, key=lambda r: (r.name, r.is_class)):
        effects = " | ".join(f"Lib{effect.capitalize()}" for effect in row.effects)
        mask = 0
        for position in row.writes:
            # All behind the last named position.
            mask |= 1 << position if position >= 0 else ~((1 << max(row.writes)) - 1) & 0xFFFFFFFF
        lines.append(
            f'{{"{row.name}", {effects}, LibraryCost::{row.cost.capitalize()}, 0x{mask:x}u, {row.stream}, '
            f"{row.descriptor}, {str(row.shared).lower()}, {str(row.is_class).lower()}}},\n"
        )
    return "".join(lines)


def write(path: Path, text: str) -> None:
    """Leaves a file of the same text alone, so that what depends on it is not built again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, default=Path(__file__).with_name("library_calls.toml"), help="the groups")
    parser.add_argument("--analyzer-table", type=Path, metavar="OUT", help="initialisers of struct LibraryCall")
    arguments = parser.parse_args()
    try:
        rows = load(arguments.table)
        if arguments.analyzer_table is not None:
            write(arguments.analyzer_table, analyzer_table(rows))
    except (TableError, OSError) as error:
        print(f"{arguments.table.name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
