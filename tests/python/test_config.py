from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stridewise.catalogue import Rule
from stridewise.cli import main
from stridewise.errors import Failure
from stridewise.finding import Confidence, Severity
from stridewise.finding.quantities import parse_quantity
from stridewise.settings.config import Configs, matches_rules, refined

Make = Callable[..., Path]


def write(folder: Path, text: str, name: str = ".stridewise.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_without_files_all_is_default(tmp_path: Path, rules: dict[str, Rule]) -> None:
    config = Configs(rules).of_file(tmp_path / "a.c")
    assert config.analyzer_options == ()
    assert (config.rules, config.exclude, config.fail_on, config.thresholds) == ((), (), None, {})


def test_the_closest_file_wins_setting_by_setting(tmp_path: Path, rules: dict[str, Rule]) -> None:
    write(
        tmp_path,
        'root = true\nrules = ["mem-*"]\nfail-on = "error"\nmin-confidence = "high"\n'
        "[thresholds.mpi-tiny-messages]\nmax_element_bytes = 100\nmin_burst_messages = 9\n",
    )
    write(
        tmp_path / "a" / "b",
        'rules = ["-mem-struct-padding"]\nfail-on = "never"\n[thresholds.mpi-tiny-messages]\n'
        'max_element_bytes = "2 KiB"\n',
    )
    config = Configs(rules).of_file(tmp_path / "a" / "b" / "c" / "x.c")
    assert config.rules == ("mem-*", "-mem-struct-padding")
    assert config.fail_on is None
    assert config.min_confidence is Confidence.HIGH
    assert config.analyzer_options == (
        "--threshold=mpi-tiny-messages.max_element_bytes=2048.0",
        "--threshold=mpi-tiny-messages.min_burst_messages=9.0",
    )
    assert [path.parent.name for path in config.files] == ["b", tmp_path.name]
    assert Configs(rules).of_file(tmp_path / "x.c").fail_on is Severity.ERROR


def test_root_ends_the_search(tmp_path: Path, rules: dict[str, Rule]) -> None:
    write(tmp_path, 'fail-on = "info"\n')
    write(tmp_path / "inner", "root = true\n")
    assert Configs(rules).of_file(tmp_path / "inner" / "x.c").fail_on is None
    assert Configs(rules, enabled=False).of_file(tmp_path / "x.c").fail_on is None


def test_rule_lists_refine_or_replace() -> None:
    assert refined(("mem-*",), ("-mem-a",)) == ("mem-*", "-mem-a")
    assert refined(("mem-*",), ("omp-*",)) == ("omp-*",)
    assert refined(("mem-*",), ()) == ("mem-*",)
    assert matches_rules((), "x")
    assert matches_rules(("-mem-*",), "omp-a")
    assert not matches_rules(("mem-*", "-mem-a"), "mem-a")


@pytest.mark.parametrize(
    ("pattern", "covered", "kept"),
    [
        ("third_party", ["third_party/a.c", "src/third_party/b/a.c"], ["src/third_party.c"]),
        ("third_party/", ["third_party/a.c"], []),
        ("*.gen.c", ["a.gen.c", "deep/er/b.gen.c"], ["gen.c"]),
        ("src/*/old", ["src/x/old/a.c"], ["src/x/y/old/a.c", "x/src/x/old/a.c"]),
        ("src/**/old.c", ["src/old.c", "src/x/y/old.c"], ["src/x/new.c"]),
        ("/top.c", ["top.c"], ["x/top.c"]),
        ("a[1].c", [], ["a.c"]),
    ],
)
def test_exclusions(tmp_path: Path, rules: dict[str, Rule], pattern: str, covered: list[str], kept: list[str]) -> None:
    write(tmp_path, f"root = true\nexclude = [{json.dumps(pattern)}]\n")
    config = Configs(rules).of_file(tmp_path / "x.c")
    assert [name for name in [*covered, *kept] if config.excludes(tmp_path / name)] == covered
    assert not config.excludes(Path("/elsewhere/third_party/a.c"))


@pytest.mark.parametrize(
    ("value", "unit", "number"),
    [
        (7, "messages", 7),
        ("7", "messages", 7),
        ("7 messages", "messages", 7),
        ("1 message", "messages", 1),
        ("64 KiB", "bytes", 65536),
        ("64 KiB", "bytes per message", 65536),
        ("64 KiB per message", "bytes per message", 65536),
        ("1.5kB", "bytes", 1500),
        ("2 ms", "seconds", 0.002),
        ("2 ms", "microseconds", 2000),
        ("0.5 %", "share of the run's wall time", 0.005),
        ("5 %", "percent of the record", 5),
        (1.5, "cost now / cost after the exchange", 1.5),
    ],
)
def test_thresholds_have_units(value: object, unit: str, number: float) -> None:
    assert parse_quantity(value, unit) == pytest.approx(number)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("2 ms", "bytes"), ("64 KiB", "messages"), ("64 KiB", "seconds"), ("many", "bytes"), (-1, "bytes"),
        (True, "bytes"), ([], "bytes"), (float("nan"), "bytes"), (float("inf"), "bytes"), ("5 bytes", "percent"),
        ("64 KiB per loop", "bytes per message"),
    ],
)  # fmt: skip
def test_other_units_are_refused(value: object, unit: str) -> None:
    with pytest.raises(ValueError, match=r"must be|is in"):
        parse_quantity(value, unit)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('\nrulez = ["mem-*"]\n', 2, "unknown setting 'rulez'; did you mean rules?"),
        ("fail_on = 3\n", 1, "unknown setting 'fail_on'; did you mean fail-on?"),
        ('root = true\nrules = ["mem-struct-paddin"]\n', 2, "did you mean mem-struct-padding?"),
        ('rules = "mem-*"\n', 1, "'rules' must be a list of strings"),
        ('rules = ["-"]\n', 1, "'rules' must be a list of strings"),
        ("exclude = [3]\n", 1, "'exclude' must be a list of strings"),
        ('\n\nfail-on = "fatal"\n', 3, "'fail-on' must be one of never, info, warning, error"),
        ('min-confidence = "sure"\n', 1, "'min-confidence' must be one of low, medium, high"),
        ('root = "yes"\n', 1, "'root' must be true or false"),
        ("baseline = 3\n", 1, "'baseline' must be the name"),
        ('header-filter = "("\n', 1, "'header-filter' must be a regular expression"),
        ("[thresholds.mpi-tiny-message]\nx = 1\n", 2, "no rule 'mpi-tiny-message'; did you mean mpi-tiny-messages?"),
        ("[thresholds.mpi-tiny-messages]\nmax_element_byte = 1\n", 2, "did you mean max_element_bytes?"),
        ('[thresholds.mpi-tiny-messages]\n\nmax_element_bytes = "2 ms"\n', 3, "is in bytes per message, not in 'ms'"),
        ('thresholds.mpi-tiny-messages.max_element_bytes = "x"\n', 1, "must be a number of bytes per message"),
        ("[thresholds]\nmpi-tiny-messages = 3\n", 2, "[thresholds.mpi-tiny-messages]"),
        (
            "[thresholds.mpi-send-recv-chain]\nshort_chain = 5\n",
            2,
            "a constant of the program that uses it, no setting",
        ),
        ("thresholds = 3\n", 1, "'thresholds' must be a table"),
        ('[severity]\n"mem-*" = "huge"\n', 2, "the severity of 'mem-*' must be one of info, warning, error"),
        ('[severity]\n"nem-*" = "info"\n', 2, "no rule matches 'nem-*'"),
        ("rules = [\n", 2, ""),
        ("a = 1\na = 2\n", 2, ""),
    ],
)
def test_a_bad_file_is_named_with_its_line(
    tmp_path: Path, rules: dict[str, Rule], text: str, line: int, message: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(Failure) as error:
        Configs(rules).of_file(tmp_path / "a.c")
    assert str(error.value).startswith(f"{path}:{line}:")
    assert message in str(error.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * (2 << 20), b"[" * 5000])
