"""stridewise-cc: compiles as before, then warns. The launcher is built anew, the analyser is the stand-in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from stridewise.runs.sharing.watcher import is_instrumented
from stridewise.settings import toolchain

TOP = Path(__file__).resolve().parents[2]
SLOW = "// @finding mem-struct-padding\nint g(void);\nint f(int x) { return x + 1; }\n"
WARNING = "a.c:2:1: warning: something is slow [-Wstridewise-mem-struct-padding]\n"
Script = Callable[[str, str], Path]
Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")


@pytest.fixture(scope="session")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("launcher") / "stridewise-cc"
    source = TOP / "analyzer" / "hosts" / "launcher" / "stridewise-cc.c"
    words = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", '-DSTRIDEWISE_VERSION="0"', "-o", str(out), str(source)]
    subprocess.run(words, check=True)
    return out


@pytest.fixture
def run(launcher: Path, fake_analyzer: Path, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line in tmp_path/src, `cc` standing for the launcher."""
    folder = tmp_path / "src"
    folder.mkdir()
    monkeypatch.chdir(folder)
    command = script("stridewise", f'#!/bin/sh\nPYTHONPATH={TOP} exec {sys.executable} -m stridewise "$@"\n')
    monkeypatch.setenv("STRIDEWISE_COMMAND", str(command))
    (folder / "a.c").write_text(SLOW)

    def call(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        full = [str(launcher) if word == "cc" else word for word in words]
        return subprocess.run(
            full, capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **environment}
        )

    return call


@pytest.mark.parametrize("compiler", ["gcc", "g++", "clang-19", "clang", "mpicc", "mpicxx"])
def test_the_object_is_the_same_and_the_warning_appears(run: Run, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    words = [compiler, "-O2", "-c", "a.c", "-o", "a.o"]
    plain = run(*words)
    assert plain.returncode == 0, plain.stderr
    before = Path("a.o").read_bytes()
    Path("a.o").unlink()
    done = run("cc", *words)
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.startswith(plain.stderr)
    assert WARNING in done.stderr
    assert "    2 | int g(void);\n      | ^~~\n" in done.stderr
    assert "a.c:2:1: note: make it fast\n" in done.stderr
    assert Path("a.o").read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ["-E", "a.c"],
        ["-M", "a.c"],
        ["-MM", "a.c"],
        ["--version"],
        ["-print-search-dirs"],
        ["a.o", "-o", "a.out"],
        ["-c", "conftest.c"],
        ["-c", "nowhere.c"],
        ["-c", "bad.c"],
        ["-c", "warns.c", "-Wall"],
        ["-no-such-option"],
        [],
    ],
)
def test_everything_else_is_the_compiler_alone(run: Run, words: list[str]) -> None:
    Path("main.c").write_text("int main(void) { return 0; }\n")
    Path("conftest.c").write_text(SLOW)
    Path("bad.c").write_text("// @finding mem-struct-padding\nint f( {\n")
    Path("warns.c").write_text("static int unused;\n")
    assert run("gcc", "-c", "main.c", "-o", "a.o").returncode == 0
    plain, done = run("gcc", *words), run("cc", "gcc", *words)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_several_sources_and_a_link(run: Run) -> None:
    Path("main.c").write_text("int f(int);\n// @finding mpi-tiny-messages\nint main(void) { return f(-1); }\n")
    done = run("cc", "gcc", "a.c", "main.c", "-o", "app")
    assert done.returncode == 0
    assert "a.c:2:1: warning:" in done.stderr
    assert "main.c:3:1: warning:" in done.stderr
    assert run("./app").returncode == 0


def test_response_files_folders_and_wrappers(run: Run, script: Script) -> None:
    Path("sub").mkdir()
    Path("sub/b.c").write_text(SLOW)
    Path("words.rsp").write_text('-c "sub/b.c" -o b.o\n')
    ccache = script("ccache", '#!/bin/sh\nexec "$@"\n')
    for words in (["gcc", "@words.rsp"], [str(ccache), "gcc", "-c", "sub/b.c", "-o", "b.o"],
                  ["gcc", "-c", str(Path("sub/b.c").absolute()), "-o", "b.o"]):  # fmt: skip
        done = run("cc", *words)
        assert done.returncode == 0
        assert "sub/b.c:2:1: warning: something is slow" in done.stderr
        assert Path("b.o").is_file()
    assert run("cc", "sh", "-c", "exit 3").returncode == 3


