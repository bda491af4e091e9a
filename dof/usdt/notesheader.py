"""`dtrace -h -x header=sdt`: a C and C++ header whose probes are notes, as SystemTap's dtrace writes them.

Each probe is a `nop` and a note in .note.stapsdt (see dof.usdt.stapsdt), made by the assembler where the
probe stands: nothing has to be done to objects.  Whether anyone listens is told by a semaphore, a counter of
16 bits in section .probes named PROVIDER_PROBE_semaphore.  Each object has it as a weak symbol; the object
that -G makes for such headers has it as a strong one.

The C compiler knows the type of each argument where the probe stands, so the header needs their number only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dof.usdt.definition import ProbeDefinition, ProviderDefinition, function_name
from dof.usdt.header import framed, macro, switched

# A project that makes errors of its warnings means its own code by that.
SYSTEM = "#if defined(__GNUC__)\n#pragma GCC system_header\n#endif\n"

# An argument in a note is a sign, a size in bytes, "f" for floating point, "@", and its place: -4@%edi.
# The compiler packs what precedes the place into one number: the last digit of the size as a character,
# and from bit 8 on whether it has a sign, is floating, and has a 1 before its last digit.  The assembler
# unpacks it: .fill writes a character once or not at all.
#
# C++ finds types by templates, C by the operator "," and __builtin_classify_type: both make a pointer of an
# array.  Floating point is class 8; of classes 1 to 4, integers, the type itself says whether it is signed.
#
# "?" puts a note into the group of the function: a copy of an inline function that the linker drops takes its
# notes along.
NOTES = """\
#if _DTRACE_VERSION && !defined(_DTRACE_NOTE)
#ifdef\t__LP64__
#define\t_DTRACE_ADDRESS "\\t.8byte "
#else
#define\t_DTRACE_ADDRESS "\\t.4byte "
#endif
#define\t_DTRACE_STRING(...) _DTRACE_QUOTED(__VA_ARGS__)
#define\t_DTRACE_QUOTED(...) #__VA_ARGS__
#if defined(STAP_SDT_ARG_CONSTRAINT)
#define\t_DTRACE_FEW _DTRACE_STRING(STAP_SDT_ARG_CONSTRAINT)
#define\t_DTRACE_MANY _DTRACE_FEW
#elif defined(__mips__)
#define\t_DTRACE_FEW "nor"
#else
#define\t_DTRACE_FEW "nr"
#endif
#ifndef\t_DTRACE_MANY
#if defined(__powerpc__)
#define\t_DTRACE_MANY "nZ"
#elif defined(__LP64__)
#define\t_DTRACE_MANY "nor"
#else
#define\t_DTRACE_MANY "no"
#endif
#endif
#if defined(__x86_64__)
#define\t_DTRACE_PLACE(number) "%q[_dta" #number "]"
#elif defined(__i386__)
#define\t_DTRACE_PLACE(number) "%k[_dta" #number "]"
#elif defined(__powerpc__)
#define\t_DTRACE_PLACE(number) "%I[_dta" #number "]%[_dta" #number "]"
#else
#define\t_DTRACE_PLACE(number) "%[_dta" #number "]"
#endif
#if defined(__s390__)
#define\t_DTRACE_NOP "nop\\t0"
#else
#define\t_DTRACE_NOP "nop"
#endif
#ifdef\t__cplusplus
extern "C++" {
__extension__ typedef long long _dtrace_long_long;
template <typename _dtrace_type> _dtrace_type _dtrace_value(_dtrace_type);
template <typename _dtrace_type> struct _dtrace_signed { enum { _dtrace_is = 0 }; };
#define\t_DTRACE_SIGNED_IF(type) \\
\ttemplate <> struct _dtrace_signed<type> { enum { _dtrace_is = (type)-1 < (type)1 }; };
_DTRACE_SIGNED_IF(char) _DTRACE_SIGNED_IF(wchar_t) _DTRACE_SIGNED_IF(signed char)
_DTRACE_SIGNED_IF(short) _DTRACE_SIGNED_IF(int) _DTRACE_SIGNED_IF(long) _DTRACE_SIGNED_IF(_dtrace_long_long)
}
#define\t_DTRACE_VALUE(value) _dtrace_value(value)
#define\t_DTRACE_SIGNED(value) (_dtrace_signed<__typeof__(_dtrace_value(value))>::_dtrace_is)
#else
#define\t_DTRACE_VALUE(value) ((void)0, (value))
#define\t_DTRACE_INTEGER(value) __typeof__(__builtin_choose_expr( \\
\t__builtin_classify_type(value) >= 1 && __builtin_classify_type(value) <= 4, _DTRACE_VALUE(value), 0U))
#define\t_DTRACE_SIGNED(value) ((_DTRACE_INTEGER(value))-1 < (_DTRACE_INTEGER(value))1)
#endif
#define\t_DTRACE_SIZE(value) ((int)sizeof (__typeof__(_DTRACE_VALUE(value))))
#define\t_DTRACE_FORMAT(value) ('0' + _DTRACE_SIZE(value) % 10 | _DTRACE_SIGNED(value) << 8 \\
\t| (__builtin_classify_type(value) == 8) << 9 | (_DTRACE_SIZE(value) / 10) << 10)
#define\t_DTRACE_TEXT(number) \\
\t"\\t.fill (%c[_dts" #number "]>>8)&1, 1, 45\\n" \\
\t"\\t.fill (%c[_dts" #number "]>>10)&1, 1, 49\\n" \\
\t"\\t.byte %c[_dts" #number "]&255\\n" \\
\t"\\t.fill (%c[_dts" #number "]>>9)&1, 1, 102\\n" \\
\t"\\t.ascii \\"@" _DTRACE_PLACE(number) "\\"\\n"
#define\t_DTRACE_BLANK "\\t.ascii \\" \\"\\n"
#define\t_DTRACE_OPERAND(number, places, value) \\
\t[_dts##number] "n" (_DTRACE_FORMAT(value)), [_dta##number] places (value)
#define\t_DTRACE_TAKE(number, value) \\
\t__typeof__(_DTRACE_VALUE(value)) _dtrace_arg##number = (value)
#define\t_DTRACE_IS_WIDE(number) (sizeof (_dtrace_arg##number) > sizeof (void *))
#define\t_DTRACE_NOTE(provider, probe) \\
\t_DTRACE_NOTE_WITH(provider, probe, provider "_" probe "_semaphore")
#define\t_DTRACE_NOTE_WITH(provider, probe, semaphore) \\
\t"990:\\t" _DTRACE_NOP "\\n" \\
\t"\\t.pushsection .note.stapsdt,\\"?\\",\\"note\\"\\n" \\
\t"\\t.balign 4\\n" \\
\t"\\t.4byte 992f-991f, 994f-993f, 3\\n" \\
\t"991:\\t.asciz \\"stapsdt\\"\\n" \\
\t"992:\\t.balign 4\\n" \\
\t"993:" _DTRACE_ADDRESS "990b\\n" \\
\t_DTRACE_ADDRESS "_.stapsdt.base\\n" \\
\t_DTRACE_ADDRESS semaphore "\\n" \\
\t"\\t.asciz \\"" provider "\\"\\n\\t.asciz \\"" probe "\\"\\n"
#define\t_DTRACE_NOTE_END \\
\t"\\t.byte 0\\n" \\
\t"994:\\t.balign 4\\n" \\
\t"\\t.popsection\\n" \\
\t"\\t.ifndef _.stapsdt.base\\n" \\
\t"\\t.pushsection .stapsdt.base,\\"aG\\",\\"progbits\\",.stapsdt.base,comdat\\n" \\
\t"\\t.weak _.stapsdt.base\\n" \\
\t"\\t.hidden _.stapsdt.base\\n" \\
\t"_.stapsdt.base:\\t.space 1\\n" \\
\t"\\t.size _.stapsdt.base, 1\\n" \\
\t"\\t.popsection\\n" \\
\t"\\t.endif\\n"
#define\t_DTRACE_SEMAPHORE \\
\t__attribute__((weak, used, visibility("hidden"), section(".probes")))
#endif

"""
_FEW = 4  # arguments that may each take a register: not all tracers can name memory by a variable's name


def generate(providers: Sequence[ProviderDefinition], *, types: bool = False) -> str:
    """The header's text, which may be included often, and beside others of the same provider.

    With `types`, the type of each argument has the name PROVIDER_PROBE_argN, counted from 1, if it is one
    that needs no other header.
    """
    counts = {len(probe.native) for provider in providers for probe in provider.probes}
    declarations = "".join(_provider(provider, types) for provider in providers)
    return framed(SYSTEM + "#include <stdint.h>\n" * types, NOTES + sites(counts), declarations, None)


def sites(counts: Iterable[int]) -> str:
    """The macros of probes with so many arguments: _DTRACE_PROBE2(note, arg1, arg2)."""
    return "#if _DTRACE_VERSION\n" + "".join(map(_site, sorted(counts))) + "#endif\n\n"


def parameters(count: int) -> list[str]:
    """The names of a macro's arguments."""
    return [f"arg{number}" for number in range(1, count + 1)]


def _site(count: int) -> str:
    """A probe with `count` arguments, each of which has a variable.

    What an argument points to must be in memory when a tracer looks there: hence each site's "memory".
    A value wider than a register stays in memory, of which a register would have a half.
    """
    numbers = range(1, count + 1)
    name = f"_DTRACE_PROBE{count}"
    arguments = ", ".join(["note", *parameters(count)])
    head = f"#ifndef\t{name}\n#define\t{name}({arguments}) do {{ \\\n"
    head += "".join(f"\t_DTRACE_TAKE({number}, arg{number}); \\\n" for number in numbers)
    body = f"\t{_statement(count, '_DTRACE_MANY')}; \\\n"
    if 0 < count <= _FEW:
        wide = " || ".join(f"_DTRACE_IS_WIDE({number})" for number in numbers)
        body = f"\tif ({wide}) \\\n\t{body}\telse \\\n\t\t" + _statement(count, "_DTRACE_FEW") + "; \\\n"
    return f"{head}{body}}} while (0)\n#endif\n"


def _statement(count: int, places: str) -> str:
    values = ", ".join(f"_DTRACE_OPERAND({number}, {places}, _dtrace_arg{number})"
                       for number in range(1, count + 1))
    return f'__asm__ __volatile__(note {texts(count)} _DTRACE_NOTE_END :: {values} : "memory")'


def texts(count: int) -> str:
    """The text of `count` arguments in a note."""
    return " _DTRACE_BLANK ".join(f"_DTRACE_TEXT({number})" for number in range(1, count + 1))


def _provider(provider: ProviderDefinition, types: bool) -> str:
    named = "".join(_types(provider, probe) for probe in provider.probes) if types else ""
    return named + switched(provider, "".join(_active(provider, probe) for probe in provider.probes))


def semaphore(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    """The symbol of a probe's semaphore."""
    return f"{_label(provider, probe)}_semaphore"


def _label(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    return f"{function_name(provider.name)}_{function_name(probe.name)}"


def _active(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    name, arguments = macro(provider, probe)
    note = f'_DTRACE_NOTE("{function_name(provider.name)}", "{function_name(probe.name)}")'
    call = ", ".join([note, *([arguments] if arguments else [])])
    counter = semaphore(provider, probe)
    return (f"#ifndef\t_DTRACE_{counter}\n#define\t_DTRACE_{counter}\n"
            f"volatile unsigned short {counter} _DTRACE_SEMAPHORE;\n#endif\n"
            f"#define\t{name}({arguments}) \\\n\t_DTRACE_PROBE{len(probe.native)}({call})\n"
            f"#define\t{name}_ENABLED() __builtin_expect({counter} != 0, 0)\n\n")


def _types(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    label = _label(provider, probe)
    return "".join(f"typedef {each.type} {label}_arg{number};\n"
                   for number, each in enumerate(probe.native, 1) if each.type)
