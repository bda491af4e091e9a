"""`dtrace -h -x header=sys`: <sys/sdt.h>, for C, C++ and assembler.

Its macros make probes without a provider file: DTRACE_PROBE2(shop, sale, 1, "tea").  Their names and meaning
are those of SystemTap's header, its STAP_SDT_ARG_CONSTRAINT, _SDT_HAS_SEMAPHORES and STAP_PROBE_ASM included.
"""

from __future__ import annotations

from dof.usdt.header import framed
from dof.usdt.notesheader import NOTES, SYSTEM, parameters, sites, texts

_MOST = 12  # arguments
_COUNTS = range(_MOST + 1)

# _DTRACE_ASM_TEXTS takes operands as the assembler writes them, or a template, which comes as two arguments.
_BY_HAND = """\
#ifdef\tSTAP_SDT_ARG_CONSTRAINT
#define\t_DTRACE_ANY _DTRACE_MANY
#else
#define\t_DTRACE_ANY "nor"
#endif
#ifdef\t_SDT_HAS_SEMAPHORES
#define\t_DTRACE_BY_HAND(provider, probe) \\
\t_DTRACE_NOTE_WITH(#provider, #probe, #provider "_" #probe "_semaphore")
#else
#define\t_DTRACE_BY_HAND(provider, probe) _DTRACE_NOTE_WITH(#provider, #probe, "0")
#endif
#define\t_DTRACE_ASM_TEXT(...) "\\t.ascii \\"" _DTRACE_STRING(__VA_ARGS__) "\\"\\n"
#define\t_DTRACE_FIRST(first, ...) first
#define\t_DTRACE_THIRD(first, second, third, ...) third
#define\t_DTRACE_ASM_TEXTS(...) \\
\t_DTRACE_THIRD(__VA_ARGS__, _DTRACE_FIRST, _DTRACE_ASM_TEXT, ~)(__VA_ARGS__)
#define\tSTAP_PROBE_ASM(provider, probe, ...) \\
\t_DTRACE_BY_HAND(provider, probe) _DTRACE_ASM_TEXTS(__VA_ARGS__) _DTRACE_NOTE_END
#define\tSTAP_PROBE_ASM_TEMPLATE(count) _DTRACE_TEXTS##count, template
#define\tSTAP_PROBE_ASM_OPERANDS(count, ...) _DTRACE_OPERANDS##count(__VA_ARGS__)
#define\t_DTRACE_OPERANDS0(...) [_dts0] "n" (0)
#define\t_DTRACE_TEXTS0 ""
"""
_INERT = """\
#ifdef\t__ASSEMBLER__
#define\t_DTRACE_NOTHING
#else
#define\t_DTRACE_NOTHING ((void)0)
#endif
#define\tSTAP_PROBE_ASM(...) ""
#define\tSTAP_PROBE_ASM_TEMPLATE(count) ""
#define\tSTAP_PROBE_ASM_OPERANDS(...) [_dts0] "n" (0)
"""
_ASSEMBLER = """\
#ifdef\t__LP64__
#define\t_DTRACE_ADDRESS .8byte
#else
#define\t_DTRACE_ADDRESS .4byte
#endif
#if defined(__s390__)
#define\t_DTRACE_NOP nop 0
#else
#define\t_DTRACE_NOP nop
#endif
#ifdef\t_SDT_HAS_SEMAPHORES
#define\t_DTRACE_COUNTER(provider, probe) provider##_##probe##_semaphore
#else
#define\t_DTRACE_COUNTER(provider, probe) 0
#endif
#define\t_DTRACE_BY_HAND(provider, probe, arguments) \\
\t990: _DTRACE_NOP; .pushsection .note.stapsdt, "?", "note"; .balign 4; \\
\t.4byte 992f-991f, 994f-993f, 3; 991: .asciz "stapsdt"; 992: .balign 4; \\
\t993: _DTRACE_ADDRESS 990b; _DTRACE_ADDRESS _.stapsdt.base; \\
\t_DTRACE_ADDRESS _DTRACE_COUNTER(provider, probe); \\
\t.asciz #provider; .asciz #probe; .asciz #arguments; 994: .balign 4; .popsection; \\
\t.ifndef _.stapsdt.base; \\
\t.pushsection .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat; \\
\t.weak _.stapsdt.base; .hidden _.stapsdt.base; _.stapsdt.base: .space 1; \\
\t.size _.stapsdt.base, 1; .popsection; .endif
"""
_VARIADIC = f"""\
#define\t_DTRACE_COUNT(...) _DTRACE_COUNTED(__VA_ARGS__, {', '.join(map(str, reversed(_COUNTS)))}, ~)
#define\t_DTRACE_COUNTED({', '.join(f'_{number}' for number in _COUNTS)}, count, ...) count
#define\t_DTRACE_PASTE(name, count) _DTRACE_PASTED(name, count)
#define\t_DTRACE_PASTED(name, count) name##count
#define\tSTAP_PROBE0 STAP_PROBE
#define\tSTAP_PROBEV(provider, ...) \\
\t_DTRACE_PASTE(STAP_PROBE, _DTRACE_COUNT(__VA_ARGS__))(provider, __VA_ARGS__)
"""


def generate() -> str:
    """The header's text."""
    compiled = _BY_HAND + "".join(_operands(count) + _names(count, _compiled(count)) for count in _COUNTS)
    assembled = _ASSEMBLER + "".join(_names(count, _assembled(count)) for count in _COUNTS)
    inert = "".join(_names(count, "_DTRACE_NOTHING") for count in _COUNTS)
    return framed(SYSTEM, f"""\
#ifndef\t__ASSEMBLER__
{NOTES}{sites(_COUNTS)}#endif
#if !_DTRACE_VERSION
{_INERT}{inert}#elif defined(__ASSEMBLER__)
{assembled}#else
{compiled}#endif
{_VARIADIC}
""", "", "sys_sdt.h")


def _operands(count: int) -> str:
    """The operands and the template of STAP_PROBE_ASM for `count` arguments."""
    values = ", ".join(f"_DTRACE_OPERAND({number}, _DTRACE_ANY, {name})"
                       for number, name in enumerate(parameters(count), 1))
    return f"#define\t_DTRACE_TEXTS{count} {texts(count)}\n" \
           f"#define\t_DTRACE_OPERANDS{count}({', '.join(parameters(count))}) {values}\n" if count else ""


def _compiled(count: int) -> str:
    note = "_DTRACE_BY_HAND(provider, probe)"
    return f"_DTRACE_PROBE{count}({', '.join([note, *parameters(count)])})"


def _assembled(count: int) -> str:
    return f"_DTRACE_BY_HAND(provider, probe, {' '.join(parameters(count))})"


def _names(count: int, meaning: str) -> str:
    """The macro of probes with `count` arguments, under both its names."""
    arguments = ", ".join(["provider", "probe", *parameters(count)])
    suffix = str(count) if count else ""
    return (f"#define\tSTAP_PROBE{suffix}({arguments}) \\\n\t{meaning}\n"
            f"#define\tDTRACE_PROBE{suffix}({arguments}) STAP_PROBE{suffix}({arguments})\n")
