"""Tail calls in real programs: what the compiler made jumps of gets its frames back, and nothing else does.

A library stands for MPI, which prints the return addresses that the interposer would record.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mpi_launch import LAUNCH
from stridewise.cli import main
from stridewise.collect import symbolize, tailcalls
from stridewise.runs.mpi import trace
from stridewise.runs.mpi.trace import Address, CallPath, Frame, Trace
from stridewise.settings import toolchain

pytestmark = pytest.mark.skipif(
    symbolize.find_tool() is None or not any(map(shutil.which, tailcalls.TOOLS)),
    reason="needs a symboliser and a disassembler",
)

MPI = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>

static void report(const char *call, int number) {
  void *frames[32];
  int count = backtrace(frames, 32);
  printf("%d %s", number, call);
  for (int i = 2; i < count; i++) {
    Dl_info info;
    struct link_map *map;
    if (dladdr1(frames[i], &info, (void **)&map, RTLD_DL_LINKMAP))
      printf(" %s:%lx", info.dli_fname, (unsigned long)frames[i] - 1 - (unsigned long)map->l_addr);
  }
  printf("\n");
}

int MPI_Barrier(int number) {
  report("MPI_Barrier", number);
  return 0;
}

int MPI_Send(int number) {
  report("MPI_Send", number);
  return 0;
}

void mpi_barrier_(int *number, int *error) {
  report("MPI_Barrier", *number);
  *error = 0;
}
"""

# The number that a case passes to MPI says which case it is.
LIBRARY = """
int MPI_Barrier(int number);
int MPI_Send(int number);

static __attribute__((noinline)) int deeper(int number) {
  return MPI_Barrier(number); // deeper
}

int halo(int number) {
  __asm__ volatile("");
  return deeper(number); // halo
}
"""

PROGRAM = """
#define KEEP __attribute__((noinline, noclone)) void
#if defined(__clang__)
#undef KEEP
#define KEEP __attribute__((noinline)) void
#endif
int MPI_Barrier(int number);
int MPI_Send(int number);
int halo(int number);
volatile int sink;
volatile int one = 1;
static void (*volatile pointer)(int);
static int (*volatile to_send)(int) = MPI_Send;

KEEP last(int number) {
  sink = 1;
  MPI_Barrier(number); // last
}

static KEEP wrapper(int number) {
  sink = 2;
  MPI_Barrier(number); // wrapper
}
KEEP uses_wrapper(int number) {
  sink = 3;
  wrapper(number); // uses wrapper
}

static KEEP left(int number) { sink = 4; MPI_Barrier(number); } // left
static KEEP right(int number) { sink = 5; MPI_Barrier(number); } // right
KEEP branches(int number) {
  if (one)
    left(number);
  else
    right(number);
}

static inline __attribute__((always_inline)) void shared(int number) {
  MPI_Barrier(number); // shared
}
static KEEP even(int number) { sink = 6; shared(number); }
static KEEP odd(int number) { sink = 7; shared(number); }
KEEP same_line(int number) {
  if (one)
    even(number);
  else
    odd(number);
}

KEEP by_pointer(int number) {
  sink = 8;
  if (number == 0)
    MPI_Send(number);
  else
    pointer(number);
}

KEEP plain(int number) {
  MPI_Barrier(number); // plain
  sink = 9;
}

static KEEP inner(int number) {
  MPI_Barrier(number); // inner
  sink = 10;
}
KEEP middle(int number) {
  sink = 11;
  inner(number); // middle
}

static __attribute__((cold, noinline)) void rare(void) { sink = 12; }
KEEP split(int number) {
  sink = 13;
  if (number == 8) {
    rare();
    sink = 14;
    MPI_Barrier(number); // split
  }
}

KEEP either(int number) {
  sink = 15;
  if (number == 9)
    MPI_Barrier(number);
  else
    MPI_Send(number);
}

KEEP mixed(int number) {
  sink = 21;
  if (number == 14)
    MPI_Barrier(number);
  else
    to_send(number);
}

KEEP decoy(int number) {
#if defined(__x86_64__)
  /* An immediate operand whose bytes are those of a jump to MPI_Barrier. */
  __asm__ volatile(".byte 0x48, 0xb8, 0xe9\\n .long MPI_Barrier@PLT - 4\\n .byte 0, 0, 0" ::: "rax");
#endif
  pointer(number);
}

static KEEP step4(int number) { sink = 16; MPI_Barrier(number); } // step 4
static KEEP step3(int number) { sink = 17; step4(number); } // step 3
static KEEP step2(int number) { sink = 18; step3(number); } // step 2
static KEEP step1(int number) { sink = 19; step2(number); } // step 1
KEEP step0(int number) { sink = 20; step1(number); }

int main(void) {
  pointer = last;
  last(0); // 0
  uses_wrapper(1); // 1
  branches(2); // 2
  same_line(3); // 3
  by_pointer(4); // 4
  plain(5); // 5
  middle(6); // 6
  halo(7); // 7
  split(8); // 8
  for (int i = 0; i <= one; i++)
    either(9 + i * 100); // 9
  decoy(10); // 10
  step1(11); // 11
  step0(12); // 12
  pointer(13); // 13
  for (int i = 0; i <= one; i++)
    mixed(14 + i * 100); // 14
  return sink == 0;
}
"""

