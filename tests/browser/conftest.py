"""What the tests of pages share: a browser for each file of tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from webdriver import Browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if driver is None or chromium is None:
        pytest.skip("no Chromium with its driver (Debian: chromium chromium-driver)")
    with Browser(driver, chromium, tmp_path_factory.mktemp("profile")) as made:
        yield made
