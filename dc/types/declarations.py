"""Declarations as written → types, in the scope that declares them.

`Declarations` turns specifiers and declarators into types, defines records,
enumerations and typedefs, and reports which variables a declaration names.
Array bounds, bit-field widths and enumerators are constant expressions.  The
function `constant` evaluates them; the checker's knows inlines as well.
"""

from __future__ import annotations

from collections.abc import Callable

from dc.diagnostics import Span, did_you_mean, error
from dc.source import tree as s
from dc.types.basictypes import canonical_words
from dc.types.scopes import Scope
from dc.types.types import (
    Array,
    Enum,
    Function,
    Integer,
    Pointer,
    Qualified,
    Record,
    Type,
    Typedef,
    compatible,
)
from dif.records import NamedTuple

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.types.layout import Layout

UINT_MAX = 0xFFFFFFFF
INT_MAX = 0x7FFFFFFF
_BASES = frozenset(("void", "char", "int", "float", "double"))
LAYER_LIMIT = 64  # of pointers, arrays and functions in one declarator

Constant = Callable[[s.Expression], int | None]


class Declared(NamedTuple):
    """A name that a declaration gives a type: a variable, a function, a typedef.

    `storage` is "" (global), "self", "this", "extern" or "typedef".  `keys`
    are the key types of an associative array, whose element type is `type`;
    None for anything else.
    """

    name: str
    type: Type
    storage: str
    keys: tuple[Type, ...] | None
    span: Span


