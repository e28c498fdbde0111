"""Code of others is counted and left out, unless somebody asks for it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stridewise.catalogue import Rule
from stridewise.cli import main
from stridewise.finding import Finding
from stridewise.finding.sources import Project
from stridewise.lint.vendored import split

SOURCE = """void turn(double *restrict a, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      a[i * columns + j] *= 2.0;
}
"""


def finding(file: str, line: int = 3, **args: object) -> Finding:
    return Finding.from_json(
        {
            "rule": "mem-handwritten-matmul",
            "severity": "warning",
            "confidence": "high",
            "verdict": "suspected",
            "message": "m",
            "advice": "a",
            "location": {"file": file, "line": line, "column": 1, "end_line": line, "end_column": 2},
            "function": "f",
            "scope": {"begin_line": line, "end_line": line},
            "args": args,
            "evidence": [],
            "fixes": [],
            "related": [{"file": "/p/src/lapack/dgetrf.c", "line": 1, "label": "and dgetrf"}] if args else [],
        }
    )


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("/p/src/a.c", True),
        ("/p/third_party/zlib/a.c", False),
        ("/p/src/Vendor/a.c", False),
        ("/p/vendor.c", True),
        ("/p/src/.ipynb_checkpoints/a-checkpoint.c", False),
        ("/p/.hidden.c", True),
        ("/elsewhere/vendor/a.c", True),
    ],
)
def test_folders(file: str, own: bool) -> None:
    kept, left = split([finding("/p/src/main.c"), finding(file)], Project(Path("/p")))
    assert (len(kept), len(left)) == ((2, 0) if own else (1, 1))


def test_folders_above_the_project_do_not_count() -> None:
    kept, left = split([finding("/vendor/p/src/a.c")], Project(Path("/vendor/p")))
    assert (len(kept), len(left)) == (1, 0)


def test_a_project_of_nothing_else_is_its_own() -> None:
    kept, left = split([finding("/p/deps/a.c"), finding("/p/deps/b.c")], Project(Path("/p")))
    assert (len(kept), len(left)) == (2, 0)


def test_what_is_named_is_wanted() -> None:
    found = [finding("/p/src/main.c"), finding("/p/deps/a/x.c"), finding("/p/deps/b/x.c")]
    assert len(split(found, Project(Path("/p")), [Path("/p/deps/a")])[0]) == 2
    assert len(split(found, Project(Path("/p")), [Path("/p")])[0]) == 1


def test_copies_of_lapack_are_one_finding() -> None:
    bundled = finding("/p/src/blas/dgemm.c", 16, bundled=6)
    others = [finding("/p/src/blas/dsymm.c"), finding("/p/src/lapack/dlasr.c"), finding("/p/src/solve.c")]
    kept, left = split([bundled, *others], Project(Path("/p")))
    assert [one.location.file for one in kept] == ["/p/src/blas/dgemm.c", "/p/src/solve.c"]
    assert len(left) == 2
    assert len(split(others, Project(Path("/p")))[0]) == 3


@pytest.mark.parametrize(
    ("head", "own"),
    [
        ("/* -- translated by f2c (version 19940927). */\n", 1),
        ('#include "f2c.h"\n', 1),
        ("/* calls what f2c made of BLAS */\n", 2),
    ],
)
def test_what_f2c_wrote_is_mended_elsewhere(tmp_path: Path, head: str, own: int) -> None:
    for name, text in (("dgemv.c", head), ("solve.c", "")):
        (tmp_path / name).write_text(text + SOURCE)
    found = [finding(str(tmp_path / name)) for name in ("dgemv.c", "solve.c")]
    assert len(split(found, Project(tmp_path))[0]) == own
    assert len(split(found, Project(tmp_path), [tmp_path / "dgemv.c"])[0]) == 2


def test_what_f2c_wrote_is_own_where_there_is_little_else(tmp_path: Path) -> None:
    """Of all that is analysed, not of what something is said about."""
    head = '#include "f2c.h"\n'
    for name, text in (("a.c", head), ("b.c", head), ("main.c", ""), ("io.c", ""), ("c.c", head)):
        (tmp_path / name).write_text(text + SOURCE)
    found = [finding(str(tmp_path / name)) for name in ("a.c", "b.c", "main.c")]
    assert len(split(found, Project(tmp_path))[0]) == 3
    assert len(split(found, Project(tmp_path), units=[tmp_path / "io.c", tmp_path / "main.c"])[0]) == 1
    assert len(split(found, Project(tmp_path), units=[tmp_path / "io.c", tmp_path / "c.c"])[0]) == 3


def test_who_adds_directives_to_what_f2c_wrote_works_on_it(tmp_path: Path) -> None:
    head = '#include "f2c.h"\n'
    (tmp_path / "dgemv.c").write_text(head + SOURCE.replace("  for (int j", "#pragma omp parallel for\n  for (int j"))
    (tmp_path / "dsymv.c").write_text(head + SOURCE)
    for name in ("solve.c", "main.c"):
        (tmp_path / name).write_text(SOURCE)
    found = [finding(str(tmp_path / name)) for name in ("dgemv.c", "dsymv.c", "solve.c", "main.c")]
    assert [Path(one.location.file).name for one in split(found, Project(tmp_path))[0]] == [
        "dgemv.c",
        "solve.c",
        "main.c",
    ]


def test_what_speaks_of_the_whole_program_stays_at_whatever_file_it_stands(
    tmp_path: Path, rules: dict[str, Rule]
) -> None:
    (tmp_path / "dgemv.c").write_text('#include "f2c.h"\n' + SOURCE)
    (tmp_path / "solve.c").write_text(SOURCE)
    found = [finding(str(tmp_path / name)) for name in ("dgemv.c", "solve.c")]
    flags = replace(found[0], rule="build-unoptimised")
    assert split([*found, flags], Project(tmp_path), rules=rules)[0] == [found[1], flags]


def test_lint_counts_what_it_leaves_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("src", "vendor"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.c").write_text(SOURCE)
    entries = [
        {"directory": str(tmp_path), "file": f"{folder}/a.c", "arguments": ["cc", "-O2", "-c", f"{folder}/a.c"]}
        for folder in ("src", "vendor")
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    monkeypatch.chdir(tmp_path)
    assert main(["lint", "--format", "json", "--rules", "mem-*"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {Path(f["location"]["file"]).parts[0] for f in report["findings"]} == {"src"}
    assert report["stats"]["vendored"] == 1
    assert main(["lint", "--rules", "mem-*"]) == 0
    assert "1 in code of others, shown with lint --vendored" in capsys.readouterr().out
    assert main(["lint", "--format", "json", "--vendored", "--rules", "mem-*"]) == 0
    assert len(json.loads(capsys.readouterr().out)["findings"]) == 2
