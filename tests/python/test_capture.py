from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main
from stridewise.collect.capture import Recorded, to_entries
from stridewise.settings import toolchain

TOP = Path(__file__).resolve().parents[2]
MAKEFILE = """
CC = {compiler}
all: app two
app: a.o b.o
\t$(CC) -o $@ $^
a.o: a.c
\t$(CC) -O2 -DNAME='"a b"' -c a.c
b.o: sub/b.c
\tcd sub && $(CC) -O1 -c b.c -o ../b.o
two: a.c sub/b.c
\t$(CC) -O3 -o two a.c sub/b.c
"""

pytestmark = pytest.mark.skipif(
    shutil.which("make") is None or shutil.which("gcc") is None, reason="needs make and gcc"
)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("prefix") / "lib" / "libstridewise_capture.so"
    out.parent.mkdir()
    source = TOP / "runtime" / "capture" / "capture.c"
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-o", out, source, "-ldl"], check=True)
    return out


@pytest.fixture(params=["library", "stand-ins"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, library: Path) -> str:
    """Both ways of recording."""
    found = library if request.param == "library" else None
    monkeypatch.setattr(toolchain, "library", lambda name, flavour="": found)
    return str(request.param)


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def make(compiler: str) -> Path:
        root = tmp_path / "p"
        (root / "sub").mkdir(parents=True, exist_ok=True)
        (root / "Makefile").write_text(MAKEFILE.format(compiler=compiler))
        (root / "a.c").write_text("int b(void); int main(void) { return b(); }\n")
        (root / "sub" / "b.c").write_text("int b(void) { return 0; }\n")
        monkeypatch.chdir(root)
        return root

    return make


def database(root: Path) -> list[dict[str, Any]]:
    value = json.loads((root / "compile_commands.json").read_text())
    assert isinstance(value, list)
    return value


def test_a_makefile_project(way: str, build: Callable[[str], Path]) -> None:
    root = build("gcc")
    assert main(["capture", "--", "make"]) == 0
    assert (root / "app").exists()
    found = {(e["file"], e["directory"], next(a for a in e["arguments"] if a.startswith("-O"))) for e in database(root)}
    assert found == {
        (f"{root}/a.c", f"{root}", "-O2"),
        (f"{root}/sub/b.c", f"{root}/sub", "-O1"),
        (f"{root}/a.c", f"{root}", "-O3"),
        (f"{root}/sub/b.c", f"{root}", "-O3"),
    }
    first = next(e for e in database(root) if "-O2" in e["arguments"])
    assert '-DNAME="a b"' in first["arguments"]
    both = [e for e in database(root) if "-O3" in e["arguments"]]
    assert all(sum(a.endswith(".c") for a in e["arguments"]) == 1 for e in both)


def test_an_absolute_compiler(library: Path, monkeypatch: pytest.MonkeyPatch, build: Callable[[str], Path]) -> None:
    monkeypatch.setattr(toolchain, "library", lambda name, flavour="": library)
    root = build(str(shutil.which("gcc")))
    assert main(["capture", "--", "make", "-j2"]) == 0
    assert len(database(root)) == 4


@pytest.mark.skipif(shutil.which("mpicc") is None, reason="needs mpicc")
def test_a_wrapper_is_recorded_and_not_what_it_runs(way: str, build: Callable[[str], Path]) -> None:
    root = build("mpicc")
    assert main(["capture", "--", "make"]) == 0
    assert len(database(root)) == 4
    assert {Path(e["arguments"][0]).name for e in database(root)} == {"mpicc"}


def has_debug_lines(path: Path) -> bool:
    return b".debug_line" in path.read_bytes()


@pytest.mark.parametrize("compiler", ["gcc", "mpicc"])
def test_debug_lines_are_added_and_not_recorded(way: str, build: Callable[[str], Path], compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    root = build(compiler)
    assert main(["capture", "--debug-lines", "--", "make"]) == 0
    assert has_debug_lines(root / "app") and has_debug_lines(root / "a.o")
    assert not any("-g" in e["arguments"] for e in database(root))
    assert main(["capture", "--", "make", "-B"]) == 0
    assert not has_debug_lines(root / "a.o")


def test_behind_a_cache_nothing_is_added(
    way: str, build: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it keeps, another build would get."""
    cache = tmp_path / "bin" / "ccache"
    cache.parent.mkdir()
    cache.write_text('#!/bin/sh\nexec "$@"\n')
    cache.chmod(0o755)
    monkeypatch.setenv("PATH", f"{cache.parent}{os.pathsep}{os.environ['PATH']}")
    root = build("ccache gcc")
    assert main(["capture", "--debug-lines", "--", "make"]) == 0
    assert not has_debug_lines(root / "a.o")
    assert len(database(root)) == 4


def test_other_tools_of_a_compiler_are_left_alone(way: str, build: Callable[[str], Path]) -> None:
    if shutil.which("gcc-ar") is None:
        pytest.skip("needs gcc-ar")
    root = build("gcc")
    command = "gcc -c a.c && gcc-ar rcs liba.a a.o && gcc-nm liba.a > names"
    assert main(["capture", "--debug-lines", "--", "sh", "-c", command]) == 0
    assert (root / "liba.a").exists() and "main" in (root / "names").read_text()


def test_the_status_of_the_build_is_kept(way: str, build: Callable[[str], Path]) -> None:
    root = build("gcc")
    (root / "sub" / "b.c").write_text("not C\n")
    assert main(["capture", "--", "make", "-k"]) == 2
    assert len(database(root)) > 0
    assert main(["capture", "--", "sh", "-c", "exit 7"]) == 7
    assert main(["capture", "--", "sh", "-c", "kill -9 $$"]) == 137


def test_nothing_compiled_is_an_error_and_keeps_the_database(
    way: str, build: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root = build("gcc")
    (root / "compile_commands.json").write_text("[]")
    assert main(["capture", "--", "true"]) == 2
    assert "make clean" in capsys.readouterr().err
    assert database(root) == []


def test_a_second_build_is_merged(way: str, build: Callable[[str], Path]) -> None:
    root = build("gcc")
    (root / "old.c").write_text("")
    old = [{"directory": str(root), "file": name, "command": f"gcc -c {name}"} for name in ("old.c", "gone.c")]
    (root / "compile_commands.json").write_text(json.dumps(old))
    assert main(["capture", "--", "make", "app"]) == 0
    (root / "a.c").touch()
    os.utime(root / "a.c", (2e9, 2e9))
    assert main(["capture", "--", "make", "app", "CC=gcc -DAGAIN"]) == 0
    found = {Path(e["file"]).name: e for e in database(root)}
    assert sorted(found) == ["a.c", "b.c", "old.c"]
    assert len(database(root)) == 3
    assert "-DAGAIN" in found["a.c"]["arguments"]
    assert "-DAGAIN" not in found["b.c"]["arguments"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["capture"], "no command given"),
        (["capture", "--"], "no command given"),
        (["capture", "--", "/nowhere/make"], "cannot start /nowhere/make"),
        (["capture", "-o", "no/such/folder/x.json", "--", "true"], "no folder"),
    ],
)
def test_what_cannot_start(
    way: str, build: Callable[[str], Path], capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    build("gcc")
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_a_foreign_file_is_not_overwritten(way: str, build: Callable[[str], Path]) -> None:
    root = build("gcc")
    (root / "compile_commands.json").write_text("precious")
    assert main(["capture", "--", "make"]) == 2
    assert (root / "compile_commands.json").read_text() == "precious"


def test_commands_that_compile_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("")
    (tmp_path / "a.f90").write_text("")
    (tmp_path / "args.rsp").write_text("-DX a.c")

    def record(*words: str) -> Recorded:
        return Recorded(str(tmp_path), words[0], words[1:])

    silent = [
        record("gcc", "-E", "a.c"),
        record("gcc", "-MM", "a.c"),
        record("gcc", "--version"),
        record("gcc", "-o", "app", "a.o"),
        record("gcc-ar", "q", "a.c"),
        record("ccache", "-s"),
        record("gcc", "-c", "@missing.rsp"),
    ]
    assert to_entries(silent) == ([], 0)
    assert to_entries([record("gcc", "-c", "conftest.c")]) == ([], 1)
    (entry,), _ = to_entries([record("gcc", "-c", "@args.rsp")])
    assert entry["file"] == str(tmp_path / "a.c")


@pytest.mark.parametrize("compiler", ["gcc", "gfortran-12", "mpif90.openmpi", "/opt/nvidia/nvfortran", "ftn"])
def test_fortran_is_recorded(tmp_path: Path, compiler: str) -> None:
    (tmp_path / "a.f90").write_text("")
    (tmp_path / "a.c").write_text("")
    (entry,), _ = to_entries([Recorded(str(tmp_path), compiler, ("-c", "a.f90"))])
    assert entry["file"] == str(tmp_path / "a.f90")
    of_c = to_entries([Recorded(str(tmp_path), compiler, ("-c", "a.c"))])[0]
    assert len(of_c) == (compiler == "gcc")  # what a compiler of Fortran makes of C is nothing to go by


def test_what_a_configuration_step_tried_in_a_folder_that_is_gone_is_no_unit(tmp_path: Path) -> None:
    source = tmp_path / "installed" / "probe.c"
    source.parent.mkdir()
    source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    here, gone = tmp_path / "here", tmp_path / "gone"
    here.mkdir()
    recorded = [Recorded(str(folder), "/usr/bin/gcc", ("-c", str(source))) for folder in (here, gone)]
    entries, left_out = to_entries(recorded)
    assert ([entry["directory"] for entry in entries], left_out) == ([str(here)], 1)


def test_the_library_covers_every_way_to_start_a_program(library: Path, tmp_path: Path) -> None:
    program = tmp_path / "start.c"
    program.write_text(
        r"""
        #define _GNU_SOURCE
        #include <spawn.h>
        #include <string.h>
        #include <sys/wait.h>
        #include <unistd.h>
        extern char **environ;
        int main(int n, char **v) {
          char *args[] = {"gcc", "-c", v[2], 0};
          pid_t p;
          const char *gcc = "/usr/bin/gcc";
          if (!strcmp(v[1], "spawn")) return posix_spawn(&p, gcc, 0, 0, args, environ) || waitpid(p, 0, 0) < 0;
          if (!strcmp(v[1], "spawnp")) return posix_spawnp(&p, "gcc", 0, 0, args, environ) || waitpid(p, 0, 0) < 0;
          if (!strcmp(v[1], "execv")) execv("/usr/bin/gcc", args);
          if (!strcmp(v[1], "execvp")) execvp("gcc", args);
          if (!strcmp(v[1], "execvpe")) execvpe("gcc", args, environ);
          if (!strcmp(v[1], "execve")) execve("/usr/bin/gcc", args, environ);
          if (!strcmp(v[1], "execl")) execl("/usr/bin/gcc", "gcc", "-c", v[2], (char *)0);
          if (!strcmp(v[1], "execlp")) execlp("gcc", "gcc", "-c", v[2], (char *)0);
          if (!strcmp(v[1], "execle")) execle("/usr/bin/gcc", "gcc", "-c", v[2], (char *)0, environ);
          if (!strcmp(v[1], "vfork")) {
            if (!(p = vfork())) { execv("/usr/bin/gcc", args); _exit(1); }
            return waitpid(p, 0, 0) < 0;
          }
          return 9;
        }
        """
    )
    subprocess.run(["gcc", "-w", "-o", tmp_path / "start", program], check=True)
    (tmp_path / "x.c").write_text("int x;\n")
    if not os.access("/usr/bin/gcc", os.X_OK):
        pytest.skip("gcc is elsewhere")
    for way in ("spawn", "spawnp", "execv", "execvp", "execvpe", "execve", "execl", "execlp", "execle", "vfork"):
        records = tmp_path / f"records-{way}"
        records.mkdir()
        environment = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "STRIDEWISE_CAPTURE_DIR": str(records),
            "STRIDEWISE_CAPTURE_NAMES": "cc gcc",
        }
        done = subprocess.run([tmp_path / "start", way, "x.c"], env=environment, cwd=tmp_path, check=False)
        assert done.returncode == 0, way
        (tmp_path / "x.o").unlink()
        (written,) = records.iterdir()
        words = written.read_bytes().split(b"\0")[:-1]
        assert words[0] == os.fsencode(tmp_path), way
        assert words[2:] == [b"gcc", b"-c", b"x.c"], way
