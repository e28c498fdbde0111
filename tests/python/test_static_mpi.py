"""A program that holds its own MPI cannot be watched, and is told so."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from stridewise.collect import elf, launcher
from stridewise.runs.mpi import watcher as mpi

compiler = shutil.which("cc")
pytestmark = pytest.mark.skipif(compiler is None, reason="no C compiler")


def build(folder: Path, text: str, *flags: str) -> Path:
    source, program = folder / "a.c", folder / f"a{len(flags)}"
    source.write_text(text)
    subprocess.run([str(compiler), "-w", "-o", program, source, *flags], check=True)
    return program


OWN = "int MPI_Init(int *a, char ***b) { return 0; }\nint main(void) { return MPI_Init(0, 0); }\n"


def test_a_function_of_the_program_itself(tmp_path: Path) -> None:
    assert elf.defines(build(tmp_path, OWN), "MPI_Init")
    assert not elf.defines(build(tmp_path, OWN), "MPI_Ini")
    library = build(tmp_path, "int MPI_Init(int *a, char ***b) { return 0; }\n", "-shared", "-fPIC")
    called = "int MPI_Init(int *, char ***);\nint main(void) { return MPI_Init(0, 0); }\n"
    assert not elf.defines(
        build(tmp_path, called, "-Wl,--no-as-needed", f"-L{tmp_path}", f"-l:{library.name}"), "MPI_Init"
    )
    assert elf.defines(library, "MPI_Init")
    assert not elf.defines(tmp_path / "a.c", "MPI_Init")
    assert not elf.defines(tmp_path / "absent", "MPI_Init")


def test_damaged_files(tmp_path: Path) -> None:
    data = build(tmp_path, OWN).read_bytes()
    broken = tmp_path / "broken"
    for size in (10, 63, 64, 200, len(data) // 2, len(data) - 1):
        broken.write_bytes(data[:size])
        elf.defines(broken, "MPI_Init")
        elf.is_static(broken)


def test_says_why_there_is_nothing_to_report(tmp_path: Path) -> None:
    for flags, words in (((), "linked with MPI statically"), (("-s",), "never called MPI_Init")):
        command = [str(build(tmp_path, OWN, *flags))]
        assert words in mpi._why_nothing(command, launcher.parse(command))
    try:
        static = build(tmp_path, "int main(void) { return 0; }\n", "-static")
    except subprocess.CalledProcessError:
        pytest.skip("no static C library")
    assert elf.is_static(static)
    assert "static executable" in mpi._why_nothing([str(static)], launcher.parse([str(static)]))
