"""Runs of both sides: evidence on the comments, and a verdict on what got dearer."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Reviewer
from lbm_request import Project, new_project

from mpi_launch import LAUNCH
from stridewise import cli
from stridewise.budget import collect, items
from stridewise.finding import Confidence, Evidence, Finding, Location, Severity, Verdict, sources
from stridewise.finding.result import RunSummary
from stridewise.review.runs import Costs, comparable, regressions
from stridewise.runs.mpi import trace_file
from stridewise.runs.mpi.trace import Trace

PROGRAM = """#include <mpi.h>
#include <stdlib.h>
#define CELLS 20
static void exchange(double *cells, int rank) {
  if (rank == 0)
    for (int i = 0; i < CELLS; i++)
      MPI_Send(&cells[i], 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  else
    for (int i = 0; i < CELLS; i++)
      MPI_Recv(&cells[i], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *cells = calloc(100000, sizeof *cells);
  for (int step = 0; step < 20; step++) {
    cells[step % 7] = step;
    exchange(cells, rank);
    MPI_Bcast(cells, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  }
  free(cells);
  MPI_Finalize();
  return 0;
}
"""
RULE = "mpi-tiny-messages"
MESSAGE_SECONDS = 1e-6
RUN_SECONDS = 1.0


def finding(name: str, cost: float | None = None, verdict: Verdict = Verdict.SUSPECTED) -> Finding:
    where = Location("/p/a.c", 1)
    measured = (Evidence("static"), Evidence("mpi"))
    return Finding(
        RULE,
        Severity.WARNING,
        Confidence.HIGH,
        name,
        where,
        verdict,
        evidence=measured,
        fingerprint=name,
        cost_seconds=cost,
    )


def costs(
    runs: int, seconds: Mapping[str, Sequence[float]], team: str = "4 ranks, Open MPI", kind: str = "mpi"
) -> Costs:
    summaries = tuple(RunSummary(kind, ("app",), 0, 10.0, (team,)) for _ in range(runs))
    return Costs([], seconds, summaries, (), runs)


@pytest.mark.parametrize(
    ("now", "then", "dearer"),
    (
        ([1.2], [1.0], True),
        ([1.09], [1.0], False),  # below a tenth of the cost
        ([0.06], [0.02], False),  # below half a per cent of the run
        ([0.08], [0.02], True),
        ([1.2], [1.4], False),
        ([1.0], [], True),  # the base's run did not show it
        ([1.5, 1.0, 1.2], [1.0, 1.1, 0.9], False),  # the runs of one side differ by more
        ([1.5, 1.45, 1.4], [1.0, 1.1, 0.95], True),
        ([9.0, 1.0, 1.0], [1.0, 1.0, 1.0], False),  # one run of three is no verdict
    ),
)
def test_what_counts_as_dearer(now: list[float], then: list[float], dearer: bool) -> None:
    runs = max(len(now), len(then))
    pair = (finding("a"), finding("b"))
    found = regressions(costs(runs, {"a": now}), costs(runs, {"b": then}), [pair], [], 0.1, {"mpi"})
    assert bool(found) == dearer
    if dearer:
        assert found[0].finding.fingerprint == "a"
        assert found[0].seconds == sorted(now)[len(now) // 2]


def test_dearest_first_and_nothing_without_a_base() -> None:
    head = costs(1, {"a": [1.0], "b": [3.0], "c": [2.0]})
    new = [finding("a"), finding("b"), finding("c", verdict=Verdict.REFUTED), finding("d")]
    assert [r.finding.fingerprint for r in regressions(head, costs(1, {}), [], new, 0.1, {"mpi"})] == ["b", "a"]
    assert regressions(head, costs(0, {}), [], new, 0.1, {"mpi"}) == []
    assert costs(0, {}).of(finding("a")) is None


def test_unlike_runs_are_not_compared() -> None:
    """Other ranks, or a kind of run that the base has not: no verdict, and a word on it."""
    head = costs(1, {"a": [5.0]})
    assert comparable(head, costs(1, {})) == ({"mpi"}, [])
    kinds, notes = comparable(head, costs(1, {}, "2 ranks, Open MPI"))
    assert kinds == set()
    assert notes == ["the costs of the mpi runs are not compared: 4 ranks, the base's with 2 ranks"]
    kinds, notes = comparable(head, costs(1, {}, "4 threads, libomp", "omp"))
    assert (kinds, notes) == (set(), [])
    assert regressions(head, costs(1, {}), [], [finding("a")], 0.1, kinds) == []
    assert regressions(head, costs(1, {}), [], [finding("a")], 0.1, {"mpi"}) != []


def build_and_run(folder: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program of that tree, watched; the run folder."""
    folder.mkdir()
    subprocess.run(["mpicc", "-g", "-O1", "-o", str(folder / "app"), str(source / "src" / "app.c")], check=True)
    monkeypatch.chdir(folder)
    words = ["run", "-o", "out", "--", "mpirun", "-n", "2", str(folder / "app")]
    assert cli.main([*words[:3], "--format", "json", *words[3:]]) == 0
    record = folder / "out" / "run.json"
    value = json.loads(record.read_text(encoding="utf-8"))
    value["runs"][0]["seconds"] = RUN_SECONDS
    del value["crc32"]  # of what the run itself wrote
    record.write_text(json.dumps(value), encoding="utf-8")
    return folder / "out"


def at_fixed_prices(merged: Trace) -> Trace:
    """What was counted, with each message at a microsecond on either side: where the system takes the processor from
    a rank in the middle of a message, one message may take longer than all others together."""
    bursts = [
        replace(
            burst,
            rank_seconds=tuple(count * MESSAGE_SECONDS for count in burst.rank_messages),
            rank_receive_seconds=tuple(count * MESSAGE_SECONDS for count in burst.rank_receives),
        )
        for burst in merged.bursts
    ]
    wall = 2 * MESSAGE_SECONDS * sum(burst.messages for burst in bursts)
    return replace(merged, bursts=tuple(bursts), summary=replace(merged.summary, wall_seconds=wall))


def test_a_finding_that_got_dearer(reviewer: Reviewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known one: two hundred times the messages of the base, whose run was made in another tree. And a new one."""
    for name, value in LAUNCH.items():
        monkeypatch.setenv(name, value)
    load = trace_file.load
    monkeypatch.setattr(trace_file, "load", lambda path: at_fixed_prices(load(path)))
    project = new_project(tmp_path / "p")
    project.write("src/app.c", PROGRAM)
    project.commit("base")
    project.git("checkout", "--quiet", "-b", "change")
    other = Project(tmp_path / "elsewhere")
    project.git("worktree", "add", "--quiet", "--detach", str(other.root), "main")
    before = build_and_run(tmp_path / "run-base", other.root, monkeypatch)
    project.edit("src/app.c", "#define CELLS 20", "#define CELLS 4000")
    project.commit("more")
    after = build_and_run(tmp_path / "run-head", project.root, monkeypatch)
    kept = tmp_path / "budget.json"
    kept.write_text(items.as_text(collect.collect([before], None, sources.Project(other.root))))
    counted = ["--run", str(after), "--budget", str(kept)]
    recounts = reviewer.plan(project, "--base", "main", *counted).recounts
    (sent,) = [r for r in recounts if r.place.startswith("MPI_Send ")]
    assert (sent.kind, sent.file, sent.line) == ("more", "src/app.c", project.line_of("src/app.c", "MPI_Send"))
    assert "(+19,900 %)" in sent.values or "(+1.99e+04 %)" in sent.values
    assert RULE in sent.rules
    assert reviewer.status(project, "--base", "main", *counted, "--fail-on", "error") == 1
    assert reviewer.status(project, "--base", "main", *counted) == 0
    assert reviewer.status(project, "--base", "main", "--budget", str(kept)) == 2
    project.git("worktree", "remove", "--force", str(other.root))
    assert not other.root.exists()

    runs = ["--run", str(after), "--base-run", str(before)]
    plan = reviewer.plan(project, "--base", "main", *runs, "--path-map", f"{other.root}={project.root}")
    assert plan.comments == ()  # it was there before
    dearer = {r.finding.rule: r for r in plan.regressions}
    assert RULE in dearer
    found = dearer[RULE]
    assert found.finding.location.line == project.line_of("src/app.c", "MPI_Send")
    assert found.finding.verdict is Verdict.CONFIRMED
    assert found.seconds is not None and found.base_seconds is not None
    # The messages behind the first of a burst are charged. A burst may be cut in two where a rank is interrupted.
    assert found.base_seconds < 400 * MESSAGE_SECONDS
    assert 40_000 * MESSAGE_SECONDS < found.seconds < 80_000 * MESSAGE_SECONDS
    assert plan.stats["run_seconds"] and plan.stats["base_run_seconds"]
    mapped = ["--path-map", f"{other.root}={project.root}"]
    assert reviewer.status(project, "--base", "main", *runs, *mapped, "--fail-on", "warning") == 1
    assert reviewer.status(project, "--base", "main", *runs, *mapped, "--fail-on", "error") == 0
    assert not reviewer.plan(project, "--base", "main", "--run", str(after)).regressions

    # The same runs the other way round: what got cheaper is no regression.
    runs = ["--run", str(before), "--base-run", str(after), "--path-map", f"{other.root}={project.root}"]
    assert RULE not in {r.finding.rule for r in reviewer.plan(project, "--base", "main", *runs).regressions}

    # New in this change: the run's evidence is on its comment.
    project.git("checkout", "--quiet", "--orphan", "empty")
    project.write("src/app.c", PROGRAM.partition("static void")[0] + "int main(void) { return 0; }\n")
    project.commit("empty")
    project.git("checkout", "--quiet", "change")
    patch = project.git("diff", "empty", "change")
    (tmp_path / "all.patch").write_text(patch, encoding="utf-8")
    plan = reviewer.plan(project, "--diff", str(tmp_path / "all.patch"), "--run", str(after))
    (comment,) = [c for c in plan.comments if c.finding.rule == RULE]
    assert comment.finding.verdict is Verdict.CONFIRMED
    assert comment.finding.cost_seconds and comment.finding.evidence_from("mpi")


def test_runs_that_are_not_there(reviewer: Reviewer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = new_project(tmp_path / "p")
    project.write("src/app.c", PROGRAM)
    project.commit("base")
    assert reviewer.status(project, "--base", "main", "--run", "none") == 2
    assert "stridewise run -o none" in capsys.readouterr().err
    (tmp_path / "p" / "void").mkdir()
    assert reviewer.status(project, "--base", "main", "--run", "void") == 2
    assert "it holds nothing of a run" in capsys.readouterr().out
