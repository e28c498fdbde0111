"""Where a report is written: a file appears whole, a pipe stays one."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from stridewise.errors import Failure
from stridewise.output import write_file


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(os.fdopen(os.open(pipe, os.O_RDONLY)).read()), daemon=True)
    reader.start()
    write_file(pipe, "the report\n")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(30)
    assert read == ["the report\n"]


def test_a_file_is_replaced_with_the_rights_of_a_new_one(tmp_path: Path) -> None:
    out = tmp_path / "report.txt"
    out.write_text("old")
    write_file(out, "new \udcff\n")
    assert out.read_text() == "new \\udcff\n"
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(out.stat().st_mode) == 0o666 & ~mask
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="none"):
        write_file(tmp_path / "none" / "report.txt", "")
