"""What the server answers. Nothing here knows the protocol; the product's own commands do the work, each in a process
of its own, so that nothing that they print gets between the messages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stridewise.errors import Failure

PACKAGE = Path(__file__).resolve().parents[2]
_LEVELS = ("low", "medium", "high")
_MOST_PATCH_BYTES = 4 << 20
_PATCHED = re.compile(r"^(?:diff --git |--- |\+\+\+ )", re.MULTILINE)


@dataclass(frozen=True)
class Served:
    """What the one who started the server allows: the folder that is read, its compile database, runs that were watched
    before; with `run`, what patches are measured by."""

    folder: Path
    database: Path | None = None
    runs: tuple[Path, ...] = ()
    run: str = ""
    build: tuple[str, ...] = ()
    check: str = ""
    minutes: float = 10.0


def findings(served: Served, rule: str, minimum: str, limit: int) -> dict[str, Any]:
    """Findings of the source, joined with those of the runs, the most valuable first."""
    if minimum not in _LEVELS:
        raise Failure(f"no confidence is called '{minimum}'; use {', '.join(_LEVELS)}")
    if limit < 1:
        raise Failure("limit must be 1 or more")
    with tempfile.TemporaryDirectory(prefix="stridewise-mcp-") as scratch:
        lint, report = Path(scratch) / "lint.json", Path(scratch) / "report.json"
        database = ["-p", str(served.database)] if served.database else []
        said = command(served, ["lint", *database, "--format", "json", "--all", "-o", str(lint)])
        source = lint
        if served.runs and lint.is_file():
            words = [*map(str, served.runs), "--lint", str(lint), "--format", "json", "--all", "-o", str(report)]
            said = command(served, ["report", *words])
            source = report
        try:
            value = json.loads(source.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Failure(_last(said) or f"there is no result: {error}") from error
    wanted = [
        one for one in value["findings"]
        if (not rule or one["rule"] == rule) and _LEVELS.index(one["confidence"]) >= _LEVELS.index(minimum)
    ]  # fmt: skip
    return {
        "findings": [_shown(one) for one in wanted[:limit]],
        "total": len(wanted),
        "problems": [f"{one['where']}: {one['message']}" for one in value.get("problems", [])],
    }


def _shown(one: dict[str, Any]) -> dict[str, Any]:
    """What is of use to a reader: place, words, evidence, the price, and each fix with its safety."""
    where = one["location"]
    shown = {key: one[key] for key in ("rule", "severity", "confidence", "verdict", "message", "advice")}
    shown |= {"place": f"{where['file']}:{where['line']}", "function": one.get("function", "")}
    shown |= {key: one[key] for key in ("cost_seconds", "gain_seconds", "evidence", "related") if one.get(key)}
    fixes = [
        {
            "description": fix["description"],
            "safety": fix.get("safety", ""),
            "why": fix.get("why", ""),
            "edits": fix["edits"],
        }
        for fix in one.get("fixes", [])
    ]
    return shown | ({"fixes": fixes} if fixes else {})


def explain(served: Served, rule: str) -> str:
    """The rule's page: what it finds, why that costs, what to do, when to leave it."""
    if not re.fullmatch(r"[a-z0-9-]+", rule):
        raise Failure(f"'{rule}' is no name of a rule; 'stridewise rules' lists them")
    return command(served, ["explain", rule, "--format", "markdown"], must=True)


def verify(served: Served, patch: str) -> dict[str, Any]:
    """The patch on a copy: whether it applies, builds, gives the same results, and what it gains."""
    if len(patch.encode()) > _MOST_PATCH_BYTES or not _PATCHED.search(patch):
        raise Failure("that is no patch in the unified format, as 'git diff' writes it")
    with tempfile.TemporaryDirectory(prefix="stridewise-mcp-") as scratch:
        patches = Path(scratch) / "patches"
        patches.mkdir()
        (patches / "change.patch").write_text(patch if patch.endswith("\n") else patch + "\n", encoding="utf-8")
        words = ["improve", "--run", served.run, "--patches", str(patches), "-o", str(Path(scratch) / "improve")]
        words += [f"--build={one}" for one in served.build]
        words += [f"--check={served.check}"] if served.check else []
        words += ["--minutes", f"{served.minutes:g}", "--format", "json"]
        value = json.loads(command(served, words, must=True))
    step = value["steps"][0] if value["steps"] else None
    if step is None:
        raise Failure(f"it was not tried: {value['ended']}")
    wrong = not step["kept"] and step["gain"] is None
    return {
        "accepted": step["kept"],
        "same_results": not wrong and "other results" not in step["why"],
        "why": step["why"],
        "gain": step["gain"],
        "interval": step["interval"],
        "seconds": {"before": step["before"], "after": step["after"]},
        "cpu_seconds": {"before": step["cpu_before"], "after": step["cpu_after"]},
        "check": value["check"],
    }


def command(served: Served, words: Sequence[str], must: bool = False) -> str:
    """What one of the product's commands prints; with `must` only where it ends well."""
    path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-m", "stridewise", *words], cwd=served.folder, stdin=subprocess.DEVNULL, capture_output=True,
        env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}, text=True, errors="replace", check=False,
    )  # fmt: skip
    if must and done.returncode:
        raise Failure(_last(done.stderr) or f"stridewise {words[0]} ended with exit status {done.returncode}")
    return done.stdout if must else done.stderr


def _last(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")
