"""The standard library's dataclass, Enum, NamedTuple and context managers, made lightly.

To the type checker they are the standard library's.  At run time they do what
this suite asks of those, and cost little to define: methods are common to all
classes, and a constructor is written when the first object of a class is made,
which for most classes is never in a run.  The hundreds of classes and the
machine's tables would otherwise take longer to define than a script to compile,
and the modules that define them longer to import than a script to read.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which is not imported only for that
if TYPE_CHECKING:
    from contextlib import contextmanager as contextmanager
    from contextlib import suppress as suppress
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
    from enum import Enum as Enum
    from enum import IntEnum as IntEnum
    from typing import Any
    from typing import NamedTuple as NamedTuple
    from typing import Protocol as Protocol

    def setter(fields: tuple[str, ...], defaults: dict[str, Any]) -> Any: ...
else:
    from collections import _tuplegetter  # what namedtuple() makes its fields of

    Protocol = object  # protocols are for the type checker alone
    _Function = type(lambda: None)
    _new = tuple.__new__

    # -- data classes --------------------------------------------------------------------------------

    class field:
        """A field whose default is made anew for each object."""

        __slots__ = ("make",)

        def __init__(self, *, default_factory: Any) -> None:
            self.make = default_factory

    def _set0(self):
        pass

    def _set1(self, a):
        self.a = a

    def _set2(self, a, b):
        self.a = a
        self.b = b

    def _set3(self, a, b, c):
        self.a = a
        self.b = b
        self.c = c

    def _set4(self, a, b, c, d):
        self.a = a
        self.b = b
        self.c = c
        self.d = d

    def _set5(self, a, b, c, d, e):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e

    def _set6(self, a, b, c, d, e, f):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f

    def _set7(self, a, b, c, d, e, f, g):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g

    def _set8(self, a, b, c, d, e, f, g, h):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h

    _SETTERS = tuple(setter.__code__ for setter in (
        _set0, _set1, _set2, _set3, _set4, _set5, _set6, _set7, _set8))

    def setter(fields: tuple[str, ...], defaults: dict[str, Any]) -> Any:
        """A constructor that sets these fields: one of the above with their names, which needs no compiling.

        None where there are too many, a default is made anew, or one stands before a field without any.
        """
        last = tuple([defaults[name] for name in fields if name in defaults])
        is_plain = len(fields) < len(_SETTERS) and not any(type(default) is field for default in last) \
            and all(name in defaults for name in fields[len(fields) - len(last):])
        if not is_plain:
            return None
        code = _SETTERS[len(fields)].replace(co_names=fields, co_varnames=("self", *fields))
        return _Function(code, {}, "__init__", last)

    def _write_constructor(cls: type) -> None:
        """Give a data class an `__init__` of its own."""
        fields, defaults = cls.__match_args__, cls._field_defaults
        if not hasattr(cls, "__post_init__") and (plain := setter(fields, defaults)) is not None:
            cls.__init__ = plain
            return
        names = {"_missing": (missing := object())}
        parameters, body = ["self"], []
        for name in fields:
            parameter, value = name, name
            if name in defaults:
                default = defaults[name]
                names[f"_default_{name}"] = missing if type(default) is field else default
                parameter = f"{name}=_default_{name}"
                if type(default) is field:
                    names[f"_make_{name}"] = default.make
                    value = f"_make_{name}() if {name} is _missing else {name}"
            parameters.append(parameter)
            body.append(f"    self.{name} = {value}\n")
        if hasattr(cls, "__post_init__"):
            body.append("    self.__post_init__()\n")
        exec(f"def __init__({', '.join(parameters)}):\n{''.join(body) or '    pass'}", names)
        cls.__init__ = names["__init__"]

    def _first(self: Any, *values: Any, **named: Any) -> None:
        cls = next(each for each in type(self).__mro__ if each.__dict__.get("__init__") is _first)
        _write_constructor(cls)
        cls.__init__(self, *values, **named)

    def _shown(self: Any) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__match_args__)
        return f"{type(self).__qualname__}({fields})"

    def _contents(self: Any) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in type(self).__match_args__])

    def _equals(self: Any, other: object) -> bool:
        return _contents(self) == _contents(other) if type(other) is type(self) else NotImplemented

    def _hash(self: Any) -> int:
        return hash(_contents(self))

    def dataclass(cls: Any = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True,
                  repr: bool = True) -> Any:
        """As dataclasses has it; that nothing writes to a frozen one is for the type checker to see."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, slots=slots, eq=eq, repr=repr)
        names, defaults = {}, {}
        for base in reversed(cls.__mro__[1:]):
            names.update(dict.fromkeys(base.__dict__.get("__match_args__", ())))
            defaults.update(base.__dict__.get("_field_defaults", {}))
        own = [name for name, type_ in vars(cls).get("__annotations__", {}).items()
               if not str(type_).startswith("ClassVar")]
        defaults |= {name: cls.__dict__[name] for name in own if name in cls.__dict__}
        made = {"__init__": _first}
        if repr:
            made["__repr__"] = _shown
        if eq:
            made |= {"__eq__": _equals, "__hash__": _hash if frozen else None}
        made = {name: value for name, value in made.items() if name not in cls.__dict__}
        made |= {"__match_args__": tuple(names | dict.fromkeys(own)), "_field_defaults": defaults}
        if slots:
            left_out = {*own, "__dict__", "__weakref__"}
            body = {name: value for name, value in cls.__dict__.items() if name not in left_out}
            body |= {"__slots__": tuple(name for name in own if name not in names),
                     "__qualname__": cls.__qualname__}
            return type(cls)(cls.__name__, cls.__bases__, body | made)
        for name, value in made.items():
            setattr(cls, name, value)
        return cls

    def replace(value: Any, /, **changes: Any) -> Any:
        """A data class's object with other values for some fields."""
        return type(value)(**dict(zip(type(value).__match_args__, _contents(value), strict=True)) | changes)

    # -- named tuples -------------------------------------------------------------------------------

    _TEMPLATES = tuple(function.__code__ for function in (
        lambda _cls: _new(_cls, ()),
        lambda _cls, a: _new(_cls, (a,)),
        lambda _cls, a, b: _new(_cls, (a, b)),
        lambda _cls, a, b, c: _new(_cls, (a, b, c)),
        lambda _cls, a, b, c, d: _new(_cls, (a, b, c, d)),
        lambda _cls, a, b, c, d, e: _new(_cls, (a, b, c, d, e)),
        lambda _cls, a, b, c, d, e, f: _new(_cls, (a, b, c, d, e, f)),
        lambda _cls, a, b, c, d, e, f, g: _new(_cls, (a, b, c, d, e, f, g)),
        lambda _cls, a, b, c, d, e, f, g, h: _new(_cls, (a, b, c, d, e, f, g, h))))

    def _constructor(cls: type) -> staticmethod:
        """`__new__` with the fields of a named tuple for parameters; compiled anew only for many of them."""
        if len(cls._fields) < len(_TEMPLATES):
            code = _TEMPLATES[len(cls._fields)].replace(co_varnames=("_cls", *cls._fields))
        else:
            fields = ", ".join(cls._fields)
            code = eval(f"lambda _cls, {fields}: _new(_cls, ({fields},))").__code__
        return staticmethod(_Function(code, globals(), "__new__", tuple(cls._field_defaults.values())))

    class _NamedTuple(tuple):
        """The methods of every named tuple, as collections.namedtuple documents them."""

        __slots__ = ()
        _fields = ()

        def __new__(cls, *values: Any, **named: Any) -> Any:
            cls.__new__ = _constructor(cls)  # written for the first of a class; most make none in a run
            return cls.__new__(cls, *values, **named)

        @classmethod
        def _make(cls, iterable: Any) -> Any:
            made = tuple.__new__(cls, iterable)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

        def _replace(self, /, **changes: Any) -> Any:
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({shown})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

    class _NamedTupleType(type):
        """Turns a class body's annotations into the fields of a tuple."""

        def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(mcs, name, bases, namespace)
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {each: namespace.pop(each) for each in fields if each in namespace}
            namespace.update(__slots__=(), _fields=fields, _field_defaults=defaults, __match_args__=fields)
            for index, each in enumerate(fields):
                namespace[each] = _tuplegetter(index, each)
            return type(name, (_NamedTuple,), namespace)

    class NamedTuple(metaclass=_NamedTupleType):
        """As typing's, to derive from."""

    # -- enumerations -------------------------------------------------------------------------------

    _DESCRIPTORS = (_Function, property, classmethod, staticmethod)

    class _EnumType(type):
        """Makes a class of a body's names and values, and the class a container of its members."""

        def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            cls = super().__new__(mcs, name, bases, namespace)
            cls.__members__ = members = {}
            cls._by_value = by_value = {}
            for each, value in namespace.items():
                if each[0] != "_" and not isinstance(value, _DESCRIPTORS):
                    if value not in by_value:  # a second name of a value is an alias
                        by_value[value] = member = cls.__new__(cls, value)
                        member.name, member.value = each, value
                    members[each] = by_value[value]
            for each, member in members.items():
                setattr(cls, each, member)
            return cls

        def __call__(cls, value: Any) -> Any:
            member = cls._by_value.get(value)
            if member is None:
                raise ValueError(f"{value!r} is not a valid {cls.__name__}")
            return member

        def __getitem__(cls, name: str) -> Any:
            return cls.__members__[name]

        def __iter__(cls) -> Any:
            return iter(cls._by_value.values())

        def __len__(cls) -> int:
            return len(cls._by_value)

        def __contains__(cls, value: Any) -> bool:
            return value in cls._by_value or isinstance(value, cls)

    class Enum(metaclass=_EnumType):
        """As enum's, to derive from."""

        def __new__(cls, value: Any) -> Any:
            return object.__new__(cls)

        def __repr__(self) -> str:
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

        def __reduce__(self) -> Any:
            return type(self), (self.value,)

        def __deepcopy__(self, _memo: Any) -> Any:
            return self

    class IntEnum(int, Enum):
        """As enum's, to derive from: members are integers, and print as such."""

        __repr__ = Enum.__repr__
        __str__ = int.__repr__

    # -- context managers ---------------------------------------------------------------------------

    class _Context:
        """What is between the halves of a generator that yields once."""

        __slots__ = ("_halves",)

        def __init__(self, halves: Any) -> None:
            self._halves = halves

        def __enter__(self) -> Any:
            return next(self._halves)

        def __exit__(self, _type: Any, exception: BaseException | None, _traceback: Any) -> None:
            if exception is None:
                next(self._halves, None)
            else:
                self._halves.throw(exception)

    def contextmanager(function: Any) -> Any:
        """As contextlib's; the generator may end with `finally`, but not keep an exception."""
        return lambda *values, **named: _Context(function(*values, **named))

    class suppress:
        """As contextlib's."""

        __slots__ = ("_types",)

        def __init__(self, *types: type) -> None:
            self._types = types

        def __enter__(self) -> None:
            pass

        def __exit__(self, type_: Any, _exception: Any, _traceback: Any) -> bool:
            return type_ is not None and issubclass(type_, self._types)
