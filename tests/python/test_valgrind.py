"""How a cache run starts its programs, and what it says of those that it cannot measure well."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lit_format.hosts import mpi_environment
from stridewise.cli import main
from stridewise.collect import elf, launcher
from stridewise.collect.launcher import Launch
from stridewise.errors import Failure
from stridewise.machine import geometry
from stridewise.runs.cache import profiles
from stridewise.runs.cache import valgrind as tool
from stridewise.runs.cache.watcher import passes, plan
from stridewise.runs.kinds import Request

SOURCE = (
    "__attribute__((noinline)) int walk(int x) { return x + 1; }\nint main(int c, char **v) { return walk(c) < 0; }\n"
)
MPIRUN = Launch("openmpi", 0, (3,))


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    def compiled(*flags: str) -> Path:
        folder = tmp_path_factory.mktemp("build")
        (folder / "a.c").write_text(SOURCE)
        subprocess.run(["gcc", *flags, "a.c", "-o", "a"], cwd=folder, check=True)
        return folder / "a"

    return compiled


def said(path: Path) -> list[str]:
    return tool.examine([str(path)], launcher.parse([str(path)], {}))


def test_debug_information_is_missed(build) -> None:  # type: ignore[no-untyped-def]
    assert not said(build("-g"))
    (plain,) = said(build("-O1"))
    assert "by function, not by line; build with -g" in plain
    (stripped,) = said(build("-s"))
    assert "is stripped" in stripped
    assert not said(build("-g", "-static"))


def test_a_set_user_id_program_is_refused(build) -> None:  # type: ignore[no-untyped-def]
    program = build("-g")
    program.chmod(0o4755)
    with pytest.raises(Failure, match=r"set-user-ID.*make a plain copy"):
        said(program)


def test_only_the_chosen_ranks_are_simulated(tmp_path: Path) -> None:
    one = tool.Pass("cachegrind", geometry.DEFAULT)
    words = tool.command(["mpirun", "-n", "2", "echo", "a b", "$HOME"], MPIRUN, "echo", tmp_path, one, "1,3")
    shown = {}
    for rank in "0123":
        environment = os.environ | {"OMPI_COMM_WORLD_RANK": rank}
        shown[rank] = subprocess.run(
            words[3:], env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()
    assert shown["0"] == shown["2"] == "a b $HOME"
    assert shown["1"].startswith("-q --tool=cachegrind")
    assert shown["1"].endswith("echo a b $HOME")
    assert shown["3"] == shown["1"]


@pytest.mark.parametrize("text", ["x", "0,", "-1", "0;ls", "0 1", "1-3"])
def test_bad_ranks(text: str) -> None:
    with pytest.raises(Failure, match="expected 'all' or ranks"):
        tool.parse_ranks(text)


def test_ranks_need_a_launcher(tmp_path: Path) -> None:
    assert tool.parse_ranks("all") == ""
    assert tool.parse_ranks("00,2") == "0,2"
    with pytest.raises(Failure, match="starts no MPI launcher"):
        tool.command(["true"], Launch("", 0, (0,)), "valgrind", tmp_path, tool.Pass("x", geometry.DEFAULT), "0")


def test_only_named_functions_by_callgrind(build, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    words = [str(build("-g", "-O1"))]
    launch = launcher.parse(words, {})
    patterns, inlined = tool.toggles(["walk", "gone"], words, launch)
    assert patterns == ("walk", "walk.*")
    assert inlined == ["gone"]
    made = tool.command(words, launch, "valgrind", tmp_path, tool.Pass("callgrind", geometry.DEFAULT, patterns))
    assert "--tool=callgrind" in made
    assert "--toggle-collect=walk" in made
    assert f"--callgrind-out-file={tmp_path}/callgrind.%p.out" in made


def test_as_many_passes_as_levels_need() -> None:
    modern, old = (geometry.chosen({"cache_model": name}) for name in ("xeon-8380", "origin-2000"))
    assert [p.name for p in passes(modern, (), False)] == ["cachegrind"]
    assert [p.name for p in passes(modern, (), True)] == ["cachegrind", "inner", "full"]
    assert [p.name for p in passes(old, (), True)] == ["cachegrind", "full"]
    inner, full = passes(modern, (), True)[1:]
    assert inner.geometry.last_level == modern.second
    assert full.geometry.last_level.size_bytes == inner.geometry.last_level.size_bytes
    assert full.geometry.data.ways == full.geometry.data.lines


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--d1", "32K,7,64"], "power of two"),
        (["--limit", "soon"], "--limit soon"),
        (["--ranks", "a"], "--ranks a"),
        (["--only-findings"], "needs --lint"),
        (["--cache-model", "vax"], "no cache model 'vax'"),
    ],
)
def test_bad_options(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--cache", *words, "--", "true"]) == 2
    assert message in capsys.readouterr().err


def test_a_run_is_ended_at_its_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("needs valgrind")
    folder = tmp_path / "run"
    assert main(["run", "--cache", "--limit", "3", "-o", str(folder), "--", "sleep", "60"]) == 0
    assert "ending the run after 3 s" in capsys.readouterr().err
    assert list((folder / "cache").glob("cachegrind.*.out"))


def test_without_valgrind(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["run", "--cache", "--", "true"]) == 2
    assert "valgrind is not installed" in capsys.readouterr().err


needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")


@needs_valgrind
@pytest.mark.skipif(platform.machine() != "x86_64", reason="AVX-512 is of x86")
def test_avx512_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text('int main(void) { __asm__ volatile("vaddpd %zmm0,%zmm0,%zmm1"); return 0; }\n')
    subprocess.run(["gcc", "-g", "a.c", "-o", "a"], cwd=tmp_path, check=True)
    assert main(["run", "--cache", "-o", str(tmp_path / "run"), "--", str(tmp_path / "a")]) == 128 + 4
    assert "-march=x86-64-v3" in capsys.readouterr().err


@needs_valgrind
@pytest.mark.skipif(shutil.which("mpirun") is None, reason="needs mpirun")
@pytest.mark.parametrize(("ranks", "profiles"), [("1", 1), ("all", 3)])
def test_ranks_under_mpirun(
    build: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ranks: str,
    profiles: int,
) -> None:
    for name, value in mpi_environment().items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "run"
    words = ["--ranks", ranks, "-o", str(folder), "--", "mpirun", "-n", "3", str(build("-g"))]
    assert main(["run", "--cache", *words]) == 0
    assert len(list((folder / "cache").glob("cachegrind.*.out"))) == profiles


@needs_valgrind
def test_a_program_without_lines_is_judged_by_its_functions(build, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "run"
    assert main(["run", "--cache", "-o", str(folder), "--", str(build("-O1"))]) == 0
    found, bad = profiles.read(sorted((folder / "cache").glob("cachegrind.*.out")))
    assert not bad
    assert found is not None
    assert found.in_function("walk") is not None
    assert found.file("a.c") is None


@pytest.mark.parametrize(
    ("misses", "elsewhere", "options", "wanted"),
    [(900, 0, {}, True), (1, 9000, {}, False), (1, 9000, {"conflicts": "True"}, True), (0, 0, {}, False)],
)
def test_conflicts_are_simulated_where_they_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, misses: int, elsewhere: int, options: dict[str, str], wanted: bool
) -> None:
    """A finding of crowded sets asks for two more runs, unless the first one leaves nothing of it."""
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/true")
    finding = {
        "rule": "mem-power-of-two-stride", "confidence": "high", "message": "m", "function": "walk",
        "location": {"file": "/p/a.c", "line": 9}, "accesses": [{"file": "/p/a.c", "line": 10, "function": "walk"}],
    }  # fmt: skip
    lint = tmp_path / "lint.json"
    lint.write_text(json.dumps({"root": "/p", "findings": [finding]}))
    settings = {"cache_model": "xeon-8380", **options}
    made = plan(Request(("/bin/true",), Launch("", 0, (0,)), tmp_path, lint, settings))
    assert len(made.again) == 2
    (tmp_path / "cache").mkdir()
    line = f"10 1 0 0 1000 {misses} {misses}\n" if misses else "11 1 0 0 1000 0 0\n"
    counts = f"fl=/p/a.c\nfn=walk\n{line}90 1 0 0 9000 {elsewhere} {elsewhere}\n"
    events = "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\n"
    total = f"summary: 2 0 0 10000 {misses + elsewhere} {misses + elsewhere}\n"
    (tmp_path / "cache" / "cachegrind.1.out").write_text(f"cmd: ./a\n{events}{counts}{total}")
    assert made.repeat() is wanted


def test_functions_are_toggled_by_the_names_that_the_program_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    symbols = ["_ZN3lbm4stepEi", "relax", "swap.constprop.0", "x4plan"]
    monkeypatch.setattr(tool, "_programs", lambda _words, _launch: [tmp_path])
    monkeypatch.setattr(elf, "functions", lambda _path: symbols)
    patterns, inlined = tool.toggles(
        ["lbm::step(int)", "relax", "swap", "gone", "plan"], ["./a"], launcher.parse(["./a"])
    )
    assert set(patterns) == {"*step(*", "*step<*", "relax", "relax.*", "swap", "swap.*"}
    assert inlined == ["gone", "plan"]
