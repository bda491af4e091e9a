"""What is known of a D program: what the compiler finds in it, what the manual says of its words."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from dc.checking.typed import translated
from dc.compiler import Compiler, CompileResult
from dc.diagnostics import CompileError, Diagnostic
from dc.names.values import Value
from dc.options import Options
from dc.source.preprocessor import preprocess
from dc.types.types import Pointer, Record, Type
from dif.records import NamedTuple
from dof.model import ProbeDesc
from dof.options import TABLE, Kind
from runtime.consumer.consumer import Consumer
from runtime.languageserver import places
from runtime.languageserver.places import Word
from runtime.machine import Machine
from runtime.manual.completion import probe_candidates
from runtime.manual.pages import ROOT, all_entries
from runtime.manual.tables import Kind as WordKind
from runtime.manual.tables import facts, known

_CPP = re.compile(r"^[ \t]*#[ \t]*(?:include|define|if|ifdef|ifndef|undef)\b", re.MULTILINE)
_MACROS = ("$pid", "$ppid", "$uid", "$gid", "$euid", "$egid", "$target", "$sid", "$pgid", "$projid",
           "$taskid", "$1", "$$1")
_ASSIGNED = r"\s*(?:\[[^\]]*\])?\s*[-+*/|&^]?=(?!=)"
_SWITCHED = (Kind.FLAG, Kind.NUMBER)  # options that mean something without a value
_MOST_PROBES, _MOST_TEXT = 500, 4000
_ERROR, _WARNING = "error", "warning"
_KINDS = {WordKind.VARIABLE: "variable", WordKind.INLINE: "constant"}
LIBRARIES = os.path.join(ROOT, "dc", "lib")


class Problem(NamedTuple):
    """A diagnostic: what `line` and columns it is at, and whether it is an error or a warning."""

    line: int
    start: int
    end: int
    severity: str
    tag: str
    message: str


class Candidate(NamedTuple):
    """A completion: what is put there, what kind of word it is, and what is shown beside it."""

    text: str
    kind: str
    detail: str = ""


class Target(NamedTuple):
    """Where a name is defined: a file, "" for the text itself, and offsets in it."""

    path: str
    text: str
    start: int
    end: int


class System:
    """The machine that programs are checked for: its probes and types.  It does not boot."""

    def __init__(self) -> None:
        self._machine = Machine()

    @cached_property
    def session(self) -> Consumer:
        """A session whose catalog is asked."""
        session = Consumer.open(self._machine)
        session.compiles_only = True
        return session

    def compiler(self) -> Compiler:
        """Return a compiler that knows nothing of other programs.

        Macro variables have the values that they have where dtrace starts one program.
        """
        ids = self._machine.ids
        return Compiler(self.session.catalog, constants="linux", variables=ids | {"target": ids["pid"] + 1})


class Program:
    """One text, as it is now; `path` is its file's, "" if it has none."""

    def __init__(self, system: System, text: str, path: str = "") -> None:
        self.text = text
        self._path = path
        self._system = system
        self._compiler = system.compiler()
        self._result: CompileResult | None = None
        self._diagnostics: Sequence[Diagnostic] = ()
        self._compile()

    def _compile(self) -> None:
        options = Options()
        for name in ("zdefs", "defaultargs", "argref", "empty"):
            options.values[name] = 1
        try:
            text = preprocess(self.text, self._path, options) if _CPP.search(self.text) else self.text
            self._result = self._compiler.compile(text, options=options, filename=self._path or "program.d",
                                                  arguments=["dtrace"], collect=True)
        except CompileError as error:
            self._diagnostics = error.diagnostics

    # -- diagnostics ---------------------------------------------------------------------------------

    def problems(self) -> list[Problem]:
        """Return what is wrong, and as warnings which descriptions match no probe of the machine."""
        lines = self.text.split("\n")
        found = [_problem(each, _ERROR, lines) for each in self._diagnostics]
        if self._result is not None:
            found += [_problem(each, _WARNING, lines) for each in self._result.warnings]
            for clause in dict.fromkeys(self._result.clauses):
                if not clause.probes and not re.search(r"\d$|\$|^pid", clause.description.provider):
                    found.append(_problem(Diagnostic(
                        "D_PDESC_ZERO", clause.span, f"{clause.description} matches no probe of the machine"),
                        _WARNING, lines))
        return list(dict.fromkeys(found))

    # -- types -----------------------------------------------------------------------------------------

    def _typed(self, expression: str, offset: int) -> Value | None:
        """Return the typed tree of an expression in the clause at a place, None if it has none."""
        at = places.place(self.text, offset)
        descriptions: list[ProbeDesc | None] = [_description(each) for each in at.probes]
        for description in descriptions or [None]:
            try:
                return self._compiler.expression(expression, description)
            except (CompileError, RecursionError):
                continue
        return None

    def _record(self, expression: str, offset: int) -> Record | None:
        """Return the structure that an expression is, or points to."""
        value = self._typed(expression, offset)
        if value is None:
            return None
        made = translated(value)
        type_: Type = (made.result if made is not None else value.type).resolve()
        if isinstance(type_, Pointer):
            type_ = type_.target.resolve()
        return type_ if isinstance(type_, Record) else None

    # -- completion --------------------------------------------------------------------------------------

    def completions(self, offset: int) -> list[Candidate]:
        """Return what may stand at a place."""
        if self._sets_option(offset):
            return [Candidate(name if row.kind in _SWITCHED else f"{name}=", "option", row.help)
                    for name, row in TABLE.items() if not row.outside]
        if places.is_opaque(self.text, offset):
            return []
        word = places.word_at(self.text, offset)
        start = word.start if word is not None else offset
        owner = places.owner_before(self.text, start)
        if owner and owner not in ("self", "this"):
            return self._members(owner, offset)
        if places.place(self.text, offset).kind == places.Kind.PROBE:
            return self._probes(offset)
        written = self.text[start:offset]
        if written.startswith("$"):
            return [Candidate(each, "variable") for each in _MACROS]
        if written.startswith("@"):
            names = dict.fromkeys(re.findall(r"@(\w+)", places.blanked(self.text)))
            return [Candidate(f"@{each}", "aggregation") for each in names if f"@{each}" != written]
        for prefix in ("self->", "this->"):
            if written.startswith(prefix) or self.text[:offset].endswith(prefix):
                names = dict.fromkeys(re.findall(rf"{prefix}([A-Za-z_]\w*)", places.blanked(self.text)))
                return [Candidate(f"{prefix}{each}", "variable") for each in names
                        if f"{prefix}{each}" != written]
        return list(self._words())

    def _sets_option(self, offset: int) -> bool:
        """Whether a place is behind `#pragma D option`."""
        line = self.text[self.text.rfind("\n", 0, offset) + 1:offset]
        return re.match(r"\s*#\s*pragma\s+D\s+option\s+", line) is not None

    def _members(self, owner: str, offset: int) -> list[Candidate]:
        record = self._record(owner, offset)
        return [Candidate(each.name, "member", str(each.type))
                for each in (record.members or () if record is not None else ()) if each.name]

    def _probes(self, offset: int) -> list[Candidate]:
        current = self.text[places.probe_at(self.text, offset).start:offset]
        return [Candidate(each, "probe") for each in probe_candidates(current)[:_MOST_PROBES]
                if each.startswith(current)]

    def _words(self) -> Iterator[Candidate]:
        named = (WordKind.VARIABLE, WordKind.SUBROUTINE, WordKind.ACTION, WordKind.AGGREGATING,
                 WordKind.INLINE)
        for word, kind in known().items():
            if kind in named:
                yield Candidate(word, _KINDS.get(kind, "function"), kind)
        code = places.blanked(self.text)
        constants = dict.fromkeys(re.findall(r"\binline\s+[\w\s*]+?\b(\w+)\s*[=\[]", code))
        for name in dict.fromkeys(re.findall(rf"(?<![\w>$@.])([A-Za-z_]\w*){_ASSIGNED}", code)):
            if name not in constants:
                yield Candidate(name, "variable", "of this program")
        for name in constants:
            yield Candidate(name, "constant", "inline of this program")
        for name in self._compiler.names.translators:
            if name:
                yield Candidate(name, "type", "type that a translator makes")

    # -- hover ---------------------------------------------------------------------------------------------

    def explanation(self, offset: int) -> tuple[str, Word] | None:
        """Return what there is to say of the word at a place, as Markdown, and the word."""
        word = places.word_at(self.text, offset)
        if word is not None and self._sets_option(offset) and f"-x {word.text}" in known():
            return manual(f"-x {word.text}"), word
        if places.is_opaque(self.text, offset):
            return None
        if places.place(self.text, offset).kind == places.Kind.PROBE:
            probe = places.probe_at(self.text, offset)
            told = self._probe(probe.text) if probe.text else ""
            if told:
                return told, probe
        if word is None:
            return None
        parts = [self._type_line(word), "" if word.owner else manual(word.text)]
        text = "\n\n".join(filter(None, parts))
        return (text, word) if text else None

    def _type_line(self, word: Word) -> str:
        if word.text in known() and known()[word.text] not in (WordKind.VARIABLE, WordKind.INLINE):
            return ""
        start = self.text.rfind(word.owner, 0, word.start) if word.owner else word.start
        expression = self.text[start:word.end]
        index = re.match(r"\[[^\]\n]*\]", self.text[word.end:])
        for each in ([expression + index[0]] if index else []) + [expression]:
            value = self._typed(each, word.start)
            if value is not None:
                made = translated(value)
                name = str(made.result) if made is not None else value.type_name
                return f"```d\n{name} {' '.join(each.split())}\n```"
        return ""

    def _probe(self, text: str) -> str:
        """What is known of the probes that a description matches; "" where it is a single word of none."""
        catalog = self._compiler.catalog
        probes = catalog.probes(_description(text))
        if not probes:
            return f"`{text}` matches no probe of the machine." if ":" in text else ""
        first = probes[0]
        given = [f"`args[{number}]`: `{each.xlate or each.native}`"
                 for number, each in enumerate(catalog.arguments(first) or ())]
        lines = [f"`{text}` matches {len(probes)} probe{'s' * (len(probes) != 1)}.", *given,
                 manual(f"{first.provider} provider").partition("\n\n#")[0]]
        return "\n\n".join(filter(None, lines))

    # -- definitions -----------------------------------------------------------------------------------------

    def definition(self, offset: int) -> Target | None:
        """Return where the name at a place is defined: in the text itself, or in a D library."""
        word = places.word_at(self.text, offset)
        if word is None or places.is_opaque(self.text, offset):
            return None
        if word.owner:
            return self._member_definition(word)
        name = re.escape(word.text)
        patterns = [rf"\binline\s+[\w\s*]+?\b({name})\s*[=\[]", rf"\btranslator\s+({name})\s*<",
                    rf"\b(?:struct|union|enum)\s+({name})\s*\{{", rf"^\}}\s*({name})\s*;",
                    rf"(?<![\w>@$])({name}){_ASSIGNED}"]
        return _first(patterns, self._texts())

    def _member_definition(self, word: Word) -> Target | None:
        """Where a translator computes a member."""
        record = self._record(word.owner, word.start)
        if record is None:
            return None
        name, member = rf"(?:struct\s+)?{re.escape(record.tag or '')}(?:_t)?", re.escape(word.text)
        return _first([rf"\btranslator\s+{name}\s*<[^{{]*\{{[^}}]*?\b({member})\s*=",
                       rf"\bstruct\s+{name}\s*\{{[^}}]*?\b({member})\s*[;\[]"], self._texts())

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Yield path and text of what may define a name: the program's own first."""
        yield "", self.text
        for path in sorted(glob.glob(os.path.join(LIBRARIES, "**", "*.d"), recursive=True)):
            with open(path, encoding="utf-8") as file:
                yield path, file.read()


