"""The values of macro variables in programs of a consumer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property


class MacroVariables(Mapping[str, int]):
    """$target, if that is not 0, and what `ids` answers once a program names something else."""

    def __init__(self, target: int, ids: Callable[[], Mapping[str, int]]) -> None:
        self._target = {"target": target} if target else {}
        self._ids = ids

    @cached_property
    def _all(self) -> Mapping[str, int]:
        return {**self._ids(), **self._target}

    def __getitem__(self, name: str) -> int:
        return self._target[name] if name == "target" else self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)
