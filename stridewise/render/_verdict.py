"""The verdict: at most twelve lines that say where the time went, what spoils it, and what to do first."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from stridewise.console import Painter, harmless
from stridewise.finding import Severity, Verdict, measured
from stridewise.finding.grouping import Group
from stridewise.finding.profile import CallSite, Look, Part, Profile
from stridewise.finding.quantities import percent, seconds
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.sources import from_here
from stridewise.finding.table import Table
from stridewise.render._common import count, worth
from stridewise.render._layout import Layout, entry, shortened
from stridewise.render._layout import place as fitting

LINES = 12
_FIRST = 3  # things to do
_SPOILED = 0.95  # an efficiency above this needs no word
_SITES = 6
_EXPLAINED = 0.1  # of the elapsed time: findings that save as much come before where to look
_VISIBLE = 0.005  # share of the elapsed time
_WORTH_A_LINE = 0.01  # of the elapsed time, by the worst rank
_PLACE = 36  # columns that a call and its place need
_SHORT = {"mean of ranks": "mean", "of the run": "share"}  # where there is less room
# Each part has a mark of its own, so that the bar can be read without colour.
_MARKS = {
    "computing": ("█", "green"),
    "one thread": ("▓", "cyan"),
    "waiting": ("░", "red"),
    "sending": ("▒", "yellow"),
    "sleeping": ("z", "dim"),
    "opening teams": ("+", "yellow"),
    "output": ("o", "blue"),
}


def lines(result: Result, paint: Painter, layout: Layout) -> list[str]:
    """Of all runs together; with `brief` also of findings of the source alone. Empty where there is nothing to say."""
    timed = any(run.profile for run in result.runs)
    heads = [header(run, paint, layout)[: None if run.profile or not timed else 1] for run in result.runs]
    bars = [list(_time(run.profile, paint, layout)) if run.profile else [] for run in result.runs]
    spoiled = [line for run in result.runs if run.profile for line in _spoiled(run.profile, layout)]
    todo = _todo(result, paint, layout) if result.runs or result.brief else []
    room = LINES - sum(map(len, heads)) - sum(map(len, bars)) - len(todo)
    while len(todo) > 2 and room < 0:  # many runs: the first thing to do stays
        todo, room = todo[:-2], room + 2
    # The worst efficiency first.
    kept = [line for _, line in sorted(spoiled)[: max(0, min(room, 2))]]
    out = []
    for head, bar in zip(heads, bars, strict=True):
        out += [*head, *bar]
    return [*out, *kept, *todo]


def header(run: RunSummary, paint: Painter, layout: Layout) -> list[str]:
    parts = [harmless(shlex.join(run.command) or run.kind), *map(harmless, run.details)]
    if layout.wraps:
        parts = [shortened(parts[0], layout.width - 16), *(_without_details(part, layout) for part in parts[1:])]
    if run.status:
        parts.append(f"ended with status {run.status}")
    rows = layout.joined(["stridewise", *parts], " · ", 2) if layout.wraps else [" · ".join(["stridewise", *parts])]
    rows[0] = paint("stridewise", "bold") + rows[0].removeprefix("stridewise")
    if run.status:
        rows[-1] = rows[-1].replace(parts[-1], paint(parts[-1], "red"))
    return [rows[0], *("  " + row for row in rows[1:])]


def untold(result: Result, paint: Painter, layout: Layout) -> Iterator[str]:
    """What the verdict leaves out of runs that were not timed, beside others that were."""
    if any(run.profile for run in result.runs):
        for run in result.runs:
            rows = [] if run.profile else header(run, paint, layout)
            yield from rows if len(rows) > 1 else ()


def _without_details(part: str, layout: Layout) -> str:
    """What stands in brackets at the end of a part that is too long for a line."""
    return part if len(part) + 2 <= layout.width else part.partition(" (")[0]


def parts(profile: Profile) -> list[Part]:
    """Those of the elapsed time that can be seen."""
    return [part for part in profile.parts if profile.share(part.seconds) >= _VISIBLE]


def _time(profile: Profile, paint: Painter, layout: Layout) -> Iterator[str]:
    """A bar of the parts, and their names with their shares."""
    shown = parts(profile)
    if not shown:
        return
    width = layout.width - 2
    ends, total = [], 0.0
    for part in shown:
        total += part.seconds
        ends.append(total)
    stops = [round(width * end / total) for end in ends]
    starts = [0, *stops[:-1]]
    bar = "".join(
        paint(_mark(part.name)[0] * (stop - start), _mark(part.name)[1])
        for part, start, stop in zip(shown, starts, stops, strict=True)
    )
    yield f"  {bar}"
    named = [f"{_mark(part.name)[0]} {part.name} {percent_of(profile.share(part.seconds))}" for part in shown]
    for row in layout.joined(named, "   ", 2):
        yield f"  {row}"


def percent_of(share: float) -> str:
    return f"{100 * share:.0f} %"


def _mark(name: str) -> tuple[str, str]:
    return _MARKS.get(name, ("?", "dim"))


def spoiled(profile: Profile) -> Iterator[tuple[float, str]]:
    """The efficiencies that need a word, with what keeps them from 1."""
    for one in profile.efficiencies:
        if one.share < _SPOILED and one.spoiled:
            yield one.share, f"{one.name} {percent(round(one.share, 3))}: {harmless(one.spoiled)}"


def _spoiled(profile: Profile, layout: Layout) -> Iterator[tuple[float, str]]:
    for share, text in spoiled(profile):
        yield share, "  " + (shortened(text, layout.width - 2) if layout.wraps else text)


def first(result: Result, all_groups: Sequence[Group]) -> list[tuple[str, str | Group]]:
    """What to do first: the change, and why or for which finding. What lies in the machine comes before what lies in
    the program; where no finding of a run explains the time, where to look comes before what the source alone makes
    one suspect."""
    groups = [g for g in all_groups if g.lead.verdict not in (Verdict.REFUTED, Verdict.NOT_EXERCISED)]
    profiles = [run.profile for run in result.runs if run.profile]
    items: list[tuple[str, str | Group]] = [item for profile in profiles for item in profile.first]
    sure = [group for group in groups if _sure(group)]
    items += map(_item, sure)
    items += [(look.what, look.why) for look in _looks(result, profiles, sure)]
    items += [_item(group) for group in groups if not _sure(group)]
    return items[:_FIRST]


def _item(group: Group) -> tuple[str, str | Group]:
    return group.whole.advice or group.whole.message, group


def _sure(group: Group) -> bool:
    """A run has seen it, or it is an error."""
    return group.lead.verdict in (Verdict.CONFIRMED, Verdict.OBSERVED) or group.lead.severity is Severity.ERROR


def _looks(result: Result, profiles: Sequence[Profile], sure: Sequence[Group]) -> list[Look]:
    """The most promising of each run; findings of calls say more of the calls than where to look, and a run that
    counts what is computed tells the loops."""
    counted = any(run.kind == "cache" for run in result.runs)
    loops = [look for run in result.runs for look in run.looks]
    saved = sum(group.gain_seconds or 0.0 for group in sure)
    open_ = [profile for profile in profiles if saved < _EXPLAINED * profile.seconds]
    looks: list[Look] = [] if profiles else loops
    for look in (look for profile in open_ for look in profile.looks):
        if look.computing:
            looks += loops if counted else [look]
        elif not sure:
            looks.append(look)
    return list(dict.fromkeys(looks))


def _todo(result: Result, paint: Painter, layout: Layout) -> list[str]:
    """In two lines each: the change, and where it is and what it saves."""
    out = []
    for number, (what, more) in enumerate(first(result, result.groups), 1):
        out.append(f"{number:3}. {paint(shortened(harmless(what), layout.width - 5), 'bold')}")
        if isinstance(more, Group):
            out.append(f"     {_where(more, result, paint, layout)}")
        else:
            out.append(f"     {shortened(harmless(more), layout.width - 5)}")
    return out


def _where(group: Group, result: Result, paint: Painter, layout: Layout) -> str:
    finding = group.whole
    said = measured.verdict(finding) if result.runs else f"{finding.confidence.value} confidence"
    more = f" and {count(len(group.others), 'more place')}" if group.others else ""
    line = f":{finding.location.line}" if finding.location.line > 0 else ""
    where = f"{harmless(from_here(finding.location.file, result.project))}{line}"
    inside = f" in {harmless(finding.function)}" if finding.function else ""
    saves = f"{worth(finding)}, {said}"
    tails = (f"{inside}{more} · {finding.rule} · {saves}", f"{more} · {finding.rule} · {saves}", f"{more} · {saves}")
    room = layout.width - 5
    if not layout.wraps:
        return f"{paint(where, 'cyan')}{tails[0]}"
    for tail in tails:  # what is said again below is left out first
        short = fitting(where, max(room - len(tail), 1))
        if len(short) + len(tail) <= room:
            break
    return f"{paint(short, 'cyan')}{tail}"


def sites(result: Result, rename: Callable[[str], str], everything: bool) -> Iterator[Table]:
    """For each run that timed its calls: mean and worst rank of each call site, the dearest first."""
    for run in result.runs:
        if run.profile is None:
            continue
        kept = [s for s in run.profile.sites if everything or run.profile.share(s.worst_seconds) >= _WORTH_A_LINE]
        shown = kept if everything else kept[:_SITES]
        if not shown:
            continue
        rows = tuple(_row(site, run.profile, rename) for site in shown)
        left = len(run.profile.sites) - len(shown)
        notes = (f"{count(left, 'more call site')} with --all",) if left else ()
        columns = ("time by call site", "calls", "mean of ranks", "of the run", "worst rank")
        yield Table("sites", "", columns, rows, notes)


def regions(result: Result, rename: Callable[[str], str], everything: bool) -> Iterator[Table]:
    """The same of parallel regions, for each run of OpenMP."""
    for run in result.runs:
        if run.profile:
            yield from _regions(run.profile, rename, everything)


def _regions(whole: Profile, rename: Callable[[str], str], everything: bool) -> Iterator[Table]:
    kept = [s for s in whole.team_sites if everything or whole.share(s.seconds) >= _WORTH_A_LINE]
    shown = kept if everything else kept[:_SITES]
    if not shown:
        return
    rows = []
    for site in shown:
        where = f"{rename(site.file)}:{site.line}" if site.line else site.function
        marked = f"[{', '.join(site.phases)}] " if site.phases else ""
        rows.append(
            (
                f"  {marked}{where}",
                f"{site.count:,}",
                seconds(site.seconds),
                percent_of(whole.share(site.seconds)),
                seconds(site.opening_seconds),
                seconds(site.waiting_seconds),
                seconds(site.mean_seconds),
                seconds(site.worst_seconds),
            )
        )
    left = len(whole.team_sites) - len(shown)
    notes = ["mean and busiest: what a thread computes in it"]
    notes += [f"{count(left, 'more parallel region')} with --all"] if left else []
    columns = ("time by region", "times", "elapsed", "share", "opening", "waiting", "mean", "busiest")
    yield Table("regions", "", columns, tuple(rows), tuple(notes))


def phases(result: Result) -> Iterator[Table]:
    """For each run whose program names its phases, their times, and what is in none."""
    for run in result.runs:
        if run.profile and run.profile.team_phases:
            yield _team_phases(run.profile)
        if run.profile is None or not run.profile.phases:
            continue
        whole = run.profile
        rows = [
            (
                f"  {phase.name}",
                f"{phase.count:,}",
                seconds(phase.mean_seconds),
                percent_of(whole.share(phase.mean_seconds)),
                seconds(phase.mpi_seconds),
                seconds(phase.waiting_seconds),
                f"{seconds(phase.worst_seconds)} (rank {phase.worst_rank})",
            )
            for phase in whole.phases
        ]
        rest = whole.seconds - sum(phase.mean_seconds for phase in whole.phases)
        if rest >= _WORTH_A_LINE * whole.seconds:
            rows.append(("  in no phase", "", seconds(rest), percent_of(whole.share(rest)), "", "", ""))
        columns = ("time by phase", "times", "mean of ranks", "of the run", "in MPI", "waiting", "longest")
        yield Table("phases", "", columns, tuple(rows))


def _team_phases(whole: Profile) -> Table:
    rows = [
        (
            f"  {phase.name}",
            f"{phase.count:,}",
            seconds(phase.seconds),
            percent_of(whole.share(phase.seconds)),
            f"{phase.regions:,}",
            seconds(phase.team_seconds),
            seconds(phase.opening_seconds),
            seconds(phase.waiting_seconds),
        )
        for phase in whole.team_phases
    ]
    rest = whole.seconds - sum(phase.seconds for phase in whole.team_phases)
    if rest >= _WORTH_A_LINE * whole.seconds:
        rows.append(("  in no phase", "", seconds(rest), percent_of(whole.share(rest)), "", "", "", ""))
    columns = ("time by phase", "times", "elapsed", "of the run", "regions", "in teams", "opening them", "waiting")
    return Table("phases", "", columns, tuple(rows))


def _row(site: CallSite, profile: Profile, rename: Callable[[str], str]) -> tuple[str, ...]:
    inside = f" in {site.function}" if site.function else ""
    where = f"{site.call} {rename(site.file)}:{site.line}" if site.line else site.call + inside
    if site.phase:
        where = f"[{site.phase}] {where}"
    return (
        f"  {where}",
        f"{site.count:,}",
        seconds(site.mean_seconds),
        percent_of(profile.share(site.mean_seconds)),
        f"{seconds(site.worst_seconds)} (rank {site.worst_rank})",
    )


def narrow(tables: Sequence[Table], layout: Layout) -> Iterator[Table]:
    """The tables with the places in their first columns shortened to fit."""
    for table in tables:
        columns = table.columns
        if layout.width - _rest(columns, table) < _PLACE:
            columns = (columns[0], *(_SHORT.get(name, name) for name in columns[1:]))
        room = max(20, layout.width - _rest(columns, table))
        rows = tuple((entry(row[0], room), *row[1:]) for row in table.rows)
        yield Table(table.name, table.title, columns, rows, table.notes)


def _rest(columns: Sequence[str], table: Table) -> int:
    """What all columns take but the first."""
    return sum(2 + max(len(row[i]) for row in [columns, *table.rows]) for i in range(1, len(columns)))
