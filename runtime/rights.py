"""Who traces: what a process of the machine may do with DTrace, and which process dtrace itself is to be."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.kernel.base.privileges import BASIC, BITS, privilege_set

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dof.model import ProbeDesc
    from runtime.framework.probes.registry import Registry
    from runtime.kernel.image import Image
    from runtime.kernel.process.process import Process

OPTIONS = ("zone", "user", "privileges")  # of dof.options, that say who dtrace is
_DTRACE = {"kernel": "dtrace_kernel", "user": "dtrace_user", "proc": "dtrace_proc",
           "proc_owner": "proc_owner", "proc_zone": "proc_zone"}


def credentials_of(process: Process) -> Credentials:
    """What a process may trace, by its effective ids and privileges."""
    identity, zone = process.identity, process.zone
    has = {name: bool(identity.privileges & BITS[privilege]) for name, privilege in _DTRACE.items()}
    return Credentials(identity.euid, identity.egid, zone.id, whole=identity.privileges == zone.limit,
                       root=zone.path.rstrip(b"/"), **has)


def become(process: Process, options: Mapping[str, object], image: Image) -> None:
    """Make a process, which has not begun, the user's in the zone with the privileges that options name.

    A user is one of the machine's description, or a number.  Privileges come beside the basic ones, and are
    by default the user's own.  Raises ValueError.
    """
    name = str(options.get("user", "root"))
    try:
        named = privilege_set(str(options["privileges"])) | BASIC if "privileges" in options else None
        process.identity = image.identity(name, named)
        place = str(options.get("zone") or image.zone_of(name))
    except ValueError as error:
        raise ValueError(f"cannot trace as {name}: {error}") from None
    zone = process.kernel.zones.find(place)
    if zone is None:
        raise ValueError(f"there is no zone {place}")
    process.zone = zone
    process.identity.restrict(zone.limit)


def lacking_privilege(description: ProbeDesc, registry: Registry, who: Credentials) -> str | None:
    """Say which privilege a tracer lacks to whom a description means no probe; None if that is not why.

    Nothing is said of probes in processes, which may be of others.
    """
    hidden = [probe.provider for probe in registry.known(description)
              if not probe.provider.privileges & Privilege.PROCESS and not probe.seen_by(who)]
    if not hidden:
        return None
    provider = hidden[0]
    wanted = "dtrace_user" if Privilege.USER in provider.privileges else "dtrace_kernel"
    return f"{description} does not match any probes: {provider.name} takes the privilege {wanted}"
