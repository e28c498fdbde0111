"""A small C project in git with one finding on a branch, and the command `stridewise` of this checkout on PATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build"))

CLEAN = """\
#include <stdlib.h>
struct particle {
  double position;
  double velocity;
};
struct particle *create(size_t count) { return malloc(count * sizeof(struct particle)); }
"""
PADDED = CLEAN.replace(
    "  double position;\n  double velocity;\n", "  int cell;\n  double position;\n  int kind;\n  double speed;\n"
)
LINE = 2  # of the record in PADDED


@dataclass(frozen=True)
class Checkout:
    """A work tree whose branch `change` pads a record of src/particles.c."""

    root: Path
    bin: Path
    temp: Path

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the caller's CI, git or settings."""
        kept = {
            name: os.environ[name] for name in ("HOME", "LC_ALL", "PIP_INDEX_URL", "HTTPS_PROXY") if name in os.environ
        }
        return {
            **kept,
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "NO_COLOR": "1",
            "STRIDEWISE_BUILD": str(BUILD),
            "XDG_CACHE_HOME": str(self.temp / "cache"),
            "XDG_CONFIG_HOME": str(self.temp / "config"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def git(self, *words: str) -> str:
        names = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", *names, *words], cwd=self.root, env=self.environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def add(self, name: str, text: str) -> Path:
        """A source with an entry in the compile database."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        database = self.root / "build" / "compile_commands.json"
        entries = json.loads(database.read_text()) if database.is_file() else []
        database.parent.mkdir(exist_ok=True)
        entries.append({"directory": str(self.root), "file": name, "arguments": ["gcc", "-O2", "-c", name]})
        database.write_text(json.dumps(entries))
        return file


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """The commands of the environment that runs the tests are not on PATH."""
    made = Checkout(tmp_path / "my code", tmp_path / "bin", tmp_path / "temp")
    for folder in (made.root, made.bin, made.temp):
        folder.mkdir()
    command = made.bin / "stridewise"
    command.write_text(
        f"#!/bin/sh\nPYTHONPATH='{TOP}' PYTHONDONTWRITEBYTECODE=1 exec '{sys.executable}' -m stridewise \"$@\"\n"
    )
    command.chmod(0o755)
    (made.root / ".gitignore").write_text("/build/\n")
    made.add("src/particles.c", CLEAN)
    made.git("init", "-q", "-b", "main")
    made.git("add", ".")
    made.git("commit", "-qm", "clean")
    made.git("checkout", "-qb", "change")
    (made.root / "src" / "particles.c").write_text(PADDED)
    made.git("commit", "-qam", "padded")
    assert shutil.which("gcc")
    return made
