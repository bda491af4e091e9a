"""The dtrace provider: what ERROR's further argument is."""

from __future__ import annotations

from runtime.framework.probes.registry import Registry
from runtime.providers import dtrace


def test_the_address_of_a_fault() -> None:
    """The sixth argument of ERROR, and of no other probe."""
    registry = Registry()
    dtrace.install(registry)
    own = registry.own
    assert own is not None
    own.error_address = 0x1234
    told = {probe.name: [probe.provider.operations.getarg(probe, index) for index in range(4, 8)]
            for probe in (own.begin, own.end, own.error)}
    assert told == {"BEGIN": [0] * 4, "END": [0] * 4, "ERROR": [0, 0x1234, 0, 0]}
    assert [probe.id for probe in (own.begin, own.end, own.error)] == [1, 2, 3]
