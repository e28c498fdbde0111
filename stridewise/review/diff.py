"""Unified diffs: git's own and those of diff -u, as data. Every byte of them is untrusted.

Parsing takes time linear in the size, sizes are bounded, and what does not fit the format is a Failure that names the
line of the diff. Names of files are taken from the extended headers of git where there are some; text around the
patches (a commit message) is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from stridewise.errors import Failure
from stridewise.review.plan import is_inside

MAX_BYTES = 128 << 20
_MAX_FILES = 200_000
_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?\s*$")
_ESCAPES = {ord(a): ord(b) for a, b in zip('abtnvfr\\"', '\a\b\t\n\v\f\r\\"', strict=True)}
_PREFIXES = (b"a/", b"b/", b"i/", b"w/", b"c/", b"o/", b"1/", b"2/")
_REGULAR, _LINK, _MODULE = "100", "120000", "160000"


class Status(StrEnum):
    MODIFIED = "modified"
    ADDED = "added"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"


@dataclass(frozen=True, slots=True)
class Hunk:
    """`lines` are the lines of the body with their first byte: blank, minus or plus; without line ends but CR."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[bytes, ...]
    old_open: bool = False  # the old text's last line has no line feed
    new_open: bool = False

    @property
    def first(self) -> int:
        """The first line of the new file that it shows; the line before which lines went where it shows none."""
        return self.new_start if self.new_count else self.new_start + 1

    @property
    def last(self) -> int:
        return self.first + self.new_count - 1

    def new_lines(self) -> Iterator[bytes]:
        return (line[1:] for line in self.lines if line[:1] != b"-")

    def old_lines(self) -> Iterator[bytes]:
        return (line[1:] for line in self.lines if line[:1] != b"+")


@dataclass(frozen=True, slots=True)
class FileDiff:
    """`old` and `new` are paths below the repository's root; None where the file does not exist on that side."""

    old: str | None
    new: str | None
    status: Status
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    mode: str = "100644"  # of git; what is no regular file has no text
    old_id: str = ""  # of git's object, where the diff names it in full
    new_id: str = ""

    @property
    def is_text(self) -> bool:
        return not self.binary and self.mode.startswith(_REGULAR)

    @property
    def path(self) -> str:
        """The name that people know it by: the new one, if it has one."""
        return self.new or self.old or ""


@dataclass
class _Entry:
    """A file's part of the diff while it is read. Names are as written, with their prefixes."""

    number: int
    git: bool
    old: bytes | None = None
    new: bytes | None = None
    status: Status = Status.MODIFIED
    named: bool = False  # by rename or copy headers, which have no prefixes
    binary: bool = False
    mode: str = "100644"
    old_id: str = ""
    new_id: str = ""
    hunks: list[Hunk] = field(default_factory=list)
    has_names: bool = False


def parse(data: bytes, exists: Callable[[str], bool] | None = None) -> list[FileDiff]:
    """The files of a diff, in its order. Raises Failure naming the line that is wrong.

    `exists` tells which paths there are, to see whether names have a prefix (`a/`, `b/`); without it they have one in
    git's diffs. A file twice means a series of patches, whose line numbers speak of states in between: refused.
    """
    if len(data) > MAX_BYTES:
        raise Failure(f"the diff is larger than {MAX_BYTES >> 20} MiB; give a part of it")
    files: list[FileDiff] = []
    seen: dict[str, Status] = {}
    for entry in _entries(data):
        file = _finish(entry, exists)
        if len(files) >= _MAX_FILES:
            raise Failure(f"the diff has more than {_MAX_FILES} files; give a part of it")
        before = seen.get(file.path)
        # A file that becomes a link is deleted and added.
        if before is not None and not (before is Status.DELETED and file.status is Status.ADDED):
            raise Failure(
                f"line {entry.number} of the diff: {file.path} comes twice; a series of patches is not a diff of "
                "two states: make one with git diff BASE HEAD"
            )
        seen[file.path] = file.status
        files.append(file)
    return files


def _entries(data: bytes) -> Iterator[_Entry]:
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    entry: _Entry | None = None
    position = 0
    while position < len(lines):
        line = lines[position]
        number = position + 1
        if line.startswith(b"diff --git "):
            if entry:
                yield entry
            entry = _Entry(number, git=True)
            _header_names(entry, line[len(b"diff --git ") :].rstrip(b"\r"))
            position += 1
        elif line.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
            raise Failure(f"line {number} of the diff: a combined diff of a merge; give git diff BASE HEAD instead")
        elif line.startswith(b"@@ -"):
            if entry is None or not (entry.has_names or entry.git):
                raise Failure(f"line {number} of the diff: a hunk of no file; the lines --- and +++ are missing")
            hunk, position = _hunk(lines, position)
            entry.hunks.append(hunk)
        elif line.startswith(b"--- ") and position + 1 < len(lines) and lines[position + 1].startswith(b"+++ "):
            if entry is None or not entry.git or entry.has_names or entry.hunks:
                if entry:
                    yield entry
                entry = _Entry(number, git=False)
            entry.has_names = True
            if not entry.named:
                entry.old, entry.new = _name(line[4:], number), _name(lines[position + 1][4:], number + 1)
            position += 2
        else:
            if entry and entry.git and not entry.hunks:
                _extended(entry, line.rstrip(b"\r"), number)
            position += 1
    if entry:
        yield entry


