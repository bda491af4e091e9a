"""D programs: each is refused with a diagnostic, or becomes DOF that a kernel takes."""

from __future__ import annotations

from dc.compiler import Compiler
from dc.diagnostics import CompileError, render, texts
from dc.options import Options
from dif import isa
from dof import reader, writer
from dof.format import DofError
from tests.fuzz import programs
from tests.fuzz.engine import Target
from tests.fuzz.mutation import Grammar, blind, mixed, tokens

GRAMMAR = Grammar({
    "program": ("<clause>", "<declaration><clause>", "<declaration><declaration><clause> <clause>",
                "<clause> <clause>",
                "#pragma D option <option>\n<clause>"),
    "option": ("quiet", "strsize=16", "bufsize=1k", "destructive", "aggsortkey", "nspec=4", "defaultargs"),
    "declaration": ("int v;", "<type> v;", "self <type> s;", "this <type> t;", "<type> a[<type>];",
                    "struct q { <type> m; <type> n : 3; <type> *p; };", "typedef <type> w_t;",
                    "enum g { A, B = <number> };",
                    "inline int i = <expression>;", "inline string f[int x, string y] = x ? y : \"no\";",
                    "translator struct q <struct psinfo *P> { m = P->pr_pid; };",
                    "union u { int a; char b[4]; };",
                    "provider prv { probe go(int, <type>); };"),
    "clause": ("BEGIN { <statement> }", "<probe> { <statements> }",
               "<probe>, <probe> /<expression>/ { <statements> }",
               "<probe> /<expression>/",
               "<probe> { if (<expression>) { <statements> } else { <statements> } }"),
    "probe": ("BEGIN", "END", "ERROR", "syscall::read:entry", "io:::start", "pid$target::malloc:entry",
              "profile-99",
              "proc:::exec-success", "fbt::*:return", "tick-1s", "sched:::on-cpu", "dtrace:helper:ustack:",
              "prv1:::go", "ip:::send"),
    "statements": ("", "<statement>", "<statement> <statements>", "<statement> <statement>"),
    "statement": ("trace(<expression>);", "<lvalue> = <expression>;", "<lvalue> += <expression>;",
                  "<lvalue>++;",
                  "@ = count();", "@[<expression>] = <aggregating>;",
                  "@n[<expression>, <expression>] = <aggregating>;",
                  "printf(\"<format>\", <expression>);",
                  "printf(\"<format> <format>\\n\", <expression>, <expression>);",
                  "stack(<number>);", "ustack(3, <number>);", "speculate(<expression>);",
                  "commit(<expression>);", "exit(<expression>);",
                  "tracemem(<expression>, <number>);", "print(<expression>);", "printa(@n);", "clear(@);",
                  "trunc(@n, <number>);",
                  "raise(<expression>);", "system(\"x %s\", <expression>);", "<expression>;",
                  "normalize(@n, <expression>);",
                  "freopen(\"\");", "sym(<expression>);", "usym(<expression>);",
                  "copyout(<expression>, <expression>, 4);", "setopt(\"quiet\");"),
    "aggregating": ("count()", "sum(<expression>)", "avg(<expression>)", "quantize(<expression>)",
                    "min(<expression>)",
                    "lquantize(<expression>, 0, 100, <number>)", "llquantize(<expression>, 10, 0, 6, 20)",
                    "stddev(<expression>)", "max(<expression>)"),
    "lvalue": ("this->t", "self->s", "v", "a[<expression>]", "this->x", "self->y", "new",
               "self->b[<expression>]", "*(int *)<expression>", "n[pid, <expression>]"),
    "expression": ("arg0", "<number>", "<leaf>", "<leaf>", "<expression> <binary> <expression>",
                   "(<expression>)", "<unary><expression>",
                   "<expression> ? <expression> : <expression>", "(<type>)<expression>", "sizeof (<type>)",
                   "sizeof (<expression>)",
                   "<call>", "<lvalue>", "*<expression>", "<expression>-><member>",
                   "<expression>[<expression>]", "offsetof(struct q, m)",
                   "xlate <struct q>(<expression>)", "i", "f[<expression>, <expression>]",
                   "<expression>, <expression>", "&<lvalue>"),
    "leaf": ("arg0", "args[0]", "pid", "execname", "curthread", "curpsinfo->pr_psargs", "timestamp",
             "\"text\"", "'c'", "`kmem_flags",
             "probefunc", "curthread->t_procp->p_pidp", "stackdepth", "A", "SIGKILL", "O_CREAT", "errno",
             "$1", "$target", "$$2", "uregs[0]",
             "args[1]->dev_statname", "curcpu->cpu_id", "NULL", "genunix`p0", "stringof(\"a\")",
             "fds[0].fi_pathname", "ppid", "zonename"),
    "call": ("strlen(<expression>)", "copyinstr(<expression>)", "strjoin(<expression>, <expression>)",
             "substr(<expression>, 1, <number>)",
             "alloca(<number>)", "basename(<expression>)", "strtok(<expression>, \",\")", "rand()",
             "speculation()", "lltostr(<expression>)",
             "mutex_owned((kmutex_t *)<expression>)", "copyin(<expression>, <number>)",
             "inet_ntop(2, <expression>)", "json(<expression>, \"a.b\")",
             "strtoll(<expression>, 10)", "bcopy(<expression>, <expression>, <number>)",
             "msgsize(<expression>)", "getmajor(<expression>)", "toupper(<expression>)",
             "index(<expression>, <expression>)", "htonl(<expression>)", "progenyof(<expression>)",
             "ddi_pathname(<expression>, 1)", "getf(<expression>)"),
    "binary": ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "^^", "==", "!=", "<", "<=",
               ">", ">="),
    "unary": ("-", "!", "~", "*", "&", "+", "++", "--"),
    "member": ("pr_pid", "t_procp", "b_edev", "x", "p_pidp", "m", "p", "pr_fname"),
    "type": ("int", "char", "uint64_t", "string", "struct q", "struct q *", "char *", "short",
             "unsigned char", "int32_t", "long long",
             "psinfo_t *", "void *", "enum g", "w_t", "float", "int *", "struct proc", "const char *", "void",
             "int[3]", "userland pid_t"),
    "number": ("1", "0", "8", "-1", "255", "4096", "0x7fffffff", "2147483648", "0xffffffffffffffff", "10ULL",
               "16", "64", "1000000"),
    "format": ("%d", "%s", "%x", "%p", "%-10s", "%5.2d", "%Y", "%a", "%c", "%hhd", "%llu", "%k", "%*d", "%%",
               "%@d", "%C", "%A", "%i", "%S", "%T", "%e"),
}, depth=6)
WORDS = (
    *(b"BEGIN END self this trace printf @ count() sum quantize ( ) { } [ ] ; , : / /* */ // -> . * & ` ' \" "
      b"# @a $1 $$1 0x 1e5 1.5 sizeof xlate translator inline provider probe typedef struct union enum if "
      b"else int char string void #pragma option quiet 99999999999999999999 <<= >>= ^^ ++ -- ... ? % ~ ! "
      b"offsetof goto stringof counter extern register static const unsigned import \\").split(),
    b"\n# 2 \"x\"\n", b"\n#pragma D option strsize=8\n", b"\n#line 3\n",
    *(row.name.encode() for row in (*isa.SUBROUTINES, *isa.VARIABLES)))
LARGE = "by reference exceeds"
OPTIONS = {"argref": 1, "defaultargs": 1}


def run(data: bytes) -> object:
    text = data.decode("utf-8", "surrogateescape")
    try:
        program = Compiler(programs.catalog(), libraries=programs.libraries(),
                           variables={"pid": 1, "target": 0}).compile(
            text, filename="script.d", options=Options(dict(OPTIONS)),
            arguments=["script.d", "1", "two"]).program
    except CompileError as error:
        render(error.diagnostics, "failed to compile script.d", source=texts(text), lines=True, tags=True)
        raise
    try:
        known = reader.read_enabling(writer.write(program))
    except DofError as error:
        if LARGE in str(error):  # how large a variable may be is a kernel's to say, by a tunable
            return LARGE
        raise
    return len(known.ecbs), len(known.options)


def seeds() -> list[bytes]:
    return [source.encode() for source in (*programs.scripts(), *programs.FIRING)]


def target() -> Target:
    mutate = mixed((5, tokens(WORDS, longest=1500)), (4, GRAMMAR.mutator("program")), (1, blind))
    return Target(run, (CompileError,), mutate, seeds, seconds=10)
