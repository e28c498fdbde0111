"""stridewise completion: a script that makes a shell complete commands, options, files and rules."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stridewise import catalogue
from stridewise.errors import Failure
from stridewise.settings import toolchain

# Where each shell looks for the script of a command below share/ of an installation; tcsh looks nowhere.
PLACES = {
    "bash": "bash-completion/completions/stridewise",
    "zsh": "zsh/site-functions/_stridewise",
    "fish": "fish/vendor_completions.d/stridewise.fish",
    "tcsh": "stridewise/completions/stridewise.tcsh",
}
_FOLDERS = frozenset({"BUILD", "DIR", "FOLDER"})
_FILES = frozenset({"FILE", "PATH", "PATHS"})


def show(shell: str, parser: argparse.ArgumentParser) -> int:
    """Prints the script: made now where shtab is installed, else the one that was made for the installation."""
    try:
        text = script(shell, parser)
    except ImportError:
        text = _installed(shell)
    print(text, end="")
    return 0


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script for a shell; ImportError without an shtab that knows it."""
    import shtab

    if shell not in shtab.SUPPORTED_SHELLS:
        raise ImportError(f"shtab {shtab.__version__} does not know {shell}")
    parser = copy.deepcopy(parser)
    rules = tuple(catalogue.load())
    for action in _actions(parser):
        names = set(action.metavar if isinstance(action.metavar, tuple) else (action.metavar or "",))
        if action.choices is None and names & {"SLUG", "RULE"}:
            action.choices = rules
        elif names & _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif names & _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell)).rstrip("\n") + "\n"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            commands: Any = action.choices
            for command in dict.fromkeys(commands.values()):
                yield from _actions(command)
        else:
            yield action


def _installed(shell: str) -> str:
    for folder in toolchain.shared_folders():
        path = Path(folder) / PLACES[shell]
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise Failure(
        f"no completion for {shell}: it was not made when Stridewise was built; install shtab (pip install shtab) for "
        "the Python that runs stridewise"
    )
