"""Reviews of small repositories, by the command itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from lbm_request import Project

from stridewise import cli
from stridewise.review import plan
from stridewise.review.plan import Placed, Plan


@dataclass
class Reviewer:
    """Runs `stridewise review` in a project's folder; results are kept in one cache for all."""

    cache: Path
    output: Path
    chdir: Callable[[Path], None]

    def status(self, project: Project, *words: str) -> int:
        self.chdir(project.root)
        return cli.main(["review", "--cache-dir", str(self.cache), *words])

    def plan(self, project: Project, *words: str, status: int = 0) -> Plan:
        """What the command wrote, as the posting side reads it."""
        assert self.status(project, "--format", "json", "-o", str(self.output), *words) == status
        return plan.read(self.output)


@pytest.fixture(scope="session")
def review_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def reviewer(review_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reviewer:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("STRIDEWISE_MACHINE", raising=False)
    for name in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        monkeypatch.delenv(name, raising=False)
    return Reviewer(review_cache, tmp_path / "plan.json", monkeypatch.chdir)


def places(comments: tuple[Placed, ...]) -> set[tuple[str, str, int]]:
    """(rule, file, line) of each; two on one place would be one too many."""
    found = [(c.finding.rule, c.finding.location.file, c.line) for c in comments]
    assert len(found) == len(set(found))
    return set(found)
