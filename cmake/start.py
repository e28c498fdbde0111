"""Starts the installed command; understood by any Python 3, so that one that is too old says so."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        "error: stridewise needs Python 3.11 or newer, %s is %s; set STRIDEWISE_PYTHON to a newer one"  # noqa: UP031
        % (sys.executable, sys.version.split()[0])
    )

from stridewise.__main__ import main

sys.exit(main())
