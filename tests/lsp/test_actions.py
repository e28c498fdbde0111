"""What can be done about a finding, and what must not be offered."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest
from client import TOP

from stridewise.catalogue import load
from stridewise.finding import Confidence, Edit, Evidence, Finding, Fix, Location, Related, Safety, Severity, Verdict
from stridewise.lint.fixes import edited
from stridewise.lsp import hover
from stridewise.lsp.actions import Abilities, Actions, Opened
from stridewise.lsp.exchange import exchange
from stridewise.lsp.lenses import title
from stridewise.lsp.lexer import lex
from stridewise.lsp.options import Options, parse
from stridewise.lsp.positions import Positions
from stridewise.lsp.suppress import suppress
from stridewise.lsp.uris import path_of, uri_of

RULE = "mem-strided-inner-loop"
NEST = """void f(double *a, double *b, int n) {
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      a[i * n + j] = b[i * n + j];
  }
}
"""
MENDED = NEST.replace("int j = 0; j < n; j++", "@").replace("int i = 0; i < n; i++", "int j = 0; j < n; j++")
MENDED = MENDED.replace("@", "int i = 0; i < n; i++")


def finding(text: str, assumption: str = ", provided that 'a' and 'b' do not overlap") -> Finding:
    """On the inner loop, the last `for` of the text; the outer one is the one before."""
    lines = [n for n, line in enumerate(text.split("\n"), 1) if "for (" in line]
    return Finding(
        rule=RULE,
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="m",
        advice="a",
        location=Location("f.c", lines[-1], 0),
        args={"inner": "i", "outer": "j", "assumption": assumption},
        related=(Related("f.c", lines[-2], "this loop should be the inner one"),),
    )


def test_two_fixes_need_the_same_line() -> None:
    """All fixes at once add it once."""
    line = Edit("f.c", 0, 0, "#include <omp.h>\n")
    fixes = [Fix("d", (line, Edit("f.c", at, at + 1, "b")), Safety.SAFE) for at in (2, 4)]
    found = [replace(finding(NEST), fixes=(fix,)) for fix in fixes]
    opened = Opened("file:///f.c", 1, Positions(NEST.encode(), "utf-8"), True)
    (action,) = Actions({}, Abilities(), lambda _path: opened, lambda _path: None).fix_all(found)
    assert action.edit is not None and action.edit.changes is not None
    assert [edit.new_text for edit in action.edit.changes["file:///f.c"]] == ["#include <omp.h>\n", "b", "b"]
    assert action.title == "Apply all 2 safe fixes of stridewise"


def test_exchange() -> None:
    found = exchange(finding(NEST), lex(NEST.encode()))
    assert found is not None
    assert found[0] == "exchange the loops over 'j' and 'i', if 'a' and 'b' do not overlap"
    assert edited(NEST.encode(), found[1]).decode() == MENDED


def test_exchange_of_a_shared_loop_says_more() -> None:
    text = NEST.replace("  for (int j", "#pragma omp parallel for schedule(static)\n  for (int j")
    found = exchange(finding(text), lex(text.encode()))
    assert found is not None
    assert found[0].endswith("do not overlap and iterations of 'i' are independent")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("j++) {", "j++) {\n    b[j] = 0;"),  # a statement between the two
        ("j++) {", "j++) {\n#pragma omp simd"),
        ("i < n", "i < j"),  # a triangle
        ("int i = 0;", "int i = j;"),
        ("(int i = 0;", "(i = 0;"),  # its value may be read later
        ("int j = 0;", "int j = 0, k = 0;"),
        ("  for (int j", "#pragma omp for ordered\n  for (int j"),
        ("  for (int j", "#pragma omp for reduction(+ : j)\n  for (int j"),
        ("  for (int j", "#define X\n  for (int j"),
        ("i++)", "n++)"),
    ],
)
def test_no_exchange(old: str, new: str) -> None:
    text = NEST.replace(old, new, 1)
    assert text != NEST
    assert exchange(finding(text), lex(text.encode())) is None


@pytest.mark.parametrize(
    "assumption",
    [
        "",
        ", provided that 'a' and 'b' do not overlap; split off the other statements between the two loops first",
        ", provided that 'a' and 'b' do not overlap; sums are then rounded in another order",
        "; it is in a caller of this function",
    ],
)
def test_no_exchange_on_other_conditions(assumption: str) -> None:
    assert exchange(finding(NEST, assumption), lex(NEST.encode())) is None


def suppressed(text: str, line: int, old_c: bool = False, verdict: Verdict = Verdict.SUSPECTED) -> str:
    about = replace(finding(NEST), location=Location("f.c", line, 1), verdict=verdict)
    edit = suppress(about, Positions(text.encode(), "utf-16"), old_c)
    assert isinstance(edit, Edit)
    return edited(text.encode(), [edit]).decode()


NAME = f"stridewise-{RULE}"


def test_suppressions() -> None:
    assert suppressed("a;\n\tb;\n", 2) == f"a;\n\t// NOLINTNEXTLINE({NAME}): reason\n\tb;\n"
    assert suppressed("a;\n", 1, True) == f"/* NOLINTNEXTLINE({NAME}): reason */\na;\n"
    assert suppressed("a;\r\nb;\r\n", 2) == f"a;\r\n// NOLINTNEXTLINE({NAME}): reason\r\nb;\r\n"
    assert suppressed("a;", 1, verdict=Verdict.REFUTED).startswith(f"// NOLINTNEXTLINE({NAME}): refuted by a run\n")


def test_suppression_in_a_macro_stays_in_it() -> None:
    text = "#define F \\\n  a; \\\n  b;\nc;\n"
    out = suppressed(text, 3)
    assert out == f"#define F \\\n  a; \\\n  /* NOLINTNEXTLINE({NAME}): reason */ \\\n  b;\nc;\n"


def test_suppression_joins_the_one_above() -> None:
    text = "// NOLINTNEXTLINE(stridewise-omp-x): known\nb;\n"
    assert suppressed(text, 2) == f"// NOLINTNEXTLINE(stridewise-omp-x, {NAME}): known\nb;\n"


def test_suppression_of_a_line_that_is_gone() -> None:
    about = replace(finding(NEST), location=Location("f.c", 99))
    assert suppress(about, Positions(b"a;\n", "utf-16"), False) is None


def test_hover_escapes_what_comes_from_sources() -> None:
    hostile = replace(
        finding(NEST),
        message="loop over '[x](http://evil)' <script>alert(1)</script> `code`",
        evidence=(Evidence("mpi", {"wait_seconds": 1.5}, "*bold* <b>"),),
        cost_seconds=2.0,
        gain_seconds=0.5,
        verdict=Verdict.CONFIRMED,
    )
    text = hover.render([hostile], load())
    assert "<script>" not in text
    assert "\\[x\\](http" in text
    assert "**cost**: 2 s" in text
    assert "**gain**: 500 ms" in text
    assert "wait 1.5 s" in text
    assert "confirmed by the run" in text
    plain = hover.plain(text)
    assert "**" not in plain
    assert "<script>alert(1)</script>" in plain
    assert title(hostile) == f"{RULE} · costs 2 s · a fix saves about 500 ms · confirmed by the run"


def test_every_rule_fits_beside_the_code() -> None:
    for rule in load().values():
        text = hover.explanation(rule)
        assert "```" not in text
        assert "{{" not in text
        assert "**Why it costs**" in text, rule.slug
        assert len(text) < 6000, rule.slug


def test_options() -> None:
    value = {
        "buildFolder": "b",
        "runFolders": "r",
        "rules": ["a", "-b"],
        "minConfidence": "high",
        "lintOnChange": False,
    }
    wanted = Options("b", ("r",), "a,-b", Confidence.HIGH, False)
    assert parse(value) == (wanted, [])
    assert parse({"stridewise": value}) == (wanted, [])
    assert parse(None) == (Options(), [])
    found, wrong = parse({"buildFolder": 1, "runFolders": [2], "rules": {}, "minConfidence": [], "codeLens": "no"})
    assert found == Options()
    assert [text.split()[0] for text in wrong] == [
        "stridewise.minConfidence",
        "stridewise.buildFolder",
        "stridewise.runFolders",
        "stridewise.rules",
        "stridewise.codeLens",
    ]


def test_uris() -> None:
    for path in ("/a b/c.c", "/ü/#?.c", "/a/\udcff.c", "/100%.c"):
        assert path_of(uri_of(path)) == path
    assert path_of("file:///a/b%2Bc/../d.c") == "/a/d.c"
    for other in ("untitled:a", "git:/a", "file://host/a", "file:a", "", "file:///a%00"):
        assert path_of(other) is None


def test_the_page_of_editors() -> None:
    """Its settings are those that there are, and its examples are in their languages."""
    page = (TOP / "docs/editors.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(toml|elisp)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    helix = tomllib.loads(blocks["toml"])
    assert helix["language-server"]["stridewise"]["args"] == ["lsp"]
    assert parse(helix["language-server"]["stridewise"]["config"])[1] == []
    assert blocks["elisp"].count("(") == blocks["elisp"].count(")")
    keys = re.findall(r"^\| `([a-zA-Z]+)` \| (?:`|all|found|as in)", page, re.MULTILINE)
    assert {re.sub(r"([A-Z])", r"_\1", key).lower() for key in keys} == {*Options.__slots__}


def test_without_its_library_the_command_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['pygls'] = None; sys.modules['lsprotocol'] = None\n"
        "from stridewise import cli; sys.exit(cli.main(['lsp']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=TOP, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert "pip install 'pygls>=2,<3'" in done.stderr
    assert "Traceback" not in done.stderr
