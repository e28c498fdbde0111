"""A validator for the part of JSON Schema that the schemas of rules/ use.

The build runs it with a bare Python, so it needs no package. A keyword that it does not know is an error of the
schema, never silently accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_ANNOTATIONS = {"$schema", "$defs", "$id", "title", "description"}


def errors(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Every violation as `path: what is wrong`; empty when the value is valid. The path of the root is `.`."""
    return list(_check(value, schema, schema, ""))


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _resolve(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    if not reference.startswith("#/"):
        raise ValueError(f"schema: reference '{reference}' leaves the document")
    node: Any = root
    for part in reference[2:].split("/"):
        node = node[part]
    assert isinstance(node, Mapping)
    return node


# One match over the keywords of JSON Schema; each is a test and what it says, complexity 44.
def _check(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], path: str) -> Iterator[str]:
    where = path or "."
    for keyword, wanted in schema.items():
        match keyword:
            case "$ref":
                yield from _check(value, _resolve(wanted, root), root, path)
            case "type":
                names = [wanted] if isinstance(wanted, str) else wanted
                if not any(_is(value, name) for name in names):
                    yield f"{where}: expected {' or '.join(names)}"
                    return
            case "enum":
                if value not in wanted:
                    yield f"{where}: expected one of {', '.join(map(str, wanted))}"
            case "pattern":
                if isinstance(value, str) and not re.search(wanted, value):
                    yield f"{where}: '{value}' does not match {wanted}"
            case "minLength":
                if isinstance(value, str) and len(value) < wanted:
                    yield f"{where}: shorter than {wanted} characters"
            case "minimum":
                if _is(value, "number") and value < wanted:
                    yield f"{where}: below {wanted}"
            case "minItems" | "minProperties":
                if isinstance(value, list | dict) and len(value) < wanted:
                    yield f"{where}: needs at least {wanted} entries"
            case "required":
                if isinstance(value, dict):
                    yield from (f"{where}: '{name}' is missing" for name in wanted if name not in value)
            case "items":
                if isinstance(value, list):
                    for index, item in enumerate(value):
                        yield from _check(item, wanted, root, f"{path}[{index}]")
            case "properties":
                if isinstance(value, dict):
                    for name, sub in wanted.items():
                        if name in value:
                            yield from _check(value[name], sub, root, f"{path}.{name}")
            case "propertyNames":
                if isinstance(value, dict):
                    for name in value:
                        yield from _check(name, wanted, root, f"{path}.{name}")
            case "additionalProperties":
                if isinstance(value, dict):
                    known = schema.get("properties", {})
                    for name in value.keys() - known.keys():
                        if wanted is False:
                            yield f"{where}: unknown key '{name}'"
                        elif isinstance(wanted, Mapping):
                            yield from _check(value[name], wanted, root, f"{path}.{name}")
            case _ if keyword in _ANNOTATIONS:
                pass
            case _:
                raise ValueError(f"schema: keyword '{keyword}' is not supported")
