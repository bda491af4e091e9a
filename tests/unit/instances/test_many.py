"""Many instances over three levels: the totals are right, also when some are killed and some are hostile.

tests/benchmarks/instances.py does the same with a thousand.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from many import Drive, Plan, differences, made_up, relay

from runtime.instances.hop.children import Child, Inner
from runtime.instances.hop.relay import Relay


@pytest.mark.parametrize("killed,hostile", [(0, 0), (12, 0), (6, 6)])
def test_totals_are_as_one_after_another(killed: int, hostile: int) -> None:
    plan = Plan(instances=60, workers=2, seconds=1, killed=killed, hostile=hostile)
    frames = made_up() if hostile else []
    root = Relay([Child(number, "", Inner(relay(plan, number, frames))) for number in range(plan.workers)])
    drive = Drive(plan, root)
    drive.enable()
    assert list(drive.rounds()) == [1, 2, 3, 4, 5]
    drive.close()
    assert differences(plan, drive.results) == []
    assert (list(drive.results.gone.values()).count("quarantined") > 0) == bool(hostile)
