"""stridewise doctor: what works here, what does not, and how to get it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from stridewise import __version__
from stridewise.console import Painter, harmless, wants_colour
from stridewise.settings import doctor_checks, remedies
from stridewise.settings.doctor_checks import Group
from stridewise.settings.remedies import System

_HALVES = ("lint", "mpi")


def run(form: str = "text", need: Sequence[str] = ()) -> int:
    """0 if what is needed works (without a wish: source or MPI runs), else 2."""
    groups = doctor_checks.groups()
    where = remedies.system()
    if form == "json":
        print(json.dumps(_object(groups, where), indent=2, ensure_ascii=False))
    else:
        _print(groups, where)
    works = {group.name for group in groups if group.works}
    if "stridewise" not in works:
        return 2
    return 0 if (set(need) <= works if need else not works.isdisjoint(_HALVES)) else 2


def _print(groups: Sequence[Group], where: System) -> None:
    paint = Painter(wants_colour(sys.stdout))
    for number, group in enumerate(groups):
        print(("\n" if number else "") + f"{group.enables}{'' if group.works else ' (does not work)'}")
        said: set[str] = set()  # parts of a group often need the same
        for check in group.checks:
            mark = paint("ok  ", "green") if check.ok else paint("--  ", "red" if check.needed else "yellow")
            print(f"{mark}{check.name:26} {harmless(check.found)}")
            if check.remedy:
                for text in remedies.commands(check.remedy, where).values():
                    if text not in said:
                        print(f"    {'':26} {text}")
                    said.add(text)
    lacking = [group.name for group in groups if not group.works]
    print(f"\n{where.name}: " + (f"these do not work: {', '.join(lacking)}" if lacking else "everything works"))


def _object(groups: Sequence[Group], where: System) -> dict[str, Any]:
    return {
        "version": 1,
        "tool": {"name": "stridewise", "version": __version__},
        "system": {"name": where.name, "manager": where.manager},
        "groups": [
            {
                "name": group.name,
                "enables": group.enables,
                "works": group.works,
                "checks": [
                    {
                        "name": check.name,
                        "ok": check.ok,
                        "needed": check.needed,
                        "found": check.found,
                        "remedies": remedies.commands(check.remedy, where) if check.remedy else {},
                    }
                    for check in group.checks
                ],
            }
            for group in groups
        ],
    }
