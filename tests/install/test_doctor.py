"""What doctor says of machines that lack something: what fails, and what to type there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD

from stridewise import cli
from stridewise.cli import doctor as doctor_options
from stridewise.settings import remedies
from stridewise.settings.remedies import System

RELEASES = {
    "apt": 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\nPRETTY_NAME="Ubuntu 24.04 LTS"\n',
    "dnf": 'NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\nPRETTY_NAME="Rocky Linux 9.4"\n',
    "zypper": 'ID="sle_hpc"\nID_LIKE="suse"\nPRETTY_NAME=\'SUSE Linux Enterprise HPC 15\'\n',
    "": 'ID=unheard-of\nPRETTY_NAME="An unknown system"\nBROKEN="\n',
}
ALL = [value for value in vars(remedies).values() if isinstance(value, remedies.Remedy)]


@pytest.fixture(autouse=True)
def _no_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("SPACK_ROOT", "LMOD_CMD", "MODULESHOME"):
        monkeypatch.delenv(name, raising=False)
    yield


@pytest.mark.parametrize("manager", RELEASES)
def test_system_is_told_by_its_release_file(tmp_path: Path, manager: str) -> None:
    path = tmp_path / "os-release"
    path.write_text(RELEASES[manager], encoding="utf-8")
    found = remedies.system(path)
    assert found.manager == manager
    assert found.name in RELEASES[manager]
    assert remedies.system(tmp_path / "none").manager == ""


@pytest.mark.parametrize("manager", ["apt", "dnf", "zypper"])
@pytest.mark.parametrize("remedy", ALL)
def test_remedies_speak_the_language_of_the_system(remedy: remedies.Remedy, manager: str) -> None:
    found = remedies.commands(remedy, System("a system", manager, ()))
    assert found
    if manager in remedy.packages:
        assert found[manager].startswith(f"{manager} install {remedy.packages[manager]}")
        assert set(found) <= {manager, "pip"}
    if remedy.rebuild:
        assert all("make build" in text for text in found.values())


def test_clusters_have_modules_and_spack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LMOD_CMD", "/opt/lmod")
    monkeypatch.setenv("SPACK_ROOT", "/opt/spack")
    path = tmp_path / "os-release"
    path.write_text(RELEASES["dnf"], encoding="utf-8")
    found = remedies.commands(remedies.VALGRIND, remedies.system(path))
    assert found == {"dnf": "dnf install valgrind", "spack": "spack install valgrind", "module": "module load valgrind"}


def test_unknown_systems_get_every_way() -> None:
    found = remedies.commands(remedies.VALGRIND, System("unknown", "", ()))
    assert set(found) == {"apt", "dnf", "zypper", "spack", "module"}


def doctor(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any]]:
    status = cli.main(["doctor", "--format", "json", *options])
    said = json.loads(capsys.readouterr().out)
    return status, {group["name"]: group for group in said["groups"]}


def test_groups_of_the_option_are_those_that_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    _, groups = doctor(capsys)
    assert tuple(groups) == ("stridewise", *doctor_options.GROUPS)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine on which nothing is installed but what the build has."""
    monkeypatch.setenv("STRIDEWISE_BUILD", str(BUILD))
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("stridewise.settings.toolchain.llvm_openmp", lambda: None)
    monkeypatch.setattr("stridewise.settings.remedies.system", lambda: System("Debian", "apt", ()))
    return tmp_path


def test_need_decides(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, groups = doctor(capsys)
    assert status == 0
    assert groups["lint"]["works"]
    assert not groups["cache"]["works"]
    assert groups["cache"]["checks"][0]["remedies"] == {"apt": "apt install valgrind"}
    assert doctor(capsys, "--need", "lint")[0] == 0
    assert doctor(capsys, "--need", "lint", "--need", "cache")[0] == 2
    assert doctor(capsys, "--need", "fortran")[0] == 2
    (bare / "bin" / "gfortran").symlink_to("/bin/true")
    assert doctor(capsys, "--need", "fortran")[0] == 0


def test_an_analyser_that_cannot_start_is_no_analyser(
    bare: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As one whose shared libraries are missing."""
    broken = bare / "stridewise-analyze"
    broken.write_text(
        "#!/bin/sh\necho 'error while loading shared libraries: libLLVM-19.so: cannot open' >&2\nexit 127\n",
        encoding="utf-8",
    )
    broken.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(broken))
    assert doctor(capsys, "--need", "lint")[0] == 2
    cli.main(["doctor"])
    said = capsys.readouterr().out
    assert "source: stridewise lint (does not work)" in said
    assert "libLLVM-19.so: cannot open" in said
    assert "apt install llvm-19-dev" in said


def test_an_analyser_without_clangs_headers(
    bare: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    poor = bare / "stridewise-analyze"
    poor.write_text(
        '#!/bin/sh\nprintf \'{"status": "errors", "diagnostics": [{"message": "%s"}]}\' '
        '"\'stddef.h\' file not found" >"$2"\n',
        encoding="utf-8",
    )
    poor.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(poor))
    status, groups = doctor(capsys, "--need", "lint")
    assert status == 2
    (check,) = (c for c in groups["lint"]["checks"] if not c["ok"])
    assert check["remedies"] == {"apt": "apt install libclang-common-19-dev"}


@pytest.mark.parametrize(("compiler", "starter"), [("openmpi", "openmpi"), ("mpich", "openmpi"), ("openmpi", "mpich")])
def test_compiler_and_launcher_of_two_mpis_are_noticed(
    bare: Path, capsys: pytest.CaptureFixture[str], compiler: str, starter: str
) -> None:
    for name, real in (("mpicc", f"mpicc.{compiler}"), ("mpirun", f"mpirun.{starter}")):
        path = bare / "bin" / name
        path.write_text(f'#!/bin/sh\nPATH=/usr/bin:/bin exec {real} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    _, groups = doctor(capsys)
    (check,) = (c for c in groups["mpi"]["checks"] if c["name"] == "mpicc and mpirun")
    assert check["ok"] == (compiler == starter)
    assert groups["mpi"]["works"]
    names = {"openmpi": "Open MPI", "mpich": "MPICH"}
    if compiler != starter:
        assert f"mpicc is of {names[compiler]}" in check["found"]
        assert f"mpirun of {names[starter]}" in check["found"]
        assert f"start by the mpirun of {names[compiler]}" in check["remedies"]["stridewise"]
