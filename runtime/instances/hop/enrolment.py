"""Who is below a hop: children say who they are, and their instances get paths and numbers."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from dif.records import replace
from runtime.border import BorderError
from runtime.instances.hop.children import Child, Instance
from runtime.instances.hop.family import Family, join
from runtime.instances.roster.identities import NONE, apart
from runtime.instances.roster.paths import mistake_in, shown
from runtime.instances.wire import frames as f

MOST_INSTANCES = 1024  # of an untrusted child


class Enrolment:
    """The roll of instances.  `order` gives paths the numbers that they shall have; others get later ones."""

    def __init__(self, family: Family, order: Mapping[str, int]) -> None:
        self._family = family
        self._order = dict(order)
        self._identified = False  # our parent knows our instances
        self._ancestors: tuple[UUID, ...] = ()
        self._hops = 0

    def identify(self, frame: f.Identify) -> Iterator[f.Up]:
        self._family.path = frame.path
        ancestors = (*frame.ancestors, self._family.boot)
        if self._family.boot in frame.ancestors:
            raise BorderError(errno.ELOOP, "it is an instance of itself")
        if frame.hops < 1:
            raise BorderError(errno.ELOOP, f"it lies more than {f.HOPS} levels deep")
        self._ancestors, self._hops = ancestors, frame.hops - 1
        self._family.until, self._family.types = frame.now or self._family.until, frame.types
        path = self.greet(self._family.children)
        self._identified = True
        yield f.Hello(f.VERSION, self._family.boot, (self._family.boot, *path))
        for instance in self._family.instances.values():
            yield self._advertisement(instance)

    def greet(self, children: Iterable[Child]) -> list[UUID]:
        """Ask children who they are, and take their answers in; returns the boot ids from there down."""
        path: list[UUID] = []
        requests = ((child, self._identification(child)) for child in children)
        for child, answer in self._family.exchange(requests):
            path += self._greeted(child, answer)
        return path

    def _identification(self, child: Child) -> f.Identify:
        """Ask a child who it is."""
        return f.Identify(f.VERSION, self._hops, join(self._family.path, child.name), self._ancestors,
                          child.boot, self._family.until, self._family.types)

    def _greeted(self, child: Child, answer: list[f.Up]) -> tuple[UUID, ...]:
        """Take in a child's Hello; returns the boot ids from there down."""
        for frame in answer:
            if isinstance(frame, f.Hello):
                if set(frame.path) & set(self._ancestors) or len(set(frame.path)) != len(frame.path):
                    self._family.refuse(child, "it is an instance of itself")
                    return ()
                if frame.version != f.VERSION:
                    self._family.refuse(child, f"it speaks version {frame.version} of the protocol")
                    return ()
                child.boot = frame.boot
                return frame.path
            if isinstance(frame, f.Refused):
                self._family.refuse(child, shown(frame.reason))
                break
        return ()

    def advertised(self, child: Child, frame: f.Advertise) -> None:
        """An instance of a child is new, or has other providers than before."""
        if len(frame.providers) > self._family.limits.providers and not child.trusted:
            text = f"{len(frame.providers)} providers, where {self._family.limits.providers} may be"
            self._family.offend(child, text)
            return
        if not child.trusted and ((frame.path and mistake_in(frame.path)) or not 0 < frame.cpus <= 1024
                                  or len(frame.types) != 32):
            self._family.offend(child, f"an instance called {shown(frame.path)!r} with {frame.cpus} CPUs")
            return
        number = child.numbers.get(frame.instance)
        if number is None and len(child.numbers) >= MOST_INSTANCES and not child.trusted:
            self._family.offend(child, f"more than {MOST_INSTANCES} instances")
            return
        if number is None:
            number = self._entered(child, frame)
        instance = self._family.instances[number]
        if instance.boot not in (NONE, frame.boot):
            instance.recorded = instance.taken = 0
        if instance.cpus not in (0, frame.cpus):
            self._family.offend(child, f"it has {frame.cpus} CPUs, and had {instance.cpus}")
            return
        if instance.types not in (b"", frame.types):
            self._family.refuse(child, "its kernel has other types than before")
            return
        if instance.state == "quarantined":
            return
        instance.boot, instance.cpus, instance.state = frame.boot, frame.cpus, "ready"
        instance.now = frame.now
        instance.system, instance.types = shown(frame.system), frame.types
        providers = [(shown(name), uuid) for name, uuid in frame.providers]
        for name in self._family.directory.hear(number, child.speaker or child.name, providers):
            text = f"its provider {name} claims the identity of another, and is kept apart"
            self._family.notices.append(f.Notice(number, "pocketed", text, 0))
        if self._identified:
            self._family.notices.append(self._advertisement(instance))

    def _entered(self, child: Child, frame: f.Advertise) -> int:
        """Give an instance a path and a number."""
        path = join(child.name, frame.path)
        taken = {each.path for each in self._family.instances.values() if each.state == "ready"}
        own = apart(path, taken)
        before = next((each for each in self._family.instances.values() if each.path == own), None)
        if before is not None and before.state == "lost" and before.child.connection is child.connection:
            child.numbers[frame.instance] = before.number  # it has booted anew
            self._family.instances[before.number] = replace(before, child=child, theirs=frame.instance)
            return before.number
        number = self._order.get(own, -1)
        if number < 0 or number in self._family.instances:
            number = max([*self._order.values(), *self._family.instances, -1]) + 1
        if own != path:
            text = f"another instance is called {path}: this one is {own}"
            self._family.notices.append(f.Notice(number, "renamed", text, 0))
        child.numbers[frame.instance] = number
        self._family.instances[number] = Instance(number, child, frame.instance, own)
        return number

    def _advertisement(self, instance: Instance) -> f.Advertise:
        providers = self._family.directory.advertised(instance.number)
        return f.Advertise(instance.number, instance.path, instance.boot, instance.cpus, instance.now,
                           instance.system, instance.types, providers)
