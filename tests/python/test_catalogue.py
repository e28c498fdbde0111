from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stridewise import catalogue
from stridewise.catalogue import CatalogueError, Rule, fill
from stridewise.catalogue import __main__ as catalogue_command
from stridewise.finding import Confidence, Location, Verdict

TOP = Path(__file__).resolve().parents[2]
TOML = """
slug = "mem-sample"
title = "sample"
family = "mem"
severity = "warning"
references = ["a book"]
why = "it costs"
supersedes = []

[detectors.static]
message = "'{array}' is slow"
advice = "make it fast"

[detectors.cache]
message = "{misses} misses"
advice = "fewer"

[thresholds.min_bytes]
value = 8
unit = "bytes"
why = "less is noise"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one rule that is in order."""
    folder = tmp_path / "rules" / "mem-sample"
    folder.mkdir(parents=True)
    shutil.copy(TOP / "rules" / "rule.schema.json", tmp_path / "rules")
    (folder / "rule.toml").write_text(TOML)
    for name in ("doc.md", "buggy.c", "fixed.c"):
        (folder / name).write_text("x\n")
    checks, patterns = tmp_path / "analyzer" / "checks", tmp_path / "stridewise" / "patterns"
    checks.mkdir(parents=True)
    patterns.mkdir(parents=True)
    (checks / "mem-sample").mkdir()
    (checks / "mem-sample" / "mem-sample.cpp").write_text("")
    (patterns / "__init__.py").write_text("")
    (patterns / "_helpers.py").write_text("")
    (patterns / "mem_sample.py").write_text("def judge_cache(finding, profile, rule): ...\n")
    return tmp_path


def edit(checkout: Path, old: str, new: str) -> None:
    path = checkout / "rules" / "mem-sample" / "rule.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_sound_catalogue_has_no_problem(checkout: Path) -> None:
    assert catalogue.check(checkout) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('slug = "mem-sample"', 'slug = "mem-other"', "not the folder's name"),
        ('slug = "mem-sample"', 'slug = "Sample"', "does not match"),
        ('family = "mem"', 'family = "mpi"', "first word of the slug"),
        ('severity = "warning"', 'severity = "fatal"', "expected one of"),
        ('title = "sample"', 'title = "Sample of it"', "capital"),
        ('title = "sample"', 'title = "sample."', "does not match"),
        ('title = "sample"', 'title = ""', "shorter"),
        ('message = "{misses} misses"', 'message = "two\\nlines"', "does not match"),
        ('message = "{misses} misses"', 'message = "{Misses} misses"', "malformed hole"),
        ("supersedes = []", 'supersedes = []\nassumes = "lines of {line_bytes}"', "no threshold of the rule"),
        ('message = "{misses} misses"', 'message = "{misses misses"', "malformed hole"),
        ('message = "{misses} misses"', 'message = "It has misses"', "capital"),
        ('references = ["a book"]', "references = []", "at least 1"),
        ("supersedes = []", 'supersedes = ["mem-nothing"]', "unknown rule 'mem-nothing'"),
        ("value = 8", 'value = "8"', "expected number"),
        ("[thresholds.min_bytes]", "[thresholds.MinBytes]", "does not match"),
        ('unit = "bytes"', "", "'unit' is missing"),
        ("[detectors.cache]", "[detectors.gpu]", "unknown key 'gpu'"),
        ("[detectors.cache]", "[detectors.mpi]", "has no detect_mpi"),
        ('why = "it costs"', "", "'why' is missing"),
        ('slug = "mem-sample"', 'slug = "mem-sample', "rule.toml"),
        (
            "[detectors.cache]",
            '[variants]\nloose = "do it"\n[detectors.cache]',
            "no detector names the variant 'loose'",
        ),
        ("[detectors.cache]", '[variants]\nloose = "Do it"\n[detectors.cache]', "capital"),
    ],
)
def test_a_wrong_rule_is_named(checkout: Path, old: str, new: str, complaint: str) -> None:
    edit(checkout, old, new)
    problems = catalogue.check(checkout)
    assert any(complaint in problem for problem in problems), problems
    assert all("mem-sample" in problem or "mem_sample" in problem for problem in problems)


