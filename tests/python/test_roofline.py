"""Rooflines: operations of machine code, loops of machine code, ceilings, and counts of a real run."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main
from stridewise.errors import Failure
from stridewise.machine.machine_file import ArithmeticRate, MachineFile, MemoryLevel, Topology
from stridewise.runs.cache import instructions, loops, machine_code, roofline
from stridewise.runs.cache.cachegrind import ProfileError
from stridewise.runs.cache.instructions import Executed, Instruction, Place
from stridewise.runs.cache.machine_code import Operation
from stridewise.runs.cache.roofline import Ceilings, Kept, Work

SOURCE = Path(__file__).resolve().parents[1] / "kernels" / "roofline" / "roofline.c"
LONG, SHORT, TIMES = 1 << 20, 512, 4000


@pytest.mark.parametrize(
    ("text", "flops", "packed", "precision"),
    [
        ("addsd  %xmm1,%xmm0", 1, False, "double"),
        ("vmulss %xmm1,%xmm2,%xmm0", 1, False, "float"),
        ("mulpd  (%rax),%xmm0", 2, True, "double"),
        ("addps  %xmm1,%xmm0", 4, True, "float"),
        ("vdivpd %ymm1,%ymm2,%ymm0", 4, True, "double"),
        ("vsqrtps %zmm1,%zmm0", 16, True, "float"),
        ("vaddph %zmm1,%zmm2,%zmm0", 32, True, "half"),
        ("vfmadd231sd %xmm1,%xmm2,%xmm0", 2, False, "double"),
        ("vfnmsub132pd (%rax,%rbx,8),%ymm2,%ymm0", 8, True, "double"),
        ("vfmaddsub213ps %ymm1,%ymm2,%ymm0", 16, True, "float"),
        ("vrsqrt14pd %zmm1,%zmm0", 8, True, "double"),
        ("maxsd  %xmm1,%xmm0", 1, False, "double"),
        ("faddp  %st,%st(1)", 1, False, "long double"),
        ("fmull  (%rax)", 1, False, "long double"),
        ("vpaddd %ymm1,%ymm2,%ymm0", 0, False, ""),
        ("addq   $0x8,%rax", 0, False, ""),
        ("xorps  %xmm0,%xmm0", 0, False, ""),
        ("cvtsi2sd %eax,%xmm0", 0, False, ""),
        ("subl   $0x1,%eax", 0, False, ""),
        ("fldt   (%rax)", 0, False, ""),
    ],
)
def test_operations_are_counted_as_processors_count_them(text: str, flops: int, packed: bool, precision: str) -> None:
    (found,) = machine_code.parse([f"    1136:\t{text}"])
    assert found == Operation(0x1136, flops, packed, precision)


@pytest.mark.parametrize(
    ("text", "back_to"),
    [
        ("jne    1130 <main+0x10>", 0x1130),  # GNU's
        ("jne\t0x1130 <main+0x10>", 0x1130),  # LLVM's
        ("bnd jmp 1130 <main+0x10>", 0x1130),
        ("jmp    1136 <main+0x16>", 0x1136),
        ("jne    1140 <main+0x20>", None),
        ("jmp    *%rax", None),
        ("call   1130 <main+0x10>", None),
    ],
)
def test_jumps_back_close_loops(text: str, back_to: int | None) -> None:
    (found,) = machine_code.parse(["", "0000000000001120 <main>:", f"    1136:\t{text}"])
    assert found.back_to == back_to


def ran(count: int, line: int, function: str = "f", file: str = "f.c") -> Instruction:
    return Instruction(Place(function, "f.c", file, line), Executed(count, fetched=count))


def test_the_innermost_loop_has_the_instruction() -> None:
    code = [
        Operation(10),
        Operation(20, 2, True, "double"),
        Operation(30, 1, False, "double"),
        Operation(32, back_to=30),
        Operation(34, back_to=20),
        Operation(36, 1, False, "float"),
        Operation(40, back_to=12),  # never ran: its target is none of this function's
    ]
    executed = {10: ran(1, 4), 20: ran(5, 5), 30: ran(50, 7), 32: ran(50, 6), 34: ran(5, 5), 36: ran(1, 9)}
    found = {(one.line, one.is_loop): one for one in loops.loops(code, {**executed, 40: ran(1, 9)})}
    assert set(found) == {(4, False), (5, True), (6, True)}
    assert found[6, True].scalar == {"double": 50}
    assert found[6, True].executed.times == 100
    assert found[5, True].packed == {"double": 10}
    assert (found[5, True].flops, found[6, True].flops, found[4, False].flops) == (10, 50, 1)


def test_pieces_of_one_loop_are_one() -> None:
    code = [Operation(10, 4, True, "double"), Operation(12, back_to=10)]
    code += [Operation(14, 1, False, "double"), Operation(16, back_to=14)]
    executed = {10: ran(8, 5), 12: ran(8, 5), 14: ran(3, 5), 16: ran(3, 5)}
    (only,) = loops.loops(code, executed)
    assert (only.line, only.packed, only.scalar) == (5, {"double": 32}, {"double": 3})


def test_a_loop_in_inlined_code_stands_where_the_function_is() -> None:
    code = [Operation(10), Operation(12), Operation(14, back_to=10)]
    executed = {10: ran(4, 90, file="vector.h"), 12: ran(4, 7), 14: ran(4, 91, file="vector.h")}
    (only,) = loops.loops(code, executed)
    assert (only.file, only.line) == ("f.c", 7)


def test_a_loop_stands_at_the_line_of_its_condition() -> None:
    """Whatever was moved into it from lines above."""
    (only,) = loops.loops([Operation(10), Operation(12, back_to=10)], {10: ran(4, 3), 12: ran(4, 8)})
    assert only.line == 8


def test_a_jump_into_another_function_is_no_loop() -> None:
    code = [Operation(10), Operation(20, back_to=10)]
    found = loops.loops(code, {10: ran(4, 5, "g"), 20: ran(4, 9)})
    assert not any(one.is_loop for one in found)


ROOF = Ceilings("m", memory=10e9, inner=100e9, behind="L2", scalar=2e9, packed={"double": 20e9, "float": 40e9})


def work(**members: Any) -> Work:
    plain = {"function": "f", "file": "/f.c", "line": 1, "is_loop": True, "instructions": 1, "scalar": (), "packed": ()}
    return Work(**{**plain, "inner_bytes": 0, "memory_bytes": 0, **members})


@pytest.mark.parametrize(
    ("members", "bound", "seconds", "roof"),
    [
        ({"memory_bytes": 10**10, "inner_bytes": 10**10, "packed": (("double", 10**10),)}, "memory", 1.0, 1.0),
        ({"inner_bytes": 2 * 10**11, "packed": (("double", 10**10),)}, "L2", 2.0, 2.0),
        ({"packed": (("double", 4 * 10**10),)}, "arithmetic", 2.0, 2.0),
        ({"packed": (("float", 4 * 10**10),)}, "arithmetic", 1.0, 1.0),
        ({"scalar": (("double", 4 * 10**9),), "memory_bytes": 10**10}, "scalar code", 2.0, 1.0),
        ({"scalar": (("double", 10**9),), "memory_bytes": 10**10}, "memory", 1.0, 1.0),
        ({"scalar": (("long double", 4 * 10**9),)}, "arithmetic", 2.0, 2.0),  # no vectors have it
        ({}, "-", 0.0, 0.0),
    ],
)
def test_the_longest_part_bounds_the_loop(members: dict[str, Any], bound: str, seconds: float, roof: float) -> None:
    limit = roofline.least(work(**members), ROOF)
    assert limit.bound("L2") == bound
    assert [limit.seconds, limit.roof] == pytest.approx([seconds, roof])


MACHINE = MachineFile(
    host="m",
    topology=Topology(cores=4),
    memory=(
        MemoryLevel("L1", 1, 1e-9, 400e9, 1600e9),
        MemoryLevel("L2", 1, 4e-9, 100e9, 400e9),
        MemoryLevel("memory", 1, 9e-8, 10e9, 20e9),
    ),
    arithmetic=(ArithmeticRate("scalar", 64, 2e9), ArithmeticRate("double vector", 256, 20e9)),
)


@pytest.mark.parametrize(("processes", "memory"), [(1, 10e9), (2, 10e9), (4, 5e9), (64, 5e9)])
def test_processes_share_the_memory(processes: int, memory: float) -> None:
    roof = roofline.ceilings(MACHINE, processes)
    assert roof is not None
    assert (roof.memory, roof.inner, roof.behind) == (memory, 100e9, "L2")
    assert (roof.peak("double"), roof.peak("float"), roof.scalar) == (20e9, 2e9, 2e9)


def test_without_arithmetic_there_are_no_ceilings() -> None:
    assert roofline.ceilings(None, 1) is None
    assert roofline.ceilings(MachineFile(memory=MACHINE.memory), 1) is None
    text = "\n".join(roofline.table(Kept(1, 1, (work(scalar=(("double", 10),)),)), None).notes)
    assert "stridewise calibrate" in text


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="--dump-instr=yes"):
        instructions.read(
            [["# callgrind format\n", "positions: line\n", "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\n"]]
        )
    with pytest.raises(ProfileError, match="no Callgrind output"):
        instructions.read([["desc: I1 cache\n"]])
    path = tmp_path / roofline.KEPT
    for text in ("", "{}", '{"version": 2, "processes": 1, "work": []}', '{"version": 1, "processes": 1, "work": [7]}'):
        path.write_text(text)
        with pytest.raises(Failure, match="run the program again"):
            roofline.read([path])


needs_valgrind = pytest.mark.skipif(
    shutil.which("valgrind") is None or platform.machine() != "x86_64", reason="needs Valgrind, on x86-64"
)


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(MACHINE.to_json()))
    monkeypatch.setenv("STRIDEWISE_MACHINE", str(path))


@needs_valgrind
@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(("flags", "packed"), [(("-O1",), 0.0), (("-O3",), 1.0)])
def test_counts_of_a_run_are_those_of_its_loops(
    flags: tuple[str, ...], packed: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, folder = tmp_path / "roofline", tmp_path / "run"
    subprocess.run(["gcc", *flags, "-g", str(SOURCE), "-o", str(program)], check=True)
    words = ["--d1", "32K,8,64", "--ll", "1M,16,64", "--roofline", "-o", str(folder), "--", str(program)]
    assert main(["run", "--cache", *words]) == 0
    text = capsys.readouterr().out
    assert "Callgrind, 1 process" in text
    assert "a core of m reads 10 GB/s from memory, 100 GB/s from L2" in text
    assert main(["report", str(folder), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    found = {one["line"]: one for one in report["tables"]["roofline"]["loops"] if one["file"] == str(SOURCE)}
    stream = found[line_of("i < Long; ++i)")]
    assert (stream["function"].partition(".")[0], stream["loop"]) == ("triad", True)
    assert (stream["flops"], stream["packed_flops"]) == (2 * LONG, packed * 2 * LONG)
    # Three arrays are fetched; of the written one each line comes back from the caches, but for what they still hold.
    assert stream["inner_bytes"] == pytest.approx(3 * 8 * LONG, rel=0.001)
    assert stream["memory_bytes"] == pytest.approx(4 * 8 * LONG, rel=0.05)
    assert (stream["bound"], stream["least_seconds"]) == ("memory", pytest.approx(stream["memory_bytes"] / 10e9))
    inner = found[line_of("i < Short; ++i)")]
    assert (inner["flops"], inner["packed_flops"]) == (6 * SHORT * TIMES, packed * 6 * SHORT * TIMES)
    assert inner["memory_bytes"] <= 2 * 4 * SHORT
    assert set(inner["packed" if packed else "scalar"]) == {"float"}
    helper = found[line_of("static double mean")]
    assert (helper["flops"], helper["loop"]) == (2 * TIMES, False)
    assert main(["report", str(folder), "--format", "html"]) == 0
    assert f"roofline.c:{line_of('i < Long; ++i)')} in triad" in capsys.readouterr().out


@needs_valgrind
def test_options_that_count_a_part_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for other in ("--sample", "--only-findings"):
        assert main(["run", "--cache", "--roofline", other, "--", "/bin/true"]) == 2
        assert "roofline" in capsys.readouterr().err
    assert main(["run", "--roofline", "--", "/bin/true"]) == 2
    assert "--roofline is an option of cache runs" in capsys.readouterr().err


@needs_valgrind
def test_a_damaged_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main(["run", "--cache", "--roofline", "-o", str(folder), "--", "/bin/true"]) == 0
    path = folder / "cache" / roofline.KEPT
    path.write_text(path.read_text()[:-20])
    capsys.readouterr()
    assert main(["report", str(folder)]) == 2
    assert "loops.json" in capsys.readouterr().out


def test_the_dearest_loops_are_named_first() -> None:
    loop = work(line=7, instructions=60, scalar=(("double", 30),), packed=(("double", 10),))
    rest = [
        work(line=9, instructions=6),  # too little
        work(line=12, instructions=900, is_loop=False),
        work(line=14, instructions=900, file="???"),
    ]
    assert [look.what for look in roofline.dearest(Kept(1, 1, (loop, *rest)))] == []
    (found,) = roofline.dearest(Kept(1, 1, (loop, rest[0])))
    assert found.what == "look at the loop at f.c:7 in f, which takes 90.9 % of the instructions"
    assert found.why == "100.0 % of the floating-point operations, 25.0 % of them in vectors"
    (other,) = roofline.dearest(Kept(1, 1, (work(instructions=5),)))
    assert other.why == "no floating-point operations"
