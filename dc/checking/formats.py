"""The check of printf() formats: each conversion against its argument's type.

The conversions themselves and the parser of formats are dof.printf's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dc.checking import rules
from dc.diagnostics import Span, error
from dc.names.values import Value, value_size
from dc.types.scopes import Scope
from dc.types.types import Enum, Integer, Type
from dof.printf import Conversion, Directive, FormatError, Takes, parse


def _integer(value: Value, target: bool) -> bool:
    return value.type.is_integer()


def _small_integer(value: Value, target: bool) -> bool:
    return value.type.is_integer() and value_size(value.type) <= 4


def _address(value: Value, target: bool) -> bool:
    return rules.is_pointer(value.type) or value.type.is_integer()


def _kernel_address(value: Value, target: bool) -> bool:
    return _address(value, target) or rules.is_special(value.type, "_symaddr")


def _user_address(value: Value, target: bool) -> bool:
    return rules.is_special(value.type, "_usymaddr") or (target and _address(value, target))


def _float(value: Value, target: bool) -> bool:
    return value.type.is_float()


def _stack(value: Value, target: bool) -> bool:
    return rules.is_special(value.type, "stack")


def _string(value: Value, target: bool) -> bool:
    return value.type.is_string() or value.type.is_char_array()


def _wide_string(value: Value, target: bool) -> bool:
    element = rules.target_of(value.type) if value.type.is_array() else None
    base = element.resolve() if element is not None else None
    return isinstance(base, Integer) and base.bits == 32


def _time(value: Value, target: bool) -> bool:
    return value.type.is_integer() and value_size(value.type) == 8


def _is_named(value: Value, types: Sequence[str]) -> bool:
    """Whether the type is one of these of C; an integer by another name of the same size is not."""
    base = value.type.resolve()
    return str(base) in types or (isinstance(base, Enum) and "int" in types)


def _long_long(value: Value, target: bool) -> bool:
    """%llx takes [u]int64_t too, though they are long in a 64-bit program."""
    if _is_named(value, ("long long", "unsigned long long")):
        return True
    type_: Type | None = value.type
    while type_ is not None:
        if str(type_) in ("int64_t", "uint64_t"):
            return True
        type_ = getattr(type_, "target", None) if not type_.is_pointer() else None
    return False


# Whether a value may be the argument; `target` tells that there is a process ($target) for addresses.
_CHECKS: dict[str, Callable[[Value, bool], bool]] = {
    Takes.INTEGER: _integer, Takes.SMALL_INTEGER: _small_integer, Takes.LONG_LONG: _long_long,
    Takes.FLOAT: _float, Takes.STRING: _string, Takes.WIDE_STRING: _wide_string, Takes.ADDRESS: _address,
    Takes.KERNEL_ADDRESS: _kernel_address, Takes.USER_ADDRESS: _user_address, Takes.STACK: _stack,
    Takes.TIME: _time,
}


def _takes(conversion: Conversion, value: Value, target: bool) -> bool:
    if conversion.takes == Takes.NAMED:
        return _is_named(value, conversion.types)
    return _CHECKS[conversion.takes](value, target)


def validate(text: str, function: str, arguments: Sequence[Value], span: Span, *, exact: bool,
             aggregated: Type | None, has_target: bool) -> str:
    """Check a format against its arguments; return it with %u for the %d of unsigned ones (see `as_count`).

    `aggregated` is the type of an aggregation's result where %@ may stand
    (printa), None elsewhere; `exact` refuses arguments left over.  Raises
    D_PRINTF_*.
    """
    if not text:
        raise error("D_PRINTF_FMT_EMPTY", span, f"{function}( ) has nothing in its format")
    try:
        directives = parse(text)
    except FormatError as problem:
        raise error("D_SYNTAX", span, str(problem)) from None
    result: list[str] = []
    used = 0
    for directive in directives:
        conversion, number = directive.conversion, directive.number
        result.append(directive.prefix.replace("%", "%%"))
        if conversion is None:
            continue
        used = _check_stars(directive, conversion, function, arguments, used, span)
        if directive.aggregation:
            if aggregated is None:
                raise error("D_PRINTF_AGG_CONV", span, f"%@ stands for an aggregation's value, and "
                            f"{function}( ) has none")
            value, what = Value(span, aggregated), "aggregating action"
        elif used >= len(arguments):
            raise error("D_PRINTF_ARG_PROTO", span, f"{function}( ) has no argument for conversion "
                        f"#{number}, %{conversion.name}")
        else:
            value, what = arguments[used], f"argument #{used + 2}"
            used += 1
        if not _takes(conversion, value, has_target):
            raise error("D_PRINTF_ARG_TYPE", span, f"{function}( ) conversion #{number}, %{conversion.name}, "
                        f"takes {conversion.accepts}, and {what} is {value.type_name}")
        name = conversion.name if directive.aggregation else _spelling(conversion, value)
        result.append(f"%{directive.written}{name}")
    if exact and used < len(arguments):
        there = f"{len(arguments)} argument{'s' if len(arguments) > 1 else ''}"
        raise error("D_PRINTF_ARG_EXTRA", span,
                    f"{function}( ) has {there} after its format, which uses {used}")
    return "".join(result)


def as_count(text: str) -> str:
    """A checked format with %@u for its %@d, as DOF has it where the first aggregation is a count()."""
    result: list[str] = []
    for each in parse(text):
        result.append(each.prefix.replace("%", "%%"))
        if each.conversion is not None:
            counts = each.aggregation and each.conversion.name == "d"
            result.append(f"%{each.written}{'u' if counts else each.conversion.name}")
    return "".join(result)


def _check_stars(directive: Directive, conversion: Conversion, function: str,
                 arguments: Sequence[Value], used: int, span: Span) -> int:
    """Check the arguments of `*`; return how many arguments are used then."""
    stars = [star for star, wanted in (("*", directive.dynamic_width), (".*", directive.dynamic_precision))
             if wanted]
    for star in stars:
        if used >= len(arguments):
            raise error("D_PRINTF_DYN_PROTO", span, f"{function}( ) has no argument for the {star} in "
                        f"conversion #{directive.number}, %{conversion.name}")
        if not arguments[used].type.is_integer():
            raise error("D_PRINTF_DYN_TYPE", span, f"{function}( ) takes an int for the {star} in conversion "
                        f"#{directive.number}, %{conversion.name}, and argument #{used + 2} is "
                        f"{arguments[used].type_name}")
        used += 1
    return used


def _spelling(conversion: Conversion, value: Value) -> str:
    """The name of a conversion; u for a d of an unsigned value, whose type only the compiler knows."""
    return "u" if conversion.name == "d" and not value.type.is_signed() else conversion.name


def result_type(count: bool, scope: Scope) -> Type:
    """The type of an aggregation's result: unsigned for count(), signed for the others."""
    return scope.basic("uint64_t" if count else "int64_t")
