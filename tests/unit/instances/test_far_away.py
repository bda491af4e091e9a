"""What the root asks instances for: symbols, types and files; and the way to relays on workers of dask."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from dof.model import ProbeDesc
from runtime.consumer.events.symbols import Mapped, Symbol
from runtime.instances.root.remotetypes import RemoteSymbols, RemoteSystem
from runtime.instances.roster.clusterfile import ClusterError
from runtime.instances.wire import frames as f
from runtime.instances.wire.addresses import marked
from runtime.instances.wire.verbs import Verb

ADDRESS = 0xFFFFFFFF81000010
MARKED = marked(ADDRESS)
REAL = 0xFFFFFFFF81234560  # what an instance says that a marked address is


class Instances:
    """What instances answer, by the verb; `asked` is what they were asked."""

    def __init__(self, answers: dict[Verb, object]) -> None:
        self._answers = answers
        self.asked: list[tuple[object, ...]] = []

    def did(self, verb: Verb, *arguments: object, instance: int = 0) -> object:
        self.asked.append((verb, *arguments, instance))
        found = self._answers.get(verb)
        if isinstance(found, OSError):
            raise found
        return found

    def do(self, verb: Verb, *arguments: object, instance: int = 0) -> bytes:
        found = self.did(verb, *arguments, instance=instance)
        assert isinstance(found, bytes)
        return found


WAYS: dict[str, tuple[Verb, tuple[int, ...], int]] = {  # a method, and what it asks of which instances
    "kernel": (Verb.KERNEL_SYMBOL, (ADDRESS,), 0), "kernel_module": (Verb.KERNEL_MODULE, (ADDRESS,), 0),
    "user": (Verb.USER_SYMBOL, (7, 0x1234), f.EVERY),
    "user_mapping": (Verb.USER_MAPPING, (7, 0x1234), f.EVERY)}
SYMBOL, MAPPED = ["a\nb", "c\x1b", 16, 8], ["m\n", 32, True]


@pytest.mark.parametrize("way", WAYS)
def test_symbols(way: str) -> None:
    """Each address is asked for once, whether it is known or not; control characters are escaped."""
    verb, arguments, instance = WAYS[way]
    is_symbol = way in ("kernel", "user")
    known: object = Symbol("a\\x0ab", "c\\x1b", 16, 8) if is_symbol else Mapped("m\\x0a", 32, True)
    for answer, found in ((SYMBOL if is_symbol else MAPPED, known), (MAPPED if is_symbol else SYMBOL, None),
                          (None, None), ("text", None), ([], None), ([1, 2, 3, 4], None), (OSError(5), None)):
        instances = Instances({verb: answer})
        symbols = RemoteSymbols(instances.did)
        assert [getattr(symbols, way)(*arguments) for _ in range(3)] == [found] * 3
        assert instances.asked == [(verb, *arguments, instance)]


@pytest.mark.parametrize(("answer", "symbol", "mapped"), [
    (None, Symbol("?", f"{ADDRESS:#x}", MARKED), Mapped("?", MARKED)),
    (OSError(5), Symbol("?", f"{ADDRESS:#x}", MARKED), Mapped("?", MARKED)),
    (["lab\n", REAL, None, None], Symbol("lab\\x0a", f"{REAL:#x}", MARKED, 1),
     Mapped(f"lab\\x0a`{REAL:#x}", MARKED)),
    (["lab", REAL, ["genunix\t", "open\n", REAL - 16, 64], None],
     Symbol("lab:genunix\\x09", "open\\x0a", MARKED - 16, 64), Mapped(f"lab`{REAL:#x}", MARKED)),
    (["lab", REAL, None, ["unix\n", REAL - 32, True]],
     Symbol("lab", f"{REAL:#x}", MARKED, 1), Mapped("lab:unix\\x0a", MARKED - 32, True)),
    (["lab", REAL, ["m", "f", REAL, 0], ["m", REAL - 8, False]],
     Symbol("lab:m", "f", MARKED, 0), Mapped("lab:m", MARKED - 8, False))])
def test_addresses_of_one_instance_alone(answer: object, symbol: Symbol, mapped: Mapped) -> None:
    """Its path stands in front; where the address lies in a symbol or a module stays as it is there."""
    instances = Instances({Verb.ADDRESS: answer})
    symbols = RemoteSymbols(instances.did)
    for _ in range(2):
        assert (symbols.kernel(MARKED), symbols.kernel_module(MARKED)) == (symbol, mapped)
    assert instances.asked == [(Verb.ADDRESS, MARKED, f.EVERY)]


def system(answers: dict[Verb, object], types: Any = None, **more: Any) -> tuple[RemoteSystem, Instances]:
    instances = Instances(answers)
    made = RemoteSystem(instances.did, instances.do, lambda pattern: [len(pattern), 99],
                        lambda probe: probe + 1, types=types or SimpleNamespace(**more))
    return made, instances


@pytest.mark.parametrize(("answer", "found"), [
    (["open", "genunix", 64, 8, True], ("open", "genunix", 64, 8, "int(*)")),
    (["freemem", "unix", 64, 8, False], ("freemem", "unix", 64, 8, "type of freemem")),
    (["gone", "unix", 64, 8, False], ("gone", "unix", 64, 8, "")), (None, None), (["a", "b", 1, 2], None)])
def test_named_symbols(answer: object, found: tuple[object, ...] | None) -> None:
    """A function's type is that of a pointer to one."""
    made, instances = system({Verb.NAMED: answer}, basic=str, pointer=lambda type_: f"{type_.returns}(*)",
                             variable=lambda name: f"type of {name}" if name != "gone" else None)
    assert made.named("m", "n") == found
    assert instances.asked == [(Verb.NAMED, "m", "n", 0)]


