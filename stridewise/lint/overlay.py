"""Contents that stand in for files on disk: an editor's unsaved text, a file as another revision has it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stridewise.finding.sources import Sources

_MAP = "overlay.json"


@dataclass(frozen=True, slots=True)
class Overlay:
    """`contents`: absolute path to bytes. A file that is not on disk exists while the overlay is used."""

    contents: Mapping[str, bytes] = field(default_factory=dict)

    def arguments(self, folder: Path) -> tuple[str, ...]:
        """What the compiler must be told; the contents and their map are written to `folder`, an absolute path.

        The map is of Clang's virtual file system, version 0 (a subset of YAML that JSON is in, too). Paths that are no
        UTF-8 cannot stand in it and are read from disk. Raises OSError where the folder cannot be written.
        """
        roots = []
        for copy, path in self.copies(folder).items():
            if any("\udc80" <= char <= "\udcff" for char in path):
                continue
            Path(copy).write_bytes(self.contents[path])
            # Clang asks for a file under the name that the command or an #include gives it.
            for name in dict.fromkeys((path, os.path.realpath(path))):
                roots.append({"name": name, "type": "file", "external-contents": copy})
        if not roots:
            return ()
        file = folder / _MAP
        text = json.dumps(
            {"version": 0, "case-sensitive": "true", "use-external-names": "false", "fallthrough": "true"}
            | {"roots": roots},
            ensure_ascii=False,
        )
        file.write_text(text, encoding="utf-8")
        return "-ivfsoverlay", str(file)

    def copies(self, folder: Path) -> Mapping[str, str]:
        """The files that arguments() writes to `folder`, and what each stands for."""
        return {str(folder / f"overlay{number}"): path for number, path in enumerate(sorted(self.contents))}

    def sources(self) -> Sources:
        """The source tree as the overlay shows it."""
        return Sources.of(self.contents)

    def touches(self, files: Collection[str]) -> bool:
        """Whether one of these files, as a result of the analyser names them, is in the overlay."""
        return any(is_among(path, files) for path in self.contents)


def is_among(path: str, files: Collection[str]) -> bool:
    """Whether a file is one of those that an analysis names as it came to them, by -I. or -I../include, say."""
    if path in files or (real := os.path.realpath(path)) in files:
        return True
    name = Path(path).name
    return any(
        os.path.realpath(file) == real
        for file in files
        if file.endswith(name) and ("/./" in file or "/../" in file or "//" in file)
    )
