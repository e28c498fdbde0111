"""A plugin of pytest for the recording: what a fixture comes by is said of all tests that share it, and nothing is
remembered from one test for the next, so that each test comes by all that it needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest

_NAME = "PYTEST_CURRENT_TEST"


def pytest_configure() -> None:
    os.environ.setdefault(_NAME, os.environ.get("MUTATE_SUITE", ""))  # while modules are imported


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "stridewise":
            for value in list(vars(module).values()):
                with suppress(AttributeError, TypeError):
                    value.cache_clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
    before = os.environ.get(_NAME, "")
    if fixturedef.scope in ("session", "package"):
        os.environ[_NAME] = os.environ.get("MUTATE_SUITE", "")
    elif fixturedef.scope in ("module", "class"):
        os.environ[_NAME] = before.split("::")[0]
    yield
    if before:
        os.environ[_NAME] = before
