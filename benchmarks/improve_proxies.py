"""What `stridewise improve` makes of programs that nobody here wrote: NPB-CPP (serial), CoMD, HPCCG, miniFE, LULESH.

    build/venv/bin/python benchmarks/improve_proxies.py CODES [--only REGEX] [--minutes M] [--round-seconds S]
                                                              [-o FOLDER]

CODES holds checkouts of GMAP/NPB-CPP, ECP-copa/CoMD, Mantevo/HPCCG, Mantevo/miniFE and LLNL/LULESH, each in a folder
named OWNER+NAME. Each is built by its own make as it comes, and run at a small size. Prints a Markdown table: wall and
processor time, steps kept, steps undone since results differed, and the geometric means. Results of a program that was
improved before are taken from FOLDER.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from improve import TOP, mean


@dataclass(frozen=True)
class Program:
    """`copy` are pairs of files, the second a copy of the first that the build wants."""

    name: str
    code: str
    build: tuple[str, ...]
    run: str
    vary: tuple[str, ...] = ()
    folder: str = "."
    copy: tuple[tuple[str, str], ...] = ()


_NPB = ("bt", "cg", "ep", "ft", "is", "lu", "mg", "sp")
PROGRAMS = (
    *(
        Program(f"NPB {name.upper()} W", "GMAP+NPB-CPP", (f"make -C NPB-SER {name} CLASS=W",), f"NPB-SER/bin/{name}.W")
        for name in _NPB
    ),
    Program(
        "CoMD", "ECP-copa+CoMD", ("make -C src-mpi",), "mpirun -n 2 bin/CoMD-mpi -i 2 -x 12 -y 12 -z 12 -N 40",
        ("ranks=1",), copy=(("src-mpi/Makefile.vanilla", "src-mpi/Makefile"),),
    ),
    Program(
        "HPCCG", "Mantevo+HPCCG",
        ("make CXX=mpicxx LINKER=mpicxx USE_MPI=-DUSING_MPI",), "mpirun -n 2 ./test_HPCCG 40 40 40", ("ranks=1",),
    ),
    Program(
        "miniFE", "Mantevo+miniFE", ("make",), "mpirun -n 2 ./miniFE.x -nx 28 -ny 28 -nz 28", ("ranks=1",), "ref/src"
    ),
    Program(
        "LULESH", "LLNL+LULESH", ('make CXX="g++ -DUSE_MPI=0"',), "./lulesh2.0 -s 24 -i 60", ("OMP_NUM_THREADS=1",)
    ),
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("codes", type=Path)
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name matches")
    parser.add_argument("--round-seconds", default="20")
    parser.add_argument("--minutes", default="10", help="for each program (default: %(default)s)")
    parser.add_argument("-o", "--output", type=Path, default=TOP / "build" / "improve-proxies")
    options = parser.parse_args()
    rows, faster, less = [], [], []
    for program in PROGRAMS:
        if not re.search(options.only, program.name):
            continue
        found = improved(options.codes.resolve() / program.code, program, options)
        if found is None:
            rows.append(f"| {program.name} | did not run | | | | | |")
            continue
        kept = [step["title"] for step in found["steps"] if step["kept"]]
        wrong = sum(step["why"].startswith("other results") for step in found["steps"])
        before, after = found["seconds"]["before"], found["seconds"]["after"]
        faster.append(found["gain"])
        less.append(found["cpu_gain"])
        undone = len(found["steps"]) - len(kept)
        rows.append(
            f"| {program.name} | {before:.2f} s | {after:.2f} s | {found['gain']:.2f} | {found['cpu_gain']:.2f} | "
            f"{'; '.join(kept) or 'nothing'} | {undone} ({wrong}) |"
        )
        print(rows[-1], file=sys.stderr, flush=True)
    print("| program | before | after | times faster | less processor time | kept | undone (other results) |")
    print("|---|---:|---:|---:|---:|---|---:|")
    print("\n".join(rows))
    if faster:
        print(f"\nGeometric mean: {mean(faster):.2f} times faster, {mean(less):.2f} times less processor time.")
    return 0


def improved(code: Path, program: Program, options: argparse.Namespace) -> dict[str, Any] | None:
    """The waterfall of one program."""
    top = options.output.resolve() / re.sub(r"\W+", "-", program.name)
    result = top / "out" / "waterfall.json"
    if not result.is_file():
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(code, top / "code", symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for source, target in program.copy:
            shutil.copy(top / "code" / source, top / "code" / target)
        words = [str(TOP / "build" / "bin" / "stridewise"), "improve", "-o", str(top / "out")]
        words += ["--project", str(top / "code"), "--round-seconds", options.round_seconds]
        words += ["--minutes", options.minutes, "--tolerance", "1e-7", "--run", program.run]
        words += [word for command in program.build for word in ("--build", command)]
        words += [word for value in program.vary for word in ("--vary", value)]
        done = subprocess.run(
            words, cwd=top / "code" / program.folder, capture_output=True, text=True, errors="replace", check=False
        )
        (top / "log").write_text(done.stderr + done.stdout, encoding="utf-8")
    if not result.is_file():
        return None
    value: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return value


if __name__ == "__main__":
    sys.exit(main())
