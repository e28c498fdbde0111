"""What was injected is reported, by its kind and size; the twins are silent."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "mpi_properties"))

import properties
from properties import PROPERTIES, Property

from stridewise.collect.symbolize import symbolize

TIMES = 5
DELAY_MS = 40.0
RANKS = {"openmpi": 4, "mpich": 2}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("properties")


@pytest.fixture(params=sorted(RANKS))
def flavour(request: pytest.FixtureRequest) -> str:
    if request.param not in properties.flavours():
        pytest.skip(f"{request.param} is not installed or has no interposer")
    return str(request.param)


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda p: p.name)
def test_the_delay_is_reported_with_its_size(prop: Property, flavour: str, folder: Path) -> None:
    program = properties.build(prop.name, flavour, folder)
    ratio = properties.severity(prop, program, flavour, RANKS[flavour], DELAY_MS, TIMES)
    assert ratio == pytest.approx(1.0, abs=properties.TOLERANCE)


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda p: p.name)
def test_the_twin_is_silent(prop: Property, flavour: str, folder: Path) -> None:
    program = properties.build(prop.name, flavour, folder)
    assert properties.silence(prop, program, flavour, RANKS[flavour], DELAY_MS, TIMES) < properties.SILENT_SHARE


def test_a_chain_is_traced_back_to_its_head(folder: Path) -> None:
    if "openmpi" not in properties.flavours():
        pytest.skip("openmpi is not installed or has no interposer")
    (prop,) = [p for p in PROPERTIES if p.name == "chain"]
    program = properties.build(prop.name, "openmpi", folder)
    outcome = properties.run(prop, program, "openmpi", 4, DELAY_MS, TIMES, twin=False)
    assert outcome.site is not None
    of_head = sum(c.seconds for c in outcome.site.causes if c.rank == 0 and c.kind == "computation")
    assert of_head >= 0.8 * outcome.site.seconds
    assert max(c.depth for c in outcome.site.causes) == 2


def test_the_barrier_that_costs_is_the_one_that_nobody_needs(flavour: str, folder: Path) -> None:
    (prop,) = [p for p in PROPERTIES if p.name == "redundant_barrier"]
    program = properties.build(prop.name, flavour, folder)
    for twin, verdict in ((False, "redundant"), (True, "needed")):
        outcome = properties.run(prop, program, flavour, 3, 5, TIMES, twin=twin)
        largest = max(outcome.trace.barriers, key=lambda b: b.instances)
        assert (largest.verdict, largest.instances) == (verdict, TIMES)


def test_a_block_that_is_sent_twice(flavour: str, folder: Path) -> None:
    program = properties.build("duplicates", flavour, folder)
    for twin in (False, True):
        trace, _ = properties.execute(program, flavour, RANKS[flavour], 0, TIMES, *(["twin"] if twin else []))
        repeated = sum(d.messages for d in trace.duplicates if d.bytes == 8000 * d.messages)
        sent_twice = 0 if twin else TIMES * RANKS[flavour]
        assert 0.7 * sent_twice <= repeated <= sent_twice  # a rank that loses its processor in between is not counted


# --- Fortran ----------------------------------------------------------------------------------------------------------

FORTRAN = ("late_sender", "wait_at_barrier", "imbalance_at_nxn", "early_reduce", "late_broadcast")  # in its order there
CALLS = {
    "late_sender": "MPI_Recv",
    "wait_at_barrier": "MPI_Barrier",
    "imbalance_at_nxn": "MPI_Allreduce",
    "early_reduce": "MPI_Reduce",
    "late_broadcast": "MPI_Bcast",
}


@pytest.mark.parametrize("binding", [1, 2, 3], ids=["mpif.h", "mpi", "mpi_f08"])
def test_five_properties_through_each_fortran_binding(binding: int, flavour: str, folder: Path) -> None:
    """Their sizes, and the lines on which they stand; the twin is silent."""
    program = properties.build_fortran(binding, flavour, folder)
    ranks = RANKS[flavour]
    source = (properties.FOLDER / "fortran.F90").read_text(encoding="utf-8").splitlines()
    by_name = {p.name: p for p in PROPERTIES}
    ratios: dict[str, list[float]] = {name: [] for name in FORTRAN}
    rest: dict[str, list[float]] = {name: [] for name in FORTRAN}
    for _ in range(3 * properties.RUNS):
        trace, printed = properties.execute(program, flavour, ranks, DELAY_MS, TIMES)
        slept = [seconds for seconds, _ in properties.pauses(printed)]
        trace, notes = symbolize(trace)
        assert not notes
        for name, seconds in zip(FORTRAN, slept, strict=True):
            site = max((w for w in trace.waits if w.kind == by_name[name].kind), key=lambda w: w.seconds)
            ratios[name].append(site.seconds / by_name[name].waiting(ranks) / seconds)
            frame = trace.paths[site.path].site
            assert frame is not None
            assert Path(frame.file).name == "fortran.F90"
            assert CALLS[name] in source[frame.line - 1]
        trace, printed = properties.execute(program, flavour, ranks, DELAY_MS, TIMES, "twin")
        for name, (_, late) in zip(FORTRAN, properties.pauses(printed), strict=True):
            waited = max((w.seconds for w in trace.waits if w.kind == by_name[name].kind), default=0.0)
            rest[name].append(properties.excess(waited / by_name[name].waiting(ranks) / TIMES, late, DELAY_MS))
        medians = {name: statistics.median(values) for name, values in ratios.items()}
        silent = all(min(values) < properties.SILENT_SHARE for values in rest.values())  # noise only adds waiting
        if silent and all(abs(ratio - 1) <= properties.TOLERANCE for ratio in medians.values()):
            return
    assert medians == {name: pytest.approx(1.0, abs=properties.TOLERANCE) for name in FORTRAN}
    assert {n: min(v) for n, v in rest.items()} == {n: pytest.approx(0, abs=properties.SILENT_SHARE) for n in FORTRAN}
