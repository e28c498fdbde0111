"""The analyser, built with AddressSanitizer, UndefinedBehaviorSanitizer and assertions, over all samples of each rule:
nothing is reported, and the findings are those that the samples state."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lit_format.hosts import HostError, Toolchain, mpi_environment
from lit_format.samples import SOURCE_SUFFIXES, Sample, differences
from lit_format.stridewise_format import sources

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build"))
RULES = sorted(path.parent for path in (TOP / "rules").glob("*/rule.toml"))
# LLVM's own libraries are built without: their containers and pools carry no marks; clang keeps its memory to the end.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0:abort_on_error=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    """Built once for all processes of a test run: Ninja locks nothing, so the first process makes it, others wait."""
    if shutil.which("clang++-19") is None:
        pytest.skip("clang++-19 is not installed")
    folder = BUILD / "sanitize"
    folder.mkdir(parents=True, exist_ok=True)
    lock = folder / "lock"
    configure: list[str | Path] = [
        "cmake",
        "--preset",
        "sanitize",
        "-B",
        folder,
        f"-DPython3_EXECUTABLE={sys.executable}",
    ]
    make: list[str | Path] = ["cmake", "--build", folder, "--target", "stridewise-analyze"]
    for words in (configure, make):
        done = subprocess.run(["flock", lock, *words], cwd=TOP, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return Toolchain(folder)


def units(rule: Path) -> list[Path]:
    cases = rule / "cases"
    programs = sorted(p for p in cases.iterdir() if p.is_dir()) if cases.is_dir() else []
    return [p for folder in (rule, cases, *programs) for p in sources(folder) if p.suffix in SOURCE_SUFFIXES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_samples(rule: Path, tools: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**OPTIONS, **mpi_environment()}.items():
        monkeypatch.setenv(name, value)
    problems = []
    for path in units(rule):
        sample = Sample.read(path)
        try:
            found = tools.tool(sample)
        except HostError as error:
            problems.append(f"{path.relative_to(TOP)}: {error}")
            continue
        if path.parent.name == "cases" or path.parent == rule:
            problems += differences(sample.static, found, rule.name, statements_too=True)
    assert not problems, "\n".join(problems)


def test_a_fault_is_reported(tools: Toolchain) -> None:
    """The build has the sanitizers in it."""
    done = subprocess.run(["nm", "-D", tools.analyze], capture_output=True, text=True, check=True)
    assert "__asan_" in done.stdout
    assert "__ubsan_" in done.stdout
