"""The product over codes in which experts labelled places: public ones, listed in tests/corpus/, and tests/blind/.

    tests/corpus.py fetch FOLDER               get the sources of the public ones at their pinned commits
    tests/corpus.py lint FOLDER [-o RESULTS]   build copies of them as their users would, lint whole programs
    tests/corpus.py score [RESULTS]            what was found of the labels, by kind and confidence
    tests/corpus.py diff OLD NEW               which findings came and went between two folders of results
    tests/corpus.py judged [RESULTS]           whether a maintainer would act on what is shown; what nobody judged yet

tests/corpus/labels*.tsv have a place a line: `flag` (an expert would report this kind there) or `clean` (it looks like
it, but must stay silent). A label with an `objection` is judged to be wrong itself; it is left out and counted. Each
file is a part that is scored by itself: `labels` are the codes that the rules were first trained on, the others were
written before anybody had seen findings of those codes, or (`labels4`, in part) of those files. The programs below
tests/blind/ were written and labelled by authors who knew neither the rules nor the findings (see its README);
`--only ^blind/` are these alone, for which nothing has to be fetched.

tests/corpus/judged.tsv has a line for each finding that was shown by default in some codes and read beside its source:
`useful` (right, and the maintainer would act on it), `useless` (true, but nobody would) or `wrong`. The text of the
source line is known by a hash, so that a judgement outlives moved lines; a finding without one is printed in the form
of that file, to be judged.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
TOP = TESTS.parent
CORPUS = TESTS / "corpus"
BLIND = TESTS / "blind"

# Which rules speak of a kind of label.
RULES: dict[str, set[str]] = {
    "loop_order": {"mem-strided-inner-loop", "mem-handwritten-matmul"},
    "cache_blocking": {"mem-unblocked-stencil", "mem-unblocked-transpose", "mem-handwritten-matmul"},
    "aos_soa": {"mem-array-of-structs"},
    "power_of_two_ld": {"mem-power-of-two-stride"},
    "struct_padding": {"mem-struct-padding"},
    "first_touch": {"omp-serial-first-touch", "omp-calloc-first-touch"},
    "false_sharing": {"omp-false-sharing"},
    "omp_critical": {"omp-critical-section"},
    "omp_barrier_loop": {"omp-barrier-in-loop"},
    "omp_region_in_loop": {"omp-region-in-loop", "omp-adjacent-regions", "omp-small-loop"},
    "mpi_elementwise": {"mpi-tiny-messages"},
    "mpi_barrier_loop": {"mpi-redundant-barrier"},
    "mpi_send_recv_chain": {"mpi-send-recv-chain"},
    "mpi_dup_exchange": {"mpi-duplicate-exchange"},
    "mpi_linear_gather": {"mpi-handmade-collective", "mpi-serial-io"},
    "missed_vectorisation": {"build-missed-vectorization"},
    "compile_flags": {"build-unoptimised"},
    "sleep_in_loop": {"run-sleep-in-loop"},
    "omp_schedule": {"omp-costly-schedule", "omp-load-imbalance"},
    "data_race": {"omp-shared-counter"},
    # A loop of collective calls of one element each is told as one of messages.
    "mpi_fusable": {"mpi-fusable-collectives", "mpi-tiny-messages"},
    "mpi_no_overlap": {"mpi-no-overlap"},
    "array_temporary": {"mem-array-temporary"},
    "serial_work": {"omp-serial-loop"},
    # An expert reports these, and no rule does.
    "redundant_copy": set(),
}
# Where exchanging the loops is wrong, blocking or a library may still be right.
CLEAN_RULES = RULES | {"loop_order": {"mem-strided-inner-loop"}}
CALLS = {
    "mpi_elementwise",
    "mpi_barrier_loop",
    "mpi_send_recv_chain",
    "mpi_dup_exchange",
    "omp_barrier_loop",
    "mpi_fusable",
}
NEAR_LINES, NEAR_LINES_OF_CALLS, NEAR_LINES_OF_CLEAN = 4, 2, 2
CONFIDENCES = ("high", "medium", "low")
COMPILERS = {".c": ("gcc", "mpicc"), ".cc": ("g++", "mpicxx"), ".cpp": ("g++", "mpicxx"), ".cxx": ("g++", "mpicxx")}


class CorpusError(Exception):
    """A code is absent or does not build; the text says why."""


@dataclass(frozen=True)
class Build:
    """One way of building, or `files` that are compiled one by one where nothing builds them."""

    name: str
    folder: str = "."
    prepare: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Repository:
    name: str
    commit: str
    builds: tuple[Build, ...]
    source: Path | None = None  # of what is not fetched

    @property
    def folder(self) -> str:
        return self.name.replace("/", "+")


@dataclass(frozen=True)
class Label:
    repository: str
    path: str
    line: int
    kind: str
    verdict: str
    confidence: str
    note: str
    objection: str
    part: str = "labels"


@dataclass(frozen=True)
class Shown:
    """A finding: its rule, how sure it is, and all places that it names, in the repository's paths."""

    rule: str
    confidence: str
    path: str
    line: int
    message: str
    places: frozenset[tuple[str, int]]

    @property
    def sure(self) -> bool:
        return self.confidence != "low"


