"""The instructions of several hundred small expressions: `shapes.txt`.

Each line is an expression and what it is compiled to, without registers: what an optimization no longer
finds, or finds where it may not, is one line of a diff.  (That the code computes what C does, other tests
show: test_generative and test_folding.)  `make golden` writes the file anew; read the diff before you commit
it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from dc.compiler import compile as compile_d
from dc.options import Options
from dif import isa
from dif.difo import Difo
from dif.isa import Format

EXPECTED = Path(__file__).parent / "shapes.txt"
DECLARED = """
char c; unsigned char C; short h; unsigned short H; int i; unsigned int I; int64_t l; uint64_t L;
self int64_t t; self string u; string s; int a[4]; char d[int, string]; int64_t e[int64_t];
struct S { int a; char b; short c[3]; struct S *n; int64_t w; unsigned f:3, g:29; int x:1; int64_t y:40; };
struct S *p; int *q; char **r; union U { int a; char b[8]; } *z; enum E { ONE = 1, TEN = 10 } k; uint64_t n;
struct S v, w; self struct S o;
"""
NAMES = {"c": "char", "C": "unsigned char", "h": "short", "H": "unsigned short", "i": "int",
         "I": "unsigned int", "l": "int64_t", "L": "uint64_t"}
OF_EACH = """
{0} * 8|{0} / 8|{0} % 8|{0} * 1|{0} / 1|{0} % 1|{0} * 0|8 * {0}|0 * {0}|1 + {0}|{0} - 0|0 - {0}|{0} & 0xff
{0} & 0x7f
{0} & 0xffff|{0} & 0xffffffff|{0} & -1|{0} & 0|{0} | 0|{0} ^ 0|{0} << 0|{0} >> 0|{0} << 3 >> 3
(int64_t){0} << 3 >> 3
(int64_t){0} << 56 >> 56|(uint64_t){0} << 56 >> 56|(int64_t){0} << 63 >> 63|(int64_t){0} << 64 >> 64
{0} << 31
(uint64_t){0} << 63 >> 63|(uint64_t){0} << 32 >> 33|(int64_t)({0} & 0xff) << 56|(int64_t)({0} & 0x1ff) << 56
(int64_t)({0} & 0x7f) << 56|(int64_t)(char){0} << 56|(int64_t)(short){0} << 48|(int64_t)(short){0} << 47
{0} == 0|{0} != 0|{0} < 0|{0} >= 0|{0} > -1|{0} < 1|0 < {0}|-{0}|~{0}|!{0}|!!{0}|- -{0}|{0} && 1|{0} || 0
1 && {0}
{0} ? 1 : 0|{0} ? {0} : 5|7 / {0}|7 % {0}|({0} + 1) * ({0} + 1)|{0} == {0}|{0} - {0}|{0} % 5 < 5
({0} & 3) < 4
({0} & 3) > 3|({0} & 7) & 7|({0} & 7) & 15|({0} & 7) / 8|({0} >> 60) & 15|{0} / 4 / 2|{0} % 16 % 4
{0} * 4 * 2
(char)({0} & 0x7f)|(char)({0} & 0xff)|(unsigned char)({0} & 0xff)|(unsigned char)({0} % 7)
(short)({0} ? 5 : -5)
(char)({0} ? 127 : -128)|(char)({0} ? 128 : 0)|(unsigned char)({0} ? 255 : 0)|(unsigned char)({0} ? 256 : 1)
({0} == 1) * 8|({0} < 2) + ({0} < 2)|({0} = 5) + {0}|{0}++|--{0}|{0} += 2|{0} <<= 1|{0} /= 3"""
OTHERS = """
(unsigned char)(i ? (char)l : (unsigned char)L)|(unsigned char)(i ? (unsigned char)L : (char)l)
(char)(i ? (char)l : (unsigned char)L)|(char)(i ? (unsigned char)L : (char)l)
p->a|p->b|p->c[1]|p->n->n->a|p->w|p->f|p->g|p->x|p->y|&p->c[2]|*q|q[3]|q[i]|*(q + 1)|&q[2]|q - q
(q + 3) - q|p + 1
p - p|*r|**r|r[1][2]|z->b[7]|z->a|k|k == TEN|ONE + TEN|a[0]|a[i]|d[1, "a"]|d[i, s]|e[l]|e[e[1]]
self->t + self->t
self->t++|s == "a"|s != s|s < "b"|"a" < "b"|strlen(s)|strlen("abc")|strjoin(s, "x")|substr(s, 1)
substr(s, 1, 2)
execname|pid|arg0 + arg1|arg0 + arg0|arg9|timestamp - timestamp|uregs[1]|probefunc
sizeof (int)|sizeof (struct S)|sizeof (p->c)|sizeof (s)|offsetof(struct S, w)|(i, 5)|(i++, i)
i ? s : "none"|p ? p->a : 0
p && p->a|p == NULL || p->a == 0|i == 1 || i == 2 || i == 3|i && l && L|i ^^ l|(i || l) && (I || L)
!(i && l)|!(i || !l)
i > 3 && i < 9|i ? l ? 1 : 2 : L ? 3 : 4|i == 1 ? 10 : i == 2 ? 20 : 30|(i > 1) == (l > 1)|i < l|i < I
I < L|c < C|L < l
i + I|i * l|i / I|i % L|l / L|l >> 1|L >> 1|I >> 31|i >> 31|1 << i|1ULL << 63|0x7fffffff + 1|-1 / 2|-1 % 2
5 / 2 * 2
10 % 4 << 2|1 ? i : l|0 ? i : l|0 && i|1 || i|i && 0|i || 1|"" == ""|(int)p|(char)300|(uint8_t)-1
(int8_t)128|(short)40000
(string)l|(string)q|(string)z->b|(string)s|(string)"x"|(struct S *)q|(char *)l|(int64_t)q|(char *)a
substr(s, p->a, strlen(s))|substr(s, strlen(s), *q)|substr(s, i, strlen(s))|substr(s, i + p->a, strlen(s))
substr(s, a[i], strlen(s))|substr(s, (i++, 0), strlen(s))
substr(s, i = 1, 2)|(i = 1, i = 2)|(i = 1, i = l, i)|(self->t = 1, self->t = 2)
(n = 1, arg0 / n, n = 2)|(n = 1, n, n = 2)|(n = 1, i = 2, n = 3)|(s = "a", s = "b")|(i = 1, *q = 2, i = 3)
(i = 0, i + l)|(q = 0, *q = 5)|(q = 0, *q)|(n = 0, n)|(i = 0, i++)|(p = NULL, p->a = 1)|(l = i = 0, l)
v.a + (v = w, v.a)|v.a + (w = v, v.a)|self->o.a + (self->o = v, self->o.a)|v.a + (v.b = 1, v.a)|v.a + v.a
v.a + (i = 1, v.a)|v.c[1] + (v.c[0] = 1, v.c[1])|v.f + (v.f = 1) + v.f|v.g++ + v.f|v.y + (s = "x", v.y)
stringof(p)|copyin(L, 4)|*(int *)copyin(L, 4)|copyinstr(L)|*(char *)L|(struct S *)L|((struct S *)L)->w
*(uint64_t *)L
alloca(8)|rand()|rand() + rand()|htons(H)|strtok(s, "a")|index(s, "b")|index(s, "b", 2)|lltostr(l)
lltostr(l, 16)|basename(s)
L / 7|L % 10|l / 7|n = L|n = n + 1|n += n|n -= 1|n *= 3|n |= 1|n ^= n|n &= 0|s = "x"|s = s|p->n == p
q == 0|!q
(L = 3) + L|L * L - L * L|(c + C) + (c + C)|0x8000000000000000 / -1|(int64_t)0x8000000000000000 / -1
i + 1 + 1|1 + i + 1
l - 1 + 1|(l & 12) | (l & 3)|(l | 1) & 1|(H << 16) >> 16|(I << 16) >> 16|((int64_t)c << 8) + 1
(l << 1) << 1|~~l|-(-l)"""


# More values at a time than there are registers: some are made again, others wait in variables.
CROWDED = """
i + (l * (L - (I ^ (h & (c | (C + H))))))
(i + l) * (L + I) - (h + c) * (C + H) + (i - l) * (L - I)
p->a + (p->b + (p->w + (p->n->a + (p->n->w + 7000))))
i + 1000 * (l + 2000 * (L + 3000 * (I + 4000 * (h + 5000))))
e[i + l, 1 + i] + e[l + L, 2 + l]|strlen(strjoin(s, strjoin(s, "x"))) + i * (l + (L ^ (I + 9)))
i ? l + (L * (I + (h - c))) : (h + c) * (C - H) + (l ^ (L & I))
(rand(), rand(), rand(), rand(), rand(), rand(), rand(), rand(), i + l * L)
(rand(), i) + (rand(), l) * (strlen(s), L)"""
LEAVES = ("c", "C", "h", "H", "i", "I", "l", "L", "p->a", "p->w", "p->f", "p->y", "q[3]", "a[i]", "z->b[7]",
          "k", "self->t", "arg0", "e[l]", "*q", "0", "1", "7", "8", "255", "-1", "64", "0x8000000000000000U")
TEXTS = ("s", "self->u", '"x"', "execname", "stringof(p)", "r[1]", '""', "stringof(0)")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
OPERATORS = (*ARITHMETIC, *COMPARISONS, "&&", "||", "^^")
SEPARATOR = re.compile(r"(?<![ |])\|(?![ |])|\n")  # no operator: those have blanks around them


def expressions() -> list[str]:
    of_each = [each.format(name) for name in NAMES for each in SEPARATOR.split(OF_EACH.strip())]
    casts = [f"({wide}){name}" for name in NAMES for wide in NAMES.values()]
    return [*of_each, *casts, *SEPARATOR.split(OTHERS.strip())]


def mixed(chance: random.Random, depth: int) -> str:
    """Return an expression that is put together at random, in which the same part may come again."""
    if not depth:
        return chance.choice(LEAVES)
    part = mixed(chance, depth - 1)
    kind = chance.randrange(12)
    if kind == 0:
        return f"({chance.choice(('char', 'unsigned char', 'short', 'int', 'unsigned', 'uint64_t'))})({part})"
    if kind == 1:
        return f"{chance.choice('-~!')}({part})"
    if kind == 2:
        return f"({chance.choice(TEXTS)} {chance.choice(COMPARISONS)} {chance.choice(TEXTS)} && {part})"
    if kind == 3:
        return f"({part} ? {mixed(chance, depth - 1)} : {mixed(chance, depth - 1)})"
    if kind == 4:
        return f"({chance.choice(('i', 'n', 'p->a', 'p->f', 'p->y', 'self->t', 'a[1]', 'e[1]'))} " \
            f"{chance.choice(('=', '+=', '-=', '*=', '|=', '<<='))} {part})"
    if kind == 5:
        return f"({part} {chance.choice(ARITHMETIC)} {part})"
    if kind == 6:
        return f"({part} {chance.choice(OPERATORS)} {chance.choice((1, 2, 3, 8, 64, 128))})"
    other = mixed(chance, chance.randrange(depth))
    return f"({part} {chance.choice(OPERATORS)} {other})"


def mixtures() -> Iterator[str]:
    """Yield the expressions of `mixed` that are none of constants."""
    chance = random.Random(3)
    while True:
        made = mixed(chance, chance.choice((2, 2, 3, 3, 4)))
        if re.search("[a-z]", made) and not re.search(r"[/%] \(*0\b", made):  # none divides by zero
            yield made


def shape(difo: Difo) -> str:
    """Return the instructions of an object: names, constants, branches by how far they lead."""
    return " ".join(_instruction(difo, at, word) for at, word in enumerate(difo.text))


def _instruction(difo: Difo, at: int, word: int) -> str:
    row, fields = isa.OPCODES[word >> 24], isa.decode(word)
    if row.format == Format.INTEGER:
        value = difo.inttab[fields.imm]
        return f"{value if value < 1 << 63 else value - (1 << 64)}"
    if row.format == Format.LABEL:
        return f"{row.name}+{fields.label - at}"
    if row.name == "call":
        return isa.subroutines()[fields.imm].name
    if row.format == Format.R1_R2_RD and not row.commutes:
        return f"{row.name}{'0' if not fields.r1 else ''}"
    return row.name


def shapes() -> Iterator[str]:
    """Yield a line for each expression: each is an action, and so an object, of its own."""
    words = [*expressions(), *islice(mixtures(), 400)]
    program = compile_d(f"{DECLARED} BEGIN {{ {' '.join(f'trace({each});' for each in words)} }}").program
    actions = program.ecbs[-1].actions
    assert len(actions) == len(words)
    for each, action in zip(words, actions, strict=True):
        assert action.difo is not None
        kind = action.difo.rtype
        yield f"{each}: {shape(action.difo)} -> {kind.size}{' ref' if kind.by_reference else ''}"

    for each in islice(mixtures(), 100):
        made = compile_d(f"{DECLARED} BEGIN /{each}/ {{ trace({each}); }}", options=Options({"opt": 0}))
        predicate, difo = made.program.ecbs[-1].predicate, made.program.ecbs[-1].actions[0].difo
        assert predicate is not None and difo is not None
        yield f"not optimized, {each}: {shape(difo)}"
        yield f"not optimized, /{each}/: {shape(predicate)}"

    for registers in (8, 5, 4, 3):
        for each in SEPARATOR.split(CROWDED.strip()):
            declared = DECLARED.replace("int64_t e[int64_t];", "int64_t e[int64_t, int];")
            made = compile_d(f"{declared} BEGIN {{ trace({each}); }}", options=Options({"iregs": registers}))
            difo = made.program.ecbs[-1].actions[0].difo
            assert difo is not None
            yield f"{registers} registers, {each}: {shape(difo)}"


def test_shapes() -> None:
    assert list(shapes()) == EXPECTED.read_text().splitlines(), "if this is meant, say `make golden`"


if __name__ == "__main__":
    EXPECTED.write_text("\n".join(shapes()) + "\n")
