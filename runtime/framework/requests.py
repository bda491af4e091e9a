"""The requests about a tracing state: what it has enabled, recorded and counted."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable

from dof import model, writer
from dof.options import CPU_ALL, UNSET, OptionId
from runtime.border import BorderError, BufDesc, Command, PackedProbes, ProbeDescription
from runtime.framework.buffers.principal import FillBuffer, RingBuffer
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Credentials, Visible
from runtime.framework.tracing import enabling
from runtime.framework.tracing.state import Activity, State

_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_U16 = struct.Struct("<H")
_PROBEDESC_SIZE = 388


class StateRequests:
    """Carries out requests about one State, which it makes.  Errors are BorderError (see FrameworkDevice)."""

    def __init__(self, framework: Framework, credentials: Credentials) -> None:
        self._framework = framework
        self.state = State(framework.tracing, credentials)
        self.handlers: dict[Command, Callable[[bytes], bytes]] = {
            Command.BUFSNAP: self._bufsnap,
            Command.AGGSNAP: self._aggsnap,
            Command.ENABLE: lambda dof: _I32.pack(enabling.enable(self.state, dof)),
            Command.EPROBE: self._eprobe,
            Command.AGGDESC: self._aggdesc,
            Command.STATUS: self._status,
            Command.GO: self._go,
            Command.STOP: lambda _: _I32.pack(enabling.stop(self.state)),
            Command.FORMAT: self._format,
            Command.DOFGET: self._dofget,
            Command.REPLICATE: self._replicate,
        }

    def _eprobe(self, payload: bytes) -> bytes:
        ecb = self.state.ecbs.get(_U32.unpack_from(payload)[0])
        if ecb is None:
            raise BorderError(errno.EINVAL, "no such enabled probe")
        return ecb.describe().pack()

    def _aggdesc(self, payload: bytes) -> bytes:
        number = _U32.unpack_from(payload)[0]
        if not 0 < number <= len(self.state.aggregations):
            raise BorderError(errno.EINVAL, f"no aggregation {number}")
        epid = self.state.aggregation_epids.get(number, 0)  # 0: its clause has no probe yet
        return self.state.aggregations[number - 1].describe(epid).pack()

    def _format(self, payload: bytes) -> bytes:
        number = _U16.unpack_from(payload)[0]
        if not 0 < number <= len(self.state.formats):
            raise BorderError(errno.EINVAL, f"no format {number}")
        return self.state.formats[number - 1].encode("utf-8", "surrogateescape")

    # -- buffers --------------------------------------------------------------------------------------------

    def _bufsnap(self, payload: bytes) -> bytes:
        state = self.state
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
        buffers = self.state.aggregation_buffers
        if not buffers or not buffers[cpu].size:
            raise BorderError(errno.ENOENT, "no buffer")
        data, drops = buffers[cpu].snapshot()
        return BufDesc(len(data), cpu, 0, drops, 0, 0, self._framework.host.hrtime()).pack() + data

    def _cpu(self, payload: bytes) -> int:
        cpu = BufDesc.unpack(payload).cpu
        if cpu >= self._framework.host.ncpus or (self.state.options[OptionId.CPU] != CPU_ALL
                                                 and not self.state.traces_cpu(cpu)):
            raise BorderError(errno.EINVAL if cpu >= self._framework.host.ncpus else errno.ENOENT,
                              f"no buffer of CPU {cpu}")
        return cpu

    # -- the state ------------------------------------------------------------------------------------------

    def _status(self, payload: bytes) -> bytes:
        state = self.state
        if state.activity is Activity.INACTIVE:
            raise BorderError(errno.ENOENT, "tracing has not begun")
        state.last_status = self._framework.host.hrtime()
        return state.status().pack()

    def _go(self, payload: bytes) -> bytes:
        if self.state.options[OptionId.GRABANON] not in (UNSET, 0):
            return self._grab()
        return _I32.pack(enabling.go(self.state))

    def _grab(self) -> bytes:
        anonymous = self._framework.anonymous
        if not self.state.credentials.visible & Visible.KERNEL:  # it was traced with every privilege
            raise BorderError(errno.EACCES, "DTrace requires additional privileges")
        if anonymous is None:
            raise BorderError(errno.ENOENT, "no anonymous tracing state")
        if self.state.ecbs:
            raise BorderError(errno.EALREADY, "probes are enabled already")
        self.state.destroy()
        self.state = anonymous
        self._framework.anonymous = None
        return _I32.pack(anonymous.begin_cpu)

    def _dofget(self, payload: bytes) -> bytes:
        options = [(number, value) for number, value in enumerate(self.state.options) if value != UNSET]
        return writer.write(model.Program(options=options))

    def _replicate(self, payload: bytes) -> bytes:
        if len(payload) < 2 * _PROBEDESC_SIZE:
            raise struct.error
        match, create = PackedProbes(payload[:2 * _PROBEDESC_SIZE], ProbeDescription)
        enabling.replicate(self.state, model.ProbeDesc(*match[1:]), model.ProbeDesc(*create[1:]))
        return b""
