"""/dev/dtrace/dtrace in the machine: a C program traces through it, and bad requests get a kernel's errno."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import io
import os
import shlex
import struct
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from dc.compiler import compile as compile_d
from dof.model import Program
from dof.options import OptionId
from dof.writer import write
from runtime.border import (
    BUFDESC,
    PROBEDESC,
    RECDESC,
    RECHDR,
    AggDesc,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    PackedProbes,
    ProbeDescription,
    Status,
)
from runtime.consumer.consumer import Consumer
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text
from runtime.framework.probes.privileges import Credentials
from runtime.ioctl import hostdevice
from runtime.ioctl.devicefile import OPENS_MAX, DtraceNode, OpenDevice
from runtime.ioctl.hostdevice import ROOM_MAX, HostDevice
from runtime.ioctl.requests import AGG_HEAD, ARGUMENTS, EPROBE_HEAD, FORMAT, request_number
from runtime.kernel.base.errors import MemoryFault
from runtime.machine import Machine

if TYPE_CHECKING:
    from runtime.border import Device

TESTS = Path(__file__).resolve().parents[2]
_OPTIONS = {"bufsize": "512k", "aggsize": "256k", "destructive": "1"}


@pytest.fixture(scope="session")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small consumer, for programs of the machine."""
    program = tmp_path_factory.mktemp("device") / "consumer"
    source = TESTS / "programs" / "consumer.c"
    subprocess.run(["cc", "-g", "-Wall", "-Werror", "-static", "-o", program, source], check=True)
    return program


def compiled(script: Path, target: str) -> bytes:
    """A D test as DOF, with options that give it buffers."""
    machine = Machine({"ncpus": "1", "target": target})
    with Consumer.open(machine) as dtrace:
        for name, value in _OPTIONS.items():
            dtrace.setopt(name, value)
        program = dtrace.compile(script.read_text(), filename=script.name).program
        program.options = dtrace.options.runtime()
        return write(program)


def said_inside(program: Path, dof: Path, target: str) -> str:
    """What the small consumer prints in a machine of its own."""
    machine = Machine({"ncpus": "1", "target": target})
    flags = ["-f"] if target == "freebsd" else []
    out = dof.with_suffix(".inside")
    with open(out, "wb") as file:
        process = machine.kernel.spawn([str(program), *flags, str(dof)], machine.environment)
        process.files.put(1, machine.kernel.vfs.adopt(file.fileno()))
        process.resume()
        while not process.zombie:  # exit() in a clause stops the machine for consumers outside
            machine.kernel.run()
    machine.close()
    return out.read_text(errors="surrogateescape")


def said_outside(dof: bytes, target: str) -> str:
    """The same, asked for over the border."""
    machine = Machine({"ncpus": "1", "target": target})
    device = machine.device()
    lines = [f"{int.from_bytes(device.ioctl(Command.ENABLE, dof), 'little')} matched"]
    device.ioctl(Command.GO)
    for _ in range(50):
        if Status.unpack(device.ioctl(Command.STATUS)).exiting:
            break
        machine.system().wait(machine.system().now() + 100_000_000)
    device.ioctl(Command.STOP)
    status = Status.unpack(device.ioctl(Command.STATUS))
    answer = device.ioctl(Command.BUFSNAP, BufDesc().pack())
    lines += records(device, BufDesc.unpack(answer), answer[BUFDESC.size:])
    try:
        answer = device.ioctl(Command.AGGSNAP, BufDesc().pack())
        lines += aggregations(device, BufDesc.unpack(answer), answer[BUFDESC.size:])
    except BorderError:
        pass
    machine.close()
    return "\n".join([*lines, " ".join(map(str, status[:10])), ""])


