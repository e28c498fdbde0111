"""`stridewise scale` on a program whose laws are known, by both MPI libraries."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, RANKS, scale, site

from mpi_launch import LAUNCH


def test_each_site_has_its_law(studied: tuple[Path, dict[str, Any]]) -> None:
    study = studied[1]
    assert study["ranks"] == [2, 3, 4, 5, 6, 8]
    gather = site(study, "MPI_Recv", "gather_by_hand")
    assert gather["file"].endswith("programs.c")
    assert gather["calls_most"]["law"] == "5·P - 5"
    assert gather["calls_most"]["confidence"] == "high"
    assert gather["calls_most"]["at_target"] == [315, 315]
    assert gather["partners"]["law"] == "P - 1"
    assert gather["unscalable"] == "calls of a rank grow: 5·P - 5"
    tree = site(study, "MPI_Recv", "tree")
    assert tree["calls_most"]["law"] == "5·⌈log2 P⌉"
    assert tree["calls"]["law"] == "5·P - 5"
    assert not tree["unscalable"]
    halo = site(study, "MPI_Send", "halo")
    assert halo["calls_most"]["law"] == "5"
    assert halo["calls"]["law"] == "5·(X-1)·Y"
    assert halo["bytes_most"]["law"] == "28,800/X"
    reduced = site(study, "MPI_Allreduce", "main")
    assert reduced["calls_most"]["law"] == "5"
    assert reduced["bytes_most"]["law"] == "40·P"
    assert reduced["unscalable"] == "bytes of a rank grow: 40·P"


def test_the_laws_foretell_a_run_that_they_have_not_seen(
    studied: tuple[Path, dict[str, Any]], program: Path, launcher: str
) -> None:
    """At 12 ranks each count is exactly what the laws of at most 8 say."""
    folder, study = studied
    words = ["-n", "12", "-o", "seen", "--", launcher, "-n", "{n}", program, 720, 5]
    assert scale(folder, *words).returncode == 2  # one run makes no law, but it is made
    runs = sorted((folder / "study").glob("ranks-*"))
    done = scale(folder, "--format", "json", "--from", *runs, folder / "seen" / "ranks-00012")
    assert done.returncode == 0, done.stderr
    after = {(s["call"], s["line"], str(s["path"])): s for s in json.loads(done.stdout)["sites"]}
    for before in study["sites"]:
        now = after[before["call"], before["line"], str(before["path"])]
        for count in ("calls_most", "calls", "bytes_most", "partners"):
            assert now[count]["law"] == before[count]["law"], (before["call"], count, now[count]["values"])


def test_runs_that_are_there_are_kept(studied: tuple[Path, dict[str, Any]], program: Path, launcher: str) -> None:
    folder, study = studied
    before = {path: path.stat().st_mtime_ns for path in (folder / "study").glob("ranks-*/run.json")}
    words = ["-n", RANKS, "--target", 64, "-o", "study", "--", launcher, "-n", "{n}", program, 720, 5]
    done = scale(folder, *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("there already") == len(study["ranks"])
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "gather_by_hand" in done.stdout
    assert "does not scale    calls of a rank grow: 5·P - 5" in done.stdout
    assert "at 64: 315" in done.stdout
    assert json.loads((folder / "study" / "scale.json").read_text())["sites"] == study["sites"]
    assert scale(folder, "--fail", *words).returncode == 1


def test_what_does_not_scale_as_findings(studied: tuple[Path, dict[str, Any]]) -> None:
    folder = studied[0]
    done = scale(folder, "--target", 64, "--format", "rdjson", "--from", *sorted((folder / "study").glob("ranks-*")))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["diagnostics"]
    lines = (HERE / "programs.c").read_text().splitlines()
    wanted = {
        1 + next(n for n, text in enumerate(lines) if call in text) for call in ("MPI_Recv(all", "MPI_Allreduce(")
    }
    assert {d["location"]["range"]["start"]["line"] for d in told} == wanted
    assert {d["code"]["value"] for d in told} == {"stridewise-mpi-unscalable-collective"}


def test_findings_of_the_largest_run_stand_at_their_places(studied: tuple[Path, dict[str, Any]]) -> None:
    gather = site(studied[1], "MPI_Recv", "gather_by_hand")
    assert "mpi-handmade-collective" in gather["rules"]


@pytest.mark.parametrize(("sample", "found"), [("buggy", 1), ("fixed", 0)])
def test_the_pair_of_the_rule(sample: str, found: int, flavour: str, launcher: str, tmp_path: Path) -> None:
    source = HERE.parents[1] / "rules" / "mpi-unscalable-collective" / f"{sample}.c"
    shutil.copy(source, tmp_path)
    subprocess.run(
        [f"mpicc.{flavour}", "-g", "-O1", source.name, "-o", "sample"], cwd=tmp_path, check=True, timeout=120
    )
    words = ["-n", "2,3,4,6", "--target", 512, "--format", "rdjson", "--", launcher, "-n", "{n}", "./sample"]
    done = scale(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    diagnostics = json.loads(done.stdout)["diagnostics"]
    assert len(diagnostics) == found
    for one in diagnostics:
        assert one["location"]["range"]["start"]["line"] == 7
        assert (
            "MPI_Allgather: all-gather: each call is with all ranks; at 512 ranks 200 calls of a rank" in one["message"]
        )


def test_a_machine_file_makes_the_prices(studied: tuple[Path, dict[str, Any]]) -> None:
    """One message of 8 bytes on a network of 1 ms and 8 kB/s: least its overhead, most 2 ms."""
    folder = studied[0]
    machine = folder / "machine.json"
    given = {"version": 1, "latency_seconds": 1e-3, "send_seconds": 1e-4, "bytes_per_second": 8e3}
    machine.write_text(json.dumps(given))
    runs = sorted((folder / "study").glob("ranks-*"))
    done = scale(folder, "--format", "json", "--target", 101, "--machine", machine, "--from", *runs)
    assert done.returncode == 0, done.stderr
    price = site(json.loads(done.stdout), "MPI_Recv", "gather_by_hand")["price"]
    assert price["least"] == pytest.approx(500 * 1e-4)
    assert price["most"] == pytest.approx(500 * 2e-3)


def test_weak_scaling_by_formula_and_template(program: Path, launcher: str, tmp_path: Path) -> None:
    (tmp_path / "in.tmpl").write_text("side {side} of {n}, {kept}\n")
    done = scale(
        tmp_path, "-n", "2,3,4", "--weak", "side={n}*100", "--template", "in.tmpl=in-{n}.txt", "--format", "json", "--",
        launcher, "-n", "{n}", program, "{side}", 1,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    study = json.loads(done.stdout)
    assert study["scaling"] == "weak"
    assert (tmp_path / "in-4.txt").read_text() == "side 400 of 4, {kept}\n"
    assert site(study, "MPI_Send", "halo")["bytes_most"]["values"] == [8 * 100, 8 * 100, 8 * 200]


def test_a_failing_run_is_left_out_and_said(program: Path, launcher: str, tmp_path: Path) -> None:
    done = scale(
        tmp_path, "-n", "2,3,4", "--env", "STATUS={status}", "--let", "status=max(0,n-3)", "--",
        launcher, "-n", "{n}", program, 720, 1,
    )  # fmt: skip
    assert done.returncode == 2
    assert "run 3 of 3: 4 ranks: left out, it ended with status" in done.stderr
    assert "a law needs runs at 3 numbers of ranks at least, above 1; there are 2" in done.stderr


_SBATCH = """#!/bin/sh
# Stands in for Slurm: runs the job at once and prints its number.
for job; do :; done
echo "$*" >> "$(dirname "$0")/asked"
"$job" > "$job.out" 2>&1
wc -l < "$(dirname "$0")/asked"
"""


def test_jobs_of_slurm_make_the_runs_and_the_laws(program: Path, launcher: str, tmp_path: Path) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "sbatch").write_text(_SBATCH)
    (bin_folder / "sbatch").chmod(0o755)
    done = scale(
        tmp_path, "--launcher", "slurm", "--sbatch=--partition=a b", "-n", "2,3,4", "--target", 64, "-o", "my study",
        "--env", "WORDS=it's {n}", "--", launcher, "-n", "{n}", program, 720, 1,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    script = tmp_path / "my study" / "submit.sh"
    assert f"submit the jobs with {script}" in done.stderr
    environment = {**os.environ, **LAUNCH, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    subprocess.run([script], cwd=tmp_path, env=environment, check=True, timeout=300)
    asked = (bin_folder / "asked").read_text().splitlines()
    assert len(asked) == 4
    assert "--dependency=afterany:1:2:3" in asked[-1]
    job = (tmp_path / "my study" / "ranks-00004.sbatch").read_text()
    assert "#SBATCH --ntasks=4\n" in job
    assert "#SBATCH --partition=a b\n" in job
    assert "WORDS='it'\"'\"'s 4'" in job
    told = (tmp_path / "my study" / "scale.txt").read_text()
    assert "at 64: " in told
    assert "P - 1" in told


def test_a_run_that_takes_too_long_is_left_out_and_made_again(program: Path, launcher: str, tmp_path: Path) -> None:
    words = ["-n", "2,3,4", "--env", "NAP={nap}", "--let", "nap=30*max(0,n-3)"]
    command = ["--", launcher, "-n", "{n}", program, 720, 1]
    done = scale(tmp_path, *words, "--limit", "6", *command)
    assert done.returncode == 2
    assert "run 3 of 3: 4 ranks: left out, it took longer than the 6 s of --limit" in done.stderr
    done = scale(tmp_path, *words, "--limit", "7", *command)
    assert done.stderr.count("there already") == 2
    assert "run 3 of 3: 4 ranks: left out, it took longer than the 7 s" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "say how the program is run"),
        (("--", "mpirun", "-n", "4", "./app"), "the command never says {n}"),
        (("-n", "2,x", "--", "./app", "{n}"), "'2,x' is no list of ranks"),
        (("--weak", "side", "--", "./app", "{n}"), "--weak 'side': write it as NAME=VALUE"),
        (("--weak", "side=open('x')", "--", "./app", "{side}"), "is none of: numbers, names"),
        (("--weak", "side=n**n**n**n", "--", "./app", "{side}"), "exponent up to 64"),
        (("--from", "nowhere"), "nowhere holds no run of an MPI program"),
        (("--target", "1", "--", "./app", "{n}"), "'1' is no number of ranks above 1"),
        (("--template", "none=x", "--", "./app", "{n}"), "cannot fill none into x"),
        (("--launcher", "slurm", "--sbatch=x\n", "--", "./app", "{n}"), "write an option of sbatch"),
    ],
)
def test_bad_input_says_what_and_ends_with_2(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    done = scale(tmp_path, *words)
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr
