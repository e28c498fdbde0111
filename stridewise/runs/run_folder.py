"""The folder that a run leaves: run.json, mpi/ (shards, trace), omp/ (shards), cache/ (profiles).

See docs/architecture.md.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stridewise import __version__
from stridewise.errors import Failure
from stridewise.output import write_file
from stridewise.runs import seals

RECORD = "run.json"
KINDS = ("mpi", "omp", "sharing", "placement", "cache")


@dataclass(frozen=True, slots=True)
class Record:
    """One observed run. `start` is in seconds since 1970; `status` as a shell gives it (128 + signal). `files` are the
    seals of what it left (stridewise/runs/seals.py)."""

    kind: str
    command: tuple[str, ...]
    status: int
    start: float
    seconds: float | None
    files: Mapping[str, seals.Seal] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "command": list(self.command),
            "status": self.status,
            "tool_version": __version__,
            "start": self.start,
            "seconds": self.seconds,
            **({"files": {name: list(seal) for name, seal in self.files.items()}} if self.files else {}),
        }


def prepare(folder: Path, kind: str, leaves: Sequence[str]) -> None:
    """Makes the folder ready for a run of that kind: an earlier run of the kind is removed, other runs are kept.

    `leaves` are patterns of the files that such a run leaves. Nothing but these is ever deleted.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in files(folder, kind, *leaves, seals.LATE):
            path.unlink()
        (folder / kind).mkdir(exist_ok=True)
        others = [r for r in read_records(folder) if r.kind != kind]
        _write(folder, others)
    except OSError as error:
        owner = _other_owner(folder)
        raise Failure(
            f"cannot prepare the run folder {folder}{owner}: {error.strerror or error}; name another one with -o"
        ) from error


def _other_owner(folder: Path) -> str:
    """Whose the folder is, where that is somebody else."""
    with suppress(OSError, KeyError):
        if folder.stat().st_uid != os.getuid():
            return f", which belongs to {folder.owner()}"
    return ""


def add_record(folder: Path, record: Record) -> None:
    _write(folder, [*(r for r in read_records(folder) if r.kind != record.kind), record])


def _write(folder: Path, records: list[Record]) -> None:
    runs = [r.to_json() for r in records]
    value = {"version": 1, "runs": runs, "crc32": _checksum(runs)}
    write_file(folder / RECORD, json.dumps(value, indent=2) + "\n")


def _checksum(runs: Any) -> int:
    return zlib.crc32(json.dumps(runs, sort_keys=True).encode())


def broken(folder: Path, record: Record) -> list[tuple[Path, str]]:
    """What a run left and is no longer as it was, with what is wrong."""
    return seals.broken(folder / record.kind, record.files)


def read_records(folder: Path) -> list[Record]:
    """The runs of a folder; empty where the program ran without the command (plain LD_PRELOAD)."""
    path = folder / RECORD
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if "crc32" in value and value["crc32"] != _checksum(value["runs"]):
            raise ValueError("its checksum differs: it is damaged")
        if value.keys() - {"version", "runs", "crc32"} or value["version"] != 1:
            raise ValueError("it is damaged, or of another version")
        return [_record(item) for item in value["runs"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(f"cannot read {path}: {error}; run the program again") from error


def _record(item: Any) -> Record:
    command = item["command"]
    if item["kind"] not in KINDS or not all(isinstance(word, str) for word in command):
        raise ValueError("unknown kind of run")
    seconds = item.get("seconds")
    return Record(
        item["kind"],
        tuple(command),
        int(item["status"]),
        float(item["start"]),
        None if seconds is None else float(seconds),
        {str(name): tuple(map(int, seal)) for name, seal in item.get("files", {}).items()},
    )


def jobs(folder: Path) -> dict[str, list[Path]]:
    """The shards in mpi/ by job, by rank order of their names."""
    found: dict[str, list[Path]] = {}
    for path in sorted((folder / "mpi").glob("shard.*.swshard")):
        found.setdefault(path.name.split(".")[1], []).append(path)
    return found


def bring_home(folder: Path, scratch: Path) -> None:
    """Moves the shards of a folder on this node that are not in the run folder yet, and removes the folder."""
    for path in scratch.glob("shard.*.swshard"):
        target = folder / "mpi" / path.name
        if not target.exists():
            shutil.copyfile(path, target)
        path.unlink()
    with suppress(OSError):
        scratch.rmdir()


def missing_ranks(folder: Path) -> int:
    """How many ranks of the main job have no shard; 0 without shards."""
    chosen = main_job(folder, recorded=True)
    if not chosen or any(_is_summary(path) for path in chosen):
        return 0
    return max(0, _world_size(chosen[0]) - len(chosen))


def singletons(folder: Path) -> int:
    """How many jobs of one rank each the folder holds, where it holds several and no other; else 0."""
    found = jobs(folder).values()
    alone = all(len(paths) == 1 and not _is_summary(paths[0]) and _world_size(paths[0]) == 1 for paths in found)
    return len(found) if alone and len(found) > 1 else 0


def _is_summary(shard: Path) -> bool:
    """Whether it stands for a group of ranks."""
    return shard.name.split(".")[2].startswith("group")


def _world_size(shard: Path) -> int:
    """From struct sw_header."""
    with shard.open("rb") as file:
        head = file.read(48)
    return int.from_bytes(head[44:48], "little", signed=True) if len(head) == 48 else 0


def main_job(folder: Path, recorded: bool) -> list[Path]:
    """The shards of the job to report on; empty without shards.

    In a folder of `stridewise run` all jobs belong to one run: that with the most ranks counts (others were spawned by
    it, or are steps of a script), the latest of them. Elsewhere runs may have followed one another: the latest counts.
    """

    def weight(paths: list[Path]) -> tuple[int, float]:
        count = _world_size(paths[0]) if any(_is_summary(path) for path in paths) else len(paths)
        return count if recorded else 0, max(p.stat().st_mtime for p in paths)

    return max(jobs(folder).values(), key=weight, default=[])


def files(folder: Path, kind: str, *patterns: str) -> list[Path]:
    """What a run of that kind left, by name."""
    return sorted(path for pattern in patterns for path in (folder / kind).glob(pattern))
