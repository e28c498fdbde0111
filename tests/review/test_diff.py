"""Diffs as data: what git, diff -u and an editor of random files make, and what a hostile hand writes."""

from __future__ import annotations

import difflib
import random
import subprocess
from pathlib import Path

import pytest

from stridewise.errors import Failure
from stridewise.review import diff
from stridewise.review.diff import Status, parse
from stridewise.review.lines import LineMap

ROUNDS = 150


def edited(lines: list[str], chance: random.Random) -> list[str]:
    """The lines after some random edits."""
    out = list(lines)
    for _ in range(chance.randrange(1, 9)):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(4):
            case 0:
                out[at:at] = [f"new {chance.randrange(5)}" for _ in range(chance.randrange(1, 6))]
            case 1:
                del out[at : at + chance.randrange(1, 6)]
            case 2:
                out[at : at + 2] = [f"changed {chance.randrange(5)}"]
            case _:
                moved = out[at : at + 3]
                del out[at : at + 3]
                other = chance.randrange(len(out) + 1)
                out[other:other] = moved
    return out


def text_of(lines: list[str], is_open: bool, end: str = "\n") -> bytes:
    text = "".join(line + end for line in lines)
    return (text.removesuffix(end) if is_open else text).encode()


def with_diff(old: list[str], new: list[str], context: int) -> bytes:
    """A unified diff by another hand than git's. Every line has a line feed."""
    lines = difflib.unified_diff(
        [line + "\n" for line in old], [line + "\n" for line in new], "a/x.c", "b/x.c", n=context
    )
    return "".join(lines).encode()


@pytest.mark.parametrize("context", (0, 1, 3))
def test_mapping_is_that_of_the_edits(context: int) -> None:
    chance = random.Random(context)
    for _ in range(ROUNDS):
        old = [f"line {chance.randrange(12)}" for _ in range(chance.randrange(0, 60))]
        new = edited(old, chance)
        data = with_diff(old, new, context)
        if not data:
            assert old == new
            continue
        (file,) = parse(data)
        lines = LineMap.of(file)
        # difflib finds the truth from the texts, the map knows the diff alone.
        matcher = difflib.SequenceMatcher(None, [o + "\n" for o in old], [n + "\n" for n in new])
        expected: dict[int, int] = {}
        for a, b, size in matcher.get_matching_blocks():
            expected |= {b + i + 1: a + i + 1 for i in range(size)}
        for number in range(1, len(new) + 1):
            assert lines.to_old(number) == expected.get(number), (old, new, number)
        backwards = {before: after for after, before in expected.items()}
        for number in range(1, len(old) + 1):
            assert lines.to_new(number) == backwards.get(number), (old, new, number)
        made = {number for number in range(1, len(new) + 1) if number not in expected}
        for number in range(1, len(new) + 1):
            found = lines.touched(number, number)
            assert (found is not None) == (number in made)
        if made:
            first = lines.touched(1, len(new))
            assert first is not None
            assert first[1] == "removed" or first[0] == min(made)
        for hunk in file.hunks:
            shown = [line.decode() for line in hunk.new_lines()]
            assert shown == new[hunk.first - 1 : hunk.last]
            for number in range(hunk.first, hunk.last + 1):
                assert lines.hunk_at(number) is hunk


def test_the_old_text_comes_back(tmp_path: Path) -> None:
    """From git's own diff, with and without a line feed at the end, with carriage returns."""
    chance = random.Random(7)
    for _ in range(25):
        old = [f"line {chance.randrange(12)}" for _ in range(chance.randrange(1, 30))]
        end = chance.choice(("\n", "\r\n"))
        texts = [
            text_of(old, chance.random() < 0.5, end),
            text_of(edited(old, chance), chance.random() < 0.5, end),
        ]
        if texts[0] == texts[1]:
            continue
        for name, text in zip(("old", "new"), texts, strict=True):
            (tmp_path / name).write_bytes(text)
        made = subprocess.run(
            ["git", "diff", "--no-index", "--no-prefix", "old", "new"], cwd=tmp_path, capture_output=True, check=False
        )
        (file,) = parse(made.stdout)
        assert diff.before(file, texts[1]) == texts[0]


