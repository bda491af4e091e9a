"""gcc as the judge of D's integers: random expressions in one C program and in one D script, by value.

The expressions are over variables of all types and scopes, members (bit-fields, arrays of bytes), array
elements, inlines with parameters, translators, subroutines and constants.  They are recorded as they are and
made wider, assigned to anything, and taken as predicates.  In C, operators are macros, which note where C
leaves the result undefined, and where D differs from C by the table in dc/manual/types.md: where an int keeps
more than its 32 bits, and where the machine compares by a difference that has more than 64: such expressions
are left out.  Seeds are always the same; D_EXPRESSIONS=1000000 makes as many expressions, from
the seed D_SEED on.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.unit.dc.conftest import ENGINES, KERNEL, compiled, records

BATCH = 500  # expressions of one C program
BATCHES = -(-int(os.environ.get("D_EXPRESSIONS", "1000")) // BATCH)
FIRST = int(os.environ.get("D_SEED", "1"))
DEPTHS = (1, 1, 2, 2, 3, 4)

RANGES = {"char": (-128, 127), "int8_t": (-128, 127), "uint8_t": (0, 255),
          "short": (-(1 << 15), (1 << 15) - 1), "uint16_t": (0, (1 << 16) - 1),
          "int": (-(1 << 31), (1 << 31) - 1), "unsigned int": (0, (1 << 32) - 1),
          "long": (-(1 << 63), (1 << 63) - 1), "uint64_t": (0, (1 << 64) - 1),
          "_Bool": (0, 1), "enum sign": (-1, 5)}
TYPES = tuple(RANGES)
NUMBERS = tuple(each for each in TYPES if each not in ("_Bool", "enum sign"))
SCOPES = ("", "self", "this", "array")
EDGES = (0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 65, 66, 100, 127, 128, 200, 229, 255, 256, 257, 1000,
         4096, 32767, 32768, 65535, 65536, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40,
         (1 << 63) - 1)
BYTES = (0, 1, 0x7f, 0x80, 0xff)
LITERALS = ("0", "1", "2", "3", "7", "10", "60", "255", "0xff", "0x80", "0377", "65535", "0x7fffffff",
            "0x80000000", "4294967295", "0xffffffff", "5000000000", "0x8000000000000000",
            "9223372036854775807", "1u", "200U", "4294967295u", "3L", "0x100000000UL", "8ull", "'a'", "'\\0'",
            "MINUS", "FIVE")
OPERATIONS = {"+": "ADD", "-": "SUB", "*": "MUL", "&": "AND", "|": "OR", "^": "XOR"}
SHIFTS = {"<<": "SHL", ">>": "SHR"}
DIVISIONS = {"/": "DIV", "%": "MOD"}
CHANGES = {**OPERATIONS, **DIVISIONS, **SHIFTS}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
CALLS = (("htons({})", "swap16"), ("ntohl({})", "swap32"), ("htonl({})", "swap32"), ("ntohll({})", "swap64"),
         ("bytes[{}]", "bytes"), ("words[{}]", "words"), ("strtoll(lltostr({}))", "same"))

SIZE = 96  # bytes, of a structure that begins with its only _Bool of a whole byte
DECLARED = {"t": "_Bool t", "b": "uint8_t b[4]", "sb": "int8_t sb[4]", "h": "uint16_t h[2]", "i": "int i",
            "u": "unsigned int u", "l": "int64_t l", "ul": "uint64_t ul", "u3": "unsigned int u3:3",
            "i7": "int i7:7", "u31": "unsigned int u31:31", "u32": "unsigned int u32:32", "i32": "int i32:32",
            "i1": "int i1:1", "w40": "uint64_t w40:40", "s40": "int64_t s40:40", "w20": "uint64_t w20:20",
            "c5": "uint8_t c5:5", "t1": "_Bool t1:1", "h9": "uint16_t h9:9"}
ARRAYS = {"b": 4, "sb": 4, "h": 2}
WIDE = {"w40": "uint64_t", "s40": "int64_t"}  # gcc computes in their width; clang and D in their types

COMMON = f"""
enum sign {{ MINUS = -1, FIVE = 5 }};
struct all {{ {" ".join(f"{each};" for each in DECLARED.values())} }};
struct all *p, *q;
"""

MACROS = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static int bad;
#define IS_SIGNED(x) ((__typeof__(x))-1 < (__typeof__(x))1)
#define IS_INT(x) _Generic((x), int: 1, default: 0)
#define LEAST(x) ((__typeof__(x))(1ULL << (sizeof(x) * 8 - 1)))
#define PAIR(a, b) __auto_type a_ = (a); __auto_type b_ = (b); __typeof__(a_ + b_) x_ = a_, y_ = b_, r_ = 0
#define CHECKED(a, b, f) ({ PAIR(a, b); bad |= f(x_, y_, &r_) && IS_SIGNED(r_); r_; })
#define ADD(a, b) CHECKED(a, b, __builtin_add_overflow)
#define SUB(a, b) CHECKED(a, b, __builtin_sub_overflow)
#define MUL(a, b) CHECKED(a, b, __builtin_mul_overflow)
#define QUOTIENT(a, b, op) ({ PAIR(a, b); \
    int no_ = y_ == 0 || (IS_SIGNED(y_) && y_ == -1 && x_ == LEAST(x_)); \
    bad |= no_; if (!no_) r_ = x_ op y_; r_; })
#define DIV(a, b) QUOTIENT(a, b, /)
#define MOD(a, b) QUOTIENT(a, b, %)
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define SHIFTED(a, b, op, back) ({ __auto_type a_ = +(a); __auto_type b_ = (b); __typeof__(a_) r_ = 0; \
    int no_ = b_ < 0 || b_ >= (int)sizeof a_ * 8; bad |= no_; if (!no_) r_ = a_ op b_; \
    if (!no_ && IS_SIGNED(a_) && back) bad |= r_ >> b_ != a_; r_; })
#define SHL(a, b) SHIFTED(a, b, <<, 1)
#define SHR(a, b) SHIFTED(a, b, >>, 0)
#define NEG(a) SUB((__typeof__(+(a)))0, +(a))
#define KEPT(to, a) ({ __auto_type a_ = (a); \
    bad |= IS_INT(to) && sizeof a_ == 8 && a_ != (__typeof__(a_))(int)a_; a_; })
#define COMPARED(a, op, b) ({ PAIR(a, b); \
    if (sizeof r_ == 8 && IS_SIGNED(r_)) bad |= __builtin_sub_overflow(x_, y_, &r_); x_ op y_; })
static uint16_t swap16(uint16_t x) { return __builtin_bswap16(x); }
static uint32_t swap32(uint32_t x) { return __builtin_bswap32(x); }
static uint64_t swap64(uint64_t x) { return __builtin_bswap64(x); }
static int64_t same(int64_t x) { return x; }
static int64_t bytes(uint8_t x) { return x == 5 ? 77 : x == 255 ? -1 : 0; }
static int64_t words(int x) { return x == -1 ? 88 : x == 5 ? 99 : 0; }
static void show(const void *value, int size)
{
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    printf("%d %d %llu\n", bad, size, (unsigned long long)bits);
}
"""

