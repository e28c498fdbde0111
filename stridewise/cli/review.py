"""`stridewise review`: its options are in stridewise/review/command.py."""

from __future__ import annotations

from stridewise.cli.options import Commands, Line, Parser, add
from stridewise.review import command


def register(commands: Commands[Parser]) -> None:
    purpose = "what a change costs, on its lines"
    command.add_options(add(commands, "review", purpose, _run, command.EXAMPLES, command.EXIT))


def _run(line: Line) -> int:
    return command.run(line.options)
