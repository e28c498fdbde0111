"""Whether a fault is switched on; the same as fault.h. Copied into the package that is tested."""

import os
from pathlib import Path

# A file and no variable: some tests start programs in an environment of their own.
_SAID = Path(__file__).with_name("fault.now")


def stridewise_fault(number: int, _seen: set[tuple[int, str]] = set(), _said: list[str] = []) -> bool:  # noqa: B006
    if not _said:
        _said.extend(_SAID.read_text(encoding="utf-8").split("\n") if _SAID.exists() else ["0", "", ""])
    chosen, log, suite, *_ = _said
    if log:
        test = os.environ.get("PYTEST_CURRENT_TEST", suite)
        if (number, test) not in _seen:
            _seen.add((number, test))
            with Path(log).open("a", encoding="utf-8") as file:
                file.write(f"{number}\t{test}\n")
    return chosen == str(number)
