"""The manual page as man reads it, the completions as the shells run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TOP, succeed

from stridewise import catalogue, cli
from stridewise.cli import completion, completion_command, manual

SYNTAX = {"bash": ("bash", "-n"), "zsh": ("zsh", "-n"), "fish": ("fish", "--no-execute"), "tcsh": ("tcsh", "-n")}


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share")
    succeed(sys.executable, TOP / "scripts" / "make_shell_files.py", folder, PYTHONPATH=str(TOP))
    return folder


def test_manual_page_is_what_man_understands(share: Path) -> None:
    page = share / "man/man1/stridewise.1"
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, text=True, check=False)
    complaints = [line for line in done.stdout.splitlines() if "missing date" not in line]
    assert complaints == []
    shown = subprocess.run(["mandoc", "-Tutf8", page], capture_output=True, text=True, check=True).stdout
    plain = " ".join("".join(shown[i] for i in range(len(shown)) if "\b" not in shown[i : i + 2]).split())
    for name, command in manual.commands(cli.parser()).items():
        assert f"stridewise {name}" in plain
        for action in command._actions:
            assert all(option in plain for option in action.option_strings if option not in ("-h", "--help")), action
    assert "$TMPDIR" in plain or "'$TMPDIR'" in plain


@pytest.mark.parametrize("text", [".SH NOT A HEADING", "'br", "a\\fBb", "x\n.TP", '"quoted" -n'])
def test_no_text_becomes_a_request(text: str) -> None:
    parser = cli.parser()
    parser.description = text
    source = manual.page(parser, "1")
    done = subprocess.run(["mandoc", "-Tascii"], input=source, capture_output=True, text=True, check=True)
    shown = "".join(done.stdout[i] for i in range(len(done.stdout)) if "\b" not in done.stdout[i : i + 2])
    assert " ".join(text.split()) in " ".join(shown.split())


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_the_shell_reads_its_script(share: Path, shell: str) -> None:
    assert set(completion.SHELLS) == set(completion_command.PLACES)
    script = share / completion_command.PLACES[shell]
    done = subprocess.run([*SYNTAX[shell], script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def completed(share: Path, *words: str) -> set[str]:
    """What bash offers for the last word."""
    script = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}\n'
        "_shtab_stridewise 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    path = share / completion_command.PLACES["bash"]
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", path, *words], cwd=share, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_bash_completes(share: Path) -> None:
    slugs = set(catalogue.load())
    assert completed(share, "stridewise", "li") == {"lint"}
    assert {"lint", "run", "report", "explain", "completion"} <= completed(share, "stridewise", "")
    assert completed(share, "stridewise", "explain", "") == slugs
    assert completed(share, "stridewise", "explain", "mpi-t") == {s for s in slugs if s.startswith("mpi-t")}
    assert completed(share, "stridewise", "lint", "--fail") == {"--fail-on"}
    assert completed(share, "stridewise", "lint", "--fail-on", "w") == {"warning"}
    assert completed(share, "stridewise", "doctor", "--need", "pl") == {"placement"}
    assert completed(share, "stridewise", "report", "ma") == {"man"}


def test_fish_completes(share: Path) -> None:
    path = share / completion_command.PLACES["fish"]
    said = subprocess.run(
        ["fish", "--no-config", "-c", f"source {path}; complete -C 'stridewise explain mpi-tiny'"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert said.split()[0] == "mpi-tiny-messages"


def test_command_prints_the_script_and_refuses_other_shells(share: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for shell, place in completion_command.PLACES.items():
        assert cli.main(["completion", shell]) == 0
        assert capsys.readouterr().out == (share / place).read_text(encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        cli.main(["completion", "cmd"])
    assert end.value.code == 2
    assert "invalid choice: 'cmd'" in capsys.readouterr().err
