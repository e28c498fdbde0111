"""False sharing in instrumented programs: the verdict turns where the cache line ends, twins are silent, and programs
behave as they do without the recorder. No test depends on time, on the cores, or on who ran when."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stridewise.catalogue import Rule
from stridewise.cli import main
from stridewise.collect import elf
from stridewise.finding import Finding
from stridewise.patterns.omp_false_sharing import detect_sharing
from stridewise.runs.sharing import shards as sharing
from stridewise.runs.sharing import watcher as watching
from stridewise.runs.sharing.shards import Sharing

TOP = Path(__file__).resolve().parents[2]
KERNELS = TOP / "tests" / "kernels" / "false_sharing"
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build"))
COMPILER = BUILD / "bin" / "stridewise-share-cc"
LINE = 64

pytestmark = pytest.mark.skipif(not COMPILER.is_file(), reason="built without LLVM: no compiler pass")

Program = Callable[..., Path]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Builds a kernel once, instrumented or bare."""
    folder = tmp_path_factory.mktemp("programs")

    def make(name: str, *flags: str, bare: bool = False) -> Path:
        path = folder / "-".join((name, *flags, "bare" if bare else "shared")).replace("/", "_")
        if not path.exists():
            source = next(KERNELS.glob(f"{name}.c*"))
            compiler = "g++" if source.suffix == ".cpp" else "gcc"
            command = [*([] if bare else [COMPILER]), compiler, "-g", "-fopenmp", "-pthread", *(flags or ("-O2",))]
            command += [source, "-o", path]
            subprocess.run(list(map(str, command)), check=True)
        return path

    return make


def execute(path: Path, arguments: Sequence[object], threads: int = 4, out: Path | None = None) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive", "OMP_DYNAMIC": "false"}
    if out:
        (out / "sharing").mkdir(parents=True, exist_ok=True)
        environment["STRIDEWISE_SHARING_OUT"] = str(out)
    done = subprocess.run(
        [str(path), *map(str, arguments)], env=environment, check=True, capture_output=True, text=True, timeout=300
    )
    assert done.stderr == ""
    return done.stdout


def watched(path: Path, arguments: Sequence[object], out: Path, threads: int = 4) -> Sharing:
    execute(path, arguments, threads, out)
    (shard,) = (out / "sharing").glob(watching.LEAVES[0])
    run = sharing.load(shard)
    shard.unlink()
    return run


def findings(path: Path, arguments: Sequence[object], out: Path, rules: dict[str, Rule]) -> list[Finding]:
    run, _ = watching._resolved(watched(path, arguments, out))
    return list(detect_sharing([run], rules["omp-false-sharing"]))


