"""The parts of dtrace(1) around a session: its switches, signals, statuses, and what it says of instances."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from dc.names.catalog import ProbeInfo
from dc.options import Options
from dc.script import Request
from dof.command import disassemble_main
from dof.commandline import Failure, Usage
from dof.model import ProbeDesc
from runtime.border import BorderError
from runtime.command import command, recorded, staticprobes, tracing
from runtime.command.arguments import Arguments, Mode, parse
from runtime.command.clickcommands import call
from runtime.command.machinelibraries import LIBRARIES, needs_machine
from runtime.command.tracing import Session, Signals, _ending, _shell_status
from runtime.consumer.events.errors import AnswerError, TraceError
from runtime.consumer.output.probelist import HEADING
from runtime.instances.hop.ledger import Ledger
from runtime.instances.root.membership import Membership, Told
from runtime.recordings.fileformat import pack
from runtime.recordings.player import Player
from runtime.recordings.recording import Recording

# -- the command line ----------------------------------------------------------------------------------

FIELDS = {  # a switch, with its argument: the one field that it changes, and to what
    "-o f": ("output", "f"), "-e": ("execute", False), "-v": ("verbose", True), "-B": ("buffered", True),
    "--flame f": ("flame", "f"), "--folded f": ("folded", "f"), "--heatmap f": ("heatmap", "f"),
    "--timeline f": ("timeline", "f"), "--report f": ("report", "f"), "--live": ("live", True),
    "--progress": ("progress", True), "--explain x": ("explain", "x"), "--cluster f": ("cluster", "f"),
    "--instances": ("instances", True), "--replay f": ("replay", "f"), "-32": ("bits", 32),
    "-64": ("bits", 64), "-c x": ("commands", ["x"]), "-c x -c y": ("commands", ["x", "y"]),
    "-p 1": ("processes", ["1"]), "-A": ("mode", Mode.ANONYMOUS), "-G": ("mode", Mode.LINK),
    "-h": ("mode", Mode.HEADER), "-l": ("mode", Mode.LIST), "-V": ("mode", Mode.VERSION),
    "-l -l": ("mode", Mode.LIST), "a b": ("operands", ["a", "b"]),
    "-s f": ("requests", [Request("script", "f")]), "-n f": ("requests", [Request("name", "f")]),
    "-P f -m g -f h -i 7": ("requests", [Request("provider", "f"), Request("module", "g"),
                                         Request("function", "h"), Request("name", "7")]),
    "-x aggsize=1m": ("options", [("aggsize", "1m", "-x aggsize")]),
    "-x zdefs": ("options", [("zdefs", None, "-x zdefs")]),
    "-x strip=": ("options", [("strip", "", "-x strip")]),
    "-x define=a=b": ("options", [("define", "a=b", "-x define")]),
    "--json": ("options", [("oformat", "json", "--json")]),
    "--image f": ("options", [("image", "f", "--image")]), "-a": ("options", [("grabanon", "1", "-a")]),
    "-b 4k": ("options", [("bufsize", "4k", "-b 4k")]), "-q": ("options", [("quiet", None, "-q")]),
    "-w -F": ("options", [("destructive", None, "-w"), ("flowindent", None, "-F")])}


@pytest.mark.parametrize("line", FIELDS)
def test_switches(line: str) -> None:
    """Each changes what it is for, and nothing else; operands and switches may be mixed."""
    name, value = FIELDS[line]
    plain = Arguments(operands=[])
    for words in (line.split(), [*line.split(), *(["--"] if name != "operands" else [])]):
        found = parse(words)
        assert found.words == words
        assert {field: getattr(found, field) for field in Arguments.__slots__
                if field != "words" and getattr(found, field) != getattr(plain, field)} == {name: value}
        drawing = {"flame", "folded", "heatmap", "timeline", "report", "live", "progress"}
        assert found.draws == (name in drawing)


@pytest.mark.parametrize("words", [
    *([first, second] for first in ("-A", "-G", "-h", "-l", "-V") for second in ("-A", "-G", "-h", "-l", "-V")
      if first != second), ["-3", "3"], ["-6", "2"], ["-o"], ["--nosuch"], ["-k"]])
def test_command_lines_without_a_sense(words: list[str]) -> None:
    with pytest.raises(Usage):
        parse(words)


@pytest.mark.parametrize(("kind", "text", "fields"), [
    ("name", "a:b:c:d", "a b c d"), ("name", "d", "- - - d"), ("name", "c:d", "- - c d"),
    ("name", "a$target:::d", "a - - d"), ("name", " a:b:c:d ", "a b c d"), ("name", "a:b:c:d:e", None),
    ("function", "c", "- - c -"), ("function", "a:b:c", "a b c -"), ("function", "a:b:c:d", None),
    ("module", "b", "- b - -"), ("module", "a:b", "a b - -"), ("module", "a:b:c", None),
    ("provider", "a", "a - - -"), ("provider", "a$target", "a - - -"), ("provider", "a:b", None),
    ("script", "a.d", None)])
def test_descriptions_of_static_probes(kind: str, text: str, fields: str | None) -> None:
    if fields is None:
        with pytest.raises(Failure, match="invalid probe specifier"):
            staticprobes._pattern(Request(kind, text))
    else:
        assert [field or "-" for field in staticprobes._pattern(Request(kind, text))] == fields.split()


# -- how commands end ----------------------------------------------------------------------------------

def ends(work: Callable[[], object]) -> Any:
    @click.command()
    @click.option("--number", type=int, default=0)
    def made(number: int) -> object:
        return number if number else work()
    return made


def fail(error: BaseException) -> object:
    raise error


@pytest.mark.parametrize(("result", "status"), [(0, 0), (3, 3), (None, 0), ("text", 0), (True, 1)])
def test_what_click_returns(result: object, status: int) -> None:
    assert call(ends(lambda: result), []) == status
    assert call(ends(lambda: result), ["--number", "9"]) == 9


@pytest.mark.parametrize(("raised", "caught", "text"), [
    (click.UsageError("no sense"), Usage, "no sense"), (click.ClickException("no luck"), Failure, "no luck"),
    (click.Abort(), KeyboardInterrupt, "^$"), (BrokenPipeError("gone"), OSError, "gone")])
def test_what_click_raises(raised: BaseException, caught: type[BaseException], text: str) -> None:
    with pytest.raises(caught, match=text):
        call(ends(lambda: fail(raised)), [])
    with pytest.raises(Usage):
        call(ends(lambda: 0), ["--number", "x"])
    assert call(ends(lambda: fail(click.exceptions.Exit(5))), []) == 5


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_that_are_not_there(library: str) -> None:
    """A part of one is known by its name or its place; what is missing besides is a mistake of ours."""
    missing = ModuleNotFoundError("no", name=library)
    assert str(refused(missing)) == f"tracing needs {library}: pip install 'dtrace-suite[machine]'"
    broken = ImportError("bad ELF class", name="_core", path=f"/usr/lib/{library}/_core.so")
    assert str(refused(broken)) == f"tracing needs {library}, which this host cannot load: bad ELF class"
    for error in (ModuleNotFoundError("no", name=f"{library}s"),
                  ImportError("no", path=f"/lib/{library}s/a")):
        with pytest.raises(ImportError) as caught:
            needs_machine(fail, error)
        assert caught.value is error
    assert needs_machine(lambda given: given + 1, 4) == 5


def refused(error: ImportError) -> Failure:
    with pytest.raises(Failure) as caught:
        needs_machine(fail, error)
    return caught.value


def test_statuses_of_processes() -> None:
    """As Python and a shell tell them: every status of exit(2), and every signal."""
    process: Any = SimpleNamespace(pid=7, exit_status=None)
    for code in range(256):
        process.exit_status = code << 8
        assert _shell_status(code << 8) == os.waitstatus_to_exitcode(code << 8)
        assert _ending(process) == (f"pid 7 exited with status {code}" if code else "pid 7 has exited")
    for number in range(1, 65):
        for dumped in (0, 128):
            process.exit_status = number | dumped
            named = number in {each.value for each in signal.Signals}
            name = signal.Signals(number).name if named else f"signal {number}"
            assert _shell_status(number | dumped) == 128 - os.waitstatus_to_exitcode(number)
            assert _ending(process) == f"pid 7 terminated by {name}"


@pytest.mark.parametrize("work", ["return 3", "raise KeyboardInterrupt", "sys.exit(4)", "raise OSError"])
def test_how_installed_commands_end(work: str) -> None:
    """With their status, when all is written and what is to be done at the end has been."""
    status = {"return 3": 3, "raise KeyboardInterrupt": 130, "sys.exit(4)": 4}.get(work, 1)
    program = f"""
