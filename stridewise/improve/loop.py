"""The steps: choose what should save most, apply it to the copy, build, compare, measure, keep or undo, look again."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from stridewise.console import harmless, remark
from stridewise.errors import Failure
from stridewise.finding import Confidence, Edit, Finding, Verdict
from stridewise.finding.quantities import seconds as shown_seconds
from stridewise.improve import analysing, compiling, outcome, recipes, timing, witness
from stridewise.improve.edits import Recipe, Refused
from stridewise.improve.inputs import Input, prints_by_ranks, proposed
from stridewise.improve.outcome import Check, Outcome
from stridewise.improve.settings import Settings
from stridewise.improve.state import Candidate, Plan, State, Step
from stridewise.improve.tree import BRANCH, Trees
from stridewise.improve.witness import NOTABLE
from stridewise.lint import fixes

_LEARNING_RUNS = 3
_OTHER_RUNS = 2
_MOST_PROPOSED, _MOST_TRIED = 2, 6  # other inputs that nobody named
_RECHECKS = 3  # of the accepted state, where a step seems to be wrong
_CLOCK_SECONDS = 1.1  # between them, so that a printed time of day differs
_NOT_SLOWER = 1.02
_COMPILED = "build-unoptimised"
_RACE = "omp-shared-counter"
_RACES = "the source shows data races"
NO_GAIN = "no gain that these runs can tell"
# What a changed program may take, by the slowest run of the original: it may hang.
_LONGEST, _LEAST_SECONDS = 5.0, 60.0


class Improvement:
    """One folder, its two trees, and the steps so far."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.trees = Trees(settings.folder)
        self.path = settings.folder / "state.json"
        self.state = State(settings.key())
        self.check = Check({}, {}, (), settings.tolerance)
        self.others: dict[str, tuple[Input, Check]] = {}
        self.misses: dict[str, witness.Counts] = {}
        self.end = time.monotonic() + 60 * settings.minutes

    # --- the whole ----------------------------------------------------------------------------------------------------

    def run(self) -> State:
        """All steps that the limits allow. However it ends, what was kept so far stays, to be gone on from."""
        try:
            self._begin()
            self._steps()
            self._measure_whole()
            self.state.save(self.path)
            self.trees.series(self.settings.folder / "patches", self.state.original)
            self.trees.clean(self.settings.folder / "first", self.state.accepted)  # whichever of the two it was
        except OSError as error:
            where = error.filename or self.settings.folder
            raise Failure(
                f"{where}: {error.strerror}; what was kept so far is on the branch {BRANCH} of {self.trees.accepted}, "
                "and the same command goes on from there"
            ) from error
        return self.state

    def _begin(self) -> None:
        if self.path.is_file():
            self.state = State.load(self.path)
            if self.state.key != self.settings.key():
                raise Failure(
                    f"{self.settings.folder} holds another improvement; remove it, or give another folder with -o"
                )
            say(f"going on from {self.settings.folder}: {len(self.state.steps)} steps so far")
            self.state.ended = ""
        else:
            if self.settings.folder.exists() and any(self.settings.folder.iterdir()):
                raise Failure(
                    f"{self.settings.folder} is not empty and holds no improvement; give another folder with -o"
                )
            say(f"copying {self.settings.project}")
            self.settings.folder.mkdir(parents=True, exist_ok=True)
            (self.settings.folder / ".gitignore").write_text("*\n", encoding="utf-8")
            self.trees.create(self.settings.project)
            self.state.original = self.state.accepted = self.trees.head(self.trees.accepted)
        self.trees.clean(self.trees.accepted, self.state.original)
        self._build(self.trees.accepted, "the original")
        self._learn()
        if self.state.accepted != self.state.original:
            self.trees.clean(self.trees.accepted, self.state.accepted)
            self._build(self.trees.accepted, "the accepted state")
        self.state.save(self.path)

    def _build(self, tree: Path, what: str) -> None:
        say(f"building {what}")
        said = analysing.build(self.settings, tree, self._database(tree))
        if said:
            print("\n".join(harmless(line) for line in said.splitlines()), file=sys.stderr)
            raise Failure(f"{what} does not build in its copy {tree}; what the build said stands above")

    def _database(self, tree: Path) -> Path:
        return self.settings.folder / f"analysis-{tree.name}" / "database"

    def _learn(self) -> None:
        runs = []
        for number in range(_LEARNING_RUNS):
            say(f"running the original, {number + 1} of {_LEARNING_RUNS}")
            if number:
                time.sleep(_CLOCK_SECONDS)
            one = outcome.run(self.settings, self.trees, self.trees.accepted)
            if one.status:
                raise Failure(
                    f"the original ends with exit status {one.status}: {one.tail[-500:] or 'it printed no error'}; "
                    "it must run before it can be made faster"
                )
            runs.append(one)
        self.check = outcome.learn(runs, self.settings.tolerance, prints_by_ranks(self.settings.run))
        limit = max(_LEAST_SECONDS, _LONGEST * max(one.seconds for one in runs))
        self.settings = replace(self.settings, limit_seconds=min(self.settings.limit_seconds, limit))
        self.state.seconds = sorted(one.seconds for one in runs)[len(runs) // 2]
        self.state.cpu_seconds = sorted(one.cpu_seconds for one in runs)[len(runs) // 2]
        self.state.check = "the check that was given" if self.settings.check else self.check.describe()
        if self.check.ignored:
            names = ", ".join(self.check.ignored[:4])
            self._note(f"not compared, since the original's own runs differ: {names}")
        if not self.settings.check and not self.check.numbers:
            raise Failure(
                "nothing that the program prints or writes comes again from run to run but words, so that a wrong "
                "result could not be told; give a check: --check 'cmp out.ref out'"
            )
        say(f"its results: {self.state.check}")
        for other in self.settings.inputs:
            if problem := self._learn_other(other):
                self._note(f"{other.title} is not compared: {problem}")
        if self.settings.propose:
            self._propose()
        self.state.inputs = tuple(self.others)

    def _learn_other(self, other: Input) -> str:
        """What the original says for another input. One that it cannot take, or of which nothing comes again, is left
        out; returns why."""
        say(f"running the original with {other.title}")
        runs = list[Outcome]()
        for number in range(_OTHER_RUNS):
            if number:
                time.sleep(_CLOCK_SECONDS)
            runs.append(outcome.run(self.settings, self.trees, self.trees.accepted, other))
            if runs[-1].status:
                return f"the original ends with exit status {runs[-1].status} there"
        check = outcome.learn(runs, self.settings.tolerance, prints_by_ranks(other.run))
        if not check.numbers and not self.settings.check:
            return "no number that the original writes there comes again"
        if self.settings.propose and not other.of_ranks and not outcome.compare(self.check, runs[0]):
            return "its results are those of the input that was given"
        self.others[other.title] = (other, check)
        return ""

    def _propose(self) -> None:
        """Others that nobody named: the first few that the original takes, and whose results are others."""
        tried = 0
        for alternatives in proposed(self.settings.run, self.trees.accepted / self.settings.here):
            for other in alternatives:
                if len(self.others) >= _MOST_PROPOSED or tried >= _MOST_TRIED:
                    break
                tried += 1
                if not self._learn_other(other):
                    break
        if self.others:
            remark(
                f"results must stay the same with {', '.join(self.others)}, too (--vary and --also name others, "
                "--no-vary none)"
            )
        else:
            self._note("results are compared for one input alone: --vary and --also name others")

    def _note(self, text: str) -> None:
        self.state.notes = tuple(dict.fromkeys((*self.state.notes, text)))
        remark(text)

    # --- steps --------------------------------------------------------------------------------------------------------

    def _steps(self) -> None:
        tried = {step.fingerprint for step in self.state.steps}
        while True:
            if sum(step.kept for step in self.state.steps) >= self.settings.steps:
                self.state.ended = f"{self.settings.steps} steps were kept, as many as --steps allows"
                return
            found = None
            for candidate in self._candidates():
                if time.monotonic() > self.end:
                    self.state.ended = f"the {self.settings.minutes:g} minutes of --minutes are spent"
                    return
                if candidate.fingerprint in tried:
                    continue
                tried.add(candidate.fingerprint)
                step = self._try(candidate)
                self.state.steps += (step,)
                self.state.save(self.path)
                say(f"{'kept' if step.kept else 'undone'}: {step.title} ({step.why})")
                if step.kept:
                    found = step
                    break
            if found is None:
                self.state.ended = "nothing is left that can be tried"
                return

    def _candidates(self) -> Iterator[Candidate]:
        if self.settings.patches:
            for path in self.settings.patches:
                yield Candidate(path.name, "", "", f"patch:{path.name}", (), None, str(path))
            return
        say("looking for what it wastes")
        tree = self.trees.accepted
        analysis = analysing.analyse(self.settings, self.trees, self._database(tree).parent)
        for note in analysis.notes:
            remark(note)
        self._note_races(analysis.findings)
        groups: dict[str, list[tuple[Finding, Recipe]]] = {}
        self.state.left = ()
        for finding in analysis.findings:
            if not Path(finding.location.file).is_relative_to(tree) or finding.verdict is Verdict.REFUTED:
                continue
            recipe, why = self._recipe(finding)
            if recipe is None:
                self.state.left += (self._plan(finding, why),)
                continue
            key = f"{finding.rule}:{finding.group or finding.fingerprint}:{recipe.title}"
            groups.setdefault(key, []).append((finding, recipe))
        # How it is compiled comes first: what all else costs is known only then.
        ordered = sorted(groups.values(), key=lambda group: not group[0][0].rule.startswith("build-"))
        yield from map(self._candidate, (one for one in ordered if one[0][0].rule == _COMPILED))
        yield from self._compiled()
        alike: dict[tuple[str, str], list[list[tuple[Finding, Recipe]]]] = {}
        for members in ordered:
            alike.setdefault((members[0][0].rule, members[0][1].title), []).append(members)
        for several in alike.values():
            if len(several) > 1:
                # All at once costs one measurement; what does not go together is tried one after the other.
                together = self._candidate([one for members in several for one in members])
                yield together
                last = next((s for s in reversed(self.state.steps) if s.fingerprint == together.fingerprint), None)
                if last is not None and last.why.startswith(NO_GAIN):
                    continue
            yield from map(self._candidate, several)
        yield from self._compiled_again()

    def _note_races(self, findings: Sequence[Finding]) -> None:
        """Of a program with a race each step may seem wrong, and a wrong one right."""
        races = [
            self._place(finding)
            for finding in findings
            if finding.rule == _RACE
            and finding.confidence is not Confidence.LOW
            and finding.verdict is not Verdict.REFUTED
        ]
        if races and not any(note.startswith(_RACES) for note in self.state.notes):
            more = f" and {len(races) - 3} more" if len(races) > 3 else ""
            self._note(f"{_RACES} ({', '.join(races[:3])}{more}), which change results by chance: mend them first")

    def _compiled(self) -> Iterator[Candidate]:
        """Options of the compiler that no finding has to ask for."""
        tried = {step.title for step in self.state.steps}
        for recipe in self._untold():
            if recipe.title not in tried:
                yield self._option(recipe, f"compiled:{recipe.title}")

    def _compiled_again(self) -> Iterator[Candidate]:
        """Those of them that brought nothing while other steps were still to come: a loop that goes through memory in
        order is one that vectors help."""
        later = {
            step.title: sum(one.kept for one in self.state.steps[at + 1 :])
            for at, step in enumerate(self.state.steps)
            if step.why.startswith(NO_GAIN)
        }
        for recipe in self._untold():
            if later.get(recipe.title):
                yield self._option(recipe, f"compiled:{recipe.title}:{sum(s.kept for s in self.state.steps)}")

    def _untold(self) -> Iterator[Recipe]:
        if self.settings.unsafe and (not self.settings.only or _COMPILED in self.settings.only):
            yield from compiling.untold(self._built(), self.settings.portable)

    def _built(self) -> compiling.Build:
        tree = self.trees.accepted
        return compiling.Build(tree, self._database(tree))

    def _option(self, recipe: Recipe, fingerprint: str) -> Candidate:
        named = Path(recipe.edits[0].file).relative_to(self.trees.accepted)
        return Candidate(recipe.title, _COMPILED, str(named), fingerprint, recipe.edits, None)

    def _recipe(self, finding: Finding) -> tuple[Recipe | None, str]:
        if self.settings.only and finding.rule not in self.settings.only:
            return None, "--only names other rules"
        for fix in finding.fixes:
            if fix.is_safe or self.settings.unsafe:
                return Recipe(fix.description, fix.edits), ""
        if not self.settings.unsafe:
            return None, "its fix is not proven, and --safe was given"
        try:
            recipe = recipes.of(finding, self._built())
        except Refused as refusal:
            return None, str(refusal)
        return recipe, "" if recipe else "nothing here knows how to change it"

    def _plan(self, finding: Finding, why: str) -> Plan:
        return Plan(self._place(finding), finding.rule, finding.gain_seconds, finding.advice, why)

    def _place(self, finding: Finding) -> str:
        file = Path(finding.location.file)
        inside = file.relative_to(self.trees.accepted) if file.is_relative_to(self.trees.accepted) else file
        return f"{inside}:{finding.location.line}"

    def _candidate(self, members: Sequence[tuple[Finding, Recipe]]) -> Candidate:
        first, recipe = members[0]
        edits = tuple(dict.fromkeys(edit for _, one in members for edit in one.edits))
        gains = [finding.gain_seconds for finding, _ in members if finding.gain_seconds is not None]
        place = self._place(first) + (f" and {len(members) - 1} more" if len(members) > 1 else "")
        names = ":".join(sorted({finding.fingerprint for finding, _ in members}))
        return Candidate(recipe.title, first.rule, place, names, edits, sum(gains) if gains else None)

    def _try(self, candidate: Candidate) -> Step:
        trees, tree = self.trees, self.trees.trial
        shown = f"{candidate.rule} at {candidate.place}" if candidate.rule else candidate.title
        say(f"trying: {candidate.title}" + (f", {shown}" if candidate.rule else ""))
        step = Step(
            candidate.title,
            candidate.rule,
            candidate.place,
            candidate.fingerprint,
            False,
            "",
            predicted=candidate.predicted,
        )
        trees.clean(tree, self.state.accepted)
        if candidate.patch:
            if problem := trees.apply(tree, Path(candidate.patch)):
                return replace(step, why=f"the patch does not apply: {problem[:300]}")
        elif problem := self._edit(candidate.edits):
            return replace(step, why=problem)
        if not trees.changed(tree):
            return replace(step, why="it changes nothing")
        if said := analysing.build(self.settings, tree, self._database(tree)):
            return replace(step, why=f"it does not build: {said[-300:]}")
        first = outcome.run(self.settings, trees, tree)
        if problem := self._differs(first):
            return replace(step, why=f"other results: {problem}")
        if problem := self._differs_elsewhere():
            return replace(step, why=f"other results {problem}")
        return self._measured(step, candidate)

    def _differs(self, one: Outcome) -> str:
        """How a run's results differ from the original's; empty where they are the same."""
        problem, self.check = self._compared(one, self.check, None)
        return problem

    def _differs_elsewhere(self) -> str:
        """The same for the other inputs."""
        for title, (other, check) in self.others.items():
            one = outcome.run(self.settings, self.trees, self.trees.trial, other)
            problem, now = self._compared(one, check, other)
            self.others[title] = (other, now)
            if problem:
                return f"with {title}: {problem}"
        return ""

    def _compared(self, one: Outcome, check: Check, other: Input | None) -> tuple[str, Check]:
        """How it differs, and the check from then on. Where the accepted state, which was right before, differs now,
        too, that is no result: a date, a count of runs."""
        problem = outcome.compare(check, one)
        for _ in range(_RECHECKS):  # a rank's number, of two, is the same in three runs by chance now and then
            if not problem or one.status:
                break
            right = outcome.run(self.settings, self.trees, self.trees.accepted, other)
            if right.status:
                break
            if outcome.compare(check, right):
                check = outcome.refined(check, right)
                problem = outcome.compare(check, one)
                if not problem and not check.numbers and not self.settings.check:
                    return "no number of its results comes again; give a check with --check", check
        return problem, check

    def _edit(self, edits: Sequence[Edit]) -> str:
        """Makes the edits, which are of the accepted tree, in the trial tree; returns why not."""
        by_file: dict[str, list[Edit]] = {}
        for edit in edits:
            by_file.setdefault(os.path.normpath(edit.file), []).append(edit)
        for file, mine in by_file.items():
            path = Path(file)
            if not path.is_relative_to(self.trees.accepted):
                return f"it would edit {file}, which is not of the project"
            ordered = sorted(mine, key=lambda e: (e.begin_offset, e.end_offset))
            if any(one.end_offset > other.begin_offset for one, other in pairwise(ordered)):
                return "its edits overlap"
            target = self.trees.trial / path.relative_to(self.trees.accepted)
            target.write_bytes(fixes.edited(target.read_bytes(), mine))
        return ""

    def _measured(self, step: Step, candidate: Candidate) -> Step:
        wrong = list[str]()

        def before() -> Outcome:
            return outcome.run(self.settings, self.trees, self.trees.accepted)

        def after() -> Outcome:
            one = outcome.run(self.settings, self.trees, self.trees.trial)
            if problem := self._differs(one):
                wrong.append(problem)
            return one

        taken = timing.measure(before, after, self.settings.round_seconds)
        step = replace(
            step,
            before=taken.before,
            after=taken.after,
            cpu_before=taken.cpu_before,
            cpu_after=taken.cpu_after,
            gain=1 / taken.wall.mean,
            interval=(1 / taken.wall.high if taken.wall.high else 0.0, 1 / taken.wall.low if taken.wall.low else 0.0),
            rounds=taken.rounds,
        )
        if wrong:
            return replace(step, why=f"other results in one of {taken.rounds} runs: {wrong[0]}")
        kept, why, seen = verdict(taken)
        if not kept and not taken.wall.is_slower:
            kept, why, seen = self._counted(why, candidate.rule)
        if candidate.patch and not kept and not taken.wall.is_slower:
            kept, why = True, f"no difference that these runs resolve ({why}); kept, since somebody made it"
        if not kept:
            return replace(step, why=why, witness=seen)
        saved = taken.before - taken.after
        message = f"{candidate.title}\n\n"
        if candidate.rule:
            message += f"Finding: {candidate.rule} at {candidate.place}\n"
        message += f"Measured: {shown_seconds(taken.before)} before, {shown_seconds(taken.after)} after ({why})\n"
        if candidate.predicted is not None:
            message += (
                f"Predicted: {shown_seconds(candidate.predicted)} saved; measured {shown_seconds(max(saved, 0.0))}\n"
            )
        commit = self.trees.commit(self.trees.trial, message)
        self.state.accepted = commit
        self.trees.swap()
        return replace(step, kept=True, why=why, witness=seen, commit=commit)

    def _counted(self, undecided: str, rule: str) -> tuple[bool, str, str]:
        """Where the time does not tell: what both count of what the rule is about."""
        kind, trees = witness.kind_of(rule), self.trees
        if not kind or not witness.is_affordable(kind, self.state.seconds, self.settings):
            return False, undecided, ""
        folders = [self._database(tree).parent for tree in (trees.accepted, trees.trial)]
        was = witness.counted(folders[0] / kind, kind)  # as the analysis watched it
        if kind == "cache":
            was = self._simulated()
        now = witness.counts(self.settings, trees, trees.trial, folders[1], kind)
        less = witness.less(rule, was, now)
        if not less:
            return False, undecided, ""
        shown = witness.shown(less, was, now)
        return True, f"by its witness: {shown}; the wall time does not tell ({undecided})", shown

    def _simulated(self) -> witness.Counts:
        """The misses of the accepted state, which no analysis has counted."""
        commit, trees = self.state.accepted, self.trees
        if commit not in self.misses:
            folder = self._database(trees.accepted).parent
            self.misses = {commit: witness.counts(self.settings, trees, trees.accepted, folder, "cache")}
        return self.misses[commit]

    def _measure_whole(self) -> None:
        """The original beside the accepted state."""
        if not any(step.kept for step in self.state.steps):
            self.state.final_seconds, self.state.final_cpu_seconds = self.state.seconds, self.state.cpu_seconds
            return
        say("measuring the original beside the last state")
        self.trees.clean(self.trees.trial, self.state.original)
        self._build(self.trees.trial, "the original")
        taken = timing.measure(
            lambda: outcome.run(self.settings, self.trees, self.trees.trial),
            lambda: outcome.run(self.settings, self.trees, self.trees.accepted),
            self.settings.round_seconds,
        )
        self.state.seconds, self.state.cpu_seconds = taken.before, taken.cpu_before
        self.state.final_seconds, self.state.final_cpu_seconds = taken.after, taken.cpu_after


def verdict(taken: timing.Timing) -> tuple[bool, str, str]:
    """Whether a step is kept, why, and what decided where the wall time could not."""
    low, high = 1 / taken.wall.high, 1 / taken.wall.low if taken.wall.low else float("inf")
    between = f"{1 / taken.wall.mean:.2f} times, between {low:.2f} and {high:.2f} in {taken.rounds} rounds"
    if taken.wall.is_faster and taken.wall.mean < NOTABLE:
        return True, f"faster {between}", ""
    if taken.wall.is_slower:
        return False, f"slower: {between}", ""
    cpu = taken.cpu
    if cpu.is_faster and cpu.mean < NOTABLE and taken.wall.mean < _NOT_SLOWER:
        seen = f"processor time {shown_seconds(taken.cpu_before)} → {shown_seconds(taken.cpu_after)}"
        return (
            True,
            f"its processor time is less ({1 / cpu.mean:.2f} times); the wall time does not tell ({between})",
            seen,
        )
    return False, f"{NO_GAIN}: {between}", ""


def say(text: str) -> None:
    """Progress, where somebody waits for it."""
    print(f"improve: {text}", file=sys.stderr, flush=True)
