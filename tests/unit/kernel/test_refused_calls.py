"""Every system call with one argument out of its range, and with several drawn by lot: the machine refuses
what the host refuses, returns what it returns, and writes what it writes.

refused/refused.c makes the calls and prints a line for each; here stand the calls that it makes, and what
differs from the host and why.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import compilers
import pytest

from runtime.kernel.base.identity import Identity
from runtime.kernel.base.systemcalls import ROWS
from runtime.kernel.kernel import Kernel

SOURCE = Path(__file__).parent / "refused" / "refused.c"

SEVERAL = 20  # calls of each kind with arguments drawn by lot

# The calls that are not made, as they would harm the program itself or the host.
LEFT_OUT = {
    "end or replace the program, or split it":
        "exit exit_group fork vfork clone clone3 execve execveat rt_sigreturn sigreturn break",
    "take away the memory that the program stands on, or its signals":
        "brk mmap i386_mmap mmap2 munmap mremap arch_prctl set_thread_area set_robust_list "
        "set_tid_address rseq "
        "rt_sigaction rt_sigprocmask sigaction sigprocmask signal alarm setitimer sigaltstack",
    "reach other processes of the host":
        "kill tkill tgkill setpriority nice ioprio_set rt_sigqueueinfo rt_tgsigqueueinfo sched_setaffinity",
    "change the host":
        "sethostname setdomainname clock_settime clock_settime64 adjtimex clock_adjtime sync syncfs "
        "personality prctl shmget semget msgget shmctl semctl "
        "msgctl ipc socketcall chroot mlockall setrlimit prlimit64 setgroups setgroups32 capset",
    "sleep until a signal comes": "pause rt_sigsuspend sigsuspend rt_sigtimedwait rt_sigtimedwait_time64",
    "return what differs from run to run":
        "getpid gettid getppid getpgrp getpgid getsid setsid time times getrandom getcpu "
        "sched_getaffinity uname "
        "sysinfo gettimeofday getrusage olduname getuid geteuid getgid getegid umask",
}

# A letter for each argument, see refused.c, where the types alone do not tell.
KINDS = {
    "openat": "Dpim", "openat2": "Dpbz", "open": "pim", "creat": "pm",
    "process_vm_readv": "Nbibii", "process_vm_writev": "Nbibii", "getpriority": "iN", "ppoll": "bibbw",
    "ppoll_time64": "bibbw", "epoll_pwait": "dbiibw", "epoll_pwait2": "dbibbw",
    "write": "dbz", "pwrite64": "dbzo", "mprotect": "asi", "pkey_mprotect": "asii", "madvise": "awi",
    "msync": "azi", "mincore": "azb", "mlock": "az", "mlock2": "azi", "munlock": "az", "dup2": "dd",
    "dup3": "ddi",
    "sendfile": "ddbz", "sendfile64": "ddbz", "splice": "dbdbzi", "tee": "ddzi", "copy_file_range": "dbdbzi",
    "ptrace": "iNzz", "epoll_ctl": "didb", "inotify_add_watch": "dpi", "fsetxattr": "dpbzi",
    "fgetxattr": "dpbz", "fremovexattr": "dp", "select": "ibbbb", "_newselect": "ibbbb", "pselect6": "ibbbbb",
    "pselect6_time64": "ibbbbb", "rt_sigpending": "bw", "signalfd": "dbw", "signalfd4": "dbwi",
    "setsockopt": "diibi", "get_robust_list": "Nbb", "close_range": "ddi", "_llseek": "dzzbi",
    # the numbers of others' queues and segments are not to be met
    "shmat": "Nbi", "msgsnd": "Nbzi", "msgrcv": "Nbzzi", "semop": "Nbi", "semtimedop": "Nbib",
    "semtimedop_time64": "Nbib",
}
LETTERS = {
    "const char *": "p", "pid_t": "n", "uid_t": "u", "gid_t": "u", "umode_t": "m", "loff_t": "o",
    "size_t": "z",
    "key_t": "i", "int": "i", "unsigned int": "i", "clockid_t": "i", "timer_t": "i", "dev_t": "i",
    "long": "z", "unsigned long": "z", "off_t": "z", "mqd_t": "i",
}
# What differs from the host: why, and which calls (patterns, separated by " | ").
DIFFERENT = {
    "the host's kernel or settings decide":
        "membarrier.* | p?poll(_time64)?, 2: 0x1000 | fcntl(64)?, 3: .* | renameat2, 5: [245] | "
        r"f?ch(mod|own)(32)?(, 1: |\()(epoll|event).* | fstat(64)?(, 1: |\()(epoll|event).* | "
        r"statx, 5: edge | f?statfs, 2: edge | [fl]?stat(at)?64, [23]: edge | "
        r"sched_rr_get_interval(_time64)?(, 1: |\()0.* | "
        r"clock_getres(_time64)?(, 1: |\()5.* | .*xattr.* | pkey_mprotect, .* | wait4, .* | waitid, 3: .* | "
        r"_llseek\(f.*, 4096, .*",
    "the disk of the machine is small: ENOSPC stands for EFBIG":
        r"fallocate, 4: LLONG_MAX | f?truncate64(, 2: |.*, )LLONG_MAX\)? | pwrite64, 4: LLONG_MAX",
    "the program lies at other places, in another folder":
        # an address stands for a number of waiters, which must not be negative
        r"mincore, 2: (-1|LONG_MIN) | getcwd(, 2: |\().* | futex(_time64)?, 2: [34]",
    "the kernel stores a word as a whole or not at all": "(socketpair, 4|getrlimit, 2): edge",
    "of two errors the kernel looks for the other one first":
        "rename(at2?)?, [24]: long name | (sendto|recvfrom), 2: kernel's | recvmmsg(_time64)?, 5: .* | "
        "copy_file_range, [13]: .* | sendfile(64)?, 2: folder",
    "not as natively yet":
        r"(p?poll.*|mincore)(, 1: |\(|\(page, 0, )kernel's.* | (lseek|_llseek)(, |\().* | ioctl, .* | "
        r"sendto, 1: datagram | getsockopt\(datagram, 0, 64, .*",
}

# What kernels before 6.13 look for in another order, or do not have yet.
OLDER = (6, 13), ("(sendto|recvfrom), 3: (-1|LONG_MIN) | setsockopt, 5: (-1|INT_MIN) | epoll_pwait2?, 1: .* "
                  "| pidfd_send_signal, 4: [124] | pkey_mprotect")


def kinds(name: str, types: list[str], module: str) -> str:
    if name in KINDS:
        return KINDS[name]
    letters = [LETTERS.get(kind, "b") for kind in types]
    if module.startswith(("files", "net")) and types[0] in ("int", "unsigned int") and not name.startswith(
            ("socket", "eventfd", "epoll_create", "inotify_init", "timerfd_create")):
        letters[0] = "d"
    for at, kind in enumerate(types[:-1]):
        if kind == "int" and types[at + 1] == "const char *":
            letters[at] = "D"
    return "".join(letters)


def calls(machine: str) -> Iterator[tuple[str, int, str]]:
    """The name, number and kinds of the arguments of each call that is made."""
    left_out = " ".join(LEFT_OUT.values()).split()
    for row in ROWS.splitlines():
        name, *numbers, types, module = row.split("|")
        number = numbers[("x86-64", "i386", "aarch64").index(machine)]
        if number != "-" and module and types and name not in left_out:
            yield name, int(number), kinds(name, types.split(", "), module)


def lines(text: str) -> dict[str, str]:
    """Return what each line's call returned, by the call; not what is written of the disk, which differs."""
    found = {call: result for call, _colon, result in (line.rpartition(": ") for line in text.splitlines())}
    return {call: result.partition(", wrote")[0] if re.match("f?statfs|getdents", call) else result
            for call, result in found.items()}


