"""Builds the documentation site: docs/, one page per rule made from rules/<slug>/, the command line's reference.

Links are those of the repository's files, so that they work in both; here they are turned into links between pages.
A broken one fails the build.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, ConfigurationError

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP))

import command_reference  # noqa: E402
import markdown_text  # noqa: E402
import speedups  # noqa: E402

from stridewise import catalogue, cli  # noqa: E402
from stridewise.catalogue import pages  # noqa: E402
from stridewise.errors import Failure  # noqa: E402

_ROOT_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "editors/vscode/README.md": "vscode-extension.md",
}
_RANKING = "ranking.md"  # its table of estimates is that of the rules
_RULES_INDEX = "rules/index.md"


def sources() -> dict[str, tuple[str, str]]:
    """Each page's path in the site, with the repository's file that its links start from, and its text."""
    rules = catalogue.load()
    found: dict[str, tuple[str, str]] = {}
    for path in sorted((TOP / "docs").rglob("*.md")):
        name = path.relative_to(TOP / "docs").as_posix()
        found[name] = (f"docs/{name}", path.read_text(encoding="utf-8"))
    for source, name in _ROOT_PAGES.items():
        if name not in found:
            found[name] = (source, (TOP / source).read_text(encoding="utf-8"))
    known = speedups.Speedups.load(TOP / "docs" / "speedups.json")
    for slug, rule in rules.items():
        text = speedups.with_figures(pages.markdown(rule), slug, known)
        found[f"rules/{slug}.md"] = (f"rules/{slug}/doc.md", text)
    page, text = found[_RANKING]
    found[_RANKING] = (page, text.replace("<!-- estimates -->", pages.estimates(rules)))
    # Made here alone: links between them need no change.
    found[_RULES_INDEX] = ("", pages.index(rules))
    found["speedups.md"] = ("", speedups.page(known))
    found["reference/command-line.md"] = ("", command_reference.page(cli.parser()))
    return found


def linked(name: str, source: str, text: str, places: Mapping[str, str]) -> str:
    """The page's text with links between files of the repository turned into links between pages."""

    def change(target: str) -> str:
        path, mark, fragment = target.partition("#")
        if not path or ":" in path or not source:
            return target
        meant = os.path.normpath(PurePosixPath(source).parent / path)
        if meant not in places:
            return target  # nothing that the site has: the strict build says so
        return os.path.relpath(places[meant], PurePosixPath(name).parent) + mark + fragment

    return markdown_text.with_links(text, change)


def gather(folder: Path, found: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Writes all pages below the folder; returns the title of each, by its path."""
    places = {source: name for name, (source, _) in found.items() if source}
    places |= _ROOT_PAGES | {"rules": _RULES_INDEX}
    titles = {}
    for name, (source, text) in found.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(linked(name, source, text, places), encoding="utf-8")
        titles[name] = next((title for _, title in markdown_text.headings(text)), name)
    for path in sorted((TOP / "docs").rglob("*")):
        if path.is_file() and path.suffix != ".md":
            copy = folder / path.relative_to(TOP / "docs")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return titles


def navigation(entries: list[Any], titles: Mapping[str, str]) -> list[Any]:
    """The entries of mkdocs.yml with each pattern replaced by its pages, but for those that have their own entry."""
    named = {name for name in _names(entries) if "*" not in name}

    def expand(entry: Any) -> list[Any]:
        if isinstance(entry, dict):
            (title, value), *_ = entry.items()
            if isinstance(value, list):
                inner = [page for part in value for page in expand(part)]
                return [{title: inner}] if inner else []
            return [entry]
        if "*" not in entry:
            return [entry]
        found = [n for n in titles if n not in named and n.count("/") == entry.count("/") and fnmatchcase(n, entry)]
        named.update(found)
        # A rule's title holds a sentence: its name is enough in the list.
        shown = [
            (titles[name].partition(":")[0] if entry.startswith("rules/") else titles[name], name) for name in found
        ]
        return [{title: name} for title, name in sorted(shown, key=lambda item: item[0].lower())]

    return [page for entry in entries for page in expand(entry)]


def _names(entries: Any) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
    elif isinstance(entries, dict):
        for value in entries.values():
            yield from _names(value)
    else:
        for entry in entries:
            yield from _names(entry)


def build_site(found: Mapping[str, tuple[str, str]], out: Path) -> int:
    """Builds the pages into the folder; returns their number. Raises Abort where a link or an entry leads nowhere."""
    gathered = out.with_name(f"{out.name}-source")
    shutil.rmtree(gathered, ignore_errors=True)
    titles = gather(gathered, found)
    config = load_config(str(TOP / "mkdocs.yml"), docs_dir=str(gathered), site_dir=str(out), strict=True)
    config.nav = navigation(config.nav or [], titles)
    build(config)
    return len(titles)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the site")
    out: Path = parser.parse_args().out.resolve()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", stream=sys.stderr)
    try:
        count = build_site(sources(), out)
    except (Abort, ConfigurationError, catalogue.CatalogueError, Failure) as error:
        print(f"make_docs: {error}", file=sys.stderr)
        return 1
    print(f"{count} pages in {out}; open {out / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
