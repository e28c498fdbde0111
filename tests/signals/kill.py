#!/usr/bin/env python3
"""Ends lint, review and the language server at random moments, and looks at what they leave.

    tests/signals/kill.py [--count 100] [--seed 1] [lint review lsp]

After SIGTERM, SIGINT and SIGHUP there must be no process, nothing in the directory for temporary files and no entry of
the cache that is not whole; after SIGKILL no process, and the next run must report what it always reports and leave
nothing either, of a half entry once it is old.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))

from stridewise.lint.dependencies import read_entry  # noqa: E402
from stridewise.lint.result_cache import FORGOTTEN_SECONDS  # noqa: E402

COMMANDS = ("lint", "review", "lsp")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)
_RULES = ("mem-strided-inner-loop", "mem-array-of-structs", "mpi-tiny-messages", "omp-region-in-loop")
_MARK = "STRIDEWISE_TEST_OF_SIGNALS"
_GRACE_SECONDS = 20.0  # for what the kernel ends, on a machine that is busy
_SERVER_SECONDS = 3.0  # that the language server is given work for
_PATIENCE_SECONDS = 300.0


@dataclass
class Place:
    """A project in a repository, with one change on top, and folders that nobody else uses."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def make(self) -> None:
        for folder in (self.project, self.temporary):
            folder.mkdir(parents=True)
        entries = []
        for rule in _RULES:
            source = self.project / f"{rule}.c"
            shutil.copy(TOP / "rules" / rule / "buggy.c", source)
            compiler = "mpicc" if rule.startswith("mpi-") else "gcc"
            arguments = [compiler, "-O2", "-fopenmp", "-c", source.name]
            entries.append({"directory": str(self.project), "file": source.name, "arguments": arguments})
        (self.project / "compile_commands.json").write_text(json.dumps(entries))
        self._git("init", "-q")
        self._git("add", "-A")
        self._git("commit", "-qm", "all")
        changed = self.project / f"{_RULES[0]}.c"
        changed.write_text(changed.read_text() + "\nint one_more(int x) { return x + 1; }\n")
        self._git("commit", "-qam", "one more")

    def _git(self, *words: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=self.project, check=True, stdin=subprocess.DEVNULL)

    def start(self, command: str, mark: str) -> subprocess.Popen[bytes]:
        words = {
            "lint": ["lint", "-j", "3", "--format", "json", "-o", str(self.folder / "lint.json")],
            "review": ["review", "--base", "HEAD~1", "--format", "json", "-o", str(self.folder / "plan.json")],
            "lsp": ["lsp"],
        }[command]
        environment = {
            **os.environ, _MARK: mark, "TMPDIR": str(self.temporary), "XDG_CACHE_HOME": str(self.cache),
            "PYTHONPATH": str(TOP),
        }  # fmt: skip
        process = subprocess.Popen(
            [sys.executable, "-m", "stridewise", *words],
            cwd=self.project,
            env=environment,
            stdin=subprocess.PIPE if command == "lsp" else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=_default_signals,  # noqa: PLW1509 - this program has one thread
        )
        if command == "lsp":
            assert process.stdin
            process.stdin.write(b"".join(map(_message, self._requests())))
            process.stdin.flush()
        return process

    def _requests(self) -> Sequence[dict[str, Any]]:
        def uri(path: Path) -> str:
            return path.as_uri()

        folders = [{"uri": uri(self.project), "name": "project"}]
        start: dict[str, Any] = {
            "processId": None,
            "rootUri": uri(self.project),
            "capabilities": {},
            "workspaceFolders": folders,
        }
        opened = [
            {"uri": uri(self.project / f"{rule}.c"), "languageId": "c", "version": 1,
             "text": (self.project / f"{rule}.c").read_text()}
            for rule in _RULES
        ]  # fmt: skip
        return [
            {"id": 1, "method": "initialize", "params": start},
            {"method": "initialized", "params": {}},
            *({"method": "textDocument/didOpen", "params": {"textDocument": text}} for text in opened),
        ]


