"""The emulated machine with DTrace in it: kernel, framework and providers put together.

    machine = Machine({"ncpus": "2"})
    with Consumer.open(machine) as dtrace: ...

Options (-x of the command) are those of dof.options whose reader is the machine, and `target`: whose
numbers D programs have (illumos or freebsd).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from dif import isa
from dif.records import NamedTuple
from dof.options import TABLE, UNSET, Kind
from runtime.border import Command
from runtime.framework.device import FrameworkDevice
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Credentials
from runtime.kernel.base.budgets import Budgets, Limits
from runtime.kernel.base.ids import FIRST_PID, INIT, PROJECT, ROOT, TASK
from runtime.providers import installation
from runtime.rights import OPTIONS, become, credentials_of, lacking_privilege
from runtime.symbols import MachineSymbols

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.names.catalog import Argument, ProbeInfo, Symbol
    from dc.types.scopes import Scope
    from dc.types.types import Type
    from dof.model import ProbeDesc
    from runtime.border import Device
    from runtime.consumer.system import KernelNames
    from runtime.driver import Tracer
    from runtime.kernel.image import Image
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.process import Process as KernelProcess
    from runtime.kernel.vfs.disk.source import Source
    from runtime.programs.objectfile import Function as ProgramFunction
    from runtime.programs.objectfile import LoadObject, ObjectFile
    from runtime.programs.usertypes import UserTypes


_BUDGETS = ("memory", "processes", "openfiles", "disk", "output", "cputime", "symbols", "demangled")
_FORMS = {Kind.SIZE: "bytes (with k, m, g or t), ", Kind.RATE: "a time with a unit, "}
_IN_IMAGES = ("root", "file", "env", *_BUDGETS)  # options that a description of the machine may set


def _check_names(options: Mapping[str, object]) -> None:
    """Raise ValueError for an option that does not exist."""
    for name in options:
        if name not in TABLE:
            from dc.diagnostics import did_you_mean

            raise ValueError("; ".join([f"there is no option {name!r}", *did_you_mean(name, TABLE)]))


class Process:
    """A process that a consumer controls."""

    def __init__(self, process: KernelProcess) -> None:
        self._process = process
        self.pid = process.pid

    @property
    def exit_status(self) -> int | None:
        """The status that wait(2) reports; None while the process lives."""
        return self._process.status if self._process.zombie else None

    def resume(self) -> None:
        """Let it run, if it has stood still since it was created."""
        self._process.resume()


class Booted(NamedTuple):
    """A kernel that has booted, and dtrace's process in it."""

    kernel: Kernel
    tracer: Tracer


