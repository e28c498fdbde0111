"""Watched programs do what they do alone, and leave what they did, however they are built and however they end."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from pathlib import Path

import pytest
from conftest import Bench, call, needs_clang

from mpi_launch import LAUNCH
from stridewise.runs.omp.trace import Work

BOTH = ["gcc", pytest.param("clang", marks=needs_clang)]


@pytest.mark.parametrize("compiler", BOTH)
@pytest.mark.parametrize("threads", ["1", "2", "9"])
def test_all_constructs(bench: Bench, compiler: str, threads: str) -> None:
    program = bench.build("mixed.c", compiler)
    bare = call([program], bench.folder, {"OMP_NUM_THREADS": threads})
    seen = bench.watch(program, OMP_NUM_THREADS=threads)
    assert (seen.status, seen.output.splitlines()[0]) == (bare.status, bare.output.strip()), seen.errors
    trace = bench.trace()
    (process,) = trace.processes
    assert process.closed and not process.lost_threads
    assert len(process.threads) >= int(threads)
    assert {w.kind for w in trace.works} >= {"loop-dynamic", "single"}
    assert {m.kind for m in trace.mutexes} >= {"critical", "lock"}
    assert sum(m.count for m in trace.mutexes if m.kind == "critical") == int(threads)
    # GCC's sections are fetched like a loop: each section is an iteration.
    loops: dict[int, list[Work]] = defaultdict(list)
    for work in trace.works:
        if work.kind == "loop-dynamic":
            loops[work.site].append(work)
    assert 4096 in [sum(w.own for w in works) for works in loops.values()]
    if int(threads) > 1:
        assert -(-4096 // 7) in [sum(w.chunks for w in works) for works in loops.values()]
    assert sum(t.created for t in trace.tasks) >= sum(t.count for t in trace.tasks) > int(threads)
    if int(threads) > 1:
        assert any(r.outer is not None and r.most_threads == 2 for r in trace.regions)


@pytest.mark.parametrize("compiler", BOTH)
def test_counts_are_exact(bench: Bench, compiler: str) -> None:
    assert bench.watch(bench.build("ends.c", compiler)).status == 0
    trace = bench.trace()
    assert sum(r.count for r in trace.regions) == 50
    for thread in range(2):
        assert sum(w.count for w in trace.waits if w.kind == "team" and w.thread == thread) == 50
    assert sum(p.count for p in trace.pairs) == 49
    assert all(r.seconds >= r.overhead and r.busy <= 2 * r.seconds for r in trace.regions)


def test_fortran(bench: Bench) -> None:
    program = bench.build("team.f90")
    bare = call([program], bench.folder)
    seen = bench.watch(program)
    assert seen.output.startswith(bare.output), seen.errors
    assert sum(r.count for r in bench.trace().regions) == 41


@pytest.mark.parametrize("compiler", BOTH)
def test_classes_and_exceptions(bench: Bench, compiler: str) -> None:
    program = bench.build("classes.cpp", compiler)
    bare = call([program], bench.folder)
    assert bench.watch(program).output.startswith(bare.output)
    assert sum(r.count for r in bench.trace().regions) == 31


@pytest.mark.parametrize(
    ("way", "status", "regions", "closed"),
    [
        ("return", 0, [50], [True]),
        ("exit", 3, [50], [True]),
        ("_exit", 4, [50], [False]),
        ("kill", 137, [50], [False]),
        ("exec", 0, [50, 50], [False, True]),
        ("cancel", 0, [51], [True]),
    ],
)
@pytest.mark.parametrize("compiler", BOTH)
def test_ends(bench: Bench, compiler: str, way: str, status: int, regions: list[int], closed: list[bool]) -> None:
    program = bench.build("ends.c", compiler)
    bare = call([program, way], bench.folder, {"OMP_CANCELLATION": "true"})
    seen = bench.watch(program, way, OMP_CANCELLATION="true")
    assert seen.status == status, seen.errors
    assert seen.output.startswith(bare.output.rsplit("\n", 1)[0])
    trace = bench.trace()
    # The region in which the program ends is not over.
    counts = [sum(r.count for r in trace.regions if r.process == i) for i in range(len(trace.processes))]
    assert sorted(counts) == sorted(regions)
    assert sorted(p.closed for p in trace.processes) == sorted(closed)


def test_the_run_begins_with_the_process(bench: Bench) -> None:
    """What a program does before its first region is a part of the run."""
    program = bench.build("before.c")
    bench.watch(program)
    trace = bench.trace()
    assert trace.wall_seconds >= 0.3 > trace.processes[0].seconds


@pytest.mark.parametrize(
    ("threads", "why"),
    [
        ("2", "OMP_NUM_THREADS=2 allows more, so the program itself asks for one"),
        ("1", "set OMP_NUM_THREADS to see what threads cost"),
    ],
)
def test_who_asks_for_one_thread(bench: Bench, threads: str, why: str) -> None:
    program = bench.build("before.c", "gcc", "-DALONE")
    said = call([bench.command, "run", "--omp", "-o", "out", "--", program], bench.folder, {"OMP_NUM_THREADS": threads})
    assert f"all teams had one thread: {why}" in said.output + said.errors


@pytest.mark.parametrize("compiler", BOTH)
def test_functions_that_are_called_like_system_calls(bench: Bench, compiler: str) -> None:
    """The recorder's own files are none of the program's business."""
    program = bench.build("own_names.c", compiler)
    seen = bench.watch(program)
    assert call([program], bench.folder).output == "2.4975e+07\n"
    assert seen.output.startswith("2.4975e+07\n{"), seen.output
    assert [(p.closed, r.count) for p, r in zip(bench.trace().processes, bench.trace().regions, strict=True)] == [
        (True, 50)
    ]


@pytest.mark.parametrize("compiler", BOTH)
def test_fork(bench: Bench, compiler: str) -> None:
    program = bench.build("ends.c", compiler)
    seen = bench.watch(program, "fork")
    assert seen.status == 0, seen.errors
    assert seen.output.splitlines()[:3] == ["24975000", "9990000", "0 4995000"]
    trace = bench.trace()
    counts = [sum(r.count for r in trace.regions if r.process == i) for i in range(len(trace.processes))]
    assert sorted(counts) == [20, 60]


@pytest.mark.parametrize("compiler", BOTH)
def test_openmp_that_is_loaded_late(bench: Bench, compiler: str) -> None:
    part = bench.build("part.c", compiler, "-shared", "-fPIC")
    program = bench.build("late.c", "gcc", "-fno-openmp")
    bare = call([program, part], bench.folder)
    seen = bench.watch(program, part)
    assert seen.output.startswith(bare.output), seen.errors
    assert sum(r.count for r in bench.trace().regions) == 40


def test_ranks(bench: Bench) -> None:
    if not (shutil.which("mpicc.openmpi") and shutil.which("mpirun.openmpi")):
        pytest.skip("Open MPI is not installed")
    include = call(["mpicc.openmpi", "-show"], bench.folder).output.split()[1:]
    program = bench.build("hybrid.c", "gcc", *include)
    seen = bench.watch("mpirun.openmpi", "-n", "2", program, **LAUNCH)
    assert (seen.status, seen.output.splitlines()[0]) == (0, "179910000"), seen.errors
    trace = bench.trace()
    assert [p.rank for p in trace.processes] == [0, 1]
    assert {p.ranks for p in trace.processes} == {2}
    assert [sum(r.count for r in trace.regions if r.process == i) for i in (0, 1)] == [30, 30]


def told(bench: Bench) -> str:
    done = call([bench.command, "report", "out", "--all"], bench.folder)
    return done.output + done.errors


def test_without_lines_functions_are_named(bench: Bench) -> None:
    seen = bench.watch(bench.build("ends.c", "gcc", "-g0"))
    assert seen.status == 0
    assert "build it with -g" in told(bench)


def test_stripped(bench: Bench) -> None:
    seen = bench.watch(bench.build("ends.c", "gcc", "-s"))
    assert seen.status == 0
    assert "build it with -g" in told(bench)
    assert sum(r.count for r in bench.trace().regions) == 50


def test_static_program(bench: Bench) -> None:
    program = bench.build("ends.c", "gcc", "-static")
    seen = bench.watch(program)
    assert (seen.status, seen.output) == (0, "24975000\n")
    assert "static executable" in seen.errors and "nothing to report" in seen.errors


def test_program_without_openmp(bench: Bench) -> None:
    seen = bench.watch(bench.build("classes.cpp", "gcc", "-fno-openmp"))
    assert seen.status == 0
    assert "not linked with an OpenMP library" in seen.errors


def test_entry_point_that_llvm_lacks(bench: Bench) -> None:
    source = bench.folder / "scope.c"
    source.write_text(
        "#include <stdio.h>\nint main(void) {\n  int n = 0;\n#pragma omp parallel\n"
        '#pragma omp scope reduction(task, +: n)\n  n++;\n  printf("%d\\n", n > 0);\n  return 0;\n}\n'
    )
    program = bench.folder / "scope"
    if call(["gcc", "-O1", "-fopenmp", source, "-o", program], bench.folder).status != 0:
        pytest.skip("this GCC has no scope construct")
    seen = bench.watch(program)
    assert (seen.status, seen.output) == (0, "1\n")
    assert "GOMP_scope_start" in seen.errors and "clang" in seen.errors


def test_no_llvm_library(bench: Bench) -> None:
    program = bench.build("ends.c")
    seen = bench.watch(program, STRIDEWISE_LIBOMP="/nonexistent/libomp.so.5")
    assert (seen.status, seen.output) == (2, "")
    assert "libomp" in seen.errors and "install" in seen.errors


def test_set_user_id(bench: Bench) -> None:
    program = bench.folder / "setuid"
    shutil.copy(bench.build("ends.c"), program)
    try:
        shutil.chown(program, 1)
        program.chmod(0o4755)
    except OSError:
        pytest.skip("needs the right to change owners")
    seen = bench.watch(program)
    assert "setuid" in seen.errors


def test_folder_that_cannot_be_written(bench: Bench) -> None:
    program = bench.build("ends.c", "gcc")
    (bench.folder / "out").write_text("a file")
    seen = bench.watch(program)
    assert seen.status == 2 and "out" in seen.errors


def test_tools_switched_off(bench: Bench) -> None:
    seen = bench.watch(bench.build("ends.c"), OMP_TOOL="disabled")
    assert seen.status == 0 and "OMP_TOOL" in seen.errors
    assert Path(bench.trace().processes[0].shard).is_file()


@needs_clang
def test_imbalance_inside_a_region(bench: Bench) -> None:
    """The loop is named, not the region; on a machine without room the finding may be unsure, not absent."""
    bench.watch(bench.build("meeting.c", "clang", "-ffp-contract=off"))
    done = call([bench.command, "report", "out", "--format", "json", "--min-confidence", "low"], bench.folder)
    value = json.loads(done.output)
    found = [f for f in (*value["findings"], *value["unsure"]) if f["rule"] == "omp-load-imbalance"]
    assert [f["location"]["line"] for f in found] == [10]
