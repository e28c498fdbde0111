"""The first page of a text report: at most twelve lines, whatever the width, and no word is broken."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stridewise import console
from stridewise.catalogue import Rule
from stridewise.catalogue.plain import text as plain
from stridewise.errors import Failure
from stridewise.finding import Confidence, Finding, Location, Severity, Verdict
from stridewise.finding.profile import CallSite, Efficiency, Look, Part, Profile, TeamSite, parts_of
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.sources import Project
from stridewise.render import text
from stridewise.render._layout import Layout, place, shortened
from stridewise.runs.mpi import profile as mpi_profile
from stridewise.runs.mpi import trace_file
from stridewise.runs.mpi.trace import Frame

HEAD = "mpirun -n 4 ./lbm"
PARTS = (Part("computing", 2.0), Part("waiting", 1.0), Part("sending", 0.75), Part("sleeping", 0.25))
SITE = CallSite("MPI_Recv", "/project/src/exchange.c", 24, "exchange", 4000, 32000, 0.9, 1.25, 3)
LOW = Efficiency("serialisation", 0.6, "ranks wait 1 s on average in MPI_Recv at exchange.c:24")
HIGH = Efficiency("load balance", 0.99, "rank 1 computes for 2.01 s, the mean is 2 s")


def finding(number: int, **changes: Any) -> Finding:
    base = Finding(
        rule="mpi-tiny-messages",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message=f"message {number}: one message for each of the cells of a very long boundary of the whole mesh",
        advice=f"advice {number}: send all runs as one message, with MPI_Type_vector or through a buffer of your own",
        location=Location(f"/project/src/with/quite/a/long/way/to/exchange{number}.c", 24),
        function="exchange",
        verdict=Verdict.CONFIRMED,
        gain_seconds=1.0 / number,
    )
    return replace(base, **changes)


def run(**changes: Any) -> RunSummary:
    profile = Profile(4.0, PARTS, (HIGH, LOW), (SITE,))
    base = RunSummary("mpi", ("mpirun", "-n", "4", "./lbm"), 0, 4.0, ("4 ranks, Open MPI", "4 s"), (), profile)
    return replace(base, **changes)


def report(rules: dict[str, Rule], layout: Layout | None = None, **changes: Any) -> str:
    value = Result(Project(Path("/project")), tuple(finding(n) for n in range(1, 6)), runs=(run(),))
    return text.render(replace(value, **changes), rules, False, layout)


def verdict(shown: str) -> list[str]:
    return shown.split("\n\n")[0].splitlines()


def test_the_verdict_says_where_the_time_went_and_what_to_do_first(rules: dict[str, Rule]) -> None:
    lines = verdict(report(rules))
    assert HEAD in lines[0]
    bar = lines[1].strip()
    assert [bar.count(mark) / len(bar) for mark in "█░▒z"] == pytest.approx([0.5, 0.25, 0.1875, 0.0625], abs=0.01)
    assert "█ computing 50 %   ░ waiting 25 %   ▒ sending 19 %   z sleeping 6 %" in lines[2]
    assert "serialisation 60 %: ranks wait 1 s on average in MPI_Recv at exchange.c:24" in lines[3]
    assert not any("load balance" in line for line in lines)
    assert lines[4].startswith("  1. advice 1: send all runs as one message")
    assert "exchange1.c:24 in exchange · mpi-tiny-messages · saves about 1 s, confirmed by the run" in lines[5]
    assert sum(line.lstrip().startswith(("1.", "2.", "3.", "4.")) for line in lines) == 3
    assert "advice 4" not in "\n".join(lines)


@pytest.mark.parametrize("width", [80, 97, 120, 200])
def test_every_line_fits_and_no_word_is_broken(rules: dict[str, Rule], width: int) -> None:
    shown = report(rules, Layout(width, True))
    assert all(len(line) <= width for line in shown.splitlines()), max(shown.splitlines(), key=len)
    assert len(verdict(shown)) <= 12
    words = set(report(rules).split()) | {"…", "…/", "mean", "share"}  # the last two head columns, shorter
    broken = [w for w in shown.split() if w.strip("█░▒z") and w not in words and "…" not in w]
    assert not broken


@pytest.mark.parametrize("width", [80, 200])
def test_parallel_regions_fit(rules: dict[str, Rule], width: int) -> None:
    place = "/project/src/with/quite/a/long/way/to/a/file.c"
    site = TeamSite(place, 123, "solve", 100_000, 3.125, 0.0251, 0.525, 2.525, 2.75, ("assembly",))
    profile = Profile(4.0, PARTS, (), team_sites=(site, replace(site, line=0, file="", seconds=0.001)))
    shown = report(rules, Layout(width, True), findings=(), runs=(run(kind="omp", profile=profile),))
    table = shown[shown.index("time by region") :].splitlines()
    assert all(len(line) <= width for line in table)
    assert "file.c:123" in table[1] and "100,000" in table[1] and "525 ms" in table[1]
    assert table[-1] != table[2] and "1 more parallel region with --all" in shown


@pytest.mark.parametrize("width", [80, 120])
def test_a_long_head_and_a_run_without_times_leave_room_for_what_to_do(rules: dict[str, Rule], width: int) -> None:
    long = "parallel efficiency 48.1 % (load balance 90.9 %, communication 52.9 %, serialisation 83.3 %, transfer 69 %)"
    details = ("Cachegrind, 4 processes", "D1 32 KiB, 8-way, lines of 64 B", "LL 16 MiB, 16-way, lines of 64 B",
               "7,096,171 D1 and 553,754 last-level misses in 274,134,856 accesses")  # fmt: skip
    simulated = run(kind="cache", profile=None, details=details)
    shown = report(rules, Layout(width, True), runs=(run(details=("4 ranks", "4.5 s", long)), simulated))
    assert all(len(line) <= width for line in shown.splitlines())
    head = verdict(shown)
    assert len(head) <= 12
    assert [line.lstrip()[:2] for line in head if line.lstrip()[:2] in ("1.", "2.", "3.")] == ["1.", "2.", "3."]
    assert "serialisation 60 %" in "".join(head)
    assert "274,134,856 accesses" in shown
    assert "274,134,856 accesses" not in "".join(head)


def test_twelve_lines_are_enough_for_many_runs(rules: dict[str, Rule]) -> None:
    shown = verdict(report(rules, runs=(run(), run(), run())))
    assert len(shown) <= 12
    assert "  1. advice 1" in "\n".join(shown)


def test_brief_is_the_verdict_alone(rules: dict[str, Rule]) -> None:
    shown = report(rules, brief=True)
    assert shown.startswith("\n".join(verdict(report(rules))))
    assert "message 1" not in shown
    assert shown.count("\n") <= 15
    alone = report(rules, brief=True, runs=())
    assert "  1. advice 1" in alone
    assert "high confidence" in alone


def test_the_time_by_call_site_is_there_without_findings(rules: dict[str, Rule]) -> None:
    shown = report(rules, findings=())
    assert "time by call site" in shown
    assert "MPI_Recv /project/src/exchange.c:24  4,000         900 ms        22 %  1.25 s (rank 3)" in shown


def test_what_lies_in_the_machine_comes_first_and_where_to_look_last(rules: dict[str, Rule]) -> None:
    profile = Profile(
        4.0, PARTS, (), (SITE,), (("use more processors", "ranks shared 2"),), (Look("look there", "1 s"),)
    )
    shown = verdict(report(rules, runs=(run(profile=profile),)))
    assert "  1. use more processors" in shown
    assert any(line.startswith("  2. advice 1") for line in shown)
    assert not any("look there" in line for line in shown)
    alone = verdict(report(rules, runs=(run(profile=profile),), findings=()))
    assert alone[-2:] == ["  2. look there", "     1 s"]


def test_places_of_one_cause_are_folded(rules: dict[str, Rule]) -> None:
    alike = tuple(finding(1, group="a", location=Location("/project/a.c", n)) for n in range(1, 16))
    shown = report(rules, findings=alike)
    assert shown.count("why:") == 1
    assert "a.c:2, 3, 4, 5, 6, 7, 8, 9 in exchange; and 6 more, with --all" in shown
    few = report(rules, findings=alike[:9])
    assert "a.c:2, 3, 4, 5, 6, 7, 8, 9 in exchange\n" in few
    assert report(rules, findings=alike, limit=None).count("message 1") == 15


def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert console.columns() is None

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdout", Terminal())
    for given, wanted in (("40", 80), ("131", 131), ("1000", 200), ("x", 80)):
        monkeypatch.setenv("COLUMNS", given)
        monkeypatch.setattr("os.get_terminal_size", lambda _descriptor: (_ for _ in ()).throw(OSError))
        monkeypatch.setattr(Terminal, "fileno", lambda _self: 1)
        assert console.columns() == wanted


def test_words_and_paths_are_shortened_whole() -> None:
    assert shortened("one two three", 13) == "one two three"
    assert shortened("one two three", 10) == "one two …"
    assert place("/a/long/way/to/file.c:3", 14) == "…/to/file.c:3"
    assert place("/a/long/file.c", 3) == "…/file.c"
    assert place("file.c", 3) == "file.c"


def test_parts_never_exceed_the_whole() -> None:
    parts = {p.name: p.seconds for p in parts_of(1.0, (("a", 0.75), ("b", 0.5), ("c", -1.0), ("d", 0.5)), "rest")}
    assert parts == {"rest": 0.0, "a": 0.75, "b": 0.25}


def trace(**changes: Any) -> Any:
    rank = {"shard": "", "host": "n", "pid": 1, "state": "closed", "clock_error_seconds": 0, "calls": 9, "events": 9,
            "dropped_calls": 0}  # fmt: skip
    value: dict[str, Any] = {
        "version": 1,
        "job": {"id": "1", "flavour": "openmpi", "mpi": "Open MPI", "executable": "/a", "command": "/a",
                "directory": "/", "begin_realtime_ns": 0, "world_size": 2, "missing_ranks": []},
        "summary": {"wall_seconds": 10.0, "mpi_seconds": 6.0, "parallel_efficiency": 0.5, "load_balance": 0.8,
                    "communication_efficiency": 0.6, "serialisation_efficiency": 0.7, "transfer_efficiency": 0.9},
        "ranks": [{**rank, "rank": 0, "wall_seconds": 10.0, "mpi_seconds": 6.0, "sleep_seconds": 1.0},
                  {**rank, "rank": 1, "wall_seconds": 8.0, "mpi_seconds": 2.0}],
        "modules": [], "paths": [{"frames": [[None, 5]]}, {"frames": [[None, 6]]}],
        "calls": [
            {"path": 0, "call": "MPI_Recv", "count": 5, "bytes": 40, "rank_seconds": [5.0, 1.0], "rank_counts": [3, 2]},
            {"path": 1, "call": "MPI_File_write", "count": 2, "bytes": 8, "rank_seconds": [1.0], "rank_counts": [2],
             "ranks": [0]},
            {"path": 1, "call": "write", "count": 1, "bytes": 8, "rank_seconds": [0.5, 0.5], "rank_counts": [1, 0]},
        ],
        "windows": [], "barriers": [], "bursts": [], "chains": [], "problems": [], "notes": [],
        "waits": [{"kind": "late-sender", "path": 0, "calls": 5, "longest_seconds": 1.0, "waiting": [[0, 4.0]],
                   "culprit_count": 1, "culprits": [[1, 4.0]], "causes": []},
                  {"kind": "wait-at-finalize", "path": 1, "calls": 1, "longest_seconds": 9.0, "waiting": [[1, 9.0]],
                   "culprit_count": 1, "culprits": [[0, 9.0]], "causes": []}],
    }  # fmt: skip
    return trace_file.parse({**value, **changes})


def test_the_parts_of_an_mpi_run() -> None:
    found = mpi_profile.profile(trace())
    assert found is not None
    parts = {part.name: part.seconds for part in found.parts}
    # Rank 0 waits for 4 s; rank 1 is done 2 s early. Of 4 s in MPI on average 0.5 s are output, and as much outside.
    expected = {"computing": 4.0, "waiting": 3.0, "sending": 1.5, "sleeping": 0.5, "output": 1.0}
    assert parts == pytest.approx(expected)
    assert sum(parts.values()) == pytest.approx(10.0)
    named = {e.name: e.spoiled for e in found.efficiencies}
    assert named["load balance"] == "rank 1 computes for 6 s, the mean is 4.5 s"
    assert named["serialisation"].startswith("ranks wait 2 s on average in MPI_Recv")
    site = found.sites[0]
    assert (site.call, site.count, site.mean_seconds, site.worst_seconds, site.worst_rank) == (
        "MPI_Recv",
        5,
        3.0,
        5.0,
        0,
    )
    assert found.looks[0].what.startswith("look at MPI_Recv")


def test_call_paths_to_one_call_are_one() -> None:
    """Two ways to one line: what spoils an efficiency there is both together."""
    whole = trace()
    frame = Frame("exchange", "/src/a.c", 7)
    same = replace(whole, paths=tuple(replace(path, frames=(frame,)) for path in whole.paths))
    calls = tuple(replace(c, call="MPI_Recv") for c in whole.calls[:2])
    waits = (whole.waits[0], replace(whole.waits[0], path=1, waiting=((1, 1.0),)))
    found = mpi_profile.profile(replace(same, calls=calls, waits=waits))
    assert found is not None
    named = {e.name: e.spoiled for e in found.efficiencies}
    assert named["serialisation"] == "ranks wait 2.5 s on average in MPI_Recv at a.c:7"
    assert named["transfer"] == "MPI_Recv at a.c:7 takes 1 s on average beyond waiting"
    assert [(s.count, s.mean_seconds) for s in found.sites] == [(7, 3.5)]


def test_no_parts_where_several_threads_were_in_mpi() -> None:
    whole = trace()
    ranks = tuple(replace(rank, helper_mpi_seconds=5.0) for rank in whole.ranks)
    found = mpi_profile.profile(replace(whole, ranks=ranks))
    assert found is not None
    assert not found.parts
    assert found.sites


PAGE = """# Title

