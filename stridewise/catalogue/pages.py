"""The page of a rule: rule.toml and doc.md joined, kernels included by directive."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from stridewise.catalogue import KERNEL_SUFFIXES, Rule
from stridewise.catalogue.estimate import Estimate
from stridewise.errors import Failure

_INCLUDE = re.compile(r"^\{\{\s*include\s+([A-Za-z0-9_.-]+)\s*\}\}[ \t]*$", re.MULTILINE)
_EXPECTATION = re.compile(r"^\s*(//|!|#)\s*(expect|expect-run|may-run|fixes|flags|ranks|run-args):.*\n?", re.MULTILINE)
_LANGUAGES = {".c": "c", ".cpp": "cpp", ".f90": "fortran"}
_FAMILIES = {
    "mem": "Memory",
    "omp": "OpenMP",
    "mpi": "MPI",
    "build": "Building",
    "run": "Running",
    "io": "Input and output",
}
_RUN_KINDS = {
    "mpi": "MPI run",
    "cache": "cache run",
    "omp": "OpenMP run",
    "sharing": "false-sharing run",
    "placement": "placement run",
    "scale": "runs at several numbers of ranks",
    "static": "source",
}


def kernel(rule: Rule, name: str) -> str:
    """A file of the rule's folder without the tests' expectation comments. Raises Failure if it is not there."""
    path = rule.folder / name
    if path.suffix not in KERNEL_SUFFIXES or Path(name).name != name:
        raise Failure(f"{rule.folder / 'doc.md'}: cannot include '{name}'; name a source file of the rule's folder")
    try:
        return _EXPECTATION.sub("", path.read_text(encoding="utf-8")).rstrip() + "\n"
    except OSError as error:
        raise Failure(f"{rule.folder / 'doc.md'}: cannot include {path}: {error.strerror}") from error


def pair(rule: Rule, name: str) -> str:
    """How the sample before becomes that file, as a difference that shows all lines; empty where it is no such pair."""
    before = name.replace("fixed", "buggy", 1)
    if not name.startswith("fixed") or not (rule.folder / before).is_file():
        return ""
    old, new = kernel(rule, before).splitlines(), kernel(rule, name).splitlines()
    return "\n".join(list(difflib.unified_diff(old, new, before, name, n=len(old) + len(new), lineterm="")))


def markdown(rule: Rule, differences: bool = False) -> str:
    """The whole page. With `differences` a pair of samples is shown once, as the difference between them."""
    try:
        text = (rule.folder / "doc.md").read_text(encoding="utf-8").strip()
    except OSError as error:
        raise Failure(f"cannot read the page of rule {rule.slug}: {error}") from error

    def include(match: re.Match[str]) -> str:
        if differences and (shown := pair(rule, match[1])):
            return f"From `{match[1].replace('fixed', 'buggy', 1)}` to `{match[1]}`:\n\n```diff\n{shown}\n```"
        after = match[1].replace("buggy", "fixed", 1)
        if differences and f"include {after} " in text and pair(rule, after):
            return f"`{match[1]}` is shown below, with what mends it."
        language = _LANGUAGES.get(Path(match[1]).suffix, "")
        return f"`{match[1]}`:\n\n```{language}\n{kernel(rule, match[1])}```"

    seen_in = ", ".join(_RUN_KINDS[name] for name in rule.detectors)
    parts = [
        f"# {rule.slug}: {rule.title}",
        f"*{rule.family} · {rule.severity.value} · seen in: {seen_in}*",
        f"{rule.why[0].upper()}{rule.why[1:]}.",
        _INCLUDE.sub(include, text),
    ]
    if rule.thresholds:
        rows = [
            f"| `{name}` | {t.value:g} | {t.unit} | {t.why}{' (no setting)' if t.fixed else ''} |"
            for name, t in rule.thresholds.items()
        ]
        parts.append("\n".join(["## Thresholds", "", "| name | value | unit | why |", "|---|---|---|---|", *rows]))
    if rule.assumes:
        parts.append(f"## Assumptions\n\nFindings of the source assume {rule.assumptions()}.")
    parts.append(_ranking(rule))
    suppress = f"`// NOLINT(stridewise-{rule.slug}): reason` on the line silences one finding."
    parts.append(f"## Suppression\n\n{suppress}" if "static" in rule.detectors else "")
    parts.append("\n".join(["## Sources", "", *(f"- {reference}" for reference in rule.references)]))
    return "\n\n".join(part for part in parts if part) + "\n"


_SHARED = {"file": "the file", "function": "the function", "advice": "the advice", "advice-kind": "the kind of advice"}


def _ranking(rule: Rule) -> str:
    """How its findings are ordered before a run has measured them, and which of them are one."""
    parts = []
    if rule.estimates:
        rows = [f"| {_when(e, rule)} | `{e.nanoseconds}` | {_assumed(e)} | {e.why} |" for e in rule.estimates]
        parts.append("Before a run has measured what they cost, findings are ordered by this estimate:")
        parts.append("\n".join(["| of | nanoseconds | assumed where not known | why |", "|---|---|---|---|", *rows]))
    if rule.group:
        shared = " and ".join(_SHARED.get(key, f"'{key}' of the message") for key in rule.group)
        parts.append(f"Findings that share {shared} are shown as one, with all their places.")
    return "\n\n".join(["## Order", *parts]) if parts else ""


def _when(estimate: Estimate, rule: Rule) -> str:
    """The findings that it is for."""
    rest = "all others" if len(rule.estimates) > 1 else "all"
    return ", ".join(f"{name} '{value}'" for name, value in estimate.when.items()) or rest


def _assumed(estimate: Estimate) -> str:
    return ", ".join(f"{name} {value:,.0f}" for name, value in estimate.assume.items())


def estimates(rules: Mapping[str, Rule]) -> str:
    """The table of all rules' estimates, for the page that explains the order of findings."""
    rows = [
        f"| [{slug}](rules/{slug}.md) | {_when(e, rule)} | `{e.nanoseconds}` | {_assumed(e)} | {e.why} |"
        for slug, rule in rules.items()
        for e in rule.estimates
    ]
    return "\n".join(["| rule | of | nanoseconds | assumed where not known | why |", "|---|---|---|---|---|", *rows])


def index(rules: Mapping[str, Rule]) -> str:
    """A page that lists all rules, by family."""
    parts = ["# Rules"]
    for family in dict.fromkeys(rule.family for rule in rules.values()):
        rows = [
            f"| [{slug}]({slug}.md) | {rule.title} | {', '.join(_RUN_KINDS[name] for name in rule.detectors)} |"
            for slug, rule in rules.items()
            if rule.family == family
        ]
        parts.append(f"## {_FAMILIES[family]}")
        parts.append("\n".join(["| rule | finds | seen in |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"