def test_the_analysis_runs_once_where_launchers_nest(run: Run, launcher: Path, script: Script) -> None:
    ccache = script("ccache", '#!/bin/sh\nexec "$@"\n')
    done = run("cc", str(ccache), str(launcher), "gcc", "-c", "a.c")
    assert done.returncode == 0
    assert done.stderr.count("warning:") == 1


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"STRIDEWISE_CC_DISABLE": "1"}, ""),
        ({"STRIDEWISE_CC_DISABLE": "0"}, "warning"),
        ({"STRIDEWISE_COMMAND": "/nowhere/stridewise"}, "the command 'stridewise' was not found"),
        ({"STRIDEWISE_ANALYZE": "/nowhere/analyze"}, "nothing was analysed: STRIDEWISE_ANALYZE names /nowhere/analyze"),
        ({"STRIDEWISE_RULES": "/nowhere"}, "nothing was analysed: no rules at /nowhere"),
        ({"STRIDEWISE_CC_TIMEOUT": "x"}, "nothing was analysed"),
    ],
)
def test_the_build_never_notices(run: Run, environment: dict[str, str], said: str) -> None:
    done = run("cc", "gcc", "-c", "a.c", **environment)
    assert (done.returncode, done.stdout) == (0, "")
    assert said in done.stderr
    assert bool(done.stderr) == bool(said)
    assert len(done.stderr.splitlines()) <= (1 if "note" in done.stderr.split("\n")[0] else 5)
    assert Path("a.o").is_file()


@pytest.mark.parametrize(
    ("directive", "why"), [("@crash", "SIGSEGV"), ("@spin", "longer than"), ("@garbage", "unread")]
)
def test_an_analyser_that_breaks_is_one_note(run: Run, directive: str, why: str) -> None:
    Path("a.c").write_text(f"// {directive}\nint g(void);\n")
    done = run("cc", "gcc", "-c", "a.c", STRIDEWISE_CC_TIMEOUT="1")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("stridewise-cc: note: a.c was not analysed: ")
    assert why in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_options_and_configuration(run: Run) -> None:
    Path("a.c").write_text(SLOW.replace("padding", "padding low"))
    assert run("cc", "gcc", "-c", "a.c").stderr == ""
    assert WARNING in run("cc", "--min-confidence=low", "gcc", "-c", "a.c").stderr
    Path("a.c").write_text(SLOW)
    assert run("cc", "--rules=mpi-*", "gcc", "-c", "a.c").stderr == ""
    assert WARNING in run("cc", "--rules=mem-*", "--", "gcc", "-c", "a.c").stderr
    Path(".stridewise.toml").write_text('rules = ["-mem-struct-padding"]\n')
    assert run("cc", "gcc", "-c", "a.c").stderr == ""
    Path(".stridewise.toml").write_text("nonsense = 1\n")
    done = run("cc", "gcc", "-c", "a.c")
    assert done.returncode == 0
    assert "unknown setting 'nonsense'" in done.stderr


def test_fail_on_fails_as_a_compiler_does(run: Run) -> None:
    done = run("cc", "--fail-on=warning", "gcc", "-c", "a.c", "-o", "a.o")
    assert done.returncode == 1
    assert WARNING in done.stderr
    assert not Path("a.o").exists()
    assert run("cc", "--fail-on=error", "gcc", "-c", "a.c", "-o", "a.o").returncode == 0
    assert Path("a.o").exists()


def listed() -> set[str]:
    return {path.name for path in Path().iterdir()}


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("-c a.c", "a.c b.c"),
        ("-c a.c b.c", "a.c b.c"),
        ("-MD -c a.c", "a.c b.c"),
        ("a.c b.c", "a.c b.c"),
        ("-MMD a.c b.c -o program", "a.c b.c"),
        ("-S a.c", "a.c b.c"),
        ("@words", "a.c b.c words"),
    ],
)
def test_what_fails_leaves_nothing_that_make_takes_for_done(run: Run, words: str, left: str) -> None:
    Path("b.c").write_text("int main(void) { return 0; }\n")
    if "words" in left:
        Path("words").write_text("-c a.c -o a.o")
    assert run("gcc", *words.split()).returncode == 0
    assert listed() > set(left.split()), "the compiler alone writes something"
    done = run("cc", "--fail-on=warning", "gcc", *words.split())
    assert done.returncode == 1
    assert listed() == set(left.split())
    assert run("cc", "gcc", *words.split()).returncode == 0
    assert listed() > set(left.split()), "without --fail-on nothing is taken away"


def test_a_second_make_fails_as_the_first(run: Run, launcher: Path) -> None:
    Path("Makefile").write_text("a.o: a.c\n\t$(CC) -c a.c\n")
    for _ in range(2):
        done = run("make", f"CC={launcher} --fail-on=warning gcc")
        assert done.returncode == 2
        assert WARNING in done.stderr


def test_misuse_and_missing_compilers(run: Run) -> None:
    assert run("cc").returncode == 2
    assert "usage: stridewise-cc" in run("cc", "--help").stdout
    assert run("cc", "no-such-compiler", "-c", "a.c").returncode == 127
    Path("folder").mkdir()
    assert run("cc", "./folder", "-c", "a.c").returncode == 126
    assert "unknown option" in run("cc", "--nonsense=1", "gcc", "-c", "a.c").stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_a_compiler_that_is_killed(run: Run, script: Script, number: signal.Signals) -> None:
    compiler = script("gcc-99", f"#!/bin/sh\nkill -{int(number)} $$\n")
    assert run("cc", str(compiler), "-c", "a.c").returncode == -number


