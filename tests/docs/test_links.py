"""Links of the documentation lead somewhere: files and headings of the repository, addresses by their form."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import command_reference
import markdown_text
import pytest

TOP = Path(__file__).resolve().parents[2]
PAGES = [
    *(TOP / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "editors/vscode/README.md")),
    *sorted((TOP / "docs").rglob("*.md")),
    *sorted((TOP / "rules").glob("*/doc.md")),
]


def broken(page: Path, text: str) -> list[str]:
    """The targets that lead nowhere."""
    return [target for target in markdown_text.links(text) if not leads_somewhere(page, text, target)]


def leads_somewhere(page: Path, text: str, target: str) -> bool:
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        parts = urlsplit(target)
        return parts.scheme == "https" and re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc) is not None
    path, _, fragment = target.partition("#")
    if path:
        meant = (page.parent / path).resolve()
        if not meant.exists() or not meant.is_relative_to(TOP):
            return False
        if not fragment:
            return True
        text = meant.read_text(encoding="utf-8")
    return fragment in {command_reference.anchor(heading) for _, heading in markdown_text.headings(text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(TOP)))
def test_links(page: Path) -> None:
    assert not broken(page, page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "target", ["missing.md", "formats.md#missing", "#missing", "http://example.org", "https://nowhere", "../../outside"]
)
def test_broken_links_are_noticed(target: str) -> None:
    page = TOP / "docs" / "architecture.md"
    assert broken(page, f"# Here\n\n[text]({target})\n") == [target]


@pytest.mark.parametrize(
    "target", ["formats.md", "formats.md#run-folder", "#here", "../rules", "https://example.org/a?b=c"]
)
def test_good_links_are_accepted(target: str) -> None:
    page = TOP / "docs" / "architecture.md"
    assert not broken(page, f"# Here\n\n[text]({target})\n")


def test_every_section_of_the_documentation_is_linked_from_the_readme() -> None:
    targets = markdown_text.links((TOP / "README.md").read_text(encoding="utf-8"))
    assert {"docs/tutorial.md", "docs/index.md"} <= set(targets)
