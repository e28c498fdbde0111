"""Libraries by paths that LD_PRELOAD can hold: it separates by blanks and colons, and knows no way to quote them."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stridewise.errors import Failure
from stridewise.lint.dependencies import default_folder


def loadable(library: Path) -> Path:
    """The library itself, or a link to it where its path has blanks or colons.

    The link is kept in the cache folder, which every node of most clusters sees, else in that for temporary files.
    """
    if _fits(library):
        return library
    name = hashlib.sha256(os.fsencode(library)).hexdigest()[:16]
    for folder in _folders():
        link = folder / name / library.name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            link.parent.mkdir(mode=0o700, exist_ok=True)
            if not _ours(link.parent):
                continue
            _point(link, library)
        except OSError:
            continue
        return link
    raise Failure(
        f"LD_PRELOAD cannot hold the path {library}, and no link to it can be made elsewhere; install Stridewise in a "
        "path without blanks and colons, or set XDG_CACHE_HOME to such a folder"
    )


def _fits(path: Path) -> bool:
    return not any(character.isspace() or character in ":$" for character in str(path))


def _folders() -> Iterator[Path]:
    cache = default_folder()
    for folder in (
        Path(cache) / "preload" if cache else None,
        Path(tempfile.gettempdir()) / f"stridewise-{os.geteuid()}",
    ):
        if folder is not None and _fits(folder):
            yield folder


def _ours(folder: Path) -> bool:
    """Nobody else could have made the folder, or can put another library there."""
    for place in (folder, folder.parent):
        status = place.lstat()
        mode = status.st_mode
        if not stat.S_ISDIR(mode) or status.st_uid != os.geteuid() or mode & (stat.S_IWGRP | stat.S_IWOTH):
            return False
    return True


def _point(link: Path, library: Path) -> None:
    if link.is_symlink() and link.readlink() == library:
        return
    fresh = link.with_name(f"{link.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(library)
    fresh.replace(link)
