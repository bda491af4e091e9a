"""A process whose program is the host: true calls, true sleeps, and no way to hang the machine."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.kernel.agent import Agent, AgentError
from runtime.kernel.base.signals import SIGCHLD, SIGKILL, SIGSTOP, SIGTERM, SIGUSR1, SignalInfo
from runtime.kernel.cpu.x86.engine import R11, RCX
from runtime.kernel.kernel import Kernel
from runtime.kernel.process import daemons

MILLISECOND = 10**6
R_RDI, R_RAX, R_RIP, R_CS, R_RFL, R_SS, R_FS, R_GSBASE = 27, 33, 36, 37, 38, 40, 41, 46  # <sys/regset.h>


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    kernel = Kernel()
    yield kernel
    kernel.close()


@pytest.fixture
def agent(kernel: Kernel) -> Agent:
    agent = Agent(kernel, "/sbin/agent", ["agent", "-x"], {"NAME": "value"}, [SIGTERM])
    agent.start()
    return agent


def test_calls_have_the_results_of_any_process(kernel: Kernel, agent: Agent) -> None:
    assert agent.call("getpid") == agent.process.pid
    assert agent.call("getppid") == 1
    assert agent.call("close", 99) == -errno.EBADF
    path = agent.put(b"/dev/zero\0")
    descriptor = agent.call("open", path, os.O_RDONLY)
    agent.put(b"x" * 8)
    assert agent.call("read", descriptor, path, 4) == 4
    assert agent.thread.read(path, 8) == bytes(4) + b"xxxx"


def test_it_is_a_process_like_any_other(kernel: Kernel, agent: Agent) -> None:
    stack = agent.process.initial_stack
    words = [int.from_bytes(agent.thread.read(stack + 8 * n, 8), "little") for n in range(6)]
    assert words[0] == 2 and words[3] == 0 and words[5] == 0
    assert [agent.thread.read_string(word) for word in (words[1], words[2], words[4])] == \
        [b"agent", b"-x", b"NAME=value"]
    assert agent.process.execname == b"agent" and agent.process.exec_vnode.path == "/sbin/agent"
    assert agent.thread.user_stack(5)[0] == agent.thread.pc


def test_time_passes_only_in_calls_and_sleeps(kernel: Kernel, agent: Agent) -> None:
    before = kernel.hrtime()
    agent.call("getpid")
    assert 0 < kernel.hrtime() - before < 10_000
    assert agent.sleep(7 * MILLISECOND) is None
    assert 7 * MILLISECOND <= kernel.hrtime() < 7.01 * MILLISECOND


def test_sleep_ends_when_the_machine_is_stopped(kernel: Kernel, agent: Agent) -> None:
    kernel.scheduler.at(3 * MILLISECOND, lambda: kernel.stop("news"))
    assert agent.sleep(9 * MILLISECOND) == "news"
    assert kernel.hrtime() < 3.01 * MILLISECOND
    assert agent.sleep(9 * MILLISECOND) is None
    assert kernel.hrtime() >= 9 * MILLISECOND


def test_news_during_a_call_is_told_at_the_next_sleep(kernel: Kernel, agent: Agent) -> None:
    kernel.stop("news")
    assert agent.call("getpid") == agent.process.pid
    now = kernel.hrtime()
    assert agent.sleep(9 * MILLISECOND) == "news" and kernel.hrtime() == now


def test_it_does_not_wait_for_the_end_of_a_quantum(kernel: Kernel, agent: Agent) -> None:
    process = kernel.spawn(["sh", "-c", "while :; do :; done"], stopped=False)
    assert agent.sleep(15 * MILLISECOND) is None
    assert kernel.hrtime() < 15.5 * MILLISECOND
    assert process.cpu_time > 9 * MILLISECOND
    process.leader.kill()


def test_machine_that_runs_without_it_is_not_held_up(kernel: Kernel, agent: Agent) -> None:
    process = kernel.spawn(["true"], stopped=False)
    assert kernel.run() == "done" and process.exit_status == 0
    assert agent.call("getpid") == agent.process.pid


@pytest.mark.parametrize(("signal", "number"), [(SIGKILL, errno.ESRCH), (SIGSTOP, errno.EINTR)])
def test_killed_or_stopped_it_makes_no_calls(kernel: Kernel, agent: Agent, signal: int, number: int) -> None:
    kernel.scheduler.at(MILLISECOND, lambda: agent.process.post(SignalInfo(signal)))
    with pytest.raises(AgentError) as caught:
        agent.sleep(2 * MILLISECOND)
    assert caught.value.errno == number
    with pytest.raises(AgentError):
        agent.sleep(3 * MILLISECOND)


def test_awaited_signals(kernel: Kernel, agent: Agent) -> None:
    """Calls are not disturbed; the next sleep ends at once."""
    assert agent.take_signal() == 0
    agent.process.post(SignalInfo(SIGTERM))
    assert agent.call("getpid") == agent.process.pid
    assert agent.sleep(kernel.hrtime() + MILLISECOND) == "signal"
    assert agent.take_signal() == SIGTERM
    assert agent.take_signal() == 0
    assert agent.sleep(kernel.hrtime() + MILLISECOND) is None


def test_other_signals(agent: Agent) -> None:
    """They do what they do to a process that handles none."""
    agent.process.post(SignalInfo(SIGCHLD))
    assert agent.call("getpid") == agent.process.pid
    agent.process.post(SignalInfo(SIGUSR1))
    with pytest.raises(AgentError):
        agent.call("getpid")


def test_a_machine_without_programs_has_no_engine(kernel: Kernel, agent: Agent) -> None:
    assert agent.call("getpid") == agent.process.pid
    assert "engine" not in vars(kernel)


def test_registers(agent: Agent) -> None:
    """They are what a program's are that makes a system call."""
    agent.call("close", 99)
    thread = agent.thread
    assert thread.register(R_RIP) == thread.pc and thread.read_text(thread.pc - 2, 2) == b"\x0f\x05"
    assert (thread.register(R_RDI), thread.register(R_RAX)) == (99, -errno.EBADF & 2**64 - 1)
    assert (thread.register(R_CS), thread.register(R_SS), thread.register(R_FS)) == (0x33, 0x2B, 0)
    assert thread.regs[R11] == thread.register(R_RFL) and thread.regs[RCX] == thread.pc
    for number in (-1, R_GSBASE + 1):
        with pytest.raises(IndexError):
            thread.register(number)


