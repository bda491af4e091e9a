"""Who may see and do what: DTrace privileges of a credential, a provider and a firing probe.

Source of the facts: <sys/dtrace_impl.h> (DTRACE_PRIV_*) and the "Security"
chapter of the Dynamic Tracing Guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.framework.host import Context


class Privilege(IntFlag):
    """What a provider asks of a tracer (dtrace_ppriv_t flags, as ProviderDesc.flags shows them)."""

    NONE = 0x00
    KERNEL = 0x01
    USER = 0x02
    PROC = 0x04
    OWNER = 0x08  # only processes of the tracer's own user
    ZONEOWNER = 0x10  # only processes of the tracer's own zone


@dataclass(frozen=True, slots=True)
class Credentials:
    """The opener of a device.

    `kernel`, `user` and `proc` are the dtrace_kernel, dtrace_user and
    dtrace_proc privileges; `proc_owner` and `proc_zone` let the holder see
    processes of other users and other zones.
    """

    uid: int = 0
    gid: int = 0
    zone: int = 0
    kernel: bool = True
    user: bool = True
    proc: bool = True
    proc_owner: bool = True
    proc_zone: bool = True

    @property
    def any(self) -> bool:
        """Whether the holder may open the device at all."""
        return self.kernel or self.user or self.proc

    @property
    def grants(self) -> Privilege:
        """The provider privileges that this credential satisfies."""
        if self.kernel:
            return Privilege.KERNEL | Privilege.USER | Privilege.PROC
        have = Privilege.NONE
        if self.user:
            have |= Privilege.USER
        if self.proc:
            have |= Privilege.PROC
        return have

    def sees_provider(self, needs: Privilege, uid: int, zone: int) -> bool:
        """Whether probes of a provider with these needs match for this credential."""
        if self.kernel:
            return True
        required = needs & (Privilege.KERNEL | Privilege.USER | Privilege.PROC)
        if required and not required & self.grants:
            return False
        if needs & Privilege.OWNER and not self.proc_owner and uid != self.uid:
            return False
        return not (needs & Privilege.ZONEOWNER and not self.proc_zone and zone != self.zone)

    def sees_process(self, context: Context) -> bool:
        """Whether data of the thread's process may be read (DTRACE_ACCESS_PROC)."""
        if self.kernel:
            return True
        if not self.proc_zone and context.zone != self.zone:
            return False
        return self.proc_owner or (context.uid == self.uid and context.gid == self.gid)
