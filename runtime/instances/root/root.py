"""The root of the tree: frames go down from here, and what comes up is told, counted or handed on."""

from __future__ import annotations

import errno
import json

from runtime.border import BorderError
from runtime.instances.hop.relay import Relay
from runtime.instances.root.instances import HOST_NUMBER, Instances
from runtime.instances.root.membership import Membership
from runtime.instances.root.refusals import Refusals
from runtime.instances.roster.clusterfile import ClusterFile
from runtime.instances.wire import frames as f
from runtime.instances.wire.verbs import Verb


class Root:
    """What stands above the topmost hop, and what is known there: who there is (`instances`), what has become
    of them (`membership`), and what time it is."""

    def __init__(self, relay: Relay, description: ClusterFile) -> None:
        self.relay = relay
        self.instances = Instances(relay.instances, description)
        self.membership = Membership(self.instances)
        self.refusals = Refusals(self.instances, description.path)
        self.active: list[int] = []  # instances that are traced
        self.now = 0
        self.interrupted = False

    def handle(self, frame: f.Down) -> list[f.Up]:
        """Have a frame answered; what users are to be told is kept apart."""
        rest: list[f.Up] = []
        for each in self.relay.handle(frame):
            if isinstance(each, f.Notice):
                self.membership.notice(each)
            elif isinstance(each, f.Dropped):
                self.membership.drop(each)
            elif isinstance(each, f.Retire):
                self.membership.retire(each)
            elif isinstance(each, f.Done):
                self.interrupted = self.interrupted or bool(each.flags & f.INTERRUPTED)
                if HOST_NUMBER in self.active and each.now:
                    self.now = each.now
            elif isinstance(each, f.Advertise):
                self.membership.advertise(each)
            else:
                rest.append(each)
        return rest

    def one(self, frame: f.Down) -> bytes:
        """The single answer to a frame.  Raises BorderError."""
        for each in self.handle(frame):
            if isinstance(each, f.Answer):
                return each.data
            if isinstance(each, f.Refused):
                raise self.refusals.error(each)
        raise BorderError(errno.ENXIO, "the instance does not answer")

    def do(self, verb: Verb, *arguments: object, instance: int = HOST_NUMBER) -> bytes:
        """Have something done at an instance.  Raises BorderError."""
        return self.one(f.Do(instance, verb, json.dumps(arguments).encode()))

    def did(self, verb: Verb, *arguments: object, instance: int = HOST_NUMBER) -> object:
        """The same, where the result is JSON.  Raises OSError."""
        try:
            return json.loads(self.do(verb, *arguments, instance=instance) or b"null")
        except (ValueError, RecursionError):
            raise BorderError(errno.EPROTO, "the instance answers what makes no sense") from None
