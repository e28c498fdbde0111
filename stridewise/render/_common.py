"""What formats share: harmless text, paths, columns, words, and what stands in the way of a merge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from stridewise.finding import Confidence, Finding, Fix, Verdict, measured
from stridewise.finding.grouping import Group
from stridewise.finding.quantities import seconds
from stridewise.finding.result import LEAST_SAVING, Result

# Characters that a format may hold but that no code host should be made to render.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def safe(text: str) -> str:
    """Control, format and surrogate characters made visible; line breaks and tabs stay."""
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def automatic(finding: Finding) -> tuple[str, str]:
    """(the command that makes the finding's change, why that is safe or not); empty where there is no fix."""
    if not finding.fixes:
        return "", ""
    best = next((fix for fix in finding.fixes if fix.is_safe), finding.fixes[0])
    if best.is_safe:
        return "lint --fix", f"safe: {best.why}" if best.why else "safe"
    return "lint --fix --unsafe", f"unsafe: {best.why}" if best.why else "unsafe"


def fixed_places(group: Group) -> str:
    """How many of a group's places that command changes, where it is not all of them."""
    fixed = sum(automatic(member)[0] == automatic(group.lead)[0] for member in group.members)
    return f", at {fixed} of {len(group.members)} places" if fixed < len(group.members) else ""


def advice(group: Group) -> str:
    """The lead's, which is that of the others but for names and lines."""
    alike = any(other.advice != group.lead.advice for other in group.others)
    return group.lead.advice + ("; the other places alike" if alike else "")


def places(findings: Sequence[Finding], rename: Callable[[str], str]) -> str:
    """Where they are: the lines of each file and function, in the order given; the file is named where it changes."""
    by_function: dict[tuple[str, str], list[int]] = {}
    for finding in findings:
        by_function.setdefault((finding.location.file, finding.function), []).append(finding.location.line)
    parts, before = [], ""
    for (file, function), lines in by_function.items():
        listed = ", ".join(map(str, dict.fromkeys(lines)))
        named = f"{rename(file)}:{listed}" if file != before else f"line{'s' if len(lines) > 1 else ''} {listed}"
        parts.append(f"{named} in {function}" if function else named)
        before = file
    return "; ".join(parts)


def decision(finding: Finding) -> tuple[str, str]:
    """A label and what would decide, or why the runs so far did not; empty where nothing is open or no run tells."""
    deciding = finding.decided_by
    if deciding is None:
        return "", ""
    run = f"run --{deciding.run}, with {deciding.input}"
    if not deciding.why:
        return "decide", run
    told = any(deciding.why in evidence.note for evidence in finding.evidence)  # the evidence is shown beside it
    return "undecided", f"try {run}" if told else f"{deciding.why}; try {run}"


def is_plain(fix: Fix) -> bool:
    """Whether every replacement can be shown as it is: altered text would be no fix."""
    return all(safe(text) == text for text in (edit.replacement.replace("\r\n", "\n") for edit in fix.edits))


def standing(result: Result) -> tuple[Finding, ...]:
    """The reported findings less those that the run refuted, which a review has no use for."""
    return tuple(f for f in result.reported if f.verdict is not Verdict.REFUTED)


def standing_groups(result: Result) -> tuple[Group, ...]:
    """As standing(), those of one cause as one."""
    return tuple(g for g in result.groups if g.lead.verdict is not Verdict.REFUTED)


def path(result: Result, file: str) -> str:
    return safe(result.project.relative(file)) if file else "unknown"


def message(finding: Finding) -> str:
    """What is wrong; on the next line what it would save, and how sure that is, where a run tells; then what to do."""
    return safe("\n".join(filter(None, (finding.message, judged(finding), finding.advice))))


def judged(finding: Finding) -> str:
    """Such as "saves about 0.8 s, confirmed by the run"; empty where the source alone speaks."""
    if finding.verdict is Verdict.SUSPECTED and all(e.source == "static" for e in finding.evidence):
        return ""
    return ", ".join(filter(None, (measured.price(finding), measured.verdict(finding))))


def utf16_column(result: Result, file: str, line: int, byte_column: int) -> int:
    """Most formats count UTF-16 units, clang counts bytes."""
    text = result.sources.line(file, line)
    if text is None or text.isascii():
        return byte_column
    before = text.encode("utf-8", "surrogateescape")[: byte_column - 1].decode("utf-8", "replace")
    return len(before.encode("utf-16-le")) // 2 + 1


def count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def worth(finding: Finding) -> str:
    """What it saves or costs; without a measured time, its severity."""
    if finding.gain_seconds:
        return f"saves about {seconds(finding.gain_seconds)}"
    if finding.cost_seconds:
        return f"costs {seconds(finding.cost_seconds)}"
    return finding.severity.value


def _unsure(result: Result) -> str:
    unsure = [f for f in result.unsure if f not in result.folded]
    names = [c.value for c in Confidence if any(f.confidence is c for f in unsure)]
    return f"{len(unsure)} more at {' or '.join(names)} confidence, shown with --all"


def summary(result: Result) -> str:
    """One line: what was analysed, what was found, what is not shown."""
    stats = result.stats
    parts: list[str] = []
    if "files_analysed" in stats:
        done = f"{count(stats['files_analysed'], 'file')} analysed"
        done += "".join(
            f", {stats[key]} {word}"
            for key, word in (("files_failed", "failed"), ("files_skipped", "skipped"), ("files_excluded", "excluded"))
            if stats.get(key)
        )
        parts.append(done)
    found, total = result.groups, len(result.reported)
    sure = Counter(g.lead.confidence for g in found)
    confidence = [f"{sure[c]} {c.value}" for c in reversed(Confidence) if sure[c]]
    verdicts = Counter(g.lead.verdict for g in found)
    said = count(len(found), "finding") + (f" at {total} places" if total > len(found) else "")
    if not total and any(run.causes for run in result.runs):
        said = "no finding explains it; what is said above does"
    if total:
        said += f" (confidence: {', '.join(confidence)})"
    if result.runs and total:
        named = [f"{verdicts[v]} {v.value}" for v in Verdict if verdicts[v]]
        said += f": {', '.join(named)}"
    parts.append(said)
    hidden = len(found) - len(result.shown)
    if hidden:
        parts.append(f"{hidden} more with --all")
    if result.folded:
        parts.append(f"{len(result.folded)} that would save less than {100 * LEAST_SAVING:g} % of the run with --all")
    if len(result.unsure) > len(result.folded):
        parts.append(_unsure(result))
    if stats.get("suppressed"):
        parts.append(f"{stats['suppressed']} suppressed")
    if stats.get("in_baseline"):
        parts.append(f"{stats['in_baseline']} in the baseline")
    if stats.get("vendored"):
        parts.append(f"{stats['vendored']} in code of others, shown with lint --vendored")
    if stats.get("outside_project"):
        parts.append(f"{stats['outside_project']} outside the project")
    return " · ".join(parts)
