"""stridewise export: the formats hold every call, at its time and place, and every message."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stridewise import export
from stridewise.cli import main
from stridewise.runs.mpi import timeline as lines
from stridewise.runs.mpi import trace_file
from stridewise.runs.mpi.trace import Call, Frame, Phase, Trace

CHROME = {
    "type": "object",
    "required": ["traceEvents"],
    "properties": {
        "displayTimeUnit": {"enum": ["ms", "ns"]},
        "traceEvents": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["ph", "pid", "tid", "name"],
                "properties": {
                    "ph": {"enum": ["X", "M", "s", "f"]},
                    "pid": {"type": "integer"},
                    "tid": {"type": "integer"},
                    "ts": {"type": "number", "minimum": 0},
                    "dur": {"type": "number", "minimum": 0},
                    "bp": {"const": "e"},
                },
                "allOf": [
                    {"if": {"properties": {"ph": {"const": "X"}}}, "then": {"required": ["ts", "dur", "cat"]}},
                    {"if": {"properties": {"ph": {"enum": ["s", "f"]}}}, "then": {"required": ["ts", "id", "cat"]}},
                ],
            },
        },
    },
}
SPEEDSCOPE = {
    "type": "object",
    "required": ["$schema", "shared", "profiles"],
    "properties": {
        "shared": {"required": ["frames"], "properties": {"frames": {"items": {"required": ["name"]}}}},
        "profiles": {
            "items": {
                "required": ["type", "name", "unit", "startValue", "endValue", "events"],
                "properties": {
                    "type": {"const": "evented"},
                    "unit": {"const": "nanoseconds"},
                    "events": {
                        "items": {"required": ["type", "frame", "at"], "properties": {"type": {"enum": ["O", "C"]}}}
                    },
                },
            }
        },
    },
}
NAME = 'odd "name" </script> é\x1b'


@pytest.fixture
def trace() -> Trace:
    rank = {"shard": "", "host": "n", "pid": 1, "state": "closed", "wall_seconds": 1.0, "mpi_seconds": 0.5,
            "clock_error_seconds": 0, "calls": 2, "events": 2, "dropped_calls": 0}  # fmt: skip
    value: dict[str, Any] = {
        "version": 1,
        "job": {"id": "1", "flavour": "openmpi", "mpi": "Open MPI", "executable": "/bin/app", "command": "app x",
                "directory": "/", "begin_realtime_ns": 0, "world_size": 2, "missing_ranks": []},
        "summary": {"wall_seconds": 1.0, "mpi_seconds": 0.5, "parallel_efficiency": None, "load_balance": None,
                    "communication_efficiency": None},
        "ranks": [{**rank, "rank": 0}, {**rank, "rank": 3}],
        "modules": [], "paths": [{"frames": [[None, 5]]}],
        "calls": [], "windows": [], "barriers": [], "bursts": [], "chains": [], "problems": [], "notes": [],
    }  # fmt: skip
    frames = (Frame(NAME, "/src/a.c", 7), Frame("main", "/src/a.c", 30))
    return trace_file.parse(value).with_frames({0: frames})


@pytest.fixture
def timeline() -> lines.Timeline:
    def rank(number: int, call: int, thread: int = 0) -> lines.RankCalls:
        columns = {"begin": ("q", [1000, 5000]), "end": ("q", [2500, 9000]), "bytes": ("Q", [8, 0]),
                   "path": ("I", [0, lines.NO_PATH]), "count": ("I", [20, 1]), "peer": ("i", [3, -1]),
                   "call": ("H", [call, 2]), "thread": ("H", [0, thread])}  # fmt: skip
        return lines.RankCalls(number, 0, 10_000, **{name: array(*value) for name, value in columns.items()})

    one = {"begin": ("q", [1000]), "end": ("q", [2500]), "bytes": ("Q", [8]), "source": ("I", [0]),
           "target": ("I", [1]), "count": ("I", [20])}  # fmt: skip
    messages = lines.Messages(**{name: array(*value) for name, value in one.items()})
    return lines.Timeline(("MPI_Send", "MPI_Recv", "MPI_Barrier"), (rank(0, 0), rank(3, 1, 2)), messages)


def written(style: str, trace: Trace, timeline: lines.Timeline) -> Any:
    return json.loads("".join(export.writer(style)(trace, timeline)))


def test_perfetto(trace: Trace, timeline: lines.Timeline) -> None:
    found = written("perfetto", trace, timeline)
    jsonschema.validate(found, CHROME)
    events = found["traceEvents"]
    assert Counter(e["ph"] for e in events)["X"] == 4
    send = next(e for e in events if e["name"] == "MPI_Send")
    assert (send["pid"], send["tid"], send["ts"], send["dur"], send["cat"]) == (0, 0, 1.0, 1.5, "sending")
    assert send["args"] == {"place": f"/src/a.c:7 in {NAME}", "bytes": 8, "peer": 3, "messages": 20}
    barriers = [e for e in events if e["name"] == "MPI_Barrier"]
    assert [(e["pid"], e["tid"], e["args"]) for e in barriers] == [(0, 0, {"place": ""}), (3, 2, {"place": ""})]
    arrow = [(e["ph"], e["pid"], e["ts"], e["id"]) for e in events if e["cat" if "cat" in e else "ph"] == "message"]
    assert arrow == [("s", 0, 1.0, 0), ("f", 3, 2.5, 0)]
    assert {e["args"]["name"] for e in events if e["name"] == "process_name"} == {"rank 0 (n)", "rank 3 (n)"}


def test_speedscope(trace: Trace, timeline: lines.Timeline) -> None:
    found = written("speedscope", trace, timeline)
    jsonschema.validate(found, SPEEDSCOPE)
    names = [frame["name"] for frame in found["shared"]["frames"]]
    assert names[:3] == ["main", NAME, "MPI_Send"]
    assert [profile["name"] for profile in found["profiles"]] == ["rank 0", "rank 3", "rank 3, thread 2"]
    for profile in found["profiles"]:
        stack: list[int] = []
        at = profile["startValue"]
        for event in profile["events"]:
            assert at <= event["at"] <= profile["endValue"]
            at = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                assert stack.pop() == event["frame"]
        assert not stack
    first = found["profiles"][0]["events"]
    assert [(e["type"], names[e["frame"]], e["at"]) for e in first[:3]] == [
        ("O", "main", 1000), ("O", NAME, 1000), ("O", "MPI_Send", 1000)]  # fmt: skip


# What TALP-Pages reads of a file of DLB 3.5: io/dataframe_handling.py, common.py and the plots.
TALP = {
    "type": "object",
    "required": ["dlbVersion", "timestamp", "resources", "Application"],
    "properties": {
        "dlbVersion": {"type": "string", "pattern": "^3[.]5[.]"},
        "timestamp": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}$"},
        "resources": {"required": ["numCpus", "numMpiRanks"], "additionalProperties": {"type": "integer"}},
        "Application": {
            "required": ["Global"],
            "additionalProperties": {
                "required": [
                    "cycles", "instructions", "elapsedTime", "usefulTime", "parallelEfficiency",
                    "mpiParallelEfficiency", "mpiCommunicationEfficiency", "mpiLoadBalance",
                    "mpiLoadBalanceIn", "mpiLoadBalanceOut", "ompParallelEfficiency", "ompLoadBalance",
                    "ompSchedulingEfficiency", "ompSerializationEfficiency",
                ],
                "additionalProperties": {"type": "number", "minimum": 0},
            },
        },
    },
}  # fmt: skip


def test_talp(trace: Trace, timeline: lines.Timeline) -> None:
    """Three ranks on two nodes, of which one computes longer; a phase that two of them were in."""
    times = ((0, "n", 0.4), (1, "n", 0.2), (2, "m", 0.8))
    ranks = tuple(replace(trace.ranks[0], rank=n, host=host, mpi_seconds=mpi) for n, host, mpi in times)
    paths = (trace.paths[0], replace(trace.paths[0], phase=0))
    calls = (Call(0, "MPI_Send", 5, 40, (0.1, 0.1, 0.1), (1, 2, 2)),
             Call(1, "MPI_Recv", 4, 0, (0.1, 0.3), (2, 2), (0, 2)),
             Call(1, "print", 1, 0, (0.1,), (1,), (0,)))  # fmt: skip
    phases = (Phase("solve", 4, ((0, 0.5), (2, 0.4))),)
    found = written("talp", replace(trace, ranks=ranks, paths=paths, calls=calls, phases=phases), timeline)
    jsonschema.validate(found, TALP)
    assert found["resources"] == {"numCpus": 3, "numMpiRanks": 3, "numNodes": 2}
    whole, solve = found["Application"]["Global"], found["Application"]["solve"]
    shown = ("elapsedTime", "usefulTime", "mpiTime", "numMpiCalls", "numMeasurements")
    assert [whole[name] for name in shown] == [10**9, 1_600_000_000, 1_400_000_000, 9, 1]
    factors = ("mpiCommunicationEfficiency", "mpiLoadBalanceIn", "mpiLoadBalanceOut")
    assert [whole[name] for name in factors] == [0.8, 0.875, 0.7619]
    assert whole["parallelEfficiency"] == pytest.approx(0.8 * 0.875 * 0.7619, abs=1e-4)
    assert whole["mpiLoadBalance"] == pytest.approx(0.875 * 0.7619, abs=1e-4)
    assert [solve[name] for name in shown] == [500_000_000, 500_000_000, 400_000_000, 4, 2]


def test_what_cannot_be_exported_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(tmp_path / "none")]) == 2
    assert "no run folder" in capsys.readouterr().err
    assert main(["export", str(tmp_path)]) == 2
    assert "holds no MPI run" in capsys.readouterr().err
    (tmp_path / "mpi").mkdir()
    (tmp_path / "mpi" / "shard.1.0.swshard").write_bytes(b"no shard")
    assert main(["export", str(tmp_path), "-o", str(tmp_path / "out.json")]) == 2
    assert "error:" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()
    assert not list(tmp_path.glob(".out*"))
