"""What a hop's instances trace: programs are dealt out, and once more to children that come back."""

from __future__ import annotations

import errno
from collections.abc import Iterator

from dif.records import replace
from dof.format import DofError
from dof.options import OptionId
from dof.reader import read
from dof.writer import write
from runtime.border import BorderError
from runtime.instances.hop.children import Child
from runtime.instances.hop.enrolment import Enrolment
from runtime.instances.hop.family import Family
from runtime.instances.roster.paths import shown
from runtime.instances.wire import frames as f


class Programs:
    """The programs that have gone down."""

    def __init__(self, family: Family, enrolment: Enrolment) -> None:
        self._family = family
        self._enrolment = enrolment
        self._enabled: list[f.Enable] = []  # for children that boot anew
        self._begun: set[int] = set()  # instances that trace

    def enable(self, frame: f.Enable) -> Iterator[f.Up]:
        self._enabled.append(frame)
        numbers = set(frame.instances)
        yield from self._family.answers_of([(child, each) for child in self._family.children
                                     for each in self._enabling(child, frame, numbers)])

    def _enabling(self, child: Child, frame: f.Enable, numbers: set[int]) -> Iterator[f.Enable]:
        """Yield what a child gets of an Enable, if it concerns those of its instances with these numbers."""
        concerned = (number for number in frame.instances if number in numbers)
        theirs = self._family.dealt(concerned).get(child.number)
        if theirs:
            dof = self._allowed(child, frame.dof)
            if not child.trusted:
                child.layouts.expect(read(dof))
            yield f.Enable(tuple(theirs), dof)

    @staticmethod
    def _allowed(child: Child, dof: bytes) -> bytes:
        """The DOF for a child: destructive actions are enabled only where the cluster's file allows them."""
        if child.destructive:
            return dof
        try:
            program = read(dof)
        except DofError as error:
            raise BorderError(errno.EINVAL, str(error)) from None
        kept = [option for option in program.options if option[0] != OptionId.DESTRUCTIVE]
        return dof if len(kept) == len(program.options) else write(replace(program, options=kept))

    def begin(self, frame: f.Go) -> Iterator[f.Up]:
        self._begun.update(frame.instances)
        yield from self._family.answers_of([(self._family.children[number], f.Go(tuple(theirs), frame.now))
                                     for number, theirs in self._family.dealt(frame.instances).items()])

    def stop(self, frame: f.Stop) -> Iterator[f.Up]:
        yield from self._family.answers_of([(self._family.children[number], f.Stop(tuple(theirs)))
                                     for number, theirs in self._family.dealt(frame.instances).items()])

    def take_back(self) -> None:
        """Go on with lost children that are there again."""
        for child in [each for each in self._family.children if each.sought]:
            same = child.connection.returned()
            if same is None:
                continue
            child.sought = False
            if same:
                self._resume(child)
            else:
                self._begin_anew(child)

    def _resume(self, child: Child) -> None:
        """A child is as it was: take in the answer that was under way, and hear whom it has."""
        child.open = True
        answer = self._family.taken(child, self._family.receive(child))
        child.kept += [each for each in answer if isinstance(each, f.Snap)]
        self._enrolment.greet([child])

    def _begin_anew(self, child: Child) -> None:
        """A child has booted since: it is a new one, and gets all that its instances traced."""
        child = Child(len(self._family.children), child.name, child.connection, child.trusted,
                      child.destructive, child.speaker)
        self._family.children.append(child)
        self._enrolment.greet([child])
        again = set(child.numbers.values())
        requests: list[f.Down] = []
        for frame in self._enabled:
            requests += self._enabling(child, frame, again)
        begun = [self._family.instances[number].theirs for number in sorted(again & self._begun)]
        if begun:
            requests.append(f.Go(tuple(begun), self._family.until or 1))
        for request in requests:
            for _child, answer in self._family.exchange([(child, request)]):
                for each in answer:
                    if isinstance(each, f.Refused):
                        self._family.refuse(child, shown(each.reason))
