"""What a command executes, by strace."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(
    r"^(?P<pid>\d+)\s+execve(?:at)?\((?P<words>.*?)(?:, 0x[0-9a-f]+ /\*.*)?\)\s+= (?P<result>-?\d+)", re.DOTALL
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CHILD = re.compile(r"^(?P<pid>\d+)\s+(?:clone3?|v?fork)\(.*\)\s+= (?P<child>\d+)")


@dataclass(frozen=True)
class Execution:
    """A program that was executed, or tried to be; `parents` are the programs that led to it, nearest first."""

    program: str
    arguments: tuple[str, ...]
    parents: tuple[str, ...]
    succeeded: bool


def _text(literal: str) -> str:
    value = ast.literal_eval(f"b{literal}")
    assert isinstance(value, bytes)
    return os.fsdecode(value)


def trace(words: Sequence[str], folder: Path, log: Path, environment: Mapping[str, str]) -> tuple[int, list[Execution]]:
    """The exit status of `python -m stridewise WORDS` and all that it executed."""
    log.mkdir()
    done = subprocess.run(
        ["strace", "-f", "-qq", "-s", "65536", "-e", "trace=execve,execveat,clone,clone3,fork,vfork", "-o", log / "all",
         sys.executable, "-m", "stridewise", *words],
        cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    found = read((log / "all").read_text(encoding="utf-8", errors="surrogateescape"))
    assert found, done.stderr.decode(errors="replace")
    return done.returncode, found


def read(text: str) -> list[Execution]:
    """The executions of a log; calls that another process interrupts stand in two lines there."""
    found: list[Execution] = []
    running: dict[str, tuple[str, ...]] = {}  # programs of a process, the present one first
    begun: dict[str, str] = {}
    for line in text.splitlines():
        pid = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            begun[pid] = line.removesuffix("<unfinished ...>").rstrip()
            continue
        if resumed := re.match(r"^\d+\s+<\.\.\. \w+ resumed>(.*)$", line):
            line = begun.pop(pid, "") + resumed[1]  # noqa: PLW2901 - the whole of it
        if child := _CHILD.match(line):
            running.setdefault(child["child"], running.get(pid, ()))
        if match := _LINE.match(line):
            strings = [_text(s) for s in _STRING.findall(match["words"])]
            before = running.get(pid, ())
            succeeded = match["result"] == "0"
            found.append(Execution(strings[0], tuple(strings[2:]), before, succeeded))
            if succeeded:
                running[pid] = (strings[0], *before)
    return found
