"""The device that a consumer opens: a request comes in as bytes, its result goes out as bytes."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable

from dif import isa
from dof import model
from runtime.border import CONF, ArgDesc, BorderError, Command, ProbeDescription, ProviderDesc
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Credentials
from runtime.framework.probes.registry import Probe

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.framework.requests import StateRequests

_CTF_MODEL_LP64 = 2


class FrameworkDevice:
    """One open of the device, with its opener's privileges.

    Its tracing state comes into being with the first request that needs one; those about providers and probes
    do not.
    """

    def __init__(self, framework: Framework, credentials: Credentials) -> None:
        if not credentials.any:
            raise BorderError(errno.EACCES, "DTrace requires additional privileges")
        self._framework = framework
        self._credentials = credentials
        self._tracing: StateRequests | None = None
        self._is_open = True
        framework.registry.join(credentials)
        self._handlers: dict[Command, Callable[[bytes], bytes]] = {
            Command.PROVIDER: self._provider,
            Command.PROBES: self._probe,
            Command.PROBEMATCH: self._match,
            Command.PROBEARG: self._probearg,
            Command.CONF: self._conf,
        }

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        """Carry out a request; returns its result.  Raises BorderError with the errno a kernel would set."""
        handler = self._handlers.get(command) or self.tracing.handlers.get(command)
        if handler is None:
            raise BorderError(errno.ENOTTY, f"no request {command}")
        try:
            return handler(payload)
        except struct.error:
            raise BorderError(errno.EFAULT, f"{Command(command).name}: request too short") from None

    def close(self) -> None:
        """End the tracing state; closing twice does nothing."""
        if self._tracing is not None:
            self._tracing.state.destroy()
        if self._is_open:
            self._is_open = False
            self._framework.registry.leave(self._credentials)

    @property
    def tracing(self) -> StateRequests:
        """The tracing state."""
        if self._tracing is None:
            from runtime.framework.requests import StateRequests

            self._tracing = StateRequests(self._framework, self._credentials)
        return self._tracing

    # -- providers and probes ----------------------------------------------------------------------------

    def _provider(self, payload: bytes) -> bytes:
        wanted = ProviderDesc.unpack(payload).name
        provider = self._framework.registry.providers.get(wanted)
        if provider is None or provider.hidden_from(self._credentials):
            raise BorderError(errno.ESRCH, f"no provider {wanted}")
        provider.operations.prepare()
        triples = tuple((a.name, a.data, a.klass) for a in provider.attributes)
        return ProviderDesc(provider.name, triples, int(provider.privileges), provider.uid,
                            provider.zone).pack()

    def _probe(self, payload: bytes) -> bytes:
        wanted = ProbeDescription.unpack(payload).id
        probe = self._framework.registry.probe_from(wanted, self._credentials)
        if probe is None:
            raise BorderError(errno.ESRCH, f"no probe {wanted}")
        return ProbeDescription(*_fields(probe)).pack()

    def _match(self, payload: bytes) -> bytes:
        wanted = ProbeDescription.unpack(payload)
        probes = self._framework.registry.match(model.ProbeDesc(*wanted[1:]), self._credentials)
        if not probes:
            raise BorderError(errno.ESRCH, f"no probe matches {wanted}")
        return ProbeDescription.pack_all(map(_fields, probes))

    def _probearg(self, payload: bytes) -> bytes:
        wanted = ArgDesc.unpack(payload)
        probe = self._framework.registry.table.by_id.get(wanted.id)
        if probe is None or wanted.ndx < 0 or not probe.seen_by(self._credentials):
            raise BorderError(errno.EINVAL, f"no probe {wanted.id}")
        found = probe.provider.operations.argdesc(probe, wanted.ndx)
        if found is None:
            return ArgDesc(wanted.id, -1, wanted.ndx).pack()
        mapping = wanted.ndx if found.mapping is None else found.mapping
        return ArgDesc(wanted.id, wanted.ndx, mapping, found.native, found.xlated).pack()

    def _conf(self, payload: bytes) -> bytes:
        return CONF.pack(isa.DIF_VERSION, isa.NREGS, isa.NTUPLE, _CTF_MODEL_LP64, *([0] * 8))


def _fields(probe: Probe) -> tuple[int, str, str, str, str]:
    """What a ProbeDescription says of a probe, in order."""
    return probe.id, probe.provider.name, probe.module, probe.function, probe.name
