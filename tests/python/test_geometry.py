from __future__ import annotations

from pathlib import Path

import pytest

from stridewise.cli import main
from stridewise.errors import Failure
from stridewise.machine import geometry
from stridewise.machine.geometry import Cache


@pytest.mark.parametrize("name", sorted(geometry.models()))
def test_every_model_can_be_simulated(name: str) -> None:
    found = geometry.chosen({"cache_model": name})
    for one in (found, found.inner(), found.full()):
        assert all(cache.valid() for cache in (one.instruction, one.data, one.last_level)), one
        assert one.last_level.size_bytes > one.data.size_bytes
    assert found.name
    assert found.full().data.lines == found.data.lines
    assert found.full().data.ways == found.data.lines


def test_the_papers_machine() -> None:
    found = geometry.chosen({"cache_model": "origin-2000"})
    assert (found.data, found.last_level) == (Cache(32 << 10, 2, 32), Cache(4 << 20, 2, 128))
    assert found.inner() == found


def test_a_core_gets_its_part_of_the_last_level() -> None:
    busy = geometry.chosen({"cache_model": "epyc-7763"})
    assert busy.last_level == Cache(4 << 20, 16, 64)
    assert geometry.chosen({"cache_model": "epyc-7763", "cores": "1"}).last_level == Cache(32 << 20, 16, 64)
    # What a core has by itself is the least.
    assert geometry.chosen({"cache_model": "xeon-8480"}).last_level == Cache(2 << 20, 16, 64)


def test_single_caches_replace_those_of_the_model() -> None:
    found = geometry.chosen({"cache_model": "xeon-8380", "d1": "64K,4,64", "ll": "4M, 16, 64"})
    assert (found.data, found.last_level) == (Cache(64 << 10, 4, 64), Cache(4 << 20, 16, 64))
    assert "changed" in found.name


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[mine]\nd1 = "16K,4,64"\nll = "1M,8,64"\ncores = 2\n')
    found = geometry.chosen({"cache_model": str(path)})
    assert (found.data, found.last_level) == (Cache(16 << 10, 4, 64), Cache(512 << 10, 8, 64))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds 0 tables"),
        ("[a", "cannot read"),
        ("a = 1\n", r"\[a\]: expected a table"),
        ('[a]\nd1 = "16K,4,64"\n', "needs d1 and ll"),
        ('[a]\nd1 = 5\nll = "1M,8,64"\n', "d1: expected a text"),
        ('[a]\nd1 = "16K,4,64"\nll = "1M,8,64"\nways = 4\n', "unknown key 'ways'"),
        ('[a]\nd1 = "16K,4,64"\nll = "1M,8,64"\ncores = 0\n', "cores"),
        ('[a]\nd1 = "16K,4,64"\nll = "one,8,64"\n', "is no cache"),
        ('[a]\nd1 = "1M,4,64"\nll = "16K,8,64"\n', "must be larger"),
        ('[a]\nd1 = "16K,4,64"\nll = "1M,8,64"\n[b]\nd1 = "16K,4,64"\nll = "1M,8,64"\n', "holds 2 tables"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(Failure, match=message):
        geometry.chosen({"cache_model": str(path)})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"d1": "48000,12,64"},
            "makes 62.5 sets, .* power of two; the nearest is 45056,11,64|nearest is 49152|nearest",
        ),
        ({"d1": "32K"}, "write SIZE,WAYS,LINE"),
        ({"d1": "32K,0,64"}, "has a zero"),
        ({"d1": "32K,8,48"}, "lines of 48 bytes"),
        ({"d1": "32K,8,16"}, "from 32 on"),
        ({"cores": "none"}, "--cores none"),
        ({"cache_model": "pentium"}, "no cache model 'pentium'"),
    ],
)
def test_bad_settings_are_refused_with_the_remedy(settings: dict[str, str], message: str) -> None:
    with pytest.raises(Failure, match=message):
        geometry.chosen(settings)


def test_the_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--cache-model", "list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("origin-2000", "epyc-9654", "a64fx", "grace", "xeon-8480", "this machine"))


def test_cache_options_need_a_cache_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--conflicts", "--", "true"]) == 2
    assert "add --cache" in capsys.readouterr().err
