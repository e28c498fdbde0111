"""Phases that a program marks divide what is told of its teams."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest
from conftest import HERE, TOP, Bench, call, needs_clang

from mpi_launch import LAUNCH
from stridewise.runs import run_folder
from stridewise.runs.omp import shards as omp_shards
from stridewise.runs.omp import watcher
from stridewise.runs.omp.trace import Phase
from stridewise.settings import toolchain

HEADER = f"-I{TOP / 'runtime' / 'phases'}"
SOURCE = (HERE / "programs" / "phases.c").read_text().splitlines()
BOTH = ["gcc", pytest.param("clang", marks=needs_clang)]


def line_of(mark: str) -> int:
    return 1 + next(n for n, line in enumerate(SOURCE) if line.endswith(f"// {mark}"))


def by_name(bench: Bench) -> dict[str, Phase]:
    return {phase.name: phase for phase in bench.trace().phases}


@pytest.mark.parametrize("compiler", BOTH)
def test_times_and_places_are_of_their_phases(bench: Bench, compiler: str) -> None:
    program = bench.build("phases.c", compiler, HEADER)
    seen = bench.watch(program)
    assert (seen.status, seen.output.splitlines()[0]) == (0, call([program], bench.folder).output.strip()), seen.errors
    found = by_name(bench)
    assert {name: (phase.count, phase.regions) for name, phase in found.items()} == {
        "start": (1, 0), "many": (2, 1000), "uneven": (1, 1), "nested": (1, 1), "alone": (1, 0),
    }  # fmt: skip
    assert found["start"].seconds >= 0.1 and found["alone"].seconds >= 0.2
    uneven, many = found["uneven"], found["many"]
    assert uneven.seconds >= uneven.team_seconds >= 0.3
    assert uneven.working_seconds <= 0.75 * uneven.team_seconds
    assert many.seconds >= many.team_seconds >= many.opening_seconds > 0
    assert many.team_seconds >= many.working_seconds > 0
    trace, _ = watcher.symbolized(bench.trace(), bench.folder / "out" / "omp")
    phases = {line: names for (_, line), names in watcher._phases(trace).items()}
    assert phases[line_of("kernel")] == ["many", ""]
    assert phases[line_of("uneven")] == ["uneven"]
    opening = [sum(r.overhead for r in trace.regions), sum(p.opening_seconds for p in trace.phases)]
    assert opening[1] <= opening[0]


@pytest.mark.parametrize("compiler", BOTH)
def test_reports_are_divided_by_phase(bench: Bench, compiler: str) -> None:
    assert bench.watch(bench.build("phases.c", compiler, HEADER)).status == 0

    def report(*words: str) -> str:
        return call([bench.command, "report", "out", *words], bench.folder).output

    text = report("--all")
    table = text[text.index("time by phase") :].split("\n\n")[0].splitlines()
    assert "in teams" in table[0] and "opening them" in table[0]
    assert {line.split()[0] for line in table[1:6]} == {"uneven", "nested", "alone", "start", "many"}
    made = json.loads(report("--format", "json"))
    (told,) = [f for f in made["findings"] if "uneven" in (f["function"], SOURCE[f["location"]["line"] - 1])]
    assert [e["metrics"]["phase"] for e in told["evidence"] if e["source"] == "omp"] == ["uneven"]
    phases = {phase["name"]: phase for phase in made["runs"][0]["profile"]["phases"]}
    assert phases["many"]["regions"] == 1000
    assert 0 < phases["uneven"]["waiting_seconds"] <= phases["uneven"]["team_seconds"] <= phases["uneven"]["seconds"]
    (region,) = [r for r in made["runs"][0]["profile"]["regions"] if r["line"] == line_of("uneven")]
    assert (region["count"], region["phases"]) == (1, ["uneven"])
    assert region["seconds"] >= region["worst_seconds"] > 1.5 * region["mean_seconds"] > 0
    assert re.search(rf"\[uneven\] \S*phases.c:{line_of('uneven')} ", text[text.index("time by region") :])
    page = report("--format", "html")
    assert "time by region" in page
    assert "time by phase" in page and 'data-phases="uneven"' in page


def test_a_child_goes_on_in_the_phase_that_it_was_made_in(bench: Bench) -> None:
    assert bench.watch(bench.build("phases.c", "gcc", HEADER), "fork").status == 0
    trace = bench.trace()
    assert len(trace.processes) == 2
    told = [{p.name: p.regions for p in trace.phases if p.process == n} for n in (0, 1)]
    assert {"many": 1, "of the child": 1} in told
    assert {"start": 0, "many": 1000, "uneven": 1, "nested": 1, "alone": 0} in told


def test_a_killed_process_leaves_its_phases(bench: Bench) -> None:
    bench.watch(bench.build("phases.c", "gcc", HEADER), "killed")
    found = by_name(bench)
    assert not bench.trace().processes[0].closed
    assert (found["many"].count, found["many"].regions) == (2, 1001)
    assert found["many"].seconds >= found["many"].team_seconds > 0


def test_more_phases_than_the_table_holds(bench: Bench) -> None:
    assert bench.watch(bench.build("phases.c", "gcc", HEADER), "names").status == 0
    found = by_name(bench)
    assert len(found) == 63
    # Four phases come before the hundred steps; the last one in the table is that of all others.
    assert (found["other phases"].count, found["other phases"].regions) == (1, 100 - 58)
    assert found["step 57"].regions == 1 and "step 58" not in found
    assert call([bench.command, "report", "out"], bench.folder).status == 0


def test_a_program_that_marks_none_has_none(bench: Bench) -> None:
    assert bench.watch(bench.build("ends.c")).status == 0
    trace = bench.trace()
    assert not trace.phases and not trace.site_phases
    assert "time by phase" not in call([bench.command, "report", "out"], bench.folder).output


@pytest.mark.parametrize("first", ["mpi", "omp"])
def test_recorders_of_mpi_and_openmp_both_learn_of_phases(bench: Bench, first: str) -> None:
    flavour, mpi, omp = "openmpi", toolchain.interposers().get("openmpi"), toolchain.omp_recorder()
    library = toolchain.llvm_openmp()
    if mpi is None or not (shutil.which(f"mpicc.{flavour}") and shutil.which(f"mpirun.{flavour}")):
        pytest.skip("Open MPI is not installed")
    assert omp and library
    include = call([f"mpicc.{flavour}", "-show"], bench.folder).output.split()[1:]
    program = bench.build("phases.c", "gcc", HEADER, "-DWITH_MPI", *include)
    recorders = [mpi, omp] if first == "mpi" else [omp, mpi]
    environment = {
        **LAUNCH,
        "LD_PRELOAD": ":".join(map(str, [*recorders, library])),
        "STRIDEWISE_OUT": str(bench.folder / "out"),
    }
    done = call([f"mpirun.{flavour}", "-n", "1", program], bench.folder, environment)
    assert done.status == 0, done.errors
    assert {name: phase.regions for name, phase in by_name(bench).items()} == {
        "start": 0, "many": 1000, "uneven": 1, "nested": 1, "alone": 0,
    }  # fmt: skip
    target = bench.folder / "trace.json"
    subprocess.run([toolchain.merger(), bench.folder / "out" / "mpi", "-o", target], check=True)
    merged = json.loads(target.read_text())
    assert {p["name"]: p["count"] for p in merged["phases"]} == {
        "start": 1,
        "many": 2,
        "uneven": 1,
        "nested": 1,
        "alone": 1,
    }


def as_version_2(data: bytes) -> bytes:
    """The shard as a recorder that knew no phases has written it."""
    new, old = omp_shards._HEADERS[3], omp_shards._HEADERS[2]
    head = list(new.unpack_from(data))
    shift = old.size - new.size
    sections = [list(head[at : at + 4]) for at in range(20, 36, 4)]
    body = bytearray(data[new.size :])
    offset, used, size, _ = sections[0]
    for number in range(used):
        at = offset - new.size + number * size + omp_shards._THREAD.size - struct.calcsize("<QQII")
        where, count, width, room = struct.unpack_from("<QQII", body, at)
        short = omp_shards._ENTRIES[2].size
        full = [body[where - new.size + n * width :][:width] for n in range(count)]
        rows = [row[:24] + row[32:] for row in full]  # without the mask
        body[where - new.size : where - new.size + count * short] = b"".join(rows)
        struct.pack_into("<QQII", body, at, where + shift, count, short, room)
    for section in sections:
        section[0] += shift
    head[1], head[2], head[3], head[4] = 2, old.size, len(body) + old.size, 0
    head[20:36] = [value for section in sections[:3] for value in section]
    whole = bytearray(old.pack(*head)) + body
    struct.pack_into("<I", whole, omp_shards._CRC_AT, zlib.crc32(whole))
    return bytes(whole)


def test_shards_of_the_version_before_are_read(bench: Bench) -> None:
    assert bench.watch(bench.build("phases.c", "gcc", HEADER)).status == 0
    (path,) = run_folder.files(bench.folder / "out", "omp", "*.swomp")
    now = bench.trace()
    (bench.folder / "old").mkdir()
    copy = bench.folder / "old" / path.name
    copy.write_bytes(as_version_2(path.read_bytes()))
    old, bad = omp_shards.read([copy])
    assert not bad
    assert (old.regions, old.waits, old.meetings, old.works) == (now.regions, now.waits, now.meetings, now.works)
    assert not old.phases and not old.site_phases


def test_a_damaged_table_of_phases_is_refused(bench: Bench, tmp_path: Path) -> None:
    assert bench.watch(bench.build("phases.c", "gcc", HEADER)).status == 0
    (path,) = run_folder.files(bench.folder / "out", "omp", "*.swomp")
    data = bytearray(path.read_bytes())
    data[28] = 1  # not closed: without checksum
    at = omp_shards._HEADERS[3].size - struct.calcsize("<" + omp_shards._TEXTS) - struct.calcsize("<QQII")
    struct.pack_into("<Q", data, at, len(data))
    damaged = tmp_path / "damaged.swomp"
    damaged.write_bytes(data)
    trace, bad = omp_shards.read([damaged])
    assert not trace.processes and not trace.phases
    assert "a table is cut off" in bad[0][1]
