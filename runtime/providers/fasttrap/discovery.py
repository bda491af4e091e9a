"""USDT probes that are known from files: before the program registers them, or although it never does.

A kernel knows the DOF that programs register.  Most do so in a constructor (dof.usdt.registration), and a
process that has only just been created has run none: so DOF that it is going to register is loaded on its
behalf when a description names its provider.  The stapsdt notes of any mapped file, which no program
registers, become probes the same way.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dif.records import Record, field
from dof.elf import ElfError, ElfFile
from dof.files import dof_objects
from dof.format import DofError
from dof.globs import is_glob, matcher
from dof.helpers import DEVICE
from dof.reader import read
from dof.usdt.reading import FoundProbe, from_dof, from_notes
from runtime.providers.fasttrap.pid import may_trace
from runtime.providers.fasttrap.wanted import Wanted

if TYPE_CHECKING:
    from dof.model import ProbeDesc
    from runtime.framework.probes.privileges import Credentials
    from runtime.kernel.process.process import Process
    from runtime.programs.objectfile import LoadObject, ObjectFile
    from runtime.providers.fasttrap.traced import TracedPrograms
    from runtime.providers.fasttrap.usdt import HelperDevice, UsdtProviders


_DEVICE = os.fsencode(DEVICE)


class Offer(Record):
    """What one file offers: DOF as (address in the file, bytes, provider names), notes by provider.

    `registers` tells whether the file knows the device with which DOF is registered.
    """

    dof: list[tuple[int, bytes, list[str]]] = field(default_factory=list)
    registers: bool = False
    notes: dict[str, list[FoundProbe]] = field(default_factory=dict)


def offer_of(elf: ElfFile) -> Offer:
    """What an ELF file offers, without notes for sites that its DOF has too and without what is broken."""
    offer, known = Offer(), set()
    with contextlib.suppress(ElfError, DofError):
        for section, at, data in dof_objects(elf):
            names = [provider.name for provider in read(data).providers]
            offer.dof.append((section.address + at, data, names))
        known = {site for probe in from_dof(elf) for site in probe.sites}
    offer.registers = bool(offer.dof) and _DEVICE in elf.data
    with contextlib.suppress(ElfError):
        for probe in from_notes(elf):
            if not known.intersection(probe.sites):
                offer.notes.setdefault(probe.provider, []).append(probe)
    return offer


def _may_register(process: Process) -> bool:
    """Whether a process that knows how to register DOF does so, as its environment has it."""
    settings = dict(word.partition(b"=")[::2] for word in process.environment)
    return (b"DTRACE_DOF_INIT_DISABLE" not in settings
            and settings.get(b"DTRACE_DOF_INIT_DEVNAME", _DEVICE) == _DEVICE)


class Discovery:
    """What the files of each process offer, and which of their providers have been asked for."""

    def __init__(self, programs: TracedPrograms, helper: HelperDevice, usdt: UsdtProviders) -> None:
        self._programs = programs
        self._helper = helper
        self._usdt = usdt
        self.wanted: Wanted[str] = Wanted()  # providers, with their process numbers or globs
        self._offers: WeakKeyDictionary[ObjectFile, Offer] = WeakKeyDictionary()
        self._done: set[tuple[int, str, int, str]] = set()  # process, path, bias, provider

    def seek(self, desc: ProbeDesc, who: Credentials | None) -> None:
        """Make the probes that `desc` may mean in the processes that are there, and are for this tracer."""
        name = desc.provider
        self.wanted.add(name, who)
        for process in list(self._programs.kernel.processes.values()):
            if (process.space is not None and (is_glob(name) or name.endswith(str(process.pid)))
                    and may_trace(who, process)):
                for each in self._programs.objects.of(process):
                    self._provide(process, each, [name])

    def loaded(self, process: Process, each: LoadObject) -> None:
        """A process has mapped a load object: make the probes of it that were asked for."""
        wanted = [name for name, who in self.wanted
                  if (is_glob(name) or name.endswith(str(process.pid))) and may_trace(who, process)]
        if wanted:
            self._provide(process, each, wanted)

    def forget(self, process: Process) -> None:
        """Begin anew for a process that has exited, or executes another program."""
        self._done = {key for key in self._done if key[0] != process.pid}

    def _provide(self, process: Process, each: LoadObject, wanted: list[str]) -> None:
        offer = self._offers.get(each.file)
        if offer is None:
            offer = self._offers[each.file] = offer_of(each.file.elf)
        tests = [matcher(name) for name in wanted]

        def first_time(name: str) -> bool:
            key = process.pid, each.file.path, each.bias, name
            if key in self._done or not any(test is None or test(f"{name}{process.pid}") for test in tests):
                return False
            self._done.add(key)
            return True
        for address, data, names in offer.dof if offer.registers and _may_register(process) else ():
            if [name for name in names if first_time(name)]:
                with contextlib.suppress(DofError):
                    self._helper.load_early(process, data, each.bias, address + each.bias, each.name)
        for name, probes in offer.notes.items():
            if first_time(name):
                self._usdt.provide_notes(process, each, name, probes)
