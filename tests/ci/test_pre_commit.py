"""The hooks, run by pre-commit itself on commits of a project."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import BUILD, CLEAN, PADDED, TOP, Checkout

REQUIREMENTS = Path(__file__).with_name("requirements.txt")


@pytest.fixture(scope="module")
def pre_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its program, in an environment of its own that is kept in the build folder."""
    folder = BUILD / "pre-commit" if os.access(BUILD, os.W_OK) else tmp_path_factory.mktemp("pre-commit")
    program, stamp = folder / "bin" / "pre-commit", folder / ".complete"
    wanted = sha256(REQUIREMENTS.read_bytes()).hexdigest()
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        if not stamp.is_file() or stamp.read_text() != wanted:
            _install(folder, stamp, wanted)
    return program


def _install(folder: Path, stamp: Path, wanted: str) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    pip = (folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, "--require-hashes", "--requirement", REQUIREMENTS], check=True)
    stamp.write_text(wanted)


@pytest.fixture
def hooks(checkout: Checkout, tmp_path: Path) -> str:
    """A repository that holds the hooks' file alone, as pre-commit clones it."""
    root = tmp_path / "hooks"
    root.mkdir()
    shutil.copy(TOP / ".pre-commit-hooks.yaml", root)
    names = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    for words in (("init", "-q"), ("add", "."), (*names, "commit", "-qm", "hooks")):
        subprocess.run(["git", *words], cwd=root, env=checkout.environment, check=True)
    return str(root)


def configure(checkout: Checkout, hooks: str, hook: str, *words: str) -> None:
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=hooks, env=checkout.environment, check=True, capture_output=True, text=True
    ).stdout.strip()
    (checkout.root / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hooks}\n    rev: {head}\n    hooks:\n"
        f"      - id: {hook}\n        args: [{', '.join(words)}]\n"
    )
    checkout.git("add", ".pre-commit-config.yaml")


def run(checkout: Checkout, pre_commit: Path, *words: str) -> tuple[int, str]:
    environment = {**checkout.environment, "PRE_COMMIT_HOME": str(checkout.temp / "pre-commit")}
    done = subprocess.run(
        [pre_commit, "run", "--verbose", "--color=never", *words],
        cwd=checkout.root, env=environment, check=False, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_changed_sources_are_analysed(checkout: Checkout, hooks: str, pre_commit: Path) -> None:
    configure(checkout, hooks, "stridewise", "-p", "build")
    checkout.add("src/more.c", CLEAN.replace("particle", "cell"))
    (checkout.root / "src" / "cells.h").write_text("struct cells { char a; double b; char c; };\n")
    checkout.git("add", ".")
    status, said = run(checkout, pre_commit)
    assert status == 0, said
    assert "1 file analysed" in said, "the changed source, not the header, not the committed finding"
    (checkout.root / "src" / "more.c").write_text(PADDED.replace("particle", "cell"))
    checkout.git("add", ".")
    status, said = run(checkout, pre_commit)
    assert status == 1, said
    assert "mem-struct-padding" in said
    assert "src/more.c:2" in said
    status, said = run(checkout, pre_commit, "--all-files")
    assert "src/particles.c:2" in said
    checkout.git("rm", "-q", "--cached", "src/more.c")
    assert "no files to check" in run(checkout, pre_commit)[1]


def test_changed_lines_are_reviewed(checkout: Checkout, hooks: str, pre_commit: Path) -> None:
    configure(checkout, hooks, "stridewise-review", "-p", "build")
    source = checkout.root / "src" / "particles.c"
    source.write_text(PADDED + "int answer(void) { return 42; }\n")
    checkout.git("add", ".")
    status, said = run(checkout, pre_commit)
    assert status == 0, said
    source.write_text(
        PADDED
        + CLEAN.partition("struct")[0]
        + PADDED.partition("\n")[2].replace("particle", "cell").replace("create", "make")
    )
    checkout.git("add", ".")
    status, said = run(checkout, pre_commit)
    assert status == 1, said
    assert "src/particles.c:9" in said or "src/particles.c:10" in said
