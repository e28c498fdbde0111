"""Edits for findings that carry no fix of their own. None is proven: each is tried on the copy, where the program's own
result and its time decide. A recipe looks at the text only where the finding points, and refuses what it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from stridewise.collect.compile_db import is_fortran_file
from stridewise.finding import Finding, Verdict
from stridewise.improve import compiling
from stridewise.improve.compiling import Build
from stridewise.improve.edits import Recipe, Refused, place, without_statement
from stridewise.improve.fuse import one_reduction
from stridewise.improve.messages import one_message
from stridewise.improve.sendrecv import exchange


def of(finding: Finding, build: Build) -> Recipe | None:
    """The recipe for a finding, None where there is none. Raises Refused where there is one that does not fit."""
    make = _RECIPES.get(finding.rule)
    if make in _ONLY_C and is_fortran_file(Path(finding.location.file)):
        raise Refused("this is not done for Fortran")
    return make(finding, build) if make else None


# --- recipes ----------------------------------------------------------------------------------------------------------

_FLAG = re.compile(r"(?<![\w-])-[fm][a-z][\w-]*(?:=native)?(?![\w=])")


def _optimise(finding: Finding, build: Build) -> Recipe:
    """A higher level; where the level is not what is missing, the flags that the advice names."""
    if finding.args.get("reason") == "processor":
        return _flags(finding, build)
    return compiling.optimised(build, Path(finding.location.file))


def _flags(finding: Finding, build: Build) -> Recipe:
    """The compiler's flags that the advice names. Pragmas are no flags: -fopenmp and what belongs to it stay out."""
    named = [flag for flag in dict.fromkeys(_FLAG.findall(finding.advice)) if not flag.startswith("-fopenmp")]
    if not named:
        raise Refused("its advice names no flag of the compiler")
    return compiling.with_flags(build, Path(finding.location.file), named)


def _sleep(finding: Finding, _build: Build) -> Recipe:
    return Recipe("no sleep", (without_statement(place(finding)),))


def _barrier(finding: Finding, _build: Build) -> Recipe:
    if finding.verdict not in (Verdict.CONFIRMED, Verdict.OBSERVED):
        raise Refused("no run has shown that nothing depends on it")
    return Recipe("no barrier", (without_statement(place(finding)),))


_RECIPES: dict[str, Callable[[Finding, Build], Recipe]] = {
    "build-unoptimised": _optimise,
    "build-missed-vectorization": _flags,
    "run-sleep-in-loop": _sleep,
    "mpi-redundant-barrier": _barrier,
    "mpi-fusable-collectives": one_reduction,
    "mpi-send-recv-chain": exchange,
    "mpi-tiny-messages": one_message,
}
_ONLY_C = (exchange, one_message, one_reduction)
