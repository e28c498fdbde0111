"""Which files a compiler command writes, by the rules that gcc and clang share (gcc's manual, "Overall Options" and
"Options Controlling the Preprocessor"): so that a compilation that is to count as failed leaves none of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from stridewise.collect import compile_db
from stridewise.collect.compiler_options import DROPPED_WITH_VALUE, WITH_VALUE

_LONG = {"--compile": "-c", "--assemble": "-S", "--preprocess": "-E", "--output": "-o", "--save-temps": "-save-temps"}
_NOTHING = {"-E", "-M", "-MM", "-fsyntax-only", "-###"}  # print, or only look
# Options whose value is a word of its own and may look like a source.
_WITH_VALUE = WITH_VALUE | DROPPED_WITH_VALUE | {"-MF", "-MT", "-MQ", "-o"}


def outputs(words: Sequence[str]) -> tuple[str, ...]:
    """The files that this command (without the compiler's name) has written if it succeeded, as it names them: objects,
    assembly or the program, and the lists of dependencies beside them. No input is among them, and no device."""
    words = tuple(_spelled(words))
    flags = {word for word in words if word.startswith("-")}
    if flags & _NOTHING:
        return ()
    named = _value(words, "-o")
    sources = compile_db.sources_in(words)
    suffix = _suffix(flags)
    stems = [PurePath(source).stem for source in sources]
    found: list[str] = []
    if suffix:
        found += [named] if named else [stem + suffix for stem in stems]
    else:
        found.append(named or "a.out")
    if any(flag.startswith("-save-temps") for flag in flags):
        folder = PurePath(named).parent if "-save-temps=obj" in flags else PurePath()
        found += [str(folder / (stem + end)) for stem in stems for end in (".o", ".s", ".i", ".ii", ".bc")]
    found += _dependencies(words, flags, named, stems, compiles_only=bool(suffix))
    return tuple(dict.fromkeys(name for name in found if name not in (*sources, "-", os.devnull)))


def _suffix(flags: set[str]) -> str:
    """Of what each source becomes by itself; empty where the command links."""
    as_llvm = "-emit-llvm" in flags
    if "-S" in flags:
        return ".ll" if as_llvm else ".s"
    if "-c" in flags:
        return ".bc" if as_llvm else ".o"
    return ""


def _dependencies(
    words: Sequence[str], flags: set[str], named: str, stems: Sequence[str], compiles_only: bool
) -> Iterator[str]:
    """Lists of headers, of which make would take the object's rule. -Wp, passes the options on."""
    passed = [part for word in words if word.startswith("-Wp,") for part in word.split(",")[1:]]
    for position, part in enumerate(passed[:-1]):
        if part in ("-MD", "-MMD", "-MF"):
            yield passed[position + 1]
    if not flags & {"-MD", "-MMD"}:
        return
    if file := _value(words, "-MF"):
        yield file
    elif named:
        # gcc from 11 on puts the program's name before the source's where it links.
        stem = str(PurePath(named).with_suffix(""))
        yield stem + ".d"
        if not compiles_only:
            yield from (f"{base}-{one}.d" for one in stems for base in {stem, named})
    else:
        yield from (one + ".d" for one in stems)
        if not compiles_only:
            yield from (f"a-{one}.d" for one in stems)


def _spelled(words: Sequence[str]) -> Iterator[str]:
    """Long options as their short ones."""
    for word in words:
        name, equals, value = word.partition("=")
        if name in _LONG:
            yield _LONG[name] + (equals + value if name == "--save-temps" else "")
            if equals and name == "--output":
                yield value
        else:
            yield word


def _value(words: Sequence[str], option: str) -> str:
    """The option's last value, joined or not."""
    found, position = "", 0
    while position < len(words):
        word = words[position]
        position += 1
        if word == option:
            found = words[position] if position < len(words) else found
            position += 1
        elif word in _WITH_VALUE:
            position += 1
        elif word.startswith(option) and not word.startswith("-objc"):
            found = word.removeprefix(option)
    return found
