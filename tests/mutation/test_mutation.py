"""The faults that `make mutate` puts in: each program still says the same without one, and something else with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import mutate
from points import Point, points, rewritten

HERE = Path(__file__).resolve().parent
C = """
#include <stdio.h>
enum { Size = 3 };
static int table[4] = {1, 2, 3, 4};
static int sum(const int *values, int count) { // sum && count
  int total = 0;
  for (int i = 0; i < count; i++)
    if (values[i] > 1 && !(values[i] == 3))
      total += values[i];
  switch (total) {
  case 7:
    return 70;
  }
  return total;
}
int main(void) {
  int wide[Size + 1];
  for (int i = 0; i != 4; i++)
    wide[i] = table[i];
  printf("%d\\n", sum(wide, 4));
  return 0;
}
"""
CPP = """
#include <cstdio>
#include <optional>
#include <vector>
enum class Confidence { Low, Medium, High };
static std::optional<int> first(const std::vector<int> &values, int bound) {
  if (values.empty() || bound < 0)
    return std::nullopt;
  static const int Step = 1;
  for (int value : values)
    if (value > bound) return value * Step;
  return {};
}
static Confidence sure(bool seen) { return seen ? Confidence::High : Confidence::Low; }
int main() {
  auto last = [](int a) { return a == 3; };
  std::printf("%d %d %d %d\\n", first({1, 5}, 1).value_or(-1), first({}, 0).value_or(-2), int(sure(true)), last(3));
}
"""
PYTHON = '''"""Words."""
from __future__ import annotations

LIMIT = 3

def far(value: int, limit: int = 2) -> bool:
    """Whether it is far."""
    if value > limit and value != LIMIT:
        return True
    return value is None

def every(values: list[int]) -> list[int]:
    found = [v for v in values if v > 1]
    if not found:
        return [0]
    for v in values:
        found.append(
            v
            + 1
        )
    return found

if __name__ == "__main__":
    print(far(1), far(2), far(3), far(4), every([1, 2]), every([]))
'''


def program(folder: Path, source: Path) -> list[str]:
    if source.suffix == ".py":
        return [sys.executable, str(source)]
    compiler = "clang-19" if source.suffix == ".c" else "clang++-19"
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    said = f'-DSTRIDEWISE_FAULT_NOW="{folder}/fault.now"'
    subprocess.run([compiler, "-w", said, source, "-o", folder / "program"], check=True)
    return [str(folder / "program")]


def output(command: list[str], **environment: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=10, env={**os.environ, **environment}
        )
    except subprocess.TimeoutExpired:
        return "endless"
    return f"{done.returncode} {done.stdout}"


@pytest.mark.parametrize(("suffix", "text"), [(".c", C), (".cpp", CPP), (".py", PYTHON)])
def test_each_fault_is_a_program_of_its_own(tmp_path: Path, suffix: str, text: str) -> None:
    source = tmp_path / f"sample{suffix}"
    source.write_text(text)
    before = output(program(tmp_path, source))
    found = list(enumerate(points(source, source.name), 1))
    faulty = rewritten(text.encode(), found, suffix == ".py").decode()
    if suffix == ".py":
        (tmp_path / "fault.py").write_text((HERE / "fault.py").read_text())
        faulty = faulty.replace("annotations\n", "annotations\nfrom fault import stridewise_fault\n", 1)
    else:
        faulty = f'#include "{HERE}/fault.h"\n{faulty}'
    source.write_text(faulty)
    command, log = program(tmp_path, source), tmp_path / "log"
    assert output(command) == before
    (tmp_path / "fault.now").write_text(f"0\n{log}\ntests/a\n")
    assert output(command, PYTEST_CURRENT_TEST="one (call)") == before
    reached = {int(line.split("\t")[0]) for line in log.read_text().splitlines()}
    assert {line.split("\t")[1] for line in log.read_text().splitlines()} == {"one (call)"}
    kinds = {point.kind for _, point in found}
    assert {"comparison", "constant", "dropped condition", "early return"} <= kinds
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    assert {line.split("\t")[1] for line in log.read_text().splitlines()} == {"one (call)", "tests/a"}
    same = set()
    for number, point in found:
        (tmp_path / "fault.now").write_text(f"{number}\n\n\n")
        if output(command) == before:
            same.add(str(point))
    assert reached <= {number for number, _ in found}
    allowed = {".c": 6, ".cpp": 9, ".py": 6}[suffix]  # faults that these inputs do not show
    assert len(same) <= allowed, same
    assert len(same) < len(found) / 2


def test_constants_stay_where_the_language_wants_them(tmp_path: Path) -> None:
    source = tmp_path / "sample.c"
    source.write_text(C)
    lines = {point.line for point in points(source, "sample.c") if point.kind == "constant"}
    text = C.splitlines()
    assert not any(
        "Size" in text[line - 1] or "case" in text[line - 1] or "table[4]" in text[line - 1] for line in lines
    )


def test_compilers_name_the_faults_that_are_no_program(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "runtime").mkdir(parents=True)
    (tree / "runtime" / "a.cpp").write_text("")
    one = Point("runtime/a.cpp", 4, "constant", 10, 11, "0", "0 + 1")
    other = Point("runtime/a.cpp", 9, "constant", 50, 51, "0", "0 + 1")
    printed = f"{tree}/runtime/a.cpp:4:17: error: no viable conversion\n1 error generated.\n"
    assert mutate.broken(printed, tree, [(1, one), (2, other)]) == [(1, one)]


def test_results_outlive_a_killed_run(tmp_path: Path) -> None:
    point = Point("stridewise/a.py", 4, "constant", 10, 11, "0", "0 + 1")
    results = mutate.Results(tmp_path / "r.jsonl")
    results.add(point, "killed", "tests/python")
    with (tmp_path / "r.jsonl").open("a") as file:
        file.write('{"point": "stridew')
    again = mutate.Results(tmp_path / "r.jsonl")
    assert again[point] == ("killed", "tests/python")
    page = mutate.report([point], again, ["stridewise", "--report", "x.md"], {})
    assert "| `stridewise` | 1 | 1 | 0 | 0 | 100 % |" in page
    assert "make mutate ARGS='stridewise --report x.md'" in page


def test_draws_are_the_same_for_a_seed() -> None:
    paths = mutate.files([Path("stridewise/finding")])
    assert mutate.draw(paths, 20, 1) == mutate.draw(paths, 20, 1)
    assert mutate.draw(paths, 20, 1) != mutate.draw(paths, 20, 2)
    assert mutate.draw(paths, 20, 1)[:10] == mutate.draw(paths, 10, 1)
    more = mutate.files([Path("stridewise/finding"), Path("stridewise/output.py")])
    assert len(set(mutate.draw(more, 20, 1)) - set(mutate.draw(paths, 20, 1))) < 5  # other code takes few places
    with pytest.raises(SystemExit, match="nothing of this project"):
        mutate.files([Path("/etc/passwd")])


def test_what_no_test_noticed_is_judged_again(tmp_path: Path) -> None:
    results = mutate.Results(tmp_path / "r.jsonl")
    one, other = (Point("stridewise/a.py", line, "constant", 10, 11, "0", "0 + 1") for line in (4, 5))
    results.add(one, "survived", "")
    results.add(other, "killed", "")
    results.forget([one, other], ("survived", "not reached"))
    assert one not in results
    assert other in results


def test_faults_that_nobody_could_see_are_named_apart(tmp_path: Path) -> None:
    results = mutate.Results(tmp_path / "r.jsonl")
    point = Point("stridewise/a.py", 4, "constant", 10, 11, "0", "0 + 1")
    results.add(point, "survived", "")
    (tmp_path / "equivalent.tsv").write_text(f"# why\n{point.key}\tan empty list has no items\n")
    page = mutate.report([point], results, ["stridewise"], mutate.equivalents(tmp_path / "equivalent.tsv"))
    assert "| `stridewise` | 1 | 0 | 1 | 0 | 0 % |" in page
    assert "an empty list has no items" in page
    assert "## Survived" not in page


def test_each_suite_tells_its_tests_of_what_fixtures_come_by() -> None:
    known = {"tests/a/test_x.py::one": 1.0, "tests/a/test_x.py::two": 2.0, "tests/b/test_y.py::one[a (b)]": 1.0}
    assert mutate.tests_of("tests/a/test_x.py::one (setup)", known) == {"tests/a/test_x.py::one"}
    assert mutate.tests_of("tests/a/test_x.py", known) == {"tests/a/test_x.py::one", "tests/a/test_x.py::two"}
    assert mutate.tests_of("tests/b", known) == {"tests/b/test_y.py::one[a (b)]"}
    assert mutate.tests_of("tests/b/test_y.py::one[a (b)] (call)", known) == {"tests/b/test_y.py::one[a (b)]"}
    assert mutate.tests_of("", known) == set()


def test_every_folder_of_the_package_has_suites_that_are_there() -> None:
    for name in ("analyzer/unit", "runtime/merge", "runtime/ompt", "pmpi_wrappers", "stridewise"):
        for file in mutate.files([Path(name)]):
            mutate.suites(Point(file.as_posix(), 1, "constant", 0, 1, "0", "1"))
    for folders, _ in mutate.SUITES.values():
        assert all((mutate.TOP / "tests" / name).is_dir() for name in folders)


def test_a_fault_is_drawn_where_it_can_be_written(tmp_path: Path) -> None:
    source = tmp_path / "sample.py"
    source.write_text('def f(a):\n    if a == "#":\n        return 1\n    return 2\n\ndef g(a): a.x(); return a\n')
    assert {p.kind for p in points(source, "sample.py")} == {"early return", "dropped condition", "constant"}
