"""Precompiled headers that units share: with and without them the findings are the same, whatever happens to files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stridewise import catalogue
from stridewise.cli import main
from stridewise.lint import preambles
from stridewise.lint.preamble_choice import Choice
from stridewise.settings import toolchain

TOP = Path(__file__).resolve().parents[2]

HEADERS = {
    "one.h": "#ifndef ONE_H\n#define ONE_H\n#define SIZE 4000\n#ifdef SMALL\ntypedef float real;\n#else\n"
    "typedef double real;\n#endif\nextern real grid[SIZE][SIZE];\n#endif\n",
    "two.h": '#ifndef TWO_H\n#define TWO_H\n#include "one.h"\n'
    "static inline real twice(real x) { return 2 * x; }\n#endif\n",
}
LOOP = """
real grid[SIZE][SIZE];
real sum(void) {
  real s = 0;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      s += twice(grid[j][i]);
  return s;
}
"""


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    """A folder with two headers, and both precompiled in one.pch."""
    folder = tmp_path / "headers"
    folder.mkdir()
    for name, text in HEADERS.items():
        (folder / name).write_text(text)
    (folder / "one.pch.h").write_text("#include <one.h>\n#include <two.h>\n")
    precompile(folder)
    return folder


def precompile(folder: Path, *flags: str, text: str = "one.pch.h") -> None:
    words: list[str | Path] = [
        toolchain.analyzer(),
        f"--make-preamble={folder}/one.pch",
        folder / text,
        "--",
        f"-I{folder}",
        *flags,
    ]
    subprocess.run(words, check=True)


def analysed(source: Path, folder: Path, *options: str) -> dict[str, Any]:
    out = source.with_suffix(".json")
    words: list[str | Path] = [toolchain.analyzer(), "-o", out, *options, source, "--", f"-I{folder}"]
    subprocess.run(words, check=True)
    value = json.loads(out.read_text())
    assert isinstance(value, dict)
    return value


def meaning(result: dict[str, Any]) -> dict[str, Any]:
    """All of a unit's result but what differs from run to run."""
    return {name: part for name, part in result.items() if name not in ("stats", "inputs")}


@pytest.mark.parametrize(
    ("text", "used"),
    [
        pytest.param("#include <one.h>\n#include <two.h>\n" + LOOP, True, id="as-precompiled"),
        pytest.param("#include <two.h>\n" + LOOP, True, id="one-through-the-other"),
        pytest.param("#define OTHER 1\n#include <two.h>\n#define SMALL 1\n" + LOOP, True, id="macros-of-no-matter"),
        pytest.param("#define SMALL 1\n#include <two.h>\n" + LOOP, False, id="macro-before"),
        pytest.param("#include <one.h>\nreal twice(real);\n" + LOOP, False, id="not-all-included"),
        pytest.param(
            "#ifdef SIZE\n#define HALF\n#endif\n#include <two.h>\n#ifdef HALF\n#undef SIZE\n#define SIZE 2000\n#endif\n"
            + LOOP,
            False,
            id="asked-too-early",
        ),
        pytest.param("int f(void) { return 0; }\nint n;\n#include <two.h>\n" + LOOP, True, id="code-before"),
        pytest.param(
            "int f(void) { return twice(1); }\nint n;\n#define twice again\n#include <two.h>\n" + LOOP,
            False,
            id="call-before",
        ),
        pytest.param("#pragma pack(1)\n#include <two.h>\n#pragma pack()\n" + LOOP, False, id="packed"),
        pytest.param("#include <two.h>\nint broken = nothing;\n" + LOOP, False, id="errors"),
        pytest.param("typedef int real;\n#include <two.h>\n" + LOOP, False, id="other-declaration-before"),
    ],
)
def test_a_unit_means_the_same_with_a_precompiled_header(tmp_path: Path, headers: Path, text: str, used: bool) -> None:
    source = tmp_path / "unit.c"
    source.write_text(text)
    plain = analysed(source, headers)
    quick = analysed(source, headers, f"--preamble={headers}/one.pch")
    assert quick["stats"]["preamble"]["used"] is used, quick["stats"]["preamble"]
    assert bool(quick["stats"]["preamble"]["why_not"]) is not used
    assert meaning(quick) == meaning(plain)
    if used:
        assert [f["rule"] for f in plain["findings"]] == ["mem-strided-inner-loop"]


