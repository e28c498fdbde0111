"""What the whole program says of a fix: one unit's proof holds for all only where no code is left that nobody analysed.

A fix in a file that several units share, or of something that other units see, is safe only if every includer of the
file is known, by a search of the project's text, too: a compile database may lack units, a header may be there for
others. All other fixes are the unit's own business.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from stridewise.finding import Finding, Fix
from stridewise.finding.sources import Project
from stridewise.lint.analysis import UnitResult
from stridewise.lint.fixes import Stamp

_MOST_FILES, _MOST_BYTES, _MOST_FILE_BYTES = 60_000, 1 << 30, 32 << 20
_NO_TEXT = frozenset(
    ".o .a .so .obj .lib .dll .exe .png .jpg .jpeg .gif .pdf .zip .gz .bz2 .xz .zst .tar .h5 .hdf5 .nc .npy .npz .bin "
    ".dat .pyc .pch .gch .ico .svg .eps .ps .mod .class .jar .whl .mp4 .vtk .vtu .ttf .woff .woff2".split()
)
_PROSE = frozenset(".md .rst .txt .html .htm .tex .adoc .log .csv .tsv .xml .json .toml .yml .yaml .css .po".split())
_HISTORIES = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules"})
_INCLUDE = re.compile(
    rb"(?:#|%:)[ \t]*(?:include|include_next|import)\b[ \t]*(?:<([^>\n]+)>|\"([^\"\n]+)\"|([A-Za-z_]\w*))"
)
_FORCED = re.compile(rb"(?:-include|-imacros|/FI)[ \t=]*[\"']?([^\s\"']+)")
_DIRECTIVE = re.compile(rb"[ \t]*(?:#|%:)[ \t]*(\w+)[ \t]*([^\n]*)")
# A brace that begins an initialiser, not a block: behind =, (, a comma, another brace, or return.
_BRACED = re.compile(rb"(?:[=(,{\]]|\breturn\b)\s*\{")


@dataclass(frozen=True, slots=True)
class _Text:
    includes: frozenset[bytes]  # last components of what it includes
    computed: bool  # includes what a macro names
    forced: frozenset[bytes] = frozenset()  # of a build file: what it has included everywhere


# A language server asks again after each change.
_KNOWN: dict[str, tuple[Stamp | None, _Text | None]] = {}


@dataclass
class Tree:
    """The project's text files, searched once. Links are not followed out of it."""

    project: Project
    _texts: dict[str, _Text] | None = None
    _forced: set[bytes] = field(default_factory=set)
    _files: list[str] = field(default_factory=list)
    _too_big: str = ""

    def unread_includer(self, file: str, read: frozenset[str], computed: bool = True) -> str:
        """Why some includer of the file may not have been analysed; empty when all were. `read` are the real paths of
        the files that an analysed unit read; with `computed` an include of what a macro names may be of any file."""
        texts = self._search()
        if self._too_big:
            return self._too_big
        name = Path(file).name
        for path, text in texts.items():
            if computed and text.computed and path not in read and Path(path).suffix not in _PROSE:
                return f"{self.project.relative(path)} includes what a macro names, and was not analysed"
        wanted = [os.fsencode(name)]
        seen = set(wanted)
        while wanted:
            now = wanted.pop()
            if now in self._forced:
                return f"a build file has '{os.fsdecode(now)}' included everywhere"
            for path, text in texts.items():
                if now not in text.includes or path == os.path.realpath(file):
                    continue
                if path not in read:
                    return f"{self.project.relative(path)} includes '{os.fsdecode(now)}' and was not analysed"
                own = os.fsencode(Path(path).name)
                if own not in seen:
                    seen.add(own)
                    wanted.append(own)
        return ""

    def includers(self, file: str) -> Iterator[str]:
        """The file and all that include it, by name."""
        texts = self._search()
        wanted, seen = [os.path.realpath(file)], {os.path.realpath(file)}
        while wanted:
            now = wanted.pop()
            yield now
            name = os.fsencode(Path(now).name)
            for path, text in texts.items():
                if name in text.includes and path not in seen:
                    seen.add(path)
                    wanted.append(path)

    def other_configuration(self, file: str, words: Sequence[str]) -> str:
        """Why code that another configuration compiles may depend on what the words name; empty when none does."""
        named = re.compile(rb"\b(?:" + b"|".join(re.escape(os.fsencode(w)) for w in words) + rb")\b") if words else None
        for path in self.includers(file):
            for block in _conditional(_bytes(path)):
                if (named and named.search(block)) or _BRACED.search(block):
                    return f"{self.project.relative(path)} has code of other configurations that may depend on it"
        return ""

    def mention(self, words: Sequence[str], read: frozenset[str]) -> str:
        """Why code that was not analysed may speak of what the words name."""
        self._search()
        if self._too_big:
            return self._too_big
        named = re.compile(rb"\b(?:" + b"|".join(re.escape(os.fsencode(w)) for w in words) + rb")\b")
        for path in self._files:
            if path in read or Path(path).suffix in _PROSE:
                continue
            found = named.search(_bytes(path))
            if found and not _is_build_file(path):
                return f"{self.project.relative(path)} names '{os.fsdecode(found[0])}' and was not analysed"
        return ""

    def published(self, file: str) -> str:
        """Why the header may have users outside the project; empty when nothing says so."""
        self._search()
        name = re.escape(os.fsencode(Path(file).name))
        for path in self._files:
            if _is_build_file(path) and _installs(_bytes(path), name):
                return f"{self.project.relative(path)} installs headers: there may be users outside the project"
        return ""

    def _search(self) -> dict[str, _Text]:
        if self._texts is not None:
            return self._texts
        self._texts = {}
        size = 0
        for path in self._walk():
            stamp = Stamp.of(path)
            size += stamp.size if stamp else 0
            if size > _MOST_BYTES or len(self._files) >= _MOST_FILES:
                self._too_big = "the project has too much text to look for all that includes it"
                break
            known = _KNOWN.get(path)
            if stamp is None or known is None or known[0] != stamp:
                _KNOWN[path] = known = (stamp, _read_text(path))
            text = known[1]
            if text is None:
                continue
            self._files.append(path)
            self._forced |= text.forced
            if text.includes or text.computed:
                self._texts[path] = text
        return self._texts

    def _walk(self) -> Iterator[str]:
        for folder, folders, files in os.walk(self.project.root):
            folders[:] = sorted(name for name in folders if name not in _HISTORIES)
            for name in sorted(files):
                if Path(name).suffix.lower() not in _NO_TEXT:
                    path = Path(folder, name)
                    yield os.path.realpath(path) if path.is_symlink() else str(path)


