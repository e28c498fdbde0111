"""python3 -m stridewise, and the command `stridewise`."""

from __future__ import annotations

import sys


def main() -> int:
    """Starts without what most commands load where somebody waits: for compile-warnings, and where lint can repeat the
    report of an unchanged project."""
    if sys.argv[1:2] == ["lint"]:
        from stridewise.lint import replay

        try:
            status = replay.answer(sys.argv[1:])
        except BrokenPipeError:
            status = None  # the command line knows what to do
        if status is not None:
            return status
    if sys.flags.no_site:  # as a checkout's command starts; what follows may need the environment's packages
        import site

        site.main()
    if sys.argv[1:2] and sys.argv[1] in ("lint", "review", "lsp", "compile-warnings"):
        from stridewise import ending

        ending.install()
    if sys.argv[1:2] == ["compile-warnings"]:
        from stridewise.lint import compile_warnings

        return compile_warnings.main(sys.argv[2:])
    from stridewise import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
