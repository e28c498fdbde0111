"""What depends on the terminal: colour, progress, and making foreign text harmless."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
LEAST_COLUMNS, MOST_COLUMNS = 80, 200

before_word: Callable[[], None] | None = None  # makes room on the terminal, where something is drawn (steps.py)


def wants_colour(stream: TextIO) -> bool:
    """Colour only on a terminal, never with NO_COLOR set (https://no-color.org) or TERM=dumb."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Painter:
    """Adds colour, or leaves text as it is."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled

    def __call__(self, text: str, *styles: str) -> str:
        if not self.enabled or not styles or not text:
            return text
        codes = ";".join(_STYLES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"


def harmless(text: str) -> str:
    """Foreign text (paths, source lines, names) with every control, format and surrogate character made visible.

    Source files and paths can hold terminal escapes and bidirectional overrides. Tabs become one blank, so that
    columns keep their places.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    if char == "\t":
        return " "
    if char.isprintable():
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def columns() -> int | None:
    """Of the terminal that standard output is, from 80 to 200; None where it is none."""
    if not sys.stdout.isatty():
        return None
    try:
        named = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        named = 0
    if named <= 0:
        try:
            named = os.get_terminal_size(sys.stdout.fileno()).columns
        except OSError:
            named = 0
    return min(max(named, LEAST_COLUMNS), MOST_COLUMNS)


def complain(text: str) -> None:
    """An error for the person, on standard error."""
    _make_room()
    paint = Painter(wants_colour(sys.stderr))
    print(f"{paint('error:', 'red', 'bold')} {harmless(text)}", file=sys.stderr)


def remark(text: str) -> None:
    """A note for the person, on standard error."""
    _make_room()
    paint = Painter(wants_colour(sys.stderr))
    print(f"{paint('note:', 'cyan')} {harmless(text)}", file=sys.stderr)


def _make_room() -> None:
    if before_word is not None:
        before_word()


class Progress:
    """One line that counts up on a terminal; silent elsewhere. Use as a context manager."""

    _INTERVAL_SECONDS = 0.1

    def __init__(self, label: str, total: int, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._label, self._total, self._done = label, total, 0
        self._shown = self._stream.isatty()
        self._next = 0.0

    def __enter__(self) -> Progress:
        return self

    def step(self, what: str) -> None:
        """One more is done; `what` names it."""
        self._done += 1
        now = time.monotonic()
        if self._shown and now >= self._next:
            self._next = now + self._INTERVAL_SECONDS
            line = f"{self._label} {self._done}/{self._total} {harmless(what)}"
            self._stream.write("\r\x1b[2K" + line[: _columns() - 1])
            self._stream.flush()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80
