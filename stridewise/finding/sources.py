"""The source tree as findings need it: text of files, statements, the project's root, what belongs to the project."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_MAX_FILE_BYTES = 64 << 20
_STATEMENT_LINES = 20
_BUILD_FILES = ("CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "configure", "meson.build", "SConstruct")


@dataclass
class Sources:
    """Reads each file once. A file that cannot be read has no lines."""

    _lines: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, contents: Mapping[str, bytes]) -> Sources:
        """With these contents in the place of what is on disk."""
        return cls({file: _split(text.decode("utf-8", "surrogateescape")) for file, text in contents.items()})

    def lines(self, file: str) -> tuple[str, ...]:
        if file not in self._lines:
            try:
                path = Path(file)
                text = "" if path.stat().st_size > _MAX_FILE_BYTES or not path.is_file() else _decode(path)
            except (OSError, ValueError):
                text = ""
            self._lines[file] = _split(text)
        return self._lines[file]

    def line(self, file: str, number: int) -> str | None:
        """Line `number`, counted from 1; None if there is none."""
        lines = self.lines(file)
        return lines[number - 1].rstrip("\r") if 1 <= number <= len(lines) else None

    def position(self, file: str, offset: int) -> tuple[int, int] | None:
        """(line, byte column), both from 1, of a byte offset; None beyond the end of the file."""
        for number, line in enumerate(self.lines(file), 1):
            size = len(line.encode("utf-8", "surrogateescape")) + 1
            if offset < size:
                return number, offset + 1
            offset -= size
        return None

    def statement(self, file: str, line: int, column: int) -> str:
        """The statement that starts there, to its `;` or `{` outside parentheses, without comments and blanks.

        With column 0 it starts at the first character of the line. Where the file cannot be read it is empty.
        """
        lines = self.lines(file)[line - 1 : line - 1 + _STATEMENT_LINES] if line > 0 else ()
        if not lines:
            return ""
        first = lines[0].encode("utf-8", "surrogateescape")[max(column - 1, 0) :].decode("utf-8", "replace")
        return _statement("\n".join([first, *lines[1:]]))


def _decode(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def _statement(text: str) -> str:
    out: list[str] = []
    depth = 0
    position = 0
    while position < len(text):
        char = text[position]
        two = text[position : position + 2]
        if two == "//":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
            continue
        if two == "/*":
            end = text.find("*/", position + 2)
            position = len(text) if end < 0 else end + 2
            out.append(" ")
            continue
        if char in "\"'":
            end = position + 1
            while end < len(text) and text[end] != char and text[end] != "\n":
                end += 2 if text[end] == "\\" else 1
            out.append(text[position : end + 1])
            position = end + 1
            continue
        depth += (char in "([") - (char in ")]")
        out.append(char)
        if (char in ";{" and depth <= 0) or depth < 0:
            break
        position += 1
    return " ".join("".join(out).split())


@dataclass(frozen=True, slots=True)
class Project:
    """What the findings are shown for: `root`, less the build folders."""

    root: Path
    builds: tuple[Path, ...] = ()

    def owns(self, file: str) -> bool:
        """Whether the file is the project's own source: under the root, not generated, not a fetched dependency."""
        path = Path(os.path.normpath(file))
        if not path.is_relative_to(self.root):
            return False
        inside = path.relative_to(self.root).parts
        if "_deps" in inside or "CMakeFiles" in inside:
            return False
        return not any(path.is_relative_to(build) for build in self.builds)

    def relative(self, file: str) -> str:
        """The path below the root with `/`, or the path itself if it is not below."""
        path = Path(os.path.normpath(file))
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)


def from_here(file: str | Path, project: Project) -> str:
    """The path as the working directory's commands take it: relative to that where the file is below it, or both are in
    the project; else absolute."""
    path, here = os.path.normpath(file), str(Path.cwd())
    inside = all(Path(one).is_relative_to(project.root) for one in (path, here))
    return os.path.relpath(path, here) if inside or Path(path).is_relative_to(here) else path


def find_project(sources: Iterable[Path], database: Path | None = None) -> Project:
    """The project that holds these sources: their git checkout, else their common folder and the build files above it.

    A folder that holds the compile database and a CMake cache, beside or below the sources, is a build folder.
    """
    builds: list[Path] = []
    build = database.parent.absolute() if database else None
    if build and (build / "CMakeCache.txt").is_file():
        builds.append(build)
    folders = {path.parent for path in sources}
    own = [f for f in folders if "_deps" not in f.parts and not any(f.is_relative_to(b) for b in builds)]
    common = _common(own or list(folders)) or Path.cwd()
    for folder in (common, *common.parents):
        if (folder / ".git").exists():
            return Project(folder, _below(builds, folder))
    root = common
    while _is_project_folder(root.parent):
        root = root.parent
    shared = _common([root, build]) if build else None
    if shared and len(shared.parts) > 2 and len(root.parts) - len(shared.parts) <= 2 and _is_project_folder(shared):
        root = shared
    return Project(root, _below(builds, root))


def _below(builds: Sequence[Path], root: Path) -> tuple[Path, ...]:
    """The build folders that do not hold the whole project (an in-source build does)."""
    return tuple(build for build in builds if build != root and build.is_relative_to(root))


def _is_project_folder(folder: Path) -> bool:
    return folder != folder.parent and any((folder / name).is_file() for name in _BUILD_FILES)


def _common(folders: Sequence[Path]) -> Path | None:
    try:
        return Path(os.path.commonpath(folders)) if folders else None
    except ValueError:
        return None