class Machine:
    """A kernel with DTrace loaded.  Raises ValueError for options that make no machine.

    >>> Machine({"ncpus": 4, "target": "freebsd"})
    <Machine ncpus=4 target=freebsd not booted>
    >>> Machine({"cpus": 4})
    Traceback (most recent call last):
    ...
    ValueError: there is no option 'cpus'; did you mean `ncpus`?

    `arguments` are those of the dtrace process in it, `source` stands for the host (see
    runtime.kernel.vfs.disk.source), and `standard` are the host's descriptors that are standard input, output
    and error of its programs.  The kernel boots when more of it is needed than its
    types and the names of its probes, which is all that a compiler needs.
    """

    def __init__(self, options: Mapping[str, object] | None = None, arguments: Sequence[str] = ("dtrace",),
                 source: Source | None = None, standard: tuple[int, int, int] = (0, 1, 2)) -> None:
        options = dict(options or {})
        _check_names(options)
        self._source = source
        image = _image(options, source)
        if image is not None:
            options = {"ncpus": image.cpus or 1, "seed": image.seed or 0} | image.options | options
        self.ncpus = _number(options, "ncpus")
        self._seed = _number(options, "seed")
        self.real_clock = _word(options, "clock") == "real"
        self._touching = _word(options, "copyin") == "touch"
        self.clean = _word(options, "env") == "clean"
        self._vectors = _word(options, "processor") == "x86-64-v3"
        if self._vectors:
            _check_host()
        self._root, self._files = _root(options, source)
        self.budgets = Budgets(Limits(**{name: _number(options, name) for name in _BUDGETS}))
        self.remark: Callable[[str], None] = lambda message: None  # is told what only the curious ask
        self._most_debug, self._deepest = (_number(options, name) for name in ("debuginfo", "debugdepth"))
        self._arguments, self._standard = arguments, standard
        self.anonymous: list[bytes] = []  # DOF that is traced since the machine booted
        self._types: Scope | None = None
        self._user_types: UserTypes | None = None
        self._named = str(options.get("target", "illumos"))
        if self._named not in isa.NUMBERING:
            raise ValueError(f"option target takes {' or '.join(isa.NUMBERING)}, not {self._named!r}")
        self.target = isa.NUMBERING[self._named]
        self.framework = Framework(self._kernel, target=self.target, engine=_word(options, "engine"),
                                   aligned=_word(options, "strictalign") != "no",
                                   ending=lambda: self.kernel.end("exit() was called"))
        self.symbols = MachineSymbols(self._kernel)
        self._fasttrap = installation.install(self.framework, self._kernel)
        self._privileged = True  # dtrace's process has every privilege, unless options say otherwise
        self._controlled: dict[int, None] = {}  # process numbers, in the order they came
        self._start(options, image)

    @cached_property
    def booted(self) -> Booted:
        """The kernel and dtrace's process, booted when first asked for."""
        from runtime.driver import Tracer
        from runtime.kernel.kernel import Kernel
        from runtime.unoffered import watch

        kernel = Kernel(ncpus=self.ncpus, seed=self._seed, real_clock=self.real_clock, root=self._root,
                        files=self._files, source=self._source, budgets=self.budgets, vectors=self._vectors)
        kernel.target = self._named
        kernel.vfs.standard = self._standard
        kernel.remark = lambda message: self.remark(message)
        kernel.kmem.populate = self._show_objects
        kernel.touching = self._touching
        kernel.ended.append(self._ended)
        tracer = Tracer(kernel, self._arguments, self.environment, self._opened, self.target)
        self._fasttrap.attach(kernel)
        installation.attach(self.framework, kernel)
        self.symbols.attach(kernel)
        watch(kernel, self.symbols)
        return Booted(kernel, tracer)

    def _kernel(self) -> Kernel:
        return self.booted.kernel

    @property
    def kernel(self) -> Kernel:
        return self.booted.kernel

    @cached_property
    def environment(self) -> dict[str, str]:
        """The environment of the processes that are started in it.

        It is the host's, over a default one, or with -x env=clean one that is always the same.
        """
        from runtime.kernel.base.environment import CLEAN_ENVIRONMENT, DEFAULT_ENVIRONMENT

        host = os.environ if self._source is None else self._source.environment
        return dict(CLEAN_ENVIRONMENT) if self.clean else DEFAULT_ENVIRONMENT | dict(host)

    def _start(self, options: Mapping[str, object], image: Image | None) -> None:
        """Say who dtrace is, and start the programs that are to run before tracing begins."""
        if image is not None:
            image.boot(self.kernel)
        if any(name in options for name in OPTIONS):
            from runtime.kernel.image import Image

            become(self.booted.tracer.process, options, image or Image(""))
            self._privileged = False
        command = options.get("spawn")
        if command:
            import shlex

            try:
                self.kernel.spawn(shlex.split(str(command)), self.environment, stopped=False)
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                raise ValueError(f"cannot start {command}: {reason}") from None

    @property
    def types(self) -> Scope:
        """The kernel's types."""
        if self._types is None:
            from dc.names.kernelheader import kernel_header, kernel_types

            self._types = kernel_types(kernel_header())
            self._types.others = self._program_types
        return self._types

    def _program_types(self, module: str) -> Scope | None:
        """Return the types of an object or process, by its name in D (see runtime.programs.usertypes)."""
        if not self._controlled and not module.startswith("pid"):
            return None
        return self._debug_information().scope(module, list(self._controlled))

    def _show_objects(self) -> None:
        """Lay the kernel's objects out in its memory, when an address of them is first used."""
        from runtime.kernel.objects import structures

        types = self.types
        variables = structures.variables(types)
        self.kernel.objects.show(lambda name: structures.layout_of(types, name), variables)

    def named(self, module: str | None, name: str) -> Symbol | None:
        """Return a variable or function of the kernel (see runtime.consumer.system.KernelNames)."""
        from dc.names.catalog import Symbol
        from dc.names.kernelheader import MODULES
        from dc.types.types import Function
        from runtime.kernel.base.kernelfunctions import KFUNCTIONS

        if module is not None and module not in MODULES:
            return None
        self.kernel.kmem.complete()
        found = self.kernel.objects.symbol(name)
        if found is not None:
            return Symbol(name, MODULES[0], found.address, found.size, found.type)
        function = KFUNCTIONS.get(name)
        if function is None or (module is not None and module != function.module):
            return None
        pointer = self.types.pointer(Function(self.types.basic("int")))  # of every function, as in libdtrace
        return Symbol(name, function.module, function.address, pointer.size, pointer)

    def _ended(self, process: KernelProcess) -> None:
        if process.pid in self._controlled:
            self.kernel.stop("a traced process ended")

    # -- for consumers -----------------------------------------------------------------------------

    @property
    def ids(self) -> dict[str, int]:
        """The numbers of dtrace's process, which are the values of $pid, $uid and their like."""
        uid = gid = euid = egid = ROOT
        if not self._privileged:
            identity = self.booted.tracer.process.identity
            uid, euid, gid, egid = identity.ruid, identity.euid, identity.rgid, identity.egid
        return {"pid": FIRST_PID, "ppid": INIT, "pgid": FIRST_PID, "sid": FIRST_PID,
                "uid": uid, "euid": euid, "gid": gid, "egid": egid, "projid": PROJECT, "taskid": TASK}

    def read(self, path: str) -> bytes | None:
        """Return a whole file of the machine, None if there is none."""
        data: bytes | None = self.kernel.vfs.contents(os.fsencode(path))
        return data

    def device(self, credentials: Credentials | None = None) -> MachineDevice:
        """Open /dev/dtrace with the given privileges, by default those of dtrace's process.

        Raises BorderError (EACCES) if they are too few.
        """
        if credentials is None:
            credentials = Credentials() if self._privileged else credentials_of(self.booted.tracer.process)
        return MachineDevice(self, FrameworkDevice(self.framework, credentials))

    def _opened(self, process: KernelProcess) -> Device:
        """Open /dev/dtrace for a program of the machine, with its privileges.  Raises BorderError."""
        return FrameworkDevice(self.framework, credentials_of(process))

    def system(self) -> MachineSystem:
        return MachineSystem(self)

    def spawn(self, argv: Sequence[str], environment: Mapping[str, str] | None = None,
              evaltime: str = "") -> Process:
        """Start a child of dtrace's process, which stands still until it is resumed.  Raises OSError.

        Its environment is the machine's own unless another is given.  It stands where `evaltime` says (see
        runtime.providers.fasttrap.startup).  By default that is its first instruction, and `preinit` once
        probes are asked for that it does not have there.
        """
        if environment is None:
            environment = self.environment
        process = self.booted.tracer.spawn(argv, environment)
        self._controlled[process.pid] = None
        if evaltime:
            self._fasttrap.bring(process.pid, evaltime)
        return Process(process)

    def shell(self, command: bytes, output: int) -> None:
        """Run a shell command in the machine, for dtrace's process, and wait for its end.

        `output` is the host's descriptor for its output.  Raises OSError, TraceError.
        """
        self.booted.tracer.shell(command, output)

    def grab(self, pid: int) -> Process:
        """Take control of a process of the machine.  Raises OSError (ESRCH, EPERM)."""
        process = self.kernel.processes.get(pid)
        if process is None:
            raise OSError(errno.ESRCH, os.strerror(errno.ESRCH))
        self.booted.tracer.process.demand_control(process)
        self._controlled[pid] = None
        return Process(process)

    @property
    def _looker(self) -> KernelProcess | None:
        """The process that looks at programs, if it may not look at all of them."""
        return None if self._privileged else self.booted.tracer.process

    def tracepoints(self) -> str:
        """Return a table of the places in programs where probes have, or would have, their traps."""
        return self._fasttrap.report(self._looker).decode("utf-8", "replace")

    def keep_tracepoints(self) -> None:
        """From now on show in `tracepoints` the places of processes that have ended, too."""
        self._fasttrap.keep()

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        """Return why a description matches nothing, if that is known (see dc.names.catalog.Catalog)."""
        found = self._fasttrap.mistake(description, self._looker)
        if found is None and not self._privileged:
            who = credentials_of(self.booted.tracer.process)
            lacking = lacking_privilege(description, self.framework.registry, who)
            if lacking:
                return "D_PDESC_ZERO", lacking
        if found is None:
            from runtime.providers.elsewhere import mistake

            return mistake(description)
        return found

    def user_arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        """Return what a function of a program takes and returns, if its debug information tells."""
        found = self.function_of(probe.provider, probe.module, probe.function)
        if found is None or probe.name not in ("entry", "return"):
            return None
        return self._debug_information().arguments(*found, probe.name)

    def user_type(self, probe: ProbeInfo, name: str) -> Type | None:
        """Return a type of the program that a probe is in."""
        file = self.object_of(probe.provider, probe.module)
        if file is None:
            return None
        return self._debug_information().of(file).scope.lookup(f"userland {name}")

    def function_of(self, provider: str, module: str,
                    function: str) -> tuple[ObjectFile, ProgramFunction] | None:
        """Return the function that a pid probe is in, if there is just one of its name."""
        return self._fasttrap.function_of(provider, module, function)

    def object_of(self, provider: str, module: str) -> ObjectFile | None:
        """Return the file that a program's probe is in."""
        return self._fasttrap.object_of(provider, module)

    def objects_of(self, pid: int, module: str) -> Sequence[LoadObject]:
        """Return the load objects of a process (see FasttrapModule.objects_of)."""
        return self._fasttrap.objects_of(pid, module, self._looker)

    def _debug_information(self) -> UserTypes:
        if self._user_types is None:
            from runtime.programs.usertypes import UserTypes

            self._user_types = UserTypes(self.objects_of, self._most_debug, self._deepest)
        return self._user_types

    def unread_types(self) -> list[str]:
        """Return a line for each file that was asked for types and has more of them than are read."""
        return self._user_types.problems() if self._user_types is not None else []

    def refusals(self, every: bool) -> list[str]:
        """Return the computed jumps that hide pid probes which were asked for.

        With `every`: each pid probe that was asked for and cannot be made, with place and reason.
        """
        return self._fasttrap.refusals(self._looker) if every else self._fasttrap.hidden(self._looker)

    def unknown_calls(self) -> list[str]:
        """Return the system calls that programs made and the kernel does not have, with counts."""
        return [f"{name} ({count})" for name, count in sorted(self.kernel.unknown_syscalls.items())]

    def interrupt(self) -> None:
        """Make a waiting consumer return; a signal handler of the host may call this."""
        self.kernel.end("interrupt")

    def close(self) -> None:
        """Free what the machine holds of the host, if it has booted."""
        if "booted" in self.__dict__:
            self.kernel.close()

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        booted = "booted" if "booted" in self.__dict__ else "not booted"
        return f"<Machine ncpus={self.ncpus} target={self.target} {booted}>"


