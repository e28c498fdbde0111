"""Posting a plan: where to, with which token, for which commit. `stridewise review --post github|gitlab`."""

from __future__ import annotations

import argparse
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stridewise.console import harmless
from stridewise.errors import Failure

if TYPE_CHECKING:
    from stridewise.review.comment import Dialect
    from stridewise.review.deliver import Earlier, Host, Reader
    from stridewise.review.http import Client
    from stridewise.review.plan import Plan

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
_MAX_EVENT_BYTES = 32 << 20


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "posting", "The token is in GITHUB_TOKEN or GITLAB_TOKEN, never on the command line."
    )
    group.add_argument(
        "--post", choices=("github", "gitlab"), help="comment on the pull or merge request; see docs/review-posting.md"
    )
    group.add_argument(
        "--repository", metavar="NAME", help="owner/name or GitLab's project number (default: what CI works on)"
    )
    group.add_argument(
        "--pull",
        metavar="N",
        type=_positive,
        help="number of the pull or merge request (default: what CI works on, or the one that stands at the commit)",
    )
    group.add_argument("--api", metavar="URL", help="address of the API (default: what CI names, or the public host's)")
    group.add_argument(
        "--head",
        metavar="COMMIT",
        type=_commit,
        help="the commit that the plan must be of; a trusted job names it for plans of an untrusted one",
    )
    group.add_argument(
        "--name", metavar="NAME", type=_name, default="", help="tells several reviews of one change apart"
    )
    group.add_argument("--dry-run", action="store_true", help="print what would be posted, post nothing")


def _positive(text: str) -> int:
    value = int(text)
    if not 0 < value < 1 << 31:
        raise argparse.ArgumentTypeError("must be a number above 0")
    return value


def _commit(text: str) -> str:
    if not _COMMIT.fullmatch(text):
        raise argparse.ArgumentTypeError("must be a whole commit id")
    return text


def _name(text: str) -> str:
    if text and not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError("must be up to 40 letters, digits, '.', '_' or '-'")
    return text


def post(
    plan: Plan,
    options: argparse.Namespace,
    environment: Mapping[str, str] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """The exit status: 0. Raises Failure where something could not be posted."""
    from stridewise import catalogue
    from stridewise.review import deliver

    environment = os.environ if environment is None else environment
    kind = _GITHUB if options.post == "github" else _GITLAB
    head = _head(plan, options.head or "", kind.head(environment))
    # An untrusted plan does not decide how much is posted.
    plan = replace(plan, cap=min(plan.cap, getattr(options, "max_comments", plan.cap)))
    rules = catalogue.load()
    token = next(((name, environment[name]) for name in kind.tokens if environment.get(name)), None)
    if options.dry_run and token is None:
        offline = Offline(kind.dialect())
        print(_dry(plan, head, offline, rules, options.name))
        return 0
    if token is None:
        raise Failure(f"no token; put one into the environment as {kind.tokens[0]} (rights: docs/review-posting.md)")
    if re.search(r"[^\x21-\x7e]", token[1]):
        raise Failure(f"{token[0]} is no token: it holds blanks, line ends or other characters that none has")
    client = kind.client(options.api or environment.get(kind.api[0]) or kind.api[1], *token, sleep)
    host = kind.host(client, options, environment, head)
    if options.dry_run:
        deliver.check_head(host, head)
        print(_dry(plan, head, host, rules, options.name))
        return 0
    print(f"{host.what}: {deliver.deliver(plan, head, host, rules, options.name)}")
    return 0


def _head(plan: Plan, named: str, event: str) -> str:
    """The commit to comment on: the plan's, if it is the one that the caller or else CI's event names."""
    expected = named or event
    if expected and plan.head and plan.head != expected:
        raise Failure(
            f"the plan is of commit {plan.head[:12]}, not of {expected[:12]}, which is to be commented; nothing was "
            "posted. In a CI job, check out the head of the request, not its merge with the target"
        )
    if not plan.head and not named:
        raise Failure(
            "the plan is of no commit: it was made of a diff, or the work tree had changes of its own; if it fits a "
            "commit, name it with --head"
        )
    return plan.head or named


@dataclass(frozen=True, slots=True)
class _Kind:
    """What differs between code hosts before a request is made."""

    tokens: Sequence[str]
    api: tuple[str, str]  # variable, default
    head: Callable[[Mapping[str, str]], str]  # the commit that CI says the change stands at
    client: Callable[[str, str, str, Callable[[float], None]], Client]
    host: Callable[[Client, argparse.Namespace, Mapping[str, str], str], Host]
    dialect: Callable[[], Dialect]


def _github_dialect() -> Dialect:
    from stridewise.review.comment import GITHUB

    return GITHUB


def _gitlab_dialect() -> Dialect:
    from stridewise.review.comment import GITLAB

    return GITLAB


def _github_client(api: str, _name: str, token: str, sleep: Callable[[float], None]) -> Client:
    from stridewise.review import github
    from stridewise.review.http import Client

    return Client(api, {"Authorization": f"Bearer {token}"}, "GitHub", github.HEADERS, github.HINTS, sleep)


def _gitlab_client(api: str, name: str, token: str, sleep: Callable[[float], None]) -> Client:
    from stridewise.review import gitlab
    from stridewise.review.http import Client

    header = "JOB-TOKEN" if name == "CI_JOB_TOKEN" else "PRIVATE-TOKEN"
    return Client(api, {header: token}, "GitLab", None, gitlab.HINTS, sleep)


def _github(client: Client, options: argparse.Namespace, environment: Mapping[str, str], head: str) -> Host:
    from stridewise.review import github

    repository = options.repository or environment.get("GITHUB_REPOSITORY", "")
    if not repository:
        raise Failure("which repository? name it with --repository owner/name")
    github.check_repository(repository)
    reference = re.fullmatch(r"refs/pull/([0-9]{1,9})/(?:merge|head)", environment.get("GITHUB_REF", ""))
    number = options.pull or (int(reference[1]) if reference else 0) or github.find_pull(client, repository, head)
    return github.GitHub(client, repository, number)


def _gitlab(client: Client, options: argparse.Namespace, environment: Mapping[str, str], head: str) -> Host:
    from stridewise.review import gitlab

    names = ("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID")
    project = options.repository or next((environment[name] for name in names if environment.get(name)), "")
    if not project:
        raise Failure("which project? name it with --repository group/name")
    said = environment.get("CI_MERGE_REQUEST_IID", "")
    number = options.pull or (int(said) if re.fullmatch(r"[0-9]{1,9}", said) else 0)
    return gitlab.GitLab(client, project, number or gitlab.find_request(client, project, head))


def _github_head(environment: Mapping[str, str]) -> str:
    """The commit of the event that started the workflow: of a pull request, or of the run that made the plan."""
    import json

    path = environment.get("GITHUB_EVENT_PATH", "")
    try:
        with Path(path).open("rb") as file:
            event: Any = json.loads(file.read(_MAX_EVENT_BYTES))
    except (OSError, ValueError, RecursionError):
        return ""
    for names in (("pull_request", "head", "sha"), ("workflow_run", "head_sha")):
        value = event
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, str) and _COMMIT.fullmatch(value):
            return value
    return ""


