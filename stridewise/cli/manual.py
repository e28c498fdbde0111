"""The manual page stridewise(1), from the command line's own parser."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator

from stridewise import CONFIG_FILE

_FILES = {
    CONFIG_FILE: "Settings of a project, in its folder or above: rules, thresholds, paths.",
    "compile_commands.json": "The compile commands that lint reads; stridewise capture records them.",
    "stridewise-out/": "Run folder: what run recorded, for report.",
    "$XDG_CACHE_HOME/stridewise/": "Results of units that did not change.",
    "$XDG_CONFIG_HOME/stridewise/": "What this machine's memory, threads and messages cost, by calibrate.",
}
_VARIABLES = {
    "STRIDEWISE_ANALYZE, STRIDEWISE_MERGE": "The programs of these parts, in place of those that were installed.",
    "STRIDEWISE_BUILD": "A build folder to take programs and libraries from.",
    "STRIDEWISE_PYTHON": "The Python that runs the installed command.",
    "STRIDEWISE_RULES": "The folder of the rules.",
    "STRIDEWISE_MIXED_MPI": "1 starts a program by the launcher of another MPI without complaint.",
    "NO_COLOR": "No colours on the terminal.",
}


def page(parser: argparse.ArgumentParser, version: str) -> str:
    """The whole page, as man(7) wants it."""
    purpose = (parser.description or "").split(":")[0].rstrip(".")
    lines = [
        f'.TH STRIDEWISE 1 "" "stridewise {_plain(version)}" "Stridewise"',
        ".SH NAME",
        f"stridewise \\- {_plain(purpose[0].lower() + purpose[1:])}",
        ".SH SYNOPSIS",
        ".B stridewise",
        ".I COMMAND",
        "[options]",
        ".br",
        ".B stridewise",
        "\\-\\-help | \\-\\-version",
        ".SH DESCRIPTION",
        *_filled(parser.description or ""),
        ".SH COMMANDS",
    ]
    for name, command in commands(parser).items():
        lines += _command(name, command)
    lines += [".SH EXIT STATUS"]
    lines += _listed(
        {
            "0": "Nothing to complain of.",
            "1": "A finding at or above --fail-on.",
            "2": "Some of the work could not be done, or the command line is wrong.",
            "other": "That of the command which run or capture started; 128 and the signal's number if one ended it.",
        }
    )
    lines += [".SH FILES", *_listed(_FILES), ".SH ENVIRONMENT", *_listed(_VARIABLES)]
    lines += [".SH SEE ALSO", ".BR stridewise\\-cc", "\\-\\-help,", ".BR stridewise\\-share\\-cc", "\\-\\-help"]
    return "\n".join(lines) + "\n"


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands by name, each once."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                if command not in found.values():
                    found[name] = command
    return found


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    usage = " ".join(command.format_usage().split())
    yield f".SS stridewise {_plain(name)}"
    yield from _filled(usage.removeprefix("usage: "))
    yield ".PP"
    yield from _filled(command.description or "")
    for action in command._actions:
        if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        yield ".TP"
        yield f".B {_name(action)}"
        yield from _filled(_help(command, action))
    if command.epilog:
        yield ".PP"
        yield ".nf"
        for line in command.epilog.splitlines():
            yield _plain(line)
        yield ".fi"


def _name(action: argparse.Action) -> str:
    metavar = action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar or ())
    if not action.option_strings:
        return _plain(metavar or action.dest)
    value = ""
    if action.nargs != 0:
        value = " " + (metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper()))
        if action.nargs == "?":
            value = f" [{value.strip()}]"
    return _plain(", ".join(action.option_strings) + value)


def _help(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    values = {**vars(action), "prog": command.prog}
    return (action.help or "") % values if "%" in (action.help or "") else action.help or ""


def _listed(entries: dict[str, str]) -> Iterator[str]:
    for name, text in entries.items():
        yield ".TP"
        yield f".B {_plain(name)}"
        yield from _filled(text)


def _filled(text: str) -> list[str]:
    lines = textwrap.wrap(text, 76, break_long_words=False, break_on_hyphens=False)
    return [_plain(line) for line in lines]


def _plain(text: str) -> str:
    """Text that man shows as it is: no line of it may look like a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("'", "\\(aq")
    for character, name in {"·": "\\(bu", "×": "\\(mu", "…": "...", "–": "\\(en", "µ": "\\(mc"}.items():
        text = text.replace(character, name)
    return "\\&" + text if text.startswith(".") else text
