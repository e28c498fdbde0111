"""Generated C and C++ units of any size, each of one shape that stresses one way to become slow.

A shape is a function from a number of pieces to the text of one unit. Twice the pieces are twice the text, so the time
of an analysis that is linear in its input doubles.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """`pieces` is the size that counts as 1x. Below `least` a cost that a constant bounds has not reached it."""

    name: str
    make: Callable[[int], str]
    pieces: int
    flags: tuple[str, ...] = ("-O2", "-fopenmp")
    suffix: str = ".c"
    least: int = 10


_HEAD = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
"""
_DECLARED = """extern int external(int, double *);
extern volatile int stop;
"""
_HEAD += _DECLARED


def kernels(pieces: int) -> str:
    """Plain loops over arrays: unit stride, strided, a stencil, a reduction; each function by itself."""
    parts = [_HEAD]
    for i in range(pieces):
        parts.append(f"""
void copy_{i}(int n, double *a, const double *b) {{
  for (int k = 0; k < n; ++k)
    a[k] = 2.0 * b[k] + {i};
}}
void column_{i}(int n, int m, double *a, const double *b) {{
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < m; ++y)
      a[y * n + x] = b[y * n + x] * 0.5;
}}
double relax_{i}(int n, double *restrict a, const double *restrict b) {{
  double sum = 0;
  for (int y = 1; y < n - 1; ++y)
    for (int x = 1; x < n - 1; ++x) {{
      double v = 0.25 * (b[(y - 1) * n + x] + b[(y + 1) * n + x] + b[y * n + x - 1] + b[y * n + x + 1]);
      sum += v - b[y * n + x];
      a[y * n + x] = v;
    }}
  return sum;
}}
""")
    return "".join(parts)


def chain(pieces: int) -> str:
    """Each function calls the next one inside a loop."""
    parts = [_HEAD, f"void step_{pieces}(int n, double *a) {{ external(n, a); }}\n"]
    for i in reversed(range(pieces)):
        parts.append(f"""
void step_{i}(int n, double *a) {{
  for (int k = 0; k < n; ++k) {{
    a[k] += {i};
    if (a[k] > external(k, a))
      step_{i + 1}(n - 1, a);
  }}
}}
""")
    return "".join(parts)


def fan(pieces: int) -> str:
    """One function calls all others; all others call the same helper."""
    parts = [_HEAD, "static void leaf(int n, double *a) { for (int k = 0; k < n; ++k) a[k] *= 0.5; usleep(10); }\n"]
    for i in range(pieces):
        parts.append(f"""
void work_{i}(int n, double *a) {{
  if (external({i}, a))
    leaf(n, a + {i});
  else
    external({i + 1}, a);
}}
""")
    calls = "\n".join(f"    work_{i}(n, a);" for i in range(pieces))
    parts.append(f"void all(int n, double *a) {{\n  for (int t = 0; t < n; ++t) {{\n{calls}\n  }}\n}}\n")
    return "".join(parts)


def cycles(pieces: int) -> str:
    """Functions that call each other in rings of four, the rings in a row."""
    parts = [_HEAD, *(f"int ring_{i}(int n, double *a);\n" for i in range(4 * pieces + 1))]
    for i in range(4 * pieces):
        back = i - 3 if i % 4 == 3 else i + 1
        parts.append(f"""
int ring_{i}(int n, double *a) {{
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += external(k, a) ? ring_{back}(n - 1, a) : ring_{i + 1}(k, a + k);
  return sum;
}}
""")
    return "".join(parts)


def giant(pieces: int) -> str:
    """One function with a great many loops, and calls and conditions in them."""
    body = "".join(
        f"""
  for (int k = 0; k < n; ++k) {{
    a[k + {i}] += b[k * {1 + i % 7}] * c[{i}];
    if (a[k] > b[k])
      external(k, a);
  }}
  if (c[{i}] < 0)
    return {i};"""
        for i in range(pieces)
    )
    return f"{_HEAD}int giant(int n, double *a, double *b, double *c) {{{body}\n  return 0;\n}}\n"


def giant_time_loop(pieces: int) -> str:
    """One loop over time with a great many statements, conditions on memory, calls, and sleeps."""
    body = "".join(
        f"""
    if (flags[{i}] && s->count_{i % 50} < n) {{
      external(t, s->data + {i});
      flags[{i}] = t;
    }}
    for (int k = 0; k < n; ++k)
      s->data[k] += flags[{i}] * 0.5;
    if (s->count_{i % 50} > {i} && external(t, s->data))
      usleep(100);"""
        for i in range(pieces)
    )
    fields = "".join(f"  int count_{i};\n" for i in range(50))
    return (
        f"{_HEAD}struct state {{\n{fields}  double *data;\n}};\n"
        f"int run(int n, int steps, int *flags, struct state *s) {{\n"
        f"  for (int t = 0; t < steps; ++t) {{{body}\n  }}\n  return 0;\n}}\n"
    )


