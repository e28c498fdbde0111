"""Constructs that break tools: the analyser ends, in time and within its memory, and says what it made of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stridewise.lint import analysis
from stridewise.settings import toolchain

ANALYZER = toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE")
# Each takes a few seconds at most; the limit is for machines that do much else.
LIMITS = analysis.Limits(seconds=240.0, resident_bytes=2 << 30)

pytestmark = pytest.mark.skipif(ANALYZER is None, reason="stridewise-analyze is not built")


def long_function() -> str:
    lines = "\n".join(f"  a[{i % 1000}] = a[{(i * 7) % 1000}] * {i}.5 + b[{i % 13}];" for i in range(10_000))
    return f"void f(double *a, const double *b) {{\n{lines}\n}}\n"


def long_function_of_loops() -> str:
    lines = "\n".join(f"  for (int i = 1; i < n; i++) a[i * {k % 7 + 1}] = a[i - 1] + b[{k} * i];" for k in range(1000))
    return f"void f(double *a, const double *b, int n) {{\n{lines}\n}}\n"


def nested_loops(depth: int) -> str:
    heads = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++)\n" for k in range(depth))
    return f"void f(double *a, int n) {{\n{heads}a[i0 + i{depth - 1} * n] += 1;\n}}\n"


def nested_whiles(depth: int) -> str:
    return "int f(int n, int *p) {\n" + "while (n-- > *p) {\n" * depth + "++*p;" + "}\n" * depth + "return n; }\n"


def branches() -> str:
    return (
        "int f(int x) {\n"
        + "\n".join(f"  if (x & {1 << k % 20}) x += {k}; else x ^= {k};" for k in range(3000))
        + ("\n  return x; }\n")
    )


def big_switch() -> str:
    cases = "\n".join(f"    case {k}: s += a[{k}]; break;" for k in range(5000))
    return f"int f(const int *a, int n) {{ int s = 0; for (int i = 0; i < n; i++) switch (a[i]) {{\n{cases}\n}} return s; }}"


def initialiser() -> str:
    return (
        "static const int table[] = {" + ",".join(map(str, range(100_000))) + "};\nint f(int i) { return table[i]; }\n"
    )


def deep_expression() -> str:
    return "double f(double x) { return " + "(" * 200 + "x" + " * 1.5 + x)" * 200 + "; }\n"


def long_sum() -> str:
    return "double f(const double *a) { return " + " + ".join(f"a[{i}]" for i in range(3000)) + "; }\n"


def call_chain() -> str:
    calls = "\n".join(
        f"static double g{k}(double *a, int i) {{ return g{k - 1}(a, i + 1) + a[i]; }}" for k in range(1, 800)
    )
    return (
        f"static double g0(double *a, int i) {{ return a[i]; }}\n{calls}\n"
        "double f(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += g799(a, i); return s; }\n"
    )


def call_tree() -> str:
    """Inlined whole, it has 2^24 leaves."""
    calls = "\n".join(f"static void g{k}(double *a) {{ g{k - 1}(a); g{k - 1}(a + 1); }}" for k in range(1, 25))
    return f"static void g0(double *a) {{ for (int i = 0; i < 9; i++) a[i]++; }}\n{calls}\nvoid f(double *a) {{ g24(a); }}\n"


def many_functions() -> str:
    return "\n".join(
        f"void f{k}(double *a, int n) {{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j * n + i] += {k}; }}"
        for k in range(1000)
    )


def many_fields() -> str:
    fields = "\n".join(f"  {'char' if k % 2 else 'double'} m{k};" for k in range(2000))
    return f"struct big {{\n{fields}\n}};\nvoid f(struct big *a, int n) {{ for (int i = 0; i < n; i++) a[i].m7 += a[i].m8; }}\n"


def many_regions() -> str:
    region = "#pragma omp parallel for\n  for (int i = 0; i < n; i++) a[i] += b[i];\n#pragma omp barrier\n"
    return f"void f(double *a, double *b, int n) {{\n{region * 300}}}\n"


def macro_loops() -> str:
    return (
        "#define TEN(x) x x x x x x x x x x\n"
        "void f(double *a, int n) { TEN(TEN(for (int i = 0; i < n; i++) a[i * n] += 1;)) }\n"
    )


def templates() -> str:
    return """
