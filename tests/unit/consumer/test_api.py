"""The Python API on an emulated machine, as a notebook uses it; and the command line taken apart."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from dof.commandline import Usage
from dof.options import TABLE, Reader
from runtime.command.arguments import COMMAND, Mode, parse
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.errors import TraceError
from runtime.consumer.events.handler import Callbacks
from runtime.machine import Machine
from runtime.manual.explain import explained

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def machine() -> Machine:
    return Machine({"ncpus": "2"})


def test_ten_lines(machine: Machine) -> None:
    with Consumer.open(machine) as dtrace:
        firings = dtrace.trace('BEGIN { trace("hello"); trace(6 * 7); }'
                               'BEGIN { @["a", 1] = sum(30); @["b", 2] = sum(12); }'
                               'tick-10ms { @["a", 1] = sum(5); } tick-45ms { exit(0); }')
        assert [f.values for f in firings if f.probe.name == "BEGIN"] == [("hello", 42)]
        entries = dtrace.aggregations.walk("valuerev")
        assert [entry.value.scalar for entry in entries] == [50, 12]
        assert [entry.values for entry in entries] == [("a", 1), ("b", 2)]
        columns = dtrace.aggregations.columns(entries[0].variable, "valuerev")
        assert columns is not None
        assert [column.tolist() for column in columns.keys] == [[b"a", b"b"], [1, 2]]
        assert columns.values.tolist() == [50, 12]
        assert list(dtrace.names.values())


def test_time_limit_and_faults(machine: Machine) -> None:
    from runtime.consumer.events.handler import Callbacks

    faults: list[str] = []
    with Consumer.open(machine) as dtrace:
        dtrace.trace("BEGIN { trace(*(int *)0); } tick-1s { n++; }", seconds=2.5,
                     handler=Callbacks(fault=lambda fault: faults.append(fault.message)))
        assert dtrace.stopped
    assert len(faults) == 1 and "invalid address (0x0) in action #1" in faults[0]


def test_a_signal_in_the_machine_ends_it(machine: Machine) -> None:
    machine.spawn(["sh", "-c", f"kill -INT {machine.ids['pid']}"]).resume()
    with Consumer.open(machine) as dtrace:
        firings = dtrace.trace('END { trace("end"); }', seconds=60)
        assert [firing.values for firing in firings] == [("end",)] and dtrace.system.now() < 10**9


def test_firings_come_while_the_program_runs(machine: Machine) -> None:
    """The machine's time stands still between two of them; who stops gets what is there, END among it."""
    with Consumer.open(machine) as dtrace:
        dtrace.options.set("switchrate", "10ms")
        seen = []
        for firing in dtrace.stream("tick-20ms { trace(++n); } END { trace(-n); }"):
            seen.append((firing.values, dtrace.system.now() - firing.timestamp < 15 * 10**6))
            if len(seen) == 3:
                dtrace.stop()
        assert seen == [((1,), True), ((2,), True), ((3,), True), ((-3,), True)]


def test_two_sessions_of_one_machine(machine: Machine) -> None:
    with Consumer.open(machine) as one, Consumer.open(machine) as two:
        assert [f.values for f in one.trace("BEGIN { trace(1); exit(0); }")] == [(1,)]
        assert [f.values for f in two.trace("BEGIN { trace(2); exit(0); }")] == [(2,)]


def test_dof_from_elsewhere_and_refusals(machine: Machine) -> None:
    with Consumer.open(machine) as dtrace:
        with pytest.raises(TraceError):
            dtrace.enable(b"\x7fDOF not really")
        with pytest.raises(TraceError, match="Destructive"):
            dtrace.trace('BEGIN { panic(); }')


def test_the_same_twice() -> None:
    def once() -> list[object]:
        with Consumer.open(Machine({"ncpus": "2"})) as dtrace:
            return [(f.cpu, f.timestamp, f.values) for f in dtrace.trace(
                "profile-97 { trace(timestamp); } tick-100ms { exit(0); }")]

    assert once() == once()


@pytest.mark.parametrize("option", [name for name, row in TABLE.items() if row.reader == Reader.MACHINE])
def test_the_manual_names_what_the_machine_can_be_told(option: str) -> None:
    assert f"  {option}" in explained("options") and "--explain options" in COMMAND.help()


@pytest.mark.parametrize("argv", [["-3", "3"], ["-9"], ["-n"], ["-lA"], ["-x"], ["-hG"]])
def test_bad_command_lines(argv: list[str]) -> None:
    with pytest.raises(Usage):
        parse(argv)


def test_command_line() -> None:
    got = parse(["-qs", "a.d", "one", "-x", "bufsize=4k", "-x", "seed=3", "-n", "read:entry/pid/{trace(1)}",
                 "-c", "prog arg", "--", "-two"])
    assert got.mode is Mode.TRACE and got.operands == ["one", "-two"]
    assert [(r.kind, r.name) for r in got.requests] == [("script", "a.d"), ("name", "read:entry")]
    assert [each[:2] for each in got.options] == [("quiet", None), ("bufsize", "4k"), ("seed", "3")]
    assert got.commands == ["prog arg"]


