"""What git is asked, and what nothing in a repository can make it do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import Reviewer, places
from lbm_request import Project, add_barrier, lbm, new_project

from stridewise.errors import Failure
from stridewise.review.changes import Changes
from stridewise.review.diff import Status
from stridewise.review.git import Repository
from stridewise.review.sides import base_contents

STRIDED = """void f(double *a, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i * n + j] = 1.0;
}
"""


def small(root: Path, **files: str) -> Project:
    project = new_project(root)
    for name, text in files.items():
        project.write(name, text)
    project.commit("base")
    return project


@pytest.mark.parametrize("revision", ("-", "--output=x", "-O/etc/passwd", "", "a\nb"))
def test_an_option_is_no_revision(revision: str, tmp_path: Path) -> None:
    project = small(tmp_path / "p", x="1\n")
    with pytest.raises(Failure, match=r"no revision|control characters"):
        Repository(project.root).change(revision)


@pytest.mark.parametrize("revision", ("nowhere", "HEAD~9", "HEAD:x", "main..HEAD", ":/base^{tree}", "$(touch y)"))
def test_what_is_no_commit(revision: str, tmp_path: Path) -> None:
    project = small(tmp_path / "p", x="1\n")
    with pytest.raises(Failure, match="there is no commit"):
        Repository(project.root).change(revision)


def test_the_base_is_what_git_keeps(tmp_path: Path) -> None:
    """Not what the work tree's file was before the diff: there, git itself may have written the name of the file."""
    text = "// $Id$\n" + STRIDED
    project = small(tmp_path / "p", **{".gitattributes": "*.c ident\n", "a.c": text})
    project.write("a.c", text.replace("1.0", "2.0").replace("$Id$", "$Id: 0123 $"))
    repository = Repository(project.root)
    contents, missing = base_contents(Changes.of(repository.change("main").files), project.root, repository)
    assert contents == {str(project.root / "a.c"): text.encode()} and not missing


