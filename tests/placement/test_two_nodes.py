"""The rules about memory nodes on a machine that has two: each pair is loud on its buggy side and silent on its fixed
one, by where pages and threads were seen. One start of the machine runs all programs."""

from __future__ import annotations

import base64
import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numa_machine

from stridewise.catalogue import Rule, load
from stridewise.finding import Confidence, Finding, Location, Related, Verdict
from stridewise.patterns import omp_calloc_first_touch as zeroed
from stridewise.patterns import omp_serial_first_touch as serial
from stridewise.patterns import omp_unbound_threads as unbound
from stridewise.runs.omp import shards as omp_shards
from stridewise.runs.omp.trace import Trace
from stridewise.runs.omp.watcher import symbolized as trace_of
from stridewise.runs.placement import records as placement
from stridewise.runs.placement.records import Placement
from stridewise.runs.placement.watcher import _symbolized
from stridewise.settings import toolchain

TOP = Path(__file__).resolve().parents[2]
TRIAD = Path(__file__).resolve().parent / "programs" / "triad.c"
SERIAL, CALLOC, UNBOUND = "omp-serial-first-touch", "omp-calloc-first-touch", "omp-unbound-threads"
PLACED = {
    **{f"{compiler}.{how}": (TRIAD, compiler) for compiler in ("gcc", "clang-19") for how in ("serial", "parallel")},
    **{
        f"{rule}.{stem}": (TOP / "rules" / rule / f"{stem}.c", "gcc")
        for rule in (SERIAL, CALLOC)
        for stem in ("buggy", "fixed")
    },
}
PLACED |= {f"{CALLOC}.{stem}-c++": (TOP / "rules" / CALLOC / f"{stem}.cpp", "g++") for stem in ("buggy", "fixed")}
BOUND = {f"{UNBOUND}.{stem}": (TOP / "rules" / UNBOUND / f"{stem}.c", "clang-19") for stem in ("buggy", "fixed")}
# GCC makes calloc of malloc and memset, and the C library's calloc leaves fresh pages to the kernel.
FLAGS = {
    "gcc.serial": ["-DSERIAL"],
    "clang-19.serial": ["-DSERIAL"],
    f"{CALLOC}.buggy": ["-fno-builtin"],
    f"{CALLOC}.buggy-c++": ["-std=c++20"],
    f"{CALLOC}.fixed-c++": ["-std=c++20"],
}

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the machine is an x86-64")


@dataclass(frozen=True)
class Seen:
    """What the programs left, by their names."""

    pages: dict[str, Placement]
    teams: dict[str, Trace]


def build(source: Path, compiler: str, target: Path, *flags: str) -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    words = [compiler, "-g", "-O2", "-fopenmp", *flags, str(source), "-o", str(target)]
    subprocess.run([*words, "-pthread"], check=True)
    return target


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder = tmp_path_factory.mktemp("machine")
    if why := numa_machine.why_not():
        pytest.skip(why)
    recorders = (toolchain.placement_recorder(), toolchain.omp_recorder())
    pages, teams = recorders
    if pages is None or teams is None:
        pytest.skip("a recorder is not built")
    programs = {
        name: build(source, compiler, folder / name, *FLAGS.get(name, ()))
        for name, (source, compiler) in {**PLACED, **BOUND}.items()
    }
    # Pages stay where they are, and are small: a huge one belongs to two threads where their parts of an array meet.
    script = "echo 0 > /proc/sys/kernel/numa_balancing; echo never > /sys/kernel/mm/transparent_hugepage/enabled\n"
    for name in PLACED:
        script += (
            f"mkdir -p /out/{name}/placement\n"
            f"STRIDEWISE_OUT=/out/{name} STRIDEWISE_PLACEMENT_PERIOD_US=1000 OMP_NUM_THREADS=4 OMP_PROC_BIND=true "
            f"KMP_AFFINITY=compact,granularity=fine LD_PRELOAD={pages} {programs[name]} >/dev/null\n"
            f"echo '--- {name}'; cat /out/{name}/placement/*.json; echo '--- end'\n"
        )
    for name in BOUND:
        binding = "OMP_PROC_BIND=close OMP_PLACES=cores" if name.endswith("fixed") else "OMP_PROC_BIND=false"
        script += (
            f"mkdir -p /out/{name}/omp\n"
            f"STRIDEWISE_OUT=/out/{name} OMP_NUM_THREADS=4 {binding} OMP_TOOL_LIBRARIES={teams} {programs[name]} "
            f">/dev/null\necho '--- {name}'; base64 /out/{name}/omp/*.swomp; echo '--- end'\n"
        )
    files: dict[str, Path | bytes] = {str(p): p for p in (pages, teams, *programs.values())}
    files |= numa_machine.libraries(pages, teams, *programs.values())
    printed = numa_machine.run(files, script, folder)
    return Seen(
        {name: placed(text, folder / f"{name}.json") for name, text in parts(printed, PLACED)},
        {name: traced(text, folder / f"{name}.swomp") for name, text in parts(printed, BOUND)},
    )


def parts(printed: str, names: Sequence[str] | dict[str, tuple[Path, str]]) -> Iterator[tuple[str, str]]:
    for name in names:
        match = re.search(rf"^--- {re.escape(name)}\n(.*?)^--- end$", printed, re.DOTALL | re.MULTILINE)
        assert match, printed[-4000:]
        yield name, match[1]


