from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stridewise import __version__
from stridewise.catalogue import Rule, pages
from stridewise.cli import main
from stridewise.errors import Failure

TOP = Path(__file__).resolve().parents[2]
COMMANDS = (
    "lint",
    "run",
    "report",
    "diff",
    "capture",
    "explain",
    "rules",
    "calibrate",
    "doctor",
    "completion",
    "version",
)


def stridewise(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stridewise", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP), **environment},
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(command: str) -> None:
    done = stridewise(command, "--help")
    assert done.returncode == 0
    assert f"usage: stridewise {command}" in done.stdout
    assert f"examples:\n  stridewise {command}" in done.stdout


def test_version() -> None:
    assert stridewise("version").stdout == f"stridewise {__version__}\n"
    assert stridewise("--version").stdout == f"stridewise {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nonsense"],
        ["lint", "--nonsense"],
        ["lint", "-j", "0"],
        ["lint", "-j", "x"],
        ["lint", "--timeout", "-1"],
        ["lint", "--format", "pdf"],
        ["lint", "--fail-on", "never"],
        ["run", "--mpi", "--cache", "--", "true"],
        ["explain"],
        ["explain", "no-such-rule"],
        ["version", "--", "x"],
    ],
)
def test_misuse_is_one_line_and_2(words: list[str]) -> None:
    done = stridewise(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_near_name_is_offered() -> None:
    assert "did you mean mpi-tiny-messages" in stridewise("explain", "mpi-tiny-message").stderr


def test_a_reader_that_goes_away_is_no_crash() -> None:
    done = subprocess.run(
        f"{sys.executable} -m stridewise explain mpi-tiny-messages | true",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_rules_as_table_and_json(rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    table = capsys.readouterr().out
    assert main(["rules", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [r["slug"] for r in listed] == list(rules)
    for rule in rules.values():
        assert rule.slug in table
        assert rule.title in table


def test_a_rule_is_explained_in_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--format", "markdown", "mem-struct-padding"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# mem-struct-padding: ")
    assert "\n```c\n" in out


def test_every_rule_is_explained_with_its_kernels(rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]) -> None:
    for slug, rule in rules.items():
        assert main(["explain", f"stridewise-{slug}"]) == 0
        said = capsys.readouterr().out
        assert rule.title in said
        assert "{{ include" not in said
        assert "expect:" not in said
        assert any(word in said for word in ("int main", "struct", "end program")), slug
        assert "\x1b" not in said


def test_pages_of_rules(rules: dict[str, Rule]) -> None:
    index = pages.index(rules)
    assert all(f"[{slug}]({slug}.md)" in index for slug in rules)
    page = pages.markdown(rules["mem-strided-inner-loop"])
    assert "```c\n" in page
    assert "`confirm_ratio`" in page
    assert "NOLINT(stridewise-mem-strided-inner-loop)" in page


@pytest.mark.parametrize("name", ["../../etc/passwd", "doc.md", "missing.c", "../mem-struct-padding/buggy.c"])
def test_pages_include_kernels_of_their_own_folder_only(rules: dict[str, Rule], name: str) -> None:
    with pytest.raises(Failure, match="cannot include"):
        pages.kernel(rules["mem-strided-inner-loop"], name)


def test_doctor_names_what_is_missing_and_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("STRIDEWISE_ANALYZE", "/nowhere/a")
    monkeypatch.setenv("STRIDEWISE_MERGE", "/nowhere/m")
    monkeypatch.setattr("stridewise.settings.toolchain.interposers", dict)
    assert main(["doctor"]) == 2
    said = capsys.readouterr().out
    for part in ("stridewise-analyze", "libclang-19-dev", "apt install valgrind", "libmpich-dev", "llvm-19"):
        assert part in said


def test_doctor_is_content_with_one_half(fake_analyzer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert f"ok  stridewise-analyze         {fake_analyzer}" in capsys.readouterr().out


def test_no_rules_is_an_error_not_a_trace(tmp_path: Path) -> None:
    done = stridewise("rules", STRIDEWISE_RULES=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith("error: no rules at")
