"""Types: layout against the host's C compiler, names, scopes, headers read piece by piece."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from dc.checking.conversions import common, promoted
from dc.diagnostics import CompileError
from dc.types.basictypes import canonical_words
from dc.types.headers import header_types
from dc.types.scopes import Scope
from dc.types.types import (
    Array,
    Dynamic,
    Enum,
    Float,
    Function,
    Integer,
    Model,
    Pointer,
    Qualified,
    Record,
    String,
    Type,
    Typedef,
    compatible,
)

HEADER = """
/* a comment with struct braces { ; */
#ifndef GUARD
typedef unsigned int uid_t;
struct late;
typedef struct early {
    char c;
    int a : 3, b : 7;
    unsigned long long d;
    struct { short u, v; };
    union { int q; char w[9]; double f; } z;
    struct late *next;
    int (*call)(int, char *);
    uid_t uid_t;
    unsigned char flags : 5, : 0, more : 6;
    long x : 33;
    long y : 33;
    int : 4;
    int last : 2;
} early_t, *early_p;
enum colour { RED, GREEN = 5, BLUE, NEGATIVE = -3 };
typedef enum colour colour_t;
struct late { early_t one[2 + 1]; colour_t c; char text[sizeof (early_t)]; struct late *next; _Bool b; };
extern struct late *head, table[4];
extern int function(void);
#endif
"""
OFFSETS = [("early", each) for each in ("c", "d", "u", "v", "z", "next", "call", "uid_t")] + \
    [("late", each) for each in ("one", "c", "text", "next", "b")]


@pytest.fixture
def scope() -> Scope:
    return header_types(HEADER, name="unix")


def record(scope: Scope, name: str) -> Record:
    found = scope.lookup(name)
    assert found is not None
    base = found.resolve()
    assert isinstance(base, Record)
    return base


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler: layouts compared with its own")
def test_layout_is_the_c_compilers(scope: Scope, tmp_path: Path) -> None:
    fields = "".join(f'printf("%zu\\n", offsetof(struct {tag}, {name}));' for tag, name in OFFSETS)
    bits = "".join(f"{{ struct early e = {{ 0 }}; e.{name} = -1; for (size_t i = 0; i < sizeof e; i++) "
                   'printf("%02x", ((unsigned char *)&e)[i]); puts(""); }'
                   for name in ("a", "b", "flags", "more", "x", "y", "last"))
    header = HEADER.replace("#ifndef GUARD", "").replace("#endif", "")
    (tmp_path / "t.c").write_text(
        f"#include <stdio.h>\n#include <stddef.h>\n{header.replace('uid_t uid_t;', 'unsigned uid_t;')}\n"
        'int main(void) { printf("%zu %zu\\n", sizeof(struct early), sizeof(struct late)); '
        f"{fields} {bits} }}")
    subprocess.run(["cc", "-w", "-o", tmp_path / "t", tmp_path / "t.c"], check=True)
    done = subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=True)
    sizes, *rest = done.stdout.split("\n")
    assert sizes == f"{record(scope, 'early_t').size} {record(scope, 'struct late').size}"
    for (tag, name), offset in zip(OFFSETS, rest, strict=False):
        member = record(scope, f"struct {tag}").member(name)
        assert member is not None and member.byte == int(offset), name
    for name, dump in zip(("a", "b", "flags", "more", "x", "y", "last"), rest[len(OFFSETS):], strict=False):
        member = record(scope, "struct early").member(name)
        assert member is not None
        base = member.type.resolve()
        assert isinstance(base, Integer)
        value = ((1 << base.bits) - 1) << member.offset
        assert bytes.fromhex(dump) == value.to_bytes(record(scope, "early_t").size, "little"), name
        assert member.unit * 8 + member.shift == member.offset
        assert member.shift + base.bits <= base.size * 8


NAMELESS = ("union { char c; int :0; }", "union { int :0; char c; }", "union { int :0; }",
            "struct { long :0; }", "struct { char c; long :0; }", "struct { long :0; char c; }",
            "struct { char c; int :3; long :0; char d; }", "union { char c; int :17; }",
            "union { int a:3; long :0; short s; }", "struct { int :5; }",
            "struct { char a; struct { long :0; } x; int y; }", "struct { struct { int :0; } x[3]; }",
            "struct { char a; int b:3; short :0; char d; }", "struct { int b:3; char :0; int d:3; }")
PACKED = "__attribute__((packed))"
ALIGNED = (f"struct {{ char c; int i; }} {PACKED}", f"struct {PACKED} {{ char c; long l; }}",
           "struct __attribute__((__packed__, __aligned__(8))) { char c; int i; }",
           "struct { char c; int i __attribute__((aligned(16))); char d; }",
           f"struct {{ char c; int i {PACKED}; }}", "union { char c[3]; } __attribute__((aligned(4)))",
           f"struct {{ int a:3; int b:30; }} {PACKED}", "struct { char c; } __attribute__((aligned))",
           "struct { char c; double d; } __attribute__((unused, packed))")



@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler: layouts compared with its own")
@pytest.mark.parametrize("records", [NAMELESS, ALIGNED], ids=["nameless bit-fields", "attributes"])
def test_sizes_are_the_c_compilers(records: Sequence[str], tmp_path: Path) -> None:
    shown = "".join(f'printf("%zu ", sizeof({each}));' for each in records)
    (tmp_path / "t.c").write_text(f"#include <stdio.h>\nint main(void) {{ {shown} }}")
    subprocess.run(["cc", "-w", "-o", tmp_path / "t", tmp_path / "t.c"], check=True)
    sizes = subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=True).stdout.split()
    scope = header_types("".join(f"typedef {each} t{number};" for number, each in enumerate(records)))
    found = [scope.lookup(f"t{number}") for number in range(len(records))]
    assert [str(each and each.size) for each in found] == sizes


def test_members_in_order(scope: Scope) -> None:
    """A bit-field without a name is none, a union without one is."""
    assert [each.name for each in record(scope, "early_t").members or ()] == [
        "c", "a", "b", "d", None, "z", "next", "call", "uid_t", "flags", "more", "x", "y", "last"]
    assert [*record(scope, "early_t").names()][4:7] == ["u", "v", "z"]


def test_headers_are_read_when_asked(scope: Scope) -> None:
    assert not scope.types
    assert scope.lookup("colour_t") is not None
    assert "struct late" not in scope.types
    assert scope.enumerator("BLUE") == (6, scope.lookup("enum colour"))
    assert scope.enumerator("NEGATIVE")[0] == -3  # type: ignore[index]
    assert str(scope.variable("head")) == "struct late *"
    assert str(scope.variable("table")) == "struct late [4]"
    assert isinstance(scope.variable("function"), Function)
    assert scope.lookup("no_such_t") is None
    assert scope.variable("nothing") is None


def test_a_broken_header_says_where() -> None:
    scope = header_types("typedef int a;\n\ntypedef foo bar baz;\n", filename="k.h")
    with pytest.raises(CompileError) as caught:
        scope.lookup("baz")
    assert (caught.value.first.span.file, caught.value.first.span.line) == ("k.h", 3)


@pytest.mark.parametrize(("name", "shown"), [
    ("unsigned", "unsigned int"), ("long unsigned int", "unsigned long"), ("short int", "short"),
    ("long long", "long long"), ("char **", "char **"), ("const char *", "const char *"),
    ("C`int", "int"), ("signed char", "signed char"), ("int [3]", "int [3]"), ("uint64_t", "uint64_t"),
    ("string", "string"), ("struct missing", None), ("long short", None), ("unsigned float", None),
    ("int int", None), ("", None), ("int ]", None), ("int [", None), ("]", None), ("int [x]", None),
    ("int [3", None), ("3]", None), ("int [3] [4]", None), ("int * *", "int **"),
])
def test_lookup_by_spelling(name: str, shown: str | None) -> None:
    found = Scope.intrinsic().lookup(name)
    assert (found and str(found)) == shown


def test_qualified_by_module(scope: Scope) -> None:
    program = scope.child()
    for name in ("unix`early_t", "unix`struct early", "struct unix`early", "unix`early_t *"):
        assert program.lookup(name) is not None, name
    assert program.lookup("nomodule`early_t") is None
    assert program.is_type_name("unix`early_t")
    assert not program.is_type_name("`early_t`")


def test_spelling() -> None:
    scope = Scope.intrinsic()
    integer = scope.basic("int")
    pointer = scope.pointer(integer)
    assert pointer is scope.pointer(integer)
    assert str(Pointer(Function(integer, (integer, pointer)), 8)) == "int (*)(int, int *)"
    assert Array(Array(integer, 3), 4).spell("x") == "int x[4][3]"
    assert Pointer(Array(integer, 3), 8).spell("x") == "int (*x)[3]"
    assert str(Qualified("const", pointer)) == "int *const"
    assert str(Enum("e")) == "enum e"


def test_models() -> None:
    wide, narrow = Scope.intrinsic(Model.LP64), Scope.intrinsic(Model.ILP32)
    for name, sizes in {"long": (8, 4), "long long": (8, 8), "uint64_t": (8, 8), "uintptr_t": (8, 4),
                        "char *": (8, 4), "size_t": (8, 4)}.items():
        assert tuple(found.size for scope in (wide, narrow) if (found := scope.lookup(name))) == sizes
    text = "struct s { char c; long long l; double d; };"
    assert record(header_types(text, Model.ILP32), "struct s").size == 20


@pytest.mark.parametrize(("value", "suffix", "decimal", "type_"), [
    (1, "", True, "int"), (2**31, "", True, "long"), (2**31, "", False, "unsigned int"),
    (2**32, "", False, "long"), (2**63, "", True, None), (2**63, "", False, "unsigned long"),
    (1, "u", True, "unsigned int"), (1, "l", True, "long"), (1, "ll", True, "long long"),
    (1, "ULL", True, "unsigned long long"), (2**32, "u", True, "unsigned long"),
])
def test_types_of_constants(value: int, suffix: str, decimal: bool, type_: str | None) -> None:
    found = Scope.intrinsic().integer_constant(value, suffix, decimal)
    assert (found and str(found)) == type_


def test_compatibility(scope: Scope) -> None:
    def same(left: str, right: str) -> bool:
        one, other = scope.lookup(left), scope.lookup(right)
        assert one is not None and other is not None
        return compatible(one, other)

    assert same("early_t", "struct early") and same("int *", "const int *") and same("uid_t", "unsigned int")
    assert not same("int", "unsigned int") and not same("early_t", "struct late")
    assert not same("int *", "char *")
    assert same("int [3]", "int [3]") and not same("int [3]", "int [4]")


CHAR = Integer("char", 1, True, char=True, bits=8)
INT = Integer("int", 4, True, bits=32, align=4)
DOUBLE = Float("double", 8, 8)


def defined(keyword: str, tag: str | None, size: int = 4) -> Record:
    """Return a new record of so many bytes."""
    made = Record(keyword, tag)
    made.define([], size, 4)
    return made


@pytest.mark.parametrize(("left", "right", "same"), [
    (INT, Integer("int", 4, True, bits=32, align=4), True),
    (INT, Integer("int", 4, False, bits=32, align=4), False),
    (INT, Integer("int", 4, True, bits=31, align=4), False),
    (INT, Integer("int", 8, True, bits=32, align=4), False),
    (INT, Integer("long", 4, True, bits=32, align=4), False),
    (CHAR, Integer("char", 1, True, bits=8), False),
    (DOUBLE, Float("long double", 8, 8), True), (DOUBLE, Float("float", 4, 4), False), (DOUBLE, INT, False),
    (Pointer(CHAR, 8), Pointer(Qualified("const", CHAR), 8), True), (Pointer(CHAR, 8), INT, False),
    (Pointer(CHAR, 8), Pointer(INT, 8), False), (Pointer(CHAR, 8), Array(CHAR, 8), False),
    (Array(CHAR, 2), Array(CHAR, 2), True), (Array(CHAR, 2), Array(CHAR, 3), False),
    (Array(CHAR, 2), Array(INT, 2), False),
    (defined("struct", "s"), defined("struct", "s"), True),  # of two modules
    (defined("struct", "s"), defined("struct", "t"), False), (defined("struct", "s"), INT, False),
    (defined("struct", "s"), defined("union", "s"), False),
    (defined("struct", "s"), defined("struct", "s", 8), False),
    (defined("struct", "s", 0), Record("struct", "s"), False),
    (Enum("e"), Enum("e"), True), (Enum("e"), Enum("f"), False), (Enum("e"), INT, False),
    (Function(INT), Function(CHAR), True), (Function(INT), String(), False), (String(), String(256), True),
    (Dynamic("stack"), Dynamic("stack"), False)])
def test_types_of_different_origin(left: Type, right: Type, same: bool) -> None:
    """What has one name and one form is the same type, whoever has declared it."""
    assert compatible(left, right) is compatible(right, left) is same
    assert compatible(Typedef("t", left), Qualified("const", right)) is same
    assert compatible(left, left)


# the multisets of the C standard's section on type specifiers
SPECIFIERS = {
    "void": "void", "char": "char", "signed char": "signed char", "unsigned char": "unsigned char",
    "short": "short, signed short, short int, signed short int",
    "unsigned short": "unsigned short, unsigned short int",
    "int": "int, signed, signed int", "unsigned int": "unsigned, unsigned int",
    "long": "long, signed long, long int, signed long int",
    "unsigned long": "unsigned long, unsigned long int",
    "long long": "long long, signed long long, long long int, signed long long int",
    "unsigned long long": "unsigned long long, unsigned long long int",
    "float": "float", "double": "double", "long double": "long double"}


def test_words_of_basic_types() -> None:
    """In any order; no others combine."""
    words = ("void", "char", "short", "int", "long", "float", "double", "signed", "unsigned")
    known = {tuple(sorted(each.split())): name
             for name, row in SPECIFIERS.items() for each in row.split(", ")}
    for count in range(1, 6):
        for chosen in combinations_with_replacement(sorted(words), count):
            assert canonical_words([*chosen]) == canonical_words([*reversed(chosen)]) == known.get(chosen)


@pytest.mark.parametrize(("values", "size", "signed"), [
    ("A = 0x7fffffff", 4, True), ("A = -0x80000000", 4, True), ("A = 0x80000000", 4, False),
    ("A = 0, B = 0xffffffff", 4, False), ("A = 0x100000000", 8, False), ("A = -1, B = 0x80000000", 8, True),
    ("A = -0x80000001", 8, True), ("A = -1, B = 0x7fffffff", 4, True), ("A", 4, True)])
def test_enumerations_of_headers(values: str, size: int, signed: bool) -> None:
    """They are as large as GNU C makes them."""
    found = header_types(f"enum e {{ {values} }}; struct s {{ char c; enum e e; }};").lookup("enum e")
    assert isinstance(found, Enum) and (found.size, found.align, found.signed) == (size, size, signed)


@pytest.mark.parametrize(("size", "signed", "name"), [
    (4, True, "int"), (4, False, "unsigned int"), (8, True, "long long"), (8, False, "unsigned long long"),
    (1, False, "int"), (2, True, "int")])
def test_what_an_enumeration_is_in_arithmetic(size: int, signed: bool, name: str) -> None:
    scope = Scope.intrinsic()
    enum = Enum("e", {"A": 1}, size=size, signed=signed)
    assert str(promoted(Typedef("e_t", enum), scope)) == name
    assert str(common(enum, scope.basic("char"), scope)) == name
