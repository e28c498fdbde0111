"""Programs with barriers, critical sections, schedules and loop nests: main unit, other unit (may be empty).

What they print does not depend on the number of threads, unless a fix breaks it.
"""

from __future__ import annotations

import random
from collections.abc import Callable

_HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <omp.h>\n"
_SUM = '  double sum = 0.0;\n  for (int i = 0; i < N; i++)\n    sum += (i % 13) * a[i];\n  printf("%.6g\\n", sum);\n'

Pair = tuple[str, str]


def _frame(n: int, arrays: str, body: str, globals_: str = "") -> str:
    names = arrays.split()
    declared = "".join(f"static double {name}[N];\n" for name in names)
    fill = "".join(f"    {name}[i] = i % {5 + 2 * at};\n" for at, name in enumerate(names))
    start = f"int main(void) {{\n  for (int i = 0; i < N; i++) {{\n{fill}  }}\n"
    return f"{_HEAD}#define N {n}\n{declared}{globals_}{start}{body}{_SUM}  return 0;\n}}\n"


def _size(rng: random.Random) -> int:
    return rng.choice((2048, 3000, 4096, 5001))


def _double_barrier(rng: random.Random, _name: str) -> Pair:
    body = (
        "#pragma omp parallel\n  for (int step = 0; step < 12; step++) {\n#pragma omp for schedule(static)\n"
        f"    for (int i = 1; i < N - 1; i++)\n      b[i] = 0.25 * a[i - 1] + {rng.choice((0.5, 0.25))} * a[i + 1];\n"
        "#pragma omp barrier\n#pragma omp for schedule(static)\n"
        "    for (int i = 1; i < N - 1; i++)\n      a[i] = b[i];\n  }\n"
    )
    return _frame(_size(rng), "a b", body), ""


def _needed_barrier(rng: random.Random, _name: str) -> Pair:
    body = (
        "#pragma omp parallel\n  for (int step = 0; step < 12; step++) {\n#pragma omp for schedule(static) nowait\n"
        "    for (int i = 0; i < N; i++)\n      b[i] = a[i] + step;\n#pragma omp barrier\n"
        "#pragma omp for schedule(static) nowait\n"
        f"    for (int i = 0; i < N; i++)\n      a[i] = b[(i + {rng.randint(7, 2000)}) % N];\n"
        "#pragma omp barrier\n  }\n"
    )
    return _frame(_size(rng), "a b", body), ""


def _guarded_barrier(rng: random.Random, name: str) -> Pair:
    first = rng.choice(("step == 1", "step == warm", "(step & 7) == 3", "step > 2 && step < 4"))
    body = (
        "  int warm = 2;\n#pragma omp parallel\n  for (int step = 0; step < 12; step++) {\n"
        f"    if ({first}) {{\n#pragma omp barrier\n#pragma omp master\n      begin_{name}();\n    }}\n"
        "#pragma omp for\n    for (int i = 0; i < N; i++)\n      a[i] += 1.0;\n  }\n"
        f'  (void)warm;\n  printf("%ld\\n", begun_{name}());\n'
    )
    more = f"static long times;\nvoid begin_{name}(void) {{ times++; }}\nlong begun_{name}(void) {{ return times; }}\n"
    return _frame(_size(rng), "a", body, f"void begin_{name}(void);\nlong begun_{name}(void);\n"), more


def _timed_barrier(rng: random.Random, name: str) -> Pair:
    clock = rng.choice(("omp_get_wtime()", f"now_{name}()"))
    body = (
        "  double start = 0.0;\n#pragma omp parallel\n  for (int step = 0; step < 12; step++) {\n#pragma omp barrier\n"
        f"#pragma omp master\n    start = {clock};\n#pragma omp for\n"
        "    for (int i = 0; i < N; i++)\n      a[i] += 1.0;\n  }\n"
        f'  if ({clock} < start)\n    printf("the clock went back\\n");\n'
    )
    more = f"#include <omp.h>\ndouble now_{name}(void) {{ return omp_get_wtime(); }}\n"
    return _frame(_size(rng), "a", body, f"double now_{name}(void);\n"), more


def _barrier_in_arms(rng: random.Random, _name: str) -> Pair:
    body = (
        "#pragma omp parallel\n  for (int step = 0; step < 10; step++) {\n"
        f"    if (step % {rng.choice((2, 3))}) {{\n#pragma omp single nowait\n"
        "      shared += step;\n#pragma omp barrier\n"
        "    } else {\n#pragma omp barrier\n    }\n#pragma omp for schedule(static)\n"
        "    for (int i = 0; i < N; i++)\n      a[i] += shared;\n  }\n"
    )
    return _frame(_size(rng), "a", body, "static double shared;\n"), ""


