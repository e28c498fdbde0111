"""--path-map: what was built or run elsewhere is read here (docs/howto/path-maps.md, docs/howto/clusters.md)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import BUILD, STRIDED, Tool, findings

from stridewise.errors import Failure
from stridewise.settings.path_map import PathMap, mapped, using

Write = Callable[..., Path]


def test_the_longest_prefix_counts_at_the_borders_of_names(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    known = PathMap.parse([f"/src={tmp_path}/a", f"/src/lib/={tmp_path}/b", f".={tmp_path}/a"])
    assert known("/src/x.c") == f"{tmp_path}/a/x.c"
    assert known("/src/lib/x.c") == f"{tmp_path}/b/x.c"
    assert known("/src") == f"{tmp_path}/a"
    assert known("/srcs/x.c") == "/srcs/x.c"
    assert known("./sub/x.c") == f"{tmp_path}/a/sub/x.c"
    assert known("") == ""
    assert known.word("-I/src/include") == f"-I{tmp_path}/a/include"
    assert known.word("-isystem/src/lib") == f"-isystem{tmp_path}/b"
    assert known.word("@/src/args.rsp") == f"@{tmp_path}/a/args.rsp"
    assert known.word("-DDATA=/src") == "-DDATA=/src"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/src", "maps no path"),
        ("=/src", "maps no path"),
        ("/src=", "maps no path"),
        ("src=.", "is no absolute path"),
        ("/src=/no/such/folder", "no folder /no/such/folder"),
    ],
)
def test_what_is_no_mapping(tool: Tool, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(Failure, match=message):
        PathMap.parse([text])
    for words in (("report",), ("run",)):
        command = ("--", "touch", "ran") if words == ("run",) else ()
        done = tool(*words, "--path-map", text, *command, cwd=tmp_path)
        assert done.status == 2
        assert message in done.err
    assert not (tmp_path / "ran").exists(), "said before the run"


def test_the_environment_gives_mappings_and_the_command_line_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("STRIDEWISE_PATH_MAP", f"/a={tmp_path}/one:/b={tmp_path}/one")
    assert mapped("/a/x") == f"{tmp_path}/one/x"
    with using([f"/a={tmp_path}/two"]):
        assert mapped("/a/x") == f"{tmp_path}/two/x"
        assert mapped("/b/x") == f"{tmp_path}/one/x"
    assert mapped("/a/x") == f"{tmp_path}/one/x"


def confirmed(text: str) -> bool:
    lines = (
        "confirmed by the run        exchange.c:29 in sync_vertical",
        "> 29 |         MPI_Send(&mesh_cell(mesh, x, y)[k]",
    )
    return all(line in text for line in lines)


def test_a_run_and_findings_of_a_cluster_are_read_elsewhere(
    tool: Tool, lbm: Callable[[Path], Path], tmp_path: Path
) -> None:
    """Built and run with nothing but the preloaded library; then the tree is moved as it is."""
    there = lbm(tmp_path / "cluster" / "user" / "lbm")
    assert tool("capture", "--", "make", "-j2", cwd=there).status == 0
    assert tool("lint", "--format", "json", "-o", "lint.json", cwd=there).status == 0
    library = BUILD / "lib" / "openmpi" / "libstridewise_mpi.so"
    subprocess.run(
        ["mpirun", "-n", "2", "./lbm", "config-small.txt"],
        cwd=there,
        env={**os.environ, "LD_PRELOAD": str(library)},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=300,
    )
    here = tmp_path / "laptop" / "code" / "lbm-copy"
    here.parent.mkdir(parents=True)
    shutil.move(there, here)

    # The binary is the one that ran, by its build id: it and the sources around it are found without a word.
    alone = tool("report", "--lint", "lint.json", cwd=here)
    assert alone.status == 0
    assert confirmed(alone.out)
    assert f"{there} is not there: {here} is read in its place" in alone.said

    # Another binary of the same name is not taken for it, and the mapping is proposed.
    (here / "kept").mkdir()
    shutil.move(here / "lbm", here / "kept" / "lbm")
    subprocess.run(["gcc", "-x", "c", "-", "-o", "lbm"], cwd=here, input=b"int main(void) { return 0; }", check=True)
    lost = tool("report", "--lint", "lint.json", cwd=here)
    advice = f"--path-map {there}={here}"
    assert advice in lost.said
    assert not confirmed(lost.out)

    maps = ["--path-map", f"{there}={here}", "--path-map", f"{there}/lbm={here}/kept/lbm"]
    found = tool("report", "--lint", "lint.json", *maps, cwd=here)
    assert found.status == 0
    assert confirmed(found.out)
    assert "path-map" not in found.said

    # The database is of the cluster, too.
    wrong = tool("lint", cwd=here)
    assert wrong.status == 2
    assert "was made in another place: none of its 8 files is there" in wrong.err
    assert f"{there}/comm.c" in wrong.err
    assert advice in wrong.err
    anew = tool("lint", "--path-map", f"{there}=.", "--format", "json", cwd=here)
    assert anew.status == 0
    assert ("mem-strided-inner-loop", "physics.c", 49) in findings(anew.out)
    assert json.loads(anew.out)["root"] == str(here)


@pytest.mark.parametrize(
    ("flag", "mapping"),
    [
        ("-ffile-prefix-map={root}=/proj", "/proj={root}"),
        ("-fdebug-prefix-map={root}=.", ".={root}"),
    ],
)
def test_binaries_with_mapped_debug_lines(tool: Tool, tmp_path: Path, write: Write, flag: str, mapping: str) -> None:
    program = """#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; i++) {
    if (rank == 0)
      usleep(50000);
    if (rank == 0)
      MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
"""
    root = write(tmp_path / "src", {"send.c": program, "Makefile": "send: send.c\n"})
    elsewhere = tmp_path / "run"
    elsewhere.mkdir()
    compile_it = ["mpicc", "-O1", "-g", flag.format(root=root), f"{root}/send.c", "-o", f"{elsewhere}/send"]
    subprocess.run(compile_it, check=True, cwd=root)
    plain = tool("run", "--", "mpirun", "-n", "2", "./send", cwd=elsewhere)
    assert str(root) not in plain.out
    done = tool("report", "--path-map", mapping.format(root=root), "--format", "json", cwd=elsewhere)
    assert done.status == 0, done.said
    assert json.loads(done.out)["root"] == str(root)
    assert ("mpi-late-sender", "send.c", 13) in findings(done.out)


def test_a_database_of_a_container(tool: Tool, tmp_path: Path, write: Write) -> None:
    """A build in an image wrote /work/… everywhere; the sources are mounted from here."""
    header = "#define FACTOR 2\n"
    root = write(
        tmp_path / "app", {"Makefile": "", "src/k.c": '#include "factor.h"\n' + STRIDED, "include/factor.h": header}
    )
    command = "gcc -O2 -I/work/include -c /work/src/k.c -o k.o"
    database = [{"directory": "/work/build", "file": "../src/k.c", "command": command}]
    write(root, {"build/compile_commands.json": json.dumps(database)})
    assert tool("lint", cwd=root).status == 2
    for words, env in (
        (["--path-map", "/work=."], {}),
        ([], {"STRIDEWISE_PATH_MAP": f"/work={root}"}),
    ):
        done = tool("lint", *words, "--format", "json", cwd=root, env=env)
        assert done.status == 0, done.said
        assert findings(done.out) == [("mem-strided-inner-loop", "src/k.c", 4)]
