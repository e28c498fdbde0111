"""One program of the workspace with all that is known of it. What is here blocks, and is called from worker threads."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from stridewise import CONFIG_FILE, ending
from stridewise.catalogue import Rule
from stridewise.collect.compile_db import Command, Workload
from stridewise.lint import analysis, units
from stridewise.lint.dependencies import default_folder
from stridewise.lint.overlay import Overlay
from stridewise.lint.result_cache import ResultCache
from stridewise.lsp import evidence
from stridewise.lsp.evidence import Memory, Runs
from stridewise.lsp.known import Known, Outcome
from stridewise.lsp.options import Options
from stridewise.lsp.program import Program, find_database, is_header
from stridewise.settings.policy import Policy

_HEADER_UNITS = 2  # that are analysed for a header at once; the others follow
_SHOWN_UNITS = 8
_SLOW_LINK_SECONDS = 0.25
_WHOLE_UNITS = 2000  # programs beyond are analysed as far as their files are opened
_CHUNK = 4

Stamps = tuple[tuple[str, int, int], ...]


@dataclass
class Study:
    """What one analysis was asked for: a file or, without one, others of the program; the texts of the open files, the
    time when they were those, and whether it is still wanted."""

    path: str
    contents: Mapping[str, bytes]
    asked_ns: int = field(default_factory=time.time_ns)
    cancelled: threading.Event = field(default_factory=threading.Event)


class Workplace:
    """A program under one set of settings, which must name rules that exist (Failure). `tell` is given what its author
    should know, as often as it comes up."""

    def __init__(
        self,
        analyzer: Path,
        rules: Mapping[str, Rule],
        root: Path,
        options: Options,
        program: Program,
        memory: Memory,
        tell: Callable[[str], None],
    ) -> None:
        self.program, self.root, self.options = program, root, options
        self.outcome = Outcome()
        self.texts: dict[str, bytes] = {}  # what the open files were when they were analysed
        self._analyzer, self._rules, self._tell = analyzer, rules, tell
        self._lock = threading.RLock()
        self._folder = ending.make_folder()
        self.known = Known(program, self._folder)
        self._everything: list[Command] | None = None
        self._runs, self._runs_looked, self._memory = Runs(), 0.0, memory
        self._run_stamp: evidence.Stamp = ()
        self._policy = Policy(rules, globs=options.rules, least=options.min_confidence)

    def close(self) -> None:
        ending.remove_folder(self._folder)

    # Analyses

    def analyse(self, study: Study) -> Outcome | None:
        """Analyses what tells of the study's file; None when it was cancelled. Raises Failure."""
        cache = _cache(self._analyzer)
        with self._lock:
            commands = self._commands(study.path, cache)
        if not commands:
            with self._lock:
                self.texts[study.path] = study.contents[study.path]
                return self._conclude()
        if not self._analyse(commands, study, cache, len(commands)):
            return None
        with self._lock:
            if study.cancelled.is_set():
                return None
            self.texts[study.path] = study.contents[study.path]
            if self.known.link_seconds < _SLOW_LINK_SECONDS:
                self._link()
            return self._conclude()

    def catch_up(self) -> Outcome:
        """The whole-program phase, where analyse() had no time for it."""
        with self._lock:
            self._link()
            return self._conclude()

    @property
    def behind(self) -> bool:
        return self.known.link_seconds >= _SLOW_LINK_SECONDS

    def _analyse(
        self,
        commands: Sequence[Command],
        study: Study,
        cache: ResultCache | None,
        jobs: int,
    ) -> bool:
        work = self._policy.prepare(Workload(commands=list(commands)))
        overlay = Overlay({path: text for path, text in study.contents.items() if not _is_on_disk(path, text)})
        with tempfile.TemporaryDirectory(prefix="run", dir=self._folder) as name:
            results = units.analyse(
                self._analyzer,
                work.commands,
                [],
                Path(name),
                min(jobs, analysis.default_jobs()),
                analysis.Limits(),
                lambda _result: None,
                cache,
                overlay if overlay.contents else None,
                study.cancelled,
                self.program.beside(work.commands, cache),
            )
            with self._lock:
                if study.cancelled.is_set():
                    return False
                for result in results:
                    self.known.keep(result, study.contents, study.asked_ns)
        if cache:
            cache.close()
        return True

    def _commands(self, path: str, cache: ResultCache | None) -> list[Command]:
        if self._policy.of(path).excludes(Path(path)):
            return []
        if not is_header(path) or self.program.has(path):
            found = self.program.commands(path, cache)
            if found.note:
                self._say(found.note)
            return list(found.commands)
        known = self.known.of(path)
        if known:
            known.sort(key=lambda c: (str(c.file) not in self.texts, c.file.stem != Path(path).stem))
            shown = sum(str(c.file) in self.texts for c in known)  # their authors look at them
            return known[: max(_HEADER_UNITS, min(shown, _SHOWN_UNITS))]
        sources = self.program.including(path)[:_HEADER_UNITS]
        if not sources:
            self._say(f"no source is known to include {Path(path).name}; it is analysed with those that do")
        return [c for source in sources for c in self.program.commands(source, cache).commands]

    def _say(self, note: str) -> None:
        self._tell(note)

    def _link(self) -> None:
        texts = {path: text for unit in self.known.units.values() for path, text in unit.contents.items()}
        self.known.link(self._analyzer, self.options.rules, texts)

    def _conclude(self) -> Outcome:
        runs = self._runs if self._runs else Runs()
        everything = self._everything or ()
        self.outcome = self.known.outcome(self.texts, self._rules, self._policy, runs, everything)
        return self.outcome

    # The rest of the program

    def rest(self) -> list[Command]:
        """The units that were not analysed yet, or that are not what they were."""
        if self.program.database is None or not self.options.whole_program:
            return [c for c, unit in self.known.units.items() if unit.stale]
        with self._lock:
            if self._everything is None:
                cache = _cache(self._analyzer)
                self._everything = self.program.all_commands(cache)
                if cache:
                    cache.close()
                if len(self._everything) > _WHOLE_UNITS:
                    self._say(f"{len(self._everything)} units: only those of opened files are analysed")
            if len(self._everything) > _WHOLE_UNITS:
                return [c for c, unit in self.known.units.items() if unit.stale]
            failed = self.known.complaints.keys() - self.known.units.keys()
            wanted = [c for c in self._everything if c not in failed and self._is_wanted(c)]
            return [c for c in wanted if not self._policy.of(c.file).excludes(c.file)]

    def _is_wanted(self, command: Command) -> bool:
        unit = self.known.units.get(command)
        return unit is None or unit.stale

    def study_rest(
        self,
        commands: Sequence[Command],
        study: Study,
        progress: Callable[[int], None],
    ) -> Outcome | None:
        """Analyses these units one at a time; None when it was cancelled, with what was done so far kept."""
        for begin in range(0, len(commands), _CHUNK):
            cache = _cache(self._analyzer)
            chunk = commands[begin : begin + _CHUNK]
            before = {c: self.known.units.get(c) for c in chunk}
            if not self._analyse(chunk, study, cache, 1):
                return None
            with self._lock:
                # One that failed or does not compile now is not tried again before it changes.
                for command, unit in before.items():
                    if unit and self.known.units.get(command) is unit:
                        self.known.units[command] = replace(unit, stale=False)
            progress(begin + len(chunk))
        with self._lock:
            self._link()
            return self._conclude()

    def outdate(self, path: str) -> bool:
        with self._lock:
            self.program.forget()
            return self.known.outdate(path)

    def leave(self, path: str, text: bytes | None, is_open: Callable[[str], bool]) -> None:
        """The file was closed, of which that text was analysed last: what counts is on disk again, or what the file was
        meanwhile opened with."""
        with self._lock:
            if not is_open(path):
                self.texts.pop(path, None)
            if text is not None and not _is_on_disk(path, text):
                self.known.outdate(path)

    # Runs

    def look_at_runs(self, seconds: float = 5.0) -> bool:
        """Whether there is something new in the run folders, looked for at most every so many seconds."""
        with self._lock:
            now = time.monotonic()
            if self._runs_looked and now - self._runs_looked < seconds:
                return False
            self._runs_looked = now
            named, found = evidence.find_folders(self.root, self.options.run_folders)
            stamp = evidence.stamp((*named, *found))
            if stamp == self._run_stamp:
                return False
            self._run_stamp = stamp
            rules = self._policy.run_rules(self.root)
        runs = evidence.load(named, found, rules, self._memory)
        with self._lock:
            self._runs = runs
            for trouble in runs.troubles:
                self._say(f"{trouble.where}: {trouble.message}")
            self._conclude()
        return True

    # What it all depends on

    def stamps(self, path: str) -> Stamps:
        """Of the database and the configuration files that count for a file."""
        names = {str(folder / CONFIG_FILE) for folder in Path(path).parents}
        if self.program.database:
            names.add(str(self.program.database))
        out = []
        for name in sorted(names):
            with suppress(OSError, ValueError):
                status = Path(name).stat()
                out.append((name, status.st_mtime_ns, status.st_size))
        return tuple(out)


def locate(path: str, root: Path | None, options: Options) -> tuple[Path, Path | None]:
    """(the workspace folder of a file, its compile database)."""
    file = Path(path)
    return root or file.parent, find_database(file, root, options.build_folder)


def open_program(path: str, database: Path | None) -> Program:
    """Raises Failure for a database that cannot be read."""
    return Program.load(database) if database else Program.alone(Path(path))


def _cache(analyzer: Path) -> ResultCache | None:
    folder = default_folder()
    return ResultCache(Path(folder), analyzer) if folder else None


def _is_on_disk(path: str, text: bytes) -> bool:
    try:
        if Path(path).stat().st_size != len(text):
            return False
        return Path(path).read_bytes() == text
    except (OSError, ValueError):
        return False
