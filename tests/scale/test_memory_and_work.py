"""Laws of allocations and of instructions, what is foretold of findings, and studies of summaries."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, scale, site

from stridewise import catalogue
from stridewise.scale import laws, unscalable
from stridewise.scale.counts import ALLOCATE, WORK, Count, Site
from stridewise.scale.row import Row, of_site

RULES = HERE.parents[1] / "rules"


def line_of(text: str) -> int:
    return next(n for n, line in enumerate((HERE / "programs.c").read_text().splitlines(), 1) if text in line)


def stridewise(folder: Path, *words: object) -> str:
    command = [sys.executable, "-m", "stridewise", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_allocation_has_its_law(studied: tuple[Path, dict[str, Any]]) -> None:
    taken = {one["line"]: one for one in studied[1]["allocations"] if one["file"].endswith("programs.c")}
    table, row = taken[line_of("*all = calloc")], taken[line_of("*row = calloc")]
    assert table["bytes_each"]["law"] == "8·P"
    assert table["bytes_each"]["at_target"] == [512, 512]
    assert table["calls_most"]["values"] == [1] * 6
    assert (row["bytes_each"]["law"], row["bytes_each"]["confidence"]) == ("5,760", "high")
    assert not any(one["unscalable"] for one in taken.values())  # some bytes keep nobody from anything


def test_how_uneven_ranks_are(studied: tuple[Path, dict[str, Any]]) -> None:
    """One rank receives all: it makes P times as many calls as the mean. Of a collective all make as many."""
    study = studied[1]
    gather = site(study, "MPI_Recv", "gather_by_hand")["excess"]
    assert (gather["law"], gather["foretold"]) == ("P", 64)
    assert site(study, "MPI_Allreduce", "main")["excess"]["foretold"] == 1
    halo = site(study, "MPI_Send", "halo")["excess"]  # of the 8 * 8 grid 7 * 8 ranks send down
    assert halo["law"] is None
    assert halo["foretold"] == pytest.approx(64 / 56)


def test_findings_say_what_they_are_at_the_target(studied: tuple[Path, dict[str, Any]]) -> None:
    folder = studied[0] / "study"
    run = folder / "ranks-00008"
    found = json.loads(stridewise(folder.parent, "report", run, "--scale", folder, "--all", "--format", "json"))
    told = {(f["rule"], f["location"]["line"]): f for f in found["findings"]}
    gather = told["mpi-handmade-collective", line_of("MPI_Recv(all")]
    (evidence,) = [e for e in gather["evidence"] if e["source"] == "scale"]
    assert evidence["metrics"]["call_count"] == 315
    assert evidence["note"].startswith(
        "at 64 ranks: 315 calls of a rank (5·P - 5), 2,520 bytes (40·P - 40), 63 partners, "
    )
    text = stridewise(folder.parent, "report", run, "--scale", folder / "scale.json", "--all")
    assert "foretold: at 64 ranks: 315 calls of a rank" in " ".join(text.split())
    assert "strong scaling to 64 ranks, by runs of 2, 3, 4, 5, 6, 8" in text
    (first,) = [line for line in text.splitlines() if "breaks first: " in line]
    assert "programs.c:" in first and " of what a rank computes" in first
    assert [site["name"] for site in found["studies"]["scale"]["curves"]["sites"]]
    assert "foretold" not in stridewise(folder.parent, "report", run, "--all")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{}", "is nothing that stridewise scale wrote"),
        ('{"version": 3}', "is of version 3"),
        (None, "there is no scale.json"),
    ],
)
def test_a_study_that_is_none(text: str | None, why: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "scale.json").write_text(text)
    (tmp_path / "run").mkdir()
    command = [sys.executable, "-m", "stridewise", "report", "run", "--scale", "scale.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert why in done.stderr


def test_summaries_have_the_same_laws(studied: tuple[Path, dict[str, Any]], program: Path, launcher: str) -> None:
    """Without a file for each rank, counts, bytes, partners and allocations are those of the largest rank."""
    folder, full = studied
    done = scale(
        folder, "-n", "2,3,4,5,6,8", "--target", 64, "--format", "json", "-o", "reduced", "--reduce", "4", "--",
        launcher, "-n", "{n}", program, 720, 5,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(list((folder / "reduced" / "ranks-00008" / "mpi").glob("*.group*.swshard"))) == 2
    reduced = json.loads(done.stdout)
    for kind in ("sites", "allocations"):
        counts = ("calls_most", "calls", "bytes_most", "partners")
        ours, theirs = (
            {(s["call"], s["line"], str(s["path"])): [s[c]["values"] for c in counts] for s in study[kind]}
            for study in (full, reduced)
        )
        assert ours == theirs
    assert reduced["memory"]["values"][0] > 0


def study_of_sample(rule: str, sample: str, folder: Path, *words: str) -> list[dict[str, Any]]:
    source = RULES / rule / f"{sample}.c"
    shutil.copy(source, folder)
    build = ["mpicc.openmpi", "-g", "-O1", "-Wall", "-Werror", source.name, "-o", "sample"]
    subprocess.run(build, cwd=folder, check=True, timeout=120)
    command = ["-n", "2,3,4,6", "--target", 512, *words, "--format", "rdjson", "--", "mpirun.openmpi", "-n", "{n}"]
    done = scale(folder, *command, "./sample")
    assert done.returncode == 0, done.stderr
    diagnostics: list[dict[str, Any]] = json.loads(done.stdout)["diagnostics"]
    return diagnostics


@pytest.mark.parametrize(
    ("rule", "words", "line", "message"),
    [
        ("mpi-unscalable-memory", (), 6, "each allocation stays at 16,777,216 B, though others shrink with the ranks"),
        ("mpi-serial-share", ("--work",), 7, "'make_weights': its instructions are not divided (each rank runs it)"),
    ],
)
def test_the_pair_of_a_rule(rule: str, words: tuple[str, ...], line: int, message: str, tmp_path: Path) -> None:
    for sample in ("buggy", "fixed"):
        (folder := tmp_path / sample).mkdir()
        told = study_of_sample(rule, sample, folder, *words)
        if sample == "fixed":
            assert not told
            continue
        (one,) = told
        assert one["code"]["value"] == f"stridewise-{rule}"
        assert one["location"]["range"]["start"]["line"] == line
        assert message in one["message"]


def test_one_rank_that_works_for_all(tmp_path: Path) -> None:
    """The sample of the rule, but that rank 0 alone makes the weights of all."""
    source = (RULES / "mpi-serial-share" / "buggy.c").read_text()
    (tmp_path / "sample.c").write_text(
        source.replace("  make_weights(", "  if (rank == 0)\n    make_weights(").replace(
            "values, own, 10)", "values, own, 40)"
        )
    )
    subprocess.run(["mpicc.openmpi", "-g", "-O1", "sample.c", "-o", "sample"], cwd=tmp_path, check=True, timeout=120)
    words = ["-n", "2,3,4,6", "--work", "--target", 512, "--", "mpirun.openmpi", "-n", "{n}", "./sample"]
    told = scale(tmp_path, *words).stdout
    assert "its instructions are not divided (one rank alone runs it)" in told
    assert "instructions of the busiest rank: " in told
    assert scale(tmp_path, *words).stderr.count("there already") == 4
    assert len(list((tmp_path / "stridewise-scale").glob("ranks-*/output-cache.txt"))) == 4


# --- What keeps a program from scaling --------------------------------------------------------------------------------

RANKS = (2, 4, 8, 16)
SPAN = unscalable.Span(2, 16, 4096, weak=False)


def allocation(*each: int) -> Row:
    return of_site(
        Site(ALLOCATE, (("a.c", 1, "f"),)), {p: Count(1, p, b, b * p, 0, p) for p, b in zip(RANKS, each, strict=True)}
    )


def function(*most: int, alone: bool = False) -> Row:
    values = {p: Count(n, n if alone else n * p, ranks=p) for p, n in zip(RANKS, most, strict=True)}
    return of_site(Site(WORK, (("a.c", 1, "f"),)), values)


def memory(row: Row, *others: Row, span: unscalable.Span = SPAN, peak: int = 100 << 20) -> str:
    return unscalable.of_memory(row, [row, *others], catalogue.load()[unscalable.MEMORY], span, peak)


def test_memory_that_grows_to_what_counts() -> None:
    table = allocation(*(8 * p for p in RANKS))
    assert memory(table) == ""  # 32 KiB at the target
    assert (
        memory(table, span=unscalable.Span(2, 16, 1 << 20, weak=False))
        == "one allocation grows with the ranks: 8·P bytes"
    )
    squares = allocation(*(8 * p * p for p in RANKS))
    assert memory(squares, span=unscalable.Span(2, 16, 4096, weak=True)).startswith("one allocation grows")


def test_memory_that_stays_is_told_where_others_shrink() -> None:
    field, part = allocation(*[32 << 20] * 4), allocation(*((64 << 20) // p for p in RANKS))
    assert "stays at 33,554,432 B" in memory(field, part)
    assert memory(field) == ""  # perhaps each rank has its own problem
    assert memory(field, part, span=unscalable.Span(2, 16, 4096, weak=True)) == ""
    assert memory(field, part, peak=1 << 30) == ""  # a buffer
    assert memory(allocation(*[32 << 10] * 4), part) == ""
    assert memory(part, field) == ""


def work(row: Row, *others: Row, weak: bool = False) -> str:
    rule = catalogue.load()[unscalable.SERIAL]
    return unscalable.of_work(row, [row, *others], rule, unscalable.Span(2, 16, 4096, weak))


def test_work_that_is_not_divided() -> None:
    serial, divided = function(*[10**6] * 4), function(*(10**8 // p for p in RANKS))
    assert (
        work(serial, divided) == "its instructions are not divided (each rank runs it): 1,000,000; 97.6 % of a rank's"
    )
    assert "(one rank alone runs it)" in work(function(*[10**6] * 4, alone=True), divided)
    assert work(divided, serial) == ""
    assert work(serial, divided, weak=True) == ""
    halved = function(*(10**8 * 2 // p for p in RANKS))  # all that there is, and it shrinks
    assert (
        unscalable.of_work(halved, [halved], catalogue.load()[unscalable.SERIAL], unscalable.Span(2, 16, 16, False))
        == ""
    )
    assert work(serial) == ""  # nothing is divided: who asked for strong scaling?
    assert work(function(*[10**4] * 4), divided) == ""  # too little
    assert work(serial, divided, function(*[10**8] * 4)) == ""  # all stays
    assert work(function(*[2 * 10**5] * 4), function(*(10**11 // p for p in RANKS))) == ""  # not yet a tenth


def test_work_that_grows_though_each_rank_has_as_much() -> None:
    own, for_all = function(*[10**6] * 4), function(*(10**5 * p for p in RANKS))
    assert work(for_all, own, weak=True) == "its instructions grow with the ranks: 100,000·P; 99.8 % of a rank's"
    assert work(own, for_all, weak=True) == ""


def test_even_parts_of_few_runs_are_divided() -> None:
    """Of two to four ranks half is left, of eight a quarter."""
    span, rule = unscalable.Span(2, 4, 4, weak=False), catalogue.load()[unscalable.SERIAL]
    divided, kept = (
        of_site(
            Site(WORK, (("a.c", line, "f"),)), {p: Count(n, n * p, ranks=p) for p, n in zip((2, 3, 4), of, strict=True)}
        )
        for line, of in ((1, (6 * 10**6, 4 * 10**6, 3 * 10**6)), (2, [10**6] * 3))
    )
    assert unscalable.of_work(divided, [divided, kept], rule, span) == ""
    assert "not divided" in unscalable.of_work(kept, [divided, kept], rule, span)


def test_uneven_parts_are_shown_as_whole_numbers() -> None:
    law = laws.find(tuple((p, 8.0 * ((2 << 20) // p)) for p in (2, 3, 4, 6)))
    assert law is not None
    assert "/" not in str(law).removesuffix("/P")
