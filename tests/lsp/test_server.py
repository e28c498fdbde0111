"""The server as a client sees it, over standard input and output."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from client import CAPABILITIES, PATIENCE_SECONDS, TOP, Client
from conftest import Connect, database

STRIDED = "mem-strided-inner-loop"


def codes(diagnostics: list[Any]) -> list[str]:
    return [d.get("code", "") for d in diagnostics]


def test_diagnostics_say_what_lint_says(connect: Connect, kernel: Path) -> None:
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    (found,) = client.diagnostics(uri)
    lines = kernel.read_text().split("\n")
    line = next(n for n, text in enumerate(lines) if text.startswith(f"    // expect: {STRIDED}")) + 1
    assert found["range"]["start"] == {"line": line, "character": 4}
    assert found["code"] == STRIDED
    assert found["source"] == "stridewise"
    assert found["severity"] == 2
    page = Path(urlsplit(found["codeDescription"]["href"]).path)
    assert (page.name, page.parent.name, page.is_file()) == ("doc.md", STRIDED, True)
    assert "'x' steps" in found["message"]
    (related,) = found["relatedInformation"]
    assert related["location"]["uri"] == uri
    assert related["location"]["range"]["start"]["line"] == line - 2
    assert client.stop() == 0


def test_unsaved_text_counts(connect: Connect, kernel: Path) -> None:
    """An edit that mends the loop, then one that brings it back lower down; the file on disk stays as it was."""
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    client.diagnostics(uri)
    good = (TOP / "rules/mem-strided-inner-loop/fixed.c").read_text(encoding="utf-8")
    bad = client.texts[uri]
    client.change(uri, good)
    assert client.diagnostics(uri) == []
    client.change(uri, "int more;\nint than;\n" + bad)
    (found,) = client.diagnostics(uri)
    assert found["range"]["start"]["line"] == 24
    assert kernel.read_text(encoding="utf-8") == bad


def test_comments_start_no_analyser(
    connect: Connect, kernel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an edit that changes comments only, the answer is the former one at its new place, with its fix."""
    starts = _counting_analyser(tmp_path, monkeypatch)
    client = connect(kernel.parent)
    client.start({"wholeProgram": False})
    uri = client.open(kernel)
    client.diagnostics(uri)
    before = starts()
    client.change(uri, "// a remark\n\n" + client.texts[uri].replace("*out,", "*out /* rows */,"))
    (found,) = client.diagnostics(uri)
    assert found["range"]["start"]["line"] == 24
    (fix,) = [a for a in client.actions(uri, 24) if a.get("isPreferred")]
    assert fix["edit"]["documentChanges"][0]["textDocument"]["version"] == 2
    assert starts() == before, "no analyser was started"
    client.change(uri, client.texts[uri].replace("0.25 *", "0.125 *"))
    client.diagnostics(uri)
    assert starts() > before, "an edit of the code starts one"


def test_suppressions_are_no_mere_comments(connect: Connect, kernel: Path) -> None:
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    (found,) = client.diagnostics(uri)
    line = found["range"]["start"]["line"]
    (action,) = [a for a in client.actions(uri, line) if a["title"].startswith("Suppress")]
    text = client.apply(uri, action["edit"])
    assert f"    // NOLINTNEXTLINE(stridewise-{STRIDED}): reason\n    for (int x" in text
    client.change(uri, text)
    assert client.diagnostics(uri) == []


def test_the_fix_is_for_this_version_only(connect: Connect, kernel: Path) -> None:
    client = connect(kernel.parent)
    client.start({"lintOnChange": False})
    uri = client.open(kernel)
    (found,) = client.diagnostics(uri)
    line = found["range"]["start"]["line"]
    (action,) = [a for a in client.actions(uri, line) if a.get("isPreferred")]
    assert action["kind"] == "quickfix"
    mended = client.apply(uri, action["edit"])
    wanted = (TOP / "rules/mem-strided-inner-loop/fixed.c").read_text(encoding="utf-8")
    assert _code(mended) == _code(wanted)
    (everything,) = client.actions(uri, 0, ["source.fixAll"])
    assert client.apply(uri, everything["edit"]) == mended
    # The text changes and nothing is analysed: no fix may be applied to it.
    client.change(uri, "int more;\n" + client.texts[uri])
    later = client.actions(uri, line + 1)
    assert all("edit" not in a or a["title"].startswith("Suppress") for a in later), later
    client.save(uri, kernel)
    client.diagnostics(uri)
    assert [a for a in client.actions(uri, line + 1) if a.get("isPreferred")]