def _first(patterns: Sequence[str], texts: Iterator[tuple[str, str]]) -> Target | None:
    for path, text in texts:
        code = places.blanked(text)
        for pattern in patterns:
            found = re.search(pattern, code, re.MULTILINE)
            if found is not None:
                return Target(path, text, found.start(1), found.end(1))
    return None


def _problem(each: Diagnostic, severity: str, lines: Sequence[str]) -> Problem:
    """What another file is wrong with is told in the first line."""
    span = each.span
    own = not span.file and 0 < span.line <= len(lines)
    line = span.line - 1 if own else 0
    start = max(span.column - 1, 0) if own else 0
    end = max(span.end - 1, start + 1) if own and span.end else len(lines[line])
    where = f"{span.file}:{span.line}: " if span.file else ""
    message = "; ".join([f"{where}{each.message}", *each.hints])
    return Problem(line, start, min(end, max(len(lines[line]), start)), severity, each.tag, message)


def _description(text: str) -> ProbeDesc:
    """A description as it is written, its fields from the right."""
    fields = text.replace("$target", "0").split(":")[-4:]
    provider, module, function, name = [""] * (4 - len(fields)) + fields
    return ProbeDesc(provider, module, function, name)


def manual(word: str) -> str:
    """Return what the manual says of a word as Markdown, "" for one that it does not know."""
    if word not in known():
        return ""
    lead = facts(word)
    texts = [entry.body for entry in all_entries() if word in entry.words]
    body = "\n\n".join(filter(None, [lead, *texts]))
    body = re.sub(r"```+\{reference\}[^\n]*\n```+\n?", "", body)
    body = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", body)
    return body if len(body) <= _MOST_TEXT else body[:_MOST_TEXT].rpartition("\n")[0] + "\n\n..."
