"""The command `stridewise review`: its options, and the way from a change to a report, a plan or a posted review."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from stridewise.errors import Failure
from stridewise.finding import Confidence, Severity
from stridewise.review import post

EXAMPLES = (
    "review --base origin/main             # what this branch brings",
    "review --base HEAD~1 -p build --fail-on warning",
    "review --diff change.patch            # applied already; works without git",
    "review --base main --run run-new --base-run run-main",
    "review --base main --run run-new --budget stridewise-budget.json --fail-on warning",
    "review --base main --format rdjson | reviewdog -f=rdjson -filter-mode=diff_context",
    "review --base main --format json -o plan.json    # split mode: without secrets; then, in a trusted job:",
    "review --plan plan.json --post github",
)
EXIT = (
    "exit status: 0 clean or advisory, 1 a finding of the change or a regression at or above --fail-on (low\n"
    "confidence never counts), or with --fail-on a count above the budget, 2 some of the work could not be done"
)
FORMATS = ("text", "json", "rdjson", "sarif", "gitlab", "github", "markdown")
COMMENTS = 25
_UNITS = 100
# What CI says of the branch that a change is for.
_GITHUB_BASE, _GITLAB_BASE = "GITHUB_BASE_REF", "CI_MERGE_REQUEST_DIFF_BASE_SHA"


def add_options(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what is reviewed")
    what.add_argument(
        "--base",
        metavar="REV",
        default="",
        help="against where the work tree left this commit, branch or tag (default: what GitHub or GitLab name in CI, "
        "else origin's default branch)",
    )
    what.add_argument("--diff", metavar="FILE", help="a unified diff that the work tree has applied; - reads it")
    what.add_argument("--plan", metavar="FILE", type=Path, help="post the plan that --format json wrote")
    what.add_argument("-p", dest="database", metavar="BUILD", type=Path, help="build folder or compile_commands.json")
    runs = parser.add_argument_group("runs")
    runs.add_argument(
        "--run",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="what stridewise run left of a run with the change; again for repetitions",
    )
    runs.add_argument(
        "--base-run", metavar="DIR", type=Path, action="append", default=[], help="the same of the base, to compare"
    )
    runs.add_argument(
        "--budget",
        metavar="FILE",
        type=Path,
        help="what 'stridewise budget' kept: counts of --run that differ are told, exactly, whatever the machine does",
    )
    runs.add_argument(
        "--regression",
        metavar="PERCENT",
        type=_percent,
        default=0.1,
        help="a finding that costs so much more than in the base's run is a regression (default: 10)",
    )
    runs.add_argument(
        "--path-map",
        metavar="FROM=TO",
        action="append",
        default=[],
        help="what was built or run below FROM is below TO now; may be repeated (docs/howto/path-maps.md)",
    )
    out = parser.add_argument_group("what is reported")
    out.add_argument("--format", choices=FORMATS, default="text", help=f"{', '.join(FORMATS)} (default: text)")
    out.add_argument("-o", "--output", metavar="FILE", type=Path, help="write the report to FILE")
    out.add_argument(
        "--max-comments",
        metavar="N",
        type=_count,
        default=COMMENTS,
        help="comments at the most; the rest is in the summary (default: %(default)s)",
    )
    out.add_argument(
        "--unsafe",
        action="store_true",
        help="suggest changes, too, that are not proven safe for every program; they are marked",
    )
    out.add_argument(
        "--fail-on",
        metavar="LEVEL",
        choices=tuple(level.value for level in Severity),
        help="exit with 1 for a finding of the change from this severity on: info, warning, error",
    )
    out.add_argument(
        "--min-confidence",
        metavar="LEVEL",
        choices=tuple(level.value for level in Confidence),
        help="report findings from this confidence on: low, medium, high (default: medium)",
    )
    out.add_argument("--baseline", metavar="FILE", type=Path, help="leave out the findings of a baseline")
    how = parser.add_argument_group("how it is analysed")
    how.add_argument("--rules", metavar="GLOBS", default="", help="only these rules, comma separated; -GLOB excludes")
    how.add_argument("--no-config", action="store_true", help="read no .stridewise.toml")
    how.add_argument(
        "--max-units",
        metavar="N",
        type=_count,
        default=_UNITS,
        help="units beside the changed ones, at the most: those that include a changed file, and all others of a "
        "program that is small enough (default: %(default)s)",
    )
    how.add_argument(
        "-j", dest="jobs", metavar="N", type=_count, default=0, help="units at a time (default: all cores)"
    )
    how.add_argument("--timeout", metavar="SECONDS", type=_seconds, default=120.0, help="limit for one unit")
    how.add_argument("--memory", metavar="MIB", type=_count, default=4096, help="limit for one unit")
    how.add_argument("--cache-dir", metavar="DIR", type=Path, help="results of unchanged units")
    how.add_argument("--no-cache", action="store_true", help="analyse every unit anew and keep no result")
    post.add_options(parser)


def _percent(text: str) -> float:
    value = float(text.removesuffix("%")) / 100
    if not 0 <= value < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is no share of a cost")
    return value


def _count(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 10_000:
        raise argparse.ArgumentTypeError("must be from 0 to 10000")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def run(options: argparse.Namespace) -> int:
    """The exit status: 0, 1 or 2 (EXIT)."""
    if options.plan:
        return _post_plan(options)
    if options.diff is not None and options.base:
        raise Failure("--base and --diff are two ways to say what changed; give one of them")
    from stridewise.review import work

    status, plan = work.review(
        work.Options(
            base="" if options.diff is not None else options.base or _base_of_ci(os.environ),
            diff=_diff(options.diff),
            database=options.database,
            runs=tuple(options.run),
            base_runs=tuple(options.base_run),
            budget=options.budget,
            share=options.regression,
            path_map=tuple(options.path_map),
            format=options.format,
            output=options.output,
            cap=options.max_comments,
            unsafe=options.unsafe,
            fail_on=Severity(options.fail_on) if options.fail_on else None,
            least=Confidence(options.min_confidence) if options.min_confidence else None,
            baseline=options.baseline,
            rules=options.rules,
            config=not options.no_config,
            max_units=options.max_units,
            jobs=options.jobs,
            unit_seconds=options.timeout,
            unit_bytes=options.memory << 20,
            cache=not options.no_cache,
            cache_folder=options.cache_dir,
        )
    )
    return max(status, post.post(plan, options)) if options.post else status


def _post_plan(options: argparse.Namespace) -> int:
    if options.base or options.diff is not None:
        raise Failure("--plan posts what was reviewed before; leave out --base and --diff")
    if not options.post:
        raise Failure("--plan says what to post; say where: --post github or --post gitlab")
    from stridewise.review import plan

    return post.post(plan.read(options.plan), options)


def _diff(name: str | None) -> bytes | None:
    """The diff's text. Raises Failure where it cannot be read or is too large."""
    if name is None:
        return None
    from stridewise.review.diff import MAX_BYTES

    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(name).open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise Failure(f"cannot read {name}: {error.strerror or error}; make it with git diff BASE > {name}") from error


def _base_of_ci(environment: Mapping[str, str]) -> str:
    """The base of the pull or merge request that CI works on; empty elsewhere."""
    if branch := environment.get(_GITHUB_BASE, ""):
        return f"origin/{branch}"
    return environment.get(_GITLAB_BASE, "")