def settled(
    findings: Sequence[Finding],
    results: Sequence[UnitResult],
    project: Project,
    complete: bool,
    partial: Collection[str] = (),
) -> list[Finding]:
    """The findings with the safety of their fixes as the whole program says it. `complete`: every unit of the program
    was analysed, if not by the rules in `partial`."""
    judge = _Judge(results, project)
    return [
        replace(f, fixes=tuple(judge.settled(x, complete and f.rule not in partial) for x in f.fixes)) if f.fixes else f
        for f in findings
    ]


class _Judge:
    def __init__(self, results: Sequence[UnitResult], project: Project) -> None:
        self._project = replace(project, root=Path(os.path.realpath(project.root)))
        self._results = results
        self._tree: Tree | None = None
        self._read: frozenset[str] | None = None
        self._mains = {os.path.realpath(r.command.file) for r in results}

    def settled(self, fix: Fix, complete: bool) -> Fix:
        if fix.is_safe:
            why = self._doubt(fix, complete)
            fix = fix.doubted(why) if why else fix
        return replace(fix, beyond=None)

    def _doubt(self, fix: Fix, complete: bool) -> str:
        tree = self._tree = self._tree or Tree(self._project)
        known = self._files_read()
        files = dict.fromkeys(edit.file for edit in fix.edits)
        shared = [file for file in files if os.path.realpath(file) not in self._mains]
        seen = fix.beyond.why if fix.beyond else ""
        if shared and not complete:
            return f"'{Path(shared[0]).name}' may be included by units that were not analysed"
        if seen and not complete:
            return f"units that were not analysed may know {seen}"
        for file in files:
            why = tree.unread_includer(file, known, computed=bool(fix.beyond) or file in shared)
            if not why and fix.beyond:
                why = tree.other_configuration(file, fix.beyond.words)
                if not why and file in shared:
                    why = tree.published(file)
            if why:
                return why
        if fix.beyond and (seen or shared):
            return self._library() or tree.mention(fix.beyond.words, known)
        return ""

    def _files_read(self) -> frozenset[str]:
        """What a unit that does not compile shows of its files is not all that there is: it does not count."""
        if self._read is None:
            good = [r for r in self._results if r.status == "ok"]
            self._read = frozenset(os.path.realpath(file) for r in good for file in (*r.files, str(r.command.file)))
        return self._read

    def _library(self) -> str:
        for result in self._results:
            if any(word in ("-fPIC", "-fpic", "--shared", "-shared") for word in result.command.arguments):
                name = self._project.relative(os.path.realpath(result.command.file))
                return f"{name} is compiled for a shared library, whose users are not known"
        return ""