Some *stressed* and **strong** text with `a * b * c` and a [link](there.md) that goes on and on and on.

- first item that is long enough to be wrapped at forty columns
- second

| name | why |
|---|---|
| `x` | because of something that is long enough to go on below |

```c
int a;  // `kept` *as* it is
```
"""


def test_a_page_as_text() -> None:
    shown = plain(PAGE, 40)
    assert shown.startswith("Title\n=====\n")
    assert "Some stressed and strong text with" in shown
    assert "a * b * c" in " ".join(shown.split())
    assert "there.md" not in shown
    assert "\n  wrapped at" in shown or "\n  be wrapped" in shown
    assert "    int a;  // `kept` *as* it is" in shown
    assert all(len(line) <= 40 for line in shown.splitlines())
    assert "|" not in shown


def test_brief_is_of_the_text_report(capsys: pytest.CaptureFixture[str]) -> None:
    from stridewise import cli
    from stridewise.cli.options import brief

    options = cli.parser().parse_args(["report", "--brief", "--format", "json"])
    with pytest.raises(Failure, match="--brief is of the text report"):
        brief(options)
    assert brief(cli.parser().parse_args(["report", "--brief"]))


def test_where_to_look_first_goes_by_the_efficiency() -> None:
    whole = trace()
    few = (replace(whole.calls[0], rank_seconds=(0.5, 0.5)),)
    idle = tuple(replace(r, wall_seconds=10.0, mpi_seconds=1.0, sleep_seconds=0.0) for r in whole.ranks)
    computing = "look at what the ranks compute, which takes 90 % of the run"

    def told(efficiency: float, calls: Any, waits: Any = ()) -> list[str]:
        summary = replace(whole.summary, parallel_efficiency=efficiency)
        found = mpi_profile.profile(replace(whole, summary=summary, ranks=idle, calls=calls, waits=waits))
        assert found is not None
        return [look.what for look in found.looks]

    assert told(0.9, few) == [computing]  # the call takes a twentieth of the run
    assert len(told(0.7, few)) == 2
    assert told(0.7, few)[1] == computing
    dear = (replace(whole.calls[0], rank_seconds=(1.0, 1.0)),)
    assert told(0.9, dear)[0] == computing
    assert len(told(0.9, dear)) == 2


def test_what_ended_a_run_comes_before_all_else() -> None:
    ending = {"rank": 0, "finalizing": False, "last": None, "end_seconds": 0.25,
              "fate": {"kind": "exit", "signal": 0, "code": 0, "sender": -1, "address": 0, "library": "", "path": None,
                       "seconds": 0.25}}  # fmt: skip
    found = mpi_profile.profile(trace(endings=[ending], stalls=[]))
    assert found is not None
    assert not found.looks
    assert found.first == (
        (
            "mend what ended the run early: its figures are of what ran until then",
            "rank 0 left the program without MPI_Finalize, 250 ms after MPI_Init",
        ),
    )


def test_a_run_that_was_ended_from_outside_tells_what_a_shorter_one_does() -> None:
    fate = {"kind": "signal", "signal": 15, "code": 0, "sender": 99, "address": 0, "library": "", "path": None,
            "seconds": 5.0}  # fmt: skip
    ended: list[dict[str, Any]] = [
        {"rank": n, "finalizing": False, "last": None, "end_seconds": 5.0, "fate": fate} for n in (0, 1)
    ]
    found = mpi_profile.profile(trace(endings=ended, stalls=[]))
    assert found is not None
    assert found.first == ()
    assert found.looks
    waits = {"call": "MPI_Recv", "path": None, "in_progress": True, "seconds": 4.0, "end_seconds": 5.0}
    for end in ended:
        end["last"] = {**waits, "peer": 1 - int(str(end["rank"]))}  # each for the other
    hung = mpi_profile.profile(trace(endings=ended, stalls=[]))
    assert hung is not None
    assert hung.first[0][1].startswith("deadlock: rank 0 waits for rank 1")
    assert not hung.looks
    for end in ended:  # all but one in a collective, for most of the run or for a moment
        end["last"] = {**waits, "call": "MPI_Barrier", "in_progress": end["rank"] == 0, "seconds": 0.0}
    stall = {"comm_size": 2, "number": 0, "came": [0], "absent": [1], "passed": []}
    for since, first in ((0.0, "rank 1 did not come to the MPI_Barrier in which rank 0 waits"), (4.9, "")):
        ended[0]["last"]["seconds"] = since
        stood = mpi_profile.profile(trace(endings=ended, stalls=[stall]))
        assert stood is not None
        assert [why for _, why in stood.first] == ([first] if first else [])


def test_what_is_only_suspected_comes_after_where_to_look(rules: dict[str, Rule]) -> None:
    computing = Look("look at the loops", "90 %", computing=True)
    profile = Profile(4.0, PARTS, (), (SITE,), (), (computing, Look("look at the call", "1 s")))
    suspected = replace(finding(1), verdict=Verdict.SUSPECTED, gain_seconds=None)

    def todo(*findings: Finding, **changes: Any) -> list[str]:
        lines = verdict(report(rules, findings=findings, runs=(run(profile=profile, **changes),)))
        return [line[5:].split(":")[0] for line in lines if line.lstrip()[:2] in ("1.", "2.", "3.")]

    assert todo(suspected) == ["look at the loops", "look at the call", "advice 1"]
    assert todo(replace(suspected, severity=Severity.ERROR))[0] == "advice 1"
    assert todo(finding(100), suspected) == ["advice 100", "look at the loops", "advice 1"]  # saves little
    assert todo(finding(1), suspected) == ["advice 1", "advice 1"]
    assert todo(suspected, kind="cache") == ["look at the call", "advice 1"]
    loops = (Look("look at this loop", "60 %", computing=True), Look("look at that loop", "20 %", computing=True))
    assert todo(suspected, kind="cache", looks=loops) == ["look at this loop", "look at that loop", "look at the call"]
    assert todo(finding(1), kind="cache", looks=loops) == ["advice 1"]
    alone = verdict(report(rules, findings=(), runs=(run(kind="cache", profile=None, looks=loops),)))
    assert "  1. look at this loop" in alone
