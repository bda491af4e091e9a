"""Arguments and results of random types, by value: a traced program's are those that its source has.

Where they are is the compiler's doing: numbers, structures, unions and complex numbers in registers of two
kinds and on the stack.  What D cannot read stands between them: it moves the others.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path
from subprocess import run
from typing import NamedTuple

import atonce
import compilers
import pytest

FUNCTIONS = 40
INTEGERS = {"char": 7, "signed char": 7, "unsigned char": 8, "short": 15, "unsigned short": 16, "int": 31,
            "unsigned": 32, "long": 31, "unsigned long": 32, "long long": 63, "enum color": 2, "_Bool": 1}
FLOATS = ("float", "double")
UNREAD = ("long double", "long double _Complex", "struct alone")
HEAD = """
enum color { RED, GREEN, BLUE, WHITE };
struct alone { long double number; };
#ifdef __clang__  /* which would leave out arguments that a function does not read */
#define KEEP __attribute__((noinline, optnone, used))
#else
#define KEEP __attribute__((noinline, noclone, used))
#endif
"""


class Value(NamedTuple):
    """A type's declaration around a name, an initializer, and what D reads: suffix, format and text."""

    before: str
    after: str
    text: str
    read: tuple[tuple[str, str, str], ...]


def braced(values: list[Value]) -> str:
    return "{ " + ", ".join(each.text for each in values) + " }"


