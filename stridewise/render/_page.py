"""A page of its own with pictures: what the reports of other commands share with that of findings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from stridewise import __version__
from stridewise.render import _charts, html
from stridewise.render._common import safe


def text(foreign: str) -> str:
    return escape(safe(foreign))


def page(title: str, body: Iterable[str], data: Any, script: str) -> str:
    """One file without network. `script` draws the elements of `body` by plotly.js from `data`, the JSON of the element
    `stridewise-data`; without the library it is left out, and the page says so. Nothing else may run."""
    plotly = _charts.library().replace("</script", "<\\/script")
    scripts = [plotly, script] if plotly else []
    written = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    allowed = " ".join(f"'sha256-{_charts.digest(one)}'" for one in scripts) or "'none'"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{html.POLICY.format(scripts=allowed)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{text(title)}</title>",
            f"<style>\n{html.style()}</style>",
            "</head>",
            "<body>",
            f"<header><h1>{text(title)}</h1></header>",
            "<main>",
            *body,
            *([] if plotly else [f"<p>{text(_charts.MISSING)}</p>"]),
            "</main>",
            f"<footer>stridewise {text(__version__)}</footer>",
            f'<script type="application/json" id="stridewise-data">{written}</script>',
            *(f"<script>{one}</script>" for one in scripts),
            "</body>",
            "</html>",
            "",
        ]
    )
