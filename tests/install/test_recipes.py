"""The packages of Debian and Spack, and the source distribution that they are made of."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, TOP, Installed, configured, execute, succeed

RECIPE = TOP / "packaging" / "spack" / "packages" / "stridewise" / "package.py"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by Debian's own tools, of the programs that were built before."""
    folder = tmp_path_factory.mktemp("deb")
    succeed(
        TOP / "scripts" / "build_deb.sh", folder, "-d", PATH="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        STRIDEWISE_PREBUILT=str(BUILD), STRIDEWISE_BUILD_PYTHON=sys.executable, PYTHONPATH="",
        DEB_BUILD_OPTIONS="nocheck noautodbgsym", DPKG_DEB_COMPRESSOR_TYPE="none",
    )  # fmt: skip
    (found,) = folder.glob("stridewise_*.deb")
    return found


def test_debian_package_says_what_it_needs(package: Path) -> None:
    said = succeed("dpkg-deb", "--field", package)
    depends = re.search(r"^Depends: (.*)$", said, re.MULTILINE)
    assert depends
    names = {word.split()[0].partition(":")[0] for word in depends[1].split(",")}
    assert {"libc6", "libstdc++6", "python3", "libclang-common-19-dev"} <= names
    assert not any("mpi" in name or "omp" in name for name in names)


def test_debian_package_has_the_version_of_the_product(package: Path) -> None:
    version = re.search(r'__version__ = "(.*)"', (TOP / "stridewise/__init__.py").read_text(encoding="utf-8"))
    assert version
    assert succeed("dpkg-deb", "--field", package, "Version").strip() == version[1]


def test_debian_package_works_where_it_is_unpacked(package: Path, tmp_path: Path) -> None:
    root = tmp_path / "the root"
    succeed("dpkg-deb", "--extract", package, root)
    stray = {str(path.relative_to(root)) for path in root.iterdir()} - {"usr"}
    assert not stray
    shipped = {path.name for path in (root / "usr" / "lib" / "stridewise").rglob("*.so")}
    assert {"libstridewise_mpi.so", "libstridewise_omp.so", "stridewise-clang.so", "stridewise-tidy.so"} <= shipped
    assert (root / "usr/share/man/man1/stridewise.1.gz").is_file()
    assert (root / "usr/share/doc/stridewise/copyright").is_file()
    home = tmp_path / "home"
    home.mkdir()
    command = Installed(root / "usr", home)
    done = command("doctor", "--need", "lint", "--need", "mpi", "--need", "omp", "--need", "compile")
    assert done.returncode == 0, done.stdout
    assert f"{root}/usr/bin/stridewise-analyze" in done.stdout
    assert execute(["stridewise-cc", "--version"], command.environment, home).returncode == 0


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    succeed(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, TOP, PYTHONPATH="")
    (archive,) = folder.glob("stridewise-*.tar.gz")
    succeed("tar", "-xzf", archive, "-C", folder)
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def test_source_distribution_has_all_that_is_built(source: Path) -> None:
    files = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    for folder in ("analyzer", "cmake", "pmpi_wrappers", "runtime", "stridewise", "rules", "packaging"):
        listed = subprocess.run(["git", "ls-files", folder], cwd=TOP, capture_output=True, text=True, check=False)
        known = [name for name in listed.stdout.split("\n") if name and (TOP / name).is_file()]
        assert set(known) <= files
    assert not any(name.startswith("build/") or name.endswith(".pyc") for name in files)


def test_source_distribution_installs_without_git(source: Path, tmp_path: Path) -> None:
    build = tmp_path / "b"
    succeed(
        "cmake", "-S", source, "-B", build, f"-DSTRIDEWISE_PREBUILT={BUILD}", f"-DPython3_EXECUTABLE={sys.executable}"
    )
    succeed("cmake", "--build", build)
    succeed("cmake", "--install", build, "--prefix", tmp_path / "p")
    home = tmp_path / "home"
    home.mkdir()
    assert Installed(tmp_path / "p", home)("explain", "mem-struct-padding").returncode == 0


# --- Spack ------------------------------------------------------------------------------------------------------------


