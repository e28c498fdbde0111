"""False-sharing runs without running anything: damaged shards, what the detector makes of figures, verdicts."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from stated import all_is_stated, said  # noqa: F401
from stridewise.catalogue import Rule
from stridewise.collect import launcher
from stridewise.errors import Failure
from stridewise.finding import Access, Confidence, Finding, Location, Scope, Severity, Verdict
from stridewise.patterns.omp_false_sharing import detect_sharing, judge_sharing
from stridewise.runs.kinds import Folder, Request
from stridewise.runs.mpi.trace import Frame
from stridewise.runs.sharing import shards as sharing
from stridewise.runs.sharing import watcher as watching
from stridewise.runs.sharing.shards import Conflict, Party, Region, ShardError, Sharing, Site, Thing, Visit

pytestmark = pytest.mark.usefixtures("all_is_stated")

SLUG = "omp-false-sharing"
HEADER = 504


def at(line: int, store: bool = False, pc: int = 0) -> Site:
    return Site(pc or line, store, (Frame("solve", "/src/a.c", line, 3),))


REGION = Region(at(10), executions=100, watched=10, threads=4.0, seconds=1.0)
SUMS = Thing("static", 0x1000, 32, name="sums")


def conflict(transfers: float = 50_000.0, accesses: float = 200_000.0, line: int = 12, thing: Thing = SUMS) -> Conflict:
    parties = (Party(0, 0x1000, 8, thing), Party(1, 0x1008, 8, thing))
    sites = ((at(line, store=True), transfers / 2), (at(line), transfers / 2))
    return Conflict(REGION, 4, 0x1000, parties, transfers, accesses, accesses / 2, 1.0, 10, sites)


def run(*conflicts: Conflict, visits: tuple[Visit, ...] = ()) -> Sharing:
    return Sharing(Path("shard"), "/bin/app", "host", -1, 64, {}, (REGION,), conflicts, visits)


def static(line: int = 12) -> Finding:
    where = Location("/src/a.c", line, 3, line, 10)
    return Finding(
        rule=SLUG,
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        verdict=Verdict.SUSPECTED,
        message="the line moves",
        advice="do not",
        location=where,
        function="solve",
        scope=Scope(line, line),
        accesses=(Access("/src/a.c", line, "solve"),),
    )


@pytest.fixture
def rule(rules: dict[str, Rule]) -> Rule:
    return rules[SLUG]


# --- Detecting --------------------------------------------------------------------------------------------------------


def test_a_conflict_becomes_a_finding(rule: Rule) -> None:
    (finding,) = detect_sharing([run(conflict())], rule)
    assert (finding.location.file, finding.location.line, finding.function) == ("/src/a.c", 12, "solve")
    assert finding.verdict is Verdict.OBSERVED and finding.confidence is Confidence.HIGH
    assert "threads 0 and 1 write 'sums', 8 bytes apart" in finding.message
    assert "up to 500,000 accesses in 100 executions of the region at line 10 find it taken away" in finding.message
    assert finding.cost_seconds is None
    assert finding.gain_seconds == pytest.approx(500_000 * 16.7e-9 / 4)


def test_gain_is_no_more_than_the_region(rule: Rule) -> None:
    (finding,) = detect_sharing([run(conflict(1e12, 2e12))], rule)
    assert finding.gain_seconds == pytest.approx(10.0)


@pytest.mark.parametrize(("transfers", "accesses"), [(1_990.0, 4_000.0), (50_000.0, 1_100_000.0), (0.0, 0.0)])
def test_few_transfers_are_silent(rule: Rule, transfers: float, accesses: float) -> None:
    assert not list(detect_sharing([run(conflict(transfers, accesses))], rule))


def test_stores_to_one_object_are_one_finding(rule: Rule) -> None:
    (finding,) = detect_sharing([run(conflict(), conflict(30_000.0, 90_000.0, line=13))], rule)
    assert finding.location.line == 12
    assert [(r.line, r.label) for r in finding.related] == [
        (13, "writes the same lines"),
        (10, "the parallel region"),
    ]


def test_objects_apart_are_findings_apart(rule: Rule) -> None:
    other = conflict(line=20, thing=Thing("heap", 0x1000, 64, (at(5),)))
    found = {f.location.line: f for f in detect_sharing([run(conflict(), other)], rule)}
    assert set(found) == {12, 20}
    assert "the 64 bytes allocated at line 5" in found[20].message
    assert any(r.label == "allocated here" and r.line == 5 for r in found[20].related)


def test_processes_are_one_finding_of_the_worst(rule: Rule) -> None:
    (finding,) = detect_sharing([run(conflict()), run(conflict(80_000.0))], rule)
    assert finding.evidence[0].metrics["processes"] == 2
    assert finding.evidence[0].metrics["transfers"] == 800_000


def test_a_reader_is_named(rule: Rule) -> None:
    one = conflict()
    reads = replace(one, parties=(one.parties[0], replace(one.parties[1], reads=True)))
    (finding,) = detect_sharing([run(reads)], rule)
    assert finding.message.startswith("thread 0 writes and thread 1 reads 'sums'")


# --- Judging ----------------------------------------------------------------------------------------------------------


def visit(members: int = 4, transfers: float = 0.0, line: int = 12) -> Visit:
    return Visit(at(line, store=True), REGION, members, 100_000, transfers)


@pytest.mark.parametrize(
    ("visits", "verdict"),
    [
        ((), Verdict.NOT_EXERCISED),
        ((visit(line=99),), Verdict.NOT_EXERCISED),
        ((visit(members=1),), Verdict.REFUTED),
        ((visit(transfers=100.0),), Verdict.REFUTED),
        ((visit(transfers=50_000.0),), Verdict.SUSPECTED),
    ],
)
def test_what_the_run_says_of_the_source(rule: Rule, visits: tuple[Visit, ...], verdict: Verdict) -> None:
    assert judge_sharing(static(), [run(visits=visits)], rule).verdict is verdict


def test_a_store_that_nobody_saw_refutes_nothing(rule: Rule) -> None:
    """A library that was not instrumented may have written: a load on the line says nothing of that."""
    load = Visit(at(12), REGION, 1, 100_000, 0.0)
    judged = judge_sharing(static(), [run(visits=(load,))], rule)
    assert judged.verdict is Verdict.SUSPECTED and "no store was seen" in judged.evidence.note


def test_threads_of_the_program_are_no_region(rule: Rule) -> None:
    own = replace(REGION, by_threads=True, executions=1)
    (finding,) = detect_sharing([run(replace(conflict(), region=own))], rule)
    assert "1 round of threads started at line 10" in finding.message
    assert any(r.label == "the threads are started" for r in finding.related)


def test_join_confirms_once(rules: dict[str, Rule]) -> None:
    runs = [run(conflict(), visits=(visit(),))]
    observed = list(detect_sharing(runs, rules[SLUG]))
    joined = watching.join([static(), static(40)], observed, runs, rules)
    assert [f.verdict for f in joined] == [Verdict.CONFIRMED, Verdict.NOT_EXERCISED]
    assert joined[0].confidence is Confidence.HIGH and joined[0].gain_seconds is not None


def test_join_adds_what_the_source_does_not_show(rules: dict[str, Rule]) -> None:
    runs = [run(conflict())]
    joined = watching.join([], list(detect_sharing(runs, rules[SLUG])), runs, rules)
    assert [f.verdict for f in joined] == [Verdict.OBSERVED]


# --- Shards -----------------------------------------------------------------------------------------------------------


def shard(sections: bytes = b"", body: bytes = b"", version: int = 2) -> bytes:
    sections = sections.ljust(HEADER - 408, b"\0")
    size = HEADER + len(body)
    head = struct.pack("<QIIQIIii", sharing.MAGIC, version, HEADER, size, 0, 64, 7, -1)
    head += struct.pack("<6Q", 0, 3, 0, 0, 0, 0) + b"node".ljust(64, b"\0") + b"/bin/app".ljust(256, b"\0")
    data = head + sections + body
    return data[:24] + struct.pack("<I", zlib.crc32(data)) + data[28:]


def section(kind: int, entry: int, offset: int, count: int) -> bytes:
    return struct.pack("<IIQQ", kind, entry, offset, count)


def test_a_shard_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shard"
    of_team = struct.pack("<6Q10Q", 5, 8, 2, 6, 3_000_000_000, 0, *([0] * 10))
    of_threads = struct.pack("<6Q10Q", 9, 1, 1, 4, 1_000_000_000, 1, 9, 11, *([0] * 8))
    path.write_bytes(shard(section(1, 128, HEADER, 2), of_team + of_threads))
    found = sharing.load(path)
    assert (found.host, found.executable, found.lost) == ("node", "/bin/app", {"records": 3})
    threads = Region(Site(9), 1, 1, 4.0, 1.0, by_threads=True, starters=(Site(9), Site(11)))
    assert found.regions == (Region(Site(5), 8, 2, 3.0, 3.0), threads)
    # The start of a thread is where the program's own code calls, not the header that it calls.
    header, own = Frame("thread", "/usr/include/c++/12/thread", 90, 3, user=False), Frame("main", "/src/a.c", 7, 3)
    named = sharing.with_sites(found, {9: (header,), 11: (own,)}, {})
    assert named.regions[1].site.frame == own


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "too short"),
        (b"x" * 4096, "no shard"),
        (shard(version=1), "its version is 1"),
        (shard()[:-1], "bytes and should have"),
        (shard()[:-1] + b"x", "checksum"),
        (shard(section(1, 40, HEADER, 1)), "outside"),
        (shard(section(1, 40, 0, 1 << 40)), "outside"),
        (shard(section(3, 32, HEADER, 1), struct.pack("<QIIQd", 1, 9, 1, 1, 0.0)), "damaged"),
        (shard(section(1, 8, HEADER, 1), b"12345678"), "damaged"),
    ],
)
def test_damaged_shards_are_refused(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "shard"
    path.write_bytes(data)
    with pytest.raises(ShardError, match=why):
        sharing.load(path)


def test_a_damaged_shard_is_named(tmp_path: Path, rules: dict[str, Rule]) -> None:
    (tmp_path / "sharing").mkdir()
    (tmp_path / "sharing" / "shard.node.1.swsharing").write_bytes(b"nothing")
    seen = watching.see([Folder(tmp_path, None)], rules)
    assert [trouble.message for trouble in seen.troubles] == ["left out: it is too short"]


def test_a_program_that_is_not_instrumented_is_refused(tmp_path: Path) -> None:
    command = ("/bin/true",)
    request = Request(command, launcher.parse(command), tmp_path)
    with pytest.raises(Failure, match="/bin/true was not instrumented"):
        watching.plan(request)
    assert "no instrumented program came to its end" in watching.nothing(request)


@pytest.mark.parametrize("prefix", [("timeout", "5"), ("sh", "-c")])
def test_programs_that_start_others_are_not_refused(tmp_path: Path, prefix: tuple[str, ...]) -> None:
    command = (*prefix, "true")
    plan = watching.plan(Request(command, launcher.parse(command), tmp_path))
    assert plan.environment["STRIDEWISE_SHARING_OUT"] == str(tmp_path)


@pytest.mark.parametrize(
    ("symbol", "name"), [("_QFEs", "s"), ("_QMmeshFstepEsums", "sums"), ("_Quick", "_Quick"), ("sums", "sums")]
)
def test_names_of_fortran_are_the_sources(symbol: str, name: str) -> None:
    assert watching._variable(symbol) == name
