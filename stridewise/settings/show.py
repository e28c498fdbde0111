"""stridewise config: what holds for a file, as a .stridewise.toml would say it, and where each value comes from."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from stridewise import CONFIG_FILE, catalogue
from stridewise.console import Painter, harmless, wants_colour
from stridewise.errors import Failure
from stridewise.finding import Confidence
from stridewise.settings.config import Config, Configs


def show(file: Path, everything: bool) -> int:
    """Prints the effective configuration; with `everything` the thresholds that nobody changed too."""
    if not file.exists():
        raise Failure(f"no such file or folder: {file}")
    rules = catalogue.load()
    path = Path(os.path.abspath(file))
    config = Configs(rules).of_folder(path if path.is_dir() else path.parent)
    paint = Painter(wants_colour(sys.stdout))
    files = (
        ", ".join(harmless(_near(name)) for name in config.files) or f"none: no {CONFIG_FILE} in its folder or above"
    )
    print(paint(f"# files, nearest first: {files}", "dim"))
    for value, origin in _general(config):
        print(f"{harmless(value):40} {paint(f'# {harmless(origin)}', 'dim')}")
    if config.severities:
        print("\n[severity]")
    for glob, level in config.severities:
        said = f"{_quoted(glob)} = {_quoted(level.value)}"
        origin = harmless(_origin(config, ("severity", glob)))
        print(f"{harmless(said):40} {paint(f'# {origin}', 'dim')}")
    for slug, rule in rules.items():
        lines = []
        for name, threshold in rule.thresholds.items():
            changed = config.thresholds.get((slug, name))
            if changed is None and (not everything or threshold.fixed):
                continue
            origin = "default" if changed is None else _origin(config, ("thresholds", slug, name))
            note = f"{threshold.unit}; {origin}" + ("" if changed is None else f", default {threshold.value:g}")
            number = threshold.value if changed is None else changed
            lines.append(f"{f'{name} = {number:g}':40} {paint(f'# {harmless(note)}', 'dim')}")
        if lines:
            print("\n".join([f"\n[thresholds.{slug}]", *lines]))
    return 0


def _general(config: Config) -> Iterator[tuple[str, str]]:
    yield f"rules = {_list(config.rules or ('*',))}", _origin(config, ("rules",))
    exclusions = [_near(exclusion.folder / exclusion.pattern) for exclusion in config.exclude]
    yield f"exclude = {_list(exclusions)}", _origin(config, ("exclude",))
    yield f"fail-on = {_quoted(config.fail_on or 'never')}", _origin(config, ("fail-on",))
    least = config.min_confidence or Confidence.MEDIUM
    yield f"min-confidence = {_quoted(least)}", _origin(config, ("min-confidence",))
    if config.baseline:
        yield f"baseline = {_quoted(_near(config.baseline))}", _origin(config, ("baseline",))
    yield f"header-filter = {_quoted(config.header_filter or '.*')}", _origin(config, ("header-filter",))
    required = str(config.require_reason).lower()
    yield f"require-reason = {required}", _origin(config, ("require-reason",))


def _origin(config: Config, key: tuple[str, ...]) -> str:
    setting = config.settings.get(key)
    if setting is None:
        return "default"
    file, _, line = setting.origin.rpartition(":")
    return f"{_near(Path(file))}:{line}" if file and line.isdigit() else _near(Path(setting.origin))


def _near(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _list(values: Sequence[str]) -> str:
    return "[" + ", ".join(map(_quoted, values)) + "]"


def _quoted(text: str) -> str:
    return json.dumps(str(text), ensure_ascii=False)
