"""Whether a fault is switched on; the same as fault.h. Copied into the package that is tested."""

import os
from pathlib import Path


def stridewise_fault(number: int, _seen: set[tuple[int, str]] = set()) -> bool:  # noqa: B006
    if log := os.environ.get("STRIDEWISE_FAULT_LOG"):
        test = os.environ.get("PYTEST_CURRENT_TEST", "")
        if (number, test) not in _seen:
            _seen.add((number, test))
            with Path(log).open("a", encoding="utf-8") as file:
                file.write(f"{number}\t{test}\n")
    return os.environ.get("STRIDEWISE_FAULT") == str(number)
