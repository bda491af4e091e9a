"""Numbers of the first processes, of the superuser, and of the only project and task."""

from __future__ import annotations

INIT, FIRST_PID = 1, 100  # processes: init, and the first that is made after it
ROOT = 0  # user and group
PROJECT = TASK = 1
