"""The analyser over codes that nobody here wrote, listed in tests/zoo.toml.

    tests/zoo.py fetch FOLDER                     get the sources at their pinned commits
    STRIDEWISE_ZOO=FOLDER tests/zoo.py capture    build copies of them and record their compile databases
    STRIDEWISE_ZOO=FOLDER tests/zoo.py accuracy   the same, lint them, and compare the findings with the judgements of
                                                  tests/zoo_judgements/

`accuracy` prints the table of docs/accuracy.md and one of the judgements. It exits with 1 if a unit was not analysed,
if a unit that calls MPI was analysed without noticing, or if a finding has no judgement yet.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
TOP = TESTS.parent
sys.path.insert(0, str(TOP))

from stridewise.collect import compile_db  # noqa: E402
from stridewise.collect.compilers import Interrogator  # noqa: E402
from stridewise.lint import analysis  # noqa: E402
from stridewise.settings import toolchain  # noqa: E402

_LINE_MARKER = re.compile(r'^# \d+ "(?P<file>[^"]*)"')
_MPI_NAME = re.compile(r"\bP?(MPI_[A-Z]\w*)\s*\(")


_NO_CXX_BINDINGS = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")


class ZooError(Exception):
    """A project is absent or does not build; the text says why."""


@dataclass(frozen=True)
class Build:
    """One way of building one project."""

    project: str
    compiler: str
    folder: str
    prepare: tuple[str, ...]
    build: tuple[str, ...]

    @property
    def name(self) -> str:
        folder = "" if self.folder == "." else f"/{self.folder}"
        return f"{self.project}{folder} ({self.compiler})"


@dataclass(frozen=True)
class Project:
    name: str
    url: str
    commit: str
    builds: tuple[Build, ...]


@dataclass
class Outcome:
    """What one build gave. `findings` are the JSON objects of `stridewise lint`."""

    build: Build
    entries: int = 0
    analysed: int = 0
    units_with_mpi: int = 0
    mpi_missed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Judgement:
    """A person's verdict on one finding: `right` or `wrong`, and why."""

    fingerprint: str
    rule: str
    verdict: str
    reason: str


def load_projects(path: Path = TESTS / "zoo.toml") -> list[Project]:
    projects = []
    for name, data in tomllib.loads(path.read_text(encoding="utf-8")).items():
        builds = tuple(
            Build(name, b["compiler"], b.get("folder", "."), tuple(b.get("prepare", ())), tuple(b["build"]))
            for b in data.get("builds", ())
        )
        projects.append(Project(name, data["url"], data["commit"], builds))
    return projects


def load_judgements(path: Path) -> dict[str, Judgement]:
    """Those of all files in a folder, one file a rule."""
    judgements = {}
    for file in sorted(path.glob("*.toml")):
        for row in tomllib.loads(file.read_text(encoding="utf-8")).get("finding", []):
            if row["verdict"] not in ("right", "wrong"):
                raise ZooError(f"{file}: verdict of {row['fingerprint']} is neither right nor wrong")
            judgements[row["fingerprint"]] = Judgement(row["fingerprint"], row["rule"], row["verdict"], row["reason"])
    return judgements


def checkout(zoo: Path | None, project: Project) -> Path:
    """The folder with the project's sources. Raises ZooError where it is absent."""
    if zoo is None:
        raise ZooError("set STRIDEWISE_ZOO to a folder of checkouts; 'tests/zoo.py fetch FOLDER' makes one")
    folder = zoo / project.name
    if not folder.is_dir():
        raise ZooError(f"{folder} does not exist; 'tests/zoo.py fetch {zoo}' makes it")
    return folder


def launcher() -> str:
    """The command of the build folder that STRIDEWISE_BUILD names, else of build/."""
    return str(Path(os.environ.get("STRIDEWISE_BUILD") or TOP / "build") / "bin" / "stridewise")


def copied(build: Build, work: Path) -> Path:
    """Where the project is built: one folder per way of building it."""
    return work / re.sub(r"\W+", "-", build.name).strip("-") / build.project


def capture(build: Build, source: Path, work: Path) -> Path:
    """Builds a copy of the sources and records its compile database. Returns the folder that was built in."""
    copy = copied(build, work)
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns(".git"))
    (copy / ".git").mkdir()  # the copy is a project of its own, wherever it lies
    folder = copy / build.folder
    if build.prepare:
        subprocess.run(build.prepare, cwd=folder, check=True)
    command = [launcher(), "capture", "-o", str(folder), "--", *build.build]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise ZooError(f"{build.name}: {' '.join(build.build)} ended with {done.returncode}\n{done.stderr[-2000:]}")
    return folder


