"""A client of the language server: the protocol as it is on the wire, so that a test can also send what is wrong."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 300.0  # the machine may be busy; no test depends on how long a thing takes

Json = Any

CAPABILITIES: Mapping[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "codeLens": {"refreshSupport": True},
    },
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]}, "versionSupport": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeAction": {"disabledSupport": True, "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    },
}


class Client:
    """One server process. What the server sends is kept in order in `seen`; its requests are answered at once."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        environment = dict(os.environ)
        environment["XDG_CACHE_HOME"] = str(folder.parent / "cache")
        environment["XDG_CONFIG_HOME"] = str(folder.parent / "config")
        environment["PYTHONPATH"] = str(TOP)
        environment["TMPDIR"] = str(folder.parent / "tmp")  # a server that is killed leaves what it wrote there
        Path(environment["TMPDIR"]).mkdir(exist_ok=True)
        self.log = (folder.parent / "server.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "stridewise", "lsp", *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self.seen: list[Json] = []
        self.settings: Json = None  # what workspace/configuration is answered with
        self.versions: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self._arrived = threading.Condition()
        self._answers: dict[int, queue.Queue[Json]] = {}
        self._number = 0
        self._ended = False
        self._sending = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    # The wire

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with self._sending:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send(self, message: Json) -> None:
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            size = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            if not line:
                break
            self._take(json.loads(stream.read(size)))
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()
        for answer in list(self._answers.values()):
            answer.put({"error": "the server has ended"})

    def _take(self, message: Json) -> None:
        if "method" not in message:
            self._answers.pop(message["id"]).put(message)
            return
        if "id" in message:
            result: Json = None
            if message["method"] == "workspace/configuration":
                result = [self.settings for _ in message["params"]["items"]]
            elif message["method"] == "window/showDocument":
                result = {"success": True}
            with contextlib.suppress(OSError, ValueError):  # the test has ended
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        with self._arrived:
            self.seen.append(message)
            self._arrived.notify_all()

    def notify(self, method: str, params: Json) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Json) -> Json:
        """The whole answer, which may be an error."""
        self._number += 1
        answer: queue.Queue[Json] = queue.Queue()
        self._answers[self._number] = answer
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return answer.get(timeout=PATIENCE_SECONDS)

    def request(self, method: str, params: Json) -> Json:
        answer = self.ask(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def wait(self, wanted: Callable[[Json], bool], since: int = 0) -> Json:
        """The first message of the server from number `since` on that is wanted."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        with self._arrived:
            while True:
                for message in self.seen[since:]:
                    if wanted(message):
                        return message
                left = deadline - time.monotonic()
                if left <= 0 or self._ended:
                    raise AssertionError(f"the server did not say it; it said {self.seen[since:]}")
                self._arrived.wait(left)

    # The protocol

    def start(self, options: Json = None, capabilities: Json = None, folders: list[Path] | None = None) -> Json:
        found = [self.folder] if folders is None else folders
        result = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": found[0].as_uri() if found else None,
                "workspaceFolders": [{"uri": f.as_uri(), "name": f.name} for f in found],
                "capabilities": CAPABILITIES if capabilities is None else capabilities,
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return result

    def open(self, path: Path, text: str | None = None, language: str = "c") -> str:
        uri = path.as_uri()
        self.versions[uri] = 1
        self.texts[uri] = path.read_text(encoding="utf-8") if text is None else text
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": self.texts[uri]}},
        )
        return uri

    def change(self, uri: str, text: str) -> int:
        """Sends the whole new text; its version."""
        self.versions[uri] += 1
        self.texts[uri] = text
        document = {"uri": uri, "version": self.versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return self.versions[uri]

    def save(self, uri: str, path: Path) -> None:
        path.write_text(self.texts[uri], encoding="utf-8")
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri: str, version: int | None = None, since: int = 0) -> list[Json]:
        """The first that the server publishes of that version (by default the present one)."""
        version = self.versions[uri] if version is None else version

        def wanted(message: Json) -> bool:
            if message["method"] != "textDocument/publishDiagnostics":
                return False
            return bool(message["params"]["uri"] == uri and message["params"].get("version") == version)

        found: list[Json] = self.wait(wanted, since)["params"]["diagnostics"]
        return found

    def until(self, uri: str, wanted: Callable[[list[Json]], bool], since: int = 0) -> list[Json]:
        """Diagnostics of the file that are as wanted."""

        def fits(message: Json) -> bool:
            said = message["method"] == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
            return said and wanted(message["params"]["diagnostics"])

        found: list[Json] = self.wait(fits, since)["params"]["diagnostics"]
        return found

    def actions(self, uri: str, line: int, only: list[str] | None = None) -> list[Json]:
        """Those at a line, counted from 0."""
        place = {"line": line, "character": 0}
        context: Json = {"diagnostics": [], **({"only": only} if only else {})}
        span = {"start": place, "end": place}
        params = {"textDocument": {"uri": uri}, "range": span, "context": context}
        return self.request("textDocument/codeAction", params) or []

    def hover(self, uri: str, line: int) -> str:
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}}
        found = self.request("textDocument/hover", params)
        return found["contents"]["value"] if found else ""

    def apply(self, uri: str, edit: Json) -> str:
        """The text with the edit's changes to that file made. Columns must count ASCII characters."""
        changes = [c["edits"] for c in edit["documentChanges"] if c["textDocument"]["uri"] == uri]
        lines = self.texts[uri].split("\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        text = self.texts[uri]

        def offset(place: Json) -> int:
            return starts[int(place["line"])] + int(place["character"])

        for one in sorted((e for edits in changes for e in edits), key=lambda e: -offset(e["range"]["start"])):
            text = text[: offset(one["range"]["start"])] + one["newText"] + text[offset(one["range"]["end"]) :]
        return text

    def stop(self) -> int:
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(PATIENCE_SECONDS)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(PATIENCE_SECONDS)  # it may be answering a request
        for stream in (self.process.stdin, self.process.stdout, self.log):
            if stream:
                with contextlib.suppress(BrokenPipeError):  # an answer that nobody read
                    stream.close()
