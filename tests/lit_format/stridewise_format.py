"""A lit test format that turns every rule folder into tests; tests/lit.cfg.py puts it to work.

    rules/<slug>/buggy.c            tool tidy plugin stripped off, and by detectors run<mpi>, cache, omp, sharing
    rules/<slug>/fixed.c            the same without off; twin: it prints what buggy prints
    rules/<slug>/cases/*.c          tool stripped, run<mpi> and omp where a run is expected, sharing
    *.cpp                           the same, but tidy, plugin and cache of buggy alone, omp of gcc alone
    rules/<slug>/cases/<program>/   link stripped: several units, analysed one by one and as a whole
    *.f90 *.f                       tool, of buggy also off and, by detectors, cache; twin
    generated variants              tool, or link
    tests/kernels/<program>/        lint at each step of its repair, report of the original and of the mended one

A rule needs no registration: a new folder is new tests.
"""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lit.formats
import lit.Test

from lit_format import checks
from lit_format.hosts import Toolchain
from lit_format.samples import FORTRAN_SUFFIXES, SOURCE_SUFFIXES, Sample, SampleError


@dataclass(frozen=True)
class Case:
    """One test before it runs: its name within the rule, its kind and its files (for a kernel, its folder and step)."""

    slug: str
    name: str
    kind: str
    files: tuple[Path, ...]
    step: str = ""


def sources(folder: Path) -> list[Path]:
    return (
        sorted(p for p in folder.iterdir() if p.suffix in SOURCE_SUFFIXES + FORTRAN_SUFFIXES) if folder.is_dir() else []
    )


def _runs_of(sample: Sample, detectors: dict[str, Any], in_pair: bool, mpis: tuple[str, ...]) -> Iterator[str]:
    """The kinds of runs that a sample is watched in."""
    if not sample.has_main:
        return
    if sample.is_fortran:
        yield from ("cache",) if "cache" in detectors and sample.path.stem == "buggy" else ()
        return
    if "mpi" in detectors and sample.uses_mpi and (in_pair or sample.run):
        yield from (f"run{mpi}" for mpi in mpis)
    if "cache" in detectors and in_pair and (sample.path.stem == "buggy" or not sample.is_cxx):
        yield "cache"
    if "omp" in detectors and (in_pair or sample.run):
        yield from ("omp.gcc",) if sample.is_cxx else ("omp.gcc", "omp.clang")
    if "sharing" in detectors:
        yield "sharing"


def rule_cases(folder: Path, mpis: tuple[str, ...]) -> Iterator[Case]:
    """All tests of one rule folder. Raises SampleError where a rule lacks a sample that its detectors need."""
    slug = folder.name
    detectors: dict[str, Any] = tomllib.loads((folder / "rule.toml").read_text(encoding="utf-8"))["detectors"]
    pairs = sources(folder)
    for stem in ("buggy", "fixed"):
        if not any(p.stem == stem for p in pairs):
            raise SampleError(f"rules/{slug} has no {stem} sample")

    for path in [*pairs, *sources(folder / "cases")]:
        sample = Sample.read(path)
        in_pair = path in pairs
        kinds = ["tool"] if sample.is_fortran else ["tool", "stripped"]
        # Other hosts hand the checks the same unit: what a detector finds is tested once, what a host makes of it here.
        if in_pair and not sample.is_fortran and (path.stem == "buggy" or not sample.is_cxx):
            kinds += ["tidy", "plugin"]
        if path.stem == "buggy" and any(place.rule == slug for place in sample.static):
            kinds.append("off")
        kinds += _runs_of(sample, detectors, in_pair, mpis)
        for kind in kinds:
            yield Case(slug, path.name if in_pair else f"cases/{path.name}", kind, (path,))

    for suffix in sorted({p.suffix for p in pairs}):
        buggy, fixed = folder / f"buggy{suffix}", folder / f"fixed{suffix}"
        if buggy in pairs and fixed in pairs and Sample.read(buggy).has_main:
            yield Case(slug, buggy.name, "twin", (buggy, fixed))

    yield from _program_cases(folder / "cases", slug)


