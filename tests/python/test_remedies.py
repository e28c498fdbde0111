"""What static findings advise, and how sure they are, where the source decides it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from stridewise.settings import toolchain

ANALYZER = toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE")
pytestmark = pytest.mark.skipif(ANALYZER is None, reason="stridewise-analyze is not built")


def findings(folder: Path, rule: str, text: str) -> list[dict[str, Any]]:
    source, out = folder / "a.cpp", folder / "out.json"
    source.write_text(text)
    command = [str(ANALYZER), f"--rules={rule}", "-o", str(out), str(source), "--", "-O2", "-fopenmp", "-std=c++17"]
    subprocess.run(command, check=True, timeout=300)
    result = json.loads(out.read_text())
    assert result["status"] == "ok", result["diagnostics"]
    return list(result["findings"])


def advice(folder: Path, rule: str, text: str) -> tuple[str, str]:
    [finding] = findings(folder, rule, text)
    return finding["advice"], finding["confidence"]


SUM = """#include <vector>
struct Slot { double v = 0; };
void sums(std::vector<Slot> &slots, const std::vector<double> &r, int t) {
  for (int repeat = 0; repeat < 100; ++repeat) {
#pragma omp parallel
    {
      double %s = 0;
#pragma omp for%s
      for (long i = 0; i < 100000; ++i)
        %s += r[i] * r[i];
      slots[t].v = %s;
    }
  }
}
"""


def test_simd_alone_is_no_advice_for_a_sum_that_no_clause_names(tmp_path: Path) -> None:
    text, _ = advice(tmp_path, "build-missed-vectorization", SUM % ("mine", "", "mine", "mine"))
    assert "add up in a variable that the team shares and add 'simd reduction(+:mine)' to the loop's directive" in text


def test_an_element_goes_to_a_variable_first(tmp_path: Path) -> None:
    source = """void rows(double *sum, const double *__restrict v, const long *p, const long *q, long n) {
  for (long i = 0; i < n; ++i)
    for (long k = p[i]; k < q[i]; ++k)
      sum[i] += v[k];
}
void run(double *sum, const double *v, const long *p, const long *q, long n) {
  for (int s = 0; s < 100; ++s)
    rows(sum, v, p, q, n);
}
"""
    text, _ = advice(tmp_path, "build-missed-vectorization", source)
    assert text.startswith("add up in a local variable")


TOUCH = """#include <vector>
void work(int steps) {
  std::vector<double> a(4000000);
  for (int s = 0; s < steps; ++s) {
#pragma omp parallel for schedule(%s)
    for (long i = 0; i < 4000000; ++i)
      a[i] += s;
  }
}
"""


def test_first_touch_for_iterations_that_are_dealt_out(tmp_path: Path) -> None:
    text, confidence = advice(tmp_path, "omp-calloc-first-touch", TOUCH % "static")
    assert confidence == "high"
    assert "with the same static schedule as the loop at line " in text
    text, confidence = advice(tmp_path, "omp-calloc-first-touch", TOUCH % "dynamic, 64")
    assert confidence == "medium"
    assert "same static schedule" not in text
    assert "spreads the pages over the memory nodes" in text


MEMBER = """#include <%s>
class Tally {
public:
  void add(const double *v, long n) {
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      %s
      sum += v[i] > 0;
    }
  }
private:
  std::mutex door;
  %s sum{0};
};
void run(Tally &t, const double *v) { t.add(v, 1000000); }
"""


@pytest.mark.parametrize(
    ("header", "statement", "kind", "then", "confidence"),
    [
        ("mutex", "std::lock_guard<std::mutex> hold(door);", "long", "drop the lock", "medium"),
        ("mutex>\n#include <atomic", "", "std::atomic<long>", "leave the atomic variable alone", "medium"),
    ],
)
def test_a_member_is_summed_up_in_a_local_variable(
    tmp_path: Path, header: str, statement: str, kind: str, then: str, confidence: str
) -> None:
    text, sure = advice(tmp_path, "omp-critical-section", MEMBER % (header, statement, kind))
    assert text.startswith("collect in a local variable with reduction(+:…) on the 'parallel for' at line ")
    assert then in text
    assert sure == confidence


CALLOC = """#include <stdlib.h>
double *field;
void fill(size_t n, int steps) {
  %s
    field = (double *)calloc(n, sizeof *field);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
      field[i] = i;
    free(field);
  }
}
"""


def test_calloc_is_no_more_than_a_question_of_the_library(tmp_path: Path) -> None:
    """Where a block is taken once, glibc hands out pages that nobody has written; taken again, it writes them."""
    once, low = advice(tmp_path, "omp-calloc-first-touch", CALLOC % "{")
    again, medium = advice(tmp_path, "omp-calloc-first-touch", CALLOC % "for (int s = 0; s < steps; s++) {")
    assert (low, medium) == ("low", "medium")
    assert once == again
    assert "'field'" in once


LOCKS = """#include <omp.h>
void add(int n, double *sum, const int *at, const double *by, omp_lock_t *locks) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&locks[%s]);
    sum[at[i]] += by[i];
    omp_unset_lock(&locks[%s]);
  }
}
"""


def test_a_lock_of_each_element_makes_no_queue(tmp_path: Path) -> None:
    for index, expected, lock in (("0", "high", "for a lock"), ("at[i]", "medium", "for an element's lock")):
        [finding] = findings(tmp_path, "omp-critical-section", LOCKS % (index, index))
        assert finding["confidence"] == expected
        assert lock in finding["message"]


ROWS = """void scale(double *m, long rows, long columns) {
  %s
  for (long i = 0; i < rows; ++i) {
#pragma omp parallel for
    for (long j = 0; j < columns; ++j)
      m[i * columns + j] *= 2;
  }
}
"""


def test_rows_of_unknown_number_are_less_sure(tmp_path: Path) -> None:
    """Nothing but the shape of the access says that there are many; another loop that a team shares says it."""
    shared = '_Pragma("omp parallel for")\n for (long i = 0; i < rows; ++i) m[i * columns] = 1;'
    assert advice(tmp_path, "omp-region-in-loop", ROWS % "")[1] == "medium"
    assert advice(tmp_path, "omp-region-in-loop", ROWS % shared)[1] == "high"
