"""Privileges, by the names of illumos' privileges(7): sets of them are integers, with a bit for each.

A kernel numbers its privileges as it likes; programs know them by name.  Ours go by the alphabet.
"""

from __future__ import annotations

NAMES = (
    "contract_event", "contract_identity", "contract_observer", "cpc_cpu", "dtrace_kernel", "dtrace_proc",
    "dtrace_user", "file_chown", "file_chown_self", "file_dac_execute", "file_dac_read", "file_dac_search",
    "file_dac_write", "file_downgrade_sl", "file_flag_set", "file_link_any", "file_owner", "file_read",
    "file_setid", "file_upgrade_sl", "file_write", "graphics_access", "graphics_map", "ipc_dac_read",
    "ipc_dac_write", "ipc_owner", "net_access", "net_bindmlp", "net_icmpaccess", "net_mac_aware",
    "net_mac_implicit", "net_observability", "net_privaddr", "net_rawaccess", "proc_audit", "proc_chroot",
    "proc_clock_highres", "proc_exec", "proc_fork", "proc_info", "proc_lock_memory", "proc_owner",
    "proc_priocntl", "proc_prioup", "proc_secflags", "proc_session", "proc_setid", "proc_taskid",
    "proc_zone", "sys_acct", "sys_admin", "sys_audit", "sys_config", "sys_devices", "sys_dl_config",
    "sys_flow_config", "sys_fs_import", "sys_ip_config", "sys_ipc_config", "sys_iptun_config", "sys_linkdir",
    "sys_mount", "sys_net_config", "sys_nfs", "sys_ppp_config", "sys_ptp_config", "sys_res_bind",
    "sys_res_config", "sys_resource", "sys_smb", "sys_suser_compat", "sys_time", "sys_trans_label",
    "virt_manage")
BITS = {name: 1 << number for number, name in enumerate(NAMES)}
ALL = (1 << len(NAMES)) - 1
# those that the kernel asks for
(DTRACE_KERNEL, FILE_CHOWN, FILE_CHOWN_SELF, FILE_DAC_EXECUTE, FILE_DAC_READ, FILE_DAC_SEARCH,
 FILE_DAC_WRITE, FILE_LINK_ANY, FILE_OWNER, FILE_READ, FILE_SETID, FILE_WRITE, IPC_DAC_READ, IPC_DAC_WRITE,
 IPC_OWNER, NET_ACCESS, NET_PRIVADDR, PROC_CHROOT, PROC_EXEC, PROC_FORK, PROC_INFO, PROC_LOCK_MEMORY,
 PROC_OWNER, PROC_PRIOCNTL, PROC_PRIOUP, PROC_SESSION, PROC_SETID, PROC_ZONE, SYS_ADMIN, SYS_DEVICES,
 SYS_IP_CONFIG, SYS_IPC_CONFIG, SYS_RESOURCE, SYS_TIME) = map(BITS.__getitem__, (
    "dtrace_kernel", "file_chown", "file_chown_self", "file_dac_execute", "file_dac_read",
    "file_dac_search", "file_dac_write", "file_link_any", "file_owner", "file_read", "file_setid",
    "file_write", "ipc_dac_read", "ipc_dac_write", "ipc_owner", "net_access", "net_privaddr", "proc_chroot",
    "proc_exec", "proc_fork", "proc_info", "proc_lock_memory", "proc_owner", "proc_priocntl", "proc_prioup",
    "proc_session", "proc_setid", "proc_zone", "sys_admin", "sys_devices", "sys_ip_config",
    "sys_ipc_config", "sys_resource", "sys_time"))
WORDS = 3  # of 32 bits, in a priv_set_t


def privilege_set(names: str) -> int:
    """Return the set of the privileges with these names, which blanks or commas separate.

    Raises ValueError for a name that is none.
    """
    found = 0
    for name in names.replace(",", " ").split():
        if name in GROUPS:
            found |= GROUPS[name]
        elif name in BITS:
            found |= BITS[name]
        else:
            raise ValueError(f"there is no privilege {name}")
    return found


def privilege_names(privileges: int) -> list[str]:
    """Return the names of the privileges in a set."""
    return [name for name, bit in BITS.items() if privileges & bit]


GROUPS = {"all": ALL, "zone": ALL, "none": 0}  # a zone's limit cuts every set of its processes
# every process has these, unless it has been taken some of them
BASIC = GROUPS["basic"] = privilege_set(
    "file_link_any file_read file_write net_access proc_exec proc_fork proc_info proc_session")
# no zone but the global one has these: they reach beyond a zone, as zonecfg(8) tells
_GLOBAL = privilege_set("dtrace_kernel proc_zone sys_config sys_devices sys_dl_config sys_linkdir "
                        "sys_net_config sys_res_config sys_smb sys_suser_compat virt_manage")
ZONE_MOST = ALL & ~_GLOBAL
# what a zone has unless its description says more or less
GROUPS["default"] = ZONE_DEFAULT = ZONE_MOST & ~privilege_set(
    "cpc_cpu dtrace_proc dtrace_user graphics_access graphics_map net_rawaccess proc_clock_highres "
    "proc_lock_memory proc_priocntl sys_ip_config sys_ipc_config sys_time sys_trans_label")
