"""Thresholds that programs have as constants: those of rules/engines.toml, and the `fixed` ones of the rules.

`python3 -m stridewise.catalogue limits OUT` writes them as a header of C++.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from stridewise.catalogue import Rule, Threshold, engines


def header(rules: Mapping[str, Rule], directory: Path | None = None) -> str:
    """Constants by engine and by rule: limits::loops::NearRows, limits::mpi_no_overlap::FewestTaps. Numbers that the
    file writes with a point are doubles, the others ints."""
    lines = [
        "// Made from rules/engines.toml and rules/*/rule.toml, which have units and reasons.",
        "#ifndef STRIDEWISE_THRESHOLDS_H",
        "#define STRIDEWISE_THRESHOLDS_H",
    ]
    groups = dict(engines(directory)) | {
        slug.replace("-", "_"): {name: t for name, t in rule.thresholds.items() if t.fixed}
        for slug, rule in rules.items()
    }
    for group, thresholds in sorted(groups.items()):
        if thresholds:
            lines += ["", f"namespace stridewise::limits::{group} {{", *_constants(thresholds), "}"]
    return "\n".join([*lines, "", "#endif", ""])


def _constants(thresholds: Mapping[str, Threshold]) -> Iterator[str]:
    for name, threshold in sorted(thresholds.items()):
        camel = "".join(word.capitalize() for word in name.split("_"))
        whole = threshold.value.is_integer() and threshold.whole
        kind, value = ("int", int(threshold.value)) if whole else ("double", threshold.value)
        yield f"inline constexpr {kind} {camel} = {value!r}; // {threshold.unit}"
