"""Numbers that decide over findings stand in rule.toml or rules/engines.toml, prices in one table."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stridewise import catalogue
from stridewise.catalogue import Rule, limits
from stridewise.finding import prices
from stridewise.machine import price_table

TOP = Path(__file__).resolve().parents[2]
ROOMS = ("unit", "loops", "mpi", "omp", "touch", "library", "checks")
# How far an analysis looks before it says nothing: bounds of work, which stand with the code.
BOUNDS = re.compile(r"(Max|Most|Deepest)\w*")
OTHER_CONSTANTS = {
    "unit/Ir.cpp": {"InlineThreshold"},  # as the compilers' own
    "unit/Meter.h": {"DefaultBudget", "OutOfTime"},  # a bound of work, an exit status
    "mpi/MemoryRange.cpp": {"Last"},  # of the places at which sizes are tried
    "omp/OmpSites.cpp": {"CallDepth"},  # bounds of work
    "checks/mpi-rank-guarded-collective/RankPaths.cpp": {"LargestRank"},
    "merge/BarrierProof.cpp": {"LeastLimit"},  # of memory
    "merge/BarrierProof.h": {"ExactRanks"},
    "merge/Events.h": {"ZeroPayload"},  # a bit
    "merge/FlatMap.h": {"FirstBits"},  # of a table's size
    "merge/Main.cpp": {"LargeBlock"},  # of memory
    "merge/Waits.cpp": {"Furthest", "AccountEvery"},  # of the latter, memory and work depend
    "checks/mpi-redundant-barrier/BarrierNeed.h": {"Boundary", "Synchronised", "Started", "Finished", "Itself"},  # bits
    "merge/Shard.cpp": {"Oldest", "Part"},  # versions and numbers of formats
    "merge/Timeline.cpp": {"TimelineVersion"},
    "merge/Write.cpp": {"TraceVersion"},
    "merge/Windows.cpp": {"Limit", "WorldId", "ThreadSerialized"},
}
# What a number may be compared with: how deep, how many, how wide. Everything else is a quantity of the program.
COUNTED = re.compile(
    r"(size\(\)|[Dd]epth(\(\))?|Bits\(\)|getBitWidth\(\)|getIntegerBitWidth\(\)|getNumOperands\(\)|degree\(\)|Nesting"
    r"|Round|Pass|Visit|Dimensions|Bits|State|K|Byte|Bit|Slice|Left|P|>|-)$"
)
OTHER_COMPARISONS = {
    "checks/mem-handwritten-matmul/LibraryRoutines.cpp",  # parameters of BLAS routines, words of f2c
    "checks/mem-handwritten-matmul/MatrixProduct.cpp",  # a product has three loops
    "checks/mem-unblocked-stencil/mem-unblocked-stencil.cpp",  # how a figure is printed
    "mpi/DerivedTypes.cpp",  # blocks that are looked at
    "omp/PathIntegers.cpp",  # bits of a shift
}
_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
_FLOAT = re.compile(r"(?<![\w.])(\d[\d']*\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)f?(?![\w.])")
_CONSTANT = re.compile(r"constexpr (?!auto|char|(?:llvm::)?String)[\w:]+ (\w+ = [^;{]*);")
_COMPARISON = re.compile(r"([\w.()\[\]>-]+) *(?:<=|>=|<|>) *(\d[\d']*)u?(?![\w.'])")


def sources() -> Iterator[tuple[str, str]]:
    """Name and code of the files of the engines, of the checks and of the merge tool, without comments and texts."""
    analyzer = TOP / "analyzer"
    files = [path for room in ROOMS for path in sorted((analyzer / room).rglob("*")) if path.suffix in (".cpp", ".h")]
    files += [path for path in sorted((TOP / "runtime" / "merge").iterdir()) if path.suffix in (".cpp", ".h")]
    for path in files:
        root = analyzer if path.is_relative_to(analyzer) else TOP / "runtime"
        yield str(path.relative_to(root)), _TEXT.sub('""', path.read_text(encoding="utf-8"))


def is_unit(value: float) -> bool:
    """Nothing, the whole, both ends, a half to round by, and factors between units."""
    return value in (0, 0.5, 1, 2) or (value > 0 and math.isclose(math.log10(value) % 1, 0, abs_tol=1e-12))


def deciding(name: str, code: str) -> set[str]:
    found = {text for text in _FLOAT.findall(code) if not is_unit(float(text.replace("'", "")))}
    for constants in _CONSTANT.findall(code):
        for one in re.findall(r"(\w+) = -?\d", constants):
            if not BOUNDS.fullmatch(one) and one not in OTHER_CONSTANTS.get(name, ()):
                found.add(one)
    if name not in OTHER_COMPARISONS:
        for left, number in _COMPARISON.findall(code):
            if int(number.replace("'", "")) > 2 and not COUNTED.search(left) and "Small" not in left:
                found.add(f"{left.lstrip('(')} {number}")
    return found


def test_no_number_of_the_analyser_or_the_merge_tool_decides_by_itself() -> None:
    found = {name: numbers for name, code in sources() if (numbers := deciding(name, code))}
    assert not found


@pytest.mark.parametrize(
    ("code", "numbers"),
    [
        ("double X = 0.75;", {"0.75"}),
        ("constexpr unsigned Near = 4;", {"Near"}),
        ("constexpr unsigned MaxSteps = 4, Near = 4;", {"Near"}),
        ("if (Trips < 3)", {"Trips 3"}),
        ("if (Depth > 6 || X.size() > 40) Seconds *= 1e-9;", set()),
    ],
)
def test_what_decides_is_seen(code: str, numbers: set[str]) -> None:
    assert deciding("loops/Any.cpp", code) == numbers


# Numbers of the patterns that decide nothing: how many places a list names, what a report prints.
SHOWN = re.compile(r"_SHOWN\w*|_MOST_RELATED|_SERIALIZED|_MULTIPLE|_WORD_BYTES|_DIRECTIVE_LINES")


def numbers(path: Path) -> Iterator[str]:
    """Numbers that a pattern compares with or multiplies by, other than those of is_unit."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.Tuple):
            names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            if all(SHOWN.fullmatch(name) for name in names):
                continue
            parts: list[ast.expr] = [node.value, *(node.value.elts if isinstance(node.value, ast.Tuple) else ())]
        elif isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            parts += [part for one in parts if isinstance(one, ast.BinOp) for part in (one.left, one.right)]
        else:
            continue
        for part in parts:
            value = part.value if isinstance(part, ast.Constant) else None
            if isinstance(value, int | float) and not is_unit(value) and id(part) not in texts:
                yield f"{path.name}:{node.lineno}: {value}"


