"""What buffers hold: enablings, aggregations, formats, probes.  The kernel is asked once for each."""

from __future__ import annotations

from runtime.border import AggDesc, BorderError, Command, EprobeDesc, PackedProbes, ProbeDescription

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.events.answers import Answers

_ANY = ("", "", "", "")


class Descriptions:
    """A cache over what one device describes.  Every method may raise BorderError and AnswerError."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._ecbs: dict[int, EprobeDesc] = {}
        self._aggregations: dict[int, AggDesc] = {}
        self._formats: dict[int, bytes] = {}
        self._probes: dict[int, ProbeDescription] = {}

    def ecb(self, epid: int) -> EprobeDesc:
        found = self._ecbs.get(epid)
        if found is None:
            found = self._ecbs[epid] = self._answers.ecb(epid, self.format)
        return found

    def aggregation(self, number: int) -> AggDesc:
        found = self._aggregations.get(number)
        if found is None:
            found = self._aggregations[number] = self._answers.aggregation(number)
        return found

    def format(self, number: int) -> bytes:
        found = self._formats.get(number)
        if found is None:
            found = self._formats[number] = self._answers.format(number)
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

    def matching(self, wanted: ProbeDescription, instance: str = "") -> PackedProbes[ProbeDescription]:
        """Every probe that a description with globs means, in order of id.

        Of several instances that are traced as one, `instance` says which; it follows the description.
        """
        return self._list(Command.PROBEMATCH, wanted, instance)

    def _list(self, command: Command, wanted: ProbeDescription,
              instance: str = "") -> PackedProbes[ProbeDescription]:
        try:
            return self._answers.probes(command, wanted, instance)
        except BorderError:
            return PackedProbes(b"", ProbeDescription)
