"""stridewise calibrate: figures from samples, working sets, table, plot, and one real measurement."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from stridewise.cli import main
from stridewise.console import Painter
from stridewise.finding import prices
from stridewise.machine import machine_file
from stridewise.machine.calibrate import measure, plot, samples, table, topology
from stridewise.machine.calibrate.topology import Processors
from stridewise.machine.machine_file import CacheLevel, MachineFile, MemoryLevel, OmpRuntime, Topology
from stridewise.settings import toolchain

PAIR = {
    "message.8": 1e-6,
    "message.64": 1.1e-6,
    "message.1000000": 1e-4,
    "message.2000000": 2e-4,
    "send.8": 3e-7,
    "barrier": 5e-7,
    "MPI_Allreduce.8": 9e-7,
}
LOOPS = {"iterations": [2e-6] * 3, "loop_static": [3e-6] * 3, "loop_static_1": [2.9e-6] * 3}


def test_disturbed_samples_do_not_count() -> None:
    assert samples.typical([1.0, 1.1, 1.05, 50.0, 9.0, 1.2])[0] == pytest.approx(1.075)
    assert samples.typical([0.01, 1.0, 1.1, 1.2])[0] == pytest.approx(1.05)  # the quickest was luck
    middle, spread = samples.typical([1.0, 1.1, 1.2, 1.3, 1.4])
    assert (middle, round(spread, 2)) == (1.2, 0.25)
    assert samples.typical([4.0]) == (4.0, 0.0)


def test_loops_cost_what_is_beyond_their_iterations() -> None:
    team = samples.team(2, {**LOOPS, "loop_dynamic_1": [28.6e-6] * 3, "parallel": [1e-6] * 3})
    assert team.seconds["loop_static"] == pytest.approx(1e-6)
    assert team.seconds["chunk_dynamic"] == pytest.approx(0.1e-6)
    assert 0 < team.seconds["chunk_static"] < 1e-9  # quicker than plain static: noise, and never negative
    assert team.seconds["parallel"] == pytest.approx(1e-6)
    assert "iterations" not in team.seconds
    slots = {"slots_shared": [30e-9] * 3, "slots_private": [5e-9] * 3}
    assert samples.team(2, slots).seconds == {"shared_line": pytest.approx(25e-9)}
    assert samples.team(1, slots).seconds == {}


def test_several_processes_give_their_median() -> None:
    seen = [samples.team(2, {"parallel": [value] * 5}) for value in (1e-6, 5e-6, 1.1e-6, 1.2e-6, 1e-6)]
    team = samples.combine(seen)
    assert team.seconds["parallel"] == pytest.approx(1.1e-6)
    assert team.spread["parallel"] == pytest.approx(4 / 1.1, rel=1e-3)


def test_processes_that_were_disturbed_count_less() -> None:
    seen = [samples.Seen(share, cost) for share, cost in ((0.9, 1.0), (0.0, 5.0), (0.1, 5.1), (0.5, 2.0), (0.0, 4.9))]
    assert sorted(samples.quieter_half(seen)) == [4.9, 5.0, 5.1]
    assert samples.quieter_half(seen[:1]) == [1.0]


def test_figures_of_processes_are_combined() -> None:
    assert samples.medians([{"a": 1.0, "b": 2.0}, {"a": 3.0}, {"a": 9.0, "b": 4.0}]) == {"a": 3.0, "b": 3.0}
    levels = [MemoryLevel("L1", 24 << 10, latency, 1e11, 4e11) for latency in (1e-9, 7e-9, 2e-9)]
    assert samples.combine_levels(levels) == MemoryLevel("L1", 24 << 10, 2e-9, 1e11, 4e11)


def test_messages_follow_hockneys_model() -> None:
    costs = samples.messages("mpich", "MPICH 4", {2: PAIR, 8: {"barrier": 2e-6}})
    assert costs is not None
    assert (costs.latency_seconds, costs.send_seconds, costs.ranks) == (1e-6, 3e-7, 8)
    assert costs.bytes_per_second == pytest.approx(1e10)
    assert [(c.call, c.ranks, c.bytes) for c in costs.collectives] == [
        ("MPI_Barrier", 2, 0),
        ("MPI_Allreduce", 2, 8),
        ("MPI_Barrier", 8, 0),
    ]
    assert samples.messages("mpich", "", {2: {"barrier": 1e-6}}) is None


@pytest.mark.parametrize("line", ["hello", "sample parallel fast", "sample parallel"])
def test_foreign_output_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        samples.parse([line])


def system(tmp_path: Path, siblings: dict[int, str], nodes: dict[int, str]) -> None:
    for cpu, group in siblings.items():
        folder = tmp_path / "cpu" / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(group + "\n", encoding="ascii")
        (folder / "physical_package_id").write_text("0\n", encoding="ascii")
    for node, members in nodes.items():
        folder = tmp_path / "node" / f"node{node}"
        folder.mkdir(parents=True)
        (folder / "cpulist").write_text(members + "\n", encoding="ascii")


def test_teams_fill_cores_first_and_nodes_one_after_another(tmp_path: Path) -> None:
    siblings = {cpu: f"{cpu % 4},{cpu % 4 + 4}" for cpu in range(8)}
    system(tmp_path, siblings, {0: "0,2,4,6", 1: "1,3,5,7"})
    found = topology.of_system([0, 1, 2, 3, 4, 5, 7], tmp_path / "cpu", tmp_path / "node", tmp_path / "none")
    assert found.order == (0, 2, 1, 3, 4, 5, 7)
    assert (found.cores, found.topology.nodes, found.topology.logical) == (4, 2, 7)


def test_a_containers_quota_limits_the_teams(tmp_path: Path) -> None:
    system(tmp_path, {cpu: str(cpu) for cpu in range(4)}, {})
    (tmp_path / "cpu.max").write_text("150000 100000\n", encoding="ascii")
    found = topology.of_system([0, 1, 2, 3], tmp_path / "cpu", tmp_path / "node", tmp_path / "cpu.max")
    assert found.cores == 1
    assert "quota allows 1.5 of 4 cores" in found.notes[0]


@pytest.mark.parametrize("text", ["0-3,8", "0,1,2,3,8\n"])
def test_lists_of_the_kernel(text: str) -> None:
    assert topology.parse_list(text) == [0, 1, 2, 3, 8]


def test_working_sets_lie_in_their_levels() -> None:
    caches = (CacheLevel(1, 48 << 10, 64, 1), CacheLevel(2, 2 << 20, 64, 1), CacheLevel(3, 32 << 20, 64, 8))
    found = measure.working_sets(Processors(tuple(range(8)), 8, Topology(caches=caches)))
    assert [name for name, _, _ in found] == ["L1", "L2", "L3", "memory"]
    for (_, one, each), cache in zip(found, caches, strict=False):
        assert cache.bytes // 2 <= one <= cache.bytes
        assert each * cache.shared_by <= cache.bytes
    assert found[-1][1] >= 2 * caches[-1].bytes


def example() -> MachineFile:
    costs = samples.messages("mpich", "MPICH Version: 4.0.2", {2: PAIR})
    teams = tuple(samples.team(n, {**LOOPS, "parallel": [n * 1e-6] * 3, "atomic": [1e-8] * 3}) for n in (1, 2, 4))
    return MachineFile(
        host="node<7>",
        date="2026-01-02T03:04:05+00:00",
        seconds=41.0,
        topology=Topology("Some \x1b[31mprocessor", 8, 4, 1, 2),
        omp=(OmpRuntime("libomp", "clang 19", teams),),
        memory=(MemoryLevel("L1", 24 << 10, 1.5e-9, 1e11, 4e11), MemoryLevel("memory", 1 << 30, 9e-8, 1e10, 4e10)),
        mpi=(costs,) if costs else (),
        notes=("the machine was busy",),
    )


def test_table_and_plot_show_every_part() -> None:
    text = table.render(example(), Painter(False))
    for part in ("parallel region", "4 threads", "static,1", "< 1 ns", "L1", "1.5 ns", "40 GB/s", "MPI_Allreduce, 8 B"):
        assert part in text
    assert "\x1b" not in text
    drawn = plot.render(example())
    root = ElementTree.fromstring(drawn)
    assert root.tag.endswith("svg")
    assert "node&lt;7&gt;" in drawn
    assert drawn.count("<circle") > 10
    assert "\x1b" not in drawn
    ElementTree.fromstring(plot.render(MachineFile()))
    assert table.render(MachineFile(given={"latency_seconds": 1e-6}), Painter(False)).count("\n") == 2


def test_more_threads_than_cores_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--only", "omp", "--threads", "9999", "-o", str(tmp_path / "m.json")]) == 2
    assert "does not fit this machine" in capsys.readouterr().err
    assert not (tmp_path / "m.json").exists()


def test_show_says_what_to_do_where_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("STRIDEWISE_MACHINE", raising=False)
    assert main(["calibrate", "--show"]) == 2
    assert "run stridewise calibrate" in capsys.readouterr().err
    assert main(["calibrate", "--show", "--plot", "costs.png"]) == 2
    assert "costs.svg" in capsys.readouterr().err


def test_show_prints_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, drawing = tmp_path / "m.json", tmp_path / "m.svg"
    path.write_text(json.dumps(example().to_json()), encoding="utf-8")
    assert main(["calibrate", "--show", "-o", str(path), "--format", "json", "--plot", str(drawing)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(path.read_text(encoding="utf-8"))
    assert drawing.read_text(encoding="utf-8").startswith("<svg")


def test_what_cannot_be_measured_is_said_and_the_rest_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, broken = tmp_path / "m.json", tmp_path / "broken"
    path.write_text(json.dumps(example().to_json()), encoding="utf-8")
    broken.write_text("#!/bin/sh\necho 'no such luck' >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_MEMORY_COSTS", str(broken))
    monkeypatch.setenv("STRIDEWISE_FLOP_COSTS", str(broken))
    assert main(["calibrate", "--only", "memory", "-o", str(path)]) == 2
    assert "ended with status 3: no such luck" in capsys.readouterr().err
    assert machine_file.load(path) == replace(example(), given={})


def test_memory_that_cannot_be_measured_stays_beside_new_arithmetic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, program = tmp_path / "m.json", tmp_path / "costs"
    path.write_text(json.dumps(example().to_json()), encoding="utf-8")
    samples_ = "echo sample scalar 5e-10\necho sample double.vector 5e-11\necho sample double.vector 5e-11\n"
    program.write_text(f"#!/bin/sh\necho info bits 256\n{samples_}", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_MEMORY_COSTS", "/bin/false")
    monkeypatch.setenv("STRIDEWISE_FLOP_COSTS", str(program))
    assert main(["calibrate", "--only", "memory", "-o", str(path)]) == 0
    assert "scalar   double vector, 256 bits" in capsys.readouterr().out
    kept = machine_file.load(path)
    assert kept.memory == example().memory
    assert [(rate.name, rate.bits) for rate in kept.arithmetic] == [("scalar", 64), ("double vector", 256)]
    assert [rate.flops_per_second for rate in kept.arithmetic] == [pytest.approx(2e9), pytest.approx(2e10)]


def test_what_fails_at_times_is_kept_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, program, flag = tmp_path / "m.json", tmp_path / "costs", tmp_path / "once"
    path.write_text(json.dumps(replace(example(), disturbed_share=0.5).to_json()), encoding="utf-8")
    figures = "".join(f"echo sample L1.{kind} 1e-9\n" for kind in ("latency", "one", "all"))
    program.write_text(f"#!/bin/sh\n[ ! -e '{flag}' ] || exit 3\n: > '{flag}'\n{figures}", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_MEMORY_COSTS", str(program))
    assert main(["calibrate", "--only", "memory", "-o", str(path)]) == 0
    assert "memory: measured less often, costs ended with status 3" in capsys.readouterr().err
    kept = machine_file.load(path)
    assert [level.name for level in kept.memory] == ["L1"]
    assert any("measured less often" in note for note in kept.notes)
    assert kept.disturbed_share == 0.5  # of the parts that were not measured anew


def test_constructs_of_this_machine_are_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Measured for real, on as many cores as there are up to two. Figures that other work disturbed may be wrong, where
    the tool says that the machine was busy."""
    built = [
        runtime
        for runtime in measure.RUNTIMES
        if toolchain.program(f"stridewise-omp-costs-{runtime}", f"STRIDEWISE_OMP_COSTS_{runtime.upper()}")
    ]
    if not built:
        pytest.skip("the programs of runtime/calibrate are not built")
    monkeypatch.setattr(measure, "_PATIENCE_SECONDS", 300.0)
    threads, path = min(2, Processors.detect().cores), tmp_path / "machine.json"
    in_order = (("atomic", "critical"), ("for", "parallel_for"), ("loop_static", "loop_dynamic_1"))
    unseen = {(runtime, *pair) for runtime in built for pair in in_order}
    wrong: dict[tuple[str, str, str], str] = {}
    for _ in range(5):
        path.unlink(missing_ok=True)
        assert main(["calibrate", "--only", "omp", "--quick", "--threads", str(threads), "-o", str(path)]) == 0
        said = capsys.readouterr().err
        disturbed = "the machine was busy" in said or "they do not count" in said
        costs = prices.Costs(machine_file.load(path))
        for runtime, cheap, dear in list(unseen):
            assert costs.file
            entry = costs.file.runtime(runtime)
            found = entry.teams[0].seconds if entry else {}
            assert cheap in found, f"{runtime} without {cheap}"
            assert dear in found, f"{runtime} without {dear}"
            if found[cheap] < found[dear]:
                unseen.remove((runtime, cheap, dear))
                wrong.pop((runtime, cheap, dear), None)
            elif not disturbed:
                wrong[runtime, cheap, dear] = f"{found[cheap]} is not below {found[dear]}"
        if not unseen:
            price = prices.omp_cost(costs, "parallel", threads)
            assert price.measured or disturbed
            assert 1e-9 < price.seconds < 1
            break
    assert not wrong


def test_the_programs_refuse_what_makes_no_sense() -> None:
    program = toolchain.program("stridewise-memory-costs", "STRIDEWISE_MEMORY_COSTS")
    if program is None:
        pytest.skip("the programs of runtime/calibrate are not built")
    for words in ((), ("1", "64", "x", "L1:4096:4096"), ("1", "64", "0", "L1:1:1"), ("0", "64", "0", "L1:4096:4096")):
        assert os.spawnv(os.P_WAIT, program, [str(program), *words]) == 2
