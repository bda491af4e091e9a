"""Plain data classes by inheritance, for trees of many small classes.

`Record` does for its subclasses what @dataclass(slots=True, eq=False) does,
without compiling their constructors; `Value` compares by its fields as well.
Type checkers treat both as dataclasses.
"""

from __future__ import annotations

from dif.light import field as fresh  # a default that is made anew for each object
from dif.light import setter

TYPE_CHECKING = False  # as in typing, which is not imported only for that
if TYPE_CHECKING:
    from typing import Any, dataclass_transform
else:
    def dataclass_transform(**_told: object) -> object:
        return lambda cls: cls


def _fill(self: Any, *values: Any, **named: Any) -> None:
    """Any record's constructor: takes the fields in order, or by name."""
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
            setattr(self, name, default.make() if type(default) is fresh else default)
        else:
            raise TypeError(f"{cls.__name__} needs {name}")
    if named:
        raise TypeError(f"{cls.__name__} has no field {', '.join(named)}")


@dataclass_transform(field_specifiers=(fresh,), eq_default=False)
class _RecordType(type):
    """Turns a class body's annotations into slots, keeping the defaults aside."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _RecordType:
        own = namespace.get("__annotations__", {})
        fields: list[str] = []
        defaults: dict[str, Any] = {}
        for base in bases:
            fields += getattr(base, "field_names", ())
            defaults.update(getattr(base, "field_defaults", ()))
        defaults.update([(each, namespace.pop(each)) for each in own if each in namespace])
        fields += [each for each in own if each not in fields]
        namespace.setdefault("__slots__", tuple(own))
        namespace.update(field_names=tuple(fields), field_defaults=defaults)
        namespace.setdefault("__init__", setter(tuple(fields), defaults) or _fill)
        return super().__new__(mcs, name, bases, namespace)


class Record(metaclass=_RecordType):
    """Base of data classes; the constructor takes the fields in order, or by name."""

    __slots__ = ()

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
