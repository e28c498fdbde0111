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
KEPT = TOP / "build" / "mutation"
EQUIVALENT = HERE / "equivalent.tsv"
NAMING = ("dialects", "fixes", "mpi", "omp", "placement", "python", "snapshots")
# What tests code of these folders, by folders of pytest and names of lit's tests; of a rule's own code it is what names
# the rule.
SUITES: dict[str, tuple[tuple[str, ...], str]] = {
    "analyzer": (("fixes", "dialects"), r"/(tool|link)$"),
    "pmpi_wrappers": (("mpi",), r"/run[^/]*$"),
    "runtime": (("merge", "omp", "mpi"), r"/(run|omp|cache|sharing)[^/]*$"),
    "runtime/merge": (("merge",), r"/run[^/]*$"),
    "stridewise": (("ci", "docs", "firsthour", "python", "signals", "snapshots"), ""),
    "stridewise/budget": (("budget", "python"), ""),
    "stridewise/collect": (("dialects", "firsthour", "hostile", "mpi", "python"), ""),
    "stridewise/export": (("mpi", "python"), ""),
    "stridewise/finding": (("merge", "python", "snapshots"), r"/buggy[^/]*/(run|omp|cache|sharing)[^/]*$"),
    "stridewise/imports": (("mpi", "python"), ""),
    "stridewise/improve": (("improve", "mcp_server"), ""),
    "stridewise/lint": (("dialects", "fixes", "hostile", "python", "review", "snapshots"), ""),
    "stridewise/lsp": (("lsp", "vscode"), ""),
    "stridewise/machine": (("python",), ""),
    "stridewise/mcp": (("mcp_server",), ""),
    "stridewise/patterns": (("merge", "omp", "placement", "python", "snapshots"), r"/(run|omp|cache|sharing)[^/]*$"),
    "stridewise/render": (("browser", "merge", "python", "snapshots"), ""),
    "stridewise/review": (("ci", "review"), ""),
    "stridewise/runs": (("omp", "python", "snapshots"), ""),
    "stridewise/runs/cache": (("python", "snapshots"), r"/cache$"),
    "stridewise/runs/mpi": (("merge", "mpi", "python", "snapshots"), r"/buggy[^/]*/run[^/]*$"),
    "stridewise/runs/omp": (("omp", "python"), r"/buggy[^/]*/omp[^/]*$"),
    "stridewise/runs/placement": (("placement", "python"), ""),
    "stridewise/runs/sharing": (("python",), r"/sharing$"),
    "stridewise/scale": (("scale",), ""),
}
ALONE = ("budget", "mpi", "scale", "vscode")  # their programs have several ranks, or share a folder
MOST_SECONDS = 120.0  # of one fault, by what its tests take without a fault: some of each file, the fastest first
SKIPPED = ("stridewise/_version.py",)


@dataclass
class Suite:
    """What a folder of pytest or lit's samples did without a fault: the seconds of the tests that pass, the faults each
    comes by, and of which faults that is known. `state` changes with the tests."""

    state: str
    seconds: dict[str, float] = field(default_factory=dict)
    reach: dict[str, list[str]] = field(default_factory=dict)
    known: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Project:
    """The copy of the project with all faults in it."""

    tree: Path

    @property
    def build(self) -> Path:
        return self.tree / "build"

    def switch(self, number: int, log: str = "", suite: str = "") -> None:
        """One fault on, 0 for none; `log`: each that is come by is noted there."""
        text = f"{number}\n{log}\n{suite}\n"
        for path in (self.tree / "fault.now", self.tree / "stridewise" / "fault.now"):
            path.write_text(text, encoding="utf-8")

    def environment(self, number: int = 0) -> dict[str, str]:
        path = os.pathsep.join([str(self.tree), str(self.tree / "tests"), str(HERE)])
        fixed = {
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "XDG_CONFIG_HOME": str(self.build / "no-configuration"),
            # Kept results do not know of faults: each fault has a folder of its own.
            "XDG_CACHE_HOME": str(self.build / "mutation-cache" / str(number)),
            "CCACHE_DIR": os.environ.get("CCACHE_DIR", str(Path.home() / ".cache" / "ccache")),
        }
        return {**os.environ, "STRIDEWISE_BUILD": str(self.build), "PYTHONPATH": path, **fixed}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders of analyzer, runtime, stridewise, …")
    parser.add_argument("--sample", type=int, default=200, metavar="N", help="faults, drawn at random (default: 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the draw (default: 1)")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="M", help="stop after that long")
    parser.add_argument("--again", action="store_true", help="judge anew what no test noticed: the tests have changed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="tests at a time")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write a page on it, too")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    chosen = draw(files(options.paths), options.sample, options.seed)
    if not chosen:
        print("mutate: no place for a fault in these files", file=sys.stderr)
        return 2
    KEPT.mkdir(parents=True, exist_ok=True)
    results = Results(KEPT / "results.jsonl")
    if options.again:
        results.forget(chosen, ("survived", "not reached"))
    todo = [(number, point) for number, point in enumerate(chosen, 1) if point not in results]
    say(f"{len(chosen)} faults, {len(chosen) - len(todo)} of them judged before ({results.path})")
    if todo:
        project, numbered = prepare(KEPT / "tree", todo, results)
        tests = recorded(project, numbered, options.jobs)
        for number, point in numbered:
            if time.monotonic() > end:
                say("the time is spent; the same command goes on from here")
                break
            results.add(point, *judge(project, number, point, tests, options.jobs))
            shutil.rmtree(project.build / "mutation-cache" / str(number), ignore_errors=True)
            say(f"{results[point][0]:11} {point}")
    page = report(chosen, results, sys.argv[1:], equivalents(EQUIVALENT))
    print(page)
    if options.report:
        options.report.write_text(page, encoding="utf-8")
    return 0


