"""Dialects that GCC 12 builds: what clang refuses by default, cannot be asked to take, or calls otherwise."""

# ruff: noqa: E501 - programs

from __future__ import annotations

from dataclasses import dataclass

RULE = "mem-strided-inner-loop"
_WALK = """\
  for (j = 0; j < n; j++)
    for (i = 0; i < n; i++) /* here */
      a[(long)i * n + j] = a[(long)i * n + j] * 1.5 + 1.0;
"""


@dataclass(frozen=True)
class Dialect:
    """A unit with a walk down a column: `top` stands before its function, `before` and `after` around the walk."""

    name: str
    flags: str = ""
    top: str = ""
    before: str = ""
    after: str = ""
    head: str = "void scale(double *a, int n)"
    cxx: bool = False
    beside: str = ""  # the function that clang cannot read, where there is one
    end: str = ""

    @property
    def file(self) -> str:
        return self.name + (".cpp" if self.cxx else ".c")

    def text(self) -> str:
        body = f"{self.head}\n{{\n  int i, j;\n{self.before}{_WALK}{self.after}}}\n"
        return f"{self.top}\n{body}{self.end}"

    def line(self) -> int:
        return next(number for number, line in enumerate(self.text().splitlines(), 1) if "/* here */" in line)


def _omp(name: str, pragma: str, **more: object) -> Dialect:
    return Dialect(name, "-fopenmp", before=f"{pragma}\n", **more)  # type: ignore[arg-type]


