"""CMake's ways to build that leave more in a compile database than one command a source (docs/howto/cmake.md)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import STRIDED, Tool, entries, findings

Write = Callable[[Path, Mapping[str, str]], Path]

PROJECT = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.22)
project(demo C CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_executable(demo src/a.cpp src/b.cpp src/main.c)
target_compile_options(demo PRIVATE -g)
if(PCH)
  target_precompile_headers(demo PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:<vector$<ANGLE-R>>" "$<$<COMPILE_LANGUAGE:CXX>:${CMAKE_SOURCE_DIR}/src/grid.h>")
endif()
if(IDS)
  set_target_properties(demo PROPERTIES
    UNITY_BUILD_UNIQUE_ID FILE_ID UNITY_BUILD_CODE_BEFORE_INCLUDE "#define IN_UNITY 1")
endif()
""",
    "CMakePresets.json": json.dumps(
        {
            "version": 3,
            "configurePresets": [
                {
                    "name": "hpc",
                    "binaryDir": "${sourceDir}/build/hpc",
                    "generator": "Ninja",
                    "cacheVariables": {"CMAKE_BUILD_TYPE": "Release", "CMAKE_EXPORT_COMPILE_COMMANDS": "ON"},
                }
            ],
        }
    ),
    "src/grid.h": "#pragma once\n#include <vector>\nstruct Grid { std::vector<double> cells; };\n",
    "src/a.cpp": '#include "grid.h"\n' + STRIDED,
    # With a name of its own file's, as unity builds need them.
    "src/b.cpp": '#include "grid.h"\n'
    + STRIDED.replace("sum", "add").replace("+=", "-=")
    + "void sum(double *, const double *, int);\n"
    + 'extern "C" double f(double *a, double *b, int n) { add(a, b, n); sum(a, b, n); return Grid().cells.size(); }\n',
    "src/main.c": "double f(double *, double *, int);\nint main(void) { double a[4] = {0}; return (int)f(a, a, 2); }\n",
}
FOUND = [("mem-strided-inner-loop", "src/a.cpp", 4), ("mem-strided-inner-loop", "src/b.cpp", 4)]


def configure(root: Path, *words: str, build: str = "build") -> None:
    done = subprocess.run(
        ["cmake", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=Release", *words],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("-DCMAKE_UNITY_BUILD=ON",),
        ("-DCMAKE_UNITY_BUILD=ON", "-DIDS=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=1"),
        ("-DPCH=ON",),
        ("-DPCH=ON", "-DCMAKE_UNITY_BUILD=ON"),
        ("-DPCH=ON", "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19"),
        ("-DCMAKE_C_COMPILER=mpicc", "-DCMAKE_CXX_COMPILER=mpicxx"),
        ("-G", "Ninja", "-DCMAKE_NINJA_FORCE_RESPONSE_FILE=ON"),
    ],
    ids=" ".join,
)
def test_each_source_is_analysed_once_before_anything_is_built(
    tool: Tool, tmp_path: Path, write: Write, words: tuple[str, ...]
) -> None:
    root = write(tmp_path / "demo", PROJECT)
    configure(root, *words)
    done = tool("lint", "--format", "json", cwd=root)
    assert done.status == 0, done.said
    assert sorted(findings(done.out)) == FOUND
    stats = json.loads(done.out)["stats"]
    assert (stats["files_analysed"], stats["files_skipped"]) == (3, 0)
    one = tool("lint", "src/b.cpp", "--format", "json", cwd=root)
    assert findings(one.out) == FOUND[1:], "a source by its name"


def test_the_unity_file_s_macros_reach_its_sources(tool: Tool, tmp_path: Path, write: Write) -> None:
    needs = "#ifndef IN_UNITY\n#error not in the unity build\n#endif\nint FILE_ID_value;\n"
    root = write(tmp_path / "demo", {**PROJECT, "src/b.cpp": needs + PROJECT["src/b.cpp"]})
    configure(root, "-DCMAKE_UNITY_BUILD=ON", "-DIDS=ON")
    done = tool("lint", cwd=root)
    assert done.status == 0, done.said


