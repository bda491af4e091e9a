"""Provider declarations → definitions: what a provider file says, for `-h`, `-G` and the compiler.

`Providers` takes declarations and attribute pragmas one by one, as a compiler
meets them; `parse_providers` reads a whole provider file.  The rules are
those of the manual's chapter "Statically Defined Tracing for User
Applications".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dc.diagnostics import CompileError, Span, did_you_mean, error
from dc.names import catalog
from dc.names.pragmas import apply
from dc.options import Options
from dc.source import tree as s
from dc.source.lexer import Lexer, Macros
from dc.source.parser import parse_program
from dc.types.declarations import Declarations, Declared, Declaring
from dc.types.scopes import Scope
from dc.types.types import POINTER_SIZE, Model, Pointer, Record, Type, compatible
from dif.records import NamedTuple
from dof.model import Attributes, ProbeDesc
from dof.usdt.definition import ARGUMENTS_MAX, Argument, ProbeDefinition, ProviderDefinition

NAME_MAX = 63  # DTRACE_PROVNAMELEN and DTRACE_NAMELEN, without the NUL


class ProviderFile(NamedTuple):
    """A provider file's declarations; `has_clauses` tells that it holds a program, too."""

    providers: list[ProviderDefinition]
    has_clauses: bool


Translates = Callable[[Type, Type], bool]  # whether there is a translator from one type to another


class _Parameter(NamedTuple):
    name: str | None
    type: Type


class _Interface(NamedTuple):
    """A probe's types as they are spelt, by which two declarations are compared."""

    native: list[str]
    translated: list[str] | None

    @property
    def visible(self) -> list[str]:
        return self.native if self.translated is None else self.translated


class _Prototype(NamedTuple):
    native: list[_Parameter]
    translated: list[_Parameter] | None

    @property
    def interface(self) -> _Interface:
        return _Interface([str(each.type) for each in self.native],
                          None if self.translated is None else [str(each.type) for each in self.translated])


class Providers:
    """The providers that programs declare, in order.

    A declaration of a provider that `system` implements can only repeat what the system has.
    """

    def __init__(self, system: catalog.Catalog | None = None) -> None:
        self.definitions: dict[str, ProviderDefinition] = {}
        self._system = system
        self._prototypes: dict[tuple[str, str], _Prototype] = {}

    def declare(self, node: s.ProviderDeclaration, declarations: Declarations, translates: Translates
                ) -> None:
        """Take a provider declaration: `declarations` makes its types.

        Raises CompileError (D_PROV_*, D_DECL_*).
        """
        _check_name(node.name, "provider", node.span)
        if node.name[-1:].isdigit():
            raise error("D_PROV_BADNAME", node.span,
                        f"provider {node.name}: process IDs follow the name, so its last "
                        "character is not to be a digit")
        system = self._system if self._system is not None and self._system.implements(node.name) else None
        again = system is not None or node.name in self.definitions
        if not again:
            self.definitions[node.name] = ProviderDefinition(node.name)
        for probe in node.probes:
            name, scope = probe.name.replace("__", "-"), declarations.scope
            _check_name(name, "probe", probe.span)
            full = f"{node.name}:::{name}"
            prototype = _prototype(probe, declarations)
            known = self._prototypes.get((node.name, name))
            if system is not None:
                _compare(full, _implemented(system, node.name, name, scope), prototype, probe.span)
            elif again:
                _compare(full, known.interface if known is not None else None, prototype, probe.span)
            elif known is not None:
                raise error("D_PROV_PRDUP", probe.span, f"probe {full} is already declared")
            _check_translations(full, prototype, probe.span, translates)
            if system is None:
                self._take(node.name, name, prototype, scope.model)

    def _take(self, provider: str, name: str, prototype: _Prototype, model: int) -> None:
        """Keep a probe.  A second declaration replaces the first if only the second has an output."""
        known = self._prototypes.get((provider, name))
        if known is not None and (known.translated is not None or prototype.translated is None):
            return
        self._prototypes[provider, name] = prototype
        probes, definition = self.definitions[provider].probes, _definition(name, prototype, model)
        if known is None:
            probes.append(definition)
        else:
            probes[next(at for at, each in enumerate(probes) if each.name == name)] = definition

    def arguments(self, provider: str, name: str) -> list[catalog.Argument] | None:
        """args[] of a declared probe; None if there is none of that name."""
        prototype = self._prototypes.get((provider, name))
        if prototype is None:
            return None
        if prototype.translated is None:
            return [catalog.Argument(each.type, "", at) for at, each in enumerate(prototype.native)]
        names = [each.name for each in prototype.native]
        found = [(names.index(each.name), each.type) for each in prototype.translated]
        return [catalog.Argument(prototype.native[at].type, str(type_), at) for at, type_ in found]

    def matching(self, description: ProbeDesc) -> list[catalog.ProbeInfo]:
        """The declared probes that a description (of globs) names."""
        from dof.globs import is_glob, matcher

        tests = list(map(matcher, description[:4]))

        def names(probe: catalog.ProbeInfo) -> bool:
            return all(test is None or test(text) for text, test in zip(probe[1:], tests, strict=True))

        exact = (description.provider, description.name)
        candidates = self._prototypes.keys() if not all(exact) or any(map(is_glob, exact)) \
            else {exact} & self._prototypes.keys()
        return [probe for probe in (catalog.ProbeInfo(0, provider, "", "", name)
                                    for provider, name in candidates) if names(probe)]

    def set_attributes(self, name: str, part: str, attributes: Attributes) -> bool:
        """Set the stability of one of catalog.PROVIDER_PARTS; False when no such provider is declared."""
        provider = self.definitions.get(name)
        if provider is None:
            return False
        provider.attributes = catalog.changed(provider.attributes, part, attributes)
        return True


