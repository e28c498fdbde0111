"""The JSON report: {"version", "tool", "root", "findings", "runs", "problems", "stats"}."""

from __future__ import annotations

import json
from collections.abc import Mapping

from stridewise.catalogue import Rule
from stridewise.finding.result import Result


def render(result: Result, _rules: Mapping[str, Rule], _colour: bool) -> str:
    """One object; paths below the project's root are relative to it. Bytes that are no UTF-8 become escapes."""
    return json.dumps(result.to_json(), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
