from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main
from stridewise.lint import dependencies, result_cache
from stridewise.lint.dependencies import read_entry, write_entry
from stridewise.lint.result_cache import ResultCache

# Reads the files that `// @include NAME` lines name, from the folders one/ and two/ beside the source, and reports each
# `// @slow` it sees. Leaves a line in `runs` beside itself.
RECORDING_ANALYZER = r"""#!{python}
import json, os, sys
args = sys.argv[1:]
out = args[args.index("-o") + 1]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "runs"), "a") as runs:
    print("link" if "--link" in args else os.path.basename(args[args.index("--") - 1]), file=runs)
def finding(file, line, message):
    place = {{"file": file, "line": line, "column": 1, "end_line": line, "end_column": 2}}
    return {{"rule": "mem-struct-padding", "severity": "warning", "confidence": "high", "message": message,
            "advice": "a", "location": place, "function": "f", "scope": {{"begin_line": line, "end_line": line}},
            "args": {{}}, "related": [], "accesses": [], "fixes": []}}
if "--link" in args:
    names = [json.load(open(f))["summaries"]["fake"] for f in args if f.endswith(".json") and f != out]
    found = finding(names[0], 1, f"{{len(names)}} units")
    json.dump({{"version": 1, "findings": [found], "withdrawn": []}}, open(out, "w"))
    sys.exit(0)
source = args[args.index("--") - 1]
files, absent, findings = [], [], []
def read(path):
    status = os.stat(path)
    files.append([path, status.st_size, status.st_mtime_ns, status.st_ino])
    for number, line in enumerate(open(path), 1):
        words = line.split()
        if words[:2] == ["//", "@include"]:
            for folder in ("one", "two"):
                candidate = os.path.join(os.path.dirname(source), folder, words[2])
                if os.path.exists(candidate):
                    read(candidate)
                    break
                absent.append(candidate)
        if words[:2] == ["//", "@slow"]:
            findings.append(finding(path, number, " ".join(words[2:])))
read(source)
json.dump({{
    "version": 1, "unit": source, "status": "ok", "diagnostics": [], "findings": findings,
    "summaries": {{"fake": source}},
    "stats": {{"seconds": 0.0, "functions": 1, "loops": 0, "mpi_calls": 0, "suppressed": 0, "ir": "ok"}},
    "inputs": {{"complete": "// @mystery" not in open(source).read(), "files": files, "absent": absent,
               "listed": [], "libraries": []}},
}}, open(out, "w"))
"""

Make = Callable[..., Path]
Report = Callable[..., dict[str, Any]]


