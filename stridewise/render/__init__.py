"""Renderers: a result in, text out. They know no rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stridewise.catalogue import Rule
from stridewise.render import json as json_renderer
from stridewise.render import sarif, text
from stridewise.result import Result

Renderer = Callable[[Result, Mapping[str, Rule], bool], str]

# format: renderer(result, rules, colour)
RENDERERS: dict[str, Renderer] = {
    "text": text.render,
    "json": json_renderer.render,
    "sarif": sarif.render,
}
FORMATS = tuple(RENDERERS)
