"""The macros that `-C` defines before a program is read.

The macros for the system and for D are those of dtrace(1M).  The others hide what
D cannot read in headers of illumos, of Linux and of C libraries.
"""

from __future__ import annotations

from collections.abc import Iterator

from dc import versions
from dc.options import Options

_DTRACE = ("__sun 1", "__unix 1", "__SVR4 1", "__SUNW_D 1")
_MODELS = {64: ("__SUNW_D_64 1", "__amd64 1"), 32: ("__SUNW_D_32 1", "__i386 1")}
_SYSTEMS = {"illumos": "__SunOS_5_11 1", "freebsd": "__FreeBSD__ 14", "linux": "__Linux_6_1_0 1"}
_CONFORMANCE = {"a": ("__STDC__ 0",), "t": ("__STDC__ 0",), "c": ("__STDC__ 1",), "s": ()}

# What a C compiler for the machine's programs defines by itself.
_COMPILER = {
    64: ("__x86_64 1", "__x86_64__ 1", "__amd64__ 1", "__LP64__ 1", "_LP64 1",
         "__SIZE_TYPE__ unsigned long", "__PTRDIFF_TYPE__ long", "__WCHAR_TYPE__ int"),
    32: ("__i386__ 1", "i386 1", "__ILP32__ 1", "_ILP32 1",
         "__SIZE_TYPE__ unsigned int", "__PTRDIFF_TYPE__ int", "__WCHAR_TYPE__ long"),
}
_LINUX = ("__linux 1", "__linux__ 1")

_HEADERS = (
    # what C libraries' headers say beyond ISO C
    "__extension__ ", "__asm__(x) ", "__restrict ", "__restrict__ ", "__inline ",
    "__inline__ ", "__signed__ signed", "__const const", "__volatile__ volatile", "_Noreturn ",
    "__alignof__(type) offsetof(struct { char before; type value; }, value)",
    "__builtin_va_list char *", "__int128_t struct { unsigned long long low; long long high; }",
    "__uint128_t struct { unsigned long long low, high; }",
    # what illumos' <sys/byteorder.h> and <inet/common.h> say beyond D's own functions
    "_LITTLE_ENDIAN 1", "BSWAP_16(x) ntohs(x)", "BSWAP_32(x) ntohl(x)", "BSWAP_64(x) ntohll(x)",
    "BE16_TO_U16(x) ntohs(*(uint16_t *)(x))", "BE32_TO_U32(x) ntohl(*(uint32_t *)(x))",
    # the guards of headers of glibc that are about complex numbers, which D has not, and generic macros
    "_COMPLEX_H 1", "_TGMATH_H 1",
    # the guards of headers of glibc and Linux that hold nothing of use but what follows
    "_BITS_BYTESWAP_H 1", "_BITS_UINTN_IDENTITY_H 1", "_LINUX_SWAB_H 1",
    "_LINUX_BYTEORDER_LITTLE_ENDIAN_H 1", "__LITTLE_ENDIAN_BITFIELD 1", "__LITTLE_ENDIAN 1234",
    "_LINUX_STDDEF_H 1",
    "__be16_to_cpu(x) ntohs(x)", "__be32_to_cpu(x) ntohl(x)", "__be64_to_cpu(x) ntohll(x)",
    "__cpu_to_be16(x) htons(x)", "__cpu_to_be32(x) htonl(x)", "__cpu_to_be64(x) htonll(x)",
    "__constant_cpu_to_be32(x) (((x) & 0xff) << 24 | ((x) & 0xff00) << 8 | ((x) >> 8 & 0xff00) | (x) >> 24)",
    "__DECLARE_FLEX_ARRAY(type,name) type name[]",
    "__struct_group(tag,name,attrs,...) union { struct { __VA_ARGS__ }; struct tag { __VA_ARGS__ } name; }")


def predefined(options: Options, bits: int, *, compiler: bool = True) -> Iterator[str]:
    """Each macro as "name text" or "name(parameter,parameter) text".

    `bits` are those of the data model.  Without `compiler` the macros are left
    out that the preprocessor of a C compiler defines itself.
    """
    yield from _DTRACE
    yield from _MODELS[bits]
    yield _SYSTEMS[options.choice("target", "illumos")]
    version = versions.parse(options.text("version")) or versions.LATEST
    yield f"__SUNW_D_VERSION {versions.number(version):#010x}"
    if compiler:
        yield from _CONFORMANCE[options.choice("stdc")]
        yield from _COMPILER[bits]
        yield from _LINUX if options.system == "linux" else ()
    yield from _HEADERS
