"""GitLab's Code Quality report (docs.gitlab.com, "Code Quality report format"): a subset of Code Climate's."""

from __future__ import annotations

import json
from collections.abc import Mapping

from stridewise.catalogue import Rule
from stridewise.finding import Severity, digest
from stridewise.finding.result import Result
from stridewise.render._common import message, path, standing

_SEVERITIES = {Severity.INFO: "info", Severity.WARNING: "minor", Severity.ERROR: "major"}


def render(result: Result, _rules: Mapping[str, Rule], _colour: bool) -> str:
    """An array; fingerprints are unique, as GitLab shows each only once."""
    entries = []
    seen: dict[str, int] = {}
    for finding in standing(result):
        name = finding.fingerprint or digest([finding.rule, finding.location.file, str(finding.location.line)])
        repeated = seen.get(name, 0)
        seen[name] = repeated + 1
        entries.append(
            {
                "description": message(finding),
                "check_name": f"stridewise-{finding.rule}",
                "fingerprint": name if not repeated else digest([name, str(repeated)]),
                "severity": _SEVERITIES[finding.severity],
                "location": {
                    "path": path(result, finding.location.file),
                    "lines": {"begin": max(finding.location.line, 1)},
                },
            }
        )
    return json.dumps(entries, indent=2, ensure_ascii=True) + "\n"
