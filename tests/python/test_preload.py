"""Libraries whose paths LD_PRELOAD cannot hold are loaded by a link that nobody else can have made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from stridewise.collect import preload
from stridewise.errors import Failure


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "a folder: mine" / "libpart.so"
    path.parent.mkdir()
    source = tmp_path / "part.c"
    source.write_text(
        '#include <unistd.h>\n__attribute__((constructor)) static void start(void) { write(1, "loaded\\n", 7); }\n',
        encoding="utf-8",
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", path, source], check=True)
    return path


def test_plain_paths_stay(tmp_path: Path) -> None:
    assert preload.loadable(tmp_path / "lib.so") == tmp_path / "lib.so"


@pytest.mark.parametrize("cache", ["cache", "a cache"])
def test_others_are_linked(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / cache))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    link = preload.loadable(library)
    assert link.readlink() == library
    assert (link.parents[2].parent == tmp_path / "cache") == (cache == "cache")
    done = subprocess.run(["/bin/true"], env={"LD_PRELOAD": str(link)}, capture_output=True, text=True, check=True)
    assert done.stdout == "loaded\n"
    link.unlink()
    link.symlink_to("/somewhere/else.so")
    assert preload.loadable(library).readlink() == library


def test_a_folder_that_others_can_write_to_is_not_used(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    link = preload.loadable(library)
    link.parent.chmod(0o777)
    assert tmp_path / "cache" not in preload.loadable(library).parents
    preload.loadable(library).parent.parent.chmod(0o777)
    with pytest.raises(Failure, match="set XDG_CACHE_HOME"):
        preload.loadable(library)
