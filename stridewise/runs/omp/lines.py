"""The lines of OpenMP constructs that code made by GCC calls from other lines.

GCC gives the calls that a directive becomes the line of the directive, of the statement below it, or of the block
around it. What the recorder saw tells which construct a call is; where the line is none of its directives, the
nearest one takes its place, if there is one within a few lines. Clang's lines are those of the directives.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from stridewise.finding.sources import Sources
from stridewise.runs.omp.trace import Site, Trace, Work

_REACH, _BODY = 8, 20  # lines
_DIRECTIVE = re.compile(r"^\s*(?:#\s*pragma\s+omp\b|[!cC*]\$omp\b)(.*)", re.IGNORECASE)
_LOOP = r"\b(?:for|do)\b"
_UPDATES = r"^\s*atomic\b(?!.*\b(?:read|write)\b)"
_WORDS = {
    "task": r"\b(?:task|taskloop)\b",
    "single": r"\b(?:single|master|masked)\b",
    "sections": r"\bsections\b",
    "loop-dynamic": _LOOP,
    "loop-guided": _LOOP,
    "loop-other": _LOOP,
    "critical": r"\bcritical\b",
    "atomic": r"\batomic\b",
    "ordered": r"\bordered\b",
    "barrier-other": rf"(?:{_LOOP}|\bsections\b|\bworkshare\b)(?!.*\bnowait\b)|\bbarrier\b",
}


def corrected(trace: Trace, sources: Sources | None = None) -> Trace:
    """The trace with the directives' lines."""
    known = sources or Sources()
    wanted: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)  # by file and kind: sites and their depths
    for site, kind in _kinds(trace):
        if kind not in _WORDS:
            continue
        # The call may be given the line of a function that was compiled into the block before it.
        for depth, frame in enumerate(trace.sites[site].frames):
            if frame.user and frame.known and _near(_directives(known, frame.file, _WORDS[kind]), frame.line, kind):
                wanted[frame.file, kind][site] = depth
                break
    found: dict[int, tuple[int, int]] = {}
    for (file, kind), sites in wanted.items():
        lines = {site: trace.sites[site].frames[depth].line for site, depth in sites.items()}
        directives = _directives(known, file, _WORDS[kind])
        # Who is near to a directive has it before who is far: two tasks often stand in a row.
        taken: dict[int, int] = {}
        pairs = ((abs(d - line), d, s) for s, line in lines.items() for d in _near(directives, line, kind))
        for _, directive, site in sorted(pairs):
            if site not in found and taken.get(directive, lines[site]) == lines[site]:
                found[site] = sites[site], directive
                taken[directive] = lines[site]
    return replace(trace, sites=tuple(_at(s, *found[i]) if i in found else s for i, s in enumerate(trace.sites)))


def reunited(trace: Trace) -> Trace:
    """The trace with the loops that LLVM's library did not say the place of, now and then, at their place: where the
    region has one loop of the kind. They stand at the region's own place, where GCC's regions that are loops
    have theirs each time."""
    known: dict[tuple[int, str], set[int]] = defaultdict(set)
    for work in trace.works:
        if work.region is not None and work.site != work.region:
            known[work.region, work.kind].add(work.site)

    def place(work: Work) -> Work:
        sites = known.get((work.site, work.kind), ()) if work.site == work.region else ()
        return replace(work, site=next(iter(sites))) if len(sites) == 1 else work

    return replace(trace, works=tuple(map(place, trace.works)))


def updates(files: Iterable[str], sources: Sources | None = None) -> list[tuple[str, int]]:
    """Directives for atomic updates in these files: file and line."""
    known = sources or Sources()
    return [(file, line) for file in sorted(set(files)) for line in _directives(known, file, _UPDATES)]


def _near(directives: Iterable[int], line: int, kind: str) -> list[int]:
    """Those that a call at this line may belong to. The barrier of a loop is called behind the statements in it."""
    above = _BODY if kind == "barrier-other" else _REACH
    return [directive for directive in directives if -_REACH <= line - directive <= above]


def _kinds(trace: Trace) -> Iterable[tuple[int, str]]:
    """Each site once, with what is most telling of it: a barrier without an address of its own has its loop's."""
    found: dict[int, str] = {wait.site: wait.kind for wait in trace.waits if wait.kind == "barrier-other"}
    found |= {mutex.site: mutex.kind for mutex in trace.mutexes}
    found |= {work.site: work.kind for work in trace.works}
    found |= {task.site: "task" for task in trace.tasks}
    for region in trace.regions:
        found.pop(region.site, None)  # these are exact
    return found.items()


def _directives(sources: Sources, file: str, words: str) -> list[int]:
    pattern = re.compile(words, re.IGNORECASE)
    out = []
    text = sources.lines(file)
    for number, line in enumerate(text, 1):
        match = _DIRECTIVE.match(line)
        if match is None:
            continue
        whole, next_line = match[1], number
        while whole.rstrip().endswith(("\\", "&")) and next_line < len(text):
            whole = whole.rstrip().rstrip("\\&") + " " + text[next_line]
            next_line += 1
        if pattern.search(whole):
            out.append(number)
    return out


def _at(site: Site, depth: int, line: int) -> Site:
    frame = site.frames[depth]
    own = frame if frame.line == line else replace(frame, line=line, column=0)
    return replace(site, frames=(own, *site.frames[depth + 1 :]))
