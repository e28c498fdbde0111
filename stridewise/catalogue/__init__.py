"""The rules, as rules/<slug>/rule.toml states them. Uses the standard library only: the build runs it.

`python3 -m stridewise.catalogue check` tests rules, detectors and kernels against each other;
`python3 -m stridewise.catalogue cpp OUT` writes the data of analyzer/unit/Catalogue.h, `limits OUT` the thresholds that
programs have as constants.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from stridewise.catalogue import estimate, schema
from stridewise.catalogue.estimate import Estimate
from stridewise.finding import ArgValue, Confidence, Evidence, Finding, Location, Related, Scope, Severity, Verdict

PACKAGE = Path(__file__).resolve().parents[1]
SITE = "STRIDEWISE_SITE"  # environment: the address of the site that `make docs` built, where somebody serves it
KERNEL_SUFFIXES = (".c", ".cpp", ".f90")
# A detector's functions: of several, any one will do. The first finds by the run alone, the second judges findings.
PATTERN_FUNCTIONS = {
    "mpi": ("detect_mpi",),
    "cache": ("judge_cache",),
    "omp": ("detect_omp", "judge_omp"),
    "sharing": ("detect_sharing",),
    "placement": ("detect_placement", "judge_placement"),
    "scale": ("detect_scale",),
}
# What findings of one cause may share, beside arguments of their messages (finding/grouping.py).
GROUP_KEYS = ("file", "function", "advice", "advice-kind")
_HOLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_SITE = re.compile(r"https://[\w-]+(\.[\w-]+)*(:\d+)?(/[\w.~-]+)*")


class CatalogueError(Exception):
    """The catalogue cannot be read; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """`fixed`: a constant of the program that uses it, no setting; `whole`: the file writes it without a point."""

    value: float
    unit: str
    why: str
    fixed: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Detector:
    """Message and advice templates with {named} holes; `input` is what a run needs so that it decides."""

    message: str
    advice: str
    input: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    slug: str
    title: str
    family: str
    severity: Severity
    why: str
    references: tuple[str, ...]
    supersedes: tuple[str, ...]
    detectors: Mapping[str, Detector]
    thresholds: Mapping[str, Threshold]
    folder: Path
    reasons: Mapping[str, str] = field(default_factory=dict)  # instead of `why`, by a finding's argument "reason"
    variants: Mapping[str, str] = field(default_factory=dict)  # sentences of which a detector chooses one
    once: bool = False  # what it says holds for the whole program: equal findings are one
    assumes: str = ""  # figures of the machine that its static findings rest on; {name} is a threshold
    group: tuple[str, ...] = ()  # what findings of one cause share (finding/grouping.py); empty: each stands alone
    estimates: tuple[Estimate, ...] = ()  # what a place costs by assumption: the order of a list without runs

    @property
    def url(self) -> str:
        """Its page on the site that STRIDEWISE_SITE names (https only), else empty: no report links to an address that
        somebody else may own."""
        site = os.environ.get(SITE, "").rstrip("/")
        return f"{site}/rules/{self.slug}.html" if _SITE.fullmatch(site) else ""

    @property
    def page(self) -> str:
        """The address of its page for a reader on this machine: that of the site, else the file; empty without both."""
        file = self.folder / "doc.md"
        return self.url or (file.resolve().as_uri() if file.is_file() else "")

    def reason(self, args: Mapping[str, ArgValue]) -> str:
        """Why what a finding with these arguments says costs time."""
        return self.reasons.get(str(args.get("reason", "")), self.why)

    def estimated_nanoseconds(self, args: Mapping[str, ArgValue]) -> float | None:
        """What a place with these arguments costs each time the program comes by; None where the rule does not say."""
        return estimate.of_first(self.estimates, args)

    def threshold(self, name: str) -> float:
        """The value, in the unit that rule.toml names. Raises KeyError for a name that rule.toml lacks."""
        if name not in self.thresholds:
            raise KeyError(f"rule {self.slug} has no threshold '{name}'")
        return self.thresholds[name].value

    def variant(self, name: str, **args: ArgValue) -> str:
        """The sentence of that name with its holes filled. Raises KeyError for a name that rule.toml lacks."""
        if name not in self.variants:
            raise KeyError(f"rule {self.slug} has no variant '{name}'")
        return fill(self.variants[name], args)

    def assumptions(self, changed: Mapping[str, float] | None = None) -> str:
        """For the evidence of a static finding; empty where it rests on no figure of the machine.

        `changed` are thresholds that the configuration sets.
        """
        if not self.assumes:
            return ""
        named = set(_HOLE.findall(self.assumes))
        values = {name: t.value for name, t in self.thresholds.items()} | dict(changed or {})
        text = fill(self.assumes, {name: _amount(values[name], self.thresholds[name].unit) for name in named})
        mine = named & set(changed or {})
        return f"{text}: {'as configured' if mine else 'defaults of the rule, not measured on this machine'}"

    def fill(self, detector: str, args: Mapping[str, ArgValue]) -> tuple[str, str]:
        """(message, advice) of a detector; a hole without an argument stays visible as {name}."""
        template = self.detectors[detector]
        return fill(template.message, args), fill(template.advice, args)

    def finding(
        self,
        detector: str,
        location: Location,
        *,
        args: Mapping[str, ArgValue],
        confidence: Confidence,
        function: str = "",
        scope: Scope | None = None,
        evidence: Sequence[Evidence] = (),
        related: Sequence[Related] = (),
        cost_seconds: float | None = None,
        gain_seconds: float | None = None,
    ) -> Finding:
        """A finding of this rule with its texts filled in: suspected for the static detector, else observed."""
        message, advice = self.fill(detector, args)
        return Finding(
            rule=self.slug,
            severity=self.severity,
            confidence=confidence,
            verdict=Verdict.SUSPECTED if detector == "static" else Verdict.OBSERVED,
            message=message,
            advice=advice,
            location=location,
            function=function,
            scope=scope or Scope(location.line, max(location.line, location.end_line)),
            args=dict(args),
            evidence=tuple(evidence),
            related=tuple(related),
            cost_seconds=cost_seconds,
            gain_seconds=gain_seconds,
        )


