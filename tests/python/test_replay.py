from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from test_result_cache import RECORDING_ANALYZER

TOP = Path(__file__).resolve().parents[2]
Make = Callable[..., Path]
Lint = Callable[..., "subprocess.CompletedProcess[str]"]
FILES = {"a.c": "// @slow here\n// @include x.h\n", "b.c": "int b;\n", "two/x.h": "// @slow header\n"}
# Says on standard error whether the whole command line had to be loaded.
ENTRY = """
import sys
from stridewise.__main__ import main
status = main()
print("loaded" if "stridewise.lint.lint" in sys.modules else "replayed", file=sys.stderr)
sys.exit(status)
"""


@pytest.fixture
def lint(script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch, project: Make) -> Lint:
    """Starts the command line anew; its last line on standard error says how the report was made."""
    path = script("recording-analyze", RECORDING_ANALYZER.format(python=sys.executable))
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(path))
    monkeypatch.setenv("PYTHONPATH", str(TOP))
    project(FILES)

    def run(
        *words: str, expected: str = "", environment: Sequence[tuple[str, str]] = ()
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-c", ENTRY, "lint", *words],
            capture_output=True, text=True, check=False, env={**os.environ, **dict(environment)},
        )  # fmt: skip
        if expected:
            assert done.stderr.splitlines()[-1:] == [expected], done.stderr
        return done

    return run


@pytest.mark.parametrize("words", [(), ("--format", "json"), ("--fail-on", "info"), ("a.c", "--", "-O2")])
def test_an_unchanged_report_is_repeated(lint: Lint, words: tuple[str, ...]) -> None:
    first = lint(*words, expected="loaded")
    second = lint(*words, expected="replayed")
    assert (second.stdout, second.returncode) == (first.stdout, first.returncode)
    assert first.stdout


def test_the_report_is_written_again(lint: Lint) -> None:
    lint("--format", "json", "-o", "out.json", expected="loaded")
    text = Path("out.json").read_text()
    Path("out.json").unlink()
    assert lint("--format", "json", "-o", "out.json", expected="replayed").stdout == ""
    assert Path("out.json").read_text() == text
    assert not list(Path().glob(".out.json*"))


def change_source() -> None:
    Path("b.c").write_text("// @slow b\n")


def change_header() -> None:
    Path("two/x.h").write_text("// @slow other\n")


def add_header() -> None:
    Path("one").mkdir()
    Path("one/x.h").write_text("")


def change_database() -> None:
    path = Path("compile_commands.json")
    path.write_text(path.read_text().replace("gcc -c", "gcc -DX -c"))


def add_configuration() -> None:
    Path(".stridewise.toml").write_text('rules = ["-mem-struct-padding"]\n')


def add_configuration_beside_a_header() -> None:
    Path("two/.stridewise.toml").write_text('rules = ["-mem-struct-padding"]\n')


def change_root() -> None:
    Path(".git").rmdir()


def change_analyser() -> None:
    with Path(os.environ["STRIDEWISE_ANALYZE"]).open("a") as stream:
        stream.write("\n")


def remove_source() -> None:
    Path("b.c").unlink()


@pytest.mark.parametrize(
    "change",
    [change_source, change_header, add_header, change_database, add_configuration, add_configuration_beside_a_header,
     change_root, change_analyser, remove_source],
)  # fmt: skip
def test_whatever_counts_makes_a_new_report(lint: Lint, change: Callable[[], None]) -> None:
    lint(expected="loaded")
    lint(expected="replayed")
    change()
    lint(expected="loaded")


def test_new_time_stamps_alone_change_nothing(lint: Lint) -> None:
    lint(expected="loaded")
    for name in FILES:
        os.utime(name, (time.time() - 50, time.time() - 50))
    lint(expected="replayed")


def test_words_folder_and_environment_count(lint: Lint, tmp_path: Path) -> None:
    lint("--cache-dir", str(tmp_path / "mine"), expected="loaded")
    lint("--cache-dir", str(tmp_path / "mine"), expected="replayed")
    lint(expected="loaded")
    lint("--all", expected="loaded")
    lint(expected="loaded", environment=[("CPATH", "/x")])
    lint(expected="replayed")


def test_failures_are_not_repeated(lint: Lint) -> None:
    Path("b.c").unlink()
    for _ in range(2):
        assert lint(expected="loaded").returncode == 2


@pytest.mark.parametrize("words", [("--verbose",), ("--profile",), ("--fix",), ("--shard", "1/2", "--format", "json")])
def test_runs_that_say_more_are_made(lint: Lint, words: tuple[str, ...]) -> None:
    for _ in range(2):
        lint(*words, expected="loaded")


def test_damaged_entries_are_ignored(lint: Lint, tmp_path: Path) -> None:
    first = lint(expected="loaded")
    for entry in (tmp_path / "cache").rglob("*"):
        if entry.is_file():
            entry.write_bytes(b"{}\n{}")
    assert lint(expected="loaded").stdout == first.stdout
