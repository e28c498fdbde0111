"""States all that a test's detectors say: what they find and judge is kept in tests/<folder>/stated/<module>.json and
must stay as it is, so that an assertion about one word of a finding need not be the only one. STRIDEWISE_BLESS=1
records it anew; read the difference then.

    from stated import all_is_stated  # noqa: F401
    pytestmark = pytest.mark.usefixtures("all_is_stated")
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.judgement import Judgement

_BLESS = bool(os.environ.get("STRIDEWISE_BLESS"))  # now: fixtures clean the environment
_LONGEST = 2500  # characters of one thing; of a longer one its digest is kept


class Said:
    """What is said during one test."""

    def __init__(self, here: Path) -> None:
        self._here = here
        self.lines: list[str] = []

    def add(self, kind: str, value: object) -> None:
        text = json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, default=_named)
        text = f"{kind}: {text}".replace(str(self._here), "TMP")
        if len(text) > _LONGEST:
            text = f"{kind}: {len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:16]}"
        self.lines.append(text)


def _named(value: object) -> object:
    return (
        value.value
        if isinstance(value, Enum)
        else sorted(map(str, value))
        if isinstance(value, frozenset)
        else str(value)
    )


def _plain(value: object) -> object:
    """With six digits of each figure: how the last ones are rounded is the machine's."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items() if one not in (None, "", [], {}, ())}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


@pytest.fixture
def said(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Said]:
    """What is added must be what is kept of this test."""
    now = Said(tmp_path)
    yield now
    module = Path(str(request.node.path))
    file, name, lines = module.parent / "stated" / f"{module.stem}.json", request.node.name, sorted(set(now.lines))
    kept: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if _BLESS:
        kept.pop(name, None)
        kept |= {name: lines} if lines else {}
        file.parent.mkdir(exist_ok=True)
        text = json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False)
        file.write_text(text + "\n", encoding="utf-8")
    before = kept.get(name, [])
    gone = [f"- {line}" for line in before if line not in lines]
    new = [f"+ {line}" for line in lines if line not in before]
    if gone or new:
        pytest.fail("\n".join([f"{file} says otherwise; is it better? Then STRIDEWISE_BLESS=1", *gone, *new]))


@pytest.fixture
def all_is_stated(said: Said, monkeypatch: pytest.MonkeyPatch) -> Said:
    """Every finding that a rule makes, and every judgement."""
    make, judge = Rule.finding, Judgement.__init__

    def finding(self: Rule, *words: Any, **named: Any) -> Finding:
        made = make(self, *words, **named)
        said.add("finding", made.to_json())
        return made

    def judgement(self: Judgement, *words: Any, **named: Any) -> None:
        judge(self, *words, **named)
        said.add("judgement", {name: value for name, value in asdict(self).items() if name != "evidence"})
        said.add("evidence", asdict(self.evidence))

    monkeypatch.setattr(Rule, "finding", finding)
    monkeypatch.setattr(Judgement, "__init__", judgement)
    return said