def sleeps(pieces: int) -> str:
    """Functions that sleep in loops, in helpers, and until something happens."""
    parts = [_HEAD]
    for i in range(pieces):
        parts.append(f"""
static void pause_{i}(void) {{ struct timespec t = {{0, {i + 1}}}; nanosleep(&t, 0); }}
void wait_{i}(int *flag) {{ while (!external(*flag, 0)) usleep(10); }}
double poll_{i}(int n, double *a, int *ready) {{
  double sum = 0;
  for (int k = 0; k < n; ++k) {{
    for (int j = 0; j < n; ++j)
      sum += a[j] * k;
    if (ready[{i}] == 0)
      sleep(1);
    pause_{i}();
    external(k, a);
  }}
  return sum;
}}
""")
    return "".join(parts)


def sleeps_in_one(pieces: int) -> str:
    """One function with a great many sleeps of many durations."""
    body = "".join(
        f"""
    {{ struct timespec w = {{0, {i + 1}}}; if (external({i}, a)) nanosleep(&w, 0); a[{i}] += 1.0; }}"""
        for i in range(pieces)
    )
    return f"{_HEAD}void tick(int n, double *a) {{\n  for (int t = 0; t < n; ++t) {{{body}\n  }}\n}}\n"


def barriers(pieces: int) -> str:
    """One region whose loop holds a great many barriers, each of which is needed."""
    body = "".join(
        f"""
#pragma omp for
      for (int k = 0; k < n; ++k)
        a[k] = b[n - k] + {i};
#pragma omp for
      for (int k = 0; k < n; ++k)
        b[k] = a[n - k] * 0.5;"""
        for i in range(pieces)
    )
    return f"""{_HEAD}void region(int n, int steps, double *a, double *b) {{
#pragma omp parallel
  {{
    for (int t = 0; t < steps; ++t) {{{body}
    }}
  }}
}}
"""


def idle_barriers(pieces: int) -> str:
    """One region whose loop holds a great many barriers that separate nothing."""
    arrays = "\n".join(f"static double a{i}[1000];" for i in range(pieces))
    body = "".join(
        f"""
#pragma omp for schedule(static)
      for (int k = 0; k < 1000; ++k)
        a{i}[k] += {i};
#pragma omp barrier"""
        for i in range(pieces)
    )
    return f"""{_HEAD}{arrays}
void region(int steps) {{
#pragma omp parallel
  {{
    for (int t = 0; t < steps; ++t) {{{body}
    }}
  }}
}}
"""


def long_stretches(pieces: int) -> str:
    """Two barriers with a great many accesses to many arrays between them."""
    arrays = "\n".join(f"static double p{i}[1000], q{i}[1000];" for i in range(pieces))
    one = "".join(f"\n        p{i}[k] = q{i}[k] + s[{i}].x;" for i in range(pieces))
    two = "".join(f"\n        q{i}[k] = p{i}[k] * s[{i}].y;" for i in range(pieces))
    return f"""{_HEAD}struct pair {{ double x, y; }};
{arrays}
void region(int steps, const struct pair *restrict s) {{
#pragma omp parallel
  {{
    for (int t = 0; t < steps; ++t) {{
#pragma omp for schedule(static)
      for (int k = 0; k < 1000; ++k) {{{one}
      }}
#pragma omp for schedule(static)
      for (int k = 0; k < 1000; ++k) {{{two}
      }}
    }}
  }}
}}
"""


def regions(pieces: int) -> str:
    """A great many functions, each with regions, barriers, critical sections, slots of threads and schedules."""
    parts = [_HEAD, "#include <omp.h>\n", "static double slots[64]; static double total;\n"]
    for i in range(pieces):
        parts.append(f"""
void team_{i}(int n, double *a, double *b) {{
  double sum = 0;
  for (int t = 0; t < n; ++t) {{
#pragma omp parallel for
    for (int k = 0; k < n; ++k)
      a[k] += b[k];
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < n; ++k)
      b[k] += a[k];
  }}
#pragma omp parallel
  {{
    int me = omp_get_thread_num();
    for (int t = 0; t < n; ++t) {{
#pragma omp barrier
      slots[me] += a[t];
#pragma omp critical
      total += a[t] + {i};
#pragma omp barrier
    }}
  }}
}}
""")
    return "".join(parts)


