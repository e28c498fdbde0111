"""Which units are analysed, and what of their findings belongs to the change."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Reviewer, places
from lbm_request import LOOPS, SWAPPED, Project, add_barrier, lbm, new_project, swap_loops

from stridewise.collect.compile_db import Command, Language
from stridewise.review import diff
from stridewise.review.changes import Changes
from stridewise.review.diff import FileDiff, Status
from stridewise.review.includes import Includes
from stridewise.review.units import select

STRIDED = """
void {name}(double *a, int n) {{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i * n + j] = {value};
}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return lbm(tmp_path / "lbm")


def test_a_header_changes_what_an_unchanged_file_costs(project: Project, reviewer: Reviewer) -> None:
    """The cells' order turned round: what was contiguous is not, in a file that the diff does not show."""
    project.edit("src/include/mesh.h", "(x * mesh->height + y)", "(y * mesh->width + x)")
    project.commit("order")
    plan = reviewer.plan(project, "--base", "main")
    found = {(f.rule, f.location.file, f.location.line) for f in plan.unplaced}
    inner = project.read("src/physics.c").partition(LOOPS)[0].count("\n") + 2
    assert ("mem-strided-inner-loop", "src/physics.c", inner) in found
    changed = ("src/include/mesh.h", project.line_of("src/include/mesh.h", "(y * mesh->width + x)"))
    assert all(changed in {(r.file, r.line) for r in f.related} for f in plan.unplaced)
    assert all(comment.finding.location.file == "src/include/mesh.h" for comment in plan.comments)
    assert not plan.problems


def test_a_renamed_file_brings_only_what_was_edited(project: Project, reviewer: Reviewer) -> None:
    project.git("mv", "src/physics.c", "src/flow.c")
    project.edit("src/flow.c", LOOPS, SWAPPED)
    project.commit("renamed")
    plan = reviewer.plan(project, "--base", "main")
    line = project.read("src/flow.c").partition(SWAPPED)[0].count("\n") + 2
    assert places(plan.comments) == {("mem-strided-inner-loop", "src/flow.c", line)}
    assert not plan.unplaced and not plan.resolved


def test_code_that_left_a_deleted_file_is_known(project: Project, reviewer: Reviewer) -> None:
    """No rename that git would see: the file is gone, its code is at the end of a larger one."""
    code = project.read("src/mesh.c").replace('#include "mesh.h"', "")
    project.path("src/mesh.c").unlink()
    project.write("src/special.c", project.read("src/special.c") + code)
    project.commit("joined")
    plan = reviewer.plan(project, "--base", "main")
    assert not plan.comments and not plan.unplaced and not plan.resolved and not plan.problems


NOISY = """#include <stdio.h>

void f(double *a, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      a[i * n + j] = 1.0;
      puts("done");
    }
}
"""


def test_a_removed_line_can_be_the_cause(reviewer: Reviewer, tmp_path: Path) -> None:
    """Nothing is said of loops that print; without the call they can be exchanged."""
    project = new_project(tmp_path / "p")
    project.write("src/x.c", NOISY)
    project.commit("base")
    assert reviewer.plan(project, "--diff", "/dev/null").comments == ()
    project.edit("src/x.c", '      puts("done");\n', "")
    (comment,) = reviewer.plan(project, "--base", "main").comments
    assert (comment.finding.rule, comment.line, comment.cause) == (
        "mem-strided-inner-loop",
        4 if comment.suggestion else 5,
        "lines gone after line 6",
    )


def test_uncommitted_work_is_reviewed(project: Project, reviewer: Reviewer) -> None:
    swap_loops(project)
    plan = reviewer.plan(project, "--base", "main")
    assert len(plan.comments) == 1
    assert plan.head == ""  # lines of no commit


def test_one_removed_and_an_equal_one_added_elsewhere(project: Project, reviewer: Reviewer) -> None:
    """Equal statements in unequal surroundings are no move."""
    text = project.read("src/main.c")
    at = text.index("      // expect: mpi-redundant-barrier\n")
    end = text.index("MPI_Barrier(MPI_COMM_WORLD);\n", at) + len("MPI_Barrier(MPI_COMM_WORLD);\n")
    project.write("src/main.c", text[:at] + text[end:])
    add_barrier(project)
    project.commit("both")
    plan = reviewer.plan(project, "--base", "main")
    assert {(c.finding.rule, c.finding.location.file) for c in plan.comments} == {
        ("mpi-redundant-barrier", "src/exchange.c")
    }
    assert ("mpi-redundant-barrier", "src/main.c") in {(f.rule, f.location.file) for f in plan.resolved}


