"""The server's side of the Language Server Protocol 3.17: what the client says goes to the engine, what is known of
its files comes back as diagnostics, hovers, actions and lenses."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from stridewise import CONFIG_FILE, __version__
from stridewise.catalogue import Rule
from stridewise.collect.compile_db import DATABASE
from stridewise.console import harmless
from stridewise.errors import Failure
from stridewise.finding import Finding
from stridewise.lsp import hover, lenses, options
from stridewise.lsp.actions import FIX_ALL, Abilities, Actions, Opened, unchanged_since
from stridewise.lsp.diagnostics import SOURCE, Diagnostics
from stridewise.lsp.engine import Document, Engine
from stridewise.lsp.known import Outcome
from stridewise.lsp.positions import Positions
from stridewise.lsp.program import SUFFIXES
from stridewise.lsp.progress import Bar, Silent
from stridewise.lsp.shift import moved, shift
from stridewise.lsp.uris import path_of, uri_of
from stridewise.runs.run_folder import RECORD

log = logging.getLogger(__name__)

_FORTRAN = "fortran FortranFreeForm FortranFixedForm fortran-modern fortran_free-form fortran_fixed-form".split()
_LANGUAGES = frozenset({"c", "cpp", "c++", *_FORTRAN})
_MAX_BYTES = 16 << 20
_PLACE = re.compile(r"^(?P<file>/.*?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?: (?P<what>.*)$", re.DOTALL)
_WATCHED = (DATABASE, CONFIG_FILE, RECORD, "*.{c,cc,cpp,cxx,h,hh,hpp,hxx,inl,tpp,f,F,for,f90,F90,f95,f03,f08}")


class _Protocol(LanguageServerProtocol):
    """Answers requests whose parameters are wrong: a client would wait for ever."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if isinstance(data.get("id"), str | int) and "method" in data:
                self._send_response(data["id"], None, error.to_response_error())
            raise


