"""What D refuses: each error by its tag, at its line."""

from __future__ import annotations

import pytest

from dc.catalog import Argument, ProbeInfo, StaticCatalog
from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dc.options import Options

# tag, line, program
CASES = """
D_IDENT_UNDEF 1 BEGIN { trace(nothing); }
D_VAR_UNDEF 1 BEGIN { trace(self->nothing); }
D_VAR_UNDEF 1 BEGIN { trace(nothing[1]); }
D_IDENT_BADREF 1 BEGIN { trace(printf); }
D_IDENT_BADREF 1 BEGIN { trace(self); }
D_FUNC_UNDEF 1 BEGIN { nosuch(1); }
D_FUNC_IDKIND 1 BEGIN { pid(1); }
D_FUNC_IDENT 1 BEGIN { (1)(2); }
D_PROTO_LEN 1 BEGIN { trace(strlen()); }
D_PROTO_ARG 1 BEGIN { trace(strlen(1)); }
D_PROTO_LEN 1 BEGIN { x[1] = 1; x[1, 2] = 1; }
D_PROTO_ARG 1 BEGIN { x[1] = 1; x["a"] = 1; }
D_KEY_TYPE 1 BEGIN { x[(void)0] = 1; }
D_OP_INT 1 BEGIN { x = "a" & 1; }
D_OP_ARITH 1 BEGIN { x = "a" * 2; }
D_OP_SCALAR 1 BEGIN { x = !"a"; }
D_OP_INCOMPAT 1 BEGIN { x = "a" == 1; }
D_OP_INCOMPAT 1 BEGIN { x = 1; x = "a"; }
D_OP_LVAL 1 BEGIN { 1 = 2; }
D_OP_WRITE 1 BEGIN { pid = 2; }
D_OP_ACT 1 BEGIN { x = pid ? exit(0) : exit(1); }
D_OP_VFPTR 1 BEGIN { x = (void *)0; x++; }
D_OP_PTR 1 BEGIN { trace(pid->x); }
D_OP_SOU 1 BEGIN { trace(pid.x); }
D_DIV_ZERO 1 BEGIN { x = 1 / 0; }
D_DEREF_NONPTR 1 BEGIN { trace(*1); }
D_DEREF_VOID 1 BEGIN { trace(*(void *)0); }
D_ADDROF_VAR 1 BEGIN { x = 1; trace(&x); }
D_ADDROF_LVAL 1 BEGIN { trace(&1); }
D_CAST_INVAL 1 struct s { int a; }; BEGIN { trace((struct s)1); }
D_SIZEOF_TYPE 1 BEGIN { trace(sizeof (void)); }
D_STRINGOF_TYPE 1 struct s { int a; } v; BEGIN { trace(stringof(v)); }
D_OFFSETOF_TYPE 1 BEGIN { trace(offsetof(int, x)); }
D_TYPE_MEMBER 1 struct s { int a; } v; BEGIN { trace(v.b); }
D_OP_INCOMPLETE 1 struct s; BEGIN { trace(((struct s *)0)->a); }
D_PRED_SCALAR 1 BEGIN /"a"/ { }
D_AGG_FUNC 1 BEGIN { @a = 1; }
D_AGG_NULL 1 BEGIN { @a[1]; }
D_AGG_REDEF 1 BEGIN { @a = count(); @a = sum(1); }
D_AGG_MDIM 1 BEGIN { @a[1][2] = count(); }
D_AGG_SCALAR 1 BEGIN { @a = sum("x"); }
D_ARR_LOCAL 1 BEGIN { this->x[1] = 2; }
D_ARR_BADREF 1 BEGIN { x = (int *)0; trace(x[1, 2]); }
D_PRINTF_ARG_FMT 1 BEGIN { printf(1); }
D_PRINTF_ARG_PROTO 1 BEGIN { printf("%d"); }
D_PRINTF_ARG_TYPE 1 BEGIN { printf("%s", 1); }
D_PRINTF_ARG_EXTRA 1 BEGIN { printf("x", 1); }
D_PRINTF_FMT_EMPTY 1 BEGIN { printf(""); }
D_PRINTF_DYN_PROTO 1 BEGIN { printf("%*d"); }
D_PRINTF_DYN_TYPE 1 BEGIN { printf("%*d", "a", 1); }
D_PRINTF_AGG_CONV 1 BEGIN { printf("%@d", 1); }
D_PRINTA_AGGARG 1 BEGIN { printa("%d", 1); }
D_PRINTA_AGGKEY 1 BEGIN { @a[1] = count(); @b = count(); printa(@a, @b); }
D_PRINTA_AGGPROTO 1 BEGIN { @a[1] = count(); @b["x"] = count(); printa(@a, @b); }
D_TRACE_VOID 1 BEGIN { trace((void)1); }
D_TRACE_AGG 1 BEGIN { @a = count(); trace(@a); }
D_TRACEMEM_SIZE 1 BEGIN { tracemem(0, 0); }
D_TRACEMEM_ARGS 1 BEGIN { tracemem(0, 8, 1, 2); }
D_STACK_SIZE 1 BEGIN { stack(0); }
D_STACK_PROTO 1 BEGIN { stack(1, 2); }
D_USTACK_FRAMES 1 BEGIN { ustack(0); }
D_USTACK_STRSIZE 1 BEGIN { ustack(1, -1); }
D_USTACK_PROTO 1 BEGIN { ustack(1, 2, 3); }
D_LQUANT_MISMATCH 1 BEGIN { @ = lquantize(1, 10, 0); }
D_LQUANT_STEPLARGE 1 BEGIN { @ = lquantize(1, 0, 10, 20); }
D_LQUANT_MATCHSTEP 1 BEGIN { @a = lquantize(1, 0, 10, 1); @a = lquantize(1, 0, 10, 2); }
D_LQUANT_MATCHBASE 1 BEGIN { @a = lquantize(1, 0, 10); @a = lquantize(1, -10, 10); }
D_LLQUANT_FACTORSMALL 1 BEGIN { @ = llquantize(1, 1, 0, 6, 20); }
D_LLQUANT_MAGTOOBIG 1 BEGIN { @ = llquantize(1, 10, 0, 100, 20); }
D_LLQUANT_FACTOREVEN 1 BEGIN { @ = llquantize(1, 10, 0, 6, 15); }
D_CLEAR_PROTO 1 BEGIN { clear(); }
D_CLEAR_AGGARG 1 BEGIN { clear(1); }
D_TRUNC_SCALAR 1 BEGIN { @a = count(); trunc(@a, "x"); }
D_NORMALIZE_PROTO 1 BEGIN { @a = count(); normalize(@a); }
D_COMM_COMM 1 BEGIN { commit(1); commit(1); }
D_COMM_DREC 1 BEGIN { trace(1); commit(1); }
D_SPEC_SPEC 1 BEGIN { speculate(1); speculate(1); }
D_SPEC_COMM 1 BEGIN { commit(1); speculate(1); }
D_SPEC_DREC 1 BEGIN { trace(1); speculate(1); }
D_AGG_COMM 1 BEGIN { commit(1); @ = count(); }
D_AGG_SPEC 1 BEGIN { speculate(1); @ = count(); }
D_ACT_SPEC 1 BEGIN { speculate(1); stop(); }
D_EXIT_SPEC 1 BEGIN { speculate(1); exit(0); }
D_DREC_COMM 1 BEGIN { commit(1); trace(1); }
D_FREOPEN_INVALID 1 BEGIN { freopen("."); }
D_XLATE_NONE 1 struct s { int a; }; BEGIN { trace(xlate <struct s> (1).a); }
D_XLATE_MEMB 1 struct s { int a; }; translator struct s < int i > { b = i; };
D_XLATE_SOU 1 translator int < int i > { b = i; };
D_XLATE_INCOMPAT 1 struct s { int a; }; translator struct s < int i > { a = "x"; };
D_XLATE_NOCONV 1 struct s { int a, b; }; translator struct s <int i> { a = i; }; END {xlate <struct s>(1).b; }
D_DECL_IDRED 1 int x; string x; BEGIN { }
D_DECL_IDRED 1 int pid; BEGIN { }
D_ARGS_IDX 1 BEGIN { trace(args[0]); }
D_CG_EXPR 1 BEGIN { x = stack(); }
D_ATTR_MIN 1 BEGIN { trace(curthread); }
D_EMPTY 1 int x;
D_MACRO_UNDEF 1 BEGIN { trace($7); }
"""


