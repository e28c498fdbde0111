"""What a program does once, beside deeper loops: what is said of memory there is of low confidence."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from stridewise.finding import Confidence, Finding, Location, Severity
from stridewise.lint.analysis import LinkResult, UnitResult
from stridewise.lint.study import merge_units

TOP = Path(__file__).resolve().parents[2]
LAUNCHER = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise"

HEADER = """
extern int n;
extern double *field, *other;
void fill(void);
void spread(double *to, const double *from);
void relax(void);
"""
FILL = """
#include "field.h"
void fill(void) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      field[j * n + i] = i + 0.5 * j;
}
"""
# What it has just written is no input.
FILL_TWO = """
#include "field.h"
#include <math.h>
extern double *other;
void fill(void) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      field[j * n + i] = i + 0.5 * j;
      other[j * n + i] = exp(field[j * n + i]);
    }
}
"""
# Stages that read whole arrays are work, also where each runs once.
STAGE = """
#include "field.h"
void spread(double *to, const double *from) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      to[j * n + i] = 0.5 * from[j * n + i];
}
"""
RELAX = """
#include "field.h"
void relax(void) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      other[i * n + j] = 0.25 * (field[i * n + j - 1] + field[i * n + j + 1]);
}
"""
ONCE = """
#include "field.h"
#include <stdlib.h>
int n;
double *field, *other;
int main(int argc, char **argv) {
  n = atoi(argv[1]);
  field = malloc(sizeof(double) * n * n);
  other = malloc(sizeof(double) * n * n);
  fill();
  spread(other, field);
  for (int step = 0; step < argc * 100; step++)
    for (int part = 0; part < argc; part++)
      for (int sweep = 0; sweep < argc * 4; sweep++)
        relax();
  return other[0] > 0;
}
"""
STEPS = ONCE[ONCE.index("  for (int step") : ONCE.index("        relax")]
REPORT = """
#include "field.h"
double look(const double *from) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += from[j * n + i];
  return sum;
}
"""


def findings(folder: Path, main: str, **more: str) -> dict[str, tuple[str, str]]:
    """Confidence and note of the loop orders that lint finds, by file."""
    files = {"field.h": HEADER, "fill.c": FILL, "stage.c": STAGE, "relax.c": RELAX, "main.c": main}
    files |= {f"{name}.c": text for name, text in more.items()}
    for name, text in files.items():
        (folder / name).write_text(text)
    sources = [name for name in files if name.endswith(".c")]
    commands = [{"directory": str(folder), "file": name, "arguments": ["cc", "-O2", "-c", name]} for name in sources]
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    (folder / ".git").mkdir()
    call: list[str | Path] = [
        LAUNCHER,
        "lint",
        "--all",
        "--rules",
        "mem-strided-inner-loop,build-missed-vectorization",
        "--format",
        "json",
    ]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    found = [f for f in json.loads(done.stdout)["findings"] if f["rule"] == "mem-strided-inner-loop"]
    return {f["location"]["file"]: (f["confidence"], f["evidence"][0].get("note", "")) for f in found}


def test_a_function_that_fills_once(tmp_path: Path) -> None:
    found = findings(tmp_path, ONCE)
    assert found["fill.c"] == ("low", "the program comes by here once, or now and then, beside deeper loops")
    assert found["stage.c"] == ("medium", "")


def test_a_function_that_fills_two_arrays(tmp_path: Path) -> None:
    assert findings(tmp_path, ONCE, fill=FILL_TWO)["fill.c"][0] == "low"


@pytest.mark.parametrize(
    ("once", "instead"),
    [
        ("        relax();", "  {\n    fill();\n    relax();\n  }"),  # it is called in the loop, too
        ("  fill();", "  void (*f)(void) = fill;\n  f();"),  # nobody knows who calls it
        (STEPS, ""),  # nothing is deeper
    ],
)
def test_a_function_that_may_run_again(tmp_path: Path, once: str, instead: str) -> None:
    assert findings(tmp_path, ONCE.replace(once, instead))["fill.c"] == ("medium", "")


@pytest.mark.parametrize(
    ("test", "confidence"),
    [
        ("step % 50 == 0", "low"),
        ("argc > 1 && !(step % argc)", "low"),
        ("step % 2 == 0", "medium"),
        ("step % 50", "medium"),
        ("other[step] > 0", "medium"),
    ],
)
def test_a_report_now_and_then(tmp_path: Path, test: str, confidence: str) -> None:
    steps = STEPS.replace("argc * 100; step++)\n", f"argc * 100; step++) {{\n  if ({test})\n    sum += look(other);\n")
    main = (
        ONCE.replace(STEPS, steps).replace("  return", "  }\n  return").replace("  n = ", "  double sum = 0.0;\n  n = ")
    )
    main = main.replace("other[0] > 0", "sum > 0").replace("int n;", "double look(const double *);\nint n;")
    assert findings(tmp_path, main, report=REPORT)["report.c"][0] == confidence


def test_a_report_at_the_end(tmp_path: Path) -> None:
    main = ONCE.replace("other[0] > 0", "look(other) > 0").replace("int n;", "double look(const double *);\nint n;")
    assert findings(tmp_path, main, report=REPORT)["report.c"][0] == "low"


def test_a_deep_nest_is_no_report(tmp_path: Path) -> None:
    """Four loops that leave nothing but a number are work, beside five, too."""
    deep = REPORT.replace("  for (int i", "  for (int k = 0; k < n; k++)\n  for (int l = 0; l < n; l++)\n  for (int i")
    deep = deep.replace("from[j * n + i]", "from[j * n + i] * from[k + l]")
    main = ONCE.replace("other[0] > 0", "look(other) > 0").replace("int n;", "double look(const double *);\nint n;")
    assert findings(tmp_path, main, report=deep)["report.c"][0] == "medium"


def test_work_now_and_then(tmp_path: Path) -> None:
    """What changes the data is no report."""
    steps = STEPS.replace("step++)\n", "step++) {\n  if (step % 50 == 0)\n    spread(field, other);\n")
    main = ONCE.replace(STEPS, steps).replace("  return", "  }\n  return").replace("  spread(other, field);\n", "")
    assert findings(tmp_path, main)["stage.c"][0] == "medium"


def test_of_two_programs_nothing_is_said(tmp_path: Path) -> None:
    other = "void relax(void);\nint main(void) {\n  relax();\n  return 0;\n}\n"
    assert findings(tmp_path, ONCE, other=other)["fill.c"] == ("medium", "")


def test_rules_that_a_cache_run_judges() -> None:
    def unit(rule: str, line: int) -> UnitResult:
        found = Finding(rule, Severity.WARNING, Confidence.HIGH, "m", Location("/p/a.c", line))
        return UnitResult(None, "ok", findings=(found,))  # type: ignore[arg-type]

    linked = LinkResult(once=(Location("/p/a.c", 10, end_line=20),))
    rules = ("mem-power-of-two-stride", "mem-struct-padding")
    merged = merge_units([unit(rule, line) for rule in rules for line in (9, 15)], linked)
    assert {(f.rule, f.location.line): f.confidence.value for f in merged} == {
        ("mem-power-of-two-stride", 9): "high",
        ("mem-power-of-two-stride", 15): "low",
        ("mem-struct-padding", 9): "high",
        ("mem-struct-padding", 15): "high",
    }
