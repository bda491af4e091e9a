"""What buffers hold: enablings, aggregations, formats, probes.  The kernel is asked once for each."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.border import PROBEDESC, AggDesc, BorderError, Command, EprobeDesc, ProbeDescription

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.border import Device

_ANY = ("", "", "", "")


class Descriptions:
    """A cache over one Device.  Every method may raise BorderError."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._ecbs: dict[int, EprobeDesc] = {}
        self._aggregations: dict[int, AggDesc] = {}
        self._formats: dict[int, bytes] = {}
        self._probes: dict[int, ProbeDescription] = {}

    def ecb(self, epid: int) -> EprobeDesc:
        found = self._ecbs.get(epid)
        if found is None:
            answer = self._device.ioctl(Command.EPROBE, epid.to_bytes(4, "little"))
            found = self._ecbs[epid] = EprobeDesc.unpack(answer)
        return found

    def aggregation(self, number: int) -> AggDesc:
        found = self._aggregations.get(number)
        if found is None:
            answer = self._device.ioctl(Command.AGGDESC, number.to_bytes(4, "little"))
            found = self._aggregations[number] = AggDesc.unpack(answer)
        return found

    def format(self, number: int) -> bytes:
        found = self._formats.get(number)
        if found is None:
            found = self._device.ioctl(Command.FORMAT, number.to_bytes(2, "little")).rstrip(b"\0")
            self._formats[number] = found
        return found

    def probe(self, number: int) -> ProbeDescription:
        """Return the probe with this id; of a probe that is gone only the id is known."""
        found = self._probes.get(number)
        if found is None:
            found = unknown = ProbeDescription(number, *_ANY)
            for probe in self._list(Command.PROBES, unknown):
                if probe.id == number:
                    found = probe
            self._probes[number] = found
        return found

    def matching(self, wanted: ProbeDescription) -> Iterator[ProbeDescription]:
        """Every probe that a description with globs means, in order of id."""
        return self._list(Command.PROBEMATCH, wanted)

    def _list(self, command: Command, wanted: ProbeDescription) -> Iterator[ProbeDescription]:
        try:
            answer = self._device.ioctl(command, wanted.pack())
        except BorderError:
            return
        for at in range(0, len(answer) - PROBEDESC.size + 1, PROBEDESC.size):
            yield ProbeDescription.unpack(answer, at)
