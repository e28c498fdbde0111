"""The table of default prices (prices.toml), for reports and, as a C++ header, for the analyser."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("prices.toml")


@dataclass(frozen=True, slots=True)
class Default:
    """A price that nobody measured; `source` says where it is from."""

    value: float
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class Construct:
    """Elapsed seconds of a construct of OpenMP by the threads of its team; `meaning` says of what."""

    meaning: str
    seconds: Mapping[int, float]


@cache
def defaults() -> Mapping[str, Default]:
    """The prices by name."""
    return {
        name: Default(entry["value"], entry["unit"], entry["source"])
        for name, entry in tomllib.loads(TABLE.read_text(encoding="utf-8"))["price"].items()
    }


@cache
def constructs() -> Mapping[str, Construct]:
    """The constructs of OpenMP by name."""
    return {
        name: Construct(entry["meaning"], {int(threads): float(s) for threads, s in entry["seconds"].items()})
        for name, entry in tomllib.loads(TABLE.read_text(encoding="utf-8"))["openmp"].items()
    }


def price(name: str) -> float:
    """The price of that name, in its unit. Raises KeyError for a name that the table lacks."""
    return defaults()[name].value


def header() -> str:
    """The prices as constants of C++."""
    lines = [
        "// Made from stridewise/machine/prices.toml, which has units and sources.",
        "#ifndef STRIDEWISE_PRICES_H",
        "#define STRIDEWISE_PRICES_H",
        "",
        "namespace stridewise::prices {",
    ]
    for name, entry in defaults().items():
        kind = "int" if isinstance(entry.value, int) else "double"
        lines.append(f"inline constexpr {kind} {camel(name)} = {entry.value!r}; // {entry.unit}")
    return "\n".join([*lines, "} // namespace stridewise::prices", "#endif", ""])


def camel(name: str) -> str:
    """A name of the table as constants of C++ are called: cache_line_bytes is CacheLineBytes."""
    return "".join(word.capitalize() for word in name.split("_"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m stridewise.machine.price_table", description=__doc__)
    parser.add_argument("out", metavar="OUT", type=Path, help="the header, left alone where its text is the same")
    out = parser.parse_args().out
    text = header()
    if not out.is_file() or out.read_text(encoding="utf-8") != text:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
