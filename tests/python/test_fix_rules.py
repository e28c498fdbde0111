"""--fix --unsafe over every sample that offers one: it changes what --dry-run says, and a second time nothing."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from stridewise.cli import main
from stridewise.settings import toolchain

RULES = Path(__file__).resolve().parents[2] / "rules"
SAMPLES = sorted(
    path.relative_to(RULES).as_posix()
    for path in RULES.glob("**/*.c*")
    if "// fixes:" in path.read_text(encoding="utf-8", errors="replace")
)

pytestmark = [
    pytest.mark.skipif(
        toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE") is None, reason="stridewise-analyze is not built"
    ),
    pytest.mark.skipif(shutil.which("patch") is None, reason="no patch"),
]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_second_fix_changes_nothing(
    sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder = tmp_path / "tree"
    shutil.copytree((RULES / sample).parent, folder)
    monkeypatch.chdir(folder)
    source = folder / Path(sample).name
    lines = source.read_text(encoding="utf-8").splitlines()
    extra = [word for line in lines if line.startswith("// flags:") for word in shlex.split(line[9:])]
    compiler = ("mpicxx" if source.suffix == ".cpp" else "mpicc") if "mpi.h" in source.read_text() else "gcc"
    command = [compiler, "-O2", *extra, "-c", source.name]
    entry = {"directory": str(folder), "file": source.name, "arguments": command}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert main(["lint", "--no-cache", "--all", "--fix", "--unsafe", "--dry-run"]) == 0
    patch = capfdbinary.readouterr().out
    assert {path: path.read_bytes() for path in before} == before
    shutil.copytree(folder, tmp_path / "patched")
    subprocess.run(["patch", "-p1", "-s"], input=patch, cwd=tmp_path / "patched", check=True)

    for _ in range(8):  # fixes that overlap are made one after the other
        assert main(["lint", "--no-cache", "--all", "--fix", "--unsafe"]) == 0
        if b"not fixed" not in capfdbinary.readouterr().err:
            break
        patch = b""
    after = {path: path.read_bytes() for path in before}
    assert after != before
    if patch:
        assert {path: (tmp_path / "patched" / path.relative_to(folder)).read_bytes() for path in before} == after
    assert main(["lint", "--no-cache", "--all", "--fix", "--unsafe"]) == 0
    assert b"no finding has an automatic fix" in capfdbinary.readouterr().err
    assert {path: path.read_bytes() for path in before} == after


def test_members_keep_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The white space between two members stays: a comment at a line's end brings no empty line."""
    members = ["char kind; // of rock", "double density;", "char wet;", "double pressure; // in Pa"]
    cells = "static struct cell cells[5000];\ndouble f(int n) { return cells[n].density + cells[n].kind; }\n"
    source = tmp_path / "a.c"

    def text(order: list[int]) -> str:
        return "\n  ".join(["struct cell {", *(members[n] for n in order)]) + "\n};\n" + cells

    source.write_text(text([0, 1, 2, 3]))
    monkeypatch.chdir(tmp_path)
    main(["lint", "--no-config", "--no-cache", "--unsafe", "--fix", "a.c", "--", "-O2"])
    assert source.read_text() == text([1, 3, 0, 2])
