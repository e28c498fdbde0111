"""Files, folders and make targets of this repository that the documentation names are there."""

from __future__ import annotations

import re
from pathlib import Path

import markdown_text
import pytest

TOP = Path(__file__).resolve().parents[2]
PAGES = [
    TOP / "README.md",
    TOP / "CONTRIBUTING.md",
    *sorted((TOP / "docs").rglob("*.md")),
    *sorted((TOP / "rules").glob("*/doc.md")),
]
FOLDERS = (
    "analyzer",
    "benchmarks",
    "cmake",
    "docs",
    "editors",
    "pmpi_wrappers",
    "rules",
    "runtime",
    "scripts",
    "stridewise",
    "tests",
)
MADE_UP = {"mem-example", "mem_example"}  # by the page on adding a rule


def named_paths(text: str) -> set[str]:
    """Paths below the repository's folders, without those that hold a placeholder, and without places in a file."""
    found = set()
    for code in markdown_text.inline_code(text):
        word = re.sub(r"(:\d+|#.*)$", "", code)
        if re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./-]*", word) and not any(name in word for name in MADE_UP):
            found.add(word)
    return found


def missing(text: str) -> set[str]:
    return {name for name in named_paths(text) if not (TOP / name).exists()}


def missing_targets(text: str) -> set[str]:
    """`make TARGET` of the top folder that its Makefile has not."""
    targets = set(re.findall(r"^([a-z]+):", (TOP / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    codes = [
        *markdown_text.inline_code(text),
        *(line for b in markdown_text.code_blocks(text) for line in b.text.splitlines()),
    ]
    return {match[1] for code in codes if (match := re.match(r"make ([a-z]+)\b(?!=)", code.strip()))} - targets


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(TOP)))
def test_paths_exist(page: Path) -> None:
    assert not missing(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/index.md", "docs/performance.md"])
def test_targets_exist(page: str) -> None:
    assert not missing_targets((TOP / page).read_text(encoding="utf-8"))


def test_stale_names_are_noticed() -> None:
    text = "`stridewise/no_such.py` `stridewise/cli/` `rules/<slug>/doc.md` `tests/gone/` `docs/formats.md#shard`\n"
    assert missing(text) == {"stridewise/no_such.py", "tests/gone/"}
    assert missing_targets("`make fame`, `make docs`, `make CC=clang`\n\n    make build   # all\n    make fly\n") == {
        "fame",
        "fly",
    }


def test_enough_is_looked_at() -> None:
    assert len({name for page in PAGES for name in named_paths(page.read_text(encoding="utf-8"))}) > 60
