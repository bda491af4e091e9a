"""Lets the tests of this directory import `usdt_programs`, and gives them a toolchain."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from usdt_programs import Toolchain


@pytest.fixture
def toolchain(tmp_path: Path) -> Toolchain:
    made = Toolchain(tmp_path, ["gcc", "-O2"])
    made.header()
    return made
