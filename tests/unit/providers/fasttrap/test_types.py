"""Programs' own types: read from debug information, and in args[] and print()."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE, run

import atonce
import compilers
import pytest

from dc.types.types import Model, Record
from runtime.programs.abi import IN_MEMORY, VECTOR_HALVES, Place, places
from runtime.programs.demangle import Demangler
from runtime.programs.dwarf import DwarfTypes
from runtime.programs.objectfile import ObjectFile

Build = Callable[..., str]
REGISTERS = {  # the third argument of reads(), the first, and where it is
    "x86-64": "uregs[R_RDX] == 42 && uregs[R_RDI] == arg0 && uregs[R_RIP] == uregs[R_PC]",
    "aarch64": "uregs[R_X2] == 42 && uregs[R_X0] == arg0 && uregs[R_PC] != uregs[R_LR]"}


def types_of(path: str, model: int = Model.LP64) -> tuple[DwarfTypes, ObjectFile]:
    data = Path(path).read_bytes()
    return DwarfTypes(data, "types", model), ObjectFile(path, data, None)


def trace(program: str, *clauses: str) -> tuple[str, str]:
    """What a traced run writes, and its messages.  The program need not have used what it points to."""
    flags = [flag for clause in clauses for flag in ("-n", clause)]
    done = atonce.run(["dtrace", "-x", "copyin=touch", "-q", *flags, "-c", program])
    return done.stdout, done.stderr


@pytest.mark.parametrize("version", ["-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-gz"])
def test_layout(version: str, build: Build) -> None:
    """Offsets and sizes are those that the program itself prints."""
    program = build("types.c", "-g", version)
    types, _ = types_of(program)
    point = types.scope.lookup("point_t")
    assert point is not None
    record = point.resolve()
    assert isinstance(record, Record)
    printed = run([program], stdout=PIPE, text=True, check=True).stdout
    for line in printed.splitlines():
        name, offset, size = line.split()
        member = record.member(name)
        assert member is not None
        assert (member.byte, member.type.size) == (int(offset), int(size)), name
    a, b, wide = (record.member(name) for name in ("a", "b", "wide"))
    assert a is not None and b is not None and wide is not None
    assert [(each.offset, getattr(each.type, "bits", 0)) for each in (a, b, wide)] == \
        [(32, 3), (35, 5), (64, 40)]
    assert str(types.scope.lookup("struct inner")) == "struct inner"
    assert types.scope.lookup("struct unheard") is None


def shown(place: Place) -> object:
    """What argN a value is; vN: a half of a vector register; &N: memory from argN on; a list of parts."""
    def number(at: int) -> object:
        return f"v{at - VECTOR_HALVES}" if IN_MEMORY > at >= VECTOR_HALVES else at
    if place.pointed:
        return f"&{place.number - IN_MEMORY}"
    return [number(part.number) for part in place.parts] or number(place.number)


@pytest.mark.parametrize(("bits", "function", "expected"), [
    (64, "reads", [0, 1, 2]),
    (64, "mixes", ["v0", 0, [1, 2], ["v2", 3], "v4", 4]),
    (64, "many", [0, "&6", 1, 2, 3, 4, 5, 10, 11]),
    (64, "makes", [1]),
    (32, "mixes", ["&0", 2, "&3", "&5", "&8", 9]),
    (32, "makes", [1]),
])
def test_places(bits: int, function: str, expected: list[object], build: Build, tmp_path: Path) -> None:
    """Registers, halves of vectors, and words are counted as the ABI does."""
    if bits == 64:
        types, file = types_of(build("types.c", "-g"))
    else:
        path = str(tmp_path / "types.o")
        source = str(Path(__file__).with_name("types.c"))
        text = Path(source).read_text().split("#define SHOW")[0].replace("#include <std", "//")
        (tmp_path / "types.c").write_text("typedef unsigned long long uint64_t;\n" + text)
        command = compilers.building(["-m32", "-g", "-shared", "-nostdlib", "-fno-pic", "-Wl,-z,notext",
                                      "-o", path, str(tmp_path / "types.c")])
        if command is None:
            pytest.skip("no compiler for i386: where its functions find their arguments")
        run(command, check=True, capture_output=True)
        types, file = types_of(path, Model.ILP32)
    signature = types.signature(file.by_name[function][0].start)
    assert signature is not None
    assert list(map(shown, places(signature, bits))) == expected


def test_arguments(build: Build) -> None:
    out, messages = trace(
        build("types.c", "-g"),
        'pid$target:a.out:reads:entry{printf("%d %d %d|%s|%d|%s|%d %d\\n", args[0]->x, args[0]->b,'
        ' args[0]->wide == 1ULL << 39, stringof(args[0]->label), args[0]->next->x,'
        ' stringof(args[0]->in.name), args[2], args[0]->second)}',
        'pid$target:a.out:mixes:entry{printf("%d %c\\n", args[1], args[5])}',
        'pid$target:a.out:many:entry{printf("%d %d %d\\n", args[0], args[7], args[8])}',
        'pid$target:a.out:makes:entry{printf("%d\\n", args[0])}',
        'pid$target:a.out:follows:return{printf("%d %d\\n", args[0] > 0, args[1]->x)}',
        f'pid$target:a.out:reads:entry{{printf("%d\\n", {REGISTERS[compilers.HOST]})}}',
        'pid$target:a.out:follows:entry{print(*args[0]); printf("\\n")}')
    ours = [line for line in out.splitlines() if line[:1].isdigit() or line[:1] == "-"]
    assert ours == [
        "1 17 1|label|9|abc|42 11", "1", "-3 z", "1 -7 200", "4", "1 9"], messages
    for text in ("point_t {", "unsigned int b :5 = 0x11", "struct inner in = {", 'name = [ "abc" ]',
                 "enum color c = BLUE", "double d = +1.5000000e+00", "int second = 0xb"):
        assert text in out


def test_characters_without_a_sign(build: Build) -> None:
    """As a processor's own ABI may have them: an array of them is text nevertheless."""
    out, messages = trace(build("types.c", "-g", "-funsigned-char"),
                          'pid$target:a.out:follows:entry{print(args[0]->in)}')
    assert 'name = [ "abc" ]' in out, messages


