"""What a finding means: what was analysed and measured, and the page of its rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from stridewise import markdown
from stridewise.catalogue import Rule, pages
from stridewise.console import harmless
from stridewise.errors import Failure
from stridewise.finding import Finding, measured

_SECTION = re.compile(r"^## (.*(?:\n(?!## ).*)*)", re.MULTILINE)
_SECTIONS = ("Why it costs", "How to fix it", "When to ignore it")
_PROGRAM = re.compile(r"^(?:`[^`\n]+`:\n\n)?```.*?^```\n*", re.MULTILINE | re.DOTALL)
_SHOWN = 5


def speaking_of(findings: Sequence[Finding], path: str, line: int) -> list[Finding]:
    """The findings at a line, or else those whose cost shows there."""
    own = [f for f in findings if f.location.file == path]
    at = [f for f in own if f.location.line <= line <= max(f.location.line, f.location.end_line)]
    return (at or [f for f in findings if any(a.file == path and a.line == line for a in f.accesses)])[:_SHOWN]


def render(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> str:
    """Markdown. Text from sources and runs is escaped."""
    parts: list[str] = []
    explained: dict[str, Rule] = {}
    for finding in findings:
        rule = rules.get(finding.rule)
        name = f"**{finding.rule}**" + (f": {rule.title}" if rule else "")
        worth = ", ".join(filter(None, (measured.verdict(finding), measured.price(finding))))
        parts.append(f"{name}  \n*{worth}; {finding.confidence.value} confidence*")
        parts.append(markdown.text(finding.message))
        facts = []
        if finding.advice:
            facts.append(f"- **fix**: {markdown.text(finding.advice)}")
        if finding.cost_seconds is not None:
            facts.append(f"- **cost**: {measured.metric('cost_seconds', finding.cost_seconds).removeprefix('cost ')}")
        if finding.gain_seconds is not None:
            facts.append(f"- **gain**: {measured.metric('gain_seconds', finding.gain_seconds).removeprefix('gain ')}")
        for known in finding.evidence:
            said = measured.evidence(known)
            if said:
                facts.append(f"- **{said[0]}**: {markdown.text(', '.join(said[1]))}")
        if facts:
            parts.append("\n".join(facts))
        if rule:
            explained[rule.slug] = rule
    for rule in explained.values():
        parts += ["---", explanation(rule)]
    return "\n\n".join(parts) + "\n"


def explanation(rule: Rule) -> str:
    """Of the rule's page what fits beside the code: no programs, no measurements; and where the rest is."""
    try:
        page = pages.markdown(rule)
    except Failure:
        page = ""
    parts = [f"{rule.why[0].upper()}{rule.why[1:]}."]
    for section in _SECTION.findall(page):
        heading, _, body = section.partition("\n")
        if heading in _SECTIONS:
            parts.append(f"**{heading}**\n\n{_PROGRAM.sub('', body).strip()}")
    parts.append(f"[More on {rule.slug}]({rule.page})" if rule.page else f"More: `stridewise explain {rule.slug}`")
    return "\n\n".join(parts)


_MARKUP = re.compile(r"\\([\\`*_\[\]|~^$])|&(amp|lt|gt|#8203);|<br>|</?span>|\*\*|^---$", re.MULTILINE)
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "#8203": ""}


def plain(text: str) -> str:
    """For clients that show no Markdown."""
    return harmless_lines(_MARKUP.sub(lambda m: m[1] or _ENTITIES.get(m[2] or "", ""), text))


def harmless_lines(text: str) -> str:
    return "\n".join(harmless(line) for line in text.split("\n"))