def say(text: str) -> None:
    print(f"mutate: {text}", file=sys.stderr, flush=True)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


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
    """Every place of a fault is as likely as any other; in the order in which they are judged, so that the first ones
    are a sample, too. A change of the code elsewhere leaves a place where it is in the order."""
    everything = [point for path in paths for point in points(TOP / path, path.as_posix())]
    return sorted(everything, key=lambda p: _digest(f"{seed} {p.key}".encode()))[:count]


def equivalents(path: Path) -> dict[str, str]:
    """Why a fault changes nothing that anybody could see, by its key."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {row[0]: row[1] for row in rows if len(row) == 2}


class Results:
    """What was found of each fault, kept in a file as it comes; it counts as long as the fault's file is the same."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._of: dict[str, tuple[str, str]] = {}
        self._files: dict[str, str] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                entry = json.loads(line)
                self._of[entry["point"]] = (entry["verdict"], entry["by"])
            except (ValueError, KeyError):
                continue  # the line that was being written when a run was killed

    def _key(self, point: Point) -> str:
        if point.file not in self._files:
            path = TOP / point.file
            self._files[point.file] = _digest(path.read_bytes())[:12] if path.exists() else ""
        return f"{self._files[point.file]} {point.key}"

    def __contains__(self, point: Point) -> bool:
        return self._key(point) in self._of

    def __getitem__(self, point: Point) -> tuple[str, str]:
        return self._of[self._key(point)]

    def forget(self, chosen: Iterable[Point], verdicts: Sequence[str]) -> None:
        for point in chosen:
            if point in self and self[point][0] in verdicts:
                del self._of[self._key(point)]

    def add(self, point: Point, verdict: str, by: str) -> None:
        self._of[self._key(point)] = (verdict, by)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"point": self._key(point), "verdict": verdict, "by": by}) + "\n")


# --- the build with all faults ----------------------------------------------------------------------------------------


def prepare(tree: Path, numbered: list[tuple[int, Point]], results: Results) -> tuple[Project, list[tuple[int, Point]]]:
    """A copy of the project with these faults, built; those that do not compile are judged, and not in it."""
    project = Project(tree)
    copy(tree)
    project.switch(0)
    for attempt in range(8):
        numbered = [(n, p) for n, p in numbered if p not in results]
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
    head = f'#define STRIDEWISE_FAULT_NOW "{tree}/fault.now"\n'
    write_if_new(tree / "fault.h", (head + (HERE / "fault.h").read_text(encoding="utf-8")).encode())
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


def suites(point: Point) -> tuple[set[str], str]:
    """The folders or files of pytest, below tests/, and the names of lit's tests that a fault's file asks for. For what
    one rule alone uses these are the tests that name the rule."""
    if match := re.match(r"analyzer/checks/([^/]+)/", point.file):
        named = {name for name in _tests_in(NAMING) if match[1] in (TOP / "tests" / name).read_text("utf-8")}
        return named | {"snapshots"}, f"^rules :: {match[1]}/.*/(tool|link)$"
    if match := re.match(r"stridewise/patterns/([a-z]\w+)\.py", point.file):
        slug = match[1].replace("_", "-")
        named = {
            name
            for name in _tests_in(NAMING)
            if re.search(rf"\b({slug}|{match[1]})\b", (TOP / "tests" / name).read_text("utf-8"))
        }
        return named | {"merge", "snapshots"}, f"^rules :: {slug}/.*/(run|omp|cache|sharing)[^/]*$"
    key = max((key for key in SUITES if point.file.startswith(key + "/")), key=len, default="")
    if not key:
        raise SystemExit(f"mutate: nothing says what tests {point.file}: see SUITES in {__file__}")
    return set(SUITES[key][0]), SUITES[key][1]