@pytest.mark.parametrize(("answer", "found"), [
    (["D_TAG", "text"], ("D_TAG", "text")), (None, None), (["x"], None)])
def test_mistakes_are_those_of_the_first_instance_that_is_meant(answer: object, found: object) -> None:
    made, instances = system({Verb.MISTAKE: answer})
    assert made.mistake(ProbeDesc("p", "m", "f", "n", instance="lab")) == found
    assert instances.asked == [(Verb.MISTAKE, "p", "m", "f", "n", 3)]


def test_types_of_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the processes that are traced, in their order; before, only those whose number is given."""
    made, _ = system({})
    asked: Any = SimpleNamespace(scope=lambda module, targets: (module, list(targets)))
    monkeypatch.setitem(vars(made), "_user_types", asked)
    assert made._program_types("libc") is None
    assert made._program_types("pid7") == ("pid7", [])
    for pid, instance in ((7, 0), (8, 2), (7, 0), (7, 1)):
        made.target(pid, instance)
    assert made._program_types("libc") == ("libc", [7, 2 << 32 | 8, 1 << 32 | 7])


def test_objects_of_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked of its instance; files that are no programs are left out."""
    rows = [["/bin/a", "a", 16, 1], ["/lib/gone", "g", 0, 0], ["/lib/b", "b", 32, 0]]
    made, instances = system({Verb.OBJECTS: rows})
    monkeypatch.setattr(made, "_file", lambda instance, path: None if "gone" in path else (instance, path))
    found = made._objects_of(2 << 32 | 7, "a.out")
    assert [(each.file, each.name, each.bias, each.is_program) for each in found] == [
        ((2, "/bin/a"), "a", 16, True), ((2, "/lib/b"), "b", 32, False)]
    assert instances.asked == [(Verb.OBJECTS, 7, "a.out", 2)]
    assert system({Verb.OBJECTS: None})[0]._objects_of(7, "") == []
    with pytest.raises(ProcessLookupError):
        system({Verb.OBJECTS: OSError(3)})[0]._objects_of(7, "")


def test_files_of_instances() -> None:
    """Read once for each instance; what is missing, empty or no program is none."""
    with open("/proc/self/exe", "rb") as file:
        program = file.read()
    for answer in (program, b"", b"no program", OSError(2)):
        made, instances = system({Verb.FILE: answer})
        found = [made._file(3, "/opt/x") for _ in range(2)]
        assert found[0] is found[1] and (found[0] is not None) == (answer is program)
        assert instances.asked[0] == (Verb.FILE, "/opt/x", 3) and len(instances.asked) <= 5
        before = len(instances.asked)
        made._file(4, "/opt/x")
        assert instances.asked[before] == (Verb.FILE, "/opt/x", 4)


@pytest.mark.parametrize(("name", "answer", "known"), [
    ("entry", ["/bin/a", "f", 16, 8], True), ("return", ["/bin/a", "f", 16, 8], True),
    ("17", ["/bin/a", "f", 16, 8], False), ("entry", ["/gone", "f", 16, 8], False), ("entry", None, False)])
