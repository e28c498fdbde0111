"""What the repository installs, runs or points at from elsewhere: the functions say what trusted.toml forbids."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TRUSTED = Path(__file__).with_name("trusted.toml")
OWN = re.compile(r"<owner>/stridewise(/[\w/]+)?@<commit>|\./[\w./-]*")
# Of a shell: the rest of the command, continued lines joined. Names of other tools' commands that install by name.
PIP = re.compile(
    r"(?:\bpip[\d.]*|\bpipx|\buv(?: pip| tool)?)[\"')]* (?:install|wheel|run|download)\b(?P<rest>[^`\n|;&)]*)"
)
OTHER = re.compile(
    r"\b(?P<tool>npx|bunx|pnpm dlx|(?:npm|yarn|pnpm) (?:install|i|add|exec)|uvx|easy_install|"
    r"(?:conda|mamba|brew|gem|cargo|go|snap|flatpak) install|"
    r"(?:docker|apptainer|singularity|podman) pull)\b[ \t]+(?P<what>\S+)"
)
FETCH = re.compile(r"\b(curl|wget)\b[^\n]*\|\s*(sudo )?(ba|z|da)?sh\b")
APT = re.compile(r"\bapt(?:-get)?(?: -\S+(?: \S+=\S+)?)* install (?P<rest>[^`\n|;&)]*)")
USES = re.compile(r"^\s*(?:#\s*)?-?\s*uses:\s*[\"']?(?P<what>[^\s\"'#]+)", re.MULTILINE)
IMAGE = re.compile(
    r"^\s*(?:#\s*)?(?:image:|container:|FROM\s|From:|-\s*docker://)"
    r"\s*[\"']?(?P<what>[\w./:@$<>{}-]+)[\"']?\s*(?:#.*|AS .*)?$",
    re.MULTILINE,
)
INCLUDE = re.compile(
    r"^\s*(?:#\s*)?-?\s*(?P<key>project|remote|component|repo|ref|rev):[ \t]+(?P<what>[^\n#]+)", re.MULTILINE
)
ADDRESS = re.compile(r"\b(?P<what>(?:https?|git|ssh|ftp)://[^\s\"'`<>()\[\]|,*]+|git@[\w.-]+:\S+)")
OPTIONS_WITH_VALUE = {
    "-r",
    "--requirement",
    "-c",
    "--constraint",
    "-C",
    "--config-settings",
    "--retries",
    "--target",
    "-t",
    "-d",
}
PLACEHOLDER = re.compile(r"<[\w ]+>(/stridewise)?")


@dataclass(frozen=True)
class Trusted:
    pip: frozenset[str]
    npm: frozenset[str]
    apt: frozenset[str]
    spack: frozenset[str]
    actions: frozenset[str]
    images: frozenset[str]
    addresses: tuple[str, ...]


def load(path: Path = TRUSTED) -> Trusted:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Trusted(
        frozenset(table["pip"]),
        frozenset(table["npm"]),
        frozenset(table["apt"]["names"].split()),
        frozenset(table["spack"]["names"].split()),
        frozenset(f"{name}@{entry['commit']}" for name, entry in table["actions"].items()),
        frozenset(table["images"]),
        tuple(table["addresses"]),
    )


def problems(name: str, text: str, trusted: Trusted) -> Iterator[str]:
    """Of a file, by its name in the repository. What is run installs by checksum or from files; text may name packages.

    Python's own code says `uses:`, too, of types."""
    text = re.sub(r"\\\n\s*", " ", text)
    is_run = name.endswith((".sh", ".yml", ".yaml", "Dockerfile", ".def", "rules")) or name.startswith((".ci/", "ci/"))
    for match in PIP.finditer(text):
        yield from pip_problems(match["rest"], is_run, trusted)
    for match in OTHER.finditer(text):
        yield f"installs by name: {match[0]}"
    for match in FETCH.finditer(text):
        yield f"runs what it fetches: {match[0]}"
    for match in APT.finditer(text):
        for word in words(match["rest"]):
            if not word.startswith(("-", "$", "./", "{", "[")) and word not in trusted.apt and re.match(r"[a-z]", word):
                yield f"package of apt that is not listed: {word}"
    for match in USES.finditer("" if name.endswith(".py") else text):
        if match["what"] not in trusted.actions and not OWN.fullmatch(match["what"]):
            yield f"action that is not listed, or not at its commit: {match['what']}"
    if name.endswith((".yml", ".yaml", "Dockerfile", ".def", ".md")):
        for match in IMAGE.finditer(text):
            if match["what"] not in trusted.images and not re.fullmatch(
                r"<[\w ]+>/stridewise@sha256:<\w+>", match["what"]
            ):
                yield f"image that is not listed: {match['what']}"
        for match in INCLUDE.finditer(text):
            if not PLACEHOLDER.fullmatch(match["what"].strip()) and not match["what"].startswith("${{ github.event."):
                yield f"taken from elsewhere: {match['key']}: {match['what'].strip()}"
    for match in ADDRESS.finditer(text):
        address = match["what"].rstrip(".;:")
        if not is_fictional(address) and not any(is_below(address, one) for one in trusted.addresses):
            yield f"address that is not listed: {address}"


