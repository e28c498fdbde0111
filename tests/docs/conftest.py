"""The pages, as the repository has them and as the site gets them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))


@pytest.fixture(scope="session")
def build() -> Path:
    return Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")).resolve()