import atexit, sys
from runtime.command import entries
def work():
    sys.stderr.write("said ")
    atexit.register(sys.stderr.write, "late")
    {work}
sys.exit(entries._begins(work)())
"""
    done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == status
    assert done.stderr == "said late" if status != 1 else "Traceback" in done.stderr


# -- signals -------------------------------------------------------------------------------------------

@pytest.fixture
def handlers() -> Iterator[None]:
    numbers = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM
    before = {number: signal.signal(number, signal.SIG_DFL) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_and_the_second(number: signal.Signals) -> None:
    """The first asks for an end, any second one ends; what is ignored stays so."""
    asked: list[int] = []
    ignored = signal.SIGHUP if number != signal.SIGHUP else signal.SIGTERM
    signal.signal(ignored, signal.SIG_IGN)
    signals = Signals(lambda: asked.append(1))
    signals.catch()
    assert not signals.have_come()
    signal.raise_signal(ignored)
    assert not signals.have_come() and not asked
    signal.raise_signal(number)
    assert signals.have_come() and signals.last == number and asked == [1]
    other, = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} - {number, ignored}
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(other)
    assert signals.last == other and asked == [1]
    signals.release()
    assert signal.getsignal(ignored) is signal.SIG_IGN
    assert signal.getsignal(number) is signal.getsignal(other) is signal.SIG_DFL


# -- a session of instances ----------------------------------------------------------------------------

class Stream:
    """Output that is kept, with a mark where it is flushed."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, data: bytes) -> None:
        self.text += data.decode()

    def flush(self) -> None:
        self.text += "|"