def test_debuggers_cannot_attach(kernel: Kernel, agent: Agent, tmp_path: Path,
                                 capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "attach.c"
    source.write_text("#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/ptrace.h>\n"
                      "int main(int argc, char **argv) {\n"
                      "    long r = ptrace(PTRACE_ATTACH, atoi(argv[1]), 0, 0);\n"
                      '    printf("%ld %d\\n", r, errno == EPERM);\n    return 0;\n}\n')
    subprocess.run(["cc", "-o", tmp_path / "attach", source], check=True)
    kernel.spawn([str(tmp_path / "attach"), str(agent.process.pid)], stopped=False)
    agent.sleep(kernel.hrtime() + 1000 * MILLISECOND)
    assert capfd.readouterr().out == "-1 1\n"


def test_panic_ends_it(kernel: Kernel, agent: Agent) -> None:
    kernel.panic("test")
    with pytest.raises(AgentError):
        agent.call("getpid")


def test_processes_of_the_kernel_take_no_signals(kernel: Kernel) -> None:
    for process in kernel.system.values():
        process.post(SignalInfo(SIGKILL))
    assert kernel.run() == "done"


def test_children_see_their_parent(kernel: Kernel, agent: Agent) -> None:
    child = kernel.spawn(["sh", "-c", "kill -0 $PPID && kill -0 1 && exit $PPID"], stopped=False,
                         parent=agent.process)
    agent.sleep(1000 * MILLISECOND)
    assert child.zombie and child.exit_status == agent.process.pid
    assert agent.call("wait4", child.pid, 0, os.WNOHANG, 0) == child.pid
    assert agent.call("wait4", -1, 0, os.WNOHANG, 0) == -errno.ECHILD


def test_the_process_table(kernel: Kernel, agent: Agent, capfd: pytest.CaptureFixture[str]) -> None:
    """Programs see the kernel's own processes, all but that of the idle threads."""
    daemons.start(kernel)
    kernel.spawn(["sh", "-c", "echo /proc/[0-9]*; tr '\\0' ' ' < /proc/100/cmdline; head -n1 /proc/*/status;"
                              "cat /proc/0/stat"], stopped=False, parent=agent.process)
    agent.sleep(kernel.hrtime() + 1000 * MILLISECOND)
    table, error = capfd.readouterr()
    assert table.splitlines()[0] == "/proc/1 /proc/100 /proc/101 /proc/3"
    assert table.splitlines()[1].startswith("agent -x ")
    assert {"Name:\tinit", "Name:\tagent", "Name:\tfsflush"} <= set(table.splitlines())
    assert "/proc/0/stat" in error
