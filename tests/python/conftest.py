"""Shared fixtures: an analyser that does what its sources say, small projects, a clean environment."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from stridewise.catalogue import Rule, load

TOP = Path(__file__).resolve().parents[2]

# Obeys comments of its source: `// @crash`, `// @hang`, `// @spin`, `// @garbage`, `// @eat`, `// @errors`, `// @fail`,
# and reports `// @finding RULE [CONFIDENCE] [header FILE LINE] [fix]` at the line below.
FAKE_ANALYZER = r"""#!{python}
import json, os, signal, sys, time
args = sys.argv[1:]
out = args[args.index("-o") + 1]
if "--link" in args:
    files = [a for a in args if a.endswith(".json") and a != out]
    withdrawn = []
    for name in files:
        result = json.load(open(name))
        withdrawn += result["summaries"].get("withdraw", [])
    json.dump({{"version": 1, "findings": [], "withdrawn": withdrawn}}, open(out, "w"))
    sys.exit(0)
end = args.index("--")
source = args[end - 1]
text = open(source).read().splitlines()
status, findings, summaries, diagnostics = "ok", [], {{}}, []
for number, line in enumerate(text, 1):
    words = line.split()
    if len(words) < 2 or words[0] != "//" or not words[1].startswith("@"):
        continue
    match words[1][1:]:
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            time.sleep(60)
        case "spin":
            while True:
                pass
        case "garbage":
            open(out, "w").write("{{ not json")
            sys.exit(0)
        case "eat":
            block = bytearray(400 << 20)
            block[::4096] = b"x" * len(block[::4096])
            time.sleep(60)
        case "errors":
            status = "errors"
            name = os.path.basename(source)
            diagnostics.append({{"file": name, "line": number, "column": 4, "message": "no such thing"}})
        case "fail":
            print("cannot do it", file=sys.stderr)
            sys.exit(2)
        case "withdraw":
            place = {{"file": source, "line": number + 1, "column": 1, "end_line": number + 1, "end_column": 4}}
            summaries["withdraw"] = [{{"rule": words[2], "location": place, "why": "another unit copies its bytes"}}]
        case "finding":
            confidence = next((w for w in words if w in ("low", "medium", "high")), "high")
            file, at = source, number + 1
            if "header" in words:
                at = int(words[words.index("header") + 2])
                file = os.path.join(os.path.dirname(source), words[words.index("header") + 1])
            fixes = []
            if "fix" in words:
                begin = sum(len(l) + 1 for l in text[: at - 1])
                edit = {{"file": file, "begin_offset": begin, "end_offset": begin + 3, "replacement": "long"}}
                fixes = [{{"description": "use long", "edits": [edit], "safety": "safe", "why": "tried"}}]
            findings.append({{
                "rule": words[2], "severity": "warning", "confidence": confidence, "message": "something is slow",
                "advice": "make it fast", "function": "f", "args": {{}}, "related": [], "accesses": [], "fixes": fixes,
                "location": {{"file": file, "line": at, "column": 1, "end_line": at, "end_column": 4}},
                "scope": {{"begin_line": at, "end_line": at}},
            }})
json.dump({{
    "version": 1, "unit": source, "status": status, "diagnostics": diagnostics, "findings": findings,
    "summaries": summaries,
    "stats": {{"seconds": 0.0, "functions": 1, "loops": 0, "mpi_calls": 0, "suppressed": 0, "ir": "ok"}},
}}, open(out, "w"))
"""


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("STRIDEWISE_") and name != "STRIDEWISE_BUILD":
            monkeypatch.delenv(name)
    for name in ("SLURM_JOB_NODELIST", "PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE", "CRAYPE_VERSION", "LD_PRELOAD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def rules() -> dict[str, Rule]:
    return dict(load())


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes an executable file below tmp_path/bin."""

    def make(name: str, text: str) -> Path:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    return make


@pytest.fixture
def fake_analyzer(script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    path = script("fake-analyze", FAKE_ANALYZER.format(python=sys.executable))
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(path))
    return path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A project in tmp_path/project, the working directory, with a database for its sources."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)

    def make(files: dict[str, str], entries: Sequence[dict[str, object]] | None = None) -> Path:
        (root / ".git").mkdir(exist_ok=True)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if entries is None:
            sources = [name for name in files if name.endswith((".c", ".cpp"))]
            entries = [{"directory": str(root), "file": name, "command": f"gcc -c {name}"} for name in sources]
        (root / "compile_commands.json").write_text(json.dumps(list(entries)), encoding="utf-8")
        return root

    return make
