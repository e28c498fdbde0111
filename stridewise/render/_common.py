"""What formats share: harmless text, paths, columns, words, and what stands in the way of a merge."""

from __future__ import annotations

import re
from collections import Counter

from stridewise.finding import Confidence, Finding, Fix, Verdict
from stridewise.quantities import seconds
from stridewise.result import Result

VERDICTS = {
    Verdict.SUSPECTED: "suspected, no run evidence",
    Verdict.OBSERVED: "seen in the run",
    Verdict.CONFIRMED: "confirmed by the run",
    Verdict.REFUTED: "refuted by the run",
    Verdict.NOT_EXERCISED: "not reached by the run",
}
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


def is_plain(fix: Fix) -> bool:
    """Whether every replacement can be shown as it is: altered text would be no fix."""
    return all(safe(text) == text for text in (edit.replacement.replace("\r\n", "\n") for edit in fix.edits))


def standing(result: Result) -> tuple[Finding, ...]:
    """The reported findings less those that the run refuted, which a review has no use for."""
    return tuple(f for f in result.reported if f.verdict is not Verdict.REFUTED)


def path(result: Result, file: str) -> str:
    return safe(result.project.relative(file)) if file else "unknown"


def message(finding: Finding) -> str:
    """What is wrong and, on the next line, what to do."""
    return safe(finding.message + (f"\n{finding.advice}" if finding.advice else ""))


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
    names = [c.value for c in Confidence if any(f.confidence is c for f in result.unsure)]
    return f"{len(result.unsure)} more at {' or '.join(names)} confidence, shown with --all"


def summary(result: Result) -> str:
    """One line: what was analysed, what was found, what is not shown."""
    stats = result.stats
    parts: list[str] = []
    if "files_analysed" in stats:
        count = stats["files_analysed"]
        done = f"{count} file{'' if count == 1 else 's'} analysed"
        done += "".join(
            f", {stats[key]} {word}"
            for key, word in (("files_failed", "failed"), ("files_skipped", "skipped"), ("files_excluded", "excluded"))
            if stats.get(key)
        )
        parts.append(done)
    total = len(result.reported)
    sure = Counter(f.confidence for f in result.reported)
    confidence = [f"{sure[c]} {c.value}" for c in reversed(Confidence) if sure[c]]
    verdicts = Counter(f.verdict for f in result.reported)
    said = f"{total} finding{'' if total == 1 else 's'}"
    if total:
        said += f" (confidence: {', '.join(confidence)})"
    if result.runs and total:
        named = [f"{verdicts[v]} {v.value}" for v in Verdict if verdicts[v]]
        said += f": {', '.join(named)}"
    parts.append(said)
    hidden = total - len(result.shown)
    if hidden:
        parts.append(f"{hidden} more with --all")
    if result.unsure:
        parts.append(_unsure(result))
    if stats.get("suppressed"):
        parts.append(f"{stats['suppressed']} suppressed")
    if stats.get("in_baseline"):
        parts.append(f"{stats['in_baseline']} in the baseline")
    if stats.get("outside_project"):
        parts.append(f"{stats['outside_project']} outside the project")
    return " · ".join(parts)