TWO = """void f(double *a, double *b, int n) {{
  for (int {a} = 0; {a} < n; {a}++)
    for (int {b} = 0; {b} < n; {b}++)
      a[i * n + j] = 1.0;
  b[0] = a[0];
  for (int {c} = 0; {c} < n; {c}++)
    for (int {d} = 0; {d} < n; {d}++)
      b[i * n + j] = 2.0;
}}
"""


def test_one_mended_and_an_equal_one_broken_in_one_function(reviewer: Reviewer, tmp_path: Path) -> None:
    """The same statement, function and file, and so the same fingerprint: yet another place."""
    project = new_project(tmp_path / "p")
    project.write("src/x.c", TWO.format(a="j", b="i", c="i", d="j"))
    project.commit("base")
    project.write("src/x.c", TWO.format(a="i", b="j", c="j", d="i"))
    plan = reviewer.plan(project, "--base", "main")
    assert [(c.finding.rule, c.finding.location.line) for c in plan.comments] == [("mem-strided-inner-loop", 7)]
    assert [(f.rule, f.location.line) for f in plan.resolved] == [("mem-strided-inner-loop", 3)]


def test_a_base_that_does_not_compile(project: Project, reviewer: Reviewer) -> None:
    """What is on the change's lines is said; what was there before cannot be told from it and is not."""
    project.edit("src/physics.c", '#include "physics.h"\n', '#include "physics.h"\nthis is no C;\n')
    project.commit("broken")
    broken = project.commits["broken"]
    project.edit("src/physics.c", "this is no C;\n", "")
    swap_loops(project)
    project.commit("mended")
    plan = reviewer.plan(project, "--base", broken)
    assert {c.finding.rule for c in plan.comments} == {"mem-strided-inner-loop"}
    (line,) = {c.line for c in plan.comments}
    assert project.read("src/physics.c").split("\n")[line - 1] in SWAPPED
    assert not plan.problems and not plan.unplaced


def test_a_change_that_does_not_compile(project: Project, reviewer: Reviewer) -> None:
    project.edit("src/physics.c", "void initialise(Mesh *mesh) {", "void initialise(Mesh *mesh) { no C here;")
    project.commit("broken")
    plan = reviewer.plan(project, "--base", "main", status=2)
    assert [(t.where, "does not compile" in t.message) for t in plan.problems] == [("src/physics.c", True)]
    assert not plan.resolved  # nothing is known of what is not seen


def test_what_was_broken_before_is_no_trouble_of_the_change(project: Project, reviewer: Reviewer) -> None:
    project.write("src/broken.c", "no C at all\n")
    project.commit("broken")
    project.git("branch", "--force", "main")
    swap_loops(project)
    project.edit("src/main.c", "#pragma omp barrier\n", "")
    project.commit("change")
    plan = reviewer.plan(project, "--base", "main")
    assert {c.finding.rule for c in plan.comments} == {"mem-strided-inner-loop"}
    assert {f.rule for f in plan.resolved} == {"omp-barrier-in-loop"}
    assert not plan.problems and not plan.unplaced


def test_another_layout_is_no_news(project: Project, reviewer: Reviewer) -> None:
    for name in ("src/exchange.c", "src/physics.c", "src/main.c"):
        code = "".join(
            line if line.lstrip().startswith("#") else "  " + line.replace("(", "( ").replace(" = ", "=")
            for line in project.read(name).splitlines(keepends=True)
        )
        project.write(name, "// Laid out anew.\n" + code)
    project.commit("layout")
    plan = reviewer.plan(project, "--base", "main")
    assert not plan.comments and not plan.unplaced and not plan.resolved and not plan.problems


