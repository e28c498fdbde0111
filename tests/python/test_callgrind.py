from __future__ import annotations

from pathlib import Path

import pytest

from stated import all_is_stated, said  # noqa: F401
from stridewise.runs.cache import profiles
from stridewise.runs.cache.cachegrind import CacheProfile, Counts

pytestmark = pytest.mark.usefixtures("all_is_stated")

# Names and positions compressed, inlined code (fi, fe), a call with its cost, jumps, recursion, two parts.
GOOD = """# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 1
cmd:  ./app
part: 1

desc: D1 cache: 32768 B, 64 B, 8-way associative

positions: line
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
summary: 0

ob=(1) /p/app
fl=(1) /p/src/a.c
fn=(1) walk
10 9 800 200 0 100 20 0 1 2
+1 5 7
fi=(2) /p/src/cell.h
-8 1 50 0 0 5
fe=(1)
12 1 0 1 0 0 1 0 0 1
cfi=(3) /p/src/b.c
cfn=(2) help
calls=3 +40
* 100 5000 5000 0 5000
jump=4 20
13
+1 2 3

fl=(3)
fn=(2)
50 1 10
fn=(3) help'2
51 1 10

totals: 20 880 201 0 105 21 0 1 3
part: 2
fl=(1)
fn=(1)
10 1 100 0 0 1
totals: 1 100 0 0 1
"""


def read(tmp_path: Path, text: str) -> tuple[CacheProfile | None, list[tuple[Path, str]]]:
    path = tmp_path / "callgrind.1.out"
    path.write_text(text)
    return profiles.read([path])


def test_compressed_names_and_positions(tmp_path: Path) -> None:
    found, bad = read(tmp_path, GOOD)
    assert found is not None, bad
    assert found.partial
    assert found.at("/p/src/a.c", 10) == {"walk": Counts(1100, 121, 3, 10)}
    assert found.at("/p/src/a.c", 11) == {"walk": Counts(7, 0, 0, 5)}
    assert found.at("/p/src/cell.h", 3) == {"walk": Counts(50, 5, 0, 1)}
    assert found.at("/p/src/a.c", 12) == {"walk": Counts(1, 1, 1, 1)}
    assert found.at("/p/src/a.c", 14) == {"walk": Counts(3, 0, 0, 2)}
    assert found.at("/p/src/b.c", 50) == {"help": Counts(10, 0, 0, 1)}
    assert found.at("/p/src/b.c", 51) == {"help": Counts(10, 0, 0, 1)}
    assert found.total.accesses == 1181
    assert found.description == ("D1 cache: 32768 B, 64 B, 8-way associative",)


def test_addresses_beside_lines(tmp_path: Path) -> None:
    text = GOOD.replace("positions: line", "positions: instr line")
    body = "fl=(1) /p/a.c\nfn=(1) f\n0x1000 10 1 4\n+3 * 1 4\n+2 +1 1 4\ntotals: 3 12\n"
    found, bad = read(tmp_path, text[: text.index("ob=")] + body)
    assert found is not None, bad
    assert found.at("/p/a.c", 10) == {"f": Counts(8, 0, 0, 2)}
    assert found.at("/p/a.c", 11) == {"f": Counts(4, 0, 0, 1)}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (GOOD[: GOOD.index("totals")], "cut off"),
        (GOOD.replace("10 9 800", "10 9 801"), "add up"),
        (GOOD.replace("fn=(2)\n50", "fn=(9)\n50"), r"\(9\) was never given"),
        (GOOD.replace(" D1mr", ""), "--cache-sim=yes"),
        (GOOD.replace("+1 5 7", "+1 5 many"), "invalid literal"),
        (GOOD.replace("+1 5 7", "+x 5 7"), "invalid literal"),
        ("# callgrind format\nversion: 1\n", "no Callgrind output"),
        ("# callgrind format\n10 1 1\n", "before the 'events:'"),
        ("# callgrind format\ntotals: 1\n", "before the 'events:'"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, complaint: str) -> None:
    found, bad = read(tmp_path, text)
    assert found is None
    import re

    assert re.search(complaint, bad[0][1]), bad
