"""Examples of files in the documentation are such files: settings are accepted, rules fit the schema, syntax holds."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import markdown_text
import pytest
import yaml  # type: ignore[import-untyped]

from stridewise import catalogue
from stridewise.errors import Failure
from stridewise.settings.config import Configs

TOP = Path(__file__).resolve().parents[2]
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").rglob("*.md"))]


def examples(language: str) -> Iterator[tuple[str, str]]:
    """Page with line, and text, of each block of the language."""
    for page in PAGES:
        for block in markdown_text.code_blocks(page.read_text(encoding="utf-8")):
            if block.language == language:
                yield f"{page.relative_to(TOP)}:{block.line}", block.text


def settings(page: str) -> list[str]:
    return [text for where, text in examples("toml") if where.startswith(page)]


def accept(text: str, folder: Path) -> None:
    """Raises Failure where stridewise refuses the text as its settings."""
    (folder / ".stridewise.toml").write_text(text, encoding="utf-8")
    (folder / "known-findings.json").write_text('{"version": 1, "findings": []}', encoding="utf-8")
    Configs(catalogue.load()).of_folder(folder)


@pytest.mark.parametrize("page", ["docs/configuration.md", "docs/ci.md"])
def test_settings_are_accepted(page: str, tmp_path: Path) -> None:
    found = settings(page)
    assert found
    for text in found:
        accept(text, tmp_path)


@pytest.mark.parametrize("text", ["no-such = 1\n", '[thresholds.mpi-no-such]\nx = "1 %"\n', "fail-on = warning\n"])
def test_wrong_settings_are_noticed(text: str, tmp_path: Path) -> None:
    with pytest.raises(Failure):
        accept(text, tmp_path)


def test_the_example_of_a_rule_fits_its_schema() -> None:
    schema = json.loads((TOP / "rules" / "rule.schema.json").read_text(encoding="utf-8"))
    (text,) = settings("docs/adding-a-rule.md")
    jsonschema.validate(tomllib.loads(text), schema)


@pytest.mark.parametrize(
    ("language", "load"), [("toml", tomllib.loads), ("json", json.loads), ("yaml", yaml.safe_load)]
)
def test_syntax(language: str, load: object) -> None:
    assert callable(load)
    for where, text in examples(language):
        try:
            load(text)
        except (ValueError, yaml.YAMLError) as error:
            pytest.fail(f"{where}: {error}")


def test_enough_is_looked_at() -> None:
    assert len(list(examples("toml"))) >= 3
    assert len(list(examples("yaml"))) >= 3
