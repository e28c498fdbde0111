"""reviewdog's diagnostic format, rdjson (github.com/reviewdog/reviewdog, proto/rdf): columns count bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stridewise.catalogue import Rule
from stridewise.finding import Finding, Fix, Severity
from stridewise.finding.result import Result
from stridewise.render._common import is_plain, message, path, safe, standing

_SEVERITIES = {Severity.INFO: "INFO", Severity.WARNING: "WARNING", Severity.ERROR: "ERROR"}


def render(result: Result, rules: Mapping[str, Rule], _colour: bool) -> str:
    diagnostics = [_diagnostic(finding, result, rules.get(finding.rule)) for finding in standing(result)]
    diagnostics += [
        {"message": safe(t.message), "location": {"path": safe(t.where)}, "severity": "ERROR"} for t in result.troubles
    ]
    return json.dumps({"source": {"name": "stridewise"}, "diagnostics": diagnostics}, indent=2) + "\n"


def _diagnostic(finding: Finding, result: Result, rule: Rule | None) -> dict[str, Any]:
    where = finding.location
    location: dict[str, Any] = {"path": path(result, where.file)}
    if where.line > 0:
        place: dict[str, Any] = {"start": {"line": where.line}}
        if where.column > 0:
            place["start"]["column"] = where.column
            if where.end_line >= where.line and where.end_column > 0:
                place["end"] = {"line": where.end_line, "column": where.end_column}
        location["range"] = place
    code = {"value": f"stridewise-{finding.rule}"}
    if rule and rule.url:
        code["url"] = rule.url
    out: dict[str, Any] = {
        "message": message(finding),
        "location": location,
        "severity": _SEVERITIES[finding.severity],
        "code": code,
    }
    suggestions = next(
        (made for fix in finding.fixes if fix.is_safe and (made := _suggestions(fix, finding, result))), None
    )
    if suggestions:
        out["suggestions"] = suggestions
    related = [
        {
            "message": safe(r.label),
            "location": {"path": path(result, r.file), "range": {"start": {"line": max(r.line, 1)}}},
        }
        for r in finding.related
    ]
    if related:
        out["related_locations"] = related
    return out


def _suggestions(fix: Fix, finding: Finding, result: Result) -> list[dict[str, Any]]:
    """The fix as suggestions, which speak of the diagnostic's own file only: a fix beyond it is none."""
    out = []
    if not is_plain(fix):
        return []
    for edit in fix.edits:
        begin = result.sources.position(edit.file, edit.begin_offset)
        end = result.sources.position(edit.file, edit.end_offset)
        if edit.file != finding.location.file or begin is None or end is None:
            return []
        places = [{"line": line, "column": column} for line, column in (begin, end)]
        out.append({"range": {"start": places[0], "end": places[1]}, "text": edit.replacement})
    return out
