"""Runs lit over the rules and pytest over tests/, and prints the sum of both as the last line.

Exit status 1 if a test failed, if a runner broke, or if nothing ran. However it ends (an error, Ctrl-C, SIGTERM, a
runner that hangs), the last line is the sum, with what did not come to its end as a failure.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

TOP = Path(__file__).resolve().parent.parent
# They take more than a minute: they come last.
SLOW = {
    "blind",
    "budget",
    "ci",
    "docs",
    "firsthour",
    "fuzz",
    "improve",
    "install",
    "kernels",
    "merge",
    "mpi",
    "placement",
    "sanitize",
    "scale",
    "truth",
}
SERIAL = {
    "budget",
    "install",
    "kernels",
    "scale",
    "truth",
    "vscode",
}  # start programs of several ranks, share one build
# Each test of these takes the time it is given, whatever else runs: more at a time, the next to whoever is free.
TIMED = {"fuzz"}
# What these folders measure depends on what else the machine does. Where a few of their tests fail, these run once
# more, alone; one that passes then is named at the end as unsteady. A fault fails both times, so that none is hidden.
MEASURED = {
    "docs": "examples of the pages, some of them runs of several ranks",
    "improve": "seconds of programs before and after",
    "kernels": "seconds of whole programs",
    "mpi": "waits of ranks that share processors",
    "omp": "waits of threads that share processors",
    "placement": "samples by processor time on an emulated machine",
    "scale": "waits of ranks that share processors",
    "truth": "seconds of programs with known waits",
}
# The kinds of lit tests (the last part of their name) that watch a program, beside others: the same holds for these.
MEASURED_KINDS = ("run", "omp", "cache", "sharing", "report")
MOST_AGAIN = 5  # more failures than that are no accident
LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}
LIMIT_SECONDS = 3 * 3600.0  # of one runner; the slowest takes half an hour where two processors are shared


class Stopped(Exception):
    """A signal asked for the end."""


@dataclass(frozen=True)
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        shown = f"{self.passed} passed, {self.failed} failed"
        return f"{shown}, {self.skipped} skipped" if self.skipped else shown

    @property
    def succeeded(self) -> bool:
        return self.failed == 0 and self.passed > 0


def count_lit(report: Path) -> Count:
    """Counts the tests in a file that `lit --output` wrote."""
    codes = [test["code"] for test in json.loads(report.read_text(encoding="utf-8"))["tests"]]
    passed = sum(code in LIT_PASSED for code in codes)
    skipped = sum(code in LIT_SKIPPED for code in codes)
    return Count(passed, len(codes) - passed - skipped, skipped)


def count_junit(report: Path) -> Count:
    """Counts the tests in a file that `pytest --junitxml` wrote; an error outside a test counts as a failure."""
    total = Count()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped = int(suite.get("skipped", 0))
        total += Count(max(0, int(suite.get("tests", 0)) - failed - skipped), failed, skipped)
    return total


def failed_lit_tests(report: Path) -> list[str]:
    """The names of what failed, of a file that `lit --output` wrote."""
    tests = json.loads(report.read_text(encoding="utf-8"))["tests"]
    return [test["name"] for test in tests if test["code"] not in LIT_PASSED | LIT_SKIPPED]


def failed_tests(report: Path) -> list[str]:
    """The node ids of what failed, of a file that `pytest --junitxml` wrote; empty where one cannot be named."""
    found = []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        if case.find("failure") is None and case.find("error") is None:
            continue
        module, name = case.get("classname", ""), case.get("name", "")
        path = Path(*module.split(".")).with_suffix(".py") if module else Path()
        if not name or not (TOP / path).is_file():  # a module that cannot be imported has no class
            return []
        found.append(f"{path}::{name}")
    return found


def run(name: str, command: Sequence[str | Path], report: Path, fine: Sequence[int], limit: float) -> Count:
    """Runs one test runner. A runner that leaves no report, or ends in a way of its own, is one failure."""
    report.unlink(missing_ok=True)
    print(f"== {name}", flush=True)
    start, before = time.monotonic(), _processor_seconds()
    try:
        status: int | str = _status(command, limit)
    except subprocess.TimeoutExpired:
        status = f"none within {limit:.0f} s"
    except OSError as error:
        status = str(error)
    spent = f"{time.monotonic() - start:.0f} s, {_processor_seconds() - before:.0f} s of processors"
    print(f"== {name}: {spent}", flush=True)
    try:
        count = count_lit(report) if report.suffix == ".json" else count_junit(report)
    except (OSError, ValueError, KeyError, TypeError, ElementTree.ParseError) as error:
        print(f"{name} left no usable report (status {status}): {error}", flush=True)
        return Count(failed=1)
    if status not in fine or (status != 0 and count.failed == 0):
        print(f"{name} ended with status {status}", flush=True)
        return count + Count(failed=1)
    return count


def _processor_seconds() -> float:
    """Of all processes that ended, and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _status(command: Sequence[str | Path], limit: float) -> int:
    """The exit status. Nothing of the runner is left behind: what it started would print below the sum."""
    runner = subprocess.Popen(command, cwd=TOP, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        return runner.wait(timeout=limit)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(runner.pid, signal.SIGKILL)
        runner.wait()


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(signal.Signals(number).name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=TOP / "build", help="build folder (default: build)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="tests at a time")
    parser.add_argument("--limit", type=float, default=LIMIT_SECONDS, help="seconds that one runner may take")
    parser.add_argument("--filter", default="", help="only rule tests whose name matches this regular expression")
    options = parser.parse_args()
    build: Path = options.build.resolve()
    build.mkdir(exist_ok=True)
    os.environ["STRIDEWISE_BUILD"] = str(build)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(TOP), str(TOP / "tests")])
    # Results must not depend on the caller's terminal, locale or settings.
    os.environ.update({"LC_ALL": "C.UTF-8", "NO_COLOR": "1"})
    # Nor on whether this machine was calibrated.
    os.environ["XDG_CONFIG_HOME"] = str(build / "no-configuration")
    os.environ.pop("STRIDEWISE_MACHINE", None)
    os.environ.pop("STRIDEWISE_SITE", None)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    total, ended, unsteady = Count(), False, list[str]()
    try:
        for count in counts(build, options, unsteady):
            total += count
        ended = True
    except Stopped as signalled:
        print(f"stopped by {signalled}", flush=True)
    except Exception:
        traceback.print_exc(file=sys.stdout)
    for test in unsteady:
        print(f"unsteady: {test} failed, and passed when it ran alone", flush=True)
    if not ended:
        total += Count(failed=1)
    print(total, flush=True)
    return 0 if total.succeeded else 1


