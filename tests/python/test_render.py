from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from sarif_schema import SARIF

from stridewise.catalogue import Rule
from stridewise.console import Painter, Progress, harmless, wants_colour
from stridewise.finding import Confidence, Edit, Evidence, Finding, Fix, Location, Related, Severity, Verdict
from stridewise.finding.quantities import quantity, seconds
from stridewise.finding.result import Result, RunSummary, Trouble
from stridewise.finding.sources import Project
from stridewise.render import RENDERERS

SOURCE = "int first;\n\tfor (é = 0; é < n; é++) send(é);\nint last;\n"
RULE = "mpi-tiny-messages"


def finding(file: Path | str, **changes: Any) -> Finding:
    base = Finding(
        rule=RULE,
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="one message per cell",
        advice="send them together",
        location=Location(str(file), 2, 2, 2, 5),
        function="exchange",
        fingerprint="00ff",
        moved_fingerprint="11ee",
    )
    return replace(base, **changes)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "my src" / "a&b.c"
    path.parent.mkdir()
    path.write_text(SOURCE, encoding="utf-8")
    return path


def result(root: Path, *findings: Finding, **changes: Any) -> Result:
    return replace(Result(Project(root), findings), **changes)


def text(value: Result, rules: dict[str, Rule], colour: bool = False) -> str:
    return RENDERERS["text"](value, rules, colour)


def sarif(value: Result, rules: dict[str, Rule]) -> dict[str, Any]:
    log = json.loads(RENDERERS["sarif"](value, rules, False))
    jsonschema.validate(log, SARIF)
    assert isinstance(log, dict)
    return log


