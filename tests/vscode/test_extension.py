"""The VS Code extension: built, packed and tested by scripts/vscode.py, with Node and packages that are pinned."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from stridewise import __version__

TOP = Path(__file__).resolve().parents[2]
SOURCE = TOP / "editors" / "vscode"
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build"))


def manifest() -> dict[str, Any]:
    value = json.loads((SOURCE / "package.json").read_text())
    assert isinstance(value, dict)
    return value


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build folder; one that cannot be written to is replaced."""
    return BUILD if os.access(BUILD, os.W_OK) else tmp_path_factory.mktemp("build")


@pytest.fixture(scope="session")
def package(build: Path) -> Path:
    done = subprocess.run(
        [sys.executable, TOP / "scripts" / "vscode.py", "--build", build],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(done.stdout.splitlines()[-1])


def node_tests(build: Path, *files: str, **variables: str) -> int:
    """How many passed; none may fail or be left out."""
    folder = build / "vscode"
    done = subprocess.run(
        [folder / ".tools" / "node", "--test", "--test-reporter=tap", "--no-warnings", *files],
        cwd=folder, env={**os.environ, "NODE_OPTIONS": "", **variables},
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    counts = dict(re.findall(r"^# (tests|pass) (\d+)$", done.stdout, re.MULTILINE))
    assert done.returncode == 0, done.stdout + done.stderr
    assert counts["tests"] == counts["pass"], done.stdout
    return int(counts["pass"])


@pytest.mark.usefixtures("package")
def test_logic_and_protocol(build: Path) -> None:
    assert node_tests(build, "test/logic.test.ts") >= 8
    assert node_tests(build, "test/extension.test.ts") >= 8


@pytest.mark.usefixtures("package")
def test_with_the_server_itself(build: Path, tmp_path: Path) -> None:
    command = tmp_path / "stridewise"
    command.write_text(f"#!/bin/sh\nPYTHONPATH='{TOP}' exec '{sys.executable}' -m stridewise \"$@\"\n")
    command.chmod(0o755)
    own = {"STRIDEWISE_BUILD": str(BUILD), "XDG_CACHE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    assert node_tests(build, "test/server.test.ts", STRIDEWISE_COMMAND=str(command), **own) == 1


def test_the_package_holds_what_it_must_and_nothing_else(package: Path, build: Path) -> None:
    assert package.name == f"stridewise-{__version__}.vsix"
    with zipfile.ZipFile(package) as archive:
        assert sorted(archive.namelist()) == [
            "[Content_Types].xml",
            "extension.vsixmanifest",
            "extension/LICENSE.txt",
            "extension/dist/NOTICE.txt",
            "extension/dist/extension.js",
            "extension/package.json",
            "extension/readme.md",
        ]
        code = archive.read("extension/dist/extension.js").decode()
        notice = archive.read("extension/dist/NOTICE.txt").decode()
        assert json.loads(archive.read("extension/package.json")) == manifest()
        assert archive.read("extension/LICENSE.txt") == (TOP / "LICENSE").read_bytes()
    assert str(build) not in code
    required = set(re.findall(r'[^.\w]require\("([^"]+)"\)', code))
    builtin = {"child_process", "crypto", "fs", "net", "os", "path", "readline", "util", "url", "vscode"}
    assert {name.removeprefix("node:").split("/")[0] for name in required} <= builtin
    for name in ("vscode-languageclient 11", "vscode-jsonrpc", "semver", "minimatch"):
        assert name in notice


def test_packages_are_pinned_wherever_they_come_from() -> None:
    lock = json.loads((SOURCE / "package-lock.json").read_text())
    for name, entry in lock["packages"].items():
        assert "resolved" not in entry, f"{name} names a registry"
        assert not name or entry["integrity"].startswith("sha512-"), name
    assert lock["packages"][""]["devDependencies"] == manifest()["devDependencies"]
    assert "dependencies" not in manifest()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in manifest()["devDependencies"].values())
    assert "ignore-scripts=true" in (SOURCE / ".npmrc").read_text().splitlines()


def test_the_manifest_fits_the_product_and_its_page() -> None:
    value = manifest()
    assert value["version"] == __version__
    page = (SOURCE / "README.md").read_text()
    settings = value["contributes"]["configuration"]["properties"]
    assert set(re.findall(r"^\| `(stridewise\.[\w.]+)`", page, re.MULTILINE)) == set(settings)
    for command in value["contributes"]["commands"]:
        assert f"| {command['category']}: {command['title']} |" in page
    # Whatever leads to a program being started is taken from trusted workspaces only.
    trust = value["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert {"stridewise.path", "stridewise.buildFolder", "stridewise.runFolders"} <= set(
        trust["restrictedConfigurations"]
    )
    assert settings["stridewise.path"]["scope"] == "machine-overridable"
