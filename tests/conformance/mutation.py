"""The switches of changed source (mutants.py), a built-in name of every process of a run from its start on.

In the folder around the tree: `active` holds the number of the change that is switched on, and `reached` gets
the number of each change that a process other than pytest's has reached.

What a function keeps of its results (functools.cache) hides changes in it from all tests but the first that
calls it: such functions are noted, so that each test can begin without.
"""

from __future__ import annotations

import builtins
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1]
REACHED = FOLDER / "reached"
ACTIVE = FOLDER / "active"
OWN = ("dc.", "dif.", "dof.", "runtime.")


class Switches:
    """What is switched on, and what has been reached."""

    def __init__(self) -> None:
        self.active = int(ACTIVE.read_text()) if ACTIVE.exists() else 0
        self.seen: set[int] = set()
        self.tells = True
        self._keeping: list[Any] = []

    def noting(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """Return functools.lru_cache with a note of each function of ours that it makes."""
        def noted(function: Any) -> Any:
            if function.__module__.startswith(OWN):
                self._keeping.append(function)
            return function

        def lru_cache(*args: Any, **named: Any) -> Any:
            made = make(*args, **named)
            return noted(made) if hasattr(made, "cache_clear") else lambda function: noted(made(function))

        return lru_cache

    def forget(self) -> None:
        """Have functions keep no results."""
        for function in self._keeping:
            function.cache_clear()

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
functools.lru_cache = SWITCHES.noting(functools.lru_cache)  # type: ignore[assignment]
builtins._mutant = SWITCHES  # type: ignore[attr-defined]
os.register_at_fork(after_in_child=SWITCHES.forked)
