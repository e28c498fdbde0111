"""The steps, by a model of a host: whatever happened before, one round brings it in line and a second does nothing."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import pytest

from stridewise.review.sync import Kind, Own, Wanted, same, steps

KEYS = [f"{n:016x}" for n in range(6)]
WRITES = {Kind.CREATE, Kind.UPDATE, Kind.REOPEN, Kind.RESOLVE, Kind.DELETE}


def resolution(own: Own, why: str) -> str:
    return f"resolved {own.key} {why}"


@dataclass
class Model:
    """A host that can resolve threads, or cannot."""

    threads: bool
    comments: list[Own] = field(default_factory=list)
    made: int = 0

    def take(self, wanted: list[Wanted], present: list[str], complete: bool) -> list[Kind]:
        todo = steps(wanted, present, list(self.comments), resolution, complete=complete)
        for step in todo:
            if step.kind is Kind.CREATE:
                assert step.wanted
                self.made += 1
                state = False if self.threads else None
                new = Own(step.wanted.key, f"new{self.made}", step.body, line=step.wanted.line, thread_resolved=state)
                self.comments.append(new)
                continue
            assert step.own
            place = next(i for i, c in enumerate(self.comments) if c.id == step.own.id)
            own = self.comments[place]
            if step.kind is Kind.DELETE:
                assert not own.answered
                assert any(c.key == own.key and c.id != own.id for c in self.comments)  # its successor is there
                del self.comments[place]
            elif step.kind in (Kind.UPDATE, Kind.REOPEN, Kind.RESOLVE):
                gone = step.kind is Kind.RESOLVE
                state = gone if self.threads and step.kind is not Kind.UPDATE else own.thread_resolved
                self.comments[place] = replace(own, body=step.body, said_resolved=gone, thread_resolved=state)
        return [step.kind for step in todo]


def wish(key: str, text: str = "text") -> Wanted:
    return Wanted(key, "a.c", 3, 3, f"{key} {text}", f"{key} {text}, moved")


@pytest.mark.parametrize("seeds", [range(n, n + 100) for n in range(0, 500, 100)])
def test_one_round_is_enough(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)
        host = Model(chance.random() < 0.7)
        for number in range(chance.randint(0, 8)):
            said = chance.random() < 0.3
            host.comments.append(
                Own(
                    key=chance.choice(KEYS),
                    id=str(number),
                    body=chance.choice(["old", "resolved"]),
                    line=chance.choice([None, 3]),
                    said_resolved=said,
                    thread_resolved=chance.choice([True, False]) if host.threads else None,
                    answered=chance.random() < 0.3,
                )
            )
        before = list(host.comments)
        wanted = [wish(key) for key in KEYS if chance.random() < 0.5]
        present = [key for key in KEYS if chance.random() < 0.2]
        complete = chance.random() < 0.8
        host.take(wanted, present, complete)
        for want in wanted:
            shown = [c for c in host.comments if c.key == want.key and not c.said_resolved]
            assert len(shown) == 1
            closed = shown[0].thread_resolved is True
            assert closed or shown[0].body in (want.body, want.moved)
        for comment in before:
            if comment.answered:
                assert comment.id in {c.id for c in host.comments}
        kept = {c.key for c in host.comments if not c.said_resolved}
        gone = {c.key for c in before} - {w.key for w in wanted} - set(present)
        assert not complete or not gone & kept
        again = host.take(wanted, present, complete)
        assert not WRITES & set(again), (seed, again)


def test_two_findings_of_one_fingerprint_are_said_once() -> None:
    host = Model(True)
    assert host.take([wish(KEYS[0]), wish(KEYS[0])], [], True) == [Kind.CREATE]


def test_line_ends_make_no_difference() -> None:
    assert same("a\r\nb  \r\n", "a\nb")
    assert not same("a\nb", "a b")
