"""The text report of each rule's `buggy` sample, word for word. `make bless` records them again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from lit_format.hosts import Toolchain
from lit_format.samples import SOURCE_SUFFIXES, Sample

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
SAMPLES = sorted(p for p in TOP.glob("rules/*/buggy.*") if p.suffix in SOURCE_SUFFIXES)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_text_report(path: Path, tmp_path: Path) -> None:
    tools = Toolchain(Path(os.environ.get("STRIDEWISE_BUILD") or TOP / "build"))
    copy = tmp_path / path.name
    shutil.copyfile(path, copy)
    flags = tools.flags(Sample.read(path))
    report = tools.call([tools.command, "lint", copy, "--", *flags], cwd=tmp_path).stdout
    snapshot = HERE / f"{path.parent.name}{path.suffix}.txt"
    if os.environ.get("STRIDEWISE_BLESS"):
        snapshot.write_text(report, encoding="utf-8")
    assert snapshot.is_file(), f"no {snapshot.name}: make bless records it"
    assert report == snapshot.read_text(encoding="utf-8"), "another report than recorded; make bless accepts it"


def test_each_snapshot_has_its_rule() -> None:
    assert {p.name for p in HERE.glob("*.txt")} == {f"{p.parent.name}{p.suffix}.txt" for p in SAMPLES}