def _tests_in(folders: Iterable[str]) -> list[str]:
    tests = TOP / "tests"
    return [path.relative_to(tests).as_posix() for folder in folders for path in (tests / folder).glob("test_*.py")]


def _state(folder: Path) -> str:
    """Changes with the files of the tests."""
    found = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return _digest(b"".join(p.relative_to(folder).as_posix().encode() + p.read_bytes() for p in found))


def recorded(project: Project, numbered: Sequence[tuple[int, Point]], jobs: int) -> dict[str, Suite]:
    """What each suite does without a fault, by its name; only what nothing kept tells is run."""
    whole: dict[str, set[str]] = defaultdict(set)  # files of pytest, or names of lit, by suite
    asked: dict[str, list[str]] = defaultdict(list)  # keys
    for _, point in numbered:
        folders, samples = suites(point)
        for name in folders:
            whole[Path(name).parts[0]].add(name)
        for suite in {Path(name).parts[0] for name in folders}:
            asked[suite].append(point.key)
        if samples:
            whole["lit"].add(samples)
            asked["lit"].append(point.key)
    found: dict[str, Suite] = {}
    for suite, names in sorted(whole.items()):
        kept = KEPT / f"{suite}.tests.json"
        state = _state(project.tree / ("rules" if suite == "lit" else f"tests/{suite}"))
        before = Suite(**json.loads(kept.read_text(encoding="utf-8"))) if kept.exists() else Suite("")
        if before.state == state and set(asked[suite]) <= set(before.known):
            found[suite] = before
            continue
        say(f"recording {suite}: {len(asked[suite])} faults")
        log = KEPT / "reached.log"
        log.unlink(missing_ok=True)
        project.switch(0, str(log), f"tests/{suite}" if suite != "lit" else "rules ::")
        now = Suite(state)
        if suite == "lit":
            now.seconds = _sampled(project, "|".join(sorted(names)), jobs)
        else:
            chosen = {suite} if suite in names else names
            now.seconds = _tested(project, suite, sorted(chosen), jobs)
        keys = {number: point.key for number, point in numbered}
        reach: dict[str, set[str]] = defaultdict(set)
        for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
            number, _, test = line.partition("\t")
            reach[keys[int(number)]] |= tests_of(test, now.seconds)
        now.known = sorted(keys.values() if suite in names else set(asked[suite]))
        if before.state == state:
            now.seconds = {**before.seconds, **now.seconds}
            now.known = sorted({*now.known, *before.known})
            for key, known in before.reach.items():
                reach[key] |= set(known)
        now.reach = {key: sorted(of_it) for key, of_it in reach.items()}
        kept.write_text(json.dumps(vars(now)), encoding="utf-8")
        found[suite] = now
    return found