def _extended(entry: _Entry, line: bytes, number: int) -> None:
    """One of git's extended headers, or a note on binary files."""
    word, _, rest = line.partition(b" ")
    match word:
        case b"rename" | b"copy" if rest.startswith((b"from ", b"to ")):
            side, _, name = rest.partition(b" ")
            entry.status = Status.RENAMED if word == b"rename" else Status.COPIED
            entry.named = True
            if side == b"from":
                entry.old = _name(name, number)
            else:
                entry.new = _name(name, number)
        case b"new" if rest.startswith(b"file mode "):
            entry.status, entry.mode = Status.ADDED, _mode(rest)
        case b"deleted" if rest.startswith(b"file mode "):
            entry.status, entry.mode = Status.DELETED, _mode(rest)
        case b"new" if rest.startswith(b"mode "):
            entry.mode = _mode(rest)
        case b"index":
            if found := _INDEX.match(line):
                entry.old_id, entry.new_id = found[1].decode(), found[2].decode()
                entry.mode = found[3].decode() if found[3] else entry.mode
        case b"Binary" if rest.endswith(b" differ"):
            entry.binary = True
        case b"GIT" if rest == b"binary patch":
            entry.binary = True


def _mode(rest: bytes) -> str:
    return rest.rsplit(b" ", 1)[-1][:6].decode("ascii", "replace")


def _hunk(lines: Sequence[bytes], position: int) -> tuple[Hunk, int]:
    """The hunk that starts there and the position behind it. The counts of its header say where it ends."""
    found = _HUNK.match(lines[position])
    if not found:
        raise Failure(f"line {position + 1} of the diff: not the head of a hunk")
    start = position + 1
    old_start, new_start = int(found[1]), int(found[3])
    old_count = int(found[2]) if found[2] is not None else 1
    new_count = int(found[4]) if found[4] is not None else 1
    old_left, new_left = old_count, new_count
    old_open = new_open = False
    body: list[bytes] = []
    position += 1
    while old_left or new_left:
        line = lines[position] if position < len(lines) else None
        if line is None:
            raise Failure(f"line {start} of the diff: the hunk ends before its {old_count} and {new_count} lines")
        kind = line[:1]
        if line in (b"", b"\r"):  # a blank line of context whose blank got lost
            line, kind = b" " + line, b" "
        if kind == b"\\":
            old_open, new_open = _open(body, old_open, new_open)
        elif kind in b" -+":
            old_left -= kind != b"+"
            new_left -= kind != b"-"
            body.append(line)
            if old_left < 0 or new_left < 0:
                raise Failure(f"line {position + 1} of the diff: more lines than the hunk at line {start} has")
        else:
            raise Failure(f"line {position + 1} of the diff: a line of a hunk starts with a blank, + or -")
        position += 1
    while position < len(lines) and lines[position][:1] == b"\\":
        old_open, new_open = _open(body, old_open, new_open)
        position += 1
    return Hunk(old_start, old_count, new_start, new_count, tuple(body), old_open, new_open), position


def _open(body: Sequence[bytes], old_open: bool, new_open: bool) -> tuple[bool, bool]:
    """What `\\ No newline at end of file` says of the line before it."""
    kind = body[-1][:1] if body else b""
    return old_open or kind in (b" ", b"-"), new_open or kind in (b" ", b"+")


def _header_names(entry: _Entry, rest: bytes) -> None:
    """Names out of `diff --git A B`, which later headers correct: both are the same but for their prefixes."""
    if rest.startswith(b'"'):
        end = _closing_quote(rest)
        old, new = rest[: end + 1], rest[end + 2 :]
    elif rest.endswith(b'"') and (begin := rest.find(b' "')) > 0:
        old, new = rest[:begin], rest[begin + 1 :]
    else:
        half = len(rest) // 2
        old, new = rest[:half], rest[half + 1 :]
        if rest[half : half + 1] != b" " or old.partition(b"/")[2] != new.partition(b"/")[2]:
            return
    entry.old, entry.new = _name(old, entry.number), _name(new, entry.number)


def _closing_quote(text: bytes) -> int:
    position = 1
    while position < len(text) and text[position] != 0x22:
        position += 2 if text[position] == 0x5C else 1
    return position