def _gitlab_head(environment: Mapping[str, str]) -> str:
    """Of a pipeline of a merge request; one on the merged result is of another commit than the request's."""
    if not environment.get("CI_MERGE_REQUEST_IID"):
        return ""
    found = environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or environment.get("CI_COMMIT_SHA", "")
    return found if _COMMIT.fullmatch(found) else ""


_GITHUB = _Kind(
    ("GITHUB_TOKEN",),
    ("GITHUB_API_URL", "https://api.github.com"),
    _github_head,
    _github_client,
    _github,
    _github_dialect,
)
_GITLAB = _Kind(
    ("GITLAB_TOKEN", "CI_JOB_TOKEN"),
    ("CI_API_V4_URL", "https://gitlab.com/api/v4"),
    _gitlab_head,
    _gitlab_client,
    _gitlab,
    _gitlab_dialect,
)


def _dry(plan: Plan, head: str, host: Reader, rules: Any, name: str) -> str:
    """Every step with its text."""
    from stridewise.review import deliver, summary
    from stridewise.review.sync import Kind, same

    todo, earlier = deliver.intended(plan, head, host, rules, name)
    out = [f"dry run: nothing is posted; {host.what}"]
    for step in todo:
        target = step.wanted or step.own
        where = f"{target.path}:{target.line}" if target and target.line else (target.path if target else "")
        out.append(f"--- {step.kind.value} {where}{f' ({step.why})' if step.why else ''}")
        if step.kind is not Kind.KEEP and step.body:
            out += _quoted(step.body)
    if earlier.summaries or not summary.is_empty(plan):
        text = deliver.summary_text(plan, todo, (), host, rules, name)
        known = earlier.summaries[0][1] if earlier.summaries else ""
        what = "keep" if same(known, text) else "update" if known else "create"
        out += [f"--- {what} summary", *([] if what == "keep" else _quoted(text))]
    return "\n".join(map(harmless, out))


def _quoted(body: str) -> list[str]:
    """Lines of a text, none of which the log of a CI job takes for a command (`::name::`, `##[name]`)."""
    return [f"| {line}".replace("##[", "## [").rstrip() for line in body.rstrip().split("\n")]


class Offline:
    """A code host that nobody has written to yet: for a dry run without a token."""

    what = "no token, so as if there were no comments yet"

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    def head(self) -> str:
        return ""

    def earlier(self, name: str) -> Earlier:
        del name
        from stridewise.review.deliver import Earlier

        return Earlier()

    def link(self, file: str, line: int) -> str:
        del file, line
        return ""
