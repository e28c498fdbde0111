"""Writes variants of the rules' samples: the same defect, or its absence, in other words.

    python tests/variants/generate.py --out DIR [--seed N] [--rule SLUG] [--count N]

Each variant is one C or C++ file `DIR/<slug>/{loud,silent}-<nn>-<shape>.{c,cpp}` without comments but its expectations
and flags. Names, index types, accessors, sizes, and the place of the work (in the loop or in a helper function) are
drawn from the seed; the shapes of a rule follow each other in turn, so that a run of `--count` files has them all.

The shapes of a rule stand in `<slug with underscores>.py` beside this file, in two tables, LOUD and SILENT, from a
shape's name to a function that makes a file's text from a `Style`. No list names these files.
"""

from __future__ import annotations

import argparse
import importlib
import random
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from style import Shape, Style  # noqa: E402

NO_RULES = {"generate", "style"}


@dataclass
class Variant:
    """A finished file: its shape's name and its text."""

    shape: str
    text: str
    cxx: bool


def slugs() -> list[str]:
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("*.py") if path.stem not in NO_RULES)


def shapes(slug: str, loud: bool) -> dict[str, Shape]:
    module = importlib.import_module(slug.replace("-", "_"))
    found: dict[str, Shape] = module.LOUD if loud else module.SILENT
    return found


def variants(slug: str, loud: bool, count: int, seed: int) -> list[Variant]:
    made = []
    table = list(shapes(slug, loud).items())
    for number in range(count):
        name, shape = table[number % len(table)]
        style = Style.draw(random.Random(f"{seed}/{slug}/{loud}/{number}"))
        made.append(Variant(name, shape(style), style.cxx))
    return made


def write(out: Path, slug: str, count: int, seed: int) -> list[Path]:
    """Writes `count` loud and as many silent variants of a rule and returns their paths."""
    folder = out / slug
    shutil.rmtree(folder, ignore_errors=True)  # an earlier run may have left other shapes
    folder.mkdir(parents=True)
    paths = []
    for loud in (True, False):
        for number, variant in enumerate(variants(slug, loud, count, seed)):
            suffix = "cpp" if variant.cxx else "c"
            path = folder / f"{'loud' if loud else 'silent'}-{number:02}-{variant.shape}.{suffix}"
            path.write_text(variant.text, encoding="utf-8")
            paths.append(path)
    return paths


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="write variants of the rules' samples")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rule", choices=slugs(), action="append", help="only this rule; may be repeated")
    parser.add_argument("--count", type=int, default=12, help="loud and as many silent variants per rule")
    options = parser.parse_args(arguments)
    for slug in options.rule or slugs():
        for path in write(options.out, slug, options.count, options.seed):
            print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