def _check_name(name: str, kind: str, span: Span) -> None:
    if "`" in name:
        raise error("D_PROV_BADNAME", span,
                    f"{kind} {name}: a backquote cannot be part of a name")
    if len(name) > NAME_MAX:
        raise error("D_PROV_BADNAME", span,
                    f"{kind} {name}: the name is longer than {NAME_MAX} characters")


# -- prototypes ----------------------------------------------------------------------------------------

def _prototype(node: s.ProbeDeclaration, declarations: Declarations) -> _Prototype:
    def parameters(listed: s.FunctionOf, kind: str, among: list[str | None] | None = None
                   ) -> list[_Parameter]:
        found = declarations.parameters(listed, kind, void=True, among=among)
        if len(found) > ARGUMENTS_MAX:
            raise error("D_PROV_PRARGLEN", listed.span,
                        f"{len(found)} parameters of a {kind} are too many: it has {ARGUMENTS_MAX} at most")
        return [_Parameter(name, type_) for name, type_ in found]

    native = parameters(node.native, "probe input")
    if node.translated is None:
        return _Prototype(native, None)
    return _Prototype(native, parameters(node.translated, "probe output", [each.name for each in native]))


def _implemented(system: catalog.Catalog, provider: str, name: str, scope: Scope) -> _Interface | None:
    """The types of a probe of the system; None if its provider has no probe of that name."""
    def spelt(type_: Type | str) -> str:
        return str(scope.lookup(type_) or type_) if isinstance(type_, str) else str(type_)

    probes = system.probes(ProbeDesc(provider, "", "", name))
    if not probes:
        return None
    arguments = system.arguments(probes[0]) or ()
    native = {each.mapping: spelt(each.native) for each in arguments if each.mapping >= 0}
    return _Interface([native[at] for at in sorted(native)],
                      [spelt(each.xlate or each.native) for each in arguments])


def _compare(full: str, old: _Interface | None, prototype: _Prototype, span: Span) -> None:
    """Raise D_PROV_INCOMPAT unless a probe is declared as it is known.

    Inputs are compared only where both declarations have outputs.
    """
    if old is None:
        raise error("D_PROV_INCOMPAT", span, f"probe {full} is not one that its provider is known to have")
    new = prototype.interface
    compared = [("" if new.translated is None else "output ", old.visible, new.visible)]
    if old.translated is not None and new.translated is not None:
        compared.append(("input ", old.native, new.native))
    for kind, known, declared in compared:
        if len(known) != len(declared):
            raise error("D_PROV_INCOMPAT", span, f"probe {full} has {len(declared)} {kind}"
                        f"argument{'' if len(declared) == 1 else 's'} here and is known to have {len(known)}")
        for number, (left, right) in enumerate(zip(known, declared, strict=True), 1):
            if left != right:
                raise error("D_PROV_INCOMPAT", span, f"{kind}argument #{number} of probe {full} is "
                            f"{right} here and is known to be {left}")


