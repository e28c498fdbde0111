from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from stridewise.collect import elf, launcher, mpi_of_program
from stridewise.collect.launcher import Launch
from stridewise.machine.geometry import DEFAULT, Cache, Geometry, detect

Script = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Launchers by name alone: no launcher is asked for its version."""
    monkeypatch.setattr(launcher, "version_flavour", lambda path: "mpich" if "hydra" in path else "openmpi")


def programs(command: str) -> list[str]:
    words = command.split()
    return [words[i] for i in launcher.parse(words, {}).programs]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("./app in.dat", ["./app"]),
        ("env A=b OMP_NUM_THREADS=2 ./app x", ["./app"]),
        ("mpirun -n 4 ./app in.dat", ["./app"]),
        ("mpirun -np 4 --mca btl tcp,self --bind-to core -x PATH ./app -n 3", ["./app"]),
        ("mpirun --oversubscribe -H a,b ./app", ["./app"]),
        ("mpirun --map-by=node --hostfile h ./app", ["./app"]),
        ("mpirun --allow-run-as-root -tag-output ./app", ["./app"]),
        ("mpirun -n 1 ./a x : -n 2 ./b y", ["./a", "./b"]),
        ("mpirun.openmpi -gmca a b ./app", ["./app"]),
        ("/opt/mpi/bin/mpiexec.hydra -genv A b -env C=d -ppn 2 ./app", ["./app"]),
        ("mpiexec.hydra -n 2 -genvall -bind-to core ./app -np 3", ["./app"]),
        ("srun -N 2 -n 8 --cpu-bind=cores --exclusive ./app", ["./app"]),
        ("srun --ntasks 8 -l ./app : x", ["./app"]),
        ("timeout 60 mpirun -n 2 ./app", ["./app"]),
        ("mpirun -n 2 env A=b ./app", ["./app"]),
        ("mpirun -n 2 numactl --localalloc ./app", ["numactl"]),
        ("mpirun --app file", []),
        ("mpirun", []),
    ],
)
def test_where_the_program_starts(command: str, expected: list[str]) -> None:
    assert programs(command) == expected


def test_an_unknown_option_takes_a_value_unless_a_program_follows(tmp_path: Path, script: Script) -> None:
    program = script("app", "#!/bin/sh\n")
    assert programs(f"mpirun --brand-new value {program}") == [str(program)]
    assert programs(f"mpirun --brand-new {program} x") == [str(program)]
    assert programs(f"mpirun --brand-new=value {program}") == [str(program)]


def test_remote_hosts_and_exported_variables() -> None:
    def parse(command: str, environment: dict[str, str] | None = None) -> Launch:
        return launcher.parse(command.split(), environment or {})

    assert not parse("mpirun -n 2 ./app").remote
    assert parse("mpirun -H a,b ./app").remote
    assert parse("mpirun -n 2 ./app", {"SLURM_JOB_NODELIST": "n[1-2]"}).remote
    assert parse("mpirun -x LD_PRELOAD=/x -x PATH ./app").exported == {"LD_PRELOAD", "PATH"}


def test_rank_variables() -> None:
    assert launcher.parse(["mpirun", "./a"], {}).rank_variable == "OMPI_COMM_WORLD_RANK"
    assert launcher.parse(["mpirun.hydra", "./a"], {}).rank_variable == "PMI_RANK"
    assert launcher.parse(["srun", "./a"], {}).rank_variable == "SLURM_PROCID"
    assert launcher.parse(["./a"], {}).rank_variable == ""


def linked(tmp_path: Path, soname: str) -> Path:
    """A program that needs a library of that name."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    library, program, source = tmp_path / "libfake.so", tmp_path / "program", tmp_path / "x.c"
    source.write_text("int f(void) { return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", library, source], check=True)
    source.write_text("int f(void); int main(void) { return f(); }\n")
    subprocess.run(["cc", "-o", program, source, library], check=True)
    return program


