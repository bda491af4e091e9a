"""The environments that programs of the machine have when the host gives them none."""

from __future__ import annotations

DEFAULT_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/", "LANG": "C.UTF-8"}
CLEAN_ENVIRONMENT = DEFAULT_ENVIRONMENT | {"TZ": "UTC0"}  # of a machine that takes nothing of the host's
