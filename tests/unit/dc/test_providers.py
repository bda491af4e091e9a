"""Provider declarations: what they mean, and every way to get them wrong."""

from __future__ import annotations

import pytest

from dc.diagnostics import CompileError
from dc.names.providers import parse_providers
from dc.types.headers import header_types
from dc.types.scopes import Scope
from dc.types.types import Model
from dof.model import Attributes
from dof.usdt.definition import PRIVATE, ProviderDefinition


def only(text: str, **options: object) -> ProviderDefinition:
    (provider,) = parse_providers(text, **options).providers  # type: ignore[arg-type]
    return provider


def test_probes_and_arguments() -> None:
    provider = only("""
        /* a comment */ typedef struct thing { int x; } thing_t;
        provider my_prov {   /* and another */
            probe none();
            probe nothing(void);
            probe two__words(int a, const char *s, uint64_t, thing_t *t, struct other *o);
            probe floating(double, float);
            probe callback(int (*)(int), char buffer[10], string);
        };
    """)
    assert provider.name == "my_prov"
    names = [probe.name for probe in provider.probes]
    assert names == ["none", "nothing", "two-words", "floating", "callback"]
    none, nothing, two, floating, callback = provider.probes
    assert none.native == nothing.native == []
    types = [each.type for each in two.native]
    assert types == ["int", "const char *", "uint64_t", "thing_t *", "struct other *"]
    assert [each.size for each in two.native] == [4, 8, 8, 8, 8]
    assert [each.signed for each in two.native] == [True, False, False, False, False]
    assert [each.tag for each in two.native] == ["", "", "", "struct thing", "struct other"]
    assert two.translated is None and two.visible == two.native and two.mapping() == [0, 1, 2, 3, 4]
    assert [each.floating for each in floating.native] == [True, True]
    assert [each.type for each in callback.native] == ["int (*)(int)", "char [10]", "string"]


def test_translated_arguments_are_mapped_by_name() -> None:
    probe = only("provider p { probe q(int a, char *s) : (string s, int a); };").probes[0]
    assert [each.type for each in probe.visible] == ["string", "int"]
    assert probe.mapping() == [1, 0]
    probe = only("provider p { probe q(int a) : (int a, int a); };").probes[0]
    assert probe.mapping() == [0, 0]


def test_a_translator_makes_a_structure_of_another() -> None:
    text = """
        struct raw { int x; };
        typedef struct info { int i; } info_t;
        translator info_t < struct raw *R > { i = R->x; };
        provider p { probe q(struct raw *r) : (info_t *r); };
    """
    assert only(text).probes[0].visible[0].type == "info_t *"
    with pytest.raises(CompileError) as caught:
        parse_providers(text.replace("translator info_t < struct raw *R > { i = R->x; };", ""))
    assert caught.value.tag == "D_PROV_PRXLATOR"
    for other in ("struct raw *r) : (struct raw2 *r", "int *r) : (info_t *r", "struct raw2 *r) : (info_t *r"):
        with pytest.raises(CompileError, match="no translator makes that of"):
            parse_providers("struct raw2 { int x; };" + text.replace("struct raw *r) : (info_t *r", other))


@pytest.mark.parametrize(("native", "output", "passes"), [
    ("int x", "char x", True), ("enum e x", "int x", True), ("int x", "char *x", False),
    ("char *x", "string x", True), ("string x", "char *x", True), ("char x[8]", "string x", True),
    ("int *x", "string x", False), ("int x", "string x", False), ("string x", "int x", False),
    ("int *x", "void *x", True), ("void *x", "int *x", True), ("int *x", "int *x", True),
    ("int *x", "const int *x", True), ("int *x", "char *x", False), ("int *x", "unsigned int *x", False),
    ("double x", "double x", True), ("float x", "double x", False), ("double x", "int x", False),
    ("struct s x", "struct s x", True), ("struct s x", "struct t x", False), ("int x[2]", "int x[2]", True)])
