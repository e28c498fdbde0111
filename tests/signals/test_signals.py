"""Whatever ends lint, review or the language server, and whenever: nothing stays behind that harms anybody."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from kill import COMMANDS, trials

from stridewise import ending

COUNT = 12  # kill.py makes more


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_left(command: str, tmp_path: Path) -> None:
    seed = random.randrange(1 << 31)
    wrong = trials(command, COUNT, random.Random(seed), tmp_path / "place")
    assert wrong == [], f"seed {seed}"


def run(code: str, tmp_path: Path) -> subprocess.Popen[str]:
    """A program that has installed the handlers and then runs `code`; it says when it is there."""
    text = f"from stridewise import ending\nimport os, subprocess, time\nending.install()\n{code}"
    return subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_children_of_children_end(number: signal.Signals, tmp_path: Path) -> None:
    process = run(
        "child = subprocess.Popen(['sh', '-c', 'sleep 600 & echo $!; wait'], start_new_session=True)\ntime.sleep(600)",
        tmp_path,
    )
    assert process.stdout
    sleeper = int(process.stdout.readline())
    process.send_signal(number)
    assert process.wait(60) == -number
    deadline = time.monotonic() + 20
    while Path(f"/proc/{sleeper}/stat").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{sleeper}").exists() or ") Z " in Path(f"/proc/{sleeper}/stat").read_text()


def test_what_is_done_as_a_whole_is_finished_first(tmp_path: Path) -> None:
    process = run(
        "with ending.folder():\n"
        "    with ending.whole():\n"
        "        print('in', flush=True)\n"
        "        time.sleep(1)\n"
        "        print('done', flush=True)\n"
        "    print('never', flush=True)\n",
        tmp_path,
    )
    assert process.stdout
    assert process.stdout.readline() == "in\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdout.read() == "done\n"
    assert process.wait(60) == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_being_written_goes(tmp_path: Path) -> None:
    process = run(
        f"with ending.removing({str(tmp_path / 'half')!r}):\n"
        f"    open({str(tmp_path / 'half')!r}, 'w').write('half')\n"
        "    print('in', flush=True)\n"
        "    time.sleep(600)\n",
        tmp_path,
    )
    assert process.stdout
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert list(tmp_path.iterdir()) == []


def test_a_signal_that_was_ignored_stays_so() -> None:
    code = (
        "import os, signal\nfrom stridewise import ending\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "ending.install()\nos.kill(os.getpid(), signal.SIGHUP)\nprint('alive')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n")


def test_folders_of_the_dead_are_removed_and_those_in_use_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dead = tmp_path / f"stridewise-work-{'0' * 16}"
    used = tmp_path / f"stridewise-work-{'1' * 16}"
    others = tmp_path / "stridewise-work-of-mine"
    for folder in (dead, used, others):
        folder.mkdir()
        (folder / "file").touch()
    (tmp_path / f"stridewise-work-{'2' * 16}").symlink_to(others)
    lock = os.open(used, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with ending.folder() as folder:
        assert not dead.exists()
        assert (used / "file").exists()
        assert (others / "file").exists()
        with ending.folder() as another:  # of the same process
            assert another != folder
            assert folder.exists()
    assert not folder.exists()
    os.close(lock)


def test_nothing_is_written_to_find_the_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A signal between the making and the removal of such a file would leave it behind."""

    def probe() -> str:
        raise AssertionError("a file is written into each candidate")

    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_get_default_tempdir", probe)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    ending.install()
    with ending.folder() as made:
        assert made.parent == tmp_path
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    ending.install()
    assert tempfile.tempdir in ("/tmp", "/var/tmp", "/usr/tmp", os.environ.get("TEMP"), os.environ.get("TMP"))


def test_a_folder_goes_while_a_thread_writes_into_it(tmp_path: Path) -> None:
    code = """
import os, signal, threading
from stridewise import ending

def write(folder):
    for number in range(100_000_000):
        try:
            (folder / f"{number % 500}").touch()
        except OSError:
            return

ending.install()
with ending.folder() as made:
    for _ in range(3):
        threading.Thread(target=write, args=(made,), daemon=True).start()
    while not (made / "20").exists():
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert done.returncode == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
