"""The device a consumer opens: requests and answers as bytes (see runtime.border)."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable

from dif import isa
from dof import model, writer
from dof.options import UNSET, OptionId
from runtime.border import (
    CONF,
    ArgDesc,
    BorderError,
    BufDesc,
    Command,
    ProbeDescription,
    ProviderDesc,
)
from runtime.framework import enabling
from runtime.framework.buffers import FillBuffer, RingBuffer
from runtime.framework.framework import Framework
from runtime.framework.options import CPU_ALL
from runtime.framework.privileges import Credentials
from runtime.framework.provider import Probe
from runtime.framework.state import Activity, State

_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_U16 = struct.Struct("<H")
_CTF_MODEL_LP64 = 2
_PROBEDESC_SIZE = 388


class FrameworkDevice:
    """One open of the device: one State, with its opener's privileges."""

    def __init__(self, framework: Framework, credentials: Credentials) -> None:
        if not credentials.any:
            raise BorderError(errno.EACCES, "DTrace requires additional privileges")
        self._framework = framework
        self._credentials = credentials
        self._state = State(framework, credentials)
        framework.states.append(self._state)
        self._answers: dict[Command, Callable[[bytes], bytes]] = {
            Command.PROVIDER: self._provider,
            Command.PROBES: self._probes,
            Command.PROBEMATCH: self._probes,
            Command.BUFSNAP: self._bufsnap,
            Command.AGGSNAP: self._aggsnap,
            Command.ENABLE: lambda dof: _I32.pack(enabling.enable(self._state, dof)),
            Command.EPROBE: self._eprobe,
            Command.AGGDESC: self._aggdesc,
            Command.PROBEARG: self._probearg,
            Command.CONF: self._conf,
            Command.STATUS: self._status,
            Command.GO: self._go,
            Command.STOP: lambda _: _I32.pack(enabling.stop(self._state)),
            Command.FORMAT: self._format,
            Command.DOFGET: self._dofget,
            Command.REPLICATE: self._replicate,
        }

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        """Answer `command`.  Raises BorderError with the errno a kernel would set."""
        answer = self._answers.get(command)
        if answer is None:
            raise BorderError(errno.ENOTTY, f"no request {command}")
        try:
            return answer(payload)
        except struct.error:
            raise BorderError(errno.EFAULT, f"{Command(command).name}: request too short") from None

    def close(self) -> None:
        """End the tracing state; closing twice does nothing."""
        self._state.destroy()

    # -- providers and probes ----------------------------------------------------------------------------

    def _provider(self, payload: bytes) -> bytes:
        wanted = ProviderDesc.unpack(payload).name
        provider = self._framework.providers.get(wanted)
        if provider is None:
            raise BorderError(errno.ESRCH, f"no provider {wanted}")
        triples = tuple((a.name, a.data, a.klass) for a in provider.attributes)
        return ProviderDesc(provider.name, triples, int(provider.privileges), provider.uid,
                            provider.zone).pack()

    def _probes(self, payload: bytes) -> bytes:
        wanted = ProbeDescription.unpack(payload)
        desc = model.ProbeDesc(wanted.provider, wanted.module, wanted.function, wanted.name)
        probes = self._framework.match(desc, self._credentials, provide=not wanted.id)
        if not any(desc[:4]):
            probes = self._with_retired(probes)
        if not probes and not wanted.id:
            raise BorderError(errno.ESRCH, f"no probe matches {wanted}")
        return b"".join(_describe(probe) for probe in probes if probe.id >= wanted.id)

    def _with_retired(self, probes: list[Probe]) -> list[Probe]:
        """Add probes that are gone but whose records this state may still hold."""
        gone = {ecb.probe.id: ecb.probe for ecb in self._state.ecbs.values() if ecb.probe.retired}
        return sorted([*probes, *gone.values()], key=lambda probe: probe.id) if gone else probes

    def _probearg(self, payload: bytes) -> bytes:
        wanted = ArgDesc.unpack(payload)
        probe = self._framework.table.by_id.get(wanted.id)
        if probe is None or wanted.ndx < 0:
            raise BorderError(errno.EINVAL, f"no probe {wanted.id}")
        found = probe.provider.operations.argdesc(probe, wanted.ndx)
        if found is None:
            return ArgDesc(wanted.id, -1, wanted.ndx).pack()
        mapping = wanted.ndx if found.mapping is None else found.mapping
        return ArgDesc(wanted.id, wanted.ndx, mapping, found.native, found.xlated).pack()

    def _eprobe(self, payload: bytes) -> bytes:
        ecb = self._state.ecbs.get(_U32.unpack_from(payload)[0])
        if ecb is None:
            raise BorderError(errno.EINVAL, "no such enabled probe")
        return ecb.describe().pack()

    def _aggdesc(self, payload: bytes) -> bytes:
        number = _U32.unpack_from(payload)[0]
        if not 0 < number <= len(self._state.aggregations):
            raise BorderError(errno.EINVAL, f"no aggregation {number}")
        epid = self._state.aggregation_epids.get(number, 0)
        return self._state.aggregations[number - 1].describe(epid).pack()

    def _format(self, payload: bytes) -> bytes:
        number = _U16.unpack_from(payload)[0]
        if not 0 < number <= len(self._state.formats):
            raise BorderError(errno.EINVAL, f"no format {number}")
        return self._state.formats[number - 1].encode("utf-8", "surrogateescape")

    # -- buffers --------------------------------------------------------------------------------------------

    def _bufsnap(self, payload: bytes) -> bytes:
        state = self._state
        cpu = self._cpu(payload)
        if not state.buffers:
            raise BorderError(errno.ENOENT, "no buffer")
        buffer = state.buffers[cpu]
        if isinstance(buffer, (FillBuffer, RingBuffer)) and state.activity is not Activity.STOPPED:
            raise BorderError(errno.EBUSY, "the buffer is in use until tracing stops")
        if not buffer.size:
            raise BorderError(errno.ENOENT, "no buffer")
        data, drops, errors, oldest = buffer.snapshot()
        if not isinstance(buffer, (FillBuffer, RingBuffer)):
            state.past_errors += errors
        return BufDesc(len(data), cpu, errors, drops, 0, oldest, self._framework.host.hrtime()).pack() + data

    def _aggsnap(self, payload: bytes) -> bytes:
        cpu = self._cpu(payload)
        buffers = self._state.aggregation_buffers
        if not buffers or not buffers[cpu].size:
            raise BorderError(errno.ENOENT, "no buffer")
        data, drops = buffers[cpu].snapshot()
        return BufDesc(len(data), cpu, 0, drops, 0, 0, self._framework.host.hrtime()).pack() + data

    def _cpu(self, payload: bytes) -> int:
        cpu = BufDesc.unpack(payload).cpu
        if cpu >= self._framework.host.ncpus or (self._state.options[OptionId.CPU] != CPU_ALL
                                                 and not self._state.traces_cpu(cpu)):
            raise BorderError(errno.EINVAL if cpu >= self._framework.host.ncpus else errno.ENOENT,
                              f"no buffer of CPU {cpu}")
        return cpu

    # -- the state ------------------------------------------------------------------------------------------

    def _conf(self, payload: bytes) -> bytes:
        return CONF.pack(isa.DIF_VERSION, isa.NREGS, isa.NTUPLE, _CTF_MODEL_LP64, *([0] * 8))

    def _status(self, payload: bytes) -> bytes:
        state = self._state
        if state.activity is Activity.INACTIVE:
            raise BorderError(errno.ENOENT, "tracing has not begun")
        state.last_status = self._framework.host.hrtime()
        return state.status().pack()

    def _go(self, payload: bytes) -> bytes:
        if self._state.options[OptionId.GRABANON] not in (UNSET, 0):
            return self._grab()
        return _I32.pack(enabling.go(self._state))

    def _grab(self) -> bytes:
        anonymous = self._framework.anonymous
        if anonymous is None:
            raise BorderError(errno.ENOENT, "no anonymous tracing state")
        if self._state.ecbs:
            raise BorderError(errno.EALREADY, "probes are enabled already")
        self._state.destroy()
        self._state = anonymous
        self._framework.anonymous = None
        return _I32.pack(anonymous.begin_cpu)

    def _dofget(self, payload: bytes) -> bytes:
        options = [(number, value) for number, value in enumerate(self._state.options) if value != UNSET]
        return writer.write(model.Program(options=options))

    def _replicate(self, payload: bytes) -> bytes:
        if len(payload) < 2 * _PROBEDESC_SIZE:
            raise struct.error
        match, create = ProbeDescription.unpack_all(payload[:2 * _PROBEDESC_SIZE])
        enabling.replicate(self._state, model.ProbeDesc(*match[1:]), model.ProbeDesc(*create[1:]))
        return b""


def _describe(probe: Probe) -> bytes:
    return ProbeDescription(probe.id, probe.provider.name, probe.module, probe.function, probe.name).pack()