def test_what_needs_no_translator(native: str, output: str, passes: bool) -> None:
    text = "struct s { int a; }; struct t { int a; }; enum e { A };" \
        f" provider p {{ probe q({native}) : ({output}); }};"
    if passes:
        assert only(text).probes[0].mapping() == [0]
        return
    with pytest.raises(CompileError, match="output argument #1 of probe p:::q is ") as caught:
        parse_providers(text)
    assert caught.value.tag == "D_PROV_PRXLATOR"


def test_data_models() -> None:
    text = "provider p { probe q(long, char *, uint64_t, string); };"
    assert [each.size for each in only(text).probes[0].native] == [8, 8, 8, 8]
    assert [each.size for each in only(text, model=Model.ILP32).probes[0].native] == [4, 4, 8, 4]


def test_attributes() -> None:
    provider = only("""
        provider p { probe q(); };
        #pragma D attributes Evolving/Evolving/Common provider p provider
        #pragma D attributes private/stable/isa provider p args
    """.replace("        #", "#"))
    assert provider.attributes == (Attributes(5, 5, 5), PRIVATE, PRIVATE, PRIVATE, Attributes(1, 6, 4))


def test_several_providers_and_clauses() -> None:
    file = parse_providers("provider a { probe x(); }; provider b { probe x(int); };")
    assert [each.name for each in file.providers] == ["a", "b"] and not file.has_clauses
    assert parse_providers("BEGIN { }").has_clauses


def test_a_provider_may_be_declared_again_alike() -> None:
    text = "provider p { probe q(int); probe r(); }; provider p { probe q(int a); };"
    assert [probe.name for probe in only(text).probes] == ["q", "r"]
    translated = "provider p { probe q(int a, char *b); };" \
        " provider p { probe q(char *a, int b) : (int b, %s); };"
    assert only(translated % "char *a").probes[0].mapping() == [1, 0]
    with pytest.raises(CompileError) as caught:
        only(translated % "int b")
    assert caught.value.tag == "D_PROV_INCOMPAT"


@pytest.mark.parametrize(("first", "second", "mapping"), [
    ("int x, int y) : (int y, int x", "int x, int y) : (int x, int y", [1, 0]),  # the first counts
    ("int x, int y", "int x, int y) : (int y, int x", [1, 0]),  # unless only the second has an output
    ("int x, int y) : (int y, int x", "int x, int y", [1, 0])])
def test_which_of_two_declarations_counts(first: str, second: str, mapping: list[int]) -> None:
    found = only(f"provider p {{ probe q({first}); }}; provider p {{ probe q({second}); }};")
    assert [probe.mapping() for probe in found.probes] == [mapping]


def test_types_from_elsewhere_are_asked_for_only_when_needed() -> None:
    asked = []

    def types() -> Scope:
        asked.append(1)
        return header_types("typedef struct proc { int p_x; } proc_t;")

    only("provider p { probe q(int); };", types=types)
    assert not asked
    assert only("provider p { probe q(proc_t *p); };", types=types).probes[0].native[0].tag == "struct proc"
    assert asked == [1]


@pytest.mark.parametrize(("model", "sizes"), [(Model.LP64, [2, 8, 1, 1]), (Model.ILP32, [2, 8, 1, 1])])
def test_an_included_file_says_what_its_types_are(model: Model, sizes: list[int]) -> None:
    """Whatever D says of them; and to C, bool needs no header."""
    text = '# 1 "types.h" 1\ntypedef unsigned short pid_t;\ntypedef long long size_t;\n' \
        '# 2 "" 2\nprovider p { probe q(pid_t a, size_t b, _Bool c, bool d); };\n'
    probe = only(text, model=model).probes[0]
    assert [each.size for each in probe.native] == sizes
    assert [each.type for each in probe.native] == ["pid_t", "size_t", "_Bool", "bool"]
    with pytest.raises(CompileError) as caught:
        only("typedef unsigned short pid_t;\nprovider p { probe q(pid_t a); };\n")
    assert caught.value.tag == "D_DECL_IDRED"


