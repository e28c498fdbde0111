"""What the user asked for, and what is found where nothing was said."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stridewise.errors import Failure

Command = tuple[str, ...]
FOLDER = "stridewise-improve"


@dataclass(frozen=True)
class Settings:
    """`project` is the folder whose copy is worked on, `here` the one of the commands in it (relative to `project`).

    `check` ends with 0 where the result of the run before it is right. `tolerance` is the relative difference that
    numbers of the results may have. `minutes` ends the whole; `round_seconds` is what the rounds of one measurement
    may take together.
    """

    project: Path
    here: Path
    build: tuple[Command, ...]
    run: Command
    folder: Path
    check: Command = ()
    tolerance: float = 1e-9
    steps: int = 30
    minutes: float = 60.0
    round_seconds: float = 60.0
    unsafe: bool = True
    only: tuple[str, ...] = ()
    patches: tuple[Path, ...] = ()
    limit_seconds: float = 3600.0

    def key(self) -> dict[str, Any]:
        """What must be the same for a stopped improvement to go on."""
        return {
            "project": str(self.project),
            "here": str(self.here),
            "build": [list(words) for words in self.build],
            "run": list(self.run),
            "check": list(self.check),
            "tolerance": self.tolerance,
            "patches": [str(path) for path in self.patches],
        }


def words(text: str, option: str) -> Command:
    """The words of a command that was given as one argument; no shell looks at it."""
    try:
        found = tuple(shlex.split(text))
    except ValueError as error:
        raise Failure(f"{option} '{text}': {error}") from error
    if not found:
        raise Failure(f"{option} is empty; give a command")
    shell = {"&&", "||", ";", "|", ">", "<", ">>", "&"} & set(found)
    if shell:
        sign = min(shell)
        raise Failure(
            f"{option} '{text}' is run without a shell, which alone knows '{sign}'; give a script, or repeat {option}"
        )
    return found


def build_commands(folder: Path, given: Sequence[str]) -> tuple[Command, ...]:
    """The commands that build the program, as given or found by the files of the folder."""
    if given:
        return tuple(words(text, "--build") for text in given)
    if (folder / "CMakeLists.txt").is_file():
        return (("cmake", "-S", ".", "-B", "build"), ("cmake", "--build", "build"))
    if any((folder / name).is_file() for name in ("GNUmakefile", "makefile", "Makefile")):
        return (("make",),)
    raise Failure(
        f"{folder} has no Makefile and no CMakeLists.txt; say how the program is built: --build 'make -C src'"
    )
