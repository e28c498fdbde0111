# Copyright Stridewise contributors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spack's recipe. From a checkout: spack repo add packaging/spack; spack install stridewise ^openmpi"""

from pathlib import Path

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0
    from spack.package import CMakePackage
from spack.package import conflicts, depends_on, license, variant, version


class Stridewise(CMakePackage):
    """Performance advisor for HPC code in C and C++ with MPI and OpenMP: reads the source, watches the run, joins both,
    and says which line wastes how much, why, and what the fix is."""

    # The checkout that this recipe lies in.
    git = (Path(__file__).resolve().parents[4]).as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("analyzer", default=True, description="Static half: lint, clang plugin, clang-tidy module (needs LLVM 19)")
    variant("mpi", default=True, description="Wrappers of the MPI that the package is built with")
    variant("openmp", default=True, description="Recorder of OpenMP runs")
    variant("valgrind", default=False, description="Valgrind, for cache runs")
    variant("lsp", default=False, description="Language server")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-shtab", type="build")
    # Built by Clang with its plugins: the compiler that loads them must be the same.
    depends_on("llvm@19 +clang", type=("build", "link", "run"), when="+analyzer")
    depends_on("zlib-api", when="+analyzer")
    depends_on("zstd", when="+analyzer")
    depends_on("llvm-openmp@15:", type=("build", "run"), when="+openmp ~analyzer")
    depends_on("mpi", when="+mpi")
    depends_on("valgrind", type="run", when="+valgrind")
    depends_on("py-pygls@2:", type="run", when="+lsp")

    conflicts("platform=darwin", msg="recorders are preloaded, by Linux's loader")
    conflicts("platform=windows", msg="recorders are preloaded, by Linux's loader")

    def cmake_args(self):
        args = [
            self.define_from_variant("STRIDEWISE_ANALYZER", "analyzer"),
            self.define_from_variant("STRIDEWISE_MPI", "mpi"),
            self.define_from_variant("STRIDEWISE_OMP", "openmp"),
            self.define("STRIDEWISE_CHECK_CATALOGUE", False),
            self.define("STRIDEWISE_INSTALL_PYTHON", self.spec["python"].command.path),
        ]
        if self.spec.satisfies("+mpi"):
            flavour = "OPENMPI" if self.spec["mpi"].name == "openmpi" else "MPICH"
            args.append(self.define(f"STRIDEWISE_{flavour}_MPICC", self.spec["mpi"].mpicc))
        if self.spec.satisfies("+openmp ~analyzer"):
            args.append(self.define("STRIDEWISE_OMP_INCLUDE", self.spec["llvm-openmp"].prefix.include))
        return args
