"""The format under lit itself, with an analyser made for the purpose: it reports each line that holds `wasteful`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lit_format.stridewise_format import Case, spread

TESTS = Path(__file__).resolve().parent.parent
SLUG = "mem-example"

ANALYZER = f"""#!{sys.executable}
import json, sys
source = next(a for a in sys.argv[1:] if a.endswith(".c"))
off = "--rules=-{SLUG}" in sys.argv
def finding(line):
    where = {{"file": source, "line": line, "column": 1, "end_line": line, "end_column": 2}}
    with open(source) as text:
        begin = text.read().find("wasteful[")
    edit = {{"file": source, "begin_offset": begin, "end_offset": begin + 8, "replacement": FIX}}
    fixes = [{{"description": "d", "edits": [edit]}}] if FIX else []
    return {{"rule": "{SLUG}", "confidence": "high", "location": where, "message": "wasteful", "fixes": fixes}}
with open(source) as text:
    hits = [n for n, line in enumerate(text, 1) if WORD in line]
print(json.dumps({{"status": "ok", "stats": {{"ir": "ok"}}, "diagnostics": [], "summaries": {{}},
                  "mpi_wrappers": [], "foreign": [], "mpi_ranks": [], "mpi_asked": [],
                  "findings": [] if off else [finding(n) for n in hits]}}))
"""

CONFIG = """
from pathlib import Path
from lit_format.stridewise_format import StridewiseFormat
top = Path(__file__).resolve().parent
config.name = "t"
config.test_source_root = str(top / "rules")
config.test_exec_root = str(top / "work")
config.test_format = StridewiseFormat(top / "rules", top / "variants", top / "kernels", top / "build", top / "work")
"""

BUGGY = f"// expect: {SLUG}\nint wasteful[4];\nint main(void) {{ return 0; }}\n"
OTHER_PROGRAM = 'a[1];\nint main(void) { return __builtin_printf("x") < 0; }\n#define main unused\nint b'
FIXED = "int frugal[4];\nint main(void) { return 0; }\n"


def results(
    top: Path, samples: dict[str, str], word: str = '"wasteful["', fix: str = "", variant: str | None = None
) -> dict[str, str]:
    """Outcome by test name of a lit run over one rule with these samples."""
    rule = top / "rules" / SLUG
    (rule / "cases").mkdir(parents=True)
    (rule / "rule.toml").write_text("[detectors.static]\n")
    for name, text in samples.items():
        (rule / name).write_text(text)
    if variant is not None:
        (top / "variants" / SLUG).mkdir(parents=True)
        (top / "variants" / SLUG / "v1.c").write_text(variant)
    (top / "build" / "bin").mkdir(parents=True)
    analyzer = top / "build" / "bin" / "stridewise-analyze"
    analyzer.write_text(ANALYZER.replace("WORD", word).replace("FIX", repr(fix)))
    analyzer.chmod(0o755)
    (top / "lit.cfg.py").write_text(CONFIG)
    report = top / "report.json"
    subprocess.run(
        [sys.executable, "-c", "import lit.main; lit.main.main()", "-q", "-j1", "--output", report, top],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])},
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if not report.exists():
        return {}
    prefix = f"t :: {SLUG}/"
    return {t["name"].removeprefix(prefix): t["code"] for t in json.loads(report.read_text())["tests"]}


def test_right_expectations_pass(tmp_path: Path) -> None:
    outcome = results(tmp_path, {"buggy.c": BUGGY, "fixed.c": FIXED}, variant=BUGGY)
    passing = [
        "buggy.c/tool",
        "buggy.c/off",
        "buggy.c/twin",
        "fixed.c/tool",
        "fixed.c/stripped",
        "variants/v1.c/tool",
    ]
    assert {name: outcome[name] for name in passing} == dict.fromkeys(passing, "PASS")


@pytest.mark.parametrize(
    ("buggy", "fixed", "failing"),
    [
        (BUGGY.replace("wasteful", "frugal"), FIXED, "buggy.c/tool"),
        (BUGGY.replace("\nint main", "\nint wasteful[9];\nint main"), FIXED, "buggy.c/tool"),
        ("\n" + BUGGY.replace("// expect", "// expect", 1).replace(SLUG, "mem-other"), FIXED, "buggy.c/tool"),
        (BUGGY, FIXED.replace("frugal", "wasteful"), "fixed.c/tool"),
        (BUGGY, FIXED.replace("{ return", '{ __builtin_printf("other"); return'), "buggy.c/twin"),
    ],
)
def test_wrong_samples_fail(tmp_path: Path, buggy: str, fixed: str, failing: str) -> None:
    assert results(tmp_path, {"buggy.c": buggy, "fixed.c": fixed})[failing] == "FAIL"


def test_wrong_variant_fails(tmp_path: Path) -> None:
    outcome = results(tmp_path, {"buggy.c": BUGGY, "fixed.c": FIXED}, variant=BUGGY.replace("wasteful", "frugal"))
    assert outcome["variants/v1.c/tool"] == "FAIL"


def test_detector_that_reads_names_or_comments_fails(tmp_path: Path) -> None:
    assert results(tmp_path, {"buggy.c": BUGGY, "fixed.c": FIXED})["buggy.c/stripped"] == "FAIL"


def test_detector_that_reads_code_passes_stripped(tmp_path: Path) -> None:
    assert (
        results(tmp_path, {"buggy.c": BUGGY, "fixed.c": FIXED.replace("[4]", "")}, word='"[4]"')["buggy.c/stripped"]
        == "PASS"
    )


def test_hosts_that_do_not_load_fail(tmp_path: Path) -> None:
    outcome = results(tmp_path, {"buggy.c": BUGGY, "fixed.c": FIXED})
    assert outcome["buggy.c/tidy"] == outcome["buggy.c/plugin"] == "FAIL"


@pytest.mark.parametrize(
    ("fix", "header", "outcome"),
    [
        ("frugal", f"// fixes: {SLUG}\n", "PASS"),
        ("frugal", "", "PASS"),
        ("", f"// fixes: {SLUG}\n", "FAIL"),  # no fix where one is promised
        ("2 syntax errors", "", "FAIL"),  # does not build
        ("other, wasteful", "", "FAIL"),  # the finding stays
        (OTHER_PROGRAM, "", "FAIL"),  # prints something else
    ],
)
def test_fixes_are_applied(tmp_path: Path, fix: str, header: str, outcome: str) -> None:
    assert results(tmp_path, {"buggy.c": header + BUGGY, "fixed.c": FIXED}, fix=fix)["buggy.c/tool"] == outcome


def test_rule_without_its_pair_is_an_error(tmp_path: Path) -> None:
    assert results(tmp_path, {"buggy.c": BUGGY}) == {}


def test_programs_that_are_watched_stand_apart() -> None:
    kinds = ["run", "omp.gcc", "cache", "sharing", *["tool"] * 130]
    cases = [Case(SLUG, f"{number}.c", kind, ()) for number, kind in enumerate(kinds)]
    order = [case.kind for case in spread(cases)]
    assert sorted(order) == sorted(kinds)
    assert [place for place, kind in enumerate(order) if kind != "tool"] == [0, 21, 42, 113]
    assert spread(cases[4:]) == cases[4:]
    assert spread(cases[:4]) == cases[:4]