def records(device: Device, desc: BufDesc, data: bytes) -> Iterator[str]:
    at = 0
    while at + RECHDR.size <= desc.size:
        epid, = struct.unpack_from("<I", data, at)
        if not epid:
            at += 4
            continue
        clause = EprobeDesc.unpack(device.ioctl(Command.EPROBE, struct.pack("<I", epid)))
        probe = ProbeDescription.unpack(
            device.ioctl(Command.PROBES, ProbeDescription(clause.probe_id, "", "", "", "").pack()))
        yield f"{probe} of {clause.size} bytes"
        for record in clause.records:
            start = at + record.offset
            yield f"  action {record.action}: {data[start:start + record.size].hex()}"
            if record.format:
                text = device.ioctl(Command.FORMAT, record.format.to_bytes(2, "little"))
                yield f"  format {text.decode('utf-8', 'surrogateescape')}"
        at += clause.size
    yield f"drops {desc.drops}, errors {desc.errors}"


def aggregations(device: Device, desc: BufDesc, data: bytes) -> Iterator[str]:
    at = 0
    while at + 4 <= desc.size:
        number = data[at:at + 4]
        if not any(number):
            at += 4
            continue
        found = AggDesc.unpack(device.ioctl(Command.AGGDESC, number))
        yield f"aggregation {found.id} of {found.size} bytes"
        for record in found.records[1:]:
            start = at + record.offset
            yield f"  action {record.action}: {data[start:start + record.size].hex()}"
        at += found.size
    yield f"aggregation drops {desc.drops}"


# D tests that need no program beside them, and what differs with a consumer that is one
OTHERWISE = {
    "fbt/tst.loads.d": "counts the functions that the consumer's own system calls call",
    "net/tst.fields.d": "begins where the machine has made no connection yet",
    "predicates/tst.skip.d": "names the tracer's process",
    "sched/tst.dtrace.d": "shows the consumer as it sleeps",
    "preprocessor/tst.macros.d": "needs the preprocessor",
}
SAME = [name for path in sorted((TESTS / "tst").glob("*/tst.*.d")) if not path.with_suffix(".c").exists()
        and (name := f"{path.parent.name}/{path.name}") not in OTHERWISE]
FREEBSD = ("aggs/tst.all.d", "printf/tst.formats.d", "speculation/tst.commit.d")


@pytest.mark.parametrize(("name", "target"), [(name, "illumos") for name in SAME]
                         + [(name, "freebsd") for name in FREEBSD])
def test_a_program_finds_what_a_consumer_outside_finds(consumer: Path, tmp_path: Path, name: str,
                                                       target: str) -> None:
    dof = tmp_path / "script.dof"
    dof.write_bytes(compiled(TESTS / "tst" / name, target))
    inside = said_inside(consumer, dof, target)
    assert "matched" in inside
    assert inside == said_outside(dof.read_bytes(), target)


# -- our own consumer, by way of ioctl(2) --------------------------------------------------------------------

class OwnMemory:
    """The memory of this very process, as the kernel of a machine sees that of a caller."""

    @staticmethod
    def read(address: int, size: int) -> bytes:
        return ctypes.string_at(address, size)

    @staticmethod
    def write(address: int, data: bytes) -> None:
        ctypes.memmove(address, data, len(data))


class Through(Machine):
    """A machine whose consumers open its device as a program does that runs in it."""

    monkeypatch: pytest.MonkeyPatch

    def device(self, credentials: Credentials | None = None) -> Device:
        opened = OpenDevice(super().device(credentials), self.target, lambda: None)

        def ioctl(_descriptor: int, number: int, memory: array[int], mutate: bool) -> int:
            result = opened.ioctl(OwnMemory(), number, memory.buffer_info()[0])  # type: ignore[arg-type]
            assert result == 0 or number == request_number(Command.ENABLE, "illumos")
            return result

        self.monkeypatch.setattr(fcntl, "ioctl", ioctl)
        return HostDevice("/dev/null", self.target)


def shown(machine: Machine, script: Path) -> str:
    """What a consumer prints of a D test."""
    out = io.BytesIO()
    with Consumer.open(machine) as dtrace:
        dtrace.setopt("destructive", "1")
        dtrace.enable(dtrace.compile(script.read_text(), filename=script.name).program)
        output = Output(out)
        text = Text(output, dtrace.settings, dtrace.aggregations, type_named=dtrace.types.get,
                    notice=lambda line: output.write(line.encode()))
        dtrace.handler = text
        dtrace.run(text, seconds=5)
        text.finish()
        output.flush()
    machine.close()
    return out.getvalue().decode(errors="replace")