@pytest.mark.parametrize("argv", [["-V"], ["--help"]])
def test_quick_modes_load_no_emulator(argv: list[str]) -> None:
    code = ("import sys\nfrom runtime.command.command import main\n"
            f"main({argv!r})\nassert not {{'unicorn', 'numpy', 'llvmlite', 'lark'}} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize(("argv", "unneeded"), [
    (["-e", "-n", "BEGIN { @[$pid] = count(); }"],
     ["runtime.kernel.kernel", "runtime.framework.tracing.state", "ctypes"]),
    (["-l", "-n", "BEGIN"], ["runtime.kernel.kernel", "runtime.framework.tracing.state", "ctypes"]),
    (["-l", "-n", "syscall:::entry"], ["runtime.kernel.kernel", "runtime.providers.fbt"]),
])
def test_nothing_boots_to_compile_or_list(argv: list[str], unneeded: list[str]) -> None:
    code = ("import sys\nfrom runtime.command.command import main\n"
            f"assert main({argv!r}) == 0\n"
            f"assert not {{'unicorn', 'numpy', 'llvmlite', 'capstone', *{unneeded!r}}} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_tracing_a_program_loads_no_other_processor() -> None:
    others = ("sparc",) if platform.machine() == "aarch64" else ("sparc", "arm64")
    code = ("import sys\nfrom runtime.command.command import main\n"
            "assert main(['-Zqn', 'pid$target::main:entry { exit(0); }', '-c', '/bin/true']) == 0\n"
            f"assert not [name for name in sys.modules if name.startswith('runtime') and {set(others)} & "
            "set(name.split('.'))]")
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize(("argv", "status"), [
    (["-V"], 0), (["-e", "-n", "BEGIN { @[pid] = count(); }"], 0), (["-l", "-n", "BEGIN"], 0),
    (["-h", "-s", "p.d"], 0), (["-G", "-s", "e.d"], 0), (["-n", "BEGIN { exit(0); }"], 1),
])
def test_only_tracing_needs_the_machines_libraries(argv: list[str], status: int, tmp_path: Path) -> None:
    (tmp_path / "p.d").write_text("provider p { probe q(int); };\n")
    (tmp_path / "e.d").write_text("BEGIN { trace(arg0); }\n")
    code = ("import sys\nfrom runtime.command.command import main\n"
            "from runtime.command.machinelibraries import LIBRARIES\n"
            "sys.modules |= dict.fromkeys(LIBRARIES)\n"
            f"sys.exit(main({argv!r}))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == status, done.stderr
    if status:
        assert done.stderr.startswith("dtrace: tracing needs ")
        assert done.stderr.endswith(": pip install 'dtrace-suite[machine]'\n")
        assert done.stderr.count("\n") == 1


def test_a_library_that_the_host_cannot_load_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "greenlet").mkdir()
    (tmp_path / "greenlet" / "__init__.py").write_text("from greenlet import _greenlet")
    (tmp_path / "greenlet" / "_greenlet.so").write_bytes(b"no library")
    code = "import sys\nfrom runtime.command.command import main\nsys.exit(main(['-n', 'BEGIN']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})
    assert done.returncode == 1
    assert done.stderr.startswith("dtrace: tracing needs greenlet, which this host cannot load: ")
    assert done.stderr.count("\n") == 1


def test_what_python_shows_is_short() -> None:
    with Machine({"ncpus": "2"}) as machine, Consumer.open(machine) as dtrace:
        assert repr(machine) == "<Machine ncpus=2 target=illumos not booted>"
        dtrace.trace('BEGIN { @a["x", 7] = sum(5); @q = quantize(3); exit(0); }')
        shown = sorted(map(repr, dtrace.aggregations.walk()))
    assert shown == ["<Entry ('x', 7) <sum 5>>", "<Entry () <quantize of 127 words>>"]


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ValueError, match=r"there is no option 'ncpu'; did you mean `ncpus`\?"):
        Machine({"ncpu": "4"})


@pytest.mark.parametrize(("script", "rate", "often"), [
    ("BEGIN { trace(1); } END { trace(2); }", None, False),
    ("BEGIN { trace(1); } END { trace(2); }", "1s", True),
    ("BEGIN { trace(1); } syscall::reboot:entry { n++; } END { trace(2); }", None, True),
])
def test_a_tracer_of_its_own_probes_does_not_wake(script: str, rate: str | None, often: bool) -> None:
    """Not before the end, once what BEGIN records has been read: nothing else can come."""
    with Machine() as machine, Consumer.open(machine) as session:
        if rate is not None:
            session.setopt("statusrate", rate)
        session.enable(session.compile(script).program)
        found: list[int] = []
        session.handler = Callbacks(lambda firing: found.extend(firing.values))
        woken = [tuple(found) for _ in session.steps(seconds=100)]
    assert woken[0] == (1,) and found == [1, 2]
    assert (len(woken) > 90) is often and (len(woken) < 5) is not often