@pytest.mark.parametrize(
    ("soname", "flavour"),
    [
        ("libmpi.so.40", "openmpi"),
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpi_cray.so.12", "mpich"),
        ("libmpiwrapper.so.1", ""),
    ],
)
def test_flavour_of_a_program(tmp_path: Path, soname: str, flavour: str) -> None:
    program = linked(tmp_path, soname)
    assert soname in elf.needed_libraries(program)
    assert mpi_of_program.library_flavour(program) == flavour


def test_the_program_decides_before_the_launcher(tmp_path: Path) -> None:
    command = ["mpirun", "-n", "2", str(linked(tmp_path, "libmpich.so.12"))]
    assert mpi_of_program.flavour(command, launcher.parse(command, {})) == "mpich"
    command[-1] = "/bin/sh"
    assert mpi_of_program.flavour(command, launcher.parse(command, {})) == "openmpi"
    assert mpi_of_program.flavour(["/bin/sh"], launcher.parse(["/bin/sh"], {})) == ""


def test_damaged_programs_need_nothing(tmp_path: Path) -> None:
    good = linked(tmp_path, "libmpi.so.40").read_bytes()
    path = tmp_path / "bad"
    for data in (b"", b"\x7fELF", good[:100], good[: len(good) // 2], b"#!/bin/sh\n", b"\x7fELF" + b"\xff" * 500):
        path.write_bytes(data)
        assert elf.needed_libraries(path) == ()
    assert elf.needed_libraries(tmp_path / "missing") == ()
    for index in range(0, min(len(good), 4096), 7):
        path.write_bytes(good[:index] + b"\xff" + good[index + 1 :])
        elf.needed_libraries(path)


def sysfs(tmp_path: Path, caches: list[tuple[int, str, str, str, str]]) -> Path:
    for number, values in enumerate(caches):
        folder = tmp_path / f"index{number}"
        folder.mkdir()
        names = ("level", "type", "size", "coherency_line_size", "ways_of_associativity")
        for name, value in zip(names, values, strict=True):
            (folder / name).write_text(f"{value}\n")
    return tmp_path


def sets(cache: Cache) -> int:
    return cache.size_bytes // (cache.ways * cache.line_bytes)


def assert_usable(found: Geometry) -> None:
    for cache in (found.instruction, found.data, found.last_level):
        assert sets(cache) & (sets(cache) - 1) == 0
        assert sets(cache) * cache.ways * cache.line_bytes == cache.size_bytes


def test_geometry_is_read_and_kept_where_it_is_possible(tmp_path: Path) -> None:
    found = detect(
        sysfs(
            tmp_path,
            [(1, "Data", "48K", "64", "12"), (1, "Instruction", "32K", "64", "8"), (2, "Unified", "1280K", "64", "20"),
             (3, "Unified", "48M", "64", "12")],
        )
    )  # fmt: skip
    second = Cache(1280 << 10, 20, 64)
    assert found == Geometry(Cache(32 << 10, 8, 64), Cache(48 << 10, 12, 64), Cache(48 << 20, 12, 64), second)
    assert found.options() == ("--I1=32768,8,64", "--D1=49152,12,64", "--LL=50331648,12,64")


def test_a_last_level_that_cachegrind_refuses_is_made_smaller(tmp_path: Path) -> None:
    found = detect(sysfs(tmp_path, [(3, "Unified", "33M", "64", "11")]))
    assert_usable(found)
    assert found.last_level == Cache(32768 * 16 * 64, 16, 64)
    assert found.data == DEFAULT.data


def test_absurd_values_of_virtual_machines(tmp_path: Path) -> None:
    assert_usable(detect(sysfs(tmp_path, [(1, "Data", "32K", "64", "0"), (3, "Unified", "512M", "64", "2")])))
    found = detect(tmp_path)
    assert found.last_level.ways == DEFAULT.last_level.ways
    assert found.data == DEFAULT.data


def test_nothing_or_nonsense_gives_the_common_geometry(tmp_path: Path) -> None:
    assert detect(tmp_path / "missing") == DEFAULT
    assert detect(sysfs(tmp_path, [(1, "Data", "many", "64", "8"), (2, "Unified", "0", "64", "8")])) == DEFAULT


def test_this_machine_is_usable() -> None:
    assert_usable(detect())


def test_env_without_a_program() -> None:
    assert launcher.parse(["env"], {}).programs == (0,)
