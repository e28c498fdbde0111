"""`stridewise completion`: its options."""

from __future__ import annotations

from stridewise.cli.options import Commands, Line, Parser, add

SHELLS = ("bash", "zsh", "fish", "tcsh")


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "completion",
        "print a script that completes commands, options and rules in a shell",
        _run,
        [
            'completion bash    # eval "$(stridewise completion bash)" in ~/.bashrc',
            'completion zsh     # > "${fpath[1]}/_stridewise"',
            "completion fish    # > ~/.config/fish/completions/stridewise.fish",
            "completion tcsh    # > ~/.stridewise.tcsh, and source that in ~/.tcshrc",
        ],
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def _run(line: Line) -> int:
    from stridewise.cli import completion_command

    return completion_command.show(line.options.shell, line.parser)
