"""The machine with two nodes is started again when it does not boot, and shows its console when that does not help."""

from __future__ import annotations

import sys
from pathlib import Path

import numa_machine
import pytest

BOOT_SECONDS = 3.0  # of a script of Python that prints at once or never


def machine(folder: Path, *starts: str) -> list[str]:
    """A command that runs these lines of Python, one after the other, at each of its starts; the last ever after."""
    count = folder / "starts"
    script = folder / "machine.py"
    script.write_text(
        "import sys, time\nfrom pathlib import Path\n"
        f"count = Path({str(count)!r})\n"
        "number = int(count.read_text()) if count.exists() else 0\n"
        "count.write_text(str(number + 1))\n"
        "print('firmware', number + 1, flush=True)\n"
        f"starts = {starts!r}\n"
        "exec(starts[min(number, len(starts) - 1)])\n"
    )
    return [sys.executable, str(script)]


HANG = "time.sleep(600)"
BOOT = "print('=== begin ===\\r\\nresult\\r\\n=== end ===', flush=True)"
BREAK = "print('=== begin ===\\nOops: 0000', flush=True)"


@pytest.mark.parametrize("hangs", [0, 2])
def test_one_that_hangs_is_started_again(tmp_path: Path, hangs: int) -> None:
    text = numa_machine.console(machine(tmp_path, *[HANG] * hangs, BOOT), tmp_path, BOOT_SECONDS)
    assert "result\n" in text
    assert (tmp_path / "starts").read_text() == str(hangs + 1)


def test_one_that_always_hangs_shows_its_console(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)did not boot within 3 s in 3 starts.*firmware 1.*firmware 3"):
        numa_machine.console(machine(tmp_path, HANG), tmp_path, BOOT_SECONDS)


def test_a_script_that_breaks_is_not_tried_again(tmp_path: Path) -> None:
    """What is under test may have broken it: another start must not hide that."""
    with pytest.raises(RuntimeError, match=r"(?s)end of its script.*Oops"):
        numa_machine.console(machine(tmp_path, BREAK, BOOT), tmp_path, BOOT_SECONDS)
    assert (tmp_path / "starts").read_text() == "1"
