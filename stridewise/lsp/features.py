"""What the server answers to which message."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types

from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.lsp import lenses, options
from stridewise.lsp.actions import KINDS
from stridewise.lsp.server import Server, plain
from stridewise.lsp.uris import path_of


def create(analyzer: Path | None, rules: Mapping[str, Rule], trouble: Failure | None = None) -> Server:
    """A server with all its features, ready to be started. Without an analyser it tells the `trouble`."""
    server = Server(analyzer, rules)
    engine = server.engine

    @server.feature(types.INITIALIZE)
    def initialise(params: types.InitializeParams) -> None:
        server.initialise(params)

    @server.feature(types.INITIALIZED)
    async def initialised(_params: types.InitializedParams) -> None:
        if trouble:
            server.report(trouble)
        server.later(server.watch())
        before = dict(engine.options), engine.defaults
        with contextlib.suppress(Exception):
            await asyncio.wait_for(server.ask_settings(), 10)
        if (engine.options, engine.defaults) != before:
            engine.restart()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = server.document(params.text_document.uri, params.text_document.language_id)
        if document:
            engine.opened(document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = server.document(params.text_document.uri)
        if document and document.path in engine.documents:
            engine.changed(document)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        engine.saved(path_of(params.text_document.uri) or "")
        engine.look()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        engine.closed(path_of(params.text_document.uri) or "")

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(params: types.HoverParams) -> types.Hover | None:
        return server.answer_hover(params)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=list(KINDS)))
    def actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        return server.answer_actions(params)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        return server.answer_lenses(params)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files(params: types.DidChangeWatchedFilesParams) -> None:
        server.settle()
        engine.files_changed(path for change in params.changes if (path := path_of(change.uri)))

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def settings(params: types.DidChangeConfigurationParams) -> None:
        before = dict(engine.options), engine.defaults
        value = plain(params.settings)
        if isinstance(value, Mapping) and isinstance(value.get(options.SECTION), Mapping):
            server.take_settings(None, value)
            engine.options.clear()
        with contextlib.suppress(Exception):
            await asyncio.wait_for(server.ask_settings(), 10)
        if {root: engine.options.get(root, engine.defaults) for root in engine.roots} != {
            root: before[0].get(root, before[1]) for root in engine.roots
        } or engine.defaults != before[1]:
            engine.restart()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.take_folders(params.event)
        with contextlib.suppress(Exception):
            await asyncio.wait_for(server.ask_settings(), 10)
        engine.restart()

    @server.command(lenses.COMMAND)
    async def explain(slug: str) -> None:
        rule = rules.get(slug.removeprefix("stridewise-"))
        if rule is None:
            return
        if rule.page and server.can("window", "show_document", "support"):
            with contextlib.suppress(Exception):
                shown = types.ShowDocumentParams(rule.page, external=bool(rule.url))
                if (await server.window_show_document_async(shown)).success:
                    return
        text = f"{rule.slug}: {rule.why}; {rule.page or f'stridewise explain {rule.slug}'}"
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))

    @server.feature(types.SHUTDOWN)
    def shutdown(_params: Any) -> None:
        engine.stop()

    return server
