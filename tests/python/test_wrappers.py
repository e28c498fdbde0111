"""Which functions only pass their arguments on to a call of MPI, by code as a disassembler shows it."""

from __future__ import annotations

import pytest

from stridewise.collect.image import Function
from stridewise.runs.mpi import wrappers

START, END = 0x1000, 0x1100


def passes_on(text: str, dataless: bool = False) -> bool:
    """Of a function of one instruction in 4 bytes; the address asked for is in the line with MPI_."""
    lines = [line.strip() for line in text.strip().splitlines()]
    code = []
    for number, line in enumerate(lines):
        name, _, operands = line.partition(" ")
        code.append(wrappers._Instruction(START + 4 * number, name, operands.strip()))
    (here,) = (n for n, line in enumerate(lines) if "MPI_" in line)
    function = Function(START, END - START, "f")
    return wrappers._only_passes_on(code, function, code[here].address + 3, dataless)


# What a call is made of, and whether its place in the source says little: its callers' does.
CASES = {
    "its own argument": ("call 2000 <MPI_Send>\nret", True),
    "a jump in the place of the last call": ("jmp 2000 <MPI_Send>", True),
    "another argument": ("mov %rsi,%rdi\ncall 2000 <MPI_Send>\nret", True),
    "a part of an argument": ("mov %esi,%edi\ncall 2000 <MPI_Send>\nret", True),
    "through a register": ("mov %rdi,%rbx\nmov %rbx,%rdi\ncall 2000 <MPI_Send>\nret", True),
    "a register that another value came into": ("mov 8(%rsp),%rbx\nmov %rbx,%rdi\ncall 2000 <MPI_Send>", False),
    "a register that was restored": ("mov %rdi,%rbx\npop %rbx\nmov %rbx,%rdi\ncall 2000 <MPI_Send>", False),
    "what stands in memory": ("mov 0x10(%rax),%rdi\ncall 2000 <MPI_Send>\nret", False),
    "a sum": ("add %rsi,%rdi\ncall 2000 <MPI_Send>\nret", False),
    "compared, not changed": ("cmp %rsi,%rdi\ntest %rdi,%rdi\nucomisd %xmm1,%xmm0\ncall 2000 <MPI_Send>", True),
    "a constant": ("mov $0x44000000,%edi\ncall 2000 <MPI_Send>\nret", True),
    "a sum with a constant": ("add $8,%rdi\ncall 2000 <MPI_Send>\nret", False),
    "zero": ("xor %edi,%edi\ncall 2000 <MPI_Send>\nret", True),
    "not zero": ("xor %esi,%edi\ncall 2000 <MPI_Send>\nret", False),
    "the address of an argument": ("mov %rdi,8(%rsp)\nlea 8(%rsp),%rdi\ncall 2000 <MPI_Wait>\nret", True),
    "such an address through a register": (
        "mov %edi,8(%rsp)\nlea 8(%rsp),%rax\nmov %rax,%rdi\ncall 2000 <MPI_Wait>\nret", True),
    "the address of another place": ("mov %rdi,8(%rsp)\nlea 16(%rsp),%rdi\ncall 2000 <MPI_Wait>\nret", False),
    "an address that a value came over": (
        "mov %rdi,8(%rsp)\nlea 8(%rsp),%rdi\nmov 4(%rax),%rdi\ncall 2000 <MPI_Wait>\nret", False),
    "an argument that an address came over": ("lea 4(%rip),%rdi\ncall 2000 <MPI_Send>\nret", False),
    "another call before": ("call 3000 <count>\ncall 2000 <MPI_Send>\nret", False),
    "another call behind": ("call 2000 <MPI_Send>\ncall 3000 <count>\nret", False),
    "a call behind that is jumped over": (
        "call 2000 <MPI_Send>\ntest %eax,%eax\nje 1010 <f+0x10>\ncall 3000 <die>\nret", True),
    "a call behind that is jumped to": (
        "call 2000 <MPI_Send>\ntest %eax,%eax\nje 100c <f+0xc>\ncall 3000 <die>\nret", False),
    "a call behind that a jump always leads over": (
        "call 2000 <MPI_Send>\njmp 100c <f+0xc>\ncall 3000 <die>\nret", False),
    "a jump behind out of the function": ("call 2000 <MPI_Send>\ntest %eax,%eax\njne 3000 <f.cold>\nret", True),
    "a jump before out of the function": ("test %edi,%edi\njne 3000 <f.cold>\ncall 2000 <MPI_Send>\nret", False),
    "a call behind the return": ("call 2000 <MPI_Send>\ntest %eax,%eax\njne 1010 <f+0x10>\nret\ncall 3000 <die>", True),
    "a call of the stack protector": ("call 2000 <MPI_Send>\ncall 3000 <__stack_chk_fail@plt>\nret", True),
    "a loop": ("mov %rdi,%rbx\nmov %rbx,%rdi\ncall 2000 <MPI_Send>\njne 1004 <f+0x4>\nret", False),
    "a jump ahead within it": ("test %edi,%edi\nje 1008 <f+0x8>\ncall 2000 <MPI_Send>\nret", True),
    "a jump to the function's begin": ("call 2000 <MPI_Send>\njne 1000 <f>\nret", False),
    "back from behind the return": (
        "call 2000 <MPI_Send>\ntest %eax,%eax\njne 1014 <f+0x14>\nnop\nret\nmov $1,%eax\njmp 100c <f+0xc>", True),
    "back from behind the return to the call": (
        "mov %rdi,%rbx\ncall 2000 <MPI_Send>\njne 1010 <f+0x10>\nret\nmov $1,%eax\njmp 1004 <f+0x4>", False),
    "a switch": ("call 2000 <MPI_Send>\njmp *%rax\nret", False),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), CASES.values(), ids=CASES.keys())
def test_what_only_passes_its_arguments_on(text: str, said: bool) -> None:
    assert passes_on(text) is said


def test_calls_without_data_have_nothing_to_pass_on() -> None:
    text = "mov 0x10(%rax),%rdi\ncall 2000 <MPI_Barrier>\nret"
    assert passes_on(text, dataless=True)
    assert not passes_on(text)
    assert not passes_on(f"call 3000 <count>\n{text}", dataless=True)


def test_the_address_must_be_of_a_call() -> None:
    code = [wrappers._Instruction(START, "nop", ""), wrappers._Instruction(START + 4, "call", "2000 <MPI_Send>")]
    function = Function(START, END - START, "f")
    assert wrappers._only_passes_on(code, function, START + 8, False)
    assert not wrappers._only_passes_on(code, function, START + 3, False)
    assert not wrappers._only_passes_on(code, function, START - 1, False)
    assert not wrappers._only_passes_on([], function, START, False)


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("%rdi", ["%rdi"]), ("%edi,%r8d", ["%rdi", "%r8"]), ("%r15w,%bx", ["%r15", "%rbx"]),
        ("0x8(%rsp,%rax,4), %esi", ["0x8(%rsp,%rax,4)", "%rsi"]),
        ("0x20(%rip),%rax        # 4010 <x>", ["0x20(%rip)", "%rax"]),
        ("2000 <MPI_Send@plt>", ["2000"]), ("", []),
    ],
)  # fmt: skip
def test_operands(text: str, operands: list[str]) -> None:
    assert wrappers._split(text) == operands


def test_targets() -> None:
    assert wrappers._Instruction(0, "call", "2a40 <MPI_Send@plt>").target == 0x2A40
    assert wrappers._Instruction(0, "call", "0x2a40 <MPI_Send@plt>").target == 0x2A40
    assert wrappers._Instruction(0, "call", "*%rax").target is None
