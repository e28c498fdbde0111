"""stridewise lsp: parses and starts the language server."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading
from pathlib import Path

from stridewise.errors import Failure

EXAMPLES = (
    "lsp                                   # an editor starts this and speaks to it on standard input and output",
    "lsp --log-file lsp.log --verbose",
)
_PATIENCE_SECONDS = 5.0
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help="speak on standard input and output (the default, and the only way)"
    )
    parser.add_argument("--log-file", metavar="FILE", type=Path, help="write the log to FILE, not to standard error")
    parser.add_argument("--verbose", action="store_true", help="log every message")


def run(options: argparse.Namespace) -> int:
    """The exit status: 0 after an orderly end, 1 if the client left without one."""
    try:
        from stridewise.lsp import features
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "attrs", "cattrs"):
            raise
        raise Failure(
            f"the language server needs the Python package {error.name}: 'make build' in a checkout of Stridewise "
            "brings it along, elsewhere pip install 'pygls>=2,<3' does"
        ) from error
    from stridewise import catalogue
    from stridewise.settings import toolchain

    _log(options.log_file, options.verbose)
    trouble, analyzer = None, None
    try:
        analyzer = toolchain.analyzer()
    except Failure as failure:
        trouble = failure  # an editor shows a message, but hardly why a server ended
    made = features.create(analyzer, catalogue.load(), trouble)
    # What anything prints must not get between the messages.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    status = 1
    try:
        made.start_io(stdout=channel)
        status = 0 if made.left_in_order else 1
    finally:
        # What cannot be ended, such as the reading of a large run, must not keep the server alive without its client.
        last = threading.Timer(_PATIENCE_SECONDS, os._exit, (status,))
        last.daemon = True
        last.start()
        made.engine.close()
    return status


def _log(file: Path | None, verbose: bool) -> None:
    try:
        handler = logging.FileHandler(file, encoding="utf-8") if file else logging.StreamHandler(sys.stderr)
    except OSError as error:
        raise Failure(f"cannot write {file}: {error.strerror}; name another --log-file") from error
    handler.setFormatter(logging.Formatter(_FORMAT))
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if verbose else logging.WARNING)
    logging.getLogger("stridewise").setLevel(logging.DEBUG if verbose else logging.INFO)
