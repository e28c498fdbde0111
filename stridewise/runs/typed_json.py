"""Untrusted JSON as typed values: a dataclass says what its object must hold, member by member.

    str, bool, int, float               that type; a float may be written as an integer
    X | None                            null and a missing member are None
    tuple[X, ...]                       an array of X; tuple[X, Y]: an array of just these
    a dataclass                         an object, or an array where the class says `as_array = True`

A field with a default may be missing or null: a former version of the writer did not know it. A field with
`metadata={"json": NAME}` has another name in JSON; with NAME empty it is none of the file's.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
Decoder = Callable[[Any, str], Any]


class JsonError(ValueError):
    """The value is of another form; the text says where and what was expected."""


def decode(kind: type[T], value: Any, where: str) -> T:
    """The value as an instance of a dataclass. Raises JsonError that names the first wrong member below `where`."""
    result: T = _decoder(cast(Any, kind))(value, where)
    return result


@cache
def _decoder(kind: Any) -> Decoder:
    if kind in _PLAIN:
        return _PLAIN[kind]
    if is_dataclass(kind):
        return _of_class(kind)
    if get_origin(kind) in (Union, types.UnionType):
        (inner,) = (one for one in get_args(kind) if one is not type(None))
        return _optional(_decoder(inner))
    if get_origin(kind) is tuple:
        parts = get_args(kind)
        return _array(_decoder(parts[0])) if parts[1:] == (...,) else _row(tuple(map(_decoder, parts)))
    raise TypeError(f"no JSON is known for {kind}")


def _integer(value: Any, where: str) -> int:
    if type(value) is not int:
        raise JsonError(f"{where}: expected an integer")
    return value


def _number(value: Any, where: str) -> float:
    if type(value) is not float and type(value) is not int:
        raise JsonError(f"{where}: expected a number")
    return float(value)


def _text(value: Any, where: str) -> str:
    if type(value) is not str:
        raise JsonError(f"{where}: expected a string")
    return value


def _flag(value: Any, where: str) -> bool:
    if type(value) is not bool:
        raise JsonError(f"{where}: expected true or false")
    return value


_PLAIN: dict[Any, Decoder] = {int: _integer, float: _number, str: _text, bool: _flag}


def _optional(inner: Decoder) -> Decoder:
    return lambda value, where: None if value is None else inner(value, where)


def _array(inner: Decoder) -> Decoder:
    def read(value: Any, where: str) -> tuple[Any, ...]:
        if type(value) is not list:
            raise JsonError(f"{where}: expected an array")
        return tuple([inner(item, f"{where}[{index}]") for index, item in enumerate(value)])

    return read


def _row(inner: tuple[Decoder, ...]) -> Decoder:
    def read(value: Any, where: str) -> tuple[Any, ...]:
        if type(value) is not list or len(value) != len(inner):
            raise JsonError(f"{where}: expected an array of {len(inner)}")
        return tuple([one(item, where) for one, item in zip(inner, value, strict=True)])

    return read


def _of_class(kind: Any) -> Decoder:
    hints = get_type_hints(kind)
    members: list[tuple[str, str, Decoder, Any]] = []
    for each in fields(kind):
        name = each.metadata.get("json", each.name)
        if name:
            default = each.default if each.default_factory is MISSING else each.default_factory()
            members.append((each.name, name, _decoder(hints[each.name]), default))
    if getattr(kind, "as_array", False):
        row = _row(tuple(decoder for _, _, decoder, _ in members))
        return lambda value, where: kind(*row(value, where))
    optional = {name for name, _, _, _ in members if type(None) in get_args(hints[name])}

    def read(value: Any, where: str) -> Any:
        if type(value) is not dict:
            raise JsonError(f"{where}: expected an object")
        found = {}
        for name, written, decoder, default in members:
            member = value.get(written)
            if member is not None:
                found[name] = decoder(member, f"{where}.{written}")
            elif default is MISSING and name not in optional:
                decoder(None, f"{where}.{written}")  # says what is missing
            elif default is MISSING:
                found[name] = None
        return kind(**found)

    return read