def test_what_d_cannot_read(tmp_path: Path) -> None:
    """It is refused, not misread: a result on x87's stack; a structure whose address a function has lost."""
    (tmp_path / "result.c").write_text("""struct s { long n[9]; }
        large(int n) { return (struct s){ { n } }; }
        long double extended(long n) { return n; } int main(void) { return extended(0) + large(0).n[0]; }""")
    program = str(tmp_path / "result")
    command = compilers.building(["-g", "-o", program, str(tmp_path / "result.c")])
    assert command is not None
    run(command, check=True, capture_output=True)
    function, type_ = {"aarch64": ("large", "struct s")}.get(compilers.HOST, ("extended", "long double"))
    _, messages = trace(program, f"pid$target:a.out:{function}:return{{trace(args[1])}}")
    assert f"args[1] is a {type_} passed by value" in messages


def test_no_information(build: Build) -> None:
    _, messages = trace(build("types.c", "-g0"), "pid$target:a.out:reads:entry{trace(args[0])}")
    assert "there is no args[0]" in messages


def test_broken_information(build: Build, tmp_path: Path) -> None:
    """Garbage in .debug_info and .debug_abbrev: no types, no exception."""
    program = build("types.c", "-g")
    _, file = types_of(program)
    address = file.by_name["reads"][0].start
    for name in (".debug_info", ".debug_abbrev", ".debug_str"):
        section = file.elf.section(name)
        assert section is not None
        for filler in (b"\xff", b"\x00", b"\x17"):
            data = bytearray(file.elf.data)
            data[section.offset + 16:section.offset + section.size] = filler * (section.size - 16)
            signature = DwarfTypes(bytes(data), "types", Model.LP64).signature(address)
            assert signature is None or name == ".debug_str"


def test_static_probe(tmp_path: Path) -> None:
    """A probe of the program's own, of a type of its own."""
    (tmp_path / "own.d").write_text("provider own { probe hit(struct thing *t, int n); };\n")
    (tmp_path / "own.c").write_text("""
        struct thing { int first, second; struct thing *next; };
        #include "own.h"
        int main(void) { struct thing b = { 7, 8 }, a = { 1, 2, &b }; OWN_HIT(&a, 3); return 0; }""")
    command = [sys.executable, "-m", "runtime.command"]
    for line in ([*command, "-h", "-s", "own.d"], ["gcc", "-g", "-c", "own.c"],
                 [*command, "-G", "-s", "own.d", "-o", "probes.o", "own.o"],
                 ["gcc", "-o", "own", "own.o", "probes.o"]):
        run(line, check=True, cwd=tmp_path, capture_output=True)
    out, messages = trace(str(tmp_path / "own"), 'own$target:::hit{printf("%d %d %d", args[0]->second,'
                                                 ' args[0]->next->first, args[1])}')
    assert out.strip() == "2 7 3", messages


def test_listing(build: Build) -> None:
    done = atonce.run(["dtrace", "-lvn", "pid$target:a.out:reads:entry", "-c", build("types.c", "-g")],
                      check=True)
    assert "args[0]: point_t *\n\t\targs[1]: const char *\n\t\targs[2]: long\n" in done.stdout


