"""LLVM modules made into functions: compiled when first asked for, kept in memory and on disk.

The machine code of a module lies in the user's cache directory, under a name made of everything it
depends on: the module's text, the versions of llvmlite and LLVM, the processor and its features.  A
cache that cannot be read or written costs the time of compiling, and nothing else.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dif.records import Record
from dof.outputs import write
from runtime.consumer.aggregations import linekernel, valuekernels
from runtime.consumer.aggregations import mergekernels as kernels

if TYPE_CHECKING:
    from runtime.consumer.aggregations.entries import Layout

_P, _I = ctypes.c_void_p, ctypes.c_int64
_DIGEST = hashlib.sha256().digest_size
_KEPT = 32 << 20  # bytes in the cache; a module has a few thousand

# Results and arguments of the functions of all modules.
Kernel = Callable[..., int]  # pointers are addresses, numbers have 64 bits
_Type = type[ctypes.c_void_p] | type[ctypes.c_int64]
_SIGNATURES: dict[str, tuple[_Type | None, tuple[_Type, ...]]] = {
    "merge": (_I, (_P, _P, _I, _I, _P, _P, _I, _P, _I)),
    "scan": (_I, (_P, _I, _I, _P, _I, _P, _P, _P)),
    "rehash": (None, (_P, _I, _P, _I)),
    "weigh": (None, (_P, _I, _P, _I, _P, _I)),
    "normalize": (None, (_P, _I, _I, _P)),
    "lines": (_I, (_P, _I, _P, _I, _I, _P, _I, _P, _I, _P, _P, _I, _P)),
}


class Unavailable(Exception):
    """llvmlite is not installed, or too old."""


class ObjectCache:
    """Machine code in files, `kept` bytes at most: those used last.

    Every file begins with the SHA-256 of the rest.
    """

    def __init__(self, folder: Path, kept: int = _KEPT) -> None:
        self._folder = folder
        self._kept = kept

    @classmethod
    def of_user(cls) -> ObjectCache:
        """The cache in $XDG_CACHE_HOME, or ~/.cache."""
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        return cls(Path(base) / "dtrace-suite" / "kernels")

    def get(self, key: str) -> bytes | None:
        """What was put under `key`; None if nothing was, or if it is damaged."""
        path = self._folder / key
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return data[_DIGEST:] if hashlib.sha256(data[_DIGEST:]).digest() == data[:_DIGEST] else None

    def put(self, key: str, code: bytes) -> None:
        """Keep `code`, if that is possible."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write({str(self._folder / key): hashlib.sha256(code).digest() + code})
            self._prune()

    def _prune(self) -> None:
        """Remove what was used longest ago."""
        files = [(each.stat(), each) for each in self._folder.iterdir()]
        room = self._kept
        for status, each in sorted(files, key=lambda file: file[0].st_mtime_ns, reverse=True):
            room -= status.st_size
            if room < 0:
                each.unlink(missing_ok=True)


class Engine(Protocol):
    """As much of llvmlite's ExecutionEngine as is needed."""

    def get_function_address(self, name: str) -> int: ...


class Machine(Protocol):
    """As much of llvmlite's TargetMachine."""

    def emit_object(self, module: object) -> bytes: ...


class Module(Record, frozen=True):
    """Compiled code, which its functions keep alive."""

    engine: Engine

    def function(self, name: str) -> Kernel:
        """The function of that name, which keeps the module alive."""
        restype, argtypes = _SIGNATURES[name]
        function = ctypes.CFUNCTYPE(restype, *argtypes)(self.engine.get_function_address(name))
        vars(function)["engine"] = self.engine
        return function


class Compiler:
    """Kernels as ctypes functions.  Raises Unavailable when there cannot be any."""

    def __init__(self, cache: ObjectCache | None = None) -> None:
        try:
            import llvmlite
            import llvmlite.binding as llvm
        except ImportError:
            raise Unavailable("llvmlite is not installed") from None
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._llvm = llvm
        self._cache = cache or ObjectCache.of_user()
        self._processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        self._versions = llvmlite.__version__, str(llvm.llvm_version_info), llvm.get_default_triple()
        self._modules: dict[str, Module] = {}
        self._functions: dict[tuple[object, ...], Kernel] = {}

    def _module(self, text: str) -> Module:
        known = self._modules.get(text)
        if known is None:
            known = self._modules[text] = self._load(text)
        return known

    def _load(self, text: str) -> Module:
        llvm = self._llvm
        name, features = self._processor
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=name, features=features, opt=3, jit=True)
        key = hashlib.sha256("\0".join((text, *self._versions, *self._processor)).encode()).hexdigest()
        code = self._cache.get(key)
        if code is None:
            code = self._compile(text, machine)
            self._cache.put(key, code)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return Module(engine)

    def _compile(self, text: str, machine: Machine) -> bytes:
        llvm = self._llvm
        module = llvm.parse_assembly(text)
        tuning = llvm.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization = True
        builder = llvm.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
        return machine.emit_object(module)

    def _function(self, key: tuple[object, ...], text: str) -> Kernel:
        made = self._functions[key] = self._module(text).function(str(key[0]))
        return made

    # -- the kernels: what each does stands with its text ------------------------------------------

    def merge(self, layout: Layout, strided: bool) -> Kernel:
        """`merge`, of records one after another (`strided`) or at offsets that are given."""
        key = "merge", layout, strided
        return self._functions.get(key) or self._function(key, kernels.merging(layout, strided))

    @property
    def scan(self) -> Kernel:
        return self._functions.get(("scan",)) or self._function(("scan",), kernels.COMMON)

    @property
    def rehash(self) -> Kernel:
        return self._functions.get(("rehash",)) or self._function(("rehash",), kernels.COMMON)

    @property
    def lines(self) -> Kernel:
        return self._functions.get(("lines",)) or self._function(("lines",), linekernel.LINES)

    def values(self, name: str, layout: Layout) -> Kernel:
        """`weigh` or `normalize`."""
        key = name, layout
        return self._functions.get(key) or self._function(key, valuekernels.values(layout))
