"""The GitHub action, step by step on a project: reports, verdicts, reviews, installation; and inputs that mean harm."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
import runner
import yaml  # type: ignore[import-untyped]
from conftest import BUILD, LINE, PADDED, TOP, Checkout
from runner import Job

ACTION = TOP / "action.yml"
RULE = "mem-struct-padding"


def act(checkout: Checkout, /, github: dict[str, str] | None = None, **inputs: str) -> Job:
    """Inputs with `_` for `-`; pull requests are said by GITHUB_BASE_REF in `github`."""
    names = {name.replace("_", "-"): value for name, value in inputs.items()}
    github = github or {}
    environment = {name: value for name, value in github.items() if name.isupper()}
    return runner.run(ACTION, checkout.root, checkout.temp, {**checkout.environment, **environment}, names, github)


def load(job: Job, name: str) -> Any:
    return json.loads(Path(job.outputs["check"][name]).read_text())


def test_reports(checkout: Checkout) -> None:
    job = act(checkout)
    assert job.status == 0, job.log
    assert job.ran == ["Look for stridewise", "Analyse", "Verdict"]
    assert job.outputs["check"]["findings"] == "1"
    assert job.outputs["check"]["plan"] == ""
    (finding,) = load(job, "json")["findings"]
    assert (finding["rule"], finding["location"]["file"], finding["location"]["line"]) == (
        RULE,
        "src/particles.c",
        LINE,
    )
    sarif = load(job, "sarif")
    assert sarif["version"] == "2.1.0"
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == [RULE]
    assert job.summary.startswith("## Stridewise: 1 finding\n")
    assert f"<code>src/particles.c:{LINE}</code>" in job.summary
    assert re.search(rf"^::warning title=stridewise-{RULE},file=src/particles\.c,line={LINE},", job.log, re.MULTILINE)
    assert "::warning" not in act(checkout, annotations="false").log


def test_verdicts(checkout: Checkout) -> None:
    assert act(checkout, fail_on="warning").status == 1
    assert act(checkout, fail_on="error").status == 0
    (checkout.root / ".stridewise.toml").write_text('fail-on = "warning"\n')
    assert act(checkout, rules="mem-*").status == 1
    checkout.add("src/broken.c", "int broken(;\n")
    job = act(checkout)
    assert job.status == 2
    assert "does not compile with clang" in job.summary
    assert job.outputs["check"]["findings"] == "1"
    assert act(checkout, paths="src/particles.c").status == 1


def test_a_baseline_accepts_what_is_there(checkout: Checkout) -> None:
    page = (TOP / "docs" / "ci.md").read_text()
    settings = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert settings
    (command,) = re.findall(r"^    (stridewise .*--write-baseline.*)$", page, re.MULTILINE)
    (checkout.root / ".stridewise.toml").write_text(settings[1])
    before = act(checkout)
    assert before.status == 2, "the page's settings name a baseline that is not there yet"
    subprocess.run(["sh", "-c", command], cwd=checkout.root, env=checkout.environment, check=True)
    job = act(checkout)
    assert (job.status, job.outputs["check"]["findings"]) == (0, "0")
    assert "1 in the baseline" in job.summary
    checkout.add("src/more.c", PADDED.replace("particle", "cell"))
    assert act(checkout).status == 1


@pytest.mark.parametrize(
    "inputs",
    [
        {"paths": "$(touch pwned)\n`touch pwned`\n; touch pwned"},
        {"paths": "--output=pwned"},
        {"rules": "*'; touch pwned; '"},
        {"build": "--write-baseline=pwned"},
        {"build": '"; touch pwned; "'},
        {"baseline": "--output=pwned"},
        {"fail_on": "warning; touch pwned"},
        {"max_comments": "1$(touch pwned)"},
        {"working_directory": "$(touch pwned)"},
        {"runs": "--output=pwned"},
    ],
)
def test_inputs_are_words_never_commands(checkout: Checkout, inputs: dict[str, str]) -> None:
    job = act(checkout, None, **inputs)
    assert job.status == 2, job.log
    assert not list(checkout.root.parent.rglob("pwned*"))


def test_names_in_the_project_give_no_orders(checkout: Checkout) -> None:
    name = "src/##[add-mask]x\n::error::y%0A.c"
    checkout.add(name, "int broken(;\n")
    job = act(checkout)
    assert job.status == 2
    lines = job.log.splitlines()
    stop = next(i for i, line in enumerate(lines) if line.startswith("::stop-commands::"))
    resume = lines.index(f"::{lines[stop].removeprefix('::stop-commands::')}::")
    open_lines = [line for i, line in enumerate(lines) if not stop <= i <= resume]
    assert all(
        line.startswith(("::warning title=stridewise", "::error title=stridewise"))
        for line in open_lines
        if "::" in line
    )
    assert not any("##[" in line and not line.startswith("::") for line in open_lines)
    assert any("##[add-mask]" in line for line in lines[stop:resume])


def test_a_review_judges_the_change(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "main")
    checkout.add("src/old.c", PADDED.replace("particle", "cell"))
    checkout.git("add", ".")
    checkout.git("commit", "-qm", "an old finding")
    checkout.git("checkout", "-q", "change")
    checkout.git("rebase", "-q", "main")
    job = act(checkout, review="plan", base="main", fail_on="warning")
    assert job.status == 1, job.log
    plan = load(job, "plan")
    assert [placed["finding"]["location"]["file"] for placed in plan["comments"]] == ["src/particles.c"]
    assert job.outputs["check"]["findings"] == "2"
    assert job.summary.index("src/particles.c") < job.summary.index("src/old.c")
    (checkout.root / "src" / "particles.c").write_text(PADDED.replace("  int kind;\n", ""))
    assert act(checkout, review="off", base="main").outputs["check"]["plan"] == ""


def test_a_push_is_not_reviewed(checkout: Checkout) -> None:
    job = act(checkout, review="plan")
    assert (job.status, job.outputs["check"]["plan"]) == (0, "")
    assert "nothing is reviewed" in job.log


def test_the_analysis_posts_nothing(checkout: Checkout) -> None:
    """It has seen the change: it takes no token, and knows no way to post."""
    job = act(checkout, review="post", base="main")
    assert job.status == 2
    assert "the input 'review' must be one of: 'off' 'plan'" in job.log
    run = [str(step) for step in yaml.safe_load(ACTION.read_text())["runs"]["steps"]]
    assert not re.search(
        r"token|--post|post\.sh", "".join(run) + (TOP / "ci" / "github" / "check.sh").read_text(), re.I
    )


def wheel(folder: Path) -> Path:
    """A package whose command says a version and nothing more."""
    name = "stridewise-9.9.9"
    file = folder / f"{name}-py3-none-any.whl"
    script = (
        "import sys\n\ndef main():\n    print('stridewise 9.9.9')\n    sys.exit(0 if 'version' in sys.argv else 2)\n"
    )
    entries = {
        "sw_test.py": script,
        f"{name}.dist-info/METADATA": "Metadata-Version: 2.1\nName: stridewise\nVersion: 9.9.9\n",
        f"{name}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{name}.dist-info/entry_points.txt": "[console_scripts]\nstridewise = sw_test:main\n",
    }
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in entries.items():
            archive.writestr(path, text)
        archive.writestr(f"{name}.dist-info/RECORD", "".join(f"{path},,\n" for path in entries))
    return file


def test_what_is_missing_is_installed_once(checkout: Checkout) -> None:
    (checkout.bin / "stridewise").unlink()
    package = wheel(checkout.temp)
    for _ in range(2):
        job = act(checkout, wheel=str(package))
        assert job.outputs["look"]["found"] == "false"
        assert re.fullmatch(r"stridewise-Linux-[\w.]+-[\w.]+-[0-9a-f]{64}", job.outputs["look"]["key"])
        assert job.ran == ["Look for stridewise", "Install stridewise", "Analyse"]
        assert job.path == [str(checkout.temp / "stridewise-venv" / "bin")]
        assert "stridewise 9.9.9" in job.log
        assert job.status == 2, "that command analyses nothing"
        assert "::error title=stridewise::nothing could be analysed" in job.log
    other = act(checkout)
    assert other.outputs["look"]["key"] != job.outputs["look"]["key"]


@pytest.mark.parametrize("name", ["stridewise", "stridewise==0.1.0", "missing.whl", "--index-url=x", "https://x/a.whl"])
def test_no_name_is_looked_up_in_an_index(checkout: Checkout, name: str) -> None:
    (checkout.bin / "stridewise").unlink()
    job = act(checkout, wheel=name)
    assert job.status == 2
    assert "names no wheel that is there" in job.log
    assert not (checkout.temp / "stridewise-venv").exists()


def test_the_action_installs_its_own_sources(checkout: Checkout) -> None:
    (checkout.bin / "stridewise").unlink()
    environment = {name: value for name, value in checkout.environment.items() if name != "STRIDEWISE_BUILD"}
    # What is compiled is taken from the build folder; the rest is as on a machine of GitHub's.
    environment["PIP_CONFIG_SETTINGS"] = f"cmake.define.STRIDEWISE_PREBUILT={BUILD}"
    job = runner.run(ACTION, checkout.root, checkout.temp, environment, {"fail-on": "warning"}, {})
    assert job.status == 1, job.log
    assert job.ran == ["Look for stridewise", "Install stridewise", "Analyse", "Verdict"]
    assert job.outputs["check"]["findings"] == "1"
    assert (checkout.temp / "stridewise-venv" / "bin" / "stridewise-analyze").is_file()
