"""Property tests take the same examples every time, unless HYPOTHESIS_SEARCH asks for new ones."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import settings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "programs"))

import compilers  # noqa: E402

settings.register_profile("repeatable", derandomize=True)
if not os.environ.get("HYPOTHESIS_SEARCH"):
    settings.load_profile("repeatable")
compilers.keep_zigs_cache(HERE.parent / "build" / "zig")
