"""Parts of the way to many instances by themselves: a link, a ledger, what waits, a server's words."""

from __future__ import annotations

import errno
import io
import os
import signal
import socket
import time as clock
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner

from dif.limits import SECOND
from runtime.instances.endpoint import doings
from runtime.instances.endpoint.waiting import Waiting
from runtime.instances.hop.clocks import DRIFT, Clock, Estimate, estimate
from runtime.instances.hop.ledger import Ledger
from runtime.instances.roster.clusterfile import ClusterFile, InstanceEntry
from runtime.instances.starting import dinstance, starter, workerprocess
from runtime.instances.wire import frames as f
from runtime.instances.wire import links
from runtime.instances.wire.links import Link, Lost, Quarantined, Rebooted
from runtime.instances.wire.network import exactly


class Time:
    """A clock that goes on only where something waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Script:
    """A transport that gives what a script says: bytes, None after all of a wait, an error, (wait, bytes)."""

    def __init__(self, time: Time, *steps: object) -> None:
        self.time, self.steps = time, list(steps)
        self.sent: list[bytes] = []
        self.waits: list[float] = []
        self.closed = False

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def receive(self, seconds: float) -> bytes | None:
        self.waits.append(round(seconds, 6))
        step = self.steps.pop(0)
        if isinstance(step, OSError):
            raise step
        if isinstance(step, tuple):
            self.time.now += step[0]
            step = step[1]
        if step is None:
            self.time.now += seconds
        return step  # type: ignore[return-value]

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(links, "time", time)
    return time


DONE = f.Done(5, 0)


def done(number: int) -> bytes:
    return f.write(DONE, number)


def asked(transport: Script, **options: Any) -> Link:
    link = Link(transport, **options)
    link.send(f.Close())
    return link


def test_a_link_waits_three_heartbeats_from_the_last_frame(time: Time) -> None:
    beat, end = f.write(f.Beat()), done(1)
    transport = Script(time, (2.0, beat), (2.5, beat[:3]), (0.25, beat[3:] + end[:5]), end[5:])
    link = asked(transport)
    assert link.receive() == [DONE]
    assert transport.waits == [3.0, 3.0, 0.5, 3.0] and link.received == 2 * len(beat) + len(end)
    assert transport.sent == [f.write(f.Close(), 1)] and link.open and link.returned() is None
    transport.steps = [None]
    link.send(f.Close())
    with pytest.raises(Lost, match=r"^nothing was heard for 3 heartbeats$"):
        link.receive()
    assert transport.closed and not link.open
    with pytest.raises(Lost, match="it was closed"):
        link.send(f.Close())
    link.halt()
    assert len(transport.sent) == 2


def test_a_link_has_a_deadline_from_the_request(time: Time) -> None:
    beat = f.write(f.Beat())
    transport = Script(time, (2.0, beat), (2.0, beat), (0.001, None))
    link = asked(transport, deadline=5 * SECOND)
    with pytest.raises(Lost, match=r"^no answer within 5 s$"):
        link.receive()
    assert transport.waits == [3.0, 3.0, 1.0]
    # who is listened to late has a heartbeat more, and pauses of a twentieth
    transport = Script(time, (0.9, beat), (0.09, beat), (0.02, beat))
    link = asked(transport, deadline=5 * SECOND)
    time.now += 6
    with pytest.raises(Lost, match=r"^no answer within 5 s$"):
        link.receive()
    assert transport.waits == [0.05, 0.05, 0.05] and not transport.steps
    transport = Script(time, (0.5, beat), (0.001, None))
    link = asked(transport, deadline=5 * SECOND)
    time.now += 5
    with pytest.raises(Lost, match=r"^no answer within 5 s$"):
        link.receive()


def test_the_third_offence_is_one_too_many(time: Time) -> None:
    told: list[str] = []
    strange = done(7)
    transport = Script(time, strange + strange, done(1), done(1) + done(1) + done(2))
    link = asked(transport, offended=told.append)
    assert link.receive() == [DONE] and link.offences == 2
    assert told == ["an answer to request 7, where 1 is under way"] * 2
    link.send(f.Close())
    assert link.receive() == [DONE] and link.offences == 2  # answers to the first are late, and no offence
    transport.steps = [strange]
    link.send(f.Close())
    with pytest.raises(Quarantined, match="an answer to request 7, where 3 is under way"):
        link.receive()
    assert transport.closed and not link.open and link.offences == 3
    transport = Script(time, done(1), done(1) + done(2))
    link = asked(transport, trusted=False, again=lambda: (transport, True))
    link.receive()
    link.send(f.Close())
    assert link.receive() == [DONE] and link.offences == 1  # nothing that is late from who is not trusted


@pytest.mark.parametrize(("name", "reason"), [("MOST_BYTES", "an answer of more than 20 bytes"),
                                              ("MOST_FRAMES", "an answer of more than 20 frames")])
def test_an_answer_has_a_bound(time: Time, monkeypatch: pytest.MonkeyPatch, name: str, reason: str) -> None:
    monkeypatch.setattr(links, name, 20)
    one = f.write(f.Answer(0, b""), 1)
    many = 20 if name == "MOST_FRAMES" else 0
    exact = [one * many] if many else [done(1)[:5], done(1)[5:]]
    steps = [*exact, done(1)] if many else exact
    trusted = asked(Script(time, one * 21 + done(1)))
    assert len(trusted.receive()) == 22
    if len(done(1)) <= 20 and not many:
        assert asked(Script(time, *steps), trusted=False).receive() == [DONE]
    with pytest.raises(Quarantined, match=reason):
        asked(Script(time, one * 20, one), trusted=False).receive()


def test_a_link_is_slow_where_it_must_be(time: Time) -> None:
    one = f.write(f.Answer(0, bytes(100)), 1)
    exact = len(one)
    assert len(asked(Script(time, one, (1.0, one + done(1))), rate=exact).receive()) == 3
    with pytest.raises(Quarantined, match=f"^more than {exact} bytes a second$"):
        asked(Script(time, one, one, (0.9, one)), rate=exact).receive()


def test_a_connection_that_breaks_is_made_anew_and_the_request_sent_again(time: Time) -> None:
    second = Script(time, done(1))
    first = Script(time, f.write(f.Answer(0, b"lost"), 1), b"")
    failures: list[OSError] = [OSError(111, "refused"), OSError(None, "gone")]

    def again() -> tuple[Script, bool]:
        if failures:
            raise failures.pop()
        return second, False

    link = asked(first, again=again)
    assert link.receive() == [DONE] and first.closed and second.sent == first.sent
    assert time.now == 100.5  # a quarter of a heartbeat after each failure
    second.steps = [OSError(104, "reset")]
    link.send(f.Close())
    with pytest.raises(Rebooted, match="it has booted anew"):  # the second request meant what was known
        link.receive()
    assert link.returned() is False and link.returned() is None


def test_a_connection_that_is_not_made_anew_is_lost(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "_Seeker", lambda *_words: SimpleNamespace(start=lambda: None, found=None,
                                                                          end=lambda: None))
    tried: list[float] = []

    def never() -> tuple[Script, bool]:
        tried.append(time.now)
        raise OSError(None, "no way")

    link = asked(Script(time, b""), again=never)
    with pytest.raises(Lost, match=r"^no way$"):
        link.receive()
    assert tried == [100 + quarter / 4 for quarter in range(14)]
    with pytest.raises(Lost, match=r"^the connection has ended$"):
        asked(Script(time, b"")).receive()
    with pytest.raises(Lost, match=r"^reset$"):
        asked(Script(time, OSError(104, "reset"))).receive()


def test_what_is_too_short_is_not_waited_for_after_the_end() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"abc")
        theirs.shutdown(socket.SHUT_WR)
        assert exactly(ours, 2) == b"ab"
        with pytest.raises(OSError, match=r"the connection has ended$"):
            exactly(ours, 2)


def test_a_child_that_is_found_again(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    seeker = SimpleNamespace(start=lambda: None, found=None, end=lambda: None)
    monkeypatch.setattr(links, "_Seeker", lambda *_words: seeker)
    link = asked(Script(time, None), again=lambda: (Script(time), True))
    with pytest.raises(Lost):
        link.receive()
    assert link.returned() is None and not link.open
    there = Script(time, done(1))
    seeker.found = there, True
    assert link.returned() is True and link.open and there.sent == [f.write(f.Close(), 1)]
    assert link.receive() == [DONE] and link.returned() is None
    link = asked(Script(time, None), again=lambda: (Script(time), True))
    with pytest.raises(Lost):
        link.receive()
    seeker.found = Script(time), False
    assert link.returned() is False and not seeker.found[0].sent  # it knows nothing of the request


def test_who_seeks_a_lost_child_leaves_no_connection_open(time: Time) -> None:
    """Neither one that nobody has asked for yet nor one that comes after the end."""
    found, late = Script(time), Script(time)
    seeker = links._Seeker(lambda: (found, True), 0)
    seeker.run()
    assert seeker.found == (found, True) and not found.closed
    seeker.end()
    assert found.closed
    slow = links._Seeker(lambda: (slow.end(), (late, True))[1], 0)
    slow.run()
    assert slow.found is None and late.closed


def test_a_ledger_sums_over_boots_and_losses() -> None:
    ledger = Ledger()
    ledger.produce("p", 10)
    ledger.produce("p", 8)  # late word of earlier
    ledger.deliver("p", 4)
    ledger.drop("p", "host", "late", 0)
    ledger.drop("p", "host", "late", 2)
    ledger.drop("p", "host", "late", 1)
    ledger.drop("p", "p", "dynamic", 9)  # no records of their own
    assert list(ledger.lines()) == [
        "instance p: 10 records produced, 4 delivered, 3 dropped (3 late at host, 9 dynamic at p)",
        "instance p: 10 records produced, but 4 delivered and 3 dropped"]
    ledger.lose("p", "p", "link", 3)
    ledger.resume("p")
    ledger.lose("p", "p", "link", 3)
    ledger.restart("p")
    assert ledger.of("p").dropped["p", "link"] == 3 and ledger.of("p").missing is None
    ledger.produce("p", 5)
    assert ledger.of("p").produced == 15 and ledger.of("p").before == 10
    ledger.deliver("p", 5)
    assert ledger.of("p").balanced and ledger.of("p").lost == 6
    ledger.lose("q", "q", "link", 1)
    ledger.produce("q", 2)
    ledger.settle()
    assert ledger.of("q").dropped == {("q", "link"): 2} and len(list(ledger.lines())) == 2


def test_estimates_age_and_the_last_eight_are_kept() -> None:
    assert estimate(100, 210, 215, 125) == Estimate(100, 10) and estimate(0, 5, 25, 10).error == 0
    assert estimate(0, 0, 0, 0) == Estimate(0, 0) and Estimate(5, 2).over(Estimate(-7, 1)) == Estimate(-2, 3)
    clock = Clock()
    assert clock.at(5) == Estimate()
    clock.learn(0, Estimate(7, 10))
    clock.learn(10 * SECOND, Estimate(9, 10))
    assert clock.at(0) == Estimate(7, 10) and clock.at(10 * SECOND) == Estimate(9, 10)
    assert clock.at(3 * SECOND) == Estimate(7, 10 + 3 * DRIFT) and clock.at(5 * SECOND).offset == 7
    for when in range(8):
        clock.learn(20 * SECOND, Estimate(when, 50))
    assert len(clock.exchanges) == 8 and clock.at(0).offset == 0
    assert [clock.forward(time, most) for time, most in ((5, 9), (4, 9), (12, 9), (12, 20), (3, 1))] == [
        5, 5, 9, 12, 12]
    assert clock.clamped == 3


def test_records_that_wait_are_counted_once() -> None:
    def words(*numbers: int) -> bytes:
        return b"".join(number.to_bytes(4, "little") for number in numbers)

    data = words(1, 0, 0, 0, 2, 9, 1, 0)  # two fillers between records of 8 bytes
    buffer = SimpleNamespace(cpu=0, offset=24, data=data)
    state = SimpleNamespace(buffers=[buffer], sizes={1: 8, 2: 8})
    waiting = Waiting(SimpleNamespace(tracing=SimpleNamespace(state=state)))  # type: ignore[arg-type]
    assert waiting.count() == 2 and waiting.counted[0] == (24, 2)
    buffer.offset = 32
    assert waiting.count() == 3 and waiting.counted[0] == (32, 3)
    buffer.offset = 8  # it has been emptied, and filled again
    assert waiting.count() == 1
    waiting.fetched(0)
    waiting.fetched(0)
    assert not waiting.counted and waiting.count() == 1


def test_what_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter, "PATIENCE", 0.05)
    one = starter.Starter.__new__(starter.Starter)
    stubborn = os.fork()
    if not stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.pause()
        os._exit(0)
    quick = os.fork()
    if not quick:
        os._exit(0)
    one.processes = [quick, stubborn, 1 << 22]
    one.end()
    assert one.processes == []
    with pytest.raises(ChildProcessError):
        os.waitpid(stubborn, os.WNOHANG)
    with pytest.raises(ProcessLookupError):
        os.kill(stubborn, 0)


@pytest.mark.parametrize(("words", "reason"), [
    (["--listen", "far"], "--listen far: it must be HOST:PORT"),
    (["--listen", "far:x"], "--listen far:x: it must be HOST:PORT"),
    (["--listen", "127.0.0.1:65536"], "cannot listen at 127.0.0.1:65536: "),
    (["--listen", "127.0.0.1:0", "-x", "nosuch=1"], "-x nosuch: it is no option of the machine"),
    (["--listen", "127.0.0.1:0", "-x", "strsize=1"], "-x strsize: it is no option of the machine"),
    (["--listen", "127.0.0.1:0", "--ca", "ca.pem"], "--ca needs --cert"),
    (["--listen", "127.0.0.1:0", "--cert", "none.pem"], "none.pem: No such file or directory"),
    (["--listen", "127.0.0.1:0", "--cert", "none.pem", "--key", "k"], "none.pem k: No such file"),
    (["--listen", "127.0.0.1:0", "--cluster", "none.toml"], "none.toml: No such file or directory"),
    ([], "Missing option '--listen'"),
])
def test_a_server_says_what_is_wrong(words: list[str], reason: str, tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(dinstance.dinstance, ["serve", *words])
    assert result.exit_code and f"Error: {reason}" in result.output


def test_a_session_keeps_nothing_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process closes what leads to other sessions: these see the end of the server."""
    class Ended(Exception):
        """The process would have ended."""

    def end(status: int) -> None:
        raise Ended(status)

    server = dinstance.Server.__new__(dinstance.Server)
    ours, theirs = socket.socketpair()
    server.sessions = {UUID(int=1): (ours, 7)}
    served: list[UUID] = []
    monkeypatch.setattr(dinstance.Server, "_serve", lambda _server, session, _control: served.append(session))
    monkeypatch.setattr(dinstance.os, "fork", lambda: 0)
    monkeypatch.setattr(dinstance.os, "_exit", end)
    listener = socket.socket()
    with pytest.raises(Ended, match="0"), theirs:
        server._begin(listener)
    assert ours.fileno() == listener.fileno() == -1 and len(served) == 1


