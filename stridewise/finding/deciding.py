"""Which run would decide a finding that none has decided, and with what input.

The kinds of run are those of the rule's detectors. What a kind needs to tell anything stands here; what a rule needs
beyond that is `input` of the detector in its rule.toml.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from stridewise.catalogue import Rule, fill
from stridewise.finding import Deciding, Evidence, Finding, Verdict
from stridewise.finding.quantities import seconds
from stridewise.finding.result import LEAST_SAVING

# What a run of the kind needs so that it can decide at all.
INPUTS = {
    "mpi": "at least 4 ranks, and steps for some seconds",
    "cache": "arrays larger than the last-level cache",
    "omp": "as many threads as cores, and steps for some seconds",
    "sharing": "2 threads or more",
    "placement": "a machine of several memory nodes, threads bound on all of them",
}
# What changes a result that was too small or too close to tell.
_LARGER = {
    "mpi": "an input at least 4 x larger, or more ranks",
    "cache": "an input at least 4 x larger",
    "omp": "an input at least 4 x larger, or more threads",
    "sharing": "an input at least 4 x larger, or more threads",
    "placement": "an input at least 4 x larger, threads bound on all memory nodes",
}


def with_deciding_runs(
    findings: Iterable[Finding], rules: Mapping[str, Rule], run_seconds: Mapping[str, float] | None = None
) -> list[Finding]:
    """The findings with the run that would decide them. `run_seconds`: the longest run of each kind; what saves less
    than LEAST_SAVING of that, with all places of its cause, is within its noise."""
    findings, longest = list(findings), run_seconds or {}
    saved: dict[str, float] = defaultdict(float)
    for finding in findings:
        saved[finding.group] += finding.gain_seconds or 0.0
    return [
        replace(f, decided_by=_deciding(f, rules[f.rule], longest, saved)) if f.rule in rules else f for f in findings
    ]


def _deciding(
    finding: Finding, rule: Rule, longest: Mapping[str, float], saved: Mapping[str, float]
) -> Deciding | None:
    kinds = [kind for kind in rule.detectors if kind in INPUTS]
    watched = [evidence for evidence in finding.evidence if evidence.source in kinds]
    if finding.verdict is Verdict.CONFIRMED:
        gain = saved[finding.group] if finding.group else finding.gain_seconds
        noisy = [e.source for e in watched if gain is not None and gain < LEAST_SAVING * longest.get(e.source, 0.0)]
        if not noisy or finding.gain_seconds is None:
            return None
        return Deciding(noisy[-1], _LARGER[noisy[-1]], "what it would save is within the noise of this run")
    if finding.verdict not in (Verdict.SUSPECTED, Verdict.NOT_EXERCISED) or not kinds:
        return None
    if not watched:
        kind = kinds[0]
        wanted = rule.detectors[kind].input
        return Deciding(kind, fill(wanted, finding.args) if wanted else INPUTS[kind])
    return _after(finding, rule, watched[-1], longest)


def _after(finding: Finding, rule: Rule, last: Evidence, longest: Mapping[str, float]) -> Deciding:
    """What to try after runs that did not decide; the last of them says why."""
    kind = last.source
    if finding.verdict is Verdict.NOT_EXERCISED:
        name = finding.function.partition("(")[0]
        return Deciding(kind, f"an input that runs {name or 'this place'}", last.note)
    ratio = rule.thresholds.get("confirm_ratio")
    most = last.metrics.get("at_most_seconds")
    if ratio and any(name.startswith("best_") for name in last.metrics):
        why = f"fewer than {ratio.value:g} times the misses of the best program: too close to tell"
    elif isinstance(most, int | float) and most < LEAST_SAVING * longest.get(kind, 0.0):
        why = f"at most {seconds(most)} were spent here, which is within the noise of this run"
    else:
        why = last.note or "the figures of this run neither show nor exclude it"
    wanted = rule.detectors[kind].input
    return Deciding(kind, fill(wanted, finding.args) if wanted and not last.metrics else _LARGER[kind], why)