def _name(text: bytes, number: int) -> bytes | None:
    """A file name as the diff writes it: quoted as in C, or up to a tab (what follows is a time)."""
    if not text.startswith(b'"'):
        name = text.partition(b"\t")[0].rstrip(b"\r")
    else:
        end = _closing_quote(text)
        if end >= len(text):
            raise Failure(f"line {number} of the diff: the quoted file name has no end")
        name = _unquoted(text[1:end], number)
    if name == b"/dev/null":
        return None
    if not name or b"\0" in name:
        raise Failure(f"line {number} of the diff: a file name is missing")
    return name


def _unquoted(text: bytes, number: int) -> bytes:
    out = bytearray()
    position = 0
    while position < len(text):
        byte = text[position]
        position += 1
        if byte != 0x5C:
            out.append(byte)
            continue
        octal = re.match(rb"[0-3][0-7]{2}", text[position : position + 3])
        if octal:
            out.append(int(octal[0], 8))
            position += 3
        elif position < len(text) and text[position] in _ESCAPES:
            out.append(_ESCAPES[text[position]])
            position += 1
        else:
            raise Failure(f"line {number} of the diff: unknown escape in a file name")
    return bytes(out)


def _finish(entry: _Entry, exists: Callable[[str], bool] | None) -> FileDiff:
    if entry.old is None and entry.new is None:
        raise Failure(f"line {entry.number} of the diff: a file without a name")
    status = entry.status
    if not entry.named and status is Status.MODIFIED:
        status = Status.ADDED if entry.old is None else Status.DELETED if entry.new is None else status
    old, new = entry.old, entry.new
    if not entry.named:
        # A missing side's name stands in no line; of the other it is known whether there is such a file now.
        new = _stripped(new, exists, entry.git) if new is not None else None
        old = _stripped(old, exists, entry.git, like=(entry.new, new)) if old is not None else None
    old_path = None if status is Status.ADDED or old is None else _path(old, entry.number)
    new_path = None if status is Status.DELETED or new is None else _path(new, entry.number)
    if status is Status.MODIFIED and old_path != new_path:
        if entry.git:
            status = Status.RENAMED
        else:
            old_path = new_path  # diff -u old-tree/x new-tree/x, x.orig x
    file = FileDiff(
        old_path,
        new_path,
        status,
        tuple(entry.hunks),
        entry.binary,
        entry.mode,
        entry.old_id,
        entry.new_id,
    )
    _check_order(file, entry.number)
    return file


def _stripped(
    name: bytes,
    exists: Callable[[str], bool] | None,
    git: bool,
    like: tuple[bytes | None, bytes | None] = (None, None),
) -> bytes:
    """The name without its prefix, if it has one."""
    full, short = like
    if full is not None and short is not None:
        return name.partition(b"/")[2] if full != short and b"/" in name else name
    without = name.partition(b"/")[2]
    if not without:
        return name
    if exists and not git:  # folders of diff -ru have any name
        return without if exists(_text(without)) and not exists(_text(name)) else name
    if not name.startswith(_PREFIXES):
        return name
    return name if exists and exists(_text(name)) and not exists(_text(without)) else without


def _path(name: bytes, number: int) -> str:
    text = _text(name)
    if not is_inside(text.replace("\\", "_")):  # part of a name here; hosts are told of no such file
        raise Failure(f"line {number} of the diff: the file name {text[:200]!r} leaves the repository")
    return text


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _check_order(file: FileDiff, number: int) -> None:
    """Hunks follow one another, and what they add and remove explains where the next one is."""
    shift = 0
    old_end = 1
    for hunk in file.hunks:
        old_begin = hunk.old_start if hunk.old_count else hunk.old_start + 1
        if old_begin < old_end or hunk.first != old_begin + shift:
            raise Failure(
                f"line {number} of the diff: the hunks of {file.path} do not follow from one another "
                f"(at -{hunk.old_start} +{hunk.new_start})"
            )
        old_end = old_begin + hunk.old_count
        shift += hunk.new_count - hunk.old_count


def before(file: FileDiff, after: bytes) -> bytes:
    """The old contents, from the new ones. Raises Failure where the diff does not fit `after`.

    Lines may end in CR LF where the diff has LF: a checkout may have made it so.
    """
    text = after.split(b"\n")
    out: list[bytes] = []
    position = 0  # in text
    for hunk in file.hunks:
        begin = hunk.first - 1
        shown = list(hunk.new_lines())
        for index, line in enumerate(shown):
            at = begin + index
            if at >= len(text) or text[at].rstrip(b"\r") != line.rstrip(b"\r"):
                raise Failure(f"the diff does not fit {file.path} at line {at + 1}; apply it first")
        out += text[position:begin]
        out += hunk.old_lines()
        position = begin + len(shown)
        if hunk.new_open and not hunk.old_open:
            out.append(b"")
        if hunk.old_open and not hunk.new_open and position == len(text) - 1 and not text[position]:
            position += 1
    out += text[position:]
    return b"\n".join(out)
