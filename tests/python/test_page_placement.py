"""Placement: files are read with suspicion, first-touch rules judge by them, tables show them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stated import all_is_stated, said  # noqa: F401
from stridewise.catalogue import Rule, load
from stridewise.cli import main
from stridewise.collect import launcher
from stridewise.finding import Confidence, Finding, Location, Related, Verdict
from stridewise.patterns import omp_calloc_first_touch as calloc
from stridewise.patterns import omp_serial_first_touch as serial
from stridewise.runs import run_folder
from stridewise.runs.kinds import Folder, Plan, Request
from stridewise.runs.mpi.trace import Address, Frame, Module
from stridewise.runs.placement import records as placement
from stridewise.runs.placement import table as placement_table
from stridewise.runs.placement import watcher as watch
from stridewise.runs.placement.records import Array, Placement, PlacementError, Thread

pytestmark = pytest.mark.usefixtures("all_is_stated")

SERIAL, CALLOC = (load()[slug] for slug in ("omp-serial-first-touch", "omp-calloc-first-touch"))
REMOTE = {(0, 0): 60, (1, 0): 50}
NEAR = {(0, 0): 60, (1, 1): 50}


def array(uses: dict[tuple[int, int], int], pages: tuple[int, ...] = (256,), **more: Any) -> Array:
    frames = (
        Frame("operator new", "/usr/lib/libc.so", 0, user=False),
        Frame("main", "/p/a.c", 15),
        Frame("x", "/p/b.c", 3),
    )
    base = Array("", (Address(0, 99),), 1, 16 << 20, 16 << 20, pages, 0, uses, 4, frames)
    return replace(base, **more)


def run_of(*arrays: Array, nodes: int = 2, **more: Any) -> Placement:
    threads = (Thread(7, 60, 0, 0, 2, (60,)), Thread(8, 50, 3, 2, 4, (0, 50)), Thread(9, 0, 0, -1, 4, (0,)))
    base = Placement(
        "f", 1, -1, "h", nodes, 4096, 1.0, 110, False, True, 0, 0, (Module("/p/app", ""),), arrays, threads
    )
    return replace(base, **more)


def suspicion(rule: Rule, line: int = 20, related: int = 15) -> Finding:
    where = Location("/p/a.c", line)
    near = [Related("/p/a.c", related, "allocated here")] if related else []
    return rule.finding("static", where, args={}, confidence=Confidence.MEDIUM, related=near)


def test_remote_pages_confirm_and_near_ones_refute() -> None:
    confirmed = serial.judge_placement(suspicion(SERIAL), run_of(array(REMOTE)), SERIAL)
    assert confirmed is not None
    assert confirmed.verdict is Verdict.CONFIRMED
    assert confirmed.apply(suspicion(SERIAL)).confidence is Confidence.HIGH
    assert confirmed.evidence.metrics["remote_share"] == pytest.approx(50 / 110, abs=1e-4)
    refuted = serial.judge_placement(suspicion(SERIAL), run_of(array(NEAR, (128, 128))), SERIAL)
    assert refuted is not None
    assert refuted.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (run_of(array(REMOTE), nodes=1), "one memory node"),
        (run_of(array({(0, 0): 5, (1, 0): 5})), "too few to tell"),
        (run_of(array({(0, 0): 500, (1, 0): 5})), "ran on one node"),
        (run_of(array(REMOTE, recycled=True)), "in use before"),
        (run_of(array({(0, 0): 60, (1, 0): 25, (1, 1): 25}, (192, 64))), ""),
        (run_of(array({(0, 0): 90, (1, 0): 10, (1, 1): 30}, (180, 76))), ""),
    ],
)
def test_what_cannot_be_told_stays_suspected(run: Placement, why: str) -> None:
    judgement = serial.judge_placement(suspicion(SERIAL), run, SERIAL)
    assert judgement is not None
    assert judgement.verdict is Verdict.SUSPECTED
    assert why in judgement.evidence.note


def test_an_array_is_found_by_its_allocation_alone() -> None:
    assert serial.judge_placement(suspicion(SERIAL, related=16), run_of(array(REMOTE)), SERIAL) is None
    at_line = calloc.judge_placement(suspicion(CALLOC, line=15, related=0), run_of(array(REMOTE)), CALLOC)
    assert at_line is not None
    assert at_line.verdict is Verdict.CONFIRMED
    several = run_of(array(NEAR, (128, 128)), array(REMOTE))
    worst = serial.judge_placement(suspicion(SERIAL), several, SERIAL)
    assert worst is not None
    assert worst.verdict is Verdict.CONFIRMED


def test_the_run_alone_shows_only_what_is_certain() -> None:
    (found,) = serial.detect_placement(run_of(array(REMOTE)), SERIAL)
    assert (found.location.file, found.location.line, found.verdict) == ("/p/a.c", 15, Verdict.OBSERVED)
    assert found.message == (
        "100 % of the pages of the array of 16 MiB lie on memory node 0, and 4 threads on 2 nodes use it: "
        "45.5 % of their accesses go to another node"
    )
    for quiet in (
        array(NEAR, (128, 128)),
        array(REMOTE, users=1),
        array(REMOTE, recycled=True),
        array(REMOTE, largest=4096),
        array({(0, 0): 12, (1, 0): 7}),
        array(REMOTE, (200, 56)),
        array({(1, 0): 110}),  # all users on one node, which is the binding's matter
    ):
        assert list(serial.detect_placement(run_of(quiet), SERIAL)) == []
    assert list(serial.detect_placement(run_of(array(REMOTE), nodes=1), SERIAL)) == []
    assert list(serial.detect_placement(run_of(array(REMOTE), balancing=True), SERIAL)) == []
    library = run_of(array(REMOTE), modules=(Module("/usr/lib/libomp.so.5", ""),))
    assert list(serial.detect_placement(library, SERIAL)) == []
    assert placement_table.place(library.arrays[0], library) == "libomp.so.5's own, from a.c:15"
    (unnamed,) = serial.detect_placement(run_of(array(REMOTE, frames=(), symbol="grid")), SERIAL)
    assert (unnamed.location.file, unnamed.args["array"]) == ("/p/app", "'grid'")


def test_what_a_container_has_written_is_the_other_rules() -> None:
    frames = (
        Frame("std::vector<double>::resize(unsigned long)", "/usr/include/v.h", 9, user=False),
        Frame("f", "/p/a.c", 4),
    )
    vector = run_of(array(REMOTE, frames=frames))
    assert list(serial.detect_placement(vector, SERIAL)) == []
    (found,) = calloc.detect_placement(vector, CALLOC)
    assert (found.rule, found.location.line) == (CALLOC.slug, 4)
    assert list(calloc.detect_placement(run_of(array(REMOTE)), CALLOC)) == []


def test_tables_show_arrays_and_threads() -> None:
    run = run_of(array(REMOTE), array({}, (0,), absent=256, symbol="grid", frames=(), bytes=1 << 20))
    arrays, threads = placement_table.tables([run])
    text = "\n".join(arrays.lines())
    assert "a.c:15 in main" in text
    assert "45.5 %" in text
    assert "static grid" in text
    assert "untouched" in text
    assert len(threads.rows) == 2  # the one without samples is left out
    assert "3 of 50" in "\n".join(threads.lines())
    assert json.loads(json.dumps(arrays.data))["arrays"][0]["remote_share"] > 0.4
    assert placement_table.tables([]) == []


FILE: dict[str, Any] = {
    "version": 1, "pid": 5, "rank": 2, "host": "n1", "nodes": 2, "page_bytes": 4096, "seconds": 1.5, "samples": 110,
    "balancing": False, "operands": True, "lost_allocations": 1, "lost_threads": 0,
    "modules": [{"path": "/p/app", "build_id": "ab"}],
    "arrays": [{"callers": [[0, 99], [-1, 12]], "allocations": 4, "bytes": 16777216, "largest": 16777216,
                "checked": 4, "recycled": 2, "pages_absent": 0, "pages": [256],
                "uses": [[0, 0, 60], [1, 0, 50]], "users": 4}],
    "threads": [{"tid": 5, "samples": 60, "switches": 0, "cpu": 0, "allowed": 2, "nodes": [60]}],
}  # fmt: skip


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "placement.n1.5.json"
    path.write_text(json.dumps(FILE), encoding="utf-8")
    run = placement.load(path)
    assert (run.rank, run.nodes, run.lost_allocations) == (2, 2, 1)
    assert run.arrays[0].callers == (Address(0, 99), Address(None, 12))
    assert run.arrays[0].remote_share == pytest.approx(50 / 110)


@pytest.mark.parametrize(
    ("member", "value", "why"),
    [
        ("version", 2, "version 2 is not known"),
        ("nodes", 0, "nodes is no number"),
        ("arrays", {}, "arrays is no list"),
        ("arrays", [{"callers": [[7, 1]]}], r"arrays\[0\].callers"),
        ("arrays", [{"callers": [], "uses": [[0, -1, 3]]}], r"arrays\[0\].uses"),
        ("modules", [3], r"modules\[0\] is no object"),
        ("threads", [{"tid": "x"}], r"threads\[0\].tid"),
        ("seconds", True, "seconds is no number"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, member: str, value: Any, why: str) -> None:
    path = tmp_path / "placement.n1.5.json"
    path.write_text(json.dumps({**FILE, member: value}), encoding="utf-8")
    with pytest.raises(PlacementError, match=why):
        placement.load(path)


def test_a_run_is_joined_with_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_folder.prepare(tmp_path, "placement", watch.LEAVES)
    (tmp_path / "placement" / "placement.n1.5.json").write_text(json.dumps(FILE), encoding="utf-8")
    (tmp_path / "placement" / "placement.n1.6.json").write_text("{", encoding="utf-8")
    monkeypatch.setattr(watch, "_symbolized", lambda run: (replace(run, arrays=(array(REMOTE),)), []))
    seen = watch.see([Folder(tmp_path, None)], load())
    assert [trouble.message.split(" (")[0] for trouble in seen.troubles] == ["left out: it is no JSON"]
    assert "1 allocations found no room" in seen.notes[0]
    (alone,) = seen.join([])
    assert alone.verdict is Verdict.OBSERVED
    (joined,) = seen.join([suspicion(CALLOC)])  # explains what the run shows, by whichever rule
    assert (joined.rule, joined.verdict) == (CALLOC.slug, Verdict.CONFIRMED)
    other = suspicion(SERIAL, line=40, related=41)
    assert [f.verdict for f in seen.join([other])] == [Verdict.SUSPECTED, Verdict.OBSERVED]


def test_threads_that_move_between_nodes_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_folder.prepare(tmp_path, "placement", watch.LEAVES)
    (tmp_path / "placement" / "placement.n1.5.json").write_text(json.dumps(FILE), encoding="utf-8")
    threads = tuple(Thread(7, sum(nodes), 3, 0, 4, nodes) for nodes in ((60, 40), (300, 3), (3, 4), (50,)))
    monkeypatch.setattr(watch, "_symbolized", lambda run: (replace(run, threads=threads), []))
    seen = watch.see([Folder(tmp_path, None)], load())
    assert [note for note in seen.notes if "moved between" in note] == [
        "1 thread moved between memory nodes, away from the pages they had placed; bind threads "
        "(OMP_PROC_BIND=close, OMP_PLACES=cores)"
    ]


def test_runs_of_openmp_bring_it_along_where_there_are_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "libstridewise_placement.so"
    library.write_bytes(b"")
    monkeypatch.setenv("STRIDEWISE_PLACEMENT_LIBRARY", str(library))
    request = Request(("./app",), launcher.parse(("./app",)), tmp_path)
    plan = Plan(("./app",), {"LD_PRELOAD": "/x/libomp.so", "A": "b"})
    monkeypatch.setattr(watch, "memory_nodes", lambda: 2)
    more = watch.beside(plan, request)
    assert more is not None
    assert more.environment == {"LD_PRELOAD": f"{library}:/x/libomp.so", "A": "b", "STRIDEWISE_OUT": str(tmp_path)}
    monkeypatch.setattr(watch, "memory_nodes", lambda: 1)
    assert watch.beside(plan, request) is None


@pytest.mark.parametrize(("text", "count"), [("0-1\n", 2), ("0,2-3\n", 3), ("0\n", 1), ("", 1), ("x", 1)])
def test_memory_nodes_as_the_kernel_lists_them(tmp_path: Path, text: str, count: int) -> None:
    path = tmp_path / "has_memory"
    path.write_text(text, encoding="ascii")
    assert watch.memory_nodes(path) == count
    assert watch.memory_nodes(tmp_path / "none") == 1


def test_a_static_program_cannot_be_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--placement", "-o", str(tmp_path / "out"), "--", "/sbin/ldconfig", "-V"]) == 2
    assert "static executable" in capsys.readouterr().err


def test_a_set_user_id_program_cannot_be_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "elevated"
    shutil.copy("/bin/true", path)
    try:
        shutil.chown(path, 1)
        path.chmod(0o4755)
    except OSError:
        pytest.skip("needs the right to change owners")
    assert main(["run", "--placement", "-o", str(tmp_path / "out"), "--", str(path)]) == 2
    assert "setuid" in capsys.readouterr().err
