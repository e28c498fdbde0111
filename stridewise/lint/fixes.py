"""Fixes: all or nothing, never overlapping, never over a file that changed since it was analysed."""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise import ending
from stridewise.finding import Edit, Finding, Fix


@dataclass(frozen=True, slots=True)
class Applied:
    """`done` are the fixes in the files now; `refused` those left out, each with its reason; `withheld` the unsafe
    ones that nobody asked for."""

    done: tuple[tuple[Finding, Fix], ...]
    refused: tuple[tuple[Finding, Fix, str], ...]
    withheld: tuple[tuple[Finding, Fix], ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """`changes`: file to its bytes before and after the accepted fixes; `withheld` as in `Applied`."""

    accepted: tuple[tuple[Finding, Fix], ...]
    refused: tuple[tuple[Finding, Fix, str], ...]
    changes: Mapping[str, tuple[bytes, bytes]]
    withheld: tuple[tuple[Finding, Fix], ...] = ()


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


def plan(findings: Sequence[Finding], before: Mapping[str, Stamp], unsafe: bool = False) -> Plan:
    """Chooses the first safe fix of each finding, with `unsafe` the first one, most valuable finding first; no file is
    touched.

    A fix over several files is made in all of them or in none. `before` are the stamps from the analysis.
    """
    withheld: list[tuple[Finding, Fix]] = []
    accepted: list[tuple[Finding, Fix]] = []
    refused: list[tuple[Finding, Fix, str]] = []
    edits: dict[str, list[Edit]] = defaultdict(list)
    contents: dict[str, bytes] = {}
    for finding in findings:
        if not finding.fixes:
            continue
        fix = next((fix for fix in finding.fixes if unsafe or fix.is_safe), None)
        if fix is None:
            withheld.append((finding, finding.fixes[0]))
            continue
        reason = _objection(fix, before, contents, edits)
        if reason:
            refused.append((finding, fix, reason))
            continue
        accepted.append((finding, fix))
        for edit in fix.edits:
            if edit not in edits[edit.file]:
                edits[edit.file].append(edit)
    changes = {file: (contents[file], edited(contents[file], edits[file])) for file in edits if edits[file]}
    return Plan(tuple(accepted), tuple(refused), changes, tuple(withheld))


def apply(findings: Sequence[Finding], before: Mapping[str, Stamp], unsafe: bool = False) -> Applied:
    """Makes the plan's changes: all of them, or none where one file cannot be written."""
    chosen = plan(findings, before, unsafe)
    with ending.whole():
        problem = _write_all(chosen.changes, before)
    if problem:
        refused = chosen.refused + tuple((finding, fix, problem) for finding, fix in chosen.accepted)
        return Applied((), refused, chosen.withheld)
    return Applied(chosen.accepted, chosen.refused, chosen.withheld)


def _lines(content: bytes) -> list[bytes]:
    """With their line feeds; a carriage return ends no line for `patch`."""
    *whole, last = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([last] if last else [])


def unified_diff(chosen: Plan, relative: Callable[[str], str]) -> bytes:
    """The plan's changes as `patch -p1` reads them, byte for byte."""
    out: list[bytes] = []
    for file, (old, new) in sorted(chosen.changes.items()):
        name = os.fsencode(relative(file))
        lines = difflib.diff_bytes(difflib.unified_diff, _lines(old), _lines(new), b"a/" + name, b"b/" + name)
        for line in lines:
            out.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(out)


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


def _write_all(changes: Mapping[str, tuple[bytes, bytes]], before: Mapping[str, Stamp]) -> str:
    """Writes temporaries first and renames last, so that a full disk changes nothing. Returns what went wrong."""
    ready: dict[str, str] = {}
    problem = ""
    for file, (_, content) in changes.items():
        try:
            ready[file] = _temporary(os.path.realpath(file), content)
        except OSError as error:
            problem = f"cannot write beside {file}: {error.strerror}"
            break
    changed = next((file for file in ready if Stamp.of(file) != before[file]), None)
    if changed:
        problem = f"{changed} changed while it was being fixed"
    replaced: list[str] = []
    for file, temporary in ready.items():
        if not problem:
            try:
                Path(temporary).replace(os.path.realpath(file))
                replaced.append(file)
                continue
            except OSError as error:
                problem = f"cannot replace {file}: {error.strerror}"
        Path(temporary).unlink(missing_ok=True)
    if problem:
        for file in replaced:
            target = os.path.realpath(file)
            Path(_temporary(target, changes[file][0])).replace(target)
    return problem


def _temporary(target: str, content: bytes) -> str:
    handle, name = tempfile.mkstemp(prefix=".stridewise-", dir=Path(target).parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        state = Path(target).stat()
        with contextlib.suppress(PermissionError):
            os.chown(name, state.st_uid, state.st_gid)
        Path(name).chmod(stat.S_IMODE(state.st_mode))
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return name
