"""`stridewise config`: its options."""

from __future__ import annotations

from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "config",
        "what .stridewise.toml says for a file, and where each value comes from",
        _run,
        ["config src/solver.c", "config --all .                         # with every threshold"],
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a source file or a folder")
    parser.add_argument("--all", action="store_true", help="the thresholds that nobody changed too")


def _run(line: Line) -> int:
    from stridewise.settings import show as settings

    return settings.show(line.options.file, line.options.all)