def test_sources_without_a_command_are_named(
    project: Project, reviewer: Reviewer, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write("tools/other.c", STRIDED.format(name="f", value=1))
    project.commit("other")
    assert reviewer.status(project, "--base", "main") == 0
    assert "no command of the compile database compiles tools/other.c" in capsys.readouterr().out


def test_without_a_compile_database(reviewer: Reviewer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = new_project(tmp_path / "p")
    project.write("README.md", "a\n")
    project.write("x.h", "int x;\n")
    project.commit("base")
    project.path("compile_commands.json").unlink()
    project.write("README.md", "b\n")
    assert reviewer.plan(project, "--base", "main").comments == ()  # nothing that a compiler reads
    project.write("x.h", "long x;\n")
    assert reviewer.status(project, "--base", "main") == 2
    assert "stridewise capture -- make" in capsys.readouterr().err


def test_a_diff_that_is_not_applied(
    project: Project, reviewer: Reviewer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    swap_loops(project)
    patch = tmp_path / "x.patch"
    patch.write_text(project.git("diff"), encoding="utf-8")
    project.git("checkout", "--quiet", "src")
    assert reviewer.status(project, "--diff", str(patch)) == 2
    assert "does not fit src/physics.c at line" in capsys.readouterr().err
    assert reviewer.status(project, "--diff", str(tmp_path / "none")) == 2


def test_a_baseline_and_suppressions_hold(project: Project, reviewer: Reviewer, tmp_path: Path) -> None:
    swap_loops(project)
    accepted = tmp_path / "known.json"
    reviewer.chdir(project.root)
    from stridewise import cli

    assert cli.main(["lint", "--no-cache", "--write-baseline", str(accepted), "-o", str(tmp_path / "out")]) == 0
    assert reviewer.plan(project, "--base", "main", "--baseline", str(accepted)).comments == ()
    inner = "    for (int i = 1; i < in->width - 1; i++)\n      cell_collide"
    comment = "    // NOLINTNEXTLINE(stridewise-mem-strided-inner-loop): rarely run\n"
    project.edit("src/physics.c", inner, comment + inner)
    assert reviewer.plan(project, "--base", "main").comments == ()


def test_what_is_silenced_is_not_gone(project: Project, reviewer: Reviewer) -> None:
    project.git("checkout", "--quiet", "main")
    swap_loops(project)
    project.commit("an order that is wrong from the start")
    project.git("checkout", "--quiet", "-B", "change")
    inner = "    for (int i = 1; i < in->width - 1; i++)\n      cell_collide"
    comment = "    // NOLINTNEXTLINE(stridewise-mem-strided-inner-loop): rarely run\n"
    project.edit("src/physics.c", inner, comment + inner)
    project.edit("src/main.c", "#pragma omp barrier\n", "#pragma omp barrier // NOLINT(stridewise-omp-*): kept\n")
    project.commit("silenced")
    plan = reviewer.plan(project, "--base", "main")
    assert not plan.comments and not plan.resolved


def modified(*paths: str) -> Changes:
    return Changes.of(FileDiff(path, path, Status.MODIFIED) for path in paths)


def commands(root: Path, *names: str) -> list[Command]:
    return [Command(root / name, root, ("-Iinclude",), Language.C) for name in names]


def test_includes_are_followed(tmp_path: Path) -> None:
    texts = {
        "include/a.h": "#pragma once\n",
        "include/b.h": "#  include <a.h>\n",
        "src/sub/a.h": "",
        "src/one.c": '#include "../include/b.h"\n',
        "src/two.c": '#include "sub/a.h"\n',
        "src/three.c": "int x; // #include nothing\n",
        "src/loop.h": '#include "loop.h"\n#include "table.def"\n',
        "src/four.c": '#include "loop.h"\n',
        "src/table.def": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    includes = Includes(tmp_path, texts)
    assert includes.reached(["include/a.h"]) == {"include/b.h": 1, "src/one.c": 2}
    assert includes.reached(["src/sub/a.h"]).keys() == {"include/b.h", "src/one.c", "src/two.c"}  # may be either a.h
    assert includes.reached(["src/table.def"]) == {"src/loop.h": 1, "src/four.c": 2}
    units = commands(tmp_path, "src/one.c", "src/two.c", "src/three.c", "src/four.c")
    chosen = select(units, modified("include/a.h"), tmp_path, list(texts), limit=1)
    assert [command.file.name for command in chosen.head] == ["one.c"]
    chosen = select(units, modified("src/sub/a.h"), tmp_path, list(texts), limit=1)
    assert [command.file.name for command in chosen.head] == ["two.c"]  # the nearer one
    assert chosen.left_out == 1
    chosen = select(units, modified("src/one.c", "src/two.c"), tmp_path, list(texts), limit=1)
    assert {command.file.name for command in chosen.head} == {"one.c", "two.c"}
    chosen = select(units, modified("src/one.c"), tmp_path, list(texts), limit=3)
    assert len(chosen.head) == len(chosen.base) == 4  # the whole program fits


def test_how_the_base_was_compiled(tmp_path: Path) -> None:
    units = commands(tmp_path, "src/new.c", "src/now.c", "lib/x.c")
    changes = Changes.of(
        [
            FileDiff(None, "src/new.c", Status.ADDED),
            FileDiff("src/was.c", "src/now.c", Status.RENAMED),
            FileDiff("src/gone.c", None, Status.DELETED),
        ]
    )
    chosen = select(units, changes, tmp_path, [], limit=0)
    assert [str(c.file.relative_to(tmp_path)) for c in chosen.head] == ["src/new.c", "src/now.c"]
    assert [str(c.file.relative_to(tmp_path)) for c in chosen.base] == ["src/was.c", "src/gone.c"]
    assert {c.arguments for c in chosen.base} == {("-Iinclude",)}


def test_three_thousand_files(reviewer: Reviewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of everything, of which three files are compiled: the number of programs that are started depends on
    the units alone, and each file is read a fixed number of times."""
    project = new_project(tmp_path / "p")
    for number in range(2997):
        kind = "h" if number < 300 else "md"
        project.write(f"include/d{number % 50}/h{number}.{kind}", f"#define OLD_{number}\nextern int v{number};\n")
    units = ("src/a.c", "src/b.c", "src/c.c")
    for name in units:
        project.write(name, '#include "../include/d0/h0.h"\n' + STRIDED.format(name="f" + name[4], value=1))
    project.commit("base")
    project.git("checkout", "--quiet", "-b", "change")
    for path in project.root.glob("include/*/h*"):
        path.write_text(path.read_text(encoding="utf-8").replace("OLD", "NEW"), encoding="utf-8")
    for name in units:
        project.write(name, project.read(name) + STRIDED.format(name="g" + name[4], value=2))
    project.commit("all")

    started: list[str] = []
    import subprocess

    original = subprocess.Popen.__init__

    def counted(self: subprocess.Popen[bytes], words: list[str], *args: object, **more: object) -> None:
        started.append(Path(str(words[0])).name)
        original(self, words, *args, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess.Popen, "__init__", counted)
    plan = reviewer.plan(project, "--base", "main", "--no-cache")
    assert plan.stats["files"] == 3000
    assert plan.stats["units_analysed"] == 3
    assert started.count("stridewise-analyze") == 2 * 3 + 2  # both sides and their whole programs
    assert started.count("git") <= 12
    assert places(plan.comments) == {("mem-strided-inner-loop", name, 10) for name in units}  # where the loops begin


def test_matching_three_thousand_findings_is_no_quadratic_work(monkeypatch: pytest.MonkeyPatch) -> None:
    from stridewise.finding import Confidence, Finding, Location, Severity
    from stridewise.finding.sources import Project as Tree
    from stridewise.finding.sources import Sources
    from stridewise.review import matching

    count = 3000
    text = b"x();\n" * count

    def finding(line: int) -> Finding:
        return Finding("mem-x", Severity.WARNING, Confidence.HIGH, "m", Location("/p/a.c", line, 1))

    old = matching.Side([finding(n) for n in range(1, count + 1)], Sources.of({"/p/a.c": text}))
    new = matching.Side([finding(n) for n in range(1, count + 2)], Sources.of({"/p/a.c": text + b"x();\n"}))
    asked = 0
    original = Sources.statement

    def counted(self: Sources, file: str, line: int, column: int) -> str:
        nonlocal asked
        asked += 1
        return original(self, file, line, column)

    monkeypatch.setattr(Sources, "statement", counted)
    (file,) = diff.parse(b"--- a/a.c\n+++ b/a.c\n@@ -0,0 +1 @@\n+x();\n")
    found = matching.match(new, old, Changes.of([file]), Tree(Path("/p")))
    assert found.new == (0,)  # the line that was added, of 3,001 equal ones
    assert not found.gone
    assert asked < 10
