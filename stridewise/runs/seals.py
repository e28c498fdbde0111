"""Checksums of what a run left, block by block, taken when it ends and compared when its files are read.

Shards that their process could close carry a checksum of their own, and are only noted to be whole. All other files are
sealed here: shards of killed processes, whose last pages nobody has checksummed, profiles, and plain text.

Where no command watched the run (plain LD_PRELOAD) nobody was there when it ended: the first report seals what it
finds, says that it cannot tell whether that is whole, and later ones compare.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from stridewise.output import write_file

BLOCK_BYTES = 1 << 16
WHOLE: tuple[int, ...] = ()  # of a file that carries its own checksum

# Where a shard's header says how far it came, and what it says once it is closed (pmpi_wrappers/shard_format.h,
# runtime/ompt/omp_shard.h); a shard of a false-sharing run is written in one step and has no such word.
_STATE_AT, _STATE_BYTES = 28, 4
_CLOSED = {".swshard": 3, ".swomp": 2}
_ALWAYS_CLOSED = (".swsharing",)

LATE = "seals.json"  # beside the files of a run that no command watched
_UNKNOWN = (
    "without a checksum of its own, since the process did not come to close it, and no command of stridewise was there "
    "when the run ended: whether it is as the run left it cannot be told; changes from now on can"
)
_SINCE = "since the first report on it, unless the program still ran then: "

Seal = tuple[int, ...]  # the file's bytes, then the CRC-32 of each block; WHOLE


def seal(paths: Iterable[Path]) -> dict[str, Seal]:
    """The seals of these files, by name; those that cannot be read have none."""
    out = {}
    for path in paths:
        try:
            out[path.name] = WHOLE if carries_checksum(path) else _blocks(path)
        except OSError:
            continue
    return out


def carries_checksum(path: Path) -> bool:
    if path.suffix in _ALWAYS_CLOSED:
        return True
    wanted = _CLOSED.get(path.suffix)
    if wanted is None:
        return False
    with path.open("rb") as file:
        head = file.read(_STATE_AT + _STATE_BYTES)
    return len(head) == _STATE_AT + _STATE_BYTES and int.from_bytes(head[_STATE_AT:], "little") == wanted


def _blocks(path: Path) -> Seal:
    size, sums = 0, []
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            size += len(block)
            sums.append(zlib.crc32(block))
    return (size, *sums)


def broken(folder: Path, seals: Mapping[str, Seal]) -> list[tuple[Path, str]]:
    """The files of the folder that are not as the run left them, and what is wrong, in words."""
    out = []
    for name, before in sorted(seals.items()):
        path = folder / name
        try:
            why = _wrong(path, before)
        except FileNotFoundError:
            why = "the run left it, and it is gone"
        except OSError as error:
            why = f"it cannot be read: {error.strerror or error}"
        if why:
            out.append((path, why))
    return out


def _wrong(path: Path, before: Seal) -> str:
    if before == WHOLE:
        if carries_checksum(path):
            return ""  # whose reader compares it
        return "it is damaged: when the run ended it carried a checksum, and no longer does"
    now = _blocks(path)
    if now == before:
        return ""
    if now[0] < before[0] and now[1:-1] == before[1 : len(now) - 1]:
        return f"it is cut off: {before[0] - now[0]:,} of its {before[0]:,} bytes are missing at the end"
    if now[0] > before[0] and now[1 : len(before) - 1] == before[1:-1]:
        return f"it is damaged: {now[0] - before[0]:,} bytes have come behind the {before[0]:,} that the run left"
    differ = [i for i, (a, b) in enumerate(zip(now[1:], before[1:], strict=False)) if a != b]
    first = differ[0] * BLOCK_BYTES if differ else 0
    blocks = f"{len(differ)} of its {len(before) - 1} blocks of {BLOCK_BYTES // 1024} KiB"
    return f"it is damaged: {blocks} differ from what the run left, the first from byte {first:,} on"


def late(folder: Path, files: Iterable[Path]) -> tuple[list[tuple[Path, str]], list[str]]:
    """Of the files of a run that no command watched: those that are not as the first report found them, with the
    reason; and what cannot be told. Seals those that no report has seen yet, where the folder can be written."""
    known, wrong = _read_late(folder)
    present = list(files)
    there = {path.name for path in present}  # who removes files knows it
    for path, why in broken(folder, {name: one for name, one in known.items() if name in there}):
        # One that its process has closed meanwhile carries its own checksum now.
        if known[path.name] == WHOLE or not carries_checksum(path):
            wrong.append((path, f"{_SINCE if known[path.name] != WHOLE else ''}{why}"))
    new = seal(path for path in present if path.name not in known)
    if new:
        with suppress(OSError):
            _write_late(folder, {**known, **new})
    unknown = sorted(name for name, one in new.items() if one != WHOLE)
    if not unknown:
        return wrong, []
    others = f" and {len(unknown) - 1} more are" if len(unknown) > 1 else " is"
    return wrong, [f"{folder / unknown[0]}{others} {_UNKNOWN}"]


def _read_late(folder: Path) -> tuple[dict[str, Seal], list[tuple[Path, str]]]:
    path = folder / LATE
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        found = {str(name): tuple(map(int, one)) for name, one in value["files"].items()}
        if value["crc32"] != _checksum(found):
            raise ValueError("its checksum differs")
    except FileNotFoundError:
        return {}, []
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return {}, [(path, f"it is damaged: {error}; what it sealed is sealed anew, as it is now")]
    return found, []


def _write_late(folder: Path, files: Mapping[str, Seal]) -> None:
    value = {"files": {name: list(one) for name, one in files.items()}, "crc32": _checksum(files)}
    write_file(folder / LATE, json.dumps(value, indent=2) + "\n")


def _checksum(files: Mapping[str, Seal]) -> int:
    return zlib.crc32(json.dumps({name: list(one) for name, one in files.items()}, sort_keys=True).encode())
