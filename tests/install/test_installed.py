"""The command where it was installed: everything that a user does first."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from conftest import BUILD, MPIS, TOP, Installed, compiled, configured, execute, succeed


def test_nothing_is_missing_and_nothing_comes_from_the_checkout(installed: Installed) -> None:
    done = installed("doctor", "--format", "json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    groups = {group["name"]: group for group in said["groups"]}
    for name in ("stridewise", "lint", "compile", "mpi", "omp", "cache", "placement", "sharing"):
        assert groups[name]["works"], groups[name]
        assert all(check["ok"] for check in groups[name]["checks"]), groups[name]
    own = ("stridewise-", "interposer", "plugin", "module", "recorder", "rules", "pass")
    for check in (c for group in said["groups"] for c in group["checks"] if c["name"].startswith(own)):
        assert str(installed.prefix) in check["found"]
    assert str(BUILD) not in done.stdout
    assert str(TOP) + "/" not in done.stdout


def test_lint(installed: Installed, source: Path) -> None:
    flags = [word for word in succeed("mpicc.mpich", "-show").split() if word.startswith("-I")]
    done = installed("lint", "--format", "json", source, "--", "-O2", *flags)
    assert done.returncode == 0, done.stderr
    found = {finding["rule"]: finding["location"] for finding in json.loads(done.stdout)["findings"]}
    assert found["mem-strided-inner-loop"]["line"] == 10


@pytest.mark.parametrize("mpi", MPIS)
def test_run_and_report_pick_the_wrappers_of_the_program(installed: Installed, source: Path, mpi: str) -> None:
    program = compiled(source, mpi)
    run = installed("run", "--", f"mpirun.{mpi}", "-n", "2", program, folder=source.parent)
    assert run.returncode == 0, run.stderr
    assert "2 ranks" in run.stdout
    assert "rank 1 of 2" in run.stdout
    report = installed("report", "stridewise-out", "--all", "--format", "json", folder=source.parent)
    assert report.returncode == 0, report.stderr
    rules = {finding["rule"]: finding for finding in json.loads(report.stdout)["findings"]}
    assert rules["mpi-tiny-messages"]["location"]["line"] == 15
    log = " ".join(json.loads(report.stdout)["runs"][0]["details"])
    assert ("Open MPI" if mpi == "openmpi" else "MPICH") in log


def test_explain_and_rules(installed: Installed) -> None:
    done = installed("explain", "mpi-tiny-messages")
    assert done.returncode == 0
    assert "MPI_Send" in done.stdout
    rules = json.loads(installed("rules", "--format", "json").stdout)
    assert len(rules) == len(list((TOP / "rules").glob("*/rule.toml")))


def test_warnings_while_compiling(installed: Installed, source: Path) -> None:
    done = execute(
        ["stridewise-cc", "mpicc", "-O2", "-c", source, "-o", source.with_suffix(".o")], installed.environment,
        source.parent,
    )  # fmt: skip
    assert done.returncode == 0
    assert "program.c:10:5: warning: inner loop over 'i'" in done.stderr


def test_capture(installed: Installed, source: Path) -> None:
    (source.parent / "Makefile").write_text("program.o: program.c\n\tmpicc -c $<\n", encoding="utf-8")
    done = installed("capture", "--", "make", folder=source.parent)
    assert done.returncode == 0, done.stderr
    assert "called by name only" not in done.stderr
    assert len(json.loads((source.parent / "compile_commands.json").read_text(encoding="utf-8"))) == 1


def test_cmake_projects_find_the_package(installed: Installed, source: Path) -> None:
    (source.parent / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nfind_package(Stridewise REQUIRED)\n"
        'message(STATUS "launcher ${Stridewise_LAUNCHER}")\nadd_library(p OBJECT empty.c)\nstridewise_enable(p)\n',
        encoding="utf-8",
    )
    (source.parent / "empty.c").write_text("int nothing;\n", encoding="utf-8")
    said = succeed("cmake", "-S", source.parent, "-B", source.parent / "b", f"-DCMAKE_PREFIX_PATH={installed.prefix}")
    assert f"launcher {installed.prefix}/bin/stridewise-cc" in said


def test_manual_page_and_completions_are_where_shells_look(installed: Installed) -> None:
    for name in (
        "man/man1/stridewise.1", "bash-completion/completions/stridewise", "zsh/site-functions/_stridewise",
        "fish/vendor_completions.d/stridewise.fish",
    ):  # fmt: skip
        assert (installed.prefix / "share" / name).stat().st_size > 2000
    done = installed("completion", "bash")
    assert done.returncode == 0, done.stderr
    shipped = installed.prefix / "share/bash-completion/completions/stridewise"
    assert done.stdout == shipped.read_text(encoding="utf-8")


def test_a_link_to_the_command_finds_its_tree(tree: Installed, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sw").symlink_to(os.path.relpath(tree.prefix / "bin" / "stridewise", tmp_path / "bin"))
    done = execute([tmp_path / "bin" / "sw", "rules"], tree.environment, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mpi-tiny-messages" in done.stdout


def test_the_tree_names_no_place_where_it_was_made(tree: Installed) -> None:
    """Only debug lines of programs may, and these were stripped."""
    first = str(tree.prefix.parent / "first")
    for path in tree.prefix.rglob("*"):
        if path.is_file() and path.stat().st_size < 20 << 20:
            assert first.encode() not in path.read_bytes(), path


def test_python_that_is_too_old_says_so(tree: Installed, tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text(
        "#!/bin/sh\nshift\nexec python3 -c 'import sys\nclass V(tuple): pass\nsys.version_info = (3, 9)\n"
        'sys.version = "3.9.2 (fake)"\nimport runpy\nrunpy.run_path(sys.argv[1], run_name="__main__")\' "$@"\n',
        encoding="utf-8",
    )
    old.chmod(0o755)
    done = execute(["stridewise", "version"], {**tree.environment, "STRIDEWISE_PYTHON": str(old)}, tmp_path)
    assert done.returncode == 1
    assert re.search(r"needs Python 3.11 or newer, \S+ is 3\.9\.2", done.stderr)


def test_wheel_is_for_any_python_of_this_platform(wheel: Path) -> None:
    assert re.fullmatch(r"stridewise-[\d.]+-py3-none-linux_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        metadata = file.read(next(n for n in names if n.endswith("METADATA"))).decode()
    version = re.search(r'__version__ = "(.*)"', (TOP / "stridewise/__init__.py").read_text(encoding="utf-8"))
    assert version and f"\nVersion: {version[1]}\n" in metadata
    assert any(name.endswith("LICENSE") for name in names)
    assert not any("__pycache__" in name or "/cases/" in name for name in names)


def test_without_compiler_or_llvm_the_rest_is_installed(tmp_path: Path) -> None:
    """As on a machine that has neither: a wheel is told what it lacks, everything else is an error."""
    build = configured(tmp_path / "b", "-DSTRIDEWISE_NATIVE=OFF")
    succeed("cmake", "--build", build)
    succeed("cmake", "--install", build, "--prefix", tmp_path / "p")
    home = tmp_path / "home"
    home.mkdir()
    pure = Installed(tmp_path / "p", home)
    assert pure("explain", "mpi-tiny-messages").returncode == 0
    done = pure("doctor")
    assert done.returncode == 2
    assert "source: stridewise lint (does not work)" in done.stdout
    (home / "a.c").write_text("int a;\n", encoding="utf-8")
    done = pure("lint", "a.c", "--", "-O2")
    assert done.returncode == 2
    assert "this installation lacks the static half" in done.stderr
    assert "stridewise doctor" in done.stderr


def test_false_sharing_is_watched(installed: Installed, tmp_path: Path) -> None:
    """The launcher finds its pass and its library beside it, and the program that it links finds the library."""
    source = tmp_path / "shared.c"
    source.write_text(
        "int omp_get_thread_num(void);\nstatic volatile int count[2];\nint main(void) {\n"
        "#pragma omp parallel num_threads(2)\n  for (int i = 0; i < 100000; i++)\n"
        "    count[omp_get_thread_num()]++;\n  return 0;\n}\n",
        encoding="utf-8",
    )
    words: list[str | Path] = ["stridewise-share-cc", "-g", "-O1", "-fopenmp", source, "-o", tmp_path / "shared"]
    done = execute(words, installed.environment, tmp_path)
    assert done.returncode == 0, done.stderr
    done = installed("run", "--sharing", "--format", "json", "--", tmp_path / "shared", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    assert run["kind"] == "sharing"


def test_openmp_is_watched(installed: Installed, tmp_path: Path) -> None:
    """By a recorder whose path the loader's list cannot hold, in a program of GCC that runs on LLVM's library."""
    source = tmp_path / "team.c"
    source.write_text(
        "int main(void) {\n  double sum = 0;\n#pragma omp parallel for reduction(+ : sum) num_threads(2)\n"
        "  for (int i = 0; i < 1000; i++)\n    sum += i;\n  return sum < 0;\n}\n",
        encoding="utf-8",
    )
    succeed("gcc", "-g", "-O1", "-fopenmp", source, "-o", tmp_path / "team")
    done = installed("run", "--omp", "--format", "json", "--", tmp_path / "team", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [run["kind"] for run in json.loads(done.stdout)["runs"]] == ["omp"]


def test_the_analyser_needs_nothing_of_the_machine(installed: Installed, tmp_path: Path) -> None:
    """In a root folder that holds what is installed and a source file: no C library, no clang, no headers of either."""
    root = tmp_path / "root"
    for name in ("stridewise-analyze", "stridewise-merge", "stridewise-cc"):
        program = installed.prefix / "bin" / name
        assert "NEEDED" not in succeed("objdump", "-p", program), name
    for part in ("bin/stridewise-analyze", "lib/stridewise/clang"):
        (root / part).parent.mkdir(parents=True, exist_ok=True)
        succeed("cp", "-r", installed.prefix / part, root / part)
    (root / "rows.c").write_text(
        "#include <stddef.h>\ndouble f(size_t n, double a[n][n]) {\n  double s = 0;\n  for (size_t j = 0; j < n; j++)\n"
        "    for (size_t i = 0; i < n; i++)\n      s += a[i][j];\n  return s;\n}\n",
        encoding="utf-8",
    )
    inside = ("unshare", "--map-root-user", "chroot", root)
    if subprocess.run([*inside, "/bin/stridewise-analyze", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody change the root folder")
    said = json.loads(succeed(*inside, "/bin/stridewise-analyze", "/rows.c", "--", "-O2"))
    assert [f["rule"] for f in said["findings"] if f["confidence"] != "low"] == ["mem-strided-inner-loop"]
    assert said["diagnostics"] == []
