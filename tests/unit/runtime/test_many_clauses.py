"""More clauses of one probe than are translated into one function."""

from __future__ import annotations

import pytest

from runtime.consumer.consumer import Consumer
from runtime.framework import framework
from runtime.machine import Machine


@pytest.mark.parametrize("most", [2, 100])
def test_all_run_in_order(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framework, "TRANSLATED_MAX", most)
    machine = Machine()
    clauses = "".join(f"BEGIN {{ trace({number}); }}\n" for number in range(10))
    with Consumer.open(machine) as dtrace:
        fired = [each.values for each in dtrace.trace(clauses + "BEGIN { exit(0); }", seconds=1)]
    machine.close()
    assert [list(each) for each in fired if each][:10] == [[number] for number in range(10)]
