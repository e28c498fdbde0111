"""A comparison as text, Markdown, JSON and SARIF."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from stridewise import __version__
from stridewise.budget.compare import Change, Comparison, Kind
from stridewise.budget.items import UNITS
from stridewise.catalogue import Rule
from stridewise.console import harmless

_WORDS = {Kind.NEW: "new", Kind.MORE: "more", Kind.LESS: "less", Kind.GONE: "gone"}


def text(comparison: Comparison, rules: Mapping[str, Rule]) -> str:
    lines = [_verdict(comparison), ""]
    for change in comparison.changes:
        lines.append(f"{_WORDS[change.kind]:5} {harmless(where(change))}: {harmless(what(change))}")
        lines += [f"      {line}" for line in _causes(change, rules)]
    if comparison.changes:
        lines.append("")
    lines += [f"note: {harmless(note)}" for note in notes(comparison)]
    return "\n".join(lines).rstrip() + "\n"


def _verdict(comparison: Comparison) -> str:
    dearer = len(comparison.dearer)
    cheaper = len(comparison.changes) - dearer
    if not comparison.changes:
        return f"within the budget: {comparison.same} counted places are as they were"
    parts = [f"{dearer} place{'' if dearer == 1 else 's'} above the budget"] if dearer else []
    parts += [f"{cheaper} below it"] if cheaper else []
    return f"{', '.join(parts)}, {comparison.same} as {'it was' if comparison.same == 1 else 'they were'}"


def where(change: Change) -> str:
    item = change.item
    place = f"{item.file}:{item.line}" if item.file else "unknown place"
    return f"{place} {item.name}" + (f" in {item.function}" if item.function else "") + f" ({item.run})"


def what(change: Change) -> str:
    return ", ".join(_value(name, before, after) for name, before, after in change.values if before or after)


def _value(name: str, before: int, after: int) -> str:
    unit = UNITS.get(name, name)
    if before == 0 or after == 0:
        return f"{max(before, after):,} {unit}"
    return f"{after:,} {unit}, {before:,} in the budget ({100 * (after - before) / before:+.3g} %)"


def _causes(change: Change, rules: Mapping[str, Rule]) -> list[str]:
    if not change.kind.dearer:
        return []
    return [
        f"found there: {slug}, {harmless(rules[slug].title)}; see stridewise explain {slug}"
        for slug in change.item.rules
        if slug in rules
    ]


def notes(comparison: Comparison) -> list[str]:
    told = [f"not checked, no such run was given: {name}" for name in comparison.unchecked]
    told += [f"not in the budget, so that nothing of it was checked: {name}" for name in comparison.unbudgeted]
    if comparison.dearer:
        told.append("if that is what you want, keep it: stridewise budget with the same arguments, and commit the file")
    elif comparison.changes:
        told.append("keep what was saved: stridewise budget with the same arguments, and commit the file")
    return told


def markdown(comparison: Comparison, rules: Mapping[str, Rule]) -> str:
    lines = [f"**{_verdict(comparison)}**", ""]
    if comparison.changes:
        lines += ["| | place | what | |", "|---|---|---|---|"]
    for change in comparison.changes:
        cells = [_WORDS[change.kind], where(change), what(change), "; ".join(_causes(change, rules))]
        lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    lines += ["", *(f"{_cell(note)}  " for note in notes(comparison))]
    return "\n".join(lines).rstrip() + "\n"


def _cell(text: str) -> str:
    """Names come from anybody's sources: none of them is Markdown or HTML."""
    shown = harmless(text)
    for char in "\\`*_[]|<>@":
        shown = shown.replace(char, f"&#{ord(char)};")
    return shown


def to_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "version": 1,
        "within": not comparison.dearer,
        "same": comparison.same,
        "changes": [
            {
                "kind": change.kind.value,
                **change.item.to_json(),
                "values": [{"unit": name, "before": one, "after": other} for name, one, other in change.values],
                "rules": list(change.item.rules),
            }
            for change in comparison.changes
        ],
        "unchecked": list(comparison.unchecked),
        "unbudgeted": list(comparison.unbudgeted),
    }


def as_json(comparison: Comparison, _rules: Mapping[str, Rule]) -> str:
    return json.dumps(to_json(comparison), indent=2) + "\n"


def sarif(comparison: Comparison, rules: Mapping[str, Rule]) -> str:
    """What is above the budget, as results of one rule `budget`."""
    results = [
        {
            "ruleId": "budget",
            "level": "error",
            "message": {"text": harmless(". ".join([f"{where(c)}: {what(c)}", *_causes(c, rules)]))},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(c.item.file)},
                        "region": {"startLine": max(1, c.item.line)},
                    }
                }
            ],
        }
        for c in comparison.dearer
        if c.item.file
    ]
    driver = {
        "name": "stridewise",
        "version": __version__,
        "rules": [
            {
                "id": "budget",
                "shortDescription": {"text": "a count above the budget"},
                "help": {"text": "See docs/budget.md; stridewise budget keeps what is wanted."},
            }
        ],
    }
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2) + "\n"


FORMATS = {"text": text, "markdown": markdown, "json": as_json, "sarif": sarif}