PRAGMA = "#pragma D attributes Evolving/Evolving/Common provider p provider\n"


@pytest.mark.parametrize(("text", "line", "column"), [
    (f"provider p {{ probe start(int n); }}\n{PRAGMA}", 1, 34),
    ("provider web {\n probe start(int n);\n}\n\n#pragma D option quiet\nprovider b { probe x(); };\n", 3, 1),
    (f"provider p {{ probe start(int n) }}\n{PRAGMA};\n", 1, 33),
    ("provider web { probe start(int n); } BEGIN { }", 1, 36)])
def test_what_is_wrong_before_a_pragma_is_wrong_first(text: str, line: int, column: int) -> None:
    with pytest.raises(CompileError) as caught:
        parse_providers(text)
    found = caught.value.first
    assert (found.tag, found.span.line, found.span.column) == ("D_SYNTAX", line, column)
    assert any("`;`" in each for each in (found.message, *found.hints))


def test_a_pragma_within_a_declaration() -> None:
    with pytest.raises(CompileError) as caught:  # at this place there is no provider p yet
        parse_providers(f"provider p {{ probe q(\n{PRAGMA}int); }};\n")
    assert (caught.value.tag, caught.value.first.span.line) == ("D_PRAGMA_UNUSED", 2)


DECLARED = "provider p { probe q(); };\n"


@pytest.mark.parametrize(("tag", "text"), [
    ("D_PROV_BADNAME", "provider p1 { probe q(); };"),
    ("D_PROV_BADNAME", f"provider {'x' * 64} {{ probe q(); }};"),
    ("D_PROV_BADNAME", f"provider p {{ probe {'x' * 64}(); }};"),
    ("D_PROV_BADNAME", "provider p { probe a`b(); };"),
    ("D_PROV_PRDUP", "provider p { probe q(); probe q(); };"),
    ("D_PROV_INCOMPAT", "provider p { probe q(); }; provider p { probe r(); };"),
    ("D_PROV_INCOMPAT", "provider p { probe q(); }; provider p { probe q(int); };"),
    ("D_PROV_INCOMPAT", "provider p { probe q(char *); }; provider p { probe q(int); };"),
    ("D_PROV_PRARGLEN", f"provider p {{ probe q({', '.join(['int'] * 256)}); }};"),
    ("D_PROV_PRXLATOR", "struct a { int x; }; struct b { int y; };"
                        " provider p { probe q(struct a *v) : (struct b *v); };"),
    ("D_DECL_PROTO_VOID", "provider p { probe q(int, void); };"),
    ("D_DECL_PROTO_NAME", "provider p { probe q(int a) : (int); };"),
    ("D_DECL_PROTO_FORM", "provider p { probe q(int a, int a); };"),
    ("D_DECL_PROTO_FORM", "provider p { probe q(int a) : (int b); };"),
    ("D_DECL_PROTO_VARARGS", "provider p { probe q(int, ...); };"),
    ("D_SYNTAX", "provider p { probe q(unknown_t); };"),
    ("D_SYNTAX", "provider p { prob q(); };"),
    ("D_SYNTAX", "provider p { probe q(; };"),
    ("D_SYNTAX", "provider p { probe q() }"),
    ("D_PRAGMA_INVAL", DECLARED + "#pragma D attributes Evolving/Wrong/ISA provider p args\n"),
    ("D_PRAGMA_INVAL", DECLARED + "#pragma D attributes Stable/Stable/ISA provider p arg\n"),
    ("D_PRAGMA_MALFORM", DECLARED + "#pragma D attributes Stable/Stable/ISA\n"),
    ("D_PRAGMA_UNUSED", DECLARED + "#pragma D attributes Stable/Stable/ISA provider r args\n"),
])
def test_errors(tag: str, text: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse_providers(text, "x.d")
    assert caught.value.tag == tag
    assert "\n" not in str(caught.value)
