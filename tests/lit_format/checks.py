"""The tests that a sample stands. Each function returns what is wrong, one line each; nothing wrong is a pass."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lit_format import renaming
from lit_format.hosts import HostError, Toolchain, mpi_environment
from lit_format.samples import Found, Place, Sample, differences, expectations, host_differences, other_than_stated
from stridewise import catalogue
from stridewise.collect import compile_db
from stridewise.finding import Confidence, Finding
from stridewise.finding.supersede import without_superseded
from stridewise.lint import mpi_layer

CACHE_MODEL = "xeon-8380"


@dataclass(frozen=True)
class Job:
    """One test, and a folder that it may fill: translation units of rule `slug`, or `kernel`, a folder of
    tests/kernels, at a step of its repair."""

    slug: str
    units: tuple[Sample, ...]
    folder: Path
    tools: Toolchain
    kernel: Path = Path()
    step: str = ""

    @property
    def sample(self) -> Sample:
        return self.units[0]


def check_tool(job: Job) -> list[str]:
    """The tool finds what the comments say. The fixes that it offers work; `// fixes:` says that it must offer some."""
    found = job.tools.tool(job.sample)
    problems = differences(job.sample.static, found, job.slug, statements_too=True)
    fixed = {f.rule for f in found if f.raw["fixes"]}
    for slug in sorted(set(job.sample.fixes) - fixed):
        problems.append(f"'// fixes: {slug}', but no finding of it carries a fix")
    return problems or (check_fixes(job, found) if fixed else [])


def shown(job: Job) -> list[Found]:
    """What of the tool's findings lint shows: those that another one explains are left out."""
    found = job.tools.tool(job.sample)
    findings = [Finding.from_json(one.raw) for one in found]
    kept = {id(finding) for finding in without_superseded(findings, catalogue.load())}
    return [one for one, finding in zip(found, findings, strict=True) if id(finding) in kept]


def check_tidy(job: Job) -> list[str]:
    """The clang-tidy module says the same as lint does of the unit."""
    said = job.tools.tidy(job.sample)  # first: a host that does not load is what went wrong
    return host_differences(shown(job), said, "clang-tidy module")


def check_plugin(job: Job) -> list[str]:
    """The clang plugin says the same as lint does of the unit."""
    said = job.tools.plugin(job.sample)
    return host_differences(shown(job), said, "clang plugin")


def check_stripped(job: Job) -> list[str]:
    """Without comments and under other names, the findings stand on the same lines."""
    original = copies([file for unit in job.units for file in (unit.path, *unit.headers)], job.folder)
    texts = {copy: copy.read_text(encoding="utf-8") for copy in original}
    renamed: dict[str, str] = {}
    if not any(renaming.pastes_tokens(text) for text in texts.values()):
        foreign: set[str] = set()
        for unit in job.units:
            foreign |= foreign_names(job.tools, unit, job.folder)
        renamed = renaming.new_names(renaming.own_names(texts.values(), foreign))
    for copy, text in texts.items():
        copy.write_text(renaming.rewrite(text, renamed, keep_comments="NOLINT" in text), encoding="utf-8")
    back = {str(copy): str(file) for copy, file in original.items()}
    copy_of = {file: copy for copy, file in original.items()}
    units = [replace_path(unit, copy_of[unit.path]) for unit in job.units]
    found = [
        Found(f.rule, back.get(f.file, f.file), f.line, f.column, f.message, f.raw)
        for f in program_findings(job.tools, units, job.folder)
    ]
    return differences(expected_of(job.units), found, job.slug)


def check_link(job: Job) -> list[str]:
    """All units of a program, and what only the whole of it shows. The fixes that it offers work."""
    found = program_findings(job.tools, job.units, job.folder)
    problems = differences(expected_of(job.units), found, job.slug, statements_too=True)
    can_be_built = any(unit.has_main for unit in job.units) and not any(unit.is_fortran for unit in job.units)
    fixed = can_be_built and any(f.raw["fixes"] for f in found)
    return problems or (check_program_fixes(job, found) if fixed else [])


def check_off(job: Job) -> list[str]:
    """With the detector switched off, the test of this sample fails."""
    found = job.tools.tool(job.sample, rules=f"-{job.slug}")
    problems = [f"still found: {f.place}" for f in found if f.rule == job.slug]
    if not differences(job.sample.static, found, job.slug):
        problems.append("the sample passes without its detector")
    return problems


def check_fixes(job: Job, found: Sequence[Found]) -> list[str]:
    """The program with all fixes applied builds, prints the same, and the findings that were fixed are gone."""
    sample = job.sample
    original = copies([sample.path, *sample.headers], job.folder)
    copy_of = {str(file): copy for copy, file in original.items()}
    edits = [edit for f in found if f.raw["fixes"] for edit in f.raw["fixes"][0]["edits"]]
    for name in sorted({edit["file"] for edit in edits}):
        target = copy_of.get(str(Path(name).resolve()))
        if target is None:
            return [f"the fix edits {name}, which is no file of the sample"]
        here = [edit for edit in edits if edit["file"] == name]
        target.write_bytes(apply_edits(target.read_bytes(), here))
    fixed = replace_path(sample, copy_of[str(sample.path)])
    problems = left_after(job, found, job.tools.tool(fixed))
    if sample.has_main:
        outputs = [run_program(job, unit, job.folder / f"program{n}") for n, unit in enumerate((sample, fixed))]
        if outputs[0] != outputs[1]:
            problems.append(f"the fixed program prints something else:\n{outputs[0]}\n---\n{outputs[1]}")
    return problems


def check_program_fixes(job: Job, found: Sequence[Found]) -> list[str]:
    """The program of several units with all fixes applied builds and prints the same."""
    files = [file for unit in job.units for file in (unit.path, *unit.headers)]
    copy_of = {file.resolve(): copy for copy, file in copies(files, job.folder).items()}
    edits = [edit for f in found if f.raw["fixes"] for edit in f.raw["fixes"][0]["edits"]]
    for file, target in copy_of.items():
        mine = [edit for edit in edits if Path(edit["file"]).resolve() == file]
        target.write_bytes(apply_edits(target.read_bytes(), mine))
    fixed = [replace_path(unit, copy_of[unit.path.resolve()]) for unit in job.units]
    outputs = [run_units(job, units, job.folder / f"program{n}") for n, units in enumerate((job.units, fixed))]
    if outputs[0] != outputs[1]:
        return [f"the fixed program prints something else:\n{outputs[0]}\n---\n{outputs[1]}"]
    return []


def left_after(job: Job, found: Sequence[Found], now: Sequence[Found]) -> list[str]:
    """What is found once all fixes were made, and should not be."""
    remaining = Counter(f.rule for f in found if not f.raw["fixes"])
    # What is less sure than what was fixed is another finding of the rule: a product in a better order lacks blocks.
    surest = {
        f.rule: min(rank_of(g) for g in found if g.raw["fixes"] and g.rule == f.rule) for f in found if f.raw["fixes"]
    }
    after = Counter(
        f.rule
        for f in now
        if (f.rule == job.slug or not f.is_minor)
        and rank_of(f) >= surest.get(f.rule, 0)
        and not is_next_step(f, surest)
    )
    return [f"{rule}: {after[rule]} findings after the fix" for rule in sorted(after - remaining)]


def is_next_step(found: Found, fixed: Mapping[str, int]) -> bool:
    """What another rule sees only now, and can mend or is not certain of: in one region around a loop, a barrier that
    perhaps nobody needs."""
    return found.rule not in fixed and (bool(found.raw["fixes"]) or found.raw["confidence"] != Confidence.HIGH.value)


def rank_of(found: Found) -> int:
    return Confidence(found.raw["confidence"]).rank


def check_twin(job: Job) -> list[str]:
    """`buggy` and `fixed` (the two units) are the same program to their user: they print the same."""
    outputs = [run_program(job, unit, job.folder / unit.path.stem) for unit in job.units]
    return [] if outputs[0] == outputs[1] else [f"different output:\n{outputs[0]}\n---\n{outputs[1]}"]


def check_run(job: Job, mpi: str) -> list[str]:
    """The run's findings stand on the lines that `// expect-run:` names, the fixed program is silent."""
    program = job.tools.compile(job.sample, job.folder / "program", mpi)

    def attempt() -> list[str]:
        found = observe(job, job.tools.launch(job.sample, program, mpi), [])
        certain = [f for f in found if f.place not in job.sample.may]
        return differences(job.sample.run, certain, statements_too=True)

    return undisturbed(attempt)


_TRIES = 3


def undisturbed(attempt: Callable[[], list[str]]) -> list[str]:
    """The problems of a run, and of another one where there were some: where other programs take the processors, a run
    shows less, or waits that are theirs. What is wrong with the product is wrong in each."""
    problems: list[str] = []
    for _ in range(_TRIES):
        problems = attempt()
        if not problems:
            break
    return problems


