"""Plain Makefiles and other builds without a compile database (docs/howto/makefiles.md)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import STRIDED, Done, Tool, entries, findings

Write = Callable[[Path, Mapping[str, str]], Path]

# Recursive, with a folder that is entered, a compiler by relative and by absolute path, and a generated header.
RECURSIVE = {
    "Makefile": """CC = gcc
.PHONY: lib
all: lib app
lib:
\t$(MAKE) -C lib CC="$(CC)"
app: config.h main.o lib
\t$(CC) -o app main.o lib/k.o
main.o: main.c config.h
\t$(CC) -O2 -c main.c
config.h:
\techo '#define SIZE 64' > $@
""",
    "lib/Makefile": "k.o: src/k.c\n\tcd src && $(CC) -O2 -I../include -c k.c -o ../k.o\n",
    "lib/src/k.c": '#include "k.h"\n' + STRIDED,
    "lib/include/k.h": "void sum(double *, const double *, int);\n",
    "main.c": '#include "config.h"\nvoid sum(double *, const double *, int);\n'
    "int main(void) { static double a[SIZE * SIZE]; sum(a, a, SIZE); return 0; }\n",
}
LOOP = ("mem-strided-inner-loop", "lib/src/k.c", 4)

CALLS = "void sum(double *, const double *, int);\nint main(void) { double a[4] = {0}; sum(a, a, 2); return 0; }\n"


def capture(tool: Tool, root: Path, *words: str, env: Mapping[str, str] | None = None) -> Done:
    done = tool("capture", *words, cwd=root, env=env)
    assert done.status == 0, done.said
    return done


@pytest.mark.parametrize(
    "words",
    [
        ("make",),
        ("make", "-j4"),
        ("make", f"CC={shutil.which('gcc')}"),
        ("make", "CC=mpicc"),
        ("make", "CC=ccache gcc"),
    ],
    ids=" ".join,
)
def test_a_recursive_makefile(tool: Tool, tmp_path: Path, write: Write, words: tuple[str, ...]) -> None:
    root = write(tmp_path / "app", RECURSIVE)
    capture(tool, root, "--", *words, env={"CCACHE_DIR": str(tmp_path / "ccache")})
    assert sorted(Path(str(e["file"])).name for e in entries(root)) == ["k.c", "main.c"]
    done = tool("lint", "--format", "json", cwd=root)
    assert done.status == 0, done.said
    assert findings(done.out) == [LOOP]


def test_a_folder_of_ccache_in_front_of_path(tool: Tool, tmp_path: Path, write: Write) -> None:
    """A second build, for which ccache runs no compiler, is recorded all the same."""
    root = write(tmp_path / "app", RECURSIVE)
    masquerade = tmp_path / "ccache-bin"
    masquerade.mkdir()
    (masquerade / "gcc").symlink_to(str(shutil.which("ccache")))
    env = {"PATH": f"{masquerade}:{os.environ['PATH']}", "CCACHE_DIR": str(tmp_path / "ccache")}
    for _ in range(2):
        shutil.rmtree(root)
        write(root, RECURSIVE)
        capture(tool, root, "--", "make", env=env)
        assert len(entries(root)) == 2
    assert findings(tool("lint", "--format", "json", cwd=root, env=env).out) == [LOOP]


def test_a_compiler_by_a_relative_path(tool: Tool, tmp_path: Path, write: Write) -> None:
    """A script in the checkout: its commands are recorded, and it is never run by lint."""
    script = '#!/bin/sh\necho ran >> $(dirname $0)/ran\nexec gcc "$@"\n'
    root = write(tmp_path / "app", {**RECURSIVE, "tools/gcc": script})
    capture(tool, root, "--", "make", f"CC={root}/lib/../tools/gcc")
    assert len(entries(root)) == 2
    ran = (root / "tools" / "ran").read_text()
    done = tool("lint", "--format", "json", cwd=root)
    assert findings(done.out) == [LOOP]
    assert (root / "tools" / "ran").read_text() == ran
    assert "lies inside the project and is not run" in tool("lint", "--no-cache", cwd=root).said


def test_a_partial_rebuild_keeps_the_other_entries(tool: Tool, tmp_path: Path, write: Write) -> None:
    root = write(tmp_path / "app", RECURSIVE)
    capture(tool, root, "--", "make")
    os.utime(root / "main.c", (4e9, 4e9))
    done = capture(tool, root, "--", "make", "CC=gcc -DAGAIN")
    assert "1 entries recorded, 2 in all" in done.said or "1 entry recorded, 2 in all" in done.said
    found = {Path(str(e["file"])).name: e["arguments"] for e in entries(root)}
    assert "-DAGAIN" in found["main.c"]
    assert "-DAGAIN" not in found["k.c"]


def test_libtool_s_two_objects_of_a_source_are_one_entry(tool: Tool, tmp_path: Path, write: Write) -> None:
    makefile = "all:\n\tlibtool --tag=CC --mode=compile gcc -O2 -c k.c -o k.lo\n"
    root = write(tmp_path / "lib", {"Makefile": makefile, "k.c": STRIDED})
    capture(tool, root, "--", "make")
    (entry,) = entries(root)
    assert "-DPIC" not in entry["arguments"]
    assert findings(tool("lint", "--format", "json", cwd=root).out) == [("mem-strided-inner-loop", "k.c", 3)]


def test_response_files_that_the_build_deletes(tool: Tool, tmp_path: Path, write: Write) -> None:
    makefile = 'k.o: k.c\n\techo \'-O2 "-DTEXT=\\"a b\\""\' > args.rsp\n\tgcc @args.rsp -c k.c\n\trm args.rsp\n'
    for words in ((), ("--stand-ins",)):
        root = write(tmp_path / f"lib{len(words)}", {"Makefile": makefile, "k.c": STRIDED})
        capture(tool, root, *words, "--", "make")
        assert not (root / "args.rsp").exists()
        (entry,) = entries(root)
        assert entry["arguments"][1:] == ["-O2", '-DTEXT="a b"', "-c", "k.c"]


@pytest.fixture
def static_shell(tmp_path: Path) -> Path:
    """A build tool into which nothing can be preloaded."""
    source = tmp_path / "tool.c"
    source.write_text(
        """#include <sys/wait.h>