def test_hostile_files(tmp_path: Path, rules: dict[str, Rule], content: bytes) -> None:
    (tmp_path / ".stridewise.toml").write_bytes(content)
    with pytest.raises(Failure, match=r"\.stridewise\.toml"):
        Configs(rules).of_file(tmp_path / "a.c")


def test_a_bad_file_ends_lint_with_2(fake_analyzer: Path, project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"a.c": "int f;\n", ".stridewise.toml": "nonsense = 1\n"})
    assert main(["lint"]) == 2
    assert ".stridewise.toml:1: unknown setting 'nonsense'" in capsys.readouterr().err
    assert main(["lint", "--no-config"]) == 0
    assert main(["lint", "--no-config", "--rules", "mem-nothing"]) == 2
    assert "--rules: no rule matches 'mem-nothing'" in capsys.readouterr().err


SLOW = "// @finding mem-struct-padding fix\nint g(void);\n// @finding mpi-tiny-messages low\nint h(void);\n"


def lint(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[tuple[str, str, str]], dict[str, int]]:
    status = main(["lint", "--format", "json", *words])
    found = json.loads(capsys.readouterr().out)
    findings = [(f["location"]["file"], f["rule"], f["severity"]) for f in found["findings"]]
    return status, sorted(findings), found["stats"]


