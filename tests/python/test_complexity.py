"""No function is hard to follow unless a comment above it says why (cyclomatic complexity, as lizard counts it)."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FOLDERS = ("analyzer", "pmpi_wrappers", "runtime", "stridewise", "scripts", "benchmarks", "tests")
LIMIT = 25
SAID = re.compile(r"\bcomplexity (\d+)\b")
COMMENT = re.compile(r"\s*(//|/\*|\*|#|@)")  # decorators stand between a comment and its function


@dataclass(frozen=True)
class Function:
    file: str
    name: str
    line: int
    complexity: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name} has a complexity of {self.complexity}"


def functions(root: Path, folders: Sequence[str]) -> list[Function]:
    command = [sys.executable, "-m", "lizard", "--csv", "-l", "cpp", "-l", "python", *folders]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    rows = csv.reader(done.stdout.splitlines())
    return [Function(row[6], row[7], int(row[9]), int(row[1])) for row in rows]


def explained(root: Path, function: Function) -> bool:
    """Whether a comment right above it states a complexity at least as large, so that it grows no further unseen."""
    lines = (root / function.file).read_text(encoding="utf-8").splitlines()
    for line in reversed(lines[: function.line - 1]):
        if not COMMENT.match(line):
            return False
        if said := SAID.search(line):
            return int(said[1]) >= function.complexity
    return False


def test_no_function_is_hard_to_follow() -> None:
    assert not [str(f) for f in functions(TOP, FOLDERS) if f.complexity > LIMIT and not explained(TOP, f)]


def test_a_hard_function_is_found_and_a_comment_explains_it(tmp_path: Path) -> None:
    tests = "".join(f"    if x == {i}:\n        return {i}\n" for i in range(30))
    cases = "".join(f"  case {i}: return {i * i};\n" for i in range(30))
    hard = f"def f(x):\n{tests}    return 0\n"
    switch = f"int f(int x) {{\n  switch (x) {{\n{cases}  }}\n  return 0;\n}}\n"
    for name, text, held in [
        ("bare.py", hard, False),
        ("said.py", f"# one test for each number, complexity 31\n{hard}", True),
        ("grown.py", f"# one test for each number, complexity 30\n{hard}", False),
        ("far.py", f"# complexity 31\nx = 1\n{hard}", False),
        ("bare.c", switch, False),
        ("said.c", f"/* One switch over numbers, complexity 31. */\n{switch}", True),
        ("said.cpp", f"/// One switch over numbers,\n/// complexity 31.\n{switch}", True),
    ]:
        (tmp_path / name).write_text(text, encoding="utf-8")
        (function,) = functions(tmp_path, [name])
        assert function.complexity == 31, name
        assert explained(tmp_path, function) is held, name
