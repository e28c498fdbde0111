"""What `stridewise run` shows on a terminal while the program runs, and that it leaves the terminal as it was."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import BUILD, Mpi
from shards import REPOSITORY

from mpi_launch import LAUNCH

ROWS, COLUMNS = 24, 100
_SEQUENCE = re.compile(r"\x1b(?:\[([0-9;]*)([A-Za-z])|([78]))")


class Screen:
    """As much of a terminal as the command and a plain program need."""

    def __init__(self) -> None:
        self.cells = [""] * ROWS
        self.row = self.saved = 0
        self.top, self.bottom = 0, ROWS - 1
        self.feet: list[str] = []

    def feed(self, text: str) -> None:
        at = 0
        while at < len(text):
            if found := _SEQUENCE.match(text, at):
                self._order(found)
                at = found.end()
                continue
            assert text[at] != "\x1b", f"unknown sequence {text[at : at + 8]!r}"
            if text[at] == "\n":
                self._down()
            elif text[at] == "\r":
                pass
            else:
                self.cells[self.row] += text[at]
                if self.row == ROWS - 1 and self.bottom < ROWS - 1:
                    self.feet.append(self.cells[self.row])
            at += 1

    def _down(self) -> None:
        if self.row == self.bottom:
            del self.cells[self.top]
            self.cells.insert(self.bottom, "")
        elif self.row < ROWS - 1:
            self.row += 1
            self.cells[self.row] = ""

    def _order(self, found: re.Match[str]) -> None:
        numbers = [int(n) for n in (found[1] or "").split(";") if n]
        match found[2] or found[3]:
            case "7":
                self.saved = self.row
            case "8":
                self.row = self.saved
            case "H":
                self.row = numbers[0] - 1
            case "K":
                self.cells[self.row] = ""
            case "A":
                self.row = max(self.top, self.row - 1)
            case "r":
                self.top, self.bottom = (numbers[0] - 1, numbers[1] - 1) if numbers else (0, ROWS - 1)
                self.row = 0
            case "m":
                pass
            case other:
                raise AssertionError(f"an order of another kind: {other}")


@pytest.fixture
def command(built: Callable[[str], Mpi], tmp_path: Path) -> list[str]:
    program = built("openmpi").compile("steady.c")
    return ["-o", str(tmp_path / "out"), "--no-config", "--", "mpirun.openmpi", "-n", "2", str(program), "30"]


def start(words: list[str], terminal: str) -> tuple[int, str]:
    """The command on a terminal of its own: exit status, and everything that it and the program wrote there."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    settings = {**os.environ, **LAUNCH, "TERM": terminal, "NO_COLOR": "1"}
    settings |= {"STRIDEWISE_BUILD": str(BUILD), "PYTHONPATH": str(REPOSITORY)}
    settings.pop("COLUMNS", None)
    whole = [sys.executable, "-m", "stridewise", *words]
    with subprocess.Popen(whole, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=settings) as process:
        os.close(slave)
        out = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        os.close(master)
        return process.wait(120), out.decode()


def test_the_last_row_tells_how_the_run_goes(command: list[str]) -> None:
    status, text = start(["run", *command], "xterm")
    screen = Screen()
    screen.feed(text)
    assert status == 0
    feet = "\n".join(screen.feet)
    assert re.search(r"stridewise 0:0[1-4], watching MPI, 2 of 2 ranks alive, \d+ calls of MPI", feet)
    assert all(len(foot) < COLUMNS for foot in screen.feet)
    # Nothing of it is left, and all rows scroll again.
    assert (screen.top, screen.bottom) == (0, ROWS - 1)
    assert not any("ranks alive" in row for row in screen.cells)
    assert text.rindex("\x1b[r") > text.rindex("ranks alive")
    # The program's own lines are whole.
    assert [f"step {i}" for i in range(30)] == re.findall(r"(?m)step \d+(?=\r?$)", text)


@pytest.mark.parametrize(("words", "terminal"), [(["run", "--quiet"], "xterm"), (["run"], "dumb")])
def test_nothing_is_drawn(command: list[str], words: list[str], terminal: str) -> None:
    status, text = start([*words, *command], terminal)
    assert status == 0
    assert "\x1b" not in text
    assert "ranks alive" not in text


def test_nothing_without_a_terminal(command: list[str]) -> None:
    settings = {**os.environ, **LAUNCH, "TERM": "xterm", "STRIDEWISE_BUILD": str(BUILD), "PYTHONPATH": str(REPOSITORY)}
    whole = [sys.executable, "-m", "stridewise", "run", *command]
    done = subprocess.run(whole, env=settings, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert "ranks alive" not in done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr
