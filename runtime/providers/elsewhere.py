"""Providers and kernel functions of other systems that have nothing to tell of here: why, and what to use."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dof.model import ProbeDesc

_LOCKS = "for locks of programs use pid$target::pthread_mutex_lock: and syscall::futex:"
# provider or module, written as a regular expression | why there is none | what to use
_ROWS = """\
plockstat\\d*|the C library here is Linux', which has no such probes|{locks}
lockstat|the emulated kernel does one thing at a time and has no locks|{locks}
cpc|a virtual processor has no counters|to find where time goes use profile:::profile-997 and vtimestamp
zfs|there is one disk, and its file system is no ZFS|use io::: for the disk and fsinfo::: for files
nfsv?\\d*|no file system comes over a network here|use fsinfo::: for files, and tcp::: for connections
iscsi|there is one disk, and it is local|use io:::
fc|there is one disk, and it is local|use io:::
srp|there is one disk, and it is local|use io:::
smb2?|no file system comes over a network here|use fsinfo::: for files, and tcp::: for connections
sctp|there is no SCTP here|use tcp::: and udp:::
xpv|there is no hypervisor below the machine|use sched:::
vfs|file operations are illumos' here|use fsinfo::: or fbt::fop_*:
kinst|only entries to and returns from the kernel's functions have probes|use fbt:::
hotspot\\d*|Java has such probes once it has loaded libjvm.so|say -Z, and name its process with -c or -p
"""
_FUNCTIONS = re.compile(r"(zfs|zio|arc|spa|dmu|txg)_\w+")
_ZFS = "there is no ZFS here: use fop_* and ufs_* for files, and bdev_strategy for the disk"
_ALLOCATOR = re.compile(r"(kmem|vmem|segkmem|umem)_\w+|malloc|free|kmalloc|kfree|__kmalloc")


def mistake(description: ProbeDesc) -> tuple[str, str] | None:
    """Return a diagnostic's tag and text for what other systems have; None for anything else."""
    for row in _ROWS.format(locks=_LOCKS).splitlines():
        name, why, instead = row.split("|")
        if re.fullmatch(name, description.provider):
            return "D_PDESC_ZERO", f"{description} does not match any probes: {why}; {instead}"
    if description.provider not in ("fbt", ""):
        return None
    function = description.function
    if description.module == "zfs" or _FUNCTIONS.fullmatch(function):
        return "D_PDESC_ZERO", f"{description} does not match any probes: {_ZFS}"
    if _ALLOCATOR.fullmatch(function):
        return "D_PDESC_ZERO", (f"{description} does not match any probes: of the kernel's allocator "
                                "there are kmem_cache_alloc, kmem_cache_free, kmem_alloc and kmem_free")
    return None
