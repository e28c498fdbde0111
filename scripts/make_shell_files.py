"""Writes the manual page and the shells' completion scripts below a folder like /usr/share: make_shell_files.py DIR."""

from __future__ import annotations

import sys
from pathlib import Path

from stridewise import __version__, cli
from stridewise.cli import completion_command, manual


def main() -> int:
    share = Path(sys.argv[1])
    parser = cli.parser()
    missing: dict[str, list[str]] = {}
    for shell, place in completion_command.PLACES.items():
        try:
            _write(share / place, completion_command.script(shell, parser))
        except ImportError as error:
            missing.setdefault(str(error), []).append(shell)
    for why, shells in missing.items():
        print(f"no completion for {', '.join(shells)}: {why}", file=sys.stderr)
    _write(share / "man/man1/stridewise.1", manual.page(parser, __version__))
    return 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
