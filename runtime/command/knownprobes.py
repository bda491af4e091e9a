"""What dc knows of the machine's probes: an entry point (dc.machines), as dc is in a package below."""

from __future__ import annotations

from runtime.consumer.catalog import DeviceCatalog
from runtime.consumer.consumer import Consumer
from runtime.machine import Machine


def catalog() -> DeviceCatalog:
    """The catalog of a machine, which does not boot."""
    session = Consumer.open(Machine())
    session.compiles_only = True
    return session.catalog
