"""Every static rule is proved by samples and by generated variants."""

from __future__ import annotations

from pathlib import Path

import pytest

from stridewise import catalogue

TOP = Path(__file__).resolve().parents[2]
STATIC = sorted(slug for slug, rule in catalogue.load().items() if "static" in rule.detectors)


@pytest.mark.parametrize("slug", STATIC)
def test_samples_and_variants_exist(slug: str) -> None:
    cases = [path.name for path in (TOP / "rules" / slug / "cases").iterdir()]
    assert sum(name.startswith("loud-") for name in cases) >= 2
    assert sum(name.startswith("silent-") for name in cases) >= 3
    # Variants are of C and C++.
    if any(path.suffix in (".c", ".cpp") for path in (TOP / "rules" / slug).glob("buggy.*")):
        module = f"{slug.replace('-', '_')}.py"
        assert (TOP / "tests" / "variants" / module).is_file()