def share_a_line(begins: Sequence[int]) -> bool:
    lines = [begin // LINE for begin in begins]
    return len(set(lines)) < len(lines)


@pytest.mark.parametrize("shift", [1, 2, 4, 8, 12, 16, 32, 64])
def test_shift_turns_where_the_line_ends(program: Program, tmp_path: Path, rules: dict[str, Rule], shift: int) -> None:
    for offset in random.Random(shift).sample(range(0, LINE, 4), 3):
        found = findings(program("shift"), (shift, offset, 20_000), tmp_path, rules)
        assert bool(found) == share_a_line([offset + 4 * shift * t for t in range(4)]), offset
        assert all((f.location.line, Path(f.location.file).name) == (26, "shift.c") for f in found)


@pytest.mark.parametrize("pitch", [1, 2, 4, 8, 12, 16, 32])
def test_columns_turn_where_the_line_ends(program: Program, tmp_path: Path, rules: dict[str, Rule], pitch: int) -> None:
    for offset in random.Random(pitch).sample(range(16), 3):
        found = findings(program("columns"), (2_000, 3, pitch, offset), tmp_path, rules)
        assert bool(found) == share_a_line([4 * (offset + pitch * c) for c in range(4)]), offset


def test_columns_of_the_paper(program: Program, tmp_path: Path, rules: dict[str, Rule]) -> None:
    """Appendix B as it is, its two mended forms, and what optimisation makes of it."""
    paper = (100_000, 4, 1, 0)
    (finding,) = findings(program("columns", "-O0"), paper, tmp_path, rules)
    metrics = finding.evidence[0].metrics
    # Each of four threads updates its sum 100,000 times; of its loads and stores at most each finds the line taken.
    assert 4 * 100_000 * 0.5 <= metrics["transfers_per_execution"] <= 4 * 100_000 * 2
    assert findings(program("columns"), paper, tmp_path, rules)
    assert not findings(program("columns", "-O0"), (100_000, 4, 32, 0), tmp_path, rules)
    assert not findings(program("columns", "-O0"), (*paper, "keep"), tmp_path, rules)


@pytest.mark.parametrize("form", ["neighbours", "cyclic", "dealt-out", "reader", "late"])
@pytest.mark.parametrize("flag", ["-O2", "-O0"])
def test_loud_forms(program: Program, tmp_path: Path, rules: dict[str, Rule], form: str, flag: str) -> None:
    found = findings(program("twins", flag), (200_000, form), tmp_path, rules)
    assert len(found) == 1


@pytest.mark.parametrize(
    "form", ["padded", "reduction", "private", "atomic", "read-only", "blocks", "scatter", "phases", "swap"]
)
@pytest.mark.parametrize("flag", ["-O2", "-O0"])
def test_silent_forms(program: Program, tmp_path: Path, rules: dict[str, Rule], form: str, flag: str) -> None:
    assert not findings(program("twins", flag), (200_000, form), tmp_path, rules)


def test_figures_do_not_depend_on_the_order_of_threads(program: Program, tmp_path: Path) -> None:
    """On one core the threads never meet; the same transfers are found."""
    kernel = program("twins")
    anywhere = watched(kernel, (200_000, "neighbours"), tmp_path)
    core = min(os.sched_getaffinity(0))
    kept = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        one_core = watched(kernel, (200_000, "neighbours"), tmp_path)
    finally:
        os.sched_setaffinity(0, kept)
    transfers = [sum(c.transfers for c in run.conflicts) for run in (anywhere, one_core)]
    assert transfers[0] == pytest.approx(transfers[1], rel=0.02) and transfers[0] > 100_000


@pytest.mark.parametrize("form", ["nested", "flat-inside", "tasks", "own-threads", "barriers", "forks", "allocations"])
def test_programs_behave_as_they_do_without(program: Program, tmp_path: Path, form: str) -> None:
    for threads in (1, 2, 9):
        wanted = execute(program("odd", bare=True), (form,), threads)
        assert execute(program("odd"), (form,), threads) == wanted
        assert execute(program("odd"), (form,), threads, tmp_path) == wanted
    assert len(list((tmp_path / "sharing").iterdir())) == 3


@pytest.mark.parametrize("flag", ["-O0", "-O2"])
def test_constructs_of_the_language_stay_whole(program: Program, tmp_path: Path, flag: str) -> None:
    wanted = execute(program("constructs", bare=True), ())
    assert execute(program("constructs", flag), ()) == wanted
    assert execute(program("constructs", flag), (), out=tmp_path) == wanted


def test_executions_are_counted_and_sampled(program: Program, tmp_path: Path) -> None:
    run = watched(program("columns"), (10, 1000, 1, 0), tmp_path)
    (region,) = run.regions
    assert region.executions == 1000 and 4 <= region.watched <= 40 and region.threads == 4.0


def test_only_instrumented_programs_count_as_such(program: Program) -> None:
    assert watching.is_instrumented(program("shift"))
    assert not watching.is_instrumented(program("shift", bare=True))
    assert elf.is_elf(program("shift"))


def test_flags_of_gcc_are_translated(tmp_path: Path) -> None:
    flags = [
        "-O2",
        "-fopenmp",
        "-flto",
        "-fipa-pta",
        "-Werror",
        "--param",
        "max-inline-insns-single=500",
        "-fno-gnu-unique",
    ]
    out = tmp_path / "program"
    command = [COMPILER, "ccache", "/usr/bin/gcc", *flags, KERNELS / "shift.c", "-o", out]
    subprocess.run(list(map(str, command)), check=True)
    assert execute(out, (1, 0, 10)) == "40\n"
    shown = subprocess.run([str(COMPILER), "--ldflags"], check=True, capture_output=True, text=True).stdout
    assert "libstridewise_sharing.so" in shown


def lint_file(folder: Path, *lines: int) -> Path:
    """Findings of the source on these lines of twins.c."""
    file = str(KERNELS / "twins.c")
    findings = [
        {
            "rule": "omp-false-sharing",
            "confidence": "high",
            "message": "m",
            "function": "main",
            "location": {"file": file, "line": line},
            "accesses": [{"file": file, "line": line, "function": "main"}],
        }
        for line in lines
    ]
    path = folder / "lint.json"
    path.write_text(json.dumps({"root": "/", "findings": findings}))
    return path


def line_of(text: str) -> int:
    lines = (KERNELS / "twins.c").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


NEIGHBOURS = "*(volatile long *)&neighbours[omp_get_thread_num()] += data[i];"
PADDED = "*(volatile long *)&apart[omp_get_thread_num()].value += data[i];"


def report_of(program: Path, folder: Path, lint: Path, *options: str) -> dict[str, Any]:
    words = ["--lint", str(lint), "-o", str(folder / "run"), "--", str(program), "200000", "neighbours"]
    assert main(["run", "--sharing", *options, *words]) == 0
    out = folder / "report.json"
    assert main(["report", str(folder / "run"), "--lint", str(lint), "--format", "json", "-o", str(out)]) == 0
    found: dict[str, Any] = json.loads(out.read_text())
    return found


@pytest.fixture
def four_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("OMP_NUM_THREADS", "4"), ("OMP_WAIT_POLICY", "passive"), ("OMP_DYNAMIC", "false")):
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("four_threads")
def test_a_run_is_limited_to_what_the_source_names(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The loop that shares lines is seen where a finding names it, and only there."""
    kernel = program("twins")
    named = report_of(kernel, tmp_path, lint_file(tmp_path, line_of(NEIGHBOURS)))
    assert [(f["location"]["line"], f["verdict"]) for f in named["findings"]] == [(line_of(NEIGHBOURS), "confirmed")]
    assert "only the parallel loops that --lint names were watched" in capsys.readouterr().out
    (tmp_path / "other").mkdir()
    other = lint_file(tmp_path / "other", line_of(PADDED))
    found = report_of(kernel, tmp_path / "other", other)
    assert [(f["location"]["line"], f["verdict"]) for f in found["findings"]] == [(line_of(PADDED), "not-exercised")]
    found = report_of(kernel, tmp_path / "other", other, "--all")
    lines = {f["location"]["line"]: f["verdict"] for f in found["findings"]}
    assert lines == {line_of(PADDED): "not-exercised", line_of(NEIGHBOURS): "observed"}
    assert not (tmp_path / "other" / "run" / "sharing" / "lines.txt").exists()


@pytest.mark.usefixtures("four_threads")
def test_what_a_limited_run_did_not_watch_is_not_judged(program: Program, tmp_path: Path) -> None:
    report_of(program("twins"), tmp_path, lint_file(tmp_path, line_of(PADDED)))
    (tmp_path / "late").mkdir()
    late, out = lint_file(tmp_path / "late", line_of(NEIGHBOURS)), tmp_path / "late.json"
    assert main(["report", str(tmp_path / "run"), "--lint", str(late), "--format", "json", "-o", str(out)]) == 0
    (finding,) = json.loads(out.read_text())["findings"]
    assert finding["verdict"] == "suspected"
    assert "limited" in finding["evidence"][0]["note"]


@pytest.mark.usefixtures("four_threads")
def test_without_a_finding_everything_is_watched(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = report_of(program("twins"), tmp_path, lint_file(tmp_path))
    assert "every parallel loop is watched" in capsys.readouterr().err
    assert [f["verdict"] for f in found["findings"]] == ["observed"]


def test_helpers_of_a_named_loop_are_seen(program: Program, tmp_path: Path) -> None:
    """The named line is in the loop, the accesses are in a function that it calls."""
    (tmp_path / "sharing").mkdir()
    source = tmp_path / "helper.c"
    source.write_text(HELPER)
    subprocess.run([str(COMPILER), "gcc", "-O1", "-fopenmp", str(source), "-o", str(tmp_path / "helper")], check=True)
    lines = tmp_path / "sharing" / "lines.txt"
    for line, transfers in ((11, True), (4, True), (17, False)):
        lines.write_text(f"{line} helper.c\n")
        environment = {"STRIDEWISE_SHARING_LINES": str(lines), "STRIDEWISE_SHARING_OUT": str(tmp_path)}
        environment |= {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
        subprocess.run([str(tmp_path / "helper")], env=environment, check=True)
        (shard,) = (tmp_path / "sharing").glob("*.swsharing")
        run = sharing.load(shard)
        shard.unlink()
        assert any(c.transfers > 100_000 for c in run.conflicts) is transfers, line
        assert any(region.watched for region in run.regions) is transfers


HELPER = """#include <omp.h>
static long slots[8] __attribute__((aligned(64)));
__attribute__((noinline)) static void count(volatile long *slot) {
  *slot += 1;
}
int main(void) {
#pragma omp parallel num_threads(2)
  {
    long *mine = &slots[omp_get_thread_num()];
    for (long i = 0; i < 200000; i++)
      count(mine);
  }
  return slots[0] == 0;
}
__attribute__((used)) static void other(void) {
  for (int i = 0; i < 8; i++)
    slots[i] = 0;
}
"""


def test_static_programs_are_refused(tmp_path: Path) -> None:
    command = [str(COMPILER), "gcc", "-static", str(KERNELS / "shift.c"), "-o", str(tmp_path / "shift")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no static program can load" in done.stderr


@pytest.mark.usefixtures("four_threads")
def test_a_stripped_program_is_watched_without_lines(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", str(stripped), str(program("twins"))], check=True)
    words = ["-o", str(tmp_path / "run"), "--", str(stripped), "200000", "neighbours"]
    assert main(["run", "--sharing", *words]) == 0
    said = capsys.readouterr().out
    assert "omp-false-sharing" in said
    assert "no line information: build it with -g" in said


def test_a_set_user_id_program_is_refused(program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "elevated"
    shutil.copy(program("shift"), path)
    try:
        shutil.chown(path, 1)
        path.chmod(0o4755)
    except OSError:
        pytest.skip("needs the right to change owners")
    assert main(["run", "--sharing", "-o", str(tmp_path / "run"), "--", str(path), "1", "0", "10"]) == 2
    assert "setuid" in capsys.readouterr().err