@dataclass
class Result:
    """What linting one repository gave."""

    findings: list[Shown] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    units: int = 0
    lines: int = 0


def load_repositories(path: Path = CORPUS / "repos.toml") -> list[Repository]:
    repositories = []
    for name, data in tomllib.loads(path.read_text(encoding="utf-8")).items():
        builds = [
            Build(f"build{n}", b.get("folder", "."), tuple(b.get("prepare", ())), tuple(b["build"]))
            for n, b in enumerate(data.get("builds", ()))
        ]
        builds += [
            Build(f"loose{n}", files=tuple(b["files"]), flags=tuple(b["flags"]))
            for n, b in enumerate(data.get("loose", ()))
        ]
        repositories.append(Repository(name, data["commit"], tuple(builds)))
    return repositories


def blind_programs() -> list[Repository]:
    """The programs of tests/blind/, by set and name, as `blind/SET/NAME`."""
    make = Build("build0", command=("make",))
    cmake = Build("build0", prepare=("cmake", "-S", ".", "-B", "build"), command=("make", "-C", "build"))
    return [
        Repository(f"blind/{folder.parent.name}/{folder.name}", "", (make if makefile.is_file() else cmake,), folder)
        for folder in sorted(BLIND.glob("*/*/"))
        for makefile in (folder / "Makefile",)
        if makefile.is_file() or (folder / "CMakeLists.txt").is_file()
    ]


def load_labels() -> list[Label]:
    public = [label for path in sorted(CORPUS.glob("labels*.tsv")) for label in labels_of(path, path.stem)]
    blind = [
        label for path in sorted(BLIND.glob("*/labels.tsv")) for label in labels_of(path, f"blind {path.parent.name}")
    ]
    return public + blind


def labels_of(path: Path, part: str) -> list[Label]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Label(
            r["repo"],
            r["path"],
            int(r["line"]),
            r["kind"],
            r["verdict"],
            r["confidence"],
            r["note"],
            (r.get("objection") or "").strip(),
            part,
        )
        for r in rows
    ]


def launcher() -> str:
    """The command of the build folder that STRIDEWISE_BUILD names, else of build/."""
    return str(Path(os.environ.get("STRIDEWISE_BUILD") or TOP / "build") / "bin" / "stridewise")


def fetch(options: argparse.Namespace) -> int:
    for repository in chosen(options.only):
        if repository.source:
            continue
        folder: Path = options.folder / repository.folder
        folder.mkdir(parents=True, exist_ok=True)
        for command in (
            ["git", "init", "--quiet"],
            ["git", "fetch", "--quiet", "--depth", "1", f"https://github.com/{repository.name}", repository.commit],
            ["git", "checkout", "--quiet", "--force", "FETCH_HEAD"],
        ):
            subprocess.run(command, cwd=folder, check=True)
        print(f"{folder}: {repository.commit}")
    return 0


def chosen(only: str) -> Iterator[Repository]:
    return (each for each in [*load_repositories(), *blind_programs()] if re.search(only, each.name))


def built(build: Build, copy: Path) -> tuple[Path, list[str]]:
    """The folder of the build's compile database, which is made if it is not there, and what did not build."""
    database = copy / f".stridewise-{build.name}"
    if not (database / "compile_commands.json").is_file():
        database.mkdir(exist_ok=True)
        problems = _captured(build, copy, database) if build.command else _compiled(build, copy, database)
        (database / "problems.json").write_text(json.dumps(problems), encoding="utf-8")
    problems = json.loads((database / "problems.json").read_text(encoding="utf-8"))
    return database, problems


