"""`stridewise dev new-rule`: what it writes loads as a rule, its detector compiles, and nothing is written over."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from stridewise import catalogue
from stridewise.catalogue import scaffold
from stridewise.cli import main
from stridewise.errors import Failure

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("STRIDEWISE_BUILD") or TOP / "build")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "analyzer" / "checks").mkdir(parents=True)
    (tmp_path / "rules").mkdir()
    for name in ("rule.schema.json", "engines.toml"):
        shutil.copy(TOP / "rules" / name, tmp_path / "rules")
    return tmp_path


def test_the_rule_loads(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["dev", "new-rule", "omp-example", "--language", "c", "--language", "fortran", "--top", str(tree)]
    assert main(words) == 0
    folder = tree / "rules" / "omp-example"
    assert sorted(file.name for file in folder.iterdir()) == [
        "buggy.c",
        "buggy.f90",
        "doc.md",
        "fixed.c",
        "fixed.f90",
        "rule.toml",
    ]
    said = capsys.readouterr().out
    assert str(folder / "rule.toml") in said
    assert "make test FILTER=omp-example" in said
    rule = catalogue.load(tree / "rules")["omp-example"]
    assert (rule.family, sorted(rule.detectors)) == ("omp", ["static"])
    assert "{{ include buggy.f90 }}" in (folder / "doc.md").read_text()
    assert '! expect: omp-example medium "what is seen here" no-fix' in (folder / "buggy.f90").read_text()
    assert "expect" not in (folder / "fixed.f90").read_text()


def test_the_detector_compiles(tree: Path) -> None:
    scaffold.create(tree, "mem-example", ["c++", "fortran"], ["static", "cache"])
    source = tree / "analyzer" / "checks" / "mem-example" / "mem-example.cpp"
    like = "analyzer/checks/mem-array-temporary/mem-array-temporary.cpp"
    entry = next(e for e in json.loads((BUILD / "compile_commands.json").read_text()) if e["file"].endswith(like))
    words = entry["command"].split()
    words = [word for word in words[: words.index("-o")] if not word.endswith("ccache")]
    done = subprocess.run(
        [*words, "-fsyntax-only", str(source)], cwd=entry["directory"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "readsFortran" in source.read_text()
    assert (tree / "rules" / "mem-example" / "fixed.cpp").is_file()


def test_without_a_static_detector(tree: Path) -> None:
    scaffold.create(tree, "mpi-example", ["c"], ["mpi"])
    assert "def detect_mpi(trace: Trace" in (tree / "stridewise" / "patterns" / "mpi_example.py").read_text()
    assert not (tree / "analyzer" / "checks" / "mpi-example").exists()
    assert "expect" not in (tree / "rules" / "mpi-example" / "buggy.c").read_text()


@pytest.mark.parametrize("detectors", [["mpi"], ["cache", "static"], ["omp"], ["mpi", "cache"]])
def test_functions_of_runs(tree: Path, detectors: list[str]) -> None:
    """As the catalogue wants them, and formatted as all others are."""
    texts = scaffold.files("mem-example", ["c"], detectors)
    file = tree / "mem_example.py"
    file.write_text(texts[Path("stridewise/patterns/mem_example.py")])
    names = runpy.run_path(str(file))
    for detector in set(detectors) - {"static"}:
        assert any(name in names for name in catalogue.PATTERN_FUNCTIONS[detector])
    for words in (["ruff", "format", "--check"], ["ruff", "check", "--ignore", "ARG001"]):
        tool = [str(BUILD / "venv" / "bin" / words[0]), *words[1:], "--config", str(TOP / "pyproject.toml"), str(file)]
        done = subprocess.run(tool, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_nothing_is_written_over(tree: Path) -> None:
    scaffold.create(tree, "mem-example", ["c"], ["static"])
    page = tree / "rules" / "mem-example" / "doc.md"
    page.write_text("mine")
    with pytest.raises(Failure, match="exists already"):
        scaffold.create(tree, "mem-example", ["c"], ["static"])
    assert page.read_text() == "mine"


@pytest.mark.parametrize("slug", ["example", "mem_example", "mem-", "../mem-example", "mem-Example"])
def test_names(tree: Path, slug: str) -> None:
    with pytest.raises(Failure, match="no rule's name"):
        scaffold.create(tree, slug, ["c"], ["static"])
    assert not list((tree / "analyzer" / "checks").iterdir())


def test_outside_of_a_source_tree(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="source tree"):
        scaffold.create(tmp_path, "mem-example", ["c"], ["static"])
    assert not list(tmp_path.iterdir())