class MachineDevice:
    """The opened device.  Before tracing begins the machine stands still, and requests take no time."""

    def __init__(self, machine: Machine, device: FrameworkDevice) -> None:
        self._machine = machine
        self.inner = device  # the kernel's own end
        self._tracing = False

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        """See runtime.border.Device."""
        if command is Command.GO:
            self._tracing = True
        if not self._tracing:
            return self.inner.ioctl(command, payload)
        return self._machine.booted.tracer.ioctl(self.inner, command, payload)

    def close(self) -> None:
        self.inner.close()


class MachineSystem:
    """runtime.consumer.system.System for an emulated machine."""

    patient = True

    def __init__(self, machine: Machine) -> None:
        self.mistake = machine.mistake
        self.user_arguments = machine.user_arguments
        self.user_type = machine.user_type
        self._machine = machine
        self.names: KernelNames | None = machine
        self.ncpus = machine.ncpus
        self.symbols = machine.symbols

    @property
    def types(self) -> Scope:
        return self._machine.types

    @property
    def interrupted(self) -> bool:
        """Whether dtrace's process has got SIGINT, SIGTERM or SIGHUP in the machine."""
        return self._machine.booted.tracer.interrupted

    def now(self) -> int:
        return self._machine.booted.kernel.hrtime()

    def absent(self, address: int) -> bool:
        """See runtime.consumer.system.System."""
        return address in self._machine.booted.kernel.absent

    def wait(self, until: int) -> bool:
        return self._machine.booted.tracer.sleep(until)

    def relieve(self, wanted: bool) -> None:
        """See runtime.consumer.system.System."""
        machine = self._machine
        machine.framework.tracing.relief = (lambda: machine.kernel.stop("a buffer fills")) if wanted else None


