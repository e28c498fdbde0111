"""Suggestions: exactly the lines that a fix replaces, or none."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from stridewise.finding import Confidence, Edit, Finding, Fix, Location, Safety, Scope, Severity
from stridewise.finding.sources import Project
from stridewise.lint.fixes import edited
from stridewise.review.changes import Changes
from stridewise.review.diff import parse
from stridewise.review.placing import cause, place
from stridewise.review.plan import Placed

TEXT = "".join(f"line {number};\n" for number in range(1, 21))
DIFF = b"--- a/x.c\n+++ b/x.c\n@@ -5,0 +6,8 @@\n" + b"".join(b"+line %d;\n" % n for n in range(6, 14))


def placed(
    folder: Path,
    content: bytes,
    edits: list[tuple[int, int, str]],
    line: int = 8,
    safety: Safety = Safety.SAFE,
    unsafe: bool = False,
) -> Placed:
    (folder / "x.c").write_bytes(content)
    name = str(folder / "x.c")
    fix = Fix("fix", tuple(Edit(name, begin, end, text) for begin, end, text in edits), safety, "why")
    finding = Finding(
        "mem-x", Severity.INFO, Confidence.HIGH, "m", Location(name, line, 1, line), fixes=(fix,) if edits else ()
    )
    changes, project = Changes.of(parse(DIFF)), Project(folder)
    why = cause(finding, changes, project)
    assert why is not None
    found = place(finding, why, changes, project, unsafe)
    assert found is not None
    return found


def offset(line: int) -> int:
    return TEXT.index(f"line {line};")


@pytest.mark.parametrize(
    ("edits", "lines", "suggestion"),
    (
        ([(offset(8), offset(8) + 4, "word")], (8, 8), ["word 8;"]),
        ([(offset(8), offset(9), "")], (8, 8), []),  # the line is gone
        ([(offset(8), offset(10), "one;\ntwo;\nthree;\n")], (8, 9), ["one;", "two;", "three;"]),
        ([(offset(8), offset(8), "new;\n")], (8, 8), ["new;", "line 8;"]),
        ([(offset(7), offset(7) + 6, "line 9"), (offset(9), offset(9) + 6, "line 7")], (7, 9), None),
        ([(offset(8) + 5, offset(9), "")], (8, 8), "none"),  # would join two lines
        ([(offset(5), offset(5) + 4, "word")], (8, 8), "none"),  # not in the diff
        ([(offset(13), offset(14) + 4, "word")], (8, 8), "none"),  # half of it is not
        ([(10_000, 10_001, "x")], (8, 8), "none"),
        ([], (8, 8), "none"),
    ),
)
def test_suggestions(
    edits: list[tuple[int, int, str]], lines: tuple[int, int], suggestion: list[str] | str | None, tmp_path: Path
) -> None:
    found = placed(tmp_path, TEXT.encode(), edits)
    assert (found.line, found.end_line) == lines
    assert found.snippet == tuple(f"line {n};" for n in range(lines[0], lines[1] + 1))
    if suggestion == "none":
        assert found.suggestion is None
    elif suggestion is None:
        assert found.suggestion == ("line 9;", "line 8;", "line 7;")
    else:
        assert found.suggestion == tuple(suggestion)


def test_an_unsafe_fix_is_no_suggestion_unless_it_is_asked_for(tmp_path: Path) -> None:
    edits = [(offset(8), offset(8) + 4, "word")]
    assert placed(tmp_path, TEXT.encode(), edits, safety=Safety.UNSAFE).suggestion is None
    assert placed(tmp_path, TEXT.encode(), edits, safety=Safety.UNSAFE, unsafe=True).suggestion == ("word 8;",)


def test_a_suggestion_does_what_the_fix_does(tmp_path: Path) -> None:
    """Random edits in the diff's lines: where there is a suggestion, the file is the same as after the fix."""
    chance = random.Random(11)
    begin, end = offset(6), offset(14)
    made = 0
    for _ in range(300):
        bounds = sorted(chance.randrange(begin, end) for _ in range(2))
        text = chance.choice(("", "x", "a\nb", "\n", "whole;\n"))
        found = placed(tmp_path, TEXT.encode(), [(bounds[0], bounds[1], text)])
        if found.suggestion is None:
            continue
        made += 1
        lines = TEXT.split("\n")
        lines[found.line - 1 : found.end_line] = found.suggestion
        wanted = edited(TEXT.encode(), [Edit("x", bounds[0], bounds[1], text)])
        assert "\n".join(lines).encode() == wanted, (bounds, text)
    assert made > 100


def test_carriage_returns_stay_out_of_it(tmp_path: Path) -> None:
    content = TEXT.replace("\n", "\r\n").encode()
    begin = content.index(b"line 8;")
    found = placed(tmp_path, content, [(begin, begin + 4, "word")])
    assert found.suggestion == ("word 8;",)


def test_a_file_that_is_not_the_diffs_gets_no_suggestion(tmp_path: Path) -> None:
    found = placed(tmp_path, TEXT.replace("line 8", "LINE 8").encode(), [(offset(8), offset(8) + 4, "word")])
    assert found.suggestion is None
    assert found.snippet == ("line 8;",)  # what the diff says


def test_no_line_no_comment(tmp_path: Path) -> None:
    """A finding outside every hunk whose cause is in its scope stands at the cause."""
    changes, project = Changes.of(parse(DIFF)), Project(tmp_path)
    where = Location(str(tmp_path / "x.c"), 2, 1, 2)
    finding = Finding("mem-x", Severity.INFO, Confidence.HIGH, "m", where, scope=Scope(1, 20))
    why = cause(finding, changes, project)
    assert why is not None and (why.line, why.text) == (6, "cause in line 6")
    found = place(finding, why, changes, project)
    assert found is not None and (found.line, found.end_line) == (6, 6)
    other = Finding("mem-x", Severity.INFO, Confidence.HIGH, "m", Location(str(tmp_path / "y.c"), 2, 1, 2))
    assert cause(other, changes, project) is None
    assert place(other, why, changes, project) is None
