"""Runs the commands of a page and compares what they print with what the page shows.

In a runnable page (`<!-- runnable -->`) each fence of `sh` is run, one after the other in one shell, and must succeed;
the fence of `text` that follows it, if any, is what it prints, standard error included. There

- `…` alone on a line stands for any lines, none included; `…` within a line for any text,
- a number with a unit of time (`1.3 s`, `20 µs`) for any such number,
- blanks for any number of blanks: columns move with their content.

    python tests/docs/runnable.py docs/tutorial.md       # prints each command of the page and what it prints here
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "tests")]

import markdown_text  # noqa: E402

from mpi_launch import LAUNCH  # noqa: E402

MARK = "<!-- runnable -->"
_TIME = re.compile(r"\d[\d,.]* (?:ns|µs|ms|s)\b")
_BOUNDARY = "\x1e"  # between the outputs of two blocks


@dataclass(frozen=True)
class Step:
    """One block of commands, and what the page says that it prints."""

    commands: str
    expected: str
    line: int


@dataclass(frozen=True)
class Outcome:
    step: Step
    status: int
    printed: str


def steps(text: str) -> list[Step]:
    """The blocks of a page, in order."""
    found: list[Step] = []
    blocks = markdown_text.code_blocks(text)
    for number, block in enumerate(blocks):
        if block.language == "sh":
            after = blocks[number + 1] if number + 1 < len(blocks) else None
            expected = after.text if after is not None and after.language == "text" else ""
            found.append(Step(block.text, expected, block.line))
    return found


def run(page: Sequence[Step], folder: Path, build: Path) -> Iterator[Outcome]:
    """Runs the steps in one shell, as a new user would: in the checkout's folder, with an empty home."""
    home = folder / "home"
    home.mkdir()
    parts = "".join(f"{step.commands}\nprintf '{_BOUNDARY}%s{_BOUNDARY}' $?\n" for step in page)
    script = folder / "page.sh"
    script.write_text(f"exec 2>&1\n{parts}", encoding="utf-8")
    done = subprocess.run(
        ["bash", "--norc", str(script)],
        cwd=checkout(folder, build),
        env=environment(home, build),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=900,
        check=False,
    )
    found = done.stdout.split(_BOUNDARY)
    for step, printed, status in zip(page, found[0::2], found[1::2], strict=False):
        yield Outcome(step, int(status), printed)


def checkout(folder: Path, build: Path) -> Path:
    """The checkout as its reader sees it, also where the build folder is elsewhere."""
    top = folder / "stridewise"
    top.mkdir()
    for name in ("tests", "rules", "docs"):
        (top / name).symlink_to(TOP / name)
    (top / "build").symlink_to(build)
    return top


def environment(home: Path, build: Path) -> Mapping[str, str]:
    """A new user's, on a machine with few processors, possibly as root as in a container."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR", "USER") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "PATH": os.pathsep.join([str(build / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]),
        "LC_ALL": "C.UTF-8",
        **LAUNCH,
    }


def differences(expected: str, printed: str) -> str:
    """What of the expected text was not printed; empty when all of it was, and nothing else."""
    lines = [line.rstrip() for line in printed.splitlines()]
    position, free, last = 0, False, ""
    for line in expected.splitlines():
        if line.strip() == "…":
            free = True
            continue
        pattern = _pattern(line)
        found = next(
            (n for n in range(position, len(lines) if free else position + 1) if pattern.fullmatch(_at(lines, n))), -1
        )
        if found < 0:
            got = "anything up to the end" if free else repr(_at(lines, position))
            return f"expected {line!r}{f' behind {last!r}' if last else ''}, but got {got}"
        position, free, last = found + 1, False, line
    if position < len(lines) and not free:
        return f"printed more than expected: {lines[position]!r}"
    return ""


def _at(lines: Sequence[str], number: int) -> str:
    return lines[number] if number < len(lines) else "\0"


def _pattern(line: str) -> re.Pattern[str]:
    parts = []
    for text in line.rstrip().split("…"):
        pieces = [re.escape(piece) for piece in _TIME.split(text)]
        parts.append(r"\d[\d,.]* (?:ns|µs|ms|s)".join(pieces))
    return re.compile(re.sub(r"(?:\\ )+", r"[ ]+", ".*".join(parts)))


def main() -> int:
    page = steps(Path(sys.argv[1]).read_text(encoding="utf-8"))
    build = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for outcome in run(page, Path(folder), build):
            print(f"```sh\n{outcome.step.commands}```\n```text\n{outcome.printed}```  {outcome.status}")
            if problem := differences(outcome.step.expected, outcome.printed):
                print(f"line {outcome.step.line}: {problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