@pytest.mark.parametrize("case", [line for line in CASES.splitlines() if line])
def test_refused(case: str) -> None:
    tag, line, source = case.split(" ", 2)
    options = Options()
    if tag == "D_ATTR_MIN":
        options.set("amin", "Stable/Stable/Common")
    with pytest.raises(CompileError) as caught:
        compile_d(source, options=options)
    assert caught.value.tag == tag, str(caught.value)
    assert caught.value.first.span.line == int(line)


def test_line_of_the_error() -> None:
    with pytest.raises(CompileError) as caught:
        compile_d("BEGIN\n{\n\ttrace(1);\n\ttrace(a +\n\t    b);\n}\n")
    assert (caught.value.first.span.line, caught.value.first.span.column) == (4, 8)


def test_several_errors_together() -> None:
    source = "BEGIN { trace(a); }\nEND { trace(b); }\nBEGIN { trace(1); }\n"
    with pytest.raises(CompileError) as caught:
        compile_d(source, collect=True)
    assert [each.span.line for each in caught.value.diagnostics] == [1, 2]


def test_predicate_may_use_what_actions_create_and_the_other_way() -> None:
    compile_d("BEGIN /x == 0/ { trace(x++); }")
    compile_d("BEGIN /x++/ { trace(x); }")


def test_unknown_name_has_a_hint() -> None:
    with pytest.raises(CompileError) as caught:
        compile_d('BEGIN { trace(copyinst(0)); }')
    assert "copyinstr" in caught.value.first.hints[0]


