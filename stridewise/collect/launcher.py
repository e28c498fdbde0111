"""Command lines of MPI launchers: which word starts the program, and which MPI it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

_LAUNCHER = re.compile(
    r"^(mpirun|mpiexec|orterun|prterun|prun|srun|aprun|jsrun|ibrun)(\.(openmpi|mpich|hydra|mvapich|slurm)\w*)?$"
)
# Programs that start the one named after their own options.
PREFIXES = frozenset(
    {"env", "time", "nice", "timeout", "nohup", "numactl", "taskset", "stdbuf", "setarch", "ionice", "hwloc-bind",
     "strace", "sh", "bash", "dash"}
)  # fmt: skip

_OPENMPI: dict[str, int] = dict.fromkeys(
    (
        "am app bind-to c cartofile cf cpu-list cpu-set cpus-per-proc cpus-per-rank debugger default-hostfile display "
        "H hnp host hostfile launch-agent machinefile map-by max-restarts max-vm-size N n np npernode npersocket "
        "ompi-server output output-filename path personality ppr prefix preload-files pset rank-by rankfile "
        "report-events report-uri rf runtime-options stdin timeout tune wd wdir x xml-file xterm"
    ).split(),
    1,
) | dict.fromkeys("mca gmca omca gomca pmixmca gpmixmca prtemca gprtemca".split(), 2)
_OPENMPI_FLAGS = frozenset(
    (
        "allow-run-as-root bind-to-core bind-to-socket bycore bynode byslot continuous d debug debug-daemons "
        "debug-daemons-file debug-devel disable-recovery display-allocation display-devel-allocation "
        "display-devel-map display-diffable-map display-map display-topo do-not-launch do-not-resolve dvm "
        "enable-instant-on-support enable-recovery forward-signals fwd-mpirun-port get-stack-traces "
        "index-argv-by-rank leave-session-attached merge-stderr-to-stdout nolocal nooversubscribe noprefix novm "
        "oversubscribe output-proctable pernode preload-binary q quiet report-bindings report-child-jobs-separately "
        "report-pid report-state-on-timeout s set-cwd-to-session-dir show-progress tag-output timestamp-output tv "
        "use-hwthread-cpus use-regexp v verbose xml"
    ).split()
)
_HYDRA: dict[str, int] = dict.fromkeys(
    (
        "n np f hosts host hostfile machinefile wdir configfile genvlist envlist launcher launcher-exec rmk topolib "
        "bind-to binding map-by membind demux iface ppn perhost grr rr prepend-pattern outfile-pattern errfile-pattern "
        "nameserver localhost usize gpus-per-proc gpu-subdevs-per-proc path gpath gwdir port timeout bootstrap "
        "bootstrap-exec"
    ).split(),
    1,
) | {"genv": 2, "env": 2}
_HYDRA_FLAGS = frozenset(
    (
        "genvnone genvall envnone envall enable-x disable-x verbose v info print-all-exitcodes profile prepend-rank l "
        "disable-auto-cleanup disable-hostname-propagation order-nodes skip-launch-node pmi-port"
    ).split()
)
_SLURM: dict[str, int] = dict.fromkeys(
    (
        "A B C D J L M N O P S T W c d e g i m n o p q r t w x account cpus-per-task chdir constraint cpu-bind "
        "cpu-freq dependency distribution error exclude export gpus gpus-per-node gpus-per-task gres hint input "
        "job-name jobid kill-on-bad-exit label-io licenses mem mem-bind mem-per-cpu mpi network nodefile nodelist "
        "nodes ntasks ntasks-per-core ntasks-per-node ntasks-per-socket output partition qos relative reservation "
        "signal sockets-per-node task-epilog task-prolog threads threads-per-core time wait"
    ).split(),
    1,
)
_SLURM_FLAGS = frozenset(
    "E K H Q X Z l s u v exclusive label multi-prog overlap oversubscribe pty quiet unbuffered verbose".split()
)
# Launchers of one site or vendor, which pass their environment on: Cray's ALPS, IBM's jsrun, TACC's ibrun.
_OTHERS: dict[str, int] = dict.fromkeys(
    "n N d j S m o a c g r K E np nrs tasks_per_rs cpu_per_rs gpu_per_rs rs_per_host bind launch_distribution".split(),
    1,
)
_TABLES = {
    "openmpi": (_OPENMPI, _OPENMPI_FLAGS),
    "hydra": (_HYDRA, _HYDRA_FLAGS),
    "slurm": (_SLURM, _SLURM_FLAGS),
    "other": (_OTHERS, frozenset[str]()),
}
_HOST_OPTIONS = frozenset({"H", "host", "hostfile", "machinefile", "default-hostfile"})
_BATCH_VARIABLES = ("SLURM_JOB_NODELIST", "PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE")
_RANK_VARIABLES = {
    "openmpi": "OMPI_COMM_WORLD_RANK",
    "hydra": "PMI_RANK",
    "slurm": "SLURM_PROCID",
    "aprun": "ALPS_APP_PE",
    "jsrun": "PMIX_RANK",
}


@dataclass(frozen=True, slots=True)
class Launch:
    """A command taken apart.

    `family`: openmpi, hydra, slurm, other, or empty without a launcher. `launcher`: its position. `programs`: the
    position of each executable (several for MPMD), empty if the launcher reads them from a file.
    """

    family: str
    launcher: int
    programs: tuple[int, ...]
    exported: frozenset[str] = frozenset()
    remote: bool = False
    name: str = ""  # of the launcher

    @property
    def rank_variable(self) -> str:
        """The environment variable that holds a process' rank; empty without a launcher."""
        return _RANK_VARIABLES.get(self.family, _RANK_VARIABLES.get(self.name, ""))


