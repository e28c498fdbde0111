"""The last line of a test run is its sum, however the run ends."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "run_tests.py"
LIT = """
import lit.formats
config.name, config.suffixes, config.test_format = "rules", [".case"], lit.formats.ShTest(True)
config.test_source_root = config.test_exec_root = {folder!r}
"""
SUM = re.compile(r"\d+ passed, \d+ failed(, \d+ skipped)?")


def suite(folder: Path, **tests: str) -> list[str]:
    """The command over a lit test that passes and these files of pytest, each in a folder of its own."""
    (folder / "scripts").mkdir()
    shutil.copy(SCRIPT, folder / "scripts")
    (folder / "tests").mkdir()
    (folder / "tests" / "lit.cfg.py").write_text(LIT.format(folder=str(folder / "tests")))
    (folder / "tests" / "one.case").write_text("RUN: true\n")
    for name, text in tests.items():
        (folder / "tests" / name).mkdir()
        (folder / "tests" / name / f"test_{name}.py").write_text(text)
    return [sys.executable, str(folder / "scripts" / "run_tests.py"), "--build", str(folder / "build"), "--jobs", "1"]


def last_line(command: list[str], *more: str) -> tuple[str, int]:
    done = subprocess.run([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.splitlines()[-1], done.returncode


def test_the_sum_of_both_runners(tmp_path: Path) -> None:
    skipped = "import pytest\ndef test_a(): pytest.skip('x')\ndef test_b(): pass\n"
    assert last_line(suite(tmp_path, a="def test_a(): pass\n")) == ("2 passed, 0 failed", 0)
    shutil.rmtree(tmp_path / "tests")
    shutil.rmtree(tmp_path / "scripts")
    assert last_line(suite(tmp_path, a=skipped, b="def test(): assert 0\n")) == ("2 passed, 1 failed, 1 skipped", 1)


def test_a_runner_that_dies_is_a_failure_and_the_others_run(tmp_path: Path) -> None:
    tests = suite(tmp_path, a="import os\ndef test_a(): os.kill(os.getpid(), 9)\n", b="def test_b(): pass\n")
    assert last_line(tests) == ("2 passed, 1 failed", 1)


def test_a_runner_that_hangs_is_a_failure_and_the_others_run(tmp_path: Path) -> None:
    tests = suite(tmp_path, a="import time\ndef test_a(): time.sleep(900)\n", b="def test_b(): pass\n")
    # Its limit holds for each runner; lit and the other one take far less than a loaded machine makes of it.
    assert last_line(tests, "--limit", "10") == ("2 passed, 1 failed", 1)


def test_what_a_test_leaves_behind_prints_nothing_below_the_sum(tmp_path: Path) -> None:
    text = (
        "import subprocess\ndef test_a(capfd):\n"
        "    with capfd.disabled():\n        subprocess.Popen(['sh', '-c', 'sleep 1; echo late; sleep 300'])\n"
    )
    assert last_line(suite(tmp_path, a=text)) == ("2 passed, 0 failed", 0)


def test_what_stands_in_the_way_is_said_before_the_sum(tmp_path: Path) -> None:
    tests = suite(tmp_path, truth="def test_a(): pass\n")  # one of those that come behind lit
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "pytest-truth.xml").mkdir()  # a report that cannot be removed
    assert last_line(tests) == ("1 passed, 1 failed", 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_with_the_sum(tmp_path: Path, number: signal.Signals) -> None:
    mark = tmp_path / "mark"
    text = (
        f"import os, time\ndef test_a():\n    open({str(mark)!r}, 'w').write(str(os.getpid()))\n    time.sleep(900)\n"
    )
    process = subprocess.Popen(suite(tmp_path, truth=text), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not (mark.exists() and mark.read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    printed, _ = process.communicate()
    assert printed.splitlines()[-1] == "1 passed, 1 failed"
    assert SUM.fullmatch(printed.splitlines()[-1])
    assert process.returncode == 1
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


UNSTEADY = """
import pathlib
MARK = pathlib.Path(__file__).parent / "mark"
def test_fine(): pass
def test_it_fails_the_first_time():
    again = MARK.exists()
    MARK.write_text("")
    assert again, "the machine was busy"
"""


@pytest.mark.parametrize(("folder", "end"), [("truth", ("3 passed, 0 failed", 0)), ("a", ("2 passed, 1 failed", 1))])
def test_what_measures_has_a_second_try_and_is_named(tmp_path: Path, folder: str, end: tuple[str, int]) -> None:
    tests = suite(tmp_path, **{folder: UNSTEADY})
    done = subprocess.run(tests, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert (done.stdout.splitlines()[-1], done.returncode) == end
    named = f"unsteady: tests/{folder}/test_{folder}.py::test_it_fails_the_first_time failed, and passed when it ran"
    assert (named in done.stdout) == (folder == "truth")


@pytest.mark.parametrize(("name", "end"), [("run.case", ("3 passed, 0 failed", 0)), ("tool.case", None)])
def test_a_sample_that_is_watched_has_a_second_try_alone(
    tmp_path: Path, name: str, end: tuple[str, int] | None
) -> None:
    tests = suite(tmp_path, a="def test_a(): pass\n")
    mark = tmp_path / "mark"
    (tmp_path / "tests" / "rule").mkdir()
    (tmp_path / "tests" / "rule" / name).write_text(f"RUN: test -e {mark} || (touch {mark}; false)\n")
    done = subprocess.run(tests, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert (done.stdout.splitlines()[-1], done.returncode) == (end or ("2 passed, 1 failed", 1))
    named = f"unsteady: rules :: rule/{name} failed, and passed when it ran alone"
    assert (named in done.stdout) == (end is not None)


def test_a_fault_of_a_watched_sample_fails_both_times(tmp_path: Path) -> None:
    tests = suite(tmp_path, a="def test_a(): pass\n")
    (tmp_path / "tests" / "run.case").write_text("RUN: false\n")
    assert last_line(tests) == ("2 passed, 1 failed", 1)


def test_a_fault_fails_both_times(tmp_path: Path) -> None:
    faulty = "import pytest\n@pytest.mark.parametrize('x', ['a-b', '[c]'])\ndef test_a(x): assert x != '[c]'\n"
    assert last_line(suite(tmp_path, truth=faulty)) == ("2 passed, 1 failed", 1)


def test_a_module_that_cannot_be_imported_is_a_failure_and_the_others_run(tmp_path: Path) -> None:
    tests = suite(tmp_path, placement="import no_such_module\n", truth="def test_a(): pass\n")
    assert last_line(tests) == ("2 passed, 2 failed", 1)  # the module, and the runner that ended in its own way


def test_many_failures_are_no_accident(tmp_path: Path) -> None:
    tests = suite(tmp_path, truth=UNSTEADY + "".join(f"def test_{i}(): assert 0\n" for i in range(5)))
    assert last_line(tests) == ("2 passed, 6 failed", 1)
