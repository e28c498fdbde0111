"""Each injector gives defects that are found in the bundled programs; `tests/recall.py` measures it on other codes."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from itertools import islice
from pathlib import Path

import pytest

import recall
from injection import Injection, Source
from stridewise.collect.compile_db import Command, Language

TOP = Path(__file__).resolve().parents[2]
SITES = 6  # defects tried per injector


def bundled() -> list[Source]:
    """The repaired samples, whose sites have no defect yet, and whole programs."""
    files = sorted([*TOP.glob("rules/*/fixed.c*"), *TOP.glob("tests/kernels/*/original/**/*.c")])
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    return [Source(file, text, "-fopenmp" in text, "<mpi.h>" in text) for file, text in texts.items()]


def flags(source: Source) -> tuple[str, ...]:
    mpi: list[str] = []
    if source.mpi:
        wrapper = os.environ.get("STRIDEWISE_TEST_MPICC", "mpicc")
        mpi = subprocess.run([wrapper, "-show"], check=True, capture_output=True, text=True).stdout.split()[1:]
    return ("-O2", *(["-fopenmp"] if source.openmp else []), *(word for word in mpi if word.startswith("-I")))


@pytest.mark.parametrize("slug", sorted(recall.injectors()))
def test_injected_defects_are_found(slug: str) -> None:
    inject = recall.injectors()[slug]
    rng = random.Random(1)
    sources = bundled()
    rng.shuffle(sources)
    tried = []
    for source in sources:
        for injection in islice(inject(source, rng), 1):
            state, confidences = examine(source, injection, slug)
            if state == "ok":
                tried.append((source.path.relative_to(TOP), injection.what, confidences))
        if len(tried) >= SITES:
            break
    assert tried, "no bundled program offers a site"
    assert any(set(confidences) & {"medium", "high"} for _, _, confidences in tried), tried


def examine(source: Source, injection: Injection, slug: str) -> tuple[str, list[str]]:
    language = Language.CXX if source.cxx else Language.C
    command = Command(source.path, source.path.parent, flags(source), language)
    with tempfile.TemporaryDirectory() as folder:
        return recall.examine(recall.Site("bundled", command, source), injection, slug, Path(folder))
