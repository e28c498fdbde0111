"""The files of a new rule, to be filled in: docs/adding-a-rule.md says what each is for.

What is written builds and loads at once. Its sample expects the finding that the detector does not make yet, so that
the rule's own tests fail until it does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from stridewise.errors import Failure

SLUG = re.compile(r"(mem|omp|mpi|build|run|io)-[a-z0-9]+(-[a-z0-9]+)*")
LANGUAGES = {"c": "c", "c++": "cpp", "fortran": "f90"}  # and how their files end

_DETECTOR = """
[detectors.{name}]
message = "what is seen here, with its figures"
advice = "do this instead"
"""
_RULE = """slug = "{slug}"
title = "what is wrong, in a few words"
family = "{family}"
severity = "warning"
references = ["where the lesson comes from"]
why = "one sentence: why this costs time"
supersedes = []
{detectors}
[[estimate]]
nanoseconds = "calls * 100"
assume = {{ calls = 1_000 }}
why = "what a place costs, with the source of the figure"
"""
_PAGE = """## What it finds

The property that decides, in words of the field.

{buggy}

## Why it costs

With the figure of the source.

## How to fix it

{fixed}

## When to ignore it

Known false positives, and what is silent for that reason.
"""
_CHECK = """// What the rule finds, in a sentence.
//
// Which property decides, computed by which analysis; what is silent, and why. Known false positives: …
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {{
namespace {{

class {name} : public Check {{
public:
{fortran}  void run(Unit &, Reporter &) override {{}}
}};

STRIDEWISE_CHECK("{slug}", {name})

}} // namespace
}} // namespace stridewise
"""
_PATTERN_HEAD = '''"""What the rule finds in a run, in a sentence: the property, and what of the run tells it."""

from __future__ import annotations

{imports}
'''
# By detector: what its function needs, and the function.
_PATTERNS = {
    "mpi": (
        (
            "from collections.abc import Iterable",
            "from stridewise.catalogue import Rule",
            "from stridewise.finding import Finding",
            "from stridewise.runs.mpi.trace import Trace",
        ),
        "\n\ndef detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:\n    return ()\n",
    ),
    "cache": (
        (
            "from stridewise.catalogue import Rule",
            "from stridewise.finding import Finding",
            "from stridewise.finding.judgement import Judgement",
            "from stridewise.runs.cache.cachegrind import CacheProfile",
        ),
        "\n\ndef judge_cache(finding: Finding, profile: CacheProfile, rule: Rule) -> Judgement | None:\n"
        "    return None\n",
    ),
    "omp": (
        (
            "from collections.abc import Iterable",
            "from stridewise.catalogue import Rule",
            "from stridewise.finding import Finding",
            "from stridewise.runs.omp.trace import Trace",
        ),
        "\n\ndef detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:\n    return ()\n",
    ),
}
_READS_FORTRAN = "  bool readsFortran() const override { return true; }\n\n"
_C = """{flags}// What the program is: {state}.
#include <stdio.h>

int main(void) {{
{expect}  printf("%d\\n", 0);
  return 0;
}}
"""
_FORTRAN = """{flags}! What the program is: {state}.
program sample
  implicit none
{expect}  print '(i0)', 0
end program sample
"""


def files(slug: str, languages: Sequence[str], detectors: Sequence[str]) -> dict[Path, str]:
    """The texts of the rule's files by their places in the source tree. Raises Failure for what is no slug."""
    if not SLUG.fullmatch(slug):
        raise Failure(
            f"'{slug}' is no rule's name: a family (mem, omp, mpi, build, run, io), then words, as in mem-example"
        )
    family = slug.partition("-")[0]
    folder = Path("rules") / slug
    suffixes = [LANGUAGES[language] for language in languages]
    out = {
        folder / "rule.toml": _RULE.format(
            slug=slug, family=family, detectors="".join(_DETECTOR.format(name=name) for name in detectors)
        ),
        folder / "doc.md": _PAGE.format(**{state: _included(state, suffixes) for state in ("buggy", "fixed")}),
    }
    for suffix in suffixes:
        for state in ("buggy", "fixed"):
            out[folder / f"{state}.{suffix}"] = _sample(slug, family, suffix, state, "static" in detectors)
    if "static" in detectors:
        out[Path("analyzer") / "checks" / slug / f"{slug}.cpp"] = _CHECK.format(
            slug=slug,
            name="".join(word.capitalize() for word in slug.split("-")),
            fortran=_READS_FORTRAN if "fortran" in languages else "",
        )
    for name in detectors:
        if name in _PATTERNS:
            out[Path("stridewise") / "patterns" / f"{slug.replace('-', '_')}.py"] = _pattern(detectors)
    return out


def _pattern(detectors: Sequence[str]) -> str:
    of_runs = [_PATTERNS[name] for name in detectors if name in _PATTERNS]
    imports = sorted({line for lines, _ in of_runs for line in lines})
    library = [line for line in imports if "stridewise" not in line]
    own = [line for line in imports if "stridewise" in line]
    blocks = "\n\n".join("\n".join(lines) for lines in (library, own) if lines)
    return _PATTERN_HEAD.format(imports=blocks) + "".join(text for _, text in of_runs)


def create(top: Path, slug: str, languages: Sequence[str], detectors: Sequence[str]) -> list[Path]:
    """Writes them below `top`, a source tree, and returns where. Raises Failure where the rule exists."""
    texts: Mapping[Path, str] = files(slug, languages, detectors)
    if not (top / "rules" / "rule.schema.json").is_file() or not (top / "analyzer" / "checks").is_dir():
        raise Failure(f"{top} has no rules/ and analyzer/checks/: rules are added to the source tree of stridewise")
    for place in texts:
        known = top / place if place.suffix == ".py" else (top / place).parent
        if known.exists():
            raise Failure(f"{known} exists already; nothing was written")
    for place, text in texts.items():
        (top / place).parent.mkdir(parents=True, exist_ok=True)
        (top / place).write_text(text, encoding="utf-8")
    return [top / place for place in texts]


def _included(state: str, suffixes: Sequence[str]) -> str:
    return "\n\n".join(f"{{{{ include {state}.{suffix} }}}}" for suffix in suffixes)


def _sample(slug: str, family: str, suffix: str, state: str, static: bool) -> str:
    comment, text = ("!", _FORTRAN) if suffix == "f90" else ("//", _C)
    expects = state == "buggy" and static
    return text.format(
        flags=f"{comment} flags: -fopenmp\n" if family == "omp" else "",
        state="what is wrong" if state == "buggy" else "the same, mended",
        expect=f'  {comment} expect: {slug} medium "what is seen here" no-fix\n' if expects else "",
    )
