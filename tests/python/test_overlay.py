from __future__ import annotations

import threading
from pathlib import Path

import pytest

from stridewise import catalogue
from stridewise.collect.compile_db import Command
from stridewise.finding import Finding
from stridewise.lint import analysis
from stridewise.lint.overlay import Overlay
from stridewise.lint.result_cache import ResultCache
from stridewise.lint.study import Inputs, Study, find_inputs, study
from stridewise.settings import toolchain
from stridewise.settings.policy import Policy

PADDED = b"struct cell { char kind; double mass; char state; double charge; };\n"
CLEAN = b"struct cell { double mass; double charge; char kind; char state; };\n"
USE = b"""#include <stdlib.h>
#include "cell.h"
struct cell *make(void) { return malloc(100000 * sizeof(struct cell)); }
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "cell.h").write_bytes(CLEAN)
    (tmp_path / "a b" / "make.c").write_bytes(USE)
    (tmp_path / "a b" / "other.c").write_bytes(b"int other(void) { return 1; }\n")
    return tmp_path / "a b"


def look(
    tree: Path, overlay: Overlay | None = None, cache: ResultCache | None = None, names: tuple[str, ...] = ("make.c",)
) -> tuple[Study, list[Finding]]:
    inputs = find_inputs([tree / "other.c"], flags=())
    commands = [Command(tree / name, tree, ("-O2",), inputs.work.commands[0].language) for name in names]
    inputs.work.commands[:] = commands
    rules = catalogue.load()
    folder = tree.parent / f"work{sum(1 for _ in tree.parent.iterdir())}"
    folder.mkdir()
    studied = study(toolchain.analyzer(), inputs, folder, rules="mem-struct-padding", cache=cache, overlay=overlay)
    sources = overlay.sources() if overlay else Overlay().sources()
    found, _ = studied.findings(rules, Policy(rules, use_files=False), sources)
    return studied, [f for f in found if f.rule == "mem-struct-padding"]


def test_contents_stand_in_for_a_header(tree: Path) -> None:
    assert look(tree)[1] == []
    studied, found = look(tree, Overlay({str(tree / "cell.h"): PADDED}))
    assert [(f.location.file, f.location.line) for f in found] == [(str(tree / "cell.h"), 1)]
    assert studied.troubles == []
    assert (tree / "cell.h").read_bytes() == CLEAN


def test_a_file_that_is_not_on_disk_is_analysed(tree: Path) -> None:
    contents = {str(tree / "new.c"): USE.replace(b"cell.h", b"new.h"), str(tree / "new.h"): PADDED}
    studied, found = look(tree, Overlay(contents), names=("new.c",))
    assert studied.troubles == []
    assert [Path(f.location.file).name for f in found] == ["new.h"]


def test_the_statement_is_that_of_the_overlay(tree: Path) -> None:
    """Fingerprints of a base revision must be those that a checkout of it would have."""
    path = str(tree / "cell.h")
    from_overlay = look(tree, Overlay({path: PADDED}))[1]
    (tree / "cell.h").write_bytes(PADDED)
    assert [f.fingerprint for f in look(tree)[1]] == [f.fingerprint for f in from_overlay]
    assert from_overlay[0].fingerprint


def test_a_file_reached_by_a_link_is_replaced(tree: Path) -> None:
    (tree / "real").mkdir()
    (tree / "cell.h").rename(tree / "real" / "cell.h")
    (tree / "cell.h").symlink_to("real/cell.h")
    assert look(tree, Overlay({str(tree / "cell.h"): PADDED}))[1] != []


def test_units_that_do_not_read_the_contents_come_from_the_cache(tree: Path, tmp_path: Path) -> None:
    analyzer = toolchain.analyzer()
    names = ("make.c", "other.c")
    look(tree, cache=ResultCache(tmp_path / "cache", analyzer), names=names)
    cache = ResultCache(tmp_path / "cache", analyzer)
    studied, found = look(tree, Overlay({str(tree / "cell.h"): PADDED}), cache, names)
    assert len(found) == 1
    assert [bool(r.stored) for r in studied.results] == [False, True]
    assert str(tree / "cell.h") in studied.results[0].files
    # What was found in the contents is not remembered as what is on disk.
    assert look(tree, cache=ResultCache(tmp_path / "cache", analyzer), names=names)[1] == []


def test_a_file_that_would_have_been_found_makes_the_unit_anew(tree: Path, tmp_path: Path) -> None:
    """cell.h lies in the second folder of the path; the overlay has one in the first."""
    analyzer = toolchain.analyzer()
    (tree / "first").mkdir()
    (tree / "second").mkdir()
    (tree / "cell.h").rename(tree / "second" / "cell.h")

    def search(overlay: Overlay | None) -> list[Finding]:
        inputs = find_inputs([tree / "make.c"], flags=("-O2", f"-I{tree}/first", f"-I{tree}/second"))
        folder = tmp_path / f"work{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        cache = ResultCache(tmp_path / "cache", analyzer)
        return list(study(analyzer, inputs, folder, cache=cache, overlay=overlay).results[0].findings)

    assert search(None) == []
    assert [f.rule for f in search(Overlay({str(tree / "first" / "cell.h"): PADDED}))] == ["mem-struct-padding"]


def test_cancelled_work_starts_nothing(tree: Path, tmp_path: Path) -> None:
    inputs: Inputs = find_inputs([tree / "make.c"], flags=("-O2",))
    cancelled = threading.Event()
    cancelled.set()
    (tmp_path / "work").mkdir()
    studied = study(Path("/nonexistent/analyzer"), inputs, tmp_path / "work", cancelled=cancelled)
    assert [r.failure for r in studied.results] == [analysis.CANCELLED]
