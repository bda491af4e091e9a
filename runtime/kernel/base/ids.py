"""Numbers that processes, users, projects and tasks have from the start."""

from __future__ import annotations

INIT, FIRST_PID = 1, 100  # init's process, and the first that is made after it
ROOT = 0  # user and group
PROJECT = TASK = 1
