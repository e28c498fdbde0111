"""Job summaries: tables that hold what was found, and foreign text that stays text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from stridewise import markdown
from stridewise.catalogue import Rule
from stridewise.cli import main
from stridewise.finding import Confidence, Finding, Location, Severity, Verdict
from stridewise.finding.result import Result, RunSummary, Trouble
from stridewise.finding.sources import Project
from stridewise.finding.table import Table
from stridewise.render import RENDERERS

ELEMENTS = {
    "h2",
    "h3",
    "p",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "a",
    "code",
    "br",
    "strong",
    "ul",
    "li",
    "span",
}
HOSTILE = (
    "<img src=x onerror=alert(1)><script>x</script> </details> &lt; &#64; `code` ``` | cell | *a* **b** _c_ ~~d~~ "
    "[l](http://e.org) ![i](http://e.org/i.png) <http://e.org> http://e.org www.e.org @somebody a@b.org #12 !34 $x$ "
    "\\| \\` \x1b[31m\u202e --> <!-- \r\n# title\n- item\n1. one\n---\n| a | b |\n|---|---|\n/close\n\n    block\n"
)


class Page(HTMLParser):
    """The elements of a page, the text of each table cell, and the targets of its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.links: list[str] = []
        self.cells: list[str] = []
        self.text = ""
        self.feed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag == "br":
            self.handle_data("\n")

    def handle_data(self, data: str) -> None:
        self.text += data.replace("\u200b", "")
        if self.cells:
            self.cells[-1] += data.replace("\u200b", "")

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


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
    )
    return replace(base, **changes)


def rendered(result: Result, rules: dict[str, Rule]) -> str:
    return RENDERERS["markdown"](result, rules, False)


@pytest.mark.parametrize("value", [HOSTILE, "/close", "a_b_c", "100 %", "x\\", "www.example.org/a_b", "http://a.b"])
def test_foreign_text_stays_text(value: str) -> None:
    for made in (markdown.text(value), markdown.code(value)):
        assert "\n" not in made
        assert not re.search(r"[@#!]\w|\w@\w|[^\\]://|www\.", made.replace("&#8203;", "\0")) or made.startswith(
            "<code>"
        )
        assert not made.startswith("/")
        page = Page(f"| a |\n|---|\n| {made} |\n\n{made}\n")
        assert set(page.elements) <= {"table", "thead", "tbody", "tr", "th", "td", "p", "br", "code", "span"}
        assert page.links == []
        wanted = re.sub("\x1b", r"\\u001b", value.strip().replace("\r\n", "\n")).replace("\u202e", r"\u202e")
        seen = [" ".join(part.split()) for part in (page.cells[1], wanted)]
        assert seen[0].startswith(seen[1])


def test_long_text_is_cut() -> None:
    assert markdown.text("x" * 100, 10) == "x" * 9 + "…"
    assert markdown.code("x" * 100, 10) == f"<code>{'x' * 9}…</code>"


@pytest.mark.parametrize("site", ["", "https://docs.example.org"])
def test_summary(tmp_path: Path, rules: dict[str, Rule], monkeypatch: pytest.MonkeyPatch, site: str) -> None:
    monkeypatch.setenv("STRIDEWISE_SITE", site)
    file = tmp_path / "src" / "a.c"
    values = (
        finding(file, verdict=Verdict.CONFIRMED, gain_seconds=0.326),
        finding(file, verdict=Verdict.REFUTED, message="refuted one"),
        finding(file, confidence=Confidence.LOW, message="unsure one"),
    )
    run = RunSummary("mpi", ("mpirun", "-n", "4", "./a b"), 3, 1.0, ("4 ranks",))
    table = Table("t", "misses | lines", ("where", "misses"), (("a.c:1", "12"),), ("a note",))
    out = rendered(
        Result(Project(tmp_path), values, runs=(run,), tables=(table,), notes=("changed",),
               troubles=(Trouble("b.c", "does not compile", ("line 3",)),)), rules)  # fmt: skip
    assert out.startswith("## Stridewise: 1 finding\n")
    page = Page(out)
    assert set(page.elements) <= ELEMENTS
    row = [cell.strip() for cell in page.cells[5:10]]
    assert row[0] == "saves about 326 ms"
    assert row[1] == "mpi-tiny-messages"
    assert row[2] == "src/a.c:2\nin exchange"
    assert row[3] == "one message per cell\nFix: send them together"
    assert row[4].startswith("confirmed by the run")
    assert page.links == ([f"{site}/rules/mpi-tiny-messages.html"] if site else [])
    for said in (
        "mpirun -n 4 './a b' · 4 ranks · ended with status 3",
        "misses | lines",
        "a note",
        "line 3",
        "changed",
    ):
        assert said in page.text
    assert "refuted one" not in out
    assert "unsure one" not in out


def test_hostile_findings_add_no_markup(tmp_path: Path, rules: dict[str, Rule]) -> None:
    file = tmp_path / HOSTILE.replace("/", "∕").replace("\n", " ")
    bad = finding(file, rule="mem-<b>x", message=HOSTILE, advice=HOSTILE, function=HOSTILE)
    table = Table("t", HOSTILE, (HOSTILE, HOSTILE), ((HOSTILE, HOSTILE),), (HOSTILE,))
    run = RunSummary("mpi", (HOSTILE,), 0, details=(HOSTILE,))
    trouble = Trouble(HOSTILE, HOSTILE, (HOSTILE,))
    for runs in ((), (run,)):
        value = Result(Project(tmp_path), (bad,), runs=runs, tables=(table,), notes=(HOSTILE,), troubles=(trouble,))
        page = Page(rendered(value, rules))
        assert set(page.elements) <= ELEMENTS
        assert page.links == []
        assert page.elements.count("td") == 5 + 2 + 2


def test_many_findings_are_folded_and_bounded(tmp_path: Path, rules: dict[str, Rule]) -> None:
    values = tuple(finding(tmp_path / f"f{i}.c") for i in range(500))
    out = rendered(Result(Project(tmp_path), values), rules)
    assert out.index("f19.c") < out.index("<details><summary>300 more findings</summary>") < out.index("f20.c")
    assert "180 more are in the full report." in out
    long = tuple(finding(tmp_path / f"f{i}.c", message="<" * 600, advice="$" * 600) for i in range(500))
    for limit in (None, 20):
        out = rendered(Result(Project(tmp_path), long, limit=limit), rules)
        assert len(out.encode()) < 1 << 20
        assert out.count("<details>") == out.count("</details>")
        assert out.endswith("The rest did not fit here; it is in the full report.\n")


def test_a_report_goes_on_from_what_lint_could_not_do(
    fake_analyzer: Path, project: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project({"a.c": "// @finding mem-struct-padding\nint g(void);\n", "bad.c": "// @crash\n"})
    assert main(["lint", "--format", "json", "-o", "lint.json"]) == 2
    assert main(["report", "--lint", "lint.json", "--format", "markdown", "-o", "summary.md"]) == 2
    page = Page((root / "summary.md").read_text())
    assert "1 file analysed, 1 failed" in page.text
    assert "the analyser crashed" in page.cells[-1]
    (root / "lint.json").write_text('{"findings": [], "problems": [3]}')
    assert main(["report", "--lint", "lint.json"]) == 2
    assert "'problems' holds no problem" in capsys.readouterr().err
