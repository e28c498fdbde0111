"""Places of a C, C++ or Python file where a fault can be put, and the file with all chosen faults in it, each switched
on by its number when a test runs. One build thus holds every fault (known as mutant schemata: Untch, Offutt, Harrold,
ISSTA 1993). Syntax is tree-sitter's; lines stay where they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import tree_sitter_cpp
import tree_sitter_python
from tree_sitter import Language, Node, Parser

CPP, PYTHON = Language(tree_sitter_cpp.language()), Language(tree_sitter_python.language())
SUFFIXES = {".c": CPP, ".cpp": CPP, ".py": PYTHON}
OPPOSITE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is"}
OPPOSITE |= {"in": "not in", "not in": "in"}
CONFIDENCE = {"high": "Low", "medium": "High", "low": "High"}
# Where the language wants a constant, or where a choice would change a type.
CONSTANT = {
    "template_argument_list", "enumerator", "array_declarator", "static_assert_declaration", "initializer_list",
    "bitfield_clause", "parameter_list", "preproc_def", "preproc_if", "preproc_function_def", "preproc_elif",
    "attribute_declaration", "attribute_specifier", "alignas_qualifier", "gnu_asm_expression", "concatenated_string",
}  # fmt: skip
CONSTANT |= {"string", "default_parameter", "typed_default_parameter", "type", "match_statement", "decorator", "lambda"}
FUNCTION = {"function_definition", "lambda_expression"}


@dataclass(frozen=True)
class Point:
    """One fault: bytes [start, end) of a file become `fault`, or it comes in before `start` where they are none."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    original: str
    fault: str
    where: str = ""
    """The text that stands there, and which of the same this is: it stays when other lines change."""

    @property
    def key(self) -> str:
        return f"{self.file}: {self.kind}: {self.where or self.line}"

    def __str__(self) -> str:
        change = f"`{_line(self.original)}` → `{_line(self.fault)}`" if self.original else f"`{_line(self.fault)}`"
        return f"{self.file}:{self.line}: {self.kind}: {change}"


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) < 70 else text[:67] + "..."


def points(path: Path, name: str) -> list[Point]:
    """The places of a file, which the points call `name`, by position."""
    source, python = path.read_bytes(), path.suffix == ".py"
    found = sorted(_points(source, SUFFIXES[path.suffix], name), key=lambda p: (p.start, p.end, p.fault))
    named, count = list[Point](), Counter[str]()
    for point in found:
        if not _can_be_written(source, point, python):
            continue
        line = source[point.start :].partition(b"\n")[0].decode("utf-8", "replace")
        where = " ".join(f"{point.original or line} => {point.fault}".split())
        count[point.kind + where] += 1
        named.append(replace(point, where=f"{where} ({count[point.kind + where]})"))
    return named


def _can_be_written(source: bytes, point: Point, python: bool) -> bool:
    """Not where a comment would swallow what follows the fault, or where a statement cannot stand."""
    if python and point.kind == "early return":
        return not source[source.rfind(b"\n", 0, point.start) + 1 : point.start].strip()
    return ("#" if python else "//") not in point.fault


def _points(source: bytes, language: Language, name: str) -> Iterator[Point]:
    def point(node: Node, kind: str, fault: str) -> Point:
        return Point(name, node.start_point.row + 1, kind, node.start_byte, node.end_byte, _text(node), fault)

    python = language is PYTHON
    for node, outer in _walk(Parser(language).parse(source).root_node, ()):
        kinds = [one.type for one in outer]
        if node.type == "function_definition":
            yield from _return(node, python, name)
        inside = [kind for kind in kinds if kind in FUNCTION]
        if not inside or CONSTANT & set(kinds) or node.type in CONSTANT or _constant_expression((*outer, node)):
            continue
        if python:
            yield from ((point(node, kind, fault)) for kind, fault in _python(node))
        else:
            yield from ((point(node, kind, fault)) for kind, fault in _cpp(node))


def _walk(node: Node, outer: tuple[Node, ...]) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    yield node, outer
    for child in node.children:
        yield from _walk(child, (*outer, node))


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _constant_expression(outer: Sequence[Node]) -> bool:
    for node, inner in pairwise(outer):
        if node.type in ("declaration", "condition_clause", "field_declaration"):
            words = {_text(child) for child in node.children if child.type == "type_qualifier"}
            words |= {_text(child) for child in node.children if child.type == "storage_class_specifier"}
            if words & {"constexpr", "static", "constinit"}:
                return True
        is_condition = node.type == "if_statement" and inner == node.child_by_field_name("condition")
        if is_condition and any(child.type == "constexpr" for child in node.children):
            return True
        if node.type == "case_statement" and inner == node.child_by_field_name("value"):
            return True
    return False


def _cpp(node: Node) -> Iterator[tuple[str, str]]:
    text = _text(node)
    if node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return
        if (sign := _text(operator)) in OPPOSITE:
            yield "comparison", f"{_text(left)} {OPPOSITE[sign]} {_text(right)}"
        elif sign in ("&&", "||"):
            yield "dropped condition", f"!!({_text(left)})"
            if not _is_chain(left, sign):
                yield "dropped condition", f"!!({_text(right)})"
    elif node.type == "unary_expression" and text.startswith("!"):
        yield "dropped negation", f"!!({text[1:]})"
    elif node.type in ("true", "false"):
        yield "constant", "false" if node.type == "true" else "true"
    elif node.type == "number_literal":
        yield "constant", f"{text} + 1"
    elif node.type == "condition_clause" and node.parent is not None and node.parent.type == "if_statement":
        value = node.child_by_field_name("value")
        if value is not None and node.child_by_field_name("initializer") is None and value.type != "declaration":
            yield "dropped condition", "(1)"
            yield "dropped condition", "(0)"
    elif node.type == "qualified_identifier" and (match := re.fullmatch(r"(.*Confidence::)(High|Medium|Low)", text)):
        yield "confidence", match[1] + CONFIDENCE[match[2].lower()]