@pytest.mark.parametrize(
    ("missing", "complaint"),
    [
        ("analyzer/checks/mem-sample/mem-sample.cpp", "detector 'static' has no"),
        ("stridewise/patterns/mem_sample.py", "has no judge_cache"),
        ("rules/mem-sample/doc.md", "no doc.md"),
        ("rules/mem-sample/buggy.c", "no buggy.c"),
        ("rules/mem-sample/fixed.c", "no fixed.c"),
        ("rules/mem-sample/rule.toml", "no rule.toml"),
        ("rules/rule.schema.json", "rule.schema.json"),
    ],
)
def test_a_missing_file_is_named(checkout: Path, missing: str, complaint: str) -> None:
    (checkout / missing).unlink()
    assert any(complaint in problem for problem in catalogue.check(checkout))


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        ("analyzer/checks/mem-stray/mem-stray.cpp", "", "no rule of that name"),
        ("stridewise/patterns/mem_stray.py", "", "no rule of that name"),
        (
            "stridewise/patterns/mem_sample.py",
            "def judge_cache(): ...\ndef detect_mpi(): ...",
            "declares no detector 'mpi'",
        ),
    ],
)
def test_a_detector_without_declaration_is_named(checkout: Path, path: str, text: str, complaint: str) -> None:
    (checkout / path).parent.mkdir(exist_ok=True)
    (checkout / path).write_text(text)
    assert any(complaint in problem for problem in catalogue.check(checkout))


def test_a_check_without_static_detector_is_named(checkout: Path) -> None:
    edit(checkout, '[detectors.static]\nmessage = "\'{array}\' is slow"\nadvice = "make it fast"\n', "")
    assert any("declares no detector 'static'" in problem for problem in catalogue.check(checkout))


def test_a_broken_pattern_is_an_error_not_a_trace(checkout: Path) -> None:
    (checkout / "stridewise" / "patterns" / "mem_sample.py").write_text("def (:\n")
    assert catalogue_command.main(["check", "--root", str(checkout)]) == 1


def test_fill_replaces_holes_and_keeps_those_without_argument(rules: dict[str, Rule]) -> None:
    assert fill("{a} of {b}, {c}", {"a": 3, "b": 0.25}) == "3 of 0.25, {c}"
    message, advice = rules["mem-struct-padding"].fill("static", {"record": "p", "wasted_bytes": 8, "remedy": "a, b"})
    assert message.startswith("record 'p' wastes 8 of {size_bytes} bytes")
    assert advice.endswith("a, b")


def test_a_foreign_hole_in_an_argument_is_not_filled_again() -> None:
    assert fill("{a} {b}", {"a": "{b}", "b": "x"}) == "{b} x"


def test_threshold_by_name(rules: dict[str, Rule]) -> None:
    assert rules["mem-strided-inner-loop"].threshold("confirm_ratio") == 1.5
    with pytest.raises(KeyError, match="no threshold 'nonsense'"):
        rules["mem-strided-inner-loop"].threshold("nonsense")


def test_finding_is_suspected_from_source_and_observed_from_a_run(rules: dict[str, Rule]) -> None:
    rule = rules["mpi-tiny-messages"]
    where = Location("a.c", 4, 1, 6, 2)
    static = rule.finding("static", where, args={"loop": "i"}, confidence=Confidence.HIGH)
    run = rule.finding("mpi", where, args={}, confidence=Confidence.HIGH, gain_seconds=1.0)
    assert (static.verdict, run.verdict) == (Verdict.SUSPECTED, Verdict.OBSERVED)
    assert (static.scope.begin_line, static.scope.end_line) == (4, 6)
    assert "'i'" in static.message


