"""`dtrace -h -x header=sdt`: a C and C++ header whose probes are notes, as SystemTap's dtrace writes them.

Each probe is a `nop` and a note in .note.stapsdt (see dof.usdt.stapsdt), made by the assembler where the
probe stands: nothing has to be done to objects.  Whether anyone listens is told by a semaphore, a counter of
16 bits in section .probes named PROVIDER_PROBE_semaphore.  Each object has it as a weak symbol; the object
that -G makes for such headers has it as a strong one.
"""

from __future__ import annotations

from collections.abc import Iterable

from dof.usdt.definition import Argument, ProbeDefinition, ProviderDefinition, function_name
from dof.usdt.header import framed, macro, switched

# What an argument points to must be in memory when a tracer looks there: hence each site's "memory".
# A site and the beginning of its note, and what follows the operands.  "?" puts the note into the group of
# the function: a copy of an inline function that the linker drops takes its notes along.
_NOTES = """\
#if _DTRACE_VERSION && !defined(_DTRACE_NOTE)
#ifdef\t__LP64__
#define\t_DTRACE_ADDRESS "\\t.8byte "
#define\t_DTRACE_WORD "8@"
#define\t_DTRACE_WIDE "nor"
#else
#define\t_DTRACE_ADDRESS "\\t.4byte "
#define\t_DTRACE_WORD "4@"
#define\t_DTRACE_WIDE "no"
#endif
#ifdef\t__x86_64__
#define\t_DTRACE_FLOAT(type) type
#define\t_DTRACE_FLOATS "x"
#else
#define\t_DTRACE_FLOAT(type) volatile type
#define\t_DTRACE_FLOATS "m"
#endif
#define\t_DTRACE_NOTE(provider, probe) \\
\t_DTRACE_NOTE_WITH(provider, probe, provider "_" probe "_semaphore")
#define\t_DTRACE_NOTE_WITH(provider, probe, semaphore) \\
\t"990:\\tnop\\n" \\
\t"\\t.pushsection .note.stapsdt,\\"?\\",\\"note\\"\\n" \\
\t"\\t.balign 4\\n" \\
\t"\\t.4byte 992f-991f, 994f-993f, 3\\n" \\
\t"991:\\t.asciz \\"stapsdt\\"\\n" \\
\t"992:\\t.balign 4\\n" \\
\t"993:" _DTRACE_ADDRESS "990b\\n" \\
\t_DTRACE_ADDRESS "_.stapsdt.base\\n" \\
\t_DTRACE_ADDRESS semaphore "\\n" \\
\t"\\t.asciz \\"" provider "\\"\\n\\t.asciz \\"" probe "\\"\\n\\t.asciz \\""
#define\t_DTRACE_NOTE_END "\\"\\n" \\
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


def generate(providers: Iterable[ProviderDefinition], filename: str | None = None, *,
             types: bool = False) -> str:
    """The header's text; `filename` as for dof.usdt.header.

    With `types`, each argument's type has the name PROVIDER_PROBE_argN, counted from 1.
    """
    declarations = "".join(_provider(provider, types) for provider in providers)
    return framed("#include <stdint.h>\n", _NOTES, declarations, filename)


# Each argument has a variable, which makes a pointer of an array; the text is its size, negative if it is
# signed, and its place.
_BY_HAND = """\
#ifdef\t__cplusplus
#define\t_DTRACE_AUTO auto
#else
#define\t_DTRACE_AUTO __auto_type
#endif
#define\t_DTRACE_TAKE(number, value) _DTRACE_AUTO _dtrace_arg##number = (value);
#define\t_DTRACE_TEXT(number) "%c[s" #number "]@%[a" #number "]"
#define\t_DTRACE_SIGN(type) ((type)-1 < (type)1 ? -1 : 1)
#define\t_DTRACE_GIVE(number) \\
\t[s##number] "n" (_DTRACE_SIGN(__typeof__(_dtrace_arg##number)) * (int)sizeof (_dtrace_arg##number)), \\
\t[a##number] "nor" (_dtrace_arg##number)
#ifdef\t_SDT_HAS_SEMAPHORES
#define\t_DTRACE_BY_HAND(provider, probe) \\
\t_DTRACE_NOTE_WITH(#provider, #probe, #provider "_" #probe "_semaphore")
#else
#define\t_DTRACE_BY_HAND(provider, probe) _DTRACE_NOTE_WITH(#provider, #probe, "0")
#endif
"""
_MOST_BY_HAND = 12  # arguments


def by_hand() -> str:
    """<sys/sdt.h>: macros for probes without a provider file, such as DTRACE_PROBE2(shop, sale, 1, "tea")."""
    macros = "".join(map(_by_hand, range(_MOST_BY_HAND + 1)))
    inert = "".join(_names(number, "(0)") for number in range(_MOST_BY_HAND + 1))
    return framed("#include <stdint.h>\n", _NOTES, f"#if _DTRACE_VERSION\n{_BY_HAND}{macros}\n"
                  f"#else\n{inert}#endif\n", "sys_sdt.h")


def _by_hand(count: int) -> str:
    numbers = range(1, count + 1)
    takes = "".join(f"_DTRACE_TAKE({number}, a{number}) " for number in numbers)
    texts = ' " " '.join(f"_DTRACE_TEXT({number})" for number in numbers)
    gives = ", ".join(f"_DTRACE_GIVE({number})" for number in numbers)
    return _names(count, f"do {{ {takes}\\\n\t__asm__ __volatile__(_DTRACE_BY_HAND(provider, probe) {texts} "
                  f"_DTRACE_NOTE_END \\\n\t:: {gives} : \"memory\"); }} while (0)")


def _names(count: int, meaning: str) -> str:
    """The macro of probes with `count` arguments, under both its names."""
    parameters = ", ".join(["provider", "probe", *(f"a{number}" for number in range(1, count + 1))])
    suffix = str(count) if count else ""
    return (f"#define\tSTAP_PROBE{suffix}({parameters}) {meaning}\n"
            f"#define\tDTRACE_PROBE{suffix}({parameters}) STAP_PROBE{suffix}({parameters})\n")


def _provider(provider: ProviderDefinition, types: bool) -> str:
    named = "".join(_types(provider, probe) for probe in provider.probes) if types else ""
    semaphores = "".join(f"volatile unsigned short {semaphore(provider, probe)} _DTRACE_SEMAPHORE;\n"
                         for probe in provider.probes)
    active = "".join(_active(provider, probe) for probe in provider.probes)
    return named + switched(provider, f"{semaphores}\n{active}")


def semaphore(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    """The symbol of a probe's semaphore."""
    return f"{_label(provider, probe)}_semaphore"


def _label(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    return f"{function_name(provider.name)}_{function_name(probe.name)}"


def _active(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    name, parameters = macro(provider, probe)
    texts, values, copies = [], [], []
    for number, argument in enumerate(probe.native):
        text, constraint, kind = _operand(argument, number)
        cast = argument.type if argument.floating else kind
        constraint = _FEW if constraint == _ANY and len(probe.native) <= _FEW_ARGUMENTS else constraint
        texts.append(text)
        values.append(f"[a{number}] {constraint} (_dtrace_arg{number})")
        copies.append(f"\t{kind} _dtrace_arg{number} = ({cast})(arg{number}); \\\n")
    operands = " \" \" \\\n\t".join(texts)
    places = ", \\\n\t".join(values)
    return (f"#define\t{name}({parameters}) do {{ \\\n{''.join(copies)}"
            f"\t__asm__ __volatile__(_DTRACE_NOTE(\"{function_name(provider.name)}\", "
            f"\"{function_name(probe.name)}\") \\\n"
            f"\t{operands} _DTRACE_NOTE_END \\\n"
            f"\t:: {places} : \"memory\"); \\\n"
            "} while (0)\n"
            f"#define\t{name}_ENABLED() __builtin_expect({semaphore(provider, probe)} != 0, 0)\n")


def _operand(argument: Argument, number: int) -> tuple[str, str, str]:
    """An argument's text in the note, the assembler's constraint, and the C type it is passed as."""
    place = f'%[a{number}]"'
    if argument.floating:
        return f'"{argument.size}f@{place}', _FLOAT, f"_DTRACE_FLOAT({argument.type})"
    if argument.type.endswith("*") or argument.type == "string":
        return f'_DTRACE_WORD "{place}', _ANY, "uintptr_t"
    kind = "int" if argument.signed else "uint"
    sign = '"-" ' if argument.signed else ""
    if argument.type in _WORDS:
        return f'{sign}_DTRACE_WORD "{place}', _ANY, argument.type
    constraint = _WIDE if argument.size == 8 else _ANY
    return f'"{"-" * argument.signed}{argument.size}@{place}', constraint, f"{kind}{argument.size * 8}_t"


_FLOAT, _WIDE, _ANY = "_DTRACE_FLOATS", "_DTRACE_WIDE", '"nor"'
# of a few arguments each may take a register: the name of a variable in memory would not do for all tracers
_FEW, _FEW_ARGUMENTS = '"nr"', 4
# as long as a word in both models of data
_WORDS = frozenset(("long", "long int", "unsigned long", "unsigned long int", "size_t", "ssize_t", "intptr_t",
                    "uintptr_t", "ulong_t"))


def _types(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    label = _label(provider, probe)
    return "".join(f"typedef {'const char *' if each.type == 'string' else each.type} {label}_arg{number};\n"
                   for number, each in enumerate(probe.native, 1))