def test_no_number_of_a_pattern_decides_by_itself() -> None:
    patterns = sorted((TOP / "stridewise" / "patterns").glob("*.py"))
    assert patterns
    assert [one for path in patterns for one in numbers(path)] == []


def test_engines_have_units_and_reasons(rules: dict[str, Rule]) -> None:
    engines = catalogue.engines()
    assert {"unit", "loops", "mpi", "omp", "touch", "merge", "patterns", "lint"} == set(engines)
    assert catalogue.limit("loops", "near_rows") == 4
    header = limits.header(rules)
    assert "namespace stridewise::limits::loops {" in header
    assert "inline constexpr int NearRows = 4; // rows" in header
    assert "inline constexpr double MinMixedRatio = 2.0;" in header


def constants_used() -> set[str]:
    """The constants of the headers that the build makes, wherever they are used."""
    folders = [TOP / "analyzer", TOP / "runtime" / "merge"]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".cpp", ".h")]
    return {word for path in files for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


PYTHON = {"patterns", "lint"}  # whose numbers programs in Python read


def test_each_constant_is_used(rules: dict[str, Rule]) -> None:
    fixed = {name for rule in rules.values() for name, t in rule.thresholds.items() if t.fixed}
    fixed |= {name for engine, table in catalogue.engines().items() if engine not in PYTHON for name in table}
    used = constants_used()
    assert not {name for name in fixed if price_table.camel(name) not in used}
    patterns = "".join(path.read_text() for path in (TOP / "stridewise" / "patterns").glob("*.py"))
    assert not {name for name in catalogue.engines()["patterns"] if f'limit("patterns", "{name}")' not in patterns}
    lint = "".join(path.read_text() for path in (TOP / "stridewise" / "lint").glob("*.py"))
    assert not {name for name in catalogue.engines()["lint"] if f'"{name}"' not in lint}


def test_each_price_is_used_and_has_a_source() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (TOP / "stridewise").rglob("*.py"))
    used = constants_used()
    for name, default in price_table.defaults().items():
        assert len(default.source) > 10, name
        levels = re.sub(r"(first|last)_level", "{level}_level", name)  # of a geometry
        assert price_table.camel(name) in used or f'"{name}"' in code or f'f"{levels}"' in code, name


def test_prices_are_told_once() -> None:
    """The figures of constructs are nowhere but in the table, and a contended access has one price."""
    shared = price_table.constructs()["shared_line"].seconds
    assert shared[2] == price_table.price("contended_access_seconds") == prices.contended_access().seconds
    table = "inline constexpr double LineCycles = 10.0; // cycles of throughput"
    assert table in price_table.header()
