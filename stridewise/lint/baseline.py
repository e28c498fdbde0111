"""Baselines: the findings that a project knows of, by fingerprint."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from stridewise.errors import Failure
from stridewise.finding import Finding
from stridewise.finding.sources import Project
from stridewise.output import write_file

_FINGERPRINTS = ("fingerprint", "moved_fingerprint")


def read(paths: Iterable[Path]) -> frozenset[str]:
    """Fingerprints of all findings in these baselines or JSON reports."""
    return frozenset(name for path in paths for name in _read(path))


def _read(path: Path) -> list[str]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        found = [*value["findings"], *value.get("unsure", [])]
        return [f[name] for f in found for name in _FINGERPRINTS if isinstance(f.get(name), str) and f[name]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Failure(
            f"cannot read the baseline {path}: {error}; make one with stridewise lint --write-baseline {path}"
        ) from error


def write(path: Path, findings: Iterable[Finding], project: Project) -> None:
    """Sorted, one finding a line and without line numbers, so that it changes in a repository only when findings do."""
    entries = sorted(
        json.dumps(
            {
                "file": project.relative(f.location.file),
                "rule": f.rule,
                "function": f.function,
                "fingerprint": f.fingerprint,
                "moved_fingerprint": f.moved_fingerprint,
            }
        )
        for f in findings
    )
    listed = ",\n    ".join(entries)
    write_file(path, f'{{\n  "version": 1,\n  "findings": [\n    {listed}\n  ]\n}}\n' if entries else _EMPTY)


_EMPTY = '{\n  "version": 1,\n  "findings": []\n}\n'
