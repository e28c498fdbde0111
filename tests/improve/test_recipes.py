"""Edits for findings without a fix: what they do to the text, and what they refuse."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stridewise.finding import Confidence, Finding, Location, Related, Severity, Verdict
from stridewise.improve import recipes
from stridewise.improve.compiling import Build
from stridewise.improve.edits import Refused
from stridewise.lint.fixes import edited


def built(folder: Path) -> Build:
    entry = {"directory": str(folder), "file": str(folder / "a.c"), "arguments": ["gcc", "-c", "a.c"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    return Build(folder, folder)


def finding(rule: str, path: Path, text: str, verdict: Verdict = Verdict.CONFIRMED) -> Finding:
    """At the first place of `text` in the file."""
    before = path.read_text().split(text)[0]
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    where = Location(str(path), line, column)
    return Finding(rule, Severity.WARNING, Confidence.HIGH, "message", where, verdict)


def after(rule: str, path: Path, text: str, verdict: Verdict = Verdict.CONFIRMED) -> str:
    recipe = recipes.of(finding(rule, path, text, verdict), built(path.parent))
    assert recipe is not None
    assert {edit.file for edit in recipe.edits} == {str(path)}
    return edited(path.read_bytes(), recipe.edits).decode()


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("void f(void) {\n  usleep(3);\n  g();\n}\n", "void f(void) {\n  g();\n}\n"),
        ("void f(void) {\n  if (a)\n    usleep(3);\n  g();\n}\n", "void f(void) {\n  if (a)\n    ;\n  g();\n}\n"),
        ("void f(void) { usleep(3); g(); }\n", "void f(void) { ; g(); }\n"),
        ('void f(void) {\n  usleep(h(")", 3));\n}\n', "void f(void) {\n}\n"),
        ("  std::this_thread::sleep_for(1ms);\n", "  ;\n"),
        ("void f(void) {\n  for (;;)\n    usleep(\n      3 /* ) */);\n}\n", "void f(void) {\n  for (;;)\n    ;\n}\n"),
    ],
)
def test_a_sleep_goes(tmp_path: Path, before: str, expected: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(before)
    text = "usleep" if "usleep" in before else "std::"
    assert after("run-sleep-in-loop", path, text).replace("{\n}", "{\n}") in (expected, expected.replace("  ;\n", ""))


@pytest.mark.parametrize("before", ["int a = usleep(3);\n", "if (usleep(3)) g();\n", "PAUSE\n", "return usleep(3);\n"])
def test_a_call_whose_value_is_used_stays(tmp_path: Path, before: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(before)
    with pytest.raises(Refused):
        recipes.of(finding("run-sleep-in-loop", path, "PAUSE" if "PAUSE" in before else "usleep"), built(tmp_path))


def test_a_barrier_goes_only_when_a_run_has_seen_it(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("void f(void) {\n  MPI_Barrier(MPI_COMM_WORLD);\n}\n")
    assert after("mpi-redundant-barrier", path, "MPI_Barrier") == "void f(void) {\n}\n"
    with pytest.raises(Refused, match="no run has shown"):
        after("mpi-redundant-barrier", path, "MPI_Barrier", Verdict.SUSPECTED)


BARRIER = "call MPI_Barrier(MPI_COMM_WORLD, ierr)"


@pytest.mark.parametrize(
    ("name", "line", "goes"),
    [
        ("a.f90", f"  {BARRIER}\n", True),
        ("a.f90", f"  {BARRIER} ! all of them\n", True),
        ("a.f", f"      {BARRIER.upper()}\n", True),
        ("a.f90", f"  if (late) {BARRIER}\n", False),
        ("a.f90", f"  {BARRIER}; x = 1\n", False),
        ("a.f90", "  call MPI_Barrier( &\n    MPI_COMM_WORLD, ierr)\n", False),
        ("a.f", f"   10 {BARRIER}\n", False),  # something may go there
        ("a.f", "      call MPI_Barrier(MPI_COMM_WORLD)\n     &  + 1\n", False),
    ],
)
def test_a_barrier_of_fortran_goes_with_its_line(tmp_path: Path, name: str, line: str, goes: bool) -> None:
    path = tmp_path / name
    path.write_text(f"      x = 0\n{line}      y = 0\n")
    text = "CALL" if "CALL" in line else "call"
    if goes:
        assert after("mpi-redundant-barrier", path, text) == "      x = 0\n      y = 0\n"
    else:
        with pytest.raises(Refused, match="more than one call"):
            after("mpi-redundant-barrier", path, text)


@pytest.mark.parametrize("rule", ["mpi-send-recv-chain", "mpi-tiny-messages"])
def test_messages_of_fortran_stay(tmp_path: Path, rule: str) -> None:
    path = tmp_path / "a.f90"
    path.write_text("call MPI_Send(a, 1, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)\n")
    with pytest.raises(Refused, match="Fortran"):
        after(rule, path, "call")


@pytest.mark.parametrize(
    ("name", "before", "expected"),
    [
        ("Makefile", "FFLAGS = -g\n", "FFLAGS = -g -O3\n"),
        ("Makefile", "FCFLAGS = -O -g\n", "FCFLAGS = -O3 -g\n"),
        ("Makefile", "a: a.f90\n\tgfortran -o a a.f90\n", "a: a.f90\n\tgfortran -O3 -o a a.f90\n"),
        ("Makefile", "a: a.f90\n\t@$(FC) -o a a.f90\n\trm -f b\n", "a: a.f90\n\t@$(FC) -O3 -o a a.f90\n\trm -f b\n"),
        ("Makefile", "CFLAGS = -g -O0 -Wall\n", "CFLAGS = -g -O3 -Wall\n"),
        ("Makefile", "CC = gcc\nCFLAGS += -g\n", "CC = gcc\nCFLAGS += -g -O3\n"),
        ("Makefile", "# -O0 is slow\nCXXFLAGS := -g # debug\n", "# -O0 is slow\nCXXFLAGS := -g  -O3# debug\n"),
        ("Makefile", "app: app.c\n", "CFLAGS += -O3\nCXXFLAGS += -O3\napp: app.c\n"),
        ("Makefile", "CFLAGS = -Ofast-math -O\n", "CFLAGS = -Ofast-math -O3\n"),
        ("CMakeLists.txt", "project(a C)\nadd_executable(a a.c)\n",
         "project(a C)\nadd_compile_options(-O3)\nadd_executable(a a.c)\n"),
        ("CMakeLists.txt", 'project(a)\nset(CMAKE_C_FLAGS "-O1")\n', 'project(a)\nset(CMAKE_C_FLAGS "-O3")\n'),
    ],
)  # fmt: skip
def test_the_build_optimises(tmp_path: Path, name: str, before: str, expected: str) -> None:
    path = tmp_path / name
    path.write_text(before)
    recipe = recipes.of(finding("build-unoptimised", path, before[0]), built(tmp_path))
    assert recipe is not None
    assert edited(path.read_bytes(), recipe.edits).decode() == expected


@pytest.mark.parametrize(
    ("name", "before", "advice", "expected"),
    [
        ("Makefile", "CFLAGS = -g -O2 -Wall\n", "compile with -fno-math-errno",
         "CFLAGS = -g -O2 -fno-math-errno -Wall\n"),
        ("Makefile", "CFLAGS = -g\n",
         "write '#pragma omp simd' above (-fopenmp-simd), or compile with -fassociative-math -fno-signed-zeros; sums",
         "CFLAGS = -g -fassociative-math -fno-signed-zeros\n"),
        ("CMakeLists.txt", "project(a)\n", "add -march=native, or -march= with the processor of the machine",
         "project(a)\nadd_compile_options(-march=native)\n"),
    ],
)  # fmt: skip
def test_flags_of_the_advice(tmp_path: Path, name: str, before: str, advice: str, expected: str) -> None:
    path, source = tmp_path / name, tmp_path / "a.c"
    path.write_text(before)
    source.write_text("int a;\n")
    recipe = recipes.of(replace(finding("build-missed-vectorization", source, "int"), advice=advice), built(tmp_path))
    assert recipe is not None
    assert edited(path.read_bytes(), recipe.edits).decode() == expected


def test_advice_without_flags_is_for_a_person(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int a;\n")
    (tmp_path / "Makefile").write_text("CFLAGS = -O2\n")
    with pytest.raises(Refused, match="names no flag"):
        recipes.of(
            replace(finding("build-missed-vectorization", path, "int"), advice="make a-b local -x"), built(tmp_path)
        )
    with pytest.raises(Refused, match="says a level"):
        recipes.of(finding("build-unoptimised", path, "int"), built(tmp_path))


SEND = "for (int k = 0; k < N; k++)\n    MPI_Send(&a[i][k], 1, MPI_DOUBLE, to, 0, comm);\n"
RECEIVE = (
    "for (int k = 0; k < N; ++k) {\n    MPI_Recv(&b(i)[k], 1, MPI_DOUBLE, from, 0, comm, MPI_STATUS_IGNORE);\n  }\n"
)


def test_elements_of_both_sides_become_one_message(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    assert apart(path, f"  {SEND}  {RECEIVE}", WHOLE) == (
        "  MPI_Send(&a[i][0], N, MPI_DOUBLE, to, 0, comm);\n"
        "  MPI_Recv(&b(i)[0], N, MPI_DOUBLE, from, 0, comm, MPI_STATUS_IGNORE);\n"
    )


WHOLE = "the range is contiguous: send it whole, with the count of all elements"
APART = "the elements lie a constant step apart: send them as one message"


def whole(path: Path, text: str, call: str, advice: str = WHOLE) -> str:
    path.write_text(text)
    recipe = recipes.of(replace(finding("mpi-tiny-messages", path, call), advice=advice), built(path.parent))
    assert recipe is not None
    return edited(path.read_bytes(), recipe.edits).decode()


def apart(path: Path, text: str, advice: str = APART) -> str:
    return whole(path, text, "MPI_Send", advice)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k++", "k += 2"),  # not consecutive
        ("&a[i][k]", "&a[k][i]"),  # not contiguous
        ("to, 0", "to, k"),  # messages of their own
        ("to, 0", "to + k, 0"),
        ("1, MPI_DOUBLE, to", "2, MPI_DOUBLE, to"),
        ("int k = 0", "int k = 1"),
        ("&a[i][k]", "&a[k][k]"),
        ("k < N; k++", "k < N - k; k++"),
        ("++k", "k += 2"),  # the other side
        ("b(i)[k]", "b(k)[i]"),
    ],
)
def test_other_loops_are_refused(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "a.c"
    text = f"  {SEND}  {RECEIVE}"
    assert old in text
    with pytest.raises(Refused):
        apart(path, text.replace(old, new, 1), WHOLE)


def test_elements_of_records_are_no_range(tmp_path: Path) -> None:
    """&a[i][k] may be the first number of a record: the source knows."""
    path = tmp_path / "a.c"
    assert "MPI_Type_create_hvector" in apart(path, f"  {SEND}  {RECEIVE.replace('b(i)[k]', 'b[i][k]')}")
    with pytest.raises(Refused):
        apart(path, f"  {SEND}  {RECEIVE}", "copy the elements to one buffer and send that")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (
            "for (int k = 0; k < n; ++k)\n    MPI_Bcast(&p[k], 1, MPI_DOUBLE, 0, comm);\n",
            "{\n    if (n > 0)\n      MPI_Bcast(&p[0], (int)(n), MPI_DOUBLE, 0, comm);\n  }\n",
        ),
        (
            "for (k = 0; k < 8; k++) {\n    MPI_Allreduce(MPI_IN_PLACE, &q[k], 1, MPI_INT, MPI_SUM, comm);\n  }\n",
            "{\n    MPI_Allreduce(MPI_IN_PLACE, &q[0], 8, MPI_INT, MPI_SUM, comm);\n    k = (8) > 0 ? (8) : 0;\n  }\n",
        ),
        (
            "for (int k = 0; k < N; k++)\n    MPI_Allreduce(&a[k], &b[k], 1, MPI_INT, MPI_SUM, comm);\n",
            "{\n    if (N > 0)\n      MPI_Allreduce(&a[0], &b[0], N, MPI_INT, MPI_SUM, comm);\n  }\n",
        ),
    ],
)
def test_collective_calls_of_elements_become_one(tmp_path: Path, before: str, expected: str) -> None:
    path = tmp_path / "a.c"
    call = "MPI_Bcast" if "MPI_Bcast" in before else "MPI_Allreduce"
    assert whole(path, f"  {before}", call) == f"  {expected}"


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ("&a[k]", "&a[2 * k]", WHOLE),
        ("&a[k]", "&a[k][k]", WHOLE),
        ("&b[k]", "&b[0]", WHOLE),
        ("1, MPI_INT", "2, MPI_INT", WHOLE),
        ("k = 0", "k = 1", WHOLE),
        ("MPI_SUM, comm", "MPI_SUM, comms[k]", WHOLE),
        ("comm);", "comm), n++;", WHOLE),
        ("k = 0", "k = 0", "copy the elements to one buffer: one call for all of them does the same"),
    ],
)
def test_other_collective_calls_stay(tmp_path: Path, old: str, new: str, advice: str) -> None:
    text = "  for (int k = 0; k < N; k++)\n    MPI_Allreduce(&a[k], &b[k], 1, MPI_INT, MPI_SUM, comm);\n"
    assert old in text
    with pytest.raises(Refused):
        whole(tmp_path / "a.c", text.replace(old, new, 1), "MPI_Allreduce", advice)


COLUMN = "for (int k = 1; k < mesh->n; k++)\n    MPI_Send(&a[k * w], 3, MPI_DOUBLE, to, 0, comm);\n"
OTHER = "for (int k = 1; k < mesh->n; k++) {\n    MPI_Recv(&b[k * h], 3, MPI_DOUBLE, from, 0, comm, &s);\n  }\n"


def test_elements_a_step_apart_become_one_message(tmp_path: Path) -> None:
    text = apart(tmp_path / "a.c", f"  {COLUMN}  {OTHER}")
    assert "MPI_Type_create_hvector((int)((mesh->n) - k), 3, next - here, MPI_DOUBLE, &elements);" in text
    assert "MPI_Send(&a[k * w], 1, elements, to, 0, comm);" in text
    assert "MPI_Recv(&b[k * h], 1, elements, from, 0, comm, &s);" in text
    assert "for (" not in text
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k++", "k += 2"),
        ("&a[k * w]", "&a[next(k)]"),  # its name is in the way
        ("&a[k * w]", "&a[k * w++]"),  # not to be asked for twice
        ("to, 0", "k, 0"),
        ("3, MPI_DOUBLE, to", "4, MPI_DOUBLE, to"),  # the other side is another
        ("&b[k * h]", "&b[where[k]]"),  # of which nobody knows the step
        ("MPI_Recv(", "MPI_Irecv("),
        ("k = 1; k < mesh->n; k++) {", "k = 0; k < mesh->n; k++) {"),
    ],
)
def test_other_loops_over_steps_are_refused(tmp_path: Path, old: str, new: str) -> None:
    text = f"  {COLUMN}  {OTHER}"
    assert old in text
    with pytest.raises(Refused):
        apart(tmp_path / "a.c", text.replace(old, new, 1))


def test_a_step_that_no_analysis_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="constant step apart"):
        apart(tmp_path / "a.c", f"  {COLUMN}  {OTHER}", "copy the elements to one buffer and send that")


def test_rules_without_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int a;\n")
    assert recipes.of(finding("mem-struct-padding", path, "int"), built(tmp_path)) is None


def chain(path: Path, text: str) -> str:
    path.write_text(text)
    return " ".join(after("mpi-send-recv-chain", path, "MPI_Send").split())


TO = "MPI_Send(&u[n][0], w, MPI_DOUBLE, down, 1, comm);"
FROM = "MPI_Recv(&u[0][0], w, MPI_DOUBLE, up, 2, comm, MPI_STATUS_IGNORE);"


@pytest.mark.parametrize(
    ("before", "sender", "receiver"),
    [
        (f"{TO}\n{FROM}", "down", "up"),
        (f"{TO} // to the next one;\n /* and */ {FROM}", "down", "up"),
        (f"if (down < size) {TO}\n{FROM}", "(down < size) ? down : MPI_PROC_NULL", "up"),
        (f"{TO}\nif (up >= 0) {{\n{FROM}\n}}", "down", "(up >= 0) ? up : MPI_PROC_NULL"),
        (f"if (f) {{ {TO} }} if (up >= 0) {FROM}", "(f) ? down : MPI_PROC_NULL", "(up >= 0) ? up : MPI_PROC_NULL"),
    ],
)
def test_a_send_and_its_receive_go_at_once(tmp_path: Path, before: str, sender: str, receiver: str) -> None:
    assert chain(tmp_path / "a.c", f"f();\n{before}\ng();\n") == (
        f"f(); MPI_Sendrecv(&u[n][0], w, MPI_DOUBLE, {sender}, 1, "
        f"&u[0][0], w, MPI_DOUBLE, {receiver}, 2, comm, MPI_STATUS_IGNORE); g();"
    )


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (f"{TO} f(); {FROM}", "not the next statement"),
        (f"{{ {TO} }} {FROM}", "not the next statement"),
        (f"if (a) {TO} else {FROM}", "no statement of its own"),
        (f"if (a) {{ {TO} {FROM} }}", "no statement of its own"),
        (f"e = {TO} {FROM}", "no statement of its own"),
        (f"for (;;) {TO} {FROM}", "no statement of its own"),
        (f"if (b) if (a) {TO} {FROM}", "no statement of its own"),
        (f"{TO} {FROM.replace('comm', 'other')}", "two communicators"),
        (f"{TO} {FROM.replace('u[0]', 'u[n]')}", "into the buffer that it sends"),
        (f"{TO} if (a) {FROM.replace('MPI_STATUS_IGNORE', '&status')}", "status of a receive"),
        (f"if (next(a)) {TO} {FROM}", "more than compare"),
        (f"if (a++) {TO} {FROM}", "more than compare"),
        (f"{TO} {FROM.replace('Recv', 'Irecv')}", "not the next statement"),
    ],
)
def test_other_pairs_of_messages_stay(tmp_path: Path, before: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        chain(tmp_path / "a.c", f"int f() {{ {before} }}")


WRAPPER = """double total(double x) {
  double all; /* of the ranks */
  MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
"""


def fused(path: Path, before: str, lines: int = 1) -> str:
    """The reduction at the first line joined by those of the next lines."""
    path.write_text(before)
    first = "total(e" if "total(e" in before else "MPI_Allreduce(&e"
    at = finding("mpi-fusable-collectives", path, first)
    related = tuple(Related(str(path), at.location.line + n, "could join the call above") for n in range(1, lines + 1))
    recipe = recipes.of(replace(at, related=related), built(path.parent))
    assert recipe is not None
    return edited(path.read_bytes(), recipe.edits).decode()


ONE = "MPI_Allreduce(&{}, &{}, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);"


def test_reductions_in_a_row_become_one(tmp_path: Path) -> None:
    before = f"void f(void) {{\n  {ONE.format('e', 'energy')}\n  {ONE.format('m', 's->mass')}\n}}\n"
    assert fused(tmp_path / "a.c", before) == (
        "void f(void) {\n  {\n    double together[2];\n    together[0] = e;\n    together[1] = m;\n"
        "    MPI_Allreduce(MPI_IN_PLACE, together, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n"
        "    energy = together[0];\n    s->mass = together[1];\n  }\n}\n"
    )


def test_reductions_behind_a_function_become_one(tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text(WRAPPER)
    before = (
        "void f(void) {\n  const double a = total(e());\n  double b = total(m(3)); // kinetic\n  x[1] = total(k);\n}\n"
    )
    assert fused(tmp_path / "a.c", before, 2) == (
        "void f(void) {\n  double together[3];\n  together[0] = e();\n  together[1] = m(3);\n  together[2] = k;\n"
        "  MPI_Allreduce(MPI_IN_PLACE, together, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n"
        "  const double a = together[0];\n  double b = together[1];\n  x[1] = together[2];\n}\n"
    )


@pytest.mark.parametrize(
    ("statements", "wrapper", "why"),
    [
        ("a = total(e);\n  b = total(a * 2);", WRAPPER, "takes what another one gives"),
        ("a = total(e);\n  g(); b = total(m);", WRAPPER, "other statements stand|into one variable|no function"),
        ("a = total(e);\n  b = total(m) / 2;", WRAPPER, "no statement of its own"),
        ("a = total(e);\n  b = most(m);", WRAPPER, "'most' is no function"),
        ("a = total(e);\n  b = total(m);", WRAPPER.replace("return all", "return all + 1"), "'total' is no function"),
        ("a = total(e);\n  b = total(m);", WRAPPER.replace("double x", "float x"), "'total' is no function"),
        ("a = total(e);\n  b = total(m);", WRAPPER.replace("MPI_DOUBLE", "MPI_INT"), "something else"),
        ("a = total(e);\n  b = total(m);", WRAPPER.replace("(&x", "(&y"), "something else"),
        ("a = total(e);\n  b = total(m);", WRAPPER + WRAPPER, "'total' is no function"),
        ("a = total(e);\n  a = total(m);", WRAPPER, "the same variable"),
        ("if (last) a = total(e);\n  b = total(m);", WRAPPER, "into one variable"),
        (ONE.format("e", "a") + "\n  " + ONE.format("a", "b"), "", "takes what another one gives"),
        (ONE.format("e", "a") + "\n  " + ONE.format("m", "b").replace("SUM", "MAX"), "", "several types, operations"),
        (ONE.format("e", "a").replace(" 1,", " 2,") + "\n  " + ONE.format("m", "b"), "", "more than one number"),
        (
            ONE.format("e", "a").replace("MPI_DOUBLE", "pair")
            + "\n  "
            + ONE.format("m", "b").replace("MPI_DOUBLE", "pair"),
            "",
            "none of MPI's own",
        ),
        ("if (x) " + ONE.format("e", "a") + "\n  " + ONE.format("m", "b"), "", "under a condition"),
        ("int together; a = total(e);\n  b = total(m);", WRAPPER, "the name 'together' already"),
    ],
)
def test_other_reductions_stay(tmp_path: Path, statements: str, wrapper: str, why: str) -> None:
    (tmp_path / "b.c").write_text(wrapper)
    with pytest.raises(Refused, match=why):
        fused(tmp_path / "a.c", f"void f(void) {{\n  {statements}\n}}\n")


def test_reductions_that_only_a_run_shows_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(f"void f(void) {{\n  {ONE.format('e', 'a')}\n  {ONE.format('m', 'b')}\n}}\n")
    with pytest.raises(Refused, match="no source shows"):
        recipes.of(finding("mpi-fusable-collectives", path, "MPI_Allreduce"), built(tmp_path))