def test_arguments_of_programs(name: str, answer: object, known: bool,
                               monkeypatch: pytest.MonkeyPatch) -> None:
    made, instances = system({Verb.FUNCTION: answer})
    monkeypatch.setattr(made, "_file", lambda instance, path: (instance, path) if path == "/bin/a" else None)
    told: Any = SimpleNamespace(arguments=lambda file, function, probe: (
        file, function.name, function.start, function.size, probe))
    monkeypatch.setitem(vars(made), "_user_types", told)
    probe: Any = SimpleNamespace(id=4, provider="pid7", module="a", function="f", name=name)
    assert made.user_arguments(probe) == (((5, "/bin/a"), "f", 16, 8, name) if known else None)
    assert instances.asked == [(Verb.FUNCTION, "pid7", "a", "f", 5)] * (name != "17")


@pytest.mark.parametrize(("answer", "known"), [("/bin/a", True), ("/gone", False), (None, False), (7, False)])
def test_types_of_static_probes(answer: object, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made, instances = system({Verb.OBJECT: answer})
    monkeypatch.setattr(made, "_file", lambda instance, path: (instance, path) if path == "/bin/a" else None)
    told: Any = SimpleNamespace(of=lambda file: SimpleNamespace(
        scope=SimpleNamespace(lookup=lambda name: (file, name))))
    monkeypatch.setitem(vars(made), "_user_types", told)
    probe: Any = SimpleNamespace(id=4, provider="shop7", module="a")
    assert made.user_type(probe, "order_t") == (((5, "/bin/a"), "userland order_t") if known else None)
    assert instances.asked == [(Verb.OBJECT, "shop7", "a", 5)]


# -- dask ----------------------------------------------------------------------------------------------

class Future:
    """What a worker answers, or raises; `waited` is for how long it was waited for."""

    def __init__(self, answer: object) -> None:
        self._answer = answer
        self.waited: list[float] = []

    def result(self, timeout: float) -> object:
        self.waited.append(timeout)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.fixture(scope="module")
def daskengine() -> Any:
    return pytest.importorskip("runtime.instances.starting.daskengine", exc_type=ImportError)


def transport(daskengine: Any, answer: object, silence: object = 0.0
              ) -> tuple[Any, Future, Future, list[object]]:
    answered, silent = Future(answer), Future(silence)
    sent: list[object] = []

    def exchange(data: bytes) -> Future:
        sent.append(data)
        return answered

    actor = SimpleNamespace(exchange=exchange, halt=lambda data: sent.append(("halt", data)),
                            silence=lambda: silent, end=lambda: sent.append("end"))
    return daskengine.ActorTransport(actor, "tcp://w"), answered, silent, sent


def test_requests_to_workers(daskengine: Any) -> None:
    made, answered, _, sent = transport(daskengine, b"answer")
    assert made.receive(1.0) is None and not answered.waited
    request, halt = f.write(f.Beat()), f.write(f.Halt())
    made.send(halt)
    assert made.receive(1.0) is None
    made.send(request)
    assert made.receive(6.0) == b"answer" and answered.waited == [3.0]
    assert made.receive(1.0) is None  # it is answered once
    made.send(request)
    made.receive(0.0)
    assert answered.waited == [3.0, 0.1]
    made.close()
    assert sent == [("halt", halt), request, request, "end"]


@pytest.mark.parametrize(("silence", "seconds", "said"), [
    (0.0, 5.0, ""), (4.9, 5.0, ""), (5.0, 5.0, "nothing was heard for 5.0 s"), (0.05, 0.0, ""),
    (0.15, 0.0, "nothing was heard for 0.1 s"), (TimeoutError(), 5.0, "nothing was heard for 10.0 s"),
    (TimeoutError(), 20.0, "nothing was heard for 20.0 s"), (RuntimeError("gone"), 5.0, "gone")])
def test_workers_that_take_long(silence: object, seconds: float, said: str, daskengine: Any) -> None:
    """While a relay says that it is alive there is a beat; its answer may come later."""
    made, answered, silent, _ = transport(daskengine, TimeoutError(), silence)
    made.send(f.write(f.Beat()))
    for _ in range(2):
        if said:
            with pytest.raises(OSError, match=f"worker tcp://w: {said}"):
                made.receive(seconds)
        else:
            assert made.receive(seconds) == f.write(f.Beat())
    assert silent.waited == [max(seconds, daskengine.PATIENCE)] * 2
    assert answered.waited == [max(seconds / 2, 0.1)] * 2


def test_workers_that_are_gone(daskengine: Any) -> None:
    made, *_ = transport(daskengine, RuntimeError("lost it"))
    made.send(f.write(f.Beat()))
    with pytest.raises(OSError, match="worker tcp://w: lost it"):
        made.receive(1.0)

    def fail(_data: bytes) -> None:
        raise RuntimeError("no way")

    broken = daskengine.ActorTransport(SimpleNamespace(exchange=fail, halt=fail), "tcp://w")
    for data in (f.write(f.Beat()), f.write(f.Halt())):
        with pytest.raises(OSError, match="worker tcp://w: no way"):
            broken.send(data)
    broken.close()  # whatever fails at the end is nobody's concern


def engine(daskengine: Any, **client: Any) -> tuple[Any, list[str]]:
    closed: list[str] = []
    made = daskengine.DaskEngine.__new__(daskengine.DaskEngine)
    entries = [SimpleNamespace(name=name, parent=parent) for name, parent in (
        ("host", ""), ("a", ""), ("b", ""), ("c", "a"), ("d", ""), ("e", ""))]
    made._description = SimpleNamespace(scheduler="tcp://s:1", instances=entries, heartbeat=1.0)
    made._options, made._place = {}, "lab.toml:3: cluster.scheduler"
    made._client = SimpleNamespace(close=lambda timeout: closed.append("closed"), **client)
    return made, closed


@pytest.mark.parametrize(("raised", "reason"), [
    (RuntimeError("no room\nTraceback"), "no room"), (RuntimeError(), "RuntimeError"),
    (TimeoutError(), "TimeoutError")])
def test_a_worker_that_cannot_begin(raised: Exception, reason: str, daskengine: Any,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    future = Future(raised)
    made, closed = engine(daskengine, submit=lambda *_words, **_options: future)
    monkeypatch.setattr("runtime.instances.starting.workerprocess.specification", lambda *_: "text")
    with pytest.raises(ClusterError, match=f"^lab.toml:3: .*: worker tcp://w cannot begin: {reason};"):
        made._begun("tcp://w", [])
    assert closed == ["closed"] and future.waited == [daskengine.BEGINNING]


@pytest.mark.parametrize(("workers", "shares"), [
    ("x", [("x", "a b d e")]), ("y x", [("x", "a d"), ("y", "b e")]),
    ("x y z", [("x", "a e"), ("y", "b"), ("z", "d")]),
    ("1 2 3 4 5 6", [("1", "a"), ("2", "b"), ("3", "d"), ("4", "e")])])
def test_which_worker_has_which_instances(workers: str, shares: list[tuple[str, str]], daskengine: Any,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    """They are dealt out in turn, but those below others and the host; a worker without any has no relay."""
    begun: list[tuple[str, str]] = []
    known = dict.fromkeys(workers.split(), "spec")
    made, closed = engine(daskengine, scheduler_info=lambda n_workers: {"workers": known},
                          run=lambda *_words, **_options: known)
    monkeypatch.setattr(made, "_begun", lambda address, share: begun.append(
        (address, " ".join(each.name for each in share))))
    monkeypatch.setattr(daskengine, "Link", lambda transport, heartbeat: heartbeat)
    children = made.children(7)
    assert begun == shares and not closed
    assert [child.number for child in children] == list(range(7, 7 + len(shares)))


def fail(error: Exception) -> Callable[..., object]:
    def raises(*_words: object, **_options: object) -> object:
        raise error
    return raises


@pytest.mark.parametrize(("workers", "run", "said"), [
    ({}, None, "tcp://s:1: it has no workers"),
    ({"x": 1}, lambda *_words, **_options: {"x": None}, "worker x does not have this package: install"),
    ({"x": 1}, lambda *_words, **_options: {"x": OSError("no disk")},
     "worker x does not have this package \\(no disk\\): install"),
    ({"x": 1}, fail(RuntimeError("lost")),
     "worker tcp://s:1 does not have this package \\(lost\\): install")])
def test_workers_of_no_use(workers: dict[str, int], run: object, said: str, daskengine: Any) -> None:
    made, closed = engine(daskengine, scheduler_info=lambda n_workers: {"workers": workers}, run=run)
    with pytest.raises(ClusterError, match=f"^lab.toml:3: cluster.scheduler: {said}"):
        made.children(1)
    assert closed == ["closed"]