def test_what_does_not_fit_is_said() -> None:
    (file,) = parse(with_diff(["a", "b", "c"], ["a", "B", "c"], 1))
    with pytest.raises(Failure, match=r"does not fit x\.c at line 2"):
        diff.before(file, b"a\nother\nc\n")
    with pytest.raises(Failure, match=r"does not fit x\.c"):
        diff.before(file, b"")


GIT = b"""diff --git a/gone.c b/gone.c
deleted file mode 100644
index 1111111111111111111111111111111111111111..0000000000000000000000000000000000000000
--- a/gone.c
+++ /dev/null
@@ -1,2 +0,0 @@
-int a;
-int b;
diff --git a/with space.c b/with space.c
index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644
--- a/with space.c\t
+++ b/with space.c\t
@@ -1 +1,2 @@ int f(void)
 int a;
+-- int b;
\\ No newline at end of file
diff --git a/old name.h b/dir/new.h
similarity index 100%
rename from old name.h
rename to dir/new.h
diff --git "a/sm\\303\\270r\\t\\"x\\".c" "b/sm\\303\\270r\\t\\"x\\".c"
new file mode 100644
index 0000000000000000000000000000000000000000..2222222222222222222222222222222222222222
--- /dev/null
+++ "b/sm\\303\\270r\\t\\"x\\".c"
@@ -0,0 +1 @@
+int c;
diff --git a/picture.png b/picture.png
index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644
Binary files a/picture.png and b/picture.png differ
diff --git a/empty.c b/empty.c
new file mode 100644
index 0000000000000000000000000000000000000000..e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
diff --git a/module b/module
index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 160000
--- a/module
+++ b/module
@@ -1 +1 @@
-Subproject commit 1111111111111111111111111111111111111111
+Subproject commit 2222222222222222222222222222222222222222
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
"""


def test_every_kind_of_file() -> None:
    files = parse(GIT)
    assert [(f.old, f.new, f.status, f.is_text) for f in files] == [
        ("gone.c", None, Status.DELETED, True),
        ("with space.c", "with space.c", Status.MODIFIED, True),
        ("old name.h", "dir/new.h", Status.RENAMED, True),
        (None, 'smør\t"x".c', Status.ADDED, True),
        ("picture.png", "picture.png", Status.MODIFIED, False),
        (None, "empty.c", Status.ADDED, True),
        ("module", "module", Status.MODIFIED, False),
        ("run.sh", "run.sh", Status.MODIFIED, True),
    ]
    assert files[0].old_id == "1" * 40
    assert files[1].hunks[0].lines == (b" int a;", b"+-- int b;")
    assert files[1].hunks[0].new_open
    assert LineMap.of(files[1]).touched(1, 9) == (2, "added")
    assert LineMap.of(files[0]).to_new(1) is None


def test_carriage_returns_of_a_diff_that_was_mailed() -> None:
    files = parse(GIT.replace(b"\n", b"\r\n"))
    assert [f.path for f in files] == [f.path for f in parse(GIT)]


def test_other_tools_names() -> None:
    plain = b"--- old-tree/src/x.c\t2024-01-01 10:00:00\n+++ new-tree/src/x.c\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n"
    (file,) = parse(plain, {"src/x.c"}.__contains__)
    assert (file.old, file.new, file.status) == ("src/x.c", "src/x.c", Status.MODIFIED)
    (file,) = parse(b"--- src/x.c.orig\n+++ src/x.c\n@@ -1 +1 @@\n-a\n+b\n", {"src/x.c"}.__contains__)
    assert (file.old, file.new) == ("src/x.c", "src/x.c")
    bare = b"diff --git b/x.c b/x.c\n--- b/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n"  # diff.noprefix, in a folder b
    (file,) = parse(bare, {"b/x.c"}.__contains__)
    assert file.new == "b/x.c"


def test_text_around_the_patches_is_passed_over() -> None:
    mail = b"From: someone\nSubject: x\n\n+++ not a header\n---\n x.c | 2 +-\n\n" + GIT + b"-- \n2.39.5\n\n"
    assert parse(mail) == parse(GIT) != []