def test_text_shows_place_excerpt_why_and_fix(source: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    shown = text(result(tmp_path, finding(source)), rules)
    assert "mpi-tiny-messages" in shown
    assert "my src/a&b.c:2 in exchange" in shown
    lines = shown.splitlines()
    code = next(i for i, line in enumerate(lines) if "> 2 |" in line)
    assert "1 | int first;" in lines[code - 1]
    assert lines[code].endswith(" for (é = 0; é < n; é++) send(é);")
    assert lines[code + 1].index("^~~") == lines[code].index("for")
    assert f"why: {rules[RULE].why}" in shown
    assert "fix: send them together" in shown


def test_caret_counts_bytes_not_characters(source: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    line = SOURCE.splitlines()[1]
    column = len(line[: line.index("send")].encode()) + 1
    where = Location(str(source), 2, column, 2, column + 4)
    lines = text(result(tmp_path, finding(source, location=where)), rules).splitlines()
    code = next(i for i, line in enumerate(lines) if "> 2 |" in line)
    assert lines[code + 1].index("^~~~") == lines[code].index("send")


def test_why_is_said_once_a_rule(source: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    shown = text(result(tmp_path, finding(source), finding(source, message="other")), rules)
    assert shown.count("why:") == 1


def test_measured_seconds_and_verdict(source: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    evidence = Evidence("mpi", {"rank_seconds": [0.5, 7.9], "cost_rank": 1, "message_bytes": 72, "odd": {}}, "a doubt")
    value = finding(source, gain_seconds=7.9, verdict=Verdict.CONFIRMED, evidence=(evidence,))
    shown = text(result(tmp_path, value, runs=(RunSummary("mpi", ("mpirun", "a b"), 0, 1.0, ("4 ranks",)),)), rules)
    assert "stridewise · mpirun 'a b' · 4 ranks" in shown
    assert "saves about 7.9 s" in shown
    assert "confirmed by the run" in shown
    assert "measured (mpi): a doubt, at most 7.9 s (rank 1), message 72 B" in shown
    assert "1 confirmed" in shown


def test_refuted_findings_are_shown_with_all_only(source: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    value = result(tmp_path, finding(source, verdict=Verdict.REFUTED, cost_seconds=0.002))
    assert "1 more with --all" in text(value, rules)
    assert RULE not in text(value, rules)
    shown = text(replace(value, limit=None), rules)
    assert "costs 2 ms" in shown


def test_no_colour_in_files_and_pipes(source: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    value = result(tmp_path, finding(source))
    assert "\x1b" not in text(value, rules)
    assert "\x1b[" in text(value, rules, colour=True)


def test_unknown_places_do_not_break(tmp_path: Path, rules: dict[str, Rule]) -> None:
    for where in (Location("", 0), Location("/gone.c", 7), Location(str(tmp_path), 1), Location("/gone.c", 10**12, 5)):
        value = result(tmp_path, finding("x", location=where, rule="mem-unknown"))
        for name in RENDERERS:
            assert RENDERERS[name](value, rules, False)


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202eevil\u2066\x9b31m\r\nnext"


def test_text_makes_foreign_text_harmless(tmp_path: Path, rules: dict[str, Rule]) -> None:
    path = tmp_path / ("bad\x1b[31m" + os.fsdecode(b"\xff") + "\u202e.c")
    path.write_bytes(b"\x1b[2Jint x; \xe2\x80\xae \xff\n")
    value = finding(
        path,
        location=Location(str(path), 1, 1, 1, 4),
        message=HOSTILE,
        advice=HOSTILE,
        function=HOSTILE,
        related=(Related(str(path), 1, HOSTILE),),
        evidence=(Evidence("mpi", {HOSTILE: HOSTILE}, HOSTILE),),
        rule=RULE,
    )
    shown = text(
        result(tmp_path, value, troubles=(Trouble(HOSTILE, HOSTILE, (HOSTILE,)),), notes=(HOSTILE,),
               runs=(RunSummary("mpi", (HOSTILE,), 0, None, (HOSTILE,)),)),
        rules,
    )  # fmt: skip
    assert not any(char in shown for char in "\x1b\x07\u202e\u2066\x9b\r")
    assert "\\xff" in shown
    shown.encode("utf-8")


def test_json_is_ascii_and_complete(source: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    value = result(tmp_path, finding(source, message=HOSTILE), stats={"files_analysed": 3})
    shown = RENDERERS["json"](value, rules, False)
    assert shown.isascii()
    found = json.loads(shown)
    assert set(found) == {"version", "tool", "root", "findings", "unsure", "runs", "problems", "stats"}
    assert found["findings"][0]["message"] == HOSTILE
    assert found["findings"][0]["location"]["file"] == "my src/a&b.c"
    assert found["stats"]["files_analysed"] == 3
    assert found["stats"]["by_confidence"] == {"high": 1, "medium": 0, "low": 0}


def test_sarif_of_nothing(tmp_path: Path, rules: dict[str, Rule]) -> None:
    log = sarif(result(tmp_path), rules)
    assert log["runs"][0]["results"] == []
    assert log["runs"][0]["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_sarif_places_are_encoded_and_relative_to_the_root(
    source: Path, tmp_path: Path, rules: dict[str, Rule]
) -> None:
    begin = SOURCE.encode().index(b"send")
    value = finding(
        source,
        fixes=(Fix("swap", (Edit(str(source), begin, begin + 4, "post"),), why="it may wait"),),
        related=(Related("/usr/include/mpi.h", 7, "declared"), Related(str(source), 0, "somewhere")),
    )
    run = sarif(result(tmp_path, value), rules)["runs"][0]
    assert run["originalUriBaseIds"]["PROJECTROOT"]["uri"] == f"file://{tmp_path}/"
    found = run["results"][0]
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "my%20src/a%26b.c", "uriBaseId": "PROJECTROOT"}
    assert place["region"] == {"startLine": 2, "startColumn": 2, "endLine": 2, "endColumn": 5}
    assert found["relatedLocations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///usr/include/mpi.h"}
    line = SOURCE.splitlines()[1]
    column = line.index("send") + 1
    assert found["fixes"][0]["properties"] == {"safety": "unsafe", "why": "it may wait"}
    assert found["fixes"][0]["description"] == {"text": "swap (unsafe: it may wait)"}
    deleted = found["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]
    assert deleted == {"startLine": 2, "startColumn": column, "endLine": 2, "endColumn": column + 4}


def test_sarif_rules_and_fingerprints(
    source: Path, tmp_path: Path, rules: dict[str, Rule], monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [finding(source), finding(source, rule="mem-struct-padding", severity=Severity.INFO), finding(source)]
    assert not [
        r for r in sarif(result(tmp_path, *values), rules)["runs"][0]["tool"]["driver"]["rules"] if "helpUri" in r
    ]
    monkeypatch.setenv("STRIDEWISE_SITE", "https://docs.example.org/hpc/")
    run = sarif(result(tmp_path, *values), rules)["runs"][0]
    driver = run["tool"]["driver"]
    assert [r["id"] for r in driver["rules"]] == ["mem-struct-padding", RULE]
    for found in run["results"]:
        assert driver["rules"][found["ruleIndex"]]["id"] == found["ruleId"]
        assert found["partialFingerprints"] == {"stridewise/v1": "00ff", "stridewiseMoved/v1": "11ee"}
    site = "https://docs.example.org/hpc/rules"
    assert [r["helpUri"] for r in driver["rules"]] == [f"{site}/mem-struct-padding.html", f"{site}/{RULE}.html"]
    assert run["results"][1]["level"] == "note"


def test_sarif_of_refuted_findings_and_troubles(source: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    value = result(tmp_path, finding(source, verdict=Verdict.REFUTED), troubles=(Trouble("b.c", "crashed"),))
    run = sarif(value, rules)["runs"][0]
    assert (run["results"][0]["kind"], run["results"][0]["level"]) == ("pass", "none")
    assert run["invocations"][0]["executionSuccessful"] is False


def test_sarif_of_hostile_text(tmp_path: Path, rules: dict[str, Rule]) -> None:
    path = tmp_path / os.fsdecode(b"b\xff\x1b?#.c")
    path.write_bytes(b"\xff\xfe int x;\n")
    value = finding(path, message=HOSTILE, function=HOSTILE, fixes=(Fix(HOSTILE, (Edit(str(path), 0, 2, "\udcff"),)),))
    log = sarif(result(tmp_path, value), rules)
    assert "\x1b" not in json.dumps(log, ensure_ascii=False)
    assert (
        log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b%FF%1B%3F%23.c"
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12.4, "12.4 s"),
        (0.0851, "85.1 ms"),
        (6.1e-6, "6.1 µs"),
        (123.4, "123 s"),
        (1e5, "100,000 s"),
        (5e-9, "5 ns"),
        (0.0, "0 s"),
    ],
)
def test_seconds(value: float, shown: str) -> None:
    assert seconds(value) == shown


def test_quantities() -> None:
    assert quantity(1284000, "count") == "1,284,000"
    assert quantity(72.0, "bytes") == "72 B"
    assert quantity(0.259, "share") == "25.9 %"
    assert quantity(2.5, "ratio") == "2.5"


def test_harmless_keeps_ordinary_text() -> None:
    assert harmless("für (int i = 0; i < n; i++) // µs →") == "für (int i = 0; i < n; i++) // µs →"
    assert harmless("a\tb\x00\x7f\u200b") == "a b\\x00\\x7f\\u200b"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_needs_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
    assert Painter(False)("x", "red") == "x"


def test_progress_on_a_terminal_only() -> None:
    quiet, loud = io.StringIO(), Terminal()
    for stream in (quiet, loud):
        with Progress("analysing", 2, stream) as progress:
            progress.step("a\x1b.c")
            progress.step("b.c")
    assert quiet.getvalue() == ""
    assert "analysing 1/2 a\\x1b.c" in loud.getvalue()
    assert loud.getvalue().endswith("\x1b[2K")


@pytest.mark.parametrize(
    ("here", "shown"),
    [("", "src/a.c"), ("src", "a.c"), ("build/deep", "../../src/a.c"), ("..", "{name}/src/a.c"), ("/", None)],
)
def test_paths_are_those_of_the_working_directory(
    tmp_path: Path, rules: dict[str, Rule], monkeypatch: pytest.MonkeyPatch, here: str, shown: str | None
) -> None:
    """A path can be opened as it is printed; JSON has those below the root, wherever one stands."""
    root = tmp_path / "project"
    for name in ("src", "build/deep"):
        (root / name).mkdir(parents=True)
    file = root / "src" / "a.c"
    file.write_text("int a;\n" * 9)
    monkeypatch.chdir(root / here)
    wanted = str(file).lstrip("/") if shown is None else shown.format(name=root.name)
    value = result(
        root,
        finding(file, related=(Related(str(file), 2, "declared here"),)),
        troubles=(Trouble("src/a.c", "does not compile", ("src/a.c:3:1: error",)), Trouble("src/none.c", "is gone")),
        notes=("src/a.c: loops were not analysed", "a: b"),
    )
    out = text(value, rules)
    assert f" {wanted}:" in out
    assert f"see: {wanted}:2 (declared here)" in out
    assert f"not done: {wanted}: does not compile\n    {wanted}:3:1: error\n" in out
    assert "not done: src/none.c: is gone" in out
    assert f"note: {wanted}: loops were not analysed\nnote: a: b\n" in out
    if shown is not None:
        assert Path(wanted).is_file()
    assert json.loads(RENDERERS["json"](value, rules, False))["findings"][0]["location"]["file"] == "src/a.c"


def test_sarif_says_what_it_saves_who_calls_and_how_sure_a_rule_is(
    source: Path, tmp_path: Path, rules: dict[str, Rule], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRIDEWISE_SITE", "https://docs.example.org")
    callers = (
        Related(str(source), 1, "called from inner[0]"),
        Related(str(source), 3, "called from outer"),
        Related(str(source), 2, "declared"),
    )
    sure = finding(
        source,
        message="a[i] is sent",
        related=callers,
        gain_seconds=0.8,
        verdict=Verdict.CONFIRMED,
        evidence=(Evidence("mpi", {}),),
    )
    run = sarif(result(tmp_path, sure, finding(source, confidence=Confidence.MEDIUM)), rules)["runs"][0]
    driver = run["tool"]["driver"]
    assert driver["informationUri"] == "https://docs.example.org/"
    assert driver["rules"][0]["properties"]["precision"] == "medium"
    assert driver["rules"][0]["properties"]["problem.severity"] == "warning"
    assert driver["rules"][0]["help"]["markdown"].startswith(f"# {RULE}: ")
    assert "```diff" in driver["rules"][0]["help"]["markdown"]
    said = run["results"][0]
    assert said["message"]["text"].splitlines() == [
        "a\\[i\\] is sent",
        "saves about 800 ms, confirmed by the run",
        "send them together",
        "See: [called from inner\\[0\\]](1); [called from outer](2); [declared](3)",
    ]
    assert said["properties"]["judged"] == "saves about 800 ms, confirmed by the run"
    (flow,) = said["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]
    assert lines == [3, 1, 2]
    assert [step["nestingLevel"] for step in steps] == [0, 1, 2]
    plain = run["results"][1]
    assert "codeFlows" not in plain
    assert plain["message"]["text"] == "one message per cell\nsend them together"


@pytest.mark.parametrize("style", ["gitlab", "github", "rdjson", "junit"])
def test_formats_for_servers_say_what_it_saves(
    source: Path, tmp_path: Path, rules: dict[str, Rule], style: str
) -> None:
    value = finding(source, gain_seconds=0.8, verdict=Verdict.CONFIRMED, evidence=(Evidence("mpi", {}),))
    assert "saves about 800 ms, confirmed by the run" in RENDERERS[style](result(tmp_path, value), rules, False)
    assert "confirmed" not in RENDERERS[style](result(tmp_path, finding(source)), rules, False)
