"""What a compiler command writes: as the compilers themselves write it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from stridewise.collect.compiler_outputs import outputs

SOURCES = {
    "main.c": '#include "a.h"\nint main(void) { return other(); }\n',
    "sub/other.c": "int other(void) { return 0; }\n",
    "a.h": "int other(void);\n",
}
COMMANDS = """
-c main.c
-c main.c -o x.o
-c main.c -ox.o
-c main.c -o sub/x.o -o y.o
-c main.c sub/other.c
-c -MMD main.c sub/other.c
-c -MD main.c -o sub/x.o
-c -MD -MF deps.d -MT x main.c
-c -MD -MFdeps.d -MP main.c -o x.o
-c -Wp,-MMD,.main.d main.c
-S main.c
-S main.c sub/other.c
-S main.c -o x.s
main.c sub/other.c
main.c sub/other.c -o program
main.c sub/other.c -o program.exe -lm
-MD main.c sub/other.c
-MD main.c sub/other.c -o program
-fsyntax-only main.c
-E main.c -o main.i
-M main.c
-O2 -g -I sub -D x.c -include a.h -c main.c
-x c -c main.c
-c main.c -save-temps
--compile main.c
--compile main.c --output x.o
--assemble main.c
""".strip().splitlines()


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("command", COMMANDS)
def test_all_that_a_compiler_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, command: str
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text)
    words = command.split()
    if compiler != "gcc" and words[:2] == ["-x", "c"]:
        words = ["-xc", *words[2:]]
    done = subprocess.run([compiler, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in outputs(words):
        Path(name).unlink(missing_ok=True)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    # What was preprocessed for its own sake is no object: the launcher does not even look at it.
    assert left - {"main.i"} == set(SOURCES) - {"main.i"}


@pytest.mark.parametrize(
    "words", ["-c a.c -o /dev/null", "-c a.c -o -", "-c a.c -o a.c", "-fsyntax-only a.c -o a.o", "-E a.c", "-### a.c"]
)
def test_nothing_that_was_there_before(words: str) -> None:
    assert outputs(words.split()) == ()


def test_llvm() -> None:
    assert outputs("-c -emit-llvm a.c".split()) == ("a.bc",)
    assert outputs("-S -emit-llvm a.c".split()) == ("a.ll",)
