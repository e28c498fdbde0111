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
# A stage that reads whole arrays is work where each runs once, and set-up beside steps that come back to their data.
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
NOTE = "the program comes by here once, or now and then, beside deeper loops"
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
    if "<vector>" in files["main.c"]:
        files["main.cpp"] = files.pop("main.c")
    for name, text in files.items():
        (folder / name).write_text(text)
    sources = [name for name in files if not name.endswith(".h")]
    commands = [
        {"directory": str(folder), "file": name, "arguments": ["cc", "-O2", "-fopenmp", "-c", name]} for name in sources
    ]
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
    assert found["fill.c"] == ("low", NOTE)
    assert found["stage.c"] == found["fill.c"]


# Deeper work that passes another part of the data, or a buffer that it has filled, in each iteration.
@pytest.mark.parametrize(
    "loop",
    [
        "for (int part = 0; part < n; part++) relax(part);",
        "for (double *row = field; row < field + n * n; row += n) relax(row);",
        "for (int part = 0; part < n; part++) { double *row = field + part * n; relax(row); }",
        "double *row; for (int part = 0; part < n; part++) { row = field + part * n; relax(row); }",
        "double row[100]; for (int part = 0; part < n; part++) { row[part % 100] = field[part]; relax(row); }",
        "double row[100]; for (int part = 0; part < n; part++) { memcpy(&row[0], field + part * n, 8); relax(row); }",
        "std::vector<double> row(100); for (int part = 0; part < n; part++) { row[part % 9] = n; relax(row.data()); }",
        "std::complex<double> row[50]; for (int part = 0; part < n; part++) {"
        " row[part % 9] = 1.0 * part; relax((double *)row); }",
        "std::vector<double> row(100); for (int part = 0; part < n; part++) {"
        " std::fill(row.begin(), row.end(), 1.0); relax(row.data()); }",
        "double *row; for (int part = 0; part < n; part++) {\n#pragma omp parallel\n"
        "{\nrow = field + part * n;\n}\nrelax(row); }",
    ],
)
def test_stages_that_pass_parts(tmp_path: Path, loop: str) -> None:
    passed = "double *row" if "row" in loop else "int part"
    relax = RELAX.replace("relax(void)", f"relax({passed})").replace("  for", "  for (int k = 0; k < n; k++)\n  for", 1)
    relax = relax.replace("field[", "row[k] * field[" if "row" in loop else "(part + k) * field[")
    main = ONCE.replace(STEPS + "        relax();\n", loop + "\n").replace("= malloc", "= (double *)malloc")
    headers = (
        "#include <algorithm>\n#include <complex>\n#include <vector>\n" if "std::" in loop else "#include <string.h>\n"
    )
    main = main.replace("#include <stdlib", headers + "#include <stdlib")
    files = {"relax": relax.replace('"field.h"', '"parts.h"'), "main": main.replace('"field.h"', '"parts.h"')}
    (tmp_path / "parts.h").write_text(HEADER.replace("relax(void)", f"relax({passed})"))
    found = findings(tmp_path, files["main"], relax=files["relax"])
    assert found["stage.c"] == ("medium", "")
    assert found["fill.c"][0] == "low"


# The same data each time: the time and the swapped fields of a step.
@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = 0; k < n; k++) { double t = 0.1 * k; relax(t, field); }",
        "double t = 0; while (t < n) { relax(t, field); t += 0.1; }",
        "for (int k = 0; k < n; k++) { relax(0.1, field); double *kept = field; field = other; other = kept; }",
        "for (int k = 0; k < n; k++) for (int part = 0; part < n; part++) relax(0.1, field + part);",
    ],
)
def test_steps(tmp_path: Path, loop: str) -> None:
    relax = RELAX.replace("relax(void)", "relax(double t, double *u)").replace(
        "  for", "  for (int k = 0; k < n; k++)\n  for", 1
    )
    relax = relax.replace("field[", "(t + k) * u[")
    main = ONCE.replace(STEPS + "        relax();\n", loop + "\n")
    (tmp_path / "parts.h").write_text(HEADER.replace("relax(void)", "relax(double, double *)"))
    found = findings(tmp_path, main.replace('"field.h"', '"parts.h"'), relax=relax.replace('"field.h"', '"parts.h"'))
    assert found["stage.c"][0] == "low"


def test_what_comes_back_to_its_data_is_work(tmp_path: Path) -> None:
    stage = STAGE.replace("  for", "  for (int sweep = 0; sweep < n; sweep++)\n  for", 1)
    assert findings(tmp_path, ONCE, stage=stage)["stage.c"] == ("medium", "")


