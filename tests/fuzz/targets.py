"""What the fuzzers throw bytes at: every reader of files that others make. Each target has seeds, and a call that must
come back or raise the errors that the reader documents."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from stridewise import CONFIG_FILE
from stridewise.catalogue import load as load_rules
from stridewise.collect import compile_db
from stridewise.errors import Failure
from stridewise.machine import machine_file
from stridewise.review import diff, patches
from stridewise.runs.cache import profiles
from stridewise.runs.mpi import trace_file
from stridewise.runs.omp import shards as omp_shards
from stridewise.runs.placement import records as placement
from stridewise.runs.sharing import shards as sharing_shards
from stridewise.settings import config, toolchain

TOP = Path(__file__).resolve().parents[2]
PROGRAM = """
#include <stdlib.h>
#include <string.h>
#ifdef PHASES
#include "stridewise.h"
#else
#define stridewise_phase(name)
#endif
int main(void) {
  int n = 1 << 18;
  double *a = malloc(n * sizeof *a), sum = 0;
  memset(a, 0, n * sizeof *a);
  stridewise_phase("sum");
  for (int step = 0; step < 40; ++step) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i)
      sum += a[i] += i;
  }
  return sum < 0;
}
"""


class NoSeedsError(Exception):
    """What makes the seeds is not there."""


@dataclass(frozen=True)
class Target:
    """`seeds` fills a folder; `read` takes bytes and a folder of its own; `modules` are what the fuzzer observes."""

    seeds: Callable[[Path], None]
    read: Callable[[bytes, Path], None]
    modules: tuple[ModuleType, ...]


# --- runs -------------------------------------------------------------------------------------------------------------


def _run(folder: Path, pattern: str, compiler: Sequence[str | Path], *options: str) -> None:
    """The files that a run of a small program leaves."""
    if shutil.which(str(compiler[0])) is None:
        raise NoSeedsError(f"{compiler[0]} is not installed")
    work = folder.parent / "program"
    work.mkdir(parents=True, exist_ok=True)
    (work / "loop.c").write_text(PROGRAM, encoding="utf-8")
    words: list[str | Path] = [*compiler, "-g", "-O1", "-fopenmp", "-o", work / "loop", work / "loop.c"]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    if built.returncode:
        raise NoSeedsError(built.stderr[-500:])
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "stridewise",
        "run",
        *options,
        "-o",
        work / "out",
        "--",
        work / "loop",
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    found = sorted((work / "out").rglob(pattern))
    if not found:
        raise NoSeedsError(f"the run left no {pattern}")
    for number, path in enumerate(found[:4]):
        shutil.copy(path, folder / f"{number}")


def _omp_seeds(folder: Path) -> None:
    _run(folder, "*.swomp", ["gcc", "-DPHASES", f"-I{TOP / 'runtime' / 'phases'}"], "--omp")


def _read_omp(data: bytes, folder: Path) -> None:
    path = folder / "one.swomp"
    path.write_bytes(_with_sum(data, omp_shards._CRC_AT))
    omp_shards.read([path])


def _sharing_seeds(folder: Path) -> None:
    build = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build"))
    _run(folder, "*.swsharing", [build / "bin" / "stridewise-share-cc"], "--sharing")


def _read_sharing(data: bytes, folder: Path) -> None:
    path = folder / "one.swsharing"
    path.write_bytes(_with_sum(data, sharing_shards._CRC_AT))
    with suppress(sharing_shards.ShardError):
        sharing_shards.load(path)


def _with_sum(data: bytes, at: int) -> bytes:
    """With the checksum of what it holds, so that changes come past it."""
    if len(data) < at + 4:
        return data
    total = zlib.crc32(data[:at] + bytes(4) + data[at + 4 :])
    return data[:at] + total.to_bytes(4, "little") + data[at + 4 :]


def _placement_seeds(folder: Path) -> None:
    if toolchain.placement_recorder() is None:
        raise NoSeedsError("the recorder of placement is not built")
    _run(folder, "placement/*.json", ["gcc"], "--placement")


def _read_placement(data: bytes, folder: Path) -> None:
    path = folder / "one.json"
    path.write_bytes(data)
    with suppress(placement.PlacementError):
        placement.load(path)


def _profile_seeds(folder: Path) -> None:
    (folder / "cachegrind").write_text(
        "desc: I1 cache: 32768 B, 64 B, 8-way associative\ncmd: ./loop\n"
        "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\n"
        "fl=/p/loop.c\nfn=main\n4 10 1 1 5 2 1 3 1 1\n5 20 0 0 9 9 0 0 0 0\nsummary: 30 1 1 14 11 1 3 1 1\n"
    )
    (folder / "callgrind").write_text(
        "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: ./loop\npart: 1\n"
        "positions: instr line\n"
        "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\nob=(1) /p/loop\nfl=(1) /p/loop.c\nfn=(1) main\n0x10 4 5 1 1\n"
        "cfn=(2) work\ncalls=1 0x20 9\n+3 +1 9 9\nfn=(2)\n* 9 8 8 8\ntotals: 22 18 9\n"
    )


def _read_profile(data: bytes, folder: Path) -> None:
    path = folder / "cachegrind.out.1"
    path.write_bytes(data)
    profiles.read([path])


def _trace_seeds(folder: Path) -> None:
    """What stridewise-merge makes of the shards from which its own fuzzer starts."""
    work = folder.parent / "shards"
    shard_seeds(work)
    for seed in sorted(work.iterdir())[:6]:
        data = seed.read_bytes()
        (length,) = struct.unpack_from("<I", data)
        job = folder.parent / f"job-{seed.name}"
        job.mkdir(exist_ok=True)
        ranks = [job / f"shard.77.{rank}.swshard" for rank in (0, 1)]
        ranks[0].write_bytes(data[4 : 4 + length])
        ranks[1].write_bytes(data[4 + length :])
        merge = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise-merge"
        subprocess.run([merge, job, "-o", folder / seed.name], capture_output=True, check=False)
    if not any(folder.iterdir()):
        raise NoSeedsError("stridewise-merge makes no trace of the seeds")


def shard_seeds(folder: Path) -> None:
    """Pairs of shards, as ShardFuzzer.cpp takes them."""
    words = [sys.executable, str(TOP / "tests" / "merge" / "fuzz_seeds.py"), str(folder)]
    subprocess.run(words, check=True)


def _read_trace(data: bytes, folder: Path) -> None:
    path = folder / "trace.json"
    path.write_bytes(data)
    with suppress(trace_file.TraceError):
        trace_file.load(path)


def _machine_seeds(folder: Path) -> None:
    for number, path in enumerate(sorted((TOP / "tests").rglob("machine*.json"))[:4]):
        shutil.copy(path, folder / f"{number}")
    (folder / "small").write_text(json.dumps({"version": 1, "host": "a", "topology": {"cores": 2}}))


def _read_machine(data: bytes, folder: Path) -> None:
    path = folder / "machine.json"
    path.write_bytes(data)
    with suppress(Failure):
        machine_file.load(path)


# --- projects ---------------------------------------------------------------------------------------------------------


def _database_seeds(folder: Path) -> None:
    entries = [
        {"directory": "/p", "file": "a.c", "arguments": ["gcc", "-O2", "-Iinclude", '-DA="b c"', "-c", "a.c"]},
        {"directory": "/p", "file": "/p/b.cpp", "command": "ccache mpicxx -std=c++20 @words.rsp -o 'x y.o' -c b.cpp"},
        {"directory": "/p", "file": "c.c", "command": "nvcc -x cu -c c.c", "output": "c.o"},
    ]
    (folder / "three").write_text(json.dumps(entries))
    (folder / "empty").write_text("[]")


def _read_database(data: bytes, folder: Path) -> None:
    path = folder / compile_db.DATABASE
    path.write_bytes(data)
    with suppress(compile_db.DatabaseError):
        compile_db.load(path)


def _config_seeds(folder: Path) -> None:
    (folder / "full").write_text(
        'root = true\nrules = ["*", "-mem-struct-padding"]\nexclude = ["third_party/**"]\n[severity]\n'
        'mem-struct-padding = "info"\n[thresholds.mem-struct-padding]\nmin_bytes = 8\n'
    )
    (folder / "small").write_text("rules = []\n")


def _read_config(data: bytes, folder: Path) -> None:
    (folder / CONFIG_FILE).write_bytes(data)
    with suppress(Failure):
        config.Configs(_RULES).of_folder(folder)


def _diff_seeds(folder: Path) -> None:
    (folder / "edit").write_text(
        "diff --git a/a.c b/a.c\nindex 1..2 100644\n--- a/a.c\n+++ b/a.c\n"
        "@@ -1,3 +1,4 @@ int main\n a\n-b\n+c\n+d\n e\n"
        "\\ No newline at end of file\n"
    )
    (folder / "rename").write_text(
        'diff --git "a/\\303\\244 b.c" b/c.c\nsimilarity index 90%\nrename from "\\303\\244 b.c"\nrename to c.c\n'
    )
    (folder / "binary").write_text(
        "diff --git a/x b/x\nnew file mode 100755\nindex 0..1\nBinary files /dev/null and b/x differ\n"
    )


def _read_diff(data: bytes, _folder: Path) -> None:
    with suppress(Failure):
        diff.parse(data)
    with suppress(Failure):
        patches.parse(data.decode("utf-8", "replace"))


_RULES = load_rules()
TARGETS: dict[str, Target] = {
    "omp-shards": Target(_omp_seeds, _read_omp, (omp_shards,)),
    "sharing-shards": Target(_sharing_seeds, _read_sharing, (sharing_shards,)),
    "placement": Target(_placement_seeds, _read_placement, (placement,)),
    "profiles": Target(_profile_seeds, _read_profile, (profiles,)),
    "traces": Target(_trace_seeds, _read_trace, (trace_file,)),
    "machine-files": Target(_machine_seeds, _read_machine, (machine_file,)),
    "compile-databases": Target(_database_seeds, _read_database, (compile_db,)),
    "configurations": Target(_config_seeds, _read_config, (config,)),
    "diffs": Target(_diff_seeds, _read_diff, (diff, patches)),
}
