"""Every step of the lattice-Boltzmann kernel computes the same, however many ranks share the work."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mpi_launch import LAUNCH

KERNEL = Path(__file__).resolve().parent / "lbm"
STEPS = range(len(list((KERNEL / "steps").iterdir())) + 1)
SMALL = ["width=96", "height=48", "iterations=12", "save_interval=4", "save_pause_ms=1"]
SMALL += ["obstacle_x=20", "obstacle_y=25", "obstacle_radius=6"]

pytestmark = pytest.mark.skipif(
    not (shutil.which("mpicc") and shutil.which("mpirun") and shutil.which("make")), reason="needs MPI and make"
)


def environment() -> dict[str, str]:
    """More ranks than processors, possibly as root, as in a container."""
    return os.environ | LAUNCH


def build(step: int, folder: Path) -> Path:
    subprocess.run(
        ["make", "-s", "-C", str(KERNEL), f"STEP={step}", f"BUILD={folder}"], check=True, stdout=subprocess.DEVNULL
    )
    return folder / "lbm"


def run(program: Path, ranks: int, *settings: str) -> str:
    command = ["mpirun", "-n", str(ranks), str(program), *SMALL, *settings]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300, env=environment())
    return done.stdout.strip()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    return run(build(0, tmp_path_factory.mktemp("lbm")), 1)


@pytest.mark.parametrize("step", STEPS)
def test_same_result(step: int, expected: str, tmp_path: Path) -> None:
    program = build(step, tmp_path)
    for ranks, ranks_x in ((1, 1), (2, 1), (4, 1), (4, 2), (4, 4)):
        assert run(program, ranks, f"ranks_x={ranks_x}") == expected, f"{ranks} ranks, {ranks_x} along x"


@pytest.mark.parametrize("step", (STEPS[0], STEPS[-1]))
def test_same_result_with_threads(step: int, expected: str, tmp_path: Path) -> None:
    assert run(build(step, tmp_path), 2, "threads=2") == expected


def test_same_frames(tmp_path: Path) -> None:
    frames = []
    for step in (STEPS[0], STEPS[-1]):
        output = tmp_path / f"{step}.raw"
        run(build(step, tmp_path / str(step)), 4, f"output={output}")
        frames.append(output.read_bytes())
    assert frames[0] == frames[1]
    assert len(frames[0]) == 4 * 96 * 48 * 2 * 4  # at the start and after each save interval