def test_a_launcher_that_is_killed_takes_the_compiler_along(launcher: Path, script: Script, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    compiler = script(
        "gcc-99", f"#!/bin/sh\ntrap 'echo stopped > {mark}; exit 1' TERM\ntouch {mark}.on\nsleep 30 & wait\n"
    )
    process = subprocess.Popen([launcher, compiler, "-c", "a.c"])
    while not (tmp_path / "mark.on").exists():
        time.sleep(0.01)
    process.terminate()
    assert process.wait(300) == 1
    assert mark.read_text() == "stopped\n"


def test_foreign_text_is_harmless(run: Run) -> None:
    Path("a.c").write_text("// @finding mem-struct-padding\nint \x1b[31m;\n".replace("int", "/*") + "*/ int x;\n")
    done = run("cc", "gcc", "-c", "a.c")
    assert "\x1b" not in done.stderr
    assert "\\x1b" in done.stderr


def test_make_with_the_launcher_as_part_of_the_compiler(run: Run, launcher: Path) -> None:
    Path("Makefile").write_text("CC = gcc\nb.o: a.c\n\t$(CC) -O2 -c $< -o $@\n")
    done = run("make", f"CC={launcher} gcc")
    assert done.returncode == 0
    assert WARNING in done.stderr


def cmake(run: Run, lists: str, build: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    package = next((p for p in toolchain.prefixes() if (p / "StridewiseConfig.cmake").is_file()), None)
    if package is None or shutil.which("cmake") is None or not (package / "bin" / "stridewise-cc").is_file():
        pytest.skip("the launcher is not built")
    Path("CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(demo C)\nfind_package(Stridewise REQUIRED)\n"
        "add_library(slow STATIC a.c)\nadd_library(quiet STATIC b.c)\n" + lists
    )
    Path("b.c").write_text(SLOW)
    done = run("cmake", "-S", ".", "-B", "out", f"-DStridewise_DIR={package}", "-DCMAKE_C_COMPILER=gcc", *build)
    return run("cmake", "--build", "out") if done.returncode == 0 else done


def test_cmake_warns_for_the_targets_that_ask_for_it(run: Run, script: Script) -> None:
    done = cmake(run, "stridewise_enable(slow RULES mem-* -mem-strided-*)\n")
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "a.c:2:1: warning: something is slow [-Wstridewise-mem-struct-padding]" in said
    assert "b.c:2:1" not in said


def test_cmake_keeps_ccache_and_can_fail(run: Run, script: Script, tmp_path: Path) -> None:
    log = tmp_path / "log"
    ccache = script("ccache", f'#!/bin/sh\necho called >> {log}\nexec "$@"\n')
    done = cmake(run, "stridewise_enable(slow FAIL_ON warning)\n", [f"-DCMAKE_C_COMPILER_LAUNCHER={ccache}"])
    assert done.returncode != 0
    assert "something is slow" in done.stdout + done.stderr
    assert "called" in log.read_text()


@pytest.mark.parametrize("arguments", ["nobody", "slow FAIL_ON never", "slow NONSENSE", "slow MIN_CONFIDENCE sure"])
def test_cmake_misuse_is_said(run: Run, arguments: str) -> None:
    done = cmake(run, f"stridewise_enable({arguments})\n")
    assert done.returncode != 0
    assert "stridewise_enable" in done.stderr


KERNEL = """#include <omp.h>
static long slots[8];
void count(long n) {
#pragma omp parallel num_threads(2)
  for (long i = 0; i < n; i++)
    *(volatile long *)&slots[omp_get_thread_num()] += 1;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_cmake_builds_targets_for_sharing_runs(run: Run, compiler: str) -> None:
    package = next((p for p in toolchain.prefixes() if (p / "StridewiseConfig.cmake").is_file()), None)
    if package is None or shutil.which("cmake") is None or not (package / "bin" / "stridewise-share-cc").is_file():
        pytest.skip("the compiler pass is not built")
    Path("CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(demo C)\nfind_package(Stridewise REQUIRED)\n"
        "add_library(kernel STATIC kernel.c)\nadd_executable(program main.c)\nadd_executable(plain main.c kernel.c)\n"
        "target_compile_options(kernel PRIVATE -fopenmp)\ntarget_compile_options(plain PRIVATE -fopenmp)\n"
        "target_link_options(program PRIVATE -fopenmp)\ntarget_link_options(plain PRIVATE -fopenmp)\n"
        "target_link_libraries(program kernel)\n"
        "stridewise_enable(kernel SHARING)\nstridewise_enable(program SHARING)\n"
    )
    Path("kernel.c").write_text(KERNEL)
    Path("main.c").write_text("void count(long n);\nint main(void) { count(100000); return 0; }\n")
    done = run("cmake", "-S", ".", "-B", "out", f"-DStridewise_DIR={package}", f"-DCMAKE_C_COMPILER={compiler}")
    assert done.returncode == 0, done.stderr
    done = run("cmake", "--build", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert is_instrumented(Path("out/program").absolute())
    assert not is_instrumented(Path("out/plain").absolute())
    assert run("out/program").returncode == 0


def test_cmake_sharing_takes_no_other_keyword(run: Run) -> None:
    done = cmake(run, "stridewise_enable(slow SHARING RULES mem-*)\n")
    assert done.returncode != 0
    assert "SHARING reports nothing" in done.stderr