@pytest.mark.parametrize(("name", "target"), [(name, "illumos") for name in [*SAME, "net/tst.fields.d"]]
                         + [(name, "freebsd") for name in FREEBSD])
def test_our_consumer_prints_the_same_through_the_device(monkeypatch: pytest.MonkeyPatch, name: str,
                                                         target: str) -> None:
    script = TESTS / "tst" / name
    machine = Through({"ncpus": "1", "target": target})
    machine.monkeypatch = monkeypatch
    plain = shown(Machine({"ncpus": "1", "target": target}), script)
    assert plain and shown(machine, script) == plain


def test_a_device_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(BorderError, match=f"{tmp_path}/none: No such file or directory"):
        HostDevice(f"{tmp_path}/none", "illumos")


def test_a_device_that_may_not_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: str, _flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(hostdevice.os, "open", refuse)
    with pytest.raises(BorderError) as caught:
        HostDevice("/dev/dtrace/dtrace", "illumos")
    assert caught.value.args == (errno.EACCES, "DTrace requires additional privileges")


@pytest.mark.parametrize(("told", "room"), [(4096, 4096), (0, 1), (-1, 1), (ROOM_MAX, ROOM_MAX),
                                            (ROOM_MAX + 1, 1)])
@pytest.mark.parametrize(("option", "command"), [(OptionId.BUFSIZE, Command.BUFSNAP),
                                                 (OptionId.AGGSIZE, Command.AGGSNAP)])
