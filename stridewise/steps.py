"""What the person at a terminal sees while a program is watched: how long it has been, which step, and what that step
tells of itself (ranks that are alive).

While the program runs it writes to the same terminal, so the last row is taken out of what scrolls and the state is
drawn there, as package managers do; afterwards it is one line that goes away. Short work shows nothing, and so does
work without a terminal.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from stridewise import console

_FIRST_SECONDS, _INTERVAL_SECONDS = 1.0, 0.5
_LEAST_ROWS = 5  # of a terminal of which one can be spared

Look = Callable[[], str]


def _nothing() -> str:
    return ""


class _Steps:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begin = time.monotonic()
        self._name, self._look, self._foot = "", _nothing, False
        self._rows = 0  # of the terminal that the foot is taken from, 0 without one
        self._drawn = False
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="steps", daemon=True)
        self._thread.start()

    def step(self, name: str, look: Look, foot: bool) -> None:
        with self._lock:
            if self._foot and not foot:
                self.clear()
            self._name, self._look, self._foot = name, look, foot
            if self._drawn:
                self._draw()

    def end(self) -> None:
        self._over.set()
        self._thread.join()
        self.clear()

    def clear(self) -> None:
        """The terminal as it was; the next moment draws anew."""
        with self._lock:
            if self._rows:
                self._write(f"\x1b7\x1b[{self._rows};1H\x1b[2K\x1b[r\x1b8")
                self._rows = 0
            elif self._drawn:
                self._write("\r\x1b[2K")
            self._drawn = False

    def _keep(self) -> None:
        wait = _FIRST_SECONDS
        while not self._over.wait(wait):
            wait = _INTERVAL_SECONDS
            with self._lock:
                if not self._over.is_set():
                    self._draw()

    def _draw(self) -> None:
        try:
            size = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            size = os.terminal_size((console.LEAST_COLUMNS, 0))
        columns = size.columns or console.LEAST_COLUMNS
        parts = [f"stridewise {_clock(time.monotonic() - self._begin)}", self._name, self._look()]
        text = console.harmless(", ".join(filter(None, parts)))[: columns - 1]
        painted = console.Painter(console.wants_colour(self._stream))(text, "dim")
        if not self._foot:
            self._write("\r\x1b[2K" + painted)
        elif size.lines >= _LEAST_ROWS:
            if size.lines != self._rows:
                # A new line makes room where the cursor is in the last row, and is taken back.
                self._rows = size.lines
                self._write(f"\n\x1b7\x1b[1;{size.lines - 1}r\x1b8\x1b[1A")
            self._write(f"\x1b7\x1b[{size.lines};1H\x1b[2K{painted}\x1b8")
        self._drawn = True

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal has gone
            self._over.set()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


_current: list[_Steps] = []  # at most one


@contextmanager
def shown(wanted: bool, stream: TextIO | None = None) -> Iterator[None]:
    """Within, `step` is shown if that is wanted and standard error is a terminal that can move its cursor."""
    stream = stream if stream is not None else sys.stderr
    if not wanted or not stream.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    _current.append(_Steps(stream))
    console.before_word = _current[0].clear
    try:
        yield
    finally:
        end()


def step(name: str, look: Look = _nothing, foot: bool = False) -> None:
    """What is done from now on. `look` is asked now and then for more; `foot`: others write to the terminal, too."""
    for one in _current:
        one.step(name, look, foot)


def end() -> None:
    """Nothing more is shown: the report follows."""
    console.before_word = None
    while _current:
        _current.pop().end()
