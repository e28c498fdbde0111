"""What the command line and the configuration together want: per file, and before any result exists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stridewise.catalogue import Rule
from stridewise.collect.compile_db import Command, Workload
from stridewise.finding import Confidence, Evidence, Finding, Severity
from stridewise.finding.result import Standards
from stridewise.lint.suppressions import Suppression, problems
from stridewise.settings.config import Config, Configs, check_rules, matches_rules, refined, rule_list


class Policy:
    """The command line comes before the files; what neither states has the catalogue's value."""

    def __init__(
        self,
        rules: Mapping[str, Rule],
        *,
        globs: str = "",
        least: Confidence | None = None,
        everything: bool = False,
        fail_on: Severity | None = None,
        baseline: Path | None = None,
        use_files: bool = True,
    ) -> None:
        self._rules = rules
        self._globs = rule_list(globs)
        check_rules(self._globs, rules, "--rules")
        self._least = Confidence.LOW if everything else least
        self._fail_on, self._baseline = fail_on, baseline
        self._configs = Configs(rules, use_files)

    def of(self, file: str | Path) -> Config:
        return self._configs.of_file(file)

    def rules_for(self, file: str | Path) -> tuple[str, ...]:
        """The rule list of a file, as the analyser reads it; empty for all."""
        return refined(self.of(file).rules, self._globs)

    def standards(self, file: str) -> Standards:
        config = self.of(file)
        return Standards(
            self._least or config.min_confidence or Standards.least,
            self._fail_on or config.fail_on or Standards.fail_on,
        )

    def prepare(self, work: Workload) -> Workload:
        """The work without excluded files, each command with what the analyser must be told for its file."""
        wanted = [command for command in work.commands if not self.of(command.file).excludes(command.file)]
        return replace(
            work,
            commands=[replace(command, options=self._options(command)) for command in wanted],
            problems=[problem for problem in work.problems if not self.of(problem.file).excludes(problem.file)],
            excluded=[command.file for command in work.commands if self.of(command.file).excludes(command.file)],
        )

    def _options(self, command: Command) -> tuple[str, ...]:
        globs = self.rules_for(command.file)
        return (
            *command.options,
            *([f"--rules={','.join(globs)}"] if globs else []),
            *self.of(command.file).analyzer_options,
        )

    def judged(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that the configuration of their own file lets stand, with the severity that it gives."""
        out = []
        for finding in findings:
            file = finding.location.file
            config = self.of(file)
            if config.excludes(Path(file)) or not matches_rules(self.rules_for(file), finding.rule):
                continue
            level = config.severity(finding.rule)
            if level is None and finding.rule in self._rules:
                level = self._rules[finding.rule].severity
            told = self._with_assumptions(finding)
            out.append(replace(told, severity=level) if level else told)
        return out

    def _with_assumptions(self, finding: Finding) -> Finding:
        """The source's evidence says which figures of a machine it rests on."""
        rule = self._rules.get(finding.rule)
        if rule is None or not rule.assumes or len(finding.evidence) > 1:
            return finding
        (evidence,) = finding.evidence or (Evidence("static"),)
        if evidence.source != "static":
            return finding
        changed = {n: v for (slug, n), v in self.of(finding.location.file).thresholds.items() if slug == rule.slug}
        known = {"assumes": rule.assumptions(changed)} | dict(evidence.metrics)
        return replace(finding, evidence=(replace(evidence, metrics=known),))

    def suppression_problems(self, suppressions: Iterable[Suppression]) -> list[Finding]:
        """What is wrong with suppression comments; nothing where the command line asks for certain rules only."""
        if self._globs and not self._globs[0].startswith("-"):
            return []
        mine = (s for s in suppressions if not self.of(s.file).excludes(Path(s.file)))
        return list(problems(mine, self._rules, lambda file: self.of(file).require_reason))

    def baselines(self, files: Iterable[Path]) -> Sequence[Path]:
        """The one of the command line, else those that the configuration of these files names."""
        if self._baseline:
            return [self._baseline]
        return sorted({config.baseline for config in map(self.of, files) if config.baseline})

    def run_rules(self, folder: Path | None = None) -> Mapping[str, Rule]:
        """The catalogue with the thresholds of a folder, by default the working directory: what judges runs, which
        belong to no one file."""
        changed = self._configs.of_folder(folder or Path.cwd()).thresholds
        if not changed:
            return self._rules
        return {
            slug: replace(
                rule,
                thresholds={
                    name: replace(threshold, value=changed.get((slug, name), threshold.value))
                    for name, threshold in rule.thresholds.items()
                },
            )
            for slug, rule in self._rules.items()
        }
