"""What compiled programs do, on both engines, with and without the optimizer."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError

KERNEL = 0xFFFFFE0000000000
Number = Callable[..., int]
Fire = Callable[..., list[bytes]]


@pytest.mark.parametrize(("expression", "value"), [
    ("1 + 2 * 3", 7), ("-7 / 2", -3), ("-7 % 3", -1), ("7 >> 1", 3), ("-8 >> 1", -4),
    ("1L << 40", 1 << 40), ("1L << 65", 2), ("-16L >> 66", -4), ("1L << -1 == 1L << 63", 1),
    ("(uint8_t)300", 44), ("(int8_t)200", -56), ("(uint32_t)-1", 0xFFFFFFFF), ("~0", -1), ("!5", 0),
    ("!!5", 1), ("3 > 2", 1), ("-1 < 0", 1), ("1 ^^ 1", 0), ("1 ^^ 0", 1), ("0 || 2", 1), ("2 && 0", 0),
    ("1 ? 5 : 6", 5), ('sizeof (char) ? 5 : "text"', 5), ("0 ? nobody : 6", 6), ("(1 ? -1 : 6UL) < 0", 1),
    ("(1, 2)", 2), ("sizeof (int) + sizeof (char *)", 12), ("sizeof (\"abc\")", 4), ("'a'", 97),
    ("0x10 | 07", 23),
])
def test_constants(number: Number, expression: str, value: int) -> None:
    assert number(expression) == value


@pytest.mark.parametrize(("expression", "value"), [
    ("arg0 / arg1", -3), ("arg0 % arg1", -1), ("arg0 < arg1", 1), ("(uint64_t)arg0 < arg1", 0),
    ("(uint16_t)arg0", 65526), ("(int8_t)(arg0 * 100)", 24), ("arg1 ? arg0 : 5", -10), ("arg2 ? 1 : 2", 2),
    ("arg0 && arg2", 0), ("arg0 || arg2", 1), ("arg0 ^^ arg1", 0), ("!arg2", 1), ("!(arg0 == -10)", 0),
    ("arg1 == 3 && arg0 != 3 || arg2", 1), ("(arg1 > 2) + (arg1 > 3)", 1), ("-(arg1 == 3)", -1),
    ("arg1 == 3 ? arg0 < 0 ? 1 : 2 : 3", 1), ("(arg0, arg1)", 3), ("arg1 * 8", 24), ("(uint64_t)arg1 / 2", 1),
    ("(uint64_t)arg1 % 2", 1), ("1L << arg1 + 62", 2), ("arg0 >> -arg1", -1), ("arg1 - arg1", 0),
    ("(arg1 ^ arg1) == 0", 1),
])
def test_arithmetic(number: Number, expression: str, value: int) -> None:
    assert number(expression, -10, 3, 0) == value


@pytest.mark.parametrize(("expression", "value"), [
    ('strlen("abc")', 3), ('"abc" == "abc"', 1), ('"abc" < "abd"', 1), ('"b" > "a" && "a" != "b"', 1),
    ('strlen(strjoin("ab", "cde"))', 5), ('index("hello", "l")', 2), ('strtoll("77", 8)', 63),
    ('strlen(execname)', 4), ('execname == "prog"', 1), ('strlen(arg0 ? "long" : "s")', 1),
    ('strlen(substr("abcdef", 2, 3))', 3), ('(strlen("ab"), strlen("abc"))', 3),
])
def test_strings(number: Number, expression: str, value: int) -> None:
    assert number(expression) == value


def numbers(found: list[bytes]) -> list[int]:
    return [int.from_bytes(each, "little", signed=True) for each in found]


@pytest.fixture(params=["opt=1", "opt=0"])
def values(request: pytest.FixtureRequest, fire: Fire) -> Callable[..., list[int]]:
    """The integers a program's `trace`s leave."""
    def run(program: str, *args: int, memory: bytes = b"") -> list[int]:
        return numbers(fire(program, *args, memory=memory, options=(request.param,)))
    return run


def test_variables(values: Callable[..., list[int]]) -> None:
    assert values("""
        test:::t { x = 5; self->x = 6; this->x = 7; y[1, "a"] = 8; self->z["k"] = 9; }
        test:::t { trace(x++); trace(++self->x); trace(this->x--); trace(y[1, "a"]++); trace(y[1, "a"]);
                   trace(x); trace(self->x); trace(this->x); trace(self->z["k"] += 3); trace(y[2, "a"]); }
    """) == [5, 7, 7, 8, 9, 6, 7, 6, 12, 0]