def _is_chain(node: Node, sign: str) -> bool:
    """Whether dropping the first operand is a fault of this inner node already."""
    return node.type in ("binary_expression", "boolean_operator") and _text(node.children[1]) == sign


def _python(node: Node) -> Iterator[tuple[str, str]]:
    text, left, right = _text(node), node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type == "comparison_operator" and len(node.children) == 3:
        first, sign, second = node.children
        if _text(sign) in OPPOSITE:
            yield "comparison", f"{_text(first)} {OPPOSITE[_text(sign)]} {_text(second)}"
    elif node.type == "boolean_operator":
        if left is not None and right is not None:
            yield "dropped condition", _text(left)
            if not _is_chain(left, _text(node.children[1])):
                yield "dropped condition", _text(right)
    elif node.type == "not_operator":
        yield "dropped negation", f"bool({_text(node.children[1])})"
    elif node.type in ("true", "false"):
        yield "constant", "False" if node.type == "true" else "True"
    elif node.type in ("integer", "float"):
        yield "constant", f"{text} + 1"
    elif node.type == "attribute" and (match := re.fullmatch(r"(Confidence\.)(HIGH|MEDIUM|LOW)", text)):
        yield "confidence", match[1] + CONFIDENCE[match[2].lower()].upper()
    parent = node.parent
    if parent is not None and parent.type in ("if_statement", "elif_clause", "if_clause"):
        condition = parent.child_by_field_name("condition") or (
            parent.named_children[0] if parent.type == "if_clause" else None
        )
        if condition == node and "named_expression" not in {n.type for n, _ in _walk(node, ())}:
            yield "dropped condition", "True"
            yield "dropped condition", "False"


def _return(node: Node, python: bool, name: str) -> Iterator[Point]:
    """An early return as the first statement."""
    body, kind = node.child_by_field_name("body"), node.child_by_field_name("type")
    if body is None:
        return
    if python:
        first = next((n for n in body.named_children if not _is_docstring(n)), None)
        if first is None or first.type in ("return_statement", "raise_statement", "pass_statement"):
            return
        is_iterator = any(n.type == "yield" for n, _ in _walk(body, ()))
        fault = "return" if is_iterator else "return None"
        yield Point(name, first.start_point.row + 1, "early return", first.start_byte, first.start_byte, "", fault)
        return
    declarator = node.child_by_field_name("declarator")
    if kind is None or body.type != "compound_statement" or declarator is None or not body.named_children:
        return
    if declarator.type == "reference_declarator" or _text(kind) == "auto":
        return
    if "constexpr" in {_text(n) for n in node.children if n.type == "type_qualifier"}:
        return
    at = body.start_byte + 1
    is_void = _text(kind) == "void" and declarator.type == "function_declarator"
    fault = "return;" if is_void else "return 0;" if name.endswith(".c") else "return {};"
    yield Point(name, body.start_point.row + 1, "early return", at, at, "", fault)


def _is_docstring(node: Node) -> bool:
    return (
        node.type == "expression_statement"
        and node.named_children[:1] != []
        and (node.named_children[0].type == "string")
    )


def rewritten(source: bytes, chosen: Sequence[tuple[int, Point]], python: bool) -> bytes:
    """The source with a choice at each point: its fault where its number is switched on, else what was there."""
    return _rewritten(source, 0, len(source), sorted(chosen, key=lambda c: (c[1].start, -c[1].end)), python)


def _rewritten(source: bytes, begin: int, end: int, chosen: Sequence[tuple[int, Point]], python: bool) -> bytes:
    out, at, rest = b"", begin, list(chosen)
    while rest:
        number, point = rest.pop(0)
        inner = [one for one in rest if one[1].start < point.end] if point.end > point.start else []
        rest = [one for one in rest if one not in inner]
        out += source[at : point.start]
        original = _rewritten(source, point.start, point.end, inner, python).decode("utf-8")
        if python:
            indent = source[source.rfind(b"\n", 0, point.start) + 1 : point.start].decode("utf-8")
            out += _python_choice(number, point, original, indent).encode("utf-8")
        else:
            out += _cpp_choice(number, point, original).encode("utf-8")
        at = point.end
    return out + source[at:end]


def _cpp_choice(number: int, point: Point, original: str) -> str:
    fault = " ".join(point.fault.split("\n"))
    if point.kind == "early return":
        return f" if (stridewise_fault({number})) {point.fault} "
    if point.kind in ("dropped condition", "dropped negation"):
        return f"(stridewise_fault({number}) ? {fault} : !!({original}))"
    return f"(stridewise_fault({number}) ? ({fault}) : ({original}))"


def _python_choice(number: int, point: Point, original: str, indent: str) -> str:
    if point.kind == "early return":
        return f"if stridewise_fault({number}): {point.fault}\n{indent}"
    fault = " ".join(point.fault.split("\n"))
    return f"(({fault}) if stridewise_fault({number}) else ({original}))"
