"""The command lines of cache runs: Cachegrind or Callgrind in front of each program, on chosen ranks."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from stridewise.collect import elf, launcher
from stridewise.collect.launcher import Launch
from stridewise.errors import Failure
from stridewise.machine.geometry import Geometry
from stridewise.runs.cache.cachegrind import base_name

# Starts the tool on the chosen ranks, the bare program on the others: after the list of ranks and the number of the
# tool's words come these and the program's. The text is constant; what a person gives arrives as arguments.
_CHOOSE = 'case ",$1," in *",${%s},"*) shift 2;; *) n=$2; shift 2; shift "$n";; esac; exec "$@"'

# All windows in one file; whoever waits for Valgrind's lock gets it in turn, so that windows end when they should.
_WINDOWED = ("--instr-atstart=no", "--combine-dumps=yes", "--fair-sched=try")
_EACH = ("--dump-instr=yes", "--simulate-wb=yes")


@dataclass(frozen=True, slots=True)
class Pass:
    """One simulated run. `name` begins the names of its files."""

    name: str
    geometry: Geometry
    toggles: tuple[str, ...] = ()  # only within these functions, by Callgrind
    sampled: bool = False  # in windows that libstridewise_windows.so opens, by Callgrind
    instructions: bool = False  # each by itself, and what is written back to memory, by Callgrind
    threads: bool = False  # a file for each thread, "-01" and so on behind its name, by Callgrind

    @property
    def tool(self) -> str:
        return "callgrind" if self.toggles or self.sampled or self.instructions or self.threads else "cachegrind"


def command(
    words: Sequence[str], launch: Launch, valgrind: str, folder: Path, one: Pass, ranks: str = ""
) -> tuple[str, ...]:
    """The command with the tool in front of each program, one output file a process. `ranks`: a list, empty for all."""
    if not launch.programs:
        raise Failure(
            "the launcher reads its programs from a file; name the program on the command line for run --cache"
        )
    if ranks and not launch.rank_variable:
        raise Failure(f"--ranks {ranks}: the command starts no MPI launcher; leave --ranks out")
    out = str(folder).replace("%", "%%")
    rank = f"%q{{{launch.rank_variable}}}." if launch.rank_variable else ""
    tool = [
        valgrind,
        "-q",
        f"--tool={one.tool}",
        "--cache-sim=yes",
        *one.geometry.options(),
        *(f"--toggle-collect={pattern}" for pattern in one.toggles),
        *(_WINDOWED if one.sampled else ()),
        *(_EACH if one.instructions else ()),
        *(("--separate-threads=yes",) if one.threads else ()),
        f"--{one.tool}-out-file={out}/{one.name}.{rank}%p.out",
        # What Valgrind says of debug lines that it cannot read is no output of the program.
        f"--log-file={out}/{one.name}.{rank}%p.log",
    ]
    result: list[str] = []
    for position, word in enumerate(words):
        if position in launch.programs:
            mine = [*tool, "--trace-children=yes"] if _starts_others(word) else tool
            if ranks:
                script = _CHOOSE % launch.rank_variable
                result += ["sh", "-c", script, "stridewise", ranks, str(len(mine))]
            result += mine
        result.append(word)
    return tuple(result)


def parse_ranks(text: str) -> str:
    """`all` and the empty text mean every rank; else a list such as 0 or 0,3. Raises Failure for anything else."""
    if text in ("", "all"):
        return ""
    ranks = text.split(",")
    if not all(rank.isascii() and rank.isdigit() for rank in ranks):
        raise Failure(f"--ranks {text}: expected 'all' or ranks such as 0 or 0,3")
    return ",".join(str(int(rank)) for rank in ranks)


def _starts_others(word: str) -> bool:
    """Scripts and the like of timeout or numactl: the program itself is their child."""
    path = launcher.executable(word)
    return PurePath(word).name in launcher.PREFIXES or (path is not None and not elf.is_elf(path))


def examine(words: Sequence[str], launch: Launch) -> list[str]:
    """What is to be said about the programs before they run. Raises Failure where Valgrind cannot run them."""
    said = []
    for path in _programs(words, launch):
        mode = path.stat().st_mode
        if mode & (stat.S_ISUID | stat.S_ISGID):
            raise Failure(
                f"{path} is set-user-ID or set-group-ID, and Valgrind runs no such program; make a plain copy of it "
                f"(cp {path.name} copy; chmod ug-s copy) and run that"
            )
        sections = elf.sections(path)
        if not sections or sections & {".debug_info", ".zdebug_info", ".gnu_debuglink"}:
            continue
        if ".symtab" in sections:
            said.append(
                f"{path} has no line information: misses are counted by function, not by line; build with -g (it "
                "changes no code)"
            )
        else:
            said.append(
                f"{path} is stripped: not even its functions have names, so no finding can be judged; build with -g "
                "and do not strip"
            )
    return said


def _programs(words: Sequence[str], launch: Launch) -> list[Path]:
    found = [launcher.executable(words[position]) for position in launch.programs]
    return [path for path in found if path is not None and elf.is_elf(path)]


def toggles(functions: Iterable[str], words: Sequence[str], launch: Launch) -> tuple[tuple[str, ...], list[str]]:
    """Callgrind's patterns for the functions that the programs have, and the others: these were inlined."""
    symbols = [name for path in _programs(words, launch) for name in elf.functions(path)]
    patterns: list[str] = []
    inlined: list[str] = []
    for function in sorted(set(functions)):
        base = base_name(function)
        encoded = f"{len(base)}{base}"
        if any(s.startswith("_Z") and encoded in s for s in symbols):
            patterns += [f"*{base}(*", f"*{base}<*"]
        elif any(s == base or s.startswith(base + ".") for s in symbols):
            patterns += [base, f"{base}.*"]
        else:
            inlined.append(function)
    return tuple(dict.fromkeys(patterns)), inlined
