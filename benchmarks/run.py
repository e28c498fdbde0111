"""Measures what DESIGN promises, and prints it beside the targets.

    benchmarks/run.py [--json FILE] [--repeat N] [--build FOLDER] [--only REGEX] [--database FOLDER ...]

Analysis time is taken against `clang -O2 -c` of the same file in the same run: user plus system time of the process,
the smallest of N, alternating, so that a busy machine disturbs both alike. Sources are this project's own kernels and,
where STRIDEWISE_ZOO names a folder of checkouts, the programs of tests/zoo.toml. The interposer and the merge tool have
their own programs beside this one, which it calls, and so have OpenMP, false-sharing and cache runs and calibration,
with fewer repetitions and programs than by themselves.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP), str(TOP / "tests")]

import zoo  # noqa: E402
from lit_format.hosts import HostError, Toolchain, mpi_environment  # noqa: E402
from lit_format.samples import SOURCE_SUFFIXES, Sample  # noqa: E402
from stridewise.collect import compile_db  # noqa: E402
from stridewise.collect.compilers import Interrogator  # noqa: E402
from stridewise.settings import toolchain  # noqa: E402

RATIO_TARGETS = {"C": 0.7, "C++": 1.2}
RESIDENT_TARGET_MIB = 300
AGAIN_TARGET = 0.03  # of the CPU time of a first run, when nothing has changed


@dataclass(frozen=True)
class Use:
    """What one process took. `cpu_seconds` is user plus system time."""

    status: int
    cpu_seconds: float
    resident_mib: float


@dataclass(frozen=True)
class ProjectTime:
    """Linting a whole database: with one job, with two, and once more when nothing has changed. Wall and CPU time."""

    name: str
    one_job_seconds: float
    two_jobs_seconds: float
    cpu_seconds: float
    again_cpu_seconds: float

    @property
    def again_share(self) -> float:
        return self.again_cpu_seconds / self.cpu_seconds

    @property
    def speedup(self) -> float:
        return self.one_job_seconds / self.two_jobs_seconds


@dataclass(frozen=True)
class FileTime:
    group: str
    file: str
    language: str
    compile_seconds: float
    lint_seconds: float
    lint_mib: float

    @property
    def ratio(self) -> float:
        return self.lint_seconds / self.compile_seconds


def measure(command: Sequence[str], directory: Path) -> Use:
    """Runs a command to its end, silently."""
    with Path(os.devnull).open("r+b") as nothing:
        process = subprocess.Popen(command, cwd=directory, stdin=nothing, stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Use(process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def known_arguments(clang: str, arguments: Sequence[str]) -> list[str]:
    """The arguments without those that clang has no name for: many builds are made for gcc."""
    done = subprocess.run(
        [clang, "-###", *arguments, "-x", "c", os.devnull],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    unknown = set(re.findall(r"error: unknown argument:? '([^']*)'", done.stderr))
    return [argument for argument in arguments if argument not in unknown]


def time_unit(group: str, command: compile_db.Command, name: str, tools: Toolchain, repeat: int) -> FileTime | None:
    """Compile and lint time of one unit, or None where clang does not compile it."""
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "out")
        arguments = known_arguments(tools.clang, [a for a in command.arguments if not re.fullmatch(r"-O.?", a)])
        compiling = [tools.clang, "-w", *arguments, "-O2", "-c", str(command.file), "-o", output]
        linting = [str(tools.analyze), "-o", output, str(command.file), "--", *command.arguments]
        uses: dict[str, list[Use]] = {"compile": [], "lint": []}
        for _ in range(repeat):
            uses["compile"].append(measure(compiling, command.directory))
            uses["lint"].append(measure(linting, command.directory))
    if any(use.status for both in uses.values() for use in both):
        print(f"left out, as clang or the analyser failed: {command.file}", file=sys.stderr)
        return None
    return FileTime(
        group,
        name,
        "C++" if command.language is compile_db.Language.CXX else "C",
        min(use.cpu_seconds for use in uses["compile"]),
        min(use.cpu_seconds for use in uses["lint"]),
        max(use.resident_mib for use in uses["lint"]),
    )


Unit = tuple[str, compile_db.Command, str]  # group, command, name shown


def rule_units(tools: Toolchain) -> Iterator[Unit]:
    """The samples of the rules."""
    for path in sorted((TOP / "rules").glob("*/*")):
        if path.suffix in SOURCE_SUFFIXES:
            command = compile_db.plain_command(path, tools.flags(Sample.read(path)))
            yield "rules", command, str(path.relative_to(TOP / "rules"))


def program_units(tools: Toolchain) -> Iterator[Unit]:
    """The Lattice-Boltzmann program."""
    with tempfile.TemporaryDirectory() as folder:
        capture: list[str | Path] = [tools.command, "capture", "-o", folder, "--", "make", f"BUILD={folder}/b"]
        tools.call(capture, cwd=TOP / "tests/kernels/lbm")
        yield from database_units("lbm", Path(folder))


def zoo_units(_tools: Toolchain) -> Iterator[Unit]:
    """The first build of each program of the zoo."""
    sources = os.environ.get("STRIDEWISE_ZOO")
    if not sources:
        print("STRIDEWISE_ZOO names no folder of checkouts: only this project's own sources")
        return
    for project in (p for p in zoo.load_projects() if p.builds):
        with tempfile.TemporaryDirectory() as folder:
            place = zoo.capture(project.builds[0], zoo.checkout(Path(sources).resolve(), project), Path(folder))
            yield from database_units(project.name, place)


def database_units(group: str, database: Path) -> Iterator[Unit]:
    work = compile_db.normalise(compile_db.load(database), Interrogator(database))
    for command in work.commands:
        yield group, command, command.file.name


def visible_name(folder: Path) -> str:
    """The last name of the path that is not hidden."""
    return next(part for part in reversed(folder.resolve().parts) if not part.startswith("."))


def lint_times(tools: Toolchain, repeat: int, only: str, databases: Sequence[Path]) -> tuple[list[FileTime], list[str]]:
    """Times of all units, of the databases alone where any is given, and what could not be measured."""
    times: list[FileTime] = []
    problems: list[str] = []
    given = [lambda _tools, each=each: database_units(visible_name(each), each) for each in databases]
    for units in given or (rule_units, program_units, zoo_units):
        try:
            for group, command, name in units(tools):
                if re.search(only, f"{group}/{name}") and (time := time_unit(group, command, name, tools, repeat)):
                    times.append(time)
        except (HostError, zoo.ZooError) as error:
            problems.append(str(error))
    return times, problems


def print_lint(times: Sequence[FileTime], verbose: bool) -> None:
    print(
        f"{'sources':<22} {'':>4} {'files':>5} {'clang -O2 -c':>13} {'lint':>9} {'ratio':>6} {'worst':>6} {'peak':>9}"
    )
    for language in RATIO_TARGETS:
        groups = dict.fromkeys(t.group for t in times if t.language == language)
        for group in groups:
            _print_row(group, language, [t for t in times if (t.group, t.language) == (group, language)])
        mine = [t for t in times if t.language == language]
        if mine:
            _print_row("all", language, mine, f"target ≤ {RATIO_TARGETS[language]}, ≤ {RESIDENT_TARGET_MIB} MiB")
    if verbose:
        print()
        for t in sorted(times, key=lambda t: -t.ratio):
            print(f"{t.ratio:6.2f} {t.compile_seconds:8.3f} s {t.lint_seconds:8.3f} s {t.lint_mib:7.0f} MiB", end="  ")
            print(f"{t.group}/{t.file}")


def _print_row(group: str, language: str, times: Sequence[FileTime], note: str = "") -> None:
    ratios = [t.ratio for t in times]
    row = (
        f"{group:<22} {language:>4} {len(times):5} {statistics.median(t.compile_seconds for t in times):11.3f} s"
        f" {statistics.median(t.lint_seconds for t in times):7.3f} s {statistics.median(ratios):6.2f}"
        f" {max(ratios):6.2f} {max(t.lint_mib for t in times):5.0f} MiB"
    )
    print(f"{row}  {note}".rstrip())


def project_times(tools: Toolchain, repeat: int) -> list[ProjectTime]:
    """The first build of each program of the zoo, as `stridewise lint` sees it."""
    sources = os.environ.get("STRIDEWISE_ZOO")
    times = []
    for project in (p for p in zoo.load_projects() if p.builds and sources):
        with tempfile.TemporaryDirectory() as name:
            place = zoo.capture(project.builds[0], zoo.checkout(Path(str(sources)).resolve(), project), Path(name))
            lint = [
                str(tools.command),
                "lint",
                "-p",
                str(place),
                "-o",
                f"{name}/report.txt",
                f"--cache-dir={name}/cache",
            ]

            def timed(*words: str) -> tuple[float, float]:
                start = time.monotonic()
                use = measure([*lint, *words], Path(name))  # noqa: B023 - called in this turn of the loop only
                return time.monotonic() - start, use.cpu_seconds

            single = [timed("-j", "1", "--no-cache") for _ in range(repeat)]
            double = [timed("-j", "2", "--no-cache") for _ in range(repeat)]
            timed()
            again = [timed() for _ in range(repeat)]
        times.append(
            ProjectTime(
                project.name,
                min(wall for wall, _ in single),
                min(wall for wall, _ in double),
                min(cpu for _, cpu in single),
                min(cpu for _, cpu in again),
            )
        )
    return times


def print_projects(times: Sequence[ProjectTime]) -> None:
    print(f"{'project':<14} {'-j1':>9} {'-j2':>9} {'speed-up':>8} {'again':>9} {'share':>7}")
    for t in times:
        print(
            f"{t.name:<14} {t.one_job_seconds:7.2f} s {t.two_jobs_seconds:7.2f} s {t.speedup:8.2f}"
            f" {t.again_cpu_seconds:7.3f} s {t.again_share:7.1%}"
        )
    if times:
        share = statistics.median(t.again_share for t in times)
        print(f"median share of the second run {share:.1%}, target ≤ {AGAIN_TARGET:.0%}")


def run_output(tools: Toolchain) -> dict[str, Any]:
    """What watching the Lattice-Boltzmann program on 4 ranks leaves behind, per rank."""
    kernel = TOP / "tests/kernels/lbm"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools.call(["make", f"BUILD={folder}/b"], cwd=kernel)
        program = ["mpirun", "-n", "4", str(folder / "b/lbm"), str(kernel / "config.txt")]
        plain = tools.call(program, cwd=folder, environment=mpi_environment())
        library = toolchain.interposers().get("openmpi")
        if library is None:
            raise zoo.ZooError("no interposer for Open MPI")
        preload = {"LD_PRELOAD": str(library)}
        watched = tools.call(program, cwd=folder, environment={**mpi_environment(), **preload})
        lines = _lines(watched) - _lines(plain)
        tools.call([tools.command, "run", "-o", folder / "out", "--", *program], folder, mpi_environment())
        shards = list((folder / "out/mpi").glob("*.swshard"))
        trace = folder / "out/mpi/trace.json"
        return {
            "ranks": len(shards),
            "lines_per_run": lines,
            "lines_per_rank": lines / 4,
            "shard_bytes_per_rank": sum(s.stat().st_blocks * 512 for s in shards) / max(1, len(shards)),
            "shard_file_bytes_per_rank": sum(s.stat().st_size for s in shards) / max(1, len(shards)),
            "trace_bytes_per_rank": trace.stat().st_size / max(1, len(shards)),
        }


def _lines(done: subprocess.CompletedProcess[str]) -> int:
    return done.stdout.count("\n") + done.stderr.count("\n")


def other(script: str, arguments: Sequence[str], result: Path) -> Any:
    """Runs a program beside this one, which prints its own table. Returns its JSON result, where it writes one."""
    environment = {**os.environ, **mpi_environment()}
    sources = os.environ.get("STRIDEWISE_ZOO")
    if sources and (Path(sources) / "mpiP").is_dir():
        environment.setdefault("STRIDEWISE_MPIP_SOURCE", str(Path(sources).resolve() / "mpiP"))
    command = [sys.executable, str(TOP / "benchmarks" / script), *arguments]
    done = subprocess.run(command, env=environment, check=False)
    if done.returncode != 0:
        raise zoo.ZooError(f"{script} ended with status {done.returncode}")
    return json.loads(result.read_text(encoding="utf-8")) if result.is_file() else None


def versions(tools: Toolchain) -> dict[str, str]:
    """What the numbers depend on."""
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    return {
        "project": project,
        "clang": tools.call([tools.clang, "--version"]).stdout.splitlines()[0],
        "processor": f"{os.cpu_count()} × {model[1] if model else os.uname().machine}",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=TOP / "build", help="build folder (default: build)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="measurements of each file (default: 3)")
    parser.add_argument("--only", default="", metavar="REGEX", help="only files whose name matches; nothing but these")
    parser.add_argument(
        "--database", type=Path, action="append", default=[], metavar="FOLDER",
        help="a folder with a compile_commands.json: the time of its files alone (may be given again)",
    )  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help="a line for each file")
    options = parser.parse_args()
    build: Path = options.build.resolve()
    os.environ["STRIDEWISE_BUILD"] = str(build)
    tools = Toolchain(build)
    result: dict[str, Any] = {"versions": versions(tools)}
    print(f"{result['versions']['clang']}; {result['versions']['processor']}\n")

    print("== analysis time of a file, against its compilation")
    times, problems = lint_times(tools, options.repeat, options.only, options.database)
    print_lint(times, options.verbose)
    print("\n".join(f"failed: {problem}" for problem in problems), end="\n" * bool(problems))
    result["lint"] = [{**asdict(t), "ratio": t.ratio} for t in times]
    failed = not times or bool(problems)
    if not options.only and not options.database:
        with reporting("a whole project, and once more when nothing has changed") as problem:
            projects = project_times(tools, options.repeat)
            print_projects(projects)
            result["projects"] = [{**asdict(t), "again_share": t.again_share, "speedup": t.speedup} for t in projects]
        failed |= bool(problem)
        with reporting("what a watched run leaves behind") as problem:
            result["output"] = run_output(tools)
            print("\n".join(f"{name:<28} {value:,.10g}" for name, value in result["output"].items()))
        failed |= bool(problem)
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.json"
            with reporting("MPI calls, watched and not") as problem:
                result["mpi"] = other("mpi_overhead.py", ["--build", str(build), "--json", str(figures)], figures)
            failed |= bool(problem)
            with reporting("OpenMP constructs, watched and not") as problem:
                result["omp"] = other("omp_overhead.py", ["--build", str(build), "--json", str(figures)], figures)
            failed |= bool(problem)
            with reporting("false-sharing runs, watched and not") as problem:
                words = ["--repeat", "2", "--only", "columns|shift (1|16)$|neighbours|LULESH", "--json", str(figures)]
                result["sharing"] = other("sharing_overhead.py", words, figures)
            failed |= bool(problem)
            with reporting("cache runs, whole and sampled, against plain Cachegrind") as problem:
                words = ["--repeat", "1", "--no-full", "--json", str(figures)]
                result["cache"] = other("cache_run.py", words, figures)
            failed |= bool(problem)
            with reporting("calibrations, against each other") as problem:
                words = ["--quick", "--only", "omp,memory", "--advisory", "--json", str(figures)]
                result["calibrate"] = other("calibrate_repeat.py", words, figures)
            failed |= bool(problem)
            with reporting("the language server's answers") as problem:
                result["lsp"] = other("lsp_latency.py", ["--build", str(build), "--json", str(figures)], figures)
            failed |= bool(problem)
            with reporting("merge of many ranks") as problem:
                other("merge_scale.py", ["--merge", str(build / "bin/stridewise-merge")], Path(folder) / "none")
            failed |= bool(problem)
            with reporting("the page of many ranks") as problem:
                other("merge_scale.py", ["--report"], Path(folder) / "none")
            failed |= bool(problem)
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 1 if failed else 0


@contextlib.contextmanager
def reporting(title: str) -> Iterator[list[str]]:
    """Prints the title, and an error instead of letting it end the rest. The list holds the error."""
    problems: list[str] = []
    print(f"\n== {title}", flush=True)
    try:
        yield problems
    except Exception as error:  # any defect of one benchmark must not hide the others
        problems.append(str(error))
        print(f"failed: {error}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
