from __future__ import annotations

from lit_format import renaming

SOURCE = """\
#include <mpi.h>
// a comment about width
#define CELL(m, x) ((m)->cells[(x) * (m)->width]) /* spans
   two lines */
struct mesh { int width; double *cells; };
__attribute__((noinline)) static double sum(struct mesh *mesh, int count) {
  double total = 0; const char *label = "width // no comment";
#pragma omp parallel for schedule(static, count) reduction(+ : total)
  for (int x = 0; x < count; x++)
    total += CELL(mesh, x);
  MPI_Barrier(MPI_COMM_WORLD); // expect: nothing
  return total + label[0] + '"';
}
int main(void) { return 0; }
"""
HEADER = "#define MPI_COMM_WORLD 1\nint MPI_Barrier(int count);\n"


def rewritten(text: str = SOURCE) -> str:
    names = renaming.own_names([text], renaming.outer_names(HEADER))
    return renaming.rewrite(text, renaming.new_names(names))


def test_lines_stay() -> None:
    assert rewritten().count("\n") == SOURCE.count("\n")
    assert (
        "MPI_Barrier"
        in rewritten().splitlines()[SOURCE.splitlines().index("  MPI_Barrier(MPI_COMM_WORLD); // expect: nothing")]
    )


def test_own_names_and_comments_go() -> None:
    text = rewritten()
    assert "comment about" not in text and "expect" not in text and "two lines" not in text
    for name in ("mesh", "cells", "sum", "count", "CELL", "total"):
        assert not any(kind == "name" and word == name for kind, word in renaming.tokens(text)), name


def test_the_rest_stays() -> None:
    text = rewritten()
    for kept in (
        "#include <mpi.h>",
        "MPI_Barrier(MPI_COMM_WORLD)",
        "int main(void)",
        '"width // no comment"',
        "__attribute__((noinline))",
        "parallel for schedule(static, ",
    ):
        assert kept in text


def test_names_in_pragmas_follow() -> None:
    names = renaming.new_names(renaming.own_names([SOURCE], renaming.outer_names(HEADER)))
    assert f"reduction(+ : {names['total']})" in rewritten()
    assert f'_Pragma("omp for private({names["total"]})")' in renaming.rewrite(
        '_Pragma("omp for private(total)")', names
    )


def test_parameter_names_of_headers_are_free() -> None:
    assert renaming.outer_names(HEADER) == {"MPI_COMM_WORLD", "int", "MPI_Barrier"}


def test_suppressions_can_be_kept() -> None:
    assert "NOLINT" in renaming.rewrite("int a; // NOLINT(x)\n", {}, keep_comments=True)
    assert "NOLINT" not in renaming.rewrite("int a; // NOLINT(x)\n", {})


def test_pasted_names_are_noticed() -> None:
    assert renaming.pastes_tokens("#define GET(name) get_##name\n")
    assert not renaming.pastes_tokens(SOURCE)