WHOLE = (
    # C that gcc warns of
    Dialect(
        "implicit_int",
        "",
        "static count;\nextern limit(k) { return k + count; }",
        "  register k = limit(n);\n",
        "  count += k;\n",
    ),
    Dialect("implicit_function", "", "", "  prepare(a, n);\n", "  usleep(10);\n  finish(a, 1.5);\n"),
    Dialect(
        "integers_and_pointers",
        "",
        "",
        "  char *p = n;\n  int q = p;\n",
        "  a[0] = q;\n  if (a > 5 || a == n) a[1] = 0;\n",
    ),
    Dialect(
        "other_pointers",
        "",
        "struct s { int x; };\nvoid take(struct s *);\nvoid call(int (*)(int));\ndouble half(double);",
        "  float *f = a;\n  take(a);\n  call(half);\n",
        "  f[0] = 1;\n",
    ),
    Dialect(
        "returned_values",
        "",
        "int value(int n) { if (n) return; return 1; }\nvoid nothing(int n) { return n; }\nint *address(int n) { return n; }",
    ),
    Dialect("declared_after_its_call", "", "", "  late(n);\n", end="void late(int n) { n++; }\n"),
    Dialect(
        "names_of_the_library",
        "",
        "int index;\nint gamma;\nint round(double x) { return (int)x; }\nchar *malloc();\ndouble fabs(int x);",
        "  index = round(1.5);\n",
    ),
    Dialect("any_main", "", end="int main(double argc, char *argv[], int k) { scale((double *)argv, k); return 0; }\n"),
    Dialect("void_main", "", end="void main() { scale(0, 0); }\n"),
    Dialect("large_numbers", "", "", "  long large = 99999999999999999999;\n  n += large & 0;\n"),
    Dialect(
        "unknown_builtins",
        "-O2",
        "extern inline __attribute__((always_inline, gnu_inline)) int say(const char *f, ...) "
        "{ return __builtin_va_arg_pack_len(); }\nint sum(int, ...);",
        "  void *r = __builtin_apply((void (*)())sum, __builtin_apply_args(), 64);\n",
    ),
    Dialect("odd_directives", "", '#assert machine(x)\n#ident "x"\n#ifdef X extra\n#endif X\n#warning old'),
    # standards
    Dialect(
        "kernighan_and_ritchie",
        "-std=gnu89",
        "double half();\nint add(a, b) int a; short b; { return a + b; }",
        "  n = add(n, 0);\n",
        head="void scale(a, n) double *a; int n;",
    ),
    Dialect(
        "gnu89_inline",
        "-std=gnu89",
        "extern inline int twice(int x) { return 2 * x; }\nint twice(int x) { return x + x; }",
        "  n = twice(n);\n",
    ),
    Dialect("ansi_with_trigraphs", "-ansi -trigraphs", "int list??(3??);\n#define A ??( 0 ??)", "  list A = n;\n"),
    Dialect("c89", "-std=c89", "int asm; int typeof;", "  asm = n;\n"),
    Dialect("c94", "-std=iso9899:199409"),
    Dialect("pedantic_errors", "-std=gnu11 -pedantic-errors -Wfatal-errors -Werror", "static int unused;"),
    # GNU extensions
    Dialect(
        "nested_types",
        "",
        "struct z { int n; double d[0]; };\nstruct flexible { int n; int data[]; };\n"
        "struct flexible table = {2, {1, 2}};\nstruct flexible list[3];\nstruct empty {};",
        "  n += table.data[0] - 1;\n",
    ),
    Dialect(
        "ranges",
        "",
        "int table[] = {[0 ... 9] = 3, [10] = 4};\nint old[6] = {[4] 29};\nstruct p { int x, y; } q = {x: 1, y: 2};",
        "  switch (n) { case 1 ... 5: n = table[n]; }\n",
    ),
    Dialect(
        "statement_expressions",
        "",
        "#define max(a, b) ({ __typeof__(a) _x = (a); __auto_type _y = (b); _x > _y ? _x : _y; })",
        "  n = max(n, 3);\n",
    ),
    Dialect("union_cast", "", "union u { int i; double d; };", "  union u v = (union u)n;\n  n = v.i;\n"),
    Dialect(
        "transparent_union",
        "",
        "typedef union { int *i; float *f; } either __attribute__((transparent_union));\nvoid take(either);",
        "  take((float *)a);\n",
    ),
    Dialect("int128", "", "", "  __int128 wide = (__int128)n * n;\n  n += (int)(wide >> 100);\n"),
    Dialect(
        "float_types",
        "",
        "",
        "  _Float128 q = n;\n  _Float64 d = q;\n  _Float32x f = d;\n  __float80 e = f;\n  n += (int)e & 0;\n",
    ),
    Dialect(
        "computed_goto",
        "",
        "",
        "  static const void *const targets[] = {&&even, &&odd};\n"
        "  static const int jump[] = {&&even - &&even, &&odd - &&even};\n  goto *targets[n & 1];\neven:\n  n += jump[0];\nodd:\n",
    ),
    Dialect("asm_goto", "-O2", "", '  asm goto("jmp %l0" : : : : out);\nout:;\n'),
    Dialect(
        "asm_operands",
        "-O2",
        "",
        '  int carry;\n  asm("cmp %1, %2" : "=@ccc"(carry) : "r"(n), "rmi"(3));\n  n += carry & 0;\n',
    ),
    Dialect("headers_of_gcc", "", "#include <quadmath.h>\n#include <openacc.h>", "  n += sizeof(__complex128) < 2;\n"),
    Dialect("headers_with_successors", "-std=gnu11", "#include <stdatomic.h>", "  atomic_int done = n;\n  done++;\n"),
    Dialect(
        "attributes_with_arguments",  # as the preprocessor of GCC leaves them
        "",
        "void take_back(void *);\nvoid *make(void) __attribute__((__malloc__(take_back, 1)));",
        "",
    ),
    Dialect(
        "attributes",
        "-Wall",
        '__attribute__((optimize("O3"), noclone, noipa, frobnicate)) int f(int);\n#pragma GCC optimize("O3")',
        "#pragma GCC ivdep\n",
    ),
    Dialect(
        "constants",
        "",
        "static int const size = 4;\nstatic const int two = size + 1;\nstatic const double pi = 3.14;\n"
        "static double both = 2 * 3.14;\nstatic int *p = (int[]){1, 2};",
        "  n += two - 5;\n",
    ),
    Dialect(
        "initialisers",
        "",
        'char text[3] = "abc";\nchar more[2] = "abcd";\nint nums[2] = {1, 2, 3};\nchar some[] = ("abc");',
    ),
    Dialect(
        "plan9",
        "-fplan9-extensions",
        "struct base { int x; };\nstruct derived { struct base; int y; };",
        "  struct derived d; d.x = n; n = d.x;\n",
    ),
    Dialect(
        "jump_past_an_array", "", "", "  if (n < 0) goto over;\n  { double t[n]; t[0] = 1; a[0] = t[0]; }\nover:\n"
    ),
    Dialect(
        "other_characters",
        "-finput-charset=latin1 -fexec-charset=iso-8859-1",
        '/* gr\u00f6\u00dfer */\nchar word[] = "gr\u00f6\u00dfer";',
    ),
    Dialect(
        "gcc_options",
        "-O3 -fipa-pta -fopt-info-vec -fno-tree-ch -fprefetch-loop-arrays -mpreferred-stack-boundary=4 "
        "--param max-inline-insns-auto=100 -fexcess-precision=fast -fabi-version=16 -fsplit-loops",
    ),
    # OpenMP
    _omp("omp_shared_loop_variable", "#pragma omp parallel for shared(a, n, j) private(i)"),
    _omp("omp_chunk_of_none", "#pragma omp parallel for schedule(static, 0) private(i)"),
    _omp("omp_no_threads", "#pragma omp parallel for num_threads(0) private(i)"),
    _omp("omp_unknown", "#pragma omp frobnicate"),
    _omp(
        "omp_extra_tokens",
        "#pragma omp parallel for private(i) nowait_please_not",
        top="#undef nowait_please_not\n#define nowait_please_not",
    ),
    # C++
    Dialect("register_variable", "-std=c++17", "", "  register int k = n;\n  n = k;\n", cxx=True),
    Dialect(
        "narrowing",
        "",
        "struct s { int x; float f; };\nchar text[] = {char(200), 1};",
        "  unsigned u = 3; double d = n; int list[] = {1, u};\n  float f{d}; s v = {d, d};\n  n += list[0] - 1 + (v.x - v.x) + (int)(f - f);\n",
        cxx=True,
    ),
    Dialect(
        "found_in_the_second_phase",
        "-fpermissive",
        "template <class T> struct base { T value; void set(T v) { value = v; } };\n"
        "template <class T> struct derived : base<T> { void go(T v) { set(v); } };\n"
        "template <class T> T later(T x) { return helper(x); }\nint helper(int x) { return x; }",
        "  derived<int> d; d.go(n);\n  n = later(n);\n",
        cxx=True,
    ),
    Dialect(
        "extra_qualification",
        "-fpermissive",
        "struct s { s::s() {} int s::f(int k) { return k; } };",
        "  s v; n = v.f(n);\n",
        cxx=True,
    ),
    Dialect(
        "address_of_a_temporary",
        "-fpermissive",
        "struct s { int x; s(int v) : x(v) {} };\nvoid take(s *);",
        "  take(&s(1));\n",
        cxx=True,
    ),
    Dialect(
        "folded_mathematics",
        "-std=c++17",
        "#include <cmath>\nconstexpr double root = std::sqrt(2.0);",
        "  a[0] = root;\n",
        cxx=True,
    ),
    Dialect("auto_parameter", "-std=c++17", "int f(auto x) { return x; }", "  n = f(n);\n", cxx=True),
    Dialect(
        "concepts",
        "-std=c++17 -fconcepts",
        "template <class T> concept any = true;\ntemplate <any T> int f(T) { return 0; }",
        "  n += f(1);\n",
        cxx=True,
    ),
    Dialect(
        "arrays_of_any_size",
        "",
        "struct s { int x; s() : x(0) {} };",
        "  double row[n]; row[0] = n; s many[n]; a[0] = row[0] + many[0].x;\n",
        cxx=True,
    ),
    Dialect(
        "c_in_cxx",
        "-std=gnu++17",
        "struct s { int x, y; };\nint t[3] = {[0] = 1, [1] = 2};",
        '  s v = {.x = 1, .y = 2}; s w = (s){3, 4}; char *text = "x";\n  n += v.x + w.x + (text == 0) - 4;\n',
        cxx=True,
    ),
)

PARTLY = (
    Dialect(
        "nested_function",
        top="void sort(void *, unsigned long, int (*)(const void *, const void *));\n"
        "void order(double *a, int n) {\n  int down = n > 3;\n"
        "  int compare(const void *x, const void *y) { return down ? *(double *)x > *(double *)y : 0; }\n  sort(a, n, compare);\n}",
        beside="order",
    ),
    Dialect(
        "variable_array_in_a_structure",
        top="void pack(double *a, int n) { struct { double row[n]; } b; b.row[0] = a[0]; a[1] = b.row[0]; }",
        beside="pack",
    ),
    Dialect("decimal_numbers", top="double tenth(void) { return (double)0.1DD; }", beside="tenth"),
    Dialect("conversions", "-fpermissive", top="void clear(void *p) { int *q = p; *q = 0; }", cxx=True, beside="clear"),
)
