"""Puts a rendered result on standard output or into a file."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from stridewise import ending
from stridewise.catalogue import Rule
from stridewise.console import complain, wants_colour
from stridewise.errors import Failure
from stridewise.finding.result import Result
from stridewise.render import RENDERERS


def write(result: Result, rules: Mapping[str, Rule], style: str, out: Path | None) -> str:
    """Renders in that format; a file appears whole or not at all. Returns the text."""
    if style != "text":
        for trouble in result.troubles:
            complain(f"not done: {trouble.where}: {trouble.message}")
    colour = out is None and wants_colour(sys.stdout)
    if style == "text" and out is None:
        from stridewise.render import text as page
        from stridewise.render._layout import terminal

        text = page.render(result, rules, colour, terminal())
    else:
        text = RENDERERS[style](result, rules, colour)
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_file(out, text)
    return text


def write_file(out: Path, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    try:
        if out.exists() and not out.is_file():  # /dev/stdout, a pipe
            out.write_bytes(data)
            return
        with ending.whole():
            handle, name = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            Path(name).replace(out)
    except OSError as error:
        raise Failure(f"cannot write {out}: {error.strerror or error}") from error
