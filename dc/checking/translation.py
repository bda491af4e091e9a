"""Translators: xlate, translated args[], and the declaration of a translator itself."""

from __future__ import annotations

from dc.checking import rules
from dc.checking.typed import BuiltinElement, Constant, Translated
from dc.diagnostics import Span, did_you_mean, error
from dc.names.builtins import weakest
from dc.names.catalog import UNREACHABLE
from dc.names.identifiers import Parameter, Translator, Variable
from dc.names.stability import HIGHEST
from dc.names.values import Value
from dc.source import tree as syntax
from dc.types.types import Record, Type, compatible

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.checking.checker import Checker


def find_translator(checker: Checker, source: Value, output: Type, *, exact: bool = False
                    ) -> Translator | None:
    """The translator from a value to a struct, or to the struct that `output` points to.

    The source's exact type is preferred, then its resolved type, then
    whatever could be passed as an argument.
    """
    target = rules.target_of(output) if output.is_pointer() else output
    if target is None or not target.is_record():
        return None
    candidates = [each for each in _making(checker, target) if compatible(each.output, target)]
    for each in candidates:
        if str(each.source) == source.type_name or each.source is source.type:
            return each
    for each in candidates:
        if compatible(each.source, source.type):
            return each
    if exact:
        return None
    return next((each for each in candidates if _accepts(source, each.source)), None)


def _making(checker: Checker, output: Type) -> list[Translator]:
    """The translators to structs that are called as `output` is; a list to add another to."""
    return checker.names.translators.setdefault(getattr(output.resolve(), "tag", None), [])


def _accepts(source: Value, wanted: Type) -> bool:
    return rules.is_assignable(source.type, Value(source.span, wanted), user=source.user)


def xlate(checker: Checker, node: syntax.Xlate, reads: bool) -> Value:
    """xlate <T>(operand)."""
    output = checker.type_of(node.to)
    operand = checker.value(node.operand)
    translator = find_translator(checker, operand, output)
    if translator is None:
        raise error("D_XLATE_NONE", node.span,
                    f"there is no translator from {operand.type_name} to {output}")
    return Translated(node.span, translator, operand, output, checker.dynamic)


def argument(checker: Checker, span: Span, variable: Variable, index: Constant) -> Value:
    """args[index]: the probe's argument, translated where its provider says so."""
    context = checker.context
    if context is None:
        raise error("D_ARGS_NONE", span, "args[ ] belong to a probe, and this is outside of any clause")
    if context.probe is None:
        known = checker.catalog.probes(context.description)
        raise error("D_ARGS_MULTI", span, f"the types of args[ ] are not known: {context.description} "
                    f"matches {'probes that may differ in them' if known else 'no probes'}")
    arguments = checker.catalog.arguments(context.probe) or ()
    if index.value >= len(arguments):
        count = f"{len(arguments)} argument{'' if len(arguments) == 1 else 's'}"
        raise error("D_ARGS_IDX", span, f"there is no args[{index.value}]: {context.description} has "
                    f"{count if arguments else 'no arguments that have types'}")
    declared = arguments[index.value]
    if declared.mapping == UNREACHABLE:
        raise error("D_ARGS_TYPE", span, f"args[{index.value}] is a {declared.native} passed by value, "
                    "which D cannot read")
    native = _argument_type(checker, span, declared.native, "native", index.value)
    wanted = _argument_type(checker, span, declared.xlate or declared.native, "translated", index.value)
    raw = BuiltinElement(span, variable, declared.mapping, native)
    raw.attributes = context.provider[4]
    raw.user = bool(getattr(native.resolve(), "userland", False))
    if declared.xlate in ("", declared.native) or rules.is_assignable(native, Value(span, wanted)):
        raw.type = wanted
        raw.user = raw.user if wanted.is_string() else bool(getattr(wanted.resolve(), "userland", False))
        return raw
    translator = find_translator(checker, raw, wanted)
    if translator is None:
        raise error("D_ARGS_XLATOR", span, f"there is no translator for args[{index.value}], from {native} "
                    f"to {wanted}")
    return Translated(span, translator, raw, wanted, checker.dynamic)


def _argument_type(checker: Checker, span: Span, type_: Type | str, which: str, index: int) -> Type:
    found = checker.scope.lookup(type_) if isinstance(type_, str) else type_
    if found is None:
        raise error("D_ARGS_TYPE", span, f"the {which} type of args[{index}], {type_}, is not known")
    return found


def declare_translator(checker: Checker, node: syntax.Translator) -> Translator:
    """translator output < source name > { members };"""
    output, source = checker.type_of(node.output), checker.type_of(node.input)
    alike = _making(checker, output)
    for known in alike:
        if compatible(known.output, output) and \
                (known.source is source or (str(known.source) == str(source)
                                            and compatible(known.source, source))):
            raise error("D_XLATE_REDECL", node.span,
                        f"there is a translator from {source} to {output} already")
    record = output.resolve()
    if not isinstance(record, Record):
        raise error("D_XLATE_SOU", node.span, "a translator makes a struct or union, and nothing else")
    if record.members is None:
        raise error("D_XLATE_SOU", node.span, f"the members of {output} are not known")
    parameter = Parameter(node.parameter, source)
    translator = Translator(source, output, checker.scope.pointer(output), parameter)
    alike.append(translator)
    try:
        with checker.parameters({node.parameter: parameter}):
            _check_members(checker, node, translator, record)
    except BaseException:
        alike.remove(translator)
        raise
    return translator


def _check_members(checker: Checker, node: syntax.Translator, translator: Translator, record: Record) -> None:
    translator.attributes = HIGHEST
    for each in node.members:
        found = record.member(each.name)
        if found is None:
            raise error("D_XLATE_MEMB", each.span,
                        f"{translator.output} has no member {each.name}",
                        *did_you_mean(each.name, record.names()))
        value = checker.value(each.value)
        translator.attributes = weakest(translator.attributes, value.attributes)
        if not rules.is_assignable(found.type, value):
            raise error("D_XLATE_INCOMPAT", each.span, f"member {each.name} is {found.type}, and what it is "
                        f"translated from {value.type_name}")
        translator.members.setdefault(each.name, value)
