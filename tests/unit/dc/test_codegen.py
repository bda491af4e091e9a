"""What compiled programs do, on both engines, with and without the optimizer."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from dc.compiler import compile as compile_d

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


def test_conditions_take_shortcuts(values: Callable[..., list[int]]) -> None:
    assert values("test:::t { x = 0; 1 && x++; 0 && x++; pid && (x += 10); !pid || (x += 100); "
                  "pid ? x++ : (x = 7); trace(x); }") == [112]


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
