"""Foreign text in Markdown as GitHub and GitLab render it: shown as it is, never as markup, a link or a mention.

Both read GitHub's dialect (github.github.com/gfm) and look afterwards for references in the text that came out of it:
people (@name), issues (#12), merge requests (!12). A backslash does not stop these, an invisible character does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from stridewise.render._common import safe

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "<span>$</span>", "\n": "<br>", "\t": " "}
_SPECIAL = re.compile(r"[&<>$\n\t\\`*_\[\]|~^]|:(?=//)|(?<=www)\.", re.IGNORECASE)
# Where GitHub and GitLab find a person, an issue, an address, or at the start of a line, an order to GitLab ("/close").
_REFERENCE = re.compile(r"(?<!\w)[@#!%](?=\w)|(?<=\w)@(?=\w)|:(?=//)|www(?=\.)|^(?=/\w)", re.IGNORECASE)
_BREAK = "&#8203;"  # takes no room


def text(value: str, limit: int = 2000) -> str:
    """Text of a paragraph or table cell, not longer than `limit` characters of the original; line breaks are <br>."""
    value = _short(safe(value.replace("\r\n", "\n")).strip(), limit)
    parts = []
    last = 0
    for match in _REFERENCE.finditer(value):
        parts += [_escaped(value, last, match.end()), _BREAK]
        last = match.end()
    return "".join((*parts, _escaped(value, last, len(value))))


def code(value: str, limit: int = 500) -> str:
    """Names and paths. An element instead of backticks: a table would end at a bar within these. Nothing in it is
    taken for a reference, so that it can be copied as it is."""
    value = _short(safe(value.replace("\r\n", "\n")).replace("\n", " ").strip(), limit)
    return f"<code>{_escaped(value, 0, len(value))}</code>"


def link(label: str, url: str) -> str:
    """A link to an address of our own; the label is Markdown already."""
    return f"[{label}]({url})"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], figures: int = 0) -> Iterator[str]:
    """The lines of a table whose cells are Markdown already; its last `figures` columns are aligned to the right."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'|'.join('---:' if i >= len(columns) - figures else '---' for i in range(len(columns)))}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _short(value: str, limit: int) -> str:
    return value if len(value) <= limit else value[: limit - 1].rstrip() + "…"


def _escaped(value: str, begin: int, end: int) -> str:
    """The characters from `begin` to `end`, which may depend on those around them."""
    out = []
    for match in _SPECIAL.finditer(value, begin, end):
        out += [value[begin : match.start()], _ENTITIES.get(match[0]) or "\\" + match[0]]
        begin = match.end()
    return "".join((*out, value[begin:end]))
