"""Variants of mem-struct-padding."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from style import EXPECT, Shape, Style, headers, indent, lines

SCALARS = {"char": 1, "short": 2, "int": 4, "float": 4, "unsigned": 4, "double": 8, "long": 8, "void *": 8}


def record_size(kinds: Sequence[str]) -> tuple[int, int]:
    """Bytes of a record with these fields in this order, and in the best one (x86-64 and AArch64 Linux)."""
    offset = 0
    widest = max(SCALARS[kind] for kind in kinds)
    for kind in kinds:
        size = SCALARS[kind]
        offset = (offset + size - 1) // size * size + size

    def rounded(bytes_used: int) -> int:
        return (bytes_used + widest - 1) // widest * widest

    return rounded(offset), rounded(sum(SCALARS[kind] for kind in kinds))


def record_variant(style: Style, kinds: Sequence[str], expect: bool, before: str = "", after: str = "") -> str:
    """A file with an array of such records; `before` and `after` go around the record's keyword and its fields."""
    record, make, n, items = style.names(4)
    fields = style.names(len(kinds))
    members = "\n".join(
        f"  {kind}{'' if kind.endswith('*') else ' '}{f};" for kind, f in zip(kinds, fields, strict=True)
    )
    note = EXPECT.format("mem-struct-padding") if expect else ""
    keyword = "struct"
    access = ""
    if style.cxx and style.helper:
        keyword, access = "class", "public:"
    named = record if style.cxx else f"struct {record}"
    declaration = lines(note, f"{keyword} {before}{record} {{", access, members, "};")
    if not style.cxx and style.helper:
        declaration = lines(note, f"typedef struct {before}{record} {{", members, f"}} {record};")
        named = record
    declaration += after
    t = style.index

    def fill(target: str) -> str:
        return "\n".join(
            f"{target}{f} = {'0' if kind.endswith('*') else f'({kind}){index}'};"
            for index, (kind, f) in enumerate(zip(kinds, fields, strict=True))
        )

    i = style.name()
    loop = lines(f"{style.loop(i, '0', n)} {{", indent(fill(f"{items}[{i}].")), "}")
    where = style.pick("heap", "zeroed", "static", *(("vector", "new") if style.cxx else ()))
    if where == "static":
        return lines(
            headers(style), declaration, f"static {named} {items}[4000];",
            f"void *{make}({t} {n}) {{", indent(loop), f"  return &{items}[0];", "}",
        )  # fmt: skip
    if where == "vector":
        return lines(
            headers(style, "<vector>"), declaration, f"std::vector<{named}> {make}({t} {n}) {{",
            f"  std::vector<{named}> {items}({n});", indent(loop), f"  return {items};", "}",
        )  # fmt: skip
    cast = f"({named} *)" if style.cxx else ""
    allocation = {
        "heap": f"{cast}malloc({n} * sizeof({named}))",
        "zeroed": f"{cast}calloc({n}, sizeof({named}))",
        "new": f"new {named}[{n}]",
    }[where]
    check = "" if where == "new" else f"if ({items} == {style.null})\n  return {style.null};"
    return lines(
        headers(style, "<stdlib.h>", *(("<new>",) if where == "new" else ())).replace("#include <new>\n", ""),
        declaration, f"{named} *{make}({t} {n}) {{", f"  {named} *{items} = {allocation};", indent(check), indent(loop),
        f"  return {items};", "}",
    )  # fmt: skip


def draw_fields(style: Style, accept: Callable[[int, int], bool]) -> list[str]:
    kinds = list(SCALARS)
    while True:
        chosen = [style.rng.choice(kinds) for _ in range(style.rng.randint(3, 8))]
        size, best = record_size(chosen)
        if accept(size, size - best):
            return chosen


def padding_loud(style: Style) -> str:
    return record_variant(style, draw_fields(style, lambda size, saved: saved >= 8 and saved * 20 >= size), True)


def padding_small(style: Style) -> str:
    return record_variant(style, draw_fields(style, lambda _, saved: 0 < saved < 8), False)


def padding_sorted(style: Style) -> str:
    kinds = draw_fields(style, lambda _, saved: saved >= 8)
    return record_variant(style, sorted(kinds, key=lambda kind: -SCALARS[kind]), False)


def padding_aligned(style: Style) -> str:
    """Aligned to a cache line on purpose; without that, the record would be loud."""
    kinds = draw_fields(style, lambda size, saved: saved >= 8 and size <= 64)
    return record_variant(style, kinds, False, "alignas(64) " if style.cxx else "__attribute__((aligned(64))) ")


def padding_packed(style: Style) -> str:
    kinds = draw_fields(style, lambda _, saved: saved >= 8)
    return record_variant(style, kinds, False, "__attribute__((packed)) ")


LOUD: dict[str, Shape] = {"record": padding_loud}

SILENT: dict[str, Shape] = {
    "sorted": padding_sorted,
    "small": padding_small,
    "aligned": padding_aligned,
    "packed": padding_packed,
}
