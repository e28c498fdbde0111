"""Measures how soon the language server answers in a file of 2,000 lines, after an edit and after a changed comment.

    benchmarks/lsp_latency.py [--build FOLDER] [--repeat N] [--lines N] [--file FILE [--flags "..."]] [--json FILE]

The file is made of the Lattice-Boltzmann program's kernels, repeated under other names, or is FILE. A time is from the
client's message to the diagnostics of that version, over standard input and output; the pause that the server waits for
more typing is part of it. CPU seconds are those of the server and its analysers, which a busy machine does not change.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP), str(TOP / "tests")]

from lsp.client import Client  # noqa: E402

TARGETS = {"open": None, "edit": 1.5, "comment": 0.2}


def program(lines: int) -> str:
    """At least so many lines of C; each repetition of the kernels has names of its own."""
    folder = TOP / "tests/kernels/lbm/original"
    text = (folder / "physics.c").read_text(encoding="utf-8")
    names = re.findall(r"^(?:static )?(?:inline )?\w+ \*?(\w+)\(", text, re.MULTILINE)
    includes = "\n".join(line for line in text.split("\n") if line.startswith("#include"))
    body = "\n".join(line for line in text.split("\n") if not line.startswith("#include"))
    parts, count = [includes], includes.count("\n")
    number = 0
    while count < lines:
        number += 1
        parts.append(re.sub(rf"\b({'|'.join(names)})\b", rf"\1_{number}", body))
        count += parts[-1].count("\n") + 1
    return "\n".join(parts)


def cpu_seconds(pid: int) -> float:
    """Of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def measure(file: Path, flags: list[str], repeat: int) -> dict[str, list[tuple[float, float]]]:
    """(wall seconds, CPU seconds) of each answer, by what was done."""
    entry = {"directory": str(file.parent), "file": str(file), "arguments": ["gcc", *flags, "-c", str(file)]}
    (file.parent / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    client = Client(file.parent)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in TARGETS}
    try:
        client.start()
        text = file.read_text(encoding="utf-8", errors="replace")
        middle = text.index("\n}\n", len(text) // 2) + 2  # behind a function

        def timed(name: str, do: Any) -> None:
            before, start = cpu_seconds(client.process.pid), time.perf_counter()
            do()
            client.diagnostics(uri)
            wall = time.perf_counter() - start
            found[name].append((wall, cpu_seconds(client.process.pid) - before))

        uri = file.as_uri()
        timed("open", lambda: client.open(file, text))
        for number in range(repeat):
            edited = f"{text}\nint edit_{number};\n"
            timed("edit", lambda new=edited: client.change(uri, new))
            remark = f"{edited[:middle]}\n// remark {number}{edited[middle:]}"
            timed("comment", lambda new=remark: client.change(uri, new))
        client.stop()
    finally:
        client.kill()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=TOP / "build", help="build folder (default: build)")
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="edits of each kind (default: 7)")
    parser.add_argument("--lines", type=int, default=2000, metavar="N", help="of the file that is made (default: 2000)")
    parser.add_argument("--file", type=Path, help="a source file, with its own folder on the include path")
    parser.add_argument("--flags", default="-O2 -fopenmp", help="of its compile command (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to FILE")
    options = parser.parse_args()
    os.environ["STRIDEWISE_BUILD"] = str(options.build.resolve())
    flags = [*options.flags.split(), f"-I{TOP / 'tests/kernels/lbm/original/include'}"]
    with tempfile.TemporaryDirectory(prefix="stridewise-bench-") as name:
        folder = Path(name) / "project"
        folder.mkdir()
        file = folder / (options.file.name if options.file else "kernels.c")
        text = options.file.read_text(encoding="utf-8", errors="replace") if options.file else program(options.lines)
        file.write_text(text, encoding="utf-8")
        if options.file:
            flags.append(f"-I{options.file.resolve().parent}")
        found = measure(file, flags, options.repeat)
    print(f"{file.name}, {text.count(chr(10)):,} lines; load of the machine {os.getloadavg()[0]:.1f}")
    print(f"{'':10}{'median':>10}{'least':>10}{'CPU, least':>12}{'target':>10}   seconds")
    for what, times in found.items():
        target = TARGETS[what]
        wall, cpu = [w for w, _ in times], [c for _, c in times]
        print(
            f"{what:10}{statistics.median(wall):10.3f}{min(wall):10.3f}{min(cpu):12.3f}"
            + (f"{f'< {target}':>10}" if target else "")
        )
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
