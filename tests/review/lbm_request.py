"""A pull request of five commits on the lattice-Boltzmann program, as a git repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

KERNEL = Path(__file__).resolve().parent.parent / "kernels" / "lbm" / "original"


@dataclass
class Project:
    """A repository with sources in src/ and a compile database that git ignores."""

    root: Path
    commits: dict[str, str] = field(default_factory=dict)  # by name, in order

    def git(self, *words: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }
        done = subprocess.run(["git", *words], cwd=self.root, env=environment, check=True, capture_output=True)
        return done.stdout.decode()

    def commit(self, name: str) -> None:
        self.write_database()
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", name)
        self.commits[name] = self.git("rev-parse", "HEAD").strip()

    def write_database(self) -> None:
        entries = [
            {
                "directory": str(self.root),
                "file": str(file.relative_to(self.root)),
                "arguments": [
                    *"mpicc -std=c11 -fopenmp -O2 -g -Isrc/include -c".split(),
                    str(file.relative_to(self.root)),
                ],
            }
            for file in sorted(self.root.glob("src/**/*.c"))
        ]
        (self.root / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")

    def path(self, name: str) -> Path:
        return self.root / name

    def read(self, name: str) -> str:
        return self.path(name).read_text(encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(text, encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.read(name)
        assert text.count(old) == 1, (name, old)
        self.write(name, text.replace(old, new))

    def line_of(self, name: str, text: str) -> int:
        """The line that holds the text, which is one."""
        (number,) = [n for n, line in enumerate(self.read(name).split("\n"), 1) if text in line]
        return number


def new_project(root: Path) -> Project:
    """An empty one."""
    root.mkdir(parents=True)
    project = Project(root)
    project.git("init", "--quiet", "--initial-branch=main")
    project.write(".gitignore", "compile_commands.json\n")
    return project


def lbm(root: Path) -> Project:
    """The program, with its loops in the right order, on the branch main; the work tree is on the branch `change`."""
    project = new_project(root)
    shutil.copytree(KERNEL, root / "src")
    for body in ("cell_collide(", "for (int k"):
        right, wrong = (order.replace("cell_collide(", body) for order in (LOOPS, SWAPPED))
        commented = wrong.replace("    for (int i", "    // expect: mem-strided-inner-loop\n    for (int i")
        project.edit("src/physics.c", commented, right)
    project.commit("base")
    project.git("checkout", "--quiet", "-b", "change")
    return project


PROBE = """// Where the flow is watched.
typedef struct Probe {
  int x;
  double density;
  int y;
  double speed;
  int rank;
} Probe;

"""
PROBES = """
Probe *save_probes(int count) {
  Probe *probes = malloc((size_t)count * sizeof *probes);
  for (int i = 0; probes && i < count; i++)
    probes[i] = (Probe){.x = i};
  return probes;
}
"""
LOOPS = """  for (int i = 1; i < in->width - 1; i++)
    for (int j = 1; j < in->height - 1; j++)
      cell_collide("""
SWAPPED = """  for (int j = 1; j < in->height - 1; j++)
    for (int i = 1; i < in->width - 1; i++)
      cell_collide("""


def add_padded_record(project: Project) -> None:
    declaration = "/// Depends on the cells' bits"
    project.edit("src/include/save.h", declaration, f"{PROBE}Probe *save_probes(int count);\n\n{declaration}")
    project.write("src/save.c", project.read("src/save.c") + PROBES)


def add_barrier(project: Project) -> None:
    """In front of ten equal statements, whose ordinals it shifts."""
    project.edit(
        "src/exchange.c",
        "\n  // Right to left.\n",
        "  MPI_Barrier(MPI_COMM_WORLD);\n\n  // Right to left.\n",
    )


def swap_loops(project: Project) -> None:
    project.edit("src/physics.c", LOOPS, SWAPPED)


def remove_team_barrier(project: Project) -> None:
    project.edit("src/main.c", "#pragma omp barrier\n", "")


def move_code(project: Project) -> None:
    """A function to a new file, another one down its own file."""
    text = project.read("src/physics.c")
    at = text.index("void propagation(")
    project.write("src/physics.c", text[:at].rstrip("\n") + "\n")
    project.write("src/propagation.c", '#include "physics.h"\n\n' + text[at:])
    text = project.read("src/exchange.c")
    begin, end = text.index("static void sync_horizontal"), text.index("static void sync_vertical")
    after = text.index("void exchange_ghosts")
    project.write("src/exchange.c", text[:begin] + text[end:after] + text[begin:end] + text[after:])


STEPS = {
    "padded record": add_padded_record,
    "barrier": add_barrier,
    "swapped loops": swap_loops,
    "team barrier removed": remove_team_barrier,
    "code moved": move_code,
}


def request(root: Path) -> Project:
    project = lbm(root)
    for name, step in STEPS.items():
        step(project)
        project.commit(name)
    return project
