"""Configuration: the nearest .stridewise.toml of each file, and those in the folders above it.

The closest file wins, setting by setting; `root = true` ends the search. docs/configuration.md describes the settings.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from stridewise import CONFIG_FILE as FILE
from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.finding import Confidence, Severity
from stridewise.finding.quantities import parse_quantity

_MAX_BYTES = 1 << 20
_KEYS = (
    "root",
    "rules",
    "exclude",
    "fail-on",
    "min-confidence",
    "baseline",
    "header-filter",
    "require-reason",
    "thresholds",
    "severity",
)
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
_ENTRY = re.compile(r"\s*((?:\"[^\"]*\"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:\"[^\"]*\"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=")
_KEY_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+)")


@dataclass(frozen=True, slots=True)
class Setting:
    """A value as written, and where: `file:line`."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A pattern of paths below `folder`."""

    folder: Path
    pattern: str

    def covers(self, file: Path) -> bool:
        """Whether the file or a folder above it matches; a pattern without slash matches at any depth."""
        if not file.is_relative_to(self.folder):
            return False
        parts = file.relative_to(self.folder).parts
        pattern = self.pattern.rstrip("/")
        if "/" not in pattern:
            return any(fnmatchcase(part, pattern) for part in parts)
        wanted = re.compile(_path_regex(pattern.lstrip("/")))
        return any(wanted.fullmatch("/".join(parts[:count])) for count in range(1, len(parts) + 1))


@dataclass(frozen=True)
class Config:
    """What holds in one folder. `settings` are all that some file states, by their full key."""

    files: tuple[Path, ...] = ()  # nearest first
    rules: tuple[str, ...] = ()
    exclude: tuple[Exclusion, ...] = ()
    fail_on: Severity | None = None
    min_confidence: Confidence | None = None
    baseline: Path | None = None
    header_filter: str = ""
    require_reason: bool = False
    thresholds: Mapping[tuple[str, str], float] = field(default_factory=dict)
    severities: tuple[tuple[str, Severity], ...] = ()
    settings: Mapping[tuple[str, ...], Setting] = field(default_factory=dict)

    def excludes(self, file: Path) -> bool:
        return any(exclusion.covers(file) for exclusion in self.exclude)

    def severity(self, rule: str) -> Severity | None:
        """The severity that the last glob that matches gives; None where none does."""
        return next((level for glob, level in reversed(self.severities) if fnmatchcase(rule, glob)), None)

    @cached_property
    def analyzer_options(self) -> tuple[str, ...]:
        """What stridewise-analyze must be told of this, but for the rules."""
        options = [f"--threshold={slug}.{name}={value!r}" for (slug, name), value in sorted(self.thresholds.items())]
        if self.header_filter:
            options.append(f"--header-filter={self.header_filter}")
        return tuple(options)


def matches_rules(globs: Sequence[str], slug: str) -> bool:
    """As the analyser reads rule lists: the last glob that matches decides, `-glob` excludes, none includes all."""
    on = not globs or globs[0].startswith("-")
    for glob in globs:
        if fnmatchcase(slug, glob.removeprefix("-")):
            on = not glob.startswith("-")
    return on


