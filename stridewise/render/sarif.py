"""SARIF 2.1.0 (OASIS standard), as code hosts and editors read it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from stridewise import __version__
from stridewise.catalogue import Rule, pages
from stridewise.errors import Failure
from stridewise.finding import Confidence, Edit, Finding, Related, Severity, Verdict
from stridewise.finding.result import Result
from stridewise.render._common import is_plain, judged, message, safe, utf16_column

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "PROJECTROOT"
_LEVELS = {Severity.INFO: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}
_PRECISIONS = {Confidence.LOW: "low", Confidence.MEDIUM: "medium", Confidence.HIGH: "high"}  # GitHub's words
_PROBLEMS = {Severity.INFO: "recommendation", Severity.WARNING: "warning", Severity.ERROR: "error"}
_CALLER = "called from"  # how a caller is labelled, innermost first
_RANKS = {Confidence.LOW: 20.0, Confidence.MEDIUM: 50.0, Confidence.HIGH: 90.0}


def render(result: Result, rules: Mapping[str, Rule], _colour: bool) -> str:
    used = sorted({f.rule for f in result.reported})
    least = {
        slug: min((f.confidence for f in result.reported if f.rule == slug), key=lambda c: c.rank) for slug in used
    }
    site = next((url.rsplit("/rules/", 1)[0] for rule in rules.values() if (url := rule.url)), "")
    index = {slug: number for number, slug in enumerate(used)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "stridewise",
                "version": __version__,
                "semanticVersion": __version__,
                **({"informationUri": f"{site}/"} if site else {}),
                "rules": [_rule(slug, rules.get(slug), least[slug]) for slug in used],
            }
        },
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {BASE: {"uri": _folder_uri(result.project.root)}},
        "results": [_result(f, index, result) for f in result.reported],
        "invocations": [
            {
                "executionSuccessful": not result.troubles,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": safe(f"{t.where}: {t.message}")}} for t in result.troubles
                ],
            }
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _rule(slug: str, rule: Rule | None, least: Confidence) -> dict[str, Any]:
    """`least` is how sure the least sure of its results is: that is the precision to count on."""
    if rule is None:
        return {"id": slug}
    return {
        "id": slug,
        "name": "".join(word.capitalize() for word in slug.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        **({"helpUri": rule.url} if rule.url else {}),
        "help": {"text": f"{rule.why}. See: stridewise explain {slug}", "markdown": _page(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["performance", rule.family],
            "precision": _PRECISIONS[least],
            "problem.severity": _PROBLEMS[rule.severity],
        },
    }


def _page(rule: Rule) -> str:
    """The rule's page; without its file, its reason."""
    try:
        return pages.markdown(rule, differences=True)
    except Failure:
        return f"{rule.why}."


def _result(finding: Finding, index: Mapping[str, int], result: Result) -> dict[str, Any]:
    seen = "; ".join(f"[{_linked(r.label)}]({number})" for number, r in enumerate(finding.related, 1))
    out: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": _LEVELS[finding.severity],
        "rank": _RANKS[finding.confidence],
        "message": {"text": _linked(message(finding)) + (f"\nSee: {seen}" if seen else "")},
        "locations": [_location(finding, result)],
        "partialFingerprints": {
            "stridewise/v1": finding.fingerprint or "unknown",
            "stridewiseMoved/v1": finding.moved_fingerprint or "unknown",
        },
        "properties": {
            "confidence": finding.confidence.value,
            "verdict": finding.verdict.value,
            "costSeconds": finding.cost_seconds,
            "gainSeconds": finding.gain_seconds,
            **({"judged": judged(finding)} if judged(finding) else {}),
            **({"group": finding.group} if finding.group else {}),
            **({"decidedBy": f"stridewise run --{finding.decided_by.run}"} if finding.decided_by else {}),
        },
    }
    if finding.verdict is Verdict.REFUTED:
        # The standard's own word for "checked, and it is none" (§3.27.9).
        out["kind"] = "pass"
        out["level"] = "none"
        del out["rank"]
    if finding.related:
        out["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _physical(r.file, {"startLine": r.line} if r.line > 0 else None, result),
                "message": {"text": safe(r.label)},
            }
            for number, r in enumerate(finding.related, 1)
        ]
    callers = [r for r in finding.related if r.label.startswith(_CALLER) and r.line > 0]
    if callers:
        out["codeFlows"] = [_flow(finding, callers, result)]
    fixes = [
        {
            "description": {"text": safe(f"{fix.description} ({fix.safety}{': ' if fix.why else ''}{fix.why})")},
            "artifactChanges": _changes(fix.edits, result),
            "properties": {"safety": fix.safety.value, "why": safe(fix.why)},
        }
        for fix in finding.fixes
        if fix.edits and is_plain(fix)
    ]
    if fixes:
        out["fixes"] = fixes
    return out


