"""The byte code of the modules that commands load, in one file beside Python's own caches of it.

To look for, open and read some 270 files takes a sixth of a short command's time.  As in those caches, code
counts while its source has the size and time of change that it was made of.  Any other module is loaded in
the usual way; a command that has loaded such ones adds them when it ends, if Python may write caches.

The file: the magic number of Python's byte code, the size of a table (four bytes, little endian), the table,
and the code objects.  Table and code objects are in the format of `marshal`.
"""

from __future__ import annotations

import marshal
import mmap
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source, spec_from_file_location

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

    _Entry = tuple[int, int, int, int]  # a source's time in ns and size; where the code begins and ends

HEADER = len(MAGIC_NUMBER) + 4
ROOMS = ("dc", "dif", "dof", "runtime")
PACKAGE = "/__init__.py"


class CodeCache:
    """A finder of modules.  `root` is the directory in which the packages are."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._path = cache_from_source(f"{root}/runtime/commands.py").removesuffix("pyc") + "code"
        self._table: dict[str, _Entry] = {}  # by the paths of sources, relative to the root
        self._code = memoryview(b"")
        try:
            with open(self._path, "rb") as file:
                data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            if data[:len(MAGIC_NUMBER)] == MAGIC_NUMBER:
                begin = HEADER + int.from_bytes(data[len(MAGIC_NUMBER):HEADER], "little")
                self._code = data[begin:]
                table: dict[str, _Entry] = marshal.loads(data[HEADER:begin])
                if max(entry[3] for entry in table.values()) == len(self._code):
                    self._table = table
        except (OSError, EOFError, ValueError, TypeError):
            return

    def install(self) -> None:
        """Have modules looked for here before they are looked for in directories."""
        sys.meta_path.insert(sys.meta_path.index(PathFinder), self)

    def find_spec(self, name: str, _path: Sequence[str] | None = None,
                  _target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how a module is loaded whose code is here; None for any other."""
        place = name.replace(".", "/")
        for source in (place + ".py", place + PACKAGE):
            entry = self._table.get(source)
            if entry is not None:
                break
        else:
            return None
        path = f"{self._root}/{source}"
        if not _is_of(path, entry):
            return None
        loader = _Loader(name, path, self._code[entry[2]:entry[3]])
        spec = spec_from_file_location(
            name, path, loader=loader,
            submodule_search_locations=[os.path.dirname(path)] if source.endswith(PACKAGE) else None)
        if spec is not None:
            spec.cached = self._path
        return spec

    def add_loaded(self) -> None:
        """Write the modules that have been loaded in another way, too, if that can be."""
        if sys.dont_write_bytecode:
            return
        missing = [loader for loader in map(_own_loader, tuple(sys.modules.values()))
                   if loader is not None and loader.path.startswith(self._root + "/")
                   and not _is_of(loader.path, self._table.get(self._source(loader.path)))]
        if not missing:
            return
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            if os.access(os.path.dirname(self._path), os.W_OK):  # else all that follows would be for nothing
                self._write({self._source(loader.path): _piece(loader) for loader in missing})
        except (OSError, ImportError, ValueError):
            return

    def _source(self, path: str) -> str:
        return path.removeprefix(self._root + "/")

    def _write(self, pieces: dict[str, tuple[int, int, bytes]]) -> None:
        """Write these and what there is, but for what has another source now.  Raises OSError."""
        from dof import outputs

        for source, entry in self._table.items():
            if source not in pieces and _is_of(f"{self._root}/{source}", entry):
                pieces[source] = entry[0], entry[1], bytes(self._code[entry[2]:entry[3]])
        table: dict[str, _Entry] = {}
        size = 0
        for source, (changed, length, code) in pieces.items():
            table[source] = changed, length, size, size + len(code)
            size += len(code)
        told = marshal.dumps(table)
        head = MAGIC_NUMBER + len(told).to_bytes(4, "little") + told
        outputs.write({self._path: b"".join([head, *(code for _changed, _length, code in pieces.values())])})


class _Loader(SourceFileLoader):
    """Loads a module of the cache; all but the code is as usual."""

    def __init__(self, name: str, path: str, code: memoryview) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType | None:
        code: CodeType = marshal.loads(self._code)
        return code


def _own_loader(module: object) -> SourceFileLoader | None:
    """Return what has loaded a module of ours from a file in the usual way; None for any other."""
    loader = getattr(module, "__loader__", None)
    if type(loader) is SourceFileLoader and loader.name.partition(".")[0] in ROOMS:
        return loader
    return None


def _piece(loader: SourceFileLoader) -> tuple[int, int, bytes]:
    """Return the time and size of a module's source, and its code.  Raises OSError, ImportError."""
    status = os.stat(loader.path)
    return status.st_mtime_ns, status.st_size, marshal.dumps(loader.get_code(loader.name))


def _is_of(path: str, entry: _Entry | None) -> bool:
    """Whether the code of an entry was made of the source that is there."""
    if entry is None:
        return False
    try:
        status = os.stat(path)
    except OSError:
        return False
    return (status.st_mtime_ns, status.st_size) == entry[:2]
