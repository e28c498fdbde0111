from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main
from stridewise.finding import FindingError
from stridewise.lint.suppressions import Suppression, problems
from stridewise.settings import toolchain

SLUGS = ("mem-struct-padding", "mpi-tiny-messages")
RECORD = "struct s {{ char a; double b; char c; }};{}\nstruct s *f(int n) {{ return new struct s[n]; }}\n"
Make = Callable[..., Path]

needs_analyzer = pytest.mark.skipif(
    toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE") is None, reason="stridewise-analyze is not built"
)


def comment(line: int, kind: str, *names: str, reason: bool = True, file: str = "a.c") -> Suppression:
    return Suppression(file, line, kind, names, reason)


def said(*comments: Suppression, reasons: bool = False) -> list[tuple[int, str, str]]:
    found = list(problems(comments, SLUGS, lambda _: reasons))
    assert all(f.rule == "nolint" for f in found)
    return [(f.location.line, f.message, f.advice) for f in found]


def test_good_comments_are_no_news() -> None:
    name = "stridewise-mem-struct-padding"
    assert said(comment(1, "line", name), comment(2, "next line", "stridewise-*", "bugprone-x")) == []
    assert said(comment(1, "begin", name), comment(3, "begin", "stridewise-mpi-*"), comment(4, "end", name),
                comment(5, "end", "stridewise-mpi-*")) == []  # fmt: skip


def test_lone_ends() -> None:
    a, b = "stridewise-mem-*", "stridewise-mpi-*"
    found = said(comment(1, "begin", a), comment(5, "end", b), comment(1, "begin", a, file="b.c"))
    assert [(line, message.split()[0]) for line, message, _ in found] == [
        (1, "NOLINTBEGIN"), (5, "NOLINTEND"), (1, "NOLINTBEGIN"),
    ]  # fmt: skip
    assert found[0][2] == "write NOLINTEND(stridewise-mem-*)"
    assert len(said(comment(1, "begin", a), comment(2, "begin", a), comment(3, "end", a))) == 1


def test_unknown_rules_get_the_nearest_name() -> None:
    assert said(comment(3, "line", "stridewise-mem-struct-pading")) == [
        (
            3,
            "NOLINT names 'stridewise-mem-struct-pading', which is no rule",
            "did you mean stridewise-mem-struct-padding",
        )
    ]
    assert said(comment(3, "line", "stridewise-xyz-*"))[0][2] == "stridewise rules lists them"
    assert said(comment(3, "line", "bugprone-nonsense", "*")) == []


def test_reasons_where_they_are_required() -> None:
    name = "stridewise-mem-struct-padding"
    bare = [comment(1, "line", name, reason=False), comment(2, "begin", name, reason=False),
            comment(3, "end", name, reason=False)]  # fmt: skip
    assert said(*bare) == []
    assert [(line, message) for line, message, _ in said(*bare, reasons=True)] == [
        (1, "NOLINT gives no reason"), (2, "NOLINTBEGIN gives no reason"),
    ]  # fmt: skip


def test_a_comment_of_a_header_is_one_however_many_units_see_it() -> None:
    assert len(said(*[comment(1, "begin", "stridewise-*")] * 3)) == 1


@pytest.mark.parametrize("value", [3, {}, {"file": "a", "line": 1, "kind": "x", "names": []},
                                   {"file": "a", "line": 1, "kind": "line", "names": [3]}])  # fmt: skip
def test_wrong_results_are_refused(value: Any) -> None:
    with pytest.raises(FindingError):
        Suppression.from_json(value)


def lint(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["lint", "--format", "json", "--no-cache", "--all", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


@needs_analyzer
@pytest.mark.parametrize(
    ("text", "suppressed", "rest"),
    [
        ("  // nothing", 0, [("mem-struct-padding", 1)]),
        ("  // NOLINT", 1, []),
        ("  // NOLINT(stridewise-mem-struct-padding): a file's layout", 1, []),
        ("  // NOLINT(stridewise-mem-*)", 1, []),
        ("  /* NOLINT(bugprone-x) NOLINT(stridewise-*) */", 1, []),
        ("  // NOLINT(bugprone-x)", 0, [("mem-struct-padding", 1)]),
        ("  // NOLINTED", 0, [("mem-struct-padding", 1)]),
        ("  // NOLINTNEXTLINE(stridewise-mem-*)", 0, [("mem-struct-padding", 1)]),
        ("  // NOLINT(stridewise-mem-nothing)", 0, [("mem-struct-padding", 1), ("nolint", 1)]),
        ("  // NOLINTBEGIN(stridewise-mem-*)", 0, [("mem-struct-padding", 1), ("nolint", 1)]),
        ("  // NOLINTBEGIN(stridewise-mem-*)\n// NOLINTEND(stridewise-mem-*)", 1, []),
        (
            "  // NOLINTBEGIN(stridewise-mem-*)\n// NOLINTEND(stridewise-*)",
            0,
            [("mem-struct-padding", 1), ("nolint", 1), ("nolint", 2)],
        ),
    ],
)
def test_comments_in_source(
    project: Make, capsys: pytest.CaptureFixture[str], text: str, suppressed: int, rest: list[tuple[str, int]]
) -> None:
    project({"a.cpp": RECORD.format(text)})
    found = lint(capsys)
    assert sorted((f["rule"], f["location"]["line"]) for f in found["findings"]) == rest
    assert found["stats"]["suppressed"] == suppressed


@needs_analyzer
def test_headers_configuration_and_chosen_rules(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    use = '#include "r.h"\nstruct s *f(int n) { return new struct s[n]; }\n'
    record = "struct s { char a; double b; char c; };  // NOLINT(stridewise-mem-struct-padding)\n"
    root = project({"r.h": record, "a.cpp": use, "b.cpp": use, ".stridewise.toml": "require-reason = true\n"})
    assert [(f["location"]["file"], f["rule"]) for f in lint(capsys)["findings"]] == [("r.h", "nolint")]
    assert lint(capsys, "--rules", "mem-*")["findings"] == []
    (root / "r.h").write_text(record.replace("padding)", "padding): the format of a file"))
    assert lint(capsys)["findings"] == []


@needs_analyzer
@pytest.mark.parametrize(("comment", "found"), [("", [5]), ("// NOLINT(stridewise-mem-array-of-structs): few", [])])
def test_findings_of_the_whole_program_can_be_silenced(
    project: Make, capsys: pytest.CaptureFixture[str], comment: str, found: list[int]
) -> None:
    """A record of a header is judged over all units."""
    walk = f"""#include "r.h"
double walk(const rec *p, int n) {{
  double s = 0;
  for (int t = 0; t < 100; t++)
    for (int i = 0; i < n; i++) {comment}
      s += p[i].x * t;
  return s;
}}
"""
    project({"r.h": "struct rec { double a[10]; double x; double y[20]; };\n", "a.cpp": walk})
    assert [f["location"]["line"] for f in lint(capsys, "--rules", "mem-*")["findings"]] == found
