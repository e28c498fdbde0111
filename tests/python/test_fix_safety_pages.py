"""Each rule that offers fixes says on its page when they are safe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

RULES = Path(__file__).resolve().parents[2] / "rules"
_FIXES = re.compile(r"^\s*//\s*fixes:\s*(.+)$", re.MULTILINE)


def _with_fixes() -> set[str]:
    found: set[str] = set()
    for sample in RULES.glob("*/**/*.c*"):
        for match in _FIXES.finditer(sample.read_text(encoding="utf-8", errors="replace")):
            found.update(match[1].replace(",", " ").split())
    return found


def _section(slug: str) -> str:
    page = (RULES / slug / "doc.md").read_text(encoding="utf-8")
    return page.partition("\n## Fix safety\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("slug", sorted(_with_fixes()))
def test_a_rule_with_fixes_says_when_they_are_safe(slug: str) -> None:
    text = _section(slug)
    assert "*safe*" in text
    assert "*unsafe*" in text


def test_no_other_rule_does() -> None:
    assert {path.parent.name for path in RULES.glob("*/doc.md") if _section(path.parent.name)} == _with_fixes()


def test_checks_with_fixes_have_samples_of_them() -> None:
    checks = RULES.parent / "analyzer" / "checks"
    makers = {
        path.parent.name for path in checks.rglob("*.cpp") if "Fixes.push_back" in path.read_text(encoding="utf-8")
    }
    assert makers <= _with_fixes()
