"""What the engines know of a unit, as `stridewise-analyze --dump` prints it. `make bless` records it again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lit_format.hosts import Toolchain

TOP = Path(__file__).resolve().parents[2]
DUMPS = Path(__file__).resolve().parent / "dumps"
ENGINES = ("loops", "regions", "messages", "touches")


def dump(engine: str, source: Path, accept: int = 0) -> subprocess.CompletedProcess[str]:
    tools = Toolchain(Path(os.environ.get("STRIDEWISE_BUILD") or TOP / "build"))
    flags = ["-O2", "-fopenmp", *tools.mpi_include_flags]
    return tools.call([tools.analyze, "--dump", engine, source, "--", *flags], accept=(accept,))


@pytest.mark.parametrize("engine", ENGINES)
def test_says_what_the_engine_knows(engine: str) -> None:
    text = dump(engine, DUMPS / f"{engine}.c").stdout
    kept = DUMPS / f"{engine}.txt"
    if os.environ.get("STRIDEWISE_BLESS"):
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")


def test_names_the_engines_there_are() -> None:
    assert "--dump needs one of " + ", ".join(ENGINES) in dump("clouds", DUMPS / "loops.c", accept=2).stderr


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert "file not found" in dump("loops", tmp_path / "gone.c", accept=2).stderr
