"""Every traced address space of a kernel, each of the kind that its program's processor needs.

Keyed by address space, not by process, since a vfork()ed child runs in its parent's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import Processor
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.process import Process
    from runtime.providers.fasttrap.instructions.arm64 import Arm64
    from runtime.providers.fasttrap.instructions.space import TracedSpace
    from runtime.providers.fasttrap.instructions.sparc import Sparc
    from runtime.providers.fasttrap.instructions.x86 import X86


class Tracepoints:
    """Every traced address space of a kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.spaces: dict[AddressSpace, TracedSpace] = {}
        self._x86: dict[int, X86] = {}  # by bits
        self._sparc: dict[int, Sparc] = {}
        self._arm64: Arm64 | None = None

    def of(self, process: Process) -> TracedSpace:
        """The traced address space of a process.  Raises SyscallError when the process has none any more."""
        space = process.memory
        traced = self.spaces.get(space)
        if traced is None:
            traced = self.spaces[space] = self._trace(space, process.processor)
        return traced

    def _trace(self, space: AddressSpace, processor: Processor) -> TracedSpace:
        bits = processor.bits
        if processor.name == b"aarch64":
            from runtime.providers.fasttrap.instructions.arm64 import Arm64, ArmSpace

            self._arm64 = self._arm64 or Arm64()
            return ArmSpace(self._kernel, space, self._arm64)
        if processor.order == ">":
            from runtime.providers.fasttrap.instructions.sparc import Sparc, SparcSpace

            sparc = self._sparc[bits] = self._sparc.get(bits) or Sparc(bits)
            return SparcSpace(self._kernel, space, sparc)
        from runtime.providers.fasttrap.instructions.x86 import X86, X86Space

        x86 = self._x86[bits] = self._x86.get(bits) or X86(bits)
        return X86Space(self._kernel, space, x86)
