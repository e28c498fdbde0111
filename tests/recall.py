"""What the analyser misses: defects put into real code at random sites, and how many of them it finds.

    STRIDEWISE_ZOO=FOLDER tests/recall.py [--rules GLOB] [--count N] [--seed N | --fresh]

The codes are those of tests/zoo.toml, the defects those of tests/injection/. Each defect goes alone into one file of a
built code; the analyser reads it with the project's own command, and the defect counts as found when a finding of the
rule begins on one of its lines. Defects that do not compile do not count. A file is taken once per round, so that the
sites spread over the codes. Prints a table and every miss, and keeps the files of misses. Exits
with 1 if a rule's recall is below --at-least.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import json
import random
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import zoo  # sets the path to the package
from injection import Injection, Source
from stridewise.collect import compile_db
from stridewise.collect.compile_db import Command
from stridewise.collect.compilers import Interrogator
from stridewise.lint import analysis
from stridewise.settings import toolchain

INJECTORS = Path(__file__).resolve().parent / "injection"
Injector = Callable[[Source, random.Random], Iterator[Injection]]


@dataclass(frozen=True)
class Site:
    """One file of one build."""

    project: str
    command: Command
    source: Source


@dataclass
class Score:
    """What became of the defects of one rule."""

    slug: str
    high: int = 0
    medium: int = 0
    low: int = 0
    broken: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def injected(self) -> int:
        return self.high + self.medium + self.low + len(self.misses)

    @property
    def recall(self) -> float:
        """Share that a user sees by default: found at confidence medium or high."""
        return (self.high + self.medium) / self.injected if self.injected else 0.0

    def row(self) -> str:
        shown = f"{self.recall:.2f}" if self.injected else "–"
        counts = (self.injected, self.high, self.medium, self.low, len(self.misses))
        return " | ".join(["| " + self.slug, *map(str, counts), shown + " |"])


def injectors() -> dict[str, Injector]:
    slugs = {path.stem: path.stem.replace("_", "-") for path in sorted(INJECTORS.glob("[a-z]*.py"))}
    slugs = {stem: slug for stem, slug in slugs.items() if not stem.startswith("test_")}
    return {slug: importlib.import_module(f"injection.{stem}").inject for stem, slug in slugs.items()}


def sites(only: str, work: Path) -> list[Site]:
    """Every unit of every build; a file that several builds compile alike is taken from the first."""
    found: dict[tuple[str, str, bool, bool], Site] = {}
    for build, source in zoo.chosen_builds(only):
        copy = zoo.copied(build, work)
        folder = copy / build.folder
        if not (folder / "compile_commands.json").is_file():
            zoo.capture(build, source, work)
        workload = compile_db.normalise(compile_db.load(folder), Interrogator(folder))
        for command in workload.commands:
            if not command.file.is_relative_to(copy):
                continue
            text = command.file.read_text(encoding="utf-8", errors="surrogateescape")
            openmp = any(word.startswith("-fopenmp") and word != "-fopenmp-simd" for word in command.arguments)
            header = any("mpi" in word for word in command.arguments)
            mpi = header and "mpi.h" in text
            key = (build.project, str(command.file.relative_to(copy)), openmp, mpi)
            found.setdefault(key, Site(build.project, command, Source(command.file, text, openmp, mpi, header)))
    return list(found.values())


def batches(pool: Sequence[Site], inject: Injector, rng: random.Random) -> Iterator[list[tuple[Site, Injection]]]:
    """Rounds over all files, one defect of each file a round, until no file offers more."""
    order = list(pool)
    rng.shuffle(order)
    # Seeded by a number of its own, so that a file's defects do not depend on what the others offer.
    streams = [(site, inject(site.source, random.Random(rng.random()))) for site in order]
    while streams:
        batch, left = [], []
        for site, stream in streams:
            injection = next(stream, None)
            if injection:
                batch.append((site, injection))
                left.append((site, stream))
        if batch:
            yield batch
        streams = left


def examine(site: Site, injection: Injection, slug: str, folder: Path) -> tuple[str, list[str]]:
    """(`ok` or why it does not count, confidences of the rule's findings on the defect's lines)."""
    file = folder / site.command.file.name
    file.write_text(injection.text, encoding="utf-8", errors="surrogateescape")
    # Beside its own folder, which others may read meanwhile; quoted includes still find that folder first.
    arguments = (*site.command.arguments, "-iquote", str(site.command.file.parent), *injection.arguments)
    command = replace(site.command, file=file, arguments=arguments)
    options = [f"--rules={slug}"]
    (result,) = analysis.analyse(toolchain.analyzer(), [command], options, folder, 1, analysis.Limits(), lambda _: None)
    linked = analysis.link(toolchain.analyzer(), [result], options, folder, analysis.Limits())
    if result.status != "ok":
        return result.failure or "; ".join(d.message for d in result.diagnostics[:2]) or result.status, []
    found = [
        str(f.confidence.value)
        for f in (*result.findings, *linked.findings)
        if f.rule == slug and f.location.line in injection.lines and Path(f.location.file).name == file.name
    ]
    return "ok", found


def measure(slug: str, inject: Injector, pool: Sequence[Site], options: argparse.Namespace) -> Score:
    score = Score(slug)
    rng = random.Random(f"{options.seed}/{slug}")
    misses = options.misses / slug
    with tempfile.TemporaryDirectory() as temporary:
        tried = 0
        for batch in batches(pool, inject, rng):
            for site, injection in batch:
                if score.injected >= options.count or tried >= 4 * options.count:
                    return score
                tried += 1
                state, found = examine(site, injection, slug, Path(temporary))
                place = f"{site.project}: {site.command.file.name}:{injection.lines[0]}: {injection.what}"
                if state != "ok":
                    score.broken += 1
                    if options.verbose:
                        print(f"  {slug}: does not compile: {place}: {state}", file=sys.stderr)
                elif "high" in found:
                    score.high += 1
                elif "medium" in found:
                    score.medium += 1
                elif found:
                    score.low += 1
                else:
                    score.misses.append(place)
                    misses.mkdir(parents=True, exist_ok=True)
                    kept = misses / f"{len(score.misses):02}-{site.command.file.name}"
                    kept.write_text(injection.text, encoding="utf-8", errors="surrogateescape")
                    command = {"directory": str(site.command.directory), "arguments": list(site.command.arguments)}
                    kept.with_suffix(".json").write_text(json.dumps(command, indent=1), encoding="utf-8")
    return score


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="tests/recall.py"
    )
    parser.add_argument("--rules", default="*", metavar="GLOB")
    parser.add_argument("--count", type=int, default=20, help="defects per rule")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--seed", type=int, default=1)
    chosen.add_argument("--fresh", action="store_true", help="a seed that was never used, printed")
    parser.add_argument("--work", type=Path, default=zoo.TOP / "build" / "zoo", help="where the codes are built")
    parser.add_argument("--misses", type=Path, default=zoo.TOP / "build" / "misses", help="where files of misses go")
    parser.add_argument("--only", default="", help="projects whose name matches this regular expression")
    parser.add_argument("--at-least", type=float, default=0.0, metavar="RECALL")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.work = options.work.resolve()
    if options.fresh:
        options.seed = secrets.randbelow(10**9)
    try:
        pool = sites(options.only, options.work)
        print(f"seed {options.seed}, {len(pool)} files\n")
        print("| rule | injected | found at high | at medium | at low | missed | recall |")
        print("|---|---:|---:|---:|---:|---:|---:|", flush=True)
        scores = []
        for slug, inject in injectors().items():
            if fnmatch.fnmatch(slug, options.rules):
                scores.append(measure(slug, inject, pool, options))
                print(scores[-1].row(), flush=True)
    except zoo.ZooError as error:
        print(f"recall: {error}", file=sys.stderr)
        return 2
    for score in scores:
        if score.broken:
            print(f"{score.slug}: {score.broken} defects did not compile and do not count")
        for miss in score.misses:
            print(f"{score.slug}: missed: {re.sub(r'[^ -~]', '?', miss)}")
    return 1 if any(score.recall < options.at_least for score in scores) else 0


if __name__ == "__main__":
    sys.exit(main())
