"""The page of the command line, made from its parser, so that it cannot say anything else than --help."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

_PAGE = re.compile(r"docs/([\w/-]+\.md)")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|])")


def page(parser: argparse.ArgumentParser) -> str:
    """Markdown: one section per command, with its options and examples."""
    sections = [_section(name, command) for name, command in commands(parser)]
    rows = [f"| [`{name}`](#{anchor(name)}) | {_plain(purpose)} |" for name, purpose in _purposes(parser)]
    head = [
        "# Command line",
        _plain(parser.description or ""),
        "Words after `--` are the observed program, the build, or a compiler's flags; they are passed on as they are. "
        "`NO_COLOR=1` turns colours off. `stridewise COMMAND --help` prints what stands here.",
        "\n".join(["| command | purpose |", "|---|---|", *rows]),
    ]
    return "\n\n".join([*head, *sections]) + "\n"


def commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Each command's words (`stridewise lint`) and parser, commands of commands included."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                yield command.prog, command
                yield from commands(command)


def anchor(heading: str) -> str:
    """The identifier that the site gives a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading.lower())).strip("-")


def _purposes(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for name, command in commands(parser):
        yield name, (command.description or "").rstrip(".")


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    formatter = parser._get_formatter()
    usage = re.sub(r"\s+", " ", parser.format_usage().removeprefix("usage: ")).strip()
    parts = [f"## {name}", _plain(parser.description or ""), f"```text\n{_wrapped(usage)}\n```"]
    rows = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction | argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        meaning = formatter._expand_help(action) if action.help else ""
        rows.append(f"| {_names(action)} | {_plain(meaning)} |")
    if rows:
        parts.append("\n".join(["| option | meaning |", "|---|---|", *rows]))
    if parser.epilog:
        parts.append(_epilog(parser.epilog))
    return "\n\n".join(parts)


def _names(action: argparse.Action) -> str:
    """How the argument is written: `-o FILE`, `--output FILE`."""
    value = ""
    if action.nargs != 0:
        metavar = action.metavar if isinstance(action.metavar, str) else (action.dest.upper())
        if action.choices is not None and action.metavar is None:
            metavar = "{" + ",".join(map(str, action.choices)) + "}" if len(list(action.choices)) < 6 else "NAME"
        value = {"?": f"[{metavar}]", "*": f"[{metavar} …]", "+": f"{metavar} …"}.get(str(action.nargs), metavar)
    if not action.option_strings:
        return f"`{value}`"
    return ", ".join(f"`{name} {value}`" if value else f"`{name}`" for name in action.option_strings)


def _epilog(text: str) -> str:
    """Examples as code, what follows as text."""
    examples, _, rest = text.partition("\n\n")
    title, _, lines = examples.partition("\n")
    if not lines:
        return _plain(text)
    code = "\n".join(line.removeprefix("  ") for line in lines.splitlines())
    parts = [_plain(title[:1].upper() + title[1:]), f"```sh\n{code}\n```"]
    if rest:
        parts.append(_plain(re.sub(r"\s+", " ", rest[:1].upper() + rest[1:])) + ".")
    return "\n\n".join(parts)


def _wrapped(usage: str, width: int = 100) -> str:
    """Usage in lines; brackets are kept whole."""
    lines: list[str] = []
    for word in re.findall(r"\[(?:[^\[\]]|\[[^\]]*\])*\]|\S+", usage):
        if lines and len(lines[-1]) + len(word) < width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}" if lines else word)
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is; pages that it names become links."""
    return _PAGE.sub(r"[docs/\1](../\1)", _SPECIAL.sub(r"\\\1", text))