def test_each_file_has_its_own_settings(fake_analyzer: Path, project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project(
        {
            "a/x.c": SLOW,
            "b/x.c": SLOW,
            "c/x.c": SLOW,
            "gen/x.c": SLOW,
            ".stridewise.toml": 'root = true\nexclude = ["gen"]\n',
            "a/.stridewise.toml": 'min-confidence = "low"\n[severity]\n"mem-*" = "error"\n',
            "b/.stridewise.toml": 'rules = ["-mem-*"]\nfail-on = "info"\n',
        }
    )
    status, findings, stats = lint(capsys)
    assert findings == [
        ("a/x.c", "mem-struct-padding", "error"),
        ("a/x.c", "mpi-tiny-messages", "warning"),
        ("c/x.c", "mem-struct-padding", "warning"),
    ]
    assert status == 0  # b's only finding is of low confidence
    assert (stats["files_analysed"], stats["files_excluded"]) == (3, 1)
    assert lint(capsys, "--fail-on", "error")[0] == 1
    assert lint(capsys, "--rules", "mpi-*", "--all")[1] == [
        (f"{name}/x.c", "mpi-tiny-messages", "warning") for name in "abc"
    ]


def test_the_configuration_fails_the_command(fake_analyzer: Path, project: Make) -> None:
    project({"a.c": SLOW, ".stridewise.toml": 'fail-on = "warning"\n'})
    assert main(["lint"]) == 1
    assert main(["lint", "--fail-on", "error"]) == 0


def test_the_analyser_hears_the_thresholds_of_each_unit(
    script: Callable[[str, str], Path], fake_analyzer: Path, project: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(
        {
            "a/x.c": "int f;\n",
            "b/x.c": "int f;\n",
            "a/.stridewise.toml": 'header-filter = "solver"\n[thresholds.mpi-tiny-messages]\n'
            'max_element_bytes = "4 KiB"\n',
        }
    )
    log = fake_analyzer.parent / "log"
    spy = script("spy", f'#!/bin/sh\necho "$@" >> {log}\nexec {fake_analyzer} "$@"\n')
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(spy))
    assert main(["lint"]) == 0
    calls = {("a" if "/a/x.c" in line else "b"): line for line in log.read_text().splitlines() if "--link" not in line}
    assert "--threshold=mpi-tiny-messages.max_element_bytes=4096.0 --header-filter=solver" in calls["a"]
    assert "--threshold" not in calls["b"]


def test_a_configured_baseline(fake_analyzer: Path, project: Make, capsys: pytest.CaptureFixture[str]) -> None:
    project({"src/a.c": SLOW, ".stridewise.toml": 'baseline = "known.json"\n'})
    assert main(["lint", "--no-config", "--all", "--format", "json", "-o", "known.json"]) == 0
    assert lint(capsys)[1] == []


def test_config_says_where_each_value_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, 'root = true\nfail-on = "error"\nexclude = ["gen"]\n[severity]\n"mem-*" = "info"\n')
    write(tmp_path / "src", '[thresholds.mpi-tiny-messages]\nmax_element_bytes = "2 KiB"\n')
    write(tmp_path / "src", "int f;\n", "a.c")
    assert main(["config", "src/a.c"]) == 0
    said = {line.split("  ")[0]: line.rpartition("# ")[2] for line in capsys.readouterr().out.splitlines()}
    assert said['fail-on = "error"'] == ".stridewise.toml:2"
    assert said['exclude = ["gen"]'] == ".stridewise.toml:3"
    assert said['"mem-*" = "info"'] == ".stridewise.toml:5"
    assert said['min-confidence = "medium"'] == "default"
    assert said["max_element_bytes = 2048"] == "bytes per message; src/.stridewise.toml:2, default 4096"
    assert "min_burst_messages = 8" not in said
    assert main(["config", "--all", "src"]) == 0
    assert "min_burst_messages = 8" in capsys.readouterr().out
    assert main(["config", "nowhere.c"]) == 2
