from __future__ import annotations

import time
from pathlib import Path

import pytest

from stridewise.finding import Confidence, Edit, Finding, Fix, Location, Safety, Severity
from stridewise.lint import fixes


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "a.c", tmp_path / "b.c"
    for path in paths:
        path.write_text("0123456789")
    return paths


def finding(*edits: Edit) -> Finding:
    return Finding(
        rule="mem-x",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="m",
        location=Location("a.c", 1),
        fixes=(Fix("do it", edits, Safety.SAFE, "why"),),
    )


def edit(path: Path, begin: int, end: int, text: str) -> Edit:
    return Edit(str(path), begin, end, text)


def apply(*findings: Finding) -> fixes.Applied:
    return fixes.apply(findings, fixes.stamps(findings, time.time_ns()))


def test_edits_of_several_fixes_are_joined(files: tuple[Path, Path]) -> None:
    a, b = files
    done = apply(
        finding(edit(a, 8, 9, "EIGHT"), edit(a, 1, 3, "")), finding(edit(a, 4, 4, "<>"), edit(b, 0, 1, "zero"))
    )
    assert (len(done.done), done.refused) == (2, ())
    assert a.read_text() == "03<>4567EIGHT9"
    assert b.read_text() == "zero123456789"


def test_an_overlapping_fix_is_left_out_whole(files: tuple[Path, Path]) -> None:
    a, b = files
    done = apply(finding(edit(a, 2, 6, "x")), finding(edit(b, 0, 1, "y"), edit(a, 5, 8, "z")))
    assert len(done.done) == 1
    assert "overlaps" in done.refused[0][2]
    assert a.read_text() == "01x6789"
    assert b.read_text() == "0123456789"


def test_fixes_that_touch_without_overlap_are_both_made(files: tuple[Path, Path]) -> None:
    a, _ = files
    assert len(apply(finding(edit(a, 0, 2, "A")), finding(edit(a, 2, 4, "B"))).done) == 2
    assert a.read_text() == "AB456789"


def test_the_same_edit_twice_is_made_once(files: tuple[Path, Path]) -> None:
    a, _ = files
    insertion = edit(a, 0, 0, "#include <x>\n")
    assert len(apply(finding(insertion, edit(a, 2, 3, "-")), finding(insertion, edit(a, 5, 6, "-"))).done) == 2
    assert a.read_text() == "#include <x>\n01-34-6789"


def test_two_different_insertions_at_one_place_have_no_order(files: tuple[Path, Path]) -> None:
    a, _ = files
    assert len(apply(finding(edit(a, 3, 3, "A")), finding(edit(a, 3, 3, "B"))).refused) == 1


@pytest.mark.parametrize("broken", [(2, 5, 3, 6), (0, 99, 0, 0)])
def test_impossible_fixes_change_nothing(files: tuple[Path, Path], broken: tuple[int, int, int, int]) -> None:
    a, _ = files
    first, second = edit(a, broken[0], broken[1], "x"), edit(a, broken[2], broken[3], "y")
    assert len(apply(finding(first, second)).refused) == 1
    assert a.read_text() == "0123456789"


def test_a_file_that_changed_after_the_analysis_is_left_alone(files: tuple[Path, Path]) -> None:
    a, b = files
    wanted = [finding(edit(a, 0, 1, "x"), edit(b, 0, 1, "x"))]
    before = fixes.stamps(wanted, time.time_ns())
    b.write_text("changed!!!")
    done = fixes.apply(wanted, before)
    assert "changed since" in done.refused[0][2]
    assert (a.read_text(), b.read_text()) == ("0123456789", "changed!!!")


def test_a_file_that_changed_during_the_analysis_is_left_alone(files: tuple[Path, Path]) -> None:
    a, _ = files
    wanted = [finding(edit(a, 0, 1, "x"))]
    started = a.stat().st_mtime_ns - 1
    assert len(fixes.apply(wanted, fixes.stamps(wanted, started)).refused) == 1


def test_mode_links_and_bytes_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "real.c", tmp_path / "link.c"
    target.write_bytes(b"\xff\xfe\r\nint x;\r\n")
    target.chmod(0o640)
    link.symlink_to(target)
    assert len(apply(finding(edit(link, 4, 7, "long"))).done) == 1
    assert link.is_symlink()
    assert target.read_bytes() == b"\xff\xfe\r\nlong x;\r\n"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.c", "real.c"]


def test_a_folder_that_cannot_be_written_changes_nothing(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = files

    def refuse(target: str, content: bytes) -> str:
        if target.endswith("b.c"):
            raise OSError(28, "No space left on device")
        return original(target, content)

    original = fixes._temporary
    monkeypatch.setattr(fixes, "_temporary", refuse)
    done = apply(finding(edit(a, 0, 1, "x")), finding(edit(b, 0, 1, "x")))
    assert not done.done
    assert "No space" in done.refused[0][2]
    assert (a.read_text(), b.read_text()) == ("0123456789", "0123456789")
    assert len(list(a.parent.iterdir())) == 2


def test_a_rename_that_fails_leaves_every_file_as_it_was(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = files
    original = Path.replace

    def refuse(self: Path, target: str) -> Path:
        if target.endswith("b.c"):
            raise OSError(1, "Operation not permitted")
        return original(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    done = apply(finding(edit(a, 0, 1, "x")), finding(edit(b, 0, 1, "x")))
    assert not done.done
    assert "not permitted" in done.refused[0][2]
    assert (a.read_text(), b.read_text()) == ("0123456789", "0123456789")
    assert len(list(a.parent.iterdir())) == 2


def test_a_plan_is_a_patch_and_touches_nothing(files: tuple[Path, Path]) -> None:
    a, b = files
    b.write_bytes(b"one\r\n\xfftwo\n")
    wanted = [finding(edit(a, 0, 1, "zero"), edit(b, 0, 3, "1"))]
    chosen = fixes.plan(wanted, fixes.stamps(wanted, time.time_ns()))
    patch = fixes.unified_diff(chosen, lambda file: Path(file).name)
    assert patch == (
        b"--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-0123456789\n\\ No newline at end of file\n+zero123456789\n"
        b"\\ No newline at end of file\n--- a/b.c\n+++ b/b.c\n@@ -1,2 +1,2 @@\n-one\r\n+1\r\n \xfftwo\n"
    )
    assert a.read_text() == "0123456789"
