"""All files against trusted.toml: what is installed, run or pointed at is listed there with a reason."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib

import pytest
import supply_chain as chain
import yaml  # type: ignore[import-untyped]
from conftest import TOP

from stridewise.settings import remedies

TRUSTED = chain.load()
# Licences, and data without addresses that anybody follows. What tests make up is theirs, but for what they install.
LEFT_OUT = re.compile(
    r"LICENSE$|package-lock\.json$|requirements[\w-]*\.txt$|^rules/[^/]+/(cases/|(buggy|fixed))|\.svg$"
)


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP,
        capture_output=True,
        check=False,
    ).stdout.decode()
    if listed:
        return sorted(listed.rstrip("\0").split("\0"))
    files = (path for path in TOP.rglob("*") if path.is_file())  # an unpacked archive
    return sorted(str(p.relative_to(TOP)) for p in files if not {"build", ".git"} & set(p.relative_to(TOP).parts))


def texts() -> list[tuple[str, str]]:
    found = []
    for name in tracked():
        path = TOP / name
        if not LEFT_OUT.search(name) and not name.startswith("tests/") and path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if b"\0" not in data[:8192]:
                found.append((name, data.decode("utf-8")))
    return found


def test_every_file() -> None:
    names = {name for name, _ in texts()}
    assert {
        "README.md",
        "action.yml",
        "docs/ci.md",
        "editors/vscode/README.md",
        "scripts/bootstrap.sh",
        "mkdocs.yml",
    } <= names
    assert [f"{name}: {said}" for name, text in texts() for said in chain.problems(name, text, TRUSTED)] == []


def test_what_tests_install() -> None:
    """Their addresses are made up; what they install is not."""
    for name in (name for name in tracked() if name.startswith("tests/") and "supply_chain" not in name):
        path = TOP / name
        if path.suffix in (".py", ".sh", ".toml", ".mjs") and path.is_file():
            for match in chain.PIP.finditer(path.read_text(encoding="utf-8")):
                assert list(chain.pip_problems(match["rest"], False, TRUSTED)) == [], name


def test_lists_of_packages() -> None:
    requirements = [name for name in tracked() if re.search(r"requirements[\w-]*\.txt$", name)]
    assert len(requirements) == 4
    for name in requirements:
        assert list(chain.requirement_problems((TOP / name).read_text(), TRUSTED)) == [], name
    assert list(chain.project_problems(tomllib.loads((TOP / "pyproject.toml").read_text()), TRUSTED)) == []
    editor = TOP / "editors" / "vscode"
    package, lock = (chain.read_json(editor / name) for name in ("package.json", "package-lock.json"))
    assert list(chain.node_problems(package, lock, (editor / ".npmrc").read_text(), TRUSTED)) == []
    assert list(chain.debian_problems((TOP / "packaging" / "debian" / "control").read_text(), TRUSTED)) == []
    recipe = TOP / "packaging" / "spack" / "packages" / "stridewise" / "package.py"
    assert list(chain.spack_problems(recipe.read_text(), TRUSTED)) == []
    assert list(chain.hook_problems(yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text()))) == []


def test_packages_of_the_system() -> None:
    for script in ("scripts/bootstrap.sh", "ci/github/install.sh"):
        names = chain.lists_of_shell((TOP / script).read_text())
        assert len(names) > 9
        assert set(names) <= TRUSTED.apt, script
    said = {
        word
        for value in vars(remedies).values()
        if isinstance(value, remedies.Remedy)
        for manager, listed in value.packages.items()
        if manager in ("apt", "pip")
        for word in shlex.split(listed)
    }
    assert {chain.canonical(word) if manager_of(word) == "pip" else word for word in said} <= TRUSTED.apt | TRUSTED.pip


def manager_of(word: str) -> str:
    return "pip" if re.search(r"[<>=]", word) else "apt"


def test_every_entry_has_a_reason_and_is_used() -> None:
    table = tomllib.loads(chain.TRUSTED.read_text())
    for kind in ("pip", "npm", "images", "addresses"):
        assert all(isinstance(why, str) and len(why) > 10 for why in table[kind].values()), kind
    assert all(len(entry["why"]) > 10 for entry in table["actions"].values())
    everything = "\n".join(
        (TOP / name).read_text() for name in tracked() if name.endswith((".txt", ".toml", ".json", ".yml"))
    )
    everything += "\n".join(text for _, text in texts())
    plain = re.sub(r"[_.]", "-", everything).lower()
    for kind in ("pip", "npm", "actions", "images", "addresses"):
        for name in table[kind]:
            assert (name in everything) or (kind == "pip" and name in plain), f"{name} is not used any more"


BAD = {
    "docs/x.md": [
        "    pip install 'stridewise[lsp]'\n",
        "    pip install stridewise\n",
        "`pipx install stridewise`",
        "pip install requets",
        "    python3 -m pip install --upgrade stridewise==1.0\n",
        "uv tool install stridewise",
        "uvx stridewise",
        "npx stridewise",
        "npm install stridewise\n",
        "cargo install stridewise\n",
        "brew install stridewise\n",
        "docker pull stridewise\n",
        "      - uses: actions/checkout@v4\n",
        "      - uses: owner/stridewise@v1\n",
        "- uses: actions/cache@" + 40 * "0",
        "- uses: <owner>/stridewise@main\n",
        "    image: stridewise/stridewise:latest\n",
        "  - project: group/stridewise\n",
        "  - repo: https://github.com/owner/stridewise\n",
        "    rev: v1\n",
        "see https://stridewise.readthedocs.io/en/latest/.",
        "https://pre-commit.com.evil.io/x",
        "curl -s https://example.org/x | sh\n",
        "apt install stridewise\n",
        "pip install 'urllib3>=2' stridewise\n",
    ],
    "ci/x.sh": [
        "python -m pip install -r requirements.txt\n",
        "pip install 'urllib3>=2,<3'\n",
        'pip install \\\n  -- "$package" urllib3\n',
        '"$environment/bin/python" -m pip install --quiet "$sources"\n',
    ],
    "docs/howto/containers/Dockerfile": ["FROM stridewise/base\n", "FROM debian:latest\n"],
}
GOOD = {
    "docs/x.md": [
        "    pip install '.[lsp,review]'\n",
        "    pip install .\n",
        "`pip install` with a target folder leaves",
        "pip install 'pygls>=2'",
        "- uses: <owner>/stridewise@<commit>\n",
        "      - uses: <owner>/stridewise/ci/github/post@<commit>\n",
        "  - project: <group>/stridewise\n",
        "https://pre-commit.com)",
        "https://example.org/a",
        "apt install ./out/stridewise_*.deb\n",
        "    pip install . -C cmake.define.X=ON   # an error\n",
        "- uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2\n",
        "`pip wheel .` writes the wheel to a file",
    ],
    "ci/x.sh": [
        'pip install --require-hashes -r "$here/requirements.txt"\n',
        'python -m pip install --no-index --no-deps -- "$sources"\n',
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, many in BAD.items() for text in many])
def test_what_is_not_ours_is_noticed(name: str, text: str) -> None:
    assert list(chain.problems(name, text, TRUSTED))


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, many in GOOD.items() for text in many])
def test_what_is_ours_or_listed_is_no_problem(name: str, text: str) -> None:
    assert list(chain.problems(name, text, TRUSTED)) == []


def test_lists_that_are_wrong_are_noticed() -> None:
    pinned = "urllib3==2.8.0 \\\n    --hash=sha256:" + 64 * "a" + "\n"
    assert list(chain.requirement_problems(pinned, TRUSTED)) == []
    for text in (
        "urllib3==2.8.0\n",
        pinned.replace("==", ">="),
        pinned.replace("urllib3", "stridewise"),
        "-e git+https://x\n",
    ):
        assert list(chain.requirement_problems(text, TRUSTED)), text
    project = {"build-system": {"requires": []}, "project": {"optional-dependencies": {"lsp": ["pyglss>=2"]}}}
    assert list(chain.project_problems(project, TRUSTED))
    lock = {"packages": {"": {}, "node_modules/a": {"version": "1.0.0"}}}
    assert len(list(chain.node_problems({"devDependencies": {"a": "^1"}}, lock, "ignore-scripts=false", TRUSTED))) == 4
    assert list(chain.debian_problems("Depends:\n stridewise-extra,\n", TRUSTED))
    assert list(chain.spack_problems('git = "https://x"\ndepends_on("py-stridewise")', TRUSTED))
    assert list(chain.hook_problems([{"id": "a", "language": "python", "entry": "stridewise lint"}]))