def _program_cases(folder: Path, slug: str) -> Iterator[Case]:
    """Cases of several units: a folder each."""
    for program in sorted(p for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []:
        if units := tuple(sources(program)):
            yield Case(slug, f"cases/{program.name}", "link", units)
            if all(unit.suffix in SOURCE_SUFFIXES for unit in units):
                yield Case(slug, f"cases/{program.name}", "stripped", units)


def variant_cases(folder: Path) -> Iterator[Case]:
    """Generated files: <folder>/<slug>/<name>.c, or a folder of units instead of a file."""
    for rule in sorted(p for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []:
        for path in sources(rule):
            yield Case(rule.name, f"variants/{path.name}", "tool", (path,))
        for program in sorted(p for p in rule.iterdir() if p.is_dir()):
            if units := tuple(sources(program)):
                yield Case(rule.name, f"variants/{program.name}", "link", units)


def kernel_cases(folder: Path) -> Iterator[Case]:
    """Whole programs: `make list` names the steps of the repair, one a line: number and name."""
    for kernel in sorted(p.parent for p in folder.glob("*/Makefile")):
        done = subprocess.run(["make", "-s", "-C", kernel, "list"], check=True, capture_output=True, text=True)
        steps = [line.split() for line in done.stdout.splitlines()]
        for number, name in steps:
            yield Case("kernels", f"{kernel.name}/{name}", "lint", (kernel,), number)
        for number, name in (steps[0], steps[-1]):
            yield Case("kernels", f"{kernel.name}/{name}", "report", (kernel,), number)


# The kinds that watch a program, and about how many seconds that takes beside others.
WATCHED_SECONDS = {"run": 2.0, "cache": 7.0, "report": 10.0, "omp": 2.0, "sharing": 2.0}


def seconds_watched(case: Case) -> float:
    """Zero where no program is watched."""
    return next((spent for kind, spent in WATCHED_SECONDS.items() if case.kind.startswith(kind)), 0.0)


def parallelism_group(test: Any) -> str | None:
    """Programs of several ranks run one at a time: each already takes more processes than small machines have cores."""
    return "programs" if seconds_watched(test.stridewise_case) else None


def spread(cases: Sequence[Case]) -> list[Case]:
    """All of them, those that watch a program evenly among others, by what they take: a process that comes to one while
    another is at one would only wait."""
    programs = [case for case in cases if seconds_watched(case)]
    others = [case for case in cases if not seconds_watched(case)]
    total, spent, done, order = sum(map(seconds_watched, programs)), 0.0, 0, list[Case]()
    for program in programs:
        order.append(program)
        spent += seconds_watched(program)
        until = round(len(others) * spent / total)
        order += others[done:until]
        done = until
    return order + others[done:]


class StridewiseFormat(lit.formats.TestFormat):  # type: ignore[misc]
    """Discovers the tests under `rules`, `variants` and `kernels`, and runs each with the tools of a build folder."""

    def __init__(self, rules: Path, variants: Path, kernels: Path, build: Path, work: Path) -> None:
        self.rules, self.variants, self.kernels, self.work = rules, variants, kernels, work
        self.tools = Toolchain(build)

    def getTestsInDirectory(self, suite: Any, path_in_suite: tuple[str, ...], lit_config: Any, config: Any) -> Any:  # noqa: N802
        """Yields all tests when lit asks for the top folder; rule folders hold no further suites."""
        if path_in_suite:
            return
        cases: list[Case] = []
        for folder in sorted(p.parent for p in self.rules.glob("*/rule.toml")):
            try:
                cases += rule_cases(folder, self.tools.mpis)
            except SampleError as error:
                lit_config.error(str(error))
        cases += variant_cases(self.variants)
        cases += kernel_cases(self.kernels)
        for place, case in enumerate(spread(cases)):
            test = lit.Test.Test(suite, (case.slug, *case.name.split("/"), case.kind), config)
            test.stridewise_case = case
            # lit begins with those that took longest, behind what failed before.
            test.previous_elapsed = float(len(cases) - place)
            yield test

    def execute(self, test: Any, _lit_config: Any) -> Any:
        """Returns lit's result: PASS, or FAIL with what is wrong."""
        case: Case = test.stridewise_case
        # As pytest does: what a test starts can tell which one it is.
        os.environ["PYTEST_CURRENT_TEST"] = test.getFullName()
        try:
            folder = self.work / case.slug / case.name.replace("/", "_") / case.kind
            if case.step:
                job = checks.Job(case.slug, (), folder, self.tools, case.files[0], case.step)
            else:
                job = checks.Job(case.slug, tuple(map(Sample.read, case.files)), folder, self.tools)
            problems = checks.check(case.kind, job)
        except SampleError as error:
            problems = [str(error)]
        return (lit.Test.FAIL, "\n".join(problems)) if problems else (lit.Test.PASS, "")
