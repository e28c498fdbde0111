from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main

Make = Callable[..., Path]

pytestmark = pytest.mark.usefixtures("fake_analyzer")

HEADER = "// @finding mem-struct-padding header rec.h 1 {}\n"
WITHDRAWN = "// @withdraw mem-struct-padding\n// @finding mem-struct-padding header c.c 2 fix\nint c;\n"
FILES = {
    "rec.h": "int x;\n",
    "a.c": HEADER.format("low fix"),
    "src/b.c": HEADER.format("high fix"),
    "c.c": WITHDRAWN,
    "d.c": "// @crash\n",
    "e.c": "// @errors\n// @finding mem-strided-inner-loop\nint e;\n",
    "f.c": "int f;\n",
    "g.cu": "",
}


def lint(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    main(["lint", "--format", "json", "--all", *words])
    value = json.loads(capsys.readouterr().out)
    assert isinstance(value, dict)
    value["stats"].pop("unit_seconds")
    return value


def shards(count: int, *words: str) -> list[str]:
    """The files of all parts."""
    names = [f"part{i}.json" for i in range(1, count + 1)]
    for number, name in enumerate(names, 1):
        main(["lint", "--shard", f"{number}/{count}", "--format", "json", "-o", name, *words])
    return names


@pytest.fixture
def files(project: Make) -> Path:
    root = project(FILES)
    command = [{"directory": str(root), "file": n, "command": f"gcc -c {n}"} for n in FILES if n != "rec.h"]
    command += [{**command[0], "command": "gcc -DX -c a.c"}, command[1]]
    command += [{"directory": str(root), "file": "gone.c", "command": "gcc -c gone.c"}]
    return project({}, command)


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_the_parts_together_are_the_whole(files: Path, capsys: pytest.CaptureFixture[str], count: int) -> None:
    whole = lint(capsys, "--no-cache")
    parts = shards(count)
    assert lint(capsys, "--merge", *reversed(parts)) == whole
    assert sum(len(json.loads(Path(p).read_text())["shard"]["units"]) for p in parts) == 7
    assert whole["findings"]
    assert whole["problems"]


def test_each_part_reports_its_own_units(project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({name: f"// @finding mem-struct-padding\nint {name[0]};\n" for name in ("b.c", "a.c", "c.c")})
    found = [lint(capsys, "--shard", f"{i}/2")["findings"] for i in (1, 2)]
    assert [sorted(f["location"]["file"] for f in part) for part in found] == [["a.c", "c.c"], ["b.c"]]


def test_options_of_the_parts_hold_for_the_whole(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = shards(2, "--rules", "mem-*")
    assert lint(capsys, "--merge", *parts) == lint(capsys, "--rules", "mem-*")


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["lint", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    return said


def test_missing_and_doubled_parts(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two, three = shards(3)
    assert "part 2 of 3 is missing; make it with stridewise lint --shard 2/3" in refused(capsys, "--merge", one, three)
    assert f"part 1 of 3 is there twice: {one} and {one}" in refused(capsys, "--merge", one, two, one)


def test_parts_of_different_runs(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (one, _), other = shards(2), "other.json"
    main(["lint", "--shard", "2/2", "--rules", "omp-*", "--format", "json", "-o", other])
    assert "differ in their rules" in refused(capsys, "--merge", one, other)
    main(["lint", "--shard", "2/3", "--format", "json", "-o", other])
    assert "differ in their numbers of parts" in refused(capsys, "--merge", one, other)
    (files / "compile_commands.json").write_text('[{"directory": ".", "file": "a.c", "command": "gcc -c a.c"}]')
    main(["lint", "--shard", "2/2", "--format", "json", "-o", other])
    assert "differ in their programs, commands or configurations" in refused(capsys, "--merge", one, other)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"shard": 3}', '{"shard": {"format": 99}}', '{"shard": {"format": 1}}']
)
def test_what_is_no_part(project: Make, capsys: pytest.CaptureFixture[str], text: str) -> None:
    project({"a.c": ""})
    Path("x.json").write_text(text)
    assert "x.json is no part of a run" in refused(capsys, "--merge", "x.json")


def test_damaged_units(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (one,) = shards(1)
    value = json.loads(Path(one).read_text())
    value["shard"]["units"].pop()
    Path(one).write_text(json.dumps(value))
    assert "do not hold each of the 7 units" in refused(capsys, "--merge", one)
    value["shard"]["units"][0] = 3
    Path(one).write_text(json.dumps(value))
    assert "cannot read part1.json" in refused(capsys, "--merge", one)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--shard", "1/2"], "is written as JSON"),
        (["--shard", "1/2", "--format", "json", "--fix"], "works without --shard"),
        (["--merge", "x", "--rules", "mem-*"], "nothing else that says what is analysed"),
        (["--merge", "x", "--fix"], "works without --shard and --merge"),
    ],
)
def test_what_does_not_go_together(
    project: Make, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    project({"a.c": ""})
    assert message in refused(capsys, *words)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2"])
def test_bad_part_numbers(project: Make, capsys: pytest.CaptureFixture[str], text: str) -> None:
    project({"a.c": ""})
    with pytest.raises(SystemExit):
        main(["lint", f"--shard={text}"])
    assert "must be I/N with 1 ≤ I ≤ N" in capsys.readouterr().err
