# ruff: noqa: SIM905
"""Diagnostics as data: what is wrong, where, and what might help; rendered only at the very end.

The tags are those of D's own error table (dt_errtags.h): tests and scripts
name them, and `-x errtags` prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from dif.records import NamedTuple

TAGS = frozenset("""
D_UNKNOWN D_SYNTAX D_EMPTY D_TYPE_ERR D_TYPE_MEMBER D_ASRELO D_CG_EXPR D_CG_DYN D_ATTR_MIN
D_ID_OFLOW D_PDESC_ZERO D_PDESC_INVAL D_PRED_SCALAR D_FUNC_IDENT D_FUNC_UNDEF D_FUNC_IDKIND
D_OFFSETOF_TYPE D_OFFSETOF_BITFIELD D_SIZEOF_TYPE D_SIZEOF_BITFIELD D_STRINGOF_TYPE D_OP_IDENT
D_OP_INT D_OP_SCALAR D_OP_ARITH D_OP_WRITE D_OP_LVAL D_OP_INCOMPAT D_OP_VFPTR D_OP_ARRFUN D_OP_PTR
D_OP_SOU D_OP_INCOMPLETE D_OP_DYN D_OP_ACT D_AGG_REDEF D_AGG_FUNC D_AGG_MDIM D_ARR_BADREF D_ARR_LOCAL
D_DIV_ZERO D_DEREF_NONPTR D_DEREF_VOID D_DEREF_FUNC D_ADDROF_LVAL D_ADDROF_VAR D_ADDROF_BITFIELD
D_XLATE_REDECL D_XLATE_NOCONV D_XLATE_NONE D_XLATE_SOU D_XLATE_INCOMPAT D_XLATE_MEMB D_CAST_INVAL
D_PRAGERR D_PRAGCTL_INVAL D_PRAGMA_INVAL D_PRAGMA_UNUSED D_PRAGMA_MALFORM D_PRAGMA_OPTSET
D_PRAGMA_SCOPE D_PRAGMA_DEPEND D_MACRO_UNDEF D_MACRO_OFLOW D_MACRO_UNUSED D_INT_OFLOW D_INT_DIGIT
D_STR_NL D_CHR_NL D_CHR_NULL D_CHR_OFLOW D_IDENT_BADREF D_IDENT_UNDEF D_IDENT_AMBIG D_SYM_BADREF
D_SYM_NOTYPES D_SYM_MODEL D_VAR_UNDEF D_VAR_UNSUP D_PROTO_LEN D_PROTO_ARG D_ARGS_MULTI D_ARGS_XLATOR
D_ARGS_NONE D_ARGS_TYPE D_ARGS_IDX D_REGS_IDX D_KEY_TYPE D_PRINTF_DYN_PROTO D_PRINTF_DYN_TYPE
D_PRINTF_AGG_CONV D_PRINTF_ARG_PROTO D_PRINTF_ARG_TYPE D_PRINTF_ARG_EXTRA D_PRINTF_ARG_FMT
D_PRINTF_FMT_EMPTY D_DECL_CHARATTR D_DECL_VOIDATTR D_DECL_SIGNINT D_DECL_LONGINT D_DECL_IDENT
D_DECL_CLASS D_DECL_BADCLASS D_DECL_PARMCLASS D_DECL_COMBO D_DECL_ARRSUB D_DECL_ARRNULL D_DECL_ARRBIG
D_DECL_IDRED D_DECL_TYPERED D_DECL_MNAME D_DECL_SCOPE D_DECL_BFCONST D_DECL_BFSIZE D_DECL_BFTYPE
D_DECL_ENCONST D_DECL_ENOFLOW D_DECL_USELESS D_DECL_LOCASSC D_DECL_VOIDOBJ D_DECL_DYNOBJ
D_DECL_INCOMPLETE D_DECL_PROTO_VARARGS D_DECL_PROTO_TYPE D_DECL_PROTO_VOID D_DECL_PROTO_NAME
D_DECL_PROTO_FORM D_COMM_COMM D_COMM_DREC D_SPEC_SPEC D_SPEC_COMM D_SPEC_DREC D_AGG_COMM D_AGG_SPEC
D_AGG_NULL D_AGG_SCALAR D_ACT_SPEC D_EXIT_SPEC D_DREC_COMM D_PRINTA_PROTO D_PRINTA_AGGARG
D_PRINTA_AGGBAD D_PRINTA_AGGKEY D_PRINTA_AGGPROTO D_TRACE_VOID D_TRACE_DYN D_TRACE_AGG D_PRINT_VOID
D_PRINT_DYN D_PRINT_AGG D_TRACEMEM_ADDR D_TRACEMEM_SIZE D_TRACEMEM_ARGS D_TRACEMEM_DYNSIZE
D_STACK_PROTO D_STACK_SIZE D_USTACK_FRAMES D_USTACK_STRSIZE D_USTACK_PROTO D_LQUANT_BASETYPE
D_LQUANT_BASEVAL D_LQUANT_LIMTYPE D_LQUANT_LIMVAL D_LQUANT_MISMATCH D_LQUANT_STEPTYPE D_LQUANT_STEPVAL
D_LQUANT_STEPLARGE D_LQUANT_STEPSMALL D_QUANT_PROTO D_PROC_OFF D_PROC_ALIGN D_PROC_NAME D_PROC_GRAB
D_PROC_DYN D_PROC_LIB D_PROC_FUNC D_PROC_CREATEFAIL D_PROC_NODEV D_PROC_BADPID D_PROC_BADPROV
D_PROC_USDT D_CLEAR_PROTO D_CLEAR_AGGARG D_CLEAR_AGGBAD D_NORMALIZE_PROTO D_NORMALIZE_SCALAR
D_NORMALIZE_AGGARG D_NORMALIZE_AGGBAD D_TRUNC_PROTO D_TRUNC_SCALAR D_TRUNC_AGGARG D_TRUNC_AGGBAD
D_PROV_BADNAME D_PROV_INCOMPAT D_PROV_PRDUP D_PROV_PRARGLEN D_PROV_PRXLATOR D_FREOPEN_INVALID
D_LQUANT_MATCHBASE D_LQUANT_MATCHLIM D_LQUANT_MATCHSTEP D_LLQUANT_FACTORTYPE D_LLQUANT_FACTORVAL
D_LLQUANT_FACTORMATCH D_LLQUANT_LOWTYPE D_LLQUANT_LOWVAL D_LLQUANT_LOWMATCH D_LLQUANT_HIGHTYPE
D_LLQUANT_HIGHVAL D_LLQUANT_HIGHMATCH D_LLQUANT_NSTEPTYPE D_LLQUANT_NSTEPVAL D_LLQUANT_NSTEPMATCH
D_LLQUANT_MAGRANGE D_LLQUANT_FACTORNSTEPS D_LLQUANT_FACTOREVEN D_LLQUANT_FACTORSMALL
D_LLQUANT_MAGTOOBIG D_NOREG D_PRINTM_ADDR D_PRINTM_SIZE
""".split())


class Span(NamedTuple):
    """A piece of one source line: `line` and `column` count from 1, `end` is the column after it."""

    file: str = ""
    line: int = 0
    column: int = 0
    end: int = 0


NOWHERE = Span()


class Diagnostic(NamedTuple):
    """One message to the user.  `region` names the place in a program without lines ("action list")."""

    tag: str
    span: Span
    message: str
    hints: tuple[str, ...] = ()
    region: str = ""


class CompileError(Exception):
    """The errors of a program: no other exception ends a compilation.

    `texts` has the texts, by file, that were read besides the program's own, and in which errors may be.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic] = (), texts: Mapping[str, str] | None = None
                 ) -> None:
        super().__init__(diagnostics)
        self.diagnostics = list(diagnostics)
        self.texts = dict(texts or {})

    @property
    def first(self) -> Diagnostic:
        return self.diagnostics[0]

    @property
    def tag(self) -> str:
        return self.first.tag

    def __str__(self) -> str:
        return "; ".join(one_line(each) for each in self.diagnostics)

    def in_region(self, region: str) -> CompileError:
        """The same error, with `region` in each diagnostic that has none."""
        return CompileError([each if each.region else each._replace(region=region)
                             for each in self.diagnostics], self.texts)


