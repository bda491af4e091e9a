"""Which firings a tracer without kernel privileges sees (dtrace_priv_probe's rules).

A probe may show any process, or the kernel.  Such a tracer has the firings in its own processes.  Of the
others it has, where the provider allows that, the fact alone: no arguments and no process.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.framework.firing.firing import Firing
from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.framework.probes.registry import Probe


def condition(credentials: Credentials, probe: Probe) -> Callable[[Firing], bool] | None:
    """Tells whether a firing that has begun may be seen, and hides of it what may not.  None: all of it."""
    if credentials.kernel:
        return None
    needs, operations = probe.provider.privileges, probe.provider.operations
    any_user = not needs & Privilege.USER or (credentials.user and credentials.proc_owner)
    any_zone = not needs & Privilege.USER or (credentials.user and credentials.proc_zone)
    any_mode = not needs & Privilege.KERNEL

    def allowed(firing: Firing) -> bool:
        user = any_user or credentials.same_user(firing.context)
        zone = any_zone or credentials.same_zone(firing.context)
        mode = any_mode or operations.usermode(probe)
        firing.hides_arguments = not (mode and zone)
        firing.hides_process = not (user and zone)
        return (user and zone and mode) or operations.restricts(probe)

    return allowed