def _code(text: str) -> list[str]:
    lines = (line.partition("//")[0].strip() for line in text.split("\n"))
    return [line for line in lines if line]


def test_hover_explains(connect: Connect, kernel: Path) -> None:
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    (found,) = client.diagnostics(uri)
    text = client.hover(uri, found["range"]["start"]["line"])
    assert text.startswith(f"**{STRIDED}**")
    assert "suspected, no run evidence; medium confidence" in text
    assert "**Why it costs**" in text
    assert "```" not in text
    assert client.hover(uri, 0) == ""
    assert client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) == [], "nothing was measured"
    client.request("workspace/executeCommand", {"command": "stridewise.explain", "arguments": [STRIDED]})
    shown = client.wait(lambda m: m["method"] == "window/showDocument")
    assert shown["params"]["uri"].startswith("file:///")
    assert shown["params"]["uri"].endswith(f"/{STRIDED}/doc.md")


def test_configuration_files_count_at_once(connect: Connect, kernel: Path) -> None:
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    client.diagnostics(uri)
    config = kernel.parent / ".stridewise.toml"
    changed = {"changes": [{"uri": config.as_uri(), "type": 2}]}
    config.write_text('rules = ["mpi-*"]\n', encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", changed)
    assert client.until(uri, lambda found: not found, len(client.seen)) == []
    mark = len(client.seen)
    config.write_text('severity = { "mem-*" = "error" }\nunknown = 1\n', encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", changed)
    (wrong,) = client.until(config.as_uri(), bool, mark)
    assert wrong["range"]["start"]["line"] == 1
    assert "unknown setting 'unknown'" in wrong["message"]
    mark = len(client.seen)
    config.write_text('[severity]\n"mem-*" = "error"\n', encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", changed)
    client.until(config.as_uri(), lambda found: not found, mark)
    (found,) = client.until(uri, bool, mark)
    assert found["severity"] == 1


def test_baselines_and_exclusions_hold(connect: Connect, kernel: Path) -> None:
    """What lint leaves out the editor leaves out, too."""
    words = [sys.executable, "-m", "stridewise", "lint", "--write-baseline", "known.json"]
    environment = {**os.environ, "PYTHONPATH": str(TOP)}
    subprocess.run(words, cwd=kernel.parent, env=environment, check=True, capture_output=True)
    config = kernel.parent / ".stridewise.toml"
    config.write_text('baseline = "known.json"\n', encoding="utf-8")
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    assert client.diagnostics(uri) == []
    client.change(uri, client.texts[uri].replace("x * 7", "x * 5"))
    assert client.diagnostics(uri) == [], "the loop is the one that is known"
    client.change(uri, client.texts[uri].replace("int x = 1; x < in", "int x = 2; x < in"))
    assert codes(client.diagnostics(uri)) == [STRIDED]
    mark = len(client.seen)
    config.write_text('exclude = ["kernel.c"]\n', encoding="utf-8")
    changed = {"changes": [{"uri": config.as_uri(), "type": 2}]}
    client.notify("workspace/didChangeWatchedFiles", changed)
    client.until(uri, lambda found: not found, mark)


def test_changes_are_seen_without_a_watcher(connect: Connect, kernel: Path) -> None:
    """A client that watches nothing: the files are looked at when it asks for something."""
    client = connect(kernel.parent)
    client.start(capabilities={"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
    uri = client.open(kernel)
    (found,) = client.diagnostics(uri)
    assert "relatedInformation" not in found
    text = client.hover(uri, found["range"]["start"]["line"])
    assert text.startswith(f"{STRIDED}: ")
    assert "**" not in text
    (kernel.parent / ".stridewise.toml").write_text('rules = ["mpi-*"]\n', encoding="utf-8")
    mark, deadline = len(client.seen), time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and not _said_nothing(client, uri, mark):
        time.sleep(0.3)
        client.hover(uri, 0)
    assert _said_nothing(client, uri, mark)


def _said_nothing(client: Client, uri: str, mark: int) -> bool:
    said = [m["params"] for m in client.seen[mark:] if m["method"] == "textDocument/publishDiagnostics"]
    return any(p["uri"] == uri and p["diagnostics"] == [] for p in said)


def test_a_new_database_counts(connect: Connect, kernel: Path) -> None:
    """The loop disappears with a macro that the new commands set."""
    kernel.write_text("#ifndef OFF\n" + kernel.read_text(encoding="utf-8") + "#endif\n", encoding="utf-8")
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    assert codes(client.diagnostics(uri)) == [STRIDED]
    database(kernel.parent, "-O2", "-DOFF")
    client.notify(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": (kernel.parent / "compile_commands.json").as_uri(), "type": 2}]},
    )
    client.until(uri, lambda found: not found)


def test_settings(connect: Connect, kernel: Path) -> None:
    """Of the client's configuration, asked for; changed while the server runs; wrong ones are named."""
    client = connect(kernel.parent)
    client.settings = {"rules": ["mem-*", "-mem-strided-*"]}
    client.start()
    uri = client.open(kernel)
    client.until(uri, lambda found: not found)
    mark = len(client.seen)
    client.settings = {"rules": "mem-*", "minConfidence": "certain"}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    assert codes(client.until(uri, bool, mark)) == [STRIDED]
    said = client.wait(lambda m: m["method"] == "window/showMessage", mark)["params"]["message"]
    assert "stridewise.minConfidence must be one of low, medium, high" in said


def test_files_without_a_command(connect: Connect, kernel: Path) -> None:
    """A new file is read with its neighbour's flags, one without any database with plain ones; it is said once."""
    new = kernel.with_name("new.c")
    new.write_text("#ifndef __OPTIMIZE__\n#error not optimised\n#endif\n" + kernel.read_text(), encoding="utf-8")
    client = connect(kernel.parent)
    client.start()
    uri = client.open(new)
    assert codes(client.diagnostics(uri)) == [STRIDED]
    said = client.wait(lambda m: m["method"] == "window/logMessage")["params"]["message"]
    assert "it is read with the flags of kernel.c" in said
    (kernel.parent / "compile_commands.json").unlink()
    client.notify(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": (kernel.parent / "compile_commands.json").as_uri(), "type": 3}]},
    )
    client.wait(lambda m: m["method"] == "window/logMessage" and "plain flags" in m["params"]["message"])


def test_headers_show_what_their_sources_find(connect: Connect, tmp_path: Path) -> None:
    folder = tmp_path / "headers"
    folder.mkdir()
    record = "#pragma once\nstruct cell {\n  char kind;\n  double value;\n  char state;\n};\n"
    header = folder / "cell.h"
    header.write_text(record, encoding="utf-8")
    (folder / "use.c").write_text('#include "cell.h"\nstruct cell cells[100000];\n', encoding="utf-8")
    database(folder, "-O2")
    client = connect(folder)
    client.start()
    uri = client.open(header, language="cpp")
    assert codes(client.diagnostics(uri)) == ["mem-struct-padding"]
    client.change(uri, record.replace("  char state;\n", ""))
    client.until(uri, lambda found: not found)
    client.change(uri, "// back again\n" + record)
    (found,) = client.diagnostics(uri)
    assert found["range"]["start"]["line"] == 2
    # A source that is open sees the header's unsaved text, too.
    source = client.open(folder / "use.c")
    assert client.diagnostics(source) == []


def test_code_that_does_not_compile_keeps_what_was_known(connect: Connect, kernel: Path) -> None:
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    client.diagnostics(uri)
    client.change(uri, client.texts[uri].replace("int main(", "int unfinished(\nint main("))
    found = client.diagnostics(uri)
    assert sorted(codes(found)) == ["", STRIDED]
    (complaint,) = [d for d in found if "code" not in d]
    assert complaint["severity"] == 3
    assert "does not compile with clang" in complaint["message"]
    client.change(uri, client.texts[uri].replace("int unfinished(\n", ""))
    assert codes(client.diagnostics(uri)) == [STRIDED]


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 13), ("utf-16", 10), ("utf-32", 9)])
def test_columns_count_what_was_agreed(connect: Connect, kernel: Path, encoding: str, column: int) -> None:
    text = kernel.read_text(encoding="utf-8").replace(
        "    for (int x = 1", "/* é\N{MUSICAL SYMBOL G CLEF} */ for (int x = 1"
    )
    kernel.write_text(text, encoding="utf-8")
    client = connect(kernel.parent)
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    assert client.start(capabilities=capabilities)["capabilities"]["positionEncoding"] == encoding
    uri = client.open(kernel)
    (found,) = client.diagnostics(uri)
    assert found["range"]["start"]["character"] == column
    (action,) = [a for a in client.actions(uri, found["range"]["start"]["line"]) if a.get("isPreferred")]
    edits = action["edit"]["documentChanges"][0]["edits"]
    assert edits[1]["range"]["start"]["character"] == column + len("for (")


def test_several_workspace_folders(connect: Connect, kernel: Path, tmp_path: Path) -> None:
    """Each has its own database and configuration."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "kernel.c").write_text(kernel.read_text(encoding="utf-8"), encoding="utf-8")
    database(other, "-O2")
    (other / ".stridewise.toml").write_text('rules = ["mpi-*"]\n', encoding="utf-8")
    client = connect(tmp_path)
    client.start(folders=[kernel.parent, other])
    first, second = client.open(kernel), client.open(other / "kernel.c")
    assert codes(client.diagnostics(first)) == [STRIDED]
    assert client.diagnostics(second) == []


def test_closing_takes_diagnostics_back(connect: Connect, kernel: Path) -> None:
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    client.diagnostics(uri)
    mark = len(client.seen)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.until(uri, lambda found: not found, mark)
    assert (
        client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})[
            "result"
        ]
        is None
    )


def test_stale_analyses_are_ended(
    connect: Connect, kernel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The analyser of an outdated text is killed; the last text is answered."""
    pids = tmp_path / "pids"
    pids.mkdir()
    script = tmp_path / "slow-analyze"
    real = _analyser()
    script.write_text(
        f"#!{sys.executable}\nimport os, sys, time, pathlib\n"
        f"pathlib.Path({str(pids)!r}, str(os.getpid())).touch()\n"
        "maps = [a for a in sys.argv if a.endswith('overlay.json')]\n"
        "text = ''.join(open(p).read() for m in maps for p in pathlib.Path(m).parent.glob('overlay[0-9]*'))\n"
        "if 'HANG' in text:\n    time.sleep(600)\n"
        f"os.execv({str(real)!r}, [{str(real)!r}, *sys.argv[1:]])\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(script))
    client = connect(kernel.parent)
    client.start({"wholeProgram": False})
    uri = client.open(kernel)
    client.diagnostics(uri)
    seen = _names(pids)
    client.change(uri, "int HANG;\n" + client.texts[uri])
    hanging = _until(lambda: _names(pids) - seen)
    client.change(uri, client.texts[uri].replace("HANG", "done"))
    assert codes(client.diagnostics(uri)) == [STRIDED]
    assert _until(lambda: not any(_lives(pid) for pid in hanging))
    client.change(uri, client.texts[uri].replace("done", "HANG"))
    last = _until(lambda: _names(pids) - seen - hanging)
    assert client.stop() == 0
    assert not any(_lives(pid) for pid in last), "the end of the server is that of its analysers"


def test_a_client_that_dies_leaves_no_server(connect: Connect, kernel: Path) -> None:
    client = connect(kernel.parent)
    client.start()
    client.open(kernel)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(PATIENCE_SECONDS) == 1


def test_garbage(connect: Connect, kernel: Path) -> None:
    """Wrong messages are answered or ignored, and the server works on."""
    client = connect(kernel.parent)
    client.start()
    uri = client.open(kernel)
    client.diagnostics(uri)
    for body in (b"{ not json", b"[]", b"null", b'{"jsonrpc":"2.0"}', b"\xff\xfe", b'{"jsonrpc":"2.0","method":5}'):
        client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    client.send_bytes(b"Nonsense\r\n\r\n")
    place = {"line": 5, "character": 0}
    for params in (None, {}, {"textDocument": 3}, {"textDocument": {"uri": uri}, "position": {"line": -4}}):
        client.ask("textDocument/hover", params)
    for name in ("untitled:Untitled-1", "file:///no/such/file.c", "file://host/x.c", "", "::", "file:///%00"):
        params = {"textDocument": {"uri": name}, "position": place}
        assert client.ask("textDocument/hover", params).get("result") is None
        document = {"uri": name, "languageId": "c", "version": 1, "text": "int x;\x00\ud800"}
        client.notify("textDocument/didOpen", {"textDocument": document})
        client.notify("textDocument/didClose", {"textDocument": {"uri": name}})
        client.notify("textDocument/didSave", {"textDocument": {"uri": name}})
    far = {"start": {"line": 9999, "character": 9}, "end": {"line": 99999, "character": 7}}
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": far, "text": "\nint far;\n"}]},
    )
    assert client.ask("no/such/method", {})["error"]["code"] == -32601
    assert "error" in client.ask("workspace/executeCommand", {"command": "rm", "arguments": ["-rf"]})
    client.request("workspace/executeCommand", {"command": "stridewise.explain", "arguments": ["no-such-rule"]})
    client.versions[uri] = 2
    client.change(uri, "// fine\n" + kernel.read_text(encoding="utf-8"))
    assert codes(client.diagnostics(uri)) == [STRIDED]
    assert client.stop() == 0


def test_headers_and_sources_are_edited_together(connect: Connect, tmp_path: Path) -> None:
    """What is not saved in a header counts for the sources that include it, the other way round too."""
    folder = tmp_path / "together"
    folder.mkdir()
    header, source = folder / "at.h", folder / "use.c"
    kernel = (TOP / "rules/mem-strided-inner-loop/buggy.c").read_text(encoding="utf-8")
    accessor = next(line for line in kernel.split("\n") if "double *at(" in line)
    source.write_text(kernel.replace(accessor, "#include <at.h>"), encoding="utf-8")
    header.write_text(accessor + "\n", encoding="utf-8")
    database(folder, "-O2", "-I.")  # the analysis knows it as ./at.h
    client = connect(folder)
    client.start({"wholeProgram": False})
    uri = client.open(source)
    assert codes(client.diagnostics(uri)) == [STRIDED]
    other = client.open(header)
    client.diagnostics(other)
    mark = len(client.seen)
    client.change(other, accessor.replace("x * grid->height + y", "y * grid->width + x") + "\n")
    found = client.until(uri, lambda d: all("'x' steps" not in one["message"] for one in d), mark)
    assert any("'y'" in one["message"] for one in found), "now the loops that fill it have the wrong order"
    mark = len(client.seen)
    client.notify("textDocument/didClose", {"textDocument": {"uri": other}})
    client.until(uri, lambda d: any("'x' steps" in one["message"] for one in d), mark)


def test_all_open_sources_see_a_header(connect: Connect, lbm: Path) -> None:
    """More than are analysed for the header alone: none keeps a complaint about a text that is gone."""
    client = connect(lbm)
    client.start({"wholeProgram": False})
    uris = [client.open(lbm / name) for name in ("physics.c", "mesh.c", "main.c", "special.c")]
    for uri in uris:
        client.diagnostics(uri)
    header = client.open(lbm / "include/mesh.h")
    client.diagnostics(header)
    whole = client.texts[header]

    def broken(found: list[Any]) -> bool:
        return any("does not compile" in d["message"] for d in found)

    mark = len(client.seen)
    client.change(header, whole.replace("int width;", "int width"))
    for uri in uris:
        client.until(uri, broken, mark)
    mark = len(client.seen)
    client.change(header, whole)
    for uri in uris:
        client.until(uri, lambda found: not broken(found), mark)


def test_the_log_goes_to_a_file(connect: Connect, kernel: Path, tmp_path: Path) -> None:
    client = connect(kernel.parent, "--log-file", str(tmp_path / "log"), "--verbose")
    client.start()
    uri = client.open(kernel)
    client.diagnostics(uri)
    client.stop()
    text = (tmp_path / "log").read_text(encoding="utf-8")
    assert re.search(r"kernel\.c: analysed in [0-9.]+ s", text)
    assert (tmp_path / "server.log").read_text(encoding="utf-8") == ""


def test_progress_of_the_whole_program(connect: Connect, lbm: Path) -> None:
    """Without being asked for, the other units are analysed; whole-program findings follow."""
    client = connect(lbm)
    client.start()
    uri = client.open(lbm / "main.c")
    client.diagnostics(uri)
    begun = client.wait(lambda m: m["method"] == "$/progress" and m["params"]["value"].get("title") == "analysing lbm")
    token = begun["params"]["token"]
    client.wait(
        lambda m: (
            m["method"] == "$/progress" and m["params"]["token"] == token and m["params"]["value"]["kind"] == "end"
        )
    )
    header = client.open(lbm / "include/special.h")
    assert "mem-struct-padding" in codes(client.diagnostics(header))
    (fix,) = [a for a in client.actions(header, 11) if a.get("isPreferred")]
    assert "order the fields" in fix["title"].lower()
    assert json.dumps(fix["edit"]).count("newText") >= 1


def test_without_an_analyser_the_editor_says_so(
    connect: Connect, kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRIDEWISE_ANALYZE", "/no/such/program")
    client = connect(kernel.parent)
    client.start()
    said = client.wait(lambda m: m["method"] == "window/showMessage")["params"]
    assert said["type"] == 1
    assert "STRIDEWISE_ANALYZE" in said["message"]
    uri = client.open(kernel)
    assert client.hover(uri, 0) == ""
    assert client.stop() == 0


def _counting_analyser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    count = tmp_path / "count"
    count.touch()
    script = tmp_path / "counting-analyze"
    script.write_text(f'#!/bin/sh\necho x >> "{count}"\nexec "{_analyser()}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_ANALYZE", str(script))
    return lambda: count.read_text(encoding="utf-8").count("x")


def _analyser() -> Path:
    from stridewise.settings import toolchain

    return toolchain.analyzer()


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _lives(pid: str) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


def _until(wanted: Any) -> Any:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := wanted()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found
