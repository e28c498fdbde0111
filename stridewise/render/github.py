"""GitHub's workflow commands (docs.github.com, "Workflow commands"): annotations of a pull request's lines."""

from __future__ import annotations

from collections.abc import Mapping

from stridewise.catalogue import Rule
from stridewise.finding import Finding, Severity
from stridewise.finding.result import Result
from stridewise.render._common import message, path, safe, standing_groups, utf16_column

_COMMANDS = {Severity.INFO: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(result: Result, _rules: Mapping[str, Rule], _colour: bool) -> str:
    # GitHub shows the first ten of a step and kind: one place of each cause comes first.
    groups = standing_groups(result)
    places = [*(group.lead for group in groups), *(other for group in groups for other in group.others)]
    lines = [_command(finding, result) for finding in places]
    lines += [
        f"::error title=stridewise::{_data(safe(f'{trouble.where}: {trouble.message}'))}" for trouble in result.troubles
    ]
    return "".join(line + "\n" for line in lines)


def _command(finding: Finding, result: Result) -> str:
    where = finding.location
    properties = {"title": f"stridewise-{finding.rule}"}
    if where.file:
        properties["file"] = path(result, where.file)
    if where.line > 0:
        properties["line"] = str(where.line)
        properties["endLine"] = str(max(where.end_line, where.line))
        # GitHub takes columns only within one line.
        if where.column > 0 and where.end_line in (0, where.line):
            properties["col"] = str(utf16_column(result, where.file, where.line, where.column))
            if where.end_column > where.column:
                properties["endColumn"] = str(utf16_column(result, where.file, where.line, where.end_column))
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(message(finding))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