def _image(options: Mapping[str, object], source: Source | None) -> Image | None:
    """Read the description of the machine that the options ask for.  Raises ValueError."""
    path = options.get("image")
    if not path:
        return None
    from runtime.kernel.image import read_image

    return read_image(str(path), _IN_IMAGES, None if source is None else source.whole)


def _root(options: Mapping[str, object], source: Source | None) -> tuple[str, list[str]]:
    """Return the host's directory that is the root ("" for none), and files that are seen besides.

    Raises ValueError for what is not there.
    """
    root, files = str(options.get("root", "/")), options.get("file", [])
    if root == "none":
        root = ""
    elif source is not None:
        root = os.path.normpath(os.path.join(source.home, root))
    elif not os.path.isdir(root):
        raise ValueError(f"option root: {root}: "
                         f"{os.strerror(errno.ENOTDIR if os.path.exists(root) else errno.ENOENT)}")
    else:
        root = os.path.abspath(root)
    named = list(files) if isinstance(files, list) else [str(files)]
    for file in named:
        if source is None and not os.path.exists(file):
            raise ValueError(f"option file: {file}: {os.strerror(errno.ENOENT)}")
    return root, named


def _number(options: Mapping[str, object], name: str) -> int:
    """The value of an option that is a number, a size or a time, checked by its row.  Raises ValueError."""
    from dc.options import OptionError, parse_value

    row = TABLE[name]
    value = options.get(name, row.default)
    if type(value) is not int:
        try:
            value = parse_value(row, str(value))
        except OptionError:
            value = UNSET
    if type(value) is not int or not row.least <= value <= row.most:
        raise ValueError(f"option {name} takes {_FORMS.get(row.kind, '')}a number from {row.least} to "
                         f"{row.most}, not {options[name]!r}")
    return value


def _check_host() -> None:
    """Raise ValueError unless the host's processor executes what x86-64-v3 has."""
    from runtime.kernel.cpu.x86.identification import lacking

    missing = lacking()
    if missing:
        raise ValueError(f"option processor: x86-64-v3 needs a host that has {', '.join(missing)}, too")


def _word(options: Mapping[str, object], name: str) -> str:
    """The value of an option that is one of a few words, checked by its row.  Raises ValueError."""
    words = list(TABLE[name].choices)
    text = str(options.get(name, words[0]))
    if text not in words:
        raise ValueError(f"option {name} takes {' or '.join(filter(None, words))}, not {text!r}")
    return text
