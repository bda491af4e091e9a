"""Which values each conversion of a format takes."""

from __future__ import annotations

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError

DECLARED = """enum e { A } e; struct s { int a; } st; int *ip; void *vp; char ca[8]; signed char sa[4];
unsigned char ua[4]; int wa[4]; char ch; unsigned char uc; short sh; unsigned short us; int i; unsigned ui;
long l; unsigned long ul; long long ll; unsigned long long ull; int64_t i64; uint64_t u64; string str;
float fl; double db; size_t sz; int (*fp)(int); int64_t *lp; """
SIGNED, UNSIGNED = "e ch sh i l ll i64", "uc us ui ul ull u64 sz"
ADDRESSES = "ip vp ca sa ua wa fp lp"
VALUES = [*f"{SIGNED} {UNSIGNED} {ADDRESSES} st str fl db".split()]
TAKEN = {
    **dict.fromkeys(("d", "i", "o", "u", "x", "X"), f"{SIGNED} {UNSIGNED}"),
    **dict.fromkeys(("a", "p"), f"{SIGNED} {UNSIGNED} {ADDRESSES}"),
    **dict.fromkeys(("c", "C"), "e ch uc sh us i ui"),
    **dict.fromkeys(("e", "E", "f", "g", "G"), "fl db"), **dict.fromkeys(("s", "S"), "ca sa ua str"),
    **dict.fromkeys(("T", "Y"), "l ul ll ull i64 u64 sz"),
    **dict.fromkeys(("hd", "hi"), "sh"), **dict.fromkeys(("ho", "hu"), "us"), "hx": "sh us", "P": "us",
    **dict.fromkeys(("ld", "li"), "l i64"), **dict.fromkeys(("lo", "lu"), "ul u64 sz"),
    "lx": "l ul i64 u64 sz", "lld": "ll", "llu": "ull", "llx": "ll ull i64 u64",
    "wc": "e i", "ws": "wa", "k": "", "A": ""}


@pytest.mark.parametrize("name", TAKEN)
def test_what_a_conversion_takes(name: str) -> None:
    taken = []
    for value in VALUES:
        try:
            made = compile_d(f'{DECLARED} BEGIN {{ printf("<%-5{name}>%%", {value}); }}').program
        except CompileError as exception:
            assert exception.tag == "D_PRINTF_ARG_TYPE"
            assert exception.first.message.startswith(f"printf( ) conversion #1, %{name}, takes ")
            continue
        taken.append(value)
        shown = "u" if name == "d" and value in UNSIGNED.split() else name
        assert made.ecbs[0].actions[0].string == f"<%-5{shown}>%%"
    assert sorted(taken) == sorted(TAKEN[name].split())


@pytest.mark.parametrize("name", ["hhd", "D", "U", "O", "lD", "Ld", "q", "j", "z", "y"])
def test_conversions_that_there_are_not(name: str) -> None:
    with pytest.raises(CompileError, match=f"%{name}, which is unknown"):
        compile_d(f'BEGIN {{ printf("%{name}", 1); }}')


@pytest.mark.parametrize(("key", "names"), [
    ("stack()", "k"), ("ustack()", "k"), ("sym(0)", "a"), ("func(0)", "a"), ("mod(0)", "a"), ("usym(0)", "A"),
    ("umod(0)", "A"), ("uaddr(0)", "A"), ("execname", "s S"), ("'c'", "a p c C d i o u x X wc")])
def test_what_conversions_print_of_keys(key: str, names: str) -> None:
    printed = []
    for name in TAKEN:
        try:
            compile_d(f'BEGIN {{ @[{key}] = count(); printa("%{name} %@d", @); }}')
        except CompileError as exception:
            assert exception.tag == "D_PRINTF_ARG_TYPE"
        else:
            printed.append(name)
    assert sorted(printed) == sorted(names.split())


@pytest.mark.parametrize(("function", "name"), [("count()", "u"), ("sum(1)", "d"), ("max(1)", "d")])
def test_a_count_has_no_sign(function: str, name: str) -> None:
    program = compile_d(f'BEGIN {{ @[1] = {function}; printa("%d %@d%%", @); }}').program
    assert program.ecbs[0].actions[-1].string == f"%d %@{name}%%"