class Source:
    """Makes the types, functions and calls of a program."""

    def __init__(self, seed: int, machine: str) -> None:
        self._draw = random.Random(seed)
        self._machine = machine
        self.types: list[str] = []
        self.functions: list[str] = []
        self.calls: list[str] = []
        self.clauses: list[str] = []
        self.expected: list[str] = []

    def scalar(self) -> Value:
        kind = self._draw.choice((*INTEGERS, *FLOATS, *FLOATS, *FLOATS, "pointer"))
        if kind in FLOATS:
            number = self._draw.randrange(-4000, 4000) / 4
            return Value(kind, "", str(number), (("", "%f", f"{number:.6f}"),))
        if kind == "pointer":
            number = self._draw.randrange(1 << 31)
            return Value("void *", "", f"(void *){number}", (("", "%p", f"{number:x}"),))
        number = self._draw.randrange(1 << INTEGERS[kind])
        if not kind.startswith(("u", "e", "_")) and self._draw.random() < .5 and \
                not (kind == "char" and self._machine == "aarch64"):
            number = ~number
        suffix = "ull" if kind.startswith("u") else "ll"
        form = "%u" if kind.startswith("u") else "%d"
        return Value(kind, "", f"{number}{suffix}", (("", form, str(number)),))

    def complex(self) -> Value:
        kind = self._draw.choice(FLOATS)
        real, imaginary = (self._draw.randrange(4000) / 4 for _ in range(2))
        return Value(f"{kind} _Complex", "", f"{real} + {imaginary}i",
                     ((".real", "%f", f"{real:.6f}"), (".imag", "%f", f"{imaginary:.6f}")))

    def wide(self) -> Value:
        """An integer of 128 bits, which D has in two halves."""
        number = self._draw.randrange(-1 << 40, 1 << 40)
        return Value("__int128", "", f"{number}ll", ((".low", "%u", str(number % (1 << 64))),
                                                     (".high", "%d", str(number >> 64))))

    def quad(self) -> Value:
        """A floating-point number of 128 bits: its halves, too."""
        number = self._draw.randrange(1, 4000) / 4
        bits, = struct.unpack("<Q", struct.pack("<d", number))
        high = (bits >> 52) - 1023 + 16383 << 48 | bits >> 4 & (1 << 48) - 1
        known = "__float128" if self._machine != "aarch64" and compilers.HOST == "x86-64" else "long double"
        return Value(known, "", str(number), ((".low", "%d", "0"), (".high", "%d", str(high))))

    def value(self, depth: int) -> Value:
        chance = self._draw.random()
        if depth and chance < .45:
            return self.record(depth)
        if depth < 3 and chance < .55:
            first = self.record(1) if depth == 2 else self.scalar()
            items = [first, *(self.alike(first) for _ in range(self._draw.randrange(3)))]
            return Value(first.before, f"[{len(items)}]", braced(items),
                         tuple((f"[{index}]{suffix}", form, text) for index, each in enumerate(items)
                               for suffix, form, text in each.read))
        if chance < .62:
            return self.complex()
        if chance < .66 and self._machine != "i386":
            return self.wide()
        if chance < .7 and self._machine != "i386":
            return self.quad()
        return self.scalar()

    def alike(self, value: Value) -> Value:
        """Another value of the same type."""
        while not value.before.startswith(("struct", "union")):
            found = self.scalar()
            if found.before == value.before:
                return found
        return value

    def record(self, depth: int) -> Value:
        """A structure or union; members of one kind are likely, as some ABIs have rules for them."""
        keyword = "union" if self._draw.random() < .12 else "struct"
        members = [self.value(depth - 1) for _ in range(self._draw.randrange(1, 5))]
        if self._draw.random() < .35:
            first = self.scalar()
            members = [first, *(self.alike(first) for _ in range(self._draw.randrange(5)))]
        # CTF tells of no alignment, and DWARF not always that what has an aligned member has been packed
        packed = "" if any(each.before.startswith(("struct", "union")) for each in members) else \
            " __attribute__((packed))"
        aligned = "" if self._machine == "ctf" else " __attribute__((aligned(16)))"
        return self.declared(keyword, members, "", self._draw.choice(("", "", packed, aligned)))

    def declared(self, keyword: str, members: list[Value], mark: str, attributes: str = "") -> Value:
        """A value of a new type with these members."""
        name = f"{keyword} t{len(self.types)}{mark}"
        fields = " ".join(f"{each.before} m{index}{each.after};" for index, each in enumerate(members))
        self.types.append(f"{name} {{ {fields} }}{attributes};")
        shown = members[:1] if keyword == "union" else members
        return Value(name, "", braced(shown),
                     tuple((f".m{index}{suffix}", form, text) for index, each in enumerate(shown)
                           for suffix, form, text in each.read))

    def parameter(self) -> Value:
        if self._draw.random() < .07:
            return Value(self._draw.choice(UNREAD), "", "{ 1 }", ())
        return self.value(3) if self._draw.random() < .5 else self.scalar()

    def result(self) -> Value:
        while True:
            found = self.small() if self._draw.random() < .2 else self.parameter()
            if not found.after:
                return found

    def small(self) -> Value:
        """A structure that registers have room for on every machine: numbers of one kind, or two of any."""
        kind = self._draw.choice((*FLOATS, ""))
        members: list[Value] = []
        while len(members) < (self._draw.randrange(1, 5) if kind else 2):
            each = self.scalar()
            if not kind or each.before == kind:
                members.append(each)
        return self.declared("struct", members, "_small")

    def reads(self, result: Value) -> bool:
        """Whether D can read a result: not what x87 returns, nor what is where a register pointed."""
        if self._machine == "i386":
            return result.before not in FLOATS
        is_record = result.before.startswith(("struct", "union"))
        return not (self._machine == "aarch64" and is_record) or result.before.endswith("_small")

    def function(self, number: int) -> None:
        parameters = []
        while len(parameters) < self._draw.choice((1, 3, 6, 10, 14)):
            each = self.parameter()
            if not each.after:  # an array is no parameter
                parameters.append(each)
        returns = self.result()
        listed = ", ".join(f"{each.before} p{index}" for index, each in enumerate(parameters))
        self.functions += [
            f"KEEP {returns.before} f{number}({listed}) {{ count++; return r{number}; }}"]
        self.types.append(f"{returns.before} r{number} = {returns.text};")
        arguments = []
        for index, each in enumerate(parameters):
            self.types.append(f"{each.before} a{number}_{index} = {each.text};")
            arguments.append(f"a{number}_{index}")
        self.calls.append(f"f{number}({', '.join(arguments)});")
        self.tell(f"f{number}:entry", [(f"args[{index}]", each) for index, each in enumerate(parameters)])
        if self.reads(returns):
            self.tell(f"f{number}:return", [("args[1]", returns)])

    def tell(self, probe: str, values: list[tuple[str, Value]]) -> None:
        rows = [(name + suffix, form, text) for name, value in values for suffix, form, text in value.read]
        for at in range(0, len(rows), 20):
            some = rows[at:at + 20]
            forms = " ".join(form for _, form, _ in some)
            names = ", ".join(name for name, _, _ in some)
            self.clauses.append(f'pid$target:a.out:{probe} {{ printf("{probe} {forms}\\n", {names}); }}')
            self.expected.append(" ".join((probe, *(text for _, _, text in some))))

    def text(self) -> str:
        for number in range(FUNCTIONS):
            self.function(number)
        main = ["int main(void)", "{", *self.calls, "return 0;", "}", ""]
        return "\n".join((HEAD, *self.types, "int count;", *self.functions, *main))


def command(machine: str) -> Iterator[str]:
    found = compilers.compiler({"native": compilers.HOST, "ctf": compilers.HOST}.get(machine, machine))
    if found is None:
        pytest.skip(f"no compiler for {machine}: values of random types")
    yield from found.command
    yield from {"aarch64": ("-g", "-static"), "ctf": ("-gctf", "-rdynamic")}.get(machine, ("-g",))


@pytest.mark.parametrize(("machine", "seed"), [("native", 2), ("native", 3), ("i386", 1), ("aarch64", 2),
                                               ("ctf", 1)])
def test_random_values(machine: str, seed: int, tmp_path: Path) -> None:
    source = Source(seed, "aarch64" if machine == "native" and compilers.HOST == "aarch64" else machine)
    program = tmp_path / "program"
    program.with_suffix(".c").write_text(source.text())
    run([*command(machine), "-w", "-O1", "-o", program, program.with_suffix(".c")], check=True)
    (tmp_path / "values.d").write_text("\n".join(source.clauses))
    done = atonce.run(["dtrace", "-x", "copyin=touch", "-q", "-s", tmp_path / "values.d", "-c", program])
    assert done.stdout.strip().split("\n") == source.expected, done.stderr
