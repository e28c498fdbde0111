"""git, asked for facts only: fixed argument lists, nothing of the repository's configuration is run.

A repository's configuration and attributes may name programs (filters, external diffs, text conversions, file-system
monitors, hooks, transports). They are switched off, by name where git knows no other way, before any command that
would start them. Nothing here changes the repository, its index or its work tree.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stridewise.errors import Failure
from stridewise.review import diff

_SECONDS = 600.0
_MAX_BLOB_BYTES = 16 << 20
_MAX_BLOBS_BYTES = 256 << 20
_RENAME_LIMIT = 3000
_REMOTE = "refs/remotes/origin/HEAD"
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_FIXED = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    "-c",
    "core.quotePath=true",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "core.sshCommand=false",
    "-c",
    "core.askPass=false",
    "-c",
    "protocol.allow=never",
    "-c",
    "submodule.recurse=false",
    "-c",
    "diff.suppressBlankEmpty=false",
    "-c",
    "diff.algorithm=myers",
)
_DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--full-index",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--find-renames=50%",
    f"-l{_RENAME_LIMIT}",
    "-O/dev/null",
)
_FILTER = re.compile(r"filter\..*\.(?:clean|smudge|process)", re.DOTALL)


@dataclass(frozen=True)
class Change:
    """What the work tree differs in from where it left `base`. Commit ids; `head` is empty for a dirty work tree."""

    base: str
    head: str
    files: Sequence[diff.FileDiff]


@dataclass
class Repository:
    """A work tree; `root` is its top folder."""

    root: Path
    _filters: Sequence[str] | None = field(default=None, repr=False)

    @staticmethod
    def around(folder: Path) -> Repository:
        """The repository that holds a folder. Raises Failure where there is none."""
        start = Path(os.path.abspath(folder))
        for candidate in (start, *start.parents):
            if (candidate / ".git").exists():
                return Repository(candidate)
        raise Failure(f"{start} is in no git repository; review a diff instead: stridewise review --diff FILE")

    def change(self, revision: str) -> Change:
        """What the work tree changed since it left `revision`: against the merge base of it and HEAD."""
        head = self.commit("HEAD")
        base = self._merge_base(self.commit(revision), head, revision)
        text = self._ask("diff", *_DIFF, "--end-of-options", base, "--", size=diff.MAX_BYTES)
        files = diff.parse(text)
        # Files may differ from the index in nothing but their times: only contents count.
        dirty = self._ask("diff", *_DIFF, "--name-only", "-z", "--end-of-options", head, "--")
        return Change(base, "" if dirty else head, files)

    def default_base(self) -> str:
        """The remote's default branch; empty where it is not known."""
        status, _, _ = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{_REMOTE}^{{commit}}")
        return "" if status else _REMOTE

    def commit(self, revision: str) -> str:
        """The id of a commit. Raises Failure saying what to do in a shallow clone."""
        if not revision or revision.startswith("-"):
            raise Failure(f"'{revision}' is no revision; name a commit, branch or tag: --base origin/main")
        if any(ord(char) < 0x20 for char in revision):
            raise Failure("a revision holds no control characters")
        status, out, _ = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        name = out.decode("ascii", "replace").strip()
        if status == 0 and _COMMIT.fullmatch(name):
            return name
        raise Failure(f"there is no commit '{revision}' here; {self._remedy(revision)}")

    def _merge_base(self, base: str, head: str, revision: str) -> str:
        status, out, _ = self._run("merge-base", "--end-of-options", base, head)
        name = out.decode("ascii", "replace").split("\n")[0].strip()
        if status == 0 and _COMMIT.fullmatch(name):
            return name
        if self.is_shallow():
            raise Failure(
                f"this clone is too shallow to hold where the work left '{revision}'; fetch more of it: "
                "git fetch --deepen=100 origin (in CI: fetch-depth: 0, GIT_DEPTH: 0)"
            )
        raise Failure(f"'{revision}' and HEAD have no commit in common; name the branch that the work started from")

    def _remedy(self, revision: str) -> str:
        if self.is_shallow():
            return (
                f"this clone is shallow: git fetch --depth=100 origin {revision.removeprefix('origin/')} "
                "(in CI: fetch-depth: 0, GIT_DEPTH: 0)"
            )
        return "fetch it, or correct its name: --base origin/main"

    def is_shallow(self) -> bool:
        _, out, _ = self._run("rev-parse", "--is-shallow-repository")
        return out.strip() == b"true"

    def tracked(self) -> list[str]:
        """The paths in the index."""
        out = self._ask("ls-files", "-z", "--cached")
        return [name.decode("utf-8", "surrogateescape") for name in out.split(b"\0") if name]

    def contents(self, names: Sequence[str]) -> dict[str, bytes]:
        """Objects by their full ids. Those that are absent, no file or too large are left out."""
        wanted = [name for name in dict.fromkeys(names) if _COMMIT.fullmatch(name) and name.strip("0")]
        if not wanted:
            return {}
        sizes = self._sizes(wanted)
        chosen: list[str] = []
        total = 0
        for name in wanted:
            size = sizes.get(name)
            if size is None or size > _MAX_BLOB_BYTES or total + size > _MAX_BLOBS_BYTES:
                continue
            total += size
            chosen.append(name)
        out = self._ask(
            "cat-file", "--batch", given="".join(f"{name}\n" for name in chosen).encode(), size=_MAX_BLOBS_BYTES * 2
        )
        found: dict[str, bytes] = {}
        position = 0
        for name in chosen:
            end = out.find(b"\n", position)
            words = out[position:end].split(b" ")
            position = end + 1
            if end < 0 or len(words) != 3 or not words[2].isdigit():
                continue
            size = int(words[2])
            found[name] = out[position : position + size]
            position += size + 1
        return found

    def _sizes(self, names: Sequence[str]) -> dict[str, int]:
        out = self._ask("cat-file", "--batch-check", given="".join(f"{name}\n" for name in names).encode())
        sizes: dict[str, int] = {}
        for line in out.decode("ascii", "replace").splitlines():
            words = line.split(" ")
            if len(words) == 3 and words[1] == "blob" and words[2].isdigit():
                sizes[words[0]] = int(words[2])
        return sizes

    def _ask(self, command: str, *words: str, given: bytes = b"", size: int = 64 << 20) -> bytes:
        """What git prints. Raises Failure where it fails or prints more than `size` bytes."""
        status, out, said = self._run(command, *words, given=given, size=size)
        if status:
            last = said.decode("utf-8", "replace").strip().splitlines()
            raise Failure(f"git {command} failed in {self.root}: {last[-1] if last else f'status {status}'}")
        return out

    def _run(self, command: str, *words: str, given: bytes = b"", size: int = 64 << 20) -> tuple[int, bytes, bytes]:
        if self._filters is None and command in ("diff", "ls-files"):
            self._filters = []  # while they are looked for
            self._filters = self._find_filters()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            try:
                done = subprocess.run(
                    ["git", *_FIXED, *self._without_filters(), command, *words],
                    cwd=self.root,
                    env=self._environment(),
                    input=given,
                    stdout=out,
                    stderr=errors,
                    timeout=_SECONDS,
                    check=False,
                )
            except FileNotFoundError as error:
                raise Failure("git is not installed; review a diff instead: stridewise review --diff FILE") from error
            except (OSError, subprocess.TimeoutExpired) as error:
                raise Failure(f"git {command} in {self.root}: {error}") from error
            if out.tell() > size:
                raise Failure(f"git {command} in {self.root} gave more than {size >> 20} MiB")
            out.seek(0)
            errors.seek(0)
            said = errors.read(1 << 16)
            if done.returncode and b"dubious ownership" in said:
                raise Failure(
                    f"git does not trust {self.root}, which belongs to somebody else; if you do: "
                    f"git config --global --add safe.directory {self.root}"
                )
            return done.returncode, out.read(), said

    def _find_filters(self) -> Sequence[str]:
        """Settings of the repository's own configuration that name filter programs."""
        _, out, _ = self._run("config", "--list", "--name-only", "-z", "--includes")
        names = out.decode("utf-8", "surrogateescape").split("\0")
        return sorted({name for name in names if _FILTER.fullmatch(name)})

    def _off(self) -> list[tuple[str, str]]:
        """The settings that switch the filters off."""
        off = [(name, "") for name in self._filters or ()]
        return off + [(name.rpartition(".")[0] + ".required", "false") for name in self._filters or ()]

    def _without_filters(self) -> list[str]:
        # Before git 2.31 the environment sets nothing; a name with an equals sign can only be set there.
        return [word for name, value in self._off() if "=" not in name for word in ("-c", f"{name}={value}")]

    def _environment(self) -> Mapping[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        settings = self._off()
        for number, (name, value) in enumerate(settings):
            environment[f"GIT_CONFIG_KEY_{number}"], environment[f"GIT_CONFIG_VALUE_{number}"] = name, value
        return environment | {
            "GIT_CONFIG_COUNT": str(len(settings)),
            "GIT_WORK_TREE": str(self.root),
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            "LC_ALL": "C",
        }
