"""`stridewise mcp`: its options."""

from __future__ import annotations

from pathlib import Path

from stridewise import __version__
from stridewise.cli.options import Commands, Line, Parser, add
from stridewise.errors import Failure


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "mcp",
        "server for programs that speak the Model Context Protocol (docs/mcp.md)",
        _run,
        [
            "mcp                                   # a client starts this in the project's folder",
            "mcp -p build --runs stridewise-out",
            "mcp --run './app small.cfg'           # patches may be tried: builds and runs a copy",
        ],
        "It speaks on standard input and output, and changes nothing of the project. Without --run it runs no program\n"
        "of the project either. Needs the Python package mcp.",
    )
    parser.add_argument(
        "--project",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="the project's folder (default: the one it starts in)",
    )
    parser.add_argument("-p", "--build-path", metavar="DIR", type=Path, help="holds compile_commands.json, as for lint")
    parser.add_argument(
        "--runs", metavar="DIR", type=Path, action="append", default=[], help="a run that was watched; may be repeated"
    )
    parser.add_argument(
        "--run", metavar="CMD", default="", help="how the program is run; allows that patches are tried"
    )
    parser.add_argument("--build", metavar="CMD", action="append", default=[], help="how it is built, as for improve")
    parser.add_argument(
        "--check", metavar="CMD", default="", help="ends with 0 where results are right, as for improve"
    )


def _run(line: Line) -> int:
    try:
        from stridewise.mcp import server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("stridewise"):
            raise
        raise Failure(
            f"this server needs the Python package {error.name}: 'make build' in a checkout of Stridewise brings it "
            "along, elsewhere pip install 'mcp>=2,<3' does"
        ) from error
    from stridewise.mcp.tools import Served

    options = line.options
    folder = options.project.resolve()
    if not folder.is_dir():
        raise Failure(f"{options.project} is no folder; name the project's")
    if not options.run and (options.build or options.check):
        raise Failure("--build and --check are for patches, which are tried only with --run")
    served = Served(
        folder,
        options.build_path.resolve() if options.build_path else None,
        tuple(path.resolve() for path in options.runs),
        options.run,
        tuple(options.build),
        options.check,
    )
    server.create(served, __version__).run("stdio")
    return 0
