"""The one comment on the change as a whole: what no line holds, what went away, what the runs say, what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stridewise.catalogue import Rule
from stridewise.finding import Finding, measured
from stridewise.finding.quantities import seconds
from stridewise.finding.result import Trouble
from stridewise.review import comment, escape
from stridewise.review.comment import Dialect, Mark
from stridewise.review.plan import Placed, Plan, Recount, Regression

_MAX_ROWS = 200
_MAX_PROBLEMS = 20
_CLOSED = 10  # longer lists are folded

Link = Callable[[str, int], str]  # the address of a line, or nothing


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of the plan's comments: those on lines, and those that only the summary can show."""

    inline: Sequence[Placed]
    rest: Sequence[Placed]
    quiet: int = 0  # threads that people closed though their findings stand
    kept: int = 0  # comments left as they are since not everything could be analysed


def standing(plan: Plan) -> Standing:
    """Before anything is posted: the cap decides."""
    return Standing(plan.comments[: plan.cap], plan.comments[plan.cap :])


def is_empty(plan: Plan) -> bool:
    return not (plan.comments or plan.unplaced or plan.resolved or plan.regressions or plan.recounts or plan.problems)


def body(
    plan: Plan,
    rules: Mapping[str, Rule],
    dialect: Dialect,
    now: Standing | None = None,
    link: Link = lambda _file, _line: "",
    name: str = "",
) -> str:
    """The whole comment, cut at a row where the host takes no more."""
    now = now or standing(plan)
    out = [str(Mark("summary", name=name)), "", *_head(plan, now)]
    size = sum(len(line.encode()) + 1 for line in out)
    for section in _sections(plan, rules, now, link):
        room = dialect.most_bytes - size - 200
        taken = _cut(section, room)
        out += taken
        size += sum(len(line.encode()) + 1 for line in taken)
    return "\n".join(out).rstrip() + "\n"


@dataclass(frozen=True, slots=True)
class _Section:
    before: Sequence[str]
    rows: Sequence[str]
    after: Sequence[str] = ("",)
    hidden: int = 0


def _cut(section: _Section, room: int) -> list[str]:
    room -= sum(len(line.encode()) + 1 for line in [*section.before, *section.after])
    kept: list[str] = []
    for row in section.rows:
        room -= len(row.encode()) + 1
        if room < 0:
            break
        kept.append(row)
    if not kept:
        return []
    missing = len(section.rows) - len(kept) + section.hidden
    more = ["", f"and {missing} more"] if missing else []
    return [*section.before, *kept, *more, *section.after]


def _head(plan: Plan, now: Standing) -> list[str]:
    count = len(plan.comments) + len(plan.unplaced)
    where = f" at {escape.code(plan.head[:12])}" if plan.head else ""
    if count:
        said = f"**Stridewise: {count} finding{'' if count == 1 else 's'} in this change**{where}"
        said += f", {len(now.inline)} as comments on lines" if now.inline else ""
        said += f", {now.quiet} in closed threads" if now.quiet else ""
    else:
        said = f"**Stridewise: no findings in this change**{where}"
    out = [said + ".", ""]
    if now.kept:
        out += [
            f"{now.kept} earlier comment{'' if now.kept == 1 else 's'} left open: not everything could be analysed.",
            "",
        ]
    return out


def _sections(plan: Plan, rules: Mapping[str, Rule], now: Standing, link: Link) -> Iterator[_Section]:
    if plan.problems:
        yield _problems(plan.problems)
    dearer = [r for r in plan.recounts if r.dearer]
    if dearer:
        yield _recounts(f"Above the budget ({len(dearer)})", dearer, rules, link)
    if plan.regressions:
        yield _regressions(plan.regressions, rules, link)
    rest = [(p.finding, p.line) for p in now.rest] + [(f, f.location.line) for f in plan.unplaced]
    if rest:
        heading = "Not on lines of the diff" if not now.rest else "More findings"
        yield _table(f"{heading} ({len(rest)})", rest, rules, link, "price, verdict", comment.worth)
    if plan.resolved:
        gone = [(f, 0) for f in plan.resolved]
        yield _table(f"Gone with this change ({len(gone)})", gone, rules, link, "price", measured.price)
    cheaper = [r for r in plan.recounts if not r.dearer]
    if cheaper:
        yield _recounts(f"Below the budget ({len(cheaper)})", cheaper, rules, link)


