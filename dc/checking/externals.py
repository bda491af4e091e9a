"""External declarations take effect here: variables, inlines, translators, providers, pragmas.

`Declarer.declare` takes the syntax tree of one declaration and enters what it
declares in the names, types or catalog of a checker.  The lexer asks the
Declarer whether a name is a type (lexer.Names), and pragmas change options and
attributes through it (pragmas.PragmaTarget).
"""

from __future__ import annotations

from dc import versions
from dc.checking import rules
from dc.checking.checker import Checker
from dc.checking.typed import Constant, translated
from dc.diagnostics import Span, error, with_article
from dc.names.builtins import STABLE, weakest
from dc.names.identifiers import Function, Inline, Parameter, Variable
from dc.options import Options
from dc.source import tree as syntax
from dc.source.lexer import Lexer
from dc.types.declarations import Declarations, Declared, Declaring
from dc.types.types import Array, Pointer, String, Type, compatible
from dif import isa
from dof.model import Attributes, ProbeDesc
from dof.options import TABLE

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dc.names.catalog import Catalog

_SCOPES = {"": isa.SCOPE_GLOBAL, "self": isa.SCOPE_THREAD, "this": isa.SCOPE_LOCAL}


class Declarer:
    """Declares into a checker's names and types.

    `libraries` are the names of those that are there, for a library, which may depend on them.
    """

    def __init__(self, checker: Checker, libraries: Collection[str] | None = None) -> None:
        self.options = Options()
        self._checker = checker
        self._names = checker.names
        self._scope = checker.scope
        self._catalog = checker.catalog
        self._pending: dict[str, tuple[str, Span, Attributes | tuple[int, int, int]]] = {}
        self._declared: set[str] = set()  # global names that this program declares
        self._libraries = libraries
        self.lexer: Lexer | None = None  # of the program being read
        self._declaring = Declaring(checker.declarations)

    @property
    def declarations(self) -> Declarations:
        """What declares: the program, or a file that it includes."""
        return self._declaring.at(self.lexer.include_depth if self.lexer is not None else 0)

    def begin(self, options: Options) -> None:
        """Begin a new program, with these options."""
        self.options = options
        self._declared.clear()
        for name in ("strsize", "version"):
            self.option_changed(name)

    def finish(self) -> None:
        """End a program.  Raises D_PRAGMA_UNUSED for a pragma about a name that was not declared."""
        for pragma, span, _ in self._pending.values():
            self._pending = {}
            raise error("D_PRAGMA_UNUSED", span, f"nothing has the name that #pragma D {pragma} is about")

    # What the lexer asks ---------------------------------------------------------------------------

    def is_variable(self, name: str) -> bool:
        """Whether the name is a variable, function, inline or enumerator, and so no type."""
        return self._names.find(name) is not None or self._scope.enumerator(name) is not None

    def is_type_name(self, name: str) -> bool:
        return self._scope.is_type_name(name)

    def begin_record(self, keyword: str, tag: str, span: Span) -> None:
        self.declarations.begin_record(keyword, tag, span)

    def similar_type(self, name: str) -> tuple[str, ...]:
        from dc.types.similartypes import similar_type

        return similar_type(self._scope, name)

    # Declarations ------------------------------------------------------------------------------------

    def declare(self, node: syntax.External) -> None:
        """Let a declaration take effect.  Raises CompileError."""
        if isinstance(node, syntax.Declaration):
            for declared in self.declarations.declare(node):
                if declared.storage in _SCOPES:
                    self._variable(declared)
                elif declared.storage == "extern":
                    self._external(declared)
        elif isinstance(node, syntax.Inline):
            self._inline(node)
        elif isinstance(node, syntax.Translator):
            self._checker.declare_translator(node)
            self._pending.pop("attributes translator", None)  # its members decide on its attributes
        elif isinstance(node, syntax.ProviderDeclaration):
            self._catalog.declare(node, self._checker.declarations, self._checker.translates)
        elif isinstance(node, syntax.Pragma):
            from dc.names.pragmas import apply

            apply(node, self)

    def _variable(self, declared: Declared) -> None:
        """int x; self string y; int z[string, int];"""
        names, scope = self._names, _SCOPES[declared.storage]
        known = names.find(declared.name) if scope == isa.SCOPE_GLOBAL \
            else names.table(scope).get(declared.name)
        if known is not None:
            self._redeclared(declared, known)
            return
        variable = names.create(declared.name, scope, declared.span, array=declared.keys is not None)
        variable.declared = True
        if scope == isa.SCOPE_GLOBAL:
            self._declared.add(declared.name)
        variable.type = declared.type
        if declared.keys is not None:
            variable.keys = list(declared.keys)
        base = declared.type.resolve()
        variable.user = isinstance(base, Pointer) and base.userland
        self._settle_pragmas(declared.name, variable)

    def _external(self, declared: Declared) -> None:
        """extern int x;  A header may repeat it with another type."""
        known = self._checker.externals.setdefault(declared.name, declared.type)
        if not compatible(known, declared.type) and self.declarations is self._checker.declarations:
            raise error("D_DECL_IDRED", declared.span,
                        f"extern {declared.name} is {declared.type} here and was declared as {known}")

    def _redeclared(self, declared: Declared, known: object) -> None:
        """Raise D_DECL_IDRED unless a second declaration says the same as the first."""
        span, name = declared.span, declared.name
        builtin = getattr(known, "builtin", None)
        if builtin is not None or isinstance(known, Function):
            raise error("D_DECL_IDRED", span, f"{name} is built into D")
        is_array = declared.keys is not None
        same = isinstance(known, Variable) and known.array == is_array and known.type is not None \
            and _same(known.type, declared.type) \
            and (not is_array or (known.keys is not None and len(known.keys) == len(declared.keys or ())
                                  and all(map(_same, known.keys, declared.keys or ()))))
        if not same:
            before = _spelled(getattr(known, "type", None), getattr(known, "keys", None))
            raise error("D_DECL_IDRED", span,
                        f"{name} is {_spelled(declared.type, declared.keys)} here and {before} before")

    # Inlines -----------------------------------------------------------------------------------------

    def _inline(self, node: syntax.Inline) -> None:
        """inline T name = value;  inline T name[T key, ...] = value;"""
        span, declarator = node.declarator.span, node.declarator
        if node.specifiers.storage:
            raise error("D_DECL_BADCLASS", span,
                        "an inline has no storage class")
        name = declarator.name
        if name is None:
            raise error("D_DECL_USELESS", span, "the inline has no name")
        known = self._names.find(name)
        if known is not None:
            before = "parameter" if isinstance(known, Parameter) else \
                "inline" if isinstance(known, Inline) else known.role
            raise error("D_DECL_IDRED", span, f"{name} is an inline here and was {with_article(before)}")
        type_, parameters = self._inline_type(node, name)
        body = self._checker.value_with({each.name: each for each in parameters or []}, node.value)
        inline = Inline(name, type_, body, parameters)
        inline.attributes = weakest(STABLE, body.attributes)
        inline.writable = body.writable
        self._names.globals[name] = inline
        self._check_inline(span, inline)
        self._declared.add(name)
        if isinstance(body, Constant) and type_.is_integer():
            inline.body = Constant(body.span, body.type, body.value, body.attributes)
        self._settle_pragmas(name, inline)

    def _inline_type(self, node: syntax.Inline, name: str) -> tuple[Type, list[Parameter] | None]:
        declarations, span = self._checker.declarations, node.declarator.span
        base = declarations.specified(node.specifiers)
        type_, keys = declarations.declarator(base, node.declarator)
        parameters: list[Parameter] | None = None
        if keys is not None:
            parameters = self._inline_parameters(node.declarator, keys)
        elif isinstance(type_, Array):
            raise error("D_DECL_ARRNULL", span, f"inline {name} needs parameters in its brackets")
        if type_.is_void():
            raise error("D_DECL_VOIDOBJ", span, f"inline {name} is void")
        declarations.check_complete(name, type_, span)
        return type_, parameters

    def _inline_parameters(self, node: syntax.Declarator, keys: tuple[Type, ...]) -> list[Parameter]:
        layer = next(each for each in node.layers if isinstance(each, syntax.ArrayOf) and each.keys)
        names = [each.declarator.name for each in layer.keys or []]
        return [Parameter(name or "", type_) for name, type_ in zip(names, keys, strict=False)]

    def _check_inline(self, span: Span, inline: Inline) -> None:
        translation_ = translated(inline.body)
        if translation_ is not None:
            wanted = inline.type.resolve()
            target = wanted.target if isinstance(wanted, Pointer) else wanted
            fits = compatible(target, translation_.translator.output)
            found: object = translation_.translator.output
        else:
            fits = rules.is_assignable(inline.type, inline.body, user=inline.body.user)
            found = inline.body.type_name
        if not fits:
            del self._names.globals[inline.name]
            raise error("D_OP_INCOMPAT", span, f"inline {inline.name} is {inline.type}, and its value "
                        f"{found}")

    # Pragmas -----------------------------------------------------------------------------------------

    def set_attributes(self, name: str, attributes: Attributes, span: Span) -> None:
        self._pragma(name, "attributes", span, attributes)

    def set_provider_attributes(self, provider: str, part: str, attributes: Attributes, span: Span) -> None:
        if not self._catalog.set_attributes(provider, part, attributes):
            self._pending[f"attributes {provider}"] = ("attributes", span, attributes)

    def set_binding(self, name: str, version: tuple[int, int, int], span: Span) -> None:
        self._pragma(name, "binding", span, version)

    def _pragma(self, name: str, pragma: str, span: Span, value: Attributes | tuple[int, int, int]) -> None:
        known = self._names.find(name)
        if known is None:
            self._pending[f"{pragma} {name}"] = (pragma, span, value)
        elif name not in self._declared:
            raise error("D_PRAGMA_SCOPE", span, f"#pragma {pragma} may only be about what the program itself "
                        f"declares, and {name} is not")
        elif isinstance(known, Variable | Inline):
            self._apply(known, pragma, value)

    @staticmethod
    def _apply(known: Variable | Inline, pragma: str, value: Attributes | tuple[int, int, int]) -> None:
        if pragma == "attributes":
            known.attributes = Attributes(*value)

    def _settle_pragmas(self, name: str, known: Variable | Inline) -> None:
        """Apply the pragmas that stood before the declaration they are about."""
        for pragma in ("attributes", "binding"):
            waiting = self._pending.pop(f"{pragma} {name}", None)
            if waiting is not None:
                self._apply(known, pragma, waiting[2])

    def has_dependency(self, kind: str, name: str, span: Span) -> bool:
        if kind == "library":
            if self._libraries is None:
                raise error("D_PRAGMA_DEPEND", span, f"only libraries depend on libraries, such as {name}: "
                            "a program has them all")
            return name in self._libraries
        return is_available(self._catalog, kind, name)

    def option_changed(self, name: str) -> None:
        if name == "strsize":
            size = self.options.number(name, 0)
            if size > 0:  # a kernel refuses longer ones than the most, and DOF has no room for the longest
                self._scope.types["string"] = String(min(size, TABLE[name].most))
        elif name == "version":
            version = versions.parse(self.options.text("version"))
            if version is not None:
                self._names.reduce(version)
        elif self.lexer is not None:
            self.lexer.macros.default = self.options.is_on("defaultargs")
            self.lexer.pspec = self.options.is_on("pspec")


def is_available(catalog: Catalog, kind: str, name: str) -> bool:
    """Whether a "provider" or "module" that a library depends on is there."""
    if kind == "provider":
        return catalog.provider_attributes(name) is not None or bool(catalog.probes(ProbeDesc(name)))
    return catalog.has_module(name)


def _spelled(type_: Type | None, keys: Sequence[Type] | None) -> str:
    """A variable's type, with that of its keys if it is an associative array."""
    tuple_ = "" if keys is None else f" [{', '.join(map(str, keys))}]"
    return f"{type_ or 'of no type'}{tuple_}"


def _same(left: Type, right: Type) -> bool:
    return compatible(left, right)
