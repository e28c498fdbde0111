"""stridewise explain and stridewise rules: the catalogue at the terminal."""

from __future__ import annotations

import difflib
import json
import sys

from stridewise import catalogue
from stridewise.catalogue import pages, plain
from stridewise.console import Painter, columns, wants_colour
from stridewise.errors import Failure

_WIDTH = 100  # of running text that reads well


def explain(slug: str, style: str = "text") -> int:
    """Prints the page of a rule. Takes the name as findings, clang-tidy and suppressions write it."""
    rules = catalogue.load()
    name = slug.removeprefix("stridewise-")
    if name not in rules:
        near = difflib.get_close_matches(name, rules, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else "'stridewise rules' lists them"
        raise Failure(f"no rule '{slug}'; {hint}")
    if style == "markdown":
        print(pages.markdown(rules[name]).rstrip())
        return 0
    page = pages.markdown(rules[name], differences=True)
    if wants_colour(sys.stdout) and _drawn(page):
        return 0
    print(plain.text(page, min(columns() or _WIDTH, _WIDTH)), end="")
    return 0


def _drawn(page: str) -> bool:
    """Draws the page on a terminal, where the package rich is there to do it."""
    try:
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        return False
    console = Console(width=min(columns() or _WIDTH, _WIDTH), highlight=False)
    console.print(Markdown(page, code_theme="ansi_dark", hyperlinks=False))
    return True


def table(style: str) -> int:
    """Prints all rules, for people or as JSON."""
    rules = catalogue.load()
    if style == "json":
        listed = [
            {
                "slug": rule.slug,
                "title": rule.title,
                "family": rule.family,
                "severity": rule.severity.value,
                "why": rule.why,
                "url": rule.url,
                "detectors": sorted(rule.detectors),
                "thresholds": {
                    n: {"value": t.value, "unit": t.unit} for n, t in rule.thresholds.items() if not t.fixed
                },
            }
            for rule in rules.values()
        ]
        print(json.dumps(listed, indent=2))
        return 0
    paint = Painter(wants_colour(sys.stdout))
    width = max(map(len, rules))
    for rule in rules.values():
        detectors = ", ".join(rule.detectors)
        print(f"{paint(rule.slug.ljust(width), 'bold')}  {rule.severity.value:8} {detectors:14} {rule.title}")
    print(f"{len(rules)} rules · details: stridewise explain RULE")
    return 0