@pytest.mark.parametrize(
    ("loops", "work", "confidence"),
    [
        ("ij", "to[j * n + i] = from[j * n + i] * from[i]", "low"),
        ("ij", "to[i] += from[j * n + i]", "low"),
        ("ijk", "to[i * n + j] += from[i * n + k] * from[k * n + j]", "medium"),
    ],
)
def test_what_goes_over_its_data_once(tmp_path: Path, loops: str, work: str, confidence: str) -> None:
    """A product of matrices comes back to its factors."""
    nest = "".join(f"  for (int {k} = 0; {k} < n; {k}++)\n" for k in loops)
    stage = STAGE[: STAGE.index("  for")] + nest + f"    {work};\n}}\n"
    assert findings(tmp_path, ONCE, stage=stage)["stage.c"][0] == confidence


def test_a_loop_of_steps_is_no_set_up(tmp_path: Path) -> None:
    """The loops that stand in it are the program's, whatever deeper work is called beside them."""
    steps = "  for (int step = 0; step < argc * 100; step++) {\n    relax();\n"
    steps += "    for (int i = 0; i < n; i++)\n      for (int j = 0; j < n; j++)\n"
    steps += "        other[(step + j) * n + i] += field[step + j * n + i];\n  }\n"
    deep = RELAX.replace("  for", "  for (int k = 0; k < n; k++)\n  for", 1).replace("field[", "field[k + ")
    main = ONCE.replace(STEPS + "        relax();\n", steps).replace(
        "other = malloc(sizeof(double) *", "other = malloc(argc * 800L *"
    )
    assert "other[(step" in main
    assert findings(tmp_path, main, relax=deep)["main.c"][0] == "medium"


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
        ("step % 50 == 0 || step == argc", "low"),
        ("step == 1 || step % 50 == 0", "low"),
        ("step % 50 == 0 || step > argc", "medium"),
        ("step % 50 == 0 || step % 3 == 0", "medium"),
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


ANOTHER = "void relax(void);\nvoid fill(void);\nint main(int argc, char **argv) {\n  relax();\n  return 0;\n}\n"


def test_each_of_two_programs_is_asked(tmp_path: Path) -> None:
    assert findings(tmp_path, ONCE, other=ANOTHER)["fill.c"] == ("low", NOTE)


def test_what_another_program_repeats(tmp_path: Path) -> None:
    steps = "  for (int step = 0; step < argc * 100; step++) {\n    fill();\n    relax();\n  }\n"
    assert findings(tmp_path, ONCE, other=ANOTHER.replace("  relax();\n", steps))["fill.c"] == ("medium", "")


def test_work_of_one_of_two_programs(tmp_path: Path) -> None:
    steps = "  for (int step = 0; step < argc * 100; step++)\n"
    assert findings(tmp_path, ONCE.replace(STEPS, steps), other=ANOTHER)["fill.c"] == ("low", NOTE)


LINES = """
#include "field.h"
#include <math.h>
enum { N = 200 };
static double forcing[N][N][N], line[N];
static void point(double x, double y, double out[3]) {
  for (int m = 0; m < PARTS; m++)
    out[m % 3] = cos(x + m * y);
}
void fill(void) {
  for (int k = 1; k < N - 1; k++)
    for (int i = 1; i < N - 1; i++) {
      for (int j = 0; j < N; j++) {
        double p[3], x = 0.1 * i, y = 0.1 * j;
        point(x, y, p);
        line[j] = p[0] * p[1];
      }
      for (int j = 1; j < N - 1; j++)
        forcing[k][j][i] -= line[j + 1] - line[j - 1];
    }
}
"""
# What the lines hand on makes steps of the loop around them, whatever is kept of each.
RECORD = """
#include "field.h"
enum { N = 200 };
static double kept[N][N][N], line[N];
void fill(void) {
  for (int t = 0; t < N; t++) {
    for (int j = 0; j < N; j++)
      line[j] = 0.5 * line[j] + 0.1 * j;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        kept[t][j][i] = line[j] * i;
  }
}
"""


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        (LINES.replace("PARTS", "3"), "low"),
        (LINES.replace("PARTS", "300"), "medium"),  # each iteration calls work of its own
        (RECORD, "medium"),
    ],
)
def test_lines_that_fill_scratch(tmp_path: Path, text: str, confidence: str) -> None:
    deep = RELAX.replace("void relax(void) {", "void relax(void) {\n  for (int k = 1; k < n - 1; k++)")
    assert findings(tmp_path, ONCE, fill=text, relax=deep)["fill.c"][0] == confidence


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