def _folded(heading: str, count: int, table: Sequence[str]) -> tuple[list[str], list[str]]:
    if count > _CLOSED:
        return ["<details>", f"<summary>{heading}</summary>", "", *table], ["", "</details>", ""]
    return [f"**{heading}**", "", *table], [""]


def _table(
    heading: str,
    findings: Sequence[tuple[Finding, int]],
    rules: Mapping[str, Rule],
    link: Link,
    last: str,
    worth: Callable[[Finding], str],
) -> _Section:
    before, after = _folded(heading, len(findings), [f"| place | rule | what | {last} |", "|---|---|---|---|"])
    rows = []
    for finding, line in findings[:_MAX_ROWS]:
        cells = [
            _place(finding, line, link),
            comment.title(finding, rules, table=True),
            escape.prose(finding.message, most=300, table=True),
            escape.prose(worth(finding), table=True),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return _Section(before, rows, after, max(0, len(findings) - _MAX_ROWS))


def _recounts(heading: str, recounts: Sequence[Recount], rules: Mapping[str, Rule], link: Link) -> _Section:
    before, after = _folded(heading, len(recounts), ["| place | counted | |", "|---|---|---|"])
    rows = []
    for r in recounts[:_MAX_ROWS]:
        causes = ", ".join(rules[slug].title for slug in r.rules if slug in rules)
        cells = [
            f"{_address(r.file, r.line, link)} {escape.prose(r.place, most=200, table=True)}",
            escape.prose(f"{r.kind}: {r.values}", most=300, table=True),
            escape.prose(f"found there: {causes}" if causes else "", most=300, table=True),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return _Section(before, rows, after, max(0, len(recounts) - _MAX_ROWS))


def _place(finding: Finding, line: int, link: Link) -> str:
    return _address(finding.location.file, line, link)


def _address(file: str, line: int, link: Link) -> str:
    shown = escape.code((f"{file}:{line}" if line else file) or "the program", table=True)
    target = link(file, line) if file and line else ""
    return f"[{shown}]({target})" if target else shown


def _regressions(regressions: Sequence[Regression], rules: Mapping[str, Rule], link: Link) -> _Section:
    table = ["| place | rule | base run | this run | change |", "|---|---|---:|---:|---:|"]
    before, after = _folded(f"Cost against the base run ({len(regressions)})", len(regressions), table)
    rows = []
    for r in regressions[:_MAX_ROWS]:
        cells = [
            _place(r.finding, r.finding.location.line, link),
            comment.title(r.finding, rules, table=True),
            "not timed" if r.base_seconds is None else seconds(r.base_seconds),
            "not timed" if r.seconds is None else seconds(r.seconds),
            difference(r),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return _Section(before, rows, after, max(0, len(regressions) - _MAX_ROWS))


def difference(r: Regression) -> str:
    """How the cost changed, in words and in relation to the base's."""
    if r.seconds is None or r.base_seconds is None:
        return "unknown"
    change = r.seconds - r.base_seconds
    if not change:
        return "same"
    sign = "+" if change > 0 else "−"
    share = f" ({sign}{100 * abs(change) / r.base_seconds:.3g}%)" if r.base_seconds else ""
    return f"{sign}{seconds(abs(change))}{share}"


def _problems(problems: Sequence[Trouble]) -> _Section:
    rows = [f"- {escape.code(t.where)}: {escape.prose(t.message, most=400)}" for t in problems[:_MAX_PROBLEMS]]
    before = ["**Not everything could be done**", ""]
    return _Section(before, rows, ("",), max(0, len(problems) - _MAX_PROBLEMS))
