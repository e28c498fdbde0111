"""Every program's truth is what the report says of its run, and of its twin the report says nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import truths
from truths import Program


def _cases() -> Iterator[tuple[Program, str, bool]]:
    """Each program with all that it is built with. Of an MPI program's twin one will do, of all twins each in turn."""
    for number, program in enumerate(truths.programs()):
        variants = program.variants
        yield from ((program, variant, False) for variant in variants)
        if program.twin != "none":
            one = variants[number % len(variants)]
            yield from ((program, v, True) for v in variants if program.watch != "mpi" or v == one)


CASES = [pytest.param(p, v, twin, id=f"{p.name}-{v}{'-twin' if twin else ''}") for p, v, twin in _cases()]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("truths")


@pytest.mark.parametrize("program", truths.programs(), ids=lambda p: p.name)
def test_a_program_states_its_truth(program: Program) -> None:
    assert program.watch
    assert program.twin
    assert program.header.get("rule")
    for statement in program.statements:
        assert program.places(statement.mark), f"no line is marked @{statement.mark}"
        assert statement.seconds in ("cost", "gain", "-")


@pytest.mark.parametrize(("program", "variant", "twin"), CASES)
def test_the_run_tells_the_truth(program: Program, variant: str, twin: bool, folder: Path) -> None:
    if not truths.compiler(program, variant):
        pytest.skip(f"{variant} is not installed, or nothing was built to watch its programs")
    executable = truths.build(program, variant, folder, twin=twin)
    wrong: list[str] = []
    for attempt in range(truths.TRIES):
        seen = truths.watch(program, executable, variant, folder / f"{executable.name}.run{attempt}")
        wrong = truths.disagreements(program, seen, twin=twin)
        if not wrong:
            return
    pytest.fail("\n".join(wrong))
