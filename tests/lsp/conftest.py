"""Projects to open, and clients that leave no server behind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from client import TOP, Client

KERNEL = TOP / "rules/mem-strided-inner-loop/buggy.c"
Connect = Callable[..., Client]


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """Starts a server in a folder."""
    monkeypatch.delenv("STRIDEWISE_MACHINE", raising=False)
    made: list[Client] = []

    def start(folder: Path, *arguments: str) -> Client:
        made.append(Client(folder, *arguments))
        return made[-1]

    yield start
    for client in made:
        client.kill()


def database(folder: Path, *flags: str, compiler: str = "gcc") -> None:
    """A compile database of all C sources in the folder."""
    entries = [
        {"directory": str(folder), "file": str(file), "arguments": [compiler, *flags, "-c", str(file)]}
        for file in sorted(folder.glob("*.c"))
    ]
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """One file with one strided loop, whose exchange is proven safe."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Makefile").touch()
    shutil.copy(KERNEL, folder / "kernel.c")
    database(folder, "-O2")
    return folder / "kernel.c"


@pytest.fixture
def lbm(tmp_path: Path) -> Path:
    """The Lattice-Boltzmann program."""
    folder = tmp_path / "lbm"
    shutil.copytree(TOP / "tests/kernels/lbm/original", folder)
    (folder / "Makefile").touch()
    database(folder, "-std=c11", "-O2", "-fopenmp", "-Iinclude", compiler="mpicc")
    return folder