def _own_elements(rng: random.Random, _name: str) -> Pair:
    body = (
        "#pragma omp parallel\n  for (int step = 0; step < 10; step++) {\n#pragma omp for schedule(static) nowait\n"
        "    for (int i = 0; i < N; i++)\n      b[i] += 0.5 * c[i];\n#pragma omp barrier\n"
        "#pragma omp for schedule(static) nowait\n    for (int i = 0; i < N; i++)\n"
        f"      a[i] += {rng.randint(2, 9)} * b[i];\n"
        "  }\n"
    )
    return _frame(_size(rng), "a b c", body), ""


def _after_single(rng: random.Random, _name: str) -> Pair:
    body = (
        "#pragma omp parallel\n  for (int step = 0; step < 10; step++) {\n#pragma omp single\n"
        f"    scale *= {rng.choice((0.5, 2.0))};\n#pragma omp barrier\n#pragma omp for schedule(static)\n"
        "    for (int i = 0; i < N; i++)\n      a[i] += scale;\n  }\n"
    )
    return _frame(_size(rng), "a", body, "static double scale = 64.0;\n"), ""


def _counted(rng: random.Random, _name: str) -> Pair:
    term = rng.choice(("i % 3", "i & 7", "(int)a[i]"))
    body = (
        "  long count = 0;\n#pragma omp parallel for\n  for (int i = 0; i < N; i++) {\n#pragma omp critical\n"
        f'    count += {term};\n  }}\n  printf("%ld\\n", count);\n'
    )
    return _frame(_size(rng), "a", body), ""


def _added(rng: random.Random, _name: str) -> Pair:
    body = (
        f"  double total = {rng.choice(('0.0', '1e16', '0.1'))};\n#pragma omp parallel for num_threads(1)\n"
        "  for (int i = 0; i < N; i++) {\n#pragma omp critical\n    total += 0.1 * a[i];\n  }\n"
        '  printf("%.17g\\n", total);\n'
    )
    return _frame(_size(rng), "a", body), ""


def _histogram(rng: random.Random, _name: str) -> Pair:
    body = (
        f"#pragma omp parallel for\n  for (int i = 0; i < N; i++) {{\n    int bin = i % {rng.choice((5, 16))};\n"
        '#pragma omp critical\n    bins[bin] += 1;\n  }\n  for (int i = 0; i < 16; i++)\n    printf("%ld ", bins[i]);\n'
    )
    return _frame(_size(rng), "a", body, "static long bins[16];\n"), ""


def _impure(rng: random.Random, name: str) -> Pair:
    inside = rng.choice((True, False))
    work = (
        f"static long ticket_{name};\nlong next_{name}(void) {{ long now = ticket_{name}; "
        f"ticket_{name} = now + 1; return now; }}\n"
    )
    body = (
        "  long total = 0;\n#pragma omp parallel for\n  for (int i = 0; i < N; i++) {\n#pragma omp critical\n"
        f'    total += next_{name}();\n  }}\n  printf("%ld\\n", total);\n'
    )
    declared = work if inside else f"long next_{name}(void);\n"
    return _frame(_size(rng), "a", body, declared), "" if inside else work


def _two_sections(rng: random.Random, _name: str) -> Pair:
    same = rng.choice(("(sum)", ""))
    body = (
        "  long low = 0, high = 0;\n#pragma omp parallel for\n"
        f"  for (int i = 0; i < N; i++) {{\n    if (i % {rng.randint(2, 5)}) {{\n"
        f"#pragma omp critical{same}\n      low += 1;\n    }} else {{\n#pragma omp critical{same}\n"
        '      { high += low > high; low += 2; }\n    }\n  }\n  printf("%ld\\n", low);\n'
    )
    return _frame(_size(rng), "a", body), ""


def _running_value(rng: random.Random, _name: str) -> Pair:
    body = (
        "  long count = 0, marks = 0;\n#pragma omp parallel for\n"
        "  for (int i = 0; i < N; i++) {\n#pragma omp critical\n"
        f"    {{\n      count += 1;\n      if (count % {rng.randint(3, 9)} == 0)\n        marks += 1;\n    }}\n  }}\n"
        '  printf("%ld %ld\\n", count, marks);\n'
    )
    return _frame(_size(rng), "a", body), ""


