"""A process with a relay in it, which an actor on a worker starts with the number of a descriptor.

Standard input says in JSON what is to be below it; the descriptor is the connection on which it serves.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Mapping, Sequence

from runtime.instances.roster.clusterfile import ClusterFile, InstanceEntry, Limits
from runtime.instances.roster.paths import HOST
from runtime.instances.starting.starter import Starter, load
from runtime.instances.wire.service import Service


def specification(description: ClusterFile, share: Sequence[InstanceEntry],
                  options: Mapping[str, object]) -> str:
    """Return the JSON that `main` reads: these instances and all below them."""
    entries = [entry for top in share for entry in (top, *description.below(top.path))]
    return json.dumps({
        "path": description.path, "heartbeat": description.heartbeat, "quantum": description.quantum,
        "limits": _fields(description.limits), "instances": [_fields(entry) for entry in entries],
        "options": {name: value for name, value in options.items() if isinstance(value, str | int)}})


def _fields(record: object) -> dict[str, object]:
    return {name: getattr(record, name) for name in type(record).__match_args__}  # type: ignore[attr-defined]


def _entry(values: dict[str, object]) -> InstanceEntry:
    pairs = values.pop("options")
    assert isinstance(pairs, list)
    options = tuple((str(name), str(value)) for name, value in pairs)
    return InstanceEntry(**values, options=options)  # type: ignore[arg-type]


def main(descriptor: int) -> None:
    told = json.load(sys.stdin)
    instances = (InstanceEntry(HOST), *map(_entry, told["instances"]))
    description = ClusterFile(told["path"], instances, quantum=told["quantum"], heartbeat=told["heartbeat"],
                              limits=Limits(**told["limits"]))
    load()
    starter = Starter(description, told["options"])
    relay = starter.relay(starter.top())
    service = Service(relay, description.heartbeat)
    service.serve(socket.socket(fileno=descriptor))
    service.end()
    starter.end()


if __name__ == "__main__":
    main(int(sys.argv[1]))
