"""The formats that code hosts and CI servers read: their shape, their escaping, and what they leave out."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stridewise.catalogue import Rule
from stridewise.cli import main
from stridewise.finding import Confidence, Edit, Finding, Fix, Location, Related, Safety, Severity, Verdict
from stridewise.finding.result import Result, Trouble
from stridewise.finding.sources import Project
from stridewise.render import FORMATS, RENDERERS

HOSTILE = "100%, a:b\x1b[31m\u202e\x00 ]]> <x attr=\"'&\r\nnext\udcff"
MACHINE = ("github", "gitlab", "junit", "rdjson", "sarif", "json")

GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "additionalProperties": False,
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/.]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
_POSITION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["line"],
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
}
_RANGE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["start"],
    "properties": {"start": _POSITION, "end": _POSITION},
}
_RD_LOCATION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["path"],
    "properties": {"path": {"type": "string", "minLength": 1}, "range": _RANGE},
}
RDJSON = {
    "type": "object",
    "additionalProperties": False,
    "required": ["diagnostics"],
    "properties": {
        "source": {"type": "object", "required": ["name"]},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["message", "location"],
                "properties": {
                    "message": {"type": "string", "minLength": 1},
                    "location": _RD_LOCATION,
                    "severity": {"enum": ["INFO", "WARNING", "ERROR"]},
                    "code": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["value"],
                        "properties": {"value": {"type": "string"}, "url": {"type": "string", "format": "uri"}},
                    },
                    "suggestions": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["range", "text"],
                            "properties": {"range": _RANGE, "text": {"type": "string"}},
                        },
                    },
                    "related_locations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["message", "location"],
                            "properties": {"message": {"type": "string"}, "location": _RD_LOCATION},
                        },
                    },
                },
            },
        },
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "src, a" / "x:y%.c"
    path.parent.mkdir()
    path.write_text("int a;\nint é = 1, b;\nint c;\n", encoding="utf-8")
    return path


def finding(file: Path, **changes: Any) -> Finding:
    base = Finding(
        rule="mpi-tiny-messages",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="one message per cell",
        advice="send them together",
        location=Location(str(file), 2, 13, 2, 14),
        function="exchange",
        fingerprint="00ff",
        related=(Related(str(file), 1, "declared here"),),
        fixes=(Fix("rename", (Edit(str(file), 20, 21, "d"),), Safety.SAFE, "no one knows it"),),
    )
    return replace(base, **changes)


def rendered(style: str, result: Result, rules: dict[str, Rule]) -> str:
    out = RENDERERS[style](result, rules, False)
    assert out.endswith("\n") or style == "github"
    out.encode("utf-8")
    return out


def test_every_module_is_a_format() -> None:
    assert FORMATS == ("github", "gitlab", "html", "json", "junit", "markdown", "rdjson", "sarif", "text")
    assert list(RENDERERS) == list(FORMATS)
    with pytest.raises(KeyError):
        RENDERERS["_common"]


def test_gitlab(file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    value = finding(file)
    found = json.loads(rendered("gitlab", Result(Project(tmp_path), (value, value)), rules))
    jsonschema.validate(found, GITLAB)
    assert found[0] == {
        "description": "one message per cell\nsend them together",
        "check_name": "stridewise-mpi-tiny-messages",
        "fingerprint": "00ff",
        "severity": "minor",
        "location": {"path": "src, a/x:y%.c", "lines": {"begin": 2}},
    }
    assert found[0]["fingerprint"] != found[1]["fingerprint"]


def test_github(file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    values = (
        finding(file),
        finding(file, severity=Severity.INFO, location=Location(str(file), 1, 1, 2, 3), message="50 % : a, b"),
    )
    lines = rendered("github", Result(Project(tmp_path), values, troubles=(Trouble("a.c", "no"),)), rules).splitlines()
    assert lines == [
        "::warning title=stridewise-mpi-tiny-messages,file=src%2C a/x%3Ay%25.c,line=2,endLine=2,col=12,endColumn=13"
        "::one message per cell%0Asend them together",
        "::notice title=stridewise-mpi-tiny-messages,file=src%2C a/x%3Ay%25.c,line=1,endLine=2"
        "::50 %25 : a, b%0Asend them together",
        "::error title=stridewise::a.c: no",
    ]


def test_rdjson(file: Path, tmp_path: Path, rules: dict[str, Rule], monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(rendered("rdjson", Result(Project(tmp_path), (finding(file),)), rules))
    jsonschema.validate(found, RDJSON)
    (diagnostic,) = found["diagnostics"]
    assert diagnostic["location"] == {
        "path": "src, a/x:y%.c",
        "range": {"start": {"line": 2, "column": 13}, "end": {"line": 2, "column": 14}},
    }
    place = {"line": 2, "column": 14}
    assert diagnostic["suggestions"] == [{"range": {"start": place, "end": {**place, "column": 15}}, "text": "d"}]
    assert diagnostic["related_locations"][0]["message"] == "declared here"
    assert diagnostic["code"] == {"value": "stridewise-mpi-tiny-messages"}
    monkeypatch.setenv("STRIDEWISE_SITE", "https://docs.example.org")
    (diagnostic,) = json.loads(rendered("rdjson", Result(Project(tmp_path), (finding(file),)), rules))["diagnostics"]
    assert diagnostic["code"]["url"] == "https://docs.example.org/rules/mpi-tiny-messages.html"


@pytest.mark.parametrize("edit", [("other.c", "x"), ("", "\udcff"), ("", "\x1b")])
def test_a_fix_that_cannot_be_shown_is_no_suggestion(
    file: Path, tmp_path: Path, rules: dict[str, Rule], edit: tuple[str, str]
) -> None:
    (file.parent / "other.c").write_text("int x;\n")
    target = str(file.parent / edit[0]) if edit[0] else str(file)
    value = finding(file, fixes=(Fix("x", (Edit(str(file), 0, 1, "i"), Edit(target, 1, 2, edit[1]))),))
    found = json.loads(rendered("rdjson", Result(Project(tmp_path), (value,)), rules))
    assert "suggestions" not in found["diagnostics"][0]
    if not edit[0]:
        log = json.loads(rendered("sarif", Result(Project(tmp_path), (value,)), rules))
        assert "fixes" not in log["runs"][0]["results"][0]


def test_line_ends_of_a_fix_are_kept(file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    value = finding(file, fixes=(Fix("x", (Edit(str(file), 0, 1, "a\r\nb"),), Safety.SAFE),))
    found = json.loads(rendered("rdjson", Result(Project(tmp_path), (value,)), rules))
    assert found["diagnostics"][0]["suggestions"][0]["text"] == "a\r\nb"


def test_junit(file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    value = Result(Project(tmp_path), (finding(file),), troubles=(Trouble("b.c", "does not compile", ("line 3",)),))
    suites = ET.fromstring(rendered("junit", value, rules))
    assert suites.tag == "testsuites"
    assert suites.attrib == {"tests": "2", "failures": "1", "errors": "1"}
    case, broken = suites.findall("./testsuite/testcase")
    assert case.attrib == {
        "classname": "stridewise.mpi-tiny-messages",
        "name": "src, a/x:y%.c:2 in exchange",
        "file": "src, a/x:y%.c",
        "line": "2",
    }
    failure = case.find("failure")
    assert failure is not None
    assert failure.attrib == {"type": "warning", "message": "one message per cell"}
    assert "send them together" in (failure.text or "")
    assert broken.find("error") is not None
    empty = ET.fromstring(rendered("junit", Result(Project(tmp_path), ()), rules))
    assert [case.attrib["name"] for case in empty.iter("testcase")] == ["no findings"]


@pytest.mark.parametrize("style", MACHINE)
def test_hostile_text_breaks_no_format(style: str, file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    hostile = tmp_path / HOSTILE.replace("\x00", "").replace("\udcff", "")
    value = finding(
        hostile, message=HOSTILE, advice=HOSTILE, function=HOSTILE, rule="mem-unknown",
        related=(Related(str(hostile), 0, HOSTILE),), fixes=(Fix(HOSTILE, (Edit(str(hostile), 0, 1, HOSTILE),)),),
    )  # fmt: skip
    out = rendered(style, Result(Project(tmp_path), (value,), troubles=(Trouble(HOSTILE, HOSTILE, (HOSTILE,)),)), rules)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out)
    if style == "junit":
        assert len(list(ET.fromstring(out).iter("testcase"))) == 2
    elif style == "github":
        lines = out.splitlines()
        assert len(lines) == 2
        assert all(re.fullmatch(r"::(warning|error) [^:]*::[^\n]*", line) for line in lines)
    else:
        json.loads(out)


@pytest.mark.parametrize("style", ("github", "gitlab", "junit", "markdown", "rdjson"))
def test_reviews_get_no_refuted_and_no_unsure_findings(
    style: str, file: Path, tmp_path: Path, rules: dict[str, Rule]
) -> None:
    hidden = (finding(file, verdict=Verdict.REFUTED), finding(file, confidence=Confidence.LOW))
    assert "one message" not in rendered(style, Result(Project(tmp_path), hidden), rules)
    assert "one message" in rendered(style, Result(Project(tmp_path), (finding(file),)), rules)


@pytest.mark.parametrize("style", FORMATS)
def test_lint_and_report_write_every_format(
    style: str,
    fake_analyzer: Path,
    project: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project({"a.c": "// @finding mem-struct-padding\nint g(void);\n", "bad.c": "// @crash\n"})
    assert main(["lint", "--format", style]) == 2
    said = capsys.readouterr()
    assert "mem-struct-padding" in said.out
    assert ("not done: bad.c: the analyser crashed" in said.err) == (style != "text")
    assert main(["lint", "--format", "json", "-o", "lint.json", "a.c"]) == 0
    assert main(["report", "--lint", "lint.json", "--format", style, "-o", "out"]) == 0
    assert "mem-struct-padding" in Path("out").read_text()


def test_a_written_baseline_accepts_what_is_there(
    fake_analyzer: Path, project: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = "// @finding mem-struct-padding\nint g(void);\n// @finding mpi-tiny-messages low\nint h(void);\n"
    root = project({"a.c": slow})
    assert main(["lint", "--write-baseline", "known.json", "--fail-on", "info"]) == 0
    assert "2 in the baseline" in capsys.readouterr().out
    written = json.loads((root / "known.json").read_text())
    assert sorted(f["rule"] for f in written["findings"]) == ["mem-struct-padding", "mpi-tiny-messages"]
    (root / "a.c").write_text("\n" + slow)
    assert main(["lint", "--baseline", "known.json", "--all", "--fail-on", "info"]) == 0
    text = (root / "known.json").read_text()
    assert main(["lint", "--write-baseline", "known.json"]) == 0
    assert (root / "known.json").read_text() == text
    (root / "a.c").write_text(slow + "// @finding mem-struct-padding\nint fresh(void);\n")
    assert main(["lint", "--baseline", "known.json", "--fail-on", "info"]) == 1
    (root / "a.c").write_text("int x;\n")
    assert main(["lint", "--write-baseline", "known.json"]) == 0
    assert json.loads((root / "known.json").read_text()) == {"version": 1, "findings": []}
