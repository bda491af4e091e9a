"""What an installation of the toolchain alone lacks: the libraries of the machine."""

from __future__ import annotations

from dof.commandline import Failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _Given = TypeVar("_Given")

LIBRARIES = ("unicorn", "capstone", "greenlet", "elftools", "cxxfilt", "numpy", "llvmlite", "rich", "click")


def needs_machine(work: Callable[[_Given], int], given: _Given) -> int:
    """Do work that may import them.  Raises Failure, which says what to install."""
    try:
        return work(given)
    except ImportError as error:
        places = (error.name, *(error.path or "").split("/"))  # a part of a library is known by its place
        name = next((each for each in LIBRARIES if each in places), None)
        if name is None:
            raise
        if isinstance(error, ModuleNotFoundError):
            raise Failure(f"tracing needs {name}: pip install 'dtrace-suite[machine]'") from None
        raise Failure(f"tracing needs {name}, which this host cannot load: {error}") from None
