"""Property tests take the same examples every time, unless HYPOTHESIS_SEARCH asks for new ones."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
if not os.environ.get("HYPOTHESIS_SEARCH"):
    settings.load_profile("repeatable")