def test_a_block_around_an_inclusion_counts(tmp_path: Path, headers: Path) -> None:
    (headers / "one.pch.h").rename(headers / "one.pch.hpp")
    precompile(headers, text="one.pch.hpp")
    source = tmp_path / "unit.cpp"
    source.write_text('extern "C" {\n#include <two.h>\n}\n' + LOOP)
    result = analysed(source, headers, f"--preamble={headers}/one.pch")
    assert result["stats"]["preamble"]["used"] is False
    assert meaning(result) == meaning(analysed(source, headers))
    for before in ("", "namespace n {\ninline int f() { return 1; }\n}\n", "int f() { return 1; }\n"):
        source.write_text(before + "#include <two.h>\n" + LOOP)
        result = analysed(source, headers, f"--preamble={headers}/one.pch")
        assert result["stats"]["preamble"]["used"] is True, before
        assert meaning(result) == meaning(analysed(source, headers))


def test_code_before_a_header_must_not_find_what_it_declares(tmp_path: Path, headers: Path) -> None:
    (headers / "two.h").write_text("double half(double x);\n")
    (headers / "one.h").write_text("#ifndef ONE_H\n#define ONE_H\ndouble half(int x);\n#endif\n")
    (headers / "one.pch.hpp").write_text("#include <one.h>\n#include <two.h>\n")
    precompile(headers, text="one.pch.hpp")
    source = tmp_path / "unit.cpp"
    for code, used in (("inline double g() { return half(1.5); }\n", False), ("inline int g() { return 1; }\n", True)):
        source.write_text("#include <one.h>\n" + code + "#include <two.h>\n")
        result = analysed(source, headers, f"--preamble={headers}/one.pch")
        assert result["stats"]["preamble"]["used"] is used, result["stats"]["preamble"]


def test_a_unit_depends_on_what_was_precompiled(tmp_path: Path, headers: Path) -> None:
    source = tmp_path / "unit.c"
    source.write_text("#include <two.h>\n" + LOOP)
    plain = analysed(source, headers)["inputs"]
    quick = analysed(source, headers, f"--preamble={headers}/one.pch")["inputs"]
    assert quick["complete"] is True
    read = {tuple(file) for file in quick["files"]}
    assert {tuple(file) for file in plain["files"]} <= read
    assert not [file for file in read if "one.pch" in file[0]]
    assert set(plain["absent"]) <= set(quick["absent"])


def test_comments_in_a_precompiled_header_count(tmp_path: Path, headers: Path) -> None:
    text = HEADERS["two.h"].replace("#define TWO_H\n", "#define TWO_H\n// NOLINT(stridewise-mem-struct-padding)\n")
    (headers / "two.h").write_text(text)
    precompile(headers)
    source = tmp_path / "unit.c"
    source.write_text("#include <two.h>\n" + LOOP)
    result = analysed(source, headers, f"--preamble={headers}/one.pch")
    assert result["stats"]["preamble"]["used"] is True
    assert [s["file"] for s in result["suppressions"]] == [str(headers / "two.h")]
    assert meaning(result) == meaning(analysed(source, headers))


@pytest.mark.parametrize("damage", ["cut", "zeroed", "gone", "unknown", "empty"])
def test_a_torn_file_is_not_used(tmp_path: Path, headers: Path, damage: str) -> None:
    source = tmp_path / "unit.c"
    source.write_text("#include <two.h>\n" + LOOP)
    plain = analysed(source, headers)
    file, beside = headers / "one.pch", headers / "one.pch.json"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif damage == "zeroed":
        file.write_bytes(bytes(file.stat().st_size))
    elif damage == "gone":
        file.unlink()
    elif damage == "unknown":
        beside.write_text("{}")
    else:
        beside.write_text("")
    result = analysed(source, headers, f"--preamble={headers}/one.pch")
    assert result["stats"]["preamble"]["used"] is False
    assert meaning(result) == meaning(plain)


# The whole way, with a header of MPI's name that lies outside of the project