def refined(base: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """A list that starts with an exclusion refines the one that held before; any other replaces it."""
    return (*base, *more) if more and more[0].startswith("-") else tuple(more) or tuple(base)


def rule_list(text: str) -> tuple[str, ...]:
    return tuple(part for part in (word.strip() for word in text.split(",")) if part)


def check_rules(globs: Iterable[str], rules: Mapping[str, Rule], where: str) -> None:
    """Raises Failure for a glob that no rule matches."""
    for glob in globs:
        if not any(fnmatchcase(slug, glob.removeprefix("-")) for slug in rules):
            raise Failure(f"{where}: no rule matches '{glob}'{_near(glob.removeprefix('-'), rules)}")


class Configs:
    """Reads each file once. With `enabled` false every folder has the defaults."""

    def __init__(self, rules: Mapping[str, Rule], enabled: bool = True) -> None:
        self._rules, self._enabled = rules, enabled
        self._folders: dict[Path, Config] = {}

    def of_file(self, file: str | Path) -> Config:
        """What holds for a file (a path without folder: for the working directory)."""
        return self.of_folder(Path(os.path.normpath(Path.cwd() / file)).parent)

    def of_folder(self, folder: Path) -> Config:
        if not self._enabled:
            return Config()
        if folder not in self._folders:
            path = folder / FILE
            own = _read(path, self._rules) if path.is_file() else {}
            is_top = folder == folder.parent or (("root",) in own and own["root",].value is True)
            base = Config() if is_top else self.of_folder(folder.parent)
            self._folders[folder] = _layered(base, path, own, self._rules) if own or path.is_file() else base
        return self._folders[folder]


def _layered(base: Config, path: Path, own: Mapping[tuple[str, ...], Setting], rules: Mapping[str, Rule]) -> Config:
    """`base` with what the file at `path` says; every value was checked."""
    changes: dict[str, Any] = {}
    thresholds, severities, exclude = dict(base.thresholds), list(base.severities), list(base.exclude)
    for key, setting in own.items():
        value = setting.value
        match key:
            case ("rules",):
                changes["rules"] = refined(base.rules, value)
            case ("exclude",):
                exclude += [Exclusion(path.parent, pattern) for pattern in value]
            case ("fail-on",):
                changes["fail_on"] = None if value == "never" else Severity(value)
            case ("min-confidence",):
                changes["min_confidence"] = Confidence(value)
            case ("baseline",):
                changes["baseline"] = path.parent / value
            case ("header-filter",):
                changes["header_filter"] = value
            case ("require-reason",):
                changes["require_reason"] = value
            case ("thresholds", slug, name):
                thresholds[slug, name] = parse_quantity(value, rules[slug].thresholds[name].unit)
            case ("severity", glob):
                severities.append((glob, Severity(value)))
    return replace(
        base,
        files=(path, *base.files),
        thresholds=thresholds,
        severities=tuple(severities),
        exclude=tuple(exclude),
        settings={**base.settings, **own},
        **changes,
    )


def _read(path: Path, rules: Mapping[str, Rule]) -> dict[tuple[str, ...], Setting]:
    """All settings of one file, checked. Raises Failure naming file and line."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise Failure(f"{path}: larger than any configuration")
        text = path.read_bytes().decode("utf-8")
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        place = f"{path}:{at[1]}:{at[2]}" if at else f"{path}:{text.count(chr(10)) + 1}:1"
        what = str(error).split(" (at ", 1)[0]
        raise Failure(f"{place}: {what[:1].lower()}{what[1:]}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise Failure(f"{path}: {error}") from error
    lines = dict(_key_lines(text))
    out: dict[tuple[str, ...], Setting] = {}
    for key, value in _flat(data):
        line = next((lines[key[:n]] for n in range(len(key), 0, -1) if key[:n] in lines), 0)
        origin = f"{path}:{line}" if line else str(path)
        _check(key, value, rules, origin)
        out[key] = Setting(tuple(value) if isinstance(value, list) else value, origin)
    return out


def _key_lines(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """(key, line) of every table header and entry, as far as they stand at the beginning of a line."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _key(header[1])
            yield table, number
        elif entry := _ENTRY.match(line):
            yield (*table, *_key(entry[1])), number


def _key(text: str) -> tuple[str, ...]:
    return tuple(next(filter(None, match.groups()), "") for match in _KEY_PART.finditer(text))


def _flat(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every setting with its full key; tables of the wrong shape are given as they are, for _check to name."""
    for name, value in data.items():
        if name == "severity" and isinstance(value, dict):
            yield from ((("severity", glob), level) for glob, level in value.items())
        elif name == "thresholds" and isinstance(value, dict):
            for slug, table in value.items():
                if isinstance(table, dict):
                    yield from ((("thresholds", slug, threshold), v) for threshold, v in table.items())
                else:
                    yield ("thresholds", slug), table
        else:
            yield (name,), value


def _check_threshold(
    slug: str, name: str, value: Any, rules: Mapping[str, Rule], wrong: Callable[[str], NoReturn]
) -> None:
    rule = rules.get(slug)
    if rule is None:
        wrong(f"there is no rule '{slug}'{_near(slug, rules)}")
    if name not in rule.thresholds:
        known = ", ".join(name for name, t in rule.thresholds.items() if not t.fixed) or "none"
        wrong(f"rule '{slug}' has no threshold '{name}'{_near(name, rule.thresholds)} (it has: {known})")
    if rule.thresholds[name].fixed:
        wrong(f"threshold '{name}' of '{slug}' is a constant of the program that uses it, no setting")
    try:
        parse_quantity(value, rule.thresholds[name].unit)
    except ValueError as error:
        wrong(f"threshold '{name}' of '{slug}' {error}")


def _check(key: tuple[str, ...], value: Any, rules: Mapping[str, Rule], origin: str) -> None:
    def wrong(why: str) -> NoReturn:
        raise Failure(f"{origin}: {why}")

    match key:
        case ("root",) | ("require-reason",):
            if not isinstance(value, bool):
                wrong(f"'{key[0]}' must be true or false")
        case ("rules",) | ("exclude",):
            if not isinstance(value, list) or not all(isinstance(v, str) and v.strip("-") for v in value):
                wrong(f"'{key[0]}' must be a list of strings")
            if key == ("rules",):
                check_rules(value, rules, origin)
        case ("fail-on",):
            _check_choice(value, ("never", *Severity), f"{origin}: 'fail-on'")
        case ("min-confidence",):
            _check_choice(value, tuple(Confidence), f"{origin}: 'min-confidence'")
        case ("baseline",):
            if not isinstance(value, str) or not value:
                wrong("'baseline' must be the name of a JSON report")
        case ("header-filter",):
            try:
                re.compile(value)
            except (re.error, TypeError) as error:
                wrong(f"'header-filter' must be a regular expression: {error}")
        case ("severity", glob):
            check_rules([glob], rules, origin)
            _check_choice(value, tuple(Severity), f"{origin}: the severity of '{glob}'")
        case ("thresholds", slug, name):
            _check_threshold(slug, name, value, rules, wrong)
        case ("thresholds", slug):
            wrong(f"thresholds stand in a table of their rule: [thresholds.{slug}]")
        case ("thresholds",) | ("severity",):
            wrong(f"'{key[0]}' must be a table")
        case _:
            wrong(f"unknown setting '{key[0]}'{_near(key[0].replace('_', '-'), _KEYS)}")


def _check_choice(value: Any, choices: Sequence[str], what: str) -> None:
    if value not in list(choices):
        raise Failure(f"{what} must be one of {', '.join(choices)}")


def _near(name: str, names: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean {found[0]}?" if found else ""


def _path_regex(pattern: str) -> str:
    out = []
    position = 0
    while position < len(pattern):
        if pattern.startswith("**/", position):
            out.append("(?:.*/)?")
            position += 3
        elif pattern.startswith("**", position):
            out.append(".*")
            position += 2
        else:
            char = pattern[position]
            out.append("[^/]*" if char == "*" else "[^/]" if char == "?" else re.escape(char))
            position += 1
    return "".join(out)
