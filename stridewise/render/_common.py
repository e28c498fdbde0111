"""What machine-readable formats share: harmless text, paths, columns, and what stands in the way of a merge."""

from __future__ import annotations

import re

from stridewise.finding import Finding, Fix, Verdict
from stridewise.result import Result

# Characters that a format may hold but that no code host should be made to render.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def safe(text: str) -> str:
    """Control, format and surrogate characters made visible; line breaks and tabs stay."""
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def is_plain(fix: Fix) -> bool:
    """Whether every replacement can be shown as it is: altered text would be no fix."""
    return all(safe(text) == text for text in (edit.replacement.replace("\r\n", "\n") for edit in fix.edits))


def standing(result: Result) -> tuple[Finding, ...]:
    """The reported findings less those that the run refuted, which a review has no use for."""
    return tuple(f for f in result.reported if f.verdict is not Verdict.REFUTED)


def path(result: Result, file: str) -> str:
    return safe(result.project.relative(file)) if file else "unknown"


def message(finding: Finding) -> str:
    """What is wrong and, on the next line, what to do."""
    return safe(finding.message + (f"\n{finding.advice}" if finding.advice else ""))


def utf16_column(result: Result, file: str, line: int, byte_column: int) -> int:
    """Most formats count UTF-16 units, clang counts bytes."""
    text = result.sources.line(file, line)
    if text is None or text.isascii():
        return byte_column
    before = text.encode("utf-8", "surrogateescape")[: byte_column - 1].decode("utf-8", "replace")
    return len(before.encode("utf-16-le")) // 2 + 1
