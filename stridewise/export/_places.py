"""What the formats share: where a call stands, and what kind of call it is."""

from __future__ import annotations

from stridewise.patterns._mpi import place
from stridewise.runs.mpi.timeline import NO_PATH
from stridewise.runs.mpi.trace import Trace
from stridewise.runs.mpi.views import STATES, state


class Places:
    """Looked up once each."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._labels: dict[int, str] = {}
        self._states: dict[str, str] = {}

    def label(self, path: int) -> str:
        """File, line and function; empty where the call path is unknown."""
        if path not in self._labels:
            self._labels[path] = ""
            if path != NO_PATH and path < len(self._trace.paths):
                at = place(self._trace, path)
                where = f"{at.file}:{at.line}" if at.line else at.file
                self._labels[path] = f"{where} in {at.function}" if at.function else where
        return self._labels[path]

    def state(self, call: str) -> str:
        if call not in self._states:
            self._states[call] = STATES[state(call)]
        return self._states[call]
