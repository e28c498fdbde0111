"""What was found, in words: verdict, price and evidence of a finding. The text is raw: its reader escapes it."""

from __future__ import annotations

from typing import Any

from stridewise.finding import Evidence, Finding, Verdict
from stridewise.finding.quantities import quantity, seconds

VERDICTS = {
    Verdict.SUSPECTED: "suspected, no run evidence",
    Verdict.OBSERVED: "seen in the run",
    Verdict.CONFIRMED: "confirmed by the run",
    Verdict.REFUTED: "refuted by the run",
    Verdict.NOT_EXERCISED: "not reached by the run",
}
_UNITS = ("seconds", "bytes", "share", "ratio", "percent", "lines", "microseconds")
_COUNTED = ("units", "instantiations")


def verdict(finding: Finding) -> str:
    """What source and run say together."""
    undecided = finding.verdict is Verdict.SUSPECTED and any(e.source != "static" for e in finding.evidence)
    if finding.verdict is Verdict.CONFIRMED and finding.decided_by is not None:
        return "confirmed, saving undecided"
    return "suspected, undecided by the run" if undecided else VERDICTS[finding.verdict]


def price(finding: Finding) -> str:
    """What a fix saves or what the finding costs; empty where nothing was timed."""
    if finding.gain_seconds:
        return f"saves about {seconds(finding.gain_seconds)}"
    if finding.cost_seconds:
        return f"costs {seconds(finding.cost_seconds)}"
    return ""


def evidence(known: Evidence) -> tuple[str, tuple[str, ...]] | None:
    """A label and what one source knows; None where it has nothing to say."""
    if known.source == "scale":  # its note says it all; its lists are over runs, not over ranks
        return ("foretold", (known.note,)) if known.note else None
    # What a rule assumes of machines is the same for all its findings: it stands in their JSON and on the rule's page.
    skipped = {"assumes"} | ({"cost_rank"} if "rank_seconds" in known.metrics else set())
    shown = [metric(name, value) for name, value in known.metrics.items() if name not in skipped]
    # A figure that the note says already is not repeated.
    parts = [part for part in shown if part and part.rsplit(" ", 1)[-1] not in known.note.split()]
    if known.note:
        parts.insert(0, known.note)
    if not parts:
        return None
    return "analysed" if known.source == "static" else f"measured ({known.source})", tuple(parts)


def metric(name: str, value: Any) -> str:
    """A metric in words; its unit is the end of its name. Lists over ranks are given by their extreme."""
    words = name.split("_")
    if isinstance(value, list):
        numbers = [v for v in value if isinstance(v, int | float) and not isinstance(v, bool)]
        if not numbers or len(numbers) != len(value):
            return ""
        slowest = max(range(len(numbers)), key=numbers.__getitem__)
        return f"at most {quantity(numbers[slowest], words[-1])} (rank {slowest})"
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        return ""
    if name in _COUNTED and isinstance(value, int):
        return f"in {value} {name if value > 1 else name[:-1]}"
    if isinstance(value, int | float):
        label = " ".join(words[:-1] if words[-1] in _UNITS and len(words) > 1 else words)
        return f"{label} {quantity(value, words[-1])}"
    return f"{' '.join(words)} {value}"
