"""The command line: a module here for the options of each command; what it does is in the module that one names."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module

from stridewise import __version__
from stridewise.catalogue import CatalogueError
from stridewise.cli.options import UNABLE, Commands, Line, Parser, first_operand
from stridewise.console import complain
from stridewise.errors import Failure

# In the order of the help. A module that is not called as its command is beside it.
_COMMANDS = {
    "lint": "lint",
    "run": "run",
    "report": "report",
    "diff": "diff",
    "export": "export",
    "import": "import_trace",
    "next": "next",
    "improve": "improve",
    "scale": "scale",
    "budget": "budget",
    "check": "check",
    "capture": "capture",
    "explain": "explain",
    "config": "config",
    "review": "review",
    "calibrate": "calibrate",
    "lsp": "lsp",
    "mcp": "mcp",
    "doctor": "doctor",
    "dev": "dev",
    "completion": "completion",
    "version": "version",
}
_SHOW_ALL = ("completion",)  # commands that speak of the others

_PURPOSE = {"run": "watch", "capture": "record"}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status of DESIGN: 0, 1, 2, or the observed command's own."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _dispatch(words)
        sys.stdout.flush()  # here, where a reader that went away is no crash, not at the interpreter's exit
        return status
    except (Failure, CatalogueError) as error:
        complain(str(error))
        return UNABLE
    except BrokenPipeError:
        # The reader (head, less) went away: nothing more to say, and nothing to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNABLE
    except KeyboardInterrupt:
        complain("interrupted")
        return 128 + 2


def _dispatch(words: Sequence[str]) -> int:
    before, after = _split(words)
    if after is None and words and words[0] in ("run", "capture"):
        _want_dashes(words)
    whole = parser(words[0] if words and words[0] in _COMMANDS and words[0] not in _SHOW_ALL else None)
    options = whole.parse_args(before)
    if after is not None and not options.takes_words:
        raise Failure(f"'{options.command}' takes nothing after '--'; see stridewise {options.command} --help")
    status: int = options.action(Line(options, after, tuple(words), whole))
    return status


def _want_dashes(words: Sequence[str]) -> None:
    """Raises Failure that shows the line as it must be, where a program's command stands without `--` before it."""
    at = first_operand(subparser(words[0]), words[1:])
    if at is not None:
        options, command = words[: at + 1], words[at + 1 :]
        line = f"stridewise {shlex.join(options)} -- {shlex.join(command)}"
        raise Failure(f"the command to {_PURPOSE[words[0]]} must stand behind '--': {line}")


def subparser(name: str) -> argparse.ArgumentParser:
    """Of one command."""
    parser = Parser(prog="stridewise")
    commands = parser.add_subparsers(parser_class=Parser)
    _register(name, commands)
    found: argparse.ArgumentParser = commands.choices[name]
    return found


def _register(name: str, commands: Commands[Parser]) -> None:
    import_module(f"{__name__}.{_COMMANDS[name]}").register(commands)


def _split(words: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...] | None]:
    """The words before the first `--`, and those after it (None without one)."""
    if "--" not in words:
        return words, None
    position = words.index("--")
    return words[:position], tuple(words[position + 1 :])


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """All commands, or one; the manual page and the shells' completions are made of it."""
    parser = Parser(
        prog="stridewise",
        description="A performance advisor for HPC code: reads the source, watches the run, says what to change.",
        epilog="Most used: stridewise lint · stridewise run -- mpirun -n 4 ./app · stridewise explain RULE",
    )
    parser.add_argument("--version", action="version", version=f"stridewise {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name in _COMMANDS if only is None else (only,):
        _register(name, commands)
    return parser
