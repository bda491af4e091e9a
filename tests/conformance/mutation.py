"""The switches of changed source (mutants.py), a built-in name of every process of a run from its start on.

In the folder of this file: `active` holds the number of the change that is switched on, and `reached` gets
the number of each change that a process other than pytest's has reached.
"""

from __future__ import annotations

import builtins
import os
from pathlib import Path

FOLDER = Path(__file__).parent
REACHED = FOLDER / "reached"
ACTIVE = FOLDER / "active"


class Switches:
    """What is switched on, and what has been reached."""

    def __init__(self) -> None:
        self.active = int(ACTIVE.read_text()) if ACTIVE.exists() else 0
        self.seen: set[int] = set()
        self.tells = True

    def __call__(self, number: int) -> bool:
        """Whether the change of this number is switched on."""
        if number not in self.seen:
            self.seen.add(number)
            if self.tells:
                self._tell(number)
        return number == self.active

    def _tell(self, number: int) -> None:
        try:
            descriptor = os.open(REACHED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError:
            return
        try:
            os.write(descriptor, b"%d\n" % number)
        except OSError:
            pass
        finally:
            os.close(descriptor)

    def forked(self) -> None:
        """In a process that was forked: tell what it reaches."""
        self.seen.clear()
        self.tells = True


SWITCHES = Switches()
builtins._mutant = SWITCHES  # type: ignore[attr-defined]
os.register_at_fork(after_in_child=SWITCHES.forked)