class Declarations:
    """Declares into `scope`.

    `constant` gives the value of a constant expression as a signed number of
    any size, or None; `is_variable` tells whether a global identifier of that
    name exists, which enumerators and typedefs must not hide.  With
    `deferred`, records are laid out when their members are first asked for.
    """

    def __init__(self, scope: Scope, constant: Constant | None = None,
                 is_variable: Callable[[str], bool] = lambda name: False, deferred: bool = False) -> None:
        self.scope = scope
        self._constant = constant or self._evaluated
        self._is_variable = is_variable
        self._deferred = deferred

    def behind(self, scope: Scope) -> Declarations:
        """What declares into another scope, by the same constants and variables."""
        return Declarations(scope, self._constant, self._is_variable, self._deferred)

    def _evaluated(self, expression: s.Expression) -> int | None:
        from dc.types.constants import evaluate

        return evaluate(expression, self.scope, self.type_name)

    @property
    def _in_header(self) -> bool:
        """Whether a C header is being read: C allows more than D."""
        return self.scope.name != "D"

    # -- types ---------------------------------------------------------------------------------------

    def type_name(self, node: s.TypeName) -> Type:
        """The type that `node` names.  Raises CompileError."""
        type_, keys = self.declarator(self.specified(node.specifiers), node.declarator)
        if keys is not None:
            return self.scope.basic("<DYN>")
        return self._userland(type_, node.specifiers)

    def _userland(self, type_: Type, specifiers: s.Specifiers) -> Type:
        if "userland" in specifiers.qualifiers and isinstance(type_, Pointer):
            return self.scope.pointer(type_.target, userland=True)
        return type_

    def specified(self, node: s.Specifiers) -> Type:
        """The type of declaration specifiers; defines what they define.  Raises CompileError."""
        self._check_words(node)
        if node.named:
            type_ = self._named(node.named[0])
        else:
            canonical = canonical_words(node.words) or " ".join(node.words)
            found = self.scope.lookup(canonical)
            if found is None:
                raise error("D_UNKNOWN", node.span, f"there is no type {canonical}")
            type_ = found
        for qualifier in node.qualifiers:
            if qualifier != "userland":
                type_ = Qualified(qualifier, type_)
        return type_

    @staticmethod
    def _check_words(node: s.Specifiers) -> None:
        words = set(node.words)
        bases = [word for word in node.words if word in _BASES]
        if len(bases) + len(node.named) > 1:
            raise error("D_DECL_COMBO", node.span, "these words do not make one type")
        base = "type" if node.named else (bases[0] if bases else "int")
        if any(node.words.count(word) > (2 if word == "long" else 1) for word in words):
            raise error("D_DECL_COMBO", node.span, "these words do not make one type")
        length = words & {"short", "long"}
        sign = words & {"signed", "unsigned"}
        if base == "char" and length:
            raise error("D_DECL_CHARATTR", node.span,
                        "char is neither short nor long")
        if base == "void" and (length or sign):
            raise error("D_DECL_VOIDATTR", node.span,
                        "void has neither a sign nor a length")
        if base in ("type", "float", "double") and sign:
            raise error("D_DECL_SIGNINT", node.span, "only C's own integer types can be called signed or "
                        "unsigned")
        if base == "type" and "long" in words:
            raise error("D_DECL_LONGINT", node.span, "only C's own integer and floating-point types can be "
                        "called long")
        if base == "type" and words:
            raise error("D_DECL_COMBO", node.span, "these words do not make one type")

    def _named(self, node: s.NamedType | s.RecordSpecifier | s.EnumSpecifier) -> Type:
        if isinstance(node, s.RecordSpecifier):
            return self._record(node)
        if isinstance(node, s.EnumSpecifier):
            return self._enum(node)
        found = self.scope.lookup(node.name)
        if found is None:
            raise error("D_UNKNOWN", node.span, f"there is no type {node.name}")
        return found

    # -- records and enumerations ----------------------------------------------------------------------

    def _own(self, key: str) -> Type | None:
        """The type declared under `key` by this program (or header), not by the kernel."""
        return self.scope.own(key)

    def begin_record(self, keyword: str, tag: str, span: Span) -> None:
        """Note that the definition of a record begins.  Raises D_DECL_TYPERED if this scope has one."""
        known = self.scope.types.get(f"{keyword} {tag}")
        if isinstance(known, Record) and known.is_defined:
            raise error("D_DECL_TYPERED", span, f"{keyword} {tag} is defined already")

    def _record(self, node: s.RecordSpecifier) -> Record:
        key = f"{node.kind} {node.tag}"
        if node.members is None:
            found = self.scope.lookup(key)
            if isinstance(found, Record):
                return found
            return self._tag(key, Record(node.kind, node.tag, self.scope.name))
        known = self._own(key) if node.tag else None
        if isinstance(known, Record):
            record = known
        else:
            record = self._tag(key, Record(node.kind, node.tag, self.scope.name))
        if record.is_defined:
            raise error("D_DECL_TYPERED", node.span, f"{key} is defined already")
        if self._deferred:
            record.defer(lambda: self._lay_out(record, node))
        else:
            self._lay_out(record, node)
        return record

    def _lay_out(self, record: Record, node: s.RecordSpecifier) -> None:
        from dc.types.layout import Layout  # late, as few programs declare records

        layout = Layout(record, node.alignment)
        for member in node.members or ():
            self._members(layout, member)
        layout.finish()

    def _tag(self, key: str, record: Record) -> Record:
        if record.tag is not None and "`" not in key:
            self.scope.types[key] = record
        return record

    def _members(self, layout: Layout, node: s.MemberDeclaration) -> None:
        base = self.specified(node.specifiers)
        self.scope.adopted.add(id(base.base()))
        if not node.declarators:
            if not isinstance(base, Record) or base.tag is not None:
                raise error("D_DECL_MNAME", node.span, "the member has no name")
            for inner in base.names():
                self._check_new_member(inner, node.span, layout)
            layout.add(None, base)
            layout.names.update(base.names())
        for each in node.declarators:
            type_, keys = (base, None) if each.declarator is None else self.declarator(base, each.declarator)
            name = each.declarator.name if each.declarator is not None else None
            if keys is not None:
                raise error("D_DECL_DYNOBJ", each.span, f"{name} is no member of a fixed size")
            self._check_member(name, type_, each.span, layout)
            if each.width is None:
                layout.add(name, type_, each.alignment)
            else:
                self._bitfield(layout, name, type_, each.width, each.alignment)

    def _check_member(self, name: str | None, type_: Type, span: Span, layout: Layout) -> None:
        if name is not None and "`" in name:
            raise error("D_DECL_SCOPE", span, f"the name of a member has no backquote: {name}")
        if type_.is_dynamic():
            raise error("D_DECL_DYNOBJ", span, f"{name} is no member of a fixed size")
        self._check_new_member(name, span, layout)
        self.check_complete(name, type_, span)
        if type_.is_void() or (type_.size == 0 and not type_.is_array() and not type_.is_record()):
            what = "a function" if type_.is_function() else "void"
            raise error("D_DECL_VOIDOBJ", span, f"member {name} is {what}")

    @staticmethod
    def _check_new_member(name: str | None, span: Span, layout: Layout) -> None:
        if name is not None and name in layout.names:
            raise error("D_UNKNOWN", span, f"there is a member {name} already")

    def check_complete(self, name: str | None, type_: Type, span: Span) -> None:
        """Raise D_DECL_INCOMPLETE for a record or enumeration that is not defined."""
        base = type_.resolve()
        while isinstance(base, Array):
            base = base.element.resolve()
        undefined = not base.is_defined if isinstance(base, Record) else \
            isinstance(base, Enum) and base.values is None
        if undefined:
            from dc.types.similartypes import similar_type

            raise error("D_DECL_INCOMPLETE", span, f"{name} is of type {type_}, which is not defined",
                        *similar_type(self.scope, str(base)))

    def _bitfield(self, layout: Layout, name: str | None, type_: Type, width: s.Expression,
                  alignment: s.Alignment | None) -> None:
        shown = name or "(anon)"
        bits = self._constant(width)
        if name is None and bits == 0:
            layout.break_unit(type_)
            return
        if bits is None or bits <= 0:
            raise error("D_DECL_BFCONST", width.span,
                        "a bit-field has a positive constant number of bits")
        base = type_.resolve()
        if not isinstance(base, Integer):
            raise error("D_DECL_BFTYPE", width.span, f"bit-field {shown} is of no integer type")
        if bits > base.bits:
            raise error("D_DECL_BFSIZE", width.span, f"bit-field {shown} has more bits than {type_}")
        if not layout.fits(bits, alignment):
            raise error("D_DECL_BFSIZE", width.span, f"bit-field {shown} is packed into nine bytes")
        if name is None:
            layout.skip(base, bits)
        else:
            layout.add(name, self.scope.bitfield(base, bits), alignment)

    def _enum(self, node: s.EnumSpecifier) -> Enum:
        key = f"enum {node.tag}"
        known = self._own(key) if node.enumerators is not None else self.scope.lookup(key)
        enum = known if node.tag and isinstance(known, Enum) else Enum(node.tag, module=self.scope.name)
        if node.tag:
            self.scope.types[key] = enum
        if node.enumerators is None:
            return enum
        if enum.values is not None:
            raise error("D_DECL_TYPERED", node.span, f"{key} is defined already")
        enum.values = {}
        value = -1
        for each in node.enumerators:
            value = self._enumerator_value(each, value + 1)
            self._check_enumerator(each, enum)
            enum.values[each.name] = value
            if not self._is_variable(each.name):
                self.scope.enumerators[each.name] = (value, enum)
        low, high = min(enum.values.values(), default=0), max(enum.values.values(), default=0)
        if low < -INT_MAX - 1 or high > INT_MAX:  # in a header: as GNU C has it
            enum.signed = low < 0
            enum.size = 8 if high > UINT_MAX or enum.signed else 4
        return enum

    def _enumerator_value(self, node: s.Enumerator, following: int) -> int:
        """The value of an enumerator: that after INT_MAX, which C refuses, is INT_MIN as in other DTraces."""
        if node.value is None:
            return -INT_MAX - 1 if following > INT_MAX and not self._in_header else following
        value = self._constant(node.value)
        if value is None:
            raise error("D_DECL_ENCONST", node.span,
                        f"enumerator {node.name} needs an integer constant as its value")
        if not -INT_MAX - 1 <= value <= INT_MAX and not self._in_header:
            raise error("D_DECL_ENOFLOW", node.span, f"enumerator {node.name} does not fit into an int")
        return value

    def _check_enumerator(self, node: s.Enumerator, enum: Enum) -> None:
        assert enum.values is not None
        if "`" in node.name:
            raise error("D_DECL_SCOPE", node.span,
                        f"the name of an enumerator has no backquote: {node.name}")
        if node.name in enum.values:
            raise error("D_UNKNOWN", node.span, f"there is an enumerator {node.name} already")
        if self.scope.name == "D" and (self._is_variable(node.name) or node.name in self.scope.enumerators):
            raise error("D_DECL_IDRED", node.span, f"{node.name} is declared already")

    # -- declarators -----------------------------------------------------------------------------------

    def declarator(self, base: Type, node: s.Declarator) -> tuple[Type, tuple[Type, ...] | None]:
        """The type of what `node` declares, and its key types if it is an associative array.

        Raises CompileError.
        """
        type_: Type = base
        keys: tuple[Type, ...] | None = None
        if len(node.layers) > LAYER_LIMIT:
            raise error("D_UNKNOWN", node.span, "declarator is nested too deeply")
        for layer in reversed(node.layers):
            if keys is not None:
                raise error("D_DECL_DYNOBJ", layer.span, "an associative array is no element of an array")
            if isinstance(layer, s.PointerTo):
                type_ = self.scope.pointer(type_)
                for qualifier in layer.qualifiers:
                    type_ = Qualified(qualifier, type_)
            elif isinstance(layer, s.FunctionOf):
                parameters = self.parameters(layer, "function", varargs=True, void=True)
                type_ = Function(type_, tuple(type_ for _name, type_ in parameters), layer.variadic,
                                 tuple(name for name, _type in parameters))
            else:
                if type_.is_void():
                    raise error("D_DECL_VOIDOBJ", layer.span, "an array has no void elements")
                if layer.keys is None:
                    type_ = Array(type_, self._bound(layer))
                    if type_.size > UINT_MAX:
                        raise error("D_DECL_ARRBIG", layer.span, "the array is too large")
                else:
                    keys = tuple(type_ for _name, type_ in self.parameters(layer, "array"))
        return type_, keys

    def _bound(self, layer: s.ArrayOf) -> int:
        if layer.size is None:
            return 0
        count = self._constant(layer.size)
        if count is None or (count <= 0 and not (count == 0 and self._in_header)):
            raise error("D_DECL_ARRSUB", layer.span, "an array is declared with a positive constant, or with "
                        "the types of its keys")
        if count > UINT_MAX:
            raise error("D_DECL_ARRBIG", layer.span, "the array is too large")
        return count

    def parameters(self, node: s.FunctionOf | s.ArrayOf, kind: str, *, varargs: bool = False,
                   void: bool = False, among: list[str | None] | None = None
                   ) -> list[tuple[str | None, Type]]:
        """Names and types of a prototype; none for a sole `void`.

        `kind` ("function", "array", "probe input") is for messages; the flags say
        what the prototype may hold.  With `among` each parameter must have one of those
        names, and several may have the same.  Raises CompileError.
        """
        listed = node.keys if isinstance(node, s.ArrayOf) else node.parameters
        if node.variadic and not varargs:
            raise error("D_DECL_PROTO_VARARGS", node.span,
                        f"{kind} parameters are all to be named: no ...")
        result: list[tuple[str | None, Type]] = []
        voids = 0
        for number, parameter in enumerate(listed or (), 1):
            name, type_ = self._parameter(parameter)
            shown = f"{name or '(anonymous)'}, parameter #{number}"
            if type_.is_dynamic():
                raise error("D_DECL_PROTO_TYPE", parameter.span,
                            f"{kind} parameters cannot be associative arrays: {shown}")
            if type_.is_void():
                voids += 1
                if not void:
                    raise error("D_DECL_PROTO_TYPE", parameter.span,
                                f"{kind} parameters cannot be void: {shown}")
                if name is not None:
                    raise error("D_DECL_PROTO_NAME", parameter.span,
                                f"parameter {name} is void")
            elif name is None and among is not None:
                raise error("D_DECL_PROTO_NAME", parameter.span,
                            f"{kind} parameter #{number} has no name")
            if name is not None and among is not None and name not in among:
                raise error("D_DECL_PROTO_FORM", parameter.span,
                            f"{kind} parameter {name} is not one of the input's",
                            *did_you_mean(name, filter(None, among)))
            if name is not None and among is None and any(name == other for other, _type in result):
                raise error("D_DECL_PROTO_FORM", parameter.span,
                            f"there is another {kind} parameter of this name: {shown}")
            result.append((name, type_))
        if voids and len(result) > 1:
            raise error("D_DECL_PROTO_VOID", node.span, "void means that there are no other parameters")
        return [] if voids else result

    def _parameter(self, node: s.Parameter) -> tuple[str | None, Type]:
        if any(storage != "register" for storage in node.specifiers.storage):
            raise error("D_DECL_PARMCLASS", node.span, "a parameter has no storage class but "
                        "register")
        type_, keys = self.declarator(self.specified(node.specifiers), node.declarator)
        if keys is not None:
            type_ = self.scope.basic("<DYN>")
        return node.declarator.name, self._userland(type_, node.specifiers)

    # -- whole declarations ----------------------------------------------------------------------------

    def declare(self, node: s.Declaration) -> list[Declared]:
        """Enter the types and typedefs of a declaration in the scope.

        Returns the names that it declares, in order.  Raises CompileError.
        """
        storage = self._storage(node.specifiers)
        if _names_string(node.specifiers):
            span = node.specifiers.named[-1].span
            if storage == "typedef" or not node.declarators:
                raise error("D_DECL_IDRED", span, "string is a type of D")
            raise error("D_DECL_IDENT", span, "string stands where the name that is declared should")
        base = self.specified(node.specifiers)
        if not node.declarators and not any(
                isinstance(each, s.RecordSpecifier | s.EnumSpecifier) for each in node.specifiers.named):
            raise error("D_DECL_USELESS", node.span, "this declares nothing")
        return [self._declared(base, each, storage, node.specifiers) for each in node.declarators]

    @staticmethod
    def _storage(node: s.Specifiers) -> str:
        if len(node.storage) > 1:
            raise error("D_DECL_CLASS", node.span, "a declaration has one storage class")
        return node.storage[0] if node.storage else ""

    def _declared(self, base: Type, node: s.Declarator, storage: str, specifiers: s.Specifiers) -> Declared:
        name = node.name or ""
        type_, keys = self.declarator(base, node)
        type_ = self._userland(type_, specifiers)
        if "`" in name:
            raise error("D_DECL_SCOPE", node.span,
                        f"a declared name has no backquote: {name}")
        if isinstance(type_, Function) and storage in ("", "static"):
            storage = "extern"
        if storage in ("auto", "register", "static"):
            raise error("D_DECL_BADCLASS", node.span, f"D has no {storage} variables")
        if storage == "typedef":
            self._typedef(name, self.scope.basic("<DYN>") if keys is not None else type_, node.span)
        elif storage != "extern":
            self._check_variable(name, type_, keys, storage, node)
        return Declared(name, type_, storage, keys, node.span)

    def _typedef(self, name: str, type_: Type, span: Span) -> None:
        if self._is_variable(name):
            raise error("D_DECL_IDRED", span, f"{name} is a variable or function already")
        known = self._own(name)
        again = self._in_header and isinstance(known, Typedef) and compatible(known, type_)  # as C11 has it
        if not again and (known is not None or self._is_language_type(name)):
            raise error("D_DECL_IDRED", span, f"{name} is a type already")
        self.scope.types[name] = Typedef(name, type_, self.scope.name)

    def _is_language_type(self, name: str) -> bool:
        """Whether D itself, or a C header that the program includes, has a type of that name.

        Only a program must not redefine it: a header may well say what size_t is.
        """
        return self.scope.name == "D" and any(name in scope.types for scope in self.scope.chain()
                                              if scope.name == "C")

    def _check_variable(self, name: str, type_: Type, keys: tuple[Type, ...] | None, storage: str,
                        node: s.Declarator) -> None:
        if isinstance(type_, Array) and not type_.count:
            raise error("D_DECL_ARRNULL", node.span,
                        f"array {name} needs a size, or the types of its keys")
        if self._own(name) is not None or self._is_language_type(name):
            raise error("D_DECL_IDRED", node.span, f"{name} is a type already")
        if keys is not None and storage == "this":
            raise error("D_DECL_LOCASSC", node.span,
                        f"this->{name} cannot be an associative array: it is clause-local")
        if type_.is_void():
            raise error("D_DECL_VOIDOBJ", node.span, f"variable {name} is void")
        self.check_complete(name, type_, node.span)


class Declaring:
    """Whose declaration is being read: `own`, of a program, or of a file that it includes.

    An included file declares in the scope "C", which is behind the program's own, in front of D's types.  So
    it may say what pid_t is, and its word counts.
    """

    def __init__(self, own: Declarations) -> None:
        self._own = own
        self._included: Declarations | None = None

    def at(self, depth: int) -> Declarations:
        """What declares where so many included files are open."""
        parent = self._own.scope.parent
        if not depth or parent is None or parent.name != "C":
            return self._own
        if self._included is None:
            self._included = self._own.behind(parent)
        return self._included


def _names_string(node: s.Specifiers) -> bool:
    """Whether the word `string` follows a whole type, as if it were what is being declared."""
    last = node.named[-1] if node.named else None
    return isinstance(last, s.NamedType) and last.name == "string" and last.span != node.span \
        and (len(node.named) > 1 or not _BASES.isdisjoint(node.words))