@pytest.mark.parametrize("program", ["BEGIN { trace((nosuch_t *)0); }",
                                     "translator nosuch_t < int T > { a = T; };"])
def test_a_syntax_error_names_the_unknown_type(program: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_d(program)
    assert caught.value.tag == "D_SYNTAX"
    assert "there is no type `nosuch_t` here" in caught.value.diagnostics[0].hints


class _Translating(StaticCatalog):
    """A provider whose one argument is an int shown as a structure."""

    def arguments(self, probe: ProbeInfo) -> list[Argument]:
        return [Argument("int", "shown_t *"), Argument("int", "nosuch_t"), Argument("nosuch_t"),
                Argument("int", "", 0)]


SHOWN = "typedef struct shown { int twice; string text; } shown_t;\n"
TRANSLATOR = "translator shown_t < int T > { twice = T * 2; text = \"seen\"; };\n"


def test_args_are_translated_as_their_provider_says() -> None:
    program = SHOWN + TRANSLATOR + "a:b:c:d { trace(args[0]->twice); trace(args[0]->text); trace(args[3]); }"
    actions = compile_d(program, catalog=_Translating()).program.ecbs[0].actions
    assert [each.difo.rtype.size for each in actions if each.difo is not None] == [4, 256, 4]


@pytest.mark.parametrize(("tag", "program"), [
    ("D_ARGS_XLATOR", SHOWN + "a:b:c:d { trace(args[0]->twice); }"),
    ("D_ARGS_TYPE", SHOWN + TRANSLATOR + "a:b:c:d { trace(args[1]); }"),
    ("D_ARGS_TYPE", SHOWN + TRANSLATOR + "a:b:c:d { trace(args[2]); }"),
    ("D_ARGS_IDX", SHOWN + TRANSLATOR + "a:b:c:d { trace(args[4]); }"),
])
def test_args_that_cannot_be_translated(tag: str, program: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_d(program, catalog=_Translating())
    assert caught.value.tag == tag
