"""Every command of the runnable pages prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
import runnable

TOP = Path(__file__).resolve().parents[2]
PAGES = [path for path in sorted((TOP / "docs").rglob("*.md")) if runnable.MARK in path.read_text(encoding="utf-8")]


def check(text: str, folder: Path, build: Path) -> list[str]:
    """What is wrong with the page, with the line of the block."""
    page = runnable.steps(text)
    outcomes = list(runnable.run(page, folder, build))
    wrong = [
        f"line {outcome.step.line}: {problem}\n{outcome.printed[-3000:]}"
        for outcome in outcomes
        if (problem := failure(outcome))
    ]
    return wrong or ([] if len(outcomes) == len(page) else [f"only {len(outcomes)} of {len(page)} blocks were run"])


def failure(outcome: runnable.Outcome) -> str:
    if outcome.status != 0:
        return f"ended with status {outcome.status}"
    return runnable.differences(outcome.step.expected, outcome.printed)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_prints_what_it_shows(path: Path, tmp_path: Path, build: Path) -> None:
    wrong = check(path.read_text(encoding="utf-8"), tmp_path, build)
    assert not wrong, f"{path.relative_to(TOP)}: " + "\n".join(wrong)


def test_tutorial_is_among_them() -> None:
    assert {"tutorial", "fortran", "suppressing"} <= {path.stem for path in PAGES}


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo one", "two\n"),
        ("echo one", ""),
        ("true", "one\n"),
        ("echo one; echo two", "one\n"),
        ("echo 3 of 4 findings", "2 of 4 findings\n"),
        ("echo a; echo b", "a\n…\nc\n"),
        ("echo took 3 s, 4 findings", "took 5 s, 5 findings\n"),
        ("false", ""),
        ("stridewise lint missing.c -- -O2", "…\n"),
    ],
)
def test_notices_a_stale_page(command: str, shown: str, tmp_path: Path, build: Path) -> None:
    assert check(f"```sh\n{command}\n```\n\n```text\n{shown}```\n", tmp_path, build)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo one", "one\n"),
        ("echo a; echo b; echo c", "a\n…\nc\n"),
        ("echo a", "a\n…\n"),
        ("echo took 3.1 ms and 20 µs in 4 ranks", "took 1.25 ms and 9 µs in 4 ranks\n"),
        ("echo a 17 b", "a … b\n"),
        ("echo 'a      b'", "a b\n"),
        ("cd ~", ""),
        ("echo lost >&2", "lost\n"),
        ("x=1", ""),
    ],
)
def test_accepts_what_may_vary(command: str, shown: str, tmp_path: Path, build: Path) -> None:
    assert not check(f"```sh\n{command}\n```\n\n```text\n{shown}```\n", tmp_path, build)


def test_blocks_share_one_shell(tmp_path: Path, build: Path) -> None:
    text = (
        "```sh\ncd ~; name=there\n```\n\ntext\n\n```sh\necho $name; basename $PWD\n```\n\n```text\nthere\nhome\n```\n"
    )
    assert not check(text, tmp_path, build)


def test_a_shell_that_ends_early_is_noticed(tmp_path: Path, build: Path) -> None:
    assert check("```sh\nexit 0\n```\n\n```sh\ntrue\n```\n", tmp_path, build)