Project = Callable[..., dict[str, Any]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    """Three units; lints them and returns the report. The cache is in tmp_path/cache."""
    outside, sources = tmp_path / "outside", tmp_path / "project" / "src"
    outside.mkdir()
    sources.mkdir(parents=True)
    write_header(outside, 4000)
    for number in range(3):
        (sources / f"u{number}.cpp").write_text(
            f"#include <mpi.h>\nreal grid{number}[SIZE][SIZE];\nvoid f{number}(void) {{\n"
            f"  for (int i = 0; i < SIZE; i++)\n    for (int j = 0; j < SIZE; j++)\n"
            f"      grid{number}[j][i] += 1;\n}}\n"
        )
    entries = [
        {
            "directory": str(sources),
            "file": f"u{n}.cpp",
            "arguments": ["c++", "-O2", "-I../add", f"-I{outside}", "-c", f"u{n}.cpp"],
        }
        for n in range(3)
    ]
    (sources / "compile_commands.json").write_text(json.dumps(entries))
    monkeypatch.chdir(sources)
    # Small ones, so that the test is quick.
    limit = catalogue.limit
    monkeypatch.setattr(
        catalogue, "limit", lambda engine, name: 1.0 if name in ("least_bytes", "making") else limit(engine, name)
    )

    def lint(*words: str) -> dict[str, Any]:
        command = ["lint", "-p", str(sources), "--all", "--format", "json", "--cache-dir", str(tmp_path / "cache")]
        main([*command, *words])
        report = json.loads(capsys.readouterr().out)
        assert not report.get("problems")
        return {"findings": report["findings"]}

    return lint


def write_header(folder: Path, size: int) -> None:
    path = folder / "mpi.h"
    path.write_text(f"#ifndef MPI_H\n#define MPI_H\n#define SIZE {size}\ntypedef double real;\n#endif\n")
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 60))  # what was written just now is not kept


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "preambles").glob("*.pch"))


