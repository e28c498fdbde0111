"""Code of others that a project brings along, and copies that tools keep: nobody mends it there, so its findings are
counted and left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.sources import Project, Sources

# Folders whose names say that what is in them comes from elsewhere, as build systems and package managers name them.
FOLDERS = frozenset(
    {
        "third_party",
        "third-party",
        "thirdparty",
        "3rd_party",
        "3rd-party",
        "3rdparty",
        "vendor",
        "vendored",
        "external",
        "externals",
        "extern",
        "extlib",
        "extlibs",
        "deps",
        "_deps",
        "subprojects",
        "node_modules",
    }
)
# Names of folders in which copies of BLAS and LAPACK lie, where a routine of theirs was found there.
_LIBRARIES = ("blas", "lapack", "f2c")
# How a file begins that f2c made of Fortran: people mend what it was made of.
_TRANSLATED = re.compile(r"translated by f2c|^\s*#\s*include\s*[<\"]f2c\.h[>\"]")
_HEAD_LINES = 30
_DIRECTIVE = re.compile(r"\s*#\s*pragma\s+omp\b")
_BUNDLED = "bundled"  # argument of the finding that speaks of such copies as a whole


def _is_hidden(part: str) -> bool:
    """Whether a folder is one in which tools keep what they need: copies that an editor saved, caches, environments."""
    return part.startswith(".") and part not in (".", "..")


def split(
    findings: Sequence[Finding],
    project: Project,
    named: Sequence[Path] = (),
    sources: Sources | None = None,
    rules: Mapping[str, Rule] | None = None,
    units: Iterable[str | Path] = (),
) -> tuple[list[Finding], list[Finding]]:
    """The project's own findings, and those of code that it brings along.

    What the user named, or a folder in there, is own; so is all of a project that has nothing else, and what f2c made
    where that is most of it, counted over the files that were analysed (`units`) and those of the findings.
    """
    libraries = _libraries(findings)
    texts = sources or Sources()
    # A finding of these speaks of the whole program, at one of its files.
    whole = {slug for slug, rule in (rules or {}).items() if rule.once}

    def is_below(path: Path) -> bool:
        """Whether a file or folder is of others, or below what is."""
        inside = Path(project.relative(str(path)))
        below = not inside.is_absolute() and any(part.lower() in FOLDERS or _is_hidden(part) for part in inside.parts)
        return below or any(path.is_relative_to(library) for library in libraries)

    files = {str(_absolute(finding.location.file)) for finding in findings if finding.location.line > 0}
    files.update(str(_absolute(unit)) for unit in units)
    translations = {file for file in files if _is_translated(file, texts)}
    if 2 * len(translations) > len(files):
        translations = set()
    given = {str(_absolute(path)) for path in named}
    wanted = [path for path in map(_absolute, named) if is_below(path)]

    def is_foreign(finding: Finding) -> bool:
        if _BUNDLED in finding.args or finding.location.line <= 0:
            return False  # speaks of the copies, or of the whole program
        file = _absolute(finding.location.file)
        translated = finding.rule not in whole and str(file) not in given and str(file) in translations
        return (is_below(file.parent) or translated) and not any(file.is_relative_to(path) for path in wanted)

    own = [finding for finding in findings if not is_foreign(finding)]
    if not own:
        return list(findings), []
    kept = set(map(id, own))
    return own, [finding for finding in findings if id(finding) not in kept]


def _is_translated(file: str, texts: Sources) -> bool:
    lines = texts.lines(file)
    # f2c knows no directives: who wrote them works on what it left.
    return any(_TRANSLATED.search(line) for line in lines[:_HEAD_LINES]) and not any(map(_DIRECTIVE.match, lines))


def _libraries(findings: Sequence[Finding]) -> set[Path]:
    places = [
        place
        for finding in findings
        if _BUNDLED in finding.args
        for place in (finding.location.file, *(related.file for related in finding.related))
    ]
    folders = {_absolute(place).parent for place in places}
    return {folder for folder in folders if any(name in folder.name.lower() for name in _LIBRARIES)}


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))
