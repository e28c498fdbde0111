"""Which MPI a program has, told by its file and its libraries; launchers that do not fit are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import MPIS, PROGRAM, TOP, compiled, succeed

from stridewise.collect import launcher, loader, mpi_of_program

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    source = tmp_path_factory.mktemp("programs") / "program.c"
    source.write_text(PROGRAM, encoding="utf-8")
    return {mpi: compiled(source, mpi) for mpi in MPIS}


def mismatch(*command: str | Path) -> str:
    words = [str(word) for word in command]
    return mpi_of_program.mismatch(words, launcher.parse(words))


def library(folder: Path, name: str, text: str, *options: str | Path) -> Path:
    source = folder / f"{name}.c"
    source.write_text(text, encoding="utf-8")
    succeed("cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", source, "-o", folder / name, *options)
    return folder / name


def test_libraries_are_those_of_the_loader(programs: dict[str, Path]) -> None:
    for program in (*programs.values(), Path(sys.executable)):
        traced = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        wanted = {
            line.split()[0]: Path(line.split()[2]).resolve() for line in traced.splitlines() if " => /" in line
        }  # fmt: skip
        found = {entry.name: entry.path.resolve() for entry in loader.libraries(program) if entry.path}
        assert {name: found.get(name) for name in wanted} == wanted


def test_search_order_of_the_loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("runpath", "path"):
        (tmp_path / place).mkdir()
        library(tmp_path / place, "libone.so.1", "int one(void) { return 1; }")
    source = tmp_path / "main.c"
    source.write_text("int one(void); int main(void) { return one(); }", encoding="utf-8")
    one = tmp_path / "runpath" / "libone.so.1"
    for kind, first in (("--enable-new-dtags", "path"), ("--disable-new-dtags", "runpath")):
        program = tmp_path / f"main{kind}"
        succeed("cc", source, one, f"-Wl,{kind},-rpath,$ORIGIN/runpath", "-o", program)
        monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "path"))
        (found,) = (entry for entry in loader.libraries(program) if entry.name == "libone.so.1")
        assert found.path == tmp_path / first / "libone.so.1"
        monkeypatch.delenv("LD_LIBRARY_PATH")
        (found,) = (entry for entry in loader.libraries(program) if entry.name == "libone.so.1")
        assert found.path == one


def test_damaged_cache_has_nothing() -> None:
    good = Path("/etc/ld.so.cache").read_bytes()
    assert "libc.so.6" in loader.read_cache(good)
    for cut in (0, 10, 40, 100, 5000):
        loader.read_cache(good[:cut])
    for index in range(400):
        loader.read_cache(good[:index] + b"\xff\xff\xff\x7f" + good[index + 4 : 8192])


@pytest.mark.parametrize("mpi", MPIS)
def test_mpi_behind_a_library_of_the_program(tmp_path: Path, mpi: str) -> None:
    """The program names only its solver, which has its own idea of where libraries are."""
    source = tmp_path / "solver.c"
    source.write_text("#include <mpi.h>\nint solve(void) { return MPI_Init(0, 0); }\n", encoding="utf-8")
    succeed(f"mpicc.{mpi}", "-shared", "-fPIC", source, "-o", tmp_path / "libsolver.so")
    main = tmp_path / "main.c"
    main.write_text("int solve(void); int main(void) { return solve(); }\n", encoding="utf-8")
    program = tmp_path / "main"
    succeed("cc", main, "-L", tmp_path, "-lsolver", "-Wl,--no-as-needed,-rpath,$ORIGIN", "-o", program)
    assert mpi_of_program.library_flavour(program) == mpi
    (found,) = mpi_of_program.find(program)
    assert found.user.name == "libsolver.so"


@pytest.mark.parametrize(
    ("name", "mark", "flavour"),
    [
        ("libmpi.so.40", "", "openmpi"),
        ("libmpi.so.12", "", "mpich"),  # MPICH, Intel MPI, MVAPICH
        ("libmpi.so.12", "ompi_mpi_comm_world", "openmpi"),  # Open MPI 1.10
        ("libmpi_mpifh.so.40", "", "openmpi"),
        ("libmpi_usempif08.so.40", "", "openmpi"),
        ("libmpifort.so.12", "", "mpich"),
        ("libmpi_cray.so.12", "", "mpich"),
        ("libmpi_abi.so.0", "", ""),
        ("libmpiwrapper.so.1", "", ""),
    ],
)
def test_names_of_mpi_libraries(tmp_path: Path, name: str, mark: str, flavour: str) -> None:
    path = library(tmp_path, name, f"int {mark or 'nothing'};\n")
    assert mpi_of_program.flavour_of_library(name, path) == flavour


@pytest.mark.parametrize(
    ("folder", "product"),
    [("opt/intel/oneapi/mpi/2021.12/lib", "Intel MPI"), ("opt/mvapich2/lib", "MVAPICH"), ("opt/mpich/lib", "MPICH")],
)
def test_products_of_one_binary_interface(tmp_path: Path, folder: str, product: str) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    path = library(place, "libmpi.so.12", "int MPI_Init(void) { return 0; }\n")
    main = tmp_path / "main.c"
    main.write_text("int MPI_Init(void); int main(void) { return MPI_Init(); }\n", encoding="utf-8")
    program = tmp_path / "main"
    succeed("cc", main, path, f"-Wl,-rpath,{place}", "-o", program)
    (found,) = mpi_of_program.find(program)
    assert (found.flavour, found.product, found.library) == ("mpich", product, path)
    said = mismatch("mpirun.openmpi", "-n", "2", program)
    assert said.startswith(
        f"{program} is linked with {product} ({path}), but mpirun.openmpi is the launcher of Open MPI"
    )


@pytest.mark.parametrize("mpi", MPIS)
def test_a_launcher_that_fits_is_fine(programs: dict[str, Path], mpi: str) -> None:
    assert mismatch(f"mpirun.{mpi}", "-n", "2", programs[mpi]) == ""
    assert mismatch("srun", "-n", "2", programs[mpi]) == ""
    assert mismatch(programs[mpi]) == ""
    assert mismatch(f"mpirun.{mpi}", "-n", "2", "/bin/sh", "-c", "exit") == ""


@pytest.mark.parametrize(("mpi", "other"), [MPIS, MPIS[::-1]])
def test_the_other_launcher_is_refused_and_the_right_one_named(
    programs: dict[str, Path], mpi: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = mismatch(f"mpirun.{other}", "-n", "2", programs[mpi])
    assert f"is linked with {NAMES[mpi]}" in said
    assert f"mpirun.{other} is the launcher of {NAMES[other]}" in said
    assert "rank 0 of 1" in said
    assert f"start it with {mpi_of_program.suggested(mpi_of_program.find(programs[mpi])[0])}, or" in said
    assert f"mpirun.{mpi}" in said
    monkeypatch.setenv("STRIDEWISE_MIXED_MPI", "1")
    assert mismatch(f"mpirun.{other}", "-n", "2", programs[mpi]) == ""


def test_of_several_programs_each_counts(programs: dict[str, Path]) -> None:
    said = mismatch("mpirun.openmpi", "-n", "1", programs["openmpi"], ":", "-n", "1", programs["mpich"])
    assert said.startswith(f"{programs['mpich']} is linked with MPICH")


def test_two_mpis_in_one_program(tmp_path: Path) -> None:
    libraries = [library(tmp_path, name, f"int f{i}(void) {{ return 0; }}\n") for i, name in
                 enumerate(("libmpi.so.40", "libmpich.so.12"))]  # fmt: skip
    main = tmp_path / "main.c"
    main.write_text("int f0(void), f1(void); int main(void) { return f0() + f1(); }\n", encoding="utf-8")
    succeed("cc", main, *libraries, f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "main")
    assert "loads two MPIs: Open MPI" in mismatch("mpirun.openmpi", "-n", "2", tmp_path / "main")


def test_mpich_with_pmix_may_be_started_by_others(tmp_path: Path) -> None:
    names = ("libmpich.so.12", "libpmix.so.2")
    libraries = [library(tmp_path, name, f"int f{i}(void) {{ return 0; }}\n") for i, name in enumerate(names)]
    main = tmp_path / "main.c"
    main.write_text("int f0(void), f1(void); int main(void) { return f0() + f1(); }\n", encoding="utf-8")
    succeed("cc", main, *libraries, f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "main")
    assert mismatch("mpirun.openmpi", "-n", "2", tmp_path / "main") == ""


def test_run_refuses_before_anything_starts(programs: dict[str, Path], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "stridewise", "run", "--", "mpirun.openmpi", "-n", "2", programs["mpich"]],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(TOP)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert "start it with" in done.stderr
    assert not (tmp_path / "stridewise-out").exists()
