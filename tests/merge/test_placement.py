"""Placement and prices."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest
import shard_files
from shards import Call, Program, Rank, World

from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.finding import prices
from stridewise.machine.machine_file import Collective, MachineFile, MpiCosts
from stridewise.patterns import mpi_rank_placement
from stridewise.runs.mpi.trace import Machine, Trace
from stridewise.runs.mpi.trace_file import load

pytestmark = pytest.mark.usefixtures("all_is_stated")

Steps = Generator[Call, None, None]
Raw = Callable[..., subprocess.CompletedProcess[str]]


def pairs_of(distance: int) -> Program:
    def program(rank: Rank) -> Steps:
        partner = rank.number ^ distance
        for _ in range(20):
            yield rank.sendrecv(partner, partner, "exchange", size=200_000)

    return program


def on_nodes(folder: Path, merge_raw: Raw, program: Program, ranks: int, nodes: int) -> Trace:
    """The ranks are numbered node by node."""
    for rank in World(ranks).run(program).ranks:
        host = f"node{rank.number * nodes // ranks}"
        (folder / f"shard.77.{rank.number}.swshard").write_bytes(shard_files.shard(rank, host=host))
    assert merge_raw(folder).returncode == 0
    return load(folder / "trace.json")


@pytest.mark.parametrize(("distance", "found"), [(4, 1), (1, 0)])
def test_partners_on_different_nodes(
    distance: int, found: int, tmp_path: Path, merge_raw: Raw, rules: dict[str, Rule]
) -> None:
    trace = on_nodes(tmp_path, merge_raw, pairs_of(distance), 8, 2)
    findings = list(mpi_rank_placement.detect_mpi(trace, rules["mpi-rank-placement"]))
    assert len(findings) == found
    if findings:
        assert findings[0].message.startswith("100 % of the bytes travel between the 2 nodes; with partners")
        assert findings[0].args["best_percent"] == 0


def test_one_node_has_no_placement(tmp_path: Path, merge_raw: Raw, rules: dict[str, Rule]) -> None:
    trace = on_nodes(tmp_path, merge_raw, pairs_of(4), 8, 1)
    assert list(mpi_rank_placement.detect_mpi(trace, rules["mpi-rank-placement"])) == []


def test_given_costs_replace_those_of_the_run(tmp_path: Path, merge_raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = on_nodes(tmp_path, merge_raw, pairs_of(1), 2, 1)
    file = tmp_path / "machine.json"
    monkeypatch.setenv("STRIDEWISE_MACHINE", str(file))
    file.write_text(json.dumps({"latency_seconds": 1e-6, "bytes_per_second": 1e9}), encoding="utf-8")
    machine = prices.with_given(trace).machine
    assert (machine.latency_seconds, machine.bytes_per_second) == (1e-6, 1e9)
    assert prices.message_seconds(machine, 1000) == pytest.approx(2e-6)
    assert prices.tree_seconds(machine, 9, 1000) == pytest.approx(8e-6)
    file.write_text(json.dumps({"latency_seconds": -1}), encoding="utf-8")
    with pytest.raises(Failure, match="no positive number"):
        prices.with_given(trace)


def test_calibrated_costs_are_for_runs_on_one_node(
    tmp_path: Path, merge_raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    trace = on_nodes(one, merge_raw, pairs_of(1), 4, 1)
    barriers = (Collective("MPI_Barrier", 2, 0, 1e-6), Collective("MPI_Barrier", 8, 0, 4e-6))
    costs = MpiCosts(trace.job.flavour, "", 8, 2e-6, 3e-7, 5e9, collectives=barriers)
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(MachineFile(mpi=(costs,)).to_json()), encoding="utf-8")
    monkeypatch.setenv("STRIDEWISE_MACHINE", str(file))
    machine = prices.with_given(trace).machine
    assert (machine.latency_seconds, machine.send_seconds, machine.bytes_per_second) == (2e-6, 3e-7, 5e9)
    assert machine.barrier_seconds == pytest.approx(2e-6)
    # A run over a network, and one with another MPI, keep what they have measured themselves.
    over_network = on_nodes(two, merge_raw, pairs_of(1), 4, 2)
    assert prices.with_given(over_network).machine == over_network.machine
    file.write_text(json.dumps(MachineFile(mpi=(replace(costs, flavour="other"),)).to_json()), encoding="utf-8")
    assert prices.with_given(trace).machine == trace.machine
    # What a person wrote counts everywhere, and before what was measured.
    file.write_text(json.dumps(MachineFile(mpi=(costs,), given={"latency_seconds": 9e-6}).to_json()), encoding="utf-8")
    assert prices.with_given(trace).machine.latency_seconds == 9e-6
    assert prices.with_given(over_network).machine.latency_seconds == 9e-6


def test_nothing_is_invented() -> None:
    assert prices.tree_seconds(Machine(), 8, 100) == 0
