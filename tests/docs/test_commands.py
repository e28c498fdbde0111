"""Command lines and options that the documentation names exist: each is parsed by the real parser, none is run."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import command_reference
import markdown_text
import pytest

from stridewise import catalogue, cli

TOP = Path(__file__).resolve().parents[2]
PAGES = [
    TOP / "README.md",
    TOP / "CONTRIBUTING.md",
    *sorted((TOP / "docs").rglob("*.md")),
    *sorted((TOP / "rules").glob("*/doc.md")),
]
# Options of other programs that pages name without the program in front.
FOREIGN = {
    "--bind-to": "mpirun",
    "--calls-only": "benchmarks/mpi_overhead.py",
    "--cap-add": "docker",
    "--dump": "stridewise-analyze",
    "--env": "apptainer",
    "--export": "srun",
    "--ldflags": "llvm-config",
    "--link": "stridewise-analyze",
    "--map-by": "mpirun",
    "--no-openmp": "stridewise-analyze",
    "--prtemca": "mpirun",
    "--rankfile": "mpirun",
    "--rule-seconds": "stridewise-analyze",
    "--runtime-options": "mpirun",
    "--seed": "the property tests",
    "--toggle-collect": "callgrind",
    "--unity": "meson",
    "--without": "stridewise-analyze",
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
_ENDS = {"|", "||", "&&", ";", "&", ")", "}"}
_BEFORE = {"$", "(", "{", "!", "then", "do", "else", "time", "exec"}


def command_lines(text: str) -> Iterator[str]:
    """Each line of a code block in which `stridewise` is the command, continuation lines joined."""
    for block in markdown_text.code_blocks(text):
        if block.language in ("", "sh", "bash", "console", "shell", "yaml", "dockerfile", "make"):
            yield from (line for line in block.text.replace("\\\n", " ").splitlines() if "stridewise " in line)


def commands(line: str) -> Iterator[list[str]]:
    """The words of each `stridewise …` command of a shell line, up to `--` or to what ends the command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;()<>")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # an apostrophe in running text
        return
    for number, word in enumerate(words):
        before = [w for w in words[:number] if not _ASSIGNMENT.fullmatch(w)]
        if word != "stridewise" or (before and before[-1] not in _ENDS | _BEFORE and not before[-1].endswith(":")):
            continue
        found: list[str] = []
        rest = iter(words[number + 1 :])
        for argument in rest:
            if argument in _ENDS or argument == "--":
                break
            if re.fullmatch(r"[0-9&]*[<>]+[&|]?", argument):
                if found and found[-1].isdigit():
                    found.pop()
                next(rest, None)
                continue
            found.append(argument)
        yield found


def refused(words: list[str]) -> str:
    """Why the parser refuses the words; empty where it takes them."""
    if not words or words[0] in ("COMMAND", "…", "·"):  # any of them; the head of a report
        return ""
    try:
        cli.parser().parse_args([word for word in words if word != "…"])
    except SystemExit as end:
        return "" if end.code == 0 else f"refused: stridewise {shlex.join(words)}"
    except argparse.ArgumentError as error:
        return str(error)
    return ""


def inline_commands(text: str) -> Iterator[list[str]]:
    """Commands named in running text; placeholders and dots may stand in them."""
    for code in markdown_text.inline_code(text):
        if code.startswith("stridewise ") and "|" not in code:
            yield from commands(code)


@pytest.fixture(scope="module")
def options() -> set[str]:
    found = {name for action in cli.parser()._actions for name in action.option_strings}
    for _, command in command_reference.commands(cli.parser()):
        found |= {name for action in command._actions for name in action.option_strings}
    return found


def identify(path: Path) -> str:
    return str(path.relative_to(TOP))


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_command_lines_are_accepted(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = page.read_text(encoding="utf-8")
    found = [words for line in command_lines(text) for words in commands(line)] + list(inline_commands(text))
    wrong = [why for words in found if (why := refused(words))]
    assert not wrong, capsys.readouterr().err


def test_examples_of_the_help_are_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    text = command_reference.page(cli.parser())
    found = [words for line in command_lines(text) for words in commands(line)]
    assert len(found) > 50
    wrong = [why for words in found if words[:1] != ["COMMAND"] and (why := refused(words))]
    assert not wrong, capsys.readouterr().err


def test_reference_has_every_option(options: set[str]) -> None:
    text = command_reference.page(cli.parser())
    assert not [name for name in options - {"-h", "--help", "--version"} if f"`{name}" not in text]


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_options_exist(page: Path, options: set[str]) -> None:
    codes = [code for code in markdown_text.inline_code(page.read_text(encoding="utf-8")) if code.startswith("--")]
    names = {match for code in codes for match in re.findall(r"(?<![\w-])--[a-z][\w-]*", code)}
    assert names <= options | set(FOREIGN)


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_rules_exist(page: Path) -> None:
    families = {"mem", "omp", "mpi", "build", "run", "io"}
    slugs = set(catalogue.load()) | {"mem-example"}  # the page on adding a rule makes that one up
    named = {
        code.removeprefix("stridewise-")
        for code in markdown_text.inline_code(page.read_text(encoding="utf-8"))
        if re.fullmatch(r"(stridewise-)?[a-z]+(-[a-z]+)+", code)
        and code.removeprefix("stridewise-").split("-")[0] in families
    }
    assert {name for name in named if name not in slugs | {"build-dir", "run-time"}} == set()


def test_enough_is_looked_at() -> None:
    lines = [
        words for page in PAGES for line in command_lines(page.read_text(encoding="utf-8")) for words in commands(line)
    ]
    assert len(lines) > 60
    assert {words[0] for words in lines if words} >= {"lint", "run", "report", "capture", "explain", "calibrate"}


@pytest.mark.parametrize(
    "line",
    [
        "stridewise lint --no-such-option",
        "cd x && stridewise lnt",
        "stridewise run --cache --ranks -- ./app",
        "FOO=1 stridewise report --lint",
        "$ stridewise lint --format yaml | tail",
    ],
)
def test_wrong_commands_are_noticed(line: str) -> None:
    found = list(commands(line))
    assert len(found) == 1
    assert refused(found[0])


@pytest.mark.parametrize(
    "line",
    [
        "stridewise lint | tail -n 1",
        "stridewise run -o a -- mpirun -n 4 ./app --no-such-option >out 2>&1",
        "stridewise calibrate --format json > costs.json",
        "    stridewise rules  # all of them; stridewise is quick",
        "stridewise lint --baseline known.json --fail-on warning; echo $?",
    ],
)
def test_right_commands_are_accepted(line: str) -> None:
    found = list(commands(line))
    assert found
    assert not any(map(refused, found))
