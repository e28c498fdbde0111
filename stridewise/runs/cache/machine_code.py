"""Machine code as a roofline needs it: what each instruction computes, and where it jumps back to.

Floating-point operations are counted as the processors' own counters FP_ARITH_INST_RETIRED do (Intel, Software
Developer's Manual, volume 3B, "Performance Monitoring Events"): additions, subtractions, multiplications, divisions,
square roots, minima, maxima and approximate reciprocals count once for each element, fused ones and dot products twice.
Masks are not looked at.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stridewise.errors import Failure
from stridewise.settings import toolchain

TOOLS = ("llvm-objdump", "objdump")
_TIMEOUT_SECONDS = 300.0
_LINE = re.compile(r"^\s*([0-9a-f]+):\s+(?:(?:bnd|notrack|lock|rep\w*)\s+)*(\S+)[ \t]*(.*)$")
_TARGET = re.compile(r"(?:0x)?([0-9a-f]+)\b")
_ONCE = re.compile(r"v?(?:add|sub|mul|div|sqrt|min|max|addsub|hadd|hsub|rcp(?:14)?|rsqrt(?:14)?)([sp])([sdh])")
_TWICE = re.compile(r"v?(?:fn?m(?:add|sub|addsub|subadd)(?:132|213|231)|dp)([sp])([sdh])")
_X87 = re.compile(r"fi?(?:add|subr?|mul|divr?|sqrt)(?:[psl]|ll)?")
_ELEMENT_BITS = {"s": 32, "d": 64, "h": 16}
_PRECISIONS = {"s": "float", "d": "double", "h": "half"}
LONG = "long double"
_REGISTERS = (("zmm", 512), ("ymm", 256), ("xmm", 128))


@dataclass(frozen=True, slots=True)
class Operation:
    """`flops` of one execution; `packed` where it works on all elements of a vector. `back_to`: the address of a jump
    backwards or to itself; None for all others."""

    address: int
    flops: int = 0
    packed: bool = False
    precision: str = ""
    back_to: int | None = None


def operations(path: Path, first: int, last: int) -> list[Operation]:
    """The instructions of a program or library between two addresses of its file. Raises Failure."""
    tool = next((found for name in TOOLS if (found := toolchain.versioned(name))), None)
    if tool is None:
        raise Failure(
            f"no floating-point operations are counted: none of {', '.join(TOOLS)} is installed; apt install binutils"
        )
    limits = (f"--start-address={first:#x}", f"--stop-address={last + 16:#x}")  # no instruction is longer
    words = (tool, "-d", "--no-show-raw-insn", *limits, str(path))
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure(f"cannot disassemble {path}: {error}") from error
    if done.returncode != 0:
        raise Failure(f"cannot disassemble {path}: {done.stderr.strip().splitlines()[-1:] or done.returncode}")
    return parse(done.stdout.splitlines())


def parse(lines: Iterable[str]) -> list[Operation]:
    """What objdump prints of x86-64, LLVM's or GNU's."""
    found = []
    for line in lines:
        if match := _LINE.match(line):
            found.append(_operation(int(match[1], 16), match[2], match[3]))
    return found


def _operation(address: int, name: str, operands: str) -> Operation:
    if name.startswith(("j", "loop")):
        target = _TARGET.match(operands)
        to = int(target[1], 16) if target else address + 1
        return Operation(address, back_to=to if to <= address else None)
    if _X87.fullmatch(name):
        return Operation(address, 1, False, LONG)
    match, each = _ONCE.fullmatch(name), 1
    if match is None:
        match, each = _TWICE.fullmatch(name), 2
    if match is None:
        return Operation(address)
    packed = match[1] == "p"
    bits = next((width for register, width in _REGISTERS if register in operands), 128)
    lanes = bits // _ELEMENT_BITS[match[2]] if packed else 1
    return Operation(address, each * lanes, packed, _PRECISIONS[match[2]])
