"""What lint and watched runs say of the program as it stands in a tree. The product's own commands do it, each in a
process of its own, so that a crash or a signal costs no more than its findings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stridewise.collect import launcher
from stridewise.errors import Failure
from stridewise.finding import Finding, FindingError
from stridewise.improve.settings import Settings
from stridewise.improve.tree import Trees, snapshot

_COMPILED_NOTHING = "no C, C++ or Fortran compiler ran"  # as `capture` says it
PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Analysis:
    """Findings in the order of their value, with absolute paths in the tree, and what could not be done."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


def build(settings: Settings, tree: Path, database: Path) -> str:
    """Builds with the user's commands and records them, with debug lines, without which a run names no source; returns
    what the build said where it failed."""
    database.mkdir(parents=True, exist_ok=True)
    for old in database.glob("*.json"):
        old.unlink()
    for command in settings.build:
        status, said = _command(["capture", "--debug-lines", "-o", str(database), "--", *command], tree / settings.here)
        if status and _COMPILED_NOTHING not in said:  # what configures or generates has nothing to record
            return f"{' '.join(command)}: exit status {status}\n{said[-1500:]}"
    return "" if any(database.glob("*.json")) else f"{_COMPILED_NOTHING}; see docs/howto/compilers.md"


def analyse(settings: Settings, trees: Trees, folder: Path) -> Analysis:
    """Lints the accepted tree and watches the program in it, by MPI and OpenMP where it uses them."""
    tree, database = trees.accepted, folder / "database"
    here, notes = tree / settings.here, list[str]()
    lint, report = folder / "lint.json", folder / "report.json"
    entries = database / "compile_commands.json"
    options = ["--format", "json", "--all", "-o", str(lint)]
    status, said = _command(["lint", "-p", str(database), *options], here)
    if not lint.is_file():
        raise Failure(f"lint of {tree} failed with exit status {status}: {said[-800:]}")
    if status > 1:
        notes.append(_last(said))
    runs = []
    for kind in kinds(settings.run, entries):
        said = watch(settings, trees, tree, folder, kind)
        if (folder / kind / "run.json").is_file():
            runs.append(str(folder / kind))
        else:
            notes.append(f"the run watched by --{kind} left nothing: {said}")
    source = lint
    if runs:
        options = ["--lint", str(lint), "--format", "json", "--all", "-o", str(report)]
        status, said = _command(["report", *runs, *options], here)
        if report.is_file():
            source = report
        else:
            notes.append(f"no report of the runs: {_last(said)}")
    return Analysis(tuple(read(source)), tuple(notes))


def watch(settings: Settings, trees: Trees, tree: Path, folder: Path, kind: str) -> str:
    """Watches the program in a tree, and leaves the run in `folder / kind`; returns what was said last."""
    before, out = snapshot(tree), folder / kind
    _, said = _command(["run", f"--{kind}", "-o", str(out), "--", *settings.run], tree / settings.here)
    trees.tidy(tree, before)
    return _last(said)


def kinds(run: Sequence[str], database: Path) -> list[str]:
    """How to watch: MPI where a launcher starts the program, OpenMP where it is compiled with it."""
    found = []
    if launcher.parse(run).family:
        found.append("mpi")
    try:
        if "openmp" in database.read_text(encoding="utf-8", errors="replace"):
            found.append("omp")
    except OSError:
        pass
    return found


def read(path: Path) -> list[Finding]:
    """Findings of a JSON report, paths made absolute."""
    value = json.loads(path.read_text(encoding="utf-8"))
    root = Path(value["root"])
    found = []
    for raw in value["findings"]:
        try:
            found.append(absolute(Finding.from_json(raw), root))
        except FindingError as error:
            raise Failure(f"{path}: {error}") from error
    return found


def absolute(finding: Finding, root: Path) -> Finding:
    fixes = tuple(
        replace(fix, edits=tuple(replace(edit, file=str(root / edit.file)) for edit in fix.edits))
        for fix in finding.fixes
    )
    where = replace(finding.location, file=str(root / finding.location.file))
    related = tuple(replace(one, file=str(root / one.file)) for one in finding.related)
    return replace(finding, location=where, fixes=fixes, related=related)


def _command(words: Sequence[str], here: Path) -> tuple[int, str]:
    """One of the product's own commands; exit status and what it printed."""
    path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-m", "stridewise", *words], cwd=here, env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def _last(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "nothing was said")
