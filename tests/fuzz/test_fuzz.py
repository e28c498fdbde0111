"""Every reader of other programs' files, each fuzzed for STRIDEWISE_FUZZ_SECONDS (default 60; a third of it where only
this machine's own runs write such files): none ends otherwise than by the errors it documents. A failure prints the
trace, and where the bytes are."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import targets

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
SECONDS = int(os.environ.get("STRIDEWISE_FUZZ_SECONDS", "60"))
OWN = {"omp-shards", "sharing-shards", "placement", "machine-files"}  # nobody passes these around
KEPT = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "fuzz"
MEMORY = Path("/dev/shm")
FEWEST = 100  # inputs; a fuzzer that tries less is stuck


def executed(printed: str) -> int:
    return next(int(line.split()[1]) for line in printed.splitlines() if line.startswith("stat::number_of_executed_un"))


def test_the_merge_tool_stands_any_shards() -> None:
    if shutil.which("clang++-19") is None:
        pytest.skip("clang++-19 is not installed")
    folder = KEPT / "shards"
    shutil.rmtree(folder / "corpus", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    configure: list[str | Path] = [
        "cmake",
        "--preset",
        "run-time",
        "-G",
        "Ninja",
        "-B",
        folder / "build",
        "-DSTRIDEWISE_FUZZ=ON",
    ]
    configure += [
        "-DCMAKE_C_COMPILER=clang-19",
        "-DCMAKE_CXX_COMPILER=clang++-19",
        f"-DPython3_EXECUTABLE={sys.executable}",
    ]
    fuzzer = folder / "build" / "bin" / "stridewise-merge-fuzzer"
    make: list[str | Path] = ["cmake", "--build", folder / "build", "--target", fuzzer.name]
    for words in (configure, make):
        done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    targets.shard_seeds(folder / "corpus")
    limits = [f"-max_total_time={SECONDS}", "-timeout=20", "-print_final_stats=1", f"-artifact_prefix={folder}/"]
    done = subprocess.run(
        [fuzzer, *limits, folder / "corpus"], capture_output=True, text=True, errors="replace", check=False
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed[-4000:]
    assert executed(printed) >= FEWEST


@pytest.mark.parametrize("name", targets.TARGETS)
def test_a_reader_stands_any_bytes(name: str) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed: it is for Linux on x86-64 and 64-bit ARM")
    folder = KEPT / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "corpus").mkdir(parents=True)
    try:
        targets.TARGETS[name].seeds(folder / "corpus")
    except targets.NoSeedsError as error:
        pytest.skip(str(error))
    seconds = SECONDS // 3 if name in OWN else SECONDS
    words: list[str | Path] = [sys.executable, HERE / "fuzz.py", name, folder, "--seconds", str(seconds)]
    # On a disk, writing a file anew takes twenty times as long as reading it.
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else folder) as scratch:
        words += ["--scratch", scratch]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed[-4000:]
    assert executed(printed) >= FEWEST


def test_an_error_that_a_reader_does_not_document_is_shown(tmp_path: Path) -> None:
    """The fuzzer itself can fail."""
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed")
    script = tmp_path / "broken.py"
    script.write_text(
        "import sys\nimport targets\n"
        "def broken(data, folder):\n    raise KeyError('Dr')\n"
        "targets.TARGETS['diffs'] = targets.Target(targets._diff_seeds, broken, ())\n"
        "import fuzz\nsys.exit(fuzz.main())\n"
    )
    words: list[str | Path] = [sys.executable, script, "diffs", tmp_path, "--seconds", "5"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(TOP), str(TOP / "tests")])}
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, env=environment)
    assert done.returncode != 0
    assert "KeyError" in done.stdout + done.stderr
    assert list(tmp_path.glob("crash-*"))
