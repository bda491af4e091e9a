"""A plugin of pytest: the fixture `dtrace`, which traces a program in an emulated machine of its own.

    def test_orders(dtrace):
        run = dtrace("shop$target:::order-start { @[copyinstr(arg1)] = count(); }", command=["./shop", "3"])
        assert run.aggregation() == {("ada",): 1, ("brian",): 1, ("grace",): 1}

pytest imports this file at each start: what takes time is imported when a test first asks for the fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from runtime.dtest.fixture import Dtrace


@pytest.fixture
def dtrace(tmp_path: Path) -> Dtrace:
    """Trace: dtrace("syscall::read:entry { @ = count(); }", command=["ls"]) returns what was seen."""
    from runtime.dtest.fixture import Dtrace

    return Dtrace(tmp_path)
