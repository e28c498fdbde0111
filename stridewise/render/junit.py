"""JUnit's XML, which every CI server shows: a finding is a failure, work that could not be done an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.result import Result
from stridewise.render._common import message, path, safe, standing


def render(result: Result, rules: Mapping[str, Rule], _colour: bool) -> str:
    findings = standing(result)
    cases = [line for finding in findings for line in _case(finding, result, rules)]
    for trouble in result.troubles:
        text = "\n".join([trouble.message, *trouble.details])
        cases += [
            f"    <testcase {_attributes(classname='stridewise', name=trouble.where)}>",
            f"      <error {_attributes(type='stridewise', message=trouble.message)}>{escape(safe(text))}</error>",
            "    </testcase>",
        ]
    count = len(findings) + len(result.troubles)
    if not count:
        # Servers take a report without cases for a broken one.
        cases = [f"    <testcase {_attributes(classname='stridewise', name='no findings')}/>"]
    totals = _attributes(tests=max(count, 1), failures=len(findings), errors=len(result.troubles))
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<testsuites {totals}>",
            f"  <testsuite {_attributes(name='stridewise')} {totals}>",
            *cases,
            "  </testsuite>",
            "</testsuites>",
            "",
        ]
    )


def _case(finding: Finding, result: Result, rules: Mapping[str, Rule]) -> Iterator[str]:
    where = finding.location
    place = f"{path(result, where.file)}:{where.line}"
    name = f"{place} in {finding.function}" if finding.function else place
    text = f"{place}: {message(finding)}"
    if finding.rule in rules:
        text += f"\nwhy: {safe(rules[finding.rule].reason(finding.args))}"
    located = _attributes(
        classname=f"stridewise.{finding.rule}", name=name, file=path(result, where.file), line=max(where.line, 1)
    )
    yield f"    <testcase {located}>"
    yield (
        f"      <failure {_attributes(type=finding.severity.value, message=finding.message)}>{escape(text)}</failure>"
    )
    yield "    </testcase>"


def _attributes(**values: str | int) -> str:
    return " ".join(f"{name}={quoteattr(safe(str(value)))}" for name, value in values.items())
