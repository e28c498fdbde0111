"""Puts faults into the code, one at a time, and tells which of them no test notices.

A random sample of all places of the chosen files gets a fault: a comparison, a constant, a condition or a negation
dropped, a confidence swapped, an early return. All are compiled into one build of a copy of the project, each behind
a number. One run of the suites records which tests come by which fault; then, fault by fault, those tests run with it
switched on, the fastest first: it is killed if one fails, survives if none does, and is not reached if no test comes
by. Results are kept as they come: the same command goes on where it was stopped.

    make mutate ARGS='analyzer/checks/mem-struct-padding'
    make mutate ARGS='analyzer/checks runtime/merge stridewise --sample 200 --seed 1 --report docs/mutation.md'
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from points import SUFFIXES, Point, points, rewritten

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
QUICK = (
    "ci", "corpus", "dialects", "docs", "firsthour", "fixes", "hostile", "lit_format", "lsp", "python", "review",
    "snapshots",
)  # fmt: skip
CHECKS = ("dialects", "fixes", "python", "snapshots")
# What tests code of these folders, by folders of pytest and names of lit's tests.
SUITES: dict[str, tuple[tuple[str, ...], str]] = {
    "analyzer": (("fixes", "dialects"), r"/(tool|link)$"),
    "runtime/merge": (("merge",), ""),
    "runtime": (("merge", "omp", "mpi"), r"/(run|omp|cache|sharing)[^/]*$"),
    "pmpi_wrappers": (("mpi",), r"/run[^/]*$"),
    "stridewise": ((*QUICK, "merge"), ""),
}
MOST_SECONDS = 120.0  # of one fault: the fastest tests that come by it, by their time without a fault
SKIPPED = ("stridewise/_version.py",)


@dataclass
class Tests:
    """What the suites did without a fault: which tests pass, in what time, and the faults they come by."""

    seconds: dict[str, float] = field(default_factory=dict)
    reach: dict[int, set[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Project:
    """The copy of the project with all faults in it."""

    tree: Path

    @property
    def build(self) -> Path:
        return self.tree / "build"

    def environment(self, **more: str) -> dict[str, str]:
        path = os.pathsep.join([str(self.tree), str(self.tree / "tests")])
        fixed = {
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "XDG_CONFIG_HOME": str(self.build / "no-configuration"),
            # Kept results do not know of faults: each fault has a folder of its own.
            "XDG_CACHE_HOME": str(self.build / "mutation-cache" / more.get("STRIDEWISE_FAULT", "none")),
            "CCACHE_DIR": os.environ.get("CCACHE_DIR", str(Path.home() / ".cache" / "ccache")),
        }
        return {**os.environ, "STRIDEWISE_BUILD": str(self.build), "PYTHONPATH": path, **fixed, **more}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders of analyzer, runtime, stridewise, …")
    parser.add_argument("--sample", type=int, default=200, metavar="N", help="faults, drawn at random (default: 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the draw (default: 1)")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="M", help="stop after that long")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="tests at a time")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write a page on it, too")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    chosen = draw(files(options.paths), options.sample, options.seed)
    if not chosen:
        print("mutate: no place for a fault in these files", file=sys.stderr)
        return 2
    text = "\n".join(
        [point.key for point in chosen] + [_digest(TOP / file) for file in sorted({p.file for p in chosen})]
    )
    name = hashlib.sha256(text.encode()).hexdigest()[:12]
    folder = TOP / "build" / "mutation"
    folder.mkdir(parents=True, exist_ok=True)
    results = Results(folder / f"{name}.jsonl")
    todo = [(number, point) for number, point in enumerate(chosen, 1) if point.key not in results.of]
    say(f"{len(chosen)} faults, {len(chosen) - len(todo)} of them judged before ({results.path})")
    if todo:
        project, numbered = prepare(folder / "tree", chosen, results)
        tests = recorded(project, numbered, folder / f"{name}.tests.json", options.jobs)
        for number, point in todo:
            if time.monotonic() > end:
                say("the time is spent; the same command goes on from here")
                break
            if point.key not in results.of:
                results.add(point, *judge(project, number, tests, options.jobs))
                shutil.rmtree(project.build / "mutation-cache" / str(number), ignore_errors=True)
                say(f"{results.of[point.key][0]:11} {point}")
    page = report(chosen, results, sys.argv[1:])
    print(page)
    if options.report:
        options.report.write_text(page, encoding="utf-8")
    return 0


def say(text: str) -> None:
    print(f"mutate: {text}", file=sys.stderr, flush=True)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files(paths: Iterable[Path]) -> list[Path]:
    """All that can hold faults, as paths within the project."""
    found: set[Path] = set()
    for path in paths:
        full = (TOP / path).resolve()
        if not full.exists() or not full.is_relative_to(TOP):
            raise SystemExit(f"mutate: {path} is nothing of this project")
        inside = full.rglob("*") if full.is_dir() else [full]
        found |= {p.relative_to(TOP) for p in inside if p.suffix in SUFFIXES}
    return sorted(p for p in found if p.as_posix() not in SKIPPED)


def draw(paths: Sequence[Path], count: int, seed: int) -> list[Point]:
    """Every place of a fault is as likely as any other."""
    everything = [point for path in paths for point in points(TOP / path, path.as_posix())]
    return sorted(random.Random(seed).sample(everything, min(count, len(everything))), key=lambda p: (p.file, p.start))


class Results:
    """What was found of each fault, kept in a file as it comes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.of: dict[str, tuple[str, str]] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                entry = json.loads(line)
                self.of[entry["point"]] = (entry["verdict"], entry["by"])
            except (ValueError, KeyError):
                continue  # the line that was being written when a run was killed

    def add(self, point: Point, verdict: str, by: str) -> None:
        self.of[point.key] = (verdict, by)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"point": point.key, "verdict": verdict, "by": by}) + "\n")


