"""Variants of mem-array-of-structs."""

from __future__ import annotations

from collections.abc import Sequence

from style import EXPECT, Shape, Style, headers, indent, lines

SIZES = {"double": 8, "long": 8, "float": 4, "int": 4}


def fields(style: Style, bytes_wanted: int) -> list[tuple[str, str]]:
    """Declared fields (type, name) of a record with at least so many bytes, widest first."""
    chosen: list[tuple[str, str]] = []
    size = 0
    while size < bytes_wanted:
        kind = style.rng.choice(list(SIZES))
        chosen.append((kind, style.name()))
        size += SIZES[kind]
    return sorted(chosen, key=lambda field: -SIZES[field[0]])


def update(items: str, used: Sequence[tuple[str, str]], i: str, access: str) -> str:
    """Statements that change each of the used fields."""
    element = {"index": f"{items}[{i}].", "pointer": f"({items} + {i})->", "range": f"{i}.", "local": "at->"}[access]
    text = [f"{element}{name} += ({kind})1;" for kind, name in used]
    if access == "local":
        text.insert(0, f"RECORD *at = &{items}[{i}];")
    return "\n".join(text)


def walk(loud: bool, share: str, size: int, calls: str = "steps") -> Shape:
    """A file in which a loop over records is called for every step and uses some of their fields.

    `share` says how many: "few", "all", or "both" for one loop of each kind.
    """

    def make(style: Style) -> str:
        record, items, i, n, drive, step = style.names(6)
        every = fields(style, size)
        few = every[: style.rng.randint(1, 2)]
        t = style.index
        named = record if style.cxx else f"struct {record}"
        kind = style.pick("class", "struct") if style.cxx else "struct"
        declaration = lines(
            f"{kind} {record} {{", "public:" if kind == "class" else "",
            "\n".join(f"  {field_kind} {name};" for field_kind, name in every), "};",
        )  # fmt: skip
        access = style.pick("index", "pointer", "local", *(("range",) if style.cxx else ()))
        vector = access == "range" or (style.cxx and style.rng.random() < 0.4)
        parameter = f"std::vector<{named}> &{items}" if vector else f"{named} *{items}"
        if access == "pointer" and vector:
            access = "index"
        length = n
        note = EXPECT.format("mem-array-of-structs") if loud else ""

        def loop(used: Sequence[tuple[str, str]], remark: str) -> str:
            head = f"for ({named} &{i} : {items})" if access == "range" else style.loop(i, "0", length)
            body = update(items, used, i, access).replace("RECORD", named)
            return lines(remark, head + " {", indent(body), "}")

        kinds = {"few": [few], "all": [every], "both": [every, few]}[share]
        functions = style.names(len(kinds))
        texts = [
            lines(
                f"static void {name}({parameter}, {t} {n}) {{\n  (void){n};",
                indent(loop(used, note if loud else "")),
                "}",
            )
            for name, used in zip(functions, kinds, strict=True)
        ]
        body = "\n".join(f"{name}({items}, {n});" for name in functions)
        if calls == "once":
            driver = lines(
                f"int main({'' if style.cxx else 'void'}) {{",
                f"  static {named} {items}[5000];" if not vector else f"  std::vector<{named}> {items}(5000);",
                f"  const {t} {n} = 5000;", indent(body), f"  return (int){items}[7].{every[0][1]};", "}",
            )  # fmt: skip
        else:
            driver = lines(
                f"void {drive}({parameter}, {t} {n}, int steps) {{",
                f"  for (int {step} = 0; {step} < steps; {step}++) {{", indent(body, 4), "  }\n}",
            )  # fmt: skip
        return lines(headers(style, *(("<vector>",) if vector else ())), declaration, *texts, driver)

    return make


def pairs(style: Style) -> str:
    """A file in which every element is compared with those behind it, by one field of a large record."""
    record, items, i, k, n, total, function = style.names(7)
    every = fields(style, 120)
    kind, name = style.rng.choice(every)
    named = record if style.cxx else f"struct {record}"
    t = style.index
    inner = style.loop(k, f"{i} + 1", n)
    return lines(
        headers(style),
        f"struct {record} {{",
        "\n".join(f"  {field_kind} {field};" for field_kind, field in every), "};",
        f"{kind} {function}({named} *{items}, {t} {n}) {{",
        f"  {kind} {total} = 0;",
        indent(style.loop(i, "0", n)),
        indent(EXPECT.format("mem-array-of-structs"), 4),
        indent(inner, 4),
        f"      {items}[{k}].{name} += {items}[{i}].{name};",
        f"  return {total};\n}}",
    )  # fmt: skip


LOUD: dict[str, Shape] = {
    "pairs": pairs,
    "line": walk(True, "few", 64),
    "large": walk(True, "few", 150),
    "page": walk(True, "few", 400),
}

SILENT: dict[str, Shape] = {
    "all": walk(False, "all", 80),
    "mostly": walk(False, "both", 60),
    "small": walk(False, "few", 16),
    "once": walk(False, "few", 120, "once"),
}
