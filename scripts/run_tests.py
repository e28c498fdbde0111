"""Runs lit over the rules and pytest over tests/, and prints the sum of both as the last line.

Exit status 1 if a test failed, if a runner broke, or if nothing ran.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SERIAL = {"install", "kernels", "mpi", "vscode"}  # start programs of several ranks, share one build
LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


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


def run(name: str, command: Sequence[str | Path], report: Path, fine: Sequence[int]) -> Count:
    """Runs one test runner. A runner that leaves no report, or ends in a way of its own, is one failure."""
    report.unlink(missing_ok=True)
    print(f"== {name}", flush=True)
    start = time.monotonic()
    status = subprocess.run(command, check=False, cwd=TOP, stdin=subprocess.DEVNULL).returncode
    print(f"== {name}: {time.monotonic() - start:.0f} s", flush=True)
    try:
        count = count_lit(report) if report.suffix == ".json" else count_junit(report)
    except (OSError, ValueError, KeyError, ElementTree.ParseError) as error:
        print(f"{name} left no usable report: {error}", flush=True)
        return Count(failed=1)
    if status not in fine or (status != 0 and count.failed == 0):
        print(f"{name} ended with status {status}", flush=True)
        return count + Count(failed=1)
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=TOP / "build", help="build folder (default: build)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="tests at a time")
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

    total = Count()
    lit_report = build / "lit-results.json"
    lit: list[str | Path] = [
        sys.executable,
        "-c",
        "import lit.main; lit.main.main()",
        "-s",
        "-v",
        f"-j{options.jobs}",
        "--output",
        lit_report,
    ]
    if options.filter:
        lit += ["--filter", options.filter]
    total += run("rules (lit)", [*lit, "--param", f"build={build}", TOP / "tests"], lit_report, (0, 1))
    # One process for each folder: their helper modules may have the same names.
    folders = sorted({path.parent for path in (TOP / "tests").rglob("test_*.py")})
    for folder in folders:
        pytest: list[str | Path] = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        if options.jobs > 1 and folder.name not in SERIAL:
            pytest += ["-n", str(options.jobs)]
        name = str(folder.relative_to(TOP))
        report = build / f"pytest-{folder.name}.xml"
        total += run(f"{name} (pytest)", [*pytest, "--junitxml", report, folder], report, (0, 1))
    print(total, flush=True)
    return 0 if total.succeeded else 1


if __name__ == "__main__":
    sys.exit(main())