def _captured(build: Build, copy: Path, database: Path) -> list[str]:
    folder = copy / build.folder
    if build.prepare:
        subprocess.run(build.prepare, cwd=folder, check=True)
    command = [launcher(), "capture", "-o", str(database), "--", *build.command]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    (database / "build.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode != 0:
        # What was compiled before it stopped is analysed all the same, as a user would.
        return [f"{' '.join(build.command)} ended with {done.returncode}: {done.stderr.strip()[-300:]}"]
    return []


def _compiled(build: Build, copy: Path, database: Path) -> list[str]:
    entries = []
    left_out = []
    files = sorted({file for pattern in build.files for file in copy.glob(pattern) if file.is_file()})
    flags = [f"-I{copy / flag[2:]}" if flag.startswith("-I") else flag for flag in build.flags]
    for file in files:
        for compiler in COMPILERS.get(file.suffix, ()):
            command = [compiler, *flags, "-c", str(file), "-o", "/dev/null"]
            done = subprocess.run(command, cwd=file.parent, capture_output=True, check=False)
            if done.returncode == 0:
                entries.append({"directory": str(file.parent), "file": str(file), "arguments": command})
                break
        else:
            left_out.append(str(file.relative_to(copy)))
    (database / "compile_commands.json").write_text(json.dumps(entries, indent=1), encoding="utf-8")
    (database / "left_out.txt").write_text("\n".join(left_out), encoding="utf-8")
    return []


def lint(options: argparse.Namespace) -> int:
    results: Path = options.output.resolve()
    work: Path = options.work.resolve()
    results.mkdir(parents=True, exist_ok=True)
    for repository in chosen(options.only):
        source: Path = repository.source or options.folder.resolve() / repository.folder
        if not source.is_dir():
            raise CorpusError(f"{source} does not exist; 'tests/corpus.py fetch {options.folder}' makes it")
        copy = work / repository.folder
        if not copy.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns(".git"), symlinks=True)
            (copy / ".git").mkdir()  # a project of its own, wherever it lies
        for build in repository.builds:
            print(f"{repository.name} {build.name} …", file=sys.stderr, flush=True)
            database, problems = built(build, copy)
            report = results / f"{repository.folder}.{build.name}.json"
            report.unlink(missing_ok=True)
            command = [launcher(), "lint", "-p", str(database), "--all", "--format", "json", "-o", str(report)]
            before = os.times()
            done = subprocess.run(command, cwd=copy, capture_output=True, text=True, errors="replace", check=False)
            after = os.times()
            seconds = after.children_user + after.children_system - before.children_user - before.children_system
            if report.is_file():
                data = json.loads(report.read_text(encoding="utf-8"))
            else:
                data = {"findings": [], "problems": [{"where": "lint", "message": done.stderr[-1000:]}]}
            entries = json.loads((database / "compile_commands.json").read_text(encoding="utf-8"))
            units = {os.path.normpath(Path(entry["directory"]) / entry["file"]) for entry in entries}
            data["corpus"] = {
                "copy": str(copy),
                "units": len(units),
                "lines": sum(_lines(unit) for unit in units),
                "build_problems": problems,
                "processor_seconds": seconds,
            }
            report.write_text(json.dumps(data), encoding="utf-8")
    return 0


def _lines(file: str) -> int:
    try:
        return Path(file).read_bytes().count(b"\n")
    except OSError:
        return 0


def load_results(folder: Path, only: str = "") -> dict[str, Result]:
    """By the repository's name; a place that several builds show counts once, at its highest confidence."""
    loaded: dict[str, Result] = {}
    for repository in chosen(only):
        result = Result()
        best: dict[tuple[str, str, int], Shown] = {}
        for report in sorted(folder.glob(f"{repository.folder}.*.json")):
            data = json.loads(report.read_text(encoding="utf-8"))
            about = data["corpus"]
            result.units += about["units"]
            result.lines += about["lines"]
            result.problems += [f"{p['where']}: {p['message']}" for p in data.get("problems", ())]
            result.problems += [f"build: {problem}" for problem in about["build_problems"]]
            for finding in data["findings"]:
                shown = _shown(finding, Path(data.get("root", about["copy"])), Path(about["copy"]))
                key = shown.rule, shown.path, shown.line
                # One loop may be told for several records: all places that are named there count.
                other = best.get(key, shown)
                surer = min(other, shown, key=lambda each: CONFIDENCES.index(each.confidence))
                best[key] = replace(surer, places=shown.places | other.places)
        if result.units or result.problems:
            result.findings = list(best.values())
            loaded[repository.name] = result
    return loaded


