"""The calls of MPI by their numbers in a shard, as stridewise-merge knows them."""

from __future__ import annotations

import json
import subprocess

from stridewise.errors import Failure
from stridewise.settings import toolchain


def table() -> list[tuple[str, int]]:
    """Name and event flags of each call. Raises Failure."""
    try:
        done = subprocess.run([str(toolchain.merger()), "--calls"], capture_output=True, timeout=60, check=True)
        return [(str(name), int(flags)) for name, flags in json.loads(done.stdout)["calls"]]
    except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError) as error:
        raise Failure(f"stridewise-merge does not name its calls: {error}") from error
