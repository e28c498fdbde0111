"""Names of findings that survive edits elsewhere in the file: no line number takes part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from stridewise.finding import Finding, digest
from stridewise.finding.sources import Project, Sources


def with_fingerprints(findings: Sequence[Finding], project: Project, sources: Sources) -> list[Finding]:
    """The findings, in their order, with both fingerprints.

    fingerprint = hash(rule, path below the root, function, statement, ordinal among equal ones by line);
    moved_fingerprint = hash(rule, statement, ordinal), which recognises code that moved to another file or function.
    """
    statements = [sources.statement(f.location.file, f.location.line, f.location.column) for f in findings]
    exact: Counter[tuple[str, ...]] = Counter()
    moved: Counter[tuple[str, ...]] = Counter()
    out = list(findings)
    order = sorted(
        range(len(findings)),
        key=lambda i: (
            project.relative(findings[i].location.file),
            findings[i].location.line,
            findings[i].location.column,
        ),
    )
    for index in order:
        finding, statement = findings[index], statements[index]
        key = (finding.rule, project.relative(finding.location.file), finding.function, statement)
        short = (finding.rule, statement)
        out[index] = replace(
            finding,
            fingerprint=digest([*key, str(exact[key])]),
            moved_fingerprint=digest([*short, str(moved[short])]),
        )
        exact[key] += 1
        moved[short] += 1
    return out
