"""Where a program's machine code updates memory atomically: instructions that no library and no tool is told of."""

from __future__ import annotations

import re
import shutil
import subprocess

from stridewise.collect.tailcalls import TIMEOUT_SECONDS, TOOLS

# x86 has a prefix for it, AArch64 instructions: single ones, or the store of a loop of load and store.
_ATOMIC = re.compile(
    r"^\s*([0-9a-f]+):\s+(?:[0-9a-f]{2,8} )*\s*(?:lock\b|(?:ld(?:add|set|clr|eor)|cas|swp|stl?xr)\w*\s)", re.MULTILINE
)


def addresses(binary: str) -> list[int]:
    """Of these instructions in a file; empty where it cannot be read."""
    tool = next((found for found in map(shutil.which, TOOLS) if found), None)
    if tool is None:
        return []
    command = [tool, "--disassemble", "--no-show-raw-insn", binary]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [int(address, 16) for address in _ATOMIC.findall(done.stdout)]
