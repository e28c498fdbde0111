"""The page for a browser: well formed, foreign text stays text, and it holds what was found."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Location, Related, Severity, Verdict
from stridewise.finding.profile import Efficiency, Part, PhaseTime, Profile
from stridewise.finding.result import Result, RunSummary, Trouble
from stridewise.finding.sources import Project
from stridewise.finding.table import Table
from stridewise.render import RENDERERS

VOID = {"meta", "br", "input", "wbr"}
HOSTILE = (
    "</code></pre></style><script>alert(1)</script><img src=x onerror=alert(1)> & &lt; \"q\" 'a' \x1b[31m\u202e -->"
)


class Page(HTMLParser):
    """The page's elements with their attributes, and its text; fails where elements do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.marked: list[str] = []
        self.scripts: list[str] = []
        self.at_once = ""  # without what is folded away
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")
        if tag == "mark":
            self.marked.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        if "script" in self.open:
            self.scripts[-1] += data
            return
        self.text += data
        if "details" not in self.open:
            self.at_once += data
        if "mark" in self.open:
            self.marked[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "src" / "a<b>.c"
    path.parent.mkdir()
    path.write_text(
        "".join(f"int line{n};\n" for n in range(1, 9)) + "int é = send(1); // <b>&amp;</b>\nint last;\n",
        encoding="utf-8",
    )
    return path


def finding(file: Path, **changes: Any) -> Finding:
    base = Finding(
        rule="mpi-tiny-messages",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="one message per cell",
        advice="send them together",
        location=Location(str(file), 9, 10, 9, 17),
        function="exchange",
        verdict=Verdict.CONFIRMED,
        evidence=(Evidence("mpi", {"sends": 1200, "wait_seconds": 1.5}),),
        related=(Related(str(file), 2, "declared here"),),
        gain_seconds=0.25,
    )
    return replace(base, **changes)


def page(result: Result, rules: dict[str, Rule]) -> Page:
    text = RENDERERS["html"](result, rules, False)
    assert text.startswith("<!doctype html>\n")
    text.encode("utf-8")
    return Page(text)


def result(project: Path, *findings: Finding, **more: Any) -> Result:
    run = RunSummary("mpi", ("mpirun", "-n", "4", "./a b"), 0, 2.0, ("4 ranks",))
    return Result(Project(project), findings, **{"runs": (run,), **more})


def test_a_finding_with_all_that_is_known(file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    shown = page(result(tmp_path, finding(file)), rules)
    for text in (
        "mpirun -n 4 './a b'",
        "4 ranks",
        "saves about 250 ms",
        "confirmed by the run",
        "src/a<b>.c:9",
        "exchange",
        "one message per cell",
        "send them together",
        rules["mpi-tiny-messages"].why,
        "sends 1,200",
        "declared here",
        "src/a<b>.c:2",
        "6int line6;",
        "10int last;",
        "int é = send(1); // <b>&amp;</b>",
    ):
        assert text in shown.text, text
    assert "int line5;" not in shown.text
    assert shown.marked == ["send(1)"]  # columns count bytes, and é has two


def test_lines_that_miss_are_warm(file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    run = RunSummary("cache", ("./a",), 0, 2.0, misses={(str(file), 8): 0.31, (str(file), 3): 0.5})
    shown = page(result(tmp_path, finding(file), runs=(run,)), rules)
    assert "8int line8;31.0 % of the L1 misses" in shown.text
    assert "50.0 %" not in shown.text  # it is not among the lines that are shown
    warm = [a["class"] for tag, a in shown.elements if tag == "span" and "heat" in (a.get("class") or "")]
    assert warm == ["line heat5"]


def test_findings_are_chosen_by_the_phases_of_the_program(file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    one = finding(file, evidence=(Evidence("mpi", {"phase": "solve"}),))
    other = finding(file, location=Location(str(file), 3), evidence=(Evidence("mpi", {"phases": "set up, solve"}),))
    times = (PhaseTime("solve", 4, 1.5, 0.5, 0.25, 1.75, 3),)
    run = RunSummary("mpi", ("./a",), 0, 2.0, profile=Profile(2.0, phases=times))
    shown = page(result(tmp_path, one, other, runs=(run,)), rules)
    assert {a["data-phases"] for tag, a in shown.elements if tag == "article"} == {"solve", "set up;solve"}
    assert [a["data-by"] for tag, a in shown.elements if tag == "select"].count("phase") == 1
    assert {a["value"] for tag, a in shown.elements if tag == "option"} >= {"solve", "set up"}
    for text in ("time by phase", "75 %", "1.75 s (rank 3)", "in no phase"):
        assert text in shown.text, text


def test_the_page_begins_with_where_the_time_went_and_what_to_do_first(
    file: Path, tmp_path: Path, rules: dict[str, Rule]
) -> None:
    parts = (Part("computing", 2.0), Part("waiting", 1.0), Part("one thread", 0.99), Part("output", 0.01))
    lost = Efficiency("load balance", 0.5, f"rank 3 computes longest {HOSTILE}")
    profile = Profile(4.0, parts, (Efficiency("transfer", 0.99, "not worth a word"), lost), ())
    run = RunSummary("mpi", ("a.out",), 0, 4.0, (), (), profile)
    found = [
        finding(file, message="first", advice="do this", gain_seconds=1.0, location=Location(str(file), 2)),
        finding(file, message="second", advice="do that", gain_seconds=0.5, location=Location(str(file), 3)),
        finding(file, message="no", advice="not that", verdict=Verdict.REFUTED, location=Location(str(file), 4)),
    ]
    text = RENDERERS["html"](result(tmp_path, *found, runs=(run,)), rules, False)
    shown = page(result(tmp_path, *found, runs=(run,)), rules)
    bars = [(a["class"], a["x"], a["width"]) for tag, a in shown.elements if tag == "rect"]
    assert bars == [
        ("part-computing", "0.00", "501.25"), ("part-waiting", "501.25", "250.63"),
        ("part-one-thread", "751.88", "248.12"),
    ]  # fmt: skip
    style = (Path(__file__).resolve().parents[2] / "stridewise" / "render" / "report.css").read_text()
    assert all(f".{kind} {{" in style for kind, _, _ in bars)
    begin = text[: text.index('<table class="overview')]
    said = re.sub(r"<[^>]+>", " ", begin)
    for word in ("computing 50 %", "waiting 25 %", "one thread 25 %", "load balance 50 %: rank 3 computes longest"):
        assert word in said, word
    assert "not worth a word" not in said
    assert re.findall(r"do th\w+|not that", said) == ["do this", "do that"]
    links = re.findall(r'<a href="#(finding-\d)">([^<]+)</a>', begin)
    assert [(name, place.rpartition(":")[2]) for name, place in links] == [("finding-1", "2"), ("finding-2", "3")]


def scripts(shown: Page) -> list[tuple[str, dict[str, str | None]]]:
    return [element for element in shown.elements if element[0] == "script"]


@pytest.mark.parametrize("site", ["", "https://docs.example.org"])
def test_nothing_is_fetched_only_its_scripts_run_and_links_lead_somewhere(
    file: Path, tmp_path: Path, rules: dict[str, Rule], monkeypatch: pytest.MonkeyPatch, site: str
) -> None:
    monkeypatch.setenv("STRIDEWISE_SITE", site)
    shown = page(result(tmp_path, finding(file), finding(file, location=Location(str(file), 3))), rules)
    assert not {tag for tag, _ in shown.elements} & {"img", "link", "iframe", "object", "form", "base"}
    policy = next(a["content"] for tag, a in shown.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "default-src 'none'" in policy
    texts = [t for t, (_, a) in zip(shown.scripts, scripts(shown), strict=True) if "type" not in a]
    digests = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts}
    assert texts
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == digests
    assert "script-src 'sha256-" in policy
    assert not re.search(r"unsafe-(eval|hashes)|script-src[^;]*(unsafe-inline|\*|https?:)", policy)
    assert not [a for _, a in shown.elements for name in a if name == "src" or name == "style" or name.startswith("on")]
    names = {a.get("id") for _, a in shown.elements}
    for target in (a["href"] or "" for tag, a in shown.elements if tag == "a"):
        assert target.removeprefix("#") in names or (site and target == f"{site}/rules/mpi-tiny-messages.html")
    style = (Path(__file__).resolve().parents[2] / "stridewise" / "render" / "report.css").read_text()
    assert "url(" not in style
    assert "@import" not in style
    assert "<" not in style


def test_foreign_text_stays_text(tmp_path: Path, rules: dict[str, Rule]) -> None:
    source = tmp_path / "a.c"
    source.write_text(f"{HOSTILE}\n", encoding="utf-8")
    hostile = finding(
        source,
        rule=HOSTILE,
        message=HOSTILE,
        advice=HOSTILE,
        function=HOSTILE,
        location=Location(str(source), 1, 5, 1, 9),
        evidence=(Evidence("mpi", {"note": HOSTILE}, HOSTILE),),
        related=(Related(f"{source}{HOSTILE}", 1, HOSTILE),),
    )
    table = Table("t", HOSTILE, (HOSTILE, HOSTILE), ((HOSTILE, HOSTILE),), (HOSTILE,))
    value = result(
        tmp_path,
        hostile,
        replace(hostile, verdict=Verdict.REFUTED),
        runs=(RunSummary("mpi", (HOSTILE, HOSTILE), 1, 1.0, (HOSTILE,)),),
        troubles=(Trouble(HOSTILE, HOSTILE, (HOSTILE,)),),
        notes=(HOSTILE,),
        tables=(table,),
    )
    plain = page(result(tmp_path, finding(source, location=Location(str(source), 1, 5, 1, 9))), rules)
    shown = page(value, rules)
    assert {tag for tag, _ in shown.elements} <= {tag for tag, _ in plain.elements} | {
        "details", "summary", "section", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "strong", "br",
        "div", "input", "select", "option", "output", "ol",
    }  # fmt: skip
    visible = HOSTILE.replace("\x1b", "\\u001b").replace("\u202e", "\\u202e")
    assert shown.text.count(visible) > 15
    assert "\x1b" not in shown.text
    assert "\u202e" not in shown.text


def test_what_is_worth_less_is_folded_and_numbers_go_on(file: Path, tmp_path: Path, rules: dict[str, Rule]) -> None:
    found = [finding(file, message=f"message {n}") for n in range(5)]
    refuted = finding(file, message="not so", verdict=Verdict.REFUTED)
    shown = page(result(tmp_path, *found, refuted, limit=3), rules)
    assert "message 2" in shown.at_once
    assert "message 3" not in shown.at_once
    assert "not so" not in shown.at_once
    for text in ("message 4", "not so", "2 more findings", "1 finding refuted by the run"):
        assert text in shown.text
    headings = re.findall(r"(\d)\. mpi-tiny-messages", shown.text)
    assert headings == [str(n) for n in range(1, 7)]
    assert shown.text.count(rules["mpi-tiny-messages"].why) == 1
    every = page(result(tmp_path, *found, limit=None), rules)
    assert "message 4" in every.at_once


def test_without_source_without_runs_and_without_findings(tmp_path: Path, rules: dict[str, Rule]) -> None:
    gone = finding(tmp_path / "gone.c", evidence=(), related=(), gain_seconds=None, verdict=Verdict.SUSPECTED)
    shown = page(result(tmp_path, gone, runs=()), rules)
    assert "gone.c:9" in shown.text
    assert "high confidence" in shown.text
    assert not shown.marked
    empty = page(result(tmp_path, runs=(), stats={"files_analysed": 3}), rules)
    assert "3 files analysed · 0 findings" in empty.text
    assert not [tag for tag, _ in empty.elements if tag in ("table", "article")]
