"""sdt-dtrace(1): what builds call `dtrace` that were written for SystemTap's, which knows -h and -G only.

The headers have notes (-x header=sdt), and -G makes the object with their semaphores.  Its command line, exit
status and outputs are those of SystemTap's dtrace: operands have no meaning, and the status is 1 of what it
refuses, and of --help, too.  Builds also give it flags of the compiler, which have nothing to do here.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator

from dc.options import Options
from dc.script import Request
from dif.records import Record, field
from dof.commandline import Command, Failure, Section, Switch, run
from runtime.command.probefiles import declared, write_header, write_object

_SWITCHES = (
    Switch("-h", "write the header: FILE.h unless -o says where"),
    Switch("-G", "write the object: FILE.o unless -o says where"),
    Switch("-s", "the provider file", "FILE.d"),
    Switch("-o", "the output; - is standard output", "FILE"),
    Switch("-C", "preprocess the provider file"),
    Switch("-I", "a directory of included files", "DIRECTORY"),
    Switch("-D", "a macro", "NAME[=TEXT]"),
    Switch("--types", "names for the types of arguments, too"),
)
COMMAND = Command("sdt-dtrace", "[-h | -G] [-C [-I DIRECTORY]] -s FILE.d [-o FILE]",
                  "Write a header of probes that are notes, or the object with their semaphores.", "",
                  (Section("", _SWITCHES),))
_COMPILER = re.compile(r"-(f.*|O.*|g.*|W.*|m.+|std=.*|pipe|pthread)")
_IGNORED = frozenset(("-k", "--no-pyparsing"))
_VALUED = frozenset(("-s", "-o", "-x", "-I", "-D", "-U"))
_WIDTHS = {"-32": 32, "-64": 64, "-m32": 32, "-m64": 64}
_LISTS = {"-I": "incdir", "-D": "define", "-U": "undef"}
# To the preprocessor a provider file is C for GNU's compiler, as for SystemTap's dtrace, and not a D program.
_OF_C = ("__GNUC__=12", "__GNUC_MINOR__=2", "__STDC__=1", "__STDC_VERSION__=201710L", "__STDC_HOSTED__=1",
         "__unix__=1", "__gnu_linux__=1", "__ELF__=1", "__CHAR_BIT__=8", "__SIZEOF_INT__=4",
         "__ORDER_LITTLE_ENDIAN__=1234", "__ORDER_BIG_ENDIAN__=4321", "__BYTE_ORDER__=1234")
_SIZES_OF_C = ("__SIZEOF_POINTER__", "__SIZEOF_LONG__", "__SIZEOF_SIZE_T__")
_OF_D = ("__sun", "__SVR4", "__SUNW_D", "__SUNW_D_32", "__SUNW_D_64", "__SUNW_D_VERSION", "__SunOS_5_11",
         "_LITTLE_ENDIAN")


class _Arguments(Record):
    """The command line: `suffix` is of the last of -h and -G; `bits` None unless it says them."""

    script: str = ""
    output: str = ""
    suffix: str = ""
    is_header: bool = False
    types: bool = False
    bits: int | None = None
    objects: list[str] = field(default_factory=list)
    options: Options = field(default_factory=Options)


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    return run(COMMAND, _begin, argv)


def _begin(words: list[str]) -> int:
    if "--help" in words:
        sys.stdout.write(COMMAND.help())
        return 1
    arguments = _parse(iter(words))
    if not arguments.suffix or not arguments.script:
        raise _refused("give -s and a provider file" if arguments.suffix else "give -h or -G")
    stem = os.path.splitext(os.path.basename(arguments.script))[0]
    output = arguments.output or stem + arguments.suffix
    providers = declared([Request("script", arguments.script)], arguments.options, arguments.bits,
                         COMMAND.program)
    if arguments.is_header:
        write_header(providers, output, types=arguments.types)
    else:
        compiler = [*os.environ.get("CC", "").split(), *os.environ.get("CFLAGS", "").split()]
        write_object(providers, arguments.objects, output, arguments.bits, compiler)
    return 0


def _refused(reason: str) -> Failure:
    return Failure(f"{reason}; {COMMAND.usage().strip()}")


def _parse(words: Iterator[str]) -> _Arguments:
    """Take the command line apart.  Raises Failure."""
    found = _Arguments()
    for word in words:
        switch, value = word[:2], word[2:]
        if switch in _VALUED and not _COMPILER.fullmatch(word):
            if not value:
                value = next(words, "")
                if not value:
                    raise _refused(f"{switch} needs an argument")
            _take(found, switch, value)
        elif word in ("-h", "-G"):
            found.is_header = found.is_header or word == "-h"
            found.suffix = ".h" if word == "-h" else ".o"
        elif word == "-C":
            found.options.set("cpp")
        elif word == "--types":
            found.types = True
        elif word in _WIDTHS:
            found.bits = _WIDTHS[word]
        elif not word.startswith("-"):
            found.objects.append(word)
        elif word not in _IGNORED and not _COMPILER.fullmatch(word):
            raise _refused(f"there is no option {word}")
    bytes_ = (found.bits or 64) // 8
    found.options.lists["define"] = [*_OF_C, *(f"{name}={bytes_}" for name in _SIZES_OF_C),
                                     *found.options.items("define")]
    found.options.lists["undef"] = [*_OF_D, *found.options.items("undef")]
    return found


def _take(found: _Arguments, switch: str, value: str) -> None:
    if switch == "-s":
        found.script = value
    elif switch == "-o":
        found.output = value
    elif switch in _LISTS:
        found.options.set(_LISTS[switch], value)


if __name__ == "__main__":
    sys.exit(main())
