"""Who a provider is, wherever it is heard of.

A provider gets a UUIDv1 where it lives.  An instance that hears of it over a hop derives a UUIDv5 from the
UUID that it heard and the name of the instance that it heard it from (for a network, host:port), and keeps
both.  So two
hops never confuse two providers, and each can say from whom it has its knowledge.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from uuid import UUID

from dif.records import NamedTuple, Record, field

NONE = UUID(int=0)


class Known(NamedTuple):
    """A provider as a hop knows it: `own` is its UUID here, `heard` the one that the advertiser said."""

    name: str
    own: UUID
    heard: UUID


def new() -> UUID:
    """The UUIDv1 of something that begins to exist: a provider, or an instance that boots."""
    return uuid.uuid1()


def derived(heard: UUID, speaker: str) -> UUID:
    """The UUIDv5 under which a hop knows what `speaker` advertises as `heard`."""
    return uuid.uuid5(heard, speaker)


class Directory(Record):
    """The providers of all instances that a hop knows, by (instance, name).

    A provider that claims an identity which another has is *pocketed*: it is kept apart, and its advertiser
    is reported.
    """

    known: dict[tuple[int, str], Known] = field(default_factory=dict)
    pocketed: dict[tuple[int, str], Known] = field(default_factory=dict)
    by_heard: dict[UUID, tuple[int, str]] = field(default_factory=dict)
    _names: dict[int, dict[str, UUID]] = field(default_factory=dict)  # of each instance's providers

    def hear(self, instance: int, speaker: str, providers: Iterable[tuple[str, UUID]]) -> list[str]:
        """Take in what `speaker` advertises for an instance, which has no others any more.

        Returns the names of pocketed providers that are new.
        """
        conflicts = []
        before, now = self._names.get(instance, {}), dict(providers)
        for name, heard in before.items():
            if now.get(name) != heard:
                self._forget((instance, name))
        self._names[instance] = now
        for name, heard in now.items():
            key = instance, name
            provider = Known(name, derived(heard, speaker), heard)
            if self.by_heard.setdefault(heard, key) != key:
                if key not in self.pocketed:
                    conflicts.append(name)
                self.pocketed[key] = provider
            else:
                self.known[key] = provider
        return conflicts

    def retire(self, instance: int) -> None:
        """Forget the providers of an instance."""
        for name in self._names.pop(instance, {}):
            self._forget((instance, name))

    def _forget(self, key: tuple[int, str]) -> None:
        for table in (self.known, self.pocketed):
            provider = table.pop(key, None)
            if provider is not None and self.by_heard.get(provider.heard) == key:
                del self.by_heard[provider.heard]

    def of(self, instance: int) -> list[Known]:
        """What is known of an instance's providers, the pocketed ones last."""
        return [each for table in (self.known, self.pocketed)
                for (number, _), each in table.items() if number == instance]

    def advertised(self, instance: int) -> tuple[tuple[str, UUID], ...]:
        """The providers of an instance under the UUIDs that they have here."""
        return tuple((each.name, each.own) for (number, _), each in self.known.items() if number == instance)


def apart(name: str, taken: Iterable[str]) -> str:
    """A name like `name` that none of `taken` is: name~2, name~3, ..."""
    others, number = set(taken), 2
    while f"{name}~{number}" in others:
        number += 1
    return f"{name}~{number}" if name in others else name