def _shown(finding: dict[str, Any], root: Path, copy: Path) -> Shown:
    def place(where: dict[str, Any]) -> tuple[str, int]:
        path = os.path.normpath(root / where["file"])
        return os.path.relpath(path, copy), where["line"]

    at = place(finding["location"])
    others = [*finding.get("related", ()), *finding.get("accesses", ())]
    places = frozenset([at, *(place(other) for other in others)])
    return Shown(finding["rule"], finding["confidence"], *at, finding["message"], places)


def meets(label: Label, shown: Shown) -> bool:
    """Whether the finding speaks of the label's place, in the sense of its kind."""
    if label.verdict == "clean":
        return (
            shown.rule in CLEAN_RULES[label.kind]
            and shown.path == label.path
            and abs(shown.line - label.line) <= NEAR_LINES_OF_CLEAN
        )
    if shown.rule not in RULES[label.kind]:
        return False
    if label.kind == "compile_flags":  # a finding about a build stands at a line of it, or at its first file
        return Path(shown.path).is_relative_to(Path(label.path).parent)
    near = NEAR_LINES_OF_CALLS if label.kind in CALLS else NEAR_LINES
    return any(path == label.path and abs(line - label.line) <= near for path, line in shown.places)


def score(options: argparse.Namespace) -> int:
    results = load_results(options.results, options.only)
    labels = [label for label in load_labels() if label.repository in results]
    for part in sorted({label.part for label in labels}):
        print(f"## {part}\n")
        score_part([label for label in labels if label.part == part], results)
    print("\n".join(size_table(results)))
    for name, result in results.items():
        for problem in result.problems:
            print(f"problem: {name}: {problem}")
    return 0


def score_part(labels: list[Label], results: dict[str, Result]) -> None:
    judged = [label for label in labels if not label.objection]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    missed: list[Label] = []
    wrong: list[tuple[Label, Shown]] = []
    for label in judged:
        met = [shown for shown in results[label.repository].findings if meets(label, shown)]
        best = min((CONFIDENCES.index(shown.confidence) for shown in met), default=None)
        confidence = "silent" if best is None else CONFIDENCES[best]
        for kind in (label.kind, "all"):
            counts[kind][label.verdict] += 1
            counts[kind][f"{label.verdict} {confidence}"] += 1
        if label.verdict == "flag" and confidence in ("silent", "low"):
            missed.append(label)
        if label.verdict == "clean":
            wrong += [(label, shown) for shown in met if shown.sure]
    print("\n".join(table(counts)))
    if len(judged) != len(labels):
        print(f"\n{len(labels) - len(judged)} labels are left out, each with its objection in its file.")
    print()
    for label in missed:
        print(f"missed: {label.kind} {label.repository} {label.path}:{label.line}: {label.note}")
    for label, shown in wrong:
        print(f"wrong: {shown.rule} ({shown.confidence}) {label.repository} {label.path}:{shown.line}: {shown.message}")
    print()


