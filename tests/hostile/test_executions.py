"""Nothing that a checkout says is executed: only this project's programs, git, and what known compilers say of
themselves."""

# ruff: noqa: E501 - command lines

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from executions import Execution, read, trace

from stridewise.collect.compilers import identify
from stridewise.settings import toolchain

STRACE = shutil.which("strace")
TOP = Path(__file__).resolve().parents[2]
PROGRAM = "#!/bin/sh\ntouch '{mark}'\necho 'gcc -I{folder}'\n"
SOURCE = (TOP / "rules/mem-strided-inner-loop/buggy.c").read_text()
# Names under which the checkout holds programs.
OWN = (
    "gcc", "cc", "c++", "clang", "mpicc", "mpicxx", "icpx", "nvc", "x86_64-linux-gnu-gcc", "git", "sh", "env", "ccache",
    "llvm-symbolizer", "llvm-symbolizer-19", "addr2line", "llvm-objdump", "llvm-objdump-19", "objdump", "python3",
    "stridewise-analyze", "stridewise-merge", "nvptx-arch", "amdgpu-arch", "offload-arch", "cc1", "as", "ld", "evil",
    "spack", "debuginfod-find",
)  # fmt: skip
QUERIES = ("-show", "-print-libgcc-file-name")


def needs_strace() -> None:
    if STRACE is None:
        pytest.skip("strace is not installed (Debian: strace)")
    probe = subprocess.run([STRACE, "-o", os.devnull, "true"], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("strace may not trace here")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository whose owner would like to run something. `tmp_path / "marks"` shows who did."""
    needs_strace()
    root = tmp_path / "checkout"
    tools = root / "tools with blanks"
    tools.mkdir(parents=True)
    (tmp_path / "marks").mkdir()
    for folder in (root, tools):
        for name in OWN:
            program(folder / name, tmp_path / "marks" / f"{folder.name}-{name}".replace(" ", "_"))
    (root / "evil.so").write_bytes(b"\x7fELF none")
    (root / "evil.specs").write_text("*cc1:\n%(shell touch pwned)\n")
    (root / "evil.cfg").write_text("-fplugin=./evil.so\n-B.\n")
    (root / "words.rsp").write_text("-O2 -wrapper ./evil -fplugin=./evil.so $(touch pwned) `touch pwned`\n")
    names = ["plain.c", "with blank.c", "line\nbreak.c", "quote'\".c", "$(touch pwned).c", "; touch pwned;.c",
             "-fplugin=evil.so.c", "`touch pwned`.c", "|touch pwned.c", "@words.rsp.c"]  # fmt: skip
    for name in names:
        (root / name).write_text(SOURCE)
    (root / "device.cu").write_text("__global__ void f() {}\n")
    git(root)
    (root / "compile_commands.json").write_text(json.dumps(list(entries(root, names))))
    (root / ".gitignore").write_text("compile_commands.json\n")
    return root


def program(path: Path, mark: Path) -> None:
    path.write_text(PROGRAM.format(mark=mark, folder=path.parent))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def entries(root: Path, names: list[str]) -> Iterable[dict[str, object]]:
    tools = root / "tools with blanks"
    compilers = [["./gcc"], [str(root / "gcc")], [str(tools / "mpicc")], ["tools with blanks/clang"], ["./icpx"], ["./nvc"],
                 ["./ccache", "./gcc"], ["./env", "A=b", "./gcc"], ["env", f"PATH={tools}", "mpicc"], ["gcc"], ["mpicc"],
                 ["../checkout/mpicxx"], ["./x86_64-linux-gnu-gcc"], ["./evil"], ["ccache", "mpicc"]]  # fmt: skip
    options = [["-fplugin=./evil.so"], ["-B", "."], ["-B."], ["-wrapper", "./evil,x"], ["@words.rsp"], ["-specs=evil.specs"],
               ["-specs", "evil.specs"], ["--config", "evil.cfg"], ["--config=./evil.cfg"],
               ["-Xclang", "-load", "-Xclang", "./evil.so"], ["-fpass-plugin=./evil.so"], ["-ccc-install-dir", "."],
               ["--gcc-toolchain=."], ["-mllvm", "-load=./evil.so"], ["-no-integrated-cpp", "-fno-integrated-as", "-B."],
               ["-x", "cuda", "--cuda-gpu-arch=native", "-B."], ["--offload-arch=native", "-B."], ["-fopenmp",
               "-fopenmp-targets=nvptx64", "-B."], ["-fopenmp", "--offload-arch=native", "-B."], ["-print-prog-name=evil"],
               ["--help"], ["-resource-dir=."], ["-fuse-ld=./evil"], ["-dumpversion"], ["-###"]]  # fmt: skip
    for number, compiler in enumerate(compilers):
        yield entry(root, names[number % len(names)], [*compiler, "-O2"])
    for number, more in enumerate(options):
        for word in ("gcc", "clang", "./gcc"):
            yield entry(root, names[number % len(names)], [word, *more])
    yield entry(root, "device.cu", ["clang++", "--cuda-gpu-arch=native", "-B."])
    for script in ("sh -c './evil plain.c'", "./gcc -c plain.c; touch pwned", "$(touch pwned) gcc -c plain.c",
                    "gcc -c plain.c `touch pwned`", "sh -c 'gcc -c plain.c && ./evil'"):  # fmt: skip
        yield {"directory": str(root), "file": "plain.c", "command": script}
    yield {"directory": "$(touch pwned)", "file": "plain.c", "arguments": ["gcc", "-c", "plain.c"]}


def entry(root: Path, file: str, words: list[str]) -> dict[str, object]:
    return {"directory": str(root), "file": file, "arguments": [*words, "-c", file]}


def git(root: Path) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")

    def run(*words: str) -> None:
        subprocess.run(["git", *who, *words], cwd=root, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    run("init", "-q", "-b", "main")
    run("add", "-A")
    run("commit", "-qm", "one")
    (root / "plain.c").write_text(SOURCE + "int more;\n")
    (root / "with blank.c").write_text(SOURCE + "int more;\n")
    run("commit", "-qam", "two")
    (root / ".gitattributes").write_text("*.c filter=x diff=x merge=x\n")
    for name in ("core.fsmonitor", "diff.external", "filter.x.clean", "filter.x.smudge", "filter.x.process",
                 "diff.x.textconv", "diff.x.command", "core.sshCommand", "core.pager", "core.editor", "alias.diff",
                 "core.askPass", "gpg.program", "core.gitProxy"):  # fmt: skip
        run("config", name, str(root / "evil"))
    for hook in ("post-index-change", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(root / "evil", root / ".git" / "hooks" / hook)
    (root / "plain.c").write_text(SOURCE + "int still_more;\n")


def check(executions: list[Execution], root: Path) -> None:
    """Fails for any execution that is not on the list: by the kernel's view of what was run, not by ours."""
    allowed = {
        os.path.realpath(sys.executable),
        os.path.realpath(toolchain.analyzer()),
        os.path.realpath(toolchain.merger()),
        os.path.realpath(shutil.which("git") or "git"),
    }
    wrong = []
    for e in executions:
        path = os.path.realpath(e.program)
        outside = Path(e.program).is_absolute() and not Path(path).is_relative_to(root)
        if not outside:
            # A search along PATH tries what is not there.
            wrong.append(e)
        elif not e.succeeded or path in allowed or is_query(e) or is_part_of_query(e):
            continue
        elif Path(e.program).name in (
            "llvm-symbolizer-19",
            "llvm-symbolizer",
            "addr2line",
            "llvm-objdump-19",
            "objdump",
        ):
            continue  # of a run's binaries
        else:
            wrong.append(e)
    assert wrong == []


def is_query(e: Execution) -> bool:
    """A known compiler that says something of itself."""
    words = e.arguments
    return identify(e.program) is not None and (
        (len(words) == 1 and words[0] in QUERIES) or (words[:3] == ("-E", "-v", "-x") and words[4:] == ("/dev/null",))
    )


def is_part_of_query(e: Execution) -> bool:
    """What such a compiler runs for its answer."""
    return any(identify(parent) is not None for parent in e.parents)


def check_marks(tmp_path: Path) -> None:
    assert list((tmp_path / "marks").iterdir()) == []
    assert list(tmp_path.rglob("pwned*")) == []


@pytest.mark.parametrize("on_path", [False, True], ids=["", "relative-path"])
def test_lint(checkout: Path, tmp_path: Path, on_path: bool) -> None:
    more = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    if on_path:  # by a folder of PATH that is the checkout itself
        more["PATH"] = f".:{os.environ['PATH']}"
    status, executions = trace(
        ["lint", "--all", "--format", "json", "-o", str(tmp_path / "out.json")], checkout, tmp_path / "log", more
    )
    assert status in (0, 2)
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["findings"]
    check(executions, checkout)
    check_marks(tmp_path)
    analysed = [e for e in executions if Path(e.program).name == Path(toolchain.analyzer()).name]
    assert len(analysed) > 20
    assert any("line\nbreak.c" in word for e in analysed for word in e.arguments)
    asked = any(e.arguments == ("-show",) for e in executions)
    assert asked or on_path or shutil.which("mpicc") is None  # where PATH finds the checkout's mpicc first, none is


def test_settings(checkout: Path, tmp_path: Path) -> None:
    """A file of settings that names programs is refused; one that only filters is read."""
    settings = 'analyzer = "./evil"\nsymbolizer = "./evil"\n[tools]\ngit = "./evil"\ncompiler = "./gcc"\n'
    for text in (
        settings,
        'exclude = ["$(touch pwned)", "`./evil`"]\nheader-filter = ".*$(./evil)"\nbaseline = "|./evil"\n',
    ):
        (checkout / ".stridewise.toml").write_text(text)
        shutil.rmtree(tmp_path / "log", ignore_errors=True)
        _, executions = trace(["lint", "plain.c", "--", "-O2"], checkout, tmp_path / "log", {})
        check(executions, checkout)
    check_marks(tmp_path)


def test_review(checkout: Path, tmp_path: Path) -> None:
    status, executions = trace(
        ["review", "--base", "HEAD~1", "--no-cache", "--format", "json", "-o", str(tmp_path / "plan.json")],
        checkout, tmp_path / "log", {},
    )  # fmt: skip
    assert status in (0, 2)
    assert json.loads((tmp_path / "plan.json").read_text())["stats"]["units_analysed"]
    assert any(Path(e.program).name == "git" for e in executions)
    check(executions, checkout)
    check_marks(tmp_path)


def test_report(checkout: Path, tmp_path: Path) -> None:
    """Run folders that came with the checkout: commands, modules and traces of its own making."""
    run = checkout / "run $(touch pwned)"
    (run / "mpi").mkdir(parents=True)
    kinds = [{"kind": kind, "command": ["./evil", "$(touch pwned)"], "status": 0, "start": 1.0, "seconds": 1.0}
             for kind in ("mpi", "omp", "cache", "sharing", "placement")]  # fmt: skip
    (run / "run.json").write_text(json.dumps({"version": 1, "runs": kinds}))
    write_trace(run, str(checkout / "evil.so"))
    for kind, name in (("omp", "shard.h.1.1.swomp"), ("cache", "cachegrind.0.1.out"), ("sharing", "shard.1.swshare"),
                       ("placement", "h.1.swplace"), ("cache", "callgrind.0.1.out")):  # fmt: skip
        (run / kind).mkdir(exist_ok=True)
        (run / kind / name).write_text(
            f"desc: ./evil\ncmd: {checkout}/evil\nevents: Ir\nfl=$(touch pwned)\nfn=|./evil\n1 1\n"
        )
    _, executions = trace(["report", str(run)], checkout, tmp_path / "log", {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert any(Path(e.program).name == Path(toolchain.merger()).name for e in executions)
    check(executions, checkout)
    check_marks(tmp_path)


def write_trace(run: Path, module: str) -> None:
    """What a watched program would leave that names the module as its own."""
    code = (
        "import sys, tomllib\nfrom pathlib import Path\nimport shard_files\nimport shards\n"
        "table = tomllib.loads(Path(sys.argv[1]).read_text())\n"
        "shard_files.CALLS.update({row['name']: row['index'] for row in table['call'] if 'index' in row})\n"
        "def program(rank):\n"
        "    for _ in range(50):\n"
        "        yield rank.compute(0.01 * (1 + rank.number))\n"
        "        yield rank.barrier('sum')\n"
        "modules = ((0x1000, 0x7FFFFFFFFFFF, 0, bytes(20), sys.argv[3]),)\n"
        "shards.World(2).run(program).write(Path(sys.argv[2]), modules=modules)\n"
    )
    table = TOP / "pmpi_wrappers" / "mpi_calls.toml"
    environment = {**os.environ, "PYTHONPATH": f"{TOP}:{TOP / 'tests' / 'merge'}"}
    subprocess.run([sys.executable, "-c", code, table, run / "mpi", module], env=environment, check=True)


def test_the_log_is_understood() -> None:
    log = (
        '7 execve("/usr/bin/python3", ["python3", "-m", "x y", "a\\nb\\303\\266"], 0x7ff /* 3 vars */) = 0\n'
        "7 clone(child_stack=NULL, flags=CLONE_VM <unfinished ...>\n"
        '8 execve("/nowhere/git", ["git"], 0x7ff /* 3 vars */) = -1 ENOENT (No such file or directory)\n'
        "7 <... clone resumed>) = 8\n"
        '8 execve("./evil", ["evil", ")"], 0x7ff /* 3 vars */ <unfinished ...>\n'
        "8 <... execve resumed>) = 0\n"
    )
    first, second, third = read(log)
    assert first == Execution("/usr/bin/python3", ("-m", "x y", "a\nbö"), (), True)
    assert (second.program, second.succeeded) == ("/nowhere/git", False)
    assert (third.program, third.arguments, third.succeeded) == ("./evil", (")",), True)
    with pytest.raises(AssertionError):
        check([third], Path("/work"))