def first_touch(pieces: int) -> str:
    """Arrays that one thread initialises and a team uses; globals, allocations, fields."""
    parts = [_HEAD, "struct grid { double *cells; int n; };\n"]
    for i in range(pieces):
        parts.append(f"""
static double *table_{i};
void make_{i}(struct grid *g, int n) {{
  table_{i} = malloc(n * sizeof(double));
  g->cells = calloc(n, sizeof(double));
  for (int k = 0; k < n; ++k)
    table_{i}[k] = k;
  for (int k = 0; k < n; ++k)
    g->cells[k] = k;
}}
void use_{i}(struct grid *g, int n) {{
#pragma omp parallel for
  for (int k = 0; k < n; ++k)
    g->cells[k] += table_{i}[k];
}}
""")
    return "".join(parts)


def records(pieces: int) -> str:
    """A great many record types, and loops over arrays of them."""
    parts = [_HEAD]
    for i in range(pieces):
        parts.append(f"""
struct particle_{i} {{ char kind; double x, y, z; int id; double vx, vy, vz; short flag; double mass; }};
double energy_{i}(int n, struct particle_{i} *p) {{
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += p[k].mass * (p[k].vx * p[k].vx);
  return sum;
}}
void move_{i}(int n, struct particle_{i} *p, double dt) {{
  for (int k = 0; k < n; ++k)
    p[k].x += dt * p[k].vx;
}}
struct particle_{i} *new_{i}(int n) {{ return malloc(n * sizeof(struct particle_{i})); }}
""")
    return "".join(parts)


def pointers(pieces: int) -> str:
    """Lists, tables of rows, and pointers to pointers."""
    parts = [_HEAD]
    for i in range(pieces):
        parts.append(f"""
struct node_{i} {{ struct node_{i} *next, **table; double *row; int n; }};
double walk_{i}(struct node_{i} *p) {{
  double sum = 0;
  for (; p; p = p->next)
    for (int k = 0; k < p->n; ++k)
      for (int j = 0; j < p->table[k]->n; ++j)
        sum += p->table[k]->row[j];
  return sum;
}}
void rows_{i}(int n, double **a, double **b) {{
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < n; ++k)
      a[k][j] = b[j][k];
}}
""")
    return "".join(parts)


def dispatch(pieces: int) -> str:
    """A loop round one switch with a great many cases."""
    cases = "".join(
        f"""
    case {i}:
      if (r[{i % 16}] > {i})
        pc += external(pc, s);
      s[{i}] += s[r[{i % 16}]];
      break;"""
        for i in range(pieces)
    )
    return f"""{_HEAD}void interpret(const int *code, int n, int *r, double *s) {{
  for (int pc = 0; pc < n; ++pc) {{
    switch (code[pc]) {{{cases}
    default:
      return;
    }}
  }}
}}
"""


def conditions(pieces: int) -> str:
    """One function with a great many checks that end it early, then a loop that waits."""
    checks = "".join(f"\n  if (external({i}, a))\n    return {i};" for i in range(pieces))
    return (
        f"{_HEAD}int checked(int n, double *a) {{{checks}\n"
        f"  for (int k = 0; k < n; ++k) {{ a[k] += 1; usleep(5); }}\n  return 0;\n}}\n"
    )


def messages(pieces: int) -> str:
    """A great many functions that send, receive, reduce, wait and synchronise."""
    parts = [_HEAD, "#include <mpi.h>\n"]
    for i in range(pieces):
        parts.append(f"""
void exchange_{i}(int n, double *a, double *b, MPI_Comm comm) {{
  int rank, size;
  MPI_Request q[2];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int t = 0; t < n; ++t) {{
    MPI_Irecv(b, n, MPI_DOUBLE, (rank + 1) % size, {i}, comm, &q[0]);
    MPI_Isend(a, n, MPI_DOUBLE, (rank + size - 1) % size, {i}, comm, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    for (int k = 0; k < n; ++k)
      a[k] += b[k];
    MPI_Barrier(comm);
    if (rank == 0)
      MPI_Send(&a[t], 1, MPI_DOUBLE, 1, 2, comm);
    else if (rank == 1)
      MPI_Recv(&a[t], 1, MPI_DOUBLE, 0, 2, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_DOUBLE, MPI_SUM, comm);
  }}
}}
""")
    return "".join(parts)


def messages_in_one(pieces: int) -> str:
    """One function with a great many messages and collective calls."""
    body = "".join(
        f"""
  if (rank == {i % 4})
    MPI_Send(a + {i}, n, MPI_DOUBLE, {(i + 1) % 4}, {i}, comm);
  else if (rank == {(i + 1) % 4})
    MPI_Recv(b + {i}, n, MPI_DOUBLE, {i % 4}, {i}, comm, MPI_STATUS_IGNORE);
  MPI_Bcast(a, n, MPI_DOUBLE, {i % 4}, comm);"""
        for i in range(pieces)
    )
    return (
        f"{_HEAD}#include <mpi.h>\nvoid protocol(int n, double *a, double *b, MPI_Comm comm) {{\n"
        f"  int rank;\n  MPI_Comm_rank(comm, &rank);{body}\n}}\n"
    )


