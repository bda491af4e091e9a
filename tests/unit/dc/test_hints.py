"""What is suggested for names that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError, did_you_mean
from dc.names.catalog import ProbeInfo, Symbol
from dc.names.staticcatalog import StaticCatalog
from dc.options import OptionError, Options
from dc.types.headers import header_types
from dof.model import ProbeDesc

HEADER = """
struct vnode { int v_type; int v_flag; };
struct unfinished;
typedef struct vnode vnode_t;
enum vtype { VREGULAR, VDIRECTORY };
extern int vnode_count;
"""
PROBES = [ProbeInfo(1, "syscall", "", "openat", "entry"), ProbeInfo(2, "syscall", "", "openat", "return"),
          ProbeInfo(3, "dtrace", "", "", "BEGIN")]


class _Kernel(StaticCatalog):
    def __init__(self) -> None:
        super().__init__(header_types(HEADER, name="genunix"))

    def probes(self, description: ProbeDesc) -> Sequence[ProbeInfo]:
        return [probe for probe in PROBES
                if all(wanted in ("", text) for wanted, text in zip(description[:4], probe[1:], strict=True))]

    def symbol(self, module: str | None, name: str) -> Symbol | None:
        return Symbol(name, "genunix", 0x1000, 4, "int") if name == "vnode_count" else None


def hints(program: str) -> tuple[str, ...]:
    with pytest.raises(CompileError) as caught:
        compile_d(program, catalog=_Kernel())
    return caught.value.first.hints


@pytest.mark.parametrize(("suggested", "expression"), [
    ("execname", "execnmae"),
    ("copyinstr", "copyinst(0)"),
    ("VREGULAR", "VREGULR"),
    ("vnode_t", "(vnod_t *)0"),
    ("vnode_t", "sizeof (vnod_t)"),
    ("struct vnode", "sizeof (struct vnodes)"),
    ("struct vnode", "((struct vnod *)0)->v_type"),
    ("v_type", "((struct vnode *)0)->v_typ"),
    ("v_flag", "offsetof(struct vnode, v_flags)"),
    ("vnode_count", "`vnode_cnt"),
    ("self->started", "(self->started = 1, self->stated)"),
    ("@counts", "(@counts = count(), printa(@count))"),
])
def test_the_nearest_name(suggested: str, expression: str) -> None:
    assert hints(f"BEGIN {{ trace({expression}); }}") == (f"did you mean `{suggested}`?",)


@pytest.mark.parametrize(("suggested", "description"), [
    ("syscall::openat:entry", "sycall::openat:entry"),
    ("syscall::openat:entry", "syscall::opnat:entry"),
    ("syscall::openat:return", "syscall::openat:retrun"),
    (":::BEGIN", "BEGNI"),
])
def test_the_nearest_probe(suggested: str, description: str) -> None:
    assert hints(f"{description} {{ }}") == (f"did you mean `{suggested}`?",)


@pytest.mark.parametrize("program", [
    "BEGIN { trace(xyzzy); }", "BEGIN { trace(((struct unfinishe *)0)->a); }", "syscall::close:entry { }",
    "BEGIN { trace(`other); }", "BEGIN { trace((xyzzy_t)1); }"])
def test_nothing_near(program: str) -> None:
    assert hints(program) == ()


def test_a_target_comes_with_a_process() -> None:
    for program in ("pid$target::main:entry { }", "BEGIN { trace($target); }"):
        assert hints(program) == ("$target is the process of -c or -p",)


def test_the_nearest_option() -> None:
    with pytest.raises(OptionError, match="did you mean `quiet`"):
        Options().assign("quit")


@pytest.mark.parametrize(("name", "known", "hint"), [
    ("abcd", ["abcx"], "abcx"), ("abcd", ["abxx"], None), ("abcd", ["abxx", "abcd1", "abc"], "abcd1"),
    ("abcd", ["wrong_abcd", "abce"], "abce"), ("", ["a"], None)])
def test_what_is_near(name: str, known: list[str], hint: str | None) -> None:
    found = did_you_mean(name, known, lambda each: not each.startswith("wrong"), lambda each: f"<{each}>")
    assert found == (() if hint is None else (f"did you mean `<{hint}>`?",))


@pytest.mark.parametrize(("fitting", "found"), [("name8", True), ("name1", True), ("name0", False)])
def test_only_the_eight_nearest_are_looked_at(fitting: str, found: bool) -> None:
    """Each look may mean a header to be read."""
    known = [f"name{number}" for number in range(9)]
    assert bool(did_you_mean("name", known, lambda each: each == fitting)) is found
