"""The commands run and report, with stand-ins for the interposer, the merge tool and Valgrind."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main
from stridewise.collect import launcher, mpi_of_program
from stridewise.errors import Failure
from stridewise.machine import geometry
from stridewise.runs import run_folder
from stridewise.runs.cache import valgrind as tool
from stridewise.runs.run_folder import Record
from stridewise.settings import toolchain

Script = Callable[[str, str], Path]

TRACE: dict[str, Any] = {
    "version": 1,
    "tool": "stridewise-merge",
    "job": {
        "id": "ab", "flavour": "openmpi", "mpi": "Open MPI v4.1.4, package: x", "executable": "/nowhere/app",
        "command": "./app", "directory": "/nowhere", "begin_realtime_ns": 0, "world_size": 2, "missing_ranks": [],
    },
    "summary": {"wall_seconds": 12.4, "mpi_seconds": 9.1, "parallel_efficiency": 0.27, "load_balance": 0.96,
                "communication_efficiency": 0.28},
    "ranks": [], "modules": [], "paths": [], "calls": [], "windows": [], "barriers": [], "bursts": [], "chains": [],
    "problems": [], "notes": [],
}  # fmt: skip
PROFILE = """desc: D1 cache: 32768 B, 64 B, 8-way associative
cmd: ./app
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
fl={file}
fn=walk
3 1 0 0 1000 {misses}
9 1 0 0 500 500
summary: 2 0 0 1500 {total}
"""
SOURCE = "void walk(void) {\n  for (;;)\n    a[i][j] = 0;\n}\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def mpi(script: Script, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """An interposer that does nothing, and a merge tool that writes a given trace."""

    def make(trace: Any = TRACE, status: int = 0) -> None:
        library = next(
            p for p in ("/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6", "/usr/lib/libm.so.6") if Path(p).exists()
        )
        monkeypatch.setenv("STRIDEWISE_MPI_LIBRARY", library)
        text = trace if isinstance(trace, str) else json.dumps(trace)
        write = f"open(sys.argv[sys.argv.index('-o') + 1], 'w').write({text!r})"
        merge = script("merge", f"#!{sys.executable}\nimport sys\n{write}\nsys.exit({status})\n")
        monkeypatch.setenv("STRIDEWISE_MERGE", str(merge))

    return make


@pytest.fixture
def app(script: Script) -> Callable[[str], str]:
    """A program; the text runs after it left a shard, as a program under MPI does."""

    def make(text: str, shard: bool = True) -> str:
        leave = 'mkdir -p "$STRIDEWISE_OUT/mpi"; : > "$STRIDEWISE_OUT/mpi/shard.00ab.0.swshard"\n' if shard else ""
        return str(script("app", f"#!/bin/sh\n{leave}{text}\n"))

    return make


@pytest.mark.parametrize(("text", "status"), [("true", 0), ("exit 3", 3), ("kill -9 $$", 137), ("kill -TERM $$", 143)])
def test_the_status_of_the_command_is_kept(
    mpi: Callable[..., None], app: Callable[..., str], capsys: pytest.CaptureFixture[str], text: str, status: int
) -> None:
    mpi()
    assert main(["run", "--", app(text)]) == status
    out = capsys.readouterr().out
    assert "2 ranks, Open MPI v4.1.4 · 12.4 s, 9.1 s of it in MPI" in out
    assert "parallel efficiency 27 % (load balance 96 %, communication 28 %)" in out
    assert ("ended with status" in out) is (status != 0)
    (record,) = run_folder.read_records(Path("stridewise-out"))
    assert (record.kind, record.status) == ("mpi", status)


def test_the_environment_of_the_command(
    mpi: Callable[..., None], app: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpi()
    other = os.environ["STRIDEWISE_MPI_LIBRARY"].replace("libm", "libdl").replace("libdl.so.6", "libdl.so.2")
    if Path(other).exists():
        monkeypatch.setenv("LD_PRELOAD", other)
    before = os.environ.get("LD_PRELOAD")
    assert main(["run", "-o", "out dir", "--", app('env > env.txt; printf "%s" "$1" > arg.txt'), "a 'b' c"]) == 0
    found = dict(line.split("=", 1) for line in Path("env.txt").read_text().splitlines() if "=" in line)
    library = os.environ["STRIDEWISE_MPI_LIBRARY"]
    assert found["LD_PRELOAD"] == (f"{library}:{before}" if before else library)
    assert found["STRIDEWISE_OUT"] == str(tmp_path / "out dir")
    assert found["STRIDEWISE_QUIET"] == "1"
    assert Path("arg.txt").read_text() == "a 'b' c"


def test_a_program_without_mpi_says_so(
    mpi: Callable[..., None], app: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    mpi()
    assert main(["run", "--", app("exit 5", shard=False)]) == 5
    assert "never called MPI_Init" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run"], "no command given"),
        (["run", "mpirun", "-n", "4", "./app"], "stand behind '--': stridewise run -- mpirun -n 4 ./app"),
        (["run", "./app", "-o", "x"], "stridewise run -- ./app -o x"),
        (["run", "--omp", "-o", "d", "./app", "a b"], "stridewise run --omp -o d -- ./app 'a b'"),
        (["run", "--out=d", "--cache", "--d1", "32K,8,64", "./app"], "--cache --d1 32K,8,64 -- ./app"),
        (["run", "-od", "./app"], "stridewise run -od -- ./app"),
        (["capture", "make", "-j4"], "record must stand behind '--': stridewise capture -- make -j4"),
        (["run", "--", "./nowhere"], "cannot start ./nowhere: No such file or directory"),
        (["run", "--", "."], "cannot start ."),
        (["run", "-o", "file/x", "--", "true"], "cannot prepare the run folder"),
    ],
)
def test_what_cannot_start(
    mpi: Callable[..., None], capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    mpi()
    Path("file").write_text("")
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_no_interposer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(toolchain, "interposers", dict)
    assert main(["run", "--", "true"]) == 2
    assert "no MPI interposer was found" in capsys.readouterr().err
    monkeypatch.setattr(toolchain, "interposers", lambda: {"mpich": Path("/x.so")})
    monkeypatch.setattr(mpi_of_program, "flavour", lambda command, launch: "openmpi")
    assert main(["run", "--", "true"]) == 2
    assert "the interposer for Open MPI is not built" in capsys.readouterr().err
    assert not Path("stridewise-out").exists()


def test_a_new_run_replaces_the_shards_of_the_last_and_nothing_else(
    mpi: Callable[..., None], app: Callable[..., str]
) -> None:
    mpi()
    folder = Path("stridewise-out")
    (folder / "mpi").mkdir(parents=True)
    (folder / "cache").mkdir()
    for name in ("mpi/shard.old.0.swshard", "mpi/notes.txt", "cache/cachegrind.1.out"):
        (folder / name).write_text("")
    run_folder.add_record(folder, Record("cache", ("./a",), 0, 1.0, 2.0))
    assert main(["run", "--", app("true")]) == 0
    left = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    assert left == ["cache/cachegrind.1.out", "mpi/notes.txt", "mpi/shard.00ab.0.swshard", "mpi/trace.json", "run.json"]
    assert [r.kind for r in run_folder.read_records(folder)] == ["cache", "mpi"]


@pytest.mark.parametrize(
    ("trace", "status", "message"),
    [
        ("{", 0, "trace.json"),
        ({**TRACE, "version": 9}, 0, "version 9"),
        ({**TRACE, "problems": [{"shard": "s.1.swshard", "offset": 64, "text": "cut off"}]}, 2, "cut off (at byte 64)"),
        ({**TRACE, "job": {**TRACE["job"], "missing_ranks": [1]}}, 2, "no usable shard of rank 1 of 2"),
    ],
)
def test_shards_that_cannot_be_used(
    mpi: Callable[..., None],
    app: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
    trace: Any,
    status: int,
    message: str,
) -> None:
    mpi(trace, status)
    assert main(["run", "--", app("true")]) == 2
    assert message in capsys.readouterr().out


def test_no_merge_tool(
    mpi: Callable[..., None],
    app: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mpi()
    monkeypatch.setenv("STRIDEWISE_MERGE", "/nowhere/merge")
    assert main(["run", "--", app("true")]) == 2
    assert "STRIDEWISE_MERGE names /nowhere/merge" in capsys.readouterr().out


def test_open_mpi_exports_to_other_hosts_only(
    mpi: Callable[..., None], app: Callable[..., str], script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpi()
    monkeypatch.setattr(launcher, "version_flavour", lambda path: "openmpi")
    program = app("true")
    script("mpirun", f'#!/bin/sh\nprintf "%s|" "$@" >> words.txt\n{program}\n')
    assert main(["run", "--", "mpirun", "-n", "2", program]) == 0
    assert main(["run", "--", "mpirun", "-H", "a,b", "-x", "LD_PRELOAD", program]) == 0
    assert Path("words.txt").read_text() == (
        f"-n|2|{program}|-x|STRIDEWISE_OUT|-x|STRIDEWISE_QUIET|-H|a,b|-x|LD_PRELOAD|{program}|"
    )


@pytest.mark.parametrize(
    ("options", "wish"), [([], "unset"), (["--reduce"], "1"), (["--reduce", "256"], "256"), (["--reduce", "0"], "0")]
)
def test_summaries_are_asked_for(
    options: list[str],
    wish: str,
    mpi: Callable[..., None],
    app: Callable[..., str],
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mpi()
    monkeypatch.setattr(launcher, "version_flavour", lambda path: "openmpi")
    program = app("true")
    script("mpirun", f'#!/bin/sh\necho "${{STRIDEWISE_MPI_REDUCE-unset}} $*" > words.txt\n{program}\n')
    assert main(["run", *options, "--", "mpirun", "-H", "a,b", program]) == 0
    said, _, words = Path("words.txt").read_text().partition(" ")
    assert said == wish
    assert ("-x STRIDEWISE_MPI_REDUCE" in words) == (wish != "unset")


def test_a_group_of_ranks_is_a_number(app: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--reduce", app("true")])
    assert "is no number of ranks; write the command behind --" in capsys.readouterr().err


def lint_file(root: Path) -> Path:
    (root / "a.c").write_text(SOURCE)
    finding = {
        "rule": "mem-strided-inner-loop", "severity": "warning", "confidence": "medium", "message": "strided",
        "location": {"file": "a.c", "line": 2, "column": 3, "end_line": 2, "end_column": 9}, "function": "walk",
        "scope": {"begin_line": 2, "end_line": 3},
        "accesses": [{"file": "a.c", "line": 3, "function": "walk", "best_lines_per_access": 0.125}],
    }  # fmt: skip
    path = root / "lint.json"
    path.write_text(json.dumps({"version": 1, "root": str(root), "findings": [finding]}))
    return path


def valgrind(script: Script, profile: str) -> None:
    """Writes a profile and runs the program."""
    script(
        "valgrind",
        f"#!{sys.executable}\nimport os, sys\nargs = sys.argv[1:]\n"
        "out = next(a for a in args if a.startswith('--cachegrind-out-file=')).split('=', 1)[1]\n"
        f"open(out.replace('%p', str(os.getpid())), 'w').write({profile!r})\n"
        "at = next(i for i, a in enumerate(args) if not a.startswith('-'))\n"
        "os.execvp(args[at], args[at:])\n",
    )


@pytest.mark.parametrize(
    ("misses", "verdict", "shown"), [(1000, "confirmed", "confirmed by the run"), (0, "refuted", "refuted by the run")]
)
def test_a_cache_run_judges_the_source(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str], misses: int, verdict: str, shown: str
) -> None:
    lint = str(lint_file(tmp_path))
    valgrind(script, PROFILE.format(file=tmp_path / "a.c", misses=misses, total=misses + 500))
    assert main(["run", "--cache", "--all", "--lint", lint, "--", "true", "x"]) == 0
    out = capsys.readouterr().out
    assert shown in out
    assert "Cachegrind, 1 process" in out
    assert main(["report", "--lint", lint, "--format", "json"]) == 0
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["verdict"] == verdict
    assert finding["cost_seconds"] is None
    assert finding["evidence"][-1]["metrics"]["d1_misses"] == misses


@pytest.mark.parametrize(("misses", "count"), [(1000, 1), (0, 0)])
def test_an_unsure_finding_is_reported_once_a_run_confirms_it(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str], misses: int, count: int
) -> None:
    lint = lint_file(tmp_path)
    written = json.loads(lint.read_text())
    written["unsure"] = [{**finding, "confidence": "low"} for finding in written.pop("findings")]
    lint.write_text(json.dumps({**written, "findings": []}))
    valgrind(script, PROFILE.format(file=tmp_path / "a.c", misses=misses, total=misses + 500))
    assert main(["run", "--cache", "--lint", str(lint), "--", "true", "x"]) == 0
    capsys.readouterr()
    assert main(["report", "--lint", str(lint), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (len(found["findings"]), len(found["unsure"])) == (count, 1 - count)


def test_a_cut_profile_is_named(script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    valgrind(script, PROFILE.format(file="a.c", misses=1, total=501)[:-20])
    assert main(["run", "--cache", "--", "true"]) == 2
    assert "cut off" in capsys.readouterr().out


def test_no_valgrind(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert main(["run", "--cache", "--", "./app"]) == 2
    assert "valgrind is not installed" in capsys.readouterr().err


def test_an_unknown_instruction_is_explained(script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    script("valgrind", "#!/bin/sh\nkill -ILL $$\n")
    assert main(["run", "--cache", "--", "true"]) == 128 + signal.SIGILL
    said = capsys.readouterr()
    assert "-march=x86-64-v3" in said.err
    assert "left no profile" in said.out


@pytest.mark.parametrize(("status", "told"), [(0, False), (3, True)])
def test_what_valgrind_says_is_kept_and_shown_where_it_matters(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int, told: bool
) -> None:
    """Its remarks on debug lines are in a file; silence leaves none."""
    script(
        "valgrind",
        f"""#!/bin/sh
