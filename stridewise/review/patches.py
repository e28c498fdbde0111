"""Which lines of a file a diff shows, as code hosts give it: hunks of one file, without headers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


@dataclass(frozen=True, slots=True)
class Patch:
    """`lines`: line of the new file -> (hunk, line of the old file, None where the line was added)."""

    lines: Mapping[int, tuple[int, int | None]]

    def holds(self, line: int, end_line: int) -> bool:
        """Whether one hunk shows all of these lines."""
        if line not in self.lines or end_line not in self.lines:
            return False
        return self.lines[line][0] == self.lines[end_line][0]

    def old_line(self, line: int) -> int | None:
        return self.lines[line][1]


def parse(text: str) -> Patch:
    """A patch that is cut off shows the lines it has."""
    lines: dict[int, tuple[int, int | None]] = {}
    hunk, old, new, old_left, new_left = 0, 0, 0, 0, 0
    for row in text.split("\n"):
        match = _HUNK.match(row) if old_left <= 0 and new_left <= 0 else None
        if match:
            hunk += 1
            old, new = int(match[1]), int(match[3])
            old_left = int(match[2] or 1) if match[2] != "0" else 0
            new_left = int(match[4] or 1) if match[4] != "0" else 0
        elif row.startswith("+") and new_left > 0:
            lines[new] = (hunk, None)
            new, new_left = new + 1, new_left - 1
        elif row.startswith("-") and old_left > 0:
            old, old_left = old + 1, old_left - 1
        elif not row.startswith("\\") and old_left > 0 and new_left > 0:
            lines[new] = (hunk, old)
            old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1
    return Patch(lines)