def calls_mpi(entry: compile_db.Entry, project: Path) -> bool:
    """Whether the unit's own text, after its compiler's preprocessor, calls a function that mpi.h declares."""
    words = [word for word in entry.arguments if word not in ("-c", "-MMD", "-MP", "-MD")]
    for option in ("-o", "-MT", "-MF", "-MQ"):
        if option in words:
            at = words.index(option)
            del words[at : at + 2]
    done = subprocess.run(
        [*words, "-E"], cwd=entry.directory, capture_output=True, text=True, errors="replace", check=True
    )
    declared: set[str] = set()
    own: list[str] = []
    where = "own"
    for line in done.stdout.splitlines():
        if marker := _LINE_MARKER.match(line):
            # Relative names and those below the build's folder are the project's own.
            file = Path(os.path.normpath(entry.directory / marker["file"]))
            if file.name.startswith("mpi") and not file.is_relative_to(project):
                where = "mpi.h"
            else:
                where = "own" if file.is_relative_to(project) else "system"
        elif where == "mpi.h":
            declared.update(_MPI_NAME.findall(line))
        elif where == "own":
            own.append(line)
    return any(name in declared for name in _MPI_NAME.findall("\n".join(own)))


def examine(build: Build, source: Path, work: Path, keep: bool) -> Outcome:
    """Captures, analyses each unit by itself, and lints the whole."""
    outcome = Outcome(build)
    copy = copied(build, work)
    folder = copy / build.folder
    if not keep or not (folder / "compile_commands.json").is_file():
        capture(build, source, work)
    database = compile_db.load(folder)
    entries = [e for e in database if isinstance(e, compile_db.Entry)]
    outcome.entries = len(database)

    workload = compile_db.normalise(database, Interrogator(folder))
    # Without the C++ bindings of mpi.h, whose inline functions are full of MPI calls that are not the project's own.
    commands = [replace(c, arguments=(*c.arguments, *_NO_CXX_BINDINGS)) for c in workload.commands]
    outcome.problems += [f"{p.file}: {p.message}" for p in workload.problems]
    with tempfile.TemporaryDirectory() as temporary:
        results = analysis.analyse(
            toolchain.analyzer(),
            commands,
            [],
            Path(temporary),
            analysis.default_jobs(),
            analysis.Limits(),
            lambda _: None,
        )
    by_file = {str(r.command.file): r for r in results}
    for entry in entries:
        result = by_file.get(str(entry.file))
        if result is None or result.status != "ok" or result.stats.get("ir") != "ok":
            why = "not analysed" if result is None else result.failure or result.status
            outcome.problems.append(f"{entry.file.name}: {why}")
            continue
        outcome.analysed += 1
        if calls_mpi(entry, copy):
            outcome.units_with_mpi += 1
            if not result.stats.get("mpi_calls"):
                outcome.mpi_missed.append(entry.file.name)

    report = folder / "lint.json"
    command = [launcher(), "lint", "-p", str(folder), "--format", "json", "-o", str(report)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        outcome.problems.append(f"lint ended with status {done.returncode}: {done.stderr[-1000:]}")
    if report.is_file():
        outcome.findings = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return outcome


def coverage_table(outcomes: Sequence[Outcome]) -> list[str]:
    lines = [
        "| project | database entries | analysed | units that call MPI | recognised |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {o.build.name} | {o.entries} | {o.analysed} | {o.units_with_mpi} | {o.units_with_mpi - len(o.mpi_missed)} |"
        for o in outcomes
    ]
    return lines


def accuracy_table(findings: Mapping[str, Mapping[str, Any]], judgements: Mapping[str, Judgement]) -> list[str]:
    """Right and wrong per rule and confidence; a finding seen in several builds counts once."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for fingerprint, finding in findings.items():
        judgement = judgements.get(fingerprint)
        counts[finding["rule"], finding["confidence"]][judgement.verdict if judgement else "open"] += 1
    lines = ["| rule | confidence | right | wrong | not judged | precision |", "|---|---|---:|---:|---:|---:|"]
    total: Counter[str] = Counter()
    by_confidence: dict[str, Counter[str]] = defaultdict(Counter)
    order = {"high": 0, "medium": 1, "low": 2}
    for (rule, confidence), count in sorted(counts.items(), key=lambda item: (item[0][0], order[item[0][1]])):
        total += count
        by_confidence[confidence] += count
        lines.append(_row(rule, confidence, count))
    lines += [_row("all", confidence, by_confidence[confidence]) for confidence in order if confidence in by_confidence]
    lines.append(_row("all", "", total))
    if total["right"]:
        share = by_confidence["high"]["right"] / total["right"]
        lines += ["", f"Of the right ones, {share:.2f} are at confidence high."]
    return lines


def _row(rule: str, confidence: str, count: Counter[str]) -> str:
    judged = count["right"] + count["wrong"]
    precision = f"{count['right'] / judged:.2f}" if judged else "–"
    return f"| {rule} | {confidence} | {count['right']} | {count['wrong']} | {count['open']} | {precision} |"


def chosen_builds(only: str) -> Iterator[tuple[Build, Path]]:
    """The builds of the projects whose name matches, each with the folder of its sources."""
    zoo = Path(os.environ["STRIDEWISE_ZOO"]) if os.environ.get("STRIDEWISE_ZOO") else None
    for project in load_projects():
        if not project.builds or not re.search(only, project.name):
            continue
        source = checkout(zoo, project)
        for build in project.builds:
            print(f"{build.name} …", file=sys.stderr, flush=True)
            yield build, source.resolve()


def capture_all(options: argparse.Namespace) -> int:
    for build, source in chosen_builds(options.only):
        print(capture(build, source, options.work.resolve()))
    return 0


def accuracy(options: argparse.Namespace) -> int:
    judgements = load_judgements(options.judgements)
    work = options.work.resolve()
    outcomes = [examine(build, source, work, options.keep) for build, source in chosen_builds(options.only)]

    # The same place of a project is one finding, however many builds show it.
    findings = {f["fingerprint"]: {**f, "project": o.build.project} for o in outcomes for f in o.findings}
    print("\n".join(coverage_table(outcomes)))
    print()
    print("\n".join(accuracy_table(findings, judgements)))
    open_ones = [f for fingerprint, f in findings.items() if fingerprint not in judgements]
    for finding in open_ones:
        where = finding["location"]
        place = f"{finding['project']}: {where['file']}:{where['line']}"
        print(f"\nnot judged: {finding['fingerprint']} {finding['rule']} ({finding['confidence']})", end="")
        print(f"\n  {place}: {finding['message']}\n  {finding.get('advice', '')}", end="")
    stale = [j for j in judgements.values() if j.fingerprint not in findings and not options.only]
    print("\n" * bool(open_ones), end="")
    for judgement in stale:
        print(f"judged, but no longer found: {judgement.fingerprint} {judgement.rule} ({judgement.verdict})")
    broken = False
    for outcome in outcomes:
        for problem in outcome.problems:
            print(f"{outcome.build.name}: {problem}")
        for name in outcome.mpi_missed:
            print(f"{outcome.build.name}: MPI calls of {name} were not recognised")
        broken |= bool(outcome.problems or outcome.mpi_missed or outcome.analysed != outcome.entries)
    return 1 if broken or open_ones else 0


def fetch(options: argparse.Namespace) -> int:
    for project in load_projects():
        folder: Path = options.folder / project.name
        folder.mkdir(parents=True, exist_ok=True)
        for command in (
            ["git", "init", "--quiet"],
            ["git", "fetch", "--quiet", "--depth", "1", project.url, project.commit],
            ["git", "checkout", "--quiet", "--force", "FETCH_HEAD"],
        ):
            subprocess.run(command, cwd=folder, check=True)
        print(f"{folder}: {project.commit}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="tests/zoo.py"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    fetch_parser = commands.add_parser("fetch", help="get the sources at their pinned commits")
    fetch_parser.add_argument("folder", type=Path)
    capture_parser = commands.add_parser("capture", help="build them and record compile databases")
    accuracy_parser = commands.add_parser("accuracy", help="the same, lint them and compare with the judgements")
    accuracy_parser.add_argument("--judgements", type=Path, default=TESTS / "zoo_judgements")
    accuracy_parser.add_argument("--keep", action="store_true", help="use the copies that an earlier run has built")
    for each in (capture_parser, accuracy_parser):
        each.add_argument("--work", type=Path, default=TOP / "build" / "zoo", help="where copies are built")
        each.add_argument("--only", default="", help="projects whose name matches this regular expression")
    options = parser.parse_args()
    try:
        commands_by_name = {"fetch": fetch, "capture": capture_all, "accuracy": accuracy}
        return commands_by_name[options.command](options)
    except (ZooError, subprocess.CalledProcessError) as error:
        print(f"zoo: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
