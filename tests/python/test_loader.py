"""Where the loader finds a library: the first that is one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from stridewise.collect import loader


def test_what_is_no_library_is_passed_by(tmp_path: Path) -> None:
    for name in ("empty", "text", "real", "late"):
        (tmp_path / name).mkdir()
    (tmp_path / "text" / "libours.so.1").write_text("a linker's script")
    for name in ("real", "late"):
        shutil.copy(sys.executable, tmp_path / name / "libours.so.1")
    folders = [str(tmp_path / name) for name in ("empty", "text", "real", "late")]
    user = tmp_path / "program"
    assert loader._find("libours.so.1", user, folders) == tmp_path / "real" / "libours.so.1"
    assert loader._find("libours.so.1", user, folders[:2]) is None
    assert loader._find("$ORIGIN/real/libours.so.1", user, []) == tmp_path / "real" / "libours.so.1"
    assert loader._find(f"{tmp_path}/none/libours.so.1", user, folders) is None