# --- the build with all faults ----------------------------------------------------------------------------------------


def prepare(tree: Path, chosen: Sequence[Point], results: Results) -> tuple[Project, list[tuple[int, Point]]]:
    """A copy of the project with these faults, built; those that do not compile are judged, and not in it."""
    project = Project(tree)
    numbered = list(enumerate(chosen, 1))
    copy(tree)
    for attempt in range(8):
        numbered = [(n, p) for n, p in numbered if results.of.get(p.key, ("",))[0] != "no program"]
        write(tree, numbered)
        say(f"building {len(numbered)} faults" + (f", attempt {attempt + 1}" if attempt else ""))
        printed = build(project)
        if printed is None:
            return project, numbered
        bad = broken(printed, tree, numbered)
        if not bad:
            raise SystemExit(f"mutate: the copy in {tree} does not build:\n{printed[-3000:]}")
        for _, point in bad:
            results.add(point, "no program", "")
    raise SystemExit("mutate: the copy does not build")


def copy(tree: Path) -> None:
    """All files of the project that git knows or would add, unless they are there as they are."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(words, cwd=TOP, check=True, capture_output=True)
    names = {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}
    names = {name for name in names if (TOP / name).is_file()}
    if tree.is_dir():
        for path in sorted(tree.rglob("*")):
            inside = path.relative_to(tree)
            if inside.parts[0] != "build" and path.is_file() and inside.as_posix() not in names:
                path.unlink()
    for name in names:
        write_if_new(tree / name, (TOP / name).read_bytes(), (TOP / name).stat().st_mode)
    (tree / "build").mkdir(exist_ok=True)
    for part in ("venv", "kernel"):
        if not (tree / "build" / part).exists() and (TOP / "build" / part).exists():
            (tree / "build" / part).symlink_to(TOP / "build" / part)


def write_if_new(path: Path, data: bytes, mode: int = 0o644) -> None:
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode & 0o777)


def write(tree: Path, numbered: Sequence[tuple[int, Point]]) -> None:
    """Puts the faults into their files. What is included or imported stands in the first line of code, so that no line
    moves but for Python's."""
    by_file: dict[str, list[tuple[int, Point]]] = defaultdict(list)
    for number, point in numbered:
        by_file[point.file].append((number, point))
    shutil.copy(HERE / "fault.py", tree / "stridewise" / "_fault.py")
    shutil.copy(HERE / "fault.h", tree / "fault.h")
    for name, mine in by_file.items():
        source, python = (TOP / name).read_bytes(), name.endswith(".py")
        text = rewritten(source, mine, python)
        if python:
            text = re.sub(
                rb"^from __future__ import annotations\n",
                b"from __future__ import annotations\nfrom stridewise._fault import stridewise_fault\n",
                text,
                count=1,
                flags=re.MULTILINE,
            )
        else:
            text = f'#include "{tree}/fault.h"\n#line 1\n'.encode() + text
        write_if_new(tree / name, text, (TOP / name).stat().st_mode)


