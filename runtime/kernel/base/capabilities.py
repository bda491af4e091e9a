"""Linux' capabilities(7), as programs ask for them, in terms of the privileges that the kernel goes by.

A set of capabilities is an integer, with the bit that <linux/capability.h> gives to each.
"""

from __future__ import annotations

from runtime.kernel.base.privileges import privilege_set

# which privileges each stands for, in the order of the numbers; "-": what only an unlimited superuser may
_ROWS = """\
file_chown; file_dac_read file_dac_write file_dac_search file_dac_execute; file_dac_read file_dac_search;
file_owner; file_setid; proc_owner; proc_setid; proc_setid; -; file_flag_set; net_privaddr; -;
sys_ip_config; net_rawaccess net_icmpaccess; proc_lock_memory; ipc_dac_read ipc_dac_write ipc_owner; -;
sys_devices; proc_chroot; proc_owner; sys_acct; sys_admin sys_mount; sys_config; proc_priocntl;
sys_resource; sys_time; sys_devices; sys_devices; -; proc_audit; sys_audit; -; -; -; sys_admin;
proc_clock_highres; -; sys_audit; cpc_cpu; dtrace_kernel; -"""
_PRIVILEGES = [privilege_set("sys_suser_compat" if row.strip() == "-" else row) for row in _ROWS.split(";")]
COUNT = len(_PRIVILEGES)


def capabilities_of(privileges: int) -> int:
    """Return the capabilities of which every privilege is in a set."""
    return sum(1 << number for number, wanted in enumerate(_PRIVILEGES) if not wanted & ~privileges)


def privileges_of(capabilities: int) -> int:
    """Return the privileges that capabilities stand for; numbers that there are not mean nothing."""
    found = 0
    for number, wanted in enumerate(_PRIVILEGES):
        if capabilities >> number & 1:
            found |= wanted
    return found
