"""Arrays of real code that the root gathers and writes to a file."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source

_CALL = re.compile(r"^[ \t]*MPI_(Send|Recv|Isend|Irecv|Allreduce|Bcast|Reduce)\s*(?=\()", re.MULTILINE)


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    if not source.mpi:
        return
    calls = list(_CALL.finditer(source.masked))
    rng.shuffle(calls)
    for call in calls:
        close = source.closing(call.end())
        end = source.statement_end(call.start())
        before = source.masked[: call.start()].rstrip()
        if close < 0 or end < 0 or not before.endswith((";", "{", "}")):
            continue
        arguments = [" ".join(part.split()) for part in source.text[call.end() + 1 : close].split(",")]
        if call[1] in ("Allreduce", "Reduce") or len(arguments) < 3 or any("(" in part for part in arguments[:3]):
            continue
        buffer, count, datatype = arguments[:3]
        # Few elements, by a number or a name for it, are no output that costs.
        if count.isdigit() or re.search(rf"\b{re.escape(count)}\s*=\s*\d+\s*;", source.masked):
            continue
        last = source.line_of(end - 1)
        tag = f"{last}"
        rank, size, whole, out = f"rank_{tag}", f"size_{tag}", f"whole_{tag}", f"out_{tag}"
        head = [
            "  {", f"  int {rank}, {size};", f"  char *{whole} = 0;", f"  MPI_Comm_rank(MPI_COMM_WORLD, &{rank});",
            f"  MPI_Comm_size(MPI_COMM_WORLD, &{size});",
            f"  if ({rank} == 0) {whole} = (char *)malloc(8ul * (unsigned long)({count}) * (unsigned long){size});",
        ]  # fmt: skip
        write = f"fwrite({whole}, 8, (unsigned long)({count}) * (unsigned long){size}, {out});"
        if rng.random() < 0.6:
            body = [
                *head, f"  MPI_Gather({buffer}, {count}, {datatype}, {whole}, {count}, {datatype}, 0, MPI_COMM_WORLD);",
                f"  if ({rank} == 0) {{", f'    FILE *{out} = fopen("all.bin", "wb");', f"    {write}",
                f"    fclose({out});", f"    free({whole});", "  }", "  }"
            ]  # fmt: skip
        else:
            one = f"MPI_Recv({whole}, {count}, {datatype}, r, 73, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
            body = [
                *head, f"  if ({rank} == 0) {{", f'    FILE *{out} = fopen("all.bin", "wb");',
                f"    for (int r = 1; r < {size}; r++) {{", f"      {one}",
                f"      fwrite({whole}, 8, (unsigned long)({count}), {out});", "    }", f"    fclose({out});",
                "  } else {",
                f"    MPI_Send({buffer}, {count}, {datatype}, 0, 73, MPI_COMM_WORLD);", "  }", "  }"
            ]  # fmt: skip
        at = next(k for k, line in enumerate(body) if "fwrite" in line)
        text = "#include <stdio.h>\n#include <stdlib.h>\n" + source.insert(last + 1, "\n".join(body))
        yield Injection(text, (last + 1 + at + 2,), "an array that the root gathers and writes")
