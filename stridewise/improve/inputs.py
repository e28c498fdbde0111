"""Other inputs of the program, whose results must be the same, too: a change can be right for four ranks in a line and
wrong for six in a grid, or right for one size alone."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stridewise.collect import launcher
from stridewise.errors import Failure

Command = tuple[str, ...]
_SMALLEST = 4  # number that is worth halving
_MOST_BYTES = 1 << 16  # of a file that may hold settings
_SETTING = re.compile(r"^[ \t]*(?P<key>[A-Za-z_][\w.-]*)[ \t]*(?:[=:]|[ \t])[ \t]*\d+\s*(?:[;#!,].*)?$", re.MULTILINE)
_RANKS = frozenset({"-n", "-np", "--n", "--np", "-ntasks", "--ntasks"})


@dataclass(frozen=True)
class Input:
    """`run` is the command, `environment` what is set for it. Where `file` is named (below the folder of the commands),
    the value of `key` in it is `value` during the run."""

    title: str
    run: Command
    environment: Mapping[str, str] = field(default_factory=dict)
    file: str = ""
    key: str = ""
    value: str = ""
    of_ranks: bool = False  # it differs by the number of ranks alone, which may leave the results as they are

    def prepare(self, here: Path) -> None:
        """Writes the value into the file."""
        if self.file:
            path = here / self.file
            text = path.read_bytes().decode("latin-1")
            at = _value(text, self.key, self.file)
            path.write_bytes((text[: at.start()] + self.value + text[at.end() :]).encode("latin-1"))


def given(run: Command, vary: Sequence[str], also: Sequence[str], here: Path) -> tuple[Input, ...]:
    """Those of --vary, one for each value, and of --also. `here` is the folder of the commands."""
    found = [one for text in vary for one in _varied(run, text, here)]
    return (*found, *(Input(text, words(text, "--also")) for text in also))


def proposed(run: Command, here: Path) -> Iterator[tuple[Input, ...]]:
    """What nobody gave: alternatives, of which the first one that the program takes is compared. Another number of
    ranks, so that grids have other shapes and ranks other neighbours; then half of each number of the program's
    arguments, and of those in the files that they name: fewer steps, other sizes."""
    at = _place_of_ranks(run)
    if at is not None and (count := run[at].rpartition("=")[2]).isdigit() and int(count) > 0:
        more, fewer = max(int(count) + 1, int(count) * 3 // 2), int(count) // 2
        yield tuple(Input(f"ranks={n}", _with_ranks(run, str(n)), of_ranks=True) for n in (more, fewer) if n)
    programs = launcher.parse(run).programs
    for place in range(programs[0] + 1 if programs else len(run), len(run)):
        if half := _half(run[place]):
            title = f"argument {place - programs[0]} = {half}"
            yield (Input(title, (*run[:place], half, *run[place + 1 :])),)
        else:
            yield from ((one,) for one in _halved_in(run, run[place], here))


def _half(word: str) -> str:
    """Half of a whole number; empty for what is none, or too small."""
    return str(int(word) // 2) if word.isascii() and word.isdigit() and int(word) >= _SMALLEST else ""


def _halved_in(run: Command, file: str, here: Path) -> Iterator[Input]:
    path = here / file
    try:
        if file.startswith("-") or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return
        if not path.resolve().is_relative_to(here.resolve()):
            return
        text = path.read_bytes().decode("utf-8")
    except (OSError, ValueError):
        return
    for key in dict.fromkeys(match["key"] for match in _SETTING.finditer(text)):
        with suppress(Failure):  # a key that is there twice
            at = _value(text, key, file)
            if half := _half(at[0]):
                yield Input(f"{file}:{key}={half}", run, {}, file, key, half)


def _varied(run: Command, text: str, here: Path) -> list[Input]:
    name, sign, values = text.partition("=")
    if not sign or not name or not all(values.split(",")):
        raise Failure(f"--vary '{text}': give NAME=VALUE,VALUE, such as ranks=2,6 or config.txt:width=800,1600")
    file, colon, key = name.rpartition(":")
    found = []
    for value in values.split(","):
        title = f"{key}={value}"
        if colon:
            one = Input(title, run, {}, file, key, value)
            if not (here / file).resolve().is_relative_to(here.resolve()):
                raise Failure(f"--vary '{text}': {file} is not below {here}")
            try:
                _value((here / file).read_bytes().decode("latin-1"), key, file)
            except OSError as error:
                raise Failure(f"--vary '{text}': cannot read {file}: {error.strerror}") from error
        elif name == "ranks":
            one = Input(title, _with_ranks(run, value))
        else:
            one = Input(title, run, {name: value})
        found.append(one)
    return found


def _value(text: str, key: str, file: str) -> re.Match[str]:
    """Where the value of a key stands: behind it on its line, with an equals sign, a colon or blanks in between."""
    before = rf"(?:^|(?<=[\s,;{{\"'])){re.escape(key)}[\"']?(?:[ \t]*[=:][ \t]*|[ \t]+)"
    keys = list(re.finditer(before, text, re.MULTILINE))
    found = [at for at in (re.compile(r"[^\s,;#!\"'}]+").match(text, one.end()) for one in keys) if at]
    if len(found) != 1:
        raise Failure(f"{file} has {len(found) or 'no'} value{'s' * (len(found) > 1)} of '{key}', and one is needed")
    return found[0]


def _with_ranks(run: Command, value: str) -> Command:
    at = _place_of_ranks(run)
    if at is None:
        raise Failure("--vary ranks=…: the command names no number of ranks (-n N); give whole commands by --also")
    name, sign, _ = run[at].partition("=")
    return (*run[:at], f"{name}={value}" if sign else value, *run[at + 1 :])


def _place_of_ranks(run: Command) -> int | None:
    """The word that says how many ranks the launcher starts: N of -n N, or all of --ntasks=N."""
    launch = launcher.parse(run)
    if launch.family and launch.programs:
        for at in range(launch.launcher + 1, launch.programs[0]):
            name, sign, _ = run[at].partition("=")
            if name in _RANKS:
                return at if sign else at + 1
    return None


def prints_by_ranks(run: Command) -> bool:
    """Whether several processes may print."""
    at = _place_of_ranks(run)
    return bool(launcher.parse(run).family) and (at is None or run[at].rpartition("=")[2] != "1")


def words(text: str, option: str) -> Command:
    """The words of a command that was given as one argument; no shell looks at it."""
    try:
        found = tuple(shlex.split(text))
    except ValueError as error:
        raise Failure(f"{option} '{text}': {error}") from error
    if not found:
        raise Failure(f"{option} is empty; give a command")
    shell = {"&&", "||", ";", "|", ">", "<", ">>", "&"} & set(found)
    if shell:
        sign = min(shell)
        raise Failure(
            f"{option} '{text}' is run without a shell, which alone knows '{sign}'; give a script, or repeat {option}"
        )
    return found