def test_class(tmp_path: Path) -> None:
    """A C++ method: `this`, and an object passed by the address of a copy; its name in ustack()."""
    source = tmp_path / "thing.cc"
    source.write_text("""
        struct Owner { int held; ~Owner(); };
        Owner::~Owner() { held = 0; }
        namespace ns {
            struct Base { int base; };
            struct Thing : Base {
                static int count; int v;
                int times(Owner owner, short by) const { return v * by + owner.held + base; }
            };
        }
        int main() {
            ns::Thing t; t.base = 3; t.v = 4; Owner o; o.held = 5;
            return t.times(o, 2) == 16 ? 0 : 1;
        }""")
    program = str(tmp_path / "thing")
    run([*compilers.cxx(), "-g", "-O0", "-o", program, str(source)], check=True, capture_output=True)
    out, messages = trace(program, 'pid$target:a.out:*times*:entry{printf("%d %d %d %d", args[0]->base,'
                                   ' args[0]->v, args[1]->held, args[2]); ustack(1); exit(0)}')
    assert "3 4 5 2" in out, messages
    assert "thing`ns::Thing::times(Owner, short) const\n" in out


CLASSES = """
struct Owner { int n; ~Owner(); }; Owner::~Owner() { n = 0; }
struct Plain { int n; ~Plain() = default; Plain(int m) : n(m) {} Plain(const Plain &) = default; };
struct Row { int n; Owner many[2]; };
struct Derived : Owner { int more; };
struct Copied { int n; Copied(int m) : n(m) {} Copied(const Copied &other) : n(other.n) {} };
struct Moved { int n; Moved(int m) : n(m) {} Moved(Moved &&other) : n(other.n) {} };
struct Converted { int n; Converted(const Plain &other) : n(other.n) {} Converted(int *p) : n(*p) {} };
struct Pointing { int n; Owner *p; Owner &r; };
struct Virtual { int n; Virtual(int m) : n(m) {} virtual int f() { return n; } };
struct Below : virtual Plain { int m; Below(int k) : Plain(k), m(k) {} };
struct Sharing { int n; static Owner all; }; Owner Sharing::all;
struct Bits { int n : 20; unsigned m : 12; };
typedef const volatile Copied alias;
"""
# class, and what makes the argument that has 40 + its place in this list; how D reads it
PASSED = {
    "Owner": ("Owner{40}", "->"), "Plain": ("Plain(41)", "."), "Row": ("Row{42}", "->"),
    "Derived": ("", "->"), "Copied": ("Copied(44)", "->"), "Moved": ("Moved(45)", "->"),
    "Converted": ("Converted(Plain(46))", "."), "Pointing": ("Pointing{47, nullptr, *new Owner}", "."),
    "Virtual": ("Virtual(48)", "->"), "Below": ("Below(49)", "->"), "Sharing": ("Sharing{50}", "."),
    "Bits": ("Bits{51, 3}", ".")}


@pytest.mark.parametrize("version", ["-gdwarf-4", "-gdwarf-5"])
def test_classes_by_value(version: str, tmp_path: Path) -> None:
    """What C++ cannot copy bit by bit is passed by an address, and D reads through it."""
    functions = [f'extern "C" __attribute__((noinline)) int take{name}({name} it) {{ return it.n; }}'
                 for name in PASSED]
    calls = [f"sum += take{name}({make});" for name, (make, _) in PASSED.items() if make]
    text = [CLASSES, *functions, "int main() {", "int sum = 0; Derived derived; derived.n = 43;",
            "sum += takeDerived(derived);", *calls, "return sum == 0; }"]
    source, program = tmp_path / "classes.cc", str(tmp_path / "classes")
    source.write_text("\n".join(text))
    run([*compilers.cxx(), version, "-O0", "-o", program, str(source)], check=True, capture_output=True)
    clauses = [f'pid$target:a.out:take{name}:entry {{ printf("{name} %d\\n", args[0]{by}n); }}'
               for name, (_, by) in PASSED.items() if name != "Below"]
    out, messages = trace(program, *clauses)
    found = dict(line.split() for line in out.splitlines() if line)
    assert found == {name: str(40 + at) for at, name in enumerate(PASSED) if name != "Below"}, messages