def test_room_for_buffers_is_what_the_kernel_tells_and_bounded(
        option: OptionId, command: Command, told: int, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dof = write(Program(options=[(option, told)]))
    rooms: list[int] = []

    def ioctl(_descriptor: int, number: int, memory: array[int], _mutate: bool) -> int:
        if number == request_number(Command.DOFGET, "illumos"):
            memory[:] = array("B", dof[:len(memory)])
        return 0

    def memory_of(data: bytes, size: int = 0) -> array[int]:
        rooms.append(size)
        return array("B", data.ljust(min(size, 4096), b"\0"))

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    device = HostDevice("/dev/null", "illumos")
    device.ioctl(Command.GO)
    monkeypatch.setattr(hostdevice, "_bytes", memory_of)
    assert device.ioctl(command, BufDesc(cpu=3).pack()) == BufDesc(cpu=3).pack()
    assert rooms[0] == room
    device.close()


def test_dtrace_in_dtrace() -> None:
    """Our own command runs in the machine, traces it, and is traced."""
    clauses = """BEGIN { @[probename, execname == "dtrace"] = count(); }
                 tick-100hz { trace(zonename); exit(0); }"""
    inner = shlex.join([sys.executable, "-S", "-m", "runtime.command", "-x", "device=/dev/dtrace/dtrace",
                        "-qn", clauses])
    outer = "syscall::ioctl:entry /pid != $pid/ { @[pid] = count(); }"
    result = subprocess.run([sys.executable, "-m", "runtime.command", "-qn", outer, "-c", inner],
                            cwd=TESTS.parent, capture_output=True, text=True, timeout=120, check=True)
    zone, probe, is_dtrace, count, pid, requests = result.stdout.split()
    assert (zone, probe, is_dtrace, count, pid) == ("global", "BEGIN", "0", "1", "101")
    assert int(requests) > 20, "the enabling, its options, GO, status, buffers of each kind"


def test_a_child_and_names_through_the_device(tmp_path: Path) -> None:
    """-c stands at its first instruction until tracing begins; its addresses and the kernel's have names."""
    worker = tmp_path / "worker"
    subprocess.run(["cc", "-g", "-O1", "-fno-inline", "-static", "-o", worker,
                    TESTS / "programs" / "worker.c"], check=True)
    clauses = """pid$target:a.out:main:entry { printf("%s", execname); }
                 pid$target:a.out:use_files:entry { ustack(2); }
                 syscall::ioctl:entry /!seen++/ { sym(caller); }"""
    inner = shlex.join([sys.executable, "-S", "-m", "runtime.command", "-x", "device=/dev/dtrace/dtrace",
                        "-c", f"{worker} 1 /etc/passwd", "-qn", clauses])
    result = subprocess.run([sys.executable, "-m", "runtime.command", "-qn", "BEGIN { }", "-c", inner],
                            cwd=TESTS.parent, capture_output=True, text=True, timeout=120, check=True)
    assert "worker`use_files\n              worker`main+0x" in result.stdout
    assert "unix`syscall_trap" in result.stdout


# -- bad requests -------------------------------------------------------------------------------------------

class Memory:
    """A program's memory: the bytes from address 4096 on."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data.ljust(4096, b"\0"))

    def read(self, address: int, size: int) -> bytes:
        if address < 4096 or address + size > 4096 + len(self.data):
            raise MemoryFault(address)
        return bytes(self.data[address - 4096:address - 4096 + size])

    def write(self, address: int, data: bytes) -> None:
        self.read(address, len(data))
        self.data[address - 4096:address - 4096 + len(data)] = data


@pytest.fixture
def machine() -> Iterator[Machine]:
    machine = Machine({"ncpus": "1"})
    yield machine
    machine.close()


@pytest.fixture
def opened(machine: Machine) -> OpenDevice:
    return OpenDevice(machine.device(), "illumos", lambda: None)


def error_of(opened: OpenDevice, request: int, argument: int = 4096, data: bytes = b"") -> int | str:
    """The errno or result of a request; for a bad address "fault", of which the system call makes EFAULT."""
    try:
        return opened.ioctl(Memory(data), request, argument)  # type: ignore[arg-type]
    except MemoryFault:
        return "fault"
    except OSError as error:
        return error.errno or 0


@pytest.mark.parametrize("command", sorted(ARGUMENTS))
def test_an_address_where_nothing_is(opened: OpenDevice, command: Command) -> None:
    """No request goes through; only GO has done its work before it finds out."""
    wanted = {Command.STATUS: {errno.ENOENT}, Command.GO: {"fault", errno.EBUSY}}.get(command, {"fault"})
    if command is Command.ENABLE:  # address 0 means: match again
        assert error_of(opened, request_number(command, "illumos"), 0) == 0
        assert error_of(opened, request_number(command, "illumos"), 64) == "fault"
        return
    assert error_of(opened, request_number(command, "illumos"), 64) in wanted
    assert error_of(opened, request_number(command, "illumos"), (1 << 64) - 8) in wanted


HEADER = write(Program(options=[(0, 4096)]))


@pytest.mark.parametrize(("command", "data", "wanted"), [
    (Command.ENABLE, b"no DOF at all", errno.EINVAL),
    (Command.ENABLE, HEADER[:40] + (1 << 40).to_bytes(8, "little"), errno.E2BIG),
    (Command.ENABLE, HEADER[:40] + (8192).to_bytes(8, "little"), "fault"),
    (Command.ENABLE, HEADER, 0),
    (Command.EPROBE, b"\7", errno.EINVAL),
    (Command.AGGDESC, b"", errno.EINVAL),
    (Command.FORMAT, b"", errno.EINVAL),
    (Command.BUFSNAP, BufDesc(cpu=99).pack(), errno.EINVAL),
    (Command.BUFSNAP, BufDesc().pack(), errno.ENOENT),
    (Command.PROVIDER, b"nobody", errno.ESRCH),
    (Command.PROBEMATCH, ProbeDescription(0, "nobody", "", "", "").pack(), errno.ESRCH),
    (Command.PROBES, ProbeDescription(1 << 31, "", "", "", "").pack(), errno.ESRCH),
    (Command.PROBEARG, b"", errno.EINVAL),
    (Command.REPLICATE, b"", errno.ENOENT),
])
def test_requests_that_make_no_sense(opened: OpenDevice, command: Command, data: bytes,
                                     wanted: int | str) -> None:
    assert error_of(opened, request_number(command, "illumos"), data=data) == wanted


@pytest.mark.parametrize("number", [0, 3, 14, 19, 0x64747200, 0x64747213, 0xC0107806, (1 << 64) - 1])
def test_requests_that_there_are_not(opened: OpenDevice, number: int) -> None:
    assert error_of(opened, number) == errno.ENOTTY


def test_numbers_of_freebsd() -> None:
    """As <sys/ioccom.h> makes them of group x, direction and size."""
    numbers = {command.name: f"{request_number(command, 'freebsd'):x}" for command in ARGUMENTS}
    assert numbers == {
        "PROVIDER": "c05c7801", "PROBES": "c1847802", "BUFSNAP": "80087804", "PROBEMATCH": "c1847805",
        "ENABLE": "c0107806", "AGGSNAP": "80087807", "EPROBE": "80387808", "PROBEARG": "c10c7809",
        "CONF": "4030780a", "STATUS": "4058780b", "GO": "4004780c", "STOP": "c004780d",
        "AGGDESC": "8008780f", "FORMAT": "c0107810", "DOFGET": "80087811", "REPLICATE": "83087812"}


@pytest.mark.parametrize("room", [-5, 0, 1, 2, 3, 9])
def test_as_many_records_as_there_is_room_for(opened: OpenDevice, room: int) -> None:
    """And their whole number; what lies behind stays, and what the kernel fills in may be anything before."""
    program = compile_d("BEGIN { trace(1); trace(2L); trace(3); @[4, 5] = count(); }").program
    program.options = [(OptionId.BUFSIZE, 4096), (OptionId.AGGSIZE, 4096)]
    memory = Memory(write(program))
    opened.ioctl(memory, request_number(Command.ENABLE, "illumos"), 4096)  # type: ignore[arg-type]
    for command, head, count, id_at, count_at in (
            (Command.EPROBE, EPROBE_HEAD.size, 3, 0, 20), (Command.AGGDESC, AGG_HEAD.size, 4, 20, 32)):
        asked = bytearray(b"\xee" * 1024)
        struct.pack_into("<I", asked, id_at, 1)
        struct.pack_into("<i", asked, count_at, room)
        memory = Memory(asked)
        opened.ioctl(memory, request_number(command, "illumos"), 4096)  # type: ignore[arg-type]
        told = memory.read(4096, 1024)
        end = head + min(max(room, 0), count) * RECDESC.size
        assert struct.unpack_from("<I", told, id_at) == (1,)
        assert struct.unpack_from("<i", told, count_at) == (count,)
        assert b"\xee\xee" not in told[id_at:end] and told[end:] == asked[end:]


def test_all_probes_one_after_another(opened: OpenDevice, machine: Machine) -> None:
    """A program asks for the first match, then from the next number on, until there is none."""
    memory, found, following = Memory(), [], 0
    while True:
        memory.write(4096, ProbeDescription(following, "pro*", "", "", "").pack())
        try:
            opened.ioctl(memory, request_number(Command.PROBEMATCH, "illumos"), 4096)  # type: ignore[arg-type]
        except BorderError as error:
            assert error.errno == errno.ESRCH
            break
        found.append(ProbeDescription.unpack(memory.read(4096, PROBEDESC.size)))
        following = found[-1].id + 1
    everything = machine.device().ioctl(Command.PROBEMATCH, ProbeDescription(0, "pro*", "", "", "").pack())
    assert found == [*PackedProbes(everything, ProbeDescription)]
    memory.write(4096, ProbeDescription(2, "dtrace", "", "", "").pack())  # another pattern begins anywhere
    opened.ioctl(memory, request_number(Command.PROBEMATCH, "illumos"), 4096)  # type: ignore[arg-type]
    assert ProbeDescription.unpack(memory.read(4096, PROBEDESC.size)) == (2, "dtrace", "", "", "END")


@pytest.mark.parametrize("start", [0, 1])
def test_a_walk_that_begins_anew_finds_what_has_come(opened: OpenDevice, machine: Machine,
                                                     start: int) -> None:
    def asked(number: int) -> int | str:
        pattern = ProbeDescription(number, "profile", "", "", "tick-*").pack()
        return error_of(opened, request_number(Command.PROBEMATCH, "illumos"), data=pattern)

    everything = machine.device().ioctl(Command.PROBEMATCH, ProbeDescription(0, "", "", "", "").pack())
    last = max(probe.id for probe in PackedProbes(everything, ProbeDescription))
    assert [asked(0), asked(last + 1)] == [0, errno.ESRCH]
    machine.device().ioctl(Command.PROBEMATCH, ProbeDescription(0, "profile", "", "", "tick-77hz").pack())
    assert [asked(start), asked(last + 1)] == [0, 0]


def test_a_program_of_another_byte_order_is_refused(machine: Machine) -> None:
    """Every number would mean another to it."""
    node = machine.kernel.devices["/dev/dtrace/dtrace"]
    assert isinstance(node, DtraceNode)
    sparc = SimpleNamespace(processor=SimpleNamespace(order=">"))
    node._opener = lambda: sparc  # type: ignore[assignment,return-value]
    with pytest.raises(BorderError) as refused:
        node.open()
    assert refused.value.errno == errno.ENOTSUP


def test_the_end_of_an_open_ends_its_tracing() -> None:
    """And only then is there room for another open."""
    done: list[str] = []
    device: Any = SimpleNamespace(close=lambda: done.append("tracing"))
    OpenDevice(device, "illumos", lambda: done.append("open")).close()
    assert done == ["tracing", "open"]


def test_a_format_is_asked_for_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """At first with no room for it, then with as much as the kernel says; its NUL ends it."""
    asked: list[tuple[bool, int, int]] = []

    def ioctl(_descriptor: int, number: int, memory: array[int], _mutate: bool) -> int:
        assert number == request_number(Command.FORMAT, "illumos")
        where, room, which = FORMAT.unpack(memory.tobytes())
        asked.append((bool(where), room, which))
        memory[:] = array("B", FORMAT.pack(where, 6, which))
        if where:
            ctypes.memmove(where, b"%d\0%s\0", 6)
        return 0

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    device = HostDevice("/dev/null", "illumos")
    assert device.ioctl(Command.FORMAT, b"\3\0") == b"%d"
    assert asked == [(False, 0, 3), (True, 6, 3)]
    device.close()


@pytest.mark.parametrize(("last", "ids", "told"), [
    (errno.ESRCH, [3, 4, 9], None), (errno.ESRCH, [], errno.ESRCH), (errno.EINVAL, [3, 4], errno.EINVAL),
    (errno.EINVAL, [], errno.EINVAL)])
def test_matches_are_asked_for_one_by_one(last: int, ids: list[int], told: int | None,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    """Each from the number behind the one before, until the kernel has no more."""
    def ioctl(_descriptor: int, number: int, memory: array[int], _mutate: bool) -> int:
        assert number == request_number(Command.PROBEMATCH, "illumos")
        wanted = ProbeDescription.unpack(memory.tobytes())
        assert wanted.provider == "io"
        following = [each for each in ids if each >= wanted.id]
        if not following:
            raise OSError(last, os.strerror(last))
        memory[:] = array("B", wanted._replace(id=following[0]).pack())
        return 0

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    device = HostDevice("/dev/null", "illumos")
    wanted = ProbeDescription(0, "io", "", "", "")
    if told is None:
        assert device.ioctl(Command.PROBEMATCH, wanted.pack()) == b"".join(
            wanted._replace(id=each).pack() for each in ids)
    else:
        with pytest.raises(BorderError) as refused:
            device.ioctl(Command.PROBEMATCH, wanted.pack())
        assert refused.value.errno == told
    device.close()


def test_too_many_opens(machine: Machine) -> None:
    node = machine.kernel.devices["/dev/dtrace/dtrace"]
    assert isinstance(node, DtraceNode)
    machine.kernel.spawn(["true"], machine.environment)
    node._opener = lambda: machine.kernel.init
    with pytest.raises(BorderError, match="Bad file descriptor"):
        node.ioctl(Memory(), request_number(Command.STATUS, "illumos"), 4096)  # type: ignore[arg-type]
    opens = [node.open() for _ in range(OPENS_MAX)]
    with pytest.raises(BorderError) as refused:
        node.open()
    assert refused.value.errno == errno.EAGAIN
    opens.pop().close()
    opens.append(node.open())
    with pytest.raises(BorderError):
        node.open()
    for each in opens:
        each.close()
