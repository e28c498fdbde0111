"""What the YAML of actions, workflows and GitLab jobs must keep to. Each function returns what is wrong, in words."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from typing import Any

OWN = re.compile(r"<owner>/stridewise(/[\w/]+)?@<commit>")  # placeholders that nobody can register
ANALYSIS = re.compile(r"<owner>/stridewise@<commit>")  # asks compilers of the project
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
ACTION_KEYS = {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
STEP_KEYS = {"name", "id", "if", "uses", "with", "run", "shell", "env"}
JOB_KEYS = {"runs-on", "steps", "if", "permissions", "needs"}
WORKFLOW_KEYS = {"name", "on", True, "permissions", "jobs"}  # YAML 1.1 reads `on` as true
PERMISSIONS = {"actions", "contents", "pull-requests", "security-events"}


def action_problems(action: Any) -> Iterator[str]:
    """Of a composite action's action.yml."""
    yield from unknown(action, ACTION_KEYS, "action")
    if action.get("runs", {}).get("using") != "composite":
        yield "runs.using is not 'composite'"
    inputs, outputs = action.get("inputs", {}), action.get("outputs", {})
    for name, entry in inputs.items():
        yield from unknown(entry, {"description", "required", "default"}, f"input {name}")
        if not entry.get("description") or ("default" in entry) == bool(entry.get("required")):
            yield f"input {name} needs a description, and a default or to be required"
        if not isinstance(entry.get("default", ""), str):
            yield f"input {name}: GitHub's inputs are texts"
    steps = action.get("runs", {}).get("steps", [])
    ids = {step["id"] for step in steps if "id" in step}
    for step in steps:
        yield from step_problems(step)
        if "run" in step and step.get("shell") != "bash":
            yield f"a step of a composite action needs its shell: {step}"
    for text in texts([steps, outputs]):
        for kind, name in re.findall(r"(?<![\w.])(inputs|steps)\.([\w-]+)", text):
            if name not in (inputs if kind == "inputs" else ids):
                yield f"'{kind}.{name}' does not exist"
    used = {name for text in texts(steps) for name in re.findall(r"inputs\.([\w-]+)", text)}
    yield from (f"input {name} is not used" for name in sorted(set(inputs) - used))


def workflow_problems(workflow: Any) -> Iterator[str]:
    yield from unknown(workflow, WORKFLOW_KEYS, "workflow")
    permissions = workflow.get("permissions")
    if not isinstance(permissions, dict) or not set(permissions) <= PERMISSIONS:
        yield "a workflow says which permissions it needs"
    events = workflow.get("on", workflow.get(True))
    if "pull_request_target" in str(events):
        yield "pull_request_target runs strangers' code with secrets"
    for name, job in workflow["jobs"].items():
        yield from unknown(job, JOB_KEYS, f"job {name}")
        rights = {**(permissions or {}), **job.get("permissions", {})}
        may_write = "workflow_run" in str(events) or "write" in rights.values()
        for step in job["steps"]:
            yield from step_problems(step)
            checkout = "actions/checkout@" in step.get("uses", "")
            if may_write and (checkout or "run" in step or ANALYSIS.fullmatch(step.get("uses", ""))):
                yield f"job {name} may write, so it checks out nothing and runs nothing of the project"
            if checkout and step.get("with", {}).get("persist-credentials") is not False:
                yield "a checkout leaves its token in the work tree"


def step_problems(step: Any) -> Iterator[str]:
    yield from unknown(step, STEP_KEYS, "step")
    if ("uses" in step) == ("run" in step):
        yield f"a step has either 'uses' or 'run': {step}"
    if "uses" in step and not (PINNED.fullmatch(step["uses"]) or OWN.fullmatch(step["uses"])):
        yield f"not pinned to a commit: {step['uses']}"
    if "run" in step:
        if "${{" in step["run"]:
            yield f"text of others becomes part of a script: {step['run']}"
        yield from script_problems(step["run"], "bash")
    for key in set(step) - {"env", "with", "if"}:
        if "${{" in str(step[key]) and key != "run":
            yield f"an expression in '{key}'"


def gitlab_problems(template: Any) -> Iterator[str]:
    for name, job in template.items():
        if name in ("variables", "stages", "include"):
            continue
        allowed = {"stage", "variables", "cache", "script", "artifacts", "rules", "needs"}
        yield from unknown(job, allowed, f"job {name}")
        for line in job.get("script", []):
            # $[[ inputs.x ]] would be replaced before the shell sees it.
            if "$[[" in line or "${{" in line:
                yield f"text of others becomes part of a script: {line}"
            yield from script_problems(line, "sh")
            known = set(template.get("variables", {})) | {
                "PWD",
                "CI_MERGE_REQUEST_DIFF_BASE_SHA",
                "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
            }
            for variable in re.findall(r"\$\{?([A-Z]\w+)", line):
                if variable not in known:
                    yield f"variable {variable} has no default"


def script_problems(script: str, shell: str) -> Iterator[str]:
    checked = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        yield f"{checked.stderr.strip()} in {script}"


def unknown(value: Any, keys: set[Any], where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where} is no mapping"
        return
    yield from (f"{where}: unknown key '{key}'" for key in value if key not in keys)


def texts(value: Any) -> Iterator[str]:
    """Every text in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)