FORTRAN = """
subroutine exchange(number, error)
  integer :: number, error
  error = 1
  call mpi_barrier(number, error) ! barrier
end subroutine

program main
  integer :: number, error
  number = 0
  call exchange(number, error) ! 0
  if (error /= 0) stop 1
end program
"""

BUILDS = {
    "gcc": ["gcc"],
    "gcc, not position-independent": ["gcc", "-fno-pie", "-no-pie"],
    "gcc, no linkage stubs": ["gcc", "-fno-plt"],
    "gcc, landing pads": ["gcc", "-fcf-protection=full", "-Wl,-z,ibtplt"],
    "clang": ["clang-19"],
    "clang, for size, lld": ["clang-19", "-Os", "-fuse-ld=lld"],
}


def run(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def make_trace(modules: Sequence[Path], paths: Sequence[Sequence[Address]], calls: Iterable[tuple[int, str]]) -> Trace:
    """A trace that holds paths and calls, and is empty otherwise."""
    job = trace.Job("1", "openmpi", "", str(modules[0]), "", "", 0, 1, ())
    return Trace(
        job=job,
        summary=trace.Summary(0.0, 0.0, None, None, None),
        ranks=(),
        modules=tuple(trace.Module(str(module), symbolize.build_id(module)) for module in modules),
        paths=tuple(CallPath(tuple(path)) for path in paths),
        calls=tuple(trace.Call(path, call, 1, 0, (), ()) for path, call in calls),
        windows=(),
        barriers=(),
        bursts=(),
        chains=(),
        problems=(),
        notes=(),
    )


def traced(program: Path, libraries: Sequence[Path] = ()) -> tuple[Trace, dict[int, int]]:
    """Not yet symbolised, and the path of each case."""
    modules = [program, *libraries]
    places = {module.resolve(): index for index, module in enumerate(modules)}
    paths: dict[tuple[Address, ...], int] = {}
    cases, calls = {}, []
    for number, call, *frames in map(str.split, run(program).splitlines()):
        addresses = []
        for frame in frames:
            name, _, value = frame.rpartition(":")
            module = places.get(Path(name).resolve())
            if module is None:
                break  # what starts main
            addresses.append(Address(module, int(value, 16)))
        cases[int(number)] = path = paths.setdefault(tuple(addresses), len(paths))
        calls.append((path, call))
    return make_trace(modules, list(paths), calls), cases


class Build:
    """The program as one compiler makes it: the frames of each case, and the notes."""

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        self.folder = folder
        for name, text in (("mpi", MPI), ("library", LIBRARY), ("program", PROGRAM)):
            (folder / f"{name}.c").write_text(text, encoding="utf-8")
        compiler, *options = command
        self.compiler = compiler
        shared = ["-shared", "-fPIC", "-Wl,--build-id"]
        run("gcc", *shared, folder / "mpi.c", "-o", folder / "libmpi.so")
        found = [f"-L{folder}", f"-Wl,-rpath,{folder}"]
        flags = ["-O2", "-g", "-Wl,--build-id", *options]
        of_library = [flag for flag in flags if "pie" not in flag]
        library = folder / "liblibrary.so"
        run(compiler, *of_library, *shared, folder / "library.c", "-o", library, *found, "-lmpi")
        self.binary = folder / "program"
        run(compiler, *flags, folder / "program.c", "-o", self.binary, *found, "-llibrary", "-lmpi")
        self.trace, self.cases = traced(self.binary, [library])
        symbolized, self.notes = symbolize.symbolize(self.trace)
        self.frames = {case: of_user(symbolized.paths[path].frames) for case, path in self.cases.items()}

    def has(self, symbol: str) -> bool:
        return re.search(rf"\b{re.escape(symbol)}$", run("nm", self.binary), re.MULTILINE) is not None

    def lines(self, case: int) -> list[str]:
        """The marks of the lines on the path; of lines without one, their numbers."""
        return [mark(self.folder / Path(frame.file).name, frame.line) for frame in self.frames[case]]

    def inserted(self, case: int) -> list[str]:
        return [frame.function for frame in self.frames[case] if frame.via_tail_call]


def of_user(frames: Sequence[Frame]) -> list[Frame]:
    return [frame for frame in frames if frame.user and frame.known]


def mark(file: Path, line: int) -> str:
    text = file.read_text(encoding="utf-8").splitlines()[line - 1]
    return text.rpartition("// ")[2] if "// " in text else str(line)


@pytest.fixture(scope="module", params=BUILDS)
def build(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Build:
    command = BUILDS[str(request.param)]
    if not shutil.which(command[0]) or ("-fuse-ld=lld" in command and not shutil.which("ld.lld-19")):
        pytest.skip(f"{' '.join(command)} is not installed")
    if "-fcf-protection=full" in command and os.uname().machine != "x86_64":
        pytest.skip("needs x86-64")
    return Build(tmp_path_factory.mktemp("build"), command)


def test_the_last_call_of_a_function(build: Build) -> None:
    assert build.lines(0) == ["last", "0"]
    assert build.inserted(0) == ["last"]
    site = build.frames[0][0]
    assert (site.function, site.user) == ("last", True)


def test_a_wrapper_of_a_wrapper(build: Build) -> None:
    assert build.lines(1) == ["wrapper", "uses wrapper", "1"]
    assert build.inserted(1) == ["wrapper", "uses_wrapper"]


def test_different_lines_leave_the_caller(build: Build) -> None:
    assert build.lines(2) == ["2"]
    file = build.folder / "program.c"
    places = [n for n, _ in enumerate(file.read_text().splitlines(), 1) if mark(file, n) in ("left", "right")]
    wanted = f"branches ends in a call at one of {', '.join(f'program.c:{line}' for line in places)}: "
    assert any(note.startswith(wanted) for note in build.notes)


def test_what_all_ways_share_is_known(build: Build) -> None:
    assert build.lines(3) == ["shared", "3"]
    assert build.inserted(3) == ["shared"]


def test_calls_through_pointers_are_left_alone(build: Build) -> None:
    assert build.lines(4) == ["4"]
    assert build.lines(13) == ["13"]
    assert not any("by_pointer" in note for note in build.notes)


def test_bytes_that_look_like_a_jump(build: Build) -> None:
    assert build.lines(10) == ["10"]


def test_recorded_frames_stay_as_they_are(build: Build) -> None:
    assert build.lines(5) == ["plain", "5"]
    assert build.inserted(5) == []


def test_a_frame_between_recorded_ones(build: Build) -> None:
    assert build.lines(6) == ["inner", "middle", "6"]
    assert build.inserted(6) == ["middle"]


def test_a_library(build: Build) -> None:
    assert build.lines(7) == ["deeper", "halo", "7"]


def test_a_part_that_was_moved_away(build: Build) -> None:
    assert build.lines(8) == ["split", "8"]
    assert build.inserted(8) == ["split"]
    assert build.has("split.cold") == (build.compiler == "gcc")


def test_two_kinds_of_calls_on_one_path(build: Build) -> None:
    assert build.cases[9] == build.cases[109]
    assert build.lines(9) == ["9"]
    assert any(note.startswith("either ends in a call at one of") for note in build.notes)


def test_a_kind_of_call_that_stays_unexplained(build: Build) -> None:
    assert build.cases[14] == build.cases[114]
    assert build.lines(14) == ["14"]


def test_chains_have_a_limit(build: Build) -> None:
    assert build.lines(11) == ["step 4", "step 3", "step 2", "step 1", "11"]
    assert build.lines(12) == ["12"]


@pytest.fixture(scope="module")
def default_build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    return Build(tmp_path_factory.mktemp("default"), ["gcc"])


def test_no_disassembler(default_build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tailcalls, "TOOLS", ("no-such-disassembler",))
    symbolized, notes = symbolize.symbolize(default_build.trace)
    if os.uname().machine == "x86_64":
        assert notes == ["tail calls are shown where the function is called: none of no-such-disassembler is installed"]
        assert not any(frame.via_tail_call for path in symbolized.paths for frame in path.frames)


@pytest.mark.parametrize("tool", tailcalls.TOOLS)
def test_each_disassembler(default_build: Build, monkeypatch: pytest.MonkeyPatch, tool: str) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    monkeypatch.setattr(tailcalls, "TOOLS", (tool,))
    symbolized, notes = symbolize.symbolize(default_build.trace)
    assert notes == default_build.notes
    for case, path in default_build.cases.items():
        assert of_user(symbolized.paths[path].frames) == default_build.frames[case]


def test_a_disassembler_that_fails(
    default_build: Build, monkeypatch: pytest.MonkeyPatch, script: Callable[[str, str], Path]
) -> None:
    monkeypatch.setattr(tailcalls, "TOOLS", (str(script("disassembler", "#!/bin/sh\nexit 1\n")),))
    symbolized, notes = symbolize.symbolize(default_build.trace)
    if os.uname().machine == "x86_64":
        assert any("tail calls in" in note and "not resolved" in note for note in notes)
        assert not any(frame.via_tail_call for path in symbolized.paths for frame in path.frames)


@pytest.mark.parametrize("options", [["--strip-unneeded"], ["--strip-all"], ["--strip-all", "--strip-section-headers"]])
def test_binaries_without_symbols(default_build: Build, tmp_path: Path, options: list[str]) -> None:
    strip = shutil.which("llvm-strip-19")
    if strip is None:
        pytest.skip("llvm-strip is not installed")
    bare = tmp_path / "program"
    sections = "--strip-sections" if "--strip-section-headers" in options else options[0]
    run(strip, sections, default_build.binary, "-o", bare)
    symbolized, _ = symbolize.symbolize(
        default_build.trace, lambda m: str(bare) if m.path == default_build.trace.job.executable else m.path
    )
    assert symbolized.paths[default_build.cases[0]].frames[0].line == 0


def test_a_damaged_binary(default_build: Build, tmp_path: Path) -> None:
    data = default_build.binary.read_bytes()
    broken = tmp_path / "program"
    for at in range(0, 64, 2):
        broken.write_bytes(data[:at] + b"\xff\xff" + data[at + 2 :])
        tailcalls.find(default_build.trace, lambda _: str(broken))
    for size in (0, 1, 64, 200, len(data) // 2, len(data) - 100):
        broken.write_bytes(data[:size])
        tailcalls.find(default_build.trace, lambda _: str(broken))


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="needs gfortran")
def test_fortran(tmp_path: Path) -> None:
    (tmp_path / "mpi.c").write_text(MPI, encoding="utf-8")
    source = tmp_path / "program.f90"
    source.write_text(FORTRAN, encoding="utf-8")
    run("gcc", "-shared", "-fPIC", tmp_path / "mpi.c", "-o", tmp_path / "libmpi.so")
    link = [f"-L{tmp_path}", "-lmpi", f"-Wl,-rpath,{tmp_path}"]
    run("gfortran", "-O2", "-g", "-fno-inline", source, "-o", tmp_path / "program", *link)
    found, cases = traced(tmp_path / "program")
    symbolized, notes = symbolize.symbolize(found)
    assert notes == []
    lines = source.read_text(encoding="utf-8").splitlines()
    frames = of_user(symbolized.paths[cases[0]].frames)
    assert [lines[frame.line - 1].rpartition("! ")[2] for frame in frames[:2]] == ["barrier", "0"]
    assert frames[0].via_tail_call


@pytest.mark.skipif(not shutil.which("clang-19") or not shutil.which("ld.lld-19"), reason="needs clang and lld")
@pytest.mark.parametrize("protection", ["none", "bti"])
def test_aarch64(tmp_path: Path, protection: str) -> None:
    source, binary = tmp_path / "program.c", tmp_path / "program.so"
    source.write_text(
        "int MPI_Barrier(int);\nvolatile int sink;\n"
        "__attribute__((noinline)) static int last(int number) { sink = 1; return MPI_Barrier(number); }\n"
        "__attribute__((noinline)) static int over(int number) { sink = 2; return last(number); }\n"
        "int top(int number) { return over(number) + 1; }\n",
        encoding="utf-8",
    )
    target = ["--target=aarch64-linux-gnu", f"-mbranch-protection={protection}"]
    flags = ["-O2", "-g", "-fPIC", "-shared", "-nostdlib", "-fuse-ld=lld", "-Wl,--build-id"]
    force = ["-Wl,-z,force-bti"] if protection == "bti" else []
    run("clang-19", *target, *flags, *force, source, "-o", binary)
    symbols = {name: int(value, 16) for value, _, name in map(str.split, run("nm", "-D", binary).splitlines()[-1:])}
    code = run("llvm-objdump-19", "-d", "--no-show-raw-insn", f"--start-address={symbols['top']:#x}", binary)
    call = next(line for line in code.splitlines() if re.search(r"\sbl\s", line))
    path = [Address(0, int(call.split(":")[0], 16) + 3)]
    symbolized, _ = symbolize.symbolize(make_trace([binary], [path], [(0, "MPI_Barrier")]))
    assert [(f.function, f.line, f.via_tail_call) for f in symbolized.paths[0].frames] == [
        ("last", 3, True),
        ("over", 4, True),
        ("top", 5, False),
    ]


@pytest.mark.parametrize("call", ["MPI_Barrier", "MPI_Comm_rank"])
def test_names_that_the_linker_knows(call: str) -> None:
    names = tailcalls.mpi_symbols(call)
    lower = call.lower()
    assert {call, f"P{call}", f"{lower}_", f"{lower}__", f"p{lower}_", call.upper(), f"{lower}_f08_"} <= names


def test_frames_without_lines_are_not_inserted() -> None:
    known, bare = Frame("f", "a.c", 3), Frame("lib.so+0x1", "lib.so", 0, user=False)
    lines = {Address(0, 1): [known], Address(0, 2): [bare], Address(0, 3): [replace(known, column=7)]}
    one = tailcalls.Gap(0, 0, ((Address(0, 1),),))
    assert tailcalls.fill(one, lines.__getitem__) == ((replace(known, via_tail_call=True),), "")
    assert tailcalls.fill(replace(one, chains=((Address(0, 1), Address(0, 2)),)), lines.__getitem__) == ((), "")
    columns = replace(one, chains=((Address(0, 1),), (Address(0, 3),)))
    assert [f.line for f in tailcalls.fill(columns, lines.__getitem__)[0]] == [3]


needs_mpi = pytest.mark.skipif(
    toolchain.program("stridewise-merge", "STRIDEWISE_MERGE") is None, reason="stridewise-merge is not built"
)


@needs_mpi
@pytest.mark.parametrize("flavour", sorted(toolchain.FLAVOURS))
def test_a_barrier_at_the_end_of_an_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flavour: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if flavour not in toolchain.interposers() or not shutil.which(f"mpicc.{flavour}"):
        pytest.skip(f"{flavour} is not installed")
    monkeypatch.chdir(tmp_path)
    for name, value in LAUNCH.items():
        monkeypatch.setenv(name, value)
    source = tmp_path / "app.c"
    source.write_text(
        """#include <mpi.h>
#include <unistd.h>

static __attribute__((noinline)) void exchange(MPI_Comm comm, int rank) {
  usleep(rank * 1000);
  MPI_Barrier(comm); // here
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; i++)
    exchange(MPI_COMM_WORLD, rank);
  MPI_Finalize();
  return 0;
}
""",
        encoding="utf-8",
    )
    subprocess.run([f"mpicc.{flavour}", "-O2", "-g", "-o", "app", "app.c"], check=True)
    assert main(["run", "--all", "--", f"mpirun.{flavour}", "-n", "2", "./app"]) == 0
    assert "app.c:6 in exchange" in capsys.readouterr().out