def check_cache(job: Job) -> list[str]:
    """A cache run confirms each static finding of this rule, and shows no other: on a processor's caches by name, so
    that the samples say the same on every machine."""
    sample, tools = job.sample, job.tools
    mpi = tools.mpis[0] if sample.uses_mpi else None
    program = tools.compile(sample, job.folder / "program", mpi)
    lint = job.folder / "lint.json"
    flags = tools.flags(sample)
    tools.call([tools.command, "lint", sample.path, "--format", "json", "-o", lint, "--", *flags], cwd=job.folder)
    options = ["--cache", "--cache-model", CACHE_MODEL, "--lint", str(lint)]
    found = observe(job, tools.launch(sample, program, mpi), options, lint)
    mine = [f for f in found if f.rule == job.slug]
    problems = differences([p for p in sample.static if p.rule == job.slug], mine)
    for f in mine:
        if f.raw["verdict"] != "confirmed":
            problems.append(f"{f.place}: {f.raw['verdict']}, not confirmed: {json.dumps(f.raw['evidence'])}")
    return problems


def check_kernel_lint(job: Job) -> list[str]:
    """`capture` and `lint` of a whole program, built at one step of its repair, find what its files say."""
    static, _, _ = captured_kernel(job)
    return differences(static, located(job.folder / "lint.json"))


def check_kernel_report(job: Job) -> list[str]:
    """One report of source, MPI run and cache run: what a run can see is confirmed, the rest has no cost."""
    static, run, may = captured_kernel(job)
    tools, folder, program = job.tools, job.folder, job.folder / "build" / job.kernel.name

    def run_kernel(kind: str, config: str) -> None:
        command: list[str | Path] = ["mpirun", "-n", "4", program, job.kernel / config]
        tools.call([tools.command, "run", f"--{kind}", "-o", folder / kind, "--", *command], folder, mpi_environment())

    def attempt() -> list[str]:
        run_kernel("mpi", "config.txt")
        return _kernel_problems(job, static, run, may)

    run_kernel("cache", "config-small.txt")
    return undisturbed(attempt)


def _kernel_problems(job: Job, static: Sequence[Place], run: Sequence[Place], may: Sequence[Place]) -> list[str]:
    tools, folder = job.tools, job.folder
    report: list[str | Path] = [tools.command, "report", folder / "mpi", folder / "cache"]
    report += ["--lint", folder / "lint.json", "--format", "json", "-o", folder / "report.json"]
    tools.call(report, folder)
    found = located(folder / "report.json")
    problems = differences({*static, *run}, [f for f in found if f.place in static or f.place not in may])
    detectors = {slug: rule.detectors for slug, rule in catalogue.load().items()}
    for f in found:
        if f.place in may:
            continue
        verdict, cost = f.raw["verdict"], f.raw["cost_seconds"]
        seen = f.place in run or "cache" in detectors[f.rule]
        if f.place in static and (verdict == "confirmed") != seen:
            problems.append(f"{f.place}: {verdict}, {'not' if seen else 'though'} confirmed by the run")
        if f.place not in static and verdict != "observed":
            problems.append(f"{f.place}: {verdict}, not observed")
        if (cost is not None) != (f.place in run):
            problems.append(f"{f.place}: cost {cost} s")
    return problems


def captured_kernel(job: Job) -> tuple[list[Place], list[Place], list[Place]]:
    """Builds and lints the program; what its files expect of the source and of the run, and allow the run."""
    tools, folder = job.tools, job.folder
    make: list[str | Path] = ["make", "-s", "-C", job.kernel, f"STEP={job.step}", f"BUILD={folder / 'build'}"]
    tools.call([tools.command, "capture", "-o", folder, "--", *make], folder)
    tools.call([tools.command, "lint", "-p", folder, "--format", "json", "-o", folder / "lint.json"], folder)
    files: set[Path] = set()
    for entry in compile_db.load(folder):
        assert isinstance(entry, compile_db.Entry)
        words = [word for word in entry.arguments if word not in ("-c", "-MMD", "-MP")]
        if "-o" in words:
            at = words.index("-o")
            del words[at : at + 2]
        rule = tools.call([*words, "-MM"], entry.directory).stdout.replace("\\\n", " ")
        files |= {(entry.directory / name).resolve() for name in rule.split(":", 1)[1].split()}
    stated = [e for file in sorted(files) for e in expectations(file.read_text(encoding="utf-8"), str(file))]
    static, run, may = ([p for kind, p in stated if kind == wanted] for wanted in ("expect", "expect-run", "may-run"))
    return static, run, may


