"""What a run says about a finding of the source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stridewise.finding import Confidence, Evidence, Finding, Verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """`verdict` is suspected where the run does not decide; the evidence is kept all the same."""

    verdict: Verdict
    evidence: Evidence
    cost_seconds: float | None = None  # where the run timed it
    gain_seconds: float | None = None
    doubt: str = ""  # what makes the run's times unsure, in words

    def apply(self, finding: Finding) -> Finding:
        """A confirmed finding is sure, unless the run doubts its own times. The others keep their confidence: one
        input proves no absence."""
        judged = finding.with_evidence(self.evidence)
        if self.cost_seconds is not None or self.gain_seconds is not None:
            judged = replace(judged, cost_seconds=self.cost_seconds, gain_seconds=self.gain_seconds)
        if self.verdict is Verdict.SUSPECTED:
            return judged
        sure = self.verdict is Verdict.CONFIRMED and not self.doubt
        confidence = Confidence.HIGH if sure else finding.confidence
        return replace(judged, verdict=self.verdict, confidence=confidence)
