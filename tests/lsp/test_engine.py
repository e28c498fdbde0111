"""Orders of events that a busy machine brings about, made on purpose."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stridewise.catalogue import load
from stridewise.errors import Failure
from stridewise.lsp.engine import Document, Engine
from stridewise.lsp.evidence import Memory
from stridewise.lsp.known import Outcome
from stridewise.lsp.options import Options
from stridewise.lsp.progress import Silent
from stridewise.lsp.workspace import Study, Workplace, open_program
from stridewise.settings import toolchain

PATIENCE_SECONDS = 300.0


class Editor:
    """What an engine tells, without a protocol."""

    def __init__(self) -> None:
        self.published: list[int | None] = []  # versions
        self.failures: list[Failure] = []
        self.notes: list[str] = []

    def publish(self, document: Document, _outcome: Outcome) -> None:
        self.published.append(document.version)

    def withdraw(self, uri: str) -> None:
        pass

    def report(self, failure: Failure) -> None:
        self.failures.append(failure)

    def settle(self) -> None:
        pass

    def tell(self, note: str) -> None:
        self.notes.append(note)

    def refresh(self) -> None:
        pass

    def show_progress(self, _title: str, _cancel: Callable[[], None]) -> Silent:
        return Silent()

    async def until_published(self, version: int) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while version not in self.published:
                await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_file_that_is_opened_again_stays_known(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clearing up behind its closing comes after its next analysis."""
    late, left = threading.Event(), threading.Event()
    leave = Workplace.leave

    def late_leave(self: Workplace, *arguments: Any) -> None:
        assert late.wait(PATIENCE_SECONDS)
        leave(self, *arguments)
        left.set()

    monkeypatch.setattr(Workplace, "leave", late_leave)
    path, text = str(kernel), kernel.read_bytes()

    async def edit() -> None:
        editor = Editor()
        engine = Engine(editor, toolchain.analyzer(), load())
        engine.defaults = Options(whole_program=False)
        try:
            engine.opened(Document(path, kernel.as_uri(), 1, text + b"int unsaved;\n"))
            await editor.until_published(1)
            engine.closed(path)
            engine.opened(Document(path, kernel.as_uri(), 2, text))
            await editor.until_published(2)
            late.set()
            assert await asyncio.to_thread(left.wait, PATIENCE_SECONDS)
            found = engine.outcome(path)
            assert found is not None
            _, _, place = found
            assert place.catch_up().texts[path] == text
            assert not editor.failures
        finally:
            late.set()
            engine.close()

    asyncio.run(edit())


def test_a_closed_file_is_as_it_is_on_disk(kernel: Path, place: Workplace) -> None:
    path, text = str(kernel), kernel.read_bytes()
    unsaved = text + b"int unsaved;\n"
    place.analyse(Study(path, {path: unsaved}))
    assert place.texts == {path: unsaved}
    place.leave(path, unsaved, lambda _path: False)
    assert place.texts == {}
    assert [command.file for command in place.rest()] == [kernel]


def test_the_newest_text_counts(kernel: Path, place: Workplace) -> None:
    """Of two analyses of one unit, the one that was asked for first is done last."""
    path, text = str(kernel), kernel.read_bytes()
    newer = text + b"int more;\n"
    first, second = Study(path, {path: text}), Study(path, {path: newer})
    place.analyse(second)
    place.analyse(first)
    (unit,) = place.known.units.values()
    assert unit.contents == {path: newer}


def test_what_is_cancelled_at_the_last_moment_leaves_no_text(
    kernel: Path, place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(kernel)
    study = Study(path, {path: kernel.read_bytes()})
    analyse = Workplace._analyse

    def then_closed(self: Workplace, *arguments: Any) -> bool:
        done = analyse(self, *arguments)
        study.cancelled.set()
        return done

    monkeypatch.setattr(Workplace, "_analyse", then_closed)
    assert place.analyse(study) is None
    assert place.texts == {}


@pytest.fixture
def place(kernel: Path) -> Any:
    program = open_program(str(kernel), kernel.parent / "compile_commands.json")
    made = Workplace(toolchain.analyzer(), load(), kernel.parent, Options(), program, Memory(), lambda _note: None)
    yield made
    made.close()
