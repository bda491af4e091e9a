"""QEMU's user mode, which runs programs of other machines, where the host has it."""

from __future__ import annotations

import shutil


def user_mode(machine: str) -> str | None:
    """The path of the command for a machine, as most systems call it, or as Debian's static package does."""
    return shutil.which(f"qemu-{machine}") or shutil.which(f"qemu-{machine}-static")
