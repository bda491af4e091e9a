"""Who may see and do what: DTrace privileges of a credential, a provider and a firing probe.

Source of the facts: <sys/dtrace_impl.h> (DTRACE_PRIV_*) and the "Security"
chapter of the Dynamic Tracing Guide.
"""

from __future__ import annotations

from enum import IntFlag

from dif.records import Record

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.framework.base.host import Context


class Privilege(IntFlag):
    """What a provider asks of a tracer (dtrace_ppriv_t flags, as ProviderDesc.flags shows them)."""

    NONE = 0x00
    KERNEL = 0x01
    USER = 0x02
    PROC = 0x04
    OWNER = 0x08  # only processes of the tracer's own user
    ZONEOWNER = 0x10  # only processes of the tracer's own zone


class Credentials(Record, frozen=True):
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

    def same_user(self, thread: Context) -> bool:
        """Whether the thread's process belongs to the holder's user and group."""
        return thread.uid == self.uid and thread.gid == self.gid

    def same_zone(self, thread: Context) -> bool:
        """Whether the thread's process is in the holder's zone."""
        return thread.zone == self.zone

    def may_control(self, thread: Context) -> bool:
        """Whether memory of the thread's process may be written (dtrace_priv_proc_control)."""
        everything = self.kernel and self.user and self.proc and self.proc_owner and self.proc_zone
        return everything or (self.same_zone(thread) and self.same_user(thread))

    def may_destroy(self, thread: Context) -> bool:
        """Whether the thread's process may be stopped and signalled (dtrace_priv_proc_destructive)."""
        return (self.proc_zone or self.same_zone(thread)) and (self.proc_owner or self.same_user(thread))
