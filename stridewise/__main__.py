"""python3 -m stridewise, and the command `stridewise`."""

from __future__ import annotations

import sys


def main() -> int:
    """Compilations wait for compile-warnings, so it starts without what the other commands load."""
    if sys.argv[1:2] == ["compile-warnings"]:
        from stridewise import compile_warnings

        return compile_warnings.main(sys.argv[2:])
    from stridewise import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
