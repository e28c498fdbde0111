"""Applies fixes: all or nothing, never overlapping, never over a file that changed since it was analysed."""

from __future__ import annotations

import os
import stat
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise.finding import Edit, Finding, Fix


@dataclass(frozen=True, slots=True)
class Applied:
    """`done` are the fixes in the files now; `refused` those left out, each with its reason."""

    done: tuple[tuple[Finding, Fix], ...]
    refused: tuple[tuple[Finding, Fix, str], ...]


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file's state: what it was when the analysis read it."""

    size: int
    modified_ns: int

    @staticmethod
    def of(path: str) -> Stamp | None:
        try:
            state = Path(path).stat()
        except OSError:
            return None
        return Stamp(state.st_size, state.st_mtime_ns)


def stamps(findings: Iterable[Finding], not_after_ns: int) -> dict[str, Stamp]:
    """Stamps of the files that fixes would edit, less those modified after `not_after_ns`, the analysis' start."""
    found: dict[str, Stamp] = {}
    for finding in findings:
        for fix in finding.fixes:
            for edit in fix.edits:
                stamp = Stamp.of(edit.file)
                if stamp and stamp.modified_ns <= not_after_ns:
                    found[edit.file] = stamp
    return found


def apply(findings: Sequence[Finding], before: Mapping[str, Stamp]) -> Applied:
    """Applies the first fix of each finding, most valuable finding first.

    A fix over several files is applied to all of them or to none. `before` are the stamps from the analysis.
    """
    accepted: list[tuple[Finding, Fix]] = []
    refused: list[tuple[Finding, Fix, str]] = []
    edits: dict[str, list[Edit]] = defaultdict(list)
    contents: dict[str, bytes] = {}
    for finding in findings:
        if not finding.fixes:
            continue
        fix = finding.fixes[0]
        reason = _objection(fix, before, contents, edits)
        if reason:
            refused.append((finding, fix, reason))
            continue
        accepted.append((finding, fix))
        for edit in fix.edits:
            if edit not in edits[edit.file]:
                edits[edit.file].append(edit)
    problem = _write_all({file: edited(contents[file], edits[file]) for file in edits if edits[file]}, before)
    if problem:
        return Applied((), tuple(refused) + tuple((finding, fix, problem) for finding, fix in accepted))
    return Applied(tuple(accepted), tuple(refused))


def _objection(
    fix: Fix, before: Mapping[str, Stamp], contents: dict[str, bytes], edits: Mapping[str, Sequence[Edit]]
) -> str:
    if not fix.edits:
        return "it has no edits"
    for edit in fix.edits:
        if edit.file not in before or Stamp.of(edit.file) != before[edit.file]:
            return f"{edit.file} changed since it was analysed; run lint again"
        if edit.file not in contents:
            try:
                contents[edit.file] = Path(edit.file).read_bytes()
            except OSError as error:
                return f"cannot read {edit.file}: {error.strerror}"
        if edit.end_offset > len(contents[edit.file]):
            return f"{edit.file} is shorter than the fix expects"
        if any(_overlap(edit, other) for other in edits.get(edit.file, ())):
            return f"it overlaps another fix in {edit.file}; run lint again after this one"
    for index, edit in enumerate(fix.edits):
        if any(edit.file == other.file and _overlap(edit, other) for other in fix.edits[index + 1 :]):
            return "its own edits overlap"
    return ""


def _overlap(a: Edit, b: Edit) -> bool:
    """Whether two different edits touch the same bytes. Two insertions at one place have no defined order."""
    if a == b:
        return False
    if a.begin_offset == a.end_offset and b.begin_offset == b.end_offset:
        return a.begin_offset == b.begin_offset
    return a.begin_offset < b.end_offset and b.begin_offset < a.end_offset


def edited(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content with all edits made; they must not overlap."""
    out = content
    for edit in sorted(edits, key=lambda e: (e.begin_offset, e.end_offset), reverse=True):
        out = out[: edit.begin_offset] + edit.replacement.encode("utf-8", "surrogateescape") + out[edit.end_offset :]
    return out


def _write_all(contents: Mapping[str, bytes], before: Mapping[str, Stamp]) -> str:
    """Writes temporaries first and renames last, so that a full disk changes nothing. Returns what went wrong."""
    ready: dict[str, str] = {}
    problem = ""
    for file, content in contents.items():
        try:
            ready[file] = _temporary(os.path.realpath(file), content)
        except OSError as error:
            problem = f"cannot write beside {file}: {error.strerror}"
            break
    changed = next((file for file in ready if Stamp.of(file) != before[file]), None)
    if changed:
        problem = f"{changed} changed while it was being fixed"
    for file, temporary in ready.items():
        if problem:
            Path(temporary).unlink(missing_ok=True)
        else:
            Path(temporary).replace(os.path.realpath(file))
    return problem


def _temporary(target: str, content: bytes) -> str:
    handle, name = tempfile.mkstemp(prefix=".stridewise-", dir=Path(target).parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        Path(name).chmod(stat.S_IMODE(Path(target).stat().st_mode))
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return name