def test_the_command_says_it_in_one_line(
    reviewer: Reviewer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = small(tmp_path / "p", x="1\n")
    assert reviewer.status(project, "--base", "nowhere") == 2
    assert reviewer.status(project, "--base=--upload-pack=x") == 2
    assert reviewer.status(project) == 2
    assert reviewer.status(project, "--base", "main", "--diff", "x") == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 4 and all(line.startswith("error: ") for line in said)
    assert "fetch it" in said[0] and "no revision" in said[1] and "git remote set-head" in said[2]


def test_the_base_of_ci(reviewer: Reviewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = small(tmp_path / "p", **{"x.txt": "1\n"})
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", project.commits["base"])
    assert reviewer.plan(project).base == project.commits["base"]
    project.git("update-ref", "refs/remotes/origin/topic", "HEAD")
    monkeypatch.setenv("GITHUB_BASE_REF", "topic")
    assert reviewer.plan(project).base == project.commits["base"]


def test_the_remotes_default_branch(reviewer: Reviewer, tmp_path: Path) -> None:
    project = small(tmp_path / "p", **{"src/x.c": "int x;\n"})
    clone = Project(tmp_path / "clone")
    project.git("clone", "--quiet", str(project.root), str(clone.root))
    clone.write("src/x.c", STRIDED)
    clone.commit("mine")
    assert {c.finding.rule for c in reviewer.plan(clone).comments} == {"mem-strided-inner-loop"}


def test_what_attributes_hide_is_said(reviewer: Reviewer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = small(tmp_path / "p", **{"src/x.c": "int x;\n", "src/y.c": "int y;\n"})
    project.git("checkout", "--quiet", "-b", "change")
    project.write(".gitattributes", "src/x.c -diff\n")
    project.write("src/x.c", STRIDED)
    project.write("src/y.c", "long y;\n")
    project.commit("hidden")
    assert reviewer.status(project, "--base", "main") == 0
    assert "git shows no lines of src/x.c" in capsys.readouterr().out


def test_the_merge_base_counts(tmp_path: Path) -> None:
    """What the other branch did since is none of the change's."""
    project = small(tmp_path / "p", **{"x.c": "int x;\n", "y.c": "int y;\n"})
    project.git("checkout", "--quiet", "-b", "change")
    project.write("x.c", "int z;\n")
    project.commit("mine")
    project.git("checkout", "--quiet", "main")
    project.write("y.c", "long y;\n")
    project.commit("theirs")
    project.git("checkout", "--quiet", "change")
    found = Repository.around(project.root / "src").change("main")
    assert [file.path for file in found.files] == ["x.c"]
    assert (found.base, found.head) == (project.commits["base"], project.commits["mine"])


def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path) -> None:
    project = small(tmp_path / "p", **{"x.c": "int x;\n"})
    project.git("checkout", "--quiet", "-b", "change")
    project.write("x.c", "int z;\n")
    project.commit("mine")
    clone = tmp_path / "clone"
    project.git("clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{project.root}", str(clone))
    repository = Repository(clone)
    assert repository.is_shallow()
    with pytest.raises(Failure, match=r"shallow.*git fetch --depth=100 origin.*fetch-depth: 0"):
        repository.change("1" * 40)
    with pytest.raises(Failure, match=r"too shallow.*git fetch --deepen=100.*fetch-depth: 0"):
        repository.change("origin/main")
    Project(clone).git("fetch", "--quiet", "--deepen=5", "origin")
    assert [file.path for file in repository.change("origin/main").files] == ["x.c"]


def test_outside_a_repository(reviewer: Reviewer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none").mkdir()
    assert reviewer.status(Project(tmp_path / "none"), "--base", "main") == 2
    assert "stridewise review --diff FILE" in capsys.readouterr().err


def test_a_repository_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git refuses it and says so; that is no missing commit."""
    project = small(tmp_path / "p", **{"x.c": "int x;\n"})
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    said = f"fatal: detected dubious ownership in repository at '{project.root}'"
    git.write_text(f'#!/bin/sh\necho "{said}" >&2\nexit 128\n', encoding="utf-8")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}:/usr/bin:/bin")
    with pytest.raises(Failure, match=r"git config --global --add safe\.directory"):
        Repository(project.root).change("main")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(Failure, match="git is not installed"):
        Repository(project.root).change("main")


def test_nothing_of_the_repository_is_run(reviewer: Reviewer, tmp_path: Path) -> None:
    """Every program that its configuration can name leaves a mark; the same git without the precautions leaves some."""
    project = lbm(tmp_path / "p")
    marks = tmp_path / "marks"
    marks.mkdir()
    for name in ("fsmonitor", "external", "textconv", "command", "clean", "process", "pager", "hook", "ssh", "alias"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\ntouch {marks}/{name}\ncat 2>/dev/null\nexit 0\n", encoding="utf-8")
        program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "pre-commit", "reference-transaction"):
        (hooks / name).symlink_to(tmp_path / "hook")
    for name, value in {
        "core.fsmonitor": tmp_path / "fsmonitor",
        "core.hooksPath": hooks,
        "core.pager": tmp_path / "pager",
        "core.sshCommand": tmp_path / "ssh",
        "diff.external": tmp_path / "external",
        "diff.evil.textconv": tmp_path / "textconv",
        "diff.evil.command": tmp_path / "command",
        "filter.evil.clean": tmp_path / "clean",
        "filter.e=v.il.clean": tmp_path / "process",
        "filter.evil.required": "true",
        "alias.diff": f"!{tmp_path}/alias",
        "diff.noprefix": "true",
        "diff.context": "0",
        "diff.mnemonicPrefix": "true",
        "diff.renames": "false",
        "color.ui": "always",
        "core.quotePath": "false",
    }.items():
        project.git("config", name, str(value))
    project.write(".gitattributes", "*.c diff=evil filter=evil\n*.h filter=e=v.il\n")
    add_barrier(project)
    project.git("config", "filter.evil.required", "false")
    subprocess.run(["git", "diff", "HEAD"], cwd=project.root, capture_output=True, check=False)
    assert {path.name for path in marks.iterdir()} >= {"fsmonitor", "clean"}  # they do work
    for path in marks.iterdir():
        path.unlink()
    project.git("config", "filter.evil.required", "true")

    plan = reviewer.plan(project, "--base", "main")
    assert list(marks.iterdir()) == []
    line = project.line_of("src/exchange.c", "// Right to left") - 2
    assert places(plan.comments) == {("mpi-redundant-barrier", "src/exchange.c", line)}


NAMES = (
    "with space.c",
    "-n.c",
    "$(touch pwned).c",
    "a;touch pwned;.c",
    'quo"te.c',
    "søren.c",
    "tab\there.c",
    "line\nbreak.c",
    "b/a/../x.c".replace("/../", "/.../"),
    "--output=x.c",
    "<script>.c",
)


def test_hostile_names(reviewer: Reviewer, tmp_path: Path) -> None:
    project = small(tmp_path / "p", **{"x.c": "int x;\n"})
    project.git("checkout", "--quiet", "-b", "change")
    for name in NAMES:
        project.write(f"src/{name}", STRIDED)
    (project.root / "src" / "link.h").symlink_to("/etc/passwd")
    project.commit("names")
    plan = reviewer.plan(project, "--base", "main")
    strided = {(f, line) for rule, f, line in places(plan.comments) if rule == "mem-strided-inner-loop"}
    # A line break in a name cannot be told from the end of one by everything that reads a database.
    assert strided >= {(f"src/{name}", 2) for name in NAMES if "\n" not in name}
    assert not list(tmp_path.rglob("pwned*"))
    assert not any(file.endswith("link.h") for _, file, _ in places(plan.comments))


def test_what_no_host_can_name_and_what_no_reader_can_hold(reviewer: Reviewer, tmp_path: Path) -> None:
    """A backslash in a name is a problem that is said; a line of any length is cut: the plan can be read again."""
    project = small(tmp_path / "p", **{"x.c": "int x;\n"})
    project.git("checkout", "--quiet", "-b", "change")
    project.write("src/back\\slash.c", STRIDED)
    wide = STRIDED.replace("  for (int j = 0;", f"  for (/*{'x' * 100_000}*/ int j = 0;")
    project.write("src/wide.c", wide.replace("    for (int i = 0;", f"    for (/*{'y' * 100_000}*/ int i = 0;"))
    project.commit("names")
    plan = reviewer.plan(project, "--base", "main", status=2)
    assert [trouble.where for trouble in plan.problems] == ["src/back\\slash.c"]
    (comment,) = plan.comments
    assert comment.finding.location.file == "src/wide.c"
    assert 0 < len(comment.snippet[0]) < 10_000


def test_contents_are_those_of_the_objects(tmp_path: Path) -> None:
    project = small(tmp_path / "p", **{"x.c": "int x;\n", "y.bin": "\0\1\n\n", "empty.c": ""})
    names = project.git("ls-tree", "-r", "HEAD").splitlines()
    ids = {line.split("\t")[1]: line.split()[2] for line in names}
    repository = Repository(project.root)
    tree = project.git("rev-parse", "HEAD^{tree}").strip()
    found = repository.contents([*ids.values(), tree, "1" * 40, "0" * 40, "x", "--batch-all-objects"])
    assert found == {ids[name]: project.path(name).read_bytes() for name in ids}


def test_modes(tmp_path: Path) -> None:
    project = small(tmp_path / "p", **{"x.c": STRIDED, "run.sh": "#!\n", "gone.c": "int a;\nint b;\n"})
    project.git("checkout", "--quiet", "-b", "change")
    project.git("mv", "x.c", "moved.c")
    project.path("run.sh").chmod(0o755)
    project.path("gone.c").unlink()
    project.write("new.c", "int new;\n")
    project.write("data.bin", "\0" * 9)
    project.commit("all kinds")
    found = Repository(project.root).change("main")
    assert {(file.path, file.status, file.is_text) for file in found.files} == {
        ("moved.c", Status.RENAMED, True),
        ("run.sh", Status.MODIFIED, True),
        ("gone.c", Status.DELETED, True),
        ("new.c", Status.ADDED, True),
        ("data.bin", Status.ADDED, False),
    }
    project.write("new.c", "int dirty;\n")
    assert Repository(project.root).change("main").head == ""
