"""How well laws of few ranks foretell more: fits on some, runs others, prints the share of call paths within 1 %.

    benchmarks/scale.py --fit 2,3,4,5,6,8,9,12,16 --see 27,36 -- mpirun --oversubscribe -n {n} ./app small

Options of `stridewise scale` (--weak, --let, --template, --env) go before the `--`, too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NEAR = 0.01
COUNTS = {"calls_most": "calls of the busiest rank", "calls": "calls of all ranks", "bytes_most": "bytes of a rank"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", default="2,3,4,5,6,8,9,12,16", help="ranks that the laws are made of")
    parser.add_argument("--see", default="27,36", help="ranks that they foretell")
    parser.add_argument("-o", "--output", type=Path, help="folder of the runs (default: a temporary one)")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options, more = parser.parse_known_args(sys.argv[1:split])
    command = sys.argv[split + 1 :]
    if not command:
        parser.error("say how the program is run behind '--'")
    with tempfile.TemporaryDirectory() as temporary:
        return measure(options, more, command, options.output or Path(temporary))


def measure(options: argparse.Namespace, more: Sequence[str], command: Sequence[str], folder: Path) -> int:
    begin = time.monotonic()
    fitted = scale(["-n", options.fit, *more, "-o", str(folder / "fit"), "--", *command])
    took = time.monotonic() - begin
    print(f"{len(fitted['sites'])} call paths, fitted at {fitted['ranks']} in {took:.0f} s")
    for ranks in (int(word) for word in options.see.split(",")):
        seen_folder = folder / f"see-{ranks}"
        # One run alone makes no law; it is made all the same.
        run(["-n", str(ranks), *more, "-o", str(seen_folder), "--", *command])
        foretold = scale(["--target", str(ranks), "--from", *map(str, sorted((folder / "fit").glob("ranks-*")))])
        seen = scale(
            ["--from", *map(str, sorted((folder / "fit").glob("ranks-*"))), str(seen_folder / f"ranks-{ranks:05d}")]
        )
        compare(foretold, seen, ranks)
    return 0


def key(site: dict[str, Any]) -> str:
    return json.dumps([site["call"], site["path"]])


def compare(foretold: dict[str, Any], seen: dict[str, Any], ranks: int) -> None:
    if ranks not in seen["ranks"]:
        print(f"{ranks} ranks: the run failed")
        return
    at = seen["ranks"].index(ranks)
    truth = {key(site): site for site in seen["sites"]}
    known = {key(site) for site in foretold["sites"]}
    print(f"{ranks} ranks: {sum(k not in known for k in truth)} call paths that the smaller runs never took")
    for count, name in COUNTS.items():
        sites = [s for s in foretold["sites"] if not s["timing"]]
        lawful = [s for s in sites if s[count]["law"] is not None]
        sure = [s for s in lawful if s[count]["confidence"] == "high"]
        parts = []
        for what, chosen in (("all", sites), ("with a law", lawful), ("of high confidence", sure)):
            near = sum(is_near(s[count], truth[key(s)][count]["values"][at]) for s in chosen if key(s) in truth)
            parts.append(f"{what} {near}/{len(chosen)}" + (f" ({near / len(chosen):.3f})" if chosen else ""))
        print(f"  {name}: within {NEAR:.0%}: {', '.join(parts)}")
        for s in sure:
            value = truth[key(s)][count]["values"][at]
            if not is_near(s[count], value):
                said = f"{s[count]['law']} says {s[count]['at_target']}"
                print(f"    {s['file']}:{s['line']} {s['call']}: {said}, seen {value}")


def is_near(count: dict[str, Any], value: float) -> bool:
    """Whether the law itself, not only its range with its rivals, is near."""
    if count["law"] is None:
        return False
    return bool(abs(count["foretold"] - value) <= NEAR * abs(value))


def scale(words: Sequence[str]) -> dict[str, Any]:
    done = run(
        [*words[: words.index("--")], "--format", "json", *words[words.index("--") :]]
        if "--" in words
        else [*words, "--format", "json"]
    )
    if done.returncode != 0:
        sys.exit(done.stderr)
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stridewise", "scale", *words], capture_output=True, text=True, check=False
    )


if __name__ == "__main__":
    sys.exit(main())