@pytest.mark.parametrize(("type_", "value"), [
    ("signed char", -27), ("uint8_t", 229), ("short", -283), ("uint16_t", 65253), ("int", -283),
    ("unsigned int", 4294967013), ("int64_t", -283), ("uint64_t", -283), ("_Bool", 1), ("enum e", -283)])
@pytest.mark.parametrize("target", ["v", "self->v", "this->v", "a[1]", "(*p)", "s->v"])
def test_what_is_assigned_is_converted(values: Callable[..., list[int]], type_: str, value: int,
                                       target: str) -> None:
    """A constant and a variable alike, with =, op= and ++."""
    source = f"""
        enum e {{ ONE = 1 }}; struct s {{ char c; {type_} v; }}; {type_} v; self {type_} v; this {type_} v;
        {type_} a[int]; {type_} *p; struct s *s; int64_t w;
        test:::t {{ p = ({type_} *)alloca(8); s = (struct s *)alloca(16); w = arg0;
                   {target} = -283; trace({target} + 0L); {target} = 0; {target} = w; trace({target} + 0L);
                   trace(({target} = arg0) + 0L); {target} = 0; {target} -= 283; trace({target} + 0L);
                   {target} = 0; trace(({target} += arg0) + 0L);
                   {target} = -284; {target}++; trace({target} + 0L); }}
    """
    assert values(source, -283) == [value] * 6


def test_narrow_operands_are_promoted(values: Callable[..., list[int]]) -> None:
    """In casts, translators, inlines, arguments of subroutines and keys, and in comparisons."""
    assert values("""
        typedef struct pdu { uint8_t dlength[3]; } pdu_t; typedef struct { uint32_t len; uint8_t low; } len_t;
        translator len_t < pdu_t *P > {
            len = P->dlength[0] << 16 | P->dlength[1] << 8 | P->dlength[2]; low = P->dlength[1] << 7; };
        inline int64_t wide[uint8_t n] = -n; inline uint8_t narrow[int n] = n << 4;
        inline int64_t made[uint32_t n] = n;
        pdu_t *p; uint8_t b, v, w; int64_t keyed[uint32_t]; int first[uint8_t];
        test:::t { p = (pdu_t *)alloca(4); p->dlength[0] = 1; p->dlength[1] = 2; p->dlength[2] = 3; b = 66;
            trace((uint32_t)(b << 8)); trace((int64_t)-b); trace(xlate <len_t *> (p)->len);
            trace(xlate <len_t *> (p)->low); trace(htonl(b << 8)); trace(wide[b + 200] + 0L);
            trace(narrow[b] + 0L); trace(made[b << 8] + 0L); trace(strtoll(lltostr(-b)));
            keyed[b << 8] = 5; trace(keyed[16896]); first[b + 256] = 7; trace(first[66]);
            v = strlen("abcde") - 6; w = 5; trace(v < w); trace(v * w); trace(b - v); }
    """) == [16896, -66, 66051, 0, 0x420000, -10, 32, 16896, -66, 5, 7, 0, 1275, -189]


@pytest.mark.parametrize("before", ["int t; int n[int]; self int s;", ""])
def test_an_int_variable_keeps_the_bits_of_a_timestamp(values: Callable[..., list[int]], before: str) -> None:
    """As scripts expect that declare `self int last` or begin with `start = 0`; a constant becomes an int."""
    assert values(before + """
        test:::t { t = 0; n[1] = 0; self->s = 0; this->d = 0; t = arg0; n[1] = t; self->s = arg0 + 7;
                   trace(arg0 + 7 - t); trace((self->s - n[1]) / 7);
                   this->d += arg0; trace(this->d / 1000000L); trace(t); trace((long)t);
                   t = 5000000000; trace(t + 0L); }
    """, 5000000000) == [7, 1, 5000, 705032704, 705032704, 705032704]


def test_assignment_through_inlines(values: Callable[..., list[int]]) -> None:
    """What an inline stands for has a type of its own; its parameters may be part of the place."""
    assert values("""
        uint8_t v; int64_t l; int a[int]; inline int64_t wide = v; inline uint8_t narrow = l;
        inline int at[int i] = a[i];
        test:::t { wide = 300; trace(v + 0L); wide += 255; trace(wide);
                   l = 300; trace(narrow++ + 0L); trace(l);
                   at[1] = 2; at[at[1]] = at[1] + 5; at[2]++; trace(a[1]); trace(a[2]); }
    """) == [44, 43, 44, 45, 2, 8]