template <int N> struct Sum { static double of(const double *a) { return a[N] + Sum<N - 1>::of(a); } };
template <> struct Sum<0> { static double of(const double *a) { return a[0]; } };
template <int N, typename T> struct Nest { Nest<N - 1, T> inner; T value; void add(T by) { value += by; inner.add(by); } };
template <typename T> struct Nest<0, T> { T value; void add(T by) { value += by; } };
double f(const double *a, int n, Nest<300, double> *t) {
  double s = 0;
  for (int i = 0; i < n; ++i) { s += Sum<800>::of(a + i); t[i].add(s); }
  return s;
}
"""


COROUTINES = """
#include <coroutine>
struct Task {
  struct promise_type {
    double value = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(double v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
Task sums(const double *a, int n, int pitch) {
  double s = 0;
  for (int i = 0; i < n; ++i) { for (int j = 0; j < n; ++j) s += a[j * pitch + i]; co_yield s; }
}
"""

MODERN = """
#include <array>
#include <ranges>
#include <span>
#include <vector>
template <typename T> concept Number = requires(T a) { a + a; };
template <Number... T> auto all(T... v) { return (v + ...); }
consteval int cube(int n) { return n * n * n; }
double f(std::span<double> a, std::vector<std::array<double, cube(2)>> &v) {
  double s = 0;
  for (double x : a | std::views::filter([](double y) { return y > 0; }) | std::views::transform([](double y) { return 2 * y; }))
    s += x;
  for (auto &[a0, a1, a2, a3, a4, a5, a6, a7] : v) s += all(a0, a1, a7);
  return [&]<typename U>(U by) { return s * by; }(2.0);
}
"""

EXCEPTIONS = """
#include <stdexcept>
#include <vector>
struct Guard { ~Guard() noexcept(false); };
double f(std::vector<double> &a, int n) try {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try { Guard g; if (a.at(i) < 0) throw std::runtime_error("negative"); s += a[i]; }
    catch (const std::out_of_range &) { continue; }
    catch (...) { if (i > 3) throw; break; }
  }
  return s;
} catch (int) { return 0; }
"""

# Text, flags, and the status: `errors` where clang rejects what GCC accepts.
SOURCES: dict[str, tuple[str | Callable[[], str], str, str]] = {
    "empty.c": ("", "", "ok"),
    "empty.cpp": ("", "", "ok"),
    "blank.c": ("\n\n", "", "ok"),
    "no-newline.c": ("int x; // end", "", "ok"),
    "null-bytes.c": ("int x;\0\0\0int y;\n", "", "ok"),
    "long-function.c": (long_function, "", "ok"),
    "long-function-of-loops.c": (long_function_of_loops, "", "ok"),
    "nested-200.c": (lambda: nested_loops(200), "", "ok"),
    "nested-1000.c": (lambda: nested_loops(1000), "-fbracket-depth=4000", "ok"),
    "nested-while-240.c": (lambda: nested_whiles(240), "", "ok"),
    "branches.c": (branches, "", "ok"),
    "big-switch.c": (big_switch, "", "ok"),
    "initialiser.c": (initialiser, "", "ok"),
    "deep-expression.c": (deep_expression, "", "ok"),
    "deep-brackets.c": ("int f(int x) { return " + "(" * 5000 + "x" + ")" * 5000 + "; }\n", "", "errors"),
    "long-sum.c": (long_sum, "", "ok"),
    "call-chain.c": (call_chain, "", "ok"),
    "call-tree.c": (call_tree, "", "ok"),
    "many-functions.c": (many_functions, "", "ok"),
    "many-fields.c": (many_fields, "", "ok"),
    "many-regions.c": (many_regions, "-fopenmp", "ok"),
    "macro-loops.c": (macro_loops, "", "ok"),
    "templates.cpp": (templates, "-ftemplate-depth=2000", "ok"),
    "endless-template.cpp": ("template <int N> struct A { A<N + 1> a; }; A<0> x;\n", "", "errors"),
    "coroutines.cpp": (COROUTINES, "-std=c++20", "ok"),
    "modern.cpp": (MODERN, "-std=c++20", "ok"),
    "exceptions.cpp": (EXCEPTIONS, "-std=c++17", "ok"),
    "no-exceptions.cpp": ("#include <vector>\nvoid f(std::vector<int> &v) { for (int &x : v) ++x; }\n",
                          "-fno-exceptions -fno-rtti", "ok"),
    "modules.cpp": ("#include <cmath>\ndouble f(double x) { return std::sqrt(x); }\n", "-fmodules -fcxx-modules", "ok"),
    "module-unit.cpp": ("export module m;\nexport double f(double *a, int n) { double s = 0;\n"
                        "for (int i = 0; i < n; ++i) s += a[i]; return s; }\n", "-std=c++20", "ok"),
    "kr.c": ("int sum(a, n) int *a; int n; { int i, s = 0; for (i = 0; i < n; i++) s += a[i]; return s; }\n"
             "int main() { int a[9]; return sum(a); }\n", "-std=gnu89", "ok"),
    "implicit.c": ("f(x) { return g(x) + undeclared(x, 1); }\n", "-std=gnu89", "ok"),
    "assembly.c": ("double f(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) {\n"
                   "  __asm__ volatile(\"addsd %1, %0\" : \"+x\"(s) : \"m\"(a[i]) : \"memory\"); }\n"
                   "__asm__ goto(\"\" : : : : out); out: return s; }\n__asm__(\".globl here\\nhere:\");\n", "", "ok"),
    "vla.c": ("double f(int n, int m, double a[n][m]) { double b[n][m], s = 0; for (int j = 0; j < m; j++)\n"
              "for (int i = 0; i < n; i++) s += (b[i][j] = a[i][j]) * sizeof(b[i]); return s + sizeof(double[n]); }\n",
              "", "ok"),
    "statement-expression.c": ("int f(int *a, int n) { int s = 0; for (int i = ({ int k = 0; k; }); i < n; i++)\n"
                               "s += ({ int t = a[i]; t > 0 ? t : -t; }); return s; }\n", "", "ok"),
    "computed-goto.c": ("int f(const char *p) { static void *t[] = {&&a, &&b, &&c}; int s = 0; goto *t[*p % 3];\n"
                        "a: s++; goto *t[*++p % 3]; b: s--; goto *t[*++p % 3]; c: return s; }\n", "", "ok"),
    "case-range.c": ("int f(int x) { switch (x) { case 1 ... 9: return 1; case 10 ... 99: return 2; } return x ?: 3; }\n",
                     "", "ok"),
    "nested-function.c": ("int f(int n) { int g(int x) { return x + n; } return g(1); }\n", "", "errors"),
    "zero-array.c": ("struct s { int n; double d[0]; }; struct e {}; union u { int a[0]; };\n"
                     "void f(struct s *p) { for (int i = 0; i < p->n; i++) p->d[i] = 0; }\n", "", "ok"),
    "vectors.c": ("typedef double v4 __attribute__((vector_size(32)));\nv4 f(v4 *a, int n) { v4 s = {0};\n"
                  "for (int i = 0; i < n; i++) s += a[i] * __builtin_shufflevector(a[i], a[i], 3, 2, 1, 0); return s; }\n",
                  "-mavx", "ok"),
    "duff.c": ("void f(char *to, const char *from, int n) { int k = (n + 7) / 8; switch (n % 8) {\n"
               "case 0: do { *to++ = *from++; case 7: *to++ = *from++; case 6: *to++ = *from++; case 5: *to++ = *from++;\n"
               "case 4: *to++ = *from++; case 3: *to++ = *from++; case 2: *to++ = *from++; case 1: *to++ = *from++;\n"
               "} while (--k > 0); } }\n", "", "ok"),
    "irreducible.c": ("int f(int n, int *a) { if (n & 1) goto in; for (int i = 0; i < n; i++) { a[i]++; in: a[n]--; }\n"
                      "again: if (--n) { if (a[n]) goto again; goto in; } return n; }\n", "", "ok"),
    "goto-loop.c": ("int f(int n, int *a) { int i = 0; if (n & 1) goto in; top: a[i]++; in: a[n]--;\n"
                    "if (++i < n) goto top; return i; }\n", "", "ok"),
    "setjmp.c": ("#include <setjmp.h>\nstatic jmp_buf b; int f(int *a, int n) { volatile int k = 0; if (setjmp(b)) return k;\n"
                 "for (int i = 0; i < n; i++) { k += a[i]; if (k > 9) longjmp(b, 1); } return k; }\n", "", "ok"),
    "recursion.c": ("double f(double *a, int n) { if (n < 2) return *a; double s = 0; for (int i = 0; i < 2; i++)\n"
                    "s += f(a + i * n / 2, n / 2); return s; }\nint e(int); int o(int n) { return n && e(n - 1); }\n"
                    "int e(int n) { return !n || o(n - 1); }\n", "", "ok"),
    "endless.c": ("void f(volatile int *p) { for (;;) ++*p; }\nint g(void) { while (1) {} }\nint h(void) { for (;;); }\n",
                  "", "ok"),
    "extreme-bounds.c": ("void f(double *a, unsigned long long n, signed char c) {\n"
                         "for (unsigned long long i = n; i-- > 0;) a[i] = 0;\nfor (long i = 1L << 62; i > 0; i >>= 1) a[i] = 1;\n"
                         "for (unsigned char k = 0; k < 255; k += 16) a[k] = c / 0;\nfor (int i = 0; i != 7; i += 3) a[i] = 1;\n"
                         "for (int i = -2147483647 - 1; i < 2147483647; i++) a[i & 1] = i; }\n", "", "ok"),
    "wide-types.c": ("__int128 f(_Complex double *z, long double *l, _Bool *b, __int128 *w, int n) { __int128 s = 0;\n"
                     "for (int i = 0; i < n; i++) { z[i] *= 2.0 + 1.0i; l[i] += b[i]; s += w[i] << 65; } return s; }\n", "", "ok"),
    "bit-fields.c": ("struct b { unsigned a : 3, : 0, c : 31; long long d : 60; } __attribute__((packed));\n"
                     "void f(struct b *p, int n) { for (int i = 0; i < n; i++) { p[i].c = p[i].a; p[i].d++; } }\n", "", "ok"),
    "line-directives.c": ("# 1 \"other.f\" 1\nvoid f(double *a, int n) {\n#line 4000000 \"missing dir/gen.y\"\n"
                          "for (int i = 0; i < n; i++)\n#line 7\nfor (int j = 0; j < n; j++) a[j * n + i] = 0; }\n", "", "ok"),
    "unicode.c": ("double größe(double *π, int 数) { double σ = 0; for (int ι = 0; ι < 数; ι++) σ += π[ι * 数]; return σ; }\n"
                  "const char *s = \"\\u00e9 \\xff 日本\";\n", "", "ok"),
    "trigraphs.c": ("%:include <stddef.h>\nint f(int a<::>) <% return a<:0:>; %>\n??=define X 1\n", "-std=c99 -trigraphs", "ok"),
    "carriage-returns.c": ("int f(int *a,\r\n int n) {\r\n for (int i = 0; i < n; i++)\r\n  a[i] = 0; // \\\r\n return 1;\r\n return 0; }\r\n",
                           "", "ok"),
    "missing-include.c": ("#include \"nowhere.h\"\n#include <mpi/nothing.h>\nvoid f(thing *t) { for (;;) t->x++; }\n", "", "errors"),
    "include-itself.c": ("#include __FILE__\nint x;\n", "", "errors"),
    "broken.c": ("void f( { for (int i = 0; i < ; i++ a[i = ; }}} #pragma omp parallel for\n)", "-fopenmp", "errors"),
    "many-errors.cpp": ("template <typename T> void f(T t) { t.x(); y.z; }\n" + "int x = f(1) + nope;\n" * 500, "", "errors"),
    "odd-openmp.c": ("void f(int *a, int n) {\n#pragma omp parallel for collapse(2) ordered(2) schedule(guided, n) if(n > 3)\n"
                     "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {\n#pragma omp ordered depend(sink : i - 1, j)\na[i] += j;\n"
                     "#pragma omp ordered depend(source)\n}\n#pragma omp task depend(inout : a[0 : n])\n#pragma omp taskloop nogroup\n"
                     "for (int i = 0; i < n; i++) a[i]++;\n#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])\n"
                     "for (int i = 0; i < n; i++) a[i]--;\n#pragma omp metadirective when(user = {condition(1)} : parallel)\n{ }\n"
                     "#pragma omp tile sizes(4, 4)\nfor (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i + j]++;\n"
                     "#pragma omp unroll partial(2)\nfor (int i = 0; i < n; i++) a[i] = 0; }\n", "-fopenmp -fopenmp-version=51", "ok"),
    "blocks.c": ("int f(int n) { int (^b)(int) = ^(int x) { return x + n; }; return b(1); }\n", "-fblocks", "ok"),
    "freestanding.c": ("void f(int *a) { for (int i = 0; i < 9; i++) a[i] = 0; }\n", "-ffreestanding -nostdinc -m32", "ok"),
    "other-target.c": ("void f(double *a, int n) { for (int i = 0; i < n; i++) a[i * n] = 0; }\n", "--target=aarch64-linux-gnu", "ok"),
}  # fmt: skip


def analyse(source: Path, flags: list[str]) -> dict[str, Any]:
    assert ANALYZER is not None
    out = source.with_suffix(".json")
    words = [str(ANALYZER), "-o", str(out), str(source), "--", *flags]
    assert analysis.run_bounded(words, source.parent, LIMITS) == ""
    value = json.loads(out.read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("level", ["-O0", "-O3"])
@pytest.mark.parametrize("name", SOURCES)
def test_construct(tmp_path: Path, name: str, level: str) -> None:
    text, flags, status = SOURCES[name]
    source = tmp_path / name
    source.write_bytes((text if isinstance(text, str) else text()).encode())
    value = analyse(source, [level, *flags.split()])
    assert value["status"] == status, value["diagnostics"][:3]
    assert value["inputs"]["complete"]
