"""Programs are dealt out to the instances that they are for; tracing begins and ends there."""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Iterator

from dif.records import replace
from dof.format import DofError
from dof.model import Ecb, Program
from dof.options import OptionId
from dof.reader import read
from dof.writer import write
from runtime.border import BorderError
from runtime.consumer.aggregations.byinstance import by_instance
from runtime.consumer.events.answers import APART, CLAUSE
from runtime.consumer.events.errors import TraceError, go_error
from runtime.consumer.reader import ERROR_ECB
from runtime.instances.root.instances import HOST_NUMBER
from runtime.instances.root.probes import Probes
from runtime.instances.root.root import Root
from runtime.instances.roster.paths import matches
from runtime.instances.wire import frames as f

_NUMBER = struct.Struct("<i")


class Enabling:
    """What is enabled at the instances of a root."""

    def __init__(self, root: Root, probes: Probes) -> None:
        self._root = root
        self._probes = probes
        self._clauses = 0  # that were enabled

    def enable(self, dof: bytes) -> bytes:
        """Each instance gets the clauses that are for it; returns how many probes they match."""
        root = self._root
        try:
            program = read(dof)
        except DofError as error:
            raise BorderError(errno.EINVAL, str(error)) from None
        root.refusals.destructive |= any(number == OptionId.DESTRUCTIVE for number, _ in program.options)
        own = all(ecb.uarg == ERROR_ECB for ecb in program.ecbs)  # the consumer's, or options alone
        if root.instances.single or own:
            if not root.active:
                root.active = [HOST_NUMBER]
            return self._sent(root.active, dof)
        total = 0
        apart = self._kept_apart(program)
        first = self._clauses + (CLAUSE if apart is program else CLAUSE | APART)
        for kept, numbers in self._dealt(program).items():
            part = replace(apart, ecbs=[replace(self._addressed(apart, n), uarg=first + n) for n in kept])
            root.active = sorted({*root.active, *numbers})
            total += _NUMBER.unpack(self._sent(numbers, write(part)))[0]
        self._clauses += len(program.ecbs)
        return _NUMBER.pack(total)

    def _dealt(self, program: Program) -> dict[tuple[int, ...], list[int]]:
        """The instances that get the same clauses, by the numbers of these."""
        patterns = [self._pattern(ecb.probe.provider, ecb.probe.id) for ecb in program.ecbs]
        among = self._probes.among
        dealt: dict[tuple[int, ...], list[int]] = {}
        for instance in self._root.instances.ready():
            kept = tuple(n for n, pattern in enumerate(patterns) if matches(pattern, instance.path))
            if kept and (among is None or instance.number in among):
                dealt.setdefault(kept, []).append(instance.number)
        return dealt

    def _kept_apart(self, program: Program) -> Program:
        """A program for several instances, whose aggregations by addresses are by instance, too."""
        patterns = {self._pattern(ecb.probe.provider, ecb.probe.id) for ecb in program.ecbs}
        ready = self._root.instances.ready()
        meant = sum(any(matches(pattern, each.path) for pattern in patterns) for each in ready)
        if meant < 2:
            return program
        size = max(len(each.path.encode()) + 8 & -8 for each in ready) + 8  # what has 8 bytes is a number
        return replace(program, ecbs=[by_instance(ecb, size) for ecb in program.ecbs])

    def _pattern(self, provider: str, number: int) -> str:
        if number:
            return self._probes.instance_of(number)
        return provider.rpartition(":")[0]

    def _addressed(self, program: Program, number: int) -> Ecb:
        """A clause as its instances know it."""
        ecb = program.ecbs[number]
        probe = ecb.probe._replace(provider=ecb.probe.provider.rpartition(":")[2])
        if probe.id:
            found = self._root.relay.instance_of_probe(probe.id)
            probe = probe._replace(id=0 if found != HOST_NUMBER else probe.id)
        return replace(ecb, probe=probe)

    def _sent(self, numbers: Iterable[int], dof: bytes) -> bytes:
        """Enable DOF at instances; returns how many probes it matched.  Raises BorderError."""
        total = 0
        for answer in self._all(f.Enable(tuple(numbers), dof)):
            total += _NUMBER.unpack(answer.data)[0]
        return _NUMBER.pack(total)

    def _all(self, frame: f.Down) -> Iterator[f.Answer]:
        """The answers of several instances.  Raises BorderError for the first that refuses."""
        refusals = self._root.refusals
        for each in self._root.handle(frame):
            if isinstance(each, f.Refused):
                refusal = refusals.error(each)
                if isinstance(frame, f.Go) and isinstance(refusal, BorderError):
                    raise TraceError(f"{go_error(refusal)}{refusals.where(each)}")
                raise refusal
            if isinstance(each, f.Answer):
                yield each

    def go(self, _payload: bytes) -> bytes:
        """Begin: at the host first, whose time is then the time of all."""
        root = self._root
        active = root.active
        first: bytes | None = None
        if HOST_NUMBER in active:
            first = next(self._all(f.Go((HOST_NUMBER,), 0))).data
        others = tuple(number for number in active if number != HOST_NUMBER)
        if others:
            started = {each.instance: each.data for each in self._all(f.Go(others, root.now or 1))}
            if first is None:
                number = min(started)
                return _NUMBER.pack(root.instances.cpus().index((number, _NUMBER.unpack(started[number])[0])))
        assert first is not None
        return first

    def stop(self, _payload: bytes) -> bytes:
        """End; returns on which of the device's CPUs that was."""
        root = self._root
        ended = {each.instance: _NUMBER.unpack(each.data)[0]
                 for each in self._all(f.Stop(tuple(root.active)))}
        if root.instances.single:
            return _NUMBER.pack(ended[HOST_NUMBER])
        number = min(ended, default=None)
        return _NUMBER.pack(0 if number is None else root.instances.cpus().index((number, ended[number])))
