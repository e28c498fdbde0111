"""stridewise compile-warnings: what stridewise-cc runs after a compilation. Prints findings as a compiler does.

It starts once per compilation, so it imports what it needs when it needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stridewise import CONFIG_FILE
from stridewise.collect import compile_db
from stridewise.collect.compile_db import C_FAMILY, Command, Entry, EntryError
from stridewise.collect.compilers import Interrogator
from stridewise.errors import Failure
from stridewise.settings import toolchain

if TYPE_CHECKING:
    from stridewise.finding.result import Result
    from stridewise.lint.analysis import UnitResult
    from stridewise.lint.result_cache import ResultCache
    from stridewise.settings.policy import Policy

OPTIONS = ("--rules=", "--min-confidence=", "--fail-on=")
FAILED = 1  # a finding at or above --fail-on; every other status is ignored
_UNABLE = 2
_EXCERPT_WIDTH = 160


def main(words: Sequence[str]) -> int:
    """The words are `[OPTIONS] -- COMPILER ARGUMENTS`. Whatever goes wrong is one note, never an error."""
    try:
        at = list(words).index("--")
        options = dict(_option(word) for word in words[:at])
        return _warn(options, words[at + 1 :])
    except Exception as error:
        _say(f"stridewise-cc: note: nothing was analysed: {error}\n")
        return _UNABLE


def _option(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or name + equals not in OPTIONS:
        raise Failure(f"unknown option '{word}'; see stridewise-cc --help")
    return name.removeprefix("--"), value


def _warn(options: dict[str, str], words: Sequence[str]) -> int:
    commands = [command for command in _commands(words) if command.language in C_FAMILY]
    if not commands:
        return 0
    from stridewise import ending
    from stridewise.lint import analysis

    # Rules and thresholds other than the defaults are known before the analysis; the rest is loaded for findings only.
    judge = _judge(options) if options or _is_configured(commands) else None
    if judge:
        commands = judge.prepare(compile_db.Workload(commands)).commands
    limits = analysis.Limits(seconds=float(os.environ.get("STRIDEWISE_CC_TIMEOUT") or 60))
    failed = False
    analyzer = toolchain.analyzer()
    cache = _cache(analyzer) if any(command.language is compile_db.Language.CXX for command in commands) else None
    preambles = cache.preambles if cache else None
    with ending.folder() as folder:
        for unit in analysis.analyse(analyzer, commands, [], folder, 1, limits, lambda _: None, preambles=preambles):
            spelled = next((word for word in words if os.path.abspath(word) == str(unit.command.file)), "")
            if unit.status == "failed":
                _say(f"stridewise-cc: note: {spelled or unit.command.file} was not analysed: {unit.failure}\n")
            elif unit.findings:
                judge = judge or _judge(options)
                failed |= _report(unit, judge, spelled)
    if cache:
        cache.close()
    if failed:
        _discard(words)
    return FAILED if failed else 0


def _cache(analyzer: Path) -> ResultCache | None:
    """Where precompiled headers are. Results are not kept: the build asks for each unit once."""
    from stridewise.lint.dependencies import default_folder
    from stridewise.lint.result_cache import ResultCache

    folder = default_folder()
    return ResultCache(Path(folder), analyzer) if folder else None


def _is_configured(commands: Sequence[Command]) -> bool:
    folders = {folder for command in commands for folder in command.file.parents}
    return any((folder / CONFIG_FILE).is_file() for folder in folders)


def _judge(options: Mapping[str, str]) -> Policy:
    from stridewise import catalogue
    from stridewise.finding import Confidence, Severity
    from stridewise.settings.policy import Policy

    return Policy(
        catalogue.load(),
        globs=options.get("rules", ""),
        least=Confidence(options["min-confidence"]) if "min-confidence" in options else None,
        fail_on=Severity(options["fail-on"]) if "fail-on" in options else None,
    )


def _report(unit: UnitResult, judge: Policy, spelled: str) -> bool:
    """Prints the unit's findings; whether one is to fail the compilation."""
    from stridewise import catalogue
    from stridewise.finding.result import Result
    from stridewise.finding.sources import find_project
    from stridewise.finding.supersede import without_superseded

    project = find_project([unit.command.file])
    own = [f for f in unit.findings if project.owns(f.location.file)]
    found = tuple(without_superseded(judge.judged(own), catalogue.load()))
    result = Result(project, found, standards=judge.standards)
    _say("".join(line + "\n" for line in _lines(result, {str(unit.command.file): spelled})))
    return result.fails()


def _commands(words: Sequence[str]) -> Iterator[Command]:
    """One command per source that the compiler's command line names."""
    here = Path.cwd()
    try:
        stripped = compile_db.strip_launchers(words)
        expanded = (stripped[0], *compile_db.expand_response_files(stripped[1:], here))
        interrogator = Interrogator()
        for source in compile_db.sources_in(expanded[1:]):
            file = Path(os.path.abspath(source))
            yield compile_db.to_command(Entry(here, file, expanded), interrogator)
    except EntryError as error:
        raise Failure(str(error)) from error


def _lines(result: Result, spelled: Mapping[str, str]) -> Iterator[str]:
    from stridewise.console import Painter, harmless, wants_colour

    paint = Painter(wants_colour(sys.stderr))

    def place(file: str, line: int, column: int = 0) -> str:
        here = str(Path.cwd()) + os.sep
        name = spelled.get(os.path.normpath(file)) or file.removeprefix(here)
        return paint(harmless(f"{name}:{line}:{column}:" if column else f"{name}:{line}:"), "bold")

    for finding in sorted(result.reported, key=lambda f: (f.location.file, f.location.line, f.location.column)):
        where = finding.location
        at = place(where.file, where.line, where.column)
        yield f"{at} {paint('warning:', 'yellow')} {harmless(finding.message)} [-Wstridewise-{finding.rule}]"
        text = result.sources.line(where.file, where.line)
        if text is not None:
            yield f"{where.line:5} | {harmless(text)[:_EXCERPT_WIDTH]}"
            if where.column > 0:
                encoded = text.encode("utf-8", "surrogateescape")
                width = len(harmless(encoded[: where.column - 1].decode("utf-8", "surrogateescape")))
                length = (
                    where.end_column - where.column if where.end_line == where.line else len(encoded) - where.column
                )
                marks = "^" + "~" * max(min(length - 1, _EXCERPT_WIDTH - width), 0)
                if width < _EXCERPT_WIDTH:
                    yield f"      | {' ' * width}{paint(marks, 'yellow')}"
        for related in finding.related:
            yield f"{place(related.file, related.line)} {paint('note:', 'cyan')} {harmless(related.label)}"
        if finding.advice:
            yield f"{at} {paint('note:', 'cyan')} {harmless(finding.advice)}"


def _discard(words: Sequence[str]) -> None:
    """A compilation that failed leaves nothing that the next build would take for done."""
    from stridewise.collect.compiler_outputs import outputs

    try:
        expanded = compile_db.expand_response_files(compile_db.strip_launchers(words)[1:], Path.cwd())
    except EntryError:
        expanded = tuple(words[1:])
    for name in outputs(expanded):
        if Path(name).is_file():
            Path(name).unlink()


def _say(text: str) -> None:
    """In one write, so that compilations side by side do not mix their lines."""
    data = text.encode("utf-8", "backslashreplace")
    sys.stderr.flush()
    while data:
        data = data[os.write(2, data) :]