@pytest.mark.parametrize(("comes", "asks", "done"), [
    (False, False, ["processes"]), (True, False, ["served", "end", "processes"]),
    (True, True, ["served", "served", "end", "processes"])])
def test_a_session_ends_what_it_has_started(comes: bool, asks: bool, done: list[str],
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is gone, before anybody came or afterwards; who has asked something may come again."""
    happened: list[str] = []
    service = SimpleNamespace(closed=False, asked=asks, serve=lambda _connection: happened.append("served"),
                              end=lambda: happened.append("end"))
    monkeypatch.setattr(dinstance, "Service", lambda *_words: service)
    monkeypatch.setattr(dinstance.signal, "signal", lambda *_words: None)
    server = dinstance.Server.__new__(dinstance.Server)
    server.tls = None
    server.starter = SimpleNamespace(  # type: ignore[assignment]
        description=SimpleNamespace(heartbeat=SECOND), served=lambda: None,
        end=lambda: happened.append("processes"))
    ours, theirs = socket.socketpair()
    far, near = socket.socketpair()
    with ours, theirs, far, near:
        for _ in range(2 if comes else 0):
            socket.send_fds(ours, [b"x"], [near.fileno()])
        ours.shutdown(socket.SHUT_WR)
        server._serve(UUID(int=1), theirs)
    assert happened == done


def test_what_could_not_be_made_says_why() -> None:
    failed = starter.Failed("no such file")
    assert list(failed.handle(f.Close())) == [f.Refused(0, errno.EINVAL, "no such file"), f.Done(0, 0)]


def test_a_worker_that_is_left_ends_what_it_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parent is gone without a word: the instances below are told to end, then the processes."""
    done: list[object] = []
    relay = SimpleNamespace(handle=lambda frame: [done.append(frame)])

    class Starter:
        def __init__(self, description: ClusterFile, options: dict[str, object]) -> None:
            done.append([each.path for each in description.instances])

        def top(self) -> list[InstanceEntry]:
            return []

        def relay(self, _entries: object) -> object:
            return relay

        def end(self) -> None:
            done.append("processes")

    monkeypatch.setattr(workerprocess, "Starter", Starter)
    description = ClusterFile("lab.toml", (InstanceEntry("host"),
                                           InstanceEntry("p", 2, options=(("a", "b"),))))
    text = workerprocess.specification(description, description.children("")[1:], {})
    monkeypatch.setattr(workerprocess.sys, "stdin", io.StringIO(text))
    ours, theirs = socket.socketpair()
    ours.close()
    workerprocess.main(theirs.detach())
    assert done == [["host", "p"], f.Close(), "processes"]


def test_options_of_a_server() -> None:
    words = "ncpus=2", "seed", "env=A=b"
    assert dinstance._options(words) == (("ncpus", "2"), ("seed", ""), ("env", "A=b"))


def test_only_the_kept_descriptors_stay_open() -> None:
    """And the standard ones."""
    ends = [os.pipe() for _ in range(3)]
    kept = ends[1][1]
    pid = os.fork()
    if not pid:
        starter._close_others(kept)
        os.write(kept, repr(sorted(int(name) for name in os.listdir("/proc/self/fd"))).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    for pair in ends:
        os.close(pair[1])
    told = os.read(ends[1][0], 100).decode()
    for pair in ends:
        os.close(pair[0])
    assert told == repr([0, 1, 2, 3, kept])  # to list the directory takes one more


class Broken(Script):
    """A connection that nothing can be sent over."""

    def send(self, data: bytes) -> None:
        raise OSError(32, "broken")


def test_a_child_that_is_found_and_gone_again(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    seekers: list[SimpleNamespace] = []

    def seeker(*_words: object) -> SimpleNamespace:
        seekers.append(SimpleNamespace(start=lambda: None, found=None, end=lambda: None))
        return seekers[-1]

    monkeypatch.setattr(links, "_Seeker", seeker)
    link = asked(Script(time, None), again=lambda: (Script(time), True))
    with pytest.raises(Lost):
        link.receive()
    gone = Broken(time)
    seekers[0].found = gone, True
    assert link.returned() is None and gone.closed and not link.open and len(seekers) == 2
    seekers[1].found = Script(time, done(1)), True
    assert link.returned() is True and link.receive() == [DONE]


def test_a_socket_is_waited_for_no_longer_than_it_is_said() -> None:
    one, other = socket.socketpair()
    transport = links.SocketTransport(one)
    began = clock.monotonic()
    assert transport.receive(0) is None and transport.receive(-5) is None and transport.receive(0.01) is None
    assert clock.monotonic() - began < 0.9
    other.sendall(b"some")
    assert transport.receive(0) == b"some"
    other.close()
    assert transport.receive(0) == b""
    transport.close()


def test_why_there_is_no_scheduler() -> None:
    daskengine = pytest.importorskip("runtime.instances.starting.daskengine", exc_type=ImportError)
    start = "nothing answers at {0}: {1}: start it with `dask scheduler`"
    late = "Timed out x"
    for address, reason in (("tcp://a:1", "refused"), ("tcp://a:1", late), ("tls://a:1", late)):
        assert daskengine._connection(address, reason) == start.format(address, reason)
    assert daskengine._connection("tls://a:1", "unknown ca").startswith("no TLS with tls://a:1: unknown ca: ")


def test_files_that_are_sent_have_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doings, "LARGEST_FILE", 3)
    found = {"/a": b"abc", "/b": b"abcd"}
    traced = doings.TracedMachine.__new__(doings.TracedMachine)
    traced._machine = SimpleNamespace(read=found.get)  # type: ignore[assignment]
    assert [traced._file([path]) for path in ("/a", "/b", "/c")] == [b"abc", b"", b""]
