"""Findings as diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lsprotocol import types

from stridewise.catalogue import Rule
from stridewise.console import harmless
from stridewise.finding import Finding, Severity, Verdict, measured
from stridewise.lsp.known import Complaint
from stridewise.lsp.positions import Positions

SOURCE = "stridewise"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_FAR = 40  # related places, callers and such


class Diagnostics:
    """Makes them for one client; `positions_of` gives those of any file's text."""

    def __init__(
        self,
        rules: Mapping[str, Rule],
        uri_of: Callable[[str], str],
        positions_of: Callable[[str], Positions],
        related: bool,
        tags: bool,
    ) -> None:
        self._rules, self._uri_of, self._positions_of = rules, uri_of, positions_of
        self._related, self._tags = related, tags

    def of(self, finding: Finding, positions: Positions) -> types.Diagnostic:
        rule = self._rules.get(finding.rule)
        related = [
            types.DiagnosticRelatedInformation(
                types.Location(self._uri_of(r.file), self._line(r.file, r.line)), harmless(r.label)
            )
            for r in finding.related[:_FAR]
            if r.file and r.line > 0
        ]
        return types.Diagnostic(
            range=positions.of(finding.location),
            message=text(finding),
            severity=types.DiagnosticSeverity.Hint
            if finding.verdict is Verdict.REFUTED
            else _SEVERITIES[finding.severity],
            code=finding.rule,
            code_description=types.CodeDescription(rule.page) if rule and rule.page else None,
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if self._tags and _is_superfluous(finding) else None,
            related_information=related if self._related and related else None,
            data={"fingerprint": finding.fingerprint},
        )

    def complaint(self, complaint: Complaint, positions: Positions) -> types.Diagnostic:
        begin = positions.text.offset(max(1, complaint.line), complaint.column)
        return types.Diagnostic(
            range=positions.span(begin, positions.line_end(max(1, complaint.line))),
            message=harmless(complaint.message),
            severity=types.DiagnosticSeverity.Information,
            source=SOURCE,
        )

    def _line(self, file: str, line: int) -> types.Range:
        positions = self._positions_of(file)
        begin, end = positions.line_bounds(line)
        if begin == end:
            return types.Range(types.Position(line - 1, 0), types.Position(line - 1, 0))
        return positions.span(positions.text.offset(line, 0), positions.line_end(line))


def text(finding: Finding) -> str:
    lines = [harmless(finding.message)]
    if finding.verdict is not Verdict.SUSPECTED or any(e.source != "static" for e in finding.evidence):
        lines.append(", ".join(filter(None, (measured.verdict(finding), measured.price(finding)))))
    if finding.advice:
        lines.append(f"fix: {harmless(finding.advice)}")
    return "\n".join(lines)


def _is_superfluous(finding: Finding) -> bool:
    """Whether its fix is to remove the code."""
    best = next((fix for fix in finding.fixes if fix.is_safe), None)
    return best is not None and all(not edit.replacement for edit in best.edits)
