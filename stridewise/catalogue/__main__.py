"""`python3 -m stridewise.catalogue check|cpp|limits`: for the build."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from stridewise.catalogue import PACKAGE, CatalogueError, check, cpp, limits, load


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m stridewise.catalogue", description="checks and exports the rules")
    commands = parser.add_subparsers(dest="command", required=True)
    check_parser = commands.add_parser("check", help="check rules, detectors and kernels against each other")
    cpp_parser = commands.add_parser("cpp", help="write the data of analyzer/unit/Catalogue.h")
    cpp_parser.add_argument("out", metavar="OUT", type=Path)
    limits_parser = commands.add_parser("limits", help="write the thresholds that programs have as constants")
    limits_parser.add_argument("out", metavar="OUT", type=Path)
    for sub in (check_parser, cpp_parser, limits_parser):
        sub.add_argument(
            "--root", type=Path, default=PACKAGE.parent, help="the checkout (default: around this package)"
        )
    options = parser.parse_args(argv)
    try:
        if options.command == "check":
            problems = check(options.root)
            for problem in problems:
                print(f"error: {problem}", file=sys.stderr)
            return 1 if problems else 0
        rules = load(options.root / "rules")
        text = cpp(rules) if options.command == "cpp" else limits.header(rules, options.root / "rules")
        if not options.out.is_file() or options.out.read_text(encoding="utf-8") != text:
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.write_text(text, encoding="utf-8")
        return 0
    except (CatalogueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
