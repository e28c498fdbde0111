"""Runs a composite action as GitHub's runner does: inputs, outputs, conditions, variables. Steps of other actions are
left out. Only the expressions that our actions use are known, others fail."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml  # type: ignore[import-untyped]

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_COMPARISON = re.compile(r"([\w.-]+) (==|!=) '([^']*)'")


@dataclass
class Job:
    """What a job's steps have left: the status of the first that failed, their output, outputs by step, the summary."""

    status: int = 0
    log: str = ""
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    summary: str = ""
    path: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)


def run(
    action: Path,
    folder: Path,
    temp: Path,
    environment: Mapping[str, str],
    inputs: Mapping[str, str],
    github: Mapping[str, str] | None = None,
) -> Job:
    """`github` are values of the context of that name, such as `token`."""
    spec = yaml.safe_load(action.read_text())
    assert set(inputs) <= set(spec["inputs"]), "unknown inputs"
    job = Job()
    context = {f"github.{name}": value for name, value in (github or {}).items()}
    context |= {"github.action_path": str(action.parent), "runner.temp": str(temp), "runner.os": "Linux"}
    for name, entry in spec["inputs"].items():
        given = inputs.get(name, entry.get("default"))
        assert given is not None, f"input {name} is required"
        context[f"inputs.{name}"] = _replaced(given, context)
    files = {name: temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    for step in spec["runs"]["steps"]:
        if job.status or ("if" in step and not _holds(step["if"], context)) or "uses" in step:
            continue
        for name in ("GITHUB_OUTPUT", "GITHUB_PATH"):
            files[name].write_text("")
        own = {name: _replaced(value, context) for name, value in step.get("env", {}).items()}
        path = os.pathsep.join([*job.path, environment["PATH"]])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder, stdin=subprocess.DEVNULL, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**environment, "PATH": path, "RUNNER_TEMP": str(temp), "GITHUB_ACTION_PATH": str(action.parent),
                 **{name: str(file) for name, file in files.items()}, **own},
        )  # fmt: skip
        job.ran.append(step["name"])
        job.status = done.returncode
        job.log += done.stdout
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        if "id" in step:
            job.outputs[step["id"]] = outputs
            context |= {f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()}
        job.path += files["GITHUB_PATH"].read_text().splitlines()
    if files["GITHUB_STEP_SUMMARY"].is_file():
        job.summary = files["GITHUB_STEP_SUMMARY"].read_text()
    return job


def _replaced(text: str, context: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda match: _value(match[1], context), text)


def _value(name: str, context: Mapping[str, str]) -> str:
    assert re.fullmatch(r"(github|inputs|steps|runner)\.[\w.-]+", name), f"unknown expression {name}"
    return context.get(name, "")


def _holds(condition: str, context: Mapping[str, str]) -> bool:
    results = []
    for part in condition.split(" && "):
        match = _COMPARISON.fullmatch(part)
        assert match, f"unknown condition {part}"
        results.append((_value(match[1], context) == match[3]) == (match[2] == "=="))
    return all(results)
