"""Coverage-guided fuzzing of one reader, with atheris: `python3 fuzz.py TARGET FOLDER --seconds 60`.

FOLDER keeps the seeds and what the fuzzer found beside them; a crash leaves `FOLDER/crash-*` and ends with status 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["stridewise"]):
    import targets


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=targets.TARGETS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--scratch", type=Path, help="holds the file that is read (default: FOLDER)")
    options = parser.parse_args()
    target = targets.TARGETS[options.target]
    corpus, scratch = options.folder / "corpus", Path(tempfile.mkdtemp(dir=options.scratch or options.folder))
    corpus.mkdir(parents=True, exist_ok=True)
    if not any(corpus.iterdir()):
        target.seeds(corpus)
    words = [
        sys.argv[0], f"-max_total_time={options.seconds}", "-timeout=20", "-rss_limit_mb=4096", "-max_len=65536",
        "-print_final_stats=1", f"-artifact_prefix={options.folder}/", str(corpus),
    ]  # fmt: skip
    atheris.Setup(words, lambda data: target.read(data, scratch))
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
