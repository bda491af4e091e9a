"""Data classes and named tuples that cost little to define.

A class derived from `Record` is what `@dataclass(slots=True)` makes, one
derived from `NamedTuple` what `typing.NamedTuple` makes:

    class Point(Record):                    # mutable; equal to itself only
    class Point(Record, eq=True):           # mutable; equal to a Point with equal fields; has no hash
    class Point(Record, frozen=True):       # not to be changed; compared and hashed by its fields
    class Point(NamedTuple):                # a tuple whose items have names

The standard library compiles methods for every class, when the class is
defined.  That takes longer than compiling a D script.  Here the methods are
common to all classes, and the constructor of a class is a copy of a template
under other names, or is compiled when the first object is made.

With DTRACE_STANDARD_CLASSES set in the environment the standard library makes
the classes.  `make check STANDARD_CLASSES=1` runs the test suite that way.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in typing, which would cost as much as it is meant to save
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from dataclasses import field as field
    from typing import ClassVar, TypeVar, dataclass_transform
    from typing import NamedTuple as NamedTuple

    @dataclass_transform(eq_default=False, field_specifiers=(field,))
    class RecordType(type):
        """The class of the classes derived from `Record`."""

    class Record(metaclass=RecordType):
        """The base of data classes.  Annotated names in the class's body are the fields."""

        __match_args__: ClassVar[tuple[str, ...]] = ()

    _R = TypeVar("_R", bound=Record)

    def replace(record: _R, /, **changes: object) -> _R:
        """Return a copy of a record with other values for some fields."""

elif os.environ.get("DTRACE_STANDARD_CLASSES"):
    from dataclasses import dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
    from typing import NamedTuple as NamedTuple

    class RecordType(type):
        """Hands the classes derived from `Record` to @dataclass."""

        def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, object], *,
                    frozen: bool = False, eq: bool = False) -> type:
            cls = super().__new__(mcs, name, bases, namespace)
            if not bases or "__dataclass_fields__" in namespace:
                return cls  # Record, or the second class that dataclass() makes, which has slots
            return dataclass(frozen=frozen, eq=eq or frozen, slots=True)(cls)

        def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, object],
                     **_options: bool) -> None:
            super().__init__(name, bases, namespace)

    class Record(metaclass=RecordType):
        """The base of data classes."""

        __slots__ = ()