def _message(content: dict[str, Any]) -> bytes:
    text = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)


def _default_signals() -> None:
    """What a shell started in the background ignores would stay ignored."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def living(mark: str) -> list[str]:
    """The processes that were started with that mark, and what these started."""
    wanted = f"{_MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0") and "\nState:\tZ" not in (
                entry / "status"
            ).read_text(errors="replace"):
                found.append(f"{entry.name} {(entry / 'cmdline').read_bytes().replace(bytes(1), b' ')[:200]!r}")
        except OSError:
            continue
    return found


def left_in(place: Place, *, killed: bool) -> list[str]:
    """What should not be there, in words."""
    wrong = []
    if not killed:
        wrong += [f"in the temporary directory: {path.name}" for path in place.temporary.iterdir()]
    for path in place.cache.rglob("*"):
        if not path.is_file():
            continue
        if path.suffix == ".tmp":
            wrong += [] if killed else [f"half of an entry: {path.name}"]
        elif path.parent.parent.name == "stridewise" and len(path.parent.name) == 2 and read_entry(str(path)) is None:
            wrong.append(f"a damaged entry: {path.name}")
    return wrong


def _report(place: Place, command: str) -> Any:
    """What the command says when nothing disturbs it."""
    mark = os.urandom(8).hex()
    process = place.start(command, mark)
    status = process.wait(_PATIENCE_SECONDS)
    value = json.loads((place.folder / ("lint.json" if command == "lint" else "plan.json")).read_text())
    value.pop("stats", None)
    return status, value


def trial(place: Place, command: str, number: signal.Signals, seconds: float, expected: Any) -> list[str]:
    """Sends the signal so many seconds after the start; what is wrong then."""
    shutil.rmtree(place.cache, ignore_errors=True)
    mark = os.urandom(8).hex()
    process = place.start(command, mark)
    time.sleep(seconds)
    process.send_signal(number)
    try:
        process.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return ["it did not end"]
    finally:
        if process.stdin:
            process.stdin.close()
    deadline = time.monotonic() + _GRACE_SECONDS
    # Killed, it tells nobody: what only asks git or a compiler ends by itself.
    while (left := living(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    wrong = [f"a process: {process}" for process in left]
    killed = number is signal.SIGKILL
    wrong += left_in(place, killed=killed)
    if killed:
        for path in place.cache.rglob("*.tmp"):  # kept for so long, since another run may be writing it
            os.utime(path, (time.time() - 2 * FORGOTTEN_SECONDS,) * 2)
        next_command = "lint" if command == "lsp" else command
        if _report(place, next_command) != expected:
            wrong.append("the next run says something else")
        wrong += left_in(place, killed=False)
    return wrong


def trials(command: str, count: int, chance: random.Random, folder: Path) -> list[str]:
    """What is wrong in so many trials of a command, each with its signal and moment."""
    place = Place(folder)
    place.make()
    begin = time.monotonic()
    expected = _report(place, "lint" if command == "lsp" else command)
    length = _SERVER_SECONDS if command == "lsp" else time.monotonic() - begin
    wrong = []
    for turn in range(count):
        number, seconds = SIGNALS[turn % len(SIGNALS)], chance.uniform(0, 1.05 * length)
        found = trial(place, command, number, seconds, expected)
        wrong += [f"{command}, {number.name} after {seconds:.3f} s: {what}" for what in found]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", default=COMMANDS, help="of lint, review, lsp (default: all)")
    parser.add_argument("--count", type=int, default=100, help="trials of each command (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="of the moments (default: another one each time)")
    options = parser.parse_args()
    seed = random.randrange(1 << 31) if options.seed is None else options.seed
    failed = False
    for command in options.commands:
        with tempfile.TemporaryDirectory() as name:
            wrong = trials(command, options.count, random.Random(seed), Path(name))
        for line in wrong:
            print(line)
        print(f"{command}: {options.count} trials from seed {seed}, {len(wrong)} complaints", flush=True)
        failed |= bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
