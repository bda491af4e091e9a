"""The Language Server Protocol, by pygls, on standard input and output."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec, TextDocument

from runtime.languageserver.knowledge import Program, System

_SEVERITIES = {"error": lsp.DiagnosticSeverity.Error, "warning": lsp.DiagnosticSeverity.Warning}
_KINDS = {"variable": lsp.CompletionItemKind.Variable, "function": lsp.CompletionItemKind.Function,
          "constant": lsp.CompletionItemKind.Constant, "member": lsp.CompletionItemKind.Field,
          "probe": lsp.CompletionItemKind.Event, "aggregation": lsp.CompletionItemKind.Variable,
          "option": lsp.CompletionItemKind.Property, "type": lsp.CompletionItemKind.Struct}
_TRIGGERS = [":", ">", ".", "@", "$"]


class _Programs:
    """The open texts, each compiled once for each of its versions."""

    def __init__(self) -> None:
        self._system = System()
        self._known: dict[str, tuple[str, Program]] = {}

    def of(self, document: TextDocument) -> Program:
        """Return what is known of a document as it is now."""
        text = document.source
        known = self._known.get(document.uri)
        if known is None or known[0] != text:
            known = self._known[document.uri] = text, Program(self._system, text, document.path or "")
        return known[1]

    def forget(self, uri: str) -> None:
        """Forget a document that is closed."""
        self._known.pop(uri, None)


def make() -> LanguageServer:
    """Return a server that has not begun."""
    server = LanguageServer("dc", "1", text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
    programs = _Programs()

    def document_at(uri: str, position: lsp.Position) -> tuple[TextDocument, int]:
        document = server.workspace.get_text_document(uri)
        return document, document.offset_at_position(position)

    def diagnose(uri: str) -> None:
        document = server.workspace.get_text_document(uri)
        codec, lines = document.position_codec, document.lines or [""]
        found = [lsp.Diagnostic(
            _range(codec, lines, (each.line, each.start), (each.line, each.end)), each.message,
            severity=_SEVERITIES[each.severity], code=each.tag, source="dc")
            for each in programs.of(document).problems()]
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        diagnose(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        diagnose(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        programs.forget(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=_TRIGGERS))
    def complete(params: lsp.CompletionParams) -> lsp.CompletionList:
        document, offset = document_at(params.text_document.uri, params.position)
        found = programs.of(document).completions(offset)
        return lsp.CompletionList(False, [lsp.CompletionItem(each.text, kind=_KINDS[each.kind],
                                                             detail=each.detail or None) for each in found])

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        document, offset = document_at(params.text_document.uri, params.position)
        found = programs.of(document).explanation(offset)
        if found is None:
            return None
        text, word = found
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text),
                         _offsets(document.position_codec, document.source, word.start, word.end))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def define(params: lsp.DefinitionParams) -> lsp.Location | None:
        document, offset = document_at(params.text_document.uri, params.position)
        found = programs.of(document).definition(offset)
        if found is None:
            return None
        uri = Path(found.path).as_uri() if found.path else document.uri
        return lsp.Location(uri, _offsets(document.position_codec, found.text, found.start, found.end))

    return server


def _range(codec: PositionCodec, lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]
           ) -> lsp.Range:
    return codec.range_to_client_units(lines, lsp.Range(lsp.Position(*start), lsp.Position(*end)))


def _offsets(codec: PositionCodec, text: str, start: int, end: int) -> lsp.Range:
    """The range between two offsets of a text."""
    places = [(text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1) for at in (start, end)]
    return _range(codec, text.splitlines(True) or [""], places[0], places[1])


def main() -> int:
    """Serve one editor until it ends."""
    with os.fdopen(os.dup(0), "rb") as commands, os.fdopen(os.dup(1), "wb") as answers:  # pygls closes them
        make().start_io(commands, answers)
    return 0
