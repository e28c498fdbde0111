"""The GitLab template: its scripts, run as a job does, in a branch's pipeline and in a merge request's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import yaml  # type: ignore[import-untyped]
from conftest import TOP, Checkout

TEMPLATE = yaml.safe_load((TOP / "ci" / "gitlab" / "stridewise.gitlab-ci.yml").read_text())


def job(checkout: Checkout, name: str, **variables: str) -> tuple[int, str]:
    """The job's status and output; its variables are the template's, its own, and those of the pipeline."""
    defaults = {**TEMPLATE["variables"], **TEMPLATE[name].get("variables", {})}
    done = subprocess.run(
        ["sh", "-c", "\n".join(TEMPLATE[name]["script"])],
        cwd=checkout.root, stdin=subprocess.DEVNULL, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**checkout.environment, **defaults, **variables},
    )  # fmt: skip
    return done.returncode, done.stdout


def reports(checkout: Checkout) -> Path:
    return checkout.root / "stridewise-report"


def test_a_branch(checkout: Checkout) -> None:
    status, said = job(checkout, "stridewise")
    assert status == 0, said
    (entry,) = json.loads((reports(checkout) / "codequality.json").read_text())
    assert (entry["check_name"], entry["location"]["path"]) == ("stridewise-mem-struct-padding", "src/particles.c")
    assert (reports(checkout) / "report.md").read_text().startswith("## Stridewise: 1 finding")
    assert "<testsuites" in (reports(checkout) / "junit.xml").read_text()
    assert "mem-struct-padding" in said
    assert not (reports(checkout) / "plan.json").exists()
    artifacts = TEMPLATE["stridewise"]["artifacts"]
    assert artifacts["reports"]["codequality"] == "stridewise-report/codequality.json"
    assert artifacts["when"] == "always"
    assert job(checkout, "stridewise", STRIDEWISE_CI_FAIL_ON="warning")[0] == 1
    assert job(checkout, "stridewise", STRIDEWISE_CI_FAIL_ON="warning", STRIDEWISE_CI_RULES="mpi-*")[0] == 0
    checkout.add("src/broken.c", "int broken(;\n")
    assert job(checkout, "stridewise")[0] == 2


def test_a_merge_request(checkout: Checkout) -> None:
    base = checkout.git("rev-parse", "main")
    variables = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "STRIDEWISE_CI_FAIL_ON": "warning"}
    status, said = job(checkout, "stridewise", STRIDEWISE_CI_BUILD="build", **variables)
    assert status == 1, said
    plan = json.loads((reports(checkout) / "plan.json").read_text())
    assert [placed["finding"]["location"]["file"] for placed in plan["comments"]] == ["src/particles.c"]
    log = checkout.temp / "posted"
    (checkout.bin / "stridewise").write_text(
        f"#!/bin/sh\nprintf '%s|' \"$@\" >'{log}'\n"
        f"printf %s \"$PWD\" >'{checkout.temp}/where'\nls -A >'{checkout.temp}/files'\n"
    )
    assert job(checkout, "stridewise-review")[0] == 0
    plan_file = reports(checkout) / "plan.json"
    assert log.read_text() == f"review|--plan|{plan_file}|--post|gitlab|--max-comments|25|"
    assert Path((checkout.temp / "where").read_text()).parent != checkout.root, "not where a checkout may be"
    assert (checkout.temp / "files").read_text() == ""
    assert "GITLAB_TOKEN" in str(TEMPLATE["stridewise-review"]["rules"])
    assert TEMPLATE["stridewise-review"]["variables"] == {"GIT_STRATEGY": "none", "PYTHONSAFEPATH": "1"}


def test_variables_are_words_never_commands(checkout: Checkout) -> None:
    for name in ("BUILD", "RULES", "BASELINE", "RUN", "FAIL_ON"):
        status, said = job(checkout, "stridewise", **{f"STRIDEWISE_CI_{name}": '$(touch pwned)"; touch pwned; "'})
        assert status != 0, said
        assert not list(checkout.root.parent.rglob("pwned"))