def counts(build: Path, options: argparse.Namespace, unsteady: list[str]) -> Iterator[Count]:
    """The count of each runner, one after the other: what fails within minutes comes first. `unsteady` takes the tests
    that passed at a second try."""
    jobs, chosen, limit = options.jobs, options.filter, options.limit
    # One process for each folder: their helper modules may have the same names.
    folders = sorted({path.parent for path in (TOP / "tests").rglob("test_*.py")})
    if chosen:
        yield lit_tried_again(lit_count(build, jobs, chosen, limit), build, limit, unsteady)
        return
    begin = time.monotonic()
    quick = [folder for folder in folders if folder.name not in SLOW]
    for folder in [*quick, None, *(folder for folder in folders if folder.name in SLOW)]:
        if folder is None:
            print(f"== the quick part took {time.monotonic() - begin:.0f} s", flush=True)
            yield lit_tried_again(lit_count(build, jobs, chosen, limit), build, limit, unsteady)
            continue
        count = pytest_count(folder, build, jobs, limit)
        yield tried_again(count, folder, build, limit, unsteady) if folder.name in MEASURED else count


def lit_count(build: Path, jobs: int, chosen: str, limit: float, again: str = "") -> Count:
    report = build / "lit-results.json"
    lit: list[str | Path] = [sys.executable, "-c", "import lit.main; lit.main.main()"]
    lit += ["-s", "-v", f"-j{jobs}", "--output", report, "--param", f"build={build}"]
    if chosen:
        lit += ["--filter", chosen]
    return run(f"rules (lit{again})", [*lit, TOP / "tests"], report, (0, 1), limit)


def pytest_count(folder: Path, build: Path, jobs: int, limit: float, only: Sequence[str] = ()) -> Count:
    """The count of a folder's tests, or of those of them that are named."""
    pytest: list[str | Path] = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    if jobs > 1 and folder.name not in SERIAL and not only:
        pytest += ["-n", str(2 * jobs), "--dist", "worksteal"] if folder.name in TIMED else ["-n", str(jobs)]
    report = _report(folder, build)
    name = f"{folder.relative_to(TOP)} (pytest{', once more' if only else ''})"
    return run(name, [*pytest, "--junitxml", report, *(only or [str(folder)])], report, (0, 1), limit)


def _report(folder: Path, build: Path) -> Path:
    return build / f"pytest-{folder.name}.xml"


def lit_tried_again(count: Count, build: Path, limit: float, unsteady: list[str]) -> Count:
    """As `tried_again`, for the tests of lit that watch a program. Others that fail keep their failure."""
    report = build / "lit-results.json"
    if not 0 < count.failed <= MOST_AGAIN or not report.is_file():
        return count
    failed = failed_lit_tests(report)
    tests = [name for name in failed if name.rpartition("/")[2].startswith(MEASURED_KINDS)]
    if len(failed) != count.failed or not tests:  # the runner itself failed, or nothing of them measures
        return count
    names = "|".join(re.escape(name.partition(" :: ")[2]) for name in tests)
    again = lit_count(build, 1, f"(^| )({names})$", limit, ", once more")
    if again.passed + again.failed != len(tests):
        return count
    still = set(failed_lit_tests(report))
    unsteady.extend(test for test in tests if test not in still)
    return Count(count.passed + again.passed, count.failed - again.passed, count.skipped)


def tried_again(count: Count, folder: Path, build: Path, limit: float, unsteady: list[str]) -> Count:
    """The count when the failed tests of a folder that measures have had their second try."""
    if not 0 < count.failed <= MOST_AGAIN:
        return count
    tests = failed_tests(_report(folder, build))
    if len(tests) != count.failed:  # the runner itself failed
        return count
    again = pytest_count(folder, build, 1, limit, tests)
    if again.passed + again.failed != len(tests):
        return count
    still = set(failed_tests(_report(folder, build)))
    unsteady.extend(test for test in tests if test not in still)
    return Count(count.passed + again.passed, again.failed, count.skipped)


if __name__ == "__main__":
    sys.exit(main())
