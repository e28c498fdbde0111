"""What is analysed when: waits for pauses in typing, ends what is out of date, and never works on one thing twice.

Everything here runs in the server's event loop; what blocks is handed to threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.lsp.evidence import Memory
from stridewise.lsp.known import Outcome
from stridewise.lsp.options import Options
from stridewise.lsp.program import is_header, root_of
from stridewise.lsp.shift import shift
from stridewise.lsp.workspace import Stamps, Study, Workplace, locate, open_program

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.2  # without an edit, before an analysis starts
_SLOW_SECONDS = 1.0  # of an analysis, before its progress is shown
_REST_SECONDS = 0.5  # without an analysis, before the rest of a program is looked at
_LOOK_SECONDS = 1.0  # how often files are looked at for clients that do not watch them

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    path: str
    uri: str
    version: int | None
    text: bytes


class Client(Protocol):
    """What the engine tells the editor."""

    def publish(self, document: Document, outcome: Outcome) -> None: ...

    def withdraw(self, uri: str) -> None: ...

    def report(self, failure: Failure) -> None: ...

    def settle(self) -> None: ...

    def tell(self, note: str) -> None: ...

    def refresh(self) -> None: ...

    def show_progress(self, title: str, cancel: Callable[[], None]) -> Progress: ...


class Progress(Protocol):
    def step(self, done: int, count: int) -> None: ...

    def end(self) -> None: ...


@dataclass
class _Job:
    study: Study
    task: asyncio.Task[None]


class _Slow:
    """Shows progress of an analysis that its author waits for; cancelling ends it."""

    def __init__(self, client: Client, study: Study) -> None:
        self._client, self._study = client, study
        self._bar: Progress | None = None
        self._timer = asyncio.get_running_loop().call_later(_SLOW_SECONDS, self._begin)

    def _begin(self) -> None:
        title = f"analysing {Path(self._study.path).name}"
        self._bar = self._client.show_progress(title, self._study.cancelled.set)

    def end(self) -> None:
        self._timer.cancel()
        if self._bar:
            self._bar.end()


class Engine:
    def __init__(self, client: Client, analyzer: Path | None, rules: Mapping[str, Rule]) -> None:
        self.documents: dict[str, Document] = {}
        self.roots: list[Path] = []
        self.defaults = Options()
        self.options: dict[Path, Options] = {}
        self._client, self._analyzer, self._rules = client, analyzer, rules
        self._threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="stridewise")
        self._places: dict[tuple[Path, Path | None, Options], Workplace] = {}
        self._place_of: dict[str, Workplace] = {}
        self._opening = asyncio.Lock()
        self._jobs: dict[str, _Job] = {}
        self._rests: dict[int, tuple[asyncio.Task[None], threading.Event]] = {}
        self._no_rest: set[int] = set()  # whose author wants no background work
        self._stamps: dict[str, Stamps] = {}
        self._memory = Memory()
        self._told: set[str] = set()
        self._looked = time.monotonic()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    # Documents

    def opened(self, document: Document) -> None:
        self.documents[document.path] = document
        self._memory.note(document.path)
        self._start(document.path, 0.0)

    def changed(self, document: Document) -> None:
        self.documents[document.path] = document
        path = document.path
        if self._publish(path):  # a comment, a blank, or an edit that was undone
            self._cancel(path)
            return
        job = self._jobs.get(path)
        if job and shift(job.study.contents.get(path, b""), document.text, path).same:
            return
        self._cancel(path)
        if self.options_of(path).lint_on_change:
            self._start(path, PAUSE_SECONDS)

    def saved(self, path: str) -> None:
        document = self.documents.get(path)
        if document is None:
            return
        self._memory.note(path)
        place = self._place_of.get(path)
        if not self._publish(path) and path not in self._jobs:
            self._start(path, 0.0)
        if place and is_header(path):
            self._spawn(self._outdate([path], ()))

    def closed(self, path: str) -> None:
        document = self.documents.pop(path, None)
        self._cancel(path)
        place = self._place_of.pop(path, None)
        self._stamps.pop(path, None)
        if place:
            self._spawn(self._leave(place, path, place.texts.get(path)))
        if document:
            self._client.withdraw(document.uri)

    async def _leave(self, place: Workplace, path: str, text: bytes | None) -> None:
        await self._thread(place.leave, path, text, self.documents.__contains__)
        self._start_rest(place)

    def outcome(self, path: str) -> tuple[Document, Outcome, Workplace] | None:
        """What is known of an open file; the places are those of the outcome's text."""
        document, place = self.documents.get(path), self._place_of.get(path)
        if document is None or place is None or path not in place.outcome.texts:
            return None
        return document, place.outcome, place

    def _publish(self, path: str) -> bool:
        """Tells what is known of the file, if that is of its present text; whether it was."""
        found = self.outcome(path)
        if found is None:
            return False
        document, outcome, _ = found
        if not shift(outcome.texts[path], document.text, path).same:
            return False
        self._client.publish(document, outcome)
        return True

    def _publish_all(self, place: Workplace) -> None:
        for path in list(self.documents):
            if self._place_of.get(path) is place:
                self._publish(path)
        self._client.refresh()

    # Analyses

    def _start(self, path: str, pause: float) -> None:
        self._cancel(path)
        if self._closed or self._analyzer is None or path not in self.documents:
            return
        study = Study(path, self._contents())
        self._jobs[path] = _Job(study, self._spawn(self._run(study, pause)))

    def _contents(self) -> dict[str, bytes]:
        return {document.path: document.text for document in self.documents.values()}

    def _cancel(self, path: str) -> None:
        job = self._jobs.pop(path, None)
        if job:
            job.study.cancelled.set()

    async def _run(self, study: Study, pause: float) -> None:
        await asyncio.sleep(pause)
        place = None
        slow = _Slow(self._client, study)
        try:
            if study.cancelled.is_set():
                return
            place = await self._place(study.path)
            if place is None or study.cancelled.is_set():
                return
            self._stop_rest(place)
            started = time.monotonic()
            outcome = await self._thread(place.analyse, study)
            if outcome is None or study.cancelled.is_set():
                log.info("%s: out of date, ended", study.path)
                return
            log.info("%s: analysed in %.3f s", study.path, time.monotonic() - started)
            self._publish_all(place)
            if place.behind:
                await self._thread(place.catch_up)
                self._publish_all(place)
            if await self._thread(place.look_at_runs):
                self._publish_all(place)
        except Failure as failure:
            self._client.report(failure)
        finally:
            slow.end()
            if (job := self._jobs.get(study.path)) and job.study is study:
                del self._jobs[study.path]
            if place is not None and not any(self._place_of.get(path) is place for path in self._jobs):
                self._start_rest(place)

    async def _place(self, path: str) -> Workplace | None:
        """The program that a file belongs to. Raises Failure."""
        if path in self._place_of:
            return self._place_of[path]
        if self._analyzer is None:
            return None
        async with self._opening:
            root, options = root_of(Path(path), self.roots), self.options_of(path)
            folder, database = await self._thread(locate, path, root, options)
            key = folder, database, options
            if key not in self._places:
                program = await self._thread(open_program, path, database)
                self._places[key] = Workplace(
                    self._analyzer, self._rules, folder, options, program, self._memory, self._tell_from_thread()
                )
            place = self._places[key]
            stamps = await self._thread(place.stamps, path)
            if path in self.documents and self._places.get(key) is place:
                self._place_of[path] = place
                self._stamps[path] = stamps
            return place

    def options_of(self, path: str) -> Options:
        root = root_of(Path(path), self.roots)
        return self.options.get(root, self.defaults) if root else self.defaults

    def _tell_from_thread(self) -> Callable[[str], None]:
        loop = asyncio.get_running_loop()

        def tell(note: str) -> None:
            loop.call_soon_threadsafe(self._tell, note)

        return tell

    def _tell(self, note: str) -> None:
        """Says everything once."""
        if note not in self._told:
            self._told.add(note)
            self._client.tell(note)

    # The rest of a program, while nobody waits

    def _start_rest(self, place: Workplace) -> None:
        if self._closed or id(place) in self._rests or id(place) in self._no_rest:
            return
        if place not in self._places.values():
            return
        wanted = threading.Event()
        self._rests[id(place)] = self._spawn(self._rest(place, wanted)), wanted

    def _stop_rest(self, place: Workplace) -> None:
        running = self._rests.pop(id(place), None)
        if running:
            running[1].set()

    async def _rest(self, place: Workplace, cancelled: threading.Event) -> None:
        progress = None
        try:
            await asyncio.sleep(_REST_SECONDS)
            if cancelled.is_set():
                return
            commands = await self._thread(place.rest)
            if not commands or cancelled.is_set():
                return
            study = Study("", self._contents(), cancelled=cancelled)
            loop = asyncio.get_running_loop()

            def no_more() -> None:
                self._no_rest.add(id(place))
                cancelled.set()

            progress = self._client.show_progress(f"analysing {place.program.project.root.name}", no_more)
            shown = progress

            def step(done: int) -> None:
                loop.call_soon_threadsafe(shown.step, done, len(commands))

            if await self._thread(place.study_rest, commands, study, step):
                self._publish_all(place)
        except Failure as failure:
            self._client.report(failure)
        finally:
            if progress:
                progress.end()
            running = self._rests.get(id(place))
            if running and running[1] is cancelled:
                del self._rests[id(place)]

    # Files that change

    def files_changed(self, paths: Iterable[str]) -> None:
        """Of the client's watcher: sources, databases, configuration and run folders."""
        paths = list(paths)
        special = [p for p in paths if Path(p).name in ("compile_commands.json", ".stridewise.toml", "run.json")]
        if any(Path(path).name != "run.json" for path in special):
            self.restart()
        elif special:
            self._spawn(self._look_at_runs(0.0))
        sources = set(paths) - set(special)
        if sources:
            self._spawn(self._outdate(sources, sources))

    async def _outdate(self, paths: Iterable[str], current: Collection[str]) -> None:
        """Analyses again what these files are part of, but for the open files that are `current`."""
        for place in list(self._places.values()):
            hit = [await self._thread(place.outdate, path) for path in paths]
            if any(hit):
                for path in list(self.documents):
                    if self._place_of.get(path) is place and path not in current and path not in self._jobs:
                        self._start(path, PAUSE_SECONDS)
                self._stop_rest(place)
                if not any(self._place_of.get(path) is place for path in self._jobs):
                    self._start_rest(place)

    def restart(self) -> None:
        """Settings, a database or a configuration changed: everything is looked up anew."""
        for path in list(self._jobs):
            self._cancel(path)
        old = list(self._places.values())
        for place in old:
            self._stop_rest(place)
        self._places.clear()
        self._place_of.clear()
        self._stamps.clear()
        self._no_rest.clear()
        for path in list(self.documents):
            self._start(path, 0.0)
        if old:
            self._spawn(self._close(old))

    async def _close(self, places: list[Workplace]) -> None:
        await asyncio.sleep(1.0)  # for what still ends in them
        for place in places:
            await self._thread(place.close)

    def look(self) -> None:
        """Called with each request: finds out what a client that watches no files does not tell."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            self._spawn(self._look())

    async def _look(self) -> None:
        for path in list(self.documents):
            if path not in self._place_of and path not in self._jobs:
                self._start(path, 0.0)  # its database could not be read
        for path, place in list(self._place_of.items()):
            before = self._stamps.get(path)
            now = await self._thread(place.stamps, path)
            if before is not None and now != before and self._stamps.get(path) is before:
                self._client.settle()
                self.restart()
                return
        await self._look_at_runs(5.0)

    async def _look_at_runs(self, seconds: float) -> None:
        for place in list(self._places.values()):
            if await self._thread(place.look_at_runs, seconds):
                self._publish_all(place)

    # Threads

    async def _thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("an analysis failed")

    def stop(self) -> None:
        """Ends all analysers and starts no more."""
        self._closed = True
        for path in list(self._jobs):
            self._cancel(path)
        for place in list(self._places.values()):
            self._stop_rest(place)

    def close(self) -> None:
        """Waits for their end and leaves nothing behind."""
        self.stop()
        self._threads.shutdown(wait=True, cancel_futures=True)
        with contextlib.suppress(OSError):
            for place in self._places.values():
                place.close()
