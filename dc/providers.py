"""Provider declarations → definitions: what a provider file says, for `-h`, `-G` and the compiler.

`Providers` takes declarations and attribute pragmas one by one, as a compiler
meets them; `parse_providers` reads a whole provider file.  The rules are
those of the manual's chapter "Statically Defined Tracing for User
Applications".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from dc import syntax as s
from dc.declarations import Declarations, Declared
from dc.diagnostics import did_you_mean, error
from dc.lexer import Lexer, Macros
from dc.parser import parse_program
from dc.syntax import Span
from dc.types import Model, Pointer, Record, Scope, Type, compatible
from dof.model import Attributes
from dof.usdt.definition import Argument, ProbeDefinition, ProviderDefinition

NAME_MAX = 63  # DTRACE_PROVNAMELEN and DTRACE_NAMELEN, without the NUL
ARGUMENTS_MAX = 255
PARTS = ("provider", "module", "function", "name", "args")
STABILITIES = ("internal", "private", "obsolete", "external", "unstable", "evolving", "stable", "standard")
CLASSES = ("unknown", "cpu", "platform", "group", "isa", "common")


class ProviderFile(NamedTuple):
    """A provider file's declarations; `has_clauses` tells that it holds a program, too."""

    providers: list[ProviderDefinition]
    has_clauses: bool


class _Parameter(NamedTuple):
    name: str | None
    type: Type


class _Prototype(NamedTuple):
    native: list[_Parameter]
    translated: list[_Parameter] | None


def parse_attributes(text: str) -> Attributes | None:
    """Stability as "Name/Data/Class", in any case; None when it is not that."""
    words = text.lower().split("/")
    if len(words) != 3 or not {words[0], words[1]} <= set(STABILITIES) or words[2] not in CLASSES:
        return None
    return Attributes(STABILITIES.index(words[0]), STABILITIES.index(words[1]), CLASSES.index(words[2]))