#include <unistd.h>
int main(int n, char **words) {
  int status;
  if (n < 2) return 9;
  if (!fork()) { execvp(words[1], words + 1); _exit(127); }
  wait(&status);
  return WEXITSTATUS(status);
}
"""
    )
    program = tmp_path / "static-make"
    subprocess.run(["gcc", "-O1", "-static", source, "-o", program], check=True)
    return program


def test_a_static_build_tool(tool: Tool, tmp_path: Path, write: Write, static_shell: Path) -> None:
    root = write(tmp_path / "lib", {"k.c": STRIDED})
    done = capture(tool, root, "--", str(static_shell), "gcc", "-O2", "-c", "k.c")
    assert "compilers that are called by name only" in done.err
    (entry,) = entries(root)
    assert Path(str(entry["arguments"][0])) == Path(str(shutil.which("gcc")))


def test_a_source_that_includes_sources(tool: Tool, tmp_path: Path, write: Write) -> None:
    """A unity build by hand, beside a build of the single file: one finding, at the real file."""
    makefile = "all:\n\tgcc -O2 -c all.c\n\tgcc -O2 -c src/k.c\n\tgcc -O2 -c src/m.c\n"
    other = STRIDED.replace("sum", "add")
    files = {"Makefile": makefile, "all.c": '#include "src/k.c"\n#include "src/m.c"\n', "src/k.c": STRIDED}
    root = write(tmp_path / "app", {**files, "src/m.c": other})
    capture(tool, root, "--", "make")
    done = tool("lint", "--format", "json", cwd=root)
    assert sorted(findings(done.out)) == [("mem-strided-inner-loop", f"src/{name}.c", 3) for name in ("k", "m")]


def test_sources_that_the_build_generates_and_keeps(tool: Tool, tmp_path: Path, write: Write) -> None:
    makefile = """all: kept.o
%.o: %.c
\tgcc -O2 -c $<
kept.c: k.in
\tcp k.in kept.c
\tcp k.in gone.c
\tgcc -c gone.c
\trm gone.c
"""
    root = write(tmp_path / "lib", {"Makefile": makefile, "k.in": STRIDED})
    done = capture(tool, root, "--", "make")
    assert [Path(str(e["file"])).name for e in entries(root)] == ["kept.c"]
    assert "1 of files or folders that are gone were left out" in done.err


def test_autotools_and_configure_s_own_trials(tool: Tool, tmp_path: Path, write: Write) -> None:
    files = {
        "configure.ac": """AC_INIT([app],[1])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AC_CONFIG_HEADERS([config.h])
AC_CHECK_FUNCS([sqrt])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
""",
        "Makefile.am": "bin_PROGRAMS = app\napp_SOURCES = src/k.c src/main.c\n",
        "src/k.c": '#include "config.h"\n' + STRIDED,
        "src/main.c": CALLS,
    }
    root = write(tmp_path / "app", files)
    subprocess.run(["autoreconf", "-i"], cwd=root, check=True, capture_output=True)
    capture(tool, root, "--", "sh", "-c", "./configure -q && make -s")
    assert sorted(Path(str(e["file"])).name for e in entries(root)) == ["k.c", "main.c"]
    assert findings(tool("lint", "--format", "json", cwd=root).out) == [("mem-strided-inner-loop", "src/k.c", 4)]


def test_meson_writes_its_own_database(tool: Tool, tmp_path: Path, write: Write) -> None:
    files = {"meson.build": "project('app', 'c')\nexecutable('app', 'k.c', 'main.c')\n", "k.c": STRIDED}
    root = write(tmp_path / "app", {**files, "main.c": CALLS})
    words = ["meson", "setup", "builddir", "--buildtype=release", "--unity=on"]
    subprocess.run(words, cwd=root, check=True, capture_output=True)
    done = tool("lint", "--format", "json", cwd=root)
    assert done.status == 0, done.said
    assert findings(done.out) == [("mem-strided-inner-loop", "k.c", 3)]
    assert json.loads(done.out)["root"] == str(root)


def test_a_build_that_fails_before_it_compiles(tool: Tool, tmp_path: Path, write: Write) -> None:
    root = write(tmp_path / "app", {**RECURSIVE})
    done = tool("capture", "--", "make", "CC=/opt/none/bin/gcc", cwd=root)
    assert done.status == 2
    assert "the build ended with status 2 before it compiled anything" in done.err
    assert not (root / "compile_commands.json").exists()
