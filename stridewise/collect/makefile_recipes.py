"""What a makefile would run, read as text: the commands that compile a source on the way to the default goal.

Nothing is run and no function of make is called, so that a checkout can be read before anybody trusts it. Variables,
conditions on variables, suffix and pattern rules and make's own rules for C, C++ and Fortran are understood. What is
not (a variable that comes from outside, an included file that does not exist) is said by `Recipe.sure`.
"""

from __future__ import annotations

import posixpath
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from stridewise.collect.build_lines import OPTIONS_VARIABLE, BuildLine, joined_lines
from stridewise.finding.sources import Sources

# Variables that make's own rules name: empty where nothing sets them (GNU make manual, 10.3).
_STANDARD = {
    "CC": "cc",
    "CXX": "g++",
    "FC": "f77",
    **dict.fromkeys("CFLAGS CXXFLAGS CPPFLAGS FFLAGS RFLAGS LDFLAGS LDLIBS LOADLIBES LIBS TARGET_ARCH".split(), ""),
}
_IMPLICIT = {
    **dict.fromkeys((".c",), "$(CC) $(CPPFLAGS) $(CFLAGS) -c $<"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".C"), "$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c $<"),
    **dict.fromkeys((".f", ".F", ".f90", ".F90"), "$(FC) $(FFLAGS) -c $<"),
}
_ASSIGNMENT = re.compile(r"^\s*(?:export\s+|override\s+)*([A-Za-z_.][\w.-]*)\s*([+?!]|:{1,3})?=\s*(.*)$")
_RULE = re.compile(r"^([^\s#=:][^#=:]*?)\s*::?(?!=)\s*([^;]*)(?:;(.*))?$")
_INCLUDE = re.compile(r"^\s*(-|s)?include\s+(.+?)\s*$")
_CONDITION = re.compile(r"^\s*(ifdef|ifndef|ifeq|ifneq)\b\s*(.*)$")
_COMPARED = re.compile(r"""^(?:\((.*),(.*)\)|(["'])(.*?)\3\s+(["'])(.*?)\5)\s*$""")
_REFERENCE = re.compile(r"\$(?:\(([^()$]*)\)|\{([^{}$]*)\}|(.))")
_PART = re.compile(r"&&|\|\||;|\|")
_LINKER = re.compile(r"^(LD|LIB|AR|LFLAGS)")
_DEPTH = 12  # of variables in variables
_MOST_INCLUDES = 16
_MOST_COMMANDS = 400
_MOST_REFERENCES = 10_000  # followed for one text: files are untrusted, and variables can double each other


@dataclass(frozen=True, slots=True)
class Recipe:
    """A command that compiles a source: its words, its line, that of the variable with its options, and whether all of
    it is known."""

    words: tuple[str, ...]
    line: BuildLine
    options_at: BuildLine | None
    sure: bool

    def at(self, word: str) -> BuildLine | None:
        """Where an option stands, as far as a line of its own names it."""
        return self._places.get(word)

    _places: dict[str, BuildLine] = field(default_factory=dict)


@dataclass(slots=True)
class _Value:
    """A variable: the pieces that were assigned, each with its line."""

    pieces: list[tuple[str, BuildLine]] = field(default_factory=list)


@dataclass(slots=True)
class _Rule:
    targets: str
    needs: str
    recipe: list[tuple[str, BuildLine]] = field(default_factory=list)


@dataclass(slots=True)
class _Expanded:
    """Text without references, and what it was made of."""

    text: str = ""
    places: dict[str, BuildLine] = field(default_factory=dict)  # of words, the last one
    options_at: BuildLine | None = None
    sure: bool = True


