"""Several errors in one program: each is told, and nothing that only follows from another."""

from __future__ import annotations

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError

PROGRAMS = {
    "of a declaration": (["D_IDENT_UNDEF 1"], """int a[size];
        BEGIN { a[0] = 1; trace(a[1]); }"""),
    "of a structure": (["D_SYNTAX 1", "D_IDENT_UNDEF 4"], """struct s { missing_t a; int b; };
        struct s s;
        BEGIN { trace(s.b); trace(((struct s *)0)->b); }
        END { trace(other); }"""),
    "of a typedef": (["D_SYNTAX 1", "D_DECL_COMBO 3"], """typedef missing_t mine_t;
        mine_t a;
        int char c;
        BEGIN { trace(a); trace((mine_t)1); }"""),
    "of an inline": (["D_IDENT_UNDEF 1"], """inline int twice = 2 * once;
        BEGIN { trace(twice); }"""),
    "of variables": (["D_IDENT_UNDEF 1", "D_FUNC_UNDEF 2", "D_FUNC_UNDEF 3"], """BEGIN { x = nothing;
            self->y = other(1);
            @z[x] = third(); }
        END /x == self->y/ { trace(x); trace(self->y); printa(@z); }"""),
    "of statements": (["D_PROTO_LEN 1", "D_OP_LVAL 2", "D_PRINTF_ARG_PROTO 3", "D_EXIT_SPEC 5"],
                      """BEGIN { trace(strlen());
            1 = 2;
            printf("%d");
            speculate(1);
            exit(0); }"""),
    "of a predicate and its actions": (["D_PRED_SCALAR 1", "D_VAR_UNDEF 1"],
                                       'BEGIN /"a"/ { trace(self->nothing); }'),
    "of what cannot be parsed": (["D_SYNTAX 1", "D_STR_NL 2", "D_SYNTAX 4", "D_MACRO_UNDEF 5"],
                                 """BEGIN { x = ; }
        BEGIN { trace("a
            b"); }
        BEGIN { trace(x); y = 1.5; }
        BEGIN { trace(y); trace($9); }"""),
    "of pragmas": (["D_PRAGMA_OPTSET 1", "D_PRAGMA_INVAL 2", "D_PRAGMA_UNUSED 3", "D_DIV_ZERO 4"],
                   """#pragma D option nothing
#pragma D nothing
#pragma D attributes Stable/Stable/Common nothing
BEGIN { trace(1 / 0); }"""),
    "of a name that is nobody's": (["D_IDENT_UNDEF 1"],
                                   "BEGIN { trace(pidd); } END /pidd/ { trace(pidd + 1); }"),
    "of names that are known": ([*(f"D_IDENT_UNDEF {line}" for line in range(1, 8)), "D_TRACE_AGG 7"],
                                """enum color { RED }; typedef int own_t; BEGIN { trace(RED + one); }
        BEGIN { trace(RED + two); }
        BEGIN { trace((own_t)three); }
        BEGIN { trace((own_t)four); }
        BEGIN { @b = count(); self->a = 1; trace(self->a + five); }
        BEGIN { trace(self->a + 1); printa(@b, six); }
        BEGIN { @c[seven] = count(); } END { trace(seven); trace(@b); }
        """),
    "of if and else": (["D_IDENT_UNDEF 1", "D_IDENT_UNDEF 2", "D_OP_INT 3"], """BEGIN { if (a) {
            trace(b); } else {
            trace(~"c"); } }"""),
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_the_errors(case: str) -> None:
    expected, program = PROGRAMS[case]
    with pytest.raises(CompileError) as caught:
        compile_d(program, collect=True, filename="script.d")
    assert [f"{each.tag} {each.span.line}" for each in caught.value.diagnostics] == expected


def test_nothing_is_searched_for_unless_asked() -> None:
    for _, program in PROGRAMS.values():
        with pytest.raises(CompileError) as caught:
            compile_d(program)
        assert len(caught.value.diagnostics) == 1
