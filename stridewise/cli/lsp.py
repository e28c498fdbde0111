"""`stridewise lsp`: its options are in stridewise/lsp/command.py."""

from __future__ import annotations

from stridewise.cli.options import Commands, Line, Parser, add
from stridewise.lsp import command


def register(commands: Commands[Parser]) -> None:
    purpose = "language server for editors (docs/editors.md)"
    command.add_options(add(commands, "lsp", purpose, _run, command.EXAMPLES))


def _run(line: Line) -> int:
    return command.run(line.options)
