"""What the client wants: the section `stridewise` of its settings, or the options it initialises the server with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stridewise.finding import Confidence

SECTION = "stridewise"


@dataclass(frozen=True, slots=True)
class Options:
    """Paths are relative to the workspace folder. `rules` is a comma separated list of globs, as of lint --rules."""

    build_folder: str = ""
    run_folders: tuple[str, ...] = ()
    rules: str = ""
    min_confidence: Confidence | None = None
    lint_on_change: bool = True
    code_lens: bool = True
    whole_program: bool = True


def parse(value: Any) -> tuple[Options, list[str]]:
    """The options, and what is wrong with them; a wrong one keeps its default. Unknown keys are the client's own."""
    if value is None:
        return Options(), []
    if not isinstance(value, Mapping):
        return Options(), [f"the settings '{SECTION}' must be an object"]
    if isinstance(value.get(SECTION), Mapping):
        value = value[SECTION]
    wrong: list[str] = []

    def text(key: str) -> str:
        found = value.get(key)
        if found is None or isinstance(found, str):
            return found or ""
        wrong.append(f"{SECTION}.{key} must be a string")
        return ""

    def texts(key: str) -> tuple[str, ...]:
        found = value.get(key)
        if found is None or isinstance(found, str):
            return (found,) if found else ()
        if isinstance(found, list | tuple) and all(isinstance(item, str) for item in found):
            return tuple(item for item in found if item)
        wrong.append(f"{SECTION}.{key} must be a list of strings")
        return ()

    def switch(key: str) -> bool:
        found = value.get(key)
        if found is not None and not isinstance(found, bool):
            wrong.append(f"{SECTION}.{key} must be true or false")
            return True
        return found is not False

    level = value.get("minConfidence")
    if level not in (None, "", *Confidence):
        wrong.append(f"{SECTION}.minConfidence must be one of {', '.join(Confidence)}")
        level = None
    return Options(
        build_folder=text("buildFolder"),
        run_folders=texts("runFolders"),
        rules=",".join(texts("rules")),
        min_confidence=Confidence(level) if level else None,
        lint_on_change=switch("lintOnChange"),
        code_lens=switch("codeLens"),
        whole_program=switch("wholeProgram"),
    ), wrong
