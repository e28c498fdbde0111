"""An MPI run for other people's viewers. Each module of this package is the format of its name: it writes what each
rank was at, call by call, as the recorder saw it; nothing is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from stridewise.runs.mpi.timeline import Timeline
from stridewise.runs.mpi.trace import Trace

Writer = Callable[[Trace, Timeline], Iterator[str]]

FORMATS = tuple(sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py") if path.stem != "command"))


def writer(name: str) -> Writer:
    """What makes the text of a format, in pieces: a large run's need not fit into memory."""
    found: Writer = import_module(f"{__name__}.{name}").pieces
    return found
