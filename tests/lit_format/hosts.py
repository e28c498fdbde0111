"""Runs a sample through the three hosts of the static detectors, and builds and starts it as a program."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lit_format.samples import Found, Sample
from mpi_launch import LAUNCH

# As clang and clang-tidy print it: place, message, and the check's name in brackets.
_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?:warning|error): (?P<message>.*) "
    r"\[(?:-W)?stridewise-(?P<rule>[a-z0-9-]+)(?:,[^\]]*)?\]$",
    re.MULTILINE,
)


class HostError(Exception):
    """A host could not analyse, build or run the sample."""


@dataclass(frozen=True)
class Toolchain:
    """The tools under test, from a build folder, and the compilers around them."""

    build: Path
    timeout_seconds: float = 240.0

    @property
    def analyze(self) -> Path:
        return self.build / "bin" / "stridewise-analyze"

    @property
    def command(self) -> Path:
        return self.build / "bin" / "stridewise"

    @functools.cached_property
    def clang(self) -> str:
        return _first("clang-19", "clang")

    @functools.cached_property
    def clang_tidy(self) -> str:
        return _first("clang-tidy-19", "clang-tidy")

    @functools.cached_property
    def mpis(self) -> tuple[str, ...]:
        """Suffixes of the MPI installations on PATH (`.openmpi`, `.mpich`); empty where there is only `mpicc`."""
        found = tuple(s for s in (".openmpi", ".mpich") if shutil.which("mpicc" + s) and shutil.which("mpirun" + s))
        return found or (("",) if shutil.which("mpicc") else ())

    @functools.cached_property
    def mpi_include_flags(self) -> tuple[str, ...]:
        for suffix in self.mpis:
            shown = self.call(["mpicc" + suffix, "-show"]).stdout.split()
            return tuple(word for word in shown if word.startswith(("-I", "-D")))
        raise HostError("no mpicc on PATH")

    def call(
        self,
        command: Sequence[str | Path],
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        accept: Sequence[int] = (0,),
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command with its output captured. Raises HostError on any exit status outside `accept`."""
        shown = " ".join(map(str, command))
        try:
            done = subprocess.run(
                [str(word) for word in command],
                check=False,
                cwd=cwd,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.timeout_seconds,
            )
        except subprocess.TimeoutExpired:
            raise HostError(f"no end after {self.timeout_seconds:g} s: {shown}") from None
        except OSError as error:
            raise HostError(f"{error}: {shown}") from None
        if done.returncode not in accept:
            raise HostError(f"exit status {done.returncode}: {shown}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done

    def flags(self, sample: Sample) -> list[str]:
        """The compiler arguments of a sample, without the compiler and the file."""
        if sample.is_fortran:
            return list(sample.flags)
        standard = "-std=c++20" if sample.is_cxx else "-std=gnu11"
        return [standard, "-O2", *(self.mpi_include_flags if sample.uses_mpi else ()), *sample.flags]

    # Hosts

    def tool_result(self, sample: Sample, rules: str | None = None, more: Sequence[str] = ()) -> dict[str, Any]:
        """The unit result that stridewise-analyze writes. Raises HostError unless AST and IR were both analysed."""
        selection = [f"--rules={rules}"] if rules else []
        done = self.call([self.analyze, *selection, *more, sample.path, "--", *self.flags(sample)])
        try:
            result: dict[str, Any] = json.loads(done.stdout)
        except json.JSONDecodeError as error:
            raise HostError(f"stridewise-analyze wrote no JSON ({error}):\n{done.stdout[:2000]}") from None
        if result["status"] != "ok" or result["stats"]["ir"] != "ok":
            raise HostError(
                f"status {result['status']}, IR {result['stats']['ir']}\n" + json.dumps(result["diagnostics"], indent=1)
            )
        return result

    def tool(self, sample: Sample, rules: str | None = None) -> list[Found]:
        if sample.is_fortran:
            return self.fortran([sample], rules)
        return [Found.from_json(finding) for finding in self.tool_result(sample, rules)["findings"]]

    def fortran(self, units: Sequence[Sample], rules: str | None = None) -> list[Found]:
        """What lint finds in a program: code of Fortran comes to the tool by way of flang."""
        selection = [f"--rules={rules}"] if rules else []
        files = [unit.path for unit in units]
        flags = dict.fromkeys(flag for unit in units for flag in unit.flags)
        options = ["--format", "json", "--no-config", *selection, "--", *flags]
        written = json.loads(self.call([self.command, "lint", *files, *options]).stdout)
        findings = [*written["findings"], *written["unsure"]]
        for finding in findings:
            finding["location"]["file"] = str(Path(written["root"]) / finding["location"]["file"])
        return [Found.from_json(finding) for finding in findings]

    def tidy(self, sample: Sample) -> list[Found]:
        module = self.build / "lib" / "stridewise-tidy.so"
        done = self.call(
            [
                self.clang_tidy,
                "--quiet",
                f"--load={module}",
                "--checks=-*,stridewise-*",
                "--header-filter=.*",
                "--config={CheckOptions: {StridewiseMinConfidence: low}}",
                sample.path,
                "--",
                *self.flags(sample),
            ]
        )
        return _diagnostics(done.stdout, sample.path.parent)

    def plugin(self, sample: Sample) -> list[Found]:
        module = self.build / "lib" / "stridewise-clang.so"
        done = self.call(
            [
                self.clang,
                f"-fplugin={module}",
                "-fplugin-arg-stridewise-min-confidence=low",
                "-fsyntax-only",
                "-fno-caret-diagnostics",
                *self.flags(sample),
                sample.path,
            ]
        )
        return _diagnostics(done.stderr, sample.path.parent)

    def link(self, results: Sequence[Path]) -> dict[str, Any]:
        """What only the whole program shows, from the units' results."""
        linked: dict[str, Any] = json.loads(self.call([self.analyze, "--link", *results]).stdout)
        return linked

    # Programs

    def compile(self, sample: Sample, output: Path, mpi: str | None = None, extra: Sequence[str] = ()) -> Path:
        """Builds the program with gcc, or with the mpicc of an MPI; with debug lines, which the run's findings need."""
        if sample.is_fortran:
            builder = "gfortran" if mpi is None else "mpifort" + mpi
            modules = output.with_suffix(".modules")
            modules.mkdir()
            self.call([builder, "-O2", "-g", "-J", modules, *sample.flags, *extra, sample.path, "-o", output])
            return output
        compiler = "g++" if sample.is_cxx else "gcc"
        if mpi is not None:
            compiler = ("mpicxx" if sample.is_cxx else "mpicc") + mpi
        standard = "-std=c++20" if sample.is_cxx else "-std=gnu11"
        self.call([compiler, standard, "-O2", "-g", *sample.flags, *extra, sample.path, "-o", output, "-lm"])
        return output

    def clang_program(self, sample: Sample, output: Path) -> Path:
        """Builds the program with clang, for its own OpenMP library."""
        compiler = _first("clang++-19", "clang++") if sample.is_cxx else self.clang
        standard = "-std=c++20" if sample.is_cxx else "-std=gnu11"
        self.call([compiler, standard, "-O2", "-g", *sample.flags, sample.path, "-o", output, "-lm"])
        return output

    def share_program(self, sample: Sample, output: Path) -> Path:
        """Builds the program instrumented for false-sharing runs, from a command made for gcc."""
        compiler, standard = ("g++", "-std=c++20") if sample.is_cxx else ("gcc", "-std=gnu11")
        launcher = self.build / "bin" / "stridewise-share-cc"
        self.call([launcher, compiler, standard, "-O2", "-g", *sample.flags, sample.path, "-o", output, "-lm"])
        return output

    def launch(self, sample: Sample, program: Path, mpi: str | None) -> list[str]:
        start = [] if mpi is None else ["mpirun" + mpi, "-n", str(sample.ranks)]
        return [*start, str(program), *sample.run_args]


def mpi_environment() -> dict[str, str]:
    """Lets mpirun start as root, and more ranks than cores without busy waiting, on machines made for tests."""
    return {
        **LAUNCH,
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    }


def _first(*names: str) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    raise HostError(f"none of {', '.join(names)} is on PATH")


def _diagnostics(text: str, folder: Path) -> list[Found]:
    return [
        Found(
            match["rule"],
            str((folder / match["file"]).resolve()),
            int(match["line"]),
            int(match["column"]),
            match["message"],
        )
        for match in _DIAGNOSTIC.finditer(text)
    ]