def check_omp(job: Job, compiler: str) -> list[str]:
    """An OpenMP run confirms each static finding of this rule; what it shows beyond
    stands where `// expect-run:` or `// may-run:` allow it."""
    sample, tools = job.sample, job.tools
    built = tools.clang_program if compiler == "clang" else tools.compile
    program = built(sample, job.folder / "program")
    lint = job.folder / "lint.json"
    tools.call([tools.command, "lint", sample.path, "--format", "json", "-o", lint, "--", *tools.flags(sample)])
    environment = dict(word.split("=", 1) for word in ("OMP_NUM_THREADS=2", *sample.environment))

    def attempt() -> list[str]:
        return _omp_problems(job, observe(job, tools.launch(sample, program, None), ["--omp"], lint, environment))

    return undisturbed(attempt)


def _omp_problems(job: Job, found: Sequence[Found]) -> list[str]:
    sample = job.sample
    mine = [f for f in found if f.rule == job.slug]
    problems = []
    for f in mine:
        verdict = f.raw["verdict"]
        if f.place in sample.static and verdict != "confirmed":
            problems.append(f"{f.place}: {verdict}, not confirmed by the run")
        if f.place not in (*sample.static, *sample.run, *sample.may) and verdict != "refuted" and not f.is_low:
            problems.append(f"{f.place}: {verdict}, though nothing is expected")
    seen = {f.place for f in mine if f.raw["verdict"] in ("observed", "confirmed")}
    problems += [f"missing: {place}" for place in sample.run if place.rule == job.slug and place not in seen]
    return problems + other_than_stated(sample.run, mine)


def check_sharing(job: Job) -> list[str]:
    """A false-sharing run of the instrumented program confirms each static finding of this rule and shows no other."""
    sample, tools = job.sample, job.tools
    program = tools.share_program(sample, job.folder / "program")
    lint = job.folder / "lint.json"
    tools.call([tools.command, "lint", sample.path, "--format", "json", "-o", lint, "--", *tools.flags(sample)])
    found = observe(job, tools.launch(sample, program, None), ["--sharing"], lint, {"OMP_NUM_THREADS": "4"})
    mine = [f for f in found if f.rule == job.slug]
    static = [p for p in sample.static if p.rule == job.slug]
    problems = differences(static, [f for f in mine if f.raw["verdict"] != "refuted" or f.place in static])
    for f in mine:
        if f.place in static and f.raw["verdict"] != "confirmed":
            problems.append(f"{f.place}: {f.raw['verdict']}, not confirmed: {json.dumps(f.raw['evidence'])}")
    return problems


KINDS: dict[str, Callable[[Job], list[str]]] = {
    "tool": check_tool,
    "tidy": check_tidy,
    "plugin": check_plugin,
    "stripped": check_stripped,
    "off": check_off,
    "cache": check_cache,
    "sharing": check_sharing,
    "link": check_link,
    "twin": check_twin,
    "lint": check_kernel_lint,
    "report": check_kernel_report,
}


def check(kind: str, job: Job) -> list[str]:
    """Runs the test of that kind in an empty folder; a host that fails is a problem like any other."""
    shutil.rmtree(job.folder, ignore_errors=True)
    job.folder.mkdir(parents=True)
    try:
        if kind.startswith("omp."):
            return check_omp(job, kind.removeprefix("omp."))
        if kind.startswith("run"):
            return check_run(job, kind.removeprefix("run"))
        return KINDS[kind](job)
    except HostError as error:
        return [str(error)]


# Helpers


def expected_of(units: Iterable[Sample]) -> list[Place]:
    """All static expectations; those of a header that several units include count once."""
    places: list[Place] = []
    seen: set[Path] = set()
    for unit in units:
        places += [p for p in unit.static if Path(p.file) not in seen]
        seen |= {unit.path, *unit.headers}
    return places


