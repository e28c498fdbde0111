"""One cause is one finding, and no place of it is lost."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stridewise import catalogue
from stridewise.catalogue import Rule
from stridewise.cli import main
from stridewise.finding import Confidence, Evidence, Finding, Fix, Location, Safety, Severity, Verdict
from stridewise.finding.grouping import gathered, kind_of, with_groups
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.settle import settled
from stridewise.finding.sources import Project
from stridewise.render import RENDERERS
from stridewise.render._common import summary

ROOT = Path("/p")
BARRIER = "omp-barrier-in-loop"
FLAGS = "build-missed-vectorization"


def at(line: int, **changes: Any) -> Finding:
    base = Finding(
        rule=BARRIER,
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message=f"implicit barrier of the loop at line {line}",
        advice=f"add nowait to the 'for' at line {line}",
        location=Location(str(ROOT / "a.c"), line, 3, line, 9),
        function="step",
        fingerprint=f"{line:016x}",
    )
    return replace(base, **changes)


def result(*findings: Finding, **changes: Any) -> Result:
    rules = catalogue.load()
    runs = changes.get("runs", ())
    return replace(Result(Project(ROOT), tuple(settled(findings, rules, runs))), **changes)


def sizes(*findings: Finding) -> list[int]:
    return [len(group.members) for group in result(*findings).groups]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("add nowait to the 'for' at line 30", "add nowait to the 'for' at line 45", True),
        ("add nowait to the 'for' at line 30", "delete it", False),
        ("initialise 'a', 'b' and 'c' at line 3", "initialise 'd' at src/main.c:41", False),
        ("initialise 'a', 'b' and 'c' at line 3", "initialise 'd' at line 4", True),
        (
            "write '#pragma omp simd reduction(+:sum)' above it",
            "write '#pragma omp simd reduction(+:t)' above it",
            True,
        ),
        ("compile with -fno-math-errno", "compile with -ffast-math", False),
        ("copy with the 'in' array", "copy without the 'in' array", False),
    ],
)
def test_kinds_of_advice(one: str, other: str, same: bool) -> None:
    assert (kind_of(one) == kind_of(other)) is same


def test_a_cause_with_many_places_is_one_finding() -> None:
    assert sizes(*map(at, range(10, 37))) == [27]


@pytest.mark.parametrize(
    "other",
    [
        at(20, function="other"),
        at(20, location=Location(str(ROOT / "b.c"), 20)),
        at(20, advice="delete it"),
        at(20, confidence=Confidence.MEDIUM),
        at(20, severity=Severity.INFO),
        at(20, verdict=Verdict.NOT_EXERCISED),
        at(20, rule="omp-adjacent-regions"),
    ],
    ids=["function", "file", "advice", "confidence", "severity", "verdict", "rule"],
)
def test_another_cause_stays_apart(other: Finding) -> None:
    assert sizes(at(10), at(11), other) in ([2, 1], [1, 2])


def test_rules_without_a_key_are_never_grouped() -> None:
    assert "group" not in Path(catalogue.rules_directory() / "mpi-late-sender" / "rule.toml").read_text()
    assert sizes(*(at(line, rule="mpi-late-sender", advice="") for line in (1, 2))) == [1, 1]


def test_a_group_by_an_argument() -> None:
    def of(record: str, line: int, size: int = 96) -> Finding:
        args = {"record": record, "size": size}
        return at(line, rule="mem-array-of-structs", args=args, location=Location("/p/x.c", line))

    assert sorted(sizes(of("atom", 1), of("atom", 2), of("cell", 3))) == [1, 2]
    assert sizes(of("atom", 1), of("atom", 2, 40)) == [1, 1]


@pytest.mark.parametrize("seed", range(20))
def test_no_finding_is_lost_nor_doubled(seed: int) -> None:
    chance = random.Random(seed)
    rules = catalogue.load()
    findings = [
        at(
            line,
            rule=chance.choice([*rules, "mem-unknown"]),
            function=chance.choice("fg"),
            confidence=chance.choice(list(Confidence)),
            verdict=chance.choice(list(Verdict)),
            advice=chance.choice(["delete it", f"add nowait at line {line}"]),
            gain_seconds=chance.choice([None, 0.0, 1.5]),
            location=Location(str(ROOT / chance.choice(["a.c", "b.c"])), chance.randrange(9)),
        )
        for line in range(60)
    ]
    named = with_groups(findings, rules)
    assert [replace(f, group="") for f in named] == findings
    members = [f for group in gathered(named) for f in group.members]
    assert Counter(f.fingerprint for f in members) == Counter(f.fingerprint for f in findings)
    whole = result(*findings)
    assert Counter(f.fingerprint for f in whole.findings) == Counter(f.fingerprint for f in findings)
    assert sorted(f.fingerprint for g in whole.groups for f in g.members) == sorted(
        f.fingerprint for f in whole.reported
    )
    report = whole.to_json()
    assert len(report["findings"]) + len(report["unsure"]) == len(findings)
    grouped = Counter(f["group"] for f in report["findings"] if "group" in f)
    places = {g["group"]: len(g["places"]) for g in report.get("groups", ())}
    assert places == {name: count for name, count in grouped.items() if count > 1}


def test_a_group_of_which_one_place_is_reported_is_none(rules: dict[str, Rule]) -> None:
    """Confidence is part of what makes a group, so that what is not reported is in no reported group."""
    low = [at(line, confidence=Confidence.LOW) for line in (1, 2)]
    assert result(*low).groups == ()
    assert len(result(*low, at(3)).groups) == 1
    assert "3 findings" not in RENDERERS["text"](result(*low, at(3)), rules, False)


def test_savings_are_added_and_never_more_than_the_run() -> None:
    run = RunSummary("omp", ("app",), 0, 10.0)
    seen = {"verdict": Verdict.CONFIRMED, "evidence": (Evidence("omp"),)}
    (group,) = result(*(at(n, gain_seconds=2.0, cost_seconds=3.0, **seen) for n in (1, 2)), runs=(run,)).groups
    assert (group.gain_seconds, group.cost_seconds) == (4.0, 6.0)
    (group,) = result(*(at(n, gain_seconds=2.0, cost_seconds=3.0, **seen) for n in range(9)), runs=(run,)).groups
    assert (group.gain_seconds, group.cost_seconds) == (10.0, 10.0)


def test_small_savings_of_one_cause_are_not_folded_away() -> None:
    """Each saves 0.3 % of the run, all together 0.9 %."""
    run = RunSummary("mpi", ("app",), 0, 10.0)
    seen: dict[str, Any] = {"verdict": Verdict.OBSERVED, "evidence": (Evidence("mpi"),), "gain_seconds": 0.03}
    barrier = {"rule": "mpi-redundant-barrier", "advice": "remove the barrier"}
    assert len(result(*(at(n, **barrier, **seen) for n in (1, 2, 3)), runs=(run,)).reported) == 3
    assert result(at(1, **barrier, **seen), runs=(run,)).reported == ()


def test_one_place_is_saved_once() -> None:
    twice = [at(5, gain_seconds=2.0, fingerprint="a"), at(5, gain_seconds=1.0, fingerprint="b")]
    (group,) = result(*twice, at(6, gain_seconds=0.5)).groups
    assert (len(group.members), group.gain_seconds) == (3, 2.5)


def test_costs_are_added_rank_by_rank() -> None:
    def on(line: int, *seconds: float) -> Finding:
        return at(line, evidence=(Evidence("mpi", {"rank_seconds": list(seconds)}),), cost_seconds=max(seconds))

    (group,) = result(on(1, 3.0, 1.0), on(2, 1.0, 3.0)).groups
    assert group.cost_seconds == 4.0


def test_the_dearest_place_leads() -> None:
    value = result(at(1, gain_seconds=0.1), at(2, gain_seconds=0.7), at(3, gain_seconds=0.2))
    (group,) = value.groups
    assert [f.location.line for f in group.members] == [2, 3, 1]


def test_many_small_places_of_one_cause_come_before_a_single_larger_one() -> None:
    small = [at(line, gain_seconds=0.4) for line in range(5)]
    alone = at(90, rule="omp-adjacent-regions", gain_seconds=1.0)
    assert [len(g.members) for g in result(alone, *small).groups] == [5, 1]


def test_the_text_names_all_places_once(rules: dict[str, Rule]) -> None:
    value = result(*map(at, (10, 20)), at(30, location=Location("/p/src/b.c", 30), advice="delete it"))
    text = RENDERERS["text"](value, rules, False)
    assert "/p/a.c:10 in step and 1 more place" in text
    assert re.search(r"also: \S*a\.c:20 in step\n", text)
    assert "2 findings at 3 places (confidence: 2 high)" in text
    for unfolded in (replace(value, ungrouped=True), replace(value, limit=None)):
        text = RENDERERS["text"](unfolded, rules, False)
        assert "more place" not in text
        assert "3 findings (confidence: 3 high)" in text


def test_only_what_is_not_shown_is_counted_as_more() -> None:
    assert "with --all" not in summary(result(*map(at, range(40))))
    others = [at(line, rule="omp-adjacent-regions") for line in range(25)]
    assert "5 more with --all" in summary(result(*others))


def test_a_fix_that_not_all_places_have_says_so(rules: dict[str, Rule]) -> None:
    fixed = at(10, fixes=(Fix("add nowait", (), Safety.SAFE),))
    text = RENDERERS["text"](result(fixed, at(20)), rules, False)
    assert "(automatic: lint --fix, at 1 of 2 places)" in text
    both = result(fixed, at(20, fixes=fixed.fixes))
    assert "(automatic: lint --fix)" in RENDERERS["text"](both, rules, False)


@pytest.mark.parametrize("style", sorted(RENDERERS))
def test_every_format_has_every_place(style: str, rules: dict[str, Rule]) -> None:
    lines = (1201, 1202, 1203)
    out = RENDERERS[style](result(*map(at, lines)), rules, False)
    assert all(str(line) in out for line in lines)


def test_what_annotates_lines_has_each_place_by_itself(rules: dict[str, Rule]) -> None:
    value = result(*map(at, (10, 20)))
    results = json.loads(RENDERERS["sarif"](value, rules, False))["runs"][0]["results"]
    assert len(results) == 2
    assert len({r["properties"]["group"] for r in results}) == 1
    assert len(json.loads(RENDERERS["gitlab"](value, rules, False))) == 2
    assert RENDERERS["github"](value, rules, False).count("::warning") == 2


def test_annotations_of_all_causes_come_before_further_places(rules: dict[str, Rule]) -> None:
    """GitHub shows ten of a step."""
    value = result(*(at(line, gain_seconds=1.0) for line in (1, 2, 3)), at(9, function="other", gain_seconds=0.5))
    lines = re.findall(r"line=(\d+)", RENDERERS["github"](value, rules, False))
    assert lines == ["1", "9", "2", "3"]


def test_json_keeps_members_whole_and_lists_the_group(rules: dict[str, Rule]) -> None:
    report = json.loads(RENDERERS["json"](result(*map(at, (10, 20)), at(30, function="other")), rules, False))
    schema = json.loads((catalogue.rules_directory() / "finding.schema.json").read_text())
    for value in report["findings"]:
        jsonschema.validate(value, schema)
        assert Finding.from_json(value).to_json() == value
    (group,) = report["groups"]
    assert [(p["file"], p["line"], p["function"]) for p in group["places"]] == [
        ("a.c", 10, "step"),
        ("a.c", 20, "step"),
    ]
    assert {p["fingerprint"] for p in group["places"]} == {
        f["fingerprint"] for f in report["findings"] if f.get("group") == group["group"]
    }


def test_a_report_read_back_is_grouped_anew() -> None:
    """A place that a run has judged leaves the group that the source alone gave it."""
    first = result(*map(at, (10, 20))).findings
    judged = [replace(first[0], verdict=Verdict.CONFIRMED), first[1]]
    assert [f.group for f in result(*judged).findings] == ["", ""]


def test_groups_have_the_same_names_in_every_checkout() -> None:
    rules = catalogue.load()

    def names(root: str) -> list[str]:
        places = [at(line, location=Location(f"{root}/a.c", line)) for line in (1, 2)]
        return [f.group for f in settled(places, rules, project=Project(Path(root)))]

    assert names("/home/one/app") == names("/ci/build")
    assert all(names("/home/one/app"))


def test_keys_of_all_rules_are_given_by_their_findings(rules: dict[str, Rule]) -> None:
    """The key of a rule is a fact of the place or a hole of its messages: a misspelled one would join everything."""
    for rule in rules.values():
        texts = " ".join(d.message + d.advice for d in rule.detectors.values())
        arguments = set(rule.group) - set(catalogue.GROUP_KEYS)
        assert arguments <= catalogue.holes(texts), rule.slug


def test_the_advice_says_where_the_others_differ(rules: dict[str, Rule]) -> None:
    differing = RENDERERS["text"](result(at(10), at(20)), rules, False)
    assert "fix: add nowait to the 'for' at line 10; the other places alike\n" in differing
    equal = result(at(10, advice="delete it"), at(20, advice="delete it"))
    assert "fix: delete it\n" in RENDERERS["text"](equal, rules, False)


def test_the_commands_unfold_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "findings.json"
    file.write_text(json.dumps(result(*map(at, (10, 20))).to_json()))

    def last_line(*options: str) -> str:
        assert main(["report", "--lint", str(file), *options]) == 0
        return capsys.readouterr().out.splitlines()[-1]

    assert last_line().startswith("1 finding at 2 places")
    assert last_line("--ungroup").startswith("2 findings (")
    assert last_line("--all").startswith("2 findings (")