def session(stream: Any, *settings: str, cluster: Any = None, **arguments: Any) -> Session:
    options = Options()
    for setting in settings:
        name, _, value = setting.partition("=")
        options.set(name, value or None)
    asked: Any = SimpleNamespace(final_status=lambda: stream.write(b"status "), settings=SimpleNamespace())
    return Session(arguments=Arguments(**arguments), options=options, machine=cluster, consumer=asked,
                   output=stream, signals=asked, cluster=cluster)


def accounts(*, balanced: bool = True, single: bool = False) -> Any:
    ledger = Ledger()
    ledger.produce("lab/a", 10)
    ledger.deliver("lab/a", 7)
    ledger.drop("lab/a", "lab", "late", 3 if balanced else 2)
    ledger.produce("lab/b", 4)
    ledger.deliver("lab/b", 4)
    instances: Any = SimpleNamespace(single=single, known={})
    membership = Membership(instances)
    membership.ledger = ledger
    membership.told = [Told("joined", "lab/c", "as vm2"), Told("lost", "lab/a", "", 3)]
    return SimpleNamespace(instances=instances, membership=membership)


LOST = "dtrace: instance lab/a: 10 records produced, 7 delivered, {0} dropped ({0} late at lab)\n"
WRONG = "dtrace: instance lab/a: 10 records produced, but 7 delivered and 2 dropped\n"
NEWS = "dtrace: instance lab/c joined: as vm2\ndtrace: instance lab/a lost, 3 records unacknowledged\n"


