"""What a run measured, beside the code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from client import TOP, Client
from conftest import Connect, database

from lit_format.hosts import mpi_environment

BARRIER = "mpi-redundant-barrier"


def test_verdicts_and_seconds_of_a_run(connect: Connect, tmp_path: Path) -> None:
    """Without a run the barriers are suspected; then the program runs, and the editor shows what they cost. Edits
    above do not part the measurements from their lines."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Makefile").touch()
    source = folder / "barriers.c"
    shutil.copy(TOP / "rules" / BARRIER / "buggy.c", source)
    database(folder, "-O2", "-g", compiler="mpicc")
    client = connect(folder)
    client.start()
    uri = client.open(source)
    suspected = [d for d in client.diagnostics(uri) if d.get("code") == BARRIER]
    assert suspected
    assert all("confirmed" not in d["message"] for d in suspected)
    assert _titles(client, uri) == {}

    mark = len(client.seen)
    _run(folder, source)
    record = folder / "stridewise-out/run.json"
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": record.as_uri(), "type": 1}]})
    confirmed = client.until(uri, lambda found: any("confirmed by the run" in d["message"] for d in found), mark)
    first = min(d["range"]["start"]["line"] for d in confirmed if "confirmed by the run" in d["message"])
    client.wait(lambda m: m["method"] == "workspace/codeLens/refresh", mark)
    titles = _titles(client, uri)
    assert titles[first].startswith(f"{BARRIER} · costs ")
    assert "confirmed by the run" in titles[first]
    text = client.hover(uri, first)
    assert "confirmed by the run" in text
    assert "- **cost**: " in text
    assert "- **measured (mpi)**: " in text

    # The text that ran is known: what was measured moves with the code, when it is edited and saved, too.
    for more in ("// a remark\n\n", "int more(void);\n"):
        client.change(uri, more + client.texts[uri])
        client.diagnostics(uri)
        first += more.count("\n")
        titles = _titles(client, uri)
        assert f"{BARRIER} · costs " in titles[first]
    client.save(uri, source)
    client.change(uri, "int most(void);\n" + client.texts[uri])
    client.diagnostics(uri)
    titles = _titles(client, uri)
    assert f"{BARRIER} · costs " in titles[first + 1]

    mark = len(client.seen)
    client.settings = {"codeLens": False}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.until(uri, lambda found: any("confirmed by the run" in d["message"] for d in found), mark)
    assert _titles(client, uri) == {}


def _titles(client: Client, uri: str) -> dict[int, str]:
    """Of the code lenses, by line."""
    found = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in found or ()}


def _run(folder: Path, source: Path) -> None:
    environment = {**os.environ, **mpi_environment(), "PYTHONPATH": str(TOP)}
    program = folder / "barriers"
    subprocess.run(["mpicc", "-O2", "-g", str(source), "-o", str(program)], check=True, env=environment)
    words = [sys.executable, "-m", "stridewise", "run", "--", "mpirun", "-n", "4", str(program)]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