def program_findings(tools: Toolchain, units: Sequence[Sample], folder: Path) -> list[Found]:
    """Findings of all units, those in shared headers once; of several units also the linked ones."""
    found: dict[tuple[str, str, int, int, str], Found] = {}
    if any(unit.is_fortran for unit in units):
        return tools.fortran(units)
    results = []
    outputs = [tools.tool_result(unit) for unit in units]
    uses = [mpi_layer.Uses(o["mpi_wrappers"], o["foreign"], o["mpi_ranks"], o["mpi_asked"]) for o in outputs]
    for index, more in mpi_layer.options(uses).items():
        outputs[index] = tools.tool_result(units[index], more=more)
    for index, result in enumerate(outputs):
        found |= {f.key: f for f in map(Found.from_json, result["findings"])}
        results.append(folder / f"unit{index}.json")
        results[-1].write_text(json.dumps(result), encoding="utf-8")
    if len(units) > 1:
        found |= {f.key: f for f in map(Found.from_json, tools.link(results)["findings"])}
    return list(found.values())


def copies(files: Sequence[Path], folder: Path) -> dict[Path, Path]:
    """Copies files into `folder`, as they lie to each other. Returns the original of each copy."""
    top = Path(*_common_parts([file.parent for file in files]))
    originals = {}
    for file in dict.fromkeys(files):
        copy = (folder / "copy" / file.relative_to(top)).resolve()
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        originals[copy] = file
    return originals


def _common_parts(folders: Sequence[Path]) -> list[str]:
    parts = []
    for level in zip(*(folder.parts for folder in folders), strict=False):
        if len(set(level)) > 1:
            break
        parts.append(level[0])
    return parts


def replace_path(sample: Sample, path: Path) -> Sample:
    """The same sample at another place; expectations are dropped with the comments that stated them."""
    return Sample(
        path,
        (),
        (),
        (),
        (),
        sample.fixes,
        sample.flags,
        sample.ranks,
        sample.run_args,
        sample.environment,
        sample.has_main,
        sample.uses_mpi,
    )


def foreign_names(tools: Toolchain, sample: Sample, folder: Path) -> set[str]:
    """What the sample's system headers and its -D options declare."""
    includes = [
        line
        for file in (sample.path, *sample.headers)
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.lstrip().startswith("#") and "include" in line and "<" in line
    ]
    headers = folder / ("headers" + sample.path.suffix)
    headers.write_text("\n".join(includes) + "\n", encoding="utf-8")
    done = tools.call([tools.clang, "-E", "-dD", *tools.flags(sample), headers])
    return renaming.outer_names(done.stdout)


def apply_edits(content: bytes, edits: Sequence[dict[str, Any]]) -> bytes:
    """Replaces byte ranges of the original; equal edits of several findings count once, others must not overlap."""
    unique = {(e["begin_offset"], e["end_offset"], e["replacement"]) for e in edits}
    end = len(content) + 1
    for begin, stop, text in sorted(unique, reverse=True):
        if not begin <= stop <= end:
            raise HostError(f"edits overlap at byte {begin}")
        content = content[:begin] + text.encode() + content[stop:]
        end = begin
    return content


def run_units(job: Job, units: Sequence[Sample], output: Path) -> str:
    """What the program of all these units prints."""
    main = next(unit for unit in units if unit.has_main)
    others = [str(unit.path) for unit in units if unit is not main]
    flags = tuple(dict.fromkeys(flag for unit in units for flag in unit.flags))
    whole = replace(main, flags=flags, uses_mpi=any(unit.uses_mpi for unit in units))
    return run_program(job, whole, output, others)


def run_program(job: Job, unit: Sample, output: Path, others: Sequence[str] = ()) -> str:
    mpi = job.tools.mpis[0] if unit.uses_mpi else None
    program = job.tools.compile(unit, output, mpi, others)
    return job.tools.call(job.tools.launch(unit, program, mpi), environment=mpi_environment(), cwd=job.folder).stdout


def observe(
    job: Job,
    command: Sequence[str],
    options: Sequence[str],
    lint: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> list[Found]:
    """The findings of `stridewise report` after a run of the command."""
    tools, out, report = job.tools, job.folder / "out", job.folder / "report.json"
    tools.call(
        [tools.command, "run", "-o", out, *options, "--", *command], job.folder, environment or mpi_environment()
    )
    joined: list[str | Path] = [] if lint is None else ["--lint", lint]
    tools.call([tools.command, "report", out, *joined, "--format", "json", "-o", report], job.folder)
    return located(report)


def located(report: Path) -> list[Found]:
    """The findings of a JSON report, those that it holds back for their low confidence too."""
    written = json.loads(report.read_text(encoding="utf-8"))
    findings = [*written["findings"], *written["unsure"]]
    for finding in findings:
        finding["location"]["file"] = str(Path(written["root"]) / finding["location"]["file"])
    return [Found.from_json(finding) for finding in findings]
