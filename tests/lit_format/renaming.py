"""Rewrites a sample so that only its meaning stays: comments go, the names that it declares itself are replaced.

Lines stay where they are. A detector that reads names or comments finds something else afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

_TOKEN = re.compile(
    r"""
    (?P<comment>//(?:[^\\\n]|\\[\s\S])*|/\*[\s\S]*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\([\s\S]*?\)(?P=delimiter)")
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\[\s\S])*")
  | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\[\s\S])*')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<continuation>\\\r?\n)
  | (?P<newline>\n)
  | (?P<space>[ \t\r\f\v]+)
  | (?P<other>[\s\S])
""",
    re.VERBOSE,
)

_KEYWORDS = frozenset(
    """
    _Atomic _Pragma alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class co_await co_return co_yield compl concept const consteval constexpr constinit const_cast continue
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual
    void volatile wchar_t while xor xor_eq define defined elif else endif error ifdef ifndef include line pragma
    undef warning final import module override main begin end
    """.split()
)


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """Pairs (kind, spelling) whose spellings joined give `text`."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        yield ("raw" if kind == "delimiter" else kind), match.group()


def outer_names(preprocessed: str) -> set[str]:
    """Names that a preprocessed header (`-E -dD`) may give to its user.

    Macros, and identifiers outside parentheses: functions, types, variables, members. Parameter names stay free, so a
    sample's own `count` or `dest` is replaced although mpi.h has parameters of that name.
    """
    names: set[str] = set()
    depth = 0
    for line in preprocessed.splitlines():
        if line.startswith("#"):
            if define := re.match(r"#\s*define\s+(\w+)", line):
                names.add(define[1])
            continue
        for kind, spelling in tokens(line):
            if kind == "name" and depth == 0:
                names.add(spelling)
            elif spelling == "(":
                depth += 1
            elif spelling == ")":
                depth = max(0, depth - 1)
    return names


def own_names(texts: Iterable[str], foreign: set[str]) -> set[str]:
    """The names in `texts` that are neither keywords nor `foreign` nor reserved for the compiler."""
    names: set[str] = set()
    for text in texts:
        for spelling, role in _roles(text):
            if (
                role == "name"
                and spelling not in _KEYWORDS
                and spelling not in foreign
                and not spelling.startswith("__")
            ):
                names.add(spelling)
    return names


def rewrite(text: str, renamed: Mapping[str, str], keep_comments: bool = False) -> str:
    """`text` with the names replaced, and without comments; every line keeps its number."""
    out = []
    for spelling, role in _roles(text):
        if role == "comment" and not keep_comments:
            out.append(" " + "\n" * spelling.count("\n"))
        elif role in ("name", "clause"):
            out.append(renamed.get(spelling, spelling))
        elif role == "pragma":
            out.append(re.sub(r"[A-Za-z_]\w*", lambda m: renamed.get(m[0], m[0]), spelling))
        else:
            out.append(spelling)
    return "".join(out)


def new_names(names: Iterable[str]) -> dict[str, str]:
    """A replacement for each name that tells nothing about it; equal names in several files stay equal."""
    return {name: f"zq{index}" for index, name in enumerate(sorted(names))}


def pastes_tokens(text: str) -> bool:
    """Whether names come to be that stand nowhere in the text."""
    return any(kind == "other" and spelling == "#" for kind, spelling in tokens(text)) and "##" in text


def _roles(text: str) -> Iterator[tuple[str, str]]:
    """Pairs (spelling, role); roles: `name` may be replaced, `clause` is an identifier inside the parentheses of a
    pragma, `pragma` is the string of a _Pragma, `comment`, and `text` for all that stays."""
    directive = ""  # word after '#' of the present line
    hash_seen = False
    line_start = True
    pragma_depth = 0
    attribute_depth = 0  # inside __attribute__((…)) or [[…]]
    attribute = ""
    previous = ""
    for kind, spelling in tokens(text):
        role = "text"
        if kind == "comment":
            role = "comment"
        elif kind == "newline":
            directive, hash_seen, line_start, pragma_depth = "", False, True, 0
        elif spelling == "#" and line_start:
            hash_seen, line_start = True, False
        elif hash_seen and kind == "name":
            directive, hash_seen = spelling, False
        elif directive in ("include", "error", "warning", "line"):
            pass
        elif directive == "pragma":
            pragma_depth += {"(": 1, ")": -1}.get(spelling, 0)
            role = "clause" if kind == "name" and pragma_depth > 0 else "text"
        elif attribute:
            opening, closing = ("(", ")") if attribute == "__attribute__" else ("[", "]")
            attribute_depth += {opening: 1, closing: -1}.get(spelling, 0)
            if attribute_depth == 0 and spelling == closing:
                attribute = ""
        elif kind == "name":
            if spelling == "__attribute__":
                attribute, attribute_depth = spelling, 0
            else:
                role = "name"
        elif spelling == "[" and previous == "[":
            attribute, attribute_depth = "[[", 2
        elif kind == "string" and previous == "_Pragma(":
            role = "pragma"
        if kind not in ("space", "newline", "comment", "continuation"):
            line_start = False
            previous = "_Pragma(" if spelling == "(" and previous == "_Pragma" else spelling
        yield spelling, role
