"""Formulas that a rule, a data file or a person writes: numbers, names, `+ - * / // % **` and a few functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

Functions = Mapping[str, Callable[..., float]]
FUNCTIONS: Functions = {
    "min": min,
    "max": max,
    "ceil": math.ceil,
    "floor": math.floor,
    "round": round,
    "sqrt": math.sqrt,
    "cbrt": lambda x: math.copysign(round(abs(x) ** (1 / 3), 12), x),
    "log2": math.log2,
}
_MOST_EXPONENT = 64.0  # nobody means more, and a slip of the finger must not take minutes


def parse(formula: str) -> ast.expr:
    """Raises SyntaxError."""
    import ast  # not for every command's start

    return ast.parse(formula.strip(), mode="eval").body


def names(tree: ast.expr, functions: Functions = FUNCTIONS) -> set[str]:
    import ast

    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - functions.keys()


def value(tree: ast.expr, known: Mapping[str, float], functions: Functions = FUNCTIONS) -> float:
    """Raises ValueError for anything else than arithmetic on what is known, ArithmeticError where it has no value."""
    import ast

    match tree:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value(operand, known, functions)
        case ast.BinOp(left=left, op=operator, right=right):
            return _combined(operator, value(left, known, functions), value(right, known, functions))
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in functions and parts:
            return functions[name](*(value(part, known, functions) for part in parts))
    raise ValueError(f"'{ast.unparse(tree)}' is none of: numbers, names, + - * / // % **, {', '.join(functions)}")


def _combined(operator: ast.operator, one: float, other: float) -> float:
    import ast

    match operator:
        case ast.Add():
            return one + other
        case ast.Sub():
            return one - other
        case ast.Mult():
            return one * other
        case ast.Div():
            return one / other
        case ast.FloorDiv():
            return one // other
        case ast.Mod():
            return one % other
        case ast.Pow() if abs(other) <= _MOST_EXPONENT:
            return float(one**other) if isinstance(one, float) or isinstance(other, float) else one**other
    raise ValueError(f"'{type(operator).__name__}' is none of + - * / // % ** (with an exponent up to 64)")