def test_assignment_operators(values: Callable[..., list[int]]) -> None:
    assert values("""
        test:::t { x = 7; x += 3; trace(x); x -= 2; trace(x); x *= 5; trace(x); x /= 3; trace(x); x %= 5;
                   trace(x); x <<= 4; trace(x); x >>= 1; trace(x); x |= 1; trace(x); x &= 24; trace(x);
                   x ^= 3; trace(x); trace(y = x = 2); trace(y); }
    """) == [10, 8, 40, 13, 3, 48, 24, 25, 24, 27, 2, 2]


def test_compound_assignment_to_an_element_evaluates_keys_once(values: Callable[..., list[int]]) -> None:
    assert values("""
        test:::t { a[0] = 10; a[1] = 20; i = 0; a[i++] += strlen("abc"); trace(a[0]); trace(a[1]); trace(i);
                   a[i++]++; trace(a[1]); trace(i); }
    """) == [13, 20, 1, 21, 2]


def test_memory(values: Callable[..., list[int]]) -> None:
    memory = struct.pack("<iIqbBhH4s6xQ", -5, 7, 1 << 40, -1, 255, -300, 65000, b"abcd", KERNEL)
    source = f"""
        struct s {{ int a; unsigned int b; long c; char d; unsigned char e; short f;
                    unsigned short g; char h[4]; struct s *next; }};
        test:::t {{ this->p = (struct s *){KERNEL:#x}; trace(this->p->a); trace(this->p->b);
            trace(this->p->c);
            trace(this->p->d); trace(this->p->e); trace(this->p->f); trace(this->p->g); trace(this->p->h[2]);
            trace((*this->p).a); trace(this->p->next->next->a); trace(&this->p->c - (long *){KERNEL:#x});
            trace(*((int *)this->p + 1)); trace((int64_t)(this->p + 1) - {KERNEL:#x});
            trace(((int *){KERNEL:#x})[1]); trace(offsetof(struct s, f)); }}
    """
    found = values(source, memory=memory)
    assert found[:4] + found[5:6] == [-5, 7, 1 << 40, -1, -300]
    assert found[4] & 255 == 255 and found[6] & 0xFFFF == 65000
    assert found[7:] == [ord("c"), -5, -5, 1, 7, 40, 7, 18]


def test_bit_fields(values: Callable[..., list[int]]) -> None:
    source = """
        struct b { unsigned int a : 3; int c : 5; unsigned int d : 9; unsigned int e : 15; } v;
        test:::t { v.a = 5; v.c = -3; v.d = 300; v.e = 20000; v.a++; trace((int)v.a); trace((int)v.c);
                   trace((int)v.d); trace((int)v.e); v.c += 1; trace((int)v.c); trace((int)v.a); }
    """
    assert values(source) == [6, -3, 300, 20000, -2, 6]


def test_structs_by_value(values: Callable[..., list[int]]) -> None:
    source = """
        struct s { int a; int b[3]; } v, w;
        struct s x[int];
        test:::t { v.a = 1; v.b[2] = 9; w = v; w.a++; trace(v.a); trace(w.a); trace(w.b[2]);
                   x[4] = v; x[4].a = 77; trace(x[4].a); trace(x[4].b[2]); trace(x[5].a); x[6].b[1] = 3;
                   trace(x[6].b[1]); trace(x[6].b[0]); }
    """
    assert values(source) == [1, 2, 9, 77, 9, 0, 3, 0]


def test_unset_strings_are_empty(fire: Fire) -> None:
    assert [each.rstrip(b"\0") for each in fire(
        'string a[int]; test:::t { trace(a[1]); trace(strlen(a[1])); a[1] = "x"; trace(a[1]); }')] \
        == [b"", b"", b"x"]


def test_inlines_and_translators(values: Callable[..., list[int]]) -> None:
    source = """
        inline int TEN = 10;
        inline int twice[int n] = n * 2;
        struct out { int low; int high; short small; };
        translator struct out < uint64_t v > { low = v & 0xffff; high = v >> 16; small = (short)v; };
        inline struct out mine = xlate <struct out> (arg0);
        test:::t { trace(TEN + 1); trace(twice[TEN + 1]); trace(xlate <struct out> (arg0).high);
                   trace(mine.low); this->o = xlate <struct out> (arg0); trace(this->o.high);
                   trace((int)this->o.small); trace(xlate <struct out *> ((uint64_t)arg0)->low); }
    """
    assert values(source, 0x00057FFF) == [11, 22, 5, 0x7FFF, 5, 0x7FFF, 0x7FFF]


