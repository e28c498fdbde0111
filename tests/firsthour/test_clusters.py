"""The run-time half alone, and images (docs/howto/clusters.md, docs/howto/containers.md)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from conftest import TOP, Tool

IMAGES = TOP / "docs" / "howto" / "containers"


def test_the_interposer_builds_alone_and_its_shards_are_read_elsewhere(
    tool: Tool, lbm: Callable[[Path], Path], tmp_path: Path
) -> None:
    """gcc, the MPI and CMake on one side; sources, binary and run folder under other names on the other."""
    build, prefix = tmp_path / "build", tmp_path / "prefix"
    configure = ["cmake", "-S", str(TOP / "pmpi_wrappers"), "-B", str(build), f"-DCMAKE_INSTALL_PREFIX={prefix}"]
    configure += ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_C_FLAGS_RELEASE=-O0", "-DSTRIDEWISE_MPICH_MPICC=/none"]
    for command in (configure, ["cmake", "--build", str(build), "-j2"], ["cmake", "--install", str(build)]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (library,) = prefix.rglob("openmpi/libstridewise_mpi.so")
    needed = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    assert not re.search(r"NEEDED.*(libmpi|libLLVM|libstdc|libgcc_s)", needed)

    there = lbm(tmp_path / "cluster" / "me" / "app")
    subprocess.run(["make", "-s"], cwd=there, check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STRIDEWISE", "PYTHON"))}
    subprocess.run(
        ["mpirun", "-n", "2", "./lbm", "config-small.txt"],
        cwd=there,
        env={**environment, "LD_PRELOAD": str(library), "STRIDEWISE_OUT": str(there / "recorded")},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=300,
    )

    here = tmp_path / "home" / "lattice"
    shutil.copytree(TOP / "tests" / "kernels" / "lbm" / "original", here / "code")
    shutil.copytree(there / "recorded", here / "recorded")
    (here / "bin").mkdir()
    shutil.copy(there / "lbm", here / "bin" / "lbm")
    shutil.rmtree(there)
    maps = [f"--path-map={there}/lbm={here}/bin/lbm", f"--path-map={there}={here}/code"]
    done = tool("report", "recorded", *maps, cwd=here)
    assert done.status == 0, done.said
    assert "exchange.c:29 in sync_vertical" in done.out
    assert "> 29 |         MPI_Send(&mesh_cell" in done.out


def test_the_preset_needs_no_llvm(tmp_path: Path) -> None:
    hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("LLVM", "Clang", "MLIR")]
    done = subprocess.run(
        ["cmake", "--preset", "run-time", "-B", str(tmp_path), *hidden],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    targets = subprocess.run(
        ["cmake", "--build", str(tmp_path), "--target", "help"], check=True, capture_output=True, text=True
    ).stdout
    assert "stridewise_mpi_openmpi" in targets
    assert "stridewise-merge" in targets
    assert "stridewise-analyze" not in targets


def commands(text: str) -> list[str]:
    """The commands of a RUN instruction or of a %post section, in order."""
    return [word.strip(" \\") for line in text.splitlines() for word in line.split("&&") if word.strip(" \\")]


def test_images_are_built_by_the_project_s_own_commands() -> None:
    dockerfile = (IMAGES / "Dockerfile").read_text()
    definition = (IMAGES / "stridewise.def").read_text()
    docker = commands(str(re.search(r"^RUN ((?:.*\\\n)*.*)", dockerfile, re.MULTILINE)[1]))  # type: ignore[index]
    apptainer = commands(str(re.search(r"%post\n(.*?)\n\n", definition, re.DOTALL)[1]))  # type: ignore[index]
    assert docker == apptainer[1:], "both images are made alike"
    assert apptainer[0] == "cd /opt/stridewise"
    own = [command for command in docker if command.startswith("scripts/")]
    assert own == ["scripts/bootstrap.sh", "scripts/build.sh"]
    for command in own:
        assert os.access(TOP / command, os.X_OK)
    # No package is named here: bootstrap.sh alone knows them.
    assert not re.search(r"apt-get install|pip install", dockerfile + definition)
    systems = re.findall(r"^F(?:ROM|rom:) ?(debian:\d+)$", dockerfile + "\n" + definition, re.MULTILINE)
    assert systems == ["debian:12"] * 2
    assert "PATH=/opt/stridewise/build/bin:$PATH" in dockerfile
    assert "PATH=/opt/stridewise/build/bin:$PATH" in definition
    for name in re.findall(r"(?:-f |build \S+\.sif )(docs/\S+)", dockerfile + definition):
        assert (TOP / name).is_file()
