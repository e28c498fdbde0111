"""What the programs of the fix tests are made of: records with gaps, and code that may depend on their order.

Each trait adds code to one unit of a program. `harmless` ones leave the reordering of the record safe; the others
depend on its order, each in a way of its own, and a reordering that overlooks one changes what the program prints.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

# Wide and narrow fields in turn: any such record has gaps of at least eight bytes.
_NARROW = ("char", "short", "signed char", "int", "unsigned char")
_WIDE = ("double", "long", "unsigned long", "long long")


@dataclass(frozen=True)
class Record:
    """A record of alternating narrow and wide fields, `name` unique among all programs."""

    name: str
    fields: tuple[tuple[str, str], ...]  # type, name

    @staticmethod
    def make(rng: random.Random, name: str) -> Record:
        letters = rng.sample("abcdeghkmnpqrstuvwxyz", 8)
        fields: list[tuple[str, str]] = []
        for number in range(rng.choice((4, 6, 8))):
            kind = rng.choice(_WIDE if number % 2 else _NARROW)
            fields.append((kind, f"{letters[number]}{number}"))
        return Record(name, tuple(fields))

    @property
    def body(self) -> str:
        return "".join(f"  {kind} {name};\n" for kind, name in self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.fields)

    def values(self, base: int = 1) -> tuple[int, ...]:
        return tuple(base + 3 * number for number in range(len(self.fields)))

    def positional(self, base: int = 1) -> str:
        return ", ".join(str(value) for value in self.values(base))

    def designated(self, base: int = 1) -> str:
        return ", ".join(f".{name} = {value}" for name, value in zip(self.names, self.values(base), strict=True))

    @property
    def assigned(self) -> str:
        """Statements that set every field of `value`."""
        return "".join(f"  value.{name} = {number};\n" for name, number in zip(self.names, self.values(), strict=True))

    def shown(self, what: str) -> str:
        """A statement that prints every field of an lvalue."""
        form = " ".join("%g" for _ in self.fields)
        values = ", ".join(f"(double){what}.{name}" for name in self.names)
        return f'  printf("{form}\\n", {values});\n'


@dataclass
class Program:
    """Files by name; `units` are compiled and linked; those in `unknown` are in no compile database."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    units: list[str] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)
    flags: tuple[str, ...] = ()
    configurations: tuple[tuple[str, ...], ...] = ((),)
    traits: list[str] = field(default_factory=list)

    @property
    def is_cxx(self) -> bool:
        return self.units[0].endswith(".cpp")


@dataclass(frozen=True)
class Trait:
    """`body(record, tag)` is code at file scope that ends in a function `show_TAG`, which prints."""

    name: str
    body: Callable[[Record, str], str]
    harmless: bool = False
    languages: str = "c c++"
    flags: tuple[str, ...] = ()
    alone: bool = False  # in a unit that no compile database names
    configuration: str = ""  # another way to compile the program, which is right, too


def _function(tag: str, text: str) -> str:
    return f"void show_{tag}(void) {{\n{text}}}\n"


def _nested(r: Record, tag: str) -> str:
    outer = f"struct outer_{tag} {{\n  int head;\n  struct {r.name} inner;\n  double tail;\n}};\n"
    value = f"static struct outer_{tag} value_{tag} = {{1, {{{r.positional()}}}, 2.5}};\n"
    return outer + value + _function(tag, r.shown(f"value_{tag}.inner"))


def _elided(r: Record, tag: str) -> str:
    outer = f"struct pair_{tag} {{\n  struct {r.name} first, second;\n}};\n"
    value = f"static struct pair_{tag} value_{tag} = {{{r.positional()}, {r.positional(40)}}};\n"
    return outer + value + _function(tag, r.shown(f"value_{tag}.first") + r.shown(f"value_{tag}.second"))


def _flat(r: Record, tag: str) -> str:
    value = f"static struct {r.name} value_{tag}[2] = {{{r.positional()}, {r.positional(30)}}};\n"
    return value + _function(tag, r.shown(f"value_{tag}[0]") + r.shown(f"value_{tag}[1]"))


def _macro(r: Record, tag: str) -> str:
    macro = f"#define START_{tag} {{{r.positional(5)}}}\n"
    return macro + f"static struct {r.name} value_{tag} = START_{tag};\n" + _function(tag, r.shown(f"value_{tag}"))


def _listed(r: Record, tag: str) -> str:
    rows = "".join(f"  ROW({r.positional(base)}) \\\n" for base in (2, 9))
    return (
        f"#define ROWS_{tag} \\\n{rows}\n#define ROW(...) {{__VA_ARGS__}},\n"
        f"static struct {r.name} value_{tag}[] = {{ROWS_{tag}}};\n#undef ROW\n"
        + _function(tag, r.shown(f"value_{tag}[1]"))
    )


def _first_bytes(r: Record, tag: str, copy: str) -> str:
    kind, name = r.fields[0]
    text = f"  struct {r.name} value = {{0}};\n  {kind} first;\n  value.{name} = 77;\n" + copy
    return _function(tag, text + '  printf("%g\\n", (double)first);\n')


