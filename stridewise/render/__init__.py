"""Renderers: a result in, text out. They know no rule. Each module of this package is the format of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from stridewise.catalogue import Rule
from stridewise.finding.result import Result

Renderer = Callable[[Result, Mapping[str, Rule], bool], str]

FORMATS = tuple(sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py")))


class _Renderers(Mapping[str, Renderer]):
    """format: renderer(result, rules, colour); a module is loaded when its format is asked for."""

    def __getitem__(self, name: str) -> Renderer:
        if name not in FORMATS:
            raise KeyError(name)
        found: Renderer = import_module(f"{__name__}.{name}").render
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(FORMATS)

    def __len__(self) -> int:
        return len(FORMATS)


RENDERERS = _Renderers()
