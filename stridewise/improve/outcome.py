"""What a run of the program left behind, and whether two of them say the same.

The check is learnt from the original: what differs between its own runs (times, dates, addresses) is no result; all
else must come again, words letter by letter, numbers within the tolerance."""

from __future__ import annotations

import math
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import repeat
from pathlib import Path

from stridewise.errors import Failure
from stridewise.improve.inputs import Input
from stridewise.improve.settings import Settings
from stridewise.improve.tree import Trees, snapshot

_MOST_BYTES = 64 << 20  # of one file; a larger one is compared by its size
_MOST_LINES = 1000  # that are sought in another order
STDOUT, STDERR = "standard output", "standard error"
# Programs print how they were compiled. What steps change of that is no result.
_OPTIONS = re.compile(
    rb"(?<![\w-])-(?:O(?:[0-9gs]|fast)?|march=[\w.+-]+|f(?:no-)?(?:associative-math|signed-zeros|trapping-math|math-errno))"
    rb"(?![\w.-])[ \t]*"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?(?![\w.])|[-+]?\b(?:nan|inf)\b", re.IGNORECASE)
_TOKEN = re.compile(rf"{_NUMBER.pattern}|\w+|[^\w\s]", re.IGNORECASE)


@dataclass(frozen=True)
class Outcome:
    """Exit status (128 + signal), wall and processor seconds, and what was written: the standard output, and each file
    below the tree by its name; `tail` is the end of standard error."""

    status: int
    seconds: float
    cpu_seconds: float
    results: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    tail: str = ""


def run(settings: Settings, trees: Trees, tree: Path, other: Input | None = None) -> Outcome:
    """Runs the program in a tree, with another input where one is given. Files that it made are taken away afterwards,
    those it changed are put back, so that each run finds the same."""
    before = snapshot(tree)
    here = tree / settings.here
    if other:
        other.prepare(here)
    command, environment = (other.run, other.environment) if other else (settings.run, {})
    begin, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    status, output, errors = call(command, here, settings.limit_seconds, tree, environment)
    seconds = time.monotonic() - begin
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime - used.ru_utime + now.ru_stime - used.ru_stime
    results = {STDOUT: output, STDERR: errors}
    if status == 0 and settings.check:
        checked, said, complaint = call(settings.check, here, settings.limit_seconds, tree)
        results = {}  # the user's check is the check
        if checked:
            status, errors = 1, b"the check ended with " + str(checked).encode() + b": " + (said + complaint)[-500:]
    after = snapshot(tree)
    written = [name for name in after if after[name] != before.get(name)]
    if other and other.file:  # what was prepared is no result
        written = [name for name in written if (tree / name).resolve() != (here / other.file).resolve()]
    if not settings.check:
        results |= {name: _content(tree / name) for name in written}
    trees.tidy(tree, before)
    results = {name: data if b"\0" in data else _OPTIONS.sub(b"", data) for name, data in results.items()}
    return Outcome(status, seconds, cpu, results, errors[-2000:].decode("utf-8", "replace").strip())


def call(
    words: Sequence[str], here: Path, limit: float, tree: Path, environment: Mapping[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    """Exit status, output and errors, with the tree's own place taken out of both. A program that does not come to its
    end is ended with all that it started."""
    try:
        process = subprocess.Popen(
            list(words), cwd=here, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, env={**os.environ, **(environment or {})},
        )  # fmt: skip
    except OSError as error:
        raise Failure(f"cannot start {words[0]} in {here}: {error.strerror}") from error
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        _end(process)
        output, errors = process.communicate()
        return 124, output, errors + f"no end after {limit:.0f} s".encode()
    except BaseException:
        _end(process)
        raise
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    mine = os.fsencode(str(tree))
    return status, output.replace(mine, b"."), errors.replace(mine, b".")


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return f"{path.stat().st_size} bytes".encode()
        return path.read_bytes()
    except OSError:
        return b""


# --- the learnt check -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """What every right run says: for each result its tokens, None where the original's own runs differ. `binary` are
    results that are compared byte by byte; `ignored` those that the original never wrote twice alike."""

    texts: Mapping[str, tuple[str | None, ...]]
    binary: Mapping[str, bytes]
    ignored: tuple[str, ...]
    tolerance: float
    exact: Mapping[str, bytes] = field(default_factory=dict, repr=False)  # of the original: what is the same, is right
    any_order: frozenset[str] = frozenset()  # results that several ranks write: whose line is first is a matter of time

    @property
    def values(self) -> int:
        """How many tokens and files are compared."""
        return sum(token is not None for tokens in self.texts.values() for token in tokens) + len(self.binary)

    @property
    def numbers(self) -> int:
        """How many of them are numbers, or whole binary files."""
        found = (token for tokens in self.texts.values() for token in tokens if token is not None)
        return sum(_value(token) is not None for token in found) + len(self.binary)

    def describe(self) -> str:
        streams = [name for name in (STDOUT, STDERR) if name in self.texts]
        names = streams + sorted((self.texts.keys() | self.binary.keys()) - set(streams))
        if not names:
            return "nothing but the exit status"
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more files" if len(names) > 4 else "")
        numbers, words = plural(self.numbers, "number"), plural(self.values - self.numbers, "word")
        return f"{numbers} (relative tolerance {self.tolerance:g}) and {words} of {shown}"


def plural(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def learn(outcomes: Sequence[Outcome], tolerance: float, ranks: bool = False) -> Check:
    """What the runs of the original have in common. Standard error, where launchers talk, too, counts only where there
    are no numbers elsewhere. With `ranks` several processes print."""
    any_order = frozenset({STDOUT, STDERR}) if ranks else frozenset()
    first, *others = outcomes
    check = _common([first, *(_ordered(one, first.results, any_order, tolerance) for one in others)], tolerance)
    check = replace(check, any_order=any_order)
    texts = {name: found for name, found in check.texts.items() if name != STDERR}
    ignored = tuple(name for name in check.ignored if name != STDERR)
    binary = {name: found for name, found in check.binary.items() if name != STDERR}
    quiet = replace(check, texts=texts, binary=binary, ignored=ignored)
    return quiet if quiet.numbers else check


def _common(outcomes: Sequence[Outcome], tolerance: float) -> Check:
    names = set.intersection(*(set(outcome.results) for outcome in outcomes))
    ignored = set.union(*(set(outcome.results) for outcome in outcomes)) - names
    texts: dict[str, tuple[str | None, ...]] = {}
    binary: dict[str, bytes] = {}
    for name in sorted(names):
        contents = [outcome.results[name] for outcome in outcomes]
        split = [tokens(content) for content in contents]
        if any(one is None for one in split):
            if all(content == contents[0] for content in contents):
                binary[name] = contents[0]
            else:
                ignored.add(name)
            continue
        lists = [one for one in split if one is not None]
        if len({len(one) for one in lists}) > 1:
            ignored.add(name)
        elif lists[0]:
            texts[name] = tuple(
                column[0] if all(same(column[0], other, tolerance) for other in column[1:]) else None
                for column in zip(*lists, strict=True)
            )
    return Check(texts, binary, tuple(sorted(ignored)), tolerance, outcomes[0].results)


def _ordered(outcome: Outcome, like: Mapping[str, bytes], any_order: AbstractSet[str], tolerance: float) -> Outcome:
    """The outcome with lines that may come in any order in that of `like`."""
    known = any_order & outcome.results.keys() & like.keys()
    changed = {name: _in_order(like[name], outcome.results[name], tolerance) for name in known}
    return replace(outcome, results={**outcome.results, **changed})


def _in_order(like: bytes, content: bytes, tolerance: float) -> bytes:
    """The lines of `content`, each in the place of the first one of `like` that says the same; what nothing there says
    fills the places that are left."""
    wanted, lines = like.splitlines(keepends=True), content.splitlines(keepends=True)
    if like == content or len(wanted) != len(lines) or len(lines) > _MOST_LINES:
        return content
    split = [tokens(line) or [] for line in lines]
    free = dict.fromkeys(range(len(lines)))
    places: list[int | None] = []
    for line in wanted:
        words = tokens(line) or []
        found = next((n for n in free if _says(words, split[n], tolerance)), None)
        places.append(found)
        if found is not None:
            del free[found]
    left = iter(free)
    return b"".join(lines[next(left) if place is None else place] for place in places)


def _says(words: Sequence[str], others: Sequence[str], tolerance: float) -> bool:
    return len(words) == len(others) and all(map(same, words, others, repeat(tolerance)))


def refined(check: Check, right: Outcome) -> Check:
    """The check without what another right run says otherwise: a date whose hour has changed since it was learnt."""
    right = _ordered(right, check.exact, check.any_order, check.tolerance)
    texts, ignored = dict(check.texts), set(check.ignored)
    for name, wanted in check.texts.items():
        found = tokens(right.results.get(name, b"\0"))
        if found is None or len(found) != len(wanted):
            del texts[name]
            ignored.add(name)
            continue
        texts[name] = tuple(
            before if before is not None and same(before, after, check.tolerance) else None
            for before, after in zip(wanted, found, strict=True)
        )
    binary = {name: content for name, content in check.binary.items() if right.results.get(name) == content}
    ignored |= check.binary.keys() - binary.keys()
    return replace(check, texts=texts, binary=binary, ignored=tuple(sorted(ignored)))


def compare(check: Check, outcome: Outcome) -> str:
    """How the results differ from what the original says; empty where they are the same."""
    if outcome.status:
        return f"exit status {outcome.status}" + (f": {outcome.tail[-300:]}" if outcome.tail else "")
    outcome = _ordered(outcome, check.exact, check.any_order, check.tolerance)
    for name, expected in check.binary.items():
        if name not in outcome.results:
            return f"{name} was not written"
        if outcome.results[name] != expected:
            return f"{name} has other bytes"
    for name, wanted in check.texts.items():
        if name not in outcome.results:
            return f"{name} was not written"
        if outcome.results[name] == check.exact.get(name):
            continue
        found = tokens(outcome.results[name])
        if found is None or len(found) != len(wanted):
            return f"{name} has another form"
        for before, after in zip(wanted, found, strict=True):
            if before is None:
                continue
            if not same(before, after, check.tolerance):
                return f"{name} says {after[:60]} where it said {before[:60]}{_apart(before, after)}"
    return ""


def _apart(before: str, after: str) -> str:
    """How far two numbers are apart, as --tolerance counts it."""
    first, second = _value(before), _value(after)
    if first is None or second is None or not math.isfinite(first) or not math.isfinite(second):
        return ""
    return f", a relative difference of {abs(first - second) / max(abs(first), abs(second)):.2g}"


def tokens(content: bytes) -> list[str] | None:
    """Numbers, words and signs; None where it is no text."""
    if b"\0" in content:
        return None
    try:
        return _TOKEN.findall(content.decode("utf-8"))
    except UnicodeDecodeError:
        return None


def _value(token: str) -> float | None:
    if not _NUMBER.fullmatch(token):
        return None
    try:
        return float(re.sub("[dD]", "e", token) if "n" not in token.lower() else token)
    except ValueError:
        return None


def same(one: str, other: str, tolerance: float) -> bool:
    """Whether two tokens are equal; numbers within the tolerance, of which not-a-number equals nothing but itself."""
    if one == other:
        return True
    first, second = _value(one), _value(other)
    if first is None or second is None or not math.isfinite(first) or not math.isfinite(second):
        return False
    return abs(first - second) <= tolerance * max(abs(first), abs(second))
