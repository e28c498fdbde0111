"""What an editor can do about a finding: apply its fix, exchange loops at the author's word, suppress, explain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from stridewise.catalogue import Rule
from stridewise.console import harmless
from stridewise.finding import Edit, Finding
from stridewise.lint.fixes import Stamp
from stridewise.lsp.exchange import exchange
from stridewise.lsp.lenses import COMMAND
from stridewise.lsp.positions import Positions
from stridewise.lsp.suppress import suppress

FIX_ALL = "source.fixAll.stridewise"
KINDS: tuple[types.CodeActionKind | str, ...] = (
    types.CodeActionKind.QuickFix,
    types.CodeActionKind.RefactorRewrite,
    FIX_ALL,
)
_ASK = "stridewise"  # the change annotation of what the author must judge


@dataclass(frozen=True, slots=True)
class Abilities:
    """Of the client."""

    document_changes: bool = False
    annotations: bool = False
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """An open file: its address, version and present text; `current` if it is what was analysed."""

    uri: str
    version: int | None
    positions: Positions
    current: bool
    old_c: bool = False  # C without // comments


class Actions:
    """`opened` gives open files by path; `disk` the positions of others, None if they changed since the analysis."""

    def __init__(
        self,
        rules: Mapping[str, Rule],
        abilities: Abilities,
        opened: Callable[[str], Opened | None],
        disk: Callable[[str], tuple[str, Positions] | None],
    ) -> None:
        self._rules, self._abilities = rules, abilities
        self._opened, self._disk = opened, disk

    def of(
        self, finding: Finding, here: Opened, diagnostics: Sequence[types.Diagnostic], wanted: Callable[[str], bool]
    ) -> list[types.CodeAction]:
        mine = [d for d in diagnostics if d.code == finding.rule]
        out: list[types.CodeAction] = []
        if wanted("quickfix"):
            for fix in finding.fixes:
                # What some program would notice is offered under its doubt, and never as the thing to do.
                doubt = "" if fix.is_safe else f"; unsafe: {harmless(fix.why)}" if fix.why else "; unsafe"
                title = f"{fix.description} ({finding.rule}{doubt})"
                kind = types.CodeActionKind.QuickFix
                out += self._action(title, kind, fix.edits, mine, preferred=fix.is_safe, ask=not fix.is_safe)
        if wanted("refactor.rewrite") and (found := exchange(finding, here.positions.text)):
            out += self._action(found[0], types.CodeActionKind.RefactorRewrite, found[1], mine, ask=True)
        if wanted("quickfix"):
            edit = suppress(finding, here.positions, here.old_c)
            if edit:
                title = f"suppress {finding.rule} here, with a reason"
                out += self._action(title, types.CodeActionKind.QuickFix, (edit,), mine)
            if finding.rule in self._rules:
                title = f"explain {finding.rule}"
                command = types.Command(title=title, command=COMMAND, arguments=[finding.rule])
                kind = types.CodeActionKind.QuickFix
                out.append(types.CodeAction(title, kind=kind, diagnostics=mine or None, command=command))
        return out

    def fix_all(self, findings: Iterable[Finding]) -> list[types.CodeAction]:
        """All safe fixes of these findings that do not touch one another, the most valuable first."""
        chosen: list[Edit] = []
        count = 0
        for finding in findings:
            edits = next((fix.edits for fix in finding.fixes if fix.is_safe), ())
            if not edits:
                continue
            if self._obstacle(edits) or any(_touch(a, b) for a in edits for b in chosen):
                continue
            chosen += [edit for edit in edits if edit not in chosen]
            count += 1
        if not chosen:
            return []
        title = f"apply {'the safe fix' if count == 1 else f'all {count} safe fixes'} of stridewise"
        return self._action(title, FIX_ALL, tuple(chosen), [])

    def _action(
        self,
        title: str,
        kind: types.CodeActionKind | str,
        edits: Sequence[Edit],
        diagnostics: Sequence[types.Diagnostic],
        *,
        preferred: bool = False,
        ask: bool = False,
    ) -> list[types.CodeAction]:
        action = types.CodeAction(
            title[0].upper() + title[1:],
            kind=kind,
            diagnostics=list(diagnostics) or None,
            is_preferred=True if preferred else None,
        )
        obstacle = self._obstacle(edits)
        if obstacle:
            if not self._abilities.disabled:
                return []
            action.disabled = types.CodeActionDisabled(obstacle)
        else:
            action.edit = self._edit(edits, title if ask else "")
        return [action]

    def _obstacle(self, edits: Sequence[Edit]) -> str:
        """Why these edits cannot be made now."""
        for file in dict.fromkeys(edit.file for edit in edits):
            opened = self._opened(file)
            if opened is not None and not opened.current:
                return "the text changed since it was analysed; wait for the analysis"
            if opened is None and self._disk(file) is None:
                return f"{Path(file).name} changed since it was analysed; save it and wait for the analysis"
        return "" if edits else "it has no edits"

    def _edit(self, edits: Sequence[Edit], question: str) -> types.WorkspaceEdit:
        by_file: dict[str, list[Edit]] = {}
        for edit in edits:
            by_file.setdefault(edit.file, []).append(edit)
        changes: dict[str, list[types.TextEdit]] = {}
        documents: list[types.TextDocumentEdit] = []
        annotated = bool(question) and self._abilities.annotations and self._abilities.document_changes
        for file, mine in by_file.items():
            opened = self._opened(file)
            found = (opened.uri, opened.positions) if opened else self._disk(file)
            assert found is not None, "no obstacle was seen"
            uri, positions = found
            texts: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = []
            for edit in sorted(mine, key=lambda e: (e.begin_offset, e.end_offset)):
                span = positions.span(edit.begin_offset, edit.end_offset)
                new = edit.replacement.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                texts.append(types.AnnotatedTextEdit(_ASK, span, new) if annotated else types.TextEdit(span, new))
            changes[uri] = [text for text in texts if isinstance(text, types.TextEdit)]
            version = opened.version if opened else None
            documents.append(types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), texts))
        if not self._abilities.document_changes:
            return types.WorkspaceEdit(changes=changes)
        notes = {_ASK: types.ChangeAnnotation(question, needs_confirmation=True)} if annotated else None
        return types.WorkspaceEdit(document_changes=documents, change_annotations=notes)


def unchanged_since(path: str, since_ns: int) -> bool:
    stamp = Stamp.of(path)
    return stamp is not None and stamp.modified_ns <= since_ns


def _touch(a: Edit, b: Edit) -> bool:
    if a.file != b.file or a == b:
        return False
    if a.begin_offset == a.end_offset and b.begin_offset == b.end_offset:
        return a.begin_offset == b.begin_offset
    return a.begin_offset < b.end_offset and b.begin_offset < a.end_offset