def placed(text: str, path: Path) -> Placement:
    path.write_text(text, encoding="utf-8")
    run, _ = _symbolized(placement.load(path))
    assert run.nodes == 2
    return run


def traced(text: str, path: Path) -> Trace:
    path.write_bytes(base64.b64decode(text))
    trace, bad = omp_shards.read([path])
    assert not bad
    return trace_of(trace, path.parent)[0]


def line_of(source: Path, text: str) -> int:
    lines = source.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def suspicion(rule: Rule, source: Path, loop: int, allocation: int) -> Finding:
    args = {"array": "'x'", "use": "", "remedy": "", "writer": "", "how": ""}
    return rule.finding(
        "static",
        Location(str(source), loop),
        args={hole: args.get(hole, "") for hole in {**args, **dict.fromkeys(re.findall(r"{(\w+)}", holes(rule)))}},
        confidence=Confidence.MEDIUM,
        related=[Related(str(source), allocation, "allocated here")],
    )


def holes(rule: Rule) -> str:
    detector = rule.detectors["static"]
    return f"{detector.message} {detector.advice}"


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("how", ["serial", "parallel"])
def test_serial_initialisation(seen: Seen, compiler: str, how: str) -> None:
    rule, run = load()[SERIAL], seen.pages[f"{compiler}.{how}"]
    line = line_of(TRIAD, "/* from */")
    array = next(a for a in run.arrays if a.site and a.site.line == line)
    judgement = serial.judge_placement(suspicion(rule, TRIAD, line_of(TRIAD, "for (int i"), line), run, rule)
    assert judgement is not None
    shown = json.dumps({"uses": str(array.uses), "pages": array.pages})
    found = {f.location.line for f in serial.detect_placement(run, rule)}
    if how == "serial":
        assert judgement.verdict is Verdict.CONFIRMED, shown
        assert 0.25 < array.remote_share < 0.75, shown
        assert line in found
    else:
        assert judgement.verdict is Verdict.REFUTED, shown
        assert array.remote_share < 0.05, shown
        assert found == set()


def test_the_pair_of_serial_first_touch(seen: Seen) -> None:
    rule = load()[SERIAL]
    assert list(serial.detect_placement(seen.pages[f"{SERIAL}.buggy"], rule))
    assert not list(serial.detect_placement(seen.pages[f"{SERIAL}.fixed"], rule))


@pytest.mark.parametrize(("stem", "verdict"), [("buggy", Verdict.CONFIRMED), ("fixed", Verdict.REFUTED)])
def test_the_pair_of_calloc_first_touch(seen: Seen, stem: str, verdict: Verdict) -> None:
    """What memset has zeroed, and what the team writes first. calloc's own zeros come from the kernel, which places no
    page of a fresh block for them: the run refutes that finding."""
    rule, run = load()[CALLOC], seen.pages[f"{CALLOC}.{stem}"]
    source = TOP / "rules" / CALLOC / f"{stem}.c"
    line = line_of(source, "double *a = malloc")
    (array,) = (a for a in run.arrays if a.site and a.site.line == line)
    shown = json.dumps({"uses": str(array.uses), "pages": array.pages})
    where = line_of(source, "memset(") if stem == "buggy" else line
    judgement = zeroed.judge_placement(suspicion(rule, source, where, line), run, rule)
    assert judgement is not None
    assert judgement.verdict is verdict, shown
    assert (array.remote_share > 0.25) is (stem == "buggy"), shown
    # By the run alone it is one of serial first touch, since pages do not tell what was written.
    found = {f.location.line for f in serial.detect_placement(run, load()[SERIAL])}
    assert found == ({line} if stem == "buggy" else set())
    if stem == "buggy":
        calloc = line_of(source, "calloc(")
        judgement = zeroed.judge_placement(suspicion(rule, source, calloc, calloc), run, rule)
        assert judgement is not None
        assert judgement.verdict is Verdict.REFUTED


def test_the_pair_of_containers(seen: Seen) -> None:
    rule = load()[CALLOC]
    found = list(zeroed.detect_placement(seen.pages[f"{CALLOC}.buggy-c++"], rule))
    source = TOP / "rules" / CALLOC / "buggy.cpp"
    at = [(f.location.file, f.location.line) for f in found] + [(r.file, r.line) for f in found for r in f.related]
    places = {line for file, line in at if Path(file).name == "buggy.cpp"}
    assert line_of(source, "explicit Field") in places
    for one in (zeroed, serial):
        assert not list(one.detect_placement(seen.pages[f"{CALLOC}.fixed-c++"], rule))


def test_the_pair_of_unbound_threads(seen: Seen) -> None:
    """On several nodes threads that nobody binds are a finding whether or not they moved in this run."""
    rule = load()[UNBOUND]
    (finding,) = unbound.detect_omp(seen.teams[f"{UNBOUND}.buggy"], rule)
    assert finding.confidence.value in ("medium", "high")
    assert finding.severity.value == "warning"
    assert finding.evidence[0].metrics["node_count"] == 2
    assert "2 memory nodes" in finding.message
    assert "OMP_PROC_BIND" in finding.advice
    assert not list(unbound.detect_omp(seen.teams[f"{UNBOUND}.fixed"], rule))
