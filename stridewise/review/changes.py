"""A diff as the findings need it: files by name, lines of both sides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stridewise.review.diff import FileDiff, Status
from stridewise.review.lines import LineMap

_UNCHANGED = LineMap()


@dataclass
class Changes:
    """All paths are relative to the repository's root."""

    files: tuple[FileDiff, ...] = ()
    _maps: dict[str, LineMap] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.by_new = {file.new: file for file in self.files if file.new is not None and file.is_text}
        self.by_old = {
            file.old: file
            for file in self.files
            if file.old is not None and file.is_text and file.status is not Status.COPIED
        }

    @staticmethod
    def of(files: Iterable[FileDiff]) -> Changes:
        return Changes(tuple(files))

    def lines(self, path: str) -> LineMap:
        """Of a file by its new name; of one that is not in the diff, every line stayed where it is."""
        if path not in self.by_new:
            return _UNCHANGED
        if path not in self._maps:
            self._maps[path] = LineMap.of(self.by_new[path])
        return self._maps[path]

    def now(self, path: str, line: int) -> tuple[str, int] | None:
        """Where a line of the base is now; None if it is gone or changed."""
        file = self.by_old.get(path)
        if file is None:
            return path, line
        if file.new is None:
            return None
        moved = self.lines(file.new).to_new(line)
        return None if moved is None else (file.new, moved)

    def name_now(self, path: str) -> str:
        """What a file of the base is called now; its old name if it is gone."""
        file = self.by_old.get(path)
        return file.new if file and file.new else path

    def touched(self, path: str, begin: int, end: int) -> tuple[int, str] | None:
        """The first line of [begin, end] that the change made, and how (LineMap.touched)."""
        return self.lines(path).touched(begin, end) if path in self.by_new else None