def test_enumerations(values: Callable[..., list[int]]) -> None:
    source = "enum colour { RED, GREEN = 5, BLUE } c; test:::t { c = BLUE; trace((int)c); " \
             "trace(c == BLUE); trace(GREEN + 1); }"
    assert values(source) == [6, 1, 6]


def test_the_enumerator_after_the_greatest_int(values: Callable[..., list[int]]) -> None:
    assert values("enum e { A = 2147483647, B, C }; test:::t { trace(B); trace(C + 0L); }") \
        == [-(1 << 31), 1 - (1 << 31)]


def test_records_of_no_size(values: Callable[..., list[int]], fire: Fire) -> None:
    """They have no bytes, as in GNU C; a variable needs some."""
    assert values("struct s { long :0; } v, *p; union u { int :0; char c; }; struct t { int i; struct s s; };"
                  "test:::t { trace(sizeof (struct s)); trace(sizeof (v)); trace(sizeof (*p)); "
                  "trace(sizeof (struct s [3])); trace(sizeof (union u)); trace(sizeof (struct t)); }") \
        == [0, 0, 0, 0, 1, 4]
    with pytest.raises(CompileError, match="0 bytes"):
        fire("struct s { long :0; } v; test:::t { v = v; }")


def test_conditions_take_shortcuts(values: Callable[..., list[int]]) -> None:
    assert values("test:::t { x = 0; 1 && x++; 0 && x++; pid && (x += 10); !pid || (x += 100); "
                  "pid ? x++ : (x = 7); trace(x); }") == [112]


def test_what_one_of_two_paths_loads(values: Callable[..., list[int]]) -> None:
    """A register that is written twice has the range of both."""
    assert values("int a[int]; test:::t { a[1] = 0x1234; trace((arg0 ? a[1] : 63) & 0xff); "
                  "trace((arg0 ? strlen(execname) : 1) & 3); }", 1) == [0x34, 0]


def test_predicates(values: Callable[..., list[int]]) -> None:
    clauses = [("pid == 100", 1), ("pid != 100", 0), ("pid", 1), ("!pid", 0), ("pid == 100 && arg0 == 2", 1),
               ("pid == 1 || arg0", 1), ("pid > 5 && !arg1", 1), ("arg1 || arg1 || pid == 3", 0),
               ("arg0 & 1", 0), ("arg0 == 2 ? arg1 : 1", 0), ('execname != "x"', 1), ("(arg1, arg0)", 1),
               ("0 == arg1", 1), ("pid ^^ arg1", 1), ("arg0 - 2", 0), ("!(arg0 == 2 && pid)", 0)]
    source = "".join(f"test:::t /{text}/ {{ trace({number}); }}\n"
                     for number, (text, _) in enumerate(clauses))
    assert values(source, 2, 0) == [number for number, (_, taken) in enumerate(clauses) if taken]


def test_if_and_else(values: Callable[..., list[int]]) -> None:
    source = "test:::t /arg0/ { trace(1); if (arg0 > 1) { trace(2); if (arg1) trace(3); else trace(4); } " \
             "else { trace(5); } trace(6); }"
    assert values(source, 2, 0) == [1, 2, 4, 6]
    assert values(source, 1, 1) == [1, 5, 6]


def test_many_values_at_once(number: Number) -> None:
    """More operands than registers: the values wait in hidden variables."""
    terms = [f"(arg0 * {n} + arg1)" for n in range(2, 14)]
    expression = terms[0]
    for index, term in enumerate(terms[1:]):
        expression = f"({term} {'-^'[index % 2]} {expression})"
    right = " ".join(f"({term} -" for term in terms) + "1" + ")" * len(terms)
    for each in (expression, right):
        assert number(each, 7, 3) == eval(each, {}, {"arg0": 7, "arg1": 3})


def test_hidden_variables_are_used_again() -> None:
    """Expressions that need many registers share the variables in which values wait."""
    expression = " ".join(f"(arg0 * {n} -" for n in range(2, 14)) + "1" + ")" * 12
    program = compile_d(f"test:::t {{ trace({expression}); trace({expression} + 1); }}").program
    used = [{row.name for row in action.difo.vartab if row.name.startswith("%")}
            for action in program.ecbs[0].actions if action.difo is not None]
    assert used[0] == used[1] != set()
