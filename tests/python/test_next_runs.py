"""Which run decides a finding, and the commands that `stridewise next` prints."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stridewise.catalogue import Rule
from stridewise.cli import main
from stridewise.finding import Confidence, Deciding, Evidence, Finding, Location, Severity, Verdict
from stridewise.finding.deciding import INPUTS, with_deciding_runs
from stridewise.finding.measured import verdict
from stridewise.finding.result import LEAST_SAVING, Result, RunSummary
from stridewise.finding.settle import settled
from stridewise.finding.sources import Project
from stridewise.render import RENDERERS
from stridewise.runs.run_folder import KINDS

WALL = 10.0


def of(rule: str, rules: dict[str, Rule], **changes: Any) -> Finding:
    base = Finding(
        rule,
        rules[rule].severity,
        Confidence.HIGH,
        "costs",
        Location("/p/a.c", 3, 1, 3, 2),
        function="sweep(int)",
        evidence=(Evidence("static"),),
        fingerprint="00ff",
    )
    return replace(base, **changes)


def decided(finding: Finding, rules: dict[str, Rule], **seconds: float) -> Deciding | None:
    return with_deciding_runs([finding], rules, seconds)[0].decided_by


def watched(finding: Finding, kind: str, metrics: dict[str, Any] | None = None, note: str = "", **more: Any) -> Finding:
    return replace(finding.with_evidence(Evidence(kind, metrics or {}, note)), **more)


def test_all_kinds_of_run_say_what_they_need() -> None:
    assert set(INPUTS) == set(KINDS)


def test_a_finding_of_the_source_names_the_run_of_its_rule(rules: dict[str, Rule]) -> None:
    for slug, rule in rules.items():
        said = decided(of(slug, rules), rules)
        kinds = [kind for kind in rule.detectors if kind in INPUTS]
        assert (said.run if said else None) == (kinds[0] if kinds else None)
        if said:
            assert said.input
            assert not said.why
            assert "{" not in said.input


@pytest.mark.parametrize("said", [Verdict.CONFIRMED, Verdict.OBSERVED, Verdict.REFUTED])
def test_what_is_decided_needs_no_run(said: Verdict, rules: dict[str, Rule]) -> None:
    assert decided(watched(of("mem-strided-inner-loop", rules), "cache", verdict=said), rules) is None


def test_a_place_that_the_run_did_not_reach_needs_an_input_that_does(rules: dict[str, Rule]) -> None:
    missed = watched(of("mpi-tiny-messages", rules), "mpi", note="no call", verdict=Verdict.NOT_EXERCISED)
    assert decided(missed, rules) == Deciding("mpi", "an input that runs sweep", "no call")


@pytest.mark.parametrize(
    ("rule", "kind", "metrics", "note", "why"),
    [
        (
            "mem-strided-inner-loop",
            "cache",
            {"d1_misses": 12, "best_d1_misses": 10},
            "12 misses",
            "fewer than 1.5 times",
        ),
        (
            "mpi-redundant-barrier",
            "mpi",
            {"at_most_seconds": 0.01},
            "came by",
            "10 ms were spent here, which is within",
        ),
        ("mpi-redundant-barrier", "mpi", {"at_most_seconds": 1.0}, "came by", "came by"),
        ("omp-costly-schedule", "omp", {}, "", "neither show nor exclude"),
    ],
)
def test_an_undecided_result_says_why_and_what_to_try(
    rule: str, kind: str, metrics: dict[str, Any], note: str, why: str, rules: dict[str, Rule]
) -> None:
    said = decided(watched(of(rule, rules), kind, metrics, note), rules, **{kind: WALL})
    assert said is not None
    assert (said.run, why in said.why) == (kind, True)
    assert "4 x larger" in said.input


@pytest.mark.parametrize(("share", "undecided"), [(0.5, True), (2.0, False)])
def test_a_saving_within_the_noise_is_undecided(share: float, undecided: bool, rules: dict[str, Rule]) -> None:
    gain = share * LEAST_SAVING * WALL
    finding = watched(of("mpi-tiny-messages", rules), "mpi", verdict=Verdict.CONFIRMED, gain_seconds=gain)
    runs = (RunSummary("mpi", ("app",), 0, WALL),)
    (said,) = settled([finding], rules, runs)
    assert (said.decided_by is not None) is undecided
    assert ("undecided" in verdict(said)) is undecided
    text = RENDERERS["text"](Result(Project(Path("/p")), (said,), runs=runs), rules, False)
    assert ("undecided: what it would save is within the noise of this run; try run --mpi" in text) is undecided


def test_the_reason_is_not_said_twice(rules: dict[str, Rule]) -> None:
    finding = watched(of("mem-power-of-two-stride", rules), "cache", note="conflicts were not simulated")
    (said,) = settled([finding], rules)
    text = RENDERERS["text"](Result(Project(Path("/p")), (said,)), rules, False)
    assert text.count("conflicts were not simulated") == 1
    assert "undecided: try run --cache, with the array sizes of production" in text


@pytest.mark.parametrize("style", ["text", "json", "html", "markdown", "sarif"])
def test_formats_for_people_and_scripts_name_the_run(style: str, rules: dict[str, Rule]) -> None:
    (finding,) = settled([of("mem-strided-inner-loop", rules)], rules)
    out = RENDERERS[style](Result(Project(Path("/p")), (finding,)), rules, False)
    assert ('"run": "cache"' if style == "json" else "run --cache") in out


def report(path: Path, rules: dict[str, Rule], *findings: Finding, runs: tuple[RunSummary, ...] = ()) -> Path:
    value = Result(Project(Path("/p")), tuple(settled(findings, rules, runs)), runs=runs)
    path.write_text(RENDERERS["json"](value, rules, False), encoding="utf-8")
    return path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, list[list[str]]]:
    assert main(["next", *words]) == 0
    out = capsys.readouterr().out
    return out, [shlex.split(line) for line in out.splitlines() if not line.startswith("#")]


def test_one_command_for_each_kind_the_dearest_first(
    tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]
) -> None:
    many = [of("omp-small-loop", rules, location=Location("/p/b.c", n), function=f"f{n}") for n in range(5)]
    flags = of("build-missed-vectorization", rules)
    file = report(tmp_path / "my findings.json", rules, *many, of("mem-strided-inner-loop", rules), flags)
    out, commands = printed(capsys, str(file), "--", "./app", "an input")
    assert commands == [
        ["stridewise", "run", f"--{kind}", "--lint", str(file), "--", "./app", "an input"] for kind in ("cache", "omp")
    ]
    assert "6 of 7 findings undecided; 1 that no run decides" in out
    assert "decides 5 of 6 undecided findings: omp-small-loop 5" in out
    assert "a.c:3 in sweep(int): mem-strided-inner-loop" in out
    assert f"input: {INPUTS['cache']}" in out
    assert "and 2 more (--all names them)" in out
    assert "more (--all" not in printed(capsys, str(file), "--all")[0]


def test_an_error_is_mended_whatever_a_run_says(
    tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]
) -> None:
    race = of("omp-shared-counter", rules, severity=Severity.ERROR)
    file = report(tmp_path / "findings.json", rules, race, of("build-missed-vectorization", rules))
    out, commands = printed(capsys, str(file))
    assert not commands
    assert "1 error to mend, whatever a run says; 1 that no run decides" in out


def test_places_of_one_cause_are_one_finding_of_the_plan(
    tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]
) -> None:
    barriers = [of("omp-barrier-in-loop", rules, location=Location("/p/b.c", n), fingerprint=str(n)) for n in range(5)]
    file = report(tmp_path / "f.json", rules, *barriers)
    out, commands = printed(capsys, str(file))
    assert len(commands) == 1
    assert "# 1 of 1 finding undecided" in out
    assert "decides 1 of 1 undecided findings: omp-barrier-in-loop 1" in out
    assert "b.c:0 in sweep(int) and 4 more places: omp-barrier-in-loop" in out
    assert json.loads(printed(capsys, str(file), "--format", "json")[0])["runs"][0]["findings"][0]["places"] == 5


def test_noise_is_judged_by_all_places_of_a_cause(rules: dict[str, Rule]) -> None:
    """Each of three barriers saves 0.3 % of the run, all together 0.9 %: that is no noise."""
    runs = (RunSummary("mpi", ("app",), 0, WALL),)

    def barrier(line: int) -> Finding:
        found = of("mpi-redundant-barrier", rules, location=Location("/p/a.c", line), advice="remove the barrier")
        return watched(found, "mpi", verdict=Verdict.CONFIRMED, gain_seconds=0.003 * WALL)

    assert [f.decided_by for f in settled(map(barrier, (1, 2, 3)), rules, runs)] == [None] * 3
    (alone,) = settled([barrier(1)], rules, runs)
    assert alone.decided_by is not None


def test_doubtful_findings_are_counted_with_the_run_that_decides_them_too(
    tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]
) -> None:
    low = of("mem-strided-inner-loop", rules, confidence=Confidence.LOW, fingerprint="1")
    file = report(tmp_path / "f.json", rules, of("mem-strided-inner-loop", rules), low)
    out, commands = printed(capsys, str(file))
    assert len(commands) == 1
    assert "decides 1 of 1 undecided findings: mem-strided-inner-loop 1; and 1 of low confidence" in out
    assert printed(capsys, str(report(tmp_path / "g.json", rules, low)))[1] == []


def test_a_stand_in_where_no_program_is_known(
    tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]
) -> None:
    file = report(tmp_path / "f.json", rules, of("mpi-tiny-messages", rules))
    out, (command,) = printed(capsys, str(file))
    assert command[-4:] == ["mpirun", "-n", "4", "./PROGRAM"]
    assert "./PROGRAM stands for your program" in out


def test_a_report_with_runs_takes_their_command_and_what_they_left_open(
    tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]
) -> None:
    """The report holds findings of runs, which another run must not take for those of the source."""
    run = RunSummary("mpi", ("mpirun", "-n", "2", "./app"), 0, WALL)
    findings = [
        watched(of("mpi-redundant-barrier", rules), "mpi", {"at_most_seconds": 0.001}, "came by"),
        watched(of("mpi-tiny-messages", rules, fingerprint="1"), "mpi", verdict=Verdict.CONFIRMED, gain_seconds=2.0),
    ]
    out, commands = printed(capsys, str(report(tmp_path / "r.json", rules, *findings, runs=(run,))))
    assert commands == [
        ["stridewise", "lint", "--format", "json", "-o", "findings.json"],
        ["stridewise", "run", "--mpi", "--lint", "findings.json", "--", "mpirun", "-n", "2", "./app"],
    ]
    assert "1 of 2 findings undecided; 1 decided by a run" in out
    assert "mpi-redundant-barrier, undecided: at most 1 ms were spent here" in out


def test_nothing_undecided(tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]) -> None:
    out, commands = printed(capsys, str(report(tmp_path / "f.json", rules)))
    assert out == "# nothing is undecided that a run would decide: 0 findings\n"
    assert commands == []


def test_as_data(tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]) -> None:
    file = report(tmp_path / "f.json", rules, of("mem-strided-inner-loop", rules))
    out, _ = printed(capsys, str(file), "--format", "json", "--", "./app")
    plan = json.loads(out)
    assert (plan["version"], plan["findings"], plan["undecided"], plan["prepare"]) == (1, 1, 1, [])
    (run,) = plan["runs"]
    assert run["command"] == ["stridewise", "run", "--cache", "--lint", str(file), "--", "./app"]
    assert [(f["rule"], f["line"], f["fingerprint"]) for f in run["findings"]] == [
        ("mem-strided-inner-loop", 3, "00ff")
    ]


def test_foreign_names_add_no_command(
    tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]
) -> None:
    """Names come from sources that nobody checked: the plan may be fed to a shell."""
    hostile = of("mem-strided-inner-loop", rules, function="f\nrm -rf ~", location=Location("/p/a\n$(rm).c", 1))
    file = report(tmp_path / "$(rm) 'x.json", rules, hostile)
    _, commands = printed(capsys, str(file), "--", "./app", "$(rm)")
    assert commands == [["stridewise", "run", "--cache", "--lint", str(file), "--", "./app", "$(rm)"]]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"findings": 1}', '{"findings": [], "runs": 3}', '{"findings": [], "runs": [{}]}']
)
def test_what_is_no_report_is_an_error(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.json"
    file.write_text(text)
    assert main(["next", str(file)]) == 2
    assert str(file) in capsys.readouterr().err


def test_nothing_to_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["next", "absent.json"]) == 2
    assert main(["next"]) == 2
    assert main(["next", "-p", "absent"]) == 2


def test_a_report_and_a_build_are_two_questions(
    tmp_path: Path, rules: dict[str, Rule], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["next", str(report(tmp_path / "f.json", rules)), "-p", str(tmp_path)]) == 2
    assert "name one of them" in capsys.readouterr().err


def test_it_analyses_where_no_report_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "sum.c"
    source.write_text(
        "double rows[2000][2000];\n"
        "double sum(void) {\n  double all = 0;\n"
        "  for (int x = 0; x < 2000; x++)\n    for (int y = 0; y < 2000; y++)\n      all += rows[y][x];\n"
        "  return all;\n}\n"
    )
    database = [{"directory": str(tmp_path), "file": str(source), "arguments": ["cc", "-O2", "-c", str(source)]}]
    (tmp_path / "compile_commands.json").write_text(json.dumps(database))
    monkeypatch.chdir(tmp_path)
    out, commands = printed(capsys, "-p", ".", "--", "./app")
    assert commands == [
        ["stridewise", "lint", "-p", ".", "--format", "json", "-o", "findings.json"],
        ["stridewise", "run", "--cache", "--lint", "findings.json", "--", "./app"],
    ]
    assert "sum.c:5 in sum: mem-strided-inner-loop" in out
    assert not (tmp_path / "findings.json").exists()
