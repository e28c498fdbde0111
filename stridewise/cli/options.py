"""What the commands share: how one is added, errors in the product's style, the options of every report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise.console import complain
from stridewise.errors import Failure
from stridewise.finding import Confidence, Severity
from stridewise.render import FORMATS

UNABLE = 2
EXIT = (
    "exit status: 0 clean or advisory, 1 a finding at or above --fail-on (low confidence never counts),\n"
    "2 some of the work could not be done"
)
LEVELS = tuple(level.value for level in Severity)
CONFIDENCES = tuple(level.value for level in Confidence)


class Parser(argparse.ArgumentParser):
    """Errors in the product's own style."""

    def error(self, message: str) -> None:  # type: ignore[override]
        complain(f"{message}; see {self.prog} --help")
        sys.exit(UNABLE)


Commands = argparse._SubParsersAction


@dataclass(frozen=True, slots=True)
class Line:
    """A command line: its options, the words after `--` (None without one), all its words, and who parsed it."""

    options: argparse.Namespace
    after: tuple[str, ...] | None
    words: tuple[str, ...]
    parser: argparse.ArgumentParser


Action = Callable[[Line], int]


def add(
    commands: Commands[Parser], name: str, purpose: str, action: Action, examples: Sequence[str], more: str = ""
) -> Parser:
    """A command whose `action` returns the exit status. `more` stands below the examples of its help."""
    text = "examples:\n" + "\n".join(f"  stridewise {example}" for example in examples)
    parser = commands.add_parser(
        name,
        help=purpose,
        description=purpose[0].upper() + purpose[1:] + ".",
        epilog=text + (f"\n\n{more}" if more else ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(action=action, takes_words=False)
    return parser


def add_output(parser: argparse.ArgumentParser, output: bool = True) -> None:
    parser.add_argument("--format", choices=FORMATS, default="text", help=f"{', '.join(FORMATS)} (default: text)")
    if output:
        parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write the report to FILE")
    parser.add_argument(
        "--fail-on", metavar="LEVEL", choices=LEVELS, help="exit with 1 from this severity on: info, warning, error"
    )
    parser.add_argument(
        "--min-confidence",
        metavar="LEVEL",
        choices=CONFIDENCES,
        help="report findings from this confidence on: low, medium, high (default: medium)",
    )
    parser.add_argument("--no-config", action="store_true", help="read no .stridewise.toml")
    parser.add_argument(
        "--path-map",
        metavar="FROM=TO",
        action="append",
        default=[],
        help="what was built or run below FROM is below TO now; may be repeated (docs/howto/path-maps.md)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="every finding by itself: those of low confidence, and not only the most valuable",
    )
    parser.add_argument(
        "--brief", action="store_true", help="the verdict alone: where the time went, and what to do first"
    )
    parser.add_argument(
        "--ungroup", action="store_true", help="each place by itself, also where one cause has several places"
    )


def brief(options: argparse.Namespace) -> bool:
    """Raises Failure with a format that has no verdict to show alone."""
    if options.brief and options.format != "text":
        raise Failure(f"--brief is of the text report; leave out --format {options.format}")
    return bool(options.brief)


def level(options: argparse.Namespace) -> Severity | None:
    return Severity(options.fail_on) if options.fail_on else None


def least(options: argparse.Namespace) -> Confidence | None:
    return Confidence(options.min_confidence) if options.min_confidence else None


def watched(line: Line, name: str, example: str) -> tuple[str, ...]:
    """The command after `--`. Raises Failure without one."""
    if not line.after:
        raise Failure(f"no command given; write it after '--': stridewise {name} -- {example}")
    return line.after


def first_operand(parser: argparse.ArgumentParser, words: Sequence[str]) -> int | None:
    """Where the first word stands that is neither an option nor an option's value; None without one."""
    table = parser._option_string_actions
    position = 0
    while position < len(words):
        word = words[position]
        if not word.startswith("-") or word == "-":
            return position
        actions = [table[word]] if word in table else [a for name, a in table.items() if name.startswith(word)]
        if not actions and len(word) > 2 and word[:2] in table:
            actions = [table[word[:2]]] if table[word[:2]].nargs == 0 else []  # a value that is joined to its option
        elif not actions and "=" not in word:
            return None  # no option of ours: the parser says so
        position += 2 if actions and actions[0].nargs != 0 else 1  # with "=", or joined, the value is in the word
    return None


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value
