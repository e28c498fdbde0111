"""Writes the rule pages as Markdown: python3 -m stridewise.docs OUT"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from stridewise import catalogue, pages
from stridewise.console import complain
from stridewise.errors import Failure


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m stridewise.docs", description="writes the rule pages as Markdown")
    parser.add_argument("out", metavar="OUT", type=Path, help="folder for the pages; made if missing")
    out: Path = parser.parse_args(argv).out
    try:
        rules = catalogue.load()
        out.mkdir(parents=True, exist_ok=True)
        (out / "index.md").write_text(pages.index(rules), encoding="utf-8")
        for slug, rule in rules.items():
            (out / f"{slug}.md").write_text(pages.markdown(rule), encoding="utf-8")
    except (Failure, catalogue.CatalogueError, OSError) as error:
        complain(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
