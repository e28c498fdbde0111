"""Writes the documentation as HTML: docs/*.md, and one page per rule made from rules/<slug>/."""

from __future__ import annotations

import argparse
import html
import re
import sys
from pathlib import Path

from markdown_it import MarkdownIt

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP))

from stridewise import docs  # noqa: E402

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; }}
pre {{ background: #f4f4f2; padding: .8rem 1rem; overflow-x: auto; border-radius: 4px; }}
code {{ font-size: .92em; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid #ccc; padding: .25rem .6rem; text-align: left; vertical-align: top; }}
</style>
</head>
<body>
<nav><a href="{root}index.html">Stridewise</a> · <a href="{root}rules/index.html">rules</a></nav>
{body}</body>
</html>
"""


def page(text: str, root: str) -> str:
    """A whole HTML page; the title is the first heading. Links to .md files become links to .html files."""
    heading = re.search(r"^# (.*)$", text, re.MULTILINE)
    body = MarkdownIt("commonmark").enable("table").render(text)
    body = re.sub(r'(href="(?![a-z]+:)[^"#]*)\.md(["#])', r"\1.html\2", body)
    return _PAGE.format(title=html.escape(heading[1] if heading else "Stridewise"), body=body, root=root)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder to write to")
    out: Path = parser.parse_args().out
    if status := docs.main([str(out / "rules")]):
        return status
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((out / "rules").glob("*.md"))}
    front = ["# Stridewise", "", "- [Rules](rules/index.md)"]
    for path in sorted((TOP / "docs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        texts[out / path.name] = text
        front.append(f"- [{text.splitlines()[0].lstrip('# ')}]({path.name})")
    texts[out / "index.md"] = "\n".join([*front, ""])
    for path, text in texts.items():
        path.with_suffix(".html").write_text(page(text, "" if path.parent == out else "../"), encoding="utf-8")
    print(f"{len(texts)} pages in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
