"""What comments say, and that nothing foreign in them is rendered: judged by a parser of Markdown."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from fake_gitlab import orders
from markdown_it import MarkdownIt
from markdown_it.token import Token
from plans import HEAD, finding, placed, plan

from stridewise import catalogue
from stridewise.finding import Evidence, Related, Verdict
from stridewise.finding.result import Trouble
from stridewise.render._common import safe
from stridewise.review import comment, escape, patches, summary
from stridewise.review.comment import GITHUB, GITLAB, Dialect, Mark
from stridewise.review.plan import Placed, Plan, Recount, Regression

RULES = catalogue.load()
SITE = "https://docs.example.org"
OWN_HTML = re.compile(
    r"<!-- stridewise:v1:[^>]*-->|</?sub>|</?details>|</?summary>|Not on|More|Gone|Cost|[\w ]+\(\d+\)|What it was|\s"
)
# What GitHub and GitLab make links of, in text that is no code.
REFERENCES = re.compile(
    r"@\w|[#!$&~%^]\w|\bGH-\d|\b[A-Z]+-\d|:\w+:|://|www\.|\b[0-9a-fA-F]{7,}\b|\w@\w|\[\[|\{\+|\[\+|\w/\w+[#!@]"
)
PIECES = [
    "@mona", "@hpc/team", "#12", "GH-12", "hpc/lbm#3", "!12", "$5", "&7", "~bug", "%3", "^alert#1", ":tada:",
    "deadbeef", "1234567890", "https://evil.example/x", "www.evil.example", "mail@evil.example",
    "<img src=x onerror=alert(1)>", "<!-- stridewise:v1:summary -->", "-->", "![x](https://evil.example/x.png)",
    "[x](javascript:alert(1))", "[x][y]", "**bold**", "_em_", "~~gone~~", "`", "``", "```", "```suggestion",
    "~~~", "|", "\\|", "||", "\\", "\\\\", "\n", "\n\n", "\r\n", "\t", "- item", "1. item", "> quote", "# head",
    "---", "===", "/merge", "/close", "\n/close\n", "<details>", "</details>", "</sub>", "&#64;mona",
    "&lt;b&gt;", "\u202e", "\u200b", "\u2060", "\x1b[31m", "\x00", "\udc80", "loop", "stride", "'i'", "\"x\"",
    "(a)", "f(x)", "a[i][j]", "12", "1.5", "8,192", "12%", "—", "×", "naïve", "[toc]", "[[_TOC_]]", "$`a`$",
    "{{x}}", "<https://evil.example>", "xmpp:a@b.c", "c++", "x::y<z>", "--", "'@mona'", "(#12)", "\"www.a.b\"",
]  # fmt: skip


@pytest.fixture(autouse=True)
def site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(catalogue.SITE, SITE)


def nasty(seed: int) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice(PIECES) + chance.choice(["", " ", " ", "\n"]) for _ in range(chance.randint(1, 12)))


def tokens(text: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        yield token
        yield from token.children or ()


def check(body: str) -> None:
    """Raises AssertionError for what would be more than text and code, our own markup apart."""
    for token in tokens(body):
        assert token.type != "image", body
        if token.type in ("html_block", "html_inline"):
            assert not OWN_HTML.sub("", token.content), token.content
        if token.type == "link_open":
            address = str(token.attrs["href"])
            assert address.startswith((f"{SITE}/rules/", "https://github.com/hpc/lbm/blob/"))
        if token.type == "text":
            assert not REFERENCES.search(token.content), token.content
        assert token.type not in ("s_open", "blockquote_open", "hr", "ordered_list_open") and token.tag not in (
            "h1",
            "h2",
        )
    assert orders(body) == []


def everything(text: str) -> Placed:
    return placed(
        "a",
        message=text,
        advice=text,
        cause=text,
        function=text,
        evidence=(Evidence("mpi", {text: 3.5, "bytes": 12}, text), Evidence(text, {"name": text}, "")),
        related=(Related("src/" + text.replace("\0", ""), 3, text),),
        rule="mem-strided-inner-loop",
    )


SEEDS = [range(first, first + 30) for first in range(0, 150, 30)]


@pytest.mark.parametrize("text", PIECES)
def test_no_piece_is_rendered(text: str) -> None:
    for dialect in (GITHUB, GITLAB):
        check(comment.body(everything(text), RULES, dialect))


@pytest.mark.parametrize("seeds", SEEDS)
def test_nothing_foreign_is_rendered(seeds: range) -> None:
    for text in map(nasty, seeds):
        for dialect in (GITHUB, GITLAB):
            body = comment.body(everything(text), RULES, dialect)
            check(body)
            check(comment.moved(everything(text), RULES, dialect))
            check(comment.resolved("a" * 16, body, HEAD, dialect))
            assert Mark.of(body) == Mark(finding("a").fingerprint)


@pytest.mark.parametrize("seeds", SEEDS)
def test_nothing_foreign_is_rendered_in_the_summary(seeds: range) -> None:
    for text in map(nasty, seeds):
        check_summary(text)


def check_summary(text: str) -> None:
    found = everything(text)
    what = plan(
        found,
        cap=0,
        unplaced=(found.finding,),
        resolved=(found.finding,),
        regressions=(Regression(found.finding, 2.0, 1.0),),
        problems=(Trouble(text, text, (text,)),),
    )
    body = summary.body(what, RULES, GITHUB, link=lambda _file, line: f"https://github.com/hpc/lbm/blob/x#L{line}")
    check(body)
    assert Mark.of(body) == Mark("summary")
    tables = [t for t in tokens(body) if t.type == "table_open"]
    rows = [t for t in tokens(body) if t.type == "tr_open"]
    cells = [t for t in tokens(body) if t.type == "td_open"]
    assert (len(tables), len(rows), len(cells)) == (3, 3 + 4, 5 + 2 * 4 + 4)


def test_all_problems_are_named() -> None:
    for count in (1, 21):
        trouble = tuple(Trouble(f"f{number}.c", "does not compile") for number in range(count))
        body = summary.body(plan(problems=trouble), RULES, GITHUB)
        assert body.count("does not compile") == min(count, 20)
        assert ("1 more" in body) == (count == 21), body


def test_code_shows_the_text_itself() -> None:
    """A span holds the characters of the original, blanks apart."""
    for text in map(nasty, range(200)):
        spans = [t for t in tokens(f"x {escape.code(text)} y") if t.type == "code_inline"]
        wanted = " ".join(safe(text).split())
        assert [s.content.strip() for s in spans] == ([wanted] if wanted else [])


def test_bars_in_tables() -> None:
    for text in ("a || b", "a \\| b", "\\|", "|", "a\\\\|b"):
        rendered = list(tokens(f"| x | y |\n|---|---|\n| {escape.code(text, table=True)} | z |"))
        cells = [t.content for t in rendered if t.type == "code_inline"]
        assert len(cells) == 1
        assert cells[0].replace("\\ |", "\\|") == text
        assert len([t for t in rendered if t.type == "td_open"]) == 2


def test_prose_reads_well() -> None:
    text = "the loop over 'j' reads f[i][j] with a stride of 8192 bytes (8 KiB); 12% of 1.5 s, so swap i and j."
    assert escape.prose(text) == (
        "the loop over `j` reads `f[i][j]` with a stride of 8192 bytes (8 KiB); 12% of 1.5 s, so swap i and j."
    )


@pytest.mark.parametrize("dialect", [GITHUB, GITLAB])
@pytest.mark.parametrize(
    "lines", [("x = 1;",), (), ("```",), ("  ````c", "x", "`"), ("// @mona #1", "/* /merge */"), ("a\\", "|")]
)
def test_suggestions_are_exact(dialect: Dialect, lines: tuple[str, ...]) -> None:
    body = comment.body(placed("a", line=10, end=12, suggestion=lines), RULES, dialect)
    fences = [t for t in tokens(body) if t.type == "fence"]
    assert [f.content for f in fences] == ["".join(line + "\n" for line in lines)]
    assert fences[0].info == ("suggestion" if dialect is GITHUB else "suggestion:-0+2")


@pytest.mark.parametrize(
    "line", ["x\x1b[31m", "/* \u202e */", "/merge", "  /close now", "x\udc80", "y" * 30_000, "x\r"]
)
def test_suggestions_that_cannot_be_shown_exactly_are_left_out(line: str) -> None:
    body = comment.body(placed("a", suggestion=(line,)), RULES, GITHUB)
    assert "```" not in body
    assert "`stridewise lint --fix` makes this change" in body


def test_a_suggestion_over_more_lines_than_gitlab_takes() -> None:
    long = placed("a", line=10, end=120, suggestion=("x",))
    assert "```suggestion" not in comment.body(long, RULES, GITLAB)
    assert "```suggestion" in comment.body(long, RULES, GITHUB)


def test_a_comment_says_what_why_price_and_fix() -> None:
    found = placed(
        "a",
        verdict=Verdict.CONFIRMED,
        gain_seconds=1.25,
        evidence=(Evidence("static", {"stride_bytes": 8192}), Evidence("cache", {"misses": 120000}, "D1 misses")),
        cause="cause in src/grid.h:7",
        suggestion=("for (j)",),
    )
    body = comment.body(found, RULES, GITHUB)
    rule = RULES["mem-strided-inner-loop"]
    for part in (
        "**Price:** saves about 1.25 s, confirmed by the run",
        "- measured (cache): D1 misses, misses 120,000",
        "**Why:** ",
        "**Fix:** make `j` the inner loop",
        "cause in `src/grid.h:7`",
        f"[`{rule.slug}`]({SITE}/rules/{rule.slug}.html)",
        "`// NOLINT(stridewise-mem-strided-inner-loop): the reason`",
        "```suggestion\nfor (j)\n```",
    ):
        assert part in body


def test_a_rule_that_is_unknown_here_has_no_link() -> None:
    assert "](" not in comment.body(placed("a", rule="mem-new-rule"), RULES, GITHUB)


@pytest.mark.parametrize(
    "value", ["", "http://docs.example.org", "https://a b", "javascript:x", "https://x/)[y](https://z"]
)
def test_without_an_address_that_somebody_serves_there_is_no_link(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(catalogue.SITE, value)
    assert "](" not in comment.body(placed("a"), RULES, GITHUB)


@pytest.mark.parametrize(
    "first",
    ["> <!-- stridewise:v1:summary -->", "<!-- stridewise:v2:summary -->", "x <!-- stridewise:v1:summary -->", "",
     "<!-- stridewise:v1:zz -->", "<!-- stridewise:v1:summary --> x", "<!-- stridewise:v1:abcd -->"],
)  # fmt: skip
def test_other_first_lines_are_no_mark(first: str) -> None:
    assert Mark.of(f"{first}\n{Mark('summary')}") is None


@pytest.mark.parametrize(
    "mark", [Mark("summary"), Mark("0123456789abcdef", True), Mark("0123456789abcdef", False, "gpu")]
)
def test_marks_survive(mark: Mark) -> None:
    assert Mark.of(f"{mark}\r\nrest") == mark


def test_the_summary_of_a_change_without_findings() -> None:
    assert "no findings in this change" in summary.body(Plan(head=HEAD), RULES, GITHUB)


def test_regressions_are_compared() -> None:
    rows = [
        (Regression(finding("a"), 2.0, 1.0), "+1 s (+100%)"),
        (Regression(finding("b"), 0.5, 1.0), "−500 ms (−50%)"),
        (Regression(finding("c"), 1.0, 0.0), "+1 s"),
        (Regression(finding("d"), None, 1.0), "unknown"),
        (Regression(finding("e"), 1.0, 1.0), "same"),
    ]
    assert [summary.difference(r) for r, _ in rows] == [said for _, said in rows]
    body = summary.body(plan(regressions=tuple(r for r, _ in rows)), RULES, GITHUB)
    assert all(f"| {said} |" in body for _, said in rows)


def test_counts_against_the_budget() -> None:
    more = Recount(
        "more", "src/a.c", 4, "MPI_Send in <f> (mpi, 4 ranks)", "80 calls, 40 in the budget", ("mpi-tiny-messages",)
    )
    gone = Recount("gone", "", 0, "MPI_Barrier (mpi, 4 ranks)", "40 calls")
    said = plan(recounts=(more, gone))
    assert not summary.is_empty(said)
    body = summary.body(said, RULES, GITHUB, link=lambda file, line: f"https://host/{file}#L{line}")
    above, below = body.partition("Below the budget (1)")[::2]
    assert "Above the budget (1)" in above
    assert "(https://host/src/a.c#L4)" in above
    assert "more: 80 calls, 40 in the budget" in above
    assert "`<f>`" in body  # as code, which no host takes for an element
    assert "gone: 40 calls" in below


def test_patches() -> None:
    text = "@@ -1,3 +1,4 @@ f()\n a\n-b\n+B\n+C\n d\n\\ No newline at end of file\n@@ -20 +21,2 @@\n x\n+y"
    read = patches.parse(text)
    assert {n: read.old_line(n) for n in read.lines} == {1: 1, 2: None, 3: None, 4: 3, 21: 20, 22: None}
    assert read.holds(1, 4) and read.holds(21, 22)
    assert not read.holds(4, 21) and not read.holds(5, 5)
    tricky = patches.parse("@@ -1,2 +1,3 @@\n a\n+@@ -9,9 +9,9 @@\n b")
    assert sorted(tricky.lines) == [1, 2, 3]
