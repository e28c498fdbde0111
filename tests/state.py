"""Writes into the expectations of samples what the tool says there: confidence, words, fix.

    tests/state.py                      all samples whose expectations state nothing yet
    tests/state.py rules/mem-*/cases    those below these paths
    tests/state.py --again PATH         also those that state something: read the difference before it is committed

The words are the two longest values that the rule's message was filled with. Expectations that several findings of one
rule meet, or none, stay as they are.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

TESTS = Path(__file__).resolve().parent
TOP = TESTS.parent
sys.path[:0] = [str(TESTS), str(TOP)]

from lit_format.checks import program_findings  # noqa: E402
from lit_format.hosts import Toolchain  # noqa: E402
from lit_format.samples import Found, Sample, Statement, offered, statements  # noqa: E402
from lit_format.stridewise_format import sources  # noqa: E402
from stridewise import catalogue  # noqa: E402

_EXPECT = re.compile(r"^(\s*(?://|/\*|!|C)\s*expect:\s*)(.*?)(\s*(?:\*/)?\s*)$")
_COMMENT = re.compile(r"^\s*(?://.*|/\*.*\*/\s*|!(?!\$).*)$")
_WIDTH = 120


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--again", action="store_true", help="also expectations that state something")
    parser.add_argument("--build", type=Path, default=TOP / "build")
    options = parser.parse_args(argv)
    wanted = [path.resolve() for path in options.paths]
    tools = Toolchain(options.build.resolve())
    for units in samples():
        if not wanted or any(unit.is_relative_to(path) for unit in units for path in wanted):
            state(units, tools, options.again)
    return 0


def samples() -> Iterable[tuple[Path, ...]]:
    """The units of each sample of the catalogue."""
    for folder in sorted(path.parent for path in (TOP / "rules").glob("*/rule.toml")):
        yield from ((path,) for path in (*sources(folder), *sources(folder / "cases")))
        cases = folder / "cases"
        for program in sorted(p for p in cases.iterdir() if p.is_dir()) if cases.is_dir() else ():
            if units := tuple(sources(program)):
                yield units


def state(units: tuple[Path, ...], tools: Toolchain, again: bool) -> None:
    read = [Sample.read(unit) for unit in units]
    if not any(sample.static for sample in read):
        return
    with tempfile.TemporaryDirectory() as folder:
        found = program_findings(tools, read, Path(folder))
    files = {file for sample in read for file in (sample.path, *sample.headers)}
    for file in sorted(files):
        lines = file.read_text(encoding="utf-8").split("\n")
        stated = [rewritten(line, target(lines, index), str(file), found, again) for index, line in enumerate(lines)]
        if stated != lines:
            file.write_text("\n".join(stated), encoding="utf-8")
            print(file.relative_to(TOP))


def target(lines: Sequence[str], index: int) -> int:
    """Number of the line that an expectation at `index` speaks of."""
    index += 1
    while index < len(lines) and _COMMENT.match(lines[index]):
        index += 1
    return index + 1


def rewritten(line: str, number: int, file: str, found: Sequence[Found], again: bool) -> str:
    match = _EXPECT.match(line)
    if not match:
        return line
    named = list(statements(match[2]))
    slugs = [slug for slug, _ in named]
    parts = []
    for slug, said in named:
        here = [one for one in found if (one.rule, one.file, one.line) == (slug, file, number)]
        if (said != Statement() and not again) or len(here) != 1 or slugs.count(slug) > 1:
            parts.append(shown(slug, said))
        else:
            parts.append(shown(slug, of(here[0])))
    text = match[1] + ", ".join(parts) + match[3]
    if len(text) <= _WIDTH:
        return text
    # Where a line has no room, the words go.
    short = [shown(slug, Statement(said.confidence, said.fix)) for part in parts for slug, said in statements(part)]
    return match[1] + ", ".join(short) + match[3]


def of(finding: Found) -> Statement:
    template = catalogue.load()[finding.rule].detectors["static"].message
    args = finding.raw.get("args", {})
    values = [str(args[name]) for name in re.findall(r"\{([a-z0-9_]+)\}", template) if name in args]
    fitting = [value for value in values if value in finding.message and '"' not in value and 2 < len(value) <= 60]
    longest = sorted(dict.fromkeys(fitting), key=len, reverse=True)[:2]
    fix = offered(finding.raw)
    return Statement(finding.raw["confidence"], "" if fix == "no-fix" else fix, tuple(longest))


def shown(slug: str, said: Statement) -> str:
    words = (f'"{one}"' for one in said.words)
    return " ".join(one for one in (slug, said.confidence, *words, said.fix) if one)


if __name__ == "__main__":
    sys.exit(main())