class Makefile:
    """One makefile with what it includes."""

    def __init__(self, path: Path, sources: Sources) -> None:
        self.path, self.folder = path, path.parent
        self.variables: dict[str, _Value] = {}
        self.rules: list[_Rule] = []
        self.whole = True  # all that it includes was read
        self._sources = sources
        self._read_files = self._left = 0
        self._read(path)

    # Reading

    def _read(self, path: Path) -> None:
        self._read_files += 1
        # Of each condition around a line: True, False, or None where nothing here decides it.
        branches: list[bool | None] = []
        taken: list[bool | None] = []
        rule: _Rule | None = None
        for number, line in joined_lines(path, self._sources):
            place = BuildLine(path, number)
            if line.startswith("\t"):
                if rule is not None and False not in branches:
                    rule.recipe.append((line.strip(), place))
                continue
            text = line.split("#")[0].rstrip()
            if not text.strip() or self._condition(text, branches, taken):
                continue
            if False in branches:
                continue
            if assigned := _ASSIGNMENT.match(text):
                self._assign(assigned[1], assigned[2] or "", assigned[3], place, maybe=None in branches)
            elif included := _INCLUDE.match(text):
                self._include(included[2], path, optional=bool(included[1]))
            elif made := _RULE.match(text):
                if inside := _ASSIGNMENT.match(made[2]):  # of this target alone
                    self._assign(inside[1], "+", inside[3], place, maybe=True)
                    continue
                rule = _Rule(made[1], made[2], [(made[3].strip(), place)] if made[3] else [])
                self.rules.append(rule)

    def _condition(self, text: str, branches: list[bool | None], taken: list[bool | None]) -> bool:
        """Whether the line is one of a condition, which it enters or leaves. `taken`: one of its branches was."""
        word = text.split()[0]
        if begins := _CONDITION.match(text):
            branches.append(self._holds(begins[1], begins[2]))
            taken.append(branches[-1])
        elif word == "else" and branches:
            further = _CONDITION.match(text.strip()[len(word) :])
            holds = self._holds(further[1], further[2]) if further else True
            branches[-1] = False if taken[-1] else holds if taken[-1] is False else None
            taken[-1] = taken[-1] or branches[-1]
        elif word == "endif" and branches:
            branches.pop()
            taken.pop()
        elif word != "endif":
            return False
        return True

    def _holds(self, kind: str, text: str) -> bool | None:
        if kind in ("ifdef", "ifndef"):
            value = self.variables.get(text.strip())
            return (value is not None and any(p for p, _ in value.pieces)) == (kind == "ifdef")
        compared = _COMPARED.match(text.strip())
        if not compared:
            return None
        left, right = (
            self.expand(t.strip()) for t in ((compared[1] or compared[4] or ""), (compared[2] or compared[6] or ""))
        )
        if not (left.sure and right.sure):
            return None
        return (left.text.strip() == right.text.strip()) == (kind == "ifeq")

    def _assign(self, name: str, how: str, value: str, place: BuildLine, maybe: bool) -> None:
        known = self.variables.get(name)
        if known is not None and (how == "+" or maybe):
            known.pieces.append((value, place))
        elif known is None or how != "?":
            self.variables[name] = _Value([(value, place)])

    def _include(self, names: str, by: Path, optional: bool) -> None:
        expanded = self.expand(names)
        for name in expanded.text.split():
            found = next((p for p in (self.folder / name, by.parent / name) if p.is_file()), None)
            if found is None or not expanded.sure or self._read_files >= _MOST_INCLUDES:
                self.whole = self.whole and optional
            else:
                self._read(found)

    # Expanding

    def expand(self, text: str, place: BuildLine | None = None, automatic: dict[str, str] | None = None) -> _Expanded:
        """Text with its references replaced; of functions nothing is left but that they were there."""
        out = _Expanded()
        self._left = _MOST_REFERENCES
        self._expand(text, place, automatic or {}, out, _DEPTH)
        return out

    def _expand(
        self, text: str, place: BuildLine | None, automatic: dict[str, str], out: _Expanded, depth: int
    ) -> None:
        end = 0
        for found in _REFERENCE.finditer(text):
            self._plain(text[end : found.start()], place, out)
            end = found.end()
            name = found[1] or found[2] or found[3] or ""
            if name == "$":
                out.text += "$"
            elif name[:1] in automatic and (len(name) == 1 or name[1:] in ("D", "F")):
                out.text += automatic[name[0]]
            else:
                self._variable(name, automatic, out, depth)
        self._plain(text[end:], place, out)

    @staticmethod
    def _plain(text: str, place: BuildLine | None, out: _Expanded) -> None:
        out.text += text
        if place is not None:
            out.places.update(dict.fromkeys(text.split(), place))

    def _variable(self, name: str, automatic: dict[str, str], out: _Expanded, depth: int) -> None:
        name, _, replaced = name.strip().partition(":")
        self._left -= 1
        if depth == 0 or self._left < 0:
            out.sure = False
        elif name in self.variables:
            inner = _Expanded()
            for value, place in self.variables[name].pieces:
                inner.text += " " if inner.text else ""
                self._expand(value, place, automatic, inner, depth - 1)
            if OPTIONS_VARIABLE.search(name) and not _LINKER.match(name):
                out.options_at = inner.options_at or self.variables[name].pieces[0][1]
            out.text += _suffixes(inner.text, replaced) if replaced else inner.text
            out.places.update(inner.places)
            out.sure = out.sure and inner.sure
        elif name in _STANDARD:
            out.text += _STANDARD[name]
        elif re.fullmatch(r"[\w.-]+", name):
            out.sure = out.sure and not OPTIONS_VARIABLE.search(name)

    # Commands

    def recipes(self, source: Path) -> list[Recipe]:
        """The commands that compile `source` on the way to the default goal."""
        try:
            relative = PurePosixPath(source.relative_to(self.folder).as_posix())
        except ValueError:
            return []
        found: list[Recipe] = []
        for text, place, automatic in self._commands(relative):
            for part in _PART.split(text):
                expanded = self.expand(part, place, automatic)
                words = tuple(w.strip("\"'()") for w in expanded.text.lstrip("@-+ ").split())
                if str(relative) in {posixpath.normpath(w) for w in words}:
                    sure = expanded.sure and self.whole
                    found.append(Recipe(words, place, expanded.options_at, sure, expanded.places))
        return found

    def _commands(self, source: PurePosixPath) -> Iterator[tuple[str, BuildLine, dict[str, str]]]:
        """(command, its line, make's automatic variables) of what is reached and of what makes the source an object."""
        reached, objects = self._reached()
        count = 0
        for target, needs, rule in reached:
            names = needs.split()
            automatic = {"<": names[0] if names else "", "^": needs, "+": needs, "?": needs, "@": target}
            for text, place in rule.recipe:
                count += 1
                if count > _MOST_COMMANDS:
                    return
                yield text, place, automatic | {"*": target.rpartition(".")[0]}
        if source.stem not in objects and str(source.with_suffix("")) not in objects:
            return
        rule_of = self._suffix_rule(source)
        automatic = {"<": str(source), "^": str(source), "+": str(source), "?": str(source), "@": "", "*": source.stem}
        if rule_of is not None:
            for text, place in rule_of.recipe:
                yield text, place, automatic
        elif source.suffix in _IMPLICIT:
            yield _IMPLICIT[source.suffix], BuildLine(self.path, 1), automatic

    def _suffix_rule(self, source: PurePosixPath) -> _Rule | None:
        """The rule that makes objects of all sources of a language."""
        for rule in reversed(self.rules):
            target, need = self.expand(rule.targets).text.strip(), self.expand(rule.needs).text.split()
            pattern = (
                target.endswith("%.o")
                and need
                and fnmatchcase(source.name, PurePosixPath(need[0].replace("%", "*")).name)
            )
            if rule.recipe and (pattern or target in (f"{source.suffix}.o", source.suffix)):
                return rule
        return None

    def _reached(self) -> tuple[list[tuple[str, str, _Rule]], set[str]]:
        """The rules on the way to the default goal by target, and the stems of the objects that none of them makes."""
        by_target: dict[str, list[tuple[str, _Rule]]] = {}
        first = ""
        for rule in self.rules:
            needs = " ".join(map(posixpath.normpath, self.expand(rule.needs).text.split()))
            for target in map(posixpath.normpath, self.expand(rule.targets).text.split()):
                by_target.setdefault(target, []).append((needs, rule))
                if not first and not target.startswith(".") and "%" not in target:
                    first = target
        if chosen := self.variables.get(".DEFAULT_GOAL"):
            first = posixpath.normpath(self.expand(chosen.pieces[-1][0]).text.strip())
        reached, objects, seen = list[tuple[str, str, _Rule]](), set[str](), {first}
        waiting = deque([first])
        while waiting:
            target = waiting.popleft()
            rules = by_target.get(target, [])
            names = [name for text, _ in rules for name in text.split()]
            if not any(rule.recipe for _, rule in rules):
                # An object, or a program that make's own rules build of one source.
                objects |= (
                    {target.removesuffix(".o"), PurePosixPath(target).stem} if target.endswith(".o") else {target}
                )
            reached += [(target, " ".join(names), rule) for _, rule in rules]
            for name in names:
                if name not in seen and "%" not in name:
                    seen.add(name)
                    waiting.append(name)
        return reached, objects

    def options(self) -> list[tuple[str, BuildLine]]:
        """Options that the variables hold, of whichever branch, each with its line."""
        return [
            (word, place)
            for name, value in self.variables.items()
            if OPTIONS_VARIABLE.search(name) and not _LINKER.match(name)
            for text, place in value.pieces
            for word in text.split()
            if word.startswith(("-", "/"))
        ]


def _suffixes(text: str, replaced: str) -> str:
    """`$(NAME:.c=.o)`."""
    old, equals, new = replaced.partition("=")
    if not equals:
        return text
    if "%" in old:
        head, _, tail = old.partition("%")
        return " ".join(
            new.replace("%", w[len(head) : len(w) - len(tail)]) if w.startswith(head) and w.endswith(tail) else w
            for w in text.split()
        )
    return " ".join(w.removesuffix(old) + new if w.endswith(old) else w for w in text.split())