else:
    from _collections import _tuplegetter  # the descriptor that namedtuple() makes of a field
    from reprlib import recursive_repr

    _Function = type(lambda: None)
    _new = tuple.__new__

    # -- records -------------------------------------------------------------------------------------

    class field:
        """A field whose default is made anew for each object, as dataclasses.field makes it."""

        __slots__ = ("default_factory",)

        def __init__(self, *, default_factory: Callable[[], object]) -> None:
            self.default_factory = default_factory

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

    def _set9(self, a, b, c, d, e, f, g, h, i):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i

    def _set10(self, a, b, c, d, e, f, g, h, i, j):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j

    _SETTERS = tuple(setter.__code__ for setter in (
        _set0, _set1, _set2, _set3, _set4, _set5, _set6, _set7, _set8, _set9, _set10))

    def _copied_constructor(qualname: str, fields: tuple[str, ...], defaults: dict[str, object]) -> object:
        """Return a constructor that sets these fields: one of the templates, under the fields' names."""
        code = _SETTERS[len(fields)].replace(co_names=fields, co_varnames=("self", *fields),
                                             co_name="__init__", co_qualname=f"{qualname}.__init__")
        made = [name for name in fields if type(defaults.get(name)) is field]
        given = tuple([defaults[name] for name in fields if name in defaults])
        copied = _Function(code, {}, "__init__", given)
        if not made:
            return copied

        def construct(self: object, *values: object, **named: object) -> None:
            copied(self, *values, **named)
            for name in made:
                value = getattr(self, name)
                if type(value) is field:
                    setattr(self, name, value.default_factory())

        return construct

    def _compiled_constructor(cls: type) -> object:
        """Return a constructor for a class that is frozen or has more fields than the templates."""
        fields, defaults = cls.__match_args__, cls._field_defaults
        names: dict[str, object] = {"_missing": (missing := object())}
        parameters, body = ["self"], []
        for name in fields:
            parameter, value = name, name
            if name in defaults:
                default = defaults[name]
                names[f"_default_{name}"] = missing if type(default) is field else default
                parameter = f"{name}=_default_{name}"
                if type(default) is field:
                    names[f"_make_{name}"] = default.default_factory
                    value = f"_make_{name}() if {name} is _missing else {name}"
            parameters.append(parameter)
            if cls._is_frozen:
                names[f"_set_{name}"] = getattr(cls, name).__set__
                body.append(f"    _set_{name}(self, {value})\n")
            else:
                body.append(f"    self.{name} = {value}\n")
        exec(f"def __init__({', '.join(parameters)}):\n{''.join(body) or '    pass'}", names)
        made = names["__init__"]
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        return made

    def _first(self: object, *values: object, **named: object) -> None:
        """Stand for a constructor until the first object is made; most classes make none in a run."""
        cls = next(each for each in type(self).__mro__ if each.__dict__.get("__init__") is _first)
        cls.__init__ = _compiled_constructor(cls)
        cls.__init__(self, *values, **named)

    @recursive_repr()
    def _shown(self: object) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__match_args__)
        return f"{type(self).__qualname__}({fields})"

    def _contents(self: object) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in type(self).__match_args__])

    def _equals(self: object, other: object) -> bool:
        return _contents(self) == _contents(other) if type(other) is type(self) else NotImplemented

    def _hash(self: object) -> int:
        return hash(_contents(self))

    def _refuse_to_set(self: object, name: str, value: object) -> None:
        raise AttributeError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self: object, name: str) -> None:
        raise AttributeError(f"cannot delete field {name!r}")

    def _set_contents(self: object, contents: list[object]) -> None:
        for name, value in zip(type(self).__match_args__, contents, strict=True):
            object.__setattr__(self, name, value)

    _FROZEN = {"__hash__": _hash, "__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete,
               "__getstate__": lambda self: list(_contents(self)), "__setstate__": _set_contents}

    class RecordType(type):
        """Turns the annotations of a class's body into slots, and gives the class its methods."""

        def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, object], *,
                    frozen: bool = False, eq: bool = False) -> type:
            if not bases:  # Record
                return super().__new__(mcs, name, bases, namespace)
            names: dict[str, None] = {}
            defaults: dict[str, object] = {}
            for base in reversed(bases):
                if hasattr(base, "_field_defaults"):
                    if base._is_frozen is not frozen:
                        raise TypeError(f"{name} is frozen or {base.__name__} is, and the other one is not")
                    names.update(dict.fromkeys(base.__match_args__))
                    defaults.update(base._field_defaults)
            inherited = len(names)
            own = [each for each, type_ in namespace.get("__annotations__", {}).items()
                   if not type_.startswith("ClassVar")]
            names.update(dict.fromkeys(own))
            for each in own:
                defaults.pop(each, None)  # a base's
                if each in namespace:
                    defaults[each] = default = namespace.pop(each)
                    if type(default).__hash__ is None:
                        raise ValueError(f"the default of field {each} is mutable: use default_factory")
            fields = tuple(names)
            given = tuple([each for each in fields if each in defaults])
            if fields[len(fields) - len(given):] != given:
                raise TypeError(f"{name}: a field without a default follows one that has a default")
            namespace["__slots__"] = fields[inherited:]
            namespace["__match_args__"] = fields
            namespace["_field_defaults"] = defaults
            namespace["_is_frozen"] = frozen
            setdefault = namespace.setdefault
            setdefault("__repr__", _shown)
            if frozen:
                for each, method in _FROZEN.items():
                    setdefault(each, method)
                setdefault("__eq__", _equals)
                setdefault("__init__", _first)
                return super().__new__(mcs, name, bases, namespace)
            if eq:
                setdefault("__eq__", _equals)
            if len(fields) < len(_SETTERS):
                qualname = namespace.get("__qualname__", name)
                setdefault("__init__", _copied_constructor(qualname, fields, defaults))
            else:
                setdefault("__init__", _first)
            return super().__new__(mcs, name, bases, namespace)

        def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, object],
                     **_options: bool) -> None:
            pass

    class Record(metaclass=RecordType):
        """The base of data classes.  Annotated names in the class's body are the fields."""

        __slots__ = ()

    def replace(record: object, /, **changes: object) -> object:
        """Return a copy of a record with other values for some fields."""
        cls = type(record)
        if type(cls) is not RecordType:
            raise TypeError(f"{cls.__name__} is no record")
        for name in cls.__match_args__:
            if name not in changes:
                changes[name] = getattr(record, name)
        return cls(**changes)

    # -- named tuples -------------------------------------------------------------------------------

    _TUPLE_MAKERS = tuple(function.__code__ for function in (
        lambda _cls: _new(_cls, ()),
        lambda _cls, a: _new(_cls, (a,)),
        lambda _cls, a, b: _new(_cls, (a, b)),
        lambda _cls, a, b, c: _new(_cls, (a, b, c)),
        lambda _cls, a, b, c, d: _new(_cls, (a, b, c, d)),
        lambda _cls, a, b, c, d, e: _new(_cls, (a, b, c, d, e)),
        lambda _cls, a, b, c, d, e, f: _new(_cls, (a, b, c, d, e, f)),
        lambda _cls, a, b, c, d, e, f, g: _new(_cls, (a, b, c, d, e, f, g)),
        lambda _cls, a, b, c, d, e, f, g, h: _new(_cls, (a, b, c, d, e, f, g, h)),
        lambda _cls, a, b, c, d, e, f, g, h, i: _new(_cls, (a, b, c, d, e, f, g, h, i)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j: _new(_cls, (a, b, c, d, e, f, g, h, i, j))))

    def _tuple_constructor(cls: type) -> staticmethod:
        """Return `__new__` with the fields of a named tuple for parameters."""
        if len(cls._fields) < len(_TUPLE_MAKERS):
            code = _TUPLE_MAKERS[len(cls._fields)].replace(co_varnames=("_cls", *cls._fields))
        else:
            fields = ", ".join(cls._fields)
            code = eval(f"lambda _cls, {fields}: _new(_cls, ({fields},))").__code__
        code = code.replace(co_name="__new__", co_qualname=f"{cls.__name__}.__new__")
        return staticmethod(_Function(code, globals(), "__new__", tuple(cls._field_defaults.values())))

    class _NamedTuple(tuple):
        """The methods of every named tuple, as the documentation of collections.namedtuple gives them."""

        __slots__ = ()
        _fields = ()

        def __new__(cls, *values: object, **named: object) -> object:
            cls.__new__ = _tuple_constructor(cls)  # made with the first object
            return cls.__new__(cls, *values, **named)

        @classmethod
        def _make(cls, iterable: Iterable[object]) -> object:
            made = _new(cls, iterable)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

        def _replace(self, /, **changes: object) -> object:
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return made

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({shown})"

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)

    class _NamedTupleType(type):
        """Turns the annotations of a class's body into the fields of a tuple."""

        def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> type:
            if not bases:  # NamedTuple
                return super().__new__(mcs, name, bases, namespace)
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {each: namespace.pop(each) for each in fields if each in namespace}
            if fields[len(fields) - len(defaults):] != tuple(defaults):
                raise TypeError(f"{name}: a field without a default follows one that has a default")
            namespace.update(__slots__=(), _fields=fields, _field_defaults=defaults, __match_args__=fields)
            for index, each in enumerate(fields):
                if each[0] == "_":
                    raise ValueError(f"the name of field {each} starts with an underscore")
                namespace[each] = _tuplegetter(index, each)
            return type(name, (_NamedTuple,), namespace)

    class NamedTuple(metaclass=_NamedTupleType):
        """The base of named tuples.  Annotated names in the class's body are the items, in order."""
