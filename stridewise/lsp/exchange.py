"""The exchange of two loops that the analyser advises but cannot prove: the author says that its assumption holds.

Where it is proven the analyser gives a fix of its own. Here only the text of the two headers changes places, under the
same conditions on their form.
"""

from __future__ import annotations

from stridewise.finding import Edit, Finding
from stridewise.lsp.lexer import Text

_PROVIDED = ", provided that "
_ONLY = " do not overlap"
# Clauses that tie the meaning of a work-shared loop to the order of its iterations or to its variable.
_ORDERED = (b"ordered", b"linear", b"lastprivate", b"simd", b"collapse", b"tile", b"unroll")


def exchange(finding: Finding, text: Text) -> tuple[str, tuple[Edit, ...]] | None:
    """(what is done under which condition, the edits); None where the two headers cannot simply change places."""
    inner, outer = finding.args.get("inner"), finding.args.get("outer")
    assumption = finding.args.get("assumption")
    if not isinstance(inner, str) or not isinstance(outer, str) or not isinstance(assumption, str):
        return None
    if finding.fixes or not finding.related or not assumption.startswith(_PROVIDED) or not assumption.endswith(_ONLY):
        return None
    near = finding.related[0]
    if near.file != finding.location.file or near.line > finding.location.line:
        return None
    first = _loop(text, near.line, 0, outer)
    second = _loop(text, finding.location.line, finding.location.column, inner)
    if first is None or second is None or first[2] >= second[0]:
        return None
    if any(word != b"{" for word in text.words[first[2] + 1 : second[0]]):
        return None  # a directive, another loop
    if _names(text, first, inner) or _names(text, second, outer):
        return None
    claims = assumption.removeprefix(_PROVIDED)
    before = text.words[first[0] - 1] if first[0] else b""
    if before.startswith(b"#"):
        names = {inner.encode(), outer.encode()}
        if not before.startswith(b"#pragma omp") or any(word in before for word in _ORDERED) or _uses(before, names):
            return None
        claims += f" and iterations of '{inner}' are independent"
    (a, b), (c, d) = _inside(text, first), _inside(text, second)
    file = finding.location.file
    edits = (
        Edit(file, a, b, text.data[c:d].decode("utf-8", "surrogateescape")),
        Edit(file, c, d, text.data[a:b].decode("utf-8", "surrogateescape")),
    )
    return f"exchange the loops over '{outer}' and '{inner}', if {claims}", edits


_Header = tuple[int, int, int]  # the words `for`, `(` and `)`


def _loop(text: Text, line: int, column: int, variable: str) -> _Header | None:
    """The header of the loop on that line, if it declares and steps the variable."""
    begin = text.offset(line, column)
    end = text.lines[line] if line < len(text.lines) else len(text.data)
    at = next((i for i, s in enumerate(text.starts) if begin <= s < end and text.words[i] == b"for"), None)
    if at is None or at + 1 >= len(text.words) or text.words[at + 1] != b"(":
        return None
    depth, semicolons = 0, []
    for i in range(at + 1, len(text.words)):
        word = text.words[i]
        depth += (word == b"(") - (word == b")")
        if word == b";" and depth == 1:
            semicolons.append(i)
        elif word.startswith(b"#") or word in (b"{", b"}"):
            return None
        if depth == 0:
            name = variable.encode()
            declared = text.words[at + 2 : semicolons[0]] if semicolons else ()
            if len(semicolons) != 2 or len(declared) < 4 or b"," in declared or name not in declared[1:]:
                return None
            if declared[declared.index(name, 1) + 1 :][:1] != (b"=",) or name not in text.words[semicolons[1] : i]:
                return None
            return at, at + 1, i
    return None


def _inside(text: Text, header: _Header) -> tuple[int, int]:
    return text.ends[header[1]], text.starts[header[2]]


def _names(text: Text, header: _Header, variable: str) -> bool:
    return variable.encode() in text.words[header[1] : header[2]]


def _uses(directive: bytes, names: set[bytes]) -> bool:
    words = bytes(c if chr(c).isalnum() or c == 0x5F else 0x20 for c in directive).split()
    return any(word in names for word in words)