@pytest.fixture
def runs(script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What the analyser was started for since the last question, sorted."""
    path = script("recording-analyze", RECORDING_ANALYZER.format(python=sys.executable))
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(path))

    def since() -> list[str]:
        log = path.parent / "runs"
        lines = sorted(log.read_text().split()) if log.exists() else []
        log.write_text("")
        return lines

    return since


@pytest.fixture
def lint(capsys: pytest.CaptureFixture[str]) -> Report:
    def make(*words: str) -> dict[str, Any]:
        assert main(["lint", "--format", "json", *words]) == 0
        value = json.loads(capsys.readouterr().out)
        assert isinstance(value, dict)
        return value

    return make


def old(root: Path) -> None:
    """Gives every file and folder a time stamp that is no longer in doubt."""
    past = time.time() - 100
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            os.utime(path, (past, past))


def messages(report: dict[str, Any]) -> list[str]:
    return sorted(f["message"] for f in report["findings"])


Runs = Callable[[], list[str]]
TWO = {"a.c": "// @slow here\n// @include x.h\n", "b.c": "int b;\n", "two/x.h": "// @slow header\n"}


def test_unchanged_units_are_not_analysed_again_and_the_report_is_the_same(
    project: Make, runs: Runs, lint: Report
) -> None:
    project(TWO)
    first = lint()
    assert runs() == ["a.c", "b.c", "link"]
    assert lint() == first
    assert runs() == []
    assert messages(first) == ["2 units", "header", "here"]


def test_new_time_stamps_alone_change_nothing(project: Make, runs: Runs, lint: Report) -> None:
    root = project(TWO)
    lint()
    runs()
    for _ in range(2):
        old(root)
        lint()
        assert runs() == []


def test_a_comment_is_content(project: Make, runs: Runs, lint: Report) -> None:
    root = project(TWO)
    lint()
    runs()
    (root / "b.c").write_text("int b; // NOLINT\n")
    lint()
    assert runs() == ["b.c"]  # its summary is the same: so is the whole program


def test_a_change_of_equal_size_and_time_is_seen(project: Make, runs: Runs, lint: Report) -> None:
    root = project(TWO)
    old(root)
    lint()
    runs()
    status = (root / "b.c").stat()
    (root / "b.c").write_text("int c;\n")
    os.utime(root / "b.c", ns=(status.st_atime_ns, status.st_mtime_ns))
    lint()
    assert runs() == ["b.c"]


def test_a_changed_header_concerns_its_units_only(project: Make, runs: Runs, lint: Report) -> None:
    root = project(TWO)
    lint()
    runs()
    (root / "two/x.h").write_text("// @slow changed\n")
    assert messages(lint()) == ["2 units", "changed", "here"]
    assert runs() == ["a.c"]


def test_a_header_that_appears_earlier_on_the_path(project: Make, runs: Runs, lint: Report) -> None:
    root = project({**TWO, "one/other.h": ""})
    old(root)
    lint()
    runs()
    (root / "one/x.h").write_text("// @slow nearer\n")
    assert "nearer" in messages(lint())
    assert runs() == ["a.c"]


def test_a_folder_that_appears_earlier_on_the_path(project: Make, runs: Runs, lint: Report) -> None:
    root = project(TWO)
    lint()
    runs()
    (root / "one").mkdir()
    lint()
    assert runs() == []
    (root / "one/x.h").write_text("")
    lint()
    assert runs() == ["a.c"]


def test_a_dangling_link_that_gets_its_target(project: Make, runs: Runs, lint: Report) -> None:
    root = project({**TWO, "one/other.h": ""})
    (root / "one/x.h").symlink_to(root / "target.h")
    old(root)
    lint()
    runs()
    (root / "target.h").write_text("// @slow target\n")
    assert "target" in messages(lint())


def test_a_header_that_goes_away(project: Make, runs: Runs, lint: Report) -> None:
    root = project(TWO)
    lint()
    runs()
    (root / "two/x.h").unlink()
    assert messages(lint()) == ["2 units", "here"]
    assert runs() == ["a.c"]


def test_command_and_rules_are_part_of_the_key(project: Make, runs: Runs, lint: Report) -> None:
    root = project({"a.c": "int a;\n"})
    lint()
    assert runs() == ["a.c", "link"]
    lint("--rules", "mem-*")
    assert runs() == ["a.c", "link"]
    project({}, [{"directory": str(root), "file": "a.c", "command": "gcc -DX -c a.c"}])
    lint()
    assert runs() == ["a.c"]


def test_another_analyser_knows_nothing(project: Make, runs: Runs, lint: Report) -> None:
    project({"a.c": "int a;\n"})
    lint()
    runs()
    analyzer = Path(os.environ["STRIDEWISE_ANALYZE"])
    analyzer.write_text(analyzer.read_text() + "\n# another version\n")
    lint()
    assert runs() == ["a.c", "link"]


def test_what_cannot_be_named_is_not_kept(project: Make, runs: Runs, lint: Report) -> None:
    project({"a.c": "// @mystery\n"})
    lint()
    runs()
    lint()
    assert "a.c" in runs()


def test_no_cache_and_another_folder(project: Make, runs: Runs, lint: Report, tmp_path: Path) -> None:
    project({"a.c": "int a;\n"})
    lint("--no-cache")
    assert not (tmp_path / "cache").exists()
    lint("--cache-dir", str(tmp_path / "mine"))
    assert any((tmp_path / "mine").iterdir())
    runs()
    lint("--no-cache")
    assert runs() == ["a.c", "link"]
    lint("--cache-dir", str(tmp_path / "mine"))
    assert runs() == []
    lint("--cache-dir", str(tmp_path / "mine"), "--profile")
    assert runs() == ["a.c", "link"]


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b'{"text": "x"}\n{}', b"[" * 100000, None])
def test_damaged_entries_count_as_absent(
    project: Make, runs: Runs, lint: Report, tmp_path: Path, damage: bytes | None
) -> None:
    project(TWO)
    first = lint()
    runs()
    for entry in (tmp_path / "cache/stridewise").rglob("*"):
        if entry.is_file():
            entry.write_bytes(entry.read_bytes()[:-1] if damage is None else damage)
    assert lint() == {**first, "stats": {**first["stats"], "unit_seconds": pytest.approx(0, abs=60)}}
    assert runs() == ["a.c", "b.c", "link"]
    lint()
    assert runs() == []


def test_entries_of_other_shapes_count_as_absent(project: Make, runs: Runs, lint: Report, tmp_path: Path) -> None:
    project(TWO)
    lint()
    runs()
    for entry in (tmp_path / "cache/stridewise").rglob("*"):
        if entry.is_file():
            found = read_entry(str(entry))
            assert found
            header, text = found
            write_entry(str(entry), dict.fromkeys(header, 3), text)
    lint()
    assert runs() == ["a.c", "b.c"]


@pytest.mark.usefixtures("runs")
def test_a_folder_that_cannot_be_written(
    project: Make, lint: Report, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    project({"a.c": "// @slow x\n"})
    (tmp_path / "file").write_text("")
    assert "x" in messages(lint("--cache-dir", str(tmp_path / "file")))
    assert main(["lint", "--cache-dir", str(tmp_path / "file"), "--verbose"]) == 0
    assert "results are not kept in" in capsys.readouterr().err


def test_a_full_disk_ends_nothing(
    project: Make, runs: Runs, lint: Report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    project({"a.c": "// @slow x\n"})
    monkeypatch.setattr("os.replace", full)
    assert "x" in messages(lint())
    assert [p for p in (tmp_path / "cache/stridewise").rglob("*") if p.is_file()] == []


def test_the_size_is_bounded_and_the_oldest_go(
    project: Make, runs: Runs, lint: Report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project({f"u{i}.c": f"int u{i};\n" for i in range(20)})
    lint()
    folder = tmp_path / "cache/stridewise"
    entries = [p for p in folder.rglob("*") if p.is_file()]
    monkeypatch.setattr(result_cache, "_MAX_BYTES", sum(p.stat().st_size for p in entries) // 2)
    for entry in entries:
        os.utime(entry, (1e9, 1e9))
    stale = entries[0].with_name("x.1.tmp")
    stale.write_text("")
    os.utime(stale, (1e9, 1e9))
    Path("fresh.c").write_text("int fresh;\n")
    lint("fresh.c", "--", "-O2")
    left = [p for p in folder.rglob("*") if p.is_file()]
    assert 0 < sum(p.stat().st_size for p in left) <= result_cache._MAX_BYTES
    assert not stale.exists()
    runs()
    lint("fresh.c", "--", "-O2")
    assert runs() == []


def test_runs_at_the_same_time_share_a_folder(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("int a;\n")
    os.utime(source, (1e9, 1e9))
    status = source.stat()
    inputs = {"complete": True, "files": [[str(source), status.st_size, status.st_mtime_ns, status.st_ino]],
              "absent": [], "listed": [], "libraries": []}  # fmt: skip
    value = {"inputs": inputs, "summaries": {}, "findings": ["x" * 100_000]}
    seen: list[bytes] = []

    def work() -> None:
        for _ in range(30):
            cache = ResultCache(tmp_path / "cache", source)
            hit = cache.find([], tmp_path, source, [])
            if hit:
                seen.append(hit.text)
            cache.store([], tmp_path, source, [], value, 1.0)
            assert not cache.problem

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(4)]:
            done.result()
    assert len(set(seen)) == 1


def test_a_file_that_changed_while_it_was_analysed_is_not_kept(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("int a;\n")
    status = source.stat()
    inputs = {"complete": True, "files": [[str(source), status.st_size, status.st_mtime_ns - 1, status.st_ino]],
              "absent": [], "listed": [], "libraries": []}  # fmt: skip
    cache = ResultCache(tmp_path / "cache", source)
    cache.store([], tmp_path, source, [], {"inputs": inputs, "summaries": {}}, 1.0)
    assert ResultCache(tmp_path / "cache", source).find([], tmp_path, source, []) is None


def test_compilers_are_asked_once_a_day(tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("")
    cache = ResultCache(tmp_path / "cache", compiler)
    cache.store_answer((str(compiler), "-show"), ("gcc -I/x",))
    assert ResultCache(tmp_path / "cache", compiler).find_answer((str(compiler), "-show")) == ("gcc -I/x",)
    later = ResultCache(tmp_path / "cache", compiler, started_ns=time.time_ns() + 2 * 86_400_000_000_000)
    assert later.find_answer((str(compiler), "-show")) is None
    compiler.write_text("new")
    assert cache.find_answer((str(compiler), "-show")) is None


def test_no_home_no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert dependencies.default_folder() == str(tmp_path / ".cache/stridewise")
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert dependencies.default_folder() is None
