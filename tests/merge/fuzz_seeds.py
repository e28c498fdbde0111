"""Writes the seeds of the merge tool's fuzzer: pairs of shards of small programs. `python3 fuzz_seeds.py FOLDER`."""

from __future__ import annotations

import struct
import sys
import tomllib
from pathlib import Path

import programs
import shard_files
import shards

TOP = Path(__file__).resolve().parents[2]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    table = tomllib.loads((TOP / "pmpi_wrappers" / "mpi_calls.toml").read_text(encoding="utf-8"))
    shard_files.CALLS.update({row["name"]: row["index"] for row in table["call"] if "index" in row})
    samples = {
        "barriers": programs.barrier_each_step(3),
        "collect": programs.collect_results(3, wildcard=True),
        "flood": programs.flood(3, answer=True),
        "pipeline": programs.pipeline(3, filled=False),
        "columns": programs.columns(2, 4),
    }
    for name, program in samples.items():
        for closed in (True, False):
            world = shards.World(2).run(program)
            files = [shard_files.shard(rank, closed=closed, run=2) for rank in world.ranks]
            seed = struct.pack("<I", len(files[0])) + b"".join(files)
            (folder / f"{name}{'' if closed else '-killed'}").write_bytes(seed)


if __name__ == "__main__":
    main()
