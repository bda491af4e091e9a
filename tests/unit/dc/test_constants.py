"""The libraries' constants are those of the system that DOF is written for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dc.command import main as dc_main
from dc.compiler import Compiler
from dc.diagnostics import CompileError
from dof import reader
from dof.model import Program
from runtime.command.command import main as dtrace_main
from runtime.consumer.anonymous import read as read_anonymous

# By hand from the systems' headers: <sys/errno.h>, <sys/signal.h>, <sys/fcntl.h>, <sys/mman.h>,
# <sys/socket.h>, <sys/wait.h> (illumos: <sys/iso/signal_iso.h>, <sys/siginfo.h>, <sys/procset.h>).
NUMBERS = {
    "illumos": {
        "EPERM": 1, "EAGAIN": 11, "EWOULDBLOCK": 11, "ENOMSG": 35, "EDEADLK": 45, "ENOTSUP": 48,
        "EDEADLOCK": 56, "ENAMETOOLONG": 78, "ENOSYS": 89, "EOPNOTSUPP": 122, "ECONNRESET": 131,
        "ETIMEDOUT": 145, "ESTALE": 151,
        "SIGKILL": 9, "SIGEMT": 7, "SIGBUS": 10, "SIGSYS": 12, "SIGUSR1": 16, "SIGCHLD": 18, "SIGCONT": 25,
        "SIGRTMIN": 42, "SIGRTMAX": 73, "SI_LWP": -1, "SI_QUEUE": -2, "FPE_INTDIV": 1, "CLD_KILLED": 2,
        "O_RDWR": 2, "O_CREAT": 0x100, "O_TRUNC": 0x200, "O_NONBLOCK": 0x80, "O_CLOEXEC": 0x800000,
        "PROT_EXEC": 4, "MAP_FIXED": 0x10, "MAP_NORESERVE": 0x40, "MAP_ANON": 0x100, "MAP_ALIGN": 0x200,
        "AF_INET": 2, "AF_INET6": 26, "SOCK_STREAM": 2, "SOCK_DGRAM": 1, "P_PGID": 2, "P_ALL": 7,
    },
    "freebsd": {
        "EPERM": 1, "EDEADLK": 11, "EAGAIN": 35, "EWOULDBLOCK": 35, "EINPROGRESS": 36, "ENOTSUP": 45,
        "EOPNOTSUPP": 45, "ECONNRESET": 54, "ETIMEDOUT": 60, "ELOOP": 62, "ENAMETOOLONG": 63, "ENOSYS": 78,
        "EPROTO": 92, "ECAPMODE": 94, "ERESTART": -1, "SIGKILL": 9, "SIGBUS": 10, "SIGSYS": 12, "SIGSTOP": 17,
        "SIGCHLD": 20, "SIGINFO": 29, "SIGUSR1": 30, "SIGRTMIN": 65, "SI_USER": 0x10001, "FPE_INTDIV": 2,
        "CLD_KILLED": 2, "O_RDWR": 2, "O_NONBLOCK": 4, "O_APPEND": 8, "O_CREAT": 0x200, "O_TRUNC": 0x400,
        "O_CLOEXEC": 0x100000, "PROT_EXEC": 4, "MAP_FIXED": 0x10, "MAP_STACK": 0x400, "MAP_ANON": 0x1000,
        "AF_INET": 2, "AF_INET6": 28, "SOCK_STREAM": 1, "SOCK_SEQPACKET": 5, "P_PGID": 2, "P_ALL": 7,
    },
}
LACKING = [  # a name, a system that has it, and one that has not
    ("ENOMEDIUM", "linux", "illumos"), ("ENODATA", "linux", "freebsd"), ("SIGSTKFLT", "linux", "freebsd"),
    ("AF_NETLINK", "linux", "illumos"), ("SI_TKILL", "linux", "illumos"),
    ("MAP_RENAME", "illumos", "freebsd"), ("ENOTACTIVE", "illumos", "linux"), ("SIGJVM1", "illumos", "linux"),
    ("O_XATTR", "illumos", "linux"), ("EDOOFUS", "freebsd", "illumos"),
    ("MAP_GUARD", "freebsd", "linux"), ("SIGTHR", "freebsd", "illumos")]
TARGETS = [((), "linux"), (("-x", "target=linux"), "linux"), (("-x", "target=illumos"), "illumos"),
           (("-x", "target=freebsd"), "freebsd")]
EAGAIN = {"linux": 11, "illumos": 11, "freebsd": 35}
ETIMEDOUT = {"linux": 110, "illumos": 145, "freebsd": 60}


def constants(program: Program) -> list[int]:
    """The integers of every DIF object of a program."""
    return [number for difo in program.references() for number in difo.inttab]


@pytest.mark.parametrize("system", NUMBERS)
def test_numbers_are_the_systems(system: str) -> None:
    compiler = Compiler(constants=system)
    text = "".join(f"this->x = 1000000 + {name};" for name in NUMBERS[system])
    found = constants(compiler.compile(f"BEGIN {{ {text} }}").program)
    assert dict(zip(NUMBERS[system], (number - 1000000 for number in found), strict=True)) == NUMBERS[system]


@pytest.mark.parametrize(("name", "having", "lacking"), LACKING)
def test_what_a_system_lacks_is_unknown(name: str, having: str, lacking: str) -> None:
    program = f"BEGIN {{ trace({name}); }}"
    assert Compiler(constants=having).compile(program)
    with pytest.raises(CompileError) as caught:
        Compiler(constants=lacking).compile(program)
    assert caught.value.tag == "D_IDENT_UNDEF"


@pytest.mark.parametrize(("options", "system"), TARGETS)
def test_dc_writes_the_targets(options: tuple[str, ...], system: str, tmp_path: Path) -> None:
    out, program = tmp_path / "out.dof", "syscall:::return /errno == ETIMEDOUT/ { trace(EAGAIN); }"
    assert dc_main([*options, "-n", program, "-o", str(out)]) == 0
    assert constants(reader.read(out.read_bytes())) == [ETIMEDOUT[system], EAGAIN[system]]


@pytest.mark.parametrize(("options", "numbers"), [
    ((), [39, 36, 38, 33]), (("-x", "target=freebsd"), [39, 36, 38, 33]),
    (("-x", "arch=aarch64"), [39, 36, 38, 33]),
    (("-x", "arch=aarch64", "-x", "target=linux"), [32, 33, 34, 0]),
    (("-x", "arch=aarch64", "-x", "target=freebsd"), [31, 32, 38, 0])])
def test_names_of_registers(options: tuple[str, ...], numbers: list[int], tmp_path: Path) -> None:
    """Those of Oracle's libdtrace/arm64/regs.d and FreeBSD's cddl/lib/libdtrace/regs_aarch64.d."""
    out = tmp_path / "out.dof"
    names = "R_SP", "R_PC", "R_PSTATE", "R_R0", "R_X30"
    program = "".join(f"this->x = 1000000 + {name};" for name in names)
    assert dc_main([*options, "-n", f"BEGIN {{ {program} }}", "-o", str(out)]) == 0
    assert [each - 1000000 for each in constants(reader.read(out.read_bytes()))] == [*numbers, 30]


def test_second_register(tmp_path: Path) -> None:
    """R_R1 is x86's second register, as illumos' libdtrace/i386/regs.d.in has it."""
    out = tmp_path / "out.dof"
    assert dc_main(["-n", "BEGIN { this->x = 1000000 + R_R1; }", "-o", str(out)]) == 0
    assert constants(reader.read(out.read_bytes())) == [1000030]


@pytest.mark.parametrize(("options", "system"), TARGETS)
def test_anonymous_enablings_have_the_targets(options: tuple[str, ...], system: str, tmp_path: Path) -> None:
    out = tmp_path / "dtrace.conf"
    assert dtrace_main(["-A", *options, "-n", "BEGIN { trace(ETIMEDOUT); }", "-o", str(out)]) == 0
    programs = [constants(reader.read(dof)) for dof in read_anonymous(str(out))]
    assert [ETIMEDOUT[system]] in programs


@pytest.mark.parametrize(("options", "system"), TARGETS)
def test_helpers_of_objects_have_the_targets(options: tuple[str, ...], system: str, tmp_path: Path) -> None:
    script, out = tmp_path / "helper.d", tmp_path / "helper.dof"
    script.write_text("dtrace:helper:ustack: /arg0 == ETIMEDOUT/ { 1; }\n")
    assert dtrace_main(["-G", *options, "-x", "linktype=dof", "-s", str(script), "-o", str(out)]) == 0
    assert ETIMEDOUT[system] in constants(reader.read(out.read_bytes()))


def test_what_runs_here_has_the_numbers_of_the_programs_here(capfd: pytest.CaptureFixture[str]) -> None:
    assert dtrace_main(["-x", "target=freebsd", "-qn", 'BEGIN { printf("%d\\n", ETIMEDOUT); exit(0); }']) == 0
    assert capfd.readouterr().out.split() == [str(ETIMEDOUT["linux"])]
