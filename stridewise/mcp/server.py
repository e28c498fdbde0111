"""The tools as the protocol offers them (Model Context Protocol, by its official Python SDK)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from stridewise.errors import Failure
from stridewise.mcp import tools
from stridewise.mcp.tools import Served

_ABOUT = (
    "Performance findings of C and C++ code with MPI and OpenMP. 'findings' reads the project's sources, and joins "
    "runs that were watched before; 'explain' is the page of a rule."
)
_VERIFY = " 'verify' builds and runs a copy with a patch: whether results stay the same, and the measured gain."


def create(served: Served, version: str) -> MCPServer:
    """A server that changes nothing of the project. `verify`, which runs the project's program, is there only where the
    one who started the server said how."""
    about = _ABOUT + (_VERIFY if served.run else "")
    server: MCPServer = MCPServer("stridewise", instructions=about, version=version)
    reading = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

    @server.tool(annotations=reading)
    def findings(rule: str = "", minimum: str = "medium", limit: int = 20) -> dict[str, Any]:
        """What the project wastes, the most valuable first, each with its place, evidence, price and fixes.

        rule: only this rule's findings. minimum: least confidence (low, medium, high). limit: how many at most.
        """
        return _answer(lambda: tools.findings(served, rule, minimum, limit))

    @server.tool(annotations=reading, structured_output=False)
    def explain(rule: str) -> str:
        """What a rule finds, why that costs time, how to mend it, and when to leave it as it is."""
        return _answer(lambda: tools.explain(served, rule))

    if served.run:

        @server.tool(annotations=reading)
        def verify(patch: str) -> dict[str, Any]:
            """Applies a patch (unified format, paths from the top of the project) to a copy, builds and runs both, and
            says whether results are the same and how much faster the program is, with an interval of 95 %."""
            return _answer(lambda: tools.verify(served, patch))

    return server


_T = TypeVar("_T")


def _answer(ask: Callable[[], _T]) -> _T:
    try:
        return ask()
    except Failure as failure:
        raise ToolError(str(failure)) from failure