class Server(LanguageServer):
    """One client. `rules` is the catalogue."""

    def __init__(self, analyzer: Path | None, rules: Mapping[str, Rule]) -> None:
        super().__init__("stridewise", __version__, types.TextDocumentSyncKind.Incremental, protocol_cls=_Protocol)
        self.rules = rules
        self.engine = Engine(self, analyzer, rules)
        self.abilities = types.ClientCapabilities()
        self.folders: dict[str, Path] = {}  # by their address
        self._reported: dict[str, str] = {}
        self._published: dict[str, tuple[int | None, list[types.Diagnostic]]] = {}
        self._background: set[asyncio.Task[Any]] = set()

    @property
    def left_in_order(self) -> bool:
        """Whether the client has asked for the end."""
        return self.protocol._shutdown

    # What the client can do

    def can(self, *names: str) -> Any:
        """A capability of the client by the path of its names; None if it has none."""
        value: Any = self.abilities
        for name in names:
            value = getattr(value, name, None)
            if value is None:
                return None
        return value

    def positions(self, text: bytes) -> Positions:
        return Positions(text, self.protocol.workspace.position_encoding)

    # What the engine tells (engine.Client)

    def publish(self, document: Document, outcome: Outcome) -> None:
        positions = self.positions(document.text)
        maker = self._diagnostics()
        path = document.path
        said = [maker.of(f, positions) for f in self.present(document, outcome)]
        said += [maker.complaint(c, positions) for c in outcome.complaints.get(path, ())]
        if self._published.get(document.uri) != (document.version, said):
            self._published[document.uri] = document.version, said
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=document.uri, diagnostics=said, version=document.version)
            )

    def withdraw(self, uri: str) -> None:
        self._published.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def report(self, failure: Failure) -> None:
        """A failure of a configuration file is shown there; each is told once."""
        text = harmless(str(failure))
        log.error("%s", text)
        place = _PLACE.match(str(failure))
        path = place["file"] if place else ""
        if place:
            line = max(0, int(place["line"]) - 1)
            column = max(0, int(place["column"] or 1) - 1)
            spot = types.Range(types.Position(line, column), types.Position(line, column + 1))
            wrong = types.Diagnostic(spot, harmless(place["what"]), types.DiagnosticSeverity.Error, source=SOURCE)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri_of(path), [wrong]))
        if self._reported.get(path) != text:
            self._reported[path] = text
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"stridewise: {text}"))

    def settle(self) -> None:
        """Takes back what report() said, before everything is looked at anew."""
        for path in self._reported:
            if path:
                self.withdraw(uri_of(path))
        self._reported.clear()

    def tell(self, note: str) -> None:
        log.info("%s", note)
        message = f"stridewise: {harmless(note)}"
        self.window_log_message(types.LogMessageParams(types.MessageType.Info, message))

    def refresh(self) -> None:
        if self.can("workspace", "code_lens", "refresh_support"):
            self.later(self.workspace_code_lens_refresh_async(None))

    def show_progress(self, title: str, cancel: Callable[[], None]) -> Bar | Silent:
        if not self.can("window", "work_done_progress"):
            return Silent()
        return Bar(self.work_done_progress, title, cancel, self.later)

    def later(self, work: Any) -> None:
        """Runs a coroutine; what the client makes of a request of ours is its own affair."""

        async def run() -> None:
            try:
                await work
            except Exception as error:
                log.info("the client refused: %s", error)

        task = asyncio.get_running_loop().create_task(run())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A message that cannot be read, or a fault of ours: for the log, not for a window in front of the author."""
        log.error("%s: %s", getattr(source, "__name__", source), error)

    # What is known

    def _diagnostics(self) -> Diagnostics:
        base = ("text_document", "publish_diagnostics")
        return Diagnostics(
            self.rules,
            self.uri_of_file,
            self._positions_of,
            bool(self.can(*base, "related_information")),
            bool(self.can(*base, "tag_support")),
        )

    def uri_of_file(self, path: str) -> str:
        document = self.engine.documents.get(path)
        return document.uri if document else uri_of(path)

    def _positions_of(self, path: str) -> Positions:
        document = self.engine.documents.get(path)
        return self.positions(document.text if document else _read(path))

    def present(self, document: Document, outcome: Outcome) -> list[Finding]:
        """The file's findings, where its present text has them."""
        return self._moved(outcome.of(document.path), outcome)

    def _moved(self, findings: Iterable[Finding], outcome: Outcome) -> list[Finding]:
        texts = outcome.texts

        def shifts(file: str) -> Any:
            open_file = self.engine.documents.get(file)
            return shift(texts[file], open_file.text, file) if open_file and file in texts else None

        return [new for f in findings if (new := moved(f, shifts))]

    def answer_hover(self, params: types.HoverParams) -> types.Hover | None:
        found = self._found(params.text_document.uri)
        if found is None:
            return None
        document, outcome = found
        line = params.position.line + 1
        findings = hover.speaking_of(self.present(document, outcome), document.path, line)
        if not findings:
            elsewhere = (f for mine in outcome.findings.values() for f in mine)
            shown_here = (f for f in elsewhere if any(a.file == document.path for a in f.accesses))
            findings = hover.speaking_of(self._moved(shown_here, outcome), document.path, line)
        if not findings:
            return None
        text = hover.render(findings, self.rules)
        formats = self.can("text_document", "hover", "content_format")
        if formats and types.MarkupKind.Markdown not in formats:
            return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, hover.plain(text)))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))

    def _found(self, uri: str) -> tuple[Document, Outcome] | None:
        self.engine.look()
        found = self.engine.outcome(path_of(uri) or "")
        return (found[0], found[1]) if found else None

    def answer_actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        self.engine.look()
        found = self.engine.outcome(path_of(params.text_document.uri) or "")
        if found is None:
            return None
        document, outcome, place = found
        since = place.known.since

        def opened(path: str) -> Opened | None:
            open_file = self.engine.documents.get(path)
            if open_file is None:
                return None
            current = path in outcome.texts and shift(outcome.texts[path], open_file.text, path).same
            old_c = place.program.is_old_c(path)
            return Opened(open_file.uri, open_file.version, self.positions(open_file.text), current, old_c)

        def disk(path: str) -> tuple[str, Positions] | None:
            if not unchanged_since(path, since(path)):
                return None
            return uri_of(path), self.positions(_read(path))

        only = [_kind(kind) for kind in params.context.only or ()]

        def wanted(kind: str) -> bool:
            return not only or any(kind == o or kind.startswith(f"{o}.") for o in only)

        actions = Actions(self.rules, self._action_abilities(), opened, disk)
        here = opened(document.path)
        assert here is not None
        findings = self.present(document, outcome)
        first, last = params.range.start.line + 1, params.range.end.line + 1
        out: list[types.CodeAction] = []
        for finding in findings:
            if finding.location.line <= last and max(finding.location.line, 1) >= first:
                out += actions.of(finding, here, params.context.diagnostics, wanted)
        if only and wanted(FIX_ALL):
            out += actions.fix_all(findings)
        return out

    def _action_abilities(self) -> Abilities:
        edits = ("workspace", "workspace_edit")
        return Abilities(
            bool(self.can(*edits, "document_changes")),
            bool(self.can(*edits, "change_annotation_support")),
            bool(self.can("text_document", "code_action", "disabled_support")),
        )

    def answer_lenses(self, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        found = self._found(params.text_document.uri)
        if found is None or not self.engine.options_of(found[0].path).code_lens:
            return None
        document, outcome = found
        return lenses.lenses(self.present(document, outcome), self.positions(document.text))

    # Settings and folders

    def initialise(self, params: types.InitializeParams) -> None:
        self.abilities = params.capabilities
        for folder in params.workspace_folders or ():
            self._add(folder.uri)
        if not params.workspace_folders and params.root_uri:
            self._add(params.root_uri)
        self.take_settings(None, params.initialization_options)

    def _add(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self.folders[uri] = Path(path)

    def take_settings(self, uri: str | None, value: Any) -> None:
        found, wrong = options.parse(plain(value))
        if uri is None:
            self.engine.defaults = found
        elif uri in self.folders:
            self.engine.options[self.folders[uri]] = found
        self.engine.roots = list(self.folders.values())
        for text in wrong:
            log.warning("%s", text)
            self._reported_settings(text)

    def _reported_settings(self, text: str) -> None:
        if self._reported.get("") != text:
            self._reported[""] = text
            with contextlib.suppress(Exception):
                self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"stridewise: {text}"))

    async def ask_settings(self) -> None:
        """Those of each folder, from clients that can be asked; an empty answer leaves the initial options."""
        if not self.can("workspace", "configuration"):
            return
        scopes: list[str | None] = list(self.folders) or [None]
        items = [types.ConfigurationItem(scope_uri=scope, section=options.SECTION) for scope in scopes]
        answer = await self.workspace_configuration_async(types.ConfigurationParams(items))
        for scope, value in zip(scopes, answer, strict=False):
            if value:
                self.take_settings(scope, value)

    async def watch(self) -> None:
        """Asks the client to tell of files and settings that change."""
        registrations = []
        if self.can("workspace", "did_change_watched_files", "dynamic_registration"):
            watchers = [types.FileSystemWatcher(f"**/{name}") for name in _WATCHED]
            registrations.append(
                types.Registration(
                    "stridewise-files",
                    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                    types.DidChangeWatchedFilesRegistrationOptions(watchers),
                )
            )
        if self.can("workspace", "did_change_configuration", "dynamic_registration"):
            registrations.append(
                types.Registration(
                    "stridewise-settings",
                    types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                    types.DidChangeConfigurationRegistrationOptions(section=options.SECTION),
                )
            )
        if registrations:
            await self.client_register_capability_async(types.RegistrationParams(registrations))

    def take_folders(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        for folder in event.removed:
            path = self.folders.pop(folder.uri, None)
            if path:
                self.engine.options.pop(path, None)
        for folder in event.added:
            self._add(folder.uri)
        self.engine.roots = list(self.folders.values())

    def document(self, uri: str, language: str = "") -> Document | None:
        """An open file that is analysed; None for any other."""
        path = path_of(uri)
        known = self.engine.documents.get(path or "")
        if path is None or (known is None and language not in _LANGUAGES and Path(path).suffix not in SUFFIXES):
            return None
        found = self.protocol.workspace.get_text_document(uri)
        text = found.source.encode("utf-8", "replace")
        return Document(path, uri, found.version, text) if len(text) <= _MAX_BYTES else None


def _kind(kind: types.CodeActionKind | str) -> str:
    return str(getattr(kind, "value", kind))


def plain(value: Any) -> Any:
    """What pygls makes named tuples of, as JSON has it."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as stream:
            return stream.read(_MAX_BYTES)
    except (OSError, ValueError):
        return b""