def _overlaid(r: Record, tag: str) -> str:
    kind, name = r.fields[0]
    union = f"union either_{tag} {{\n  struct {r.name} whole;\n  {kind} first;\n}};\n"
    text = f"  union either_{tag} value;\n  value.whole.{name} = 55;\n"
    return union + _function(tag, text + '  printf("%g\\n", (double)value.first);\n')


def _through_file(r: Record, tag: str) -> str:
    kind, name = r.fields[0]
    text = (
        f"  struct {r.name} value = {{0}};\n  {kind} first = 0;\n  FILE *file = tmpfile();\n  value.{name} = 66;\n"
        "  if (file && fwrite(&value, sizeof value, 1, file) == 1) {\n    rewind(file);\n"
        '    if (fread(&first, sizeof first, 1, file) == 1)\n      printf("%g\\n", (double)first);\n'
        "    fclose(file);\n  }\n"
    )
    return _function(tag, text)


def _hashed(r: Record, tag: str) -> str:
    text = (
        f"  struct {r.name} value;\n  unsigned long hash = 5381;\n  memset(&value, 0, sizeof value);\n"
        + r.assigned
        + "  const unsigned char *at = (const unsigned char *)&value;\n"
        "  for (unsigned long n = 0; n < sizeof value; n++)\n    hash = hash * 33 + at[n];\n"
        '  printf("%lx\\n", hash);\n'
    )
    return _function(tag, text)


def _redeclared(r: Record, tag: str) -> str:
    # A record of its own behind the symbol that the first unit defines.
    own = f"struct copy_{tag} {{\n{r.body}}};\nextern struct copy_{tag} table_{r.name}[];\n"
    return own + _function(tag, r.shown(f"table_{r.name}[3]"))


def _included(r: Record, tag: str) -> str:
    return f'static struct {r.name} value_{tag}[] = {{\n#include "{r.name}_rows.def"\n}};\n' + _function(
        tag, r.shown(f"value_{tag}[1]")
    )


def _other_configuration(r: Record, tag: str) -> str:
    return (
        f"#ifdef OTHER\nstatic struct {r.name} value_{tag} = {{{r.positional(3)}}};\n#else\n"
        f"static struct {r.name} value_{tag};\n#endif\n" + _function(tag, r.shown(f"value_{tag}"))
    )


def _wide_pair(r: Record) -> tuple[str, str]:
    wide = [name for kind, name in r.fields if kind in _WIDE]
    return wide[0], wide[1]


def _distance(r: Record, tag: str) -> str:
    a, b = _wide_pair(r)
    text = f'  static struct {r.name} v;\n  printf("%d\\n", (int)((char *)&v.{b} - (char *)&v.{a}));\n'
    return _function(tag, text)


def _compared(r: Record, tag: str) -> str:
    first, second = r.names[0], r.names[1]
    text = f'  static struct {r.name} v;\n  printf("%d\\n", (void *)&v.{first} < (void *)&v.{second});\n'
    return _function(tag, text)


def _with(r: Record, tag: str, declaration: str) -> str:
    return _function(tag, declaration + r.shown("value"))


HARMLESS = (
    Trait("names", lambda r, t: _with(r, t, f"  struct {r.name} value = {{{r.designated(4)}}};\n"), True, "c"),
    Trait("zero", lambda r, t: _with(r, t, f"  struct {r.name} value = {{0}};\n"), True),
    Trait(
        "assigned",
        lambda r, t: _with(r, t, f"  struct {r.name} value;\n" + r.assigned),
        True,
    ),
    Trait(
        "cleared",
        lambda r, t: _with(r, t, f"  struct {r.name} value;\n  memset(&value, 0, sizeof value);\n"),
        True,
    ),
    Trait(
        "copied whole",
        lambda r, t: _with(
            r,
            t,
            f"  struct {r.name} value, other = {{0}};\n  other.{r.names[1]} = 8;\n"
            "  memcpy(&value, &other, sizeof(other));\n",
        ),
        True,
    ),
    Trait(
        "allocated",
        lambda r, t: _function(
            t,
            f"  struct {r.name} *some = (struct {r.name} *)calloc(9, sizeof *some);\n  some[4].{r.names[2]} = 6;\n"
            + r.shown("some[4]")
            + "  free(some);\n",
        ),
        True,
    ),
    Trait(
        "counted",
        lambda r, t: (
            f"static struct {r.name} several_{t}[7];\n"
            + _function(t, f'  printf("%d\\n", (int)(sizeof several_{t} / sizeof several_{t}[0]));\n')
        ),
        True,
    ),
    Trait(
        "by value",
        lambda r, t: (
            f"static struct {r.name} made_{t}(void) {{\n  struct {r.name} v = {{0}};\n  v.{r.names[3]} = 11;\n"
            "  return v;\n}\n" + _with(r, t, f"  struct {r.name} value = made_{t}();\n")
        ),
        True,
    ),
    Trait(
        "inside",
        lambda r, t: (
            f"struct holder_{t} {{\n  struct {r.name} inner[3];\n}};\nstatic struct holder_{t} held_{t};\n"
            + _function(t, f"  held_{t}.inner[1].{r.names[0]} = 3;\n" + r.shown(f"held_{t}.inner[1]"))
        ),
        True,
    ),
)