def _check_translations(full: str, prototype: _Prototype, span: Span, translates: Translates) -> None:
    names = {each.name: each.type for each in prototype.native}
    for number, each in enumerate(prototype.translated or (), 1):
        native = names[each.name]
        if not translates(native, each.type) and not _passes(native, each.type):
            raise error("D_PROV_PRXLATOR", span, f"output argument #{number} of probe {full} is {each.type}, "
                        f"and no translator makes that of {native}")


def _passes(native: Type, output: Type) -> bool:
    """Whether a native argument has a value of the output type without a translator."""
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


def _definition(name: str, prototype: _Prototype, model: int) -> ProbeDefinition:
    native, translated = ([_argument(each, model) for each in listed or ()] for listed in prototype)
    return ProbeDefinition(name, native, None if prototype.translated is None else translated)


def _argument(parameter: _Parameter, model: int) -> Argument:
    resolved = parameter.type.resolve()
    indirect = resolved.is_array() or resolved.is_string() or resolved.is_function()
    size = POINTER_SIZE[model] if indirect else resolved.size
    return Argument(str(parameter.type), parameter.name or "", size, resolved.is_signed(),
                    resolved.is_float(), _tag(resolved))


def _tag(type_: Type) -> str:
    """The structure a type is made of, if it has a tag."""
    while isinstance(type_, Pointer):
        type_ = type_.target.resolve()
    return str(type_) if isinstance(type_, Record) and type_.tag else ""


# -- whole files ---------------------------------------------------------------------------------------

class _Names:
    """What the lexer asks of names, and what declares them: the file itself, or one that it includes."""

    def __init__(self, scope: Scope) -> None:
        self.is_type_name = scope.is_type_name
        self.own = Declarations(scope)
        self._declaring = Declaring(self.own)
        self._scope = scope
        self.lexer: Lexer | None = None
        self.variables: set[str] = set()

    @property
    def declarations(self) -> Declarations:
        return self._declaring.at(self.lexer.include_depth if self.lexer is not None else 0)

    def begin_record(self, keyword: str, tag: str, span: Span) -> None:
        self.declarations.begin_record(keyword, tag, span)

    def is_variable(self, name: str) -> bool:
        return name in self.variables

    def similar_type(self, name: str) -> tuple[str, ...]:
        from dc.types.similartypes import similar_type

        return similar_type(self._scope, name)


def parse_providers(text: str, filename: str = "", *, model: int = Model.LP64, macros: Macros | None = None,
                    types: Callable[[], Scope] | None = None) -> ProviderFile:
    """Read the text of a provider file, after preprocessing if that was asked for.

    `types` returns a scope with more types than C's own; it is called only if
    the file has errors without them.  Raises CompileError.
    """
    try:
        return _parse(text, filename, Scope.intrinsic(model), macros)
    except CompileError:
        if types is None:
            raise
    return _parse(text, filename, types(), macros)


def _parse(text: str, filename: str, types: Scope, macros: Macros | None) -> ProviderFile:
    names = _Names(types.child("C").child())
    declarations = names.own
    translators: list[tuple[Type, Type]] = []
    providers = Providers()
    pragmas = _Pragmas(providers, Options())
    has_clauses = False
    names.lexer = lexer = Lexer(text, names, file=filename, macros=macros)
    for node in parse_program(lexer):
        if isinstance(node, s.ProviderDeclaration):
            providers.declare(node, declarations, lambda native, output: any(
                compatible(native, source) and compatible(_target(output), result)
                for source, result in translators))
        elif isinstance(node, s.Declaration):
            names.variables.update(_variables(names.declarations.declare(node)))
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
