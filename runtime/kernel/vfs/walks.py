"""Where paths have led to: a path through directories alone is walked once, until one of them changes.

What is remembered of a path is its last directory and its last name, which is looked up anew each time; so a
name that comes or goes changes nothing here.  The file system forgets all paths when the attributes of a
directory change, when one is renamed, removed or mounted on, and when it forgets one of the host's.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.identity import Credentials
    from runtime.kernel.vfs.vnode import Directory

MOST_WALKS = 1024  # remembered; of more all are forgotten


class Walks:
    """Directory and name at the end of paths, for the one whose credentials allow each step."""

    def __init__(self) -> None:
        self._found: dict[tuple[Directory, bytes, Credentials], tuple[Directory, bytes]] = {}
        self.find = self._found.get  # the last directory and name of a path; None: it is not remembered

    def remember(self, start: Directory, path: bytes, credentials: Credentials, end: Directory,
                 name: bytes) -> None:
        """Note that a path from `start` leads to `name` in `end`, which may be searched."""
        if len(self._found) >= MOST_WALKS:
            self._found.clear()
        self._found[start, path, credentials] = end, name

    def forget(self) -> None:
        """Forget every path: a directory has changed."""
        self._found.clear()
