"""Which units see a changed header: by the text of the #include lines of the project's files.

No preprocessor runs and no earlier result is needed, so that a fresh checkout in CI knows as much as a developer's.
An #include is taken to mean every file of the project whose path ends in what it says: too many rather than too few.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

_INCLUDE = re.compile(
    rb"^[ \t]*#[ \t]*(?:include|include_next|import|embed)[ \t]*[<\"]([^>\"\n]{1,500})[>\"]", re.MULTILINE
)
SUFFIXES = frozenset(
    ".h .hh .hpp .hxx .h++ .H .inc .inl .ipp .tpp .tcc .txx .def .c .cc .cpp .cxx .c++ .C .cp .cu .cuh".split()
)
_MAX_FILE_BYTES = 4 << 20
_MAX_TOTAL_BYTES = 1 << 30


class Includes:
    """The includers of the project's files; `files` are paths below the root."""

    def __init__(self, root: Path, files: Iterable[str], contents: Mapping[str, bytes] | None = None) -> None:
        self._includers: dict[str, set[str]] = defaultdict(set)  # by the last part of the name that is included
        self._named: dict[tuple[str, str], set[str]] = defaultdict(set)  # (includer, last part): names as written
        left = _MAX_TOTAL_BYTES
        for file in files:
            if PurePosixPath(file).suffix not in SUFFIXES:
                continue
            text = (contents or {}).get(file)
            if text is None:
                text = _read(root / file)
            left -= len(text)
            if left < 0:
                break
            for match in _INCLUDE.finditer(text):
                name = os.path.normpath(match[1].decode("utf-8", "surrogateescape")).lstrip("./")
                last = name.rpartition("/")[2]
                self._includers[last].add(file)
                self._named[file, last].add(name)

    def reached(self, changed: Sequence[str]) -> dict[str, int]:
        """Files that include one of these, directly or not, with the length of the shortest way."""
        found = dict.fromkeys(changed, 0)
        todo = deque(changed)
        while todo:
            file = todo.popleft()
            last = file.rpartition("/")[2]
            for includer in self._includers.get(last, ()):
                if includer in found:
                    continue
                if any(file == name or file.endswith(f"/{name}") for name in self._named[includer, last]):
                    found[includer] = found[file] + 1
                    todo.append(includer)
        return {file: steps for file, steps in found.items() if steps}


def _read(path: Path) -> bytes:
    try:
        if path.is_symlink() or not path.is_file():
            return b""
        with path.open("rb") as stream:
            return stream.read(_MAX_FILE_BYTES)
    except OSError:
        return b""
