"""The real parts together, where the build has them: source, run, report."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mpi_launch import LAUNCH
from stridewise.cli import main
from stridewise.settings import toolchain

TOP = Path(__file__).resolve().parents[2]
needs_analyzer = pytest.mark.skipif(
    toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE") is None, reason="stridewise-analyze is not built"
)
needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")


def findings(path: Path) -> list[dict[str, Any]]:
    value = json.loads(path.read_text())["findings"]
    assert isinstance(value, list)
    return value


@needs_analyzer
@needs_valgrind
@pytest.mark.parametrize(("kernel", "verdicts"), [("buggy", ["confirmed"]), ("fixed", [])])
def test_a_strided_loop_from_source_to_measured_misses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: str, verdicts: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(TOP / "rules" / "mem-strided-inner-loop" / f"{kernel}.c", tmp_path)
    subprocess.run(["gcc", "-O2", "-g", "-o", kernel, f"{kernel}.c", "-lm"], check=True)
    assert main(["lint", f"{kernel}.c", "--format", "json", "-o", "lint.json", "--", "-O2"]) == 0
    assert main(["run", "--cache", "--lint", "lint.json", "--", f"./{kernel}"]) == 0
    assert main(["report", "--lint", "lint.json", "--format", "json", "-o", "report.json"]) == 0
    found = findings(tmp_path / "report.json")
    assert [f["verdict"] for f in found] == verdicts
    for finding in found:
        metrics = finding["evidence"][-1]["metrics"]
        assert metrics["d1_misses"] >= 1.5 * metrics["best_d1_misses"] > 0
        assert finding["cost_seconds"] is None


@pytest.mark.skipif(
    toolchain.program("stridewise-merge", "STRIDEWISE_MERGE") is None or "openmpi" not in toolchain.interposers(),
    reason="the MPI half is not built for Open MPI",
)
@pytest.mark.skipif(shutil.which("mpicc.openmpi") is None, reason="needs Open MPI")
def test_element_wise_messages_of_a_real_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in LAUNCH.items():
        monkeypatch.setenv(name, value)
    shutil.copy(TOP / "rules" / "mpi-tiny-messages" / "buggy.c", tmp_path)
    subprocess.run(["mpicc.openmpi", "-O2", "-g", "-o", "app", "buggy.c"], check=True)
    assert main(["run", "--format", "json", "--", "mpirun.openmpi", "-n", "2", "./app"]) == 0
    assert main(["report", "--format", "json", "-o", "report.json"]) == 0
    found = [f for f in findings(tmp_path / "report.json") if f["rule"] == "mpi-tiny-messages"]
    wanted = next(
        number for number, line in enumerate((tmp_path / "buggy.c").read_text().splitlines(), 1) if "MPI_Send(" in line
    )
    assert [(f["verdict"], f["location"]["line"]) for f in found] == [("observed", wanted)]
    assert 0 < found[0]["gain_seconds"] <= found[0]["cost_seconds"]
    assert (tmp_path / found[0]["location"]["file"]).samefile(tmp_path / "buggy.c")


@needs_analyzer
def test_a_finding_in_a_template_is_said_once_with_units_and_instantiations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grid.hpp").write_text(
        "template <typename T> T total(const T *cells, int height, int width) {\n"
        "  T sum = 0;\n"
        "  for (int x = 0; x < width; x++)\n"
        "    for (int y = 0; y < height; y++)\n"
        "      sum += cells[y * width + x];\n"
        "  return sum;\n"
        "}\n"
    )
    use = '#include "grid.hpp"\n{0} use_{0}(const {0} *c, int h, int w) {{ return total(c, h, w); }}\n'
    (tmp_path / "a.cpp").write_text(use.format("double") + "float use_float(const float *c, int h, int w);\n")
    both = use.format("float") + "double both(const double *c, int h, int w) { return total(c, h, w); }\n"
    (tmp_path / "b.cpp").write_text(both)
    (tmp_path / "compile_commands.json").write_text(
        json.dumps([{"directory": str(tmp_path), "file": f, "command": f"g++ -O2 -c {f}"} for f in ("a.cpp", "b.cpp")])
    )
    command = ["lint", "-p", ".", "--rules", "mem-strided-inner-loop"]
    assert main([*command, "--format", "json", "-o", "lint.json"]) == 0
    (found,) = findings(Path("lint.json"))
    assert (found["location"]["file"], found["location"]["line"]) == ("grid.hpp", 4)
    assert found["instantiations"] == ["total<double>", "total<float>"]
    known = found["evidence"][0]["metrics"]
    assert "first-level cache of 32 KiB" in known.pop("assumes")
    assert known == {"units": 2, "instantiations": 2}
    assert main(command) == 0
    assert "2 instantiations" in capsys.readouterr().out
