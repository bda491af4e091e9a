"""A hop: several children below, one parent above.  Frames down are dealt out, frames up are made one.

In comes a down frame that speaks of our numbers; each child gets it with its own.  What comes back is checked
against the programs that went down, mapped to our numbers, and merged.  An endpoint of ours, a process with
another hop in it and a machine far away are all children.  A child that lies loses its connection, and
nothing else changes.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from runtime.border import PROBEDESC, BorderError, Command
from runtime.instances.hop.children import Child
from runtime.instances.hop.clocks import Estimate, estimate
from runtime.instances.hop.descriptions import Descriptions
from runtime.instances.hop.enrolment import Enrolment
from runtime.instances.hop.family import Family, join
from runtime.instances.hop.harvests import Harvests
from runtime.instances.hop.maps import FIRST
from runtime.instances.hop.programs import Programs
from runtime.instances.roster.clusterfile import Limits
from runtime.instances.roster.paths import HOST
from runtime.instances.wire import frames as f
from runtime.instances.wire.answering import Answering
from runtime.instances.wire.verbs import Verb

_BY_PROCESS = frozenset((Verb.USER_SYMBOL, Verb.USER_MAPPING))


class Relay(Answering):
    """The hop: who is below it (`family`), and for each kind of instruction the part that answers it.

    `order` gives paths the numbers that they shall have; others get later ones.
    """

    def __init__(self, children: Iterable[Child], limits: Limits | None = None,
                 order: Mapping[str, int] | None = None) -> None:
        self.family = Family(children, limits or Limits())
        self.instances, self.directory = self.family.instances, self.family.directory
        self._enrolment = Enrolment(self.family, order or {})
        self._programs = Programs(self.family, self._enrolment)
        self._descriptions = Descriptions(self.family)
        self._harvests = Harvests(self.family, self._descriptions)
        self.family.hears_of, self.family.learns = self._enrolment.advertised, self._descriptions.described
        self._numbered: Mapping[int, Callable[[bytes], bytes]] = {
            Command.EPROBE: self._descriptions.epid_asked, Command.FORMAT: self._descriptions.format_asked,
            Command.PROBES: self._descriptions.probe_asked,
            Command.PROBEARG: self._descriptions.argument_asked,
            Command.AGGDESC: self._harvests.aggregation_asked}

    def interrupt(self) -> None:
        self.family.interrupt()

    def close(self) -> None:
        self.family.close()

    def identify(self, frame: f.Identify) -> Iterator[f.Up]:
        return self._enrolment.identify(frame)

    def enable(self, frame: f.Enable) -> Iterator[f.Up]:
        return self._programs.enable(frame)

    def begin(self, frame: f.Go) -> Iterator[f.Up]:
        return self._programs.begin(frame)

    def stop(self, frame: f.Stop) -> Iterator[f.Up]:
        return self._programs.stop(frame)

    def harvest(self, frame: f.Harvest) -> Iterator[f.Up]:
        return self._harvests.harvest(frame)

    def ended(self) -> Iterator[f.Up]:
        notices, self.family.notices = self.family.notices, []
        yield from notices
        yield f.Done(self.family.now, self.family.flags)

    def stamp(self, frame: f.Stamp) -> Iterator[f.Up]:
        """Stamps are exchanged over each link by the clock of the machine that is here, if there is one."""
        before = self._own_clock(frame.sent)
        if before is not None:
            yield before
        others = self.family.children if before is None else self.family.children[1:]
        sent = frame.sent if before is None else before.replied
        found = list(self.family.answers_of([(child, f.Stamp(sent)) for child in others]))
        after = before if before is None else self._own_clock(frame.sent)
        for each in found:
            if before is None or after is None or not isinstance(each, f.Clock):
                yield each
                continue
            link = estimate(sent, each.received, each.replied, after.received)
            below = Estimate(each.offset, each.error).over(link)
            yield before._replace(instance=each.instance, offset=below.offset, error=below.error)

    def _own_clock(self, sent: int) -> f.Clock | None:
        """What the clock of this hop's machine shows; None if there is none that goes by itself."""
        if not self.family.children or self.family.children[FIRST].name not in ("", HOST):
            return None
        for each in self.family.answers_of([(self.family.children[FIRST], f.Stamp(sent))]):
            if isinstance(each, f.Clock) and self.family.instances[each.instance].child.number == FIRST:
                return each
        return None

    def run(self, frame: f.Run) -> Iterator[f.Up]:
        self._programs.take_back()
        self.family.until = frame.until
        yield from self.family.answers_of([(child, frame) for child in self.family.children])

    def ask(self, frame: f.Ask) -> Iterator[f.Up]:
        asked = self._numbered.get(frame.command)
        if asked is not None:
            yield f.Answer(frame.instance, asked(frame.payload))
            return
        instance = self.family.owner(frame.instance)
        data = self.family.one(instance.child, frame._replace(instance=instance.theirs))
        if frame.command == Command.PROBEMATCH:
            parts = [data[at:at + PROBEDESC.size] for at in range(0, len(data), PROBEDESC.size)]
            mapped: list[bytes] = []
            probe = self._descriptions.probe
            self.family.guarded(instance.child,
                                lambda: mapped.extend(probe(instance.child, part) for part in parts))
            data = b"".join(mapped)
        yield f.Answer(frame.instance, data)

    def do(self, frame: f.Do) -> Iterator[f.Up]:
        if frame.instance == f.EVERY and frame.verb == Verb.ADDRESS:
            yield f.Answer(f.EVERY, self._address(frame))
            return
        if frame.instance == f.EVERY and frame.verb in _BY_PROCESS:
            process, *rest = json.loads(frame.payload)
            found = self._descriptions.maps.processes.down(process)
            child, theirs = (self.family.children[FIRST], process) if found is None else \
                (self.family.children[found[0]], found[1])
            payload = json.dumps([theirs, *rest]).encode()
            yield f.Answer(f.EVERY, self.family.one(child, frame._replace(payload=payload)))
            return
        instance = self.family.owner(frame.instance)
        data = self.family.one(instance.child, frame._replace(instance=instance.theirs))
        yield f.Answer(frame.instance, data)

    def _address(self, frame: f.Do) -> bytes:
        """What an instance says of a marked address."""
        number, = json.loads(frame.payload)
        found = self._descriptions.maps.addresses.down(number)
        child, theirs = (self.family.children[FIRST], number) if found is None else \
            (self.family.children[found[0]], found[1])
        data = self.family.one(child, frame._replace(payload=json.dumps([theirs]).encode()))
        below = join(self.family.path, child.name)
        try:
            told = json.loads(data)
        except (ValueError, RecursionError):
            told = None
        match told:
            case [str(path), *rest] if child.trusted or path.startswith(below + "/"):
                return json.dumps([path, *rest]).encode()
            case [_, *rest]:
                return json.dumps([below, *rest]).encode()
        raise BorderError(errno.EPROTO, "an answer that makes no sense")

    def instance_of_probe(self, number: int) -> int | None:
        """The child whose probe one of our numbers is; None for a number that is not known."""
        found = self._descriptions.maps.probes.down(number)
        return found[0] if found is not None else None

    def end(self, frame: f.Close) -> Iterator[f.Up]:
        for _child, _answer in self.family.exchange([(child, frame) for child in self.family.children]):
            pass
        self.close()
        return iter(())