def test_generated_initialisers_compile_and_keep_odd_characters(checkout: Path, tmp_path: Path) -> None:
    edit(checkout, 'title = "sample"', 'title = "µs \\"and\\" \\\\ ?? 7"')
    out = tmp_path / "out" / "rules.inc"
    assert catalogue_command.main(["cpp", str(out), "--root", str(checkout)]) == 0
    before = out.stat().st_mtime_ns
    assert catalogue_command.main(["cpp", str(out), "--root", str(checkout)]) == 0
    assert out.stat().st_mtime_ns == before, "an unchanged file must not be written again"
    program = tmp_path / "main.cpp"
    program.write_text(
        """
        #include <cstdio>
        #include <cstddef>
        template <class T> struct ArrayRef {
          const T *p = nullptr; std::size_t n = 0;
          ArrayRef() = default;
          template <std::size_t N> ArrayRef(const T (&a)[N]) : p(a), n(N) {}
        };
        struct ThresholdInfo { const char *Name; double Value; const char *Unit; };
        struct VariantInfo { const char *Name, *Text; };
        struct RuleInfo {
          const char *Slug, *Title, *Severity, *StaticMessage, *StaticAdvice; ArrayRef<ThresholdInfo> Thresholds;
          ArrayRef<VariantInfo> Variants; ArrayRef<const char *> Supersedes;
        };
        #include "out/rules.inc"
        int main() {
          const RuleInfo &R = Rules[0];
          std::printf("%s %s %g", R.Title, R.Thresholds.p[0].Name, R.Thresholds.p[0].Value);
        }
        """
    )
    subprocess.run(["c++", "-std=c++20", "-o", tmp_path / "main", program], check=True)
    said = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout
    assert said == 'µs "and" \\ ?? 7 min_bytes 8'


def test_loading_reports_the_file(checkout: Path) -> None:
    edit(checkout, 'severity = "warning"', "severity = 3")
    with pytest.raises(CatalogueError, match=r"rule\.toml: \.severity"):
        catalogue.load(checkout / "rules")


def test_rules_are_found_by_environment(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRIDEWISE_RULES", str(checkout / "rules"))
    assert catalogue.rules_directory() == checkout / "rules"
    monkeypatch.setenv("STRIDEWISE_RULES", str(checkout / "nowhere"))
    with pytest.raises(CatalogueError, match="STRIDEWISE_RULES"):
        catalogue.rules_directory()


def test_check_needs_the_standard_library_only() -> None:
    code = "import sys, stridewise.catalogue; print([m for m in sys.modules if 'site-packages' in str(sys.modules[m])])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(TOP)},
    )
    assert done.stdout.strip() == "[]"


def test_assumptions_name_the_figures(rules: dict[str, Rule]) -> None:
    rule = rules["mem-power-of-two-stride"]
    text = rule.assumptions()
    assert text.startswith("cache lines of 64 bytes, a first level of 32 KiB with 8 lines per set")
    assert "defaults" in text
    changed = rule.assumptions({"level1_bytes": 49152.0})
    assert "a first level of 48 KiB" in changed
    assert changed.endswith(": as configured")
    assert "defaults" in rule.assumptions({"confirm_ratio": 2.0})  # not one of these figures
    assert rules["mpi-tiny-messages"].assumptions() == ""


def test_every_assumption_can_be_told(rules: dict[str, Rule]) -> None:
    named = [rule for rule in rules.values() if rule.assumes]
    assert named
    assert all("{" not in rule.assumptions() and "static" in rule.detectors for rule in named)


def test_a_variant_is_filled_and_an_unknown_one_refused(rules: dict[str, catalogue.Rule]) -> None:
    rule = rules["mpi-send-recv-chain"]
    assert rule.variant("ring", exchange="swap").startswith("swap; as it is")
    with pytest.raises(KeyError, match="mpi-send-recv-chain has no variant 'none'"):
        rule.variant("none")