def pip_problems(rest: str, is_run: bool, trusted: Trusted) -> Iterator[str]:
    named = words(rest)
    bound = "--require-hashes" in named or "--no-index" in named
    if is_run and not bound:
        yield f"pip without --require-hashes or --no-index in what is run: {rest.strip()}"
    skip = False
    for word in named:
        if skip or word.startswith("-"):
            skip = not skip and word in OPTIONS_WITH_VALUE
            continue
        if (word.startswith(("$", ".", "/")) and (bound or word.startswith("."))) or word in (
            "{}",
            "SOURCE-OF-STRIDEWISE",
        ):
            continue
        if not re.fullmatch(r"[A-Za-z][\w.-]*(\[[\w,-]+\])?([<>=!~][^\s]*)?", word):
            break  # the sentence around it
        if canonical(word) not in trusted.pip:
            yield f"package of Python that is not listed: {word}"
        if not re.search(r"[<>=!~]", word):
            break  # of a name alone the words behind it are text


def words(rest: str) -> list[str]:
    """The words of a command, as far as its quotes are closed."""
    lexer = shlex.shlex(rest, posix=True, punctuation_chars="")
    lexer.whitespace_split, lexer.commenters = True, "#"
    found: list[str] = []
    try:
        found.extend(lexer)
    except ValueError:
        return [
            *found,
            *rest[rest.rfind(found[-1]) + len(found[-1]) if found else 0 :].replace('"', "'").split("'")[:1],
        ]
    return found


def canonical(requirement: str) -> str:
    """The name of a requirement, as indexes compare them."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~;@ ]", requirement, maxsplit=1)[0]).lower()


def is_below(address: str, prefix: str) -> bool:
    return address.startswith(prefix) and (prefix.endswith("/") or address[len(prefix) :][:1] in ("", "/", "#", "?"))


def is_fictional(address: str) -> bool:
    """Holes of templates, this machine, and names that stand for any host."""
    host = re.sub(r"^\w+://([^/:]*).*", r"\1", address)
    return (
        bool(re.search(r"[{}$…%\\]", host))
        or host in ("", "host", "localhost", "127.0.0.1", "proxy")
        or bool(re.fullmatch(r"(.*\.)?(example(\.(com|net|org))?|invalid|test|localhost)", host))
    )


def requirement_problems(text: str, trusted: Trusted) -> Iterator[str]:
    """Of a file for pip --require-hashes: one version of each package, with the checksums of its files."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in (line for line in joined.splitlines() if line.strip() and not line.startswith("#")):
        marker = r"(?: ; [\w.\"<>= ]+?)?"  # the machines and versions of Python for which there are files
        match = re.fullmatch(rf"([\w.-]+)==([\w.]+){marker}((?: +--hash=sha256:[0-9a-f]{{64}})+)", line.strip())
        if not match:
            yield f"no version with checksums: {line[:60]}"
        elif canonical(match[1]) not in trusted.pip:
            yield f"package of Python that is not listed: {match[1]}"


def project_problems(project: dict[str, Any], trusted: Trusted) -> Iterator[str]:
    """Of pyproject.toml: what builds it, what it needs, its extras."""
    extras = project["project"].get("optional-dependencies", {})
    for requirement in [
        *project["build-system"]["requires"],
        *project["project"].get("dependencies", []),
        *(one for group in extras.values() for one in group),
    ]:
        if "@" in requirement or canonical(requirement) not in trusted.pip:
            yield f"package of Python that is not listed: {requirement}"


def node_problems(package: dict[str, Any], lock: dict[str, Any], settings: str, trusted: Trusted) -> Iterator[str]:
    """Of package.json, package-lock.json and .npmrc."""
    for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
        for name, version in package.get(kind, {}).items():
            if name not in trusted.npm:
                yield f"package of Node that is not listed: {name}"
            if not re.fullmatch(r"\d+\.\d+\.\d+", version):
                yield f"no version of its own: {name} {version}"
    for name, entry in lock["packages"].items():
        if name and not str(entry.get("integrity", "")).startswith("sha512-"):
            yield f"without a checksum: {name}"
        if "resolved" in entry:
            yield f"from a place of its own: {name} {entry['resolved']}"
    if "ignore-scripts=true" not in settings.split() or re.search(r"registry\s*=\s*(?!true)", settings):
        yield ".npmrc lets packages run scripts, or names a registry"


def debian_problems(control: str, trusted: Trusted) -> Iterator[str]:
    for field in re.findall(
        r"^(?:Build-Depends|Depends|Recommends|Suggests):((?:.*\n)(?:[ \t].*\n)*)", control, re.MULTILINE
    ):
        for entry in field.replace("\n", " ").split(","):
            name = re.split(r"[\s(<\[]", entry.strip(), maxsplit=1)[0]
            if name and not name.startswith("${") and name not in trusted.apt:
                yield f"package of apt that is not listed: {name}"


def spack_problems(recipe: str, trusted: Trusted) -> Iterator[str]:
    for spec in re.findall(r"depends_on\(\s*\"([\w-]+)", recipe):
        if spec not in trusted.spack:
            yield f"package of Spack that is not listed: {spec}"
    if re.search(r"\b(url|git)\s*=\s*[\"']", recipe):
        yield "a recipe that fetches; it builds the checkout that it lies in"


def hook_problems(hooks: list[dict[str, Any]]) -> Iterator[str]:
    for hook in hooks:
        if (
            hook["language"] != "system"
            or hook.get("additional_dependencies")
            or not hook["entry"].startswith("stridewise ")
        ):
            yield f"hook {hook['id']} installs or runs something of its own"


def lists_of_shell(text: str) -> list[str]:
    """The names in `packages=(…)` and `packages+=(…)` of a script."""
    found = re.findall(r"\bpackages\+?=\(((?:[^()]|\([^()]*\))*)\)", text)
    return [word for part in found for line in part.splitlines() for word in line.partition("#")[0].split()]


def read_json(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