def table(counts: dict[str, Counter[str]]) -> list[str]:
    lines = [
        "| kind | flags | high | medium | low only | missed | recall | clean | wrong at high | at medium |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for kind in [*(kind for kind in RULES if kind in counts), "all"]:
        count = counts[kind]
        found = count["flag high"] + count["flag medium"]
        recall = f"{found / count['flag']:.2f}" if count["flag"] else "–"
        lines.append(
            f"| {kind} | {count['flag']} | {count['flag high']} | {count['flag medium']} | {count['flag low']} | "
            f"{count['flag silent']} | {recall} | {count['clean']} | {count['clean high']} | {count['clean medium']} |"
        )
    return lines


def size_table(results: dict[str, Result]) -> list[str]:
    lines = ["| code | units | lines | findings at high | at medium | per 1,000 lines | problems |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    for name, result in results.items():
        by_confidence = Counter(shown.confidence for shown in result.findings)
        sure = by_confidence["high"] + by_confidence["medium"]
        rate = f"{1000 * sure / result.lines:.1f}" if result.lines else "–"
        lines.append(
            f"| {name} | {result.units} | {result.lines} | {by_confidence['high']} | {by_confidence['medium']} | "
            f"{rate} | {len(result.problems)} |"
        )
    return lines


def judged(options: argparse.Namespace) -> int:
    verdicts = load_judgements()
    codes = list(dict.fromkeys(key[0] for key in verdicts))
    rows = ["| program | shown | useful | useless | wrong | not judged | the first three |", f"|---{'|---:' * 5}|---|"]
    total: Counter[str] = Counter()
    unknown = []
    for repository in chosen(options.only):
        for report in sorted(options.results.glob(f"{repository.folder}.*.json")) if repository.name in codes else ():
            counts: Counter[str] = Counter()
            first: dict[str, str] = {}
            for row, group in shown_rows(repository.name, report):
                verdict = nearest(verdicts.get(row[:4], ()), row[4])
                counts[verdict] += 1
                first.setdefault(group or f"{len(first)}", verdict)
                if verdict == "not judged":
                    unknown.append("\t".join((*row[:4], str(row[4]), "", row[5])))
            total += counts
            name = f"{repository.name} {report.name.split('.')[-2]}"
            rows.append(_judged_row(name, counts, ", ".join(list(first.values())[:3])))
    print("\n".join([*rows, _judged_row("all", total, "")]))
    for line in unknown:
        print(f"not judged: {line}")
    return 0


def _judged_row(name: str, counts: Counter[str], first: str) -> str:
    figures = [counts.total(), *(counts[verdict] for verdict in ("useful", "useless", "wrong", "not judged"))]
    return f"| {name} | {' | '.join(map(str, figures))} | {first} |"


def load_judgements(path: Path = CORPUS / "judged.tsv") -> dict[tuple[str, ...], list[tuple[int, str]]]:
    """The lines and verdicts of each code, rule, path and text of a source line."""
    found: dict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for r in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            found[r["repo"], r["rule"], r["path"], r["text"]].append((int(r["line"]), r["verdict"]))
    return found


def nearest(known: Sequence[tuple[int, str]], line: int) -> str:
    """Of several places with the same text, the one nearest to the line speaks."""
    return min(known, key=lambda each: abs(each[0] - line))[1] if known else "not judged"


def shown_rows(repository: str, report: Path) -> Iterator[tuple[tuple[str, str, str, str, int, str], str]]:
    """(repository, rule, path, hash of the line's text, line, message) and group of what is shown, in its order."""
    data = json.loads(report.read_text(encoding="utf-8"))
    root, copy = Path(data.get("root", data["corpus"]["copy"])), Path(data["corpus"]["copy"])
    for finding in data["findings"]:
        shown = _shown(finding, root, copy)
        if not shown.sure:
            continue
        lines = (copy / shown.path).read_bytes().splitlines() if (copy / shown.path).is_file() else []
        text = lines[shown.line - 1].strip() if 0 < shown.line <= len(lines) else b""
        digest = hashlib.sha256(text).hexdigest()[:8]
        yield (repository, shown.rule, shown.path, digest, shown.line, shown.message), finding.get("group", "")


def diff(options: argparse.Namespace) -> int:
    """By rule, path and line: a changed confidence is a change."""
    old, new = load_results(options.old, options.only), load_results(options.new, options.only)
    for name in sorted(old.keys() & new.keys(), key=str.lower):
        before = {(s.rule, s.path, s.line): s for s in old[name].findings}
        after = {(s.rule, s.path, s.line): s for s in new[name].findings}
        for key in sorted(before.keys() | after.keys()):
            was, now = before.get(key), after.get(key)
            if was and now and was.confidence == now.confidence:
                continue
            change = f"{was.confidence if was else '-'} → {now.confidence if now else '-'}"
            shown = now or was
            assert shown is not None
            print(f"{name}: {shown.rule} {change} {shown.path}:{shown.line}: {shown.message}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="tests/corpus.py"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch", help="get the sources at their pinned commits")
    fetching.add_argument("folder", type=Path)
    linting = commands.add_parser("lint", help="build copies and lint them")
    linting.add_argument("folder", type=Path, help="what fetch filled")
    linting.add_argument("-o", "--output", type=Path, default=TOP / "build" / "corpus-results")
    linting.add_argument("--work", type=Path, default=TOP / "build" / "corpus", help="where copies are built")
    scoring = commands.add_parser("score", help="compare results with the labels")
    scoring.add_argument("results", type=Path, nargs="?", default=TOP / "build" / "corpus-results")
    comparing = commands.add_parser("diff", help="compare two folders of results")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    judging = commands.add_parser("judged", help="compare what is shown with the judgements")
    judging.add_argument("results", type=Path, nargs="?", default=TOP / "build" / "corpus-results")
    for each in (fetching, linting, scoring, comparing, judging):
        each.add_argument("--only", default="", help="codes whose name matches this regular expression")
    options = parser.parse_args(arguments)
    try:
        return {"fetch": fetch, "lint": lint, "score": score, "diff": diff, "judged": judged}[options.command](options)
    except (CorpusError, OSError, subprocess.CalledProcessError) as error:
        print(f"corpus: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
