"""The most common mistakes of a first hour: each message says what is wrong, where, and what to do."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import BUILD, STRIDED, Tool

Write = Callable[[Path, Mapping[str, str]], Path]

HELLO = """#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; i++)
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def says(text: str, *parts: str) -> None:
    for part in parts:
        assert part in text, f"'{part}' is not said in:\n{text}"


def project(write: Write, root: Path, text: str, command: str) -> Path:
    database = [{"directory": str(root), "file": "k.c", "command": command}]
    return write(root, {"k.c": text, "Makefile": "", "compile_commands.json": json.dumps(database)})


def compiled(root: Path, text: str, *words: str, compiler: str = "mpicc") -> Path:
    (root / "app.c").write_text(text)
    subprocess.run([compiler, "-O1", *words, "app.c", "-o", "app"], cwd=root, check=True)
    return root / "app"


def test_no_database(tool: Tool, tmp_path: Path) -> None:
    done = tool("lint", cwd=tmp_path)
    assert done.status == 2
    says(done.err, f"no compile_commands.json in {tmp_path}", "stridewise capture -- make")
    says(done.err, "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    done = tool("lint", "-p", "build", cwd=tmp_path)
    assert done.status == 2
    says(done.err, "no compile_commands.json at build", "stridewise capture -- make")


def test_a_database_of_another_machine(tool: Tool, tmp_path: Path, write: Write) -> None:
    database = [{"directory": "/home/other/app", "file": "src/k.c", "command": "cc -c src/k.c"}]
    write(tmp_path, {"compile_commands.json": json.dumps(database), "src/k.c": STRIDED})
    done = tool("lint", cwd=tmp_path)
    assert done.status == 2
    says(
        done.err,
        f"{tmp_path}/compile_commands.json was made in another place",
        "/home/other/app/src/k.c",
        f"--path-map /home/other/app={tmp_path}",
    )


def test_a_compiler_that_is_not_there(tool: Tool, tmp_path: Path, write: Write) -> None:
    """The source is analysed with what Clang finds by itself."""
    root = project(write, tmp_path / "app", STRIDED, "/opt/vendor/24.1/bin/icx -O2 -c k.c")
    done = tool("lint", cwd=root)
    assert done.status == 0
    says(done.said, "compiler '/opt/vendor/24.1/bin/icx' is not installed here", "load its module", "1 finding")


def test_a_header_that_the_build_makes(tool: Tool, tmp_path: Path, write: Write) -> None:
    root = project(write, tmp_path / "app", '#include "config.h"\n' + STRIDED, "gcc -O2 -Ibuild -c k.c")
    done = tool("lint", cwd=root)
    assert done.status == 2
    says(done.said, "k.c:1:10: 'config.h' file not found", "build the project first if its build makes 'config.h'")


def test_no_mpi_wrapper(tool: Tool, tmp_path: Path, write: Write) -> None:
    root = project(write, tmp_path / "app", "#include <mpi.h>\n" + STRIDED, "mpicc -O2 -c k.c")
    empty = tmp_path / "bin"
    empty.mkdir()
    done = tool("lint", cwd=root, env={"PATH": str(empty)})
    assert done.status == 2
    says(
        done.said,
        "compiler 'mpicc' is not installed here",
        "'mpi.h' file not found",
        "load its module, or install an MPI",
    )


def test_a_program_without_debug_lines(tool: Tool, tmp_path: Path) -> None:
    program = compiled(tmp_path, HELLO)
    done = tool("run", "--", "mpirun", "-n", "2", "./app", cwd=tmp_path)
    assert done.status == 0
    says(done.said, f"{program} has no line information: build it with -g")


def test_a_static_program(tool: Tool, tmp_path: Path) -> None:
    program = compiled(tmp_path, "int main(void) { return 0; }\n", "-static", compiler="gcc")
    done = tool("run", "--", "./app", cwd=tmp_path)
    assert done.status == 0
    says(
        done.err,
        f"{program.name} is a static executable",
        "no library can be preloaded",
        "link it with the shared libraries",
    )


def test_the_library_of_the_other_mpi(tmp_path: Path) -> None:
    """Preloaded by hand: the program runs, unwatched, and one line names the right library."""
    compiled(tmp_path, HELLO, compiler="mpicc.mpich")
    library = BUILD / "lib" / "openmpi" / "libstridewise_mpi.so"
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    done = subprocess.run(
        ["./app"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0
    says(done.stderr, "MPICH", "libstridewise_mpi.so")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "stridewise-out" / "mpi").exists()


def test_the_launcher_of_the_other_mpi(tool: Tool, tmp_path: Path) -> None:
    """Open MPI's mpirun starts MPICH's program as so many programs of one rank each."""
    compiled(tmp_path, HELLO, compiler="mpicc.mpich")
    done = tool("run", "--", "mpirun.openmpi", "-n", "2", "./app", cwd=tmp_path)
    assert done.status == 2
    says(done.err, "is linked with MPICH", "mpirun.openmpi is the launcher of Open MPI", "start it with", "mpich")


def test_a_program_without_mpi(tool: Tool, tmp_path: Path) -> None:
    compiled(tmp_path, "int main(void) { return 3; }\n", compiler="gcc")
    done = tool("run", "--", "./app", cwd=tmp_path)
    assert done.status == 3, "the program's own"
    says(done.err, "never called MPI_Init", "run --cache watches programs without MPI")


def test_a_run_folder_that_is_there_already(tool: Tool, tmp_path: Path) -> None:
    """A second run replaces the first; files of others in the folder stay."""
    compiled(tmp_path, HELLO, "-g")
    (tmp_path / "stridewise-out").mkdir()
    (tmp_path / "stridewise-out" / "notes.txt").write_text("mine")
    for _ in range(2):
        assert tool("run", "--", "mpirun", "-n", "2", "./app", cwd=tmp_path).status == 0
    assert (tmp_path / "stridewise-out" / "notes.txt").read_text() == "mine"
    assert len(list((tmp_path / "stridewise-out" / "mpi").glob("shard.*"))) == 2


def test_a_run_folder_that_cannot_be_written(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    for folder in ("taken", "/proc/stridewise-out"):
        done = tool("run", "-o", folder, "--", "true", cwd=tmp_path)
        assert done.status == 2
        says(done.err, f"cannot prepare the run folder {folder}", "name another one with -o")


def test_a_run_folder_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stridewise.errors import Failure
    from stridewise.runs import run_folder

    owner = pwd.getpwuid(os.getuid()).pw_name
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: 12345)

    def refuse(*_words: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(run_folder, "write_file", refuse)
    with pytest.raises(Failure, match=f"out, which belongs to {owner}: Permission denied; name another one with -o"):
        run_folder.prepare(tmp_path / "out", "mpi", ())


def test_nothing_to_report(tool: Tool, tmp_path: Path) -> None:
    done = tool("report", cwd=tmp_path)
    assert done.status == 2
    says(done.err, "no run folder stridewise-out", "stridewise run -- COMMAND")
    done = tool("run", "--", "mpirun-of-a-module", "-n", "2", "./app", cwd=tmp_path)
    assert done.status == 2
    says(done.err, "cannot start mpirun-of-a-module", "load its module")
