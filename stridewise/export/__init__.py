"""An MPI run for other people's viewers. Each module of this package is the format of its name: it writes what each
rank was at, call by call, as the recorder saw it; nothing is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line names the formats, and needs no more of them
    from stridewise.runs.mpi.shard_file import Shard
    from stridewise.runs.mpi.timeline import Timeline
    from stridewise.runs.mpi.trace import Trace

    Writer = Callable[[Trace, Timeline], Iterator[str]]
    Archive = Callable[[Trace, Sequence[Shard], Sequence[str], Path], None]

FORMATS = tuple(sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py") if path.stem != "command"))


FOLDERS = ("otf2",)  # what is no text


def archive(name: str) -> Archive:
    """What makes the folder of a format."""
    found: Archive = import_module(f"{__name__}.{name}").write
    return found


def writer(name: str) -> Writer:
    """What makes the text of a format, in pieces: a large run's need not fit into memory."""
    found: Writer = import_module(f"{__name__}.{name}").pieces
    return found
