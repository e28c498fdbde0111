"""`stridewise mcp` as the SDK's own client sees it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

PROGRAM = """
#include <stdio.h>

enum { Rows = 1200, Columns = 1000 };
static double table[Rows][Columns];

int main(void) {
  double sum = 0.0;
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      table[i][j] = (i * 3 + j) % 7;
  for (int n = 0; n < 20; n++)
    for (int j = 0; j < Columns; j++)
      for (int i = 0; i < Rows; i++)
        table[i][j] = 0.5 * table[i][j] + n;
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      sum += table[i][j];
  printf("%.3f\\n", sum);
  return 0;
}
"""
OLD = "    for (int j = 0; j < Columns; j++)\n      for (int i = 0; i < Rows; i++)\n"
NEW = "    for (int i = 0; i < Rows; i++)\n      for (int j = 0; j < Columns; j++)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "app.c").write_text(PROGRAM)
    (folder / "Makefile").write_text("CC = gcc\nCFLAGS = -O2 -g\napp: app.c\n\t$(CC) $(CFLAGS) -o $@ app.c\n")
    entry = {"directory": str(folder), "file": "app.c", "arguments": ["gcc", "-O2", "-g", "-c", "app.c"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    return folder


def patch(project: Path, old: str, new: str) -> str:
    """As git writes it."""
    for name, text in (("a", PROGRAM), ("b", PROGRAM.replace(old, new))):
        (project.parent / name).mkdir(exist_ok=True)
        (project.parent / name / "app.c").write_text(text)
    words = ["git", "diff", "--no-index", "a/app.c", "b/app.c"]
    done = subprocess.run(words, cwd=project.parent, capture_output=True, text=True, check=False)
    shutil.rmtree(project.parent / "a")
    shutil.rmtree(project.parent / "b")
    return done.stdout.replace("a/a/", "a/").replace("b/b/", "b/")


def served(project: Path, ask: Callable[[Client], Awaitable[Any]], *options: str) -> Any:
    """What the client gets of a server that is started for it."""
    words = ["-m", "stridewise", "mcp", *options]
    parameters = StdioServerParameters(command=sys.executable, args=words, cwd=project, env=dict(os.environ))

    async def talk() -> Any:
        async with Client(parameters) as client:
            return await ask(client)

    return asyncio.run(talk())


def test_what_is_offered(project: Path) -> None:
    async def ask(client: Client) -> Any:
        return (await client.list_tools()).tools

    found = served(project, ask)
    assert [tool.name for tool in found] == ["findings", "explain"]
    for tool in found:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
    assert "verify" in [tool.name for tool in served(project, ask, "--run", "./app")]


def test_findings_and_their_pages(project: Path) -> None:
    async def ask(client: Client) -> Any:
        every = await client.call_tool("findings", {})
        none = await client.call_tool("findings", {"rule": "mem-struct-padding"})
        page = await client.call_tool("explain", {"rule": "mem-strided-inner-loop"})
        return every, none, page

    before = sorted(path.name for path in project.iterdir())
    every, none, page = served(project, ask)
    assert sorted(path.name for path in project.iterdir()) == before, "the project was written to"
    assert not every.is_error
    value = every.structured_content
    assert value["total"] == len(value["findings"]) > 0
    first = next(one for one in value["findings"] if one["rule"] == "mem-strided-inner-loop")
    assert first["place"] == "app.c:14"
    assert first["evidence"]
    assert first["fixes"][0]["safety"] in ("safe", "unsafe")
    assert none.structured_content["findings"] == []
    assert "## Fix safety" in page.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("findings", {"minimum": "sure"}, "no confidence is called"),
        ("findings", {"limit": 0}, "limit must be 1"),
        ("explain", {"rule": "../../etc/passwd"}, "no name of a rule"),
        ("explain", {"rule": "no-such-rule"}, "no-such-rule"),
        ("verify", {"patch": "rm -rf"}, "no patch"),
    ],
)
def test_what_makes_no_sense_is_said(project: Path, tool: str, arguments: dict[str, Any], why: str) -> None:
    async def ask(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    answer = served(project, ask, "--run", "./app")
    assert answer.is_error
    assert why in answer.content[0].text
    assert "Traceback" not in answer.content[0].text


def test_patches_are_measured(project: Path) -> None:
    faster, wrong = patch(project, OLD, NEW), patch(project, "0.5 * table", "0.25 * table")
    broken = faster.replace("int i = 0", "int no = 0")

    async def ask(client: Client) -> Any:
        return [
            (await client.call_tool("verify", {"patch": one})).structured_content for one in (faster, wrong, broken)
        ]

    good, bad, stale = served(project, ask, "--run", "./app")
    assert good["accepted"] and good["same_results"]
    assert good["gain"] > 1.0
    assert not bad["accepted"] and not bad["same_results"]
    assert "other results" in bad["why"]
    assert not stale["accepted"]
    assert (project / "app.c").read_text() == PROGRAM
    assert not (project / "stridewise-improve").exists()


def test_without_the_package_it_is_said(project: Path) -> None:
    (project / "mcp.py").write_text("raise ModuleNotFoundError('no', name='mcp')\n")
    path = os.pathsep.join([str(project), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "stridewise", "mcp"], cwd=project, env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "needs the Python package mcp" in done.stderr
    assert "Traceback" not in done.stderr