def forget_results(tmp_path: Path) -> None:
    for folder in (tmp_path / "cache").glob("??"):
        shutil.rmtree(folder)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as old that this test has just written."""
    from stridewise.lint import dependencies

    monkeypatch.setattr(dependencies, "_RACY_NS", -60_000_000_000)


@pytest.mark.usefixtures("settled")
def test_what_is_kept_is_used_again(tmp_path: Path, project: Project) -> None:
    first = project()
    assert len(first["findings"]) == 3
    made = kept(tmp_path)
    assert len(made) == 1
    forget_results(tmp_path)
    assert project() == first
    assert kept(tmp_path) == made
    forget_results(tmp_path)
    for words in (["--no-preamble"], ["--no-cache"], ["-j", "1"], ["-j", "2"]):
        assert project(*words) == first
        forget_results(tmp_path)
    assert kept(tmp_path) == made


def test_without_nothing_is_made(tmp_path: Path, project: Project) -> None:
    project("--no-preamble")
    assert not (tmp_path / "cache" / "preambles").exists()


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    "change", ["unit", "header", "touched", "shadowed", "cut", "same-size", "gone", "unwritable", "left"]
)
def test_after_a_change_the_findings_are_right(tmp_path: Path, project: Project, change: str) -> None:
    before = project()
    (file,) = kept(tmp_path)
    folder = tmp_path / "cache" / "preambles"
    sources = tmp_path / "project" / "src"
    if change == "unit":
        text = (sources / "u0.cpp").read_text()
        (sources / "u0.cpp").write_text(
            text.replace("#include", "#define MPI_H\n#define SIZE 3000\ntypedef float real;\n#include")
        )
    elif change == "header":
        write_header(tmp_path / "outside", 3000)
    elif change == "touched":
        os.utime(tmp_path / "outside" / "mpi.h")
    elif change == "shadowed":
        (tmp_path / "project" / "add").mkdir()
        write_header(tmp_path / "project" / "add", 3000)
    elif change == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    elif change == "same-size":
        file.write_bytes(bytes(file.stat().st_size))
    elif change == "gone":
        file.unlink()
    elif change == "unwritable":
        shutil.rmtree(folder)
        folder.write_text("in the way")
    elif change == "left":  # by a writer that was killed
        for path in folder.iterdir():
            if "." not in path.name:
                path.unlink()
        file.write_bytes(file.read_bytes()[:1000])
    if change not in ("unit", "header", "shadowed"):
        forget_results(tmp_path)
    after = project()
    assert after == project("--no-cache")
    assert (after == before) is (change not in ("unit", "header", "shadowed"))


@pytest.mark.usefixtures("settled")
def test_another_analyser_or_other_options_have_their_own(tmp_path: Path, project: Project) -> None:
    project()
    first = set(kept(tmp_path))
    database = tmp_path / "project" / "src" / "compile_commands.json"
    database.write_text(database.read_text().replace('"-O2"', '"-O2", "-DX"'))
    project()
    assert len(set(kept(tmp_path)) - first) == 1


def test_two_runs_at_once_are_safe(tmp_path: Path, project: Project) -> None:
    expected = project("--no-cache")
    sources = tmp_path / "project" / "src"
    code = "import sys\nfrom stridewise import catalogue\nlimit = catalogue.limit\n"
    code += "catalogue.limit = lambda e, n: 1.0 if n in ('least_bytes', 'making') else limit(e, n)\n"
    code += "from stridewise.cli import main\nsys.exit(main(sys.argv[1:]))\n"
    words: Sequence[str] = [sys.executable, "-c", code, "lint", "-p", str(sources), "--all", "--format", "json"]
    words = [*words, "--cache-dir", str(tmp_path / "shared")]
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, cwd=sources) for _ in range(2)]
    reports = [json.loads(process.communicate()[0]) for process in both]
    assert [report["findings"] for report in reports] == [expected["findings"]] * 2
    assert list((tmp_path / "shared" / "preambles").glob("*.pch"))


def test_a_build_that_compiles_unit_by_unit_makes_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stridewise.lint import compile_warnings

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "cache" / "stridewise" / "preambles"
    for number in range(3):
        (tmp_path / f"u{number}.cpp").write_text("#include <map>\nint f(std::map<int, int> &m) { return m[1]; }\n")
        assert compile_warnings.main(["--", "c++", "-O2", "-c", f"u{number}.cpp"]) == 0
        assert len(list(folder.glob("*.pch"))) == (number > 0)


@pytest.mark.usefixtures("settled")
def test_the_folder_is_bounded(tmp_path: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project()
    assert kept(tmp_path)
    monkeypatch.setattr(preambles, "_MAX_BYTES", 1000)
    forget_results(tmp_path)
    project()
    assert not kept(tmp_path)
    assert not list((tmp_path / "cache" / "preambles").glob("*.hpp"))


def test_samples_have_the_same_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Over samples of C++ that include much: those of the library's headers, and of different rules."""
    chosen = [
        path
        for path in sorted((TOP / "rules").glob("*/*.cpp"))
        if "#include <vector>" in path.read_text() and "mpi.h" not in path.read_text()
    ][:8]
    assert len(chosen) >= 4
    for number, path in enumerate(chosen):
        shutil.copy(path, tmp_path / f"{number}-{path.name}")
    entries = [
        {"directory": str(tmp_path), "file": name, "arguments": ["c++", "-O2", "-fopenmp", "-std=c++17", "-c", name]}
        for name in sorted(p.name for p in tmp_path.glob("*.cpp"))
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    command = ["lint", "-p", str(tmp_path), "--all", "--format", "json", "--cache-dir"]
    reports = []
    for words in ([str(tmp_path / "a"), "--no-preamble"], [str(tmp_path / "b")]):
        main([*command, *words])
        reports.append(json.loads(capsys.readouterr().out)["findings"])
    assert reports[0]
    assert reports[0] == reports[1]
    assert list((tmp_path / "b" / "preambles").glob("*.pch"))


# What is worth it


WEIGHTS = {
    "sizes": [400_000, 300_000, 200_000, 150_000, 50_000],
    "closures": {"iostream": [0, 3], "vector": [1, 3], "map": [2, 3], "math.h": [4], "absent.h": []},
}


def chosen(
    *units: tuple[Sequence[str], float], made: Sequence[Sequence[str]] = ()
) -> list[tuple[tuple[str, ...], list[int]]]:
    readings = [(tuple(roots), uses, number) for number, (roots, uses) in enumerate(units)]
    return Choice(WEIGHTS, made).sets(readings)


def test_one_reading_is_worth_nothing() -> None:
    assert chosen((["iostream", "vector"], 1)) == []


def test_a_unit_that_is_read_again_and_again_has_its_own() -> None:
    assert chosen((["iostream", "vector"], 3)) == [(("iostream", "vector"), [0])]


def test_units_share_what_they_have_in_common() -> None:
    assert chosen((["iostream", "vector"], 1), (["iostream", "map"], 1)) == [(("iostream",), [0, 1])]


def test_a_set_of_more_headers_must_pay_by_itself() -> None:
    many = [(["iostream"], 1.0)] * 4 + [(["iostream", "vector", "map"], 1.0)] * 4
    assert sorted(chosen(*many)) == [(("iostream",), [0, 1, 2, 3]), (("iostream", "map", "vector"), [4, 5, 6, 7])]


def test_light_headers_are_not_worth_it() -> None:
    assert chosen(*[(["math.h"], 1)] * 9) == []
    assert chosen(*[(["absent.h"], 1)] * 9) == []


def test_what_is_made_costs_nothing_more() -> None:
    assert chosen((["iostream"], 1), made=[["iostream"]]) == [(("iostream",), [0])]