class Providers:
    """The providers a program declares, in order.

    `declarations` makes their argument types; `translates` tells whether a
    translator exists from one type to another.
    """

    def __init__(self, declarations: Declarations,
                 translates: Callable[[Type, Type], bool] = lambda native, output: False) -> None:
        self.definitions: dict[str, ProviderDefinition] = {}
        self._declarations = declarations
        self._translates = translates
        self._prototypes: dict[tuple[str, str], _Prototype] = {}

    def declare(self, node: s.ProviderDeclaration) -> ProviderDefinition:
        """Take a provider declaration.  Raises CompileError (D_PROV_*, D_DECL_*)."""
        self._check_name(node.name, "provider", node.span)
        if node.name[-1:].isdigit():
            raise error("D_PROV_BADNAME", node.span,
                        f"a provider's name may not end with a digit: {node.name}")
        again = node.name in self.definitions
        provider = self.definitions.setdefault(node.name, ProviderDefinition(node.name))
        for probe in node.probes:
            self._declare_probe(provider, probe, again)
        return provider

    @staticmethod
    def _check_name(name: str, kind: str, span: Span) -> None:
        if "`" in name:
            raise error("D_PROV_BADNAME", span,
                        f"a {kind}'s name may not contain the scoping operator: {name}")
        if len(name) > NAME_MAX:
            raise error("D_PROV_BADNAME", span,
                        f"a {kind}'s name may not exceed {NAME_MAX} characters: {name}")

    def _declare_probe(self, provider: ProviderDefinition, node: s.ProbeDeclaration, again: bool) -> None:
        name = node.name.replace("__", "-")
        self._check_name(name, "probe", node.span)
        prototype = self._prototype(node)
        full = f"{provider.name}:::{name}"
        known = self._prototypes.get((provider.name, name))
        if known is not None:
            if not again:
                raise error("D_PROV_PRDUP", node.span, f"probe {full} is already declared")
            self._compare(full, known, prototype, node.span)
        elif again:
            raise error("D_PROV_INCOMPAT", node.span,
                        f"probe {full} is not in the provider's first declaration")
        self._check_translations(full, prototype, node.span)
        if known is None:
            self._prototypes[provider.name, name] = prototype
            provider.probes.append(_definition(name, prototype, self._declarations.scope.model))

    def _prototype(self, node: s.ProbeDeclaration) -> _Prototype:
        native = self._parameters(node.native, "probe input", anonymous=True)
        if node.translated is None:
            return _Prototype(native, None)
        translated = self._parameters(node.translated, "probe output", anonymous=False)
        names = [each.name for each in native]
        for each in translated:
            if each.name not in names:
                raise error("D_DECL_PROTO_FORM", node.translated.span,
                            f"probe output parameter {each.name} is not one of the input's",
                            *did_you_mean(each.name or "", [name for name in names if name]))
        return _Prototype(native, translated)

    def _parameters(self, node: s.FunctionOf, kind: str, *, anonymous: bool) -> list[_Parameter]:
        listed = self._declarations.parameters(node, kind, void=True, anonymous=anonymous)
        if len(listed) > ARGUMENTS_MAX:
            raise error("D_PROV_PRARGLEN", node.span,
                        f"{kind} prototype exceeds {ARGUMENTS_MAX} parameters: {len(listed)} used")
        return [_Parameter(name, type_) for name, type_ in listed]

    @staticmethod
    def _compare(full: str, old: _Prototype, new: _Prototype, span: Span) -> None:
        for kind, before, now in (("input", old.native, new.native),
                                  ("output", old.translated or old.native, new.translated or new.native)):
            if len(before) != len(now):
                raise error("D_PROV_INCOMPAT", span, f"probe {full} has {len(now)} {kind} arguments here"
                            f" and {len(before)} in its first declaration")
            for number, (left, right) in enumerate(zip(before, now, strict=True), 1):
                if not compatible(left.type, right.type):
                    raise error("D_PROV_INCOMPAT", span, f"probe {full}, {kind} argument #{number} is"
                                f" {right.type} here and {left.type} in its first declaration")

    def _check_translations(self, full: str, prototype: _Prototype, span: Span) -> None:
        names = {each.name: each.type for each in prototype.native}
        for number, each in enumerate(prototype.translated or (), 1):
            native = names[each.name]
            if not self._translates(native, each.type) and not _passes(native, each.type):
                raise error("D_PROV_PRXLATOR", span, f"no translator is defined for output argument"
                            f" #{number} of probe {full}, from {native} to {each.type}")

    def set_attributes(self, words: list[str | bytes | int], span: Span) -> bool:
        """Take the words of `#pragma D attributes N/D/C provider NAME PART`.

        False when they are not about a provider declared so far.  Raises
        CompileError for attributes or a part that do not exist.
        """
        text = [word if isinstance(word, str) else "" for word in words]
        if len(text) < 2 or not text[0] or not text[1]:
            raise error("D_PRAGMA_MALFORM", span,
                        "malformed #pragma attributes: expected attributes and a name")
        attributes = parse_attributes(text[0])
        if attributes is None:
            raise error("D_PRAGMA_INVAL", span, f"invalid attributes {text[0]}",
                        "attributes are NAME/DATA/CLASS, as in Evolving/Evolving/Common")
        if text[1] != "provider":
            return False
        if len(text) < 4:
            raise error("D_PRAGMA_MALFORM", span,
                        "malformed #pragma attributes: expected provider, name, part")
        if text[3] not in PARTS:
            raise error("D_PRAGMA_INVAL", span, f"a provider has no part {text[3]}",
                        *did_you_mean(text[3], PARTS))
        provider = self.definitions.get(text[2])
        if provider is None:
            return False
        parts = list(provider.attributes)
        parts[PARTS.index(text[3])] = attributes
        provider.attributes = (parts[0], parts[1], parts[2], parts[3], parts[4])
        return True


