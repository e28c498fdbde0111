"""How this process ends: on SIGTERM, SIGINT and SIGHUP nothing that it started or made stays behind.

The handler does the cleaning itself and never returns, so that no code has to expect an exception anywhere. Folders and
files are told of before they are made; what must not be cut in two is done under `whole()`. Analysers end by themselves
when this process is killed (they ask the kernel to tell them), and a folder that it leaves then is removed by the next
run, which sees by a lock that nobody uses it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

PARENT = "STRIDEWISE_PARENT"  # tells an analyser whose end is its own
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_PREFIX, _NEW = "stridewise-work-", ".stridewise-new-"
_NAME = re.compile(rf"(?:{re.escape(_PREFIX)}|{re.escape(_NEW)})[0-9a-f]{{16}}")
_FORGOTTEN_SECONDS = 3600.0  # a folder that was never locked
_PATIENCE_SECONDS = 10.0  # for a thread that is just starting a process or writing an entry
_ROUNDS = 500

_busy = threading.RLock()  # held while a process is started or a file written; for ever once the process ends
_made: dict[str, int] = {}  # what is to be removed, with the lock's descriptor of a folder
_open: list[None] = []  # an element for each whole() that the main thread is in
_pending: list[int] = []


def install() -> None:
    """From now on the three signals end this process in order. A signal that was ignored (nohup) stays so."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda received, _frame: _end(received))
    if tempfile.tempdir is None:
        tempfile.tempdir = _directory()


def _directory() -> str | None:
    """Where temporary files go. The library would write a file into each candidate to find out, and a process that ends
    at that moment leaves it; None where nothing can be written, so that the library says so."""
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    for candidate in (*named, "/tmp", "/var/tmp", "/usr/tmp"):
        if candidate and Path(candidate).is_dir() and os.access(candidate, os.W_OK | os.X_OK):
            return os.path.abspath(candidate)
    return None


@contextlib.contextmanager
def whole() -> Iterator[None]:
    """What is done in here by the main thread is done to its end before a signal counts; by another thread, too,
    unless it takes longer than anybody would wait."""
    main = threading.current_thread() is threading.main_thread()
    with _busy:
        if main:
            _open.append(None)
        try:
            yield
        finally:
            if main:
                _open.pop()
    if main and not _open and _pending:
        _end(_pending[0])


@contextlib.contextmanager
def removing(path: str) -> Iterator[None]:
    """A file that is removed if the process ends in here."""
    _made[path] = -1
    try:
        yield
    finally:
        _made.pop(path, None)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """An empty folder for this process alone, in the directory for temporary files, while the context lasts."""
    made = make_folder()
    try:
        yield made
    finally:
        remove_folder(made)


def make_folder() -> Path:
    """The same, until remove_folder() or the end of the process."""
    root = Path(tempfile.gettempdir())
    _sweep(root)
    unique = os.urandom(8).hex()
    new, final = root / (_NEW + unique), root / (_PREFIX + unique)
    with _busy:
        _made[str(new)] = _made[str(final)] = -1
        new.mkdir(0o700)
        lock = os.open(new, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX)  # known as in use before it has its name
        _made[str(final)] = lock
        new.rename(final)
        del _made[str(new)]
    return final


def remove_folder(made: Path) -> None:
    shutil.rmtree(made, ignore_errors=True)
    lock = _made.pop(str(made), -1)
    if lock >= 0:
        os.close(lock)


def _sweep(root: Path) -> None:
    """Removes the folders of processes that were killed."""
    with contextlib.suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name) and entry.path not in _made:
                with contextlib.suppress(OSError):
                    _remove_unused(entry)


def _remove_unused(entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return
    if entry.name.startswith(_NEW) and time.time() - status.st_mtime < _FORGOTTEN_SECONDS:
        return
    lock = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: in use
        shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        os.close(lock)


def _end(number: int) -> None:
    """Ends the process as the signal would have, with everything removed. Python runs it in the main thread."""
    if _open:
        _pending.append(number)
        return
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    # Not given back: no other thread starts or writes anything from here on.
    _busy.acquire(timeout=_PATIENCE_SECONDS)
    _kill_children()
    for path in list(_made):
        with contextlib.suppress(OSError):
            if Path(path).is_dir():
                _remove_for_good(path)
            else:
                Path(path).unlink()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _remove_for_good(path: str) -> None:
    """Removes a folder, into which another thread may write one more file meanwhile."""
    for _ in range(_ROUNDS):
        shutil.rmtree(path, ignore_errors=True)
        if not os.path.lexists(path):
            return
        time.sleep(0.01)


def _kill_children() -> None:
    """Kills all descendants; waits until they are gone, so that none writes into what is removed."""
    for _ in range(_ROUNDS):
        found = _descendants()
        if not found:
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in found:
            with contextlib.suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.01)


def _descendants() -> list[int]:
    """Living processes below this one."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            # "pid (name) state ppid …"; the name may hold anything.
            words = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if words[0] not in "ZX":
                children.setdefault(int(words[1]), []).append(int(entry.name))
    found, queue = [], [os.getpid()]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found
