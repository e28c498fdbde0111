"""The rooms: which file may include or import which."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
ANALYZER = TOP / "analyzer"
ENGINES = {"unit", "fortran", "loops", "mpi", "omp", "touch", "library"}


def includes() -> dict[Path, set[Path]]:
    """The analyser's own files that each of its files includes, relative to analyzer/."""
    graph: dict[Path, set[Path]] = {}
    for path in ANALYZER.rglob("*"):
        if path.suffix not in (".h", ".cpp"):
            continue
        named = re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
        graph[path.relative_to(ANALYZER)] = {Path(name) for name in named if (ANALYZER / name).is_file()}
    return graph


def room(path: Path) -> str:
    return "/".join(path.parts[:2]) if path.parts[0] == "checks" else path.parts[0]


def circle(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def room_graph(graph: dict[Path, set[Path]]) -> dict[str, set[str]]:
    rooms: dict[str, set[str]] = {}
    for path, others in graph.items():
        rooms.setdefault(room(path), set()).update(room(other) for other in others if room(other) != room(path))
    return rooms


def test_every_source_has_a_room() -> None:
    assert {path.parts[0] for path in includes()} == ENGINES | {"checks", "hosts"}


def test_no_circle_between_rooms_nor_files() -> None:
    graph = includes()
    assert not circle(room_graph(graph))
    assert not circle({str(path): {str(other) for other in others} for path, others in graph.items()})


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_an_engine_includes_no_check_and_no_host(engine: str) -> None:
    assert room_graph(includes())[engine] <= ENGINES


def test_a_check_includes_engines_only() -> None:
    assert not {
        name: others - ENGINES
        for name, others in room_graph(includes()).items()
        if name.startswith("checks/") and others - ENGINES
    }


def test_what_one_rule_alone_uses_lives_with_it() -> None:
    """A header of an engine that nothing but the files of one check includes belongs into that check's folder."""
    users: dict[Path, set[str]] = {}
    graph = includes()
    for path, others in graph.items():
        for other in others:
            if path.with_suffix("") != other.with_suffix(""):
                users.setdefault(other, set()).add(room(path))
    alone = {
        str(path): rooms
        for path, rooms in users.items()
        if path.parts[0] in ENGINES and len(rooms) == 1 and next(iter(rooms)).startswith("checks/")
    }
    assert not alone


def modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in (TOP / "stridewise").rglob("*.py"):
        name = ".".join(path.relative_to(TOP).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports(path: Path, known: set[str]) -> Iterator[str]:
    """The package's own modules that a module imports, also inside functions: a circle is one wherever it closes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield from (one for one in ((name if name in known else node.module),) if one in known)


def test_no_circle_between_python_modules() -> None:
    paths = modules()
    graph = {name: set(imports(path, set(paths))) - {name} for name, path in paths.items()}
    assert sum(map(len, graph.values())) > len(graph)
    assert not circle(graph)


@pytest.mark.parametrize("folder", ["pmpi_wrappers", "runtime"])
def test_no_circle_between_headers(folder: str) -> None:
    paths = {path.name: path for path in (TOP / folder).rglob("*.h")}
    graph = {
        name: set(re.findall(r'^#include "(?:[^"]*/)?([^"/]+)"', path.read_text(encoding="utf-8"), re.MULTILINE))
        for name, path in paths.items()
    }
    assert not circle(graph)


def test_the_product_stays_within_its_layers() -> None:
    """What renders knows no run and no command; what watches runs knows no command."""
    paths = modules()
    upward = {
        name: above
        for name, path in paths.items()
        for layer, forbidden in (
            ("stridewise.render", ("cli", "lint", "runs", "lsp", "review", "patterns", "improve")),
            ("stridewise.runs", ("cli", "lint", "lsp", "review", "improve")),
            ("stridewise.lint", ("cli", "runs", "lsp", "review", "patterns", "improve")),
            ("stridewise.patterns", ("cli", "lint", "lsp", "review", "render", "improve")),
            ("stridewise.improve", ("cli", "lsp", "review", "patterns")),
        )
        if name.startswith(layer)
        and (
            above := {
                one for one in imports(path, set(paths)) if one.split(".")[1:2] and one.split(".")[1] in forbidden
            }
        )
    }
    assert not upward


def test_no_source_file_grows_long() -> None:
    assert not {
        str(path.relative_to(TOP))
        for folder in (
            "analyzer",
            "pmpi_wrappers",
            "runtime",
            "stridewise",
            "scripts",
            "benchmarks",
            "tests",
            "editors",
        )
        for path in (TOP / folder).rglob("*")
        if path.suffix in (".py", ".c", ".h", ".cpp", ".ts") and "node_modules" not in path.parts
        if path.read_text(encoding="utf-8").count("\n") > 600
    }