def containers(pieces: int) -> str:
    """C++: vectors, accessors, templates, lambdas, threads' locks."""
    parts = [
        "#include <algorithm>\n#include <mutex>\n#include <numeric>\n#include <vector>\n"
        "template <typename T> struct Field {\n  std::vector<T> cells; int width;\n"
        "  T &at(int x, int y) { return cells[y * width + x]; }\n"
        "  const T &at(int x, int y) const { return cells[y * width + x]; }\n};\nstatic std::mutex guard;\n"
    ]
    for i in range(pieces):
        parts.append(f"""
struct Cell_{i} {{ char kind; double value; int next; double weight; }};
double sweep_{i}(Field<double> &a, const Field<double> &b, std::vector<Cell_{i}> &cells) {{
  double sum = {i};
  for (int x = 0; x < a.width; ++x)
    for (int y = 0; y < a.width; ++y)
      a.at(x, y) = b.at(y, x) * 0.5;
  for (const Cell_{i} &c : cells)
    sum += c.value * c.weight;
#pragma omp parallel for
  for (int k = 0; k < int(cells.size()); ++k) {{
    std::lock_guard<std::mutex> hold(guard);
    sum += cells[k].value;
  }}
  std::for_each(cells.begin(), cells.end(), [&](Cell_{i} &c) {{ c.value += sum; }});
  return sum;
}}
""")
    return "".join(parts)


SHAPES = [
    Shape("kernels", kernels, 60),
    Shape("chain", chain, 100),
    Shape("fan", fan, 200),
    Shape("cycles", cycles, 40),
    Shape("giant", giant, 150),
    Shape("giant-time-loop", giant_time_loop, 100),
    Shape("sleeps", sleeps, 60),
    Shape("sleeps-in-one", sleeps_in_one, 150),
    Shape("barriers", barriers, 60),
    Shape("idle-barriers", idle_barriers, 60, least=60),
    Shape("long-stretches", long_stretches, 100, least=100),
    Shape("regions", regions, 50),
    Shape("first-touch", first_touch, 60),
    Shape("records", records, 80),
    Shape("pointers", pointers, 80),
    Shape("dispatch", dispatch, 300),
    Shape("conditions", conditions, 300),
    Shape("messages", messages, 25, ("-O2", "-fopenmp", "mpi")),
    Shape("messages-in-one", messages_in_one, 60, ("-O2", "-fopenmp", "mpi"), least=60),
    Shape("containers", containers, 25, ("-O2", "-fopenmp", "-std=c++17"), ".cpp"),
]

_SHARED = "shared.h"


def project(units: int, pieces: int = 4) -> dict[str, str]:
    """The files of a program of so many units: each has functions of many kinds, calls its neighbours in loops, and
    includes one header with records and small functions that all units use."""
    header = ["#ifndef SHARED_H\n#define SHARED_H\n", _HEAD, "#include <mpi.h>\n#include <omp.h>\n"]
    for i in range(20):
        header.append(f"""
struct item_{i} {{ char kind; double value; int next; double weight; short flag; }};
static inline double weigh_{i}(const struct item_{i} *p, int n) {{
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += p[k].value * p[k].weight + external(k, 0);
  return sum;
}}
""")
    header.append("#endif\n")
    files = {_SHARED: "".join(header)}
    for u in range(units):
        text = [f'#include "{_SHARED}"\n']
        for make in (kernels, sleeps, regions, first_touch, records, pointers, messages):
            body = "".join(line for line in make(pieces).splitlines(keepends=True) if not line.startswith("#include"))
            body = body.replace(_DECLARED, "")
            text.append(_renamed(body, f"u{u}_"))
        neighbours = [(u * k + 1) % units for k in (1, 3, 7)]
        text += [f"void enter_{v}(int n, double *a, MPI_Comm comm);\n" for v in sorted(set(neighbours))]
        calls = "".join(f"    enter_{v}(n - 1, a + k, comm);\n" for v in neighbours)
        text.append(f"""
void enter_{u}(int n, double *a, MPI_Comm comm) {{
  struct item_{u % 20} *items = malloc(n * sizeof *items);
  for (int k = 0; k < n; ++k) {{
    a[k] += weigh_{u % 20}(items, n);
{calls}  }}
  u{u}_exchange_0(n, a, a + n, comm);
  u{u}_pause_0();
}}
""")
        files[f"unit{u}.c"] = "".join(text)
    return files


def _renamed(text: str, prefix: str) -> str:
    """The text with every name that ends in a number of its own (`step_12`), and `slots`, made the unit's."""
    return re.sub(r"\b((?!MPI_)[a-z]+_\d+|slots|total|leaf|grid)\b", prefix + r"\1", text)