def _amount(value: float, unit: str) -> str:
    """A threshold in words: 32 KiB, 8 lines per set."""
    if unit == "bytes":
        for size, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
            if value >= size and value % size == 0:
                return f"{value / size:g} {name}"
    return f"{value:g} {unit}"


def fill(template: str, args: Mapping[str, ArgValue]) -> str:
    """Replaces each {name} by the argument of that name."""

    def value(match: re.Match[str]) -> str:
        arg = args.get(match[1])
        if arg is None:
            return match[0]
        return f"{arg:.6g}" if isinstance(arg, float) else str(arg)

    return _HOLE.sub(value, template)


def holes(template: str) -> set[str]:
    return set(_HOLE.findall(template))


def rules_directory() -> Path:
    """Where the rules are: STRIDEWISE_RULES, the checkout around this package, or share/ of an installation."""
    configured = os.environ.get("STRIDEWISE_RULES")
    if configured:
        candidates = [Path(configured)]
    else:
        candidates = [PACKAGE.parent / "rules", PACKAGE / "rules"]
        candidates += [parent / "share" / "stridewise" / "rules" for parent in [*PACKAGE.parents, Path(sys.prefix)]]
    for candidate in candidates:
        if (candidate / "rule.schema.json").is_file():
            return candidate
    raise CatalogueError(f"no rules at {candidates[0]}; set STRIDEWISE_RULES to the folder that holds rule.schema.json")


@cache
def load(directory: Path | None = None) -> Mapping[str, Rule]:
    """All rules by slug, sorted. Raises CatalogueError on the first rule that is wrong."""
    directory = directory or rules_directory()
    wanted = _schema(directory)
    rules: dict[str, Rule] = {}
    for path in sorted(directory.glob("*/rule.toml")):
        data, problems = _read(path, wanted)
        if problems:
            raise CatalogueError(problems[0])
        rules[data["slug"]] = _rule(data, path.parent)
    if not rules:
        raise CatalogueError(f"{directory}: no rule found")
    return rules


@cache
def engines(directory: Path | None = None) -> Mapping[str, Mapping[str, Threshold]]:
    """The thresholds of rules/engines.toml: of each engine, by name. Raises CatalogueError."""
    directory = directory or rules_directory()
    wanted = _schema(directory)
    thresholds = wanted["properties"]["thresholds"]
    shape = {"type": "object", "additionalProperties": thresholds, "$defs": wanted["$defs"]}
    data, problems = _read(directory / "engines.toml", shape)
    if problems:
        raise CatalogueError(problems[0])
    return {engine: {name: _threshold(entry) for name, entry in table.items()} for engine, table in data.items()}


def limit(engine: str, name: str) -> float:
    """A threshold of rules/engines.toml. Raises KeyError for one that it lacks."""
    return engines()[engine][name].value


def _schema(directory: Path) -> dict[str, Any]:
    path = directory / "rule.schema.json"
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CatalogueError(f"{path}: {error}") from error
    assert isinstance(value, dict)
    return value


