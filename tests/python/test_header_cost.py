"""What of headers is not read: no unit's result tells."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from stridewise.settings import toolchain

MPI = """#ifndef MPI_H
#define MPI_H
extern "C" int MPI_Barrier(int);
#define TAGGED(type) [[clang::annotate(TEXT(MPI))]]
#define TEXT(word) #word
#ifndef {switch}
#include "bindings.h"
#endif
#endif
"""
BINDINGS = """namespace std { class map {}; }
namespace MPI { inline int Sum(int n) { return n + 1; } }
"""
LIBRARY = """#pragma GCC system_header
template <class T> T never(T x) { return x + nothing; }
template <class T> T sum(const T *x, int n) { T s = 0; for (int i = 0; i < n; i++) s += x[i * 512]; return s; }
"""


def analysed(folder: Path, text: str, *flags: str) -> dict[str, Any]:
    source, out = folder / "unit.cpp", folder / "unit.json"
    source.write_text(text)
    words: list[str | Path] = [toolchain.analyzer(), "-o", out, source, "--", f"-I{folder}", *flags]
    subprocess.run(words, check=True)
    value = json.loads(out.read_text())
    assert isinstance(value, dict)
    return value


def reads(result: dict[str, Any], name: str) -> bool:
    return any(Path(file[0]).name == name for file in result["inputs"]["files"])


@pytest.mark.parametrize("switch", ["OMPI_SKIP_MPICXX", "MPICH_SKIP_MPICXX"])
@pytest.mark.parametrize(
    ("code", "read"),
    [
        pytest.param("int f() { return MPI_Barrier(0); }", False, id="not-named"),
        pytest.param("int f() { return MPI_Barrier(0); } // MPI", False, id="in-a-comment"),
        pytest.param("int f() { return MPI::Sum(3); }", True, id="named"),
        pytest.param("using namespace MPI;\nint f() { return Sum(3); }", True, id="opened"),
        pytest.param("#define NAME MPI\nint f() { return NAME::Sum(3); }", True, id="by-a-macro"),
        pytest.param(
            "template <class T> T never() { return MPI::Sum(3); }\nint f() { return 0; }", True, id="in-a-template"
        ),
        pytest.param("std::map f() { return std::map(); }", True, id="what-they-include"),
    ],
)
def test_bindings_of_mpi_are_read_where_they_are_used(tmp_path: Path, switch: str, code: str, read: bool) -> None:
    (tmp_path / "mpi.h").write_text(MPI.format(switch=switch))
    (tmp_path / "bindings.h").write_text(BINDINGS)
    result = analysed(tmp_path, f"#include <mpi.h>\n{code}\n")
    # What was looked at in a reading that did not count is an input, too.
    assert (result["status"], reads(result, "bindings.h")) == ("ok", read)


def test_bindings_that_the_build_leaves_out_stay_out(tmp_path: Path) -> None:
    (tmp_path / "mpi.h").write_text(MPI.format(switch="OMPI_SKIP_MPICXX"))
    text = "#include <mpi.h>\nnamespace MPI { int own() { return 0; } }\nint f() { return MPI::own(); }\n"
    result = analysed(tmp_path, text, "-DOMPI_SKIP_MPICXX")
    assert (result["status"], reads(result, "bindings.h")) == ("ok", False)


def test_a_macro_of_the_name_is_no_use_of_the_bindings(tmp_path: Path) -> None:
    (tmp_path / "mpi.h").write_text(MPI.format(switch="OMPI_SKIP_MPICXX"))
    text = "#include <mpi.h>\n#if MPI\nint f() { return MPI_Barrier(MPI); }\n#endif\n"
    result = analysed(tmp_path, text, "-DMPI=1")
    assert (result["status"], reads(result, "bindings.h")) == ("ok", False)


CALL = '#include "lib.h"\nextern double x[1 << 20];\ndouble f() { return sum(x, 1000); }\n'


def test_templates_of_the_library_are_parsed_where_they_are_instantiated(tmp_path: Path) -> None:
    (tmp_path / "lib.h").write_text(LIBRARY)
    result = analysed(tmp_path, CALL)
    assert (result["status"], result["stats"]["functions"], result["stats"]["loops"]) == ("ok", 1, 1)


def test_templates_of_the_user_are_parsed_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "lib.h").write_text(LIBRARY.replace("#pragma GCC system_header\n", ""))
    assert analysed(tmp_path, CALL)["status"] == "errors"


def test_templates_behind_an_inclusion_are_the_users(tmp_path: Path) -> None:
    (tmp_path / "lib.h").write_text(LIBRARY)
    text = CALL + "template <class T> T mine(T x) { return x + nothing; }\n"
    assert [d["line"] for d in analysed(tmp_path, text)["diagnostics"]] == [4]


def test_functions_that_are_only_declared_show_what_containers_hold(tmp_path: Path) -> None:
    (tmp_path / "model.h").write_text(
        "#include <vector>\nstruct Probe { char a; double x, y, z; bool b; };\n"
        "class Model { void probes(std::vector<Probe> &); };\n"
    )
    result = analysed(tmp_path, '#include "model.h"\n')
    padding = [f for f in result["findings"] if f["rule"] == "mem-struct-padding"]
    assert "std::vector of them" in {r["label"] for f in padding for r in f["related"]}
