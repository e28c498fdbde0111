"""Functions, calls and jumps of an ELF file, read from its bytes: x86-64 and AArch64, little endian.

Only tables that a question needs are read, and of the code only the bytes of the functions asked for. Addresses are the
file's own (as in its symbol table), so position-independent files need no care. A damaged table reads as an empty one.
"""

from __future__ import annotations

import mmap
import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

X86_64, AARCH64 = 62, 183
_PT_LOAD = 1
_SHT_SYMTAB, _SHT_RELA, _SHT_DYNSYM = 2, 4, 11
_STT_FUNC = 2
# Relocations that fill a slot of the global offset table with the address of a function: GLOB_DAT, JUMP_SLOT.
_SLOT_TYPES = {X86_64: (6, 7), AARCH64: (1025, 1026)}
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_ENDBR64, _BND = b"\xf3\x0f\x1e\xfa", b"\xf2"
_PREFIXES = frozenset([0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF2, 0xF3, *range(0x40, 0x50)])
_LONGEST_INSTRUCTION = 15
_BTI_C = 0xD503245F
# Every byte where an x86-64 jump may begin; most are in the middle of other instructions.
_X86_JUMP = re.compile(rb"(?=[\xe9\xeb\x70-\x7f]|\x0f[\x80-\x8f]|\xff\x25)")
_COLD = re.compile(r"\.cold(\.\d+)?$")  # the part of a function that compilers move away, as GCC and LLVM name it

Target = int | str  # the address of a function of this file, or the name of one that it imports