def expected_to_differ(call: str) -> bool:
    release = tuple(map(int, os.uname().release.split("-")[0].split(".")[:2]))
    lists = [*DIFFERENT.values(), *(OLDER[1:] if release < OLDER[0] else ())]
    return any(re.fullmatch(pattern, call) for patterns in lists for pattern in patterns.split(" | "))


def natively(program: Path, folder: Path) -> dict[str, str]:
    """Run the program on the host, in a new directory; return what each call gave."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return lines(subprocess.run([program], cwd=folder, capture_output=True, check=True, text=True).stdout)


def is_same(call: str, native: str, machine: str) -> bool:
    """Whether a call gave the same; of several arguments out of their ranges any may be the one told."""
    refused = all(each.startswith(("E", "error")) for each in (native, machine))  # musl tells numbers
    return native == machine or ("(" in call and refused)


def differences(native: dict[str, str], machine: dict[str, str]) -> list[str]:
    return [f"{call}: natively {found}, in the machine {machine.get(call, 'nothing')}"
            for call, found in native.items()
            if not is_same(call, found, machine.get(call, "nothing")) and not expected_to_differ(call)]


@pytest.mark.parametrize("bits", [64, 32])
def test_refused_as_natively(bits: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    processor = compilers.HOST if bits == 64 else "i386"
    table = "".join(f'CALL("{name}", {number}, "{letters}")\n'
                    for name, number, letters in calls(processor))
    (tmp_path / "calls.h").write_text(table)
    program, here, there = tmp_path / "refused", tmp_path / "here", tmp_path / "also"
    there.mkdir()
    command = compilers.building([f"-m{bits}", "-O1", "-w", f"-DSEVERAL={SEVERAL}", "-I", str(tmp_path),
                                  "-o", str(program), str(SOURCE)])
    if command is None:
        pytest.skip(f"no compiler for {bits}-bit programs: calls that are refused")
    subprocess.run(command, check=True, capture_output=True)
    native = natively(program, here)
    capfd.readouterr()
    kernel = Kernel()
    who = Identity(os.getuid(), os.getgid(), tuple(os.getgroups()))
    process = kernel.spawn([str(program)], cwd=str(there), identity=who, stopped=False)
    kernel.run(600 * 10**9)
    machine = lines(capfd.readouterr().out)
    assert process.zombie and process.exit_status == 0
    kernel.close()
    assert len(native) > (7000 if processor == "aarch64" else 7500)  # where it has fewer old calls
    different = differences(native, machine)
    if different:
        # On a busy host the alarm of 20 ms may interrupt a call that waits for 5 ms.
        again = [differences(natively(program, here), machine) for _ in range(2)]
        different = [line for line in different if all(line in others for others in again)]
    assert not different, "\n".join(different)