def test_a_new_source_of_a_unity_build_is_seen_at_once(tool: Tool, tmp_path: Path, write: Write) -> None:
    """The report of unchanged inputs is kept; the generated file is one of them."""
    root = write(tmp_path / "demo", PROJECT)
    configure(root, "-DCMAKE_UNITY_BUILD=ON")
    assert "3 files analysed" in tool("lint", cwd=root).out
    write(root, {"src/new.cpp": "int added;\n"})
    (unity,) = root.glob("build/CMakeFiles/demo.dir/Unity/unity_*_cxx.cxx")
    unity.write_text(unity.read_text() + f'#include "{root}/src/new.cpp"\n')
    assert "4 files analysed" in tool("lint", cwd=root).out


def test_a_precompiled_header_of_another_compiler_is_no_obstacle(tool: Tool, tmp_path: Path, write: Write) -> None:
    root = write(tmp_path / "demo", PROJECT)
    configure(root, "-DPCH=ON")
    subprocess.run(["cmake", "--build", "build"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    assert list(root.glob("build/CMakeFiles/demo.dir/*.gch"))
    done = tool("lint", "--format", "json", cwd=root)
    assert done.status == 0, done.said
    assert sorted(findings(done.out)) == FOUND


def test_one_of_several_configurations_is_analysed(tool: Tool, tmp_path: Path, write: Write) -> None:
    root = write(tmp_path / "demo", PROJECT)
    configure(root, "-G", "Ninja Multi-Config")
    assert len(entries(root / "build")) == 9
    done = tool("lint", cwd=root)
    assert done.status == 0, done.said
    assert "Release was analysed, Debug, RelWithDebInfo left out" in done.said
    assert "3 files analysed · 2 findings" in done.out
    assert "build-unoptimised" not in done.out, "a finding of the debug build"


def test_a_preset(tool: Tool, tmp_path: Path, write: Write) -> None:
    root = write(tmp_path / "demo", PROJECT)
    subprocess.run(["cmake", "--preset", "hpc"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    done = tool("lint", "-p", "build/hpc", cwd=root)
    assert done.status == 0, done.said
    assert "3 files analysed · 2 findings" in done.out
    assert tool("lint", cwd=root).status == 0, "a build folder two levels down is found"


def test_modules_are_skipped_with_a_word(tool: Tool, tmp_path: Path, write: Write) -> None:
    """CMake from 3.28 on names a file for every source, which is there only after the build."""
    files = {
        "grid.cppm": "module;\n#include <vector>\nexport module grid;\nexport std::vector<double> cells();\n",
        "user.cpp": "import grid;\nint main() { return cells().size(); }\n",
        "part.cpp": "module grid:part;\n",
        "plain.cpp": "// import of data\nint important = 1; // import x;\n" + STRIDED,
    }
    root = write(tmp_path / "modules", {**files, "CMakeLists.txt": ""})
    gcc = "g++ -O2 -std=c++20 -fmodules-ts -fmodule-mapper=x.modmap -fdeps-format=p1689r5 @x.modmap"
    clang = "clang++-19 -O2 -std=c++20 @x.modmap -x c++-module -fmodule-output=x.pcm"
    database = [
        {"directory": str(root), "file": name, "command": f"{clang if name.endswith('m') else gcc} -c {name}"}
        for name in files
    ]
    write(root, {"compile_commands.json": json.dumps(database)})
    done = tool("lint", cwd=root)
    assert done.status == 0, done.said
    assert (
        "note: 3 files use C++20 modules ('module grid', in grid.cppm), which are not analysed yet: skipped"
        in done.said
    )
    assert "1 file analysed, 3 skipped · 1 finding" in done.out
