"""The YAML that we ship and show: its shape, its pins, and that no text of others becomes part of a script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import workflow_rules as rules
import yaml  # type: ignore[import-untyped]

TOP = Path(__file__).resolve().parents[2]
ACTIONS = [TOP / "action.yml", TOP / "ci" / "github" / "post" / "action.yml"]
GITLAB = TOP / "ci" / "gitlab" / "stridewise.gitlab-ci.yml"
PAGE = (TOP / "docs" / "ci.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def workflows() -> list[Any]:
    """The page's GitHub workflows; steps that stand alone become one."""
    found = []
    for block in map(yaml.safe_load, blocks("yaml")):
        if isinstance(block, list):
            found.append({"permissions": {}, "jobs": {"one": {"runs-on": "x", "steps": block}}})
        elif "jobs" in block:
            found.append(block)
    return found


@pytest.mark.parametrize("file", ACTIONS, ids=lambda file: str(file.relative_to(TOP)))
def test_actions(file: Path) -> None:
    assert list(rules.action_problems(yaml.safe_load(file.read_text()))) == []


def test_workflows_of_the_page() -> None:
    shown = workflows()
    assert len(shown) == 3
    assert [problem for workflow in shown for problem in rules.workflow_problems(workflow)] == []
    specs = {
        "<owner>/stridewise@<commit>": ACTIONS[0],
        "<owner>/stridewise/ci/github/post@<commit>": ACTIONS[1],
    }
    used = []
    for workflow in shown:
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                if step.get("uses") in specs:
                    spec = yaml.safe_load(specs[step["uses"]].read_text())
                    assert set(step["with"]) <= set(spec["inputs"])
                    assert {n for n, entry in spec["inputs"].items() if entry.get("required")} <= set(step["with"])
                    used.append(step["uses"])
                for name in re.findall(r"steps\.stridewise\.outputs\.(\w+)", str(step)):
                    assert name in yaml.safe_load(ACTIONS[0].read_text())["outputs"]
    assert set(used) == set(specs)


def test_the_page_names_every_input() -> None:
    spec = yaml.safe_load(ACTIONS[0].read_text())
    rows = re.findall(
        r"^\| ((?:`[\w-]+`(?:, )?)+) \|", PAGE.split("### Comments")[0].split("| input |")[1], re.MULTILINE
    )
    assert {name for row in rows for name in re.findall(r"`([\w-]+)`", row)} == set(spec["inputs"])
    said = re.search(r"^Outputs: (.*)\.$", PAGE, re.MULTILINE)
    assert said
    assert set(re.findall(r"`(\w+)`", said[1])) == set(spec["outputs"])


def test_a_trusted_workflow_holds_nothing_of_the_change() -> None:
    (trusted,) = [w for w in workflows() if "workflow_run" in str(w.get(True))]
    (job,) = trusted["jobs"].values()
    assert all("run" not in step for step in job["steps"])
    assert trusted["permissions"] == {"actions": "read", "pull-requests": "write"}
    (untrusted,) = [w for w in workflows() if "pull_request" in (w.get(True) or [])]
    assert untrusted["permissions"] == {"contents": "read"}
    (analysis,) = [job for job in untrusted["jobs"].values() if "permissions" not in job]
    assert "plan" in [step.get("with", {}).get("review") for step in analysis["steps"]]
    assert "token" not in yaml.safe_load(ACTIONS[0].read_text())["inputs"], "the analysis needs no right to write"
    assert untrusted["name"] in trusted[True]["workflow_run"]["workflows"]


def test_gitlab() -> None:
    template = yaml.safe_load(GITLAB.read_text())
    assert list(rules.gitlab_problems(template)) == []
    (shown,) = [block for block in map(yaml.safe_load, blocks("yaml")) if "include" in block]
    assert (TOP / shown["include"][0]["file"]).is_file()
    assert set(shown["stridewise"]["variables"]) <= set(template["variables"])
    assert not set(shown["stridewise"]) & {"script", "artifacts", "rules"}, "the page's job would replace ours"


def test_pre_commit() -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text())}
    (shown,) = [block for block in map(yaml.safe_load, blocks("yaml")) if "repos" in block]
    assert {hook["id"] for hook in shown["repos"][0]["hooks"]} <= set(hooks)
    assert all(hook["language"] == "system" and hook["entry"].startswith("stridewise ") for hook in hooks.values())


BAD_ACTION = """
name: x
runs:
  using: composite
  extra: 1
  steps:
    - run: echo ${{ inputs.name }}
    - uses: actions/checkout@v4
    - run: echo 'open
      shell: bash
    - shell: bash
      run: 'true'
      env: {A: "${{ steps.none.outputs.x }}"}
inputs:
  unused: {description: x, default: 3}
"""
BAD_WORKFLOW = """
on: pull_request_target
jobs:
  a:
    runs-on: x
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683
      - run: "echo ${{ github.event.pull_request.title }}"
"""
BAD_GITLAB = """
job:
  scripts: []
  script: ["echo $[[ inputs.x ]] ; if", "echo $UNKNOWN"]
"""


def test_the_rules_find_what_is_wrong() -> None:
    said = "\n".join(rules.action_problems(yaml.safe_load(BAD_ACTION)))
    for part in (
        "becomes part of a script", "not pinned to a commit: actions/checkout@v4", "needs its shell",
        "'inputs.name' does not", "'steps.none' does not", "are texts", "input unused is not used", "unexpected EOF",
    ):  # fmt: skip
        assert part in said, part
    said = "\n".join(rules.workflow_problems(yaml.safe_load(BAD_WORKFLOW)))
    for part in ("which permissions", "strangers' code", "leaves its token", "becomes part of a script"):
        assert part in said, part
    for step in ({"run": "make"}, {"uses": "<owner>/stridewise@<commit>"}, {"uses": "actions/checkout@" + 40 * "a"}):
        for event, rights, own in (("workflow_run", {}, {}), ("push", {"contents": "write"}, {}),
                                   ("pull_request", {"contents": "read"}, {"pull-requests": "write"})):  # fmt: skip
            job = {"runs-on": "x", "permissions": own, "steps": [step]}
            wrong = {"on": event, "permissions": rights, "jobs": {"a": job}}
            assert any("may write" in said for said in rules.workflow_problems(wrong)), (step, event)
    said = "\n".join(rules.gitlab_problems(yaml.safe_load(BAD_GITLAB)))
    for part in ("unknown key 'scripts'", "becomes part of a script", "UNKNOWN has no default", "yntax error"):
        assert part in said, part
