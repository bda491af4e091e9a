"""Plain data classes that cost nothing at start-up.

`Record` does for its subclasses what @dataclass(slots=True, eq=False) does, by
one generic constructor instead of generated source: the hundred classes of the
syntax tree and of the type system would otherwise take 30 ms to define, more
than compiling a one-line program.  `Value` compares by its fields as well.
Type checkers treat both as dataclasses.
`NamedTuple`, `Protocol`, `Enum` and `IntEnum` are the standard library's for the
type checker, and lighter ones at run time: importing typing costs as much as
reading a script does, and making the members of the machine's tables as much again.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which is not imported only for that
if TYPE_CHECKING:
    from enum import Enum as Enum
    from enum import IntEnum as IntEnum
    from typing import Any, dataclass_transform
    from typing import NamedTuple as NamedTuple
    from typing import Protocol as Protocol
else:
    from collections import _tuplegetter  # what namedtuple() makes its fields of

    Protocol = object  # protocols are for the type checker alone

    def dataclass_transform(**_told: object) -> object:
        return lambda cls: cls

    def _constructor(cls: type) -> staticmethod:
        """`__new__` with the fields of a named tuple for parameters."""
        fields = ", ".join(cls._fields)
        new = eval(f"lambda _cls, {fields}: _new(_cls, ({fields},))", {"_new": tuple.__new__})
        new.__defaults__ = tuple(cls._field_defaults.values())
        return staticmethod(new)

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

    class _EnumType(type):
        """Makes a class of a body's names and values, and the class a container of its members."""

        def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            values = {each: value for each, value in namespace.items()
                      if each[0] != "_" and not hasattr(value, "__get__")}
            cls = super().__new__(mcs, name, bases, namespace)
            cls.__members__ = {}
            cls._by_value = {}
            for each, value in values.items():
                member = cls._by_value.get(value)  # a second name of a value is an alias
                if member is None:
                    member = cls._by_value[value] = cls.__new__(cls, value)
                    member.name, member.value = each, value
                cls.__members__[each] = member
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

        def __new__(cls, value: int) -> Any:
            return int.__new__(cls, value)

        __str__ = int.__repr__


class _Fresh:
    """A default that is made anew for each object."""

    __slots__ = ("make",)

    def __init__(self, make: Any) -> None:
        self.make = make


def fresh(*, default_factory: Any) -> Any:
    """A field's default made by calling `default_factory`, as dataclasses.field does."""
    return _Fresh(default_factory)


@dataclass_transform(field_specifiers=(fresh,), eq_default=False)
class _RecordType(type):
    """Turns a class body's annotations into slots, keeping the defaults aside."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _RecordType:
        own = tuple(namespace.get("__annotations__", ()))
        plain = {each: namespace.pop(each) for each in own if each in namespace}
        namespace.setdefault("__slots__", own)
        cls = super().__new__(mcs, name, bases, namespace)
        fields: tuple[str, ...] = ()
        defaults: dict[str, Any] = {}
        for base in reversed(cls.__mro__[1:]):
            fields += tuple(each for each in getattr(base, "field_names", ()) if each not in fields)
            defaults.update(getattr(base, "field_defaults", {}))
        cls.field_names = fields + tuple(each for each in own if each not in fields)  # type: ignore[attr-defined]
        cls.field_defaults = defaults | plain  # type: ignore[attr-defined]
        return cls


class Record(metaclass=_RecordType):
    """Base of data classes; the constructor takes the fields in order, or by name."""

    __slots__ = ()

    def __init__(self, *values: Any, **named: Any) -> None:
        cls: Any = type(self)
        if len(values) > len(cls.field_names):
            raise TypeError(f"{cls.__name__} takes {len(cls.field_names)} fields, not {len(values)}")
        for name, value in zip(cls.field_names, values, strict=False):
            setattr(self, name, value)
        for name in cls.field_names[len(values):]:
            if name in named:
                setattr(self, name, named.pop(name))
            elif name in cls.field_defaults:
                default = cls.field_defaults[name]
                setattr(self, name, default.make() if type(default) is _Fresh else default)
            else:
                raise TypeError(f"{cls.__name__} needs {name}")
        if named:
            raise TypeError(f"{cls.__name__} has no field {', '.join(named)}")

    def __repr__(self) -> str:
        cls: Any = type(self)
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in cls.field_names)
        return f"{cls.__name__}({shown})"


class Value(Record):
    """A record that equals another of its class with equal fields."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        cls: Any = type(self)
        return all(getattr(self, name) == getattr(other, name) for name in cls.field_names)
