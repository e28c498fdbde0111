"""What compilers of Fortran call things, in flang's words: gfortran, Intel, NVIDIA, Cray, IBM and Fujitsu.

Commands are other people's: only what is listed here reaches flang, so nothing that loads code or writes files does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from stridewise.collect.compiler_options import PROCESSOR

_VALUE_NEXT = frozenset(
    "-o -J -module -MF -MT -MQ -MJ -l -L -Xlinker -Xpreprocessor -x -T -u -z -e -b --param -isysroot --sysroot "
    "-specs -wrapper -B -arch -Xcompiler -h -dumpbase -dumpdir -aux-info".split()
)
_FIXED = frozenset("-ffixed-form -fixed -Mfixed -qfixed -Fixed -FI --fixed -nofree".split())
_FREE = frozenset("-ffree-form -free -Mfree -Mfreeform -qfree -Free -FR --free -nofixed".split())
_PREPROCESSED = frozenset("-cpp -fpp -Mpreprocess -Mcpp -eF -eZ -eP -eT -Cpp -xf77-cpp-input -xf95-cpp-input".split())
_REAL_8 = frozenset("-fdefault-real-8 -r8 -autodouble -Mr8 -sreal64 -qrealsize=8 -CcdRR8 -real-size=64".split())
_INTEGER_8 = frozenset("-fdefault-integer-8 -i8 -Mi8 -sinteger64 -qintsize=8 -CcdII8 -integer-size=64".split())
_PLAIN = frozenset("-fbackslash -fno-backslash -flogical-abbreviations -fxor-operator -fdefault-double-8".split())
_LINE_LENGTH = re.compile(r"^-(?:ffixed-line-length[-=](?P<gnu>\d+|none)|(?P<intel>72|80|132)|N(?P<cray>\d+))$")
_EXTENDED = frozenset("-extend-source -extend_source -Mextend -extend -e -Mx".split()) - {"-e"}
# Words of two parts, as `-real-size 64`.
_PAIRED = {"-real-size", "-integer-size", "-s", "-f", "-extend-source"}
_FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter")


# One chain of tests over the ways in which compilers spell options; each has one line to say, complexity 31.
def translate(words: Sequence[str]) -> tuple[str, ...]:
    """The arguments that change how a file is read."""
    out: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        value = words[position + 1] if position + 1 < len(words) else ""
        position += 1
        if word in _PAIRED and _paired(word, value, out):
            position += 1
        elif word in _FOLDERS or word in ("-D", "-U"):
            if value:
                out.append((word if word in ("-D", "-U") else "-I") + value)
            position += 1
        elif folder := next((word.removeprefix(f) for f in _FOLDERS if word.startswith(f) and word != f), ""):
            out.append(f"-I{folder}")
        elif word[:2] in ("-D", "-U") and re.match(r"^-[DU][A-Za-z_]", word):
            out.append(word)
        elif word in _VALUE_NEXT:
            if word == "-x" and value.endswith("cpp-input"):
                out.append("-cpp")
            position += 1
        elif word in _FIXED:
            out.append("-ffixed-form")
        elif word in _FREE:
            out.append("-ffree-form")
        elif word in _PREPROCESSED:
            out.append("-cpp")
        elif word in _REAL_8:
            out.append("-fdefault-real-8")
        elif word in _INTEGER_8:
            out.append("-fdefault-integer-8")
        elif word in _PLAIN:
            out.append(word)
        elif match := _LINE_LENGTH.match(word):
            length = match["gnu"] or match["intel"] or match["cray"]
            out.append(f"-ffixed-line-length={0 if length == 'none' else length}")
        elif word in _EXTENDED:
            out.append("-ffixed-line-length=132")
    if "-fdefault-double-8" in out and "-fdefault-real-8" not in out:
        out.remove("-fdefault-double-8")  # flang takes it beside the other alone
    return tuple(out)


def _paired(word: str, value: str, out: list[str]) -> bool:
    """Takes options of two words; whether the second one belongs to it."""
    if word == "-extend-source":
        out.append(f"-ffixed-line-length={value if value in ('72', '80', '132') else '132'}")
        return value in ("72", "80", "132")
    known = {
        ("-real-size", "64"): "-fdefault-real-8",
        ("-integer-size", "64"): "-fdefault-integer-8",
        ("-s", "real64"): "-fdefault-real-8",
        ("-s", "integer64"): "-fdefault-integer-8",
        ("-f", "free"): "-ffree-form",
        ("-f", "fixed"): "-ffixed-form",
    }
    if (word, value) in known:
        out.append(known[word, value])
        return True
    return word in ("-real-size", "-integer-size") or (word == "-s" and value.startswith(("real", "integer")))


def is_fixed_form(file: PurePath, arguments: Sequence[str]) -> bool:
    """Whether flang takes the file to be in fixed form: as the last option says, else by its name."""
    said = [word for word in arguments if word in ("-ffixed-form", "-ffree-form")]
    return said[-1] == "-ffixed-form" if said else file.suffix.lower() in (".f", ".for", ".ftn", ".f77", ".fpp")


# Compilers that optimise without being told to, unless a debug build is asked for; the last ones even then.
_OPTIMISING = re.compile(r"^(?:ifort|ifx|nvfortran|pgfortran|pgf90|pgf77|ftn|crayftn|frt|frtpx)(?:[-.\d].*)?$")
_THEN_TOO = re.compile(r"^(?:ftn|crayftn|frt|frtpx)(?:[-.\d].*)?$")
_FOR_THIS_PROCESSOR = re.compile(r"^(?:nvfortran|pgfortran|pgf90|pgf77)(?:[-.\d].*)?$")  # by default
# Where -O alone is -O1, as clang has it; elsewhere it is -O2.
_GNU = re.compile(r"^(?:.*-)?(?:gfortran|f77|f90|f95|flang|flang-new|amdflang|armflang)(?:[-.\d].*)?$")
_FULL = frozenset("-fast -fastsse -Kfast -Ofast -O4 -O5 -qhot".split())
_LEVELS = {"-Og": "-O1", "-Os": "-O2", "-Oz": "-O2", "-qnoopt": "-O0", "-Knooptimize": "-O0"}
_PROCESSOR = re.compile(
    r"^(?:-march=|-mcpu=|-qarch=|-tp[= ]?|-x(?:CORE-|SSE|AVX|COMMON-|MIC-|[A-Z]{4,})|-xHost|-xhost|-mavx|-msse4|-mfma|"
    r"-KA64FX|-KSVE|-h\s*cpu=)"
)
_HERE = frozenset("-march=native -mcpu=native -xHost -xhost -tp=native -tp=host -qarch=auto".split())
_OPENMP = re.compile(r"^-(f?i?openmp|qopenmp|mp|homp|qsmp|Kopenmp|xopenmp)(=.*)?$")
# Whether sums may be reordered: compilers that do so unless they are told not to, and options of all.
_REORDERING = re.compile(r"^(?:ifort|ifx|nvfortran|pgfortran|pgf90|pgf77|ftn|crayftn)(?:[-.\d].*)?$")
_IN_ANY_ORDER = frozenset("-ffast-math -Ofast -fassociative-math -Kfast -Keval -fp-model=fast -Menable-unsafe".split())
_IN_ORDER = re.compile(
    r"^(?:-fno-fast-math|-fno-associative-math|-Knoeval|-Kieee|-fp-model[= ]?(?:precise|strict|consistent|source)|"
    r"-mp1?|-h\s*fp[01])$"
)
# Tests of array bounds at run time.
_CHECKS = re.compile(
    r"^(?:-fcheck=(?:\w+,)*(?:all|bounds)(?:,\w+)*|-fbounds-check|-CB|-check=?(?:all|bounds)?|-Mbounds|-qcheck(?:=all|"
    r"=bounds)?|-Rb|-h\s*bounds)$"
)
_NO_CHECKS = re.compile(r"^(?:-fcheck=no-(?:all|bounds)|-fno-bounds-check|-nocheck|-Mnobounds|-qnocheck)$")
_ANY_PROCESSOR = re.compile(r"^-m(?:arch|cpu)=(?:x86-64|generic)$")

CHECKED = "--tests-bounds="  # for the analyser, before the option


def build_options(words: Sequence[str], compiler: str) -> tuple[str, ...]:
    """What the command asks of its compiler's back end, in clang's words: the level, -march, -g, -ffast-math, -fopenmp;
    and which option has bounds tested."""
    name = PurePath(compiler).name
    debug = any(re.match(r"^-g(?!0)(?:[123]|gdb[123]?|dwarf-?[2-5]?|full)?$", word) for word in words)
    optimises = _OPTIMISING.match(name) and (not debug or _THEN_TOO.match(name))
    level = "-O2" if optimises else "-O0"
    processor = "-march=native" if _FOR_THIS_PROCESSOR.match(name) else ""
    reorders = bool(_REORDERING.match(name))
    checks = ""
    for word in words:
        checks = "" if _NO_CHECKS.match(word) else word if _CHECKS.match(word) else checks
        reorders = (reorders or word in _IN_ANY_ORDER) and not _IN_ORDER.match(word)
        if word in _FULL:
            level = "-O3"
        elif word in _LEVELS:
            level = _LEVELS[word]
        elif word == "-O":
            level = "-O1" if _GNU.match(name) else "-O2"
        elif re.match(r"^-O[0-3]$", word):
            level = word
        elif word in _HERE:
            processor = "-march=native"
        elif _ANY_PROCESSOR.match(word):
            processor = ""
        elif _PROCESSOR.match(word):
            processor = word if word.startswith("-march=") else PROCESSOR
    flags = ("-g", debug), ("-ffast-math", reorders), ("-fopenmp", has_openmp(words))
    checked = f"{CHECKED}{checks}" if checks else ""
    return tuple(w for w in (level, processor, *(flag for flag, said in flags if said), checked) if w)


def has_openmp(words: Sequence[str]) -> bool:
    """Whether directives of OpenMP count."""
    return any(_OPENMP.match(word) for word in words)