def _tested(project: Project, suite: str, names: Sequence[str], jobs: int) -> dict[str, float]:
    """Seconds of the tests that pass."""
    junit = project.build / f"mutation-{suite}.xml"
    junit.unlink(missing_ok=True)
    words = [*_pytest(), "-p", "reached", "--junitxml", junit, *(project.tree / "tests" / name for name in names)]
    if suite not in ALONE:
        words += ["-n", str(jobs)]
    environment = {**project.environment(), "MUTATE_SUITE": f"tests/{suite}"}
    done = subprocess.run(words, cwd=project.tree, env=environment, capture_output=True, text=True, check=False)
    if not junit.exists():
        raise SystemExit(f"mutate: tests/{suite} did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return _junit(junit, project.tree)


def _sampled(project: Project, names: str, jobs: int) -> dict[str, float]:
    output = project.build / "mutation-lit.json"
    words = [*_lit(project, jobs), "--output", str(output), "--filter", names, str(project.tree / "tests")]
    subprocess.run(words, cwd=project.tree, env=project.environment(), capture_output=True, check=False)
    done = json.loads(output.read_text(encoding="utf-8"))["tests"]
    return {test["name"]: test["elapsed"] for test in done if test["code"] == "PASS"}


def tests_of(name: str, known: dict[str, float]) -> set[str]:
    """The tests by what PYTEST_CURRENT_TEST says, or all of a folder or file whose fixtures came by."""
    name = name.rpartition(" (")[0] if name.endswith(")") and not name.startswith("rules ::") else name
    if name in known:
        return {name}
    if not name or "::" in name:
        return set()
    return {test for test in known if test.split("::")[0] == name or test.startswith(name + "/")}


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


def judge(project: Project, number: int, point: Point, suites: dict[str, Suite], jobs: int) -> tuple[str, str]:
    """Verdict, and the kind of tests that killed it."""
    known = {
        t: suite.seconds[t] for suite in suites.values() for t in suite.reach.get(point.key, ()) if t in suite.seconds
    }
    if not known:
        return "not reached", ""
    chosen, spent = list[str](), 0.0
    for test in _mixed(known):
        if not chosen or spent + known[test] <= MOST_SECONDS:
            chosen.append(test)
            spent += known[test]
    environment = project.environment(number)
    project.switch(number)
    limit = 60 + 10 * spent
    samples = [test for test in chosen if test.startswith("rules ::")]
    by_folder: dict[str, list[str]] = defaultdict(list)
    for test in chosen:
        if not test.startswith("rules ::"):
            by_folder[test.split("/")[1]].append(test)
    # A suite is asked the sooner, the less it takes.
    for folder, mine in sorted(by_folder.items(), key=lambda item: sum(known[test] for test in item[1])):
        if not _passes([*_pytest(), "-x", *mine], project, environment, limit):
            return "killed", f"tests/{folder}"
    if samples:
        names = "|".join(f"^{re.escape(test)}$" for test in samples)
        words: list[str | Path] = [*_lit(project, jobs), "--param", "variants=0", "--max-failures", "1"]
        if not _passes([*words, "--filter", names, project.tree / "tests"], project, environment, limit):
            return "killed", "samples"
    return "survived", f"{len(chosen)} of {len(known)} tests"


def _mixed(seconds: dict[str, float]) -> list[str]:
    """The fastest test of each file, then the second of each, and so on: what is alike notices the same."""
    by_file: dict[str, list[str]] = defaultdict(list)
    for test in sorted(seconds, key=lambda t: seconds[t]):
        by_file[test.split("::")[0] if not test.startswith("rules ::") else test.split("/")[0]].append(test)
    turns = [(turn, seconds[test], test) for tests in by_file.values() for turn, test in enumerate(tests)]
    return [test for *_, test in sorted(turns)]


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


def report(chosen: Sequence[Point], results: Results, words: Sequence[str], equivalent: dict[str, str]) -> str:
    """What became of the faults, as a page."""
    judged = [(point, *results[point]) for point in chosen if point in results]
    judged = [(point, verdict, by) for point, verdict, by in judged if verdict != "no program"]
    lines = [
        "# Faults that tests notice",
        "",
        f"{len(judged)} faults, drawn at random, each put into the code alone. Made by",
        "",
        f"    make mutate ARGS='{' '.join(words)}'",
        "",
        "`tests/mutation/mutate.py` says how. Faults that no compiler takes are not counted; those that change nothing",
        "that anybody could see are counted as survived, and named below with the reason.",
        "",
        "| code | faults | noticed | survived | reached by no test | noticed |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for point, verdict, _ in judged:
        parts = Path(point.file).parts
        groups["/".join(parts[: 2 if parts[0] != "stridewise" else 1])][verdict] += 1
    groups = dict(sorted(groups.items()))
    groups["all"] = sum((Counter(g) for g in list(groups.values())), Counter())
    for name, count in groups.items():
        total = sum(count.values())
        share = f"{100 * count['killed'] / total:.0f} %" if total else ""
        row = [f"`{name}`" if name != "all" else name, total, count["killed"], count["survived"], count["not reached"]]
        lines.append("| " + " | ".join(map(str, [*row, share])) + " |")
    same = [(point, verdict) for point, verdict, _ in judged if verdict != "killed" and point.key in equivalent]
    for verdict, head in (("survived", "Survived"), ("not reached", "Reached by no test")):
        mine = [point for point, v, _ in judged if v == verdict and point.key not in equivalent]
        if mine:
            lines += ["", f"## {head}", "", *(f"- {point}" for point in sorted(mine, key=lambda p: (p.file, p.start)))]
    if same:
        lines += ["", "## Nobody could see", "", *(f"- {point}: {equivalent[point.key]}" for point, _ in same)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
