from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stridewise.cli import main
from stridewise.collect.compile_db import Command, Language
from stridewise.finding import Confidence, Finding, Location, Severity
from stridewise.lint import analysis
from stridewise.lint.analysis import LinkResult, UnitResult
from stridewise.lint.study import merge_units

Make = Callable[..., Path]
CLEAN = "int f(void);\n"
SLOW = "// @finding mem-struct-padding fix\nint g(void);\n"

pytestmark = pytest.mark.usefixtures("fake_analyzer")


def report(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    status = main(["lint", "--format", "json", *words])
    out = capsys.readouterr().out
    return status, json.loads(out)


def test_clean_project(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"a.c": CLEAN, "b.c": CLEAN})
    assert main(["lint"]) == 0
    assert capsys.readouterr().out == "2 files analysed · 0 findings\n"


def test_findings_follow_the_schema_and_are_relative(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    root = project({"src/a.c": SLOW})
    status, found = report(capsys)
    schema = json.loads((Path(__file__).parents[2] / "rules" / "finding.schema.json").read_text())
    for finding in found["findings"]:
        jsonschema.validate(finding, schema)
    assert status == 0
    assert found["root"] == str(root)
    assert found["findings"][0]["location"]["file"] == "src/a.c"
    assert found["findings"][0]["fingerprint"]
    assert found["stats"]["files_analysed"] == 1


@pytest.mark.parametrize(
    ("level", "confidence", "status"),
    [("warning", "high", 1), ("info", "high", 1), ("error", "high", 0), ("warning", "low", 0)],
)
def test_fail_on(project: Make, level: str, confidence: str, status: int) -> None:
    project({"a.c": f"// @finding mem-struct-padding {confidence}\nint g(void);\n"})
    assert main(["lint", "--fail-on", level]) == status


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ("@crash", "SIGSEGV"),
        ("@fail", "cannot do it"),
        ("@garbage", "unreadable"),
    ],
)
def test_a_bad_unit_is_named_and_the_rest_is_reported(
    project: Make, capsys: pytest.CaptureFixture[str], directive: str, message: str
) -> None:
    project({"bad.c": f"// {directive}\n", "good.c": SLOW})
    status, found = report(capsys, "-j", "2")
    assert status == 2
    assert [f["location"]["file"] for f in found["findings"]] == ["good.c"]
    assert [p["where"] for p in found["problems"]] == ["bad.c"]
    assert message in found["problems"][0]["message"]
    assert (found["stats"]["files_analysed"], found["stats"]["files_failed"]) == (1, 1)