def build(project: Project) -> str | None:
    """None, or what the compilers said."""
    tree = project.tree
    if not (project.build / "build.ninja").exists():
        configured = subprocess.run(
            ["cmake", "--preset", "default", f"-DPython3_EXECUTABLE={project.build}/venv/bin/python"],
            cwd=tree, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if configured.returncode:
            raise SystemExit(f"mutate: {configured.stdout}{configured.stderr}")
    done = subprocess.run(["ninja", "-C", project.build, "-k", "0"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stdout + done.stderr


def broken(printed: str, tree: Path, numbered: Sequence[tuple[int, Point]]) -> list[tuple[int, Point]]:
    """The faults on the lines that the compilers named."""
    lines: set[tuple[str, int]] = set()
    for match in re.finditer(r"^(\S+?):(\d+):\d+: (?:fatal )?(?:error|note):", printed, re.MULTILINE):
        path = Path(match[1]) if match[1].startswith("/") else tree / "build" / match[1]
        if path.resolve().is_relative_to(tree):
            lines.add((path.resolve().relative_to(tree).as_posix(), int(match[2])))
    return [
        (number, point)
        for number, point in numbered
        if any((point.file, line) in lines for line in range(point.line, point.line + point.original.count("\n") + 1))
    ]


# --- tests ------------------------------------------------------------------------------------------------------------


def suites(numbered: Sequence[tuple[int, Point]]) -> tuple[list[str], str]:
    """The folders or files of pytest, below tests/, and the names of lit's tests that the faults' files ask for. For
    what one rule alone uses these are the tests that name the rule."""
    folders: set[str] = set()
    names: set[str] = set()
    for name in {point.file for _, point in numbered}:
        key = max((key for key in SUITES if name.startswith(key + "/")), key=len, default="")
        if not key:
            raise SystemExit(f"mutate: nothing says what tests {name}: see SUITES in {__file__}")
        if check := re.match(r"analyzer/checks/([^/]+)/", name):
            names.add(f"^rules :: {check[1]}/.*/(tool|link)$")
            folders |= {file for file in _tests_in(CHECKS) if check[1] in (TOP / "tests" / file).read_text("utf-8")}
            continue
        folders |= set(SUITES[key][0])
        names |= {SUITES[key][1]} - {""}
    whole = {name for name in folders if not name.endswith(".py")}
    return sorted(whole | {name for name in folders if Path(name).parts[0] not in whole}), "|".join(sorted(names))


def _tests_in(folders: Iterable[str]) -> list[str]:
    tests = TOP / "tests"
    return [path.relative_to(tests).as_posix() for folder in folders for path in (tests / folder).glob("test_*.py")]


def recorded(project: Project, numbered: Sequence[tuple[int, Point]], kept: Path, jobs: int) -> Tests:
    """One run of the suites without a fault: their times, and which faults each test comes by. The next call takes it
    from `kept`."""
    if kept.exists():
        entry = json.loads(kept.read_text(encoding="utf-8"))
        return Tests(entry["seconds"], {int(n): set(t) for n, t in entry["reach"].items()})
    folders, names = suites(numbered)
    log = kept.with_suffix(".log")
    log.unlink(missing_ok=True)
    environment = project.environment(STRIDEWISE_FAULT_LOG=str(log))
    tests = Tests()
    # One process for each folder: their helper modules may have the same names.
    by_folder: dict[str, list[str]] = defaultdict(list)
    for name in folders:
        by_folder[Path(name).parts[0]].append(name)
    for folder, mine in by_folder.items():
        say(f"recording {' '.join(f'tests/{name}' for name in mine)}")
        junit = project.build / f"mutation-{folder}.xml"
        words = [*_pytest(), "-n", str(jobs), "--junitxml", junit, *(project.tree / "tests" / name for name in mine)]
        subprocess.run(words, cwd=project.tree, env=environment, capture_output=True, check=False)
        tests.seconds.update(_junit(junit, project.tree))
    if names:
        say(f"recording the samples of the rules: {names}")
        output = project.build / "mutation-lit.json"
        words = [*_lit(project, jobs), "--output", str(output), "--filter", names, str(project.tree / "tests")]
        subprocess.run(words, cwd=project.tree, env=environment, capture_output=True, check=False)
        for test in json.loads(output.read_text(encoding="utf-8"))["tests"]:
            if test["code"] == "PASS":
                tests.seconds[test["name"]] = test["elapsed"]
    reach: dict[int, set[str]] = defaultdict(set)
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        number, _, test = line.partition("\t")
        reach[int(number)] |= _tests_of(test, tests.seconds)
    tests.reach = dict(reach)
    entry = {"seconds": tests.seconds, "reach": {n: sorted(t) for n, t in reach.items()}}
    kept.write_text(json.dumps(entry), encoding="utf-8")
    return tests


def _tests_of(name: str, known: dict[str, float]) -> set[str]:
    """The tests by what PYTEST_CURRENT_TEST says. What a fixture of a file comes by may be for any test of the file."""
    name, _, phase = name.rpartition(" (") if name.endswith(")") else (name, "", "")
    if phase.startswith("setup"):
        return {test for test in known if test.split("::")[0] == name.split("::")[0]}
    return {name} & known.keys()


def _junit(report: Path, tree: Path) -> dict[str, float]:
    """Seconds of the tests that passed, by node id."""
    found = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        if any(case.find(tag) is not None for tag in ("failure", "error", "skipped")):
            continue
        path = Path(*case.get("classname", "").split(".")).with_suffix(".py")
        if (tree / path).is_file():
            found[f"{path.as_posix()}::{case.get('name', '')}"] = float(case.get("time", 0))
    return found


def _pytest() -> list[str | Path]:
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


def _lit(project: Project, jobs: int) -> list[str]:
    run = [sys.executable, "-c", "import lit.main; lit.main.main()", "-q", f"-j{jobs}"]
    return [*run, "--param", f"build={project.build}"]


def judge(project: Project, number: int, tests: Tests, jobs: int) -> tuple[str, str]:
    """Verdict, and the kind of tests that killed it."""
    known = [test for test in tests.reach.get(number, ()) if test in tests.seconds]
    if not known:
        return "not reached", ""
    chosen, spent = list[str](), 0.0
    for test in sorted(known, key=lambda t: tests.seconds[t]):
        spent += tests.seconds[test]
        if chosen and spent > MOST_SECONDS:
            break
        chosen.append(test)
    environment = project.environment(STRIDEWISE_FAULT=str(number))
    limit = 30 + 10 * spent
    ours = [test for test in chosen if not test.startswith("rules ::")]
    samples = [test for test in chosen if test.startswith("rules ::")]
    if samples:
        names = "|".join(f"^{re.escape(test)}$" for test in samples)
        words: list[str | Path] = [*_lit(project, jobs), "--param", "variants=0", "--max-failures", "1"]
        if not _passes([*words, "--filter", names, project.tree / "tests"], project, environment, limit):
            return "killed", "samples"
    for folder in sorted({test.split("/")[1] for test in ours}):
        mine = [test for test in ours if test.split("/")[1] == folder]
        if not _passes([*_pytest(), "-x", *mine], project, environment, limit):
            return "killed", f"tests/{folder}"
    return "survived", f"{len(chosen)} of {len(known)} tests"


def _passes(words: Sequence[str | Path], project: Project, environment: dict[str, str], limit: float) -> bool:
    process = subprocess.Popen(
        words, cwd=project.tree, env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        return process.wait(timeout=limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


# --- the page ---------------------------------------------------------------------------------------------------------


def report(chosen: Sequence[Point], results: Results, words: Sequence[str]) -> str:
    """What became of the faults, as a page."""
    judged = [(point, *results.of[point.key]) for point in chosen if point.key in results.of]
    lines = [
        "# Faults that tests notice",
        "",
        f"{len(judged)} faults, drawn at random, each put into the code alone. Made by",
        "",
        f"    make mutate ARGS='{' '.join(words)}'",
        "",
        "`tests/mutation/mutate.py` says how. Faults that no compiler takes are not counted.",
        "",
        "| code | faults | killed | survived | reached by no test | noticed |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for point, verdict, _ in judged:
        if verdict != "no program":
            parts = Path(point.file).parts
            groups["/".join(parts[: 2 if parts[0] != "stridewise" else 1])][verdict] += 1
    groups["all"] = sum((Counter(g) for g in list(groups.values())), Counter())
    for name, count in groups.items():
        total = sum(count.values())
        share = f"{100 * count['killed'] / total:.0f} %" if total else ""
        row = [f"`{name}`" if name != "all" else name, total, count["killed"], count["survived"], count["not reached"]]
        lines.append("| " + " | ".join(map(str, [*row, share])) + " |")
    for verdict, head in (("survived", "Survived"), ("not reached", "Reached by no test")):
        mine = [f"- {point}" for point, v, _ in judged if v == verdict]
        if mine:
            lines += ["", f"## {head}", "", *mine]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
