"""Plans for tests of posting."""

from __future__ import annotations

import hashlib
from typing import Any

from stridewise.finding import Confidence, Evidence, Finding, Location, Severity
from stridewise.review.plan import Placed, Plan

HEAD, BASE, NEXT = "a" * 40, "b" * 40, "c" * 40


def finding(name: str, file: str = "src/lbm.c", line: int = 12, **more: Any) -> Finding:
    """`name` makes the fingerprint."""
    known: dict[str, Any] = {
        "rule": "mem-strided-inner-loop",
        "severity": Severity.WARNING,
        "confidence": Confidence.HIGH,
        "message": f"the inner loop over 'i' reads f[i][j] with a stride of 8192 bytes ({name})",
        "location": Location(file, line),
        "advice": "make 'j' the inner loop",
        "evidence": (Evidence("static", {"stride_bytes": 8192}),),
        "fingerprint": hashlib.sha256(name.encode()).hexdigest()[:16],
    }
    return Finding(**{**known, **more})


def placed(name: str, file: str = "src/lbm.c", line: int = 12, end: int = 0, **more: Any) -> Placed:
    end = end or line
    suggestion = more.pop("suggestion", None)
    snippet = tuple(f"line {n}" for n in range(line, end + 1))
    cause = more.pop("cause", "added")
    return Placed(finding(name, file, line, **more), line, end, snippet, suggestion, cause)


def plan(*comments: Placed, head: str = HEAD, **more: Any) -> Plan:
    return Plan(base=BASE, head=head, comments=comments, **more)


def patch(first: int, added: int, context: int = 3) -> str:
    """A hunk that adds lines, with unchanged ones around; `first` is the first added one."""
    begin = first - context
    rows = [f" old {n}" for n in range(begin, first)] + [f"+new {n}" for n in range(first, first + added)]
    rows += [f" old {n}" for n in range(first + added, first + added + context)]
    return f"@@ -{begin},{2 * context} +{begin},{2 * context + added} @@ int main(void)\n" + "\n".join(rows)
