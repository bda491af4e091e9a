"""Which firings a tracer with few privileges sees (dtrace_priv_probe's rules).

A probe may show any process, or the kernel.  Such a tracer has the firings in its own processes.  Of the
others it has, where the provider allows that, the fact alone: no arguments and no process.
"""

from __future__ import annotations

from collections.abc import Callable

from dif.records import Record
from runtime.framework.firing.firing import Firing
from runtime.framework.probes.privileges import Credentials, Privilege, Visible
from runtime.framework.probes.registry import Probe

# As plain numbers: operators of flags take ten times as long, and there may be 100,000 probes.
_USER, _KERNEL = int(Privilege.USER), int(Privilege.KERNEL)
_OWNER, _ZONEOWNER = int(Privilege.OWNER), int(Privilege.ZONEOWNER)
_ALL_USERS, _ALL_ZONES, _KERNEL_SEEN = int(Visible.ALL_USERS), int(Visible.ALL_ZONES), int(Visible.KERNEL)


class Condition(Record):
    """Whether a tracer with few privileges may see a firing.

    `test` is called with a firing that has begun, and hides of it what may not be seen.  Where nothing is
    hidden of those that come, `text` says the same in Python, of the thread `cur`, for generated code.
    """

    test: Callable[[Firing], bool]
    text: str | None


def condition(credentials: Credentials, probe: Probe) -> Condition | None:
    """The condition of a tracer's clauses on a probe.

    None for a tracer who sees all of every firing: its clauses then ask nothing.
    """
    needs, operations = int(probe.provider.privileges), probe.provider.operations
    left = needs & ~int(credentials.matches)  # of what a process of its own is asked for
    visible = int(credentials.visible)
    of_user = bool((needs & _USER and not visible & _ALL_USERS) or left & _OWNER)
    of_zone = bool((needs & _USER and not visible & _ALL_ZONES) or left & _ZONEOWNER)
    in_user_mode = bool(needs & _KERNEL and not visible & _KERNEL_SEEN)
    if not (of_user or of_zone or in_user_mode):
        return None

    def test(firing: Firing) -> bool:
        user = not of_user or credentials.same_user(firing.context)
        zone = not of_zone or credentials.same_zone(firing.context)
        mode = not in_user_mode or operations.usermode(probe)
        firing.hides_arguments = not (mode and zone) or operations.limits(probe)
        firing.hides_process = not (user and zone)
        return (user and zone and mode) or operations.restricts(probe)

    if in_user_mode or operations.limits(probe) or operations.restricts(probe):
        return Condition(test, None)
    parts = [f"cur.zone == {credentials.zone}"] if of_zone else []
    if of_user:
        parts.append(f"cur.is_of({credentials.uid}, {credentials.gid}) and not cur.changed_credentials")
    return Condition(test, " and ".join(parts))