class Spec:
    """As much of Spack's Spec as the recipe asks."""

    def __init__(self, variants: set[str], mpi: str) -> None:
        self.variants, self.mpi = variants, mpi

    def satisfies(self, wish: str) -> bool:
        wanted = re.findall(r"([+~])(\w+)", wish)
        assert wanted
        return all((sign == "+") == (name in self.variants) for sign, name in wanted)

    def __getitem__(self, name: str) -> Any:
        prefix = types.SimpleNamespace(include=f"/opt/{name}/include")
        command = types.SimpleNamespace(path=f"/opt/{name}/bin/{name}")
        return types.SimpleNamespace(name=self.mpi, mpicc=f"/opt/{self.mpi}/bin/mpicc", prefix=prefix, command=command)


class CMakePackage:
    spec: Spec

    def define(self, name: str, value: object) -> str:
        return f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"

    def define_from_variant(self, name: str, variant: str) -> str:
        return self.define(name, variant in self.spec.variants)


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, list[tuple[Any, ...]]]]:
    """The recipe's class, and its directives by name."""
    said: dict[str, list[tuple[Any, ...]]] = {}
    module: Any = types.ModuleType("spack.package")
    for name in ("conflicts", "depends_on", "license", "variant", "version"):
        said[name] = []
        setattr(module, name, lambda *words, _list=said[name], **options: _list.append((*words, options)))
    module.CMakePackage = CMakePackage
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", module)
    return runpy.run_path(str(RECIPE))["Stridewise"], said


@pytest.mark.parametrize("mpi", ["openmpi", "mpich", "mvapich", "intel-oneapi-mpi"])
@pytest.mark.parametrize("variants", [set(), {"mpi"}, {"analyzer", "mpi", "openmp"}, {"openmp"}])
def test_spack_recipe_gives_options_that_cmake_has(recipe: Any, variants: set[str], mpi: str) -> None:
    stridewise, _ = recipe
    instance = stridewise()
    instance.spec = Spec(variants, mpi)
    options = dict(word[2:].split("=", 1) for word in instance.cmake_args())
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in (*TOP.glob("cmake/*.cmake"), *TOP.glob("*/CMakeLists.txt"), *TOP.glob("runtime/*/CMakeLists.txt"))
    )
    for name in options:
        assert re.search(rf"(option|set)\({name} ", text), name
    assert options["STRIDEWISE_ANALYZER"] == ("ON" if "analyzer" in variants else "OFF")
    if "mpi" in variants:
        flavour = "OPENMPI" if mpi == "openmpi" else "MPICH"
        assert options[f"STRIDEWISE_{flavour}_MPICC"] == f"/opt/{mpi}/bin/mpicc"


def test_spack_recipe_says_what_its_variants_need(recipe: Any) -> None:
    stridewise, said = recipe
    names = {words[0] for words in said["variant"]}
    for words in said["depends_on"]:
        wish = words[-1].get("when", "")
        assert set(re.findall(r"[+~](\w+)", wish)) <= names
    needed = {words[0].split("@")[0].split()[0] for words in said["depends_on"]}
    assert {"c", "cxx", "cmake", "python", "llvm", "mpi"} <= needed
    minimum = re.search(
        r"cmake_minimum_required\(VERSION ([\d.]+)\)", (TOP / "CMakeLists.txt").read_text(encoding="utf-8")
    )
    assert minimum and any(words[0] == f"cmake@{minimum[1]}:" for words in said["depends_on"])
    assert stridewise.git == TOP.as_uri()


def test_a_part_that_was_asked_for_is_no_guess(tmp_path: Path) -> None:
    """AUTO leaves out what the machine lacks and says so; ON fails."""
    hidden = ("-DSKBUILD=2", "-DCMAKE_DISABLE_FIND_PACKAGE_Clang=ON", f"-DSKBUILD_DATA_DIR={tmp_path / 'data'}",
              "-DSTRIDEWISE_MPI=OFF", "-DSTRIDEWISE_OMP=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON")  # fmt: skip
    configured(tmp_path / "auto", *hidden)
    cache = (tmp_path / "auto" / "build.ninja") if (tmp_path / "auto" / "build.ninja").exists() else (
        tmp_path / "auto" / "Makefile")  # fmt: skip
    assert "stridewise-analyze" not in cache.read_text(encoding="utf-8")
    done = subprocess.run(
        ["cmake", "-S", TOP, "-B", tmp_path / "on", *hidden, "-DSTRIDEWISE_ANALYZER=ON",
         f"-DPython3_EXECUTABLE={sys.executable}"],
        capture_output=True, text=True, check=False, env={**os.environ},
    )  # fmt: skip
    assert done.returncode != 0
    assert "Clang" in done.stderr
