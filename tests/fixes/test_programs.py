"""`--fix` and `--fix --unsafe` over 300 generated programs: safe fixes change no output, unsafe ones still compile.

Each batch is a project of its own: its programs share a compile database, so that a run of lint serves many. What a
program prints is taken before and after, with one thread and with three, in every configuration that it has.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from parts import HARMFUL, Program
from programs import programs

from stridewise.cli import main
from stridewise.settings import toolchain

COUNT, BATCHES = 300, 5  # no multiple of three, the generator's round of kinds
# What each batch must at least give to do: a test of fixes that are never made proves nothing.
LEAST_SAFE, LEAST_UNSAFE = 18, 1
_SECONDS = 60

pytestmark = [
    pytest.mark.skipif(
        toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE") is None, reason="stridewise-analyze is not built"
    ),
    pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("g++") is None, reason="no gcc"),
]

PROGRAMS = programs(COUNT)
Texts = dict[str, bytes]


@dataclass(frozen=True)
class Outcome:
    """`said`: what a program printed, by configuration and number of threads; `warnings` of the compiler."""

    problem: str
    warnings: int = 0
    said: tuple[str, ...] = ()


def _try(program: Program, folder: Path) -> Outcome:
    """Compiles and runs the program. Configurations may differ in what they print, not before and after a fix."""
    warnings, said = 0, []
    compiler = ["g++", "-std=c++20"] if program.is_cxx else ["gcc", "-std=gnu11"]
    for configuration in program.configurations:
        command = [*compiler, "-O0", "-Wall", *program.flags, *configuration, "-o", program.name, *program.units]
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)
        if built.returncode:
            return Outcome(f"{program.name} does not compile:\n{built.stderr[:2000]}")
        warnings += built.stderr.count("warning:")
        for threads in ("1", "3") if "-fopenmp" in program.flags else ("1",):
            environment = {**os.environ, "OMP_NUM_THREADS": threads, "OMP_DYNAMIC": "false"}
            try:
                ran = subprocess.run(
                    [f"./{program.name}"], cwd=folder, env=environment, capture_output=True, text=True,
                    timeout=_SECONDS, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return Outcome(f"{program.name} does not end")
            said.append(f"{ran.returncode}\n{ran.stdout}")
        (folder / program.name).unlink()
    return Outcome("", warnings, tuple(said))


def _write(batch: list[Program], folder: Path) -> None:
    folder.mkdir()
    entries = []
    for program in batch:
        for name, text in program.files.items():
            (folder / name).write_text(text)
        compiler = ["g++", "-std=c++20"] if program.is_cxx else ["gcc", "-std=gnu11"]
        entries += [
            {"directory": str(folder), "file": unit, "arguments": [*compiler, "-O2", *program.flags, "-c", unit]}
            for unit in program.units
            if unit not in program.unknown
        ]
    (folder / "compile_commands.json").write_text(json.dumps(entries))


def _fix(folder: Path, cache: Path, *words: str) -> None:
    """Makes fixes until none is left: those that overlap are made one after the other."""
    for _ in range(6):
        before = _texts(folder)
        assert main(["lint", "-p", str(folder), "--cache-dir", str(cache), "--fix", *words]) in (0, 1)
        if _texts(folder) == before:
            return


def _texts(folder: Path) -> Texts:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix in (".c", ".cpp", ".h", ".def")}


def _changed(program: Program, before: Texts, after: Texts) -> bool:
    return any(before[name] != after[name] for name in program.files)


@pytest.mark.parametrize("number", range(BATCHES))
def test_safe_fixes_change_no_output(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    batch = PROGRAMS[number::BATCHES]  # some of each kind
    folder, cache = tmp_path / "project", tmp_path / "cache"
    _write(batch, folder)
    monkeypatch.chdir(folder)
    original = _texts(folder)
    problems: list[str] = []
    _fix(folder, cache)
    said = capfd.readouterr().err

    made = Counter(
        line.rsplit("(", 1)[1].split(")")[0] for line in said.splitlines() if "fixed " in line and "(" in line
    )
    safe = _texts(folder)
    touched = [program for program in batch if _changed(program, original, safe)]
    fixed = {program.name: _try(program, folder) for program in touched}
    for name, text in original.items():
        (folder / name).write_bytes(text)
    for program in touched:
        before, after = _try(program, folder), fixed[program.name]
        assert not before.problem, before.problem
        if after.problem or after.said != before.said or after.warnings > before.warnings:
            what = after.problem or ("it prints something else" if after.said != before.said else "it has new warnings")
            problems.append(f"{program.name} {program.traits}: {what}")
    for name, text in safe.items():
        (folder / name).write_bytes(text)
    _fix(folder, cache, "--unsafe")
    unsafe = _texts(folder)
    for program in batch:
        if _changed(program, safe, unsafe):
            made["unsafe"] += 1
            after = _try(program, folder)
            if "does not compile" in after.problem:
                problems.append(f"{program.name} {program.traits}, unsafe: {after.problem}")
    assert not problems, "\n".join(problems)
    assert sum(count for rule, count in made.items() if rule != "unsafe") >= LEAST_SAFE, made
    assert made["unsafe"] >= LEAST_UNSAFE, made


def test_every_way_to_depend_on_an_order_is_among_the_programs() -> None:
    """And the harmful ones are refused for their own reason: without the trait the same record is reordered."""
    seen = Counter(trait for program in PROGRAMS for trait in program.traits)
    assert all(seen[trait.name] for trait in HARMFUL)
    assert len(seen) > 50
    assert len(PROGRAMS) >= COUNT
