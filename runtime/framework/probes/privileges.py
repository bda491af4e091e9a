"""Who may see and do what: DTrace privileges of a credential, a provider and a firing probe.

What an opener of the device holds becomes three words, once, at open: which providers match (`matches`), what
it sees (`visible`), and what its clauses may do (`allowed`).  Probes ask the first, and conditions of ECBs
(runtime.framework.firing.visibility) and the checks of a firing ask the others.

Source of the facts: <sys/dtrace_impl.h> (DTRACE_PRIV_*, DTRACE_CRV_*, DTRACE_CRA_*) and the "Security"
chapter of the Dynamic Tracing Guide.
"""

from __future__ import annotations

from enum import IntFlag

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
    PROCESS = PROC | OWNER | ZONEOWNER  # what probes of one process ask


class Visible(IntFlag):
    """What a tracer sees (DTRACE_CRV_*)."""

    NONE = 0
    ALL_USERS = 1
    KERNEL = 2
    ALL_ZONES = 4


class Allowed(IntFlag):
    """What a tracer's clauses may do (DTRACE_CRA_*)."""

    NONE = 0
    PROCESS = 0x01  # ask about the current process
    CONTROL = 0x02  # write any process's memory
    DESTROY_ALL_USERS = 0x04  # stop and signal processes of other users,
    DESTROY_ALL_ZONES = 0x08  # of other zones,
    DESTROY_CHANGED = 0x10  # and those that have changed their credentials
    KERNEL = 0x20  # ask about the kernel
    DESTROY_KERNEL = 0x40  # panic, breakpoint, chill


_KINDS = Privilege.KERNEL | Privilege.USER | Privilege.PROC


class Credentials:
    """The opener of a device.

    `kernel`, `user` and `proc` are the dtrace_kernel, dtrace_user and dtrace_proc privileges; `proc_owner`
    and `proc_zone` are privileges over processes of other users and other zones.  The `whole` set is every
    privilege that a process of the opener's zone can have; with all five that is every privilege there is,
    because a zone other than the global one never has dtrace_kernel.  `root` is the path of the zone's root
    directory in the machine, empty in the global zone.
    """

    __slots__ = ("allowed", "gid", "matches", "root", "uid", "visible", "zone")

    def __init__(self, uid: int = 0, gid: int = 0, zone: int = 0, *, kernel: bool = True, user: bool = True,
                 proc: bool = True, proc_owner: bool = True, proc_zone: bool = True,
                 whole: bool = True, root: bytes = b"") -> None:
        self.uid, self.gid, self.zone, self.root = uid, gid, zone, root
        seen: tuple[tuple[bool, Visible], ...] = (
            (kernel, Visible.KERNEL | Visible.ALL_USERS | Visible.ALL_ZONES),
            (user and proc_owner, Visible.ALL_USERS),
            (user and proc_zone, Visible.ALL_ZONES))
        some = kernel or user or proc
        everything = kernel and user and proc and proc_owner and proc_zone and whole
        done: tuple[tuple[bool, Allowed], ...] = (
            (some, Allowed.PROCESS),
            (kernel, Allowed.KERNEL),
            (some and proc_owner, Allowed.DESTROY_ALL_USERS),
            (some and proc_zone, Allowed.DESTROY_ALL_ZONES),
            ((user or kernel) and whole, Allowed.DESTROY_CHANGED),
            (everything, Allowed.CONTROL | Allowed.DESTROY_KERNEL))
        matched: tuple[tuple[bool, Privilege], ...] = (
            (kernel, Privilege.KERNEL | Privilege.USER), (user, Privilege.USER), (proc, Privilege.PROC),
            (proc_owner, Privilege.OWNER), (proc_zone, Privilege.ZONEOWNER))
        self.visible, self.allowed, self.matches = Visible.NONE, Allowed.NONE, Privilege.NONE
        for holds, visible in seen:
            self.visible |= visible if holds else 0
        for holds, allowed in done:
            self.allowed |= allowed if holds else 0
        for holds, matches in matched:
            self.matches |= matches if holds else 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Credentials) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def _all(self) -> tuple[object, ...]:
        return (self.uid, self.gid, self.zone, self.root, self.visible, self.allowed, self.matches)

    @property
    def any(self) -> bool:
        """Whether the holder may open the device at all."""
        return self.allowed != Allowed.NONE

    @property
    def kernel(self) -> bool:
        """Whether nothing in the kernel is hidden from the holder."""
        return Visible.KERNEL in self.visible

    def sees_provider(self, needs: Privilege, uid: int, zone: int) -> bool:
        """Whether probes of a provider with these needs match for this credential."""
        if needs & _KINDS and not needs & _KINDS & self.matches:
            return False
        left = needs & ~self.matches
        return not ((left & Privilege.OWNER and uid != self.uid)
                    or (left & Privilege.ZONEOWNER and zone != self.zone))

    def same_user(self, thread: Context) -> bool:
        """Whether the thread's process is the holder's, by all its ids, and has never been another's."""
        return thread.is_of(self.uid, self.gid) and not thread.changed_credentials

    def same_zone(self, thread: Context) -> bool:
        """Whether the thread's process is in the holder's zone."""
        return thread.zone == self.zone

    def may_control(self, thread: Context) -> bool:
        """Whether memory of the thread's process may be written (dtrace_priv_proc_control)."""
        return bool(self.allowed & Allowed.CONTROL) or (self.same_zone(thread) and self.same_user(thread))

    def may_destroy(self, thread: Context) -> bool:
        """Whether the thread's process may be stopped and signalled (dtrace_priv_proc_destructive)."""
        allowed = self.allowed
        return bool((allowed & Allowed.DESTROY_ALL_ZONES or self.same_zone(thread))
                    and (allowed & Allowed.DESTROY_ALL_USERS or thread.is_of(self.uid, self.gid))
                    and (allowed & Allowed.DESTROY_CHANGED or not thread.changed_credentials))