def _read(path: Path, wanted: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return {}, [f"{path}: {error}"]
    return data, [f"{path}: {problem}" for problem in schema.errors(data, wanted)]


def _rule(data: Mapping[str, Any], folder: Path) -> Rule:
    return Rule(
        slug=data["slug"],
        title=data["title"],
        family=data["family"],
        severity=Severity(data["severity"]),
        why=data["why"],
        references=tuple(data["references"]),
        supersedes=tuple(data["supersedes"]),
        detectors={
            name: Detector(d["message"], d["advice"], d.get("input", "")) for name, d in data["detectors"].items()
        },
        thresholds={name: _threshold(entry) for name, entry in data.get("thresholds", {}).items()},
        folder=folder,
        reasons={str(name): str(text) for name, text in data.get("reasons", {}).items()},
        variants={str(name): str(text) for name, text in data.get("variants", {}).items()},
        once=bool(data.get("once", False)),
        assumes=str(data.get("assumes", "")),
        group=tuple(data.get("group", ())),
        estimates=tuple(
            Estimate(str(e["nanoseconds"]), str(e["why"]), dict(e.get("when", {})), _assumed(e.get("assume", {})))
            for e in data.get("estimate", ())
        ),
    )


def _threshold(entry: Mapping[str, Any]) -> Threshold:
    value = entry["value"]
    return Threshold(float(value), entry["unit"], entry["why"], bool(entry.get("fixed", False)), isinstance(value, int))


def _assumed(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items()}


def check(root: Path) -> list[str]:
    """Every inconsistency between rules/, analyzer/checks/ and stridewise/patterns/ of a checkout."""
    directory = root / "rules"
    try:
        wanted = _schema(directory)
    except CatalogueError as error:
        return [str(error)]
    problems: list[str] = []
    rules: dict[str, Rule] = {}
    for folder in sorted(p for p in directory.iterdir() if p.is_dir()):
        path = folder / "rule.toml"
        if not path.is_file():
            problems.append(f"{folder}: no rule.toml")
            continue
        data, wrong = _read(path, wanted)
        problems += wrong
        if wrong:
            continue
        rule = _rule(data, folder)
        rules[folder.name] = rule
        problems += _check_rule(rule, path)
    for rule in rules.values():
        problems += [
            f"{rule.folder / 'rule.toml'}: supersedes unknown rule '{slug}'"
            for slug in rule.supersedes
            if slug not in rules
        ]
    problems += _check_checks(rules, root / "analyzer" / "checks")
    problems += _check_patterns(rules, root / "stridewise" / "patterns")
    problems += _check_variants(rules, root)
    return problems


def _check_rule(rule: Rule, path: Path) -> Iterator[str]:
    if rule.slug != rule.folder.name:
        yield f"{path}: slug '{rule.slug}' is not the folder's name"
    if rule.family != rule.slug.split("-")[0]:
        yield f"{path}: family '{rule.family}' is not the first word of the slug"
    yield from (f"{path}: title {wrong}" for wrong in _style(rule.title))
    for name, detector in rule.detectors.items():
        for what, template in (("message", detector.message), ("advice", detector.advice)):
            yield from (f"{path}: detectors.{name}.{what} {wrong}" for wrong in _style(template))
            if "{" in _HOLE.sub("", template) or "}" in _HOLE.sub("", template):
                yield f"{path}: detectors.{name}.{what} has a malformed hole; write {{lower_case_name}}"
    for name, text in rule.variants.items():
        yield from (f"{path}: variants.{name} {wrong}" for wrong in _style(text))
        if "{" in _HOLE.sub("", text) or "}" in _HOLE.sub("", text):
            yield f"{path}: variants.{name} has a malformed hole; write {{lower_case_name}}"
    unknown = sorted(set(_HOLE.findall(rule.assumes)) - rule.thresholds.keys())
    yield from (f"{path}: assumes names '{name}', which is no threshold of the rule" for name in unknown)
    yield from (f"{path}: {wrong}" for wrong in estimate.problems(rule.estimates))
    holes_of_rule = {name for d in rule.detectors.values() for text in (d.message, d.advice) for name in holes(text)}
    for key in rule.group:
        if key not in GROUP_KEYS and key not in holes_of_rule:
            yield f"{path}: group by '{key}', which is none of {', '.join(GROUP_KEYS)} and no hole of its messages"
    if not (rule.folder / "doc.md").is_file():
        yield f"{rule.folder}: no doc.md"
    for stem in ("buggy", "fixed"):
        if not any((rule.folder / (stem + suffix)).is_file() for suffix in KERNEL_SUFFIXES):
            yield f"{rule.folder}: no {stem}.c ({stem}.cpp, {stem}.f90)"


def _style(text: str) -> Iterator[str]:
    """Lower-case first word (names such as MPI_Send excepted), no final period, one line, no stray blanks."""
    if text != text.strip() or "\n" in text or "  " in text:
        yield "has stray blanks or more than one line"
    if text.endswith((".", "!")):
        yield "ends with a period"
    first = re.match(r"[A-Za-z]+", text)
    if first and first[0][0].isupper() and not first[0].isupper():
        yield "starts with a capital letter"


def _check_checks(rules: Mapping[str, Rule], checks: Path) -> Iterator[str]:
    for slug, rule in rules.items():
        path = checks / slug / f"{slug}.cpp"
        if "static" in rule.detectors and not path.is_file():
            yield f"{rule.folder / 'rule.toml'}: detector 'static' has no {path}"
    for path in sorted(p for p in checks.iterdir() if p.is_dir()):
        if path.name not in rules:
            yield f"{path}: no rule of that name"
        elif "static" not in rules[path.name].detectors:
            yield f"{path}: rule.toml declares no detector 'static'"


def _check_patterns(rules: Mapping[str, Rule], patterns: Path) -> Iterator[str]:
    for slug, rule in rules.items():
        path = patterns / f"{slug.replace('-', '_')}.py"
        wanted = [name for name in rule.detectors if name in PATTERN_FUNCTIONS]
        defined = _functions(path)
        for name, functions in PATTERN_FUNCTIONS.items():
            if name in wanted and not defined.intersection(functions):
                yield f"{rule.folder / 'rule.toml'}: detector '{name}' has no {' or '.join(functions)} in {path}"
            for function in functions:
                if function in defined and name not in wanted:
                    yield f"{path}: {function} is defined but rule.toml declares no detector '{name}'"
        if path.is_file() and not wanted:
            yield f"{path}: rule.toml declares no run-time detector"
    for path in sorted(patterns.glob("*.py")):
        if not path.name.startswith("_") and path.stem.replace("_", "-") not in rules:
            yield f"{path}: no rule of that name (helpers start with an underscore)"


def _check_variants(rules: Mapping[str, Rule], root: Path) -> Iterator[str]:
    """Each sentence has a detector that names it."""
    for slug, rule in rules.items():
        files = [
            *(root / "analyzer" / "checks" / slug).glob("*.cpp"),
            *(root / "stridewise" / "patterns").glob(f"{slug.replace('-', '_')}.py"),
        ]
        code = "".join(path.read_text(encoding="utf-8") for path in files if rule.variants)
        for name in rule.variants:
            if f'"{name}"' not in code:
                yield f"{rule.folder / 'rule.toml'}: no detector names the variant '{name}'"


def _functions(path: Path) -> set[str]:
    """Names of the functions that a module defines; read without importing it."""
    import ast  # not for every command's start

    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return set()
    except SyntaxError as error:
        raise CatalogueError(f"{path}:{error.lineno}: {error.msg}") from error
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def cpp(rules: Mapping[str, Rule]) -> str:
    """Initialisers for the structs of analyzer/unit/Catalogue.h, to be included in namespace stridewise.

    Defines `Rules`, sorted by slug. A rule without static detector has empty texts.
    """
    lines = ["// Made from rules/*/rule.toml by stridewise.catalogue."]
    entries = []
    for slug, rule in sorted(rules.items()):
        array = "Thresholds_" + slug.replace("-", "_")
        settings = {name: t for name, t in rule.thresholds.items() if not t.fixed}
        if settings:
            lines.append(f"static const ThresholdInfo {array}[] = {{")
            lines += [f"    {{{_literal(name)}, {t.value!r}, {_literal(t.unit)}}}," for name, t in settings.items()]
            lines.append("};")
        variants = "Variants_" + slug.replace("-", "_")
        if rule.variants:
            lines.append(f"static const VariantInfo {variants}[] = {{")
            lines += [f"    {{{_literal(name)}, {_literal(text)}}}," for name, text in rule.variants.items()]
            lines.append("};")
        static = rule.detectors.get("static", Detector("", ""))
        texts = (slug, rule.title, rule.severity.value, static.message, static.advice)
        superseded = "Superseded_" + slug.replace("-", "_")
        if rule.supersedes:
            names = ", ".join(map(_literal, rule.supersedes))
            lines.append(f"static const char *const {superseded}[] = {{{names}}};")
        arrays = (
            array if settings else "{}",
            variants if rule.variants else "{}",
            superseded if rule.supersedes else "{}",
        )
        entries.append(f"    {{{', '.join((*map(_literal, texts), *arrays))}}},")
    return "\n".join([*lines, "static const RuleInfo Rules[] = {", *entries, "};", ""])


def _literal(text: str) -> str:
    """A C++ string literal; bytes beyond ASCII as octal escapes, which end after three digits whatever follows."""
    out = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        out.append("\\" + char if char in '\\"?' else char if 32 <= byte < 127 else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'
