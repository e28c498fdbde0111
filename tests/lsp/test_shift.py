"""Texts compared word by word, and findings that follow the code."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from client import TOP

from stridewise.finding import Confidence, Edit, Finding, Fix, Location, Scope, Severity
from stridewise.lsp.lexer import lex
from stridewise.lsp.shift import moved, shift

PHYSICS = (TOP / "tests/kernels/lbm/original/physics.c").read_bytes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a = -1;", "a=-1;"),
        ("x; // one\ny;", "x;\n/* two */ y;"),
        ("x;", "x; /* never closed"),
        ("#define F(x) y // why", "#define  F(x) y"),
        ("#define A \\\n  b\nc", "#define A b\nc"),
        ("1'000 /* 'quote */", "1'000"),
        ('R"(// text)" // c', 'R"(// text)"'),
        ("/* #pragma omp for */ x", "x"),
        ("a // continued \\\n b\nc", "a\nc"),
        ("x;\r\ny;", "x;\ny;"),
    ],
)
def test_comments_and_blanks_are_the_same(old: str, new: str) -> None:
    assert shift(old.encode(), new.encode()).same


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a + +b;", "a ++b;"),
        ("a /**/ b", "ab"),
        ('"//x"', '"//y"'),
        ("'a'", "'b'"),
        ('R"(// text)"', 'R"(// other)"'),
        ("#define F(x) y", "#define F (x) y"),
        ("#define A b\nc", "#define A b c"),
        ("#pragma omp for\nfor (;;) ;", "for (;;) ;"),
        ("#pragma omp for // x\nf();", "#pragma omp for nowait // x\nf();"),
        ("#include <a//b>", "#include <a//c>"),
        ("x;", "// x;"),
        ("// x;", "x;"),
        ("x; // NOLINT(stridewise-a): b", "x;"),
        ("x; // NOLINT(a)\ny;", "x;\ny; // NOLINT(a)"),
        ("x; // NOLINT(a)\ny;", "x;\n// NOLINT(a)\ny;"),
        ("// NOLINTNEXTLINE(a)\nx;", "// NOLINTNEXTLINE(a)\n\nx;"),
        ("// NOLINTNEXTLINE(a)\nx;", "// NOLINTNEXTLINE(b)\nx;"),
    ],
)
def test_what_an_analysis_reads_is_another(old: str, new: str) -> None:
    assert not shift(old.encode(), new.encode()).same
    assert not shift(new.encode(), old.encode()).same


def test_any_bytes_are_lexed() -> None:
    chance = random.Random(1)
    for _ in range(300):
        data = bytes(chance.choice(b"ab1 \n\t\\\"'/*#()<>=-\x00\xff\r") for _ in range(chance.randrange(80)))
        text = lex(data)
        assert all(data[a:b] for a, b in zip(text.starts, text.ends, strict=True))
        assert shift(data, data).same
        assert all(shift(data, data).offset(n) == n for n in range(len(data)))


def _strided(data: bytes) -> Finding:
    """A finding on the inner loop of collision(), with the exchange as its fix."""
    text = lex(data)
    inner, outer = data.index(b"int i = 1"), data.index(b"int j = 1")
    line, column = text.place(data.index(b"for (int i = 1"))
    edits = (
        Edit("f.c", outer, data.index(b")", outer), "int i = 1; i < in->width - 1; i++"),
        Edit("f.c", inner, data.index(b")", inner), "int j = 1; j < in->height - 1; j++"),
    )
    return Finding(
        rule="mem-strided-inner-loop",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="m",
        advice=f"make 'j' (line {line - 2}) the innermost loop",
        location=Location("f.c", line, column, line, column + 10),
        scope=Scope(line - 2, line + 1),
        fixes=(Fix("exchange", edits),),
    )


def test_findings_follow_comments_and_blanks() -> None:
    """Comments between the words of a file: the finding is at the same words, its fix replaces the same text."""
    chance = random.Random(7)
    old = lex(PHYSICS)
    finding = _strided(PHYSICS)
    for _ in range(30):
        gaps = set(chance.sample(range(len(old.words)), 40))
        new = bytearray()
        last = 0
        for index, (begin, end) in enumerate(zip(old.starts, old.ends, strict=True)):
            new += PHYSICS[last:begin]
            is_directive = old.words[index].startswith(b"#")
            if index in gaps and not is_directive and b"(" not in old.words[index]:
                new += chance.choice([b" /* x */ ", b"\n", b"// y\n", b"\t"])
            new += PHYSICS[begin:end]
            last = end
        new += PHYSICS[last:]
        there = shift(PHYSICS, bytes(new))
        assert there.same
        found = moved(finding, {"f.c": there}.get)
        assert found is not None
        place = lex(bytes(new)).offset(found.location.line, found.location.column)
        assert bytes(new)[place:].startswith(b"for")
        for fix in found.fixes:
            assert all(bytes(new)[e.begin_offset :].startswith(b"int ") for e in fix.edits)
            assert all(bytes(new)[e.end_offset :].startswith(b")") for e in fix.edits)
        assert f"(line {found.scope.begin_line})" in found.advice


def test_fixes_do_not_outlive_a_comment_that_they_would_remove() -> None:
    new = PHYSICS.replace(b"int i = 1; i < in", b"int i = 1; /* note */ i < in", 1)
    found = moved(_strided(PHYSICS), lambda _file: shift(PHYSICS, new))
    assert found is not None
    assert not found.fixes


def test_findings_in_edited_code_are_gone_and_others_move() -> None:
    finding = _strided(PHYSICS)
    above = PHYSICS.replace(b"void collision", b"int more(void);\nvoid collision", 1)
    found = moved(finding, lambda _file: shift(PHYSICS, above))
    assert found is not None
    assert found.location.line == finding.location.line + 1
    assert not found.fixes, "the code changed: nobody knows whether the fix is still safe"
    edited = PHYSICS.replace(b"for (int i = 1; i < in", b"while (i < in", 1)
    assert moved(finding, lambda _file: shift(PHYSICS, edited)) is None
    assert moved(replace(finding, location=Location("other.h", 3)), lambda _file: None) is not None
