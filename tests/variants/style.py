"""What variants of every rule are made of: the free choices of one file, and small pieces of C and C++ text."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

SYLLABLES = "ba co du fe gi ho ju ka lo mi na pu ro si te vo wa xe yu zi".split()
INDEX_TYPES = ("int", "unsigned", "size_t", "long")
EXPECT = "// expect: {}"


@dataclass
class Style:
    """The free choices of one variant."""

    rng: random.Random
    cxx: bool
    index: str = ""
    constant: bool = False
    helper: bool = False
    used: set[str] = field(default_factory=set)

    @classmethod
    def draw(cls, rng: random.Random) -> Style:
        return cls(rng, rng.random() < 0.45, rng.choice(INDEX_TYPES), rng.random() < 0.35, rng.random() < 0.5)

    def name(self) -> str:
        """A name that says nothing and was not used before in this variant."""
        while True:
            name = "".join(self.rng.choice(SYLLABLES) for _ in range(self.rng.randint(2, 3)))
            if name not in self.used:
                self.used.add(name)
                return name

    def names(self, count: int) -> list[str]:
        return [self.name() for _ in range(count)]

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def loop(self, variable: str, first: str, last: str) -> str:
        """The head of a counted loop; in C sometimes with `<=`."""
        step = self.pick(f"{variable}++", f"++{variable}", f"{variable} += 1")
        return f"for ({self.index} {variable} = {first}; {variable} < {last}; {step})"

    @property
    def null(self) -> str:
        return "nullptr" if self.cxx else "NULL"


@dataclass
class Variant:
    """A finished file: its shape's name and its text."""

    shape: str
    text: str
    cxx: bool


Shape = Callable[[Style], str]


def lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part) + "\n"


def indent(text: str, by: int = 2) -> str:
    return "\n".join(line if line.startswith("#") or not line else " " * by + line for line in text.splitlines())


def headers(style: Style, *extra: str) -> str:
    names = ["<stddef.h>", *extra]
    if style.cxx:
        plain = {
            "<stddef.h>": "<cstddef>",
            "<stdlib.h>": "<cstdlib>",
            "<stdio.h>": "<cstdio>",
            "<string.h>": "<cstring>",
        }
        names = [plain.get(name, name) for name in names]
        return "\n".join(f"#include {name}" for name in sorted(set(names))) + "\nusing std::size_t;"
    return "\n".join(f"#include {name}" for name in sorted(set(names)))


def mpi_headers(style: Style, *extra: str) -> str:
    return headers(style, "<mpi.h>", *extra)


def local_work(style: Style, array: str, n: str) -> str:
    i = style.name()
    return f"{style.loop(i, '0', n)} {{\n  {array}[{i}] = 0.5 * {array}[{i}] + {style.rng.randint(1, 9)}.0;\n}}"


def sendrecv(array: str, n: str, comm: str, to: str, source: str) -> str:
    return (
        f"MPI_Sendrecv({array}, 4, MPI_DOUBLE, {to}, 0, {array} + {n} - 4, 4, MPI_DOUBLE, {source}, 0,\n"
        f"             {comm}, MPI_STATUS_IGNORE);"
    )


def ranks(style: Style, comm: str) -> tuple[str, str, str, str, str]:
    """Declarations of rank, size and the two neighbours, and their names."""
    rank, size, left, right = style.names(4)
    kind = style.pick("ring", "line", *(("cart",) if comm != "MPI_COMM_WORLD" else ()))
    text = f"int {rank}, {size};\nMPI_Comm_rank({comm}, &{rank});\nMPI_Comm_size({comm}, &{size});\n"
    if kind == "ring":
        text += f"const int {right} = ({rank} + 1) % {size};\nconst int {left} = ({rank} + {size} - 1) % {size};"
    elif kind == "line":
        text += (
            f"const int {right} = {rank} + 1 < {size} ? {rank} + 1 : MPI_PROC_NULL;\n"
            f"const int {left} = {rank} > 0 ? {rank} - 1 : MPI_PROC_NULL;"
        )
    else:
        text += f"int {left}, {right};\nMPI_Cart_shift({comm}, 0, 1, &{left}, &{right});"
    return text, rank, size, left, right


@dataclass
class Series:
    """How a variant declares one-dimensional arrays of one length and addresses them."""

    prelude: str
    parameters: str
    names: list[str]
    length: str
    at: Callable[[str, str], str]


def series(style: Style, count: int, constant: int | None = None, value: str = "double") -> Series:
    """`count` arrays; with `constant` their length is known at compile time, else only at run time."""
    names = style.names(count)
    n = style.name()
    bracket = "{}[{}]".format
    kinds = ["pointer"] + (["vector", "class"] if style.cxx else ["record"]) + (["array"] if constant else [])
    kind = style.pick(*kinds)
    prelude = f"#define {n} {constant}" if constant else ""
    size = "" if constant else f", {style.index} {n}"
    if kind == "array":
        prelude = lines(prelude, *(f"static {value} {name}[{n}];" for name in names))
        return Series(prelude, "" if style.cxx else "void", names, n, bracket)
    if kind == "pointer":
        return Series(prelude, ", ".join(f"{value} *{name}" for name in names) + size, names, n, bracket)
    if kind == "vector":
        parameters = ", ".join(f"std::vector<{value}> &{name}" for name in names) + size
        return Series(lines("#include <vector>", prelude), parameters, names, n, bracket)
    record, data = style.names(2)
    if kind == "record":
        prelude = lines(prelude, f"struct {record} {{\n  {value} *{data};\n}};")
        parameters = ", ".join(f"struct {record} *{name}" for name in names) + size
        return Series(prelude, parameters, names, n, lambda name, i: f"{name}->{data}[{i}]")
    prelude = lines(
        "#include <vector>", prelude, f"class {record} {{\npublic:",
        f"  {value} &operator()(long i) {{ return {data}[i]; }}",
        f"private:\n  std::vector<{value}> {data};\n}};",
    )  # fmt: skip
    return Series(prelude, ", ".join(f"{record} &{name}" for name in names) + size, names, n, "{}({})".format)


def team_function(style: Style, s: Series, body: str, extra: str = "", before: str = "", *includes: str) -> str:
    """A function with OpenMP in it; `extra` are further parameters."""
    own = "" if s.parameters == "void" else s.parameters
    parameters = ", ".join(part for part in (own, extra) if part) or ("" if style.cxx else "void")
    return lines(
        "// flags: -fopenmp", headers(style, *includes), s.prelude, before,
        f"void {style.name()}({parameters}) {{", indent(body), "}",
    )  # fmt: skip
