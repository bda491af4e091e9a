"""`dtrace -h`: the C and C++ header of a provider file.

For each probe: a macro that fires it, a macro that asks whether anyone is
listening, and the prototypes of the functions those call; `-G` replaces the
calls.  Compiling with -D_DTRACE_VERSION=0 turns every probe into nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dof.usdt.definition import (
    UNSEEN,
    Argument,
    ProbeDefinition,
    ProviderDefinition,
    macro_name,
    probe_symbol,
)

INCLUDES = "#include <stdint.h>\n#include <unistd.h>\n"
VERSION = """
#ifndef _DTRACE_VERSION
#define\t_DTRACE_VERSION 1
#endif

"""

# Hidden: the call is direct even under -fno-plt, and the symbol never reaches the dynamic table.
VISIBILITY = """\
#if defined(__GNUC__)
#define\t_DTRACE_PROBE __attribute__((visibility("hidden")))
#else
#define\t_DTRACE_PROBE
#endif

"""
# What a linker calls the function that it misses, in an object that -G has not seen.  The -G of other systems
# knows the function's own name only.
SYMBOL = f"""\
#if defined(__GNUC__) && defined(__linux__)
#define\t_DTRACE_SYMBOL(function) __asm__(#function "{UNSEEN}")
#else
#define\t_DTRACE_SYMBOL(function)
#endif

"""


def generate(providers: Iterable[ProviderDefinition], filename: str | None = None) -> str:
    """The header's text.

    `filename` is the header's own (its include guard is made of the last
    component); without it there is no guard.
    """
    text = "".join(map(_provider, providers))
    text += "#undef\t_DTRACE_PROBE\n#undef\t_DTRACE_SYMBOL\n\n"
    return framed(INCLUDES, VISIBILITY + SYMBOL, text, filename)


def framed(includes: str, before: str, declarations: str, filename: str | None) -> str:
    """A header: `declarations` are C's to C++; `before` them stands what is neither's."""
    guard = "_" + re.sub(r"\W", "_", macro_name(filename.rsplit("/", 1)[-1])) if filename else ""
    return "".join((
        f"#ifndef\t{guard}\n#define\t{guard}\n\n" if guard else "", includes, VERSION, before,
        '#ifdef\t__cplusplus\nextern "C" {\n#endif\n\n', declarations, "#ifdef\t__cplusplus\n}\n#endif\n",
        f"\n#endif\t/* {guard} */\n" if guard else ""))


def switched(provider: ProviderDefinition, active: str) -> str:
    """What `active` defines for a provider, or, with _DTRACE_VERSION=0, macros that do nothing."""
    inert = "".join(_inert_macros(provider, probe) for probe in provider.probes)
    return f"#if _DTRACE_VERSION\n\n{active}\n#else\n\n{inert}\n#endif\n\n"


def _provider(provider: ProviderDefinition) -> str:
    active = "".join(_macros(provider, probe) for probe in provider.probes)
    tags = "".join(f"{tag};\n" for tag in dict.fromkeys(_tags(provider)))
    prototypes = "".join(_prototypes(provider, probe) for probe in provider.probes)
    return switched(provider, f"{active}\n{tags}{prototypes}")


def _tags(provider: ProviderDefinition) -> Iterator[str]:
    """Structures named in prototypes, to be declared before: a tag in a prototype is local to it."""
    for probe in provider.probes:
        for argument in probe.native:
            if argument.tag:
                yield argument.tag


def macro(provider: ProviderDefinition, probe: ProbeDefinition) -> tuple[str, str]:
    """The name of a probe's macro, and its parameters: arg0, arg1, ..."""
    parameters = ", ".join(f"arg{number}" for number in range(len(probe.native)))
    return f"{macro_name(provider.name)}_{macro_name(probe.name)}", parameters


def _macros(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    name, arguments = macro(provider, probe)
    return (f"#define\t{name}({arguments}) \\\n\t{probe_symbol(provider.name, probe.name)}({arguments})\n"
            f"#define\t{name}_ENABLED() \\\n\t{probe_symbol(provider.name, probe.name, enabled=True)}()\n")


def _inert_macros(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    name, arguments = macro(provider, probe)
    return f"#define\t{name}({arguments}) ((void)0)\n#define\t{name}_ENABLED() (0)\n"


def _prototypes(provider: ProviderDefinition, probe: ProbeDefinition) -> str:
    parameters = ", ".join(_parameter(each) for each in probe.native) or "void"
    fires, asks = (probe_symbol(provider.name, probe.name, enabled=enabled) for enabled in (False, True))
    return (f"extern void {fires}({parameters})\n\t_DTRACE_SYMBOL({fires}) _DTRACE_PROBE;\n"
            f"extern int {asks}(void)\n\t_DTRACE_SYMBOL({asks}) _DTRACE_PROBE;\n")


def _parameter(argument: Argument) -> str:
    """A parameter's C type.

    Strings are constant, as a probe never writes: a literal is an argument in C++ too.
    """
    return "const char *" if argument.type in ("string", "char *") else argument.type
