"""What providers of the kernel pass to a probe: five arguments, 0 where there are none; more by number."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dc.names.catalog import Argument
from runtime.framework.probes.registry import ArgDesc
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.kernel.process import lifecycle
from runtime.kernel.syscalls import lookup
from runtime.kernel.syscalls.process import mapping
from runtime.kernel.vfs import fops
from runtime.providers import fbt, hooked, syscall

Fired = list[tuple[int, ...]]


def firing(name: str, fired: Fired, function: str = "") -> Any:
    return SimpleNamespace(name=name, function=function, id=7, needs=5,
                           fire=lambda *values: fired.append(values))


def kernel() -> Any:
    objects = SimpleNamespace(address=lambda kind, held: 0 if held is None else 0x1000 + len(str(held)),
                              text=lambda data: 0x9000 + len(data))
    return SimpleNamespace(hooks=Hooks(), objects=objects)


@pytest.mark.parametrize(("bits", "name", "registers", "expected", "more"), [
    (64, "getppid", [9] * 6, (0, 0, 0, 0, 0), [0] * 7),
    (64, "kill", [(1 << 64) - 1, 9, 8, 8, 8, 8], (-1, 9, 0, 0, 0), [(1 << 64) - 1, 9, *[0] * 5]),
    (64, "mmap", [1, 2, 3, 4, 5, 6], (1, 2, 3, 4, 5), [1, 2, 3, 4, 5, 6, 0]),
    (32, "kill", [(1 << 32) - 2, 9, 8, 8, 8, 8], (-2, 9, 0, 0, 0), [(1 << 64) - 2, 9, *[0] * 5]),
    (32, "readahead", [1, 2, 3, 4, 5, 6], (1, 2 | 3 << 32, 4, 0, 0), [1, 2 | 3 << 32, 4, 0, 0, 0, 0])])
def test_a_call(bits: int, name: str, registers: list[int], expected: tuple[int, ...],
                more: list[int]) -> None:
    machine, fired = kernel(), list[tuple[int, ...]]()
    operations = syscall._Syscall(lambda: machine)
    operations.provider = SimpleNamespace(create=lambda *_: None)  # type: ignore[assignment]
    operations.make()
    thread: Any = SimpleNamespace(process=SimpleNamespace(bits=bits), errno=0)
    entry, leaving = firing("entry", fired, name), firing("return", fired, name)
    operations.enable(entry)
    operations.enable(leaving)
    machine.hooks.syscall_entry(thread, name, registers)
    assert fired == [expected]
    assert [operations.getarg(entry, index) for index in range(7)] == more
    assert operations.getarg(leaving, 0) == 0
    machine.hooks.syscall_entry(thread, "exit", registers)  # without a probe
    machine.hooks.syscall_return(thread, "exit", 1)
    machine.hooks.syscall_return(thread, name, 77)
    thread.errno = 2
    machine.hooks.syscall_return(thread, name, 77)
    assert fired[1:] == [(77, 77, 0, 0, 0), (-1, -1, 0, 0, 0)]
    entry.fire = leaving.fire = None
    machine.hooks.syscall_entry(thread, name, registers)
    machine.hooks.syscall_return(thread, name, 77)
    operations.disable(entry)
    assert machine.hooks.syscall_entry is None and machine.hooks.syscall_return is not None
    operations.disable(leaving)
    assert machine.hooks.syscall_return is None and len(fired) == 3


@pytest.mark.parametrize("count", range(8))
def test_a_point(count: int) -> None:
    values = tuple(range(11, 11 + count))
    machine, fired = kernel(), list[tuple[int, ...]]()
    point = hooked.Point("here", "exec", "f", lambda _kernel, what: values if what == "this" else None)
    operations = hooked.HookedProvider(lambda: machine, [point], {"here": (Argument("int", 1),)})
    probe = firing("here", fired)
    operations.enable(probe)
    machine.hooks.exec("other")
    machine.hooks.exec("this")
    assert fired == [(*values, 0, 0, 0, 0, 0)[:5]]
    assert [operations.getarg(probe, index) for index in range(count + 1)] == [*values, 0]
    described = operations.argdesc(probe, 0)
    assert described is not None and described.native == "int" and operations.argdesc(probe, 1) is None
    operations.disable(probe)
    assert machine.hooks.exec is None


@pytest.mark.parametrize("count", range(8))
def test_a_function(count: int) -> None:
    fired = list[tuple[int, ...]]()
    operations = fbt._Fbt(kernel)
    probe, values = firing("entry", fired), list(range(11, 11 + count))
    operations._fire(probe, values)
    assert fired == [(*values, 0, 0, 0, 0, 0)[:5]]
    assert [operations.getarg(probe, index) for index in range(count + 1)] == [*values, 0]
    probe.fire = None
    operations._fire(probe, values)
    assert len(fired) == 1


def test_types_of_a_function() -> None:
    operations = fbt._Fbt(kernel)

    def types(function: str, name: str) -> list[str]:
        probe = firing(name, [], function)
        found: list[ArgDesc | None] = [operations.argdesc(probe, index) for index in range(9)]
        return [each.native for each in found if each is not None]
    assert types("as_map", "entry") == list(KFUNCTIONS["as_map"].arguments)
    returning = {each.returns for each in KFUNCTIONS.values()}
    assert {"void", "int"} <= returning
    for function in KFUNCTIONS.values():
        expected = ["int"] if function.returns == "void" else ["int", function.returns]
        assert types(function.name, "return") == expected


@pytest.mark.parametrize(("type_", "value", "expected"), [
    ("int", 5, 5), ("char *", b"abc", 0x9003), ("char *", "ab", 0x9002), ("char *", None, 0),
    ("vnode_t *", None, 0), ("vnode_t *", "node", 0x1004), ("int", b"abc", 0), ("int", None, 0),
    ("unknown *", "x", 0)])
def test_values_of_a_function(type_: str, value: object, expected: int) -> None:
    assert fbt.value_of(kernel().objects, type_, value) == expected


def test_a_result() -> None:
    """What a function returns where it fails: no object, or the error as the number."""
    watched: list[Any] = []
    machine = kernel()
    machine.functions = SimpleNamespace(watch=lambda name, returned: watched.append(returned),
                                        unwatch=lambda name, watcher: watched.remove(watcher))
    assert lookup and mapping and fops and lifecycle  # have the functions' code
    found = {}
    for name, result in (("getf", "file"), ("as_map", 0x5000), ("cfork", 12), ("fop_close", None)):
        fired = list[tuple[int, ...]]()
        operations = fbt._Fbt(lambda: machine)
        probe = firing("return", fired, name)
        operations.enable(probe)
        watched[0]((), result, 0)
        watched[0]((), None, 9)
        operations.disable(probe)
        end = KFUNCTIONS[name].end
        assert [each[0] for each in fired] == [end, end] and not watched
        found[name] = [each[1] for each in fired]
        assert {each[2:] for each in fired} == {(0, 0, 0)}
    assert {name: KFUNCTIONS[name].returns for name in found} == {
        "getf": "file_t *", "as_map": "int", "cfork": "pid_t", "fop_close": "int"}
    assert found == {"getf": [0x1004, 0], "as_map": [0, 9], "cfork": [12, 9], "fop_close": [0, 9]}
