"""What the last runs of a workspace showed, joined to the findings of the source as `stridewise report` joins them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.finding import Finding
from stridewise.finding.result import Trouble
from stridewise.lsp.shift import Shift, moved, shift
from stridewise.runs import run_folder
from stridewise.runs.kinds import Seen
from stridewise.runs.report import see
from stridewise.runs.run_folder import RECORD, Record

Stamp = tuple[tuple[str, int, int], ...]

_DEPTH = 3  # of run folders below a workspace folder
_FOLDERS = 2000  # that are looked into
_KEPT = 4  # texts of a file
_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "_deps", "CMakeFiles", "__pycache__"})


class Memory:
    """What files were, as far back as they were seen: a run speaks of the text that it was built from."""

    def __init__(self) -> None:
        self._texts: dict[str, list[tuple[float, bytes]]] = {}

    def note(self, path: str) -> None:
        """Keeps the file's present content."""
        try:
            modified, text = Path(path).stat().st_mtime, Path(path).read_bytes()
        except (OSError, ValueError):
            return
        kept = self._texts.setdefault(path, [])
        if not kept or kept[-1] != (modified, text):
            kept.append((modified, text))
            del kept[:-_KEPT]

    def at(self, path: str, moment: float) -> bytes | None:
        """The text that the file had then; the oldest that is known where that is unknown."""
        self.note(path)
        kept = self._texts.get(path, [])
        return next((text for modified, text in reversed(kept) if modified <= moment), kept[0][1] if kept else None)


@dataclass
class Runs:
    """The runs that count: of each kind the latest that was found, and all of the folders that the settings name."""

    seen: list[Seen] = field(default_factory=list)
    starts: tuple[float, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    memory: Memory = field(default_factory=Memory)

    def __bool__(self) -> bool:
        return bool(self.seen)

    def join(self, findings: Sequence[Finding], contents: Mapping[str, bytes]) -> list[Finding]:
        """The findings with verdicts and costs, then those of the runs alone. `contents` are the texts that the
        findings speak of; the runs speak of other ones where a file was edited since."""
        if not self.seen:
            return list(findings)
        latest = max(self.starts, default=0.0)
        ran = {path: self.memory.at(path, latest) or text for path, text in contents.items()}

        def back(file: str) -> Shift | None:
            return shift(contents[file], ran[file], file) if file in contents else None

        def forth(file: str) -> Shift | None:
            return shift(ran[file], contents[file], file) if file in contents else None

        there = [moved(finding, back) for finding in findings]
        joined = [finding for finding in there if finding]
        count = len(joined)
        for one in self.seen:
            joined = one.join(joined)
        known = iter(joined[:count])
        out = []
        for finding, old in zip(findings, there, strict=True):
            said = next(known) if old is not None else None
            out.append(_with_verdict(finding, said, forth) if said else finding)
        return [*out, *(here for finding in joined[count:] if (here := moved(finding, forth)))]


def _with_verdict(finding: Finding, said: Finding, forth: Callable[[str], Shift | None]) -> Finding:
    """What the run said of the finding, at the finding's own place."""
    here = moved(said, forth)
    return replace(
        said,
        message=here.message if here else said.message,
        advice=here.advice if here else said.advice,
        location=finding.location,
        scope=finding.scope,
        accesses=finding.accesses,
        related=here.related if here else finding.related,
        fixes=finding.fixes,
    )


def find_folders(root: Path, configured: Iterable[str]) -> tuple[list[Path], list[Path]]:
    """(the folders that the settings name, those found below the workspace folder)."""
    named = [Path(os.path.normpath(root / Path(name).expanduser())) for name in configured]
    return named, [] if named else list(_below(root))


def _below(root: Path) -> Iterator[Path]:
    level, looked = [root], 0
    for _ in range(_DEPTH):
        following = []
        for folder in level:
            looked += 1
            if looked > _FOLDERS:
                return
            try:
                with os.scandir(folder) as entries:
                    inside = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
            except OSError:
                continue
            for name in sorted(inside):
                path = folder / name
                if (path / RECORD).is_file():
                    yield path
                elif name not in _SKIPPED and not name.startswith("."):
                    following.append(path)
        level = following


def stamp(folders: Iterable[Path]) -> Stamp:
    """Changes when a run was added or made anew."""
    out = []
    for folder in folders:
        for path in (folder / RECORD, *(folder / kind for kind in run_folder.KINDS)):
            try:
                status = path.stat()
            except OSError:
                continue
            out.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(out)


def load(named: Sequence[Path], found: Sequence[Path], rules: Mapping[str, Rule], memory: Memory) -> Runs:
    """Reads the runs; what cannot be read is told in `troubles`."""
    seen: list[Seen] = []
    starts: list[float] = []
    troubles: list[Trouble] = []
    records: dict[Path, list[Record]] = {}
    for folder in (*named, *found):
        if not folder.is_dir():
            troubles.append(Trouble(str(folder), "no such run folder"))
            continue
        try:
            records[folder] = run_folder.read_records(folder)
        except Failure as failure:
            troubles.append(Trouble(str(folder), str(failure)))
    for kind in run_folder.KINDS:
        chosen = {folder: [r for r in all_of if r.kind == kind] for folder, all_of in records.items()}
        chosen = {folder: mine for folder, mine in chosen.items() if mine or folder in named}
        latest = max((f for f in chosen if f not in named), key=lambda f: chosen[f][0].start, default=None)
        counted = {folder: mine for folder, mine in chosen.items() if folder in named or folder == latest}
        try:
            for one in see(counted, (kind,), rules):
                if one.runs:
                    seen.append(one)
                    starts += [record.start for mine in counted.values() for record in mine]
                    troubles += one.troubles
        except (Failure, OSError, ValueError) as failure:
            troubles.append(Trouble(kind, str(failure)))
    return Runs(seen, tuple(starts), tuple(troubles), memory)
