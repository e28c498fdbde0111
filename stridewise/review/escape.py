"""Foreign text for Markdown: nothing in it is rendered, linked or executed by a code host.

Code hosts make links of names (@user), numbers (#1, !1, GH-1), commit ids and addresses after Markdown has been read,
so that backslashes and entities do not stop them; inside of code they leave text alone. So plain words stay words, and
whatever else there is becomes code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stridewise.render._common import safe

_LETTERS = r"[^\W\d_]+"
_PLAIN = re.compile(
    rf"(?:{_LETTERS}(?:['’-]{_LETTERS})*"  # a word
    r"|[DL][1-4]"  # a cache
    r"|[0-9]{1,6}(?:[.,][0-9]{1,6})*(?:%|×)?"  # a number that is too short for a commit id
    r"|[–—×→…≤≥±·-])"
)
_HEX = re.compile(r"[0-9a-fA-F]{7,}")  # may be a commit id
_TOKEN = re.compile(r"([\"'(]*)(.*?)([)\"',.;:!?]*)", re.DOTALL)
_LIST = re.compile(r"[0-9]{1,9}[.)]|[-+*]")  # begins a list at the start of a line
_RUN = re.compile(r"`+")
_CUT = "…"
_MAX_CODE_CHARS = 300
_MAX_PROSE_CHARS = 1500
_MAX_BLOCK_CHARS = 20_000


def clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + _CUT


def code(text: str, *, most: int = _MAX_CODE_CHARS, table: bool = False) -> str:
    """A code span, on one line. In a table a bar must not end the cell."""
    shown = clip(" ".join(safe(text[: 4 * most]).split()), most)
    if not shown:
        return ""
    if table:
        shown = re.sub(r"(\\*)\|", lambda m: (f"{m[1]} " if m[1] else "") + r"\|", shown)
    marks = "`" * (max((len(run) for run in _RUN.findall(shown)), default=0) + 1)
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{marks}{pad}{shown}{pad}{marks}"


def prose(text: str, *, most: int = _MAX_PROSE_CHARS, table: bool = False) -> str:
    """A sentence: words as they are, everything else as code; on one line, which it may begin."""
    out: list[str] = []
    pending: list[str] = []  # what makes up one span

    def flush() -> None:
        if pending:
            out.append(code(" ".join(pending), most=most, table=table))
            pending.clear()

    words = clip(safe(text[: most + 1]), most).split()
    if words and _LIST.fullmatch(words[0]):
        out.append(code(words.pop(0), table=table))
    for word in words:
        before, core, after = _parts(word)
        quoted = before.endswith("'") and after.startswith("'")
        if not core or (_is_plain(core) and not quoted):
            flush()
            out.append(word if core else code(word, table=table))
            continue
        if quoted or (not _is_plain(core) and before.endswith('"') and after.startswith('"')):
            flush()
            before, after = before[:-1], after[1:]  # the span says that it is a name
            out.append(f"{before}{code(core, most=most, table=table)}{after}")
            continue
        if before:
            flush()
        pending.append(core)
        if before or after:
            span = code(" ".join(pending), most=most, table=table)
            pending.clear()
            out.append(f"{before}{span}{after}")
    flush()
    return " ".join(out)


def _is_plain(core: str) -> bool:
    return bool(_PLAIN.fullmatch(core)) and not _HEX.fullmatch(core)


def _parts(word: str) -> tuple[str, str, str]:
    """(brackets and quotes before, the word, punctuation after); brackets of the word itself stay with it."""
    match = _TOKEN.fullmatch(word)
    assert match  # the pattern takes any text
    before, core, after = match[1], match[2], match[3]
    while after.startswith(")") and core.count("(") > core.count(")"):
        core, after = core + ")", after[1:]
    return before, core, after


def is_plain_block(lines: Sequence[str]) -> bool:
    """Whether lines can stand in a block as they are: altered ones would be another program.

    Lines that a host or a bot may take for a command are refused: comments start with more than one slash.
    """
    return (
        sum(map(len, lines)) <= _MAX_BLOCK_CHARS
        and all(safe(line) == line for line in lines)
        and not any(re.match(r"\s*/[A-Za-z]", line) for line in lines)
    )


def block(lines: Sequence[str], info: str = "") -> str:
    """A fenced block; its fence is longer than any run of backticks inside."""
    longest = max((len(run) for line in lines for run in _RUN.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{info}", *lines, fence])