def test_enumerations_of_every_width(tmp_path: Path) -> None:
    """Scoped enumerations have their own sizes and signs, and are printed by name."""
    source = tmp_path / "widths.cc"
    source.write_text("""
        enum class Tiny : unsigned char { A, B, C = 200 };
        enum class Huge : unsigned long { X = 1, Y = 0x8000000000000000ul };
        enum class Below : short { M = -3, P = 4 };
        enum Plain { LOW = -1, HIGH };
        enum Mode { OFF, ON = 3 };
        enum Tall { TALLEST = 0x7fffffff }; enum Taller { TALLER = 0x80000000u };
        struct Row { Tiny tiny; Tiny other; Huge huge; Below below; Below above;
                     Plain plain : 3; Mode mode : 2; Mode odd : 4; Tall tall; Taller taller; };
        extern "C" int show(Row *row) { return row->other == Tiny::C; }
        int main() {
            Row r = { Tiny::A, Tiny::C, Huge::Y, Below::M, Below::P, LOW, ON, (Mode)2,
                      (Tall)-1, TALLER };
            return show(&r);
        }""")
    program = str(tmp_path / "widths")
    run([*compilers.cxx(), "-g", "-O0", "-o", program, str(source)], check=True, capture_output=True)
    out, messages = trace(program, 'pid$target::show:entry{print(*args[0]); '
                                   'printf("\\n%d %d %d %d %d %d %d", args[0]->below, args[0]->plain,'
                                   ' args[0]->huge > 0, args[0]->below < 0, args[0]->tall < 0,'
                                   ' args[0]->taller > 0, args[0]->other)}')
    assert [line.split("= ")[1] for line in out.splitlines() if "enum" in line] == \
        ["A", "C", "Y", "M", "P", "LOW", "ON", "2", "-1", "TALLER"], messages
    assert "-3 -1 1 1 1 1 200" in out


@pytest.mark.parametrize(("mangled", "plain"), [
    ("_ZN2ns5Thing5timesE5Owners", "ns::Thing::times(Owner, short)"),
    ("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"),
    ("_ZN33_$LT$std..rc..Rc$LT$$RF$T$GT$$GT$4drop17h0123456789abcdefE", "<std::rc::Rc<&T>>::drop"),
    ("main", "main"), ("_Zbogus", "_Zbogus"), ("_Z" + "N" * 100_000, "_Z" + "N" * 100_000),
])
def test_demangle(mangled: str, plain: str) -> None:
    assert Demangler().demangle(mangled) == plain


@pytest.mark.parametrize(("expressions", "expected"), [
    # whose structures they are need not be said if nobody else has one of that name
    ("trace(((struct order *)arg0)->who->level)", "3"),
    ("this->o = (struct order *)arg0; trace(stringof(this->o->who->name)); trace(this->o->next->note)",
     "ada|second"),
    ("trace(sizeof (struct order)); trace(offsetof(struct order, who)); trace(sizeof (struct `customer))",
     "72|24|16"),
    ("o = (a.out`order_t *)arg0; trace(o->flag); trace(o->rest); trace(o->parts[1])", "5|1000|2"),
    ("p = (struct pid`order *)arg0; trace(p->amount.whole); trace(p->next->next == 0)", "42|1"),
    ("trace(sizeof (pid101`money_t)); trace(((pid$target`order_t *)arg0)->kind == 7)", "4|1"),
    ("this->o = (userland pid$target`a.out`order_t *)arg0; trace(this->o->id)", "1"),
    # an address in the program stays one through casts; what has been copied in is D's own
    ("trace(((struct order *)(void *)args[0]->next)->id)", "2"),
    ("this->c = (struct order *)copyin(arg0, sizeof (struct order)); trace(this->c->cents)", "99"),
])
def test_named_types(expressions: str, expected: str, build: Build) -> None:
    clause = f"pid$target::serve:entry {{ {expressions}; }}".replace("; trace", '; printf("|"); trace')
    out, messages = trace(build("order.c", "-g"), clause)
    assert out.strip().strip("|") == expected, messages


@pytest.mark.parametrize(("expression", "message"), [
    ("(order_t *)arg0", "there is no type order_t"),
    ("sizeof (pid999`order_t)", "there is no symbol"),
    ("sizeof (struct a.out`nothing)", "size of this is not known"),
    ("((struct order *)arg0)->next->next->id", "invalid address (0x0)")])
def test_types_that_are_not_there(expression: str, message: str, build: Build) -> None:
    _, messages = trace(build("order.c", "-g"), f"pid$target::serve:entry {{ trace({expression}); }}")
    assert message in messages


def test_stripped(build: Build, tmp_path: Path) -> None:
    """Arguments are typed by a debug file beside the program."""
    program, debug = tmp_path / "order", tmp_path / "order.debug"
    program.write_bytes(Path(build("order.c", "-g", "-rdynamic")).read_bytes())
    run(["objcopy", "--only-keep-debug", str(program), str(debug)], check=True)
    run(["strip", "--strip-all", str(program)], check=True)
    run(["objcopy", f"--add-gnu-debuglink={debug}", str(program)], check=True)
    program.chmod(0o755)
    out, messages = trace(str(program), "pid$target::serve:entry { trace(args[0]->who->level); }")
    assert out.strip() == "3", messages