def _read_text(path: str) -> _Text | None:
    """None for what is no text."""
    data = _bytes(path)
    if b"\0" in data[:8192]:
        return None
    forced = {_last(m[1]) for m in _FORCED.finditer(data)} if _is_build_file(path) else set()
    found = _INCLUDE.findall(data) if b"include" in data or b"import" in data else []
    included = {_last(name) for angles, quotes, _ in found if (name := angles or quotes)}
    return _Text(frozenset(included), any(macro for _, _, macro in found), frozenset(forced))


def _last(name: bytes) -> bytes:
    return name.strip().replace(b"\\", b"/").rsplit(b"/", 1)[-1]


def _bytes(path: str) -> bytes:
    if not Path(path).is_file():
        return b""  # a pipe would keep us waiting
    try:
        with Path(path).open("rb") as stream:
            return stream.read(_MOST_FILE_BYTES)
    except OSError:
        return b""


def _conditional(text: bytes) -> Iterator[bytes]:
    """What stands between #if and #endif, less a guard against a second inclusion."""
    if b"#" not in text and b"%:" not in text:
        return
    lines = text.replace(b"\\\n", b"  ").split(b"\n")
    directives = [(n, m[1], m[2]) for n, line in enumerate(lines) if (m := _DIRECTIVE.match(line))]
    guard = -1
    if len(directives) > 2 and directives[0][1] in (b"ifndef", b"if") and directives[1][1] == b"define":
        name = directives[1][2].split(b"(")[0].split()[:1]
        asked = directives[0][2].rsplit(b"defined")[-1]
        if name and name[0] in (*asked.split(), re.sub(rb"\W", b"", asked)):
            guard = directives[0][0]
    depth, begin = 0, 0
    for number, word, _ in directives:
        if word in (b"if", b"ifdef", b"ifndef"):
            if number == guard:
                continue
            depth += 1
            if depth == 1:
                begin = number
        elif word == b"endif" and depth:
            depth -= 1
            if depth == 0:
                yield b"\n".join(lines[begin + 1 : number])
    if depth:
        yield b"\n".join(lines[begin + 1 :])


_BUILD_NAMES = frozenset(
    "CMakeLists.txt meson.build SConstruct SConscript BUILD BUILD.bazel WORKSPACE wscript setup.py conanfile.py "
    "configure.ac configure.in xmake.lua premake5.lua".split()
)


def _is_build_file(path: str) -> bool:
    name = Path(path).name
    return (
        name in _BUILD_NAMES
        or "makefile" in name.lower()
        or name.endswith((".cmake", ".mk", ".mak", ".am", ".pro", ".pri", ".install", ".spec", ".ninja", ".bp"))
    )


def _installs(text: bytes, name: bytes) -> bool:
    """Whether a build file installs headers that this one may be among."""
    header = name + rb"|\*\.(?:h\b|h\*|hpp|hh|hxx)|\*\.\[h|\$[({][^)}]*(?:HEADER|HDR|INC)[^)}]*[)}]"
    cmake = re.compile(rb"\binstall\s*\(([^)]*)\)", re.IGNORECASE)
    for found in cmake.finditer(text):
        if re.search(rb"\b(?:DIRECTORY|PUBLIC_HEADER|FILE_SET)\b|" + header, found[1], re.IGNORECASE):
            return True
    if re.search(rb"\b(?:PUBLIC_HEADER|install_headers)\b", text):
        return True
    if re.search(rb"^(?!noinst_|check_|EXTRA_)\w*_HEADERS\s*\+?=[^\n]*", text, re.MULTILINE):
        return True
    return bool(re.search(rb"^[^#\n]*\b(?:install|cp|INSTALL\w*)\b[^\n]*(?:" + header + rb")", text, re.MULTILINE))