def error(tag: str, span: Span, message: str, *hints: str) -> CompileError:
    """The exception for one error: `raise error("D_IDENT_UNDEF", node.span, "...")`.

    Raises ValueError for a tag that is none of TAGS.
    """
    if tag not in TAGS:
        raise ValueError(f"no such tag: {tag}")
    return CompileError([Diagnostic(tag, span, message, hints)])


def with_article(noun: str) -> str:
    """The noun behind `a` or `an`."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def did_you_mean(name: str, known: Iterable[str], fits: Callable[[str], bool] = bool,
                 spelt: Callable[[str], str] = str) -> tuple[str, ...]:
    """A hint with the nearest known name that `fits`, as `spelt` spells it; no hint where none is near."""
    import difflib

    close = next(filter(fits, difflib.get_close_matches(name, known, 8, 0.75)), None)
    return () if close is None else (f"did you mean `{spelt(close)}`?",)


def as_data(diagnostic: Diagnostic, script: str, severity: str) -> dict[str, str | int | None]:
    """A diagnostic of JSON's types, for editors and CI; `script` is the program's path, "" if it has none.

    Lines and columns count from 1, and `end_column` is the one behind the place; what is unknown is None.
    """
    span = diagnostic.span
    return {"type": "diagnostic", "severity": severity, "tag": diagnostic.tag,
            "file": span.file or script or None, "line": span.line or None, "column": span.column or None,
            "end_column": span.end or None, "message": diagnostic.message,
            "hint": "; ".join(diagnostic.hints) or None, "region": diagnostic.region or None}


# -- rendering -----------------------------------------------------------------------------------------

def one_line(diagnostic: Diagnostic, *, tags: bool = False, lines: bool = True) -> str:
    """The classic form: `[TAG] line N: message`, or `in REGION:` for a program given as a string.

    `tags` prints the tag; `lines` is False for a program that has no lines (-n and its like).
    """
    span = diagnostic.span
    if span.file:
        where = f'"{span.file}", line {span.line}: '
    elif lines and span.line:
        where = f"line {span.line}: "
    elif diagnostic.region:
        where = f"in {diagnostic.region}: "
    else:
        where = ""
    return _printable(f"{f'[{diagnostic.tag}] ' if tags else ''}{where}{diagnostic.message}")


def _printable(text: str) -> str:
    """The text with `?` for each character that would control a terminal."""
    return "".join(char if char.isprintable() or char in "\t\n" else "?" for char in text)


def texts(program: str, others: Mapping[str, str] | None = None) -> Callable[[str, int], str | None]:
    """`source` for `render`: lines of the program, whose file is "", and of other texts by their files.

    No file is opened: the name of a file that is none of these is a label, which only a line marker of the
    program itself (`# 2 "x.y"`) can have given to a line of the program.
    """
    def line(file: str, number: int) -> str | None:
        text = (others or {}).get(file)
        return labelled_line(program, file, number) if text is None else labelled_line(text, "", number)

    return line


def labelled_line(text: str, file: str, line: int) -> str | None:
    """The first line of `text` that has this label, by its line markers; None if none has."""
    import re  # late: errors are rare, and it is slow to come

    marker = re.compile(r'[ \t]*#[ \t]*(?:(?:pragma[ \t]+(?:D[ \t]+)?)?line[ \t]+)?'
                        r'(\d{1,9})(?:[ \t]+"([^"]*)")?')
    where, at = "", 1
    for each in text.split("\n"):
        match = marker.match(each)
        if match is not None:
            at, where = int(match[1]), where if match[2] is None else match[2]
        elif (where, at) == (file, line):
            return each
        else:
            at += 1
    return None


def render(diagnostics: Sequence[Diagnostic], context: str, *, source: Callable[[str, int], str | None],
           tags: bool = False, lines: bool = True, colour: bool = False, program: str = "dtrace",
           preprocessed: Callable[[str, int], str | None] | None = None) -> str:
    """Every diagnostic as text, ending in a newline.

    `context` is what failed ("failed to compile script x.d").  With `tags`
    each is the classic single line; otherwise the source line follows with a
    caret below the place, hints, and where there is more to read.  `source` gives a line by the file in a
    span ("" is the program itself) and its number, or None; `preprocessed`
    gives what -C made of that line, or None.
    """
    out: list[str] = []
    seen: set[tuple[str, Span, str]] = set()
    for each in diagnostics:
        key = (each.tag, each.span, each.message)
        if key in seen:
            continue
        seen.add(key)
        bold, red, reset = ("\x1b[1m", "\x1b[1;31m", "\x1b[0m") if colour else ("", "", "")
        out.append(f"{bold}{program}: {context}: {red}{one_line(each, tags=tags, lines=lines)}{reset}")
        if not tags:
            out += _excerpt(each.span, source, preprocessed, red, reset)
            out += [f"  hint: {hint}" for hint in each.hints]
            out.append(f"  more: dtrace --explain {each.tag}")
    return "\n".join(out) + "\n"


def _excerpt(span: Span, source: Callable[[str, int], str | None],
             preprocessed: Callable[[str, int], str | None] | None, red: str, reset: str) -> list[str]:
    """The line that a span is in, and what the preprocessor made of it if that is something else."""
    line = source(span.file, span.line) if span.column else None
    if line is None and preprocessed is not None:
        line = preprocessed(span.file, span.line)
    if line is None or not span.column or not line.strip():  # the end of a text shows nothing
        return []
    line = line.rstrip("\r")
    if preprocessed is not None:
        after = preprocessed(span.file, span.line) or line
        written = as_written(span, line, after)
        if written is None:
            return [f"  {_printable(line)}", "  which the preprocessor makes",
                    *_marked(after, span, red, reset)]
        span = written
    return _marked(line, span, red, reset)


def as_written(span: Span, line: str, after: str) -> Span | None:
    """Where a piece of what the preprocessor made of a line stands in the line; None if a macro has it."""
    place = after[span.column - 1:span.end - 1]
    if not place:  # it is behind the line's end
        return span
    if line.count(place) != after.count(place):
        return None
    at = -1
    for _ in range(after.count(place, 0, span.column - 1) + 1):
        at = line.index(place, at + 1)
    return span._replace(column=at + 1, end=at + 1 + len(place))


def _marked(line: str, span: Span, red: str, reset: str) -> list[str]:
    """A line, or the part of a long one that matters, with carets below the span."""
    start = max(0, span.column - 60) if len(line) > 110 else 0
    shown = line[start:start + 110]
    before, place = shown[:span.column - 1 - start], shown[span.column - 1 - start:span.end - 1 - start]
    if span.end > len(line) + 1:  # the text that the preprocessor made of it is unknown
        return [f"  {_printable(shown)}"]
    lead = "".join("\t" if char == "\t" else " " * _cells(char) for char in before)
    return [f"  {_printable(shown)}", f"  {lead}{red}{'^' * max(1, sum(map(_cells, place)))}{reset}"]


def _cells(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if char.isascii():
        return 1
    import unicodedata

    return 0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