def parse(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Launch:
    """Where the programs of a command start. The command is not run, but its launcher is asked for its version."""
    environment = os.environ if environment is None else environment
    position = _launcher_position(command)
    if position is None:
        return Launch("", 0, (_after_environment(command),))
    family = _family(command[position])
    table, flags = _TABLES[family]
    programs: list[int] = []
    exported: set[str] = set()
    remote = any(environment.get(name) for name in _BATCH_VARIABLES)
    index = position + 1
    while index < len(command):
        word = command[index]
        if not word.startswith("-") or word == "-":
            programs.append(_skip_prefix(command, index))
            index = _next_application(command, index) if family not in ("slurm", "other") else len(command)
            continue
        name, has_value = word.lstrip("-").partition("=")[0], "=" in word
        remote = remote or name in _HOST_OPTIONS
        values = 0 if has_value else _values(name, command, index, table, flags)
        if family == "openmpi" and name == "x" and index + 1 < len(command):
            exported.add(command[index + 1].partition("=")[0])
        if family == "hydra" and values == 2 and "=" in command[index + 1]:
            values = 1
        index += 1 + values
    return Launch(family, position, tuple(programs), frozenset(exported), remote, PurePath(command[position]).name)


def _launcher_position(command: Sequence[str]) -> int | None:
    """The launcher is the first word, or follows env, time, timeout and their like."""
    if not command:
        return None
    if _LAUNCHER.match(PurePath(command[0]).name):
        return 0
    if PurePath(command[0]).name not in PREFIXES:
        return None
    return next((i for i, word in enumerate(command) if _LAUNCHER.match(PurePath(word).name)), None)


def _after_environment(command: Sequence[str]) -> int:
    """Without a launcher: past `env A=b`, else the first word."""
    index = 0
    if command and PurePath(command[0]).name == "env":
        index = 1
        while index < len(command) - 1 and re.match(r"^[A-Za-z_]\w*=", command[index]):
            index += 1
        # `env` alone, or with options: env is the program itself.
        if index == len(command) or command[index].startswith("-"):
            return 0
    return index


def _skip_prefix(command: Sequence[str], index: int) -> int:
    return index + _after_environment(command[index:])


def _next_application(command: Sequence[str], index: int) -> int:
    return next((i + 1 for i in range(index, len(command)) if command[i] == ":"), len(command))


def _values(name: str, command: Sequence[str], index: int, table: Mapping[str, int], flags: frozenset[str]) -> int:
    """How many words after the option belong to it. For an unknown one the next word decides: a program or a value."""
    if name in table:
        return table[name]
    if name in flags or index + 1 >= len(command):
        return 0
    following = command[index + 1]
    return 0 if following.startswith("-") or executable(following) else 1


def executable(word: str) -> Path | None:
    """The file that a command word runs: a path, or a name found on PATH."""
    found = shutil.which(word)
    return Path(found) if found else None


def _family(launcher: str) -> str:
    name = PurePath(launcher).name
    if name.startswith("srun"):
        return "slurm"
    if name in ("aprun", "jsrun", "ibrun"):
        return "other"
    if ".openmpi" in name or name.startswith(("orterun", "prterun", "prun")):
        return "openmpi"
    if any(part in name for part in (".mpich", ".hydra", ".mvapich")):
        return "hydra"
    return "hydra" if version_flavour(launcher) == "mpich" else "openmpi"


def version_flavour(launcher: str) -> str:
    """openmpi or mpich by what `LAUNCHER --version` says; empty if it says nothing known."""
    path = shutil.which(launcher)
    if path is None:
        return ""
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    if re.search(r"Open MPI|OpenRTE|PRRTE|open-mpi", text):
        return "openmpi"
    # Intel MPI, MVAPICH and Cray MPICH share MPICH's binary interface.
    return "mpich" if re.search(r"HYDRA|MPICH|Intel\(R\) MPI", text) else ""
