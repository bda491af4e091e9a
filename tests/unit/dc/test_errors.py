"""What D refuses: each error by its tag, at its line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import TAGS, CompileError
from dc.names.builtins import PRIVATE
from dc.names.catalog import UNPLACED, Argument, Catalog, Part, ProbeInfo, ProviderAttributes, Symbol
from dc.names.staticcatalog import StaticCatalog
from dc.options import Options
from dc.stability import STABILITIES
from dc.types.headers import header_types
from dc.types.scopes import Scope
from dif import isa
from dof.model import Attributes, ProbeDesc

# tag, line, {option} or [argument], program
CASES = r"""
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
D_ACT_SPEC 1 BEGIN { speculate(1); copyout(alloca(4), arg0, 4); }
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
D_EMPTY 1 int x;
D_MACRO_UNDEF 1 BEGIN { trace($7); }
D_CLEAR_AGGBAD 1 BEGIN { clear(@x[1]); }
D_TRUNC_AGGBAD 1 BEGIN { trunc(@x[1]); }
D_TRUNC_AGGARG 1 BEGIN { trunc(1); }
D_TRUNC_PROTO 1 BEGIN { trunc(); }
D_NORMALIZE_AGGBAD 1 BEGIN { normalize(@x[1], 2); }
D_NORMALIZE_AGGARG 1 BEGIN { normalize(1, 2); }
D_NORMALIZE_SCALAR 1 BEGIN { @x = count(); normalize(@x, "a"); }
D_PRINTA_AGGBAD 1 BEGIN { printa(@x[1]); }
D_PRINTA_PROTO 1 BEGIN { printa("x"); }
D_PRINT_VOID 1 BEGIN { print((void)1); }
D_PRINT_AGG 1 BEGIN { @a = count(); print(@a); }
D_PROTO_ARG 1 {target=freebsd} struct mtx { int a; }; BEGIN { trace(mutex_owned((struct rwlock *)0)); }
D_PRINTM_ADDR 1 {target=freebsd} BEGIN { printm(4, 0); }
D_PRINTM_SIZE 1 {target=freebsd} BEGIN { printm(0, (uintptr_t *)0); }
D_TRACEMEM_ADDR 1 struct s { int a; } v; BEGIN { tracemem(v, 8); }
D_TRACEMEM_DYNSIZE 1 BEGIN { tracemem(0, 8, "a"); }
D_LQUANT_BASETYPE 1 BEGIN { @ = lquantize(1, pid, 10); }
D_LQUANT_BASEVAL 1 BEGIN { @ = lquantize(1, 4294967296, 10); }
D_LQUANT_LIMTYPE 1 BEGIN { @ = lquantize(1, 0, pid); }
D_LQUANT_LIMVAL 1 BEGIN { @ = lquantize(1, 0, 4294967296); }
D_LQUANT_STEPTYPE 1 BEGIN { @ = lquantize(1, 0, 10, 0); }
D_LQUANT_STEPVAL 1 BEGIN { @ = lquantize(1, 0, 10, 65536); }
D_LQUANT_STEPSMALL 1 BEGIN { @ = lquantize(1, 0, 70000); }
D_LQUANT_STEPLARGE 1 BEGIN { @ = lquantize(1, 5, 5); }
D_LQUANT_MATCHLIM 1 BEGIN { @ = lquantize(1, 0, 10); @ = lquantize(1, 0, 20); }
D_LLQUANT_FACTORTYPE 1 BEGIN { @ = llquantize(1, pid, 0, 6, 20); }
D_LLQUANT_FACTORVAL 1 BEGIN { @ = llquantize(1, 65536, 0, 6, 20); }
D_LLQUANT_FACTORNSTEPS 1 BEGIN { @ = llquantize(1, 10, 0, 6, 5); }
D_LLQUANT_FACTORMATCH 1 BEGIN { @ = llquantize(1, 10, 0, 6, 20); @ = llquantize(1, 20, 0, 6, 20); }
D_LLQUANT_LOWTYPE 1 BEGIN { @ = llquantize(1, 10, pid, 6, 20); }
D_LLQUANT_LOWVAL 1 BEGIN { @ = llquantize(1, 10, -1, 6, 20); }
D_LLQUANT_LOWMATCH 1 BEGIN { @ = llquantize(1, 10, 0, 6, 20); @ = llquantize(1, 10, 1, 6, 20); }
D_LLQUANT_HIGHTYPE 1 BEGIN { @ = llquantize(1, 10, 0, pid, 20); }
D_LLQUANT_HIGHVAL 1 BEGIN { @ = llquantize(1, 10, 0, 65536, 20); }
D_LLQUANT_HIGHMATCH 1 BEGIN { @ = llquantize(1, 10, 0, 6, 20); @ = llquantize(1, 10, 0, 7, 20); }
D_LLQUANT_NSTEPTYPE 1 BEGIN { @ = llquantize(1, 10, 0, 6, pid); }
D_LLQUANT_NSTEPVAL 1 BEGIN { @ = llquantize(1, 10, 0, 6, 65536); }
D_LLQUANT_NSTEPMATCH 1 BEGIN { @ = llquantize(1, 10, 0, 6, 20); @ = llquantize(1, 10, 0, 6, 10); }
D_LLQUANT_MAGRANGE 1 BEGIN { @ = llquantize(1, 10, 6, 6, 20); }
D_REGS_IDX 1 BEGIN { trace(uregs[-1]); }
D_ARGS_NONE 1 inline int x = args[0]; BEGIN { }
D_NOREG 1 {iregs=2} BEGIN { trace(pid + ppid); }
D_NOREG 1 {tregs=1} BEGIN { x[1, 2] = 3; }
D_CG_EXPR 1 dtrace:helper:ustack: { printf("x"); }
D_CG_EXPR 1 dtrace:helper:ustack: { self->x = 1; }
D_CG_EXPR 1 dtrace:helper:ustack: /timestamp/ { 1 }
D_CG_EXPR 1 dtrace:helper:ustack: { basename("a") }
D_ATTR_MIN 1 {amin=Stable/Stable/Common} BEGIN { trace(1); }
D_ATTR_MIN 2 #pragma D option amin=Stable/Stable/Common\nfbt:::entry { trace(1); }
D_SYNTAX 1 BEGIN { trace(1 }
D_SYNTAX 1 BEGIN { trace(1.5); }
D_SYNTAX 1 BEGIN { printf("%q", 1); }
D_SYNTAX 1 BEGIN { if pid trace(1); }
D_INT_OFLOW 1 BEGIN { trace(18446744073709551616); }
D_INT_DIGIT 1 BEGIN { trace(099); }
D_CHR_NULL 1 BEGIN { trace(''); }
D_CHR_OFLOW 1 BEGIN { trace('abcdefghi'); }
D_CHR_NL 1 BEGIN { trace('a\n); }
D_STR_NL 1 BEGIN { trace("a\n); }
D_MACRO_OFLOW 1 [18446744073709551616] BEGIN { trace($1); }
D_MACRO_UNUSED 1 [5] BEGIN { trace(1); }
D_PRAGERR 1 #pragma error foo\nBEGIN { }
D_PRAGCTL_INVAL 1 #foo\nBEGIN { }
D_PRAGMA_INVAL 1 #pragma D nonesuch\nBEGIN { }
D_PRAGMA_INVAL 1 #pragma D attributes foo bar\nBEGIN { }
D_PRAGMA_INVAL 1 #pragma D depends_on foo bar\nBEGIN { }
D_PRAGMA_MALFORM 1 #pragma D attributes\nBEGIN { }
D_PRAGMA_MALFORM 1 #line\nBEGIN { }
D_PRAGMA_OPTSET 1 #pragma D option nonesuch\nBEGIN { }
D_PRAGMA_OPTSET 1 #pragma D option amin=foo\nBEGIN { }
D_PRAGMA_OPTSET 1 #pragma D option version=9.9\nBEGIN { }
D_PRAGMA_UNUSED 1 #pragma D attributes Stable/Stable/Common foo\nBEGIN { }
D_PRAGMA_UNUSED 1 #pragma D attributes Stable/Stable/Common provider foo name\nBEGIN { }
D_PRAGMA_SCOPE 1 #pragma D attributes Stable/Stable/Common pid\nBEGIN { }
D_PRAGMA_SCOPE 1 #pragma D binding "1.0" ENOENT\nBEGIN { }
D_PRAGMA_DEPEND 1 #pragma D depends_on library errno.d\nBEGIN { }
D_PRAGMA_DEPEND 1 #pragma D depends_on module nonesuch\nBEGIN { }
D_PDESC_INVAL 1 a:b:c:d:e { }
D_PDESC_INVAL 1 4294967296 { }
D_PDESC_INVAL 1 sysc[::: { }
D_PROV_BADNAME 1 provider foo1 { probe a(int); };
D_PROV_PRDUP 1 provider foo { probe a(int); probe a(int); };
D_PROV_INCOMPAT 1 provider foo { probe a(int); }; provider foo { probe a(char *); };
D_PROV_PRXLATOR 1 struct s { int a; }; provider foo { probe a(int x) : (struct s *x); };
D_DECL_ARRBIG 1 int x[4294967296];
D_DECL_ARRNULL 1 int x[];
D_DECL_ARRSUB 1 int x[0];
D_DECL_BADCLASS 1 static int x;
D_DECL_BFCONST 1 struct s { int a : 0; };
D_DECL_BFSIZE 1 struct s { int a : 33; };
D_DECL_BFTYPE 1 struct s { float a : 3; };
D_DECL_CHARATTR 1 long char x;
D_DECL_CLASS 1 self this int x;
D_DECL_COMBO 1 int char x;
D_DECL_DYNOBJ 1 struct s { int a[int]; };
D_DECL_ENCONST 1 enum e { A = pid };
D_DECL_ENOFLOW 1 enum e { A = 2147483648 };
D_DECL_ENOFLOW 2 enum e { A = 2147483647,\nB = A + 1L };
D_DECL_IDRED 2 extern int x;\nextern char x;
D_DECL_IDENT 1 int string x;
D_DECL_IDRED 1 int string;
D_DECL_IDRED 1 typedef int string;
D_DECL_INCOMPLETE 1 struct nothere x;
D_DECL_LOCASSC 1 this int x[int];
D_DECL_LONGINT 1 long string x;
D_DECL_MNAME 1 struct s { int; };
D_DECL_PARMCLASS 1 int f(static int x);
D_DECL_PROTO_FORM 1 int f(int x, int x);
D_DECL_PROTO_NAME 1 int f(void a);
D_DECL_PROTO_TYPE 1 int x[void];
D_DECL_PROTO_VARARGS 1 int x[int, ...];
D_DECL_PROTO_VOID 1 int f(int, void);
D_DECL_SCOPE 1 int a`b;
D_DECL_SIGNINT 1 unsigned string x;
D_DECL_TYPERED 1 struct s { int a; }; struct s { int b; };
D_DECL_USELESS 1 int;
D_DECL_VOIDATTR 1 unsigned void *x;
D_DECL_VOIDOBJ 1 void x;
D_UNKNOWN 1 enum e { A, A };
D_OP_ARRFUN 1 int x[3]; BEGIN { x = x; }
D_OP_DYN 1 struct s { int a; }; translator struct s <int i> { }; END { trace((xlate <struct s> (1), 1)); }
D_OP_DYN 1 struct s { int a; }; translator struct s <int i> { }; END { trace(pid ? xlate <struct s> (1) : 1) }
D_OP_DYN 1 struct s { int a; }; translator struct s <int i> { }; END { trace(pid ? 1 : xlate <struct s> (1)) }
D_XLATE_REDECL 1 struct s { int a; }; translator struct s <int i> { }; translator struct s <int j> { };
D_CG_DYN 1 struct s { int a; }; translator struct s <int i> { a = i; }; BEGIN { xlate <struct s *> (1); }
D_TRACE_DYN 1 struct s { int a; }; translator struct s <int i> { }; END { trace(xlate <struct s *> (1)); }
D_PRINT_DYN 1 struct s { int a; }; translator struct s <int i> { }; END { print(xlate <struct s *> (1)); }
D_DEREF_FUNC 1 int (*f)(int); BEGIN { trace(*f); }
D_ADDROF_BITFIELD 1 struct s { int a : 3; }; BEGIN { trace(&((struct s *)0)->a); }
D_SIZEOF_BITFIELD 1 struct s { int a : 3; } s; BEGIN { trace(sizeof (s.a)); }
D_OFFSETOF_BITFIELD 1 struct s { int a : 3; }; BEGIN { trace(offsetof(struct s, a)); }
D_DIV_ZERO 1 BEGIN { trace(undefined / 0); }
D_VAR_UNDEF 1 BEGIN { @a += 1; }
D_DECL_INCOMPLETE 1 inline enum nosuch x = 1;
D_INT_OFLOW 1 BEGIN { trace(18446744073709551615); }
D_AGG_REDEF 1 BEGIN { @a = count(); @a[nobody] = sum(1); }
D_PROTO_LEN 1 BEGIN { @a[nobody] = sum(); }
"""


def refusal(source: str, options: Options | None = None, arguments: Sequence[str] = (),
            catalog: Catalog | None = None) -> CompileError:
    with pytest.raises(CompileError) as caught:
        target = (options or Options()).choice("target", "illumos")
        compile_d(source, options=options, arguments=arguments, catalog=catalog, target=target)
    return caught.value


@pytest.mark.parametrize("case", [line for line in CASES.splitlines() if line])
def test_refused(case: str) -> None:
    tag, line, rest = case.split(" ", 2)
    match = re.fullmatch(r"(?:\{(.*?)\} |\[(.*?)\] )?(.*)", rest)
    assert match is not None
    options = Options()
    if match[1]:
        options.assign(match[1])
    error = refusal(match[3].replace("\\n", "\n"), options, ["prog", match[2]] if match[2] else [])
    assert error.tag == tag, str(error)
    assert error.first.span.line == int(line)


ELSEWHERE = {
    "needs a kernel's probes, symbols or types: below":
        "D_ARGS_MULTI D_ARGS_TYPE D_ARGS_XLATOR D_ASRELO D_IDENT_AMBIG D_PDESC_ZERO D_SYM_BADREF "
        "D_SYM_NOTYPES",
    "takes 64,000 variables: below": "D_ID_OFLOW",
    "takes 256 parameters: test_providers": "D_PROV_PRARGLEN",
    "comes from a process: tests/unit/providers, tests/tst/pid":
        "D_PROC_ALIGN D_PROC_BADPID D_PROC_BADPROV D_PROC_CREATEFAIL D_PROC_DYN D_PROC_FUNC D_PROC_GRAB "
        "D_PROC_LIB D_PROC_NAME D_PROC_NODEV D_PROC_OFF D_PROC_USDT",
    "would be a fault of ours, or of the types we are given: below": "D_TYPE_ERR",
    "cannot occur: the grammar or the machine does not let it":
        "D_OP_IDENT D_QUANT_PROTO D_SYM_MODEL D_VAR_UNSUP",
}


def test_every_tag_has_a_case() -> None:
    shown = {line.split()[0] for line in CASES.splitlines() if line}
    elsewhere = set(" ".join(ELSEWHERE.values()).split())
    assert not shown & elsewhere
    assert shown | elsewhere == TAGS


def test_line_of_the_error() -> None:
    with pytest.raises(CompileError) as caught:
        compile_d("BEGIN\n{\n\ttrace(1);\n\ttrace(a +\n\t    b);\n}\n")
    assert (caught.value.first.span.line, caught.value.first.span.column) == (4, 8)


@pytest.mark.parametrize("program", [
    "BEGIN /!self->first/ { self->first = 1; }", "BEGIN { trace(!seen[1]); seen[1] = 2; }",
    "BEGIN { trace(-self->a + ~self->b); trace(sizeof (self->c)); }",
    "#pragma D option defaultargs\nBEGIN { trace($1); trace($$2); }",
    "#pragma D option empty\nint x;", "#pragma D attributes Stable/Stable/Common x\nint x; BEGIN { }",
    "struct s { int a; }; translator struct s < int i > { a = i; };"
    "provider foo { probe a(int x) : (struct s *x); }; BEGIN { }",
    "provider foo { probe a(int); };\n#pragma D attributes Stable/Stable/Common provider foo name\nBEGIN { }",
    "dtrace:helper:ustack: /pid == 1/ { this->x = copyinstr(arg0); strjoin(\"@\", this->x) }",
    "BEGIN { @ = lquantize(1, -2147483648, 0, 65535); @b = lquantize(1, 0, 2147483647, 65535); }",
])
def test_accepted(program: str) -> None:
    compile_d(program)


def test_a_pragma_takes_effect_for_what_follows() -> None:
    program = compile_d("#pragma D option pspec\nBEGIN { }\nint* { }").program
    assert [each.probe.name for each in program.ecbs] == ["BEGIN", "int*"]


def test_a_pragma_about_a_provider_of_the_system() -> None:
    """What a clause may rely on is what the least stable part promises."""
    clause = "io:::start { trace(probefunc); }"
    pragma = "#pragma D attributes Private/Evolving/Unknown provider io {}\n"
    private = Attributes(STABILITIES.index("Private"), STABILITIES.index("Evolving"), 0)
    (plain,) = compile_d(clause).clauses
    (described,) = compile_d(pragma.format("provider") + clause).clauses
    assert described.context == private != plain.context
    assert described.attributes == plain.attributes
    (traced,) = compile_d(pragma.format("function") + clause).clauses
    assert traced.attributes == private != plain.attributes
    assert traced.context == plain.context


def test_a_probe_by_its_number_has_its_names() -> None:
    class Numbered(StaticCatalog):
        def probes(self, description: ProbeDesc) -> list[ProbeInfo]:
            return [ProbeInfo(7, "io", "genunix", "bdev_strategy", "start")] if description.id == 7 else []

    result = compile_d("7 { trace(probename); }", catalog=Numbered())
    assert result.program.ecbs[0].probe[:5] == ("io", "genunix", "bdev_strategy", "start", 7)
    assert result.clauses[0].context == compile_d("io:genunix:bdev_strategy:start { }").clauses[0].context
    assert refusal("8 { }", catalog=Numbered()).tag == "D_PDESC_INVAL"


def test_a_program_of_inlines_is_not_empty() -> None:
    assert compile_d("inline int x = 3;").program.ecbs == []
    assert refusal("int x;").tag == "D_EMPTY"


def test_several_errors_together() -> None:
    source = "BEGIN { trace(a); }\nEND { trace(b); }\nBEGIN { trace(1); }\n"
    with pytest.raises(CompileError) as caught:
        compile_d(source, collect=True)
    assert [each.span.line for each in caught.value.diagnostics] == [1, 2]


def test_predicate_may_use_what_actions_create_and_the_other_way() -> None:
    compile_d("BEGIN /x == 0/ { trace(x++); }")
    compile_d("BEGIN /x++/ { trace(x); }")


def test_a_translated_pointer_is_no_address() -> None:
    program = """struct in { int a; }; typedef struct out { int b; } out_t;
        translator out_t < struct in *T > { b = T->a; };
        BEGIN { x = xlate <out_t *> ((struct in *)0); }"""
    with pytest.raises(CompileError, match=r"\(what a translator makes has members") as caught:
        compile_d(program)
    assert caught.value.tag == "D_OP_INCOMPAT"


MADE = "struct s { int a; string b; }; translator struct s <int I> { a = I; b = execname; };" \
    " inline struct s one = xlate <struct s> (1);"


@pytest.mark.parametrize("value", ["xlate <struct s> (1)", "one", "*xlate <struct s *> (1)"])
@pytest.mark.parametrize("action", ["trace", "print"])
def test_a_translated_structure_is_recorded_as_a_whole(action: str, value: str) -> None:
    (made,) = compile_d(f"{MADE} BEGIN {{ {action}({value}); }}").program.ecbs[0].actions
    assert made.difo is not None
    assert tuple(made.difo.rtype) == (0, 6, 1, 260)
    assert made.string == ("struct s" if action == "print" else None)


TRANSLATED_POINTER = """struct out { int b; };
translator struct out < int *T > { b = *T; };
inline struct out *seen = xlate <struct out *> ((int *)arg0);
"""


def test_a_translated_pointer_may_be_part_of_an_expression_only() -> None:
    """There it is the pointer that is translated."""
    found = refusal(TRANSLATED_POINTER + "BEGIN { x = 1;\n printf(\"%p\", seen); }")
    assert (found.tag, found.first.span.line) == ("D_CG_DYN", 5)
    compile_d(TRANSLATED_POINTER + "BEGIN /seen ? 1 : 0/ { trace((void *)seen); x = (struct out *)seen; }")


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
    assert "there is no type nosuch_t" in caught.value.diagnostics[0].message


class _Kernel(StaticCatalog):
    """Two symbols in a loadable module, one without a type; two probes of an unstable provider; an enum."""

    def __init__(self) -> None:
        super().__init__(header_types("enum state { ASLEEP, AWAKE }; typedef enum state state_t;"))

    def symbol(self, module: str | None, name: str) -> Symbol | None:
        types = {"known": "int", "untyped": "no_such_type", "unplaced": "int"}
        address = UNPLACED if name == "unplaced" else 0x1000
        return Symbol(name, "driver", address, 4, types[name]) if name in types else None

    def probes(self, description: ProbeDesc) -> list[ProbeInfo]:
        return [ProbeInfo(1, "odd", "m", "f", "n"), ProbeInfo(2, "odd", "m", "g", "n")] \
            if description.provider in ("odd", "dtrace") else []

    def provider_attributes(self, provider: str) -> ProviderAttributes:
        return (PRIVATE,) * 5


@pytest.mark.parametrize(("tag", "option", "program"), [
    ("D_PDESC_ZERO", "argref", "none:m:f:n { }"),
    ("D_PDESC_INVAL", "zdefs", "77 { }"),
    ("D_ARGS_MULTI", "argref", "odd:::n { trace(args[0]); }"),
    ("D_IDENT_AMBIG", "argref", "dtrace:::BEGIN /(s = (state_t)1) == AWAKE/ { AWAKE = 2; }"),
    ("D_SYM_NOTYPES", "argref", "dtrace:::BEGIN { trace(`untyped); }"),
    ("D_SYM_BADREF", "argref", "dtrace:::BEGIN { trace(``known); }"),
    ("D_IDENT_UNDEF", "argref", "dtrace:::BEGIN { trace(``unknown); }"),
    ("D_ASRELO", "linkmode=primary", "dtrace:::BEGIN { trace(driver`known); }"),
    ("D_ASRELO", "linkmode=dynamic", "dtrace:::BEGIN { trace(driver`known); }"),
])
def test_what_a_kernel_refuses(tag: str, option: str, program: str) -> None:
    options = Options()
    options.assign(option)
    assert refusal(program, options, catalog=_Kernel()).tag == tag


def test_a_symbol_may_wait_for_its_linker() -> None:
    options = Options()
    for option in ("linkmode=dynamic", "knodefs"):
        options.assign(option)
    source = "dtrace:::BEGIN { trace(driver`known); trace(driver`unplaced); }"
    actions = compile_d(source, options=options, catalog=_Kernel()).program.ecbs[0].actions
    for name, address, action in zip(("known", "unplaced"), (0x1000, 0), actions, strict=True):
        assert action.difo is not None
        assert [(each.name, each.offset) for each in action.difo.kreltab] == [(name, 0)]
        assert action.difo.inttab == [address]


@pytest.mark.parametrize(("name", "expression"), [
    ("size_t", "sizeof (int)"), ("ptrdiff_t", "(int *)arg0 - (int *)arg1"), ("int64_t", "x++"),
    ("uint64_t", "uregs[0]")])
def test_types_that_d_itself_needs(name: str, expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No scope that we make lacks one."""
    lookup = Scope.lookup
    monkeypatch.setattr(Scope, "lookup", lambda scope, each: lookup(scope, each) if each != name else None)
    found = refusal(f"BEGIN {{ trace({expression}); }}").first
    assert (found.tag, found.message) == ("D_TYPE_ERR", f"there is no type {name}, on which D relies")


GATHERED = """struct g { int64_t a; int b; }; struct one { int64_t a; };
mine:::go { trace(args[0]); trace(args[0].b); trace(sizeof (args[0])); trace(args[1].a); }"""


def test_a_structure_in_several_arguments() -> None:
    """It is put together in scratch memory, in whole words."""
    class Passing(StaticCatalog):
        def arguments(self, probe: ProbeInfo) -> list[Argument]:
            return [Argument("struct g", parts=(Part(0, 8, 3), Part(8, 4, 5))),
                    Argument("struct one", parts=(Part(0, 8, 1),))]

    actions = compile_d(GATHERED, catalog=Passing()).program.ecbs[0].actions
    whole, part, size, one = (each.difo for each in actions)
    assert whole is not None and part is not None and size is not None and one is not None
    assert [isa.OPCODES[word >> 24].name for word in whole.text] == [
        "setx", "allocs", "setx", "ldga", "stx", "setx", "ldga", "setx", "add", "stw", "ret"]
    assert whole.inttab == [16, 3, 5, 8] and whole.rtype.size == 16
    assert part.inttab == [16, 3, 5, 8] and part.rtype.size == 4
    assert one.inttab == [8, 1] and one.rtype.size == 8
    assert size.inttab == [16]


STATEMENTS = {"record": "trace(1)", "commit": "commit(1)", "speculate": "speculate(1)",
              "discard": "discard(1)", "aggregate": "@ = count()", "destroy": "stop()", "exit": "exit(0)",
              "write": "copyout(alloca(1), 0, 1)", "call": "y = strlen(execname)", "nothing": "x = 1"}
AFTER = {
    "record": {"commit": "D_COMM_DREC", "speculate": "D_SPEC_DREC"},
    "aggregate": {"commit": "D_COMM_DREC", "speculate": "D_SPEC_DREC"},
    "exit": {"commit": "D_COMM_DREC", "speculate": "D_SPEC_DREC"},
    "commit": {"record": "D_DREC_COMM", "commit": "D_COMM_COMM", "speculate": "D_SPEC_COMM",
               "aggregate": "D_AGG_COMM", "exit": "D_DREC_COMM"},
    "speculate": {"speculate": "D_SPEC_SPEC", "aggregate": "D_AGG_SPEC", "destroy": "D_ACT_SPEC",
                  "write": "D_ACT_SPEC", "exit": "D_EXIT_SPEC"},
}


@pytest.mark.parametrize("first", STATEMENTS)
def test_what_may_follow_what(first: str) -> None:
    for second, text in STATEMENTS.items():
        for between in ("", "x = 2; ", "discard(2); "):
            program = f"BEGIN {{ {STATEMENTS[first]}; {between}{text}; }}"
            tag = AFTER.get(first, {}).get(second)
            if tag is None:
                compile_d(program)
            else:
                assert refusal(program).tag == tag, program


def test_too_many_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isa, "VAR_OTHER_MAX", isa.VAR_OTHER_UBASE + 2)
    compile_d("BEGIN { a = b = 1; self->a = 1; }")
    assert refusal("BEGIN { a = b = c = 1; }").tag == "D_ID_OFLOW"


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


DECLARED = SHOWN + TRANSLATOR + """provider mine { probe go(int a, char *b);
    probe turned(char *text, int number) : (shown_t *number); };
"""


def test_args_of_a_provider_that_the_program_declares() -> None:
    """They need no such provider in the system."""
    program = DECLARED + "mine*:::go { trace(args[0]); } mine:::turned { trace(args[0]->twice); }"
    ecbs = compile_d(program, catalog=_Kernel()).program.ecbs
    sizes = [each.difo.rtype.size for ecb in ecbs for each in ecb.actions if each.difo is not None]
    assert sizes == [4, 4]


@pytest.mark.parametrize(("tag", "clause"), [
    ("D_ARGS_IDX", "mine:::go { trace(args[2]); }"),
    ("D_ARGS_MULTI", "mine::: { trace(args[0]); }"),
    ("D_PDESC_ZERO", "mine:::other { }"),
    ("D_PDESC_ZERO", "mine:m::go { }"),
])
def test_a_declared_provider_has_no_more_than_is_declared(tag: str, clause: str) -> None:
    assert refusal(DECLARED + clause, catalog=_Kernel()).tag == tag


class _Implementing(_Translating):
    """A kernel with a provider odd, whose one probe is n."""

    def implements(self, provider: str) -> bool:
        return provider == "odd"

    def probes(self, description: ProbeDesc) -> list[ProbeInfo]:
        return [ProbeInfo(1, "odd", "m", "f", "n")] if description.name in ("", "n") else []

    def arguments(self, probe: ProbeInfo) -> list[Argument]:
        return [Argument("int", "shown_t *", 1), Argument("number_t", "", 0)]


@pytest.mark.parametrize(("message", "probes"), [
    ("", "probe n(shown_t *, number_t);"),
    ("", "probe n(number_t a, int b) : (shown_t *b, number_t a);"),
    ("odd:::other is not one that its provider", "probe n(shown_t *, number_t); probe other();"),
    ("has 1 argument here and is known to have 2", "probe n(shown_t *);"),
    ("has 3 output arguments here and is known to have 2",
     "probe n(number_t a, int b) : (shown_t *b, number_t a, int b);"),
    ("has 3 input arguments here and is known to have 2",
     "probe n(number_t a, int b, int c) : (shown_t *b, number_t a);"),
    ("argument #2 of probe odd:::n is int here and is known to be number_t", "probe n(shown_t *, int);"),
    ("input argument #1 of probe odd:::n is int here",
     "probe n(int a, int b) : (shown_t *b, number_t a);"),
])
def test_a_provider_of_the_system_can_only_be_declared_as_it_is(message: str, probes: str) -> None:
    program = f"typedef int number_t; {SHOWN} {TRANSLATOR}\nprovider odd {{ {probes} }};\nodd:::n {{ }}"
    if not message:
        compile_d(program, catalog=_Implementing())
        return
    error = refusal(program, catalog=_Implementing())
    assert error.tag == "D_PROV_INCOMPAT"
    assert error.first.span.line == 4
    assert message in str(error)


def test_a_library_declares_providers_for_every_program(tmp_path: Path) -> None:
    (tmp_path / "mine.d").write_text("provider mine { probe go(int a); };\n"
                                     "#pragma D attributes Stable/Stable/ISA provider mine provider\n")
    options = Options()
    options.set("libdir", str(tmp_path))
    (clause,) = compile_d("mine:::  { trace(args[0]); }", options=options, catalog=_Kernel()).clauses
    assert clause.context == Attributes(STABILITIES.index("Stable"), STABILITIES.index("Stable"), 4)
    again = refusal("provider mine { probe go(char *); }; mine:::go { }", options, catalog=_Kernel())
    assert again.tag == "D_PROV_INCOMPAT"


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


class Lacking(StaticCatalog):
    """A catalog that has no probe, and knows why for some."""

    def probes(self, description: ProbeDesc) -> list[ProbeInfo]:
        return []

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        return ("D_PROC_GRAB", "there is no process 7") if description.provider == "pid7" else None


@pytest.mark.parametrize(("source", "tag", "text"), [
    ("pid7:::entry { }", "D_PROC_GRAB", "there is no process 7"),
    ("nosuch:::entry { }", "D_PDESC_ZERO", "nosuch:::entry does not match any probes"),
    ("4711 { }", "D_PDESC_INVAL", "there is no probe with the number 4711")])
def test_probes_that_are_not_there(source: str, tag: str, text: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_d(source, catalog=Lacking())
    assert (caught.value.tag, text in str(caught.value)) == (tag, True)
    if tag != "D_PDESC_INVAL":
        compile_d(source, catalog=Lacking(), options=Options({"zdefs": 1}))


@pytest.mark.parametrize(("expression", "column"), [
    ("!" * 2500 + "1", 1998), ("sizeof " * 2500 + "1", 7 * 1997 + 1), ("1" + "+1" * 2500, 2 * (2501 - 1998))])
def test_where_an_expression_is_nested_too_deeply(expression: str, column: int) -> None:
    """2000 levels are walked: the clause, its statement, the call of trace(), and 1997 operators in it."""
    start = "BEGIN { trace("
    with pytest.raises(CompileError, match="expression is nested too deeply") as caught:
        compile_d(f"{start}{expression}); }}")
    assert caught.value.first.span[1:3] == (1, len(start) + column)