for word; do case $word in --log-file=*) folder=$(dirname "${{word#--log-file=}}");; esac; done
echo '### unhandled abbrev' > "$folder/cachegrind.7.log"
: > "$folder/cachegrind.8.log"
exit {status}
""",
    )
    assert main(["run", "--cache", "-o", str(tmp_path / "out"), "--", "true"]) in (status, 2)
    said = capsys.readouterr()
    log = tmp_path / "out" / "cache" / "cachegrind.7.log"
    assert log.read_text() == "### unhandled abbrev\n"
    assert not log.with_name("cachegrind.8.log").exists()
    assert "unhandled" not in said.err + said.out
    assert (f"what Valgrind said is in {log}" in said.err) is told


def with_cachegrind(command: Sequence[str], folder: Path, ranks: str = "") -> tuple[str, ...]:
    plain = tool.Pass("cachegrind", geometry.DEFAULT)
    return tool.command(command, launcher.parse(command, {}), "/usr/bin/valgrind", folder, plain, ranks)


def test_cachegrind_goes_before_each_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "version_flavour", lambda path: "openmpi")
    words = with_cachegrind("mpirun -n 1 /bin/true a : -n 2 /bin/false b".split(), tmp_path / "50%")
    assert words.count("/usr/bin/valgrind") == 2
    files = f"={tmp_path}/50%%/cachegrind.%q{{OMPI_COMM_WORLD_RANK}}.%p"
    last = words.index("/bin/true")
    assert words[last - 2 : last] == (f"--cachegrind-out-file{files}.out", f"--log-file{files}.log")
    assert "--cache-sim=yes" in words
    assert {w.split("=")[0] for w in words} >= {"--I1", "--D1", "--LL"}
    assert "--trace-children=yes" not in words
    for started in (["timeout", "9", "/bin/true"], [str(tmp_path / "script.sh")]):
        (tmp_path / "script.sh").write_text("#!/bin/sh\n")
        (tmp_path / "script.sh").chmod(0o755)
        words = with_cachegrind(started, tmp_path)
        assert "--trace-children=yes" in words
        assert "cachegrind.%p.out" in " ".join(words)
    with pytest.raises(Failure, match="reads its programs from a file"):
        with_cachegrind(["mpirun", "--app", "file"], tmp_path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report"], "no run folder stridewise-out"),
        (["report", "nowhere"], "no run folder nowhere"),
        (["report", "--lint", "nowhere.json"], "cannot read nowhere.json"),
        (["report", "--lint", "bad.json"], "cannot read bad.json"),
        (["report", "--", "x"], "takes nothing after '--'"),
        (["report", "broken"], "run the program again"),
    ],
)
def test_report_of_bad_input(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    Path("bad.json").write_text('{"findings": [{}]}')
    Path("broken").mkdir()
    Path("broken/run.json").write_text('{"runs": [{"kind": "mpi"}]}')
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_report_of_an_empty_folder(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert main(["report", "empty"]) == 2
    assert "nothing of a run" in capsys.readouterr().out


def test_report_of_source_findings_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--lint", str(lint_file(tmp_path)), "--fail-on", "warning"]) == 1
    assert "a.c:2 in walk" in capsys.readouterr().out


def test_shards_without_the_command_are_reported(mpi: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """A plain LD_PRELOAD run leaves no run.json."""
    mpi()
    Path("out/mpi").mkdir(parents=True)
    Path("out/mpi/shard.00ab.0.swshard").write_text("")
    assert main(["report", "out"]) == 0
    assert "stridewise · ./app · 2 ranks" in capsys.readouterr().out


def test_sources_newer_than_the_run_are_said(
    tmp_path: Path, mpi: Callable[..., None], app: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    mpi()
    lint = str(lint_file(tmp_path))
    assert main(["run", "--lint", lint, "--", app("true")]) == 0
    assert "changed after the run" not in capsys.readouterr().out
    os.utime("a.c", (4e9, 4e9))
    assert main(["report", "--lint", lint]) == 0
    assert "a.c changed after the run; its lines may not fit" in capsys.readouterr().out


def test_fail_on_replaces_a_clean_status_only(
    tmp_path: Path, mpi: Callable[..., None], app: Callable[..., str]
) -> None:
    mpi()
    lint = str(lint_file(tmp_path))
    words = ["run", "--lint", lint, "--fail-on", "warning", "--"]
    assert main([*words, app("true")]) == 1
    assert main([*words, app("exit 4")]) == 1
