"""What compilers call things, in Clang's words: options of GCC, Cray, Fujitsu, IBM, Intel and NVIDIA."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence

# Options whose value is the next word.
WITH_VALUE = frozenset(
    (
        "-I -D -U -L -l -isystem -iquote -idirafter -include -imacros -iprefix -iwithprefix -iwithprefixbefore "
        "-isysroot -x -Xpreprocessor -Xclang -Xlinker -Xassembler -Xcompiler -arch -target --target -T -u -z -A -G -b "
        "-e -framework -F --param -mllvm --sysroot -aux-info -dumpbase -dumpdir -gcc-toolchain --gcc-toolchain -specs "
        "-wrapper -B --std"
    ).split()
)
# Outputs and dependency files: what the build writes, which an analysis must not.
_DROPPED = re.compile(
    r"^(-c|-S|-E|-M|-MM|-MD|-MMD|-MP|-MG|-MV|-pipe|-fsyntax-only|-save-temps(=.*)?|--save-temps(=.*)?|-Winvalid-pch|"
    r"-fpch-.*|-Wp,-M.*|-o.+|-MF.+|-MT.+|-MQ.+|-MJ.+|-gsplit-dwarf.*|-time|-v|-###|-showme.*|-show|"
    # Device code: each target would be a compilation of its own.
    r"-fopenmp-targets=.*|--offload-arch=.*|--offload=.*|-foffload(=.*|-options=.*)?|-Xopenmp-target=.*|-fsycl.*)$"
)
DROPPED_WITH_VALUE = frozenset(
    {"-o", "-MF", "-MT", "-MQ", "-MJ", "--serialize-diagnostics", "-include-pch", "-Xopenmp-target"}
)
# What other compilers call an optimisation level or a processor, in clang's words.
_SPELLINGS = {
    "-fast": ("-O3",),
    "-Kfast": ("-O3",),
    "-fastsse": ("-O3",),
    "-O4": ("-O3",),
    "-O5": ("-O3",),
    "-xHost": ("-march=native",),
    "-xhost": ("-march=native",),
    "-tp=native": ("-march=native",),
    "-tp=host": ("-march=native",),
}
_INTEL_PROCESSOR = re.compile(r"^-x(CORE-|SSE|AVX|COMMON-|MIC-|[A-Z]{4,})[A-Z0-9_.-]*$")
_NVIDIA_PROCESSOR = re.compile(r"^-tp=.+$")
PROCESSOR = "-march=x86-64-v3" if platform.machine() == "x86_64" else "-march=native"  # names differ; what matters
# is that one was asked for
_OPENMP = re.compile(
    r"^(-qopenmp|-openmp|-mp|-mp=(multicore|gpu|ompt|bind|nobind|all|align|noalign|,)*|-fiopenmp|-homp|-xopenmp.*|"
    r"-qsmp(=.*)?|-Kopenmp|-fopenmp=.*)$"
)


# One chain of tests over the ways in which compilers spell options; each has one line to say, complexity 32.
def translate(words: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """(arguments without outputs and inputs, language of an explicit -x)."""
    out: list[str] = []
    language = ""
    position = 0
    while position < len(words):
        word = words[position]
        value = words[position + 1] if position + 1 < len(words) else None
        position += 1
        if word == "--":
            break  # inputs only
        if word in DROPPED_WITH_VALUE or word == "-h":  # -h: a list of Cray's own, and help elsewhere
            out += ["-fopenmp"] if word == "-h" and value == "omp" else []
            position += 1
        elif word in _SPELLINGS:
            out += _SPELLINGS[word]
        elif word == "-tp" and value is not None:
            out.append("-march=native" if value in ("native", "host") else PROCESSOR)
            position += 1
        elif _INTEL_PROCESSOR.match(word) or _NVIDIA_PROCESSOR.match(word):
            out.append(PROCESSOR)
        elif word == "-Xclang" and value == "-include-pch":
            position += 3  # -Xclang -include-pch -Xclang FILE: made by another clang
        elif word == "-x" or (word.startswith("-x") and word[2:] in ("c", "c++", "f95", "cuda", "hip", "assembler")):
            language = (value or "") if word == "-x" else word[2:]
            position += word == "-x"
        elif word.startswith("-K") and "," in word:  # a list of Fujitsu's
            parts = word[2:].split(",")
            out += [*(["-O3"] if "fast" in parts else []), *(["-fopenmp"] if "openmp" in parts else [])]
        elif word == "-qopenmp-simd":
            out.append("-fopenmp-simd")
        elif _OPENMP.match(word):
            out.append("-fopenmp")
        elif _DROPPED.match(word):
            continue
        elif word in WITH_VALUE:
            out.append(word)
            if value is not None:
                out.append(value)
            position += 1
        elif word.startswith("-") and word != "-":
            out.append(word)
        # anything else is an input of the compilation or of the link; the file itself is passed apart
    return tuple(out), language