def _linked(text: str) -> str:
    """Text in which brackets are no links, nor end one (§3.11.6)."""
    return safe(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _flow(finding: Finding, callers: Sequence[Related], result: Result) -> dict[str, Any]:
    """The call path of the finding, from the outermost caller on."""
    steps = [
        {
            "location": {
                "physicalLocation": _physical(r.file, {"startLine": r.line}, result),
                "message": {"text": safe(r.label)},
            },
            "nestingLevel": level,
        }
        for level, r in enumerate(reversed(callers))
    ]
    last = {**_location(finding, result), "message": {"text": safe(finding.message)}}
    return {"threadFlows": [{"locations": [*steps, {"location": last, "nestingLevel": len(callers)}]}]}


def _location(finding: Finding, result: Result) -> dict[str, Any]:
    where = finding.location
    region: dict[str, Any] | None = None
    if where.line > 0:
        region = {"startLine": where.line}
        if where.column > 0:
            region["startColumn"] = utf16_column(result, where.file, where.line, where.column)
        if where.end_line >= where.line:
            region["endLine"] = where.end_line
            if where.end_column > 0 and (where.end_line > where.line or where.end_column > where.column > 0):
                region["endColumn"] = utf16_column(result, where.file, where.end_line, where.end_column)
    out: dict[str, Any] = {"physicalLocation": _physical(where.file, region, result)}
    if finding.function:
        out["logicalLocations"] = [{"fullyQualifiedName": safe(finding.function), "kind": "function"}]
    return out


def _physical(file: str, region: dict[str, Any] | None, result: Result) -> dict[str, Any]:
    out: dict[str, Any] = {"artifactLocation": _artifact(file, result)}
    if region:
        out["region"] = region
    return out


def _artifact(file: str, result: Result) -> dict[str, Any]:
    name = result.project.relative(file)
    if PurePosixPath(name).is_absolute():
        return {"uri": "file://" + _quoted(name)}
    return {"uri": _quoted(name), "uriBaseId": BASE}


def _folder_uri(folder: Path) -> str:
    return "file://" + _quoted(str(folder).rstrip("/") + "/")


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe="/~-._")


def _edited_region(edit: Edit, result: Result) -> dict[str, Any]:
    """Lines and columns: byte offsets in SARIF are for binary files, so they stand only where no text is readable."""
    begin = result.sources.position(edit.file, edit.begin_offset)
    end = result.sources.position(edit.file, edit.end_offset)
    if begin is None or end is None:
        return {"byteOffset": edit.begin_offset, "byteLength": edit.end_offset - edit.begin_offset}
    return {
        "startLine": begin[0],
        "startColumn": utf16_column(result, edit.file, *begin),
        "endLine": end[0],
        "endColumn": utf16_column(result, edit.file, *end),
    }


def _changes(edits: tuple[Edit, ...], result: Result) -> list[dict[str, Any]]:
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    return [
        {
            "artifactLocation": _artifact(file, result),
            "replacements": [
                {
                    "deletedRegion": _edited_region(e, result),
                    "insertedContent": {"text": e.replacement},
                }
                for e in sorted(group, key=lambda e: e.begin_offset)
            ],
        }
        for file, group in by_file.items()
    ]
