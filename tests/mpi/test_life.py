"""Silence outside MPI, every way of ending, and what the user is told."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import generate
import pytest
from conftest import PROGRAMS, Mpi, header_of, read_shards
from shards import PEER_OTHER

from mpi_launch import LAUNCH
from stridewise.runs import run_folder
from stridewise.runs.kinds import preloaded
from stridewise.runs.mpi.watcher import expand


def test_says_where_the_shards_are(mpi: Mpi, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = mpi.run([mpi.compile("life.c")], out)
    lines = [line for line in result.stderr.splitlines() if "stridewise" in line]
    assert len(lines) == 1
    assert str(out / "mpi") in lines[0]
    assert f"stridewise report {out}" in lines[0]
    assert [s.state for s in read_shards(out)] == [3, 3]


def test_exit_without_finalize(mpi: Mpi, tmp_path: Path) -> None:
    result = mpi.run([mpi.compile("life.c"), "exit"], tmp_path)
    shards = read_shards(tmp_path)
    assert [s.state for s in shards] == [1, 1]
    assert all(s.count("MPI_Sendrecv") == 200 and s.end > s.begin for s in shards)
    assert "stridewise" not in result.stderr
    # A rank's shard while it runs, plus the library's own tables: a fixed amount of memory.
    sections = subprocess.run(["size", "-B", mpi.library], capture_output=True, text=True, check=True).stdout
    _, data, bss, *_ = sections.splitlines()[1].split()
    assert all(s.file_bytes + int(data) + int(bss) <= 8 << 20 for s in shards)


def test_abort_keeps_status_and_shards(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("life.c")
    result = mpi.run([program, "abort"], tmp_path)
    assert result.returncode == mpi.run([program, "abort"], None).returncode
    assert [s.count("MPI_Sendrecv") for s in read_shards(tmp_path)] == [200, 200]


def test_killed_rank_leaves_its_shard(mpi: Mpi, tmp_path: Path) -> None:
    result = mpi.run([mpi.compile("life.c"), "kill"], tmp_path)
    assert result.returncode != 0
    shards = read_shards(tmp_path)
    assert [s.state for s in shards] == [1, 1]
    assert len(shards[1].select("SEND", "SENDRECV")) == 200
    assert shards[1].count("MPI_Sendrecv") == 200


def test_segmentation_fault(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("life.c")
    result = mpi.run([program, "segv"], tmp_path)
    assert result.returncode == mpi.run([program, "segv"], None).returncode != 0
    shards = read_shards(tmp_path)
    assert [s.state for s in shards] == [1, 1]
    assert len(shards[1].select("SEND", "SENDRECV")) == 200
    assert "stridewise" not in result.stderr


def test_children_that_are_other_programs(mpi: Mpi, tmp_path: Path) -> None:
    result = mpi.run([mpi.compile("life.c"), "exec"], tmp_path)
    assert result.stdout == "3 4\n" * 2
    shards = read_shards(tmp_path)
    assert [s.state for s in shards] == [3, 3]
    assert all(s.crc_right and s.count("MPI_Sendrecv") == 300 for s in shards)
    assert mpi.run([mpi.compile("life.c"), "before"], tmp_path / "before").returncode == 0
    assert len(read_shards(tmp_path / "before")) == 2


def test_spawned_processes_are_a_job_of_their_own(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("life.c")
    if mpi.run([program, "spawn"], None).returncode:
        pytest.skip(f"{mpi.flavour} cannot spawn here")
    result = mpi.run([program, "spawn"], tmp_path)
    assert result.returncode == 0
    shards = read_shards(tmp_path)
    assert sorted((s.size, s.rank, s.state) for s in shards) == [(1, 0, 3), (2, 0, 3), (2, 1, 3)]
    (child,) = [s for s in shards if s.size == 1]
    (parent, _) = [s for s in shards if s.size == 2]
    assert child.job != parent.job
    assert [(e.peer, e.tag) for e in child.select("SEND")] == [(PEER_OTHER, 9)]
    assert [(e.peer, e.tag) for e in parent.select("RECV", call="MPI_Recv")] == [(PEER_OTHER, 9)]
    # The report is on the job with the most ranks.
    (tmp_path / "run.json").write_text('{"version": 1, "runs": []}', encoding="utf-8")
    chosen = run_folder.main_job(tmp_path, recorded=True)
    assert [path.name.split(".")[1] for path in chosen] == [f"{parent.job:016x}"] * 2


@pytest.mark.parametrize("how", ["linked", "opened"])
def test_all_of_mpi_in_a_library(how: str, mpi: Mpi, tmp_path: Path) -> None:
    plugin = tmp_path / "libplugin.so"
    source = PROGRAMS / "plugin.c"
    subprocess.run(
        [f"mpicc.{mpi.flavour}", "-w", "-shared", "-fPIC", "-DPLUGIN", "-o", plugin, source], check=True, cwd=tmp_path
    )
    program = tmp_path / "program"
    extra = ["-DLINKED", str(plugin), f"-Wl,-rpath,{tmp_path}"] if how == "linked" else ["-ldl"]
    subprocess.run(["cc", "-w", "-o", program, source, *extra], check=True)
    result = mpi.run([program, plugin], tmp_path / "out")
    # No exit code: a launcher that sees one that is not 0 ends the other rank, maybe inside MPI_Finalize.
    assert (result.returncode, result.stdout) == (0, "1\n" * 2)
    shards = read_shards(tmp_path / "out")
    assert [(s.state, s.count("MPI_Sendrecv")) for s in shards] == [(3, 20), (3, 20)]


def test_another_tool_at_the_same_interface(mpi: Mpi, tmp_path: Path) -> None:
    tool = tmp_path / "libtool.so"
    subprocess.run([f"mpicc.{mpi.flavour}", "-w", "-shared", "-fPIC", "-o", tool, PROGRAMS / "tool.c"], check=True)
    preload = ":".join(preloaded(str(tool), mpi.library))
    # Behind an `env`, since the test's own preload is set for the launcher.
    result = mpi.run(["env", f"LD_PRELOAD={preload}", mpi.compile("life.c")], tmp_path / "out")
    assert result.returncode == 0
    assert result.stdout == "tool: 200\n" * 2
    shards = read_shards(tmp_path / "out")
    assert [(s.state, s.count("MPI_Sendrecv")) for s in shards] == [(3, 200), (3, 200)]


def test_order_of_preloaded_libraries() -> None:
    ours = Path("/opt/libstridewise_mpi.so")
    assert preloaded("", ours) == [str(ours)]
    assert preloaded("/x/libmpiP.so", ours) == [str(ours), "/x/libmpiP.so"]
    for sanitizer in ("/usr/lib/libasan.so.8", "libtsan.so", "/y/libclang_rt.asan-x86_64.so"):
        assert preloaded(f"{sanitizer}:/x/libmpiP.so", ours) == [sanitizer, str(ours), "/x/libmpiP.so"]


def test_sessions(mpi: Mpi, tmp_path: Path) -> None:
    if "MPI_Session_init" not in generate.read_header(header_of(mpi.flavour)):
        pytest.skip("no sessions")
    program = mpi.compile("sessions.c")
    if mpi.run([program], None).returncode:
        pytest.skip(f"{mpi.flavour}'s sessions do not work")
    result = mpi.run([program], tmp_path / "out")
    assert (result.returncode, result.stdout) == (0, "2\n" * 2)
    assert result.stderr.count("stridewise:") == 1
    assert "sessions" in result.stderr
    assert not (tmp_path / "out").exists()
    if mpi.run([program, "world"], None).returncode == 0:
        assert mpi.run([program, "world"], tmp_path / "world", STRIDEWISE_QUIET="1").stdout == "2\n" * 2
        for shard in read_shards(tmp_path / "world"):
            assert shard.count("MPI_Comm_create_from_group") == 1
            assert [e.bytes for e in shard.select(call="MPI_Allreduce")] == [8]


def test_memory_does_not_grow_with_the_run(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("life.c")
    files = {}
    for count in (100_000, 1_000_000):
        out = tmp_path / str(count)
        assert mpi.run([program, "many", str(count)], out, STRIDEWISE_QUIET="1").returncode == 0
        for shard in read_shards(out):
            # Of the exchanges before, those after the sixteenth are one run of either kind, or single.
            assert shard.count("MPI_Send") == count
            assert shard.event_count >= count
            assert not any(shard.dropped.values())
        files[count] = [shard.file_bytes for shard in read_shards(out)]
    assert files[100_000] == files[1_000_000]


def test_child_of_fork_writes_nothing(mpi: Mpi, tmp_path: Path) -> None:
    result = mpi.run([mpi.compile("life.c"), "fork"], tmp_path)
    shards = read_shards(tmp_path)
    assert len(shards) == 2
    assert all(s.state == 3 and s.crc_right and s.count("MPI_Wtime") == 0 for s in shards)
    assert result.stderr.count("stridewise:") == 1


def test_errors_pass_through(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("life.c")
    result = mpi.run([program, "errors"], tmp_path)
    assert result.stdout == mpi.run([program, "errors"], None).stdout == "1 1\n" * 2
    assert result.returncode == 0
    assert all(s.count("MPI_Send") == 2 and not s.select(call="MPI_Send") for s in read_shards(tmp_path))


def test_threads(mpi: Mpi, tmp_path: Path) -> None:
    result = mpi.run([mpi.compile("life.c"), "threads"], tmp_path)
    if result.returncode == 77:
        pytest.skip("no MPI_THREAD_MULTIPLE")
    for shard in read_shards(tmp_path):
        assert shard.count("MPI_Isend") == shard.count("MPI_Irecv") == shard.count("MPI_Waitall") == 300
        assert 1 <= len({e.thread for e in shard.events}) <= 3  # one that starts late may take the number of another
        for tag in (1, 2, 3):
            sent = [e.seq for e in shard.select("SEND", "START") if e.tag == tag]
            assert sorted(sent) == list(range(100))
        assert len(shard.select("COMPLETE", "RECV")) == 300


def test_threads_that_come_and_go(mpi: Mpi, tmp_path: Path) -> None:
    waves, threads, messages = 12, 6, 20
    program = mpi.compile("threads.c")
    result = mpi.run([program, str(waves), str(threads), "0"], tmp_path)
    if result.returncode == 77:
        pytest.skip("no MPI_THREAD_MULTIPLE")
    assert result.returncode == 0, result.stderr
    for shard in read_shards(tmp_path):
        each = waves * threads
        assert not any(shard.dropped.values())
        assert shard.count("MPI_Sendrecv") == each * messages
        assert shard.count("MPI_Send") == each * (messages + 1)
        assert shard.count("MPI_Irecv") == shard.count("MPI_Wait") == each
        assert shard.calls == sum(row.count for row in shard.stats)
        assert max(e.thread for e in shard.events) <= threads  # numbers are taken anew
        for number in range(threads):
            sent = [e.seq for e in shard.select("SEND", "SENDRECV") if e.tag == 1 + number]
            assert sorted(sent) == list(range(waves * messages))
            posted = {e.request for e in shard.select("RECV", "START") if e.tag == 1000 + number}
            done = {e.request for e in shard.select("RECV", "COMPLETE") if e.tag == 1000 + number}
            assert len(posted) == waves
            assert done == posted  # one thread started it, another completed it


def test_more_threads_than_numbers(mpi: Mpi, tmp_path: Path) -> None:
    threads, messages, shared = 300, 20, 255
    result = mpi.run([mpi.compile("threads.c"), "0", "0", str(threads)], tmp_path, 1)
    if result.returncode == 77:
        pytest.skip("no MPI_THREAD_MULTIPLE")
    assert result.returncode == 0, result.stderr
    (shard,) = read_shards(tmp_path)
    assert not any(shard.dropped.values())
    assert shard.count("MPI_Send") == threads * messages
    assert shard.calls == sum(row.count for row in shard.stats)
    sent = [e for e in shard.select("SEND") if e.tag == 5]
    assert sum(e.repeat for e in sent) == threads * messages
    assert {e.thread for e in sent} == {*range(1, shared + 1)}
    late = [e for e in sent if e.thread == shared]
    assert sum(e.repeat for e in late) == (threads - (shared - 1)) * messages
    # The rank's time in MPI is that of the initial thread, which sends nothing here.
    assert shard.mpi_ticks <= sum(row.ticks for row in shard.stats if row.call != "MPI_Send")


def test_ring_of_events_under_threads(mpi: Mpi, tmp_path: Path) -> None:
    waves, threads = 6, 8
    result = mpi.run([mpi.compile("threads.c"), str(waves), str(threads), "0"], tmp_path, STRIDEWISE_MPI_EVENTS="256")
    if result.returncode == 77:
        pytest.skip("no MPI_THREAD_MULTIPLE")
    for shard in read_shards(tmp_path):
        assert shard.count("MPI_Sendrecv") == waves * threads * 20
        assert 128 < len(shard.events) <= 256  # threads that have ended leave some of their numbers unused
        assert all(0 < e.begin <= e.end for e in shard.events)


def test_hybrid_program(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("hybrid.c", "-fopenmp")
    result = mpi.run([program], tmp_path)
    bare = mpi.run([program], None)
    if bare.returncode == 77:
        pytest.skip("no MPI_THREAD_MULTIPLE")
    assert sorted(result.stdout.splitlines()) == sorted(bare.stdout.splitlines()) != []
    for shard in read_shards(tmp_path):
        assert not any(shard.dropped.values())
        for tag in range(3):
            of_thread = [e for e in shard.select("SEND", call="MPI_Send") if e.tag == tag]
            assert [e.seq for e in of_thread] == list(range(50))
            assert len({e.thread for e in of_thread}) == 1
        assert len({e.thread for e in shard.events}) == 3
        assert {e.thread for e in shard.events if e.call == "MPI_Sendrecv_replace"} == {0}
        assert shard.count("MPI_Wait") == 150


def test_unwritable_folder(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("life.c")
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    result = mpi.run([program], blocked / "out")
    lines = [line for line in result.stderr.splitlines() if "stridewise" in line]
    assert len(lines) == 1
    assert str(blocked) in lines[0]
    assert "errno 20" in lines[0]
    assert "STRIDEWISE_OUT" in lines[0]
    assert result.returncode == 0


def test_file_size_limit(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("life.c")
    limited = ["sh", "-c", f"ulimit -f 409600; exec {program}"]
    result = mpi.run(limited, tmp_path / "out", STRIDEWISE_MPI_EVENTS="4000000")
    lines = [line for line in result.stderr.splitlines() if "stridewise:" in line]
    assert len(lines) == 1
    assert "2 of 2 ranks run unmeasured; raise the limit" in lines[0]
    assert result.returncode == 0


def test_full_disk(mpi: Mpi, tmp_path: Path) -> None:
    inside = f"mount -t tmpfs -o size=1m none {tmp_path} && exec"
    if subprocess.run(["unshare", "-m", "sh", "-c", f"{inside} true"], capture_output=True, check=False).returncode:
        pytest.skip("cannot mount")
    program = mpi.compile("life.c")
    result = mpi.run(["unshare", "-m", "sh", "-c", f"{inside} {program}"], tmp_path / "out")
    lines = [line for line in result.stderr.splitlines() if "stridewise:" in line]
    assert len(lines) == 1
    assert "errno 28" in lines[0]
    assert "free some space" in lines[0]
    assert result.returncode == 0


def test_disk_that_is_full_at_the_end(mpi: Mpi, tmp_path: Path) -> None:
    """Room for the mapped shards, not for their compact copies: the mapped ones stay, and are complete."""
    size = 2 * 5256 + 256  # KiB; a mapped shard has 5256
    inside = f"mount -t tmpfs -o size={size}k none {tmp_path} && export STRIDEWISE_OUT={tmp_path}/out && "
    if subprocess.run(["unshare", "-m", "sh", "-c", f"{inside} true"], capture_output=True, check=False).returncode:
        pytest.skip("cannot mount")
    program = mpi.compile("life.c")
    keep = tmp_path.parent / f"{tmp_path.name}-kept"
    command = f"{inside} mpirun.{mpi.flavour} -n 2 {program} many 200000 && cp -r {tmp_path}/out {keep}"
    settings = {**os.environ, **LAUNCH, "STRIDEWISE_QUIET": "1", "LD_PRELOAD": str(mpi.library)}
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", command], env=settings, capture_output=True, text=True, timeout=300, check=False
    )
    assert result.returncode == 0, result.stderr
    shards = read_shards(keep)
    assert [(s.state, s.crc_right, s.count("MPI_Send")) for s in shards] == [(3, True, 200_000)] * 2


def test_folder_on_the_node(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("life.c")
    node = {"SOMEWHERE": str(tmp_path / "node"), "STRIDEWISE_SCRATCH": "$SOMEWHERE/own", "STRIDEWISE_QUIET": "1"}
    for how, state in (("finalize", 3), ("exit", 1), ("abort", 1)):
        mpi.run([program, how], tmp_path / how, 2, None, **node)
        home = read_shards(tmp_path / how)
        left = sorted((tmp_path / "node" / "own").glob("*.swshard"))
        # The launcher ends the other rank when one aborts, or leaves without MPI_Finalize.
        assert len(home) + len(left) == 2
        assert len(home) == 2 or how != "finalize"
        assert all(s.state == state and s.count("MPI_Sendrecv") == 200 for s in home)
        assert all(s.crc_right for s in home) or state == 1
        for path in left:
            path.unlink()
    mpi.run([program, "kill"], tmp_path / "kill", 2, None, **node)
    run_folder.bring_home(tmp_path / "kill", tmp_path / "node" / "own")
    other, killed = read_shards(tmp_path / "kill")
    assert (killed.state, killed.count("MPI_Sendrecv")) == (1, 200)
    # The launcher may end the other rank before its last call was recorded.
    assert (other.state, other.count("MPI_Sendrecv")) in ((1, 199), (1, 200))
    assert not (tmp_path / "node" / "own").exists()
    assert run_folder.missing_ranks(tmp_path / "kill") == 0
    next((tmp_path / "kill" / "mpi").glob("*.1.swshard")).unlink()
    assert run_folder.missing_ranks(tmp_path / "kill") == 1


def test_node_folder_names() -> None:
    assert expand("/scratch/x", {}) == "/scratch/x"
    assert expand("$TMPDIR/x/y", {"TMPDIR": "/node"}) == "/node/x/y"
    assert expand("$TMPDIR/x", {}) == "/tmp/x"


def test_wrong_flavour(mpi: Mpi, built: Callable[[str], Mpi], tmp_path: Path) -> None:
    other = built("mpich" if mpi.flavour == "openmpi" else "openmpi")
    program = mpi.compile("kinds.c")
    result = mpi.run([program], tmp_path / "out", library=other.library)
    bare = mpi.run([program], None)
    assert sorted(result.stdout.splitlines()) == sorted(bare.stdout.splitlines())
    assert result.returncode == bare.returncode == 7
    lines = [line for line in result.stderr.splitlines() if "stridewise" in line]
    assert len(lines) == 1
    assert f"{mpi.flavour}/libstridewise_mpi.so" in lines[0]
    assert not (tmp_path / "out").exists()


def test_silent_where_there_is_no_mpi(mpi: Mpi, tmp_path: Path) -> None:
    program = tmp_path / "silent"
    subprocess.run(["cc", "-o", program, PROGRAMS / "silent.c"], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(mpi.library), "STRIDEWISE_OUT": str(tmp_path / "out")}
    for command in ([program], ["bash", "-c", "echo $((6 * 7)); (exit 3)"], [f"mpirun.{mpi.flavour}", "--version"]):
        with_it, without = (
            subprocess.run(command, capture_output=True, text=True, env=env, check=False)
            for env in (environment, dict(os.environ))
        )
        assert (with_it.stdout, with_it.stderr, with_it.returncode) == (
            without.stdout,
            without.stderr,
            without.returncode,
        )
    assert not (tmp_path / "out").exists()


def test_needs_old_glibc_only_and_no_mpi(mpi: Mpi) -> None:
    dynamic = subprocess.run(["readelf", "-d", mpi.library], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"NEEDED.*\[(.*)\]", dynamic) == ["libc.so.6"]
    symbols = subprocess.run(["objdump", "-T", mpi.library], capture_output=True, text=True, check=True).stdout
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", symbols)}
    assert max(versions) <= (2, 17)


def test_ring_keeps_head_and_tail(mpi: Mpi, tmp_path: Path) -> None:
    mpi.run([mpi.compile("life.c")], tmp_path, STRIDEWISE_MPI_EVENTS="256")
    for shard in read_shards(tmp_path):
        assert shard.event_count == 400
        sent = [e.seq for e in shard.select("SEND")]
        assert sent == [*range(64), *range(136, 200)]
        assert shard.count("MPI_Sendrecv") == 200
