"""What an analysis may cost: steps that grow with the unit and not with its square, rules that give up alone, and a
whole-program phase that holds little.

Steps are counted by the analyser itself and repeat exactly; nothing here is timed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main
from stridewise.collect import compile_db
from stridewise.lint import analysis
from stridewise.lint.analysis import Limits
from stridewise.settings import toolchain

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "benchmarks"))

from scaling import LEAST_STEPS, costs, mpi_flags, profile  # noqa: E402
from scaling_programs import SHAPES, Shape, project  # noqa: E402

STEEPEST = 1.3
LARGER = 4


def analyse(source: Path, *options: str) -> dict[str, Any]:
    out = source.with_suffix(".json")
    command: list[str | Path] = [toolchain.analyzer(), *options, "-o", out, source, "--", "-O2", "-fopenmp"]
    subprocess.run(command, check=True, capture_output=True)
    value: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return value


def rules_of(items: list[dict[str, Any]]) -> set[str]:
    return {item["rule"] for item in items}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_steps_of_every_rule_grow_with_the_unit(shape: Shape, tmp_path: Path) -> None:
    flags = [word for flag in shape.flags for word in (mpi_flags() if flag == "mpi" else [flag])]
    counted = []
    for size in (1, LARGER):
        source = tmp_path / f"unit{size}{shape.suffix}"
        source.write_text(shape.make(max(shape.least, shape.pieces // 4) * size), encoding="utf-8")
        counted.append(
            {name: steps for name, (_, steps) in costs(profile(toolchain.analyzer(), source, flags)).items()}
        )
    small, large = counted
    steep = {
        name: (small.get(name, 0), steps)
        for name, steps in large.items()
        if steps >= LEAST_STEPS and steps > max(small.get(name, 0), LEAST_STEPS / 20) * LARGER**STEEPEST
    }
    assert not steep
    assert large["total"] > LEAST_STEPS / 4  # the counters count


@pytest.fixture
def greedy(tmp_path: Path) -> tuple[Path, str, int]:
    """A unit of which several rules say something, the one of them that takes most steps, and a budget that all others
    keep to."""
    source = tmp_path / "unit.c"
    shape = next(shape for shape in SHAPES if shape.name == "sleeps")
    source.write_text(shape.make(6), encoding="utf-8")
    value = analyse(source, "--profile")
    assert not value["problems"]
    by_steps = sorted((steps, rule) for rule, steps in value["stats"]["rule_steps"].items())
    (others, _), (most, rule) = by_steps[-2:]
    assert others < most
    assert len(rules_of(value["findings"])) > 1
    assert rule in rules_of(value["findings"])
    return source, rule, others


def test_a_rule_out_of_steps_gives_up_alone(greedy: tuple[Path, str, int]) -> None:
    source, rule, steps = greedy
    everything, hurried = analyse(source), analyse(source, f"--rule-steps={steps}")
    assert rules_of(hurried["problems"]) == {rule}
    assert "steps" in hurried["problems"][0]["message"]
    # The others say what they said.
    assert hurried["findings"] == [f for f in everything["findings"] if f["rule"] != rule]
    assert set(everything["summaries"]) - set(hurried["summaries"]) <= {rule}


def test_a_rule_out_of_time_is_left_out_and_named(tmp_path: Path) -> None:
    shape = next(shape for shape in SHAPES if shape.name == "regions")
    source = tmp_path / "unit.c"
    source.write_text(shape.make(100), encoding="utf-8")
    command = compile_db.plain_command(source, ["-O2", "-fopenmp"])
    (tmp_path / "results").mkdir()
    (result,) = analysis.analyse(
        toolchain.analyzer(), [command], [], tmp_path / "results", 1, Limits(rule_seconds=0.004), lambda _: None
    )
    assert result.status == "ok"
    slow = [given_up.rule for given_up in result.given_up]
    assert slow
    assert len(set(slow)) == len(slow)
    assert all("processor time" in given_up.message for given_up in result.given_up)
    assert not {finding.rule for finding in result.findings} & set(slow)


@pytest.fixture
def hurried(greedy: tuple[Path, str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """The unit and the rule, with an analyser of that budget."""
    source, rule, steps = greedy
    wrapper = tmp_path / "hurried"
    wrapper.write_text(
        f"#!/bin/sh\n[ $1 = --link ] && exec '{toolchain.analyzer()}' \"$@\"\n"
        f"exec '{toolchain.analyzer()}' --rule-steps={steps} \"$@\"\n",
        encoding="utf-8",
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(wrapper))
    return source, rule


def test_lint_says_which_rule_gave_up_where_and_what_to_do(
    hurried: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, rule = hurried
    words, flags = ["lint", str(source), "--no-cache", "--all"], ["--", "-O2", "-fopenmp"]
    assert main([*words, *flags]) == 2
    text = capsys.readouterr().out
    assert f"unit.c: {rule} gave up: it needs more steps" in text
    assert f'rules = ["-{rule}"]' in text

    def report() -> dict[str, Any]:
        main([*words, "--format", "json", *flags])
        value: dict[str, Any] = json.loads(capsys.readouterr().out)
        return value

    hasty = report()
    assert [(problem["where"], problem["rules"]) for problem in hasty["problems"]] == [("unit.c", [rule])]
    # What the problem advises ends it.
    advised = source.parent / ".stridewise.toml"
    advised.write_text(f'rules = ["-{rule}"]\n', encoding="utf-8")
    assert not report()["problems"]
    # All that the other rules find stands.
    advised.unlink()
    monkeypatch.delenv("STRIDEWISE_ANALYZE")
    patient = report()
    assert not patient["problems"]
    assert keys(hasty) == [key for key in keys(patient) if key[0] != rule]


def keys(report: dict[str, Any]) -> list[tuple[str, int, str]]:
    return sorted((f["rule"], f["location"]["line"], f["message"]) for f in report["findings"])


def test_rules_that_take_all_the_time_one_after_another_end_the_unit(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    analyzer = tmp_path / "slow"
    analyzer.write_text(
        f"#!/bin/sh\necho x >>'{counter}'\n"
        f"set -- mem-a mem-b mem-c mem-d mem-e mem-f\nshift $(($(wc -l <'{counter}') - 1))\n"
        'echo "stridewise-analyze: out of time in rule $1" >&2\nexit 3\n',
        encoding="utf-8",
    )
    analyzer.chmod(0o755)
    command = compile_db.plain_command(tmp_path / "unit.c", [])
    (tmp_path / "results").mkdir()
    (result,) = analysis.analyse(analyzer, [command], [], tmp_path / "results", 1, Limits(), lambda _: None)
    assert result.status == "failed"
    assert result.failure == "took longer than 120 s of processor time, in mem-a, mem-b, mem-c, mem-d"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("project")
    for name, text in project(3, pieces=2).items():
        (folder / name).write_text(text, encoding="utf-8")
    found = []
    for number in range(3):
        out = folder / f"{number}.json"
        source = folder / f"unit{number}.c"
        command: list[str | Path] = [toolchain.analyzer(), "-o", out, source, "--", "-O2", "-fopenmp", *mpi_flags()]
        subprocess.run(command, check=True)
        found.append(out)
    return found


def link(results: list[Path], *options: str) -> dict[str, Any]:
    out = results[0].parent / "link.json"
    subprocess.run([toolchain.analyzer(), "--link", *options, "-o", out, *results], check=True)
    value: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return value


def test_a_rule_out_of_steps_in_the_whole_program_loses_its_own_results_only(results: list[Path]) -> None:
    everything, hurried = link(results, "--profile"), link(results, "--rule-steps=0")
    assert not everything["problems"]
    silent = rules_of(hurried["problems"])
    assert silent == {rule for rule, steps in everything["stats"]["rule_steps"].items() if steps}
    assert silent
    assert hurried["findings"] == [f for f in everything["findings"] if f["rule"] not in silent]


def test_what_units_say_alike_is_held_once(results: list[Path]) -> None:
    one = link(results[:1], "--profile")["stats"]["summary_bytes"]
    same = link([results[0]] * 20, "--profile")["stats"]["summary_bytes"]
    text = len(json.dumps(json.loads(results[0].read_text(encoding="utf-8"))["summaries"]))
    assert same <= one + 4096  # the same unit twenty times takes no more
    assert one < 4 * text + (64 << 10)


def test_a_damaged_result_is_named_and_the_others_are_linked(results: list[Path], tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.json"
    text = results[0].read_text(encoding="utf-8")
    for broken in (text[: len(text) // 2], "[]", '{"version": 1}', "{", '{"summaries": {"a": ' + "[" * 200 + "}"):
        damaged.write_text(broken, encoding="utf-8")
        command: list[str | Path] = [toolchain.analyzer(), "--link", "-o", tmp_path / "out.json", damaged, results[1]]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 2
        assert f"cannot use result '{damaged}'" in done.stderr
        assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["version"] == 1
