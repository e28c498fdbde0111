"""Copies of the project: nothing of the original is written to. Two trees of one repository, so that the state before a
step and the one after it can run in turn; each kept step is a commit on a branch."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stridewise.collect import elf
from stridewise.errors import Failure

BRANCH = "stridewise-improve"
_MOST_BYTES = 4 << 30
_PRODUCTS = {".o", ".obj", ".a", ".so", ".mod", ".smod", ".d", ".gch", ".pch", ".lo", ".la"}
_QUIET = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.autocrlf=false", "-c", "gc.auto=0",
    "-c", "commit.gpgSign=false", "-c", "core.attributesFile=/dev/null", "-c", "core.excludesFile=/dev/null",
    "-c", "user.name=stridewise", "-c", "user.email=stridewise@localhost", "-c", "advice.detachedHead=false",
)  # fmt: skip


class Trees:
    """`first` and `second` below `folder`, and their repository. One of them holds the accepted state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.accepted, self.trial = folder / "first", folder / "second"

    def swap(self) -> None:
        self.accepted, self.trial = self.trial, self.accepted

    def create(self, project: Path) -> None:
        """Copies the project without what a build made of it, and commits that as the original."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.accepted.mkdir()
        copy(project, self.accepted, self.folder)
        self._git(self.accepted, "init", "-q", "-b", BRANCH)
        self._git(self.accepted, "add", "--all", "--force")
        self._git(self.accepted, "commit", "-q", "--allow-empty", "-m", "The original")
        self._git(self.accepted, "worktree", "add", "-q", "--detach", str(self.trial), BRANCH)
        self._git(self.accepted, "checkout", "-q", "--detach")

    def head(self, tree: Path) -> str:
        return self._git(tree, "rev-parse", "HEAD").strip()

    def clean(self, tree: Path, commit: str) -> None:
        """The tree as that commit has it, and nothing else in it."""
        self._git(tree, "reset", "-q", "--hard", commit)
        self._git(tree, "clean", "-q", "-ffdx")

    def commit(self, tree: Path, message: str) -> str:
        """Commits what was edited in files of the project, on the branch; returns the commit."""
        self._git(tree, "add", "--update")
        self._git(tree, "commit", "-q", "-m", message)
        commit = self.head(tree)
        self._git(tree, "update-ref", f"refs/heads/{BRANCH}", commit)
        return commit

    def changed(self, tree: Path) -> bool:
        return bool(self._git(tree, "diff", "--name-only").strip())

    def restore(self, tree: Path, paths: Iterable[str]) -> None:
        """What a run wrote into files of the project is undone."""
        known = set(self._git(tree, "ls-files", "-z").split("\0"))
        tracked = [path for path in paths if path in known]
        for start in range(0, len(tracked), 200):
            self._git(tree, "checkout", "-q", "--", *tracked[start : start + 200])

    def tidy(self, tree: Path, before: Mapping[str, tuple[int, int]]) -> None:
        """Takes away what was made since that snapshot, and puts back what was changed."""
        after = snapshot(tree)
        for name in after.keys() - before.keys():
            (tree / name).unlink(missing_ok=True)
        self.restore(tree, [name for name in before if after.get(name) != before[name]])

    def apply(self, tree: Path, patch: Path) -> str:
        """Applies somebody's patch; returns why it does not apply, or nothing."""
        done = self._call(tree, ["apply", "--whitespace=nowarn", str(patch)])
        return done.stderr.strip() if done.returncode else ""

    def series(self, target: Path, since: str) -> list[Path]:
        """The steps as patches, for `git am`."""
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        self._git(self.accepted, "format-patch", "-q", "--no-signature", "-o", str(target), f"{since}..{BRANCH}")
        return sorted(target.iterdir())

    def _git(self, tree: Path, *words: str) -> str:
        done = self._call(tree, words)
        if done.returncode:
            raise Failure(f"git {words[0]} in {tree} failed: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def _call(self, tree: Path, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environment |= {"GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
        try:
            return subprocess.run(
                ["git", *_QUIET, *words], cwd=tree, env=environment,
                capture_output=True, text=True, errors="surrogateescape", check=False, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError as error:
            raise Failure(f"cannot run git ({error.strerror}); the steps are its commits (Debian: git)") from error


def repository(folder: Path) -> Path | None:
    """The top of the work tree around a folder."""
    words = ["git", *_QUIET, "rev-parse", "--show-toplevel"]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError:
        return None
    return Path(os.fsdecode(done.stdout.rstrip(b"\n"))) if done.returncode == 0 else None


def tracked_files(project: Path) -> frozenset[str] | None:
    """What git tracks below a folder, None where it is in no repository."""
    words = ["git", *_QUIET, "ls-files", "-z"]
    try:
        done = subprocess.run(words, cwd=project, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError:
        return None
    if done.returncode:
        return None
    return frozenset(os.fsdecode(name) for name in done.stdout.split(b"\0") if name)


def copy(project: Path, target: Path, without: Path) -> None:
    """All files but those that a build has made (objects, programs, build folders of CMake), unless git tracks them;
    file contents are shared where the file system can."""
    tracked = tracked_files(project) or frozenset()
    total = 0
    for folder, folders, names in os.walk(project):
        here = Path(folder)
        inside = here.relative_to(project)
        folders[:] = [name for name in folders if _is_wanted(here / name, without, tracked, project)]
        (target / inside).mkdir(exist_ok=True)
        for name in names:
            path, relative = here / name, str(inside / name)
            if path.is_symlink():
                (target / inside / name).symlink_to(path.readlink())
            elif path.is_file() and (relative in tracked or not _is_product(path)):
                total += path.stat().st_size
                if total > _MOST_BYTES:
                    raise Failure(
                        f"{project} holds more than {_MOST_BYTES >> 30} GiB; give a smaller folder with --project"
                    )
                _clone(path, target / inside / name)


def _is_wanted(path: Path, without: Path, tracked: frozenset[str], project: Path) -> bool:
    if path.name == ".git" or path.resolve() == without.resolve():
        return False
    if path.is_symlink():
        return False
    inside = str(path.relative_to(project)) + "/"
    return not (path / "CMakeCache.txt").is_file() or any(name.startswith(inside) for name in tracked)


def _is_product(path: Path) -> bool:
    return path.suffix in _PRODUCTS or path.name == "compile_commands.json" or elf.is_elf(path)


def _clone(source: Path, target: Path) -> None:
    try:
        shutil.copy2(source, target)
    except OSError as error:
        raise Failure(f"cannot copy {source} to {target.parent}: {error.strerror}") from error


def snapshot(tree: Path) -> Mapping[str, tuple[int, int]]:
    """Size and time of every file of a tree."""
    found: dict[str, tuple[int, int]] = {}
    for folder, folders, names in os.walk(tree):
        if ".git" in folders:
            folders.remove(".git")
        for name in names:
            path = Path(folder) / name
            try:
                state = path.lstat()
            except OSError:
                continue
            if name != ".git":
                found[os.path.relpath(path, tree)] = (state.st_size, state.st_mtime_ns)
    return found