HARMFUL = (
    Trait("positional", lambda r, t: _with(r, t, f"  struct {r.name} value = {{{r.positional()}}};\n")),
    Trait("one value", lambda r, t: _with(r, t, f"  struct {r.name} value = {{5}};\n")),
    Trait(
        "first only",
        lambda r, t: _with(r, t, f"  struct {r.name} value = {{7, .{r.names[1]} = 2}};\n"),
        languages="c",
    ),
    Trait(
        "mixed",
        lambda r, t: _with(r, t, f"  struct {r.name} value = {{.{r.names[1]} = 3, 4, 5}};\n"),
        languages="c",
    ),
    Trait("nested", _nested),
    Trait("elided", _elided, flags=("-Wno-missing-braces",)),
    Trait("flat array", _flat, flags=("-Wno-missing-braces",)),
    Trait("macro", _macro),
    Trait("list of rows", _listed),
    Trait(
        "compound literal",
        lambda r, t: _with(r, t, f"  struct {r.name} value;\n  value = (struct {r.name}){{{r.positional(8)}}};\n"),
        languages="c",
    ),
    Trait("rows of a file", _included),
    Trait("copied bytes", lambda r, t: _first_bytes(r, t, "  memcpy(&first, &value, sizeof first);\n")),
    Trait("cast", lambda r, t: _first_bytes(r, t, f"  first = *({r.fields[0][0]} *)&value;\n")),
    Trait(
        "kept as void",
        lambda r, t: _first_bytes(r, t, f"  void *p = &value;\n  first = *({r.fields[0][0]} *)p;\n"),
    ),
    Trait(
        "partly cleared",
        lambda r, t: _with(r, t, f"  struct {r.name} value = {{0}};\n" + r.assigned + "  memset(&value, 0, 8);\n"),
    ),
    Trait("union", _overlaid, languages="c"),
    Trait("file", _through_file),
    Trait("hash", _hashed),
    Trait(
        "offsetof",
        lambda r, t: _function(t, f'  printf("%d\\n", (int)offsetof(struct {r.name}, {r.names[1]}));\n'),
    ),
    Trait(
        "old offsetof",
        lambda r, t: _function(t, f'  printf("%d\\n", (int)(long)&((struct {r.name} *)0)->{r.names[1]});\n'),
        languages="c",
    ),
    Trait("size", lambda r, t: _function(t, f'  printf("%d\\n", (int)sizeof(struct {r.name}));\n')),
    Trait(
        "asserted",
        lambda r, t: f'_Static_assert(offsetof(struct {r.name}, {r.names[0]}) == 0, "");\n' + _function(t, ""),
        languages="c",
    ),
    Trait("distance", _distance),
    Trait("compared", _compared),
    Trait("redeclared", _redeclared),
    Trait("unknown unit", lambda r, t: _with(r, t, f"  struct {r.name} value = {{{r.positional(2)}}};\n"), alone=True),
    Trait("unknown elided", _elided, alone=True, flags=("-Wno-missing-braces",)),
    Trait("configuration", _other_configuration, configuration="-DOTHER"),
    Trait(
        "binding",
        lambda r, t: _function(
            t,
            f"  struct {r.name} value = {{}};\n  value.{r.names[1]} = 9;\n"
            f"  auto [{', '.join(f'v{n}' for n in range(len(r.names)))}] = value;\n"
            + "".join(f'  printf("%g ", (double)v{n});\n' for n in range(len(r.names))),
        ),
        languages="c++",
    ),
    Trait(
        "designated in order",
        lambda r, t: _with(r, t, f"  {r.name} value = {{{r.designated(6)}}};\n"),
        languages="c++",
    ),
    Trait(
        "returned",
        lambda r, t: (
            f"static {r.name} made_{t}() {{ return {{{r.positional(12)}}}; }}\n"
            + _with(r, t, f"  {r.name} value = made_{t}();\n")
        ),
        languages="c++",
    ),
    Trait(
        "argument",
        lambda r, t: (
            f"static double first_{t}({r.name} v) {{ return v.{r.names[0]}; }}\n"
            + _function(t, f'  printf("%g\\n", first_{t}({{{r.positional(21)}}}));\n')
        ),
        languages="c++",
    ),
    Trait(
        "derived",
        lambda r, t: (
            f"struct more_{t} : {r.name} {{ int extra; }};\n"
            + _function(t, f"  more_{t} v{{{{{r.positional(13)}}}, 4}};\n" + r.shown("v"))
        ),
        languages="c++",
    ),
    Trait(
        "new",
        lambda r, t: _function(
            t, f"  {r.name} *p = new {r.name}{{{r.positional(17)}}};\n" + r.shown("(*p)") + "  delete p;\n"
        ),
        languages="c++",
    ),
)