def test_a_unit_that_does_not_end_is_stopped(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    """Alone: on a busy machine others may need as long to start."""
    project({"bad.c": "// @spin\n"})
    status, found = report(capsys, "--timeout", "0.5")
    assert status == 2
    (problem,) = found["problems"]
    assert (problem["where"], problem["message"]) == ("bad.c", "took longer than 0.5 s of processor time")
    assert problem["details"] == ["no rule was run for it"]
    assert "mem-strided-inner-loop" in problem["rules"]


def test_a_unit_that_waits_is_stopped_later(project: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time in which the machine does other things counts little."""
    root = project({"bad.c": "// @hang\n"})
    monkeypatch.setattr(analysis, "_CLOCK_SECONDS", 2.0)
    words = [str(tmp_path / "bin" / "fake-analyze"), "-o", str(tmp_path / "out.json"), str(root / "bad.c"), "--"]
    start = time.monotonic()
    assert analysis.run_bounded(words, root, analysis.Limits(seconds=0.05)) in (
        "did not end within 3 s",
        "took longer than 0.05 s of processor time",  # a slow start of Python
    )
    assert time.monotonic() - start < 30


def test_a_unit_that_eats_memory_is_stopped(project: Make, tmp_path: Path) -> None:
    root = project({"bad.c": "// @eat\n"})
    analyzer = tmp_path / "bin" / "fake-analyze"
    limits = analysis.Limits(seconds=300, resident_bytes=128 << 20)
    words = [str(analyzer), "-o", str(tmp_path / "out.json"), str(root / "bad.c"), "--"]
    assert "needed more than 128 MiB" in analysis.run_bounded(words, root, limits)


def test_a_unit_with_errors_keeps_its_findings(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"a.c": "// @errors\n" + SLOW})
    assert main(["lint"]) == 2
    out = capsys.readouterr().out
    assert "a.c: does not compile with clang" in out
    assert "a.c:1:4: no such thing" in out
    assert "mem-struct-padding" in out
    assert "0 files analysed, 1 failed" in out


def test_missing_file_of_the_database(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    root = project({"a.c": SLOW})
    entry = {"directory": str(root), "command": "gcc -c x.c"}
    project({}, [{**entry, "file": "gone.c"}, {**entry, "file": "a.c"}, {**entry, "file": "k.cu"}])
    status, found = report(capsys)
    assert status == 2
    assert found["problems"] == [
        {"where": "gone.c", "message": "the database names this file, but it does not exist", "details": []}
    ]
    assert len(found["findings"]) == 1
    assert found["stats"]["files_skipped"] == 1


def test_skipped_languages_are_no_failure(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    root = project({"a.c": CLEAN, "k.cu": ""})
    project({}, [{"directory": str(root), "file": name, "command": "x"} for name in ("a.c", "k.cu")])
    assert main(["lint"]) == 0
    assert "1 file analysed, 1 skipped" in capsys.readouterr().out


def test_equal_entries_are_analysed_once_and_it_is_said(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    root = project({"a.c": SLOW})
    entry = {"directory": str(root), "file": "a.c", "command": "gcc -c a.c"}
    project({}, [entry, {**entry, "command": "gcc -c a.c -o other.o"}, {**entry, "command": "gcc -DX -c a.c"}])
    status, found = report(capsys)
    assert status == 0
    assert (found["stats"]["units_analysed"], found["stats"]["entries_repeated"]) == (2, 1)
    assert found["stats"]["files_analysed"] == 1
    assert len(found["findings"]) == 1
    assert found["findings"][0]["evidence"][0]["metrics"] == {"units": 2}


def test_header_findings_of_several_units_are_one(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    use = "// @finding mem-struct-padding header rec.h 2 {}\n"
    project({"rec.h": "\nstruct r;\n", "a.c": use.format("low"), "b.c": use.format("high")})
    _, found = report(capsys)
    assert [(f["location"]["file"], f["confidence"]) for f in found["findings"]] == [("rec.h", "high")]


def test_findings_in_templates_count_units_and_instantiations() -> None:
    def seen_in(unit: str, message: str, *names: str) -> UnitResult:
        found = Finding("mem-struct-padding", Severity.WARNING, Confidence.LOW, message, Location("/p/t.hpp", 3))
        command = Command(Path(f"/p/{unit}"), Path("/p"), (), Language.CXX)
        return UnitResult(command, "ok", findings=(replace(found, instantiations=names),))

    results = [seen_in("a.cpp", "8 bytes", "sum<double>", "sum<float>"), seen_in("b.cpp", "4 bytes", "sum<float>")]
    (found,) = merge_units(results, LinkResult())
    assert found.evidence[0].metrics == {"units": 2, "instantiations": 2}
    assert Finding.from_json(found.to_json()).instantiations == ("sum<double>", "sum<float>")


@pytest.mark.parametrize(
    ("sources", "offered"),
    [
        ({"a.c": "// @finding mem-struct-padding header rec.h 1 fix\n", "b.c": CLEAN}, "safe"),
        ({"a.c": "// @finding mem-struct-padding header rec.h 1 fix\n", "b.c": "// @crash\n"}, "unsafe"),
        ({"a.c": "// @finding mem-struct-padding header rec.h 1 fix\n",
          "b.c": "// @finding mem-struct-padding header rec.h 1\n"}, ""),
    ],
)  # fmt: skip
def test_a_fix_in_a_header_needs_every_unit(
    project: Make, capsys: pytest.CaptureFixture[str], sources: dict[str, str], offered: str
) -> None:
    project({"rec.h": "int x;\n", **sources})
    _, found = report(capsys)
    assert [fix["safety"] for fix in found["findings"][0]["fixes"]] == ([offered] if offered else [])


def test_a_part_of_the_units_gives_no_safe_fix_in_headers(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"rec.h": "int x;\n", "a.c": "// @finding mem-struct-padding header rec.h 1 fix\n", "b.c": CLEAN})
    _, found = report(capsys, "a.c")
    (fix,) = found["findings"][0]["fixes"]
    assert (fix["safety"], "units that were not analysed" in fix["why"]) == ("unsafe", True)


def test_withdrawn_fixes_say_why(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"a.c": "// @withdraw mem-struct-padding\n// @finding mem-struct-padding header a.c 2 fix\nint g;\n"})
    _, found = report(capsys)
    assert found["findings"][0]["fixes"] == []
    assert "another unit copies its bytes" in found["findings"][0]["evidence"][0]["note"]


@pytest.mark.parametrize(
    ("words", "reported", "unsure"),
    [
        ([], ["high", "medium"], ["low"]),
        (["--min-confidence", "high"], ["high"], ["medium", "low"]),
        (["--min-confidence", "low"], ["high", "medium", "low"], []),
        (["--all"], ["high", "medium", "low"], []),
    ],
)
def test_unsure_findings_are_counted_not_reported(
    project: Make, capsys: pytest.CaptureFixture[str], words: list[str], reported: list[str], unsure: list[str]
) -> None:
    project({"a.c": "".join(f"// @finding mem-struct-padding {c}\nint {c};\n" for c in ("low", "high", "medium"))})
    _, found = report(capsys, *words)
    assert [f["confidence"] for f in found["findings"]] == reported
    assert [f["confidence"] for f in found["unsure"]] == unsure
    assert found["stats"]["by_confidence"] == {"high": 1, "medium": 1, "low": 1}
    assert main(["lint", "--format", "sarif", *words]) == 0
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert [r["properties"]["confidence"] for r in results] == reported
    assert main(["lint", *words]) == 0
    said = capsys.readouterr().out
    assert f"{len(reported)} finding" in said
    assert (f"{len(unsure)} more at {' or '.join(reversed(unsure))} confidence, shown with --all" in said) == bool(
        unsure
    )


def test_fix_leaves_unsure_findings_alone(project: Make) -> None:
    text = "// @finding mem-struct-padding low fix\nint g(void);\n"
    root = project({"a.c": text})
    assert main(["lint", "--fix"]) == 0
    assert (root / "a.c").read_text() == text


def test_fix_edits_the_files_and_says_so(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    root = project({"a.c": SLOW, "b.c": SLOW})
    assert main(["lint", "--fix"]) == 0
    assert (root / "a.c").read_text() == SLOW.replace("int g", "long g")
    assert (root / "b.c").read_text() == SLOW.replace("int g", "long g")
    said = capsys.readouterr().err
    assert "fixed a.c: use long (mem-struct-padding)" in said
    assert sorted(p.name for p in root.iterdir()) == [".git", "a.c", "b.c", "compile_commands.json"]


def test_no_fix_outside_the_project(project: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "outside.h").write_text("int x;\n")
    project({"a.c": "// @finding mem-struct-padding header ../outside.h 1 fix\n"})
    status, found = report(capsys, "--fix")
    assert (status, found["findings"], found["stats"]["outside_project"]) == (0, [], 1)
    assert (tmp_path / "outside.h").read_text() == "int x;\n"


def test_baseline_hides_what_was_known(project: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = project({"a.c": SLOW})
    known = tmp_path / "known.json"
    assert main(["lint", "--format", "json", "-o", str(known)]) == 0
    (root / "a.c").write_text("\n\n" + SLOW + "// @finding mem-struct-padding\nint fresh(void);\n")
    status, found = report(capsys, "--baseline", str(known), "--fail-on", "warning")
    assert status == 1
    assert [f["location"]["line"] for f in found["findings"]] == [6]
    assert found["stats"]["in_baseline"] == 1


@pytest.mark.parametrize("text", ["", "[]", '{"findings": 3}', '{"findings": [3]}'])
def test_bad_baseline(project: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    project({"a.c": CLEAN})
    (tmp_path / "known.json").write_text(text)
    assert main(["lint", "--baseline", str(tmp_path / "known.json")]) == 2
    assert "cannot read the baseline" in capsys.readouterr().err


def test_twenty_are_shown_and_the_rest_is_counted(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"a.c": "\n".join("// @finding mem-struct-padding\n" for _ in range(23))})
    assert main(["lint"]) == 0
    out = capsys.readouterr().out
    assert " 20  mem-struct-padding" in out
    assert " 21  " not in out
    assert "23 findings (confidence: 23 high) · 3 more with --all" in out
    assert main(["lint", "--all"]) == 0
    assert " 23  mem-struct-padding" in capsys.readouterr().out


def test_only_the_named_part(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"src/a.c": SLOW, "src2/b.c": SLOW})
    _, found = report(capsys, "src")
    assert [f["location"]["file"] for f in found["findings"]] == ["src/a.c"]


def test_a_file_without_entry(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"a.c": SLOW, "tool.txt": ""})
    Path("b.c").write_text(SLOW)
    assert main(["lint", "b.c"]) == 2
    assert "no entry for this file; give its flags: stridewise lint FILE -- FLAGS" in capsys.readouterr().out


def test_flags_replace_the_database(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"a.c": SLOW})
    Path("b.c").write_text(SLOW)
    _, found = report(capsys, "b.c", "--", "-O2")
    assert [f["location"]["file"] for f in found["findings"]] == ["b.c"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.c"], "no such file or folder: missing.c"),
        (["-p", "nowhere"], "no compile_commands.json at nowhere"),
        (["--", "-O2"], "need source files before them"),
        (["-p", "empty.json"], "is empty"),
        (["-o", "no/folder/x.txt"], "cannot write"),
    ],
)
def test_what_cannot_be_done(project: Make, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    project({"a.c": CLEAN})
    Path("empty.json").write_text("[]")
    assert main(["lint", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert message in said


def test_no_database_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("stridewise.collect.compile_db.find_database", lambda start: None)
    assert main(["lint"]) == 2
    assert "capture -- make" in capsys.readouterr().err


def test_no_analyser(project: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    project({"a.c": CLEAN})
    monkeypatch.setenv("STRIDEWISE_ANALYZE", "/nowhere/stridewise-analyze")
    assert main(["lint"]) == 2
    assert "STRIDEWISE_ANALYZE names /nowhere/stridewise-analyze" in capsys.readouterr().err
