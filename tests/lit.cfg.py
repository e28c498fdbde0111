# Read by lit, which defines `config` and `lit_config`. Parameters: --param build=FOLDER (default: build), and
# --param variants=0 to leave out the generated ones.
import os
import subprocess
import sys
from pathlib import Path

_tests = Path(__file__).resolve().parent
_top = _tests.parent
sys.path[:0] = [str(_tests), str(_top)]

from lit_format.hosts import mpi_environment
from lit_format.stridewise_format import StridewiseFormat, parallelism_group

_build = Path(lit_config.params.get("build", _top / "build")).resolve()
_work = _build / "lit"
_variants = _work / "variants"
_work.mkdir(parents=True, exist_ok=True)
if lit_config.params.get("variants", "1") != "0":
    subprocess.run(
        [sys.executable, _tests / "variants" / "generate.py", "--out", _variants], check=True, stdout=subprocess.DEVNULL
    )

os.environ.update(mpi_environment())
os.environ["STRIDEWISE_BUILD"] = str(_build)
config.name = "rules"
config.test_source_root = str(_top / "rules")
config.test_exec_root = str(_work)
config.test_format = StridewiseFormat(_top / "rules", _variants, _tests / "kernels", _build, _work)
config.parallelism_group = parallelism_group
lit_config.parallelism_groups["programs"] = 1
