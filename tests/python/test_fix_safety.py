"""How safe a fix is where other code may be: units that nobody analysed, other configurations, users outside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from stridewise.cli import main
from stridewise.finding.sources import Project
from stridewise.lint.fix_safety import Tree
from stridewise.settings import toolchain

needs_analyzer = pytest.mark.skipif(
    toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE") is None, reason="stridewise-analyze is not built"
)

CELL = (
    "typedef struct {\n  char flag;\n  double mass;\n  char kind;\n  double charge;\n} Cell;\nextern Cell cells[400];\n"
)
HEADER = f"#ifndef CELL_H\n#define CELL_H\n{CELL}#endif\n"
MAIN = (
    '#include "cell.h"\nCell cells[400];\nint main(void) {\n  for (int i = 0; i < 400; i++)\n    cells[i].mass = i;\n'
    "  return cells[7].flag;\n}\n"
)
USER = '#include "cell.h"\ndouble total(void) {\n  return cells[1].mass + cells[2].charge;\n}\n'
START = '#include "cell.h"\nCell start = {1, 2.0, 3, 4.0};\n'
PROGRAM = {"cell.h": HEADER, "main.c": MAIN, "user.c": USER}
LOCAL = MAIN.replace(
    '#include "cell.h"\nCell cells', CELL.replace("extern Cell cells[400];\n", "") + "static Cell cells"
)


def fix_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: Sequence[str]
) -> tuple[str, str]:
    """(safety, why) of the fix of the one record of interest; empty where there is none."""
    monkeypatch.chdir(folder)
    assert main(["lint", "--no-cache", "--format", "json", "--rules", "mem-struct-padding", *words]) == 0
    (found,) = (f for f in json.loads(capsys.readouterr().out)["findings"] if f["args"]["record"] == "Cell")
    fixes = found["fixes"]
    return (fixes[0]["safety"], fixes[0]["why"]) if fixes else ("", found["evidence"][0].get("note", ""))


def write(folder: Path, files: Mapping[str, str], units: Sequence[str], flags: Sequence[str] = ()) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    entries = [
        {"directory": str(folder), "file": unit, "arguments": ["gcc", "-O2", "-I.", *flags, "-c", unit]}
        for unit in units
    ]
    (folder / "compile_commands.json").write_text(json.dumps(entries))


BOTH = ("main.c", "user.c")


@needs_analyzer
@pytest.mark.parametrize(
    ("more", "units", "safety", "why"),
    [
        pytest.param({}, BOTH, "safe", "every use", id="whole program"),
        pytest.param({"start.c": START}, BOTH, "unsafe", "start.c includes 'cell.h'", id="a unit is in no database"),
        pytest.param({"start.c": START}, (*BOTH, "start.c"), "", "by position", id="the same unit is known"),
        pytest.param(
            {"all.h": '#include "cell.h"\n', "start.c": '#include "all.h"\nCell start = {1};\n'},
            BOTH, "unsafe", "all.h includes 'cell.h'", id="through a header that nobody read",
        ),
        pytest.param(
            {"user.c": '#include "all.h"\n' + USER, "all.h": '#include "cell.h"\n', "start.c": '#include "all.h"\n'},
            BOTH, "unsafe", "start.c includes 'all.h'", id="through a header that others read",
        ),
        pytest.param({"made.c.in": START}, BOTH, "unsafe", "made.c.in includes", id="a template of a source"),
        pytest.param({"tool.py": "print('#include \"cell.h\"')\n"}, BOTH, "unsafe", "tool.py", id="a generator"),
        pytest.param({"kernel.cu": '#include "cell.h"\n'}, BOTH, "unsafe", "kernel.cu", id="another language"),
        pytest.param({"any.c": "#include HEADER\n"}, BOTH, "unsafe", "what a macro names", id="a computed include"),
        pytest.param({"notes.md": "cells and Cell\n"}, BOTH, "safe", "", id="prose may speak of it"),
        pytest.param({"bind.f90": "type, bind(c) :: Cell\n"}, BOTH, "unsafe", "bind.f90 names 'Cell'", id="Fortran"),
        pytest.param(
            {"user.c": USER + "#ifdef TEST\nstatic Cell one = {1, 2.0, 3, 4.0};\n#endif\n"},
            BOTH, "unsafe", "other configurations", id="another configuration",
        ),
        pytest.param(
            {"user.c": USER + "#ifdef TEST\nvoid more(void) { helper(); }\n#endif\n"},
            BOTH, "safe", "", id="another configuration of other things",
        ),
        pytest.param(
            {"main.c": MAIN.replace("int main", "int start")}, BOTH, "unsafe", "no unit has a main", id="a library"
        ),
        pytest.param(
            {"CMakeLists.txt": "install(FILES cell.h DESTINATION include)\n"},
            BOTH, "unsafe", "installs headers", id="an installed header",
        ),
        pytest.param(
            {"CMakeLists.txt": "install(TARGETS program)\n"}, BOTH, "safe", "", id="an installed program",
        ),
        pytest.param({"Makefile": "CFLAGS = -include cell.h\n"}, BOTH, "unsafe", "everywhere", id="a forced include"),
        pytest.param(
            {"copy.c": HEADER.replace("} Cell", "} Same").replace("extern Cell", "extern Same")},
            (*BOTH, "copy.c"), "safe", "", id="a copy that no code uses",
        ),
        pytest.param(
            {"copy.c": CELL.replace("Cell", "Same") + "double second(void) { return cells[2].mass; }\n"},
            (*BOTH, "copy.c"), "unsafe", "with a type of its own", id="a symbol of another type",
        ),
        pytest.param(
            {"user.c": USER.replace("double total", "extern void take(Cell *);\ndouble total").replace(
                "return", "take(cells);\n  return")},
            BOTH, "unsafe", "'take' is defined outside", id="a function of an unknown library",
        ),
        pytest.param(
            {"user.c": USER.replace("return", "void *any = cells;\n  (void)any;\n  return")},
            BOTH, "unsafe", "without its type", id="kept as void",
        ),
    ],
)  # fmt: skip
def test_a_header_record_is_safe_only_in_a_program_without_gaps(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: Mapping[str, str],
    units: Sequence[str],
    safety: str,
    why: str,
) -> None:
    write(tmp_path, {**PROGRAM, **more}, units)
    found = fix_of(tmp_path, monkeypatch, capsys, [])
    assert found[0] == safety
    assert why in found[1]


@needs_analyzer
@pytest.mark.parametrize(
    ("files", "words", "safety", "why"),
    [
        (PROGRAM, ["main.c", "user.c", "--", "-O2"], "unsafe", "may be included by units that were not analysed"),
        (PROGRAM, ["main.c"], "unsafe", "may be included by units that were not analysed"),
        ({"main.c": LOCAL}, ["main.c", "--", "-O2"], "safe", "every use"),
        ({"main.c": LOCAL.replace("static Cell", "Cell")}, ["main.c", "--", "-O2"], "unsafe", "'cells'"),
        ({"main.c": LOCAL, "more.c": '#include "main.c"\n'}, ["main.c", "--", "-O2"], "unsafe", "more.c includes"),
    ],
)
def test_named_files_are_no_whole_program(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: Mapping[str, str],
    words: Sequence[str],
    safety: str,
    why: str,
) -> None:
    write(tmp_path, files, [name for name in files if name in ("main.c", "user.c")])
    found = fix_of(tmp_path, monkeypatch, capsys, words)
    assert found[0] == safety
    assert why in found[1]


@needs_analyzer
def test_units_for_a_shared_library_make_it_unsafe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, PROGRAM, BOTH, ["-fPIC"])
    assert "shared library" in fix_of(tmp_path, monkeypatch, capsys, [])[1]


@needs_analyzer
def test_fix_makes_safe_changes_and_unsafe_ones_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {**PROGRAM, "start.c": START}, BOTH)
    monkeypatch.chdir(tmp_path)
    assert main(["lint", "--no-cache", "--fix"]) == 0
    assert (tmp_path / "cell.h").read_text() == HEADER
    said = capsys.readouterr()
    assert "automatic: lint --fix --unsafe" in said.out
    assert "left for --fix --unsafe: cell.h:3" in said.err
    assert main(["lint", "--no-cache", "--fix", "--unsafe"]) == 0
    assert (tmp_path / "cell.h").read_text() != HEADER
    assert "unsafe: start.c includes 'cell.h'" in capsys.readouterr().err


def test_unsafe_alone_says_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--unsafe"]) == 2
    assert "lint --fix --unsafe" in capsys.readouterr().err


def test_guards_are_no_configurations(tmp_path: Path) -> None:
    tree = Tree(Project(tmp_path))
    header = tmp_path / "a.h"
    for guard in ("#ifndef A_H\n#define A_H\n", "#if !defined(A_H)\n#define A_H\n"):
        header.write_text(f"{guard}struct A {{ int x; }};\n#endif\n")
        assert not tree.other_configuration(str(header), ["A"])
    header.write_text("#ifdef BIG\nstruct A { long x; };\n#endif\n")
    assert tree.other_configuration(str(header), ["A"])
