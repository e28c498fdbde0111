"""The comment that silences a finding, with its reason, where and as the language wants it."""

from __future__ import annotations

import re
from pathlib import Path

from stridewise.collect.compile_db import is_fortran_file
from stridewise.collect.fortran_options import is_fixed_form
from stridewise.finding import Edit, Finding, Verdict
from stridewise.lsp.positions import Positions

_NEXT = re.compile(rb"NOLINTNEXTLINE\(([^)\n]*)\)")
REASON = "reason"


def suppress(finding: Finding, positions: Positions, old_c: bool) -> Edit | None:
    """A line above the finding's. `old_c`: the file is C without // comments."""
    where = finding.location
    text = positions.text
    if not 1 <= where.line <= len(text.lines):
        return None
    name = f"stridewise-{finding.rule}"
    begin, end = positions.line_bounds(where.line)
    above = positions.line_bounds(where.line - 1)
    # A comment between it and its line would take the line above's own suppression away.
    if where.line > 1 and (known := _NEXT.search(text.data[above[0] : above[1]])):
        at = above[0] + known.end(1)
        return Edit(where.file, at, at, f", {name}" if known[1].strip() else name)
    line = text.data[begin:end]
    indentation = line[: len(line) - len(line.lstrip(b" \t"))].decode()
    before = text.data[above[0] : above[1]].rstrip(b"\r\n")
    continued = where.line > 1 and before.endswith(b"\\")
    order = f"NOLINTNEXTLINE({name}): {reason(finding)}"
    if is_fortran_file(file := Path(where.file)):
        fixed = is_fixed_form(file, ())
        # Between the lines of a statement or a directive.
        if (line[5:6].strip(b" 0") and b"\t" not in line[:6]) if fixed else before.endswith(b"&"):
            return None
        indentation, comment = "" if fixed else indentation, f"! {order}"
    elif continued:
        comment = f"/* {order} */ \\"
    else:
        comment = f"/* {order} */" if old_c else f"// {order}"
    newline = "\r\n" if line.endswith(b"\r\n") or text.data[above[0] : above[1]].endswith(b"\r\n") else "\n"
    return Edit(where.file, begin, begin, f"{indentation}{comment}{newline}")


def reason(finding: Finding) -> str:
    """What the run says, or a word for the author to replace."""
    if finding.verdict is Verdict.REFUTED:
        return "refuted by a run"
    return REASON
