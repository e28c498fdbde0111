"""`stridewise version`."""

from __future__ import annotations

from stridewise import __version__
from stridewise.cli.options import Commands, Line, Parser, add


def register(commands: Commands[Parser]) -> None:
    add(commands, "version", "print the version", _run, ["version"])


def _run(_line: Line) -> int:
    print(f"stridewise {__version__}")
    return 0