@pytest.mark.parametrize("balanced", [True, False])
def test_what_is_told_of_instances(balanced: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, behind what was printed before; or all of it as JSON."""
    stream = Stream()
    session(stream, cluster=accounts(balanced=balanced)).account()
    assert stream.text == "status ||"
    assert capsys.readouterr().err == NEWS + LOST.format(3 if balanced else 2) + WRONG * (not balanced)
    stream = Stream()
    session(stream, "oformat=json", cluster=accounts(balanced=balanced)).account()
    assert capsys.readouterr().err == ""
    assert [json.loads(line) for line in stream.text.removeprefix("status ").splitlines()] == [
        {"type": "instance", "kind": "joined", "instance": "lab/c", "message": "as vm2", "records": 0},
        {"type": "instance", "kind": "lost", "instance": "lab/a", "message": "", "records": 3},
        {"type": "account", "instance": "lab/a", "produced": 10, "delivered": 7,
         "dropped": [{"hop": "lab", "class": "late", "count": 3 if balanced else 2}]},
        {"type": "account", "instance": "lab/b", "produced": 4, "delivered": 4, "dropped": []}]


def test_what_is_told_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Of one instance alone there is no account, nor of a machine that is no cluster."""
    lab, stream = accounts(single=True), Stream()
    for _ in range(2):
        session(stream, cluster=lab).tell()
        session(stream, cluster=lab).account()
        session(stream).tell()
        session(stream).account()
    assert (stream.text, capsys.readouterr().err) == ("||", NEWS)


@pytest.mark.parametrize(("text", "rest", "places"), [
    ("lab/a:/bin/ls", "/bin/ls", [1]), ("lab/*:7", "7", [1, 2]), ("/bin/ls", "/bin/ls", [0]),
    (":7", None, []), ("lab/a:", "lab/a:", [0]), ("other:7", None, []), ("lab/a:x:y", "x:y", [1])])
def test_on_which_instances(text: str, rest: str | None, places: list[int]) -> None:
    """A path may stand before a command or a pid."""
    numbers = {"lab/a": 1, "lab/b": 2}
    lab = SimpleNamespace(instances=SimpleNamespace(unmeant="none {}".format, meant=lambda pattern: [
        SimpleNamespace(number=number) for path, number in numbers.items() if fnmatch(path, pattern)]))
    assert session(Stream())._placed(text) == (text, [0])
    if rest is None:
        with pytest.raises(Failure, match=f"failed to control {text}: none {text.partition(':')[0]}"):
            session(Stream(), cluster=lab)._placed(text)
    else:
        assert session(Stream(), cluster=lab)._placed(text) == (rest, places)


def test_processes_are_controlled_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of -c come first, and $target is the first of all; what -p names again is one."""
    machine: Any = SimpleNamespace(environment={}, grab=lambda pid: SimpleNamespace(pid=pid),
                                   spawn=lambda argv, *_: SimpleNamespace(pid=100 + len(argv), argv=argv))

    def started(commands: list[str], pids: list[str]) -> tuple[list[int], list[int], object]:
        made = session(Stream(), commands=commands, processes=pids)
        made.machine = machine
        made.start_processes()
        return ([each.pid for each in made.processes], [each.pid for each in made.children],
                getattr(made.consumer.settings, "target", None))

    assert started([], []) == ([], [], None)
    assert started(["a 'b c' d", "e"], ["7", "101", "007", "9"]) == ([103, 101, 7, 9], [103, 101], 103)
    assert started([], ["9", "7"]) == ([9, 7], [], 9)
    for commands, pids, said in (([""], [], "failed to create a process: the command is empty"),
                                 (["a 'b"], [], 'failed to read command "a \'b"'),
                                 ([], ["7x"], "invalid pid: 7x"), ([], ["-7"], "invalid pid: -7"),
                                 ([], [""], "invalid pid: ")):
        with pytest.raises(Failure, match=re.escape(said)):
            started(commands, pids)


@pytest.mark.parametrize(("own", "children", "found", "plain"), [
    (0, [], 0, 0), (0, [0, 3 << 8, 4 << 8], 3, 0), (2, [3 << 8], 2, 2), (0, [None, 0], 0, 0),
    (0, [None, 9], 137, 0)])
def test_the_status_of_a_run(own: int, children: list[int | None], found: int, plain: int) -> None:
    """That of exit(); else, if it is asked for, of the first command that has failed."""
    for settings, status in (((), plain), (("childstatus",), found)):
        made = session(Stream(), *settings)
        made.children = [SimpleNamespace(exit_status=each) for each in children]  # type: ignore[misc]
        assert made.exit_status(SimpleNamespace(status=own)) == status  # type: ignore[arg-type]


def test_what_was_demanded(capsys: pytest.CaptureFixture[str]) -> None:
    made = session(Stream(), "childstatus")
    made.demands = [SimpleNamespace(option=name, problems=lambda found=found: found)  # type: ignore[misc]
                    for name, found in (("strict", ["2 errors", "drops"]), ("expect-probes", []))]
    assert made.exit_status(SimpleNamespace(status=3)) == 1  # type: ignore[arg-type]
    assert capsys.readouterr().err == "dtrace: 2 errors, drops (-x strict)\n"


def test_where_remarks_stand(capsys: pytest.CaptureFixture[str]) -> None:
    """-q suppresses notices; what -v asks for is no part of JSON."""
    for settings, notice, text in (((), "dtrace: n\n", "r"), (("quiet",), "", "r"),
                                   (("oformat=json",), "dtrace: n\nr", "")):
        stream = Stream()
        made = session(stream, *settings)
        made.notice("n")
        made.remark("r")
        assert (capsys.readouterr().err, stream.text) == (notice, text)


def program(name: str, *probes: int, parts: Any = ()) -> Any:
    ecbs = [SimpleNamespace(probe=probe) for probe in probes]
    result = SimpleNamespace(program=SimpleNamespace(ecbs=ecbs, matches=len(probes)))
    return SimpleNamespace(request=Request("name", name), result=result, parts=list(parts),
                           descriptions=lambda: iter(probes))


def test_how_many_probes_match(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a program that was compiled for groups of instances, those of all groups."""
    among: list[object] = []
    probes = SimpleNamespace(among="all")
    parts = [SimpleNamespace(result=program("", *[0] * matches).result,
                             group=SimpleNamespace(members=members))
             for matches, members in ((2, "a"), (5, "b"))]
    made = session(Stream(), cluster=SimpleNamespace(probes=probes))

    def enable(program: Any) -> int:
        among.append(probes.among)
        return int(program.matches)

    made.consumer.enable = enable  # type: ignore[method-assign, assignment]
    made.programs = [program("one", 1), program("none"), program("groups", parts=parts)]
    assert made.enable() == 8
    assert among == ["all", "all", "a", "b"] and probes.among is None
    assert capsys.readouterr().err == (
        "dtrace: description 'one' matched 1 probe\n" "dtrace: description 'none' matched 0 probes\n"
        "dtrace: description 'groups' matched 7 probes\n")

    def refuse(_program: Any) -> int:
        raise TraceError("no more memory")

    made.consumer.enable = refuse  # type: ignore[method-assign]
    with pytest.raises(Failure, match="failed to enable 'one': no more memory"):
        made.enable()


@pytest.mark.parametrize("verbose", [False, True])
def test_what_could_not_be_traced(verbose: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Refusals always, unknown calls with -v, and types that are too many even when compiling fails."""
    made = session(Stream(), verbose=verbose)
    made.machine = SimpleNamespace(  # type: ignore[assignment]
        refusals=lambda every: ["a jump", "another"] if every else ["a jump"],
        unknown_calls=lambda: ["io_uring_setup", "bpf"],
        unread_types=lambda: ["types of /x are unknown: many"])
    made.report_refusals()
    made.report_unknown_calls()
    assert capsys.readouterr().err == (
        "dtrace: cannot trace a jump\ndtrace: cannot trace another\n"
        "dtrace: system calls that the machine does not have: io_uring_setup, bpf\n" if verbose
        else "dtrace: cannot trace a jump\n")
    made.machine.unknown_calls = list  # type: ignore[union-attr, assignment]
    made.report_unknown_calls()
    assert capsys.readouterr().err == ""
    made.compile()
    made.arguments.requests = [Request("script", "/no/such/file.d")]
    with pytest.raises(Failure):
        made.compile()
    assert capsys.readouterr().err == "dtrace: types of /x are unknown: many\n" * 2


def test_time_that_is_over() -> None:
    """It ends tracing; when it is over again, the report has taken too long."""
    done: list[str] = []
    budgets = SimpleNamespace(ended=None)
    budgets.end = lambda reason: setattr(budgets, "ended", reason)
    made = session(Stream(), "timeout=1500ms")
    made.machine = SimpleNamespace(budgets=budgets, interrupt=lambda: done.append("asked"))  # type: ignore[assignment]
    made._time_over(0, None)
    assert (budgets.ended, done) == ("its time is over (-x timeout=1500ms)", ["asked"])
    with pytest.raises(Failure, match=re.escape("its time is over (-x timeout=1500ms)")):
        made._time_over(0, None)
    assert done == ["asked"]


def listing(*described: str, cluster: Any = None, **settings: bool) -> tuple[str, str]:
    """What -l writes of two probes, one of which has no instance, and the error."""
    stream = Stream()
    made = session(stream, *settings, cluster=cluster)
    made.machine = SimpleNamespace(tracepoints=lambda: "tracepoints\n", refusals=lambda _every: [])  # type: ignore[assignment]
    known = {text: [ProbeInfo(number, "p", "m", "f", text)] for number, text in enumerate(("one", "two"), 1)}
    every = [probe for probes in known.values() for probe in probes]
    made.consumer.compiler = SimpleNamespace(catalog=SimpleNamespace(  # type: ignore[assignment]
        probes=lambda description: known.get(description.name, []) if any(description[:4]) else every))
    descriptions = [ProbeDesc("", "", "", text) for text in described]
    made.programs = [SimpleNamespace(descriptions=lambda each=each: iter([each]))  # type: ignore[misc]
                     for each in descriptions]
    try:
        made.list_probes()
    except Failure as failure:
        return stream.text, str(failure)
    return stream.text, ""


def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    """Those that descriptions match, or all; what matches none is told where it would stand."""
    one, two = (f"{number:5} {'p':>10} {'m':>17} {'f':>33} {name}\n"
                for number, name in ((1, "one"), (2, "two")))
    assert listing() == (HEADING + one + two, "")
    assert listing("two", "one", "two") == (HEADING + two + one + two, "")
    assert capsys.readouterr().err == ""
    assert listing("two", "no", "one") == (f"{HEADING}{two}|{one}", "")
    assert capsys.readouterr().err == "dtrace: failed to match :::no: No probe matches description\n"
    assert listing("one", tracepoints=True) == (f"{HEADING}{one}\ntracepoints\n", "")


def test_lists_of_instances() -> None:
    """Whose a probe is stands in front; a description of no instance is a mistake."""
    probes = SimpleNamespace(listing=False, instance_of={1: "lab/a", 2: "lab/b"}.get)
    known = SimpleNamespace(single=False, meant=lambda _pattern: [1], unmeant="none {}".format)
    lab = SimpleNamespace(instances=known, probes=probes)
    text, error = listing(cluster=lab)
    assert probes.listing and not error
    assert [row.split()[0] for row in text.splitlines()] == ["INSTANCE", "lab/a", "lab/b"]
    assert len({row.index(" p ") for row in text.splitlines()[1:]}) == 1
    alone = SimpleNamespace(instances=SimpleNamespace(single=True, meant=lambda _pattern: [1]))
    assert listing("one", cluster=alone)[0].startswith(HEADING)
    known.meant = lambda _pattern: []
    assert listing("one", cluster=lab)[1] == "failed to match :::one: none "


def test_words_that_complete_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["dtrace --hea"], ["dtrace", "--hea"]):
        assert command.main(["--complete", *words]) == 0
        assert capsys.readouterr().out == "--heatmap\n"


@pytest.mark.parametrize(("words", "linkmode", "zdefs"), [
    ("-A -n BEGIN", "primary", False), ("-A -n BEGIN -x linkmode=dynamic", "dynamic", False),
    ("-n BEGIN", "kernel", False), ("-l -n BEGIN", "kernel", True), ("-n BEGIN -Z", "kernel", True),
    ("-e -n BEGIN -x linkmode=primary", "primary", False)])
def test_what_a_mode_sets(words: str, linkmode: str, zdefs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anonymous programs meet other modules later; a list may be empty."""
    def look(options: Options) -> None:
        raise Failure(f"{options.choice('linkmode')} {options.is_on('zdefs')}")

    monkeypatch.setattr(tracing, "_limit_time", look)
    with pytest.raises(Failure, match=f"^{linkmode} {zdefs}$"):
        tracing.trace(parse(words.split()))


@pytest.mark.parametrize(("words", "said"), [
    ("", "no probes specified"), ("-q", "no probes specified"),
    ("--instances", "--instances needs a cluster"),
    ("--cluster f --timeline f -n BEGIN", "--timeline and --report are of one machine"),
    ("--cluster f --report f -n BEGIN", "--timeline and --report are of one machine"),
    ("-x childstatus -n BEGIN", "childstatus is for the status of a command"),
    ("-l -x childstatus", ""), ("-x childstatus -n BEGIN -c x", ""), ("-Z", ""), ("-a", ""), ("-e", ""),
    ("-l", ""), ("-A", ""), ("--cluster f --instances", ""), ("--cluster f -n BEGIN", ""),
    ("--timeline f -n BEGIN", "")])
def test_what_a_mode_needs(words: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(_options: Options) -> None:
        raise Failure("it begins")

    monkeypatch.setattr(tracing, "_limit_time", begin)
    with pytest.raises(Failure, match=said or "it begins"):
        tracing.trace(parse(words.split()))


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize(("raised", "said"), [
    (AnswerError("it lies"), "processing aborted: it lies"), (TraceError("no more"), "no more"),
    (BorderError(errno.EIO, "gone"), "processing aborted: gone")])
def test_how_a_run_fails(raised: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine is closed, a signal ends the process again, and no time runs any more."""
    done: list[str] = []

    def in_machine(*words: Any) -> int:
        signals: Signals = words[-1]
        signals.catch()
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        raise raised

    machine = SimpleNamespace(interrupt=None, close=lambda: done.append("closed"))
    monkeypatch.setattr(tracing, "_machine", lambda *_: machine)
    monkeypatch.setattr(tracing, "_in_machine", in_machine)
    with pytest.raises(Failure, match=f"^{said}$"):
        tracing.trace(parse(["-x", "timeout=1h", "-n", "BEGIN"]))
    assert done == ["closed"]
    assert signal.getsignal(signal.SIGTERM) is signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_operands_that_are_programs(capfd: pytest.CaptureFixture[str]) -> None:
    """They are searched for probes with -l only; without operands -l lists those of the machine."""
    assert command.main(["-qn", "BEGIN { trace($$1); exit(0); }", "/bin/true"]) == 0
    assert capfd.readouterr().out == "/bin/true\n"
    assert command.main(["-l", "/bin/true"]) == 0
    assert capfd.readouterr().out == HEADING
    assert command.main(["-l"]) == 0
    assert capfd.readouterr().out.count("\n") > 100


def test_clauses_of_several_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                    capfd: pytest.CaptureFixture[str]) -> None:
    """-G puts those of all into the object, in their order; a script may have none."""
    monkeypatch.chdir(tmp_path)
    helper = "dtrace:helper:ustack: {{ trace({}); }}".format
    for name, numbers in (("one", (1,)), ("two", ()), ("three", (2, 3))):
        clauses = " ".join(map(helper, numbers))
        Path(f"{name}.d").write_text(f"provider {name} {{ probe p(int); }};\n{clauses}\n")
    for scripts, values in (("one", ["0x1"]), ("two", []), ("one two three", ["0x1", "0x2", "0x3"]),
                            ("three one", ["0x2", "0x3", "0x1"]), ("two three", ["0x2", "0x3"])):
        calls = "".join(f"extern void __dtrace_{name}___p(long);\n"
                        f"void use_{name}(void) {{ __dtrace_{name}___p(1); }}\n" for name in scripts.split())
        subprocess.run(["gcc", "-c", "-xc", "-", "-o", "main.o"], input=calls, text=True, check=True)
        words = [word for name in scripts.split() for word in ("-s", f"{name}.d")]
        assert command.main(["-G", *words, "main.o", "-o", "out.o"]) == 0
        capfd.readouterr()
        assert disassemble_main(["out.o"]) == 0
        text = capfd.readouterr().out
        assert re.findall(r"\.integer (0x\d)", text) == values
        assert text.count(".ecb ") == len(values)
        assert re.findall(r'\.provider "(\w+)"', text) == scripts.split()


# -- recordings ----------------------------------------------------------------------------------------

@pytest.mark.parametrize(("switches", "said"), [
    ("-A", "not with -A"), ("-a", "not with -A"), ("--cluster f", "not with -A"),
    ("-x device=/dev/dtrace", "not with -A"), ("-x clock=real", "clock=real cannot be recorded")])
def test_what_cannot_be_recorded(switches: str, said: str) -> None:
    arguments = parse(["-x", "record=f", *switches.split()])
    with pytest.raises(Failure, match=said):
        recorded.begin(arguments, arguments.checked_options())


@pytest.mark.parametrize(("switches", "said"), [
    ("-c x", "-c"), ("-p 1", "-p"), ("-x record=f", "-x record"), ("-x setenv=A=1", "-x setenv"),
    ("-x evaltime=main", "-x evaltime"), ("-x seed=7", "-x seed"), ("-c x -x seed=7", "-c"),
    ("-x copyin=touch", "")])
def test_what_a_recording_says_itself(switches: str, said: str, tmp_path: Path) -> None:
    arguments = parse(["--replay", str(tmp_path / "none"), *switches.split()])
    expected = f"{said} cannot be given with --replay" if said else "failed to read .*none: No such file"
    with pytest.raises(Failure, match=expected):
        recorded.begin(arguments, arguments.checked_options())


def test_what_a_recording_keeps_of_a_command_line(tmp_path: Path) -> None:
    """And what a replay takes of it; what is the tracer's own may differ."""
    words = ["-c", "a b", "-p", "7", "-x", "seed=5", "-x", "copyin=touch", "-x", "evaltime=main",
             "-x", "setenv=A=1", "x"]
    arguments = parse(words)
    taken = recorded.begin(arguments, arguments.checked_options()).recording
    assert (taken.words, taken.commands, taken.processes, taken.settings, taken.evaltime, taken.options) == (
        words, ["a b"], ["7"], ["A=1"], "main", {"seed": 5})
    (tmp_path / "kept").write_bytes(pack(taken))
    again = parse(["--replay", str(tmp_path / "kept"), "-x", "copyin=touch", "y"])
    options = again.checked_options()
    found = recorded.begin(again, options)
    assert isinstance(found, Player) and repr(found.recording) == repr(taken)
    assert (again.commands, again.processes) == (["a b"], ["7"])
    assert (options.items("setenv"), options.choice("evaltime", "")) == (["A=1"], "main")
    (tmp_path / "kept").write_bytes(b"no recording")
    with pytest.raises(Failure, match=r"^cannot replay .*kept: "):
        recorded.begin(parse(["--replay", str(tmp_path / "kept")]), Options())


@pytest.mark.parametrize(("departures", "suite", "told"), [
    (0, "0.0", 0), (1, "0.0", 2), (20, "0.0", 21), (21, "0.0", 22), (25, "0.0", 22), (25, None, 21),
    (20, None, 20)])
def test_departures_are_told_up_to_twenty(departures: int, suite: str | None, told: int) -> None:
    """And, if there are any, that another version of the suite has recorded."""
    said: list[str] = []
    player = Player(Recording(suite=recorded._suite() if suite is None else suite))
    player._missing = dict.fromkeys(f"{number} is missing" for number in range(departures))
    recorded.end(player, Arguments(replay="f"), Options(), None, said.append)  # type: ignore[arg-type]
    assert len(said) == told and all(line.startswith("f: ") for line in said)
    lines = [line.removeprefix("f: ") for line in said]
    version = ["it was recorded with version 0.0 of this suite"] * (suite is not None and bool(departures))
    more = [f"{departures - 20} more departures"] * (departures > 20)
    assert lines == [*version, *(f"{number} is missing" for number in range(min(departures, 20))), *more]
