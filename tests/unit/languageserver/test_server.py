"""dc --lsp: what is known of a program at each place of it, and the protocol, by a scripted session."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dc.diagnostics import Diagnostic, Span
from runtime.languageserver import knowledge, places
from runtime.languageserver.knowledge import Program, System

TEXT = """#pragma D option quiet
inline int big = 512;  /* "big" */
translator psinfo_t < int *P > { pr_pid = *P; };
proc:::exec-success { self->start = timestamp; trace(curpsinfo->pr_fname); }
syscall::read:entry, syscall::write:entry
/arg2 > big && execname == "x"/
{
  @bytes[execname] = sum(arg2);
  self->length = strlen(execname);
}
io:::start { trace(args[0]->b_bcount); }
"""


@pytest.fixture(scope="module")
def system() -> System:
    return System()


@pytest.fixture(scope="module")
def program(system: System) -> Program:
    return Program(system, TEXT, "/tmp/x.d")


def at(mark: str, text: str = TEXT) -> int:
    """The offset of the bar in a piece of the text."""
    before, _, after = mark.partition("|")
    return text.index(before + after) + len(before)


def test_a_program_without_mistakes(program: Program) -> None:
    assert program.problems() == []


@pytest.mark.parametrize(("text", "place", "severity", "tag", "words"), [
    ("BEGIN\n{ trace(nosuch); }", (1, 8, 14), "error", "D_IDENT_UNDEF", "there is no variable nosuch"),
    ("BEGIN { trace(strln(\"x\")); }", (0, 14, 19), "error", "D_FUNC_UNDEF", "did you mean `strlen`?"),
    ("BEGIN { trace(1) ", None, "error", "D_SYNTAX", ""),
    ("syscall::red:entry { }", (0, 0, 18), "warning", "D_PDESC_ZERO", "matches no probe of the machine"),
    ("#define N nosuch\nBEGIN { trace(N); }", None, "error", "D_IDENT_UNDEF", "nosuch"),
])
def test_mistakes_have_their_place(system: System, text: str, place: tuple[int, int, int] | None,
                                   severity: str, tag: str, words: str) -> None:
    first = Program(system, text).problems()[0]
    assert (first.severity, first.tag) == (severity, tag) and words in first.message
    assert place is None or (first.line, first.start, first.end) == place


LINES = ["BEGIN {", "", "  trace(a);"]


@pytest.mark.parametrize(("span", "place", "where"), [
    (Span("", 1, 1, 6), (0, 0, 5), ""), (Span("", 3, 9, 10), (2, 8, 9), ""),
    (Span("", 3, 9, 99), (2, 8, 11), ""), (Span("", 3, 9, 0), (2, 8, 11), ""),
    (Span("", 3, 9, 9), (2, 8, 9), ""), (Span("", 2, 1, 2), (1, 0, 0), ""),
    (Span("", 2, 5, 6), (1, 4, 4), ""), (Span("", 3, 0, 1), (2, 0, 1), ""),
    (Span("", 0, 3, 4), (0, 0, 7), ""), (Span("", 4, 3, 4), (0, 0, 7), ""), (Span(), (0, 0, 7), ""),
    (Span("x.h", 2, 3, 4), (0, 0, 7), "x.h:2: ")])
def test_where_a_mistake_is_shown(span: Span, place: tuple[int, int, int], where: str) -> None:
    """In its line and no further; what is nowhere in the text, in all of the first line."""
    for hints, more in (((), ""), (("did you?", "so"), "; did you?; so")):
        found = knowledge._problem(Diagnostic("D_TAG", span, "wrong", hints), "error", LINES)
        assert found == (*place, "error", "D_TAG", f"{where}wrong{more}")


def test_long_pages_of_the_manual_are_cut_at_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = knowledge.manual("timestamp")
    assert knowledge.manual("nosuchword") == "" and len(whole) > 100 and "\n" in whole[:100]
    for most, cut in ((len(whole), whole), (len(whole) - 1, None), (100, None)):
        monkeypatch.setattr(knowledge, "_MOST_TEXT", most)
        found = knowledge.manual("timestamp")
        assert found == (cut or whole[:whole.rindex("\n", 0, most)] + "\n\n...")


def test_every_mistake_is_told_and_uses_of_processes_are_none(system: System) -> None:
    found = Program(system, "BEGIN { trace(a); } END { trace(b); }").problems()
    assert [each.tag for each in found] == ["D_IDENT_UNDEF"] * 2
    assert Program(system, "pid$target::main:entry { trace($1); } shop$target:::x { trace(arg0); }"
                   ).problems() == []


@pytest.mark.parametrize(("mark", "some", "not_there"), [
    ("curpsinfo->pr_|fname", {"pr_fname", "pr_psargs"}, {"strlen"}),
    ("args[0]->|b_bcount", {"b_bcount", "b_flags"}, {"pr_fname"}),
    ("syscall::wri|te", {"syscall::write:", "syscall::writev:"}, {"syscall::read:"}),
    ("@|bytes", {"@bytes"}, {"big"}),
    ("self->|length", {"self->start", "self->length"}, {"timestamp"}),
    ("str|len", {"strlen", "strjoin", "timestamp", "big", "quantize"}, {"pr_fname", "BEGIN"}),
    ("option qui|et", {"quiet", "bufsize="}, {"ncpus="}),
])
def test_completion(program: Program, mark: str, some: set[str], not_there: set[str]) -> None:
    found = {each.text for each in program.completions(at(mark))}
    assert some <= found and not not_there & found


def test_every_macro_that_is_completed_is_known(system: System) -> None:
    """With the values that it has in the machine: no number of a process is 0."""
    macros = [each.text for each in Program(system, "BEGIN { trace($").completions(15)]
    assert {"$pid", "$ppid", "$target", "$taskid", "$1", "$$1"} <= set(macros)
    text = "".join(f"BEGIN {{ trace({each}); }}\n" for each in macros)
    assert Program(system, text).problems() == []
    for macro, said in (("$pid", []), ("$target", []), ("$uid", ["this divides by zero"]),
                        ("($target - $pid - 1)", ["this divides by zero"])):
        program = Program(system, f"BEGIN {{ trace(1 / {macro}); }}")
        assert [each.message for each in program.problems()] == said


def test_completion_in_an_unfinished_clause(system: System) -> None:
    text = "io:::start { this->b = args[0]->"
    assert "b_bcount" in {each.text for each in Program(system, text).completions(len(text))}
    assert {"io:::start"} <= {each.text for each in Program(system, "io:::st").completions(7)}


@pytest.mark.parametrize(("mark", "words"), [
    ("args[0]->b_b|count", ["size_t args[0]->b_bcount"]),
    ("= time|stamp", ["uint64_t timestamp", "Nanoseconds"]),
    ("str|len", ["size_t strlen(const char *)", "bytes before the string's end"]),
    ("exec-succ|ess", ["matches 1 probe", "processes and threads"]),
    ("io:::st|art", ["args[0]", "bufinfo_t *"]),
    ("arg2 > b|ig", ["int big"]),
    ("self->st|art", ["uint64_t self->start"]),
    ("option qui|et", ["-x quiet"]),
])
def test_hover(program: Program, mark: str, words: list[str]) -> None:
    found = program.explanation(at(mark))
    assert found is not None and all(each.lower() in found[0].lower() for each in words), found


@pytest.mark.parametrize(("mark", "path", "line"), [
    ("arg2 > b|ig", "", "inline int big = 512;"),
    ("psin|fo_t <", "", "translator psinfo_t < int *P >"),
    ("args[0]->b_b|count", "io.d", "b_bcount = buf->b_bcount;"),
    ("@by|tes", "", "@bytes[execname] = sum(arg2);"),
    ("self->st|art", "", "self->start = timestamp;"),
])
def test_definition(program: Program, mark: str, path: str, line: str) -> None:
    found = program.definition(at(mark))
    assert found is not None and Path(found.path).name == path
    start = found.text.rfind("\n", 0, found.start) + 1
    assert line in found.text[start:found.text.index("\n", found.start)]


def test_places_in_unfinished_texts() -> None:
    for text, kind in (("", "probe"), ("BEGIN /", "action"), ("BEGIN { '}' ", "action"), ("}}} a:", "probe"),
                       ("inline int x", "declaration"), ("int a;inline int x", "declaration"),
                       ("BEGIN {}inline int x", "declaration"), ('BEGIN { "', "action"),
                       ("/* BEGIN {", "probe"), ("BEGIN { if (1) { a; } b", "action"),
                       ("BEGIN { if (1) { a; } } b", "probe"), ("int a, ", "probe"),
                       (" inline int", "declaration"), ("# line", "probe"), ("a:b:c:d, e", "probe"),
                       ("a:b:c:d, e\n/x", "action")):
        assert places.place(text, len(text)).kind == kind, text
    assert places.owner_before("x = a[b(1)].c->", 15) == "a[b(1)].c"
    assert places.owner_before("x = a_ -> ", 10) == "a_"
    assert places.owner_before("f(a[0].b) . ", 13) == "f(a[0].b)"
    assert places.owner_before("a.b->c->", 8) == "a.b->c" and places.owner_before("+`kernel.", 9) == "`kernel"
    assert places.owner_before("(a)->", 5) == "(a)" and places.owner_before("a)->", 4) == ""
    assert places.owner_before("a->b", 4) == places.owner_before("a-> b c", 7) == ""
    assert places.owner_before("((x", 3) == places.owner_before("])->", 4) == ""


@pytest.mark.parametrize(("text", "opaque"), [
    ('"', [1]), ('""', [1]), ('"a"b', [1, 2]), ("'", [1]), ("'a'", [1, 2]), ("/*a*/ b", [1, 2, 3, 4]),
    ("/*", [1, 2]), ("/* *", [1, 2, 3, 4]), ('"a\nb', [1, 2]), ('"\\"a', [1, 2, 3, 4]), ("#a\nb", [1, 2]),
    ("a#b", []), (" #\n", [1, 2])])
def test_places_that_are_opaque(text: str, opaque: list[int]) -> None:
    """In comments, literals and directives; not behind those that are closed."""
    assert [at for at in range(len(text) + 1) if places.is_opaque(text, at)] == opaque


@pytest.mark.parametrize(("text", "start", "end", "found"), [
    ("abc", 0, 3, ((0, 0), (0, 3))), ("\nabc", 1, 4, ((1, 0), (1, 3))), ("\n\n", 1, 2, ((1, 0), (2, 0))),
    ("a\nb\U0001f600c d\n", 4, 6, ((1, 3), (1, 5))), ("a\nbc", 0, 4, ((0, 0), (1, 2))),
    ("", 0, 0, ((0, 0), (0, 0)))])
def test_offsets_are_lines_and_units_of_the_client(text: str, start: int, end: int, found: object) -> None:
    server = pytest.importorskip("runtime.languageserver.server", exc_type=ImportError)
    told = server._offsets(server.PositionCodec(), text, start, end)
    assert tuple((each.line, each.character) for each in (told.start, told.end)) == found


def test_no_place_of_any_text_is_too_much(system: System) -> None:
    """Whatever is typed, at every place there is an answer."""
    for text in (TEXT[:97], "BEGIN { @[1->", "\x00\ud800{", "a:b:c:d:e { $", "xlate <", "#pragma D option "):
        program = Program(system, text)
        program.problems()
        for offset in range(0, len(text) + 1, 5):
            program.completions(offset)
            program.explanation(offset)
            program.definition(offset)


class Session:
    """A client that writes requests, and reads until each has its answer."""

    def __init__(self) -> None:
        self._server = subprocess.Popen([sys.executable, "-m", "dc.command", "--lsp"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._number = 0
        self.told: list[dict[str, Any]] = []

    def tell(self, method: str, **params: object) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, **params: object) -> Any:
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while (message := self._read()).get("id") != self._number:
            self.told.append(message)
        assert "error" not in message, message
        return message["result"]

    def _write(self, message: object) -> None:
        data = json.dumps(message).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._server.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        size = 0
        while (line := self._server.stdout.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        found: dict[str, Any] = json.loads(self._server.stdout.read(size))
        return found

    def end(self) -> int:
        self.ask("shutdown")
        self.tell("exit")
        _out, err = self._server.communicate(timeout=30)
        assert b"Traceback" not in err, err
        return self._server.returncode


def test_a_session(tmp_path: Path) -> None:
    uri = (tmp_path / "x.d").as_uri()
    document = {"uri": uri}
    session = Session()
    able = session.ask("initialize", processId=None, rootUri=None, capabilities={})["capabilities"]
    assert able["hoverProvider"] and able["definitionProvider"] and ":" in able["completionProvider"][
        "triggerCharacters"]
    session.tell("initialized")
    text = "BEGIN { /* \U0001f600 */ trace(nosuch); }\n"
    session.tell("textDocument/didOpen",
                 textDocument={"uri": uri, "languageId": "dtrace", "version": 1, "text": text})
    hover = session.ask("textDocument/hover", textDocument=document, position={"line": 0, "character": 20})
    assert "trace(value)" in hover["contents"]["value"]
    published, = (each["params"] for each in session.told if each["method"].endswith("publishDiagnostics"))
    mistake, = published["diagnostics"]
    assert (mistake["code"], mistake["severity"], mistake["source"]) == ("D_IDENT_UNDEF", 1, "dc")
    assert mistake["range"] == {"start": {"line": 0, "character": 23}, "end": {"line": 0, "character": 29}}
    session.tell("textDocument/didChange", textDocument={"uri": uri, "version": 2},
                 contentChanges=[{"text": "inline int n = 1;\nio:::start { trace(args[0]->b_ + n); }\n"}])
    items = session.ask("textDocument/completion", textDocument=document,
                        position={"line": 1, "character": 30})["items"]
    assert "b_bcount" in [each["label"] for each in items]
    where = session.ask("textDocument/definition", textDocument=document,
                        position={"line": 1, "character": 34})
    assert where["uri"] == uri and where["range"]["start"] == {"line": 0, "character": 11}
    assert session.end() == 0


def test_without_pygls_it_is_named(tmp_path: Path) -> None:
    code = ("import sys\nsys.modules['pygls'] = sys.modules['lsprotocol'] = None\n"
            "from dc.command import main\nsys.exit(main(['--lsp']))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == \
        "dc: --lsp needs lsprotocol: pip install 'dtrace-suite[editor]'\n"


def test_dc_does_not_load_the_server() -> None:
    code = ("import sys\nfrom dc.command import main\nmain(['-e', '-n', 'BEGIN'])\n"
            "late = 'runtime', 'pygls', 'lsprotocol', 'importlib.metadata'\n"
            "loaded = [name for name in sys.modules if name.startswith(late)]\n"
            "assert not loaded, loaded")
    subprocess.run([sys.executable, "-c", code], check=True)
