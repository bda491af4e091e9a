"""Provider declarations → definitions: what a provider file says, for `-h`, `-G` and the compiler.

`Providers` takes declarations and attribute pragmas one by one, as a compiler
meets them; `parse_providers` reads a whole provider file.  The rules are
those of the manual's chapter "Statically Defined Tracing for User
Applications".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dc import catalog
from dc import syntax as s
from dc.declarations import Declarations, Declared
from dc.diagnostics import CompileError, did_you_mean, error
from dc.lexer import Lexer, Macros
from dc.options import Options
from dc.parser import parse_program
from dc.pragmas import PROVIDER_PARTS, apply
from dc.scopes import Scope
from dc.syntax import Span
from dc.types import Model, Pointer, Record, Type, compatible
from dif.light import NamedTuple
from dof.model import Attributes, ProbeDesc
from dof.usdt.definition import Argument, ProbeDefinition, ProviderDefinition

NAME_MAX = 63  # DTRACE_PROVNAMELEN and DTRACE_NAMELEN, without the NUL
ARGUMENTS_MAX = 255


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

    def arguments(self, description: ProbeDesc) -> list[catalog.Argument] | None:
        """args[] of a declared probe; None if there is none of that name."""
        prototype = self._prototypes.get((description.provider, description.name))
        if prototype is None:
            return None
        if prototype.translated is None:
            return [catalog.Argument(each.type, "", at) for at, each in enumerate(prototype.native)]
        names = [each.name for each in prototype.native]
        found = [(names.index(each.name), each.type) for each in prototype.translated]
        return [catalog.Argument(prototype.native[at].type, str(type_), at) for at, type_ in found]

    def set_attributes(self, name: str, part: str, attributes: Attributes) -> bool:
        """Set the stability of one of pragmas.PROVIDER_PARTS; False when no such provider is declared."""
        provider = self.definitions.get(name)
        if provider is None:
            return False
        parts = list(provider.attributes)
        parts[PROVIDER_PARTS.index(part)] = attributes
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
    """What the lexer asks of names."""

    def __init__(self, declarations: Declarations) -> None:
        self.is_type_name = declarations.scope.is_type_name
        self.begin_record = declarations.begin_record
        self.variables: set[str] = set()

    def is_variable(self, name: str) -> bool:
        return name in self.variables


def parse_providers(text: str, filename: str = "", *, model: Model = Model.LP64, macros: Macros | None = None,
                    types: Callable[[], Scope] | None = None) -> ProviderFile:
    """Read a provider file (already preprocessed, where it is to be).

    `types` gives a scope with further types than C's own; it is called only
    when the file makes no sense without.  Raises CompileError.
    """
    try:
        return _parse(text, filename, Scope.intrinsic(model), macros)
    except CompileError:
        if types is None:
            raise
    return _parse(text, filename, types(), macros)


def _parse(text: str, filename: str, types: Scope, macros: Macros | None) -> ProviderFile:
    scope = types.child()
    declarations = Declarations(scope)
    translators: list[tuple[Type, Type]] = []
    providers = Providers(declarations, lambda native, output: any(
        compatible(native, source) and compatible(_target(output), result) for source, result in translators))
    names = _Names(declarations)
    pragmas = _Pragmas(providers, Options())
    has_clauses = False
    for node in parse_program(Lexer(text, names, file=filename, macros=macros)):
        if isinstance(node, s.ProviderDeclaration):
            providers.declare(node)
        elif isinstance(node, s.Declaration):
            names.variables.update(_variables(declarations.declare(node)))
        elif isinstance(node, s.Translator):
            translators.append((declarations.type_name(node.input), declarations.type_name(node.output)))
        elif isinstance(node, s.Pragma):
            apply(node, pragmas)
        else:
            has_clauses = True
    return ProviderFile(list(providers.definitions.values()), has_clauses)


def _variables(declared: list[Declared]) -> Iterator[str]:
    return (each.name for each in declared if each.storage != "typedef")


def _target(type_: Type) -> Type:
    resolved = type_.resolve()
    return resolved.target if isinstance(resolved, Pointer) else resolved


class _Pragmas:
    """What the control lines of a provider file may change (pragmas.PragmaTarget)."""

    def __init__(self, providers: Providers, options: Options) -> None:
        self.options = options
        self._providers = providers

    def set_attributes(self, name: str, attributes: Attributes, span: Span) -> None:
        """Attributes of the program's variables matter only to the clauses."""

    def set_provider_attributes(self, provider: str, part: str, attributes: Attributes, span: Span) -> None:
        if not self._providers.set_attributes(provider, part, attributes):
            raise error("D_PRAGMA_UNUSED", span,
                        f"attributes of provider {provider}, which is not declared",
                        *did_you_mean(provider, self._providers.definitions))

    def set_binding(self, name: str, version: tuple[int, int, int], span: Span) -> None:
        """Versions of the program's variables matter only to the clauses."""

    def has_dependency(self, kind: str, name: str, span: Span) -> bool:
        """Types are looked up where they are used."""
        return True

    def option_changed(self, name: str) -> None:
        """Options of the program matter only to the clauses."""