def test_a_file_that_becomes_a_link() -> None:
    both = b"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" + (
        b"diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+target\n"
    )
    assert [(f.status, f.is_text) for f in parse(both)] == [(Status.DELETED, True), (Status.ADDED, False)]


HEAD = b"--- a/x.c\n+++ b/x.c\n"


@pytest.mark.parametrize(
    ("data", "said"),
    (
        (b"--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "leaves the repository"),
        (b"--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "leaves the repository"),
        (b'--- "a/\\056\\056/x"\n+++ "b/\\056\\056/x"\n@@ -1 +1 @@\n-a\n+b\n', "leaves the repository"),
        (b"diff --git a/x b/x\nrename from x\nrename to ../x\n", "leaves the repository"),
        (HEAD + b"@@ -1,5 +1,5 @@\n a\n", "ends before"),
        (HEAD + b"@@ -1,2 +1,1 @@\n a\n+b\n", "line 5 of the diff: more lines than"),
        (HEAD + b"@@ -1,1 +1,2 @@\n a\nb\n", "line 5 of the diff: a line of a hunk starts with"),
        (HEAD + b"@@ -99999999999999999999 +1 @@\n a\n", "line 3 of the diff: not the head of a hunk"),
        (HEAD + b"@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", "do not follow from one another"),
        (HEAD + b"@@ -1 +9 @@\n-a\n+b\n", "do not follow from one another"),
        (b"@@ -1 +1 @@\n-a\n+b\n", "a hunk of no file"),
        (HEAD + b"@@ -1 +1 @@\n-a\n+b\n" + HEAD + b"@@ -1 +1 @@\n-b\n+c\n", r"x\.c comes twice"),
        (b"diff --cc x.c\nindex 1,2..3\n--- a/x.c\n+++ b/x.c\n@@@ -1 -1 +1 @@@\n--a\n++b\n", "combined diff"),
        (b'--- "a/x\n+++ "b/x\n@@ -1 +1 @@\n-a\n+b\n', "has no end"),
        (b'--- "a/\\q"\n+++ "b/\\q"\n@@ -1 +1 @@\n-a\n+b\n', "unknown escape"),
        (b"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "a file without a name"),
    ),
)
def test_hostile_diffs(data: bytes, said: str) -> None:
    with pytest.raises(Failure, match=said):
        parse(data)


def test_damaged_diffs_are_read_or_refused() -> None:
    """Any byte may be wrong: a list of files or a Failure, nothing else."""
    chance = random.Random(3)
    refused = 0
    for _ in range(600):
        data = bytearray(GIT)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(data))
            match chance.randrange(3):
                case 0:
                    data[at] = chance.randrange(256)
                case 1:
                    del data[at : at + chance.randrange(1, 40)]
                case _:
                    data[at:at] = bytes(data[: chance.randrange(60)])
        try:
            for file in parse(bytes(data)):
                LineMap.of(file).touched(1, 1 << 40)
        except Failure:
            refused += 1
    assert 0 < refused < 600


def test_work_grows_with_the_size_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 files: each line of the diff is looked at a fixed number of times."""
    one = b"".join(b"+line %d\n" % number for number in range(20))
    data = b"".join(
        b"diff --git a/d/f%d.c b/d/f%d.c\n--- a/d/f%d.c\n+++ b/d/f%d.c\n@@ -1 +1,21 @@\n a\n" % ((number,) * 4) + one
        for number in range(3000)
    )
    hunks = 0
    original = diff._hunk

    def counted(lines: list[bytes], position: int) -> tuple[diff.Hunk, int]:
        nonlocal hunks
        hunks += 1
        return original(lines, position)

    monkeypatch.setattr(diff, "_hunk", counted)
    files = parse(data)
    assert len(files) == hunks == 3000
    assert files[2999].new == "d/f2999.c"
    monkeypatch.setattr(diff, "MAX_BYTES", len(data) - 1)
    with pytest.raises(Failure, match="larger than"):
        parse(data)