@dataclass(frozen=True, slots=True)
class Function:
    start: int
    size: int
    name: str

    @property
    def cold(self) -> bool:
        return _COLD.search(self.name) is not None

    def same_as(self, other: Function) -> bool:
        """True for the two parts of one function of the source, too."""
        if self.start == other.start:
            return True
        return (self.cold or other.cold) and _COLD.sub("", self.name) == _COLD.sub("", other.name)


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump out of a function to the begin of another, or to the cold part of the same."""

    address: int
    target: Target
    to_own_part: bool


@dataclass(frozen=True, slots=True)
class _Section:
    kind: int
    offset: int
    size: int
    link: int


class Image:
    """One file. Raises OSError or ValueError if it is none that can be read."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        head = self._data[:64]
        if len(head) < 64 or head[:4] != b"\x7fELF" or head[4] != 2 or head[5] != 1:
            raise ValueError("not a 64-bit little-endian ELF file")
        self.machine: int = struct.unpack_from("<H", head, 18)[0]
        if self.machine not in _SLOT_TYPES:
            raise ValueError("neither x86-64 nor AArch64")
        self._jumps: dict[int, tuple[Jump, ...]] = {}

    @cached_property
    def _segments(self) -> list[tuple[int, int, int]]:
        """Address, offset in the file and size there of what is loaded."""
        (table,), (size, count) = struct.unpack_from("<Q", self._data, 32), struct.unpack_from("<HH", self._data, 54)
        out = []
        for index in range(count):
            entry = self._data[table + index * size : table + index * size + 56]
            if size >= 56 and len(entry) == 56 and struct.unpack_from("<I", entry)[0] == _PT_LOAD:
                offset, address, _, length = struct.unpack_from("<QQQQ", entry, 8)
                out.append((address, offset, length))
        return out

    def _bytes(self, address: int, size: int) -> bytes:
        """Empty if the file does not hold all of them."""
        for begin, offset, length in self._segments:
            if begin <= address and address + size <= begin + length:
                found = self._data[offset + address - begin : offset + address - begin + size]
                return found if len(found) == size else b""
        return b""

    @cached_property
    def _sections(self) -> list[_Section]:
        (table,), (size, count) = struct.unpack_from("<Q", self._data, 40), struct.unpack_from("<HH", self._data, 58)
        out = []
        for index in range(count if table and size >= 64 else 0):
            entry = self._data[table + index * size : table + index * size + 64]
            if len(entry) < 64:
                break
            kind, offset, length, link = struct.unpack_from("<4xI16xQQI", entry)
            out.append(_Section(kind, offset, length, link))
        return out

    def _of_kind(self, kind: int) -> list[_Section]:
        return [section for section in self._sections if section.kind == kind]

    def _rows(self, section: _Section, row: struct.Struct) -> Iterator[tuple[int, ...]]:
        data = self._data[section.offset : section.offset + section.size]
        return row.iter_unpack(data[: len(data) // row.size * row.size])

    def _string(self, table: _Section, offset: int) -> str:
        strings = self._sections[table.link] if table.link < len(self._sections) else None
        if strings is None or offset >= strings.size:
            return ""
        begin = strings.offset + offset
        end = self._data.find(b"\0", begin, strings.offset + strings.size)
        return self._data[begin:end].decode("utf-8", "replace") if end >= 0 else ""

    @cached_property
    def _symbols(self) -> tuple[_Section | None, dict[int, tuple[int, int]], list[int]]:
        """The table with the most functions; size and name by address; the addresses in order."""
        table = next(iter(self._of_kind(_SHT_SYMTAB) or self._of_kind(_SHT_DYNSYM)), None)
        found: dict[int, tuple[int, int]] = {}
        if table is not None:
            for name, info, _, section, value, size in self._rows(table, _SYMBOL):
                if info & 15 == _STT_FUNC and section and size > (found[value][0] if value in found else 0):
                    found[value] = (size, name)
        return table, found, sorted(found)

    @cached_property
    def _dynamic(self) -> tuple[dict[str, int], frozenset[str]]:
        exports: dict[str, int] = {}
        imports = set()
        for table in self._of_kind(_SHT_DYNSYM):
            for name, info, _, section, value, _ in self._rows(table, _SYMBOL):
                if section == 0:
                    imports.add(self._string(table, name))
                elif info & 15 == _STT_FUNC:
                    exports[self._string(table, name)] = value
        return exports, frozenset(imports)

    @property
    def exports(self) -> dict[str, int]:
        """Addresses of the functions that other files may call, by name."""
        return self._dynamic[0]

    @property
    def imports(self) -> frozenset[str]:
        return self._dynamic[1]

    @cached_property
    def _slots(self) -> dict[int, str]:
        """Which imported function a slot of the global offset table holds."""
        out = {}
        for section in self._of_kind(_SHT_RELA):
            table = self._sections[section.link] if section.link < len(self._sections) else None
            if table is None or table.kind != _SHT_DYNSYM:
                continue
            for address, info, _ in self._rows(section, _RELOCATION):
                symbol = info >> 32
                if symbol and info & 0xFFFFFFFF in _SLOT_TYPES[self.machine] and symbol < table.size // _SYMBOL.size:
                    at = table.offset + symbol * _SYMBOL.size
                    out[address] = self._string(table, struct.unpack("<I", self._data[at : at + 4].ljust(4, b"\0"))[0])
        return out

    def function_at(self, address: int) -> Function | None:
        """The function that holds an address."""
        table, known, starts = self._symbols
        place = bisect_right(starts, address) - 1
        if table is None or place < 0:
            return None
        start = starts[place]
        size, name = known[start]
        return Function(start, size, self._string(table, name)) if address < start + size else None

    def _target(self, address: int) -> Target | None:
        """What a branch to an address calls: the function that begins there, or that of the linkage stub there."""
        if address in self._symbols[1]:
            return address
        return self._stub_x86(address) if self.machine == X86_64 else self._stub_aarch64(address)

    def _stub_x86(self, address: int) -> str | None:
        code = self._bytes(address, 11)
        at = len(_ENDBR64) if code.startswith(_ENDBR64) else 0
        at += code.startswith(_BND, at)
        if code[at : at + 2] != b"\xff\x25":  # jmp *slot(%rip)
            return None
        return self._slots.get(address + at + 6 + _signed(code, at + 2, 4))

    def _stub_aarch64(self, address: int) -> str | None:
        code = self._bytes(address, 12)
        if len(code) < 12:
            return None
        words = struct.unpack("<III", code)
        if words[0] == _BTI_C:
            return self._stub_aarch64(address + 4)
        if words[0] & 0x9F00001F != 0x90000010 or words[1] & 0xFFC003FF != 0xF9400211:  # adrp x16; ldr x17, [x16, …]
            return None
        pages = _sign_extend((words[0] >> 5 & 0x7FFFF) << 2 | words[0] >> 29 & 3, 21)
        return self._slots.get((address & ~0xFFF) + (pages << 12) + (words[1] >> 10 & 0xFFF) * 8)

    def callee(self, return_address: int) -> Target | None:
        """What the call instruction before a return address calls; None for calls through registers and memory."""
        if self.machine == AARCH64:
            code = self._bytes(return_address - 4, 4)
            word = int.from_bytes(code, "little")
            if word >> 26 != 0b100101:  # bl
                return None
            return self._target(return_address - 4 + (_sign_extend(word & 0x3FFFFFF, 26) << 2))
        code = self._bytes(return_address - 6, 6)
        if code[1:2] == b"\xe8":  # call
            found = self._target(return_address + _signed(code, 2, 4))
            if found is not None:
                return found
        if code[:2] == b"\xff\x15":  # call *slot(%rip)
            return self._slots.get(return_address + _signed(code, 2, 4))
        return None

    def jumps(self, start: int) -> tuple[Jump, ...]:
        """The jumps out of the function that begins there.

        For x86-64 these are all of them and perhaps others: bytes inside an instruction may look like a jump to a
        function, so a jump that matters has to be confirmed by disassembling its function. Prefixes of an instruction
        are not part of the address.
        """
        if start not in self._jumps:
            function = self.function_at(start)
            self._jumps[start] = tuple(self._jumps_of(function)) if function else ()
        return self._jumps[start]

    def opcode_of(self, instruction: int) -> int:
        """Where the opcode of an x86-64 instruction is, behind its prefixes."""
        return next(
            (at for at in range(instruction, instruction + _LONGEST_INSTRUCTION) if self._byte(at) not in _PREFIXES),
            instruction,
        )

    def _byte(self, address: int) -> int:
        return next(iter(self._bytes(address, 1)), -1)

    def _jumps_of(self, function: Function) -> Iterator[Jump]:
        code = self._bytes(function.start, function.size)
        branches = self._branches_x86(code, function.start) if self.machine == X86_64 else _branches_aarch64(code)
        for offset, there in branches:
            address = function.start + offset
            if isinstance(there, str):
                yield Jump(address, there, to_own_part=False)
                continue
            destination = function.start + there
            if function.start <= destination < function.start + function.size:
                continue
            into = self.function_at(destination)
            if into is not None and into.cold and into.same_as(function):
                yield Jump(address, into.start, to_own_part=True)
                continue
            target = self._target(destination)
            if target is not None:
                yield Jump(address, target, to_own_part=False)

    def _branches_x86(self, code: bytes, start: int) -> Iterator[tuple[int, Target]]:
        """Offsets of possible jumps, with the offsets of their targets or the names of imported ones."""
        for match in _X86_JUMP.finditer(code):
            at = match.start()
            opcode = code[at]
            size, width = (5, 4) if opcode == 0xE9 else (6, 4) if opcode in (0x0F, 0xFF) else (2, 1)
            if at + size > len(code):
                continue
            there = at + size + _signed(code, at + size - width, width)
            if opcode != 0xFF:
                yield at, there
            elif name := self._slots.get(start + there):
                yield at, name


def _branches_aarch64(code: bytes) -> Iterator[tuple[int, int]]:
    for index, (word,) in enumerate(struct.iter_unpack("<I", code[: len(code) & ~3])):
        if word >> 26 == 0b000101:  # b
            yield index * 4, index * 4 + (_sign_extend(word & 0x3FFFFFF, 26) << 2)


def _signed(code: bytes, at: int, width: int) -> int:
    return int.from_bytes(code[at : at + width], "little", signed=True)


def _sign_extend(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value