def _largest(rng: random.Random, _name: str) -> Pair:
    kind, form = rng.choice((("long", "%ld"), ("double", "%g")))
    body = (
        f"  {kind} top = 0;\n#pragma omp parallel for\n"
        f"  for (int i = 0; i < N; i++) {{\n    {kind} value = ({kind})(i * 7 % 4001);\n"
        f'#pragma omp critical\n    if (value > top)\n      top = value;\n  }}\n  printf("{form}\\n", top);\n'
    )
    return _frame(_size(rng), "a", body), ""


def _scheduled(rng: random.Random, _name: str) -> Pair:
    chunk = rng.choice(("dynamic", "dynamic, 2", "dynamic, 4", "guided"))
    body = (
        f"#pragma omp parallel for schedule({chunk})\n  for (int i = 1; i < N - 1; i++)\n"
        f"    a[i] = b[i - 1] + {rng.choice((0.5, 2))} * b[i + 1];\n"
    )
    return _frame(_size(rng), "a b", body), ""


def _scheduled_sum(rng: random.Random, _name: str) -> Pair:
    kind = rng.choice(("long", "double"))
    threads = " num_threads(1)" if kind == "double" else ""
    body = (
        f"  {kind} total = 0;\n#pragma omp parallel for schedule(dynamic) reduction(+ : total){threads}\n"
        f'  for (int i = 0; i < N; i++)\n    total += ({kind})(0.1 * i);\n  printf("%.17g\\n", (double)total);\n'
    )
    return _frame(_size(rng), "a", body), ""


def _nest(rng: random.Random, statement: str, head: str, before: str = "") -> Pair:
    n = rng.choice((500, 600))
    text = (
        f"{_HEAD}#define N {n}\nstatic double a[N][N], b[N][N];\n{before}int main(int argc, char **argv) {{\n"
        "  (void)argv;\n  for (int i = 0; i < N; i++)\n"
        f"    for (int j = 0; j < N; j++)\n      b[i][j] = (i * 5 + j * 3) % 11;\n{head}"
        f"      {statement}\n  double sum = 0.0;\n  for (int i = 0; i < N; i++)\n    for (int j = 0; j < N; j++)\n"
        '      sum += (i % 7) * a[i][j] + b[i][j];\n  printf("%.17g\\n", sum);\n  return argc - 1;\n}\n'
    )
    return text, ""


_COLUMNS = "  for (int j = 1; j < N - 1; j++)\n    for (int i = 1; i < N - 1; i++)\n"


def _columns(rng: random.Random, _name: str) -> Pair:
    return _nest(rng, f"a[i][j] = b[i][j] * {rng.randint(2, 9)} + b[i - 1][j];", _COLUMNS)


def _columns_with_order(rng: random.Random, _name: str) -> Pair:
    return _nest(
        rng, rng.choice(("b[i][j] = 0.5 * b[i - 1][j + 1] + a[i][j];", "b[i][j] += b[i + 1][j - 1];")), _COLUMNS
    )


def _columns_of_sum(rng: random.Random, _name: str) -> Pair:
    return _nest(rng, f"a[0][{rng.randint(0, 5)}] += 0.1 * b[i][j];", _COLUMNS)


def _columns_of_nothing(rng: random.Random, _name: str) -> Pair:
    # The outer loop runs no iteration where the inner bound cannot be read.
    bound = rng.choice(("(*rows & 255)", "(4095 / (argc - 1) & 255)"))
    head = (
        "  int *rows = argc > 1 ? &argc : NULL;\n  (void)rows;\n"
        f"  for (int j = 0; j < (argc > 1 ? N : 0); j++)\n    for (int i = 0; i < {bound}; i++)\n"
    )
    return _nest(rng, "a[i][j] = b[i][j] * 3;", head)


def _columns_until(rng: random.Random, _name: str) -> Pair:
    head = "  for (int j = 0; j < N; j++)\n    for (int i = 0; i < N; i++) {\n"
    return _nest(rng, f"a[i][j] = b[i][j];\n      if (b[i][j] > {rng.choice((9, 10))}) break;\n    }}", head)


TEAMS: tuple[Callable[[random.Random, str], Pair], ...] = (
    _double_barrier,
    _counted,
    _scheduled,
    _columns,
    _guarded_barrier,
    _needed_barrier,
    _after_single,
    _histogram,
    _impure,
    _timed_barrier,
    _scheduled_sum,
    _largest,
    _columns_with_order,
    _own_elements,
    _barrier_in_arms,
    _added,
    _two_sections,
    _columns_of_nothing,
    _running_value,
    _columns_of_sum,
    _columns_until,
)
