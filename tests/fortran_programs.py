"""Random Fortran files, to see what readers do with them: modules, derived types, loops, directives, messages, in free
and in fixed form.

The files are correct: every name is declared, ranks agree, directives stand before what they are for. They mean
nothing, and nobody runs them. A seed always gives the same file.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

MAX_DEPTH = 5  # of blocks in blocks
COUNTERS = ("i", "j", "k", "l", "m")
FIXED_WIDTH = 72


@dataclass(frozen=True)
class Array:
    """A designator without its subscripts, and the number that these are."""

    name: str
    rank: int
    whole: bool = True  # may be named without subscripts
    can_be_allocated: bool = False


@dataclass
class Scope:
    """What statements of a procedure may name."""

    arrays: list[Array]
    scalars: list[str]
    procedures: list[tuple[str, int]]  # subroutines, with the ranks of their one array
    allocatable: list[Array] = field(default_factory=list)
    pointers: list[str] = field(default_factory=list)  # of rank 1, to the target "store"


class Program:
    """Writes one file. `text` has it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.seed = seed
        self.fixed = self.chance.random() < 0.35
        self.openmp = self.chance.random() < 0.7
        self.mpi = self.chance.random() < 0.3
        self.lines: list[str] = []
        self.names = 0
        self.labels = 0
        self.busy: list[str] = []  # counters of the loops around
        self.in_team = 0
        self.depth = 0
        self.text = self._file()

    # --- words --------------------------------------------------------------------------------------------------------

    def _name(self, kind: str) -> str:
        """Of this file alone, so that files can be one program's."""
        self.names += 1
        return f"{kind}{self.seed}n{self.names}"

    def _maybe(self, share: float) -> bool:
        return self.chance.random() < share

    def _put(self, text: str, label: int = 0) -> None:
        """A statement on as many lines as its form asks for."""
        if self._maybe(0.1):
            text = text.upper() if "'" not in text else text
        if self.fixed:
            self._put_fixed(text, label)
            return
        head = f"{label} " if label else ""
        indent = "  " * self.depth
        if len(text) > 90 or (len(text) > 20 and self._maybe(0.05)):
            cut = text.find(" ", len(text) // 2)
            if cut > 0 and text.count("'", 0, cut) % 2 == 0:
                self.lines.append(f"{indent}{head}{text[:cut]} &")
                self.lines.append(f"{indent}  & {text[cut:].lstrip()}")
                return
        note = self.chance.choice(("", "", "", " ! a note", " ! it's 'odd")) if "'" not in text else ""
        self.lines.append(f"{indent}{head}{text}{note}")

    def _put_fixed(self, text: str, label: int) -> None:
        head = f"{label:<5d} " if label else "      "
        first = True
        width = FIXED_WIDTH - len(head)
        while text or first:
            self.lines.append(head + text[:width])
            text = text[width:]
            head, first = "     &", False

    def _directive(self, text: str) -> None:
        if not self.openmp:
            return
        if self.fixed:
            rest, head = text, "!$omp "
            while rest:
                cut = len(rest) if len(rest) <= 60 else rest.rfind(" ", 0, 60)
                self.lines.append(head + rest[:cut])
                rest, head = rest[cut:].lstrip(), "!$omp&"
        elif len(text) > 24 and self._maybe(0.3):
            cut = text.find(" ", len(text) // 2)
            cut = len(text) if cut < 0 else cut
            self.lines.append("  " * self.depth + "!$omp " + text[:cut] + (" &" if text[cut:].strip() else ""))
            if text[cut:].strip():
                self.lines.append("  " * self.depth + "!$omp & " + text[cut:].lstrip())
        else:
            self.lines.append("  " * self.depth + self.chance.choice(("!$omp ", "!$OMP ")) + text)

    def _comment(self) -> None:
        text = self.chance.choice(("what follows", "it isn't a 'string", "end do", "omp parallel", "call nobody(a, b)"))
        self.lines.append(("c " if self.fixed else "! ") + text)

    # --- expressions --------------------------------------------------------------------------------------------------

    def _index(self) -> str:
        if not self.busy or self._maybe(0.15):
            return self.chance.choice(("1", "2", "n", "n / 2 + 1"))
        counter = self.chance.choice(self.busy)
        return self.chance.choice(
            (counter,) * 6 + (f"{counter} - 1", f"{counter} + 1", f"n - {counter}", f"2 * {counter}")
        )

    def _element(self, scope: Scope) -> str:
        array = self.chance.choice(scope.arrays)
        return f"{array.name}({', '.join(self._index() for _ in range(array.rank))})"

    def _number(self, scope: Scope, depth: int = 0) -> str:
        kind = self.chance.randrange(9 if depth < 3 else 4)
        if kind == 0:
            return self.chance.choice(("1.0d0", "0.5d0", "2.5d-3", "dble(n)"))
        if kind == 1:
            return self.chance.choice(scope.scalars)
        if kind in (2, 3):
            return self._element(scope)
        if kind == 4:
            inner = self.chance.choice(("sqrt(abs({}))", "exp({})", "min({}, 1.0d0)", "max({}, 0.0d0)", "abs({})"))
            return inner.format(self._number(scope, depth + 1))
        if kind == 5:
            array = self.chance.choice(scope.arrays)
            if array.whole:
                return f"{self.chance.choice(('sum', 'maxval', 'minval'))}({array.name})"
        operator = self.chance.choice(("+", "-", "*", "*", "/"))
        return f"({self._number(scope, depth + 1)} {operator} {self._number(scope, depth + 1)})"

    def _condition(self, scope: Scope) -> str:
        operator = self.chance.choice((".lt.", ">", "<=", "/=", ".eq."))
        test = f"{self._number(scope, 2)} {operator} {self._number(scope, 2)}"
        if self._maybe(0.2):
            test = f"{test} {self.chance.choice(('.and.', '.or.'))} n > {self.chance.randrange(9)}"
        return test

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, scope: Scope, depth: int, least: int = 1) -> None:
        self.depth += 1
        for _ in range(self.chance.randint(least, 4)):
            self._statement(scope, depth)
        self.depth -= 1

    def _statement(self, scope: Scope, depth: int) -> None:
        simple: list[Callable[[Scope], None]] = [self._assign, self._assign, self._assign, self._whole, self._call]
        simple += [self._print, self._allocate, self._point]
        if self.mpi and not self.in_team:
            simple.append(self._message)
        if self._maybe(0.06):
            self._comment()
        nested = [self._loop, self._loop, self._loop, self._branch, self._choice, self._where, self._while]
        if not self.fixed:
            nested.append(self._concurrent)
        if self.openmp:
            nested += [self._team] if not self.in_team else [self._in_team]
        if depth >= MAX_DEPTH or self._maybe(0.5):
            self.chance.choice(simple)(scope)
        else:
            self.chance.choice(nested)(scope, depth + 1)

    def _assign(self, scope: Scope) -> None:
        target = self._element(scope) if self._maybe(0.8) else self.chance.choice(scope.scalars)
        value = self._number(scope)
        if self._maybe(0.3):
            value = f"{target} + {value}"
        head = f"if ({self._condition(scope)}) " if self._maybe(0.1) else ""
        self._put(f"{head}{target} = {value}")

    def _whole(self, scope: Scope) -> None:
        choices = [array for array in scope.arrays if array.whole]
        if not choices:
            return self._assign(scope)
        array = self.chance.choice(choices)
        form = self.chance.choice(("{a} = 0.0d0", "{a} = 2 * {a}", "{a}{s} = {a}{s} + {x}", "{a} = {x} * {a}"))
        section = "(" + ", ".join(self.chance.choice((":", "1:n", self._index())) for _ in range(array.rank)) + ")"
        if ":" not in section:
            section = "(" + ", ".join(":" for _ in range(array.rank)) + ")"
        self._put(form.format(a=array.name, s=section, x=self._number(scope, 2)))
        return None

    def _call(self, scope: Scope) -> None:
        fitting = [(name, array) for name, rank in scope.procedures for array in scope.arrays if array.rank == rank]
        fitting = [(name, array) for name, array in fitting if array.whole]
        if not fitting:
            return self._assign(scope)
        name, array = self.chance.choice(fitting)
        self._put(f"call {name}({array.name}, n)")
        return None

    def _print(self, scope: Scope) -> None:
        text = self.chance.choice(("'a'", "'!$omp parallel do'", "'it''s'", "'call mpi_barrier(c, e)'", "'end'"))
        self._put(f"print *, {text}, {self.chance.choice(scope.scalars)}")

    def _allocate(self, scope: Scope) -> None:
        if not scope.allocatable or self.in_team:
            return self._assign(scope)
        array = self.chance.choice(scope.allocatable)
        shape = ", ".join(self.chance.choice(("n", "8", "n + 1")) for _ in range(array.rank))
        self._put(f"if (.not. allocated({array.name})) allocate({array.name}({shape}))")
        return None

    def _point(self, scope: Scope) -> None:
        if not scope.pointers:
            return self._assign(scope)
        self._put(f"{self.chance.choice(scope.pointers)} => store")
        return None

    def _message(self, scope: Scope) -> None:
        array = self.chance.choice(scope.arrays)
        element = f"{array.name}({', '.join('1' for _ in range(array.rank))})"
        scalar, world = self.chance.choice(scope.scalars), "MPI_COMM_WORLD"
        self._put(
            self.chance.choice(
                (
                    "call MPI_Barrier(MPI_COMM_WORLD, ierr)",
                    f"call MPI_Send({element}, n, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, ierr)",
                    f"call MPI_Recv({element}, 1, MPI_DOUBLE_PRECISION, other, 1, {world}, MPI_STATUS_IGNORE, ierr)",
                    f"call MPI_Bcast({scalar}, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)",
                    f"call MPI_Allreduce(MPI_IN_PLACE, {scalar}, 1, MPI_DOUBLE_PRECISION, MPI_SUM, {world}, ierr)",
                    "call MPI_Comm_rank(MPI_COMM_WORLD, other, ierr)",
                )
            )
        )

    def _loop(self, scope: Scope, depth: int, header: str = "") -> None:
        free = [counter for counter in COUNTERS if counter not in self.busy]
        if not free:
            return self._assign(scope)
        counter = self.chance.choice(free)
        bounds = self.chance.choice(("1, n", "1, n", "2, n - 1", "n, 1, -1", "1, n, 2", "1, 4", "1, 5"))
        if self.busy and self._maybe(0.15):
            bounds = f"1, {self.chance.choice(self.busy)}"
        if header:
            self._directive(header)
        labelled = self.fixed and not header and self._maybe(0.4)
        named = not self.fixed and not header and self._maybe(0.15)
        construct = self._name("loop") if named else ""
        if labelled:
            self.labels += 10
            label = self.labels
            self._put(f"do {label} {counter} = {bounds}")
        else:
            self._put(f"{construct + ': ' if named else ''}do {counter} = {bounds}")
        self.busy.append(counter)
        self._block(scope, depth)
        if not header and not self.in_team and self._maybe(0.1):
            self._put(f"if ({self._condition(scope)}) {self.chance.choice(('cycle', 'exit'))}")
        self.busy.pop()
        if labelled:
            self._put("continue", label)
        else:
            end = self.chance.choice(("end do", "enddo")) if not named else f"end do {construct}"
            self._put(end)
        return None

    def _while(self, scope: Scope, depth: int) -> None:
        self._put(f"do while ({self._condition(scope)})")
        self._block(scope, depth)
        self._put("end do")

    def _concurrent(self, scope: Scope, _depth: int) -> None:
        free = [counter for counter in COUNTERS if counter not in self.busy]
        if len(free) < 2 or self.in_team:
            return self._assign(scope)
        self._put(f"do concurrent ({free[0]} = 1:n, {free[1]} = 1:n)")
        self.busy += free[:2]
        self.depth += 1
        for _ in range(self.chance.randint(1, 3)):
            self._assign(scope)
        self.depth -= 1
        del self.busy[-2:]
        self._put("end do")
        return None

    def _branch(self, scope: Scope, depth: int) -> None:
        self._put(f"if ({self._condition(scope)}) then")
        self._block(scope, depth)
        if self._maybe(0.3):
            self._put(f"else if ({self._condition(scope)}) then")
            self._block(scope, depth)
        if self._maybe(0.4):
            self._put("else")
            self._block(scope, depth)
        self._put(self.chance.choice(("end if", "endif")))

    def _choice(self, scope: Scope, depth: int) -> None:
        self._put("select case (n)")
        for value in self.chance.sample(range(9), self.chance.randint(1, 3)):
            self._put(f"case ({value})")
            self._block(scope, depth)
        if self._maybe(0.5):
            self._put("case default")
            self._block(scope, depth)
        self._put("end select")

    def _where(self, scope: Scope, _depth: int) -> None:
        choices = [array for array in scope.arrays if array.whole]
        if not choices:
            return self._assign(scope)
        name = self.chance.choice(choices).name
        if self._maybe(0.4):
            self._put(f"where ({name} > 0.5d0) {name} = 0.5d0")
            return None
        self._put(f"where ({name} > {self.chance.choice(scope.scalars)})")
        self._put(f"  {name} = 0.25d0 * {name}")
        if self._maybe(0.5):
            self._put("elsewhere")
            self._put(f"  {name} = 1.0d0")
        self._put("end where")
        return None

    # --- OpenMP -------------------------------------------------------------------------------------------------------

    def _clauses(self, scope: Scope) -> str:
        clauses = []
        scalars = [name for name in scope.scalars if "%" not in name]
        if scalars and self._maybe(0.4):
            kind = self.chance.choice(("private", "firstprivate", "reduction(+: ", "reduction(max: "))
            name = self.chance.choice(scalars)
            clauses.append(f"{kind}{name})" if "(" in kind else f"{kind}({name})")
        if self._maybe(0.3):
            clauses.append(self.chance.choice(("schedule(static)", "schedule(dynamic, 1)", "schedule(guided)")))
        return " ".join(clauses)

    def _team(self, scope: Scope, depth: int) -> None:
        free = [counter for counter in COUNTERS if counter not in self.busy]
        if not free:
            return self._assign(scope)
        self.in_team += 1
        if self._maybe(0.6):
            self._loop(scope, depth, f"parallel do {self._clauses(scope)}".strip())
            if self._maybe(0.5):
                self._directive("end parallel do")
        else:
            self._directive(f"parallel private({', '.join(free)})")
            self._block(scope, depth)
            self._directive("end parallel")
        self.in_team -= 1
        return None

    def _in_team(self, scope: Scope, _depth: int) -> None:
        """What may stand anywhere in a region: nothing that all threads must come to."""
        kind = self.chance.randrange(4)
        if kind == 0:
            self._directive("critical")
            self._block(scope, MAX_DEPTH)
            self._directive("end critical")
        elif kind == 1:
            self._directive("atomic")
            scalar = self.chance.choice(scope.scalars)
            self._put(f"{scalar} = {scalar} + 1.0d0")
        elif kind == 2:
            self._loop(scope, MAX_DEPTH, "simd")
        else:
            self._directive("task")
            self._block(scope, MAX_DEPTH)
            self._directive("end task")

    # --- declarations -------------------------------------------------------------------------------------------------

    def _declare_locals(self, scope: Scope, inside_module: bool) -> None:
        self._put(f"integer :: {', '.join(COUNTERS)}, ierr, other")
        for _ in range(self.chance.randint(1, 3)):
            name = self._name("s")
            self._put(f"real(8) :: {name}")
            scope.scalars.append(name)
        for _ in range(self.chance.randint(1, 2)):
            rank = self.chance.randint(1, 3)
            name = self._name("w")
            shape = ", ".join(self.chance.choice(("8", "n", "0:n", "64")) for _ in range(rank))
            self._put(f"real(8) :: {name}({shape})")
            scope.arrays.append(Array(name, rank))
        if self._maybe(0.3):
            name = self._name("q")
            self._put(f"real(8), allocatable :: {name}(:, :)")
            array = Array(name, 2, can_be_allocated=True)
            scope.arrays.append(array)
            scope.allocatable.append(array)
        if not inside_module and self._maybe(0.3):
            name = self._name("c")
            self._put(f"real(8) :: {name}(16, 16)")
            self._put(f"common /{self._name('block')}/ {name}")
            scope.arrays.append(Array(name, 2))
        if self._maybe(0.2):
            pointer = self._name("p")
            self._put(f"real(8), pointer :: {pointer}(:)")
            self._put("real(8), target :: store(32)")
            scope.pointers.append(pointer)
            scope.arrays.append(Array("store", 1))

    def _procedure(self, shared: Scope, modules: list[str], inside_module: bool) -> tuple[str, int]:
        name, rank = self._name("work"), self.chance.randint(1, 3)
        self._put(f"subroutine {name}(x, n)")
        self.depth += 1
        for module in modules:
            self._put(f"use {module}")
        if self.mpi and not self.fixed:
            self._put("use mpi")
        self._put("implicit none")
        if self.mpi and self.fixed:
            self._put("include 'mpif.h'")
        shape = self.chance.choice((", ".join(":" for _ in range(rank)), ", ".join("n" for _ in range(rank))))
        if not inside_module:
            shape = ", ".join("n" for _ in range(rank))
        self._put("integer, intent(in) :: n")
        self._put(f"real(8), intent(inout) :: x({shape})")
        scope = Scope([*shared.arrays, Array("x", rank)], list(shared.scalars), list(shared.procedures),
                      list(shared.allocatable))  # fmt: skip
        self._declare_locals(scope, inside_module)
        self.depth -= 1
        self._block(scope, 0, least=2)
        self._put(f"end subroutine {name}")
        self.lines.append("")
        return name, rank

    def _module(self, earlier: list[str], shared: Scope) -> str:
        name = self._name("mod")
        self._put(f"module {name}")
        self.depth += 1
        for module in earlier:
            self._put(f"use {module}")
        self._put("implicit none")
        record = ""
        if self._maybe(0.6):
            record = self._name("cell")
            self._put(f"type {record}")
            members = [self._name("f") for _ in range(self.chance.randint(1, 5))]
            for member in members:
                self._put(f"real(8) :: {member}")
            self._put("integer :: tag")
            self._put("real(8) :: part(4)")
            self._put(f"end type {record}")
        for _ in range(self.chance.randint(1, 3)):
            array, rank = self._name("g"), self.chance.randint(1, 4)
            if self._maybe(0.5):
                self._put(f"real(8), allocatable :: {array}({', '.join(':' for _ in range(rank))})")
                made = Array(array, rank, can_be_allocated=True)
                shared.allocatable.append(made)
            else:
                self._put(
                    f"real(8) :: {array}({', '.join(self.chance.choice(('16', '0:9', '32')) for _ in range(rank))})"
                )
                made = Array(array, rank)
            shared.arrays.append(made)
        if record:
            cells = self._name("cells")
            self._put(f"type({record}) :: {cells}(40)")
            shared.arrays.append(Array(f"{cells}%{members[0]}", 1, whole=False))
            one = self._name("one")
            self._put(f"type({record}) :: {one}")
            shared.arrays.append(Array(f"{one}%part", 1))
            shared.scalars.append(f"{one}%{members[-1]}")
            shared.arrays.pop(-2)  # its subscripts stand before the member
        scalar = self._name("t")
        self._put(f"real(8) :: {scalar} = 1.0d0")
        shared.scalars.append(scalar)
        self.depth -= 1
        self._put("contains")
        for _ in range(self.chance.randint(0, 2)):
            shared.procedures.append(self._procedure(shared, [], inside_module=True))
        self._put(f"end module {name}")
        self.lines.append("")
        return name

    def _file(self) -> str:
        shared = Scope([], [], [])
        modules: list[str] = []
        for _ in range(self.chance.randint(0, 2)):
            modules.append(self._module(modules, shared))
        # Procedures of modules are known by `use`; those outside only by their names.
        for _ in range(self.chance.randint(1, 3)):
            self._procedure(shared, modules, inside_module=False)
        if self._maybe(0.3):
            self._put(f"program {self._name('main')}")
            self.depth += 1
            for module in modules:
                self._put(f"use {module}")
            self._put("implicit none")
            self._put("integer, parameter :: n = 4")
            self.mpi = False
            scope = Scope(list(shared.arrays), list(shared.scalars), list(shared.procedures), list(shared.allocatable))
            self._declare_locals(scope, inside_module=True)
            self.depth -= 1
            self._block(scope, 0, least=2)
            self._put("end program")
        return "\n".join(self.lines) + "\n"


def program(seed: int) -> tuple[str, str]:
    """The text of that seed's file, and the ending that its form has."""
    made = Program(seed)
    return made.text, ".f" if made.fixed else ".f90"
