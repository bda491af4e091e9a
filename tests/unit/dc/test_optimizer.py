"""The DIF optimizer: what it removes, and what it must leave."""

from __future__ import annotations

import pytest

from dc.compiler import compile as compile_d
from dc.options import Options
from dif import isa, validator
from dif.difo import Difo


def names(difo: Difo) -> list[str]:
    return [isa.OPCODES[word >> 24].name for word in difo.text]


def expression(text: str, *, opt: int = 1, before: str = "") -> list[str]:
    """Opcodes of a traced expression."""
    options = Options({"opt": opt})
    program = compile_d(f"{before} BEGIN {{ trace({text}); }}", options=options).program
    return names(program.ecbs[-1].actions[0].difo)


def predicate(text: str) -> list[str]:
    program = compile_d(f"int x; string s; BEGIN /{text}/ {{ }}").program
    assert program.ecbs[0].predicate is not None
    return names(program.ecbs[0].predicate)


@pytest.mark.parametrize(("text", "expected"), [
    ("0", "ret"), ("1 + 2", "setx ret"), ("1 << 64", "setx ret"), ("x", "ldgs ret"), ("x + 0", "ldgs ret"),
    ("x * 1", "ldgs ret"),
    ("x * 0", "ret"), ("x * 8", "ldgs setx sll ret"), ("u / 8", "ldgs setx srl ret"),
    ("u % 8", "ldgs setx and ret"), ("x / 8", "ldgs setx sdiv ret"), ("x + x", "ldgs add ret"),
    ("(x + 1) * (x + 1)", "ldgs setx add mul ret"), ("x ^ 0", "ldgs ret"), ("x & -1", "ldgs ret"),
    ("(int)x", "ldgs ret"), ("(long)(char)x", "ldgs setx sll sra ret"), ("(char)(int)x", "ldgs ret"),
    ("(unsigned char)x", "ldgs ret"), ("(unsigned char)x + 0L", "ldgs setx and ret"),
    ("strlen(\"a\")", "sets pushtr call ret"), ("p->b", "ldgs setx add ldsw ret"),
    ("p->a", "ldgs ldsw ret"), ("p->a + p->a", "ldgs ldsw add ret"), ("arr[0]", "ldgs ldsw ret"),
    ("x ? 1 : 2", "ldgs tst be setx ret setx ret"), ("(x, 5)", "setx ret"),
    ("!x", "ldgs tst bne setx ret ret"), ("sizeof (x)", "setx ret"),
])
def test_expressions(text: str, expected: str) -> None:
    before = "long x; unsigned long u; struct s { int a, b; } *p; int arr[4];"
    assert expression(text, before=before) == expected.split()


@pytest.mark.parametrize(("text", "expected"), [
    ("x", "ldgs ret"), ("x != 0", "ldgs ret"), ("x != 3", "ldgs setx xor ret"),
    ("x == 3", "ldgs setx cmp bne ret ret"), ("x && pid", "ldgs tst be ldgs ret ret"),
    ("x || pid", "ldgs tst be ret ldgs ret"), ("!x", "ldgs tst bne setx ret ret"),
    ("x > 3 && x < 9", "ldgs setx cmp ble setx cmp bge ret ret"), ("1", "setx ret"),
    ('s == "a"', "ldgs sets scmp bne setx ret ret"),
])
def test_predicates(text: str, expected: str) -> None:
    assert predicate(text) == expected.split()


def test_unoptimized_code_is_plain() -> None:
    assert len(expression("x + 0", before="long x;", opt=0)) > len(expression("x + 0", before="long x;"))


@pytest.mark.parametrize("text", ["*(int *)0", "alloca(8)", "speculation()", "1 / x"])
def test_what_may_fault_or_act_stays(text: str) -> None:
    program = compile_d(f"int x; BEGIN {{ ({text}, 1); }}").program
    assert len(program.ecbs[0].actions[0].difo.text) > 1


def test_loads_are_not_shared_over_a_change() -> None:
    code = expression("*q + (*q = 5) + *q", before="int *q;")
    assert code.count("ldsw") == 2


def test_sizes_stay_beside_their_pushes() -> None:
    """A kernel sizes a dynamic variable by the setx directly before each pushtr."""
    program = compile_d("struct k { int a[4]; } v; int x[struct k, struct k]; "
                        "BEGIN { x[v, v] = 1; }").program
    code = names(program.ecbs[0].actions[0].difo)
    pushes = [index for index, name in enumerate(code) if name == "pushtr"]
    assert len(pushes) == 2 and all(code[index - 1] == "setx" for index in pushes)


def test_no_chance_integer_is_taken_for_a_size() -> None:
    program = compile_d('int x[string, int]; BEGIN { x["a", y++] = 1; x["b", 5] += strlen("c"); }').program
    for action in program.ecbs[0].actions:
        code = names(action.difo)
        assert all(code[index - 1] != "setx" for index, name in enumerate(code) if name == "pushtr")


@pytest.mark.parametrize(("text", "expected"), [
    ("x[stringof(5)] = 1", "setx setx nop pushtr stgaa ret"),
    ("strlen(stringof(5))", "setx pushtr call ret")])
def test_an_integer_is_kept_from_the_push_of_a_string(text: str, expected: str) -> None:
    """Where an array's element may be made, for which the kernel reads the sizes of the keys."""
    assert expression(text, before="int x[string];") == expected.split()


@pytest.mark.parametrize("opt", [0, 1])
def test_objects_are_valid(opt: int) -> None:
    source = """
        struct s { int a : 3; int b : 7; string c; } v; string names[int, string]; self int depth;
        BEGIN { v.a = 1; v.b++; v.c = execname; names[pid, probefunc] = strjoin(execname, "x");
                self->depth += names[1, "a"] == "b" ? strlen(names[2, "c"]) : -v.b;
                @q[names[3, "d"]] = sum(v.a); }
    """
    program = compile_d(source, options=Options({"opt": opt})).program
    for action in program.ecbs[0].actions:
        if action.difo is not None:
            assert validator.validate(action.difo) == []
