"""What the user asked for, and what is found where nothing was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stridewise.errors import Failure
from stridewise.improve.inputs import Command, Input, words

FOLDER = "stridewise-improve"


@dataclass(frozen=True)
class Settings:
    """`project` is the folder whose copy is worked on, `here` the one of the commands in it (relative to `project`).

    `inputs` are others, whose results must be the same, too; with `propose` others are looked for. `check` ends with 0
    where the result of the run before it is right. `portable`: no option binds the program to this processor.
    `tolerance` is the relative difference that numbers of the results may have. `minutes` ends the whole;
    `round_seconds` is what the rounds of one measurement may take together.
    """

    project: Path
    here: Path
    build: tuple[Command, ...]
    run: Command
    folder: Path
    inputs: tuple[Input, ...] = ()
    propose: bool = False
    check: Command = ()
    tolerance: float = 1e-9
    steps: int = 30
    minutes: float = 60.0
    round_seconds: float = 60.0
    unsafe: bool = True
    portable: bool = False
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
            "inputs": [one.title for one in self.inputs],
            "check": list(self.check),
            "tolerance": self.tolerance,
            "patches": [str(path) for path in self.patches],
        }


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
