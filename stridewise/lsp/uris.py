"""Paths and addresses of files. Documents that are no files have no path, and nobody analyses them."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote_to_bytes, urlsplit


def path_of(uri: str) -> str | None:
    """The absolute path of a file: address; None for any other."""
    try:
        parts = urlsplit(uri)
        path = os.fsdecode(unquote_to_bytes(parts.path))
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not path.startswith("/") or "\0" in path:
        return None
    return os.path.normpath(path)


def uri_of(path: str) -> str:
    return "file://" + quote(os.fsencode(path), safe="/~")