def _passes(native: Type, output: Type) -> bool:
    """Whether a native argument can be seen as the output type without a translator."""
    if native.is_integer() and output.is_integer():
        return True
    if output.is_string() or native.is_string():
        return _is_text(native) and _is_text(output)
    if isinstance(left := native.resolve(), Pointer) and isinstance(right := output.resolve(), Pointer):
        return left.target.is_void() or right.target.is_void() or compatible(left, right)
    return compatible(native, output)


def _is_text(type_: Type) -> bool:
    resolved = type_.resolve()
    return (resolved.is_string() or resolved.is_char_array()
            or (isinstance(resolved, Pointer) and resolved.target.resolve().is_char()))


def _definition(name: str, prototype: _Prototype, model: Model) -> ProbeDefinition:
    native, translated = ([_argument(each, model) for each in listed or ()] for listed in prototype)
    return ProbeDefinition(name, native, None if prototype.translated is None else translated)


def _argument(parameter: _Parameter, model: Model) -> Argument:
    resolved = parameter.type.resolve()
    indirect = resolved.is_array() or resolved.is_string() or resolved.is_function()
    size = model.pointer_size if indirect else resolved.size
    return Argument(str(parameter.type), parameter.name or "", size, resolved.is_signed(),
                    resolved.is_float(), _tag(resolved))


def _tag(type_: Type) -> str:
    """The structure a type is made of, if it has a tag."""
    while isinstance(type_, Pointer):
        type_ = type_.target.resolve()
    return str(type_) if isinstance(type_, Record) and type_.tag else ""


# -- whole files ---------------------------------------------------------------------------------------

class _Names:
    """What the lexer asks of names: the file's own types first, and only then the library's."""

    def __init__(self, scope: Scope, types: Callable[[], Scope] | None) -> None:
        self._scope = scope
        self._types = types
        self.variables: set[str] = set()

    def is_variable(self, name: str) -> bool:
        return name in self.variables

    def is_type_name(self, name: str) -> bool:
        if self._scope.is_type_name(name):
            return True
        if self._types is None:
            return False
        behind, self._types = self._types(), None
        last = list(self._scope.chain())[-1]
        last.parent = behind
        return self._scope.is_type_name(name)


def parse_providers(text: str, filename: str = "", *, model: Model = Model.LP64, macros: Macros | None = None,
                    types: Callable[[], Scope] | None = None) -> ProviderFile:
    """Read a provider file (already preprocessed, where it is to be).

    `types` gives a scope of further types, and is called only when a name is
    met that the file does not define.  Raises CompileError.
    """
    scope = Scope.intrinsic(model).child()
    declarations = Declarations(scope)
    translators: list[tuple[Type, Type]] = []
    providers = Providers(declarations, lambda native, output: any(
        compatible(native, source) and compatible(_target(output), result) for source, result in translators))
    names = _Names(scope, types)
    has_clauses = False
    for node in parse_program(Lexer(text, names, file=filename, macros=macros)):
        if isinstance(node, s.ProviderDeclaration):
            providers.declare(node)
        elif isinstance(node, s.Declaration):
            names.variables.update(_variables(declarations.declare(node)))
        elif isinstance(node, s.Translator):
            translators.append((declarations.type_name(node.input), declarations.type_name(node.output)))
        elif isinstance(node, s.Pragma):
            _pragma(providers, node)
        else:
            has_clauses = True
    return ProviderFile(list(providers.definitions.values()), has_clauses)


def _variables(declared: list[Declared]) -> Iterator[str]:
    return (each.name for each in declared if each.storage != "typedef")


def _target(type_: Type) -> Type:
    resolved = type_.resolve()
    return resolved.target if isinstance(resolved, Pointer) else resolved


def _pragma(providers: Providers, node: s.Pragma) -> None:
    """Attributes of providers; what other pragmas say does not concern a provider's definition."""
    words = [word for word in node.words if word != "D"]
    if words[:2] != ["pragma", "attributes"]:
        return
    if not providers.set_attributes(words[2:], node.span) and words[3:4] == ["provider"]:
        raise error("D_PRAGMA_UNUSED", node.span, "unused #pragma attributes: no such provider is declared")