START = """
p = (struct all *)arg4; q = (struct all *)alloca(sizeof (struct all)); bcopy(p, q, sizeof (struct all));
bytes[5] = 77; bytes[255] = -1; words[-1] = 88; words[5] = 99;
"""


class Text(NamedTuple):
    """An expression, or statements, in D and in C."""

    d: str
    c: str


def constant(value: int) -> str:
    """A number in both languages."""
    if value == -(1 << 63):
        return "(-9223372036854775807 - 1)"
    return f"{value}ULL" if value >> 63 > 0 else f"({value})"


def variable(scope: str, type_: str, name: str) -> Text:
    """Declarations of a variable."""
    d = f"{type_} {name}[int];" if scope == "array" else f"{scope} {type_} {name};"
    return Text(d, f"static {type_} {name};")


def named(scope: str, name: str) -> Text:
    """A variable."""
    return Text(f"{name}[1]" if scope == "array" else f"{scope}->{name}" if scope else name, name)


class Writer:
    """Writes random expressions, and what they refer to."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.declarations: list[Text] = []
        self.start: list[Text] = []  # what gives variables their values
        self.variables: list[Text] = []
        self.inlines: list[str] = []
        self.translated: list[Text] = []
        self.parameters: list[Text] = []  # of the inline or translator that is being written
        self.arguments = [self.value_of("long") for _ in range(4)]
        self.memory = bytes([self.random.randrange(2), *(
            self.random.choice((*BYTES, self.random.randrange(256))) for _ in range(1, SIZE))])
        self._declare_variables()
        for number in range(4):
            self._declare_inline(f"inline{number}")
        self._declare_translator("made", "struct all *", [self.member("P") for _ in range(4)])
        self._declare_translator("numbered", self.random.choice(NUMBERS), [Text("P", "P")] * 4)

    # What expressions refer to ------------------------------------------------------------------------

    def value_of(self, type_: str) -> int:
        low, high = RANGES[type_]
        if type_ == "enum sign":
            return self.random.choice((low, high))
        value = self.random.choice(EDGES) * self.random.choice((1, 1, -1))
        value += self.random.choice((0, 0, 0, 1, -1))
        if self.random.random() < 0.2:
            value = self.random.randrange(low, high + 1)
        return value if low <= value <= high else self.random.choice((low, high, low + 1, high - 1))

    def _declare_variables(self) -> None:
        for number, type_ in enumerate(TYPES):
            for scope in SCOPES:
                self.declarations.append(variable(scope, type_, f"to_{scope}{number}"))
                self.declarations.append(variable(scope, type_, f"v_{scope}{number}"))
                known, value = named(scope, f"v_{scope}{number}"), constant(self.value_of(type_))
                self.start.append(Text(f"{known.d} = {value};", f"{known.c} = {value};"))
                self.variables.append(known)
        for number, argument in enumerate(self.arguments):
            self.declarations.append(Text("", f"static long arg{number} = {constant(argument)};"))
            self.variables.append(Text(f"arg{number}", f"arg{number}"))

    def member(self, base: str) -> Text:
        name = self.random.choice(tuple(DECLARED))
        place = f"{base}->{name}" + (f"[{self.random.randrange(ARRAYS[name])}]" if name in ARRAYS else "")
        return Text(place, f"(({WIDE[name]}){place})" if name in WIDE else f"(+{place})")

    def _declare_inline(self, name: str) -> None:
        returns, first, second = (self.random.choice(TYPES) for _ in range(3))
        self.parameters = [Text("a", "a"), Text("b", "b")]
        body = self.operation(self.parameters[0], self.operation(self.parameters[1], self.expression(2)))
        self.declarations.append(Text(
            f"inline {returns} {name}[{first} a, {second} b] = {body.d};",
            f"static {returns} {name}({first} a, {second} b) {{ return {body.c}; }}"))
        self.parameters = []
        self.inlines.append(name)

    def _declare_translator(self, name: str, source: str, operands: list[Text]) -> None:
        types = [self.random.choice(TYPES) for _ in operands]
        members, functions = "", ""
        for number, (type_, operand) in enumerate(zip(types, operands, strict=True)):
            self.parameters = [operand]
            body = self.operation(operand, self.expression(2))
            members += f" m{number} = {body.d};"
            functions += f"static {type_} {name}{number}({source} P) {{ return {body.c}; }}\n"
            self.translated.append(Text(f"xlate <struct {name} *>({{}})->m{number}", f"{name}{number}"))
        self.parameters = []
        struct = f"struct {name} {{ {' '.join(f'{each} m{n};' for n, each in enumerate(types))} }};"
        self.declarations.append(Text(f"{struct} translator struct {name} < {source} P > {{{members} }};",
                                      functions))

    # Expressions --------------------------------------------------------------------------------------

    def expression(self, depth: int) -> Text:
        if depth <= 0:
            return self.leaf()
        kinds: tuple[Callable[[int], Text], ...] = (
            self.unary, self.binary, self.binary, self.binary, self.binary, self.shift, self.division,
            self.comparison, self.comparison, self.logical, self.conditional, self.cast, self.cast, self.cast,
            self.comma, self.call, self.size, self.pointer)
        return self.random.choice(kinds)(depth - 1)

    def leaf(self) -> Text:
        kind = self.random.random()
        if self.parameters:
            return self.random.choice(self.parameters if kind < 0.5 else self.variables)
        if kind < 0.15:
            literal = self.random.choice(LITERALS)
            return Text(literal, literal)
        if kind < 0.25:
            type_ = self.random.choice(TYPES)
            text = f"(({type_}){constant(self.value_of(type_))})"
            return Text(text, text)
        return self.member("p") if kind < 0.5 else self.random.choice(self.variables)

    def operands(self, depth: int) -> tuple[Text, Text]:
        return self.expression(depth), self.expression(self.random.randrange(depth + 1))

    def operation(self, left: Text, right: Text) -> Text:
        op = self.random.choice(tuple(OPERATIONS))
        return Text(f"({left.d} {op} {right.d})", f"{OPERATIONS[op]}({left.c}, {right.c})")

    def binary(self, depth: int) -> Text:
        return self.operation(*self.operands(depth))

    def unary(self, depth: int) -> Text:
        operand, op = self.expression(depth), self.random.choice("-~!+")
        return Text(f"({op} {operand.d})", f"NEG({operand.c})" if op == "-" else f"({op}({operand.c}))")

    def shift(self, depth: int) -> Text:
        left, count = self.operands(depth)
        op, most = self.random.choice(tuple(SHIFTS)), self.random.choice((7, 15, 31))
        return Text(f"({left.d} {op} ({count.d} & {most}))",
                    f"{SHIFTS[op]}({left.c}, AND({count.c}, {most}))")

    def division(self, depth: int) -> Text:
        left, right = self.operands(depth)
        op = self.random.choice(tuple(DIVISIONS))
        return Text(f"({left.d} {op} ({right.d} | 1))", f"{DIVISIONS[op]}({left.c}, OR({right.c}, 1))")

    def comparison(self, depth: int) -> Text:
        left, right = self.operands(depth)
        op = self.random.choice(COMPARISONS)
        return Text(f"({left.d} {op} {right.d})", f"COMPARED({left.c}, {op}, {right.c})")

    def logical(self, depth: int) -> Text:
        left, right = self.operands(depth)
        op = self.random.choice(("&&", "||", "^^"))
        c = f"(!({left.c}) != !({right.c}))" if op == "^^" else f"(({left.c}) {op} ({right.c}))"
        return Text(f"({left.d} {op} {right.d})", c)

    def conditional(self, depth: int) -> Text:
        test = self.random.choice(self.parameters or self.variables)  # (of a constant D takes one operand)
        if self.random.random() < 0.5:
            other = self.leaf()
            test = Text(f"({test.d} > {other.d})", f"COMPARED({test.c}, >, {other.c})")
        then, otherwise = self.operands(depth)
        return Text(f"({test.d} ? {then.d} : {otherwise.d})", f"(({test.c}) ? ({then.c}) : ({otherwise.c}))")

    def cast(self, depth: int) -> Text:
        operand, type_ = self.expression(depth), self.random.choice(TYPES)
        return Text(f"(({type_}){operand.d})", f"(({type_})({operand.c}))")

    def comma(self, depth: int) -> Text:
        left, right = self.leaf(), self.cast(depth)
        return Text(f"({left.d}, {right.d})", f"({{ (void)({left.c}); {right.c}; }})")

    def size(self, depth: int) -> Text:
        operand = self.operation(self.leaf(), self.expression(depth))
        return Text(f"sizeof ({operand.d})", f"sizeof ({operand.c})")

    def pointer(self, depth: int) -> Text:
        """A pointer and an integer, as an integer again."""
        type_, op, steps = self.random.choice(TYPES), self.random.choice("+-"), self.expression(depth)
        base = f"({type_} *)arg{self.random.randrange(4)} {op}"
        return Text(f"((int64_t)({base} {steps.d}))", f"((int64_t)({base} ({steps.c})))")

    def call(self, depth: int) -> Text:
        """A subroutine, a key of an array, an inline, or a member that is translated."""
        first, second, kind = self.expression(depth), self.leaf(), self.random.randrange(3)
        if kind == 1 and self.inlines:
            name = self.random.choice(self.inlines)
            return Text(f"{name}[{first.d}, {second.d}]", f"{name}({first.c}, {second.c})")
        if kind == 2 and self.translated:
            d, c = self.random.choice(self.translated)
            argument = Text("p", "p") if c.startswith("made") else first
        else:
            (d, c), argument = self.random.choice(CALLS), first
        return Text(d.format(argument.d), f"{c}({argument.c})")


class Batch:
    """Statements that record random expressions, as one C program and one D script."""

    def __init__(self, seed: int) -> None:
        self.writer, self.random = Writer(seed), random.Random(-seed)
        self.bodies = [self._statement(number) for number in range(BATCH * 9 // 10)]
        self.predicates = [self._predicate() for _ in range(BATCH - len(self.bodies))]

    def _statement(self, number: int) -> Text:
        """Record a value as it is or made wider, keep it in a variable of its own type, or assign it."""
        value, kind = self.writer.expression(self.random.choice(DEPTHS)), self.random.random()
        if kind < 0.3 and not value.d.startswith("p->"):  # (a bit-field is a record of its own size)
            return Text(f"trace({value.d});", f"__auto_type v = ({value.c}); show(&v, sizeof v);")
        if kind < 0.6:
            return Text(f"trace((int64_t)({value.d}));", f"int64_t v = (int64_t)({value.c}); show(&v, 8);")
        if kind < 0.7:
            return Text(f"this->own{number} = {value.d}; trace(this->own{number} + 0L);",
                        f"__auto_type own = ({value.c}); int64_t v = own + 0L; show(&v, 8);")
        return self._assignment(value)

    def _assignment(self, value: Text) -> Text:
        """Assign, change, and record both the value of that and what the target is then."""
        if self.random.random() < 0.4:
            name = self.random.choice(tuple(DECLARED))
            place = f"q->{name}" + ("[1]" if name in ARRAYS else "")
            target, read = Text(place, place), f"({WIDE[name]}){place}" if name in WIDE else f"+{place}"
        else:
            scope, number = self.random.choice(SCOPES), self.random.randrange(len(TYPES))
            target = named(scope, f"to_{scope}{number}")
            read = target.c
        op = self.random.choice(("=", "++", "--", *OPERATIONS, *DIVISIONS, *SHIFTS))
        if op in DIVISIONS:
            value = Text(f"({value.d} | 1)", f"OR({value.c}, 1)")
        if op in SHIFTS:
            value = Text(f"({value.d} & 7)", f"AND({value.c}, 7)")
        before = self.writer.expression(self.random.randrange(3))
        if op in ("++", "--"):
            d, result = self.random.choice((f"{op}{target.d}", f"{target.d}{op}")), Text("1", "1")
        else:
            d, result = f"{target.d} {op.rstrip('=')}= {value.d}", value
        if op != "=":
            result = Text("", f"{CHANGES[op[0] if op in ('++', '--') else op]}({read}, {result.c})")
        kept = "" if target.c.startswith("q") else f"KEPT({target.c}, "
        first, changed = (f"{target.c} = {kept}({each.c}){')' * bool(kept)}" for each in (before, result))
        value_is = f"{target.c}; {changed}" if d.endswith(("++", "--")) else f"(int64_t)({changed})"
        return Text(f"{target.d} = {before.d}; trace(({d}) + 0L); trace({target.d} + 0L);",
                    f"{first}; int64_t v = {value_is}; show(&v, 8); v = {target.c}; show(&v, 8);")

    def _predicate(self) -> Text:
        value = self.writer.expression(self.random.choice(DEPTHS))
        return Text(f"/{value.d}/ {{ trace((char)1); }}", f"char v = 1; show(&v, ({value.c}) ? 1 : 0);")

    @property
    def statements(self) -> list[Text]:
        return self.bodies + self.predicates

    def judged(self, directory: Path) -> dict[int, list[tuple[int, int]]]:
        """The sizes and values that a program of gcc's shows, of each statement that C defines."""
        writer, program = self.writer, directory / "judge"
        functions = "\n".join(f"static void f{n}(void) {{ {each.c} }}"
                              for n, each in enumerate(self.statements))
        calls = "\n".join(f'bad = 0; puts("#{n}"); f{n}();' for n in range(BATCH))
        bytes_ = ", ".join(map(str, writer.memory))
        program.with_suffix(".c").write_text("\n".join((
            MACROS, COMMON, *(each.c for each in writer.declarations), functions,
            f"static unsigned char memory[2][{SIZE}] = {{ {{ {bytes_} }}, {{ {bytes_} }} }};",
            "int main(void) { p = (struct all *)memory[0]; q = (struct all *)memory[1];",
            *(each.c for each in writer.start), calls, "return 0; }")))
        subprocess.run(["gcc", "-std=gnu17", "-w", "-O0", "-fwrapv", "-fsigned-char", "-o", program,
                        program.with_suffix(".c")], check=True)
        shown = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        found = {}
        for part in shown.split("#")[1:]:
            number, *lines = part.splitlines()
            rows = [[*map(int, line.split())] for line in lines]
            if not any(undefined for undefined, _, _ in rows):
                found[int(number)] = [(size, value) for _, size, value in rows]
        return found

    def script(self, numbers: list[int]) -> str:
        """The D script of the statements with these numbers."""
        writer, count = self.writer, len(self.bodies)
        bodies = "\n".join(self.bodies[n].d for n in numbers if n < count)
        clauses = "\n".join(f"test:::t {self.predicates[n - count].d}" for n in numbers if n >= count)
        return "\n".join((COMMON, "int64_t bytes[uint8_t]; int64_t words[int];",
                          *(each.d for each in writer.declarations), "test:::t {", START,
                          *(each.d for each in writer.start), bodies, "}", clauses))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + BATCHES))
def test_as_gcc_computes(seed: int, tmp_path: Path) -> None:
    batch = Batch(seed)
    known = batch.judged(tmp_path)
    assert len(known) > BATCH / 2
    program = compiled(batch.script(list(known)), (f"opt={seed % 2}",))
    wanted = [(number, size, value) for number, rows in known.items() for size, value in rows if size]
    for engine in ENGINES:
        found = records(program, [*batch.writer.arguments, KERNEL], engine, batch.writer.memory)
        values = [(len(each), int.from_bytes(each, "little")) for each in found]
        wrong = [f"{batch.statements[number].d}\n  {batch.statements[number].c}\n  C {size, value}, D {got}"
                 for (number, size, value), got in zip(wanted, values, strict=False) if got != (size, value)]
        assert not wrong, f"seed {seed}, {engine}:\n" + "\n".join(wrong[:10])
        assert len(values) == len(wanted), (seed, engine)
