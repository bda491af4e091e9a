"""The types that D has by itself, as tables: C's basic types and the integer typedefs of <inttypes.h>."""

from __future__ import annotations

# canonical name, bytes in LP64, bytes in ILP32, signed, char
INTEGERS = (
    ("void", 0, 0, True, False),
    ("char", 1, 1, True, True),
    ("signed char", 1, 1, True, True),
    ("unsigned char", 1, 1, False, True),
    ("_Bool", 1, 1, False, False),
    ("short", 2, 2, True, False),
    ("unsigned short", 2, 2, False, False),
    ("int", 4, 4, True, False),
    ("unsigned int", 4, 4, False, False),
    ("long", 8, 4, True, False),
    ("unsigned long", 8, 4, False, False),
    ("long long", 8, 8, True, False),
    ("unsigned long long", 8, 8, False, False),
)
FLOATS = (("float", 4, 4), ("double", 8, 8), ("long double", 16, 16))

TYPEDEFS = (  # name, LP64, ILP32
    ("bool", "_Bool", "_Bool"),
    ("int8_t", "char", "char"),
    ("int16_t", "short", "short"),
    ("int32_t", "int", "int"),
    ("int64_t", "long", "long long"),
    ("intmax_t", "long", "long long"),
    ("intptr_t", "long", "int"),
    ("ssize_t", "long", "int"),
    ("uint8_t", "unsigned char", "unsigned char"),
    ("uint16_t", "unsigned short", "unsigned short"),
    ("uint32_t", "unsigned int", "unsigned int"),
    ("uint64_t", "unsigned long", "unsigned long long"),
    ("uintmax_t", "unsigned long", "unsigned long long"),
    ("uchar_t", "unsigned char", "unsigned char"),
    ("ushort_t", "unsigned short", "unsigned short"),
    ("uint_t", "unsigned int", "unsigned int"),
    ("ulong_t", "unsigned long", "unsigned long"),
    ("longlong_t", "long long", "long long"),
    ("u_longlong_t", "unsigned long long", "unsigned long long"),
    ("ptrdiff_t", "long", "int"),
    ("uintptr_t", "unsigned long", "unsigned int"),
    ("size_t", "unsigned long", "unsigned int"),
    ("id_t", "int", "long"),
    ("pid_t", "int", "long"),
)

NAMES = frozenset(row[0] for row in (*INTEGERS, *FLOATS, *TYPEDEFS))  # a header says of them what D knows


def canonical_words(words: list[str]) -> str | None:
    """The canonical name of a basic type from its keywords in any order; None if they do not combine."""
    counts = {word: words.count(word) for word in words}
    if any(count > (2 if word == "long" else 1) for word, count in counts.items()):
        return None
    sign = "unsigned " if "unsigned" in counts else ""
    if sign and "signed" in counts:
        return None
    bases = [word for word in words if word not in ("signed", "unsigned", "short", "long", "int")]
    longs, short = counts.get("long", 0), "short" in counts
    if bases:
        base = bases[0]
        plain = len(bases) == 1 and not short and "int" not in counts
        if not plain or longs > (base == "double"):
            return None
        if base == "char":
            return ("signed " if "signed" in counts else sign) + "char"
        return None if sign or "signed" in counts else "long " * longs + base
    if short:
        return None if longs else sign + "short"
    return sign + ("long " * longs).strip() if longs else sign + "int"
