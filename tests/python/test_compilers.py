from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stridewise.collect.compilers import Interrogator, Kind, identify

Script = Callable[[str, str], Path]


@pytest.mark.parametrize(
    ("name", "family", "is_cxx", "triple"),
    [
        ("gcc", "gcc", False, ""),
        ("/usr/bin/g++-12", "g++", True, ""),
        ("clang++-19", "clang++", True, ""),
        ("clang", "clang", False, ""),
        ("x86_64-linux-gnu-gcc-12", "gcc", False, "x86_64-linux-gnu"),
        ("aarch64-unknown-linux-gnu-g++", "g++", True, "aarch64-unknown-linux-gnu"),
        ("mpicc.openmpi", "mpicc", False, ""),
        ("mpiCC", "mpiCC", True, ""),
        ("CC", "CC", True, ""),
        ("nvc++", "nvc++", True, ""),
        ("cc", "cc", False, ""),
        ("gcc12", "gcc", False, ""),
        ("clang++-19.1", "clang++", True, ""),
        ("scorep-mpicc", "mpicc", False, ""),
    ],
)
def test_names(name: str, family: str, is_cxx: bool, triple: str) -> None:
    found = identify(name)
    assert found is not None
    assert (found.family, found.is_cxx, found.triple) == (family, is_cxx, triple)


@pytest.mark.parametrize(
    "name", ["gcc-ar", "rm", "gccx", "mygcc", "python3", "", "clang-tidy", "clang-format-19", "make", "cc1", "cc1plus"]
)
def test_other_programs_are_no_compilers(name: str) -> None:
    assert identify(name) is None


def test_cray_compilers_by_their_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert identify("cc") and identify("cc").kind is Kind.GNU  # type: ignore[union-attr]
    monkeypatch.setenv("CRAYPE_VERSION", "2.7")
    assert identify("cc").kind is Kind.VENDOR  # type: ignore[union-attr]


def test_wrapper_gives_include_paths_once(tmp_path: Path, script: Script) -> None:
    count = tmp_path / "count"
    answer = "nocompiler -I/mpi/include -isystem /a -DMPI -L/l -lmpi -Wl,-z"
    wrapper = script("mpicc", f"#!/bin/sh\necho x >> {count}\n[ \"$1\" = -show ] && echo '{answer}'\n")
    ask = Interrogator()
    wanted = ("-I/mpi/include", "-isystem", "/a", "-DMPI")
    assert ask.extra_arguments(str(wrapper), tmp_path) == wanted
    assert ask.extra_arguments(str(wrapper), tmp_path) == wanted
    assert count.read_text() == "x\n"


@pytest.mark.parametrize("body", ["exit 1", 'echo "gcc \'open"', "true"])
def test_wrapper_that_does_not_answer_is_noted(tmp_path: Path, script: Script, body: str) -> None:
    ask = Interrogator()
    assert ask.extra_arguments(str(script("mpicc", f"#!/bin/sh\n{body}\n")), tmp_path) == ()
    assert any("mpi.h may not be found" in note for note in ask.notes)


def test_another_wrapper_stands_in_for_a_missing_one(
    tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = script("mpicc", "#!/bin/sh\necho 'nocompiler -I/mpi'\n")
    monkeypatch.setenv("PATH", str(wrapper.parent))
    ask = Interrogator()
    assert ask.extra_arguments("/opt/intel/bin/mpiicx", tmp_path) == ("-I/mpi",)
    assert any(f"mpi.h is taken from {wrapper}" in note for note in ask.notes)


def test_programs_of_the_project_are_never_run(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    marker = tmp_path / "ran"
    wrapper = script("mpicc", f"#!/bin/sh\ntouch {marker}\n")
    for name in (str(wrapper), "bin/mpicc"):
        ask = Interrogator(project=tmp_path)
        assert ask.extra_arguments(name, tmp_path) == ()
        assert any("not run" in note for note in ask.notes)
    assert not marker.exists()


def test_programs_with_other_names_are_never_run(tmp_path: Path, script: Script) -> None:
    marker = tmp_path / "ran"
    assert Interrogator().extra_arguments(str(script("compile", f"#!/bin/sh\ntouch {marker}\n")), tmp_path) == ()
    assert not marker.exists()


def test_missing_compiler_is_noted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ask = Interrogator()
    for _ in range(2):
        assert ask.extra_arguments("mpiicpx", tmp_path) == ()
    assert len(ask.notes) == 1
    assert "not installed" in ask.notes[0]


def test_vendor_compiler_gives_only_folders_that_clang_lacks(tmp_path: Path, script: Script) -> None:
    text = """#!/bin/sh
cat >&2 <<END
#include "..." search starts here:
#include <...> search starts here:
 /opt/cray/mpich/include
 /opt/cce/lib/clang/15/include
 /usr/lib/gcc/x86_64-linux-gnu/12/include
 /usr/include/c++/12
 /usr/local/include
 /usr/include/x86_64-linux-gnu
 /usr/include
End of search list.
 /not/this
END
"""
    assert Interrogator().extra_arguments(str(script("icx", text)), tmp_path) == ("-isystem", "/opt/cray/mpich/include")


def test_gcc_gives_its_installation(tmp_path: Path, script: Script) -> None:
    install = tmp_path / "lib" / "gcc" / "x" / "13"
    install.mkdir(parents=True)
    gcc = script("g++-13", f'#!/bin/sh\n[ "$1" = -print-libgcc-file-name ] && echo {install}/libgcc.a\n')
    assert Interrogator().extra_arguments(str(gcc), tmp_path) == (f"--gcc-install-dir={install}",)
    fake = script("g++-14", "#!/bin/sh\necho libgcc.a\n")
    assert Interrogator().extra_arguments(str(fake), tmp_path) == ()


def test_a_cross_compiler_gives_its_target(tmp_path: Path) -> None:
    assert Interrogator().extra_arguments("riscv64-linux-gnu-gcc", tmp_path) == ("--target=riscv64-linux-gnu",)


def test_a_hanging_compiler_is_given_up(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stridewise.collect.compilers._TIME_LIMIT", 0.2)
    wrapper = script("mpicc", f"#!{sys.executable}\nimport time\ntime.sleep(30)\n")
    ask = Interrogator()
    assert ask.extra_arguments(str(wrapper), tmp_path) == ()
    assert any("did not answer" in note for note in ask.notes)


def test_wrappers_that_name_each_other_end(tmp_path: Path, script: Script) -> None:
    wrapper = script("mpicc", '#!/bin/sh\necho "$0 -I/x"\n')
    assert "-I/x" in Interrogator().extra_arguments(str(wrapper), tmp_path)
